"""What the test of a library needs: an environment that writes down its games, and their audit.

A library gets `recorded(name, folder)` in place of `ludarium.make(name)`, in as many processes as
it likes. Each game goes to a file in the folder when it ends. `audit(folder)` replays them all.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

import ludarium
from ludarium.core.state import State
from ludarium.environments.aec import AGENTS, AECGame

UNFINISHED, ILLEGAL = "unfinished", "illegal"
# by (terminated, truncated) of an agent
ENDS = {(True, False): "terminated", (False, True): "truncated", (True, True): ILLEGAL}

# ---------------------------------------------------------------- writing games down


class RecordedGame(AECGame):
    """An AEC environment that appends each of its games to a file, as one line of JSON.

    Args:
        game: the game, with its options.
        folder: where the files go, one for each environment of each process.
        **options: those of `AECGame`.
    """

    def __init__(self, game: Any, folder: str | os.PathLike[str], **options: Any) -> None:
        super().__init__(game, **options)
        self.folder = str(folder)
        self._written: dict[str, Any] | None = None

    def _begin(self, state: State) -> None:
        self._write(UNFINISHED)
        super()._begin(state)
        self._written = {
            "game": self.game.name,
            "options": dict(self.game.options),
            "start": state.to_string(),
            "steps": [],
        }

    def step(self, action: Any) -> None:
        """Step, and note who played what, whether it was legal, and the rewards after it."""
        live = bool(self.agents) and not (
            self.terminations[self.agent_selection] or self.truncations[self.agent_selection]
        )
        if not live:
            super().step(action)
            return
        agent = self.agent_selection
        legal = action in self.game_state.legal_actions()
        super().step(action)
        assert self._written is not None
        rewards = [float(self.rewards[a]) for a in AGENTS]
        self._written["steps"].append([AGENTS.index(agent), int(action), legal, *rewards])
        ended = self.terminations[agent], self.truncations[agent]
        if any(ended):
            self._write(
                {(True, False): "terminated", (False, True): "truncated"}.get(ended, ILLEGAL)
            )

    def _write(self, end: str) -> None:
        written, self._written = self._written, None
        if written is None or not written["steps"]:
            return
        file = Path(self.folder) / f"{os.getpid()}-{id(self)}.jsonl"
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({**written, "end": end, "process": os.getpid()}) + "\n")


def recorded(name: str, folder: str | os.PathLike[str], **options: Any) -> RecordedGame:
    """Return the environment of a game that writes its games into a folder.

    Args:
        name: name of the game.
        folder: an existing folder, `tmp_path` of the test.
        **options: the game's options and those of `AECGame`.
    """
    ours = ("render_mode", "render_size", "illegal", "copy")
    own = {key: options.pop(key) for key in ours if key in options}
    return RecordedGame(ludarium.load_game(name, **options), folder, **own)


# ---------------------------------------------------------------- reading and auditing them


@dataclass(frozen=True)
class Played:
    """One game as the environment saw it.

    Attributes:
        game: the game, with its options.
        start: the first position, as text.
        steps: player, action, whether it was legal, rewards of player 0 and 1 after it.
        end: ``terminated``, ``truncated``, ``illegal``, or ``unfinished``: given up by a reset.
        process: the number of the process that played it.
    """

    game: Any
    start: str
    steps: list[tuple[int, int, bool, float, float]]
    end: str
    process: int

    @property
    def returns(self) -> tuple[float, float]:
        """The sums of the rewards of player 0 and player 1."""
        return sum(s[3] for s in self.steps), sum(s[4] for s in self.steps)

    def twice(self) -> int:
        """Return how often a player acted twice in a row."""
        return sum(a[0] == b[0] for a, b in zip(self.steps, self.steps[1:]))  # noqa: B905


def games(folder: str | os.PathLike[str]) -> list[Played]:
    """Return all games that were written into a folder, those of one environment in order."""
    found = []
    for file in sorted(Path(folder).glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            read = json.loads(line)
            game = ludarium.load_game(read["game"], **read["options"])
            steps = [tuple(step) for step in read["steps"]]
            found.append(Played(game, read["start"], steps, read["end"], read["process"]))
    return found


def replay(played: Played) -> Any:
    """Play a game again in a `State`, check every step against it, and return the last state."""
    state = played.game.state_from_string(played.start)
    for index, (player, action, legal, *rewards) in enumerate(played.steps):
        last = index == len(played.steps) - 1
        assert player == state.current_player(), "the wrong agent acted"
        assert legal == (action in state.legal_actions())
        if not legal:  # the mover is fined
            assert rewards == [-1.0 if seat == player else 0.0 for seat in (0, 1)]
            continue
        state.apply_action(action)
        assert rewards == state.returns() and state.is_terminal() == (
            last and played.end not in (UNFINISHED, ILLEGAL)
        )
    return state


def audit(
    folder: str | os.PathLike[str], least: int = 1, illegal: int = 0, processes: int = 1
) -> list[Played]:
    """Check everything that was played, and return the games that came to a result.

    No illegal action was played; each reward is that of the game when replayed; agents acted twice
    in a row where the game has turns of two actions; games ended by the rules or by `max_turns`.

    Args:
        folder: where the games were written.
        least: how many games have to have a result.
        illegal: how many illegal actions are forgiven: some checkers play one without the mask.
        processes: how many processes have to have played, at least.
    """
    played = games(folder)
    wrong = 0
    for one in played:
        wrong += sum(not step[2] for step in one.steps)
        state = replay(one)
        if one.end in ("terminated", "truncated"):
            assert state.is_terminal() and state.is_truncated() == (one.end == "truncated")
            assert one.returns == tuple(state.returns())
    assert wrong <= illegal, f"{wrong} illegal actions were played"
    finished = [one for one in played if one.end in ("terminated", "truncated")]
    assert len(finished) >= least, f"{len(finished)} games have a result, {len(played)} begun"
    for name in {one.game.name for one in finished}:
        own = [one for one in finished if one.game.name == name]
        pairs = own[0].game.max_game_length > own[0].game.max_turns
        assert (sum(one.twice() for one in own) > 0) == pairs
    assert len({one.process for one in played}) >= processes
    return finished


# ---------------------------------------------------------------- playing


def draw(mask: npt.NDArray[Any], rng: np.random.Generator) -> int:
    """Return a random legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def play(env: Any, choose: Callable[[Any], int]) -> dict[str, float]:
    """Play one game of an AEC environment to its end; returns what each agent was given in all.

    Args:
        env: the environment, as it is or wrapped by a library.
        choose: an action for what `last()` shows of a live agent.
    """
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        totals[agent] += float(reward)
        env.step(None if terminated or truncated else choose(observation))
    return totals


# ---------------------------------------------------------------- examples

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load_example(stem: str) -> ModuleType:
    """Return an example as a module, imported and not run: tests train with its parts."""
    spec = importlib.util.spec_from_file_location(f"example_{stem}", EXAMPLES / f"{stem}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_example(stem: str, folder: Path, *arguments: str, seconds: int = 600) -> str:
    """Run an example with ``--smoke`` in a folder; returns what it prints.

    Args:
        stem: its file's name without the suffix.
        folder: an empty folder, where its files go.
        *arguments: more arguments.
        seconds: after which it is given up.
    """
    command = [sys.executable, str(EXAMPLES / f"{stem}.py"), "--smoke", *arguments]
    environment = {**os.environ, "DISPLAY": ""}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    assert result.stdout.strip()
    return result.stdout
