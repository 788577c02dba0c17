"""Seeds as streams of random numbers for the kernels."""

from __future__ import annotations

import secrets

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import show
from ludarium.core.options import as_int

_WORD, _GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


def seed_stream(seed: int | None, index: int = 0) -> npt.NDArray[np.uint64]:
    """Return the start of random stream `index` of a seed, uint64[1], for the kernels.

    The starts are outputs of SplitMix64 (Steele, Lea, Flood 2014), whose counter advances by one
    step for each index. They are never 0, a state that a xorshift generator cannot leave. Without a
    seed the start comes from the operating system.

    Raises:
        ValueError: The seed is not an int >= 0.
    """
    if seed is None:
        return np.array([secrets.randbits(64) | 1], np.uint64)
    number = as_int(seed)
    if number is None or number < 0:
        raise ValueError(f"seed={show(seed)} is not allowed: seed is an int >= 0, or None")
    folded = 0
    while number:  # a seed of any size: fold 64 bits at a time
        folded = _mix((folded ^ number) & _WORD)
        number >>= 64
    return np.array([_mix((folded + index * _GOLDEN) & _WORD) or 1], np.uint64)


def _mix(x: int) -> int:
    """Return the next output of SplitMix64 from the counter x."""
    x = (x + _GOLDEN) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)
