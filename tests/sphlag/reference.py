"""A slow and obvious Sphlag, against which the fast kernel is tested.

Nothing here is clever and nothing is shared with the package: holes are names, a board is a
dict from the name of a filled hole to the colour in it, and each rule is one small function.
The numbers S1 to S21 are those of the rulings.

White is player 0, the lower player. A turn is a single action: "E7/0" places a sphere,
"E7/0-C7/0" moves one, "pass" passes.
"""

import re
from dataclasses import dataclass

Hole = str
"""Column letter, row, slash, level: "E7/0"."""

Board = dict[Hole, str]
"""Colour of every filled hole, "W", "B" or "R". An empty hole is not a key."""

FrozenBoard = frozenset[tuple[Hole, str]]
"""The items of a Board, so that a position can be hashed."""

WHITE, BLACK, RED = "W", "B", "R"
PASS = "pass"
COLUMNS = "ABCDEFG"
LEVELS = (0, 1, 2, 3)


def opponent(colour: str) -> str:
    """The other of the two players (S7)."""
    return BLACK if colour == WHITE else WHITE


# Geometry. All of it is worked out once, from the coordinates alone.


def name(column: int, row: int, level: int) -> Hole:
    """The name of a hole, column A being 1 (S1)."""
    return f"{COLUMNS[column - 1]}{row}/{level}"


def coordinates(hole: Hole) -> tuple[int, int, int]:
    """Column (A is 1), row and level of a hole (S1)."""
    return COLUMNS.index(hole[0]) + 1, int(hole[1]), int(hole[3])


def holes_of_level(level: int) -> tuple[Hole, ...]:
    """The holes of one level, row by row from the upper edge, each row from the left (S1)."""
    # Every level is one hole shorter than the one below and sits over its gaps, so each side
    # shrinks by one grid line while the stride stays two.
    lines = range(1 + level, 8 - level, 2)
    return tuple(name(column, row, level) for row in lines for column in lines)


HOLES: tuple[Hole, ...] = tuple(hole for level in LEVELS for hole in holes_of_level(level))


def holes_apart(hole: Hole, distances: set[tuple[int, int]], rise: int) -> tuple[Hole, ...]:
    """Holes so many columns and rows away, in any direction, and `rise` levels up (S1, S13)."""
    column, row, level = coordinates(hole)
    found = []
    for other in HOLES:
        other_column, other_row, other_level = coordinates(other)
        apart = abs(other_column - column), abs(other_row - row)
        if apart in distances and other_level == level + rise:
            found.append(other)
    return tuple(found)


BESIDE = {(2, 0), (0, 2)}
DIAGONAL_TOUCH = {(1, 1)}
PLATFORM = {(3, 1), (1, 3)}

# What a hole rests on, and what rests on it (S1).
SUPPORTS = {hole: holes_apart(hole, DIAGONAL_TOUCH, -1) for hole in HOLES}
RESTING = {hole: holes_apart(hole, DIAGONAL_TOUCH, +1) for hole in HOLES}

# Every hole that touches a hole: its neighbours on the level, and the ones just above and just
# below. Upward steps are rare (S14) and downward ones never possible, but that is for the search
# to find out and not for the table to assume.
TOUCHING = {hole: holes_apart(hole, BESIDE, 0) + RESTING[hole] + SUPPORTS[hole] for hole in HOLES}

# The holes of the neighbouring platforms, one level up or down (S13 b).
ACROSS = {hole: holes_apart(hole, PLATFORM, +1) + holes_apart(hole, PLATFORM, -1) for hole in HOLES}


def half(hole: Hole) -> str | None:
    """The player in whose half a hole lies, None on the diagonal (S3, S7)."""
    column, row, _ = coordinates(hole)
    if column + row == 8:
        return None
    return WHITE if column + row > 8 else BLACK


FLAG = {WHITE: "G7/0", BLACK: "A1/0"}
WALLS = ("C5/0", "E3/0")
RED_HOLES = {*FLAG.values(), *WALLS}

# Where a flag can be touched, by the owner of the flag (S4).
TOUCH_HOLES = {WHITE: ("E7/0", "F6/1", "G5/0"), BLACK: ("A3/0", "B2/1", "C1/0")}

TOP = "D4/3"
SUPPLY = 16


# The position and its text.


@dataclass(frozen=True)
class Position:
    """All that the rules can ask about: see S17 for `ko`, S20 for `passes`.

    `ko` is the board as it stood before the last turn, None when that is unknown. `completed`
    counts whole turns; no rule here reads it, since the limit of S21 is applied elsewhere.
    """

    board: FrozenBoard
    side: str
    passes: int
    ko: FrozenBoard | None
    completed: int


def freeze(board: Board) -> FrozenBoard:
    """The same board in a form that can be hashed and compared, as S17 needs."""
    return frozenset(board.items())


def start() -> Position:
    """Only the four reds are on the board, and White is to move (S2, S7)."""
    board = dict.fromkeys(RED_HOLES, RED)
    return Position(board=freeze(board), side=WHITE, passes=0, ko=None, completed=0)


def parse_board(text: str, field: str) -> FrozenBoard:
    """A board from its four levels; S1, S2, S5, S8 (support) and S9 decide what is refused."""
    parts = text.split("/")
    if [len(part) for part in parts] != [len(holes_of_level(level)) for level in LEVELS]:
        raise ValueError(f"{field} {text!r}: expected levels of 16, 9, 4 and 1 holes")
    letters = "".join(parts)
    for letter in letters:
        if letter not in ".WBR":
            raise ValueError(f"{field} {text!r}: {letter!r} is none of . W B R")
    board = {hole: letter for hole, letter in zip(HOLES, letters, strict=True) if letter != "."}
    if {hole for hole in board if board[hole] == RED} != RED_HOLES:
        raise ValueError(f"{field} {text!r}: the reds must be on {sorted(RED_HOLES)} only")
    for hole in board:
        if not supported(board, hole):
            raise ValueError(f"{field} {text!r}: {hole} has no support")
    if TOP in board:
        raise ValueError(f"{field} {text!r}: {TOP} can never be filled")
    for colour in (WHITE, BLACK):
        if spheres(board, colour) > SUPPLY:
            raise ValueError(f"{field} {text!r}: more than {SUPPLY} spheres of {colour}")
    return freeze(board)


def parse(text: str) -> Position:
    """The position a line of text describes: board, side (S7), passes (S20), ko (S17), turns.

    Only the form is checked. Whether play can lead there is not asked.
    """
    fields = text.split(" ")
    if len(fields) != 5:
        raise ValueError(f"{text!r}: expected 5 fields with one space between, not {len(fields)}")
    board, side, passes, ko, completed = fields
    if side not in (WHITE, BLACK):
        raise ValueError(f"side {side!r}: expected W or B")
    if passes not in ("0", "1", "2"):
        raise ValueError(f"passes {passes!r}: expected 0, 1 or 2")
    if not re.fullmatch("0|[1-9][0-9]*", completed):
        raise ValueError(f"turns {completed!r}: expected a whole number without leading zeros")
    return Position(
        board=parse_board(board, "board"),
        side=side,
        passes=int(passes),
        ko=None if ko == "-" else parse_board(ko, "board before the last turn"),
        completed=int(completed),
    )


def board_text(board: FrozenBoard) -> str:
    """The levels from the lowest up, in the order of S1, a dot for an empty hole."""
    colours = dict(board)
    return "/".join(
        "".join(colours.get(hole, ".") for hole in holes_of_level(level)) for level in LEVELS
    )


def text(position: Position) -> str:
    """The one line that `parse` reads back: board (S1), side (S7), passes (S20), ko (S17)."""
    ko = "-" if position.ko is None else board_text(position.ko)
    board = board_text(position.board)
    return f"{board} {position.side} {position.passes} {ko} {position.completed}"


# Placing.


def supported(board: Board, hole: Hole) -> bool:
    """Whether a sphere in the hole would lie firm: nothing below it is missing (S1, S2, S8)."""
    return all(below in board for below in SUPPORTS[hole])


def can_enter(board: Board, hole: Hole) -> bool:
    """Whether a sphere may come to the hole, placed or travelling (S8, S13)."""
    return hole not in board and supported(board, hole)


def spheres(board: Board, colour: str) -> int:
    """How many spheres of a colour are on the board (S9, S20)."""
    return sum(1 for other in board.values() if other == colour)


def holes_to_place_on(board: Board, side: str) -> list[Hole]:
    """Where the side may put a new sphere (S8), if it has one left (S9)."""
    if spheres(board, side) >= SUPPLY:
        return []
    return [hole for hole in HOLES if half(hole) == side and can_enter(board, hole)]


def board_after_place(board: Board, side: str, hole: Hole) -> Board:
    """The board with a new sphere of the side in the hole (S8)."""
    return {**board, hole: side}


# Moving.


def loads(board: Board, hole: Hole) -> list[Hole]:
    """The filled holes that rest directly on a hole (S10)."""
    return [above for above in RESTING[hole] if above in board]


def spheres_to_move(board: Board, side: str) -> list[Hole]:
    """The side's spheres that carry no more than one other; reds have no side (S10)."""
    return [hole for hole in board if board[hole] == side and len(loads(board, hole)) <= 1]


def board_after_lift(board: Board, hole: Hole) -> Board:
    """The board while the mover is in the air and nothing has dropped yet (S12)."""
    return {other: colour for other, colour in board.items() if other != hole}


def board_after_settle(lifted: Board, vacated: Hole) -> Board:
    """Let the load fall into the vacated hole, then its own load after it (S10, S11, S12)."""
    settled = dict(lifted)
    hollow = vacated
    while carried := loads(settled, hollow):
        assert len(carried) == 1, "S11: a sphere that drops carries at most one"
        settled[hollow] = settled.pop(carried[0])
        hollow = carried[0]
    return settled


def destinations(settled: Board, origin: Hole) -> set[Hole]:
    """Holes the mover can land on over the settled board, within four spaces (S13, S14, S15).

    A step between touching holes costs two spaces, so there may be two of them. Touching steps
    in every direction are tried, two in any mixture, and the board decides: below is always
    filled, and above is unsupported unless a dropped sphere has replaced the mover (S14). The
    mover itself is off the board here, so it never holds up its own target (S15).
    """
    first = {hole for hole in TOUCHING[origin] if can_enter(settled, hole)}
    second = {hole for stop in first for hole in TOUCHING[stop] if can_enter(settled, hole)}
    # The way to a neighbouring platform uses up all four spaces, so nothing follows it.
    across = {hole for hole in ACROSS[origin] if can_enter(settled, hole)}
    # Stepping out and back is no move (S16).
    return (first | second | across) - {origin}


def boards_after_moves(board: Board, side: str) -> dict[str, Board]:
    """Each move of the side with the board it leads to, before S16 and S17 (S10 to S15)."""
    boards = {}
    for origin in spheres_to_move(board, side):
        settled = board_after_settle(board_after_lift(board, origin), origin)
        for target in destinations(settled, origin):
            boards[f"{origin}-{target}"] = {**settled, target: side}
    return boards


# Whole turns.


def boards_after_turns(position: Position) -> dict[str, FrozenBoard]:
    """Each place and move that changes the board and repeats nothing (S7, S8, S13, S16, S17)."""
    board, side = dict(position.board), position.side
    boards = {hole: board_after_place(board, side, hole) for hole in holes_to_place_on(board, side)}
    boards.update(boards_after_moves(board, side))
    # The present board is forbidden even where the one before it is unknown (S16).
    forbidden = (position.board, position.ko)
    frozen = {action: freeze(after) for action, after in boards.items()}
    return {action: after for action, after in frozen.items() if after not in forbidden}


def turns(position: Position) -> dict[str, Position]:
    """Each legal turn and the position after it (S7, S17, S18); none once the game is over."""
    if result(position) is not None:
        return {}
    nexts = {
        action: after_turn(position, board, passes=0)
        for action, board in boards_after_turns(position).items()
    }
    # Passing needs no test: ko does not apply to it (S17), and it is always there (S18).
    nexts[PASS] = after_turn(position, position.board, passes=position.passes + 1)
    return nexts


def after_turn(position: Position, board: FrozenBoard, passes: int) -> Position:
    """Hand the turn over, and remember the board as it was before this turn (S7, S17)."""
    return Position(
        board=board,
        side=opponent(position.side),
        passes=passes,
        ko=position.board,
        completed=position.completed + 1,
    )


def actions(position: Position) -> list[str]:
    """The legal turns as text, sorted (S7 to S18); empty once the game is over (S19, S20)."""
    return sorted(turns(position))


def play(position: Position, action: str) -> Position:
    """The position after a turn; ValueError for a turn that S7 to S20 do not allow."""
    nexts = turns(position)
    if action not in nexts:
        raise ValueError(f"illegal turn {action!r}: expected one of {sorted(nexts)}")
    return nexts[action]


# The end.


def contacts(board: Board, colour: str) -> int:
    """How many of a colour's spheres touch the opposing flag (S4, S19, S20)."""
    return sum(1 for hole in TOUCH_HOLES[opponent(colour)] if board.get(hole) == colour)


def winner_by_contact(board: Board, mover: str) -> str | None:
    """The player with two contacts, the one who has just moved before the other (S19)."""
    for colour in (mover, opponent(mover)):
        if contacts(board, colour) >= 2:
            return colour
    return None


def winner_by_count(board: Board) -> str | None:
    """Who wins after two passes: more contacts, then fewer spheres, else nobody (S20)."""
    white = contacts(board, WHITE), -spheres(board, WHITE)
    black = contacts(board, BLACK), -spheres(board, BLACK)
    if white == black:
        return None
    return WHITE if white > black else BLACK


def result(position: Position) -> tuple[int, int] | None:
    """White's and Black's return, None while the game goes on (S19, then S20).

    The limit on length of S21 is left to the caller.
    """
    board = dict(position.board)
    # The last mover is the side that is not to move now.
    winner = winner_by_contact(board, opponent(position.side))
    if winner is None and position.passes < 2:
        return None
    if winner is None:
        winner = winner_by_count(board)
    return {WHITE: (1, -1), BLACK: (-1, 1), None: (0, 0)}[winner]


def perft(position: Position, depth: int) -> int:
    """Sequences of so many turns; a game that is over adds none (S7 to S20)."""
    if depth == 0:
        return 1
    return sum(perft(after, depth - 1) for after in turns(position).values())
