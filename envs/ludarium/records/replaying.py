"""Replaying game records: from the texts of turns to actions and states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ludarium.core.errors import show
from ludarium.core.game import game_type
from ludarium.core.history import LastTurn, Position
from ludarium.core.reasons import reason_for
from ludarium.core.state import State
from ludarium.records.game_record import GameRecord, standard_start, verdict, where_of
from ludarium.records.results import DRAWN, MAX_TURNS, UNFINISHED, WON


class _Move(NamedTuple):
    action: int
    text: str
    after: State


def turn_actions(state: State, text: str) -> list[int]:
    """Return the actions of a turn from its text.

    The text is that of a whole turn or, where no whole turn has it, of the first actions of one.

    >>> import ludarium
    >>> state = ludarium.load_game("gyges").new_initial_state()
    >>> [state.action_to_string(action) for action in turn_actions(state, "321123")]
    ['321123']

    Raises:
        ValueError: No legal turn begins with these actions.
    """
    return [move.action for move in _moves(state, text)]


def _moves(state: State, text: str) -> list[_Move]:
    """Return the actions of a turn, each with its text and the state after it."""
    parsed = _parse(state, text, state.turn_number())
    if parsed is None:
        reason = reason_for(state, text)
        why = "" if reason is None else f": {reason}"
        raise ValueError(f"{text!r} is illegal in {state.to_string()!r}{why}")
    return parsed[1]


def _parse(state: State, text: str, turn: int) -> tuple[bool, list[_Move]] | None:
    """Return whether a text is a whole turn, and its actions; None where it is not legal.

    A name may begin with another one, as "c12" with "c1": the longest is tried first.
    """
    names = [(state.action_to_string(action), action) for action in state.legal_actions()]
    begun: tuple[bool, list[_Move]] | None = None
    for name, action in sorted(names, key=lambda pair: -len(pair[0])):
        if not text.startswith(name):
            continue
        move, rest = _Move(action, name, state.child(action)), text[len(name) :]
        whole = move.after.turn_number() != turn or move.after.is_terminal()
        parsed = None
        if not rest:
            parsed = whole, [move]
        elif not whole and (more := _parse(move.after, rest, turn)) is not None:
            parsed = more[0], [move, *more[1]]
        if parsed is not None and parsed[0]:
            return parsed
        begun = begun or parsed
    return begun


def replay(record: GameRecord) -> Iterator[State]:
    """Return an iterator over the positions of a record: the first, and the one after each turn.

    Each is a state of its own. Errors of the record are raised by the iterator.

    Raises:
        TypeError: The argument is not a `GameRecord`.
        ValueError: The game, its version or an option is not known here, the start is not a
            position, a turn is illegal, or the result is not that of the last position. The message
            names the record's line, if it has one, and the turn.
    """
    if not isinstance(record, GameRecord):
        raise TypeError(f"replay() takes a GameRecord, not {type(record).__name__}: {show(record)}")
    return (position.state.clone() for *_, position in replayed(record))


def replayed(record: GameRecord) -> Iterator[list[Position]]:
    """Yield the first position of a record alone, then those of each turn, one after each action.

    Costs one `apply_action` for each action, or a few more where the text of an action begins with
    that of another. The positions share their states: change none. Errors are those of `replay`.
    """
    where = where_of(record.line)
    position = Position(_first_state(record, where), LastTurn())
    yield [position]
    for number, text in enumerate(record.turns, 1):
        state = position.state
        turn: list[Position] = []
        try:
            if state.is_terminal():
                raise ValueError(f"{text!r} is illegal: the game is over")
            for action, name, after in _moves(state, text):
                position = position.followed_by(action, name, after)
                turn.append(position)
            if position.last_turn.begun is not None and number < len(record.turns):
                raise ValueError(f"{text!r} is not a whole turn")
        except ValueError as error:
            raise ValueError(f"{where}turn {number}: {error}") from error
        yield turn
    result, reason = verdict(position.state)
    by_position = record.reason in (WON, DRAWN, MAX_TURNS, UNFINISHED)
    if (by_position or reason != UNFINISHED) and (record.result, record.reason) != (result, reason):
        raise ValueError(
            f"{where}result {record.result} ({record.reason}) is not that of the last position, "
            f"{result} ({reason})"
        )


def _first_state(record: GameRecord, where: str) -> State:
    try:
        kind = game_type(record.game)
        if kind.version != record.version:
            raise ValueError(
                f"the record is of version {record.version} of {record.game}; "
                f"this is version {kind.version}"
            )
        game = kind.load(**record.options)
        if record.start is not None:
            return game.state_from_string(record.start)
        if record.seed is None and standard_start(game) is None:
            raise ValueError("chance sets up this game: a record needs `start` or `seed`")
        return game.new_initial_state(record.seed)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}{error}") from error
