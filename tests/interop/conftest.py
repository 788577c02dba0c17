"""Other libraries warn of each other; a warning of this package's own is an error here too."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let warnings of other libraries pass."""
    for item in items:
        mark = pytest.mark.filterwarnings("default", r"error:::ludarium(\.|$)")
        item.add_marker(mark, append=False)
