"""The report of a training run: a curve, a table of final matches, a game that can be watched."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ludarium.agents import Agent
from ludarium.agents.players import Player, name_of
from ludarium.arena import MatchResult, play_game, play_match
from ludarium.arena.evaluate import Score
from ludarium.core.files import replacing
from ludarium.core.game import Game
from ludarium.records.export import record_episode
from ludarium.records.game_record import GameRecord

History = Sequence[tuple[int, dict[str, Score]]]

COLUMNS = (
    "opponent",
    "games",
    "won",
    "no winner",
    "lost",
    "win rate",
    "95 % interval",
    "moving first",
    "moving second",
)
SHOWN_SEEDS = 20  # games that are played at most to find one that the agent wins


def positive(text: str) -> int:
    """Convert text of a command line to an int >= 1. A type for `argparse`.

    >>> positive("1_000")
    1000
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an int >= 1")
    return number


def share(text: str) -> float:
    """Convert text of a command line to a number from 0 to 1. A type for `argparse`."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def new_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder for the results of a run.

    Raises:
        FileExistsError: The folder exists and is not empty: results are not overwritten.
    """
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(
            f"{str(folder)!r} exists and is not overwritten: choose another --out"
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_report(
    folder: Path,
    game: Game,
    agent: Agent,
    history: History,
    opponents: Sequence[Player] = ("random", "greedy"),
    games: int = 200,
    seed: int = 0,
    model: str = "model.zip",
) -> dict[str, MatchResult]:
    """Play final matches, and write a curve, a table and a game that can be watched.

    Writes ``curve.png``, ``results.md``, ``game.gif`` and ``game.html``; prints the table, and
    which command to type next where the folder has the model.

    Args:
        folder: folder of the files; files of the same names are replaced.
        game: the game, with its options.
        agent: the trained agent.
        history: results of the evaluations during training: (steps, {opponent: Score}).
        opponents: opponents of the final matches.
        games: number of games of each match; the players swap seats after each game.
        seed: seed of the matches and of the game to watch, which is against the last opponent.
        model: name of the file of the model in the folder, which `sb3:FILE` can play.

    Returns:
        The result of each match by the name of the opponent.
    """
    draw_curve(history, folder / "curve.png", f"{game.type.title}: win rate during training")
    results = play_finals(folder, game, agent, opponents, games, seed)
    record = game_to_watch(game, agent, opponents[-1], seed)
    record_episode(record, folder / "game.gif", size=320, overwrite=True, names=True)
    record_episode(record, folder / "game.html", overwrite=True)
    for line in _what_next(folder / model, game, record):
        print(line)
    return results


def game_to_watch(game: Game, agent: Agent, opponent: Player, seed: int = 0) -> GameRecord:
    """Return a game that an agent won, moving first; its first game where it wins none.

    Args:
        game: the game, with its options.
        agent: the agent.
        opponent: its opponent.
        seed: seed of the first game; each further game has the next one.
    """
    first = None
    for number in range(SHOWN_SEEDS):
        record = play_game(game, agent, opponent, seed + number)
        if record.result is not None and record.result[0] > 0:
            return record
        first = first or record
    assert first is not None
    return first


def _what_next(model: Path, game: Game, record: GameRecord) -> list[str]:
    """Return lines that say what was written, and which commands to type next."""
    folder, count = model.parent, len(record.turns)
    turns = f"{count} turn{'' if count == 1 else 's'}"
    first, second = record.players
    if record.result is None or record.result[0] == record.result[1]:
        ending = f"{first} against {second}, {turns}, no winner"
    else:
        winner, loser = (first, second) if record.result[0] > 0 else (second, first)
        ending = f"{winner} beats {loser} in {turns}"
    lines = [
        "",
        f"Watch a game: {folder / 'game.html'} (open it in a browser), {folder / 'game.gif'}",
        f"  {ending}",
        f"Read the results: {folder / 'results.md'}, {folder / 'curve.png'}",
    ]
    if model.is_file():
        defaults = game.type.load().options
        own = {name: value for name, value in game.options.items() if value != defaults[name]}
        words = "".join(f" -o {name}={value}" for name, value in own.items())
        play = [_command(), "play", game.name + words, "--against", shlex.quote(f"sb3:{model}")]
        lines += [f"The trained agent: {model}", "Play against it:", f"  {' '.join(play)}"]
    return lines


def _command() -> str:
    """Return what to type for `ludarium`: its path where the shell would not find this one."""
    found = shutil.which("ludarium")
    beside = Path(sys.executable).with_name("ludarium" + (".exe" if os.name == "nt" else ""))
    if not beside.exists() or (found is not None and Path(found).resolve() == beside.resolve()):
        return "ludarium"
    with contextlib.suppress(ValueError):
        beside = beside.relative_to(Path.cwd())
    return shlex.quote(str(beside))


def play_finals(
    folder: Path,
    game: Game,
    agent: Agent,
    opponents: Sequence[Player] = ("random", "greedy"),
    games: int = 200,
    seed: int = 0,
) -> dict[str, MatchResult]:
    """Play final matches, print their table and write it to ``results.md``.

    Arguments and return value are those of `write_report`.
    """
    results: dict[str, MatchResult] = {}
    for opponent in opponents:
        result = play_match(game, agent, opponent, games, seed)
        results[opponent if isinstance(opponent, str) else name_of(opponent)] = result
    rows = [_row(name, result) for name, result in results.items()]
    note = "Win rate: a game without a winner counts as half a win."
    # without edges and lines, so that no word is cut in a terminal of 80 columns
    title = f"{name_of(agent)} at {game.type.title}"
    table = Table(*COLUMNS, title=title, caption=note, box=None, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    text = f"{table.title}:\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    text += f"\n{note}\n"
    with replacing(folder / "results.md", overwrite=True) as file:
        file.write(text.encode())
    return results


def _row(name: str, result: MatchResult) -> list[str]:
    """Return the cells of one match; a draw is a game without a winner."""
    low, high = result.interval
    seats = [f"{100 * seat.win_rate:.1f} %" if seat.games else "-" for seat in result.by_seat]
    counts = result.games, result.wins, result.draws + result.truncations, result.losses
    rate, interval = f"{100 * result.win_rate:.1f} %", f"{100 * low:.0f}-{100 * high:.0f} %"
    return [name, *map(str, counts), rate, interval, *seats]


def draw_curve(history: History, path: Path, title: str) -> None:
    """Draw win rates over steps, with their 95 % intervals, as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.add_subplot(title=title, xlabel="steps", ylabel="win rate", ylim=(0, 1.02))
    for name in history[-1][1] if history else ():
        steps = [at for at, scores in history if name in scores]
        points = [scores[name] for _, scores in history if name in scores]
        lows, highs = zip(*(score.interval for score in points), strict=True)
        (line,) = axes.plot(steps, [score.win_rate for score in points], marker=".", label=name)
        axes.fill_between(steps, lows, highs, color=line.get_color(), alpha=0.2)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", title="against")
    with replacing(path, overwrite=True) as file:
        figure.savefig(file, format="png", dpi=120)
