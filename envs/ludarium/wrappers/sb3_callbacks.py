"""Callbacks for training with Stable-Baselines3: self-play, evaluation, checkpoints, win rates.

The environment of the model is a `ludarium.wrappers.sb3.SB3VecEnv`, which may be wrapped in a
`VecNormalize`: its statistics go wherever the model goes. A wrapper that changes observations in
another way is refused when training begins.
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
    """Return a model that is being trained as an agent, with its present weights.

    The agent goes on with the weights of the model; the statistics of a `VecNormalize` are copied.

    Raises:
        ValueError: See `ludarium.wrappers.sb3_wrapped.training_of`.
    """
    training = training_of(model)
    return PolicyNetworkAgent(model.policy, training.game, name, sample, training.normalization())


# ---------------------------------------------------------------- self-play


class SelfPlay(BaseCallback):
    """Train against a pool: the present policy, past ones, and built-in agents.

    At the end of each rollout the newest opponent is the policy as it is; every `every` steps a
    snapshot of it is kept. The games that begin then draw their opponents by these shares:

    - `latest`: the newest;
    - `built_in`: each of these agents by its own share;
    - the rest: one of the snapshots, all alike (the newest, while there is none).

    Args:
        folder: folder of the snapshots, which are found again when training is resumed.
        every: steps between snapshots.
        keep: largest number of snapshots; beyond it every other one of the older half is dropped.
        latest: share of the newest policy.
        built_in: spec (or agent) -> share.

    Raises:
        ValueError: The shares are more than the whole; or, when training begins, the environment
            is not an `SB3VecEnv`, or a wrapper changes its observations.
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
                f"latest={latest} and built_in={self.built_in} are more than the whole"
            )
        self.snapshots: list[PolicyNetworkAgent] = []

    def _on_training_start(self) -> None:
        describe(self.model)  # raise now what saving would raise
        if not isinstance(self.training_env.unwrapped, SB3VecEnv):
            raise ValueError(
                "self-play needs an SB3VecEnv, whose opponents can change; the model's environment "
                f"is {type(self.training_env.unwrapped).__name__}"
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
        """Tell the environment who may sit opposite in the games to come."""
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
    """Play the policy against fixed agents now and then; log win rates, keep the best model.

    The policy takes its likeliest action. Logged for each opponent: ``eval/win_rate_<name>`` and
    the ends of its 95 % interval. The best model is the one with the highest mean win rate.

    Args:
        opponents: specs or agents.
        every: steps between evaluations.
        games: for each opponent and evaluation, even; half in each seat.
        best: file of the best model; None: it is not kept.
        log: JSON file of all results; a run that is resumed adds to it.
        seed: seed of the games, the same for each evaluation.

    Raises:
        ValueError: When training begins: the environment does not say its game, or a wrapper
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
        #: What was found: (steps, {opponent: Score}).
        self.history: list[tuple[int, dict[str, Score]]] = []

    def _on_training_start(self) -> None:
        if self.best is None:
            training_of(self.model)
        else:
            describe(self.model)  # raise now what saving would raise
        self.next_at = self.num_timesteps
        if self.num_timesteps and self.log is not None and self.log.is_file():
            for steps, found in json.loads(self.log.read_text()):
                self.history.append(
                    (steps, {name: Score(*counts) for name, counts in found.items()})
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
        found: dict[str, Score] = {}
        for opponent in self.opponents:
            name = opponent if isinstance(opponent, str) else name_of(opponent)
            found[name] = score = evaluate(agent, agent.game, opponent, self.games, self.seed)
            self.logger.record(f"eval/win_rate_{name}", score.win_rate)
            low, high = score.interval
            self.logger.record(f"eval/win_rate_{name}_low", low, exclude="stdout")
            self.logger.record(f"eval/win_rate_{name}_high", high, exclude="stdout")
        if self.best is not None and _mean(found) > max(map(_mean, self._scores()), default=-1):
            save_model(self.model, self.best, overwrite=True)
        self.history.append((self.num_timesteps, found))
        if self.log is not None:
            plain = [
                (steps, {name: astuple(score) for name, score in scores.items()})
                for steps, scores in self.history
            ]
            with replacing(self.log, overwrite=True) as file:
                file.write(json.dumps(plain).encode())

    def _scores(self) -> list[dict[str, Score]]:
        return [found for _, found in self.history]

    def _on_step(self) -> bool:
        return True


def _mean(found: dict[str, Score]) -> float:
    """Return the mean win rate over all opponents."""
    return sum(score.win_rate for score in found.values()) / len(found)


# ---------------------------------------------------------------- smaller ones


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
    """Write the model to one file now and then; `load_weights` resumes from it.

    Killed while writing, the file is the one before.

    Args:
        path: the file, ``.zip``.
        every: steps between writes; the last one is at the end of training.
    """

    def __init__(self, path: Path, every: int = 50_000) -> None:
        super().__init__()
        self.path, self.every, self.next_at = path, every, 0

    def _on_training_start(self) -> None:
        describe(self.model)  # raise now what saving would raise
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
