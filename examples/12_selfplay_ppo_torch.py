"""Learn by self-play with PPO in one file: one network plays both seats of `ludarium.make_vec`.

In a quarter of the games the network plays against a fixed agent instead, so that it does not
forget how to answer play that it would not choose itself (`--share 0` for self-play alone).

python examples/12_selfplay_ppo_torch.py --game sphlag --out runs/12

Needs ludarium[train]. Three minutes for Sphlag on one core. The folder gets the best model, the
learning curve, a table of final matches, a game as a page and as a GIF, and logs for TensorBoard.
Then: ludarium play sphlag --against sb3:runs/12/model.zip
"""

import argparse
import time
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import ludarium
from ludarium.agents import make_agent

try:
    import torch
    from torch import nn
    from torch.utils.tensorboard import SummaryWriter

    from ludarium.arena.evaluate import Score, evaluate
    from ludarium.arena.training_report import new_folder, positive, share, write_report
    from ludarium.single_agent.vector import SingleAgentVector
    from ludarium.wrappers.sb3 import save_network
except ImportError as error:
    raise SystemExit(
        f"{error}; this example needs: pip install 'ludarium[train]', or in a clone '.[train]'"
    ) from error

OPPONENTS = ("random", "greedy")  # seed of the evaluations that choose the best network

# ---------------------------------------------------------------- the network and its agent


class Network(nn.Module):
    """Convolutions over the planes, then logits of all actions and the value of the position.

    The value is for the player to move, whose view the planes show.
    """

    def __init__(
        self, shape: tuple[int, int, int], actions: int, layers: int, channels: int, width: int
    ):
        super().__init__()
        height, length, planes = shape
        parts: list[nn.Module] = []
        for layer in range(layers):
            parts += [nn.Conv2d(channels if layer else planes, channels, 3, padding=1), nn.ReLU()]
        parts += [nn.Flatten(), nn.Linear(channels * height * length, width), nn.ReLU()]
        self.body = nn.Sequential(*parts)
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, planes: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return log probabilities [N, A], about -1e9 where illegal, and values [N]."""
        features = self.body(planes.float().permute(0, 3, 1, 2))
        logits = self.policy(features).masked_fill(mask == 0, -1e9)
        return logits.log_softmax(1), torch.tanh(self.value(features)).squeeze(1)


class NetworkAgent:
    """Plays the likeliest action: an agent for `evaluate` and for the arena."""

    name = "ppo"

    def __init__(self, network: Network):
        self.network = network

    def select_actions(self, observations: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
        """Return an action for each position of a batch."""
        with torch.no_grad():
            planes, mask = observations["observation"], observations["action_mask"]
            log_probs, _ = self.network(torch.from_numpy(planes), torch.from_numpy(mask))
            return log_probs.argmax(1).numpy()

    def select_action(self, state: ludarium.State, rng: np.random.Generator) -> int:
        """Return an action for one position."""
        planes, mask = state.observation_tensor()[None], state.legal_actions_mask()[None]
        return int(self.select_actions({"observation": planes, "action_mask": mask}, rng)[0])


# ---------------------------------------------------------------- games


class Games:
    """N games for one network: self-play first, then games against a fixed agent.

    Args:
        game: the game, with its options.
        number: number of games, N.
        opponent: spec of the fixed agent; random and greedy cost least, as they are compiled.
        share: share of the games that are against the fixed agent.
        seed: seed of all games.
    """

    def __init__(self, game: ludarium.Game, number: int, opponent: str, share: float, seed: int):
        fixed = min(round(share * number), number - 1)  # at least one game is self-play
        self.both = ludarium.make_vec(
            game.name, number - fixed, seed=seed, autoreset="same_step", **dict(game.options)
        )
        self.fixed = None
        if fixed:
            self.fixed = SingleAgentVector(
                game, fixed, opponent, "random", "dict", autoreset="same_step", seed=seed
            )

    def reset(self) -> dict[str, np.ndarray]:
        """Return the observations [N, ...] of the players to move."""
        first, _ = self.both.reset()
        return first if self.fixed is None else joined(first, self.fixed.reset()[0])

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
        """Play actions [N]; a game that ends is followed by a new one.

        Returns:
            observations; rewards [N] of those who acted; whether games ended, 0 or 1 [N]; and [N]
            1 where the network's next action is for the same player, -1 where it is for the other.
        """
        n = self.both.num_envs
        mover = self.both.current_player
        obs, both, terminated, truncated, _ = self.both.step(actions[:n])
        rewards, over = both[np.arange(n), mover], terminated | truncated
        same = np.where(self.both.current_player == mover, 1, -1)
        if self.fixed is not None:  # this includes the turns of the fixed agent
            more, reward, terminated, truncated, _ = self.fixed.step(actions[n:])
            obs = joined(obs, more)
            rewards = np.concatenate([rewards, reward])
            over = np.concatenate([over, terminated | truncated])
            same = np.concatenate([same, np.ones(len(reward), same.dtype)])
        return obs, rewards, over.astype(np.float32), same.astype(np.float32)


def joined(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return two batches of observations as one."""
    return {key: np.concatenate([a[key], b[key]]) for key in a}


# ---------------------------------------------------------------- learning


def advantages_of(
    rewards: torch.Tensor,  # [T, N] of the player who acted
    values: torch.Tensor,  # [T + 1, N] for the player to move
    over: torch.Tensor,  # [T, N] 1 where the action ended the game
    same: torch.Tensor,  # [T, N] 1 where the same player acts next, -1 where the other does
    gamma: float,
    lam: float,
) -> torch.Tensor:
    """Return generalised advantages [T, N] for two players of a zero-sum game.

    The sign of a value changes when the player changes, and not after every action, because a turn
    may be two actions of the same player. The loser's -1 comes from the same rule: it is the
    winner's +1, one turn later, with the other sign.
    """
    advantages = torch.zeros_like(rewards)
    after = torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        goes_on = same[t] * (1 - over[t])
        error = rewards[t] + gamma * goes_on * values[t + 1] - values[t]
        advantages[t] = after = error + gamma * lam * goes_on * after
    return advantages


def main() -> None:
    """Train by self-play, evaluate at intervals, play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--steps", type=positive, default=400_000, help="actions of both players")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/12_selfplay_ppo_torch", help="a new folder")
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    parser.add_argument("--num-envs", type=positive, default=256)
    parser.add_argument(
        "--num-steps", type=positive, default=32, help="actions in each game between updates"
    )
    parser.add_argument("--opponent", default="greedy", help="fixed agent in some of the games")
    parser.add_argument("--share", type=share, default=0.25, help="share of those games")
    parser.add_argument("--layers", type=positive, default=2)
    parser.add_argument("--channels", type=positive, default=32)
    parser.add_argument("--width", type=positive, default=128)
    parser.add_argument("--learning-rate", type=float, default=1.5e-3)
    parser.add_argument("--epochs", type=positive, default=3)
    parser.add_argument("--minibatch", type=positive, default=1024)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--lam", type=float, default=0.9)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01)
    parser.add_argument(
        "--threads",
        type=positive,
        default=1,
        help="threads of torch; use one on busy cores",
    )
    args = parser.parse_args()
    if args.smoke:
        args.steps, args.num_envs, args.num_steps = 1024, 32, 16
    try:
        make_agent(args.opponent)
        out = new_folder(args.out)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    T, N = args.num_steps, args.num_envs
    game = ludarium.load_game(args.game)
    games = Games(game, N, args.opponent, args.share, args.seed)
    network = Network(
        game.observation_shape,
        game.num_distinct_actions,
        args.layers,
        args.channels,
        args.width,
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)
    agent, clock = NetworkAgent(network), {"games": 0.0, "network": 0.0, "learning": 0.0}
    history: list[tuple[int, dict[str, Score]]] = []
    writer = SummaryWriter(str(out / "tensorboard"))
    planes = torch.zeros((T, N, *game.observation_shape), dtype=torch.int8)
    masks = torch.zeros((T, N, game.num_distinct_actions), dtype=torch.int8)
    actions = torch.zeros((T, N), dtype=torch.int64)
    log_probs, rewards, over, same = (torch.zeros((T, N)) for _ in range(4))
    values = torch.zeros((T + 1, N))

    best: dict[str, torch.Tensor] = {}

    def look(step: int) -> None:
        """Evaluate, log, and keep the network if it is the best so far."""
        scores = {
            name: evaluate(agent, game, name, 4 if args.smoke else 100, args.seed)
            for name in OPPONENTS
        }
        for name, score in scores.items():
            writer.add_scalar(f"eval/win_rate_{name}", score.win_rate, step)
        if mean_of(scores) >= max((mean_of(earlier) for _, earlier in history), default=0):
            best.update({name: tensor.clone() for name, tensor in network.state_dict().items()})
            body, policy, value = network.body, network.policy, network.value
            save_network(game, body, policy, value, out / "model.zip", step, overwrite=True)
        history.append((step, scores))
        wins = [f"{100 * score.win_rate:.0f} % against {name}" for name, score in scores.items()]
        bar.update(task, wins="wins " + ", ".join(wins))
        bar.console.print(f"{step:>11,} actions: wins {', '.join(wins)}")

    updates = max(1, args.steps // (T * N))
    bar = Progress(
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} actions"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[wins]}"),
    )
    with bar:
        task = bar.add_task("train", total=updates * T * N, wins="")
        obs = games.reset()
        for update in range(updates):
            step = update * T * N
            if update % max(1, updates // 10) == 0:
                look(step)
            optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / updates)

            # play: T actions in each of N games, for both players
            for t in range(T):
                start = time.perf_counter()
                planes[t] = torch.from_numpy(obs["observation"])
                masks[t] = torch.from_numpy(obs["action_mask"])
                with torch.no_grad():
                    logs, values[t] = network(planes[t], masks[t])
                    actions[t] = torch.multinomial(logs.exp(), 1).squeeze(1)
                    log_probs[t] = logs.gather(1, actions[t, :, None]).squeeze(1)
                clock["network"] += time.perf_counter() - start
                start = time.perf_counter()
                obs, *results = games.step(actions[t].numpy())
                clock["games"] += time.perf_counter() - start
                rewards[t], over[t], same[t] = (torch.from_numpy(array) for array in results)
            start = time.perf_counter()
            with torch.no_grad():
                seen, legal = obs["observation"], obs["action_mask"]
                _, values[T] = network(torch.from_numpy(seen), torch.from_numpy(legal))
                advantages = advantages_of(rewards, values, over, same, args.gamma, args.lam)
                returns = advantages + values[:T]

            # learn: PPO on shuffled minibatches
            flat = [
                x.flatten(0, 1) for x in (planes, masks, actions, log_probs, advantages, returns)
            ]
            for _ in range(args.epochs):
                for rows in torch.randperm(T * N).split(args.minibatch):
                    seen_, legal_, action, before, advantage, target = (x[rows] for x in flat)
                    logs, value = network(seen_, legal_)
                    ratio = (logs.gather(1, action[:, None]).squeeze(1) - before).exp()
                    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                    clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                    policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
                    value_loss = (value - target).square().mean()
                    entropy = -(logs.exp() * logs).sum(1).mean()
                    loss = policy_loss + value_loss - args.entropy * entropy
                    optimizer.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                    optimizer.step()
            clock["learning"] += time.perf_counter() - start
            for name, loss_ in (
                ("policy", policy_loss),
                ("value", value_loss),
                ("entropy", entropy),
            ):
                writer.add_scalar(f"loss/{name}", loss_.item(), step)
            bar.update(task, completed=step + T * N)
        look(updates * T * N)
    writer.close()

    whole = sum(clock.values())
    spent = [f"{name} {100 * seconds / whole:.0f} %" for name, seconds in clock.items()]
    print(f"Time spent: {', '.join(spent)}")
    network.load_state_dict(best)
    matches = 4 if args.smoke else 200
    write_report(out, game, agent, history, OPPONENTS, games=matches, seed=args.seed)


def mean_of(scores: dict[str, Score]) -> float:
    """Return the mean win rate over all opponents."""
    return sum(score.win_rate for score in scores.values()) / len(scores)


if __name__ == "__main__":
    main()
