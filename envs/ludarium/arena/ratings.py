"""Elo ratings: the model of Bradley and Terry, fitted with the library choix."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludarium.arena.match import CONFIDENCE
from ludarium.core.errors import install
from ludarium.core.options import as_int

ELO = 400 / math.log(10)  # Elo points for each unit of log-odds: 400 points are odds of ten to one
PRIOR = 0.5  # pseudo-wins for each player of a pair: they keep an unbeaten player's rating finite
SAMPLES = 400  # number of samples of the bootstrap

Counts = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """The playing strength of a player.

    Attributes:
        value: Elo points above the anchor.
        low: lower end of the 95 % interval, in Elo points.
        high: upper end of the 95 % interval, in Elo points.
    """

    value: float
    low: float
    high: float


def can_rate() -> bool:
    """Return whether the library for ratings is installed: ``ludarium[arena]``."""
    return importlib.util.find_spec("choix") is not None


def connected(met: npt.ArrayLike) -> list[list[int]]:
    """Return the groups of players that games connect, directly or through other players.

    Args:
        met: ``[n, n]``, symmetrical; nonzero where two players have played each other.

    Returns:
        The indices of the players of each group, in ascending order, the largest group first.

    >>> connected([[0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]])
    [[0, 2, 3], [1]]
    """
    matrix = np.asarray(met) != 0
    left = list(range(len(matrix)))
    groups: list[list[int]] = []
    while left:
        group: list[int] = []
        reached = {left[0]}
        while reached - set(group):
            player = min(reached - set(group))
            group.append(player)
            reached |= {int(other) for other in np.flatnonzero(matrix[player])}
        groups.append(sorted(group))
        left = [player for player in left if player not in reached]
    return sorted(groups, key=lambda group: (-len(group), group))


def unconnected(groups: list[list[int]], names: Sequence[object]) -> str:
    """Return the message that players of different groups cannot be compared.

    >>> unconnected([[0, 1], [2]], ["ann", "bob", "cid"]).partition(": ")[2]
    "'ann', 'bob' | 'cid'"
    """
    words = " | ".join(", ".join(repr(names[player]) for player in group) for group in groups)
    return f"no finished game connects these groups, so ratings cannot compare them: {words}"


def _counts(name: str, value: npt.ArrayLike) -> Counts:
    """Return a table of games as floats [n, n], or raise ValueError."""
    try:
        counts = np.array(value, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not allowed: an array [n, n] of numbers >= 0") from error
    square = counts.ndim == 2 and counts.shape[0] == counts.shape[1] > 0
    if not square or not np.isfinite(counts).all() or (counts < 0).any() or np.diag(counts).any():
        raise ValueError(
            f"{name} of shape {counts.shape} is not allowed: an array [n, n] of finite numbers >= "
            "0, with zeros on the diagonal"
        )
    return counts


def rate(
    wins: npt.ArrayLike,
    draws: npt.ArrayLike,
    anchor: int | None = None,
    seed: int = 0,
    *,
    names: Sequence[str] | None = None,
) -> list[Rating]:
    """Return the rating of each player.

    The fit is the maximum likelihood estimate of Bradley-Terry strengths, where a game without a
    winner counts as half a win for each player. Intervals are by the Bayesian bootstrap (Rubin
    1981) over the results of each pair. In both, each player of a pair that has met gets half a
    win more, so that an unbeaten player has a finite rating.

    Args:
        wins: ``[n, n]``, number of games that the player of the row won against that of the column.
        draws: ``[n, n]``, symmetrical, number of games without a winner.
        anchor: index of the player whose rating is 0, without interval; None: the mean is 0.
        seed: seed of the bootstrap.
        names: names of the players for messages; None: their indices.

    Raises:
        ValueError: An array has the wrong shape or values, there is no player `anchor`, or the
            games do not connect all players, so that their strengths cannot be compared.
        ImportError: choix is not installed.
    """
    try:
        import choix
    except ImportError as error:
        raise ImportError(f"ratings need choix: {install('arena')}") from error

    wins, draws = _counts("wins", wins), _counts("draws", draws)
    if wins.shape != draws.shape or (draws != draws.T).any():
        raise ValueError(
            f"draws of shape {draws.shape} is not allowed: a symmetrical array of the shape of "
            f"wins, {wins.shape}"
        )
    if anchor is not None and as_int(anchor) not in range(len(wins)):
        raise ValueError(
            f"anchor={anchor!r} is not allowed: anchor is an int, 0 to {len(wins) - 1}, or None"
        )
    met = (wins + wins.T + draws) > 0
    groups = connected(met)
    if len(groups) > 1:
        raise ValueError(unconnected(groups, names or range(len(wins))))
    if len(wins) == 1:
        return [Rating(0.0, 0.0, 0.0)]
    rng = np.random.default_rng(seed)

    def fit(won: Counts, drawn: Counts) -> Counts:
        strengths = ELO * choix.ilsr_pairwise_dense(won + drawn / 2, max_iter=1000, tol=1e-7)
        return strengths - (strengths.mean() if anchor is None else strengths[anchor])

    values = fit(wins + PRIOR * met, draws)
    samples = np.empty((SAMPLES, len(wins)))
    upper = np.triu(met, 1)
    for k in range(SAMPLES):
        won, drawn = np.zeros_like(wins), np.zeros_like(draws)
        for i, j in zip(*np.nonzero(upper), strict=True):
            counts = np.array([wins[i, j] + PRIOR, draws[i, j], wins[j, i] + PRIOR])
            weights = rng.gamma(counts)  # scaled, they follow a Dirichlet distribution
            weights *= counts.sum() / weights.sum()
            won[i, j], drawn[i, j], won[j, i] = weights
            drawn[j, i] = drawn[i, j]
        samples[k] = fit(np.maximum(won, 1e-9 * met), drawn)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(samples, [tail, 100 - tail], axis=0)
    return [Rating(float(v), float(a), float(b)) for v, a, b in zip(values, low, high, strict=True)]
