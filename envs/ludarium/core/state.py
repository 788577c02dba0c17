"""State: one position of one game.

Names and meanings follow OpenSpiel.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import IllegalActionError, show
from ludarium.core.options import as_int
from ludarium.core.seeds import seed_stream
from ludarium.core.status import (
    ILLEGAL,
    PHASE_MASK,
    PHASE_SHIFT,
    PLAYER_SHIFT,
    RUNNING,
    STATUS_MASK,
    TRUNCATED,
    TURN_SHIFT,
    WON_0,
    WON_1,
)

if TYPE_CHECKING:
    from ludarium.core.game import Game

Int8Array: TypeAlias = npt.NDArray[np.int8]
IndexArray: TypeAlias = npt.NDArray[np.int64]

_RETURNS = {WON_0: (1.0, -1.0), WON_1: (-1.0, 1.0)}


class State:
    """One position of one game, with the actions that led to it.

    Made by `Game.new_initial_state` and `Game.state_from_string`. States are equal when game,
    options and `to_string()` are equal. The hash depends on the position, so it changes
    when an action is applied: put clones into sets and dicts.
    """

    __slots__ = ("__weakref__", "_array", "_game", "_history", "_mask", "_packed", "_start")

    _game: Game
    _array: npt.NDArray[Any]  # the state for the kernels, [W]
    _start: npt.NDArray[Any]  # the array where the history begins; never written to
    _history: list[int]
    _mask: Int8Array  # of the legal actions, always up to date, [A]
    _packed: int  # status, player, phase, turn number: core.kernels.pack

    def __init__(self) -> None:
        """Use `Game.new_initial_state` or `Game.state_from_string`.

        Raises:
            TypeError: Always.
        """
        raise TypeError("states come from game.new_initial_state() or game.state_from_string(text)")

    @classmethod
    def _empty(cls, game: Game) -> State:
        state = object.__new__(cls)
        state._game = game
        state._array = game._blank.copy()
        state._mask = np.zeros(game.num_distinct_actions, np.int8)
        return state

    @classmethod
    def from_array(cls, game: Game, array: npt.NDArray[Any]) -> State:
        """Return a state from a copy of the kernels' array [W], such as a row of a batch.

        The history begins here. The content is not checked: it must come from a state of the game.

        Raises:
            TypeError: The first argument is not a `Game`, or the second not an array.
            ValueError: The array has not the shape and type of the game's states.
        """
        blank = getattr(game, "_blank", None)
        if not isinstance(blank, np.ndarray):
            raise TypeError(f"a Game is needed, not {type(game).__name__}: {show(game)}")
        if not isinstance(array, np.ndarray):
            raise TypeError(f"array is a NumPy array, not {type(array).__name__}: {show(array)}")
        if (array.dtype, array.shape) != (blank.dtype, blank.shape):
            raise ValueError(
                f"array is {array.dtype} {list(array.shape)}; the states of {game.name} are "
                f"{blank.dtype} {list(blank.shape)}"
            )
        state = cls._empty(game)
        state._array[:] = array
        state._begin()
        return state

    def _restart(self, seed: int | None) -> None:
        """Set up a new game in place."""
        stream = seed_stream(seed)
        self._packed = self._game.type.kernels.start(self._array, stream, self._mask)
        self._start = self._array.copy()
        self._history = []

    def _begin(self) -> None:
        """Update the mask after the array was filled from outside; the history begins here."""
        self._packed = self._game.type.kernels.load(self._array, self._mask)
        self._start = self._array.copy()
        self._history = []

    # ---- facts about the position

    @property
    def game(self) -> Game:
        """The game, with its options."""
        return self._game

    def current_player(self) -> int:
        """Return the player to move, 0 or 1, or -1 when the game is over."""
        return -1 if self._packed & STATUS_MASK else self._packed >> PLAYER_SHIFT & 1

    def is_terminal(self) -> bool:
        """Return whether the game is over, by the rules or by `max_turns`."""
        return self._packed & STATUS_MASK != RUNNING

    def is_truncated(self) -> bool:
        """Return whether the game was ended by `max_turns` only."""
        return self._packed & STATUS_MASK == TRUNCATED

    def returns(self) -> list[float]:
        """Return the final scores of both players: +1 and -1, or zeros unless somebody has won."""
        return list(_RETURNS.get(self._packed & STATUS_MASK, (0.0, 0.0)))

    def turn_number(self) -> int:
        """Return how many whole turns are completed."""
        return self._packed >> TURN_SHIFT

    def stage(self) -> str:
        """Return which decision of the turn is to be made: one of the words in `game.stages`."""
        return self._game.stages[self._packed >> PHASE_SHIFT & PHASE_MASK]

    def history(self) -> list[int]:
        """Return the actions since the start, or since the text that the state came from."""
        return self._history.copy()

    # ---- actions

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; an empty list when the game is over."""
        actions: list[int] = np.flatnonzero(self._mask).tolist()
        return actions

    def legal_actions_mask(self) -> Int8Array:
        """Return a new array int8 [A] with 1 for each legal action."""
        return self._mask.copy()

    def apply_action(self, action: int) -> None:
        """Play an action, in place.

        Raises:
            IllegalActionError: The action is not legal here; the state does not change.
        """
        number = self._legal(action)
        self._packed = self._game.type.kernels.step(self._array, number, self._mask)
        self._history.append(number)

    def _replay(self, actions: list[int]) -> list[int]:
        """Play actions that were legal before, in place; return the packed status after each.

        Faster than `apply_action`, because nothing is checked but what the kernel checks.
        """
        kernels, array, mask = self._game.type.kernels, self._array, self._mask
        drive, what, nothing = kernels.drive, kernels.STEP, kernels.NO_PLANES
        statuses = [drive(what, array, action, mask, nothing) for action in actions]
        if ILLEGAL in statuses:
            raise IllegalActionError(f"the actions {show(actions)} are not those of a game")
        if statuses:
            self._packed = statuses[-1]
        self._history += actions
        return statuses

    def child(self, action: int) -> State:
        """Return the state after an action; this state does not change.

        Raises:
            IllegalActionError: The action is not legal here.
        """
        self._legal(action)
        state = self.clone()
        state.apply_action(action)
        return state

    def _legal(self, action: Any) -> int:
        """Return a legal action as int, or raise."""
        number = as_int(action)
        if number is not None and 0 <= number < len(self._mask) and self._mask[number]:
            return number
        raise self.illegal_action(action)

    def illegal_action(self, action: Any) -> IllegalActionError:
        """Return the error that says what is wrong with an action, which is not legal here."""
        number, last = as_int(action), len(self._mask) - 1
        if number is None:
            return IllegalActionError(f"action {show(action)} is not an int, 0 to {last}")
        if not 0 <= number <= last:
            return IllegalActionError(
                f"action {show(number)} is out of range: actions are 0 to {last}"
            )
        if self.is_terminal():
            return IllegalActionError(f"action {number} is illegal: the game is over")
        legal = [f"{a} ({self.action_to_string(a)})" for a in self.legal_actions()[:9]]
        more = " ..." if self._mask.sum() > len(legal) else ""
        return IllegalActionError(
            f"action {number} is illegal in {self.to_string()!r}; legal: {', '.join(legal)}{more}"
        )

    # ---- tensors

    def observation_tensor(self, player: int | None = None) -> Int8Array:
        """Return the observation of a player as a new array int8 [H, W, C] of zeros and ones.

        Args:
            player: 0 or 1; None: the player to move, or 0 when the game is over.

        Raises:
            ValueError: There is no such player.
        """
        if player is None:
            number: int | None = max(self.current_player(), 0)
        else:
            number = as_int(player)
        if number not in (0, 1):
            raise ValueError(f"player={show(player)} is not allowed: player is 0, 1 or None")
        planes = np.empty(self._game.observation_shape, np.int8)
        self._game.type.kernels.observe(self._array, number, planes)
        return planes

    # ---- text

    def action_to_string(self, action: int) -> str:
        """Return the text of a legal action.

        Raises:
            IllegalActionError: The action is not legal here.
        """
        number = self._legal(action)
        text: str = self._game.type.submodule("actions").action_to_string(self._array, number)
        return text

    def string_to_action(self, text: str) -> int:
        """Return the legal action with this text.

        Raises:
            IllegalActionError: No legal action has this text.
            TypeError: The text is not a str.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"the text of an action is a str, not {type(text).__name__}: {show(text)}"
            )
        to_string = self._game.type.submodule("actions").action_to_string
        names = {to_string(self._array, action): action for action in self.legal_actions()}
        if text in names:
            return names[text]
        if self.is_terminal():
            raise IllegalActionError(f"{text!r} is illegal: the game is over")
        from ludarium.core.reasons import reason_for

        some = ", ".join(list(names)[:9]) + (" ..." if len(names) > 9 else "")
        reason = reason_for(self, text)
        why = "" if reason is None else f": {reason}"
        raise IllegalActionError(f"{text!r} is illegal in {self.to_string()!r}{why}; legal: {some}")

    def to_string(self) -> str:
        """Return the position in one line, the same for both players."""
        text: str = self._game.type.submodule("notation").to_text(self._array)
        return text

    def __str__(self) -> str:
        diagram: str = self._game.type.submodule("notation").diagram(self)
        return diagram

    def __repr__(self) -> str:
        return f"<{self._game.name} {self.to_string()!r}>"

    # ---- pictures

    def render(
        self,
        mode: str = "rgb_array",
        size: int = 512,
        theme: str = "light",
        overlay: Any = None,
        orientation: int | str = 0,
        top: int | None = None,
    ) -> npt.NDArray[np.uint8] | str:
        """Return a picture of the position.

        Args:
            mode: ``"rgb_array"``, a new array uint8 [height, width, 3]; ``"svg"``, the text of an
                SVG file; ``"ansi"``, a diagram.
            size: the longer side in pixels, 128 to 2048.
            theme: ``"light"`` or ``"dark"``.
            overlay: ``"legal"``, weights of actions, or an agent; see `ludarium.drawing.overlays`.
            orientation: whose side of the board is at the bottom of a picture: 0, 1, or
                ``"mover"``, the player to move (in a finished game the one who moved last).
            top: the number of best actions that the overlay marks; None: all.

        Raises:
            ValueError: An argument is not allowed.
        """
        render = self._game.type.submodule("render").render
        picture: npt.NDArray[np.uint8] | str
        picture = render(self, mode, size, theme, overlay, orientation, top)
        return picture

    def _repr_png_(self) -> bytes:
        """Return the picture that a notebook shows."""
        from PIL import Image

        file = io.BytesIO()
        frame: Any = self.render(size=400)
        Image.fromarray(frame).save(file, format="PNG")
        return file.getvalue()

    # ---- turns

    def last_turn(self) -> tuple[State, list[int]] | None:
        """Return the state before the last whole turn and that turn's actions.

        None if no whole turn was played since the history began. It replays the history.
        """
        state = self._at_start()
        before, actions, last = state.clone(), [], None
        turn = state.turn_number()
        for action in self._history:
            state.apply_action(action)
            actions.append(action)
            if state.turn_number() != turn or state.is_terminal():
                turn = state.turn_number()
                last = (before, actions)
                before, actions = state.clone(), []
        return last

    def _at_start(self) -> State:
        """Return the state where the history begins."""
        state = State._empty(self._game)
        state._array[:] = self._start
        state._begin()
        return state

    # ---- copies and comparison

    def clone(self) -> State:
        """Return an independent copy, history included."""
        state = object.__new__(State)
        state._game = self._game
        state._array = self._array.copy()
        state._start = self._start
        state._history = self._history.copy()
        state._mask = self._mask.copy()
        state._packed = self._packed
        return state

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self._array, self._start, self._history)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._game == other._game and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash((self._game, self.to_string()))


def _restore(
    game: Game, array: npt.NDArray[Any], start: npt.NDArray[Any], history: list[int]
) -> State:
    """Unpickle a state.

    Kernels do not check their arrays, so a damaged array could crash the process. The start is
    therefore checked by way of its text, and the history is played again, action by action.

    Raises:
        ValueError: The parts do not belong to a state of the game.
    """
    state = _checked_start(game, start)
    if not isinstance(history, list):
        raise ValueError(f"a damaged state: the history is a list, not {show(history)}")
    for number, action in enumerate(history):
        try:
            state.apply_action(action)
        except IllegalActionError as error:
            raise ValueError(f"a damaged state: action {number} of its history: {error}") from error
    if not _same(state._array, array):
        raise ValueError("a damaged state: its history does not lead to its position")
    return state


def _checked_start(game: Game, start: npt.NDArray[Any]) -> State:
    """Return the state of an array in which a history begins.

    Raises:
        ValueError: The array is not a position that a text of the game describes.
    """
    if not isinstance(getattr(game, "_blank", None), np.ndarray):
        raise ValueError(f"a damaged state: its game is {show(game)}")
    blank = game._blank
    if not isinstance(start, np.ndarray) or (start.dtype, start.shape) != (
        blank.dtype,
        blank.shape,
    ):
        raise ValueError(f"a damaged state: its arrays are {blank.dtype} {list(blank.shape)}")
    try:
        state = game.state_from_string(game.type.submodule("notation").to_text(start))
    except (ValueError, LookupError, ArithmeticError, TypeError) as error:
        raise ValueError(f"a damaged state: not a position of {game!r}: {error}") from error
    if not _same(state._array, start):
        raise ValueError(f"a damaged state: not a position of {game!r}")
    return state


def _same(one: npt.NDArray[Any], other: Any) -> bool:
    """Return whether an array equals another object in type, shape and content."""
    return (
        isinstance(other, np.ndarray)
        and (other.dtype, other.shape) == (one.dtype, one.shape)
        and bool((other == one).all())
    )


def check_state(state: Any) -> None:
    """Raise TypeError unless `state` is a `State`."""
    if not isinstance(state, State):
        raise TypeError(f"a State is needed, not {type(state).__name__}: {show(state)}")
