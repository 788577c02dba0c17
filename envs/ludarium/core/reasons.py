"""Why a text is not a legal turn: for errors that people read."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Protocol, TypeVar

_Position = TypeVar("_Position", bound="_Explained")


class _Explained(Protocol):
    """What is used of a `ludarium.core.state.State`, which imports this module."""

    @property
    def game(self) -> Any: ...
    def is_terminal(self) -> bool: ...
    def turn_number(self) -> int: ...
    def legal_actions(self) -> list[int]: ...
    def action_to_string(self, action: int) -> str: ...
    def child(self: _Position, action: int) -> _Position: ...


def reason_for(state: _Explained, text: str) -> str | None:
    """Return why a text is not the text of a legal turn, in the words of the game.

    The text is that of an action, or of several that make a turn. The first that is not legal is
    explained by ``why_illegal(state, text)`` of the game's ``reasons.py``.

    Args:
        state: a state; a half-made turn too.
        text: a text that is not that of a legal turn, or of the beginning of one.

    Returns:
        A clause without a capital letter and full stop; None where nothing is known.
    """
    if state.is_terminal():
        return "the game is over"
    best, known = "", None
    names = {state.action_to_string(action): action for action in state.legal_actions()}
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(name) and len(name) < len(text):
            best, known = name, names[name]
            break
    why = _why_illegal(state, text)
    if why is not None or known is None:
        return why
    after = state.child(known)
    if after.is_terminal() or after.turn_number() != state.turn_number():
        return f"the turn is complete with {best}"
    return reason_for(after, text[len(best) :])


def _why_illegal(state: _Explained, text: str) -> str | None:
    """Ask the game, if it has reasons."""
    module = f"{state.game.type.package}.reasons"
    if importlib.util.find_spec(module) is None:
        return None
    why: str | None = importlib.import_module(module).why_illegal(state, text)
    return why
