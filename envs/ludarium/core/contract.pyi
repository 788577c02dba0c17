"""What a game's modules offer, as types: the contract between a game and the kernels.

A stub: nothing imports it when the code runs. The templates of kernels import these names for type
checkers only, and ``core.game.kernels_for`` puts the game's own modules in their place, so that a
misspelt name is a type error. ``core/limits.py`` checks the same names and the limits when a
`GameType` is made; ``CONTRIBUTING.md`` says the same in words.

In shapes, W is the length of a state, A the number of action numbers, (H, W, C) the shape of an
observation. A state is one int64 or uint64 array [W]; what the options of a game decide is in it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

StateArray: TypeAlias = npt.NDArray[Any]  # int64 or uint64 [W]
Scratch: TypeAlias = npt.NDArray[Any]  # SCRATCH_DTYPE [SCRATCH_SIZE]
Stream: TypeAlias = npt.NDArray[np.uint64]  # [1], what core.bits.below() draws from
Mask: TypeAlias = npt.NDArray[np.int8]  # [A]
Numbers: TypeAlias = npt.NDArray[np.int64]
Options: TypeAlias = Mapping[str, Any]
State: TypeAlias = Any  # a ludarium.core.state.State, which this file must not import

class Rules(Protocol):
    """What ``rules.py`` offers. All functions but blank_state() are jitted."""

    @property
    def PLAYER(self) -> int:
        """Index in a state: the player to move, 0 or 1."""
    @property
    def TURN(self) -> int:
        """Index in a state: whole turns completed."""
    @property
    def MAX_TURNS(self) -> int:
        """Index in a state: the option `max_turns`."""
    @property
    def STATUS(self) -> int:
        """Index in a state: one of RUNNING to TRUNCATED of core/status.py."""
    @property
    def MAX_ACTIONS(self) -> int:
        """The most legal actions at once, or more: the length of arrays that list them."""
    @property
    def ACTIONS_PER_TURN(self) -> int:
        """The most actions of a turn, at most core.status.MAX_ACTIONS_PER_TURN."""
    @property
    def PHASES(self) -> tuple[str, ...]:
        """The decisions of a turn, in words; at most core.status.MAX_PHASES."""
    @property
    def SCRATCH_SIZE(self) -> int:
        """Length of the array that legal() and others write to."""
    @property
    def SCRATCH_DTYPE(self) -> type[np.generic]:
        """Type of the elements of that array."""
    def blank_state(self, options: Options) -> StateArray:
        """Return a new state with the options in it, not set up. Plain Python."""
    def new_game(self, state: StateArray, rng: Stream) -> None:
        """Set up a new game in place; the options stay."""
    def legal(self, state: StateArray, scratch: Scratch) -> int:
        """List the legal actions of a running state in `scratch`; returns how many.

        0 when the player to move loses because there is none. MAX_TURNS plays no part.
        """
    def list_actions(self, state: StateArray, scratch: Scratch, actions: Numbers) -> int:
        """After legal(): write the legal actions into int64 [MAX_ACTIONS]; returns how many."""
    def nth_action(self, state: StateArray, scratch: Scratch, k: int) -> int:
        """After legal(): return the legal action number k, from 0; the order is the game's."""
    def random_action(self, state: StateArray, scratch: Scratch, rng: Stream) -> int:
        """Return a uniformly random legal action, or -1 if there is none."""
    def write_mask(self, state: StateArray, scratch: Scratch, mask: Mask) -> None:
        """After legal(): write all of the mask, 1 for each legal action."""
    def apply(self, state: StateArray, action: int) -> None:
        """Play a legal action in place, and check_end() after a whole turn."""
    def check_end(self, state: StateArray) -> None:
        """Set STATUS by the rules; the player not to move has made the last turn."""
    def phase(self, state: StateArray) -> int:
        """Return the index in PHASES of the decision to make."""

class Observation(Protocol):
    """What ``observation.py`` offers; observe() is jitted."""

    @property
    def PLANES(self) -> Sequence[str]:
        """What each channel shows, C names."""
    def shape(self, options: Options) -> tuple[int, int, int]:
        """Return the shape (H, W, C) of an observation."""
    def observe(self, state: StateArray, player: int, planes: Mask) -> None:
        """Write all of what a player sees, to move or not, into int8 [H * W * C]."""

class Evaluation(Protocol):
    """What ``evaluation.py`` may offer: any of these, all jitted. Without the file it is None."""

    @property
    def ALWAYS_A_TURN(self) -> bool:
        """Whether the rules leave no player to move without a legal action."""
    def gain(self, before: StateArray, after: StateArray, player: int) -> int:
        """Return what the turn between two states gained for a player; 0 for a quiet turn."""
    def evaluate(self, state: StateArray, player: int) -> int:
        """Return what a running state is worth for a player, minus that for the opponent."""
    def playout_action(self, state: StateArray, scratch: Scratch, rng: Stream) -> int:
        """Return the next action of a turn that wins, else a random one, -1 if there is none."""

class Actions(Protocol):
    """What ``actions.py`` offers."""

    def num_actions(self, options: Options) -> int:
        """Return A."""
    def action_to_string(self, state: StateArray, action: int) -> str:
        """Return the text of a legal action."""

class Notation(Protocol):
    """What ``notation.py`` offers."""

    def to_text(self, state: StateArray) -> str:
        """Return the position in one line."""
    def from_text(self, text: str, blank: StateArray) -> StateArray:
        """Return a new state, after check_end(). Raises ValueError naming the wrong field."""
    PLAYERS: tuple[str, str]
    """Optional. What the game calls player 0 and player 1, such as White and Black."""
    LEGEND: str
    """Optional. What the signs of a diagram stand for, for people who see one."""
    def diagram(self, state: State, turned: bool = False) -> str:
        """Return the position in lines for people; turned: player 1 at the bottom."""
    def outcome(self, state: State) -> str:
        """Return in words how a finished game ended."""

class Reasons(Protocol):
    """What the optional ``reasons.py`` offers."""

    def why_illegal(self, state: State, text: str) -> str | None:
        """Return in words why an action is not legal; None for what is not of its form."""

class Symmetry(Protocol):
    """What ``symmetry.py`` offers."""

    def symmetries(self, options: Options) -> list[tuple[Numbers, Numbers]]:
        """Return gathers [H * W * C] and [A] for observations and masks, identity first."""

rules: Rules
observation: Observation
evaluation: Evaluation
actions: Actions
notation: Notation
symmetry: Symmetry
