"""Callbacks for training with Stable-Baselines3: self-play, evaluation, checkpoints, win rates.

The environment of the model is a `ludarium.wrappers.sb3.SB3VecEnv`, which may be wrapped in a
`VecNormalize`: its statistics are saved and evaluated with the model. A wrapper that changes
observations in another way is refused when training begins.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from ludarium.agents.players import Player, name_of
from ludarium.arena.evaluate import Score, evaluate
from ludarium.core.files import replacing
from ludarium.wrappers.sb3 import SB3VecEnv, describe, save_model
from ludarium.wrappers.sb3_agent import PolicyNetworkAgent, SB3Agent
from ludarium.wrappers.sb3_wrapped import training_of


def agent_of(model: BaseAlgorithm, name: str = "sb3", sample: bool = False) -> PolicyNetworkAgent:
    """Return an agent that plays a model which is being trained, with its present weights.

    The agent shares the weights of the model, so it changes as the model learns; the statistics of
    a `VecNormalize` are copied.

    Raises:
        ValueError: See `ludarium.wrappers.sb3_wrapped.training_of`.
    """
    training = training_of(model)
    return PolicyNetworkAgent(model.policy, training.game, name, sample, training.normalization())


# ---------------------------------------------------------------- self-play


class SelfPlay(BaseCallback):
    """Train against a pool: the present policy, past ones, and built-in agents.

    At the end of each rollout the present policy becomes the newest opponent, and every `every`
    steps a snapshot of it is kept. Games that begin later choose their opponents at random, with
    these probabilities:

    - `latest`: the newest opponent;
    - `built_in`: each of these agents, with its own share;
    - the rest: the snapshots, in equal shares (the newest opponent while there are none).

    Args:
        folder: folder of the snapshots, which are loaded when training is resumed.
        every: number of steps between snapshots.
        keep: largest number of snapshots in use; beyond it every other snapshot of the older half
            is no longer played.
        latest: probability of the newest policy.
        built_in: specs or agents, and the probability of each.

    Raises:
        ValueError: The shares add up to more than 1, or `latest` is negative; or, when training
            begins, the environment is not an `SB3VecEnv`, or a wrapper changes its observations.
    """

    def __init__(
        self,
        folder: Path,
        every: int = 25_000,
        keep: int = 16,
        latest: float = 0.5,
        built_in: Mapping[Any, float] | None = None,
    ) -> None:
        super().__init__()
        self.folder, self.every, self.keep, self.latest = folder, every, keep, latest
        self.built_in = {"random": 0.05, "greedy": 0.15} if built_in is None else dict(built_in)
        if latest < 0 or latest + sum(self.built_in.values()) > 1:
            raise ValueError(
                f"latest={latest} and built_in={self.built_in} are not allowed: they add up to 1 "
                "at most, and latest is >= 0"
            )
        self.snapshots: list[PolicyNetworkAgent] = []

    def __repr__(self) -> str:
        return f"<SelfPlay against {len(self.snapshots)} snapshots in {str(self.folder)!r}>"

    def _on_training_start(self) -> None:
        describe(self.model)  # raise before training what saving would raise later
        if not isinstance(self.training_env.unwrapped, SB3VecEnv):
            raise ValueError(
                "self-play needs an SB3VecEnv, whose opponents can change; the model's environment "
                f"is of type {type(self.training_env.unwrapped).__name__}"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.snapshots = [SB3Agent(str(f), sample=True) for f in sorted(self.folder.glob("*.zip"))]
        self._mix()

    def _on_rollout_end(self) -> None:
        path = self.folder / f"{self.num_timesteps // self.every * self.every:012d}.zip"
        if self.num_timesteps >= self.every and not path.exists():
            self.snapshots.append(SB3Agent(str(save_model(self.model, path)), sample=True))
        if len(self.snapshots) > self.keep:
            del self.snapshots[1 : len(self.snapshots) // 2 : 2]
        self._mix()

    def _mix(self) -> None:
        """Tell the environment which opponents the coming games choose from."""
        env: Any = self.training_env.unwrapped
        newest = agent_of(self.model, "newest", sample=True)
        newest.policy = copy.deepcopy(newest.policy)
        rest = 1 - self.latest - sum(self.built_in.values())
        mixture: dict[Any, float] = {newest: self.latest, **self.built_in}
        for snapshot in self.snapshots or [newest]:
            mixture[snapshot] = mixture.get(snapshot, 0) + rest / max(1, len(self.snapshots))
        env.set_opponent(mixture)

    def _on_step(self) -> bool:
        return True


# ---------------------------------------------------------------- evaluation


class Evaluate(BaseCallback):
    """Play the policy against fixed agents at intervals; log win rates, keep the best model.

    The policy takes its likeliest action. Logged for each opponent: ``eval/win_rate_<name>`` and
    the ends of its 95 % interval. The best model is the one with the highest mean win rate.

    Args:
        opponents: specs or agents.
        every: number of steps between evaluations.
        games: number of games against each opponent in an evaluation, even; half in each seat.
        best: path of the file of the best model; None: it is not kept.
        log: path of a JSON file of all results; a run that is resumed adds to it.
        seed: seed of the games, the same for each evaluation.

    Raises:
        ValueError: When training begins: the game of the environment is not known, or a wrapper
            changes its observations.
    """

    def __init__(
        self,
        opponents: tuple[Player, ...] = ("random", "greedy"),
        every: int = 25_000,
        games: int = 100,
        best: Path | None = None,
        log: Path | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.opponents, self.every, self.games = opponents, every, games
        self.best, self.log, self.seed = best, log, seed
        self.next_at = 0
        #: Results of all evaluations: (steps, {opponent: Score}).
        self.history: list[tuple[int, dict[str, Score]]] = []

    def __repr__(self) -> str:
        return f"<Evaluate against {self.opponents!r} every {self.every} steps>"

    def _on_training_start(self) -> None:
        if self.best is None:
            training_of(self.model)
        else:
            describe(self.model)  # raise before training what saving would raise later
        self.next_at = self.num_timesteps
        if self.num_timesteps and self.log is not None and self.log.is_file():
            for steps, scores in json.loads(self.log.read_text()):
                self.history.append(
                    (steps, {name: Score(*counts) for name, counts in scores.items()})
                )

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.next_at:
            self.next_at = self.num_timesteps + self.every
            self.look()

    def _on_training_end(self) -> None:
        if not self.history or self.history[-1][0] != self.num_timesteps:
            self.look()
            self.logger.dump(self.num_timesteps)

    def look(self) -> None:
        """Play, log, and keep the model if it is the best so far."""
        self.model.policy.set_training_mode(False)
        agent = agent_of(self.model)
        scores: dict[str, Score] = {}
        for opponent in self.opponents:
            name = opponent if isinstance(opponent, str) else name_of(opponent)
            scores[name] = score = evaluate(agent, agent.game, opponent, self.games, self.seed)
            self.logger.record(f"eval/win_rate_{name}", score.win_rate)
            low, high = score.interval
            self.logger.record(f"eval/win_rate_{name}_low", low, exclude="stdout")
            self.logger.record(f"eval/win_rate_{name}_high", high, exclude="stdout")
        if self.best is not None and _mean(scores) > max(map(_mean, self._scores()), default=-1):
            save_model(self.model, self.best, overwrite=True)
        self.history.append((self.num_timesteps, scores))
        if self.log is not None:
            plain = [
                (steps, {name: astuple(score) for name, score in earlier.items()})
                for steps, earlier in self.history
            ]
            with replacing(self.log, overwrite=True) as file:
                file.write(json.dumps(plain).encode())

    def _scores(self) -> list[dict[str, Score]]:
        return [scores for _, scores in self.history]

    def _on_step(self) -> bool:
        return True


def _mean(scores: dict[str, Score]) -> float:
    """Return the mean win rate over all opponents."""
    return sum(score.win_rate for score in scores.values()) / len(scores)


# ---------------------------------------------------------------- logs, checkpoints, progress


class LogWinRates(BaseCallback):
    """Log the win rates of the last games by seat: ``rollout/win_rate_seat_0`` and ``_1``."""

    def _on_rollout_end(self) -> None:
        env: Any = self.training_env.unwrapped
        for seat, rate in enumerate(env.win_rates()):
            if not np.isnan(rate):
                self.logger.record(f"rollout/win_rate_seat_{seat}", rate)

    def _on_step(self) -> bool:
        return True


class Checkpoint(BaseCallback):
    """Write the model to a file at intervals; `load_weights` resumes from it.

    If the process is killed during a write, the previous file stays as it was.

    Args:
        path: path of the file, which ends in ``.zip``.
        every: number of steps between writes; the last write is at the end of training.
    """

    def __init__(self, path: Path, every: int = 50_000) -> None:
        super().__init__()
        self.path, self.every, self.next_at = path, every, 0

    def __repr__(self) -> str:
        return f"<Checkpoint {str(self.path)!r} every {self.every} steps>"

    def _on_training_start(self) -> None:
        describe(self.model)  # raise before training what saving would raise later
        self.next_at = self.num_timesteps + self.every

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.next_at:
            self.next_at = self.num_timesteps + self.every
            save_model(self.model, self.path, overwrite=True)

    def _on_training_end(self) -> None:
        save_model(self.model, self.path, overwrite=True)

    def _on_step(self) -> bool:
        return True


class ShowProgress(BaseCallback):
    """Show a progress bar with the steps each second and the win rate of the last games."""

    def _on_training_start(self) -> None:
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.completed:>9,.0f} of {task.total:,.0f} steps"),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("wins {task.fields[wins]}"),
        )
        self._task = self._bar.add_task(
            "train", total=self.model._total_timesteps, completed=self.num_timesteps, wins="-"
        )
        self._bar.start()

    def _on_step(self) -> bool:
        self._bar.update(self._task, completed=self.num_timesteps)
        return True

    def _on_rollout_end(self) -> None:
        env: Any = self.training_env.unwrapped
        rates = [rate for rate in env.win_rates() if not np.isnan(rate)]
        if rates:
            self._bar.update(self._task, wins=f"{100 * np.mean(rates):.0f} %")

    def _on_training_end(self) -> None:
        self._bar.stop()
