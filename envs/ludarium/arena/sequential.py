"""When a match may stop early: Wald's sequential probability ratio test (1945)."""

from __future__ import annotations

import math
from collections.abc import Iterable

MARGIN = 0.1  # the two hypotheses: a scores 0.5 + MARGIN, or 0.5 - MARGIN
ERROR = 0.05  # probability of deciding for the wrong one


def decided_after(scores: Iterable[float]) -> int | None:
    """Return after how many games it is decided who of two players is the better one.

    The test is between a win rate of 60 % and one of 40 %, with an error of 5 % either way; a game
    without a winner says nothing. A game that counts shifts the balance by log(0.6 / 0.4), and
    the match is decided when it reaches log(0.95 / 0.05): at a lead of eight games.

    Args:
        scores: of one player, 1, 0 or -1 for each game in turn.

    >>> decided_after([1] * 20)
    8
    >>> decided_after([1, -1] * 20) is None
    True
    """
    weight = math.log((0.5 + MARGIN) / (0.5 - MARGIN))
    bound = math.log((1 - ERROR) / ERROR)
    balance = 0.0
    for number, score in enumerate(scores, 1):
        balance += weight * score
        if abs(balance) >= bound:
            return number
    return None
