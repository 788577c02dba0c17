"""What infos contain: numbers and masks only, the same keys at every step.

Every info, in every form, has these keys; the single-agent environments add three:

| key | value |
|---|---|
| ``action_mask`` | int8 [A], the legal actions of the agent; zeros when it is not to move |
| ``turn`` | whole turns completed |
| ``stage`` | which decision of the turn is next: an index of ``game.stages`` |
| ``result`` | -1 while the game goes on, then an index of `RESULTS` |
| ``reason`` | -1 while the game goes on, then an index of `REASONS` |
| ``seat`` | (single agent) the learner's player, 0 or 1: it has won if ``result == seat`` |
| ``opponent`` | (single agent) the opponent of this game: an index of ``env.opponents`` |
| ``length`` | (single agent) actions of the learner in this game |

Infos of one game hold Python ints. Batches hold arrays [N], int64 for each number, and for each
``key`` a mask bool [N] ``_key``, as Gymnasium's own batches do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import show
from ludarium.core.options import as_int
from ludarium.core.status import BY_DRAW, BY_MAX_TURNS, BY_WIN, NOBODY, NOT_OVER

Info: TypeAlias = dict[str, Any]

#: The words of ``info["result"]``. 0 and 1 are the player who has won.
RESULTS = ("player 0 has won", "player 1 has won", "nobody has won")

#: The words of ``info["reason"]``, in the order of ``core/status.py``: the rules gave a winner; the
#: rules gave none; `max_turns` was reached; an action was illegal; refused actions used up
#: `max_game_length`.
REASONS = ("won", "drawn", "max_turns", "illegal", "max_game_length")

# By the status of a state: running, won by player 0, won by player 1, drawn, truncated.
RESULT_BY_STATUS = (NOT_OVER, 0, 1, NOBODY, NOBODY)
REASON_BY_STATUS = (NOT_OVER, BY_WIN, BY_WIN, BY_DRAW, BY_MAX_TURNS)


def result_word(info: Info) -> str | None:
    """Return the result of an info of one game in words; None while the game goes on.

    Raises:
        ValueError: The info has no such code; one of a batch has an array of them.
        TypeError: The info is not a dict.

    >>> result_word({"result": 1, "reason": 0})
    'player 1 has won'
    >>> result_word({"result": -1, "reason": -1}) is None
    True
    """
    return _word(info, "result", RESULTS)


def reason_word(info: Info) -> str | None:
    """Return why the game of an info ended, in a word; None while the game goes on.

    Raises:
        ValueError: The info has no such code; one of a batch has an array of them.
        TypeError: The info is not a dict.

    >>> reason_word({"result": 2, "reason": 2})
    'max_turns'
    """
    return _word(info, "reason", REASONS)


def _word(info: Any, key: str, words: tuple[str, ...]) -> str | None:
    """Return the word of a code of an info, None for -1."""
    if not isinstance(info, Mapping):
        raise TypeError(f"info is a dict of one game, not {type(info).__name__}: {show(info)}")
    if key not in info:
        raise ValueError(f"the info has no {key!r}: {show(info)}")
    code = as_int(info[key])
    if code is None or not -1 <= code < len(words):
        raise ValueError(
            f"{key}={show(info[key])} is not allowed: {key} is an int, -1 to {len(words) - 1}, as "
            "in the info of one game"
        )
    return None if code < 0 else words[code]


def batch_info(
    masks: npt.NDArray[np.int8],
    names: tuple[str, ...],
    numbers: npt.NDArray[np.int64],
    present: npt.NDArray[np.bool_],
) -> Info:
    """Return the info of a batch.

    Args:
        masks: int8 [N, A], under ``action_mask``.
        names: the K keys of the numbers.
        numbers: int64 [K, N], one row for each key.
        present: bool [N], the games that the info is of; under ``_key`` of every key.
    """
    info: Info = {"action_mask": masks, "_action_mask": present}
    for name, row in zip(names, numbers, strict=True):
        info[name] = row
        info[f"_{name}"] = present
    return info
