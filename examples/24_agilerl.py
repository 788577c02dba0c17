"""Learn against a fixed opponent with AgileRL: masked PPO on a batch of games.

python examples/24_agilerl.py --game sphlag --opponent random --out runs/24

Needs `pip install ludarium agilerl peft`. The environment plays the whole turns of the opponent, so
after each action of the learner the learner is to move again, and a loss is a reward of -1. The
folder gets AgileRL's checkpoint and a table of final matches. A minute for Sphlag on one core; it
then scored 93 % of 200 games against random.
"""

import argparse
import time
from typing import Any

import gymnasium
import numpy as np

import ludarium

try:
    import torch
    from agilerl.algorithms import PPO
    from agilerl.rollouts.on_policy import collect_rollouts

    from ludarium.arena.evaluate import evaluate
    from ludarium.arena.training_report import new_folder, play_finals
except ImportError as error:
    raise SystemExit(f"{error}; this example needs: pip install ludarium agilerl peft") from error


class PPOAgent:
    """Samples actions from the policy, as AgileRL does: an agent for `evaluate` and the arena."""

    name = "agilerl"

    def __init__(self, learner: PPO):
        self.learner = learner

    def select_actions(self, observations: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
        """Return an action for each position of a batch."""
        planes, mask = observations["observation"], observations["action_mask"]
        flat = planes.reshape(len(planes), -1)
        return np.asarray(self.learner.get_action(flat, action_mask=mask)[0])

    def select_action(self, state: ludarium.State, rng: np.random.Generator) -> int:
        """Return an action for one position."""
        planes, mask = state.observation_tensor()[None], state.legal_actions_mask()[None]
        return int(self.select_actions({"observation": planes, "action_mask": mask}, rng)[0])


def make_parts(args: argparse.Namespace, **options: Any) -> tuple[Any, PPO]:
    """Return a batch of games, and the learner."""
    version = ludarium.load_game(args.game).version
    envs = gymnasium.make_vec(
        f"ludarium:ludarium/{args.game.capitalize()}-v{version}",
        num_envs=args.num_envs,
        vectorization_mode="vector_entry_point",
        observation="flat",
        opponent=args.opponent,
        autoreset="same_step",  # so every action counts
        **options,
    )
    layers = {"hidden_size": [args.width]}
    learner = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"encoder_config": layers, "head_config": layers, "latent_dim": args.width},
        num_envs=args.num_envs,
        learn_step=args.num_envs * args.num_steps,
        batch_size=args.minibatch,
        lr=args.learning_rate,
        gamma=args.gamma,
        gae_lambda=args.lam,
        ent_coef=args.entropy,
        update_epochs=args.epochs,
    )
    return envs, learner


def main() -> None:
    """Train, evaluate at intervals, and play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--opponent", default="random", help="the spec of an agent")
    parser.add_argument("--steps", type=int, default=300_000, help="actions of the learner")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/24_agilerl", help="a new folder")
    parser.add_argument("--smoke", action="store_true", help="short, to see that it runs")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--num-steps", type=int, default=64, help="actions a game between updates")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--minibatch", type=int, default=512)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--lam", type=float, default=0.95)
    parser.add_argument("--entropy", type=float, default=0.01)
    args = parser.parse_args()
    if args.smoke:
        args.steps, args.num_envs, args.num_steps = 512, 8, 16
    torch.set_num_threads(1)  # more threads hardly help such a small network
    torch.manual_seed(args.seed)
    try:
        out = new_folder(args.out)
        envs, learner = make_parts(args)
    except (OSError, ValueError) as error:
        parser.error(str(error))

    game = ludarium.load_game(args.game)
    agent = PPOAgent(learner)
    start, steps, shown, looks = time.perf_counter(), 0, 0, 2 if args.smoke else 10
    seen, info = envs.reset(seed=args.seed)
    over, scores = np.zeros(args.num_envs, bool), np.zeros(args.num_envs)
    while steps < args.steps:
        learner.set_training_mode(True)
        _, seen, over, scores, info = collect_rollouts(
            learner,
            envs,
            last_obs=seen,
            last_done=over,
            last_scores=scores,
            last_info=info,
        )
        learner.learn()
        steps += args.num_envs * args.num_steps
        if looks * steps // args.steps > shown:
            shown = looks * steps // args.steps
            learner.set_training_mode(False)
            score = evaluate(agent, game, "random", 4 if args.smoke else 100, args.seed)
            spent = time.perf_counter() - start
            print(
                f"{steps:9,} actions, {spent:5.0f} s: {100 * score.win_rate:.0f} % against random"
            )

    learner.save_checkpoint(str(out / "checkpoint.pt"))
    play_finals(out, game, agent, games=4 if args.smoke else 200, seed=args.seed)


if __name__ == "__main__":
    main()
