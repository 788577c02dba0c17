"""Every object that a user can hold says what it is: no repr is that of `object`."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, Protocol

import gymnasium
import numpy as np
import pytest

import ludarium
from ludarium.agents import make_agent

# templates, which cannot be imported, and the command line, whose classes nobody holds
SKIPPED = ("_kernels", "core.kernels", "core.contract", "__main__", ".cli")


def public_classes() -> Iterator[type]:
    for found in pkgutil.walk_packages(ludarium.__path__, "ludarium."):
        if any(word in found.name for word in SKIPPED):
            continue
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # a library that is not installed
            continue
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__ == module.__name__ and name[0] != "_":
                yield value


def test_no_class_has_the_representation_of_object() -> None:
    classes = list(public_classes())
    assert len(classes) > 60
    nothing_to_say = ("LogWinRates", "ShowProgress", "MaskInInfos", "TorchRLInfos")  # no options
    assert [
        f"{found.__module__}.{found.__name__}"
        for found in classes
        if found.__repr__ is object.__repr__
        and Protocol not in found.__mro__
        and not getattr(found, "_is_protocol", False)
        and found.__name__ not in nothing_to_say
    ] == []


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:20", "alphabeta:2", "mcts:5ms"])
def test_agents_name_themselves(spec: str) -> None:
    assert spec in repr(make_agent(spec))


def held(name: str) -> dict[str, Any]:
    """Return what a user of a game holds."""
    game = ludarium.load_game(name)
    state = game.new_initial_state(1)
    agent = make_agent("mcts:5")
    return {
        "Game": game,
        "State": state,
        "AECGame": ludarium.make(name),
        "ParallelGame": getattr(ludarium, name).parallel_env(),
        "VectorGame": ludarium.make_vec(name, num_envs=3),
        "single": gymnasium.make(f"ludarium:ludarium/{name.capitalize()}-v0").unwrapped,
        "batch": gymnasium.make_vec(f"ludarium:ludarium/{name.capitalize()}-v0", 3),
        "Analysis": agent.analyse(state, np.random.default_rng(0)),
        "record": ludarium.arena.play_game(name, "random", "random", seed=1),
        "result": ludarium.arena.play_match(name, "random", "random", games=2),
    }


def test_what_a_user_holds_names_its_game(name: str) -> None:
    for kind, value in held(name).items():
        text = repr(value)
        assert " object at 0x" not in text and "\n" not in text, kind
        assert len(text) < 2_000, kind
        if kind not in ("Analysis", "result"):
            assert name in text, (kind, text)


def documented() -> Iterator[tuple[str, Any]]:
    """Yield what the public packages offer by name: functions, classes and their methods."""
    packages = ["", ".agents", ".arena", ".records", ".drawing", ".environments"]
    packages += [f".games.{name}" for name in ludarium.list_games()]
    for package in packages:
        module = importlib.import_module(f"ludarium{package}")
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception)):
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for own, method in vars(value).items():
                    if inspect.isfunction(method) and not own.startswith("_"):
                        yield f"{module.__name__}.{name}.{own}", method


def test_docstrings_name_every_argument() -> None:
    missing, seen = [], 0
    for where, value in documented():
        text = inspect.getdoc(value) or ""
        if inspect.isclass(value):
            text += inspect.getdoc(value.__init__) or ""
        parameters = inspect.signature(value).parameters
        for name in set(parameters) - {"self", "args", "kwargs"}:
            seen += 1
            if not re.search(rf"\b{name}\b", text):
                missing.append(f"{where}({name})")
    assert missing == []
    assert seen > 80
