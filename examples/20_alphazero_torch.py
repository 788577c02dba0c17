"""Learn by self-play with AlphaZero in one file: a network, and a search that it guides.

python examples/20_alphazero_torch.py --game sphlag --out runs/20

Needs ludarium[train]. The search is that of Gumbel AlphaZero, which learns with few simulations;
all games are searched in lock-step, so that the network sees hundreds of positions at once. With
the defaults it takes 4.5 minutes of processor time in one thread, final matches included (AMD EPYC
with two cores; 22 minutes by the clock while others kept them busy), 59 % of the training in the
network, 30 % learning, 11 % searching. Then 64 simulations win 100 of 100 games against greedy at
Sphlag, and the network alone wins 95 and draws 5; against mcts:1000 they win 12 of 20 and draw 8.
`--game gyges --steps 100000`: 82 and 17 of 100 against greedy, in 2 minutes of processor time.

The folder gets the best model, the learning curve, two tables of final matches, a game as a GIF,
and logs for TensorBoard. The model plays with a search, and without:
ludarium match sphlag alphazero:64:runs/20/model.zip mcts:1000 --games 20
ludarium match sphlag sb3:runs/20/model.zip greedy
"""

import argparse
import time
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import ludarium
from ludarium.agents.alphazero import AlphaZeroAgent, AlphaZeroSearch, SearchOutput

try:
    import torch
    from torch import nn
    from torch.utils.tensorboard import SummaryWriter

    from ludarium.arena.evaluate import Score, evaluate
    from ludarium.arena.training_report import (
        new_folder,
        play_finals,
        positive,
        share,
        write_report,
    )
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

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [n, A] of all actions, legal or not, and values [n]."""
        features = self.body(planes.float().permute(0, 3, 1, 2))
        return self.policy(features).float(), torch.tanh(self.value(features).float()).squeeze(1)


class Asked:
    """The network as a function on arrays for the search; it counts batches and positions."""

    def __init__(self, network: Network, short: bool):
        self.network, self.short = network, short
        self.positions, self.batches, self.seconds = 0, 0, 0.0

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return logits float32 [n, A] and values float32 [n] of planes int8 [n, H, W, C]."""
        start = time.perf_counter()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self.short):
            logits, values = self.network(torch.from_numpy(planes))
        self.positions += len(planes)
        self.batches += 1
        self.seconds += time.perf_counter() - start
        return logits.numpy(), values.numpy()


class AloneAgent:
    """Plays the network's likeliest action, without a search."""

    name = "network alone"

    def __init__(self, network: Network):
        self.ask = Asked(network, short=False)

    def select_actions(self, observations: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
        """Return an action for each position of a batch."""
        logits, _ = self.ask(observations["observation"])
        return np.where(observations["action_mask"] != 0, logits, -np.inf).argmax(1)

    def select_action(self, state: ludarium.State, rng: np.random.Generator) -> int:
        """Return an action for one position."""
        planes, mask = state.observation_tensor()[None], state.legal_actions_mask()[None]
        return int(self.select_actions({"observation": planes, "action_mask": mask}, rng)[0])


# ---------------------------------------------------------------- what was played


class Replay:
    """The last T steps of N games: observations, search results, and results of the games.

    A position is used for learning once its game is over, and forgotten after T steps.
    """

    def __init__(self, game: ludarium.Game, steps: int, games: int):
        actions = game.num_distinct_actions
        self.steps, self.step = steps, 0
        self.planes = np.zeros((steps, games, *game.observation_shape), np.int8)
        self.masks = np.zeros((steps, games, actions), np.int8)
        self.policies = np.zeros((steps, games, actions), np.float32)
        self.searched = np.zeros((steps, games), np.float32)  # the search's value for the mover
        self.movers = np.zeros((steps, games), np.int8)
        self.results = np.zeros((steps, games), np.float32)  # result of the game, for the mover
        self.known = np.zeros((steps, games), np.bool_)  # whether the game is over
        self.begun = np.zeros(games, np.int64)  # the step at which each game began

    def add(self, observations: dict[str, Any], output: SearchOutput, movers: np.ndarray) -> None:
        """Store a step of all games."""
        row = self.step % self.steps
        self.planes[row], self.masks[row] = observations["observation"], observations["action_mask"]
        self.policies[row], self.searched[row] = output.action_weights, output.values
        self.movers[row], self.known[row] = movers, False
        self.step += 1

    def end(self, rewards: np.ndarray, over: np.ndarray) -> None:
        """Store the results of finished games with their positions, for the mover of each."""
        for i in np.flatnonzero(over):
            rows = np.arange(max(self.begun[i], self.step - self.steps), self.step) % self.steps
            self.results[rows, i] = rewards[i][self.movers[rows, i]]
            self.known[rows, i] = True
            self.begun[i] = self.step

    def sample(self, number: int, trust: float, rng: np.random.Generator) -> list[np.ndarray]:
        """Sample planes, masks, policies, and values: results mixed with values of searches."""
        at = np.unravel_index(rng.choice(np.flatnonzero(self.known), number), self.known.shape)
        values = trust * self.results[at] + (1 - trust) * self.searched[at]
        return [self.planes[at], self.masks[at], self.policies[at], values]


class Turned:
    """Applies random symmetries of the game to positions."""

    def __init__(self, game: ludarium.Game):
        self.planes, self.actions = (np.stack(x) for x in zip(*game.symmetries(), strict=True))

    def __call__(self, sample: list[np.ndarray], rng: np.random.Generator) -> list[torch.Tensor]:
        """Return a sample of `Replay` as tensors, each row under a random symmetry."""
        planes, masks, policies, values = sample
        which = rng.integers(len(self.planes), size=len(planes))
        flat, actions = planes.reshape(len(planes), -1), self.actions[which]
        seen = np.take_along_axis(flat, self.planes[which], 1).reshape(planes.shape)
        masks, policies = (np.take_along_axis(x, actions, 1) for x in (masks, policies))
        return [torch.from_numpy(x) for x in (seen, masks, policies, values)]


# ---------------------------------------------------------------- learning


def main() -> None:
    """Alternate playing and learning, evaluate at intervals, play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--steps", type=positive, default=200_000, help="actions of both players")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/20_alphazero_torch", help="a new folder")
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    parser.add_argument("--num-envs", type=positive, default=256)
    parser.add_argument(
        "--simulations", type=positive, default=32, help="simulations of each search in training"
    )
    parser.add_argument("--final-simulations", type=positive, default=64, help="of the final agent")
    parser.add_argument("--max-considered", type=positive, default=16, help="actions at the root")
    parser.add_argument("--value-scale", type=float, default=0.3, help="weight of the values")
    parser.add_argument("--layers", type=positive, default=2)
    parser.add_argument("--channels", type=positive, default=32)
    parser.add_argument("--width", type=positive, default=128)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--minibatch", type=positive, default=512)
    parser.add_argument("--updates", type=positive, default=2, help="minibatches after each step")
    parser.add_argument(
        "--replay", type=positive, default=256, help="number of steps that are kept of each game"
    )
    parser.add_argument("--trust", type=share, default=0.5, help="weight of results, not searches")
    parser.add_argument("--precision", choices=("auto", "bfloat16", "float32"), default="auto")
    parser.add_argument("--threads", type=positive, default=1, help="threads of torch")
    args = parser.parse_args()
    if args.smoke:
        args.steps, args.num_envs, args.minibatch = 4096, 64, 64
        args.simulations = args.final_simulations = 4
    try:
        out = new_folder(args.out)
    except OSError as error:
        parser.error(str(error))
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    fast = "AVX512" in torch.backends.cpu.get_cpu_capability()  # at bfloat16: half the time
    N, short = args.num_envs, args.precision == "bfloat16" or (fast and args.precision == "auto")
    games = ludarium.make_vec(args.game, num_envs=N, seed=args.seed, autoreset="same_step")
    game = games.game
    network = Network(
        game.observation_shape,
        game.num_distinct_actions,
        args.layers,
        args.channels,
        args.width,
    )
    optimizer = torch.optim.AdamW(network.parameters(), args.learning_rate, weight_decay=1e-4)
    options = {"max_num_considered_actions": args.max_considered, "value_scale": args.value_scale}
    ask = Asked(network, short)
    search = AlphaZeroSearch(game, ask, args.simulations, **options)
    trained = AlphaZeroAgent(Asked(network, short), args.simulations, **options)
    replay, turned = Replay(game, args.replay, N), Turned(game)
    clock = {"games": 0.0, "search": 0.0, "network": 0.0, "learning": 0.0}
    history: list[tuple[int, dict[str, Score]]] = []
    writer = SummaryWriter(str(out / "tensorboard"))
    best: dict[str, torch.Tensor] = {}

    def look(step: int) -> None:
        """Evaluate, log, and keep the network if it is the best so far."""
        number = 4 if args.smoke else 40
        found = {name: evaluate(trained, game, name, number, args.seed) for name in OPPONENTS}
        alone = evaluate(AloneAgent(network), game, OPPONENTS[-1], number, args.seed)
        found[f"{OPPONENTS[-1]}, alone"] = alone
        for name, score in found.items():
            writer.add_scalar(f"eval/win_rate_{name.replace(', ', '_')}", score.win_rate, step)
        if mean_of(found) >= max((mean_of(scores) for _, scores in history), default=0):
            best.update({name: tensor.clone() for name, tensor in network.state_dict().items()})
            body, policy, value = network.body, network.policy, network.value
            save_network(game, body, policy, value, out / "model.zip", step, overwrite=True)
        history.append((step, found))
        wins = ", ".join(f"{100 * score.win_rate:.0f} % {name}" for name, score in found.items())
        bar.console.print(f"{step:>11,} actions: wins {wins}", soft_wrap=True)

    def learn(step: int) -> None:
        """Learn from minibatches of positions whose games are over."""
        for _ in range(args.updates):
            sample = replay.sample(args.minibatch, args.trust, rng)
            planes, masks, policies, values = turned(sample, rng)
            with torch.autocast("cpu", torch.bfloat16, enabled=short):
                logits, value = network(planes)
            logs = logits.masked_fill(masks == 0, -1e9).log_softmax(1)
            policy_loss = -(policies * logs).sum(1).mean()
            value_loss = (value - values).square().mean()
            optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
        entropy = -(policies * (policies + 1e-9).log()).sum(1).mean()  # the smallest possible loss
        for name, loss in (("policy", policy_loss), ("value", value_loss), ("entropy", entropy)):
            writer.add_scalar(f"loss/{name}", loss.item(), step)

    steps = max(1, args.steps // N)
    bar = Progress(
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} actions"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with bar:
        task = bar.add_task("train", total=steps * N)
        observations, _ = games.reset()
        for step in range(steps):
            if step % max(1, steps // (1 if args.smoke else 8)) == 0:
                look(step * N)
            optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - step / steps)

            # play: search an action in each of N games, for its player to move
            start, asked = time.perf_counter(), ask.seconds
            output, movers = search.search(games, rng), games.current_player
            clock["network"] += ask.seconds - asked
            clock["search"] += time.perf_counter() - start - (ask.seconds - asked)
            start = time.perf_counter()
            replay.add(observations, output, movers)
            observations, rewards, terminated, truncated, _ = games.step(output.actions)
            replay.end(rewards, terminated | truncated)
            clock["games"] += time.perf_counter() - start

            start = time.perf_counter()
            if replay.known.sum() >= 2 * args.minibatch:
                learn(step * N)
            clock["learning"] += time.perf_counter() - start
            bar.update(task, completed=(step + 1) * N)
        look(steps * N)
    writer.close()

    whole = sum(clock.values())
    spent = [f"{name} {100 * seconds / whole:.0f} %" for name, seconds in clock.items()]
    print(f"Time spent: {', '.join(spent)}")
    rate, batch = ask.positions / ask.seconds, ask.positions / ask.batches
    print(f"{whole / 60:.1f} minutes; {rate:,.0f} positions/s, {batch:.0f} in a batch")
    network.load_state_dict(best)
    name = f"alphazero, {args.final_simulations} simulations"
    final = AlphaZeroAgent(Asked(network, False), args.final_simulations, name, **options)
    matches = {"games": 4 if args.smoke else 100, "seed": args.seed}
    write_report(out, game, final, history, OPPONENTS, **matches)
    play_finals(new_folder(out / "alone"), game, AloneAgent(network), OPPONENTS, **matches)


def mean_of(found: dict[str, Score]) -> float:
    """Return the mean win rate of all matches."""
    return sum(score.win_rate for score in found.values()) / len(found)


if __name__ == "__main__":
    main()
