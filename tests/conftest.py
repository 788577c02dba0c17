"""What all tests share: the registered games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from terminal import broken, run  # noqa: F401  # fixtures of the command line

import ludarium


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that takes `name` over all registered games."""
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", ludarium.list_games())


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20240811)


@pytest.fixture
def game(name: str) -> Any:
    """Each game with its default options."""
    return ludarium.load_game(name)
