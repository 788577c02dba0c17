"""Episodes: the positions of a game in their order, each with the turn that led to it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ludarium.core.errors import show
from ludarium.core.history import Position, last_turn_of, retrace
from ludarium.core.options import as_int, check_choice, check_orientation, check_size
from ludarium.core.state import State
from ludarium.core.text import counted
from ludarium.drawing import pictures
from ludarium.drawing.canvas import Frame
from ludarium.drawing.themes import THEMES
from ludarium.records.game_record import GameRecord, record_of
from ludarium.records.names import line_of_names, with_names
from ludarium.records.replaying import replayed
from ludarium.records.results import ending_of


class Environment(Protocol):
    """An environment of this package, or a wrapper of one."""

    @property
    def unwrapped(self) -> Any:
        """The environment below all wrappers, which has a `game_state`."""


#: What an episode can be made of.
Source: TypeAlias = "Episode | GameRecord | State | Iterable[State] | Environment"


#: The theme of a page that follows its reader's system; other files are light then.
AUTO = "auto"


@dataclass(frozen=True, repr=False)
class Episode:
    """A game as it is to be shown.

    Attributes:
        positions: the positions, each with what was played immediately before it.
        texts: for each position the text of the actions that led to it from the position before;
            None for the first position, and where a position does not follow from the one before.
        record: the game as a record.
        size: the longer side of a picture in pixels.
        theme: ``"light"``, ``"dark"`` or ``"auto"``.
        orientation: whose side of the board is at the bottom: 0, 1, or ``"mover"``.
        names: whether a line above each picture names the players.
        skipped: number of the game's positions before the first one, which `between` left out.
        left_out: number of the game's positions after the last one, which `between` left out.
    """

    positions: tuple[Position, ...]
    texts: tuple[str | None, ...]
    record: GameRecord
    size: int
    theme: str
    orientation: int | str = 0
    names: bool = False
    skipped: int = 0
    left_out: int = 0

    def __repr__(self) -> str:
        return f"<Episode of {self.record.game}, {counted(len(self.positions), 'position')}>"

    @property
    def states(self) -> list[State]:
        """The state of each position."""
        return [position.state for position in self.positions]

    @property
    def whole(self) -> bool:
        """Whether it has all positions of the game."""
        return not self.skipped and not self.left_out

    @property
    def num_actions(self) -> int:
        """Number of actions of the whole game, also where positions are left out."""
        return self.skipped + len(self.positions) - 1 + self.left_out

    @property
    def turn_numbers(self) -> range:
        """The numbers of its turns; the last one may be half made."""
        first = self.positions[0].state.turn_number()
        return range(first + 1, max([first, *self._numbers]) + 1)

    @property
    def _numbers(self) -> list[int]:
        """The number of the turn that led to each position but the first."""
        return [state.turn_number() + 1 for state, _ in self.positions[:-1]]

    def between(self, first: int, last: int) -> Episode:
        """Return the positions from the one after turn `first` to the one after turn `last`.

        The first turn has the number 1, so 0 is the first position of most games.

        Raises:
            ValueError: There is no such turn, or states were given that do not follow from each
                other.
        """
        self._check_line()
        known = self.turn_numbers
        for turn in (first, last):
            if not known.start - 1 <= turn < known.stop:
                raise ValueError(f"there is no turn {turn}: {_turns_in_words(known)}")
        if first > last:
            raise ValueError(f"turn {first} is not before turn {last}")
        numbers = self._numbers
        start = sum(number <= first for number in numbers)
        stop = sum(number <= last for number in numbers)
        return dataclasses.replace(
            self,
            positions=self.positions[start : stop + 1],
            texts=(None, *self.texts[start + 1 : stop + 1]),
            skipped=self.skipped + start,
            left_out=self.left_out + len(numbers) - stop,
        )

    def _check_line(self) -> None:
        """Raise ValueError unless each position follows from the one before."""
        if None in self.texts[1:]:
            raise ValueError("turns can be chosen where each position follows from the one before")

    def only_turns(self, turns: tuple[int, int | None]) -> Episode:
        """Return the positions of some turns, with the one before them.

        Args:
            turns: the numbers of the first and the last turn. A last one of None, or one that the
                game did not reach, is the last turn of the game.

        Raises:
            ValueError: There is no first turn of this number, the last is before it, or states
                were given that do not follow from each other.
        """
        first, last = check_turns(turns)
        self._check_line()
        known = self.turn_numbers
        if first not in known:
            raise ValueError(f"there is no turn {first}: {_turns_in_words(known)}")
        stop = known[-1] if last is None else min(last, known[-1])
        return self.between(first - 1, stop)

    @property
    def picture_theme(self) -> str:
        """The theme of pictures: ``"light"`` or ``"dark"``."""
        return "light" if self.theme == AUTO else self.theme

    @property
    def ending(self) -> str | None:
        """The result in words, None where the last position shows it or is not the game's last."""
        return None if self.left_out else ending_of(self.record, self.positions[-1].state)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of a picture in pixels."""
        height, width = self.frame(0).shape[:2]
        return height, width

    def frame(self, index: int) -> Frame:
        """Return the picture of a position; the last one shows the result."""
        frame = self._board_frame(index)
        return frame if self._names is None else with_names(frame, self._names)

    @functools.cached_property
    def _names(self) -> Frame | None:
        """The line of names above each picture, None without names."""
        if not self.names:
            return None
        width = self._board_frame(0).shape[1]
        return line_of_names(
            self.record.players, self.positions, width, self.size, self.picture_theme
        )

    def _board_frame(self, index: int) -> Frame:
        state, last_turn = self.positions[index]
        last = index in (-1, len(self.positions) - 1)
        ending = self.ending if last else None
        return pictures.draw(
            state, self.size, self.picture_theme, None, ending, last_turn, self.orientation
        )

    def frames(self) -> Iterator[Frame]:
        """Yield the picture of each position."""
        for index in range(len(self.positions)):
            yield self.frame(index)


def check_turns(turns: tuple[int, int | None]) -> tuple[int, int | None]:
    """Return the numbers of a first and a last turn, None for the end of the game.

    Raises:
        ValueError: They are not two such numbers.
    """
    try:
        first, last = turns
    except (TypeError, ValueError):
        first, last = 0, None
    numbers = as_int(first), None if last is None else as_int(last)
    bad = numbers[0] is None or numbers[0] < 1 or (numbers[1] is None and last is not None)
    if bad or (numbers[1] is not None and numbers[0] is not None and numbers[1] < numbers[0]):
        raise ValueError(
            f"turns={show(turns)} is not allowed: turns are the numbers of the first turn, from 1, "
            "and of the last, which is not before it, or None"
        )
    return numbers[0] or 0, numbers[1]


def _turns_in_words(known: range) -> str:
    """Return which turns a game has, for a message."""
    return f"the game has turns {known[0]} to {known[-1]}" if known else "the game has no turns"


def episode_of(
    source: Source,
    size: int = 512,
    theme: str = AUTO,
    orientation: int | str = 0,
    names: bool = False,
) -> Episode:
    """Return the episode of a record, a state with its history, states or an environment.

    Costs one `apply_action` for each action of the game.

    >>> import ludarium
    >>> episode_of(ludarium.load_game("sphlag").new_initial_state())
    <Episode of sphlag, 1 position>

    Args:
        source: a game record; a state with its history; states in their order; an environment of
            PettingZoo or Gymnasium from this package, wrapped or not; or an episode.
        size: the longer side of a picture in pixels, 128 to 2048.
        theme: ``"light"``, ``"dark"`` or ``"auto"``: a page follows its reader's system, and
            pictures are light.
        orientation: whose side of the board is at the bottom: 0, 1, or ``"mover"``.
        names: whether a line above each picture names the players.

    Raises:
        ValueError: The size, the theme or the orientation is not allowed, the episode is
            empty, its states are of different games, or a record cannot be replayed.
        TypeError: The source is none of these.
    """
    check_choice("theme", theme, (*THEMES, AUTO))
    shown = check_size(size), str(theme), check_orientation(orientation), bool(names)
    if isinstance(source, Episode):
        return dataclasses.replace(
            source, size=shown[0], theme=shown[1], orientation=shown[2], names=shown[3]
        )
    if isinstance(source, GameRecord):
        positions = [position for turn in replayed(source) for position in turn]
        return _episode(positions, _texts(positions), source, *shown)
    if not isinstance(source, State):
        state = _state_of(source)
        if state is None:
            positions, texts, record = _from_states(source)
            return _episode(positions, texts, record, *shown)
        source = state
    positions = list(retrace(source))
    return _episode(positions, _texts(positions), _record(positions), *shown)


def _episode(
    positions: list[Position],
    texts: list[str | None],
    record: GameRecord,
    size: int,
    theme: str,
    orientation: int | str,
    names: bool,
) -> Episode:
    return Episode(tuple(positions), tuple(texts), record, size, theme, orientation, names)


def _texts(positions: list[Position]) -> list[str | None]:
    """Return the text of the action that led to each position, None for the first one."""
    turns = [last_turn.begun or last_turn.whole for _, last_turn in positions[1:]]
    return [None, *(None if turn is None else turn.texts[-1] for turn in turns)]


def _record(positions: list[Position]) -> GameRecord:
    """Return the record of positions that follow from each other, action by action."""
    turns = [last.whole.text for _, last in positions if last.whole and not last.begun]
    *_, (state, last_turn) = positions
    if last_turn.begun is not None:
        turns.append(last_turn.begun.text)
    return record_of(state, positions[0].state.to_string(), turns)


def _state_of(source: Any) -> State | None:
    """Return the state of an environment, None where the source is not one of this package."""
    environment = getattr(source, "unwrapped", None)
    if environment is None:
        return None
    state = environment.game_state if hasattr(type(environment), "game_state") else None
    if not isinstance(state, State):
        raise TypeError(
            f"an episode is of an environment of ludarium, not {type(environment).__name__}: "
            "it has no game_state that is a State"
        )
    return state


def _from_states(source: Any) -> tuple[list[Position], list[str | None], GameRecord]:
    """Return the positions and texts of states that are given one by one, and their record.

    The last state's history is played once. States on that line, such as those that
    `ludarium.records.replay` yields, take their last turn from it; others replay their own history.
    """
    states = _listed(source)
    line = list(retrace(states[-1]))
    history = states[-1].history()
    texts = _texts(line)
    indices = [_index_on(line, history, state) for state in states]
    positions = [
        Position(state, last_turn_of(state) if index is None else line[index].last_turn)
        for state, index in zip(states, indices, strict=True)
    ]
    steps: list[str | None] = [None]
    for k in range(1, len(states)):
        first, last = indices[k - 1], indices[k]
        if first is None or last is None:
            steps.append(_between(states[k - 1], states[k]))
        elif first < last:
            steps.append("".join(text or "" for text in texts[first + 1 : last + 1]))
        else:
            steps.append(None)
    return positions, steps, _record(line)


def _index_on(line: list[Position], history: list[int], state: State) -> int | None:
    """Return which position of a line is that of a state and its history, None for none."""
    played = state.history()
    count = len(played)
    if played == history[:count] and line[count].state == state:
        return count
    return None


def _between(before: State, after: State) -> str | None:
    """Return the text of the actions from a state to another, None if they are not known."""
    old, new = before.history(), after.history()
    if len(old) >= len(new) or new[: len(old)] != old:
        return None
    state, text = before, ""
    for action in new[len(old) :]:
        if action not in state.legal_actions():
            return None
        text += state.action_to_string(action)
        state = state.child(action)
    return text if state == after else None


def _listed(source: Any) -> list[State]:
    """Return the states of an episode that is given as states."""
    try:
        states = list(source)
    except TypeError:
        raise TypeError(
            "an episode is a record, a state, states in their order, or an environment of "
            f"ludarium, not {type(source).__name__}"
        ) from None
    for state in states:
        if not isinstance(state, State):
            raise TypeError(f"an episode is made of states, not {type(state).__name__}")
        if state.game != states[0].game:
            raise ValueError(
                f"an episode is of one game: there are states of {states[0].game!r} and of "
                f"{state.game!r}"
            )
    if not states:
        raise ValueError("the episode is empty: there is no position to show")
    return states
