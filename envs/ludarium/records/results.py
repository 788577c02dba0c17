"""How a recorded game ended: the reasons that a record states, and its result in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ludarium.core.state import State

#: Reasons that follow from the last position.
WON, DRAWN, MAX_TURNS, UNFINISHED = "won", "drawn", "max_turns", "unfinished"
#: A player answered with an action that is not legal, and lost the game.
ILLEGAL = "illegal"

LONGEST_NAME = 20  # characters of a player's name in the caption of a picture


class Outcome(Protocol):
    """The fields of a `GameRecord` that say how its game ended."""

    @property
    def players(self) -> tuple[str, str]:
        """Names of player 0 and player 1."""

    @property
    def result(self) -> tuple[float, float] | None:
        """Final scores of both players, or None for an unfinished game."""

    @property
    def reason(self) -> str:
        """Why the game ended: a reason of this module, or a word of the recorder."""


def plain(text: str) -> str:
    r"""Return a text from outside, such as a name, with a space for what cannot be printed.

    >>> plain("Ada\nLovelace")
    'Ada Lovelace'
    """
    return "".join(c if c.isprintable() else " " for c in text)


def ending_of(record: Outcome, last: State, longest: int = LONGEST_NAME) -> str | None:
    """Return the result of a record in words, or None where the last position shows it.

    A game can end for a reason that no position shows: an illegal action, or a reason of the
    recorder.

    Args:
        record: the record.
        last: its last position.
        longest: the most characters of a name, so that the result is visible in a small picture.
    """
    if last.is_terminal() or (record.result is None and record.reason == UNFINISHED):
        return None
    if record.result is None or record.result[0] == record.result[1]:
        return plain(f"No winner ({record.reason})")
    names = [plain(name) for name in record.players]
    names = [name if len(name) <= longest else f"{name[: longest - 3]}..." for name in names]
    if names[0] == names[1]:
        names = [f"{name} (player {player})" for player, name in enumerate(names)]
    winner = int(record.result[1] > record.result[0])
    if record.reason == ILLEGAL:
        return f"{names[winner]} has won by an illegal action of {names[1 - winner]}"
    return f"{names[winner]} has won ({plain(record.reason)})"


def result_of(record: Outcome, last: State) -> str:
    """Return in words how a recorded game ended, or that it goes on."""
    text = ending_of(record, last, longest=10_000)
    if text is None and last.is_terminal():
        outcome = str(last.game.type.submodule("notation").outcome(last))
        return outcome[0].upper() + outcome[1:]
    return "The game goes on" if text is None else text
