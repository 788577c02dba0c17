"""What all tests share: the registered games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from browsing import browser  # noqa: F401  # a fixture of pages
from terminal import broken, run  # noqa: F401  # fixtures of the command line

import ludarium


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that takes `name`, and says not otherwise, over all registered games."""
    own: set[str] = set()
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0]
        own |= set(names.replace(" ", "").split(",") if isinstance(names, str) else names)
    if "name" in set(metafunc.fixturenames) - own:
        metafunc.parametrize("name", ludarium.list_games())


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20240811)


@pytest.fixture
def game(name: str) -> Any:
    """Each game with its default options."""
    return ludarium.load_game(name)
