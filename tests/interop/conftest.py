"""Other libraries warn of each other; a warning of this package's own is an error here too."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Let warnings of other libraries pass, also where they are imported."""
    for line in ("default", r"error:::ludarium(\.|$)"):
        config.addinivalue_line("filterwarnings", line)
