"""What kernels rely on, checked when a game is made.

Compiled code has no bounds checks: a game that breaks its contract would overwrite memory. So names
that are missing and limits that are exceeded are refused here, as far as that can be seen without
playing. The contract itself, with shapes, is ``core/contract.pyi``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from ludarium.core.status import MAX_ACTIONS_PER_TURN, MAX_NUM_ACTIONS, MAX_PHASES

#: Names that each module of a game has: those of ``core/contract.pyi`` that are not optional.
REQUIRED = {
    "rules": (
        "PLAYER",
        "TURN",
        "MAX_TURNS",
        "STATUS",
        "MAX_ACTIONS",
        "ACTIONS_PER_TURN",
        "PHASES",
        "SCRATCH_SIZE",
        "SCRATCH_DTYPE",
        "blank_state",
        "new_game",
        "legal",
        "list_actions",
        "nth_action",
        "random_action",
        "write_mask",
        "apply",
        "check_end",
        "phase",
    ),
    "observation": ("PLANES", "shape", "observe"),
}


def _number(game: str, name: str, value: Any, least: int, most: int) -> None:
    """Raise ValueError unless a value is an int from `least` to `most`."""
    is_int = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_int or not least <= value <= most:
        raise ValueError(
            f"game {game!r}: {name} is {value!r}; allowed is an int, {least} to {most}"
        )


def check_modules(game: str, rules: ModuleType, observation: ModuleType) -> None:
    """Check what a game's jitted modules declare.

    Args:
        game: its name, for messages.
        rules: its rules.py.
        observation: its observation.py.

    Raises:
        ValueError: A name is missing, or a limit is exceeded.
    """
    for part, module in (("rules", rules), ("observation", observation)):
        for name in REQUIRED[part]:
            if not hasattr(module, name):
                raise ValueError(f"game {game!r}: {part}.py does not define {name}")
    _number(game, "rules.ACTIONS_PER_TURN", rules.ACTIONS_PER_TURN, 1, MAX_ACTIONS_PER_TURN)
    _number(game, "rules.MAX_ACTIONS", rules.MAX_ACTIONS, 1, MAX_NUM_ACTIONS)
    _number(game, "rules.SCRATCH_SIZE", rules.SCRATCH_SIZE, 1, 2**31 - 1)
    phases = tuple(rules.PHASES)
    if not all(isinstance(phase, str) and phase for phase in phases) or len(set(phases)) < len(
        phases
    ):
        raise ValueError(f"game {game!r}: rules.PHASES is {phases!r}; allowed are distinct words")
    _number(game, "the number of rules.PHASES", len(phases), 1, MAX_PHASES)
    if not all(isinstance(plane, str) for plane in observation.PLANES):
        raise ValueError(f"game {game!r}: observation.PLANES is not a sequence of names")


def check_sizes(
    game: str,
    rules: ModuleType,
    blank: Any,
    num_actions: Any,
    shape: Any,
    planes: Any,
    options: Mapping[str, Any],
) -> None:
    """Check the sizes of a game with its options.

    Args:
        game: its name, for messages.
        rules: its rules.py.
        blank: what blank_state() returned for the options.
        num_actions: A.
        shape: of an observation.
        planes: names of its channels.
        options: of the game, for the number of turns.

    Raises:
        ValueError: One of them does not fit the kernels, or the others.
    """
    _number(game, "num_actions()", num_actions, 1, MAX_NUM_ACTIONS)
    if len(shape) != 3 or any(int(n) < 1 for n in shape) or shape[2] != len(planes):
        raise ValueError(
            f"game {game!r}: the shape of an observation is {shape!r}; allowed is (H, W, C), C "
            f"being {len(planes)}, the number of observation.PLANES"
        )
    kinds = (np.dtype(np.int64), np.dtype(np.uint64))
    if not isinstance(blank, np.ndarray) or blank.ndim != 1 or blank.dtype not in kinds:
        what = (
            f"{blank.dtype} {list(blank.shape)}" if isinstance(blank, np.ndarray) else repr(blank)
        )
        raise ValueError(
            f"game {game!r}: blank_state() returned {what}; allowed is an int64 or uint64 array "
            "of one dimension"
        )
    for name in ("PLAYER", "TURN", "MAX_TURNS", "STATUS"):
        _number(game, f"rules.{name}", getattr(rules, name), 0, len(blank) - 1)
    if int(blank[rules.MAX_TURNS]) != options["max_turns"]:
        raise ValueError(
            f"game {game!r}: blank_state() has {int(blank[rules.MAX_TURNS])} at rules.MAX_TURNS; "
            f"the option max_turns is {options['max_turns']}"
        )
