"""Ratings on the Elo scale by the model of Bradley and Terry, fitted with the library choix."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ludarium.arena.match import CONFIDENCE

ELO = 400 / math.log(10)  # points for each unit of log-odds: 400 are odds of ten to one
PRIOR = 0.5  # wins that each of a pair is given beforehand: nobody is infinitely strong
SAMPLES = 400  # of the bootstrap

Counts = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """How strong a player is.

    Attributes:
        value: Elo points above the anchor.
        low: lower end of the 95 % interval.
        high: upper end.
    """

    value: float
    low: float
    high: float


def can_rate() -> bool:
    """Say whether the library for ratings is installed: ``ludarium[arena]``."""
    return importlib.util.find_spec("choix") is not None


def rate(wins: Counts, draws: Counts, anchor: int | None = None, seed: int = 0) -> list[Rating]:
    """Return the rating of each player.

    The fit is the maximum likelihood of Bradley-Terry strengths, a game without a winner being half
    a win for each. Intervals are by the Bayesian bootstrap (Rubin 1981) over the results of each
    pair. Both have half a win more for each of a pair that has met, so that one who never loses
    has a rating too.

    Args:
        wins: ``[n, n]``, games that the player of the row won against that of the column.
        draws: ``[n, n]``, symmetrical, games without a winner.
        anchor: index of the player whose rating is 0, without interval; None: the mean is 0.
        seed: of the bootstrap.

    Raises:
        ImportError: choix is not installed.
    """
    try:
        import choix
    except ImportError as error:
        raise ImportError("ratings need choix: pip install 'ludarium[arena]'") from error

    met = (wins + wins.T + draws) > 0
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
            weights = rng.gamma(counts)  # of a Dirichlet distribution, before they are scaled
            weights *= counts.sum() / weights.sum()
            won[i, j], drawn[i, j], won[j, i] = weights
            drawn[j, i] = drawn[i, j]
        samples[k] = fit(np.maximum(won, 1e-9 * met), drawn)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(samples, [tail, 100 - tail], axis=0)
    return [Rating(float(v), float(a), float(b)) for v, a, b in zip(values, low, high, strict=True)]
