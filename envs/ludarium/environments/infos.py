"""What infos contain: the same keys at every step and in every form, numbers and masks only.

Every info has these keys; the single-agent environments add three:

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

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

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

    >>> result_word({"result": 1, "reason": 0})
    'player 1 has won'
    >>> result_word({"result": -1, "reason": -1}) is None
    True
    """
    return None if info["result"] < 0 else RESULTS[info["result"]]


def reason_word(info: Info) -> str | None:
    """Return why the game of an info ended, in a word; None while the game goes on.

    >>> reason_word({"result": 2, "reason": 2})
    'max_turns'
    """
    return None if info["reason"] < 0 else REASONS[info["reason"]]


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
