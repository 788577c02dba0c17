"""Adapters of libraries that are not installed say so, in one line that names what to install."""

from __future__ import annotations

import importlib
import sys

import pytest


@pytest.mark.parametrize(
    "module, missing, install",
    [
        ("ludarium.wrappers.openspiel", "pyspiel", "open_spiel"),
        ("ludarium.wrappers.sb3", "torch", "pip install '.[train]'"),
    ],
)
def test_a_missing_library_is_named(
    module: str, missing: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ImportError, match=r"this needs .*: pip install ") as caught:
        importlib.import_module(module)
    assert str(caught.value).endswith(install) and "\n" not in str(caught.value)
