"""Learn by self-play with Tianshou 2: masked DQN, one network in both seats.

python examples/22_tianshou.py --game sphlag --out runs/22

Needs `pip install ludarium 'tianshou>=2'`. The folder gets the weights and a table of final
matches. Two minutes for Sphlag on one core; it then won 200 of 200 games against random and scored
78 % against greedy.
"""

import argparse
import logging
import time
from typing import Any

import numpy as np

import ludarium

try:
    import torch
    from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.utils.torch_utils import policy_within_training_step
    from torch import nn

    from ludarium.arena.evaluate import evaluate
    from ludarium.arena.training_report import new_folder, play_finals
except ImportError as error:
    raise SystemExit(f"{error}; this example needs: pip install ludarium 'tianshou>=2'") from error


class Network(nn.Module):
    """Two convolutions over the planes, then the value of each action, between -1 and 1."""

    def __init__(self, shape: tuple[int, int, int], actions: int, channels: int, width: int):
        super().__init__()
        height, length, planes = shape
        self.body = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * height * length, width),
            nn.ReLU(),
            nn.Linear(width, actions),
            nn.Tanh(),
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return the values of actions [N, A] for planes [N, H, W, C], in the form for Tianshou."""
        planes = torch.as_tensor(np.asarray(obs)).float().permute(0, 3, 1, 2)
        return self.body(planes), state


class SelfPlayDQN(DQN):
    """DQN for two players of a zero-sum game.

    Tianshou bootstraps from the position some actions later, where either player may be to move.
    The value changes its sign only if that is the other player; in a turn of two actions it is the
    same one. The loser's -1 comes as a reward within these actions, or by that sign.
    """

    def _preprocess_batch(self, batch: Any, buffer: Any, indices: Any) -> Any:
        self.player = batch.obs.agent_id[0]  # Tianshou passes the actions of each player separately
        return super()._preprocess_batch(batch, buffer, indices)

    def _target_q(self, buffer: Any, indices: Any) -> torch.Tensor:
        values = super()._target_q(buffer, indices)
        same = np.asarray(buffer[indices].obs_next.agent_id == self.player)
        return values * torch.from_numpy(np.where(same, 1.0, -1.0)).to(values)


class DQNAgent:
    """Plays the action with the largest value: an agent for `evaluate` and the arena."""

    name = "tianshou"

    def __init__(self, network: Network):
        self.network = network

    def select_actions(self, observations: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
        """Return an action for each position of a batch."""
        with torch.no_grad():
            worth = self.network(observations["observation"])[0].numpy()
        return np.where(observations["action_mask"] != 0, worth, -np.inf).argmax(1)

    def select_action(self, state: ludarium.State, rng: np.random.Generator) -> int:
        """Return an action for one position."""
        planes, mask = state.observation_tensor()[None], state.legal_actions_mask()[None]
        return int(self.select_actions({"observation": planes, "action_mask": mask}, rng)[0])


def make_parts(args: argparse.Namespace) -> tuple[Network, Any, Any]:
    """Return the network, the policy that plays by it, and the learner of both seats."""
    env = PettingZooEnv(ludarium.make(args.game))
    shape = env.observation_space["observation"].shape
    network = Network(shape, int(env.action_space.n), args.channels, args.width)
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space)
    learner = SelfPlayDQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=args.learning_rate),
        gamma=args.gamma,
        n_step_return_horizon=args.horizon,
        target_update_freq=100,
    )
    return network, policy, MultiAgentOffPolicyAlgorithm(algorithms=[learner, learner], env=env)


def main() -> None:
    """Train by self-play, evaluate at intervals, and play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--steps", type=int, default=60_000, help="actions of both players")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/22_tianshou", help="a new folder")
    parser.add_argument("--smoke", action="store_true", help="short, to see that it runs")
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--buffer", type=int, default=50_000, help="actions remembered")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--horizon", type=int, default=4, help="actions before bootstrapping")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--gamma", type=float, default=0.98)
    args = parser.parse_args()
    if args.smoke:
        args.steps, args.num_envs = 640, 8
    try:
        out = new_folder(args.out)
    except OSError as error:
        parser.error(str(error))
    torch.set_num_threads(1)  # more threads hardly help such a small network
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # noqa: NPY002  # Tianshou explores with this generator

    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of two rewards a step

    game = ludarium.load_game(args.game)
    envs = DummyVectorEnv([lambda: PettingZooEnv(ludarium.make(args.game))] * args.num_envs)
    envs.seed(args.seed)
    network, policy, both = make_parts(args)
    buffer = VectorReplayBuffer(args.buffer, args.num_envs)
    collector = Collector(both, envs, buffer, exploration_noise=True)
    collector.reset()

    start, steps, shown, looks = time.perf_counter(), 0, 0, 2 if args.smoke else 10
    per_round = 4 * args.num_envs
    while steps < args.steps:
        with policy_within_training_step(both.policy):
            # the policies below the one of both are not told that they train, so the noise is
            # that of inference
            policy.set_eps_inference(max(0.05, 1 - 2 * steps / args.steps))
            collector.collect(n_step=per_round)
            steps += per_round
            both.update(buffer=buffer, sample_size=args.batch)
            both.update(buffer=buffer, sample_size=args.batch)
        if looks * steps // args.steps > shown:
            shown = looks * steps // args.steps
            score = evaluate(DQNAgent(network), game, "random", 4 if args.smoke else 100, args.seed)
            spent = time.perf_counter() - start
            print(
                f"{steps:9,} actions, {spent:5.0f} s: {100 * score.win_rate:.0f} % against random"
            )

    torch.save(network.state_dict(), out / "weights.pt")
    games = 4 if args.smoke else 200
    play_finals(out, game, DQNAgent(network), games=games, seed=args.seed)


if __name__ == "__main__":
    main()
