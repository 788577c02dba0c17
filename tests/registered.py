"""Every registered game, and random play of it: what the tests of the contract run over.

They know no game by name. `tests/<game>/walks.py` may list more `OPTIONS` to test a game with, and
`tests/<game>/texts.py` says what can be read off a position: `mirror(text)`, the position in which
the other player faces the same, or None where there is none; and `options_for(text)`, the options
that a position of the evidence needs, unless the defaults serve.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ludarium

TESTS = Path(__file__).parent


def part(name: str, module: str) -> Any:
    """Return the module tests/<name>/<module>.py, None where there is none."""
    if not (TESTS / name / f"{module}.py").is_file():
        return None
    return importlib.import_module(f"{name}.{module}")


@functools.cache
def _load(name: str, options: str) -> Any:
    return ludarium.load_game(name, **json.loads(options))


def load(name: str, **options: Any) -> Any:
    """Return a game, the same object for the same options."""
    return _load(name, json.dumps(options, sort_keys=True))


def _variants() -> Iterator[Any]:
    for name in ludarium.list_games():
        for options in [{}, *getattr(part(name, "walks"), "OPTIONS", [])]:
            words = [name, *(f"{key}={value}" for key, value in options.items())]
            yield pytest.param(name, options, id="-".join(words))


#: Run a test over every game with its default options and with those that its walks list.
every_variant = pytest.mark.parametrize("title, options", list(_variants()))


def lines(name: str, file: str) -> list[dict[str, Any]]:
    """Return the lines of tests/<name>/<file>, none where there is no such file."""
    path = TESTS / name / file
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def game_of(name: str, text: str) -> Any:
    """Return the game with the options under which a position of the evidence is to be read."""
    options_for = getattr(part(name, "texts"), "options_for", None)
    return load(name, **(options_for(text) if options_for else {}))


# ---------------------------------------------------------------- random play


def walk(game: Any, seed: int) -> Iterator[Any]:
    """Play a random game; yields the state, always the same object, at each position."""
    rng = random.Random(seed)
    state = game.new_initial_state(seed=seed)
    yield state
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        yield state


def half_made(seen: list[Any]) -> list[Any]:
    """Return those of the successive states of a game in which a turn is only begun."""
    return [
        state
        for before, state in itertools.pairwise(seen)
        if state.turn_number() == before.turn_number() and not state.is_terminal()
    ]


def moments(game: Any, seed: int, most: int = 12) -> list[Any]:
    """Return clones of some states of a random game: first, last, half-made ones and others."""
    seen = [state.clone() for state in walk(game, seed)]
    rng, halves = random.Random(seed), half_made(seen)
    chosen = rng.sample(halves, min(len(halves), most // 3))
    chosen += rng.sample(seen, min(len(seen), most - 2 - len(chosen)))
    return [seen[0], *sorted(chosen, key=lambda state: len(state.history())), seen[-1]]


def facts(state: Any) -> tuple[Any, ...]:
    """Return all that the public interface says of a state."""
    return (
        state.game,
        state.to_string(),
        str(state),
        state.current_player(),
        state.legal_actions(),
        state.legal_actions_mask().tobytes(),
        state.is_terminal(),
        state.is_truncated(),
        state.returns(),
        state.turn_number(),
        state.history(),
        [state.observation_tensor(player).tobytes() for player in (None, 0, 1)],
    )
