"""Golden games: whole games written down action by action, test and documentation in one.

    python tests/golden.py sphlag --out tests/sphlag/games

writes games of the built-in agents; `test_golden.py` replays them. A line has the position, the
action by number and text, how many were legal, and checksums of mask and observation; the last line
the position and the result. Write them anew only together with a new version of the game.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ludarium
from ludarium.agents import make_agent

PAIRS = (("random", "random"), ("greedy", "random"), ("greedy", "greedy"))


def look(state: Any) -> dict[str, Any]:
    """Return what a line says of a position."""
    return {
        "position": state.to_string(),
        "player": state.current_player(),
        "legal": len(state.legal_actions()),
        "mask": zlib.crc32(state.legal_actions_mask().tobytes()),
        "planes": [zlib.crc32(state.observation_tensor(p).tobytes()) for p in (0, 1)],
    }


def lines(game: Any, actions: Any, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the lines of a game; `actions` is a list of numbers or a function of the state."""
    yield {"game": game.name, "version": game.version, "options": dict(game.options), "seed": seed}
    state = game.new_initial_state(seed=seed)
    while not state.is_terminal():
        action = actions(state) if callable(actions) else actions[len(state.history())]
        line = {**look(state), "action": action, "text": state.action_to_string(action)}
        state.apply_action(action)
        yield line
    yield {**look(state), "returns": state.returns(), "truncated": state.is_truncated()}


def replay(path: Path) -> list[Any]:
    """Return the states of a golden game in their order, each with its history."""
    head, *found, _ = [json.loads(line) for line in path.read_text().splitlines()]
    state = ludarium.load_game(head["game"], **head["options"]).new_initial_state(head["seed"])
    states = [state]
    for line in found:
        states.append(states[-1].child(line["action"]))
    return states


def games(name: str) -> list[list[Any]]:
    """Return the states of all golden games of a game."""
    folder = Path(__file__).parent / name / "games"
    return [replay(path) for path in sorted(folder.glob("*.jsonl"))]


def write(name: str, folder: Path) -> None:
    """Write golden games of every option set that the game's walks name, and the defaults."""
    from lockstep import walks_of

    folder.mkdir(parents=True, exist_ok=True)
    for number, options in enumerate([{}, *walks_of(name).OPTIONS]):
        for pair in PAIRS:
            game, rng = ludarium.load_game(name, **options), np.random.default_rng(number)
            agents = [make_agent(spec) for spec in pair]
            found = lines(
                game, lambda s, a=agents, r=rng: int(a[s.current_player()].select_action(s, r)), 7
            )
            path = folder / f"{number}-{'-'.join(pair)}.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in found))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("game", choices=ludarium.list_games())
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    write(arguments.game, arguments.out)


if __name__ == "__main__":
    main()
