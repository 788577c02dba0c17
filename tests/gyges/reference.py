"""A slow and plain referee for the board game Gyges.

It exists to be read and believed. The fast engine is checked against it turn by turn, so nothing
here is shared with that engine: cells are names such as "c4", pieces are entries of a dict, and a
walk is found by trying every step. G1 to G15 in the docstrings are the numbered rulings on the
rules of the game.

The limit on the number of turns (G15) is a matter for whoever runs the game. A position here never
ends because of it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations, product

COLUMNS = "abcdef"
ROW_NUMBERS = "123456"
CELLS = tuple(column + row for row in ROW_NUMBERS for column in COLUMNS)
GOAL = "goal"
EMPTY_ROW = "000000"
RINGS = "123"
PIECES_OF_A_KIND = 4

# G2: each player owns two pieces of each kind until they stand on the board.
SETUP_ROWS = tuple(sorted({"".join(row) for row in permutations("112233")}))

OPPONENT = {"S": "N", "N": "S"}

# Row numbers in the order in which a player meets them, looking across the board from home.
ROWS_FROM = {"S": ROW_NUMBERS, "N": ROW_NUMBERS[::-1]}


def _neighbours(cell: str) -> tuple[str, ...]:
    """The cells one orthogonal step away, on the board of six by six (G1)."""
    column, row = COLUMNS.index(cell[0]), ROW_NUMBERS.index(cell[1])
    beside = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    return tuple(
        COLUMNS[c] + ROW_NUMBERS[r]
        for c, r in beside
        if 0 <= c < len(COLUMNS) and 0 <= r < len(ROW_NUMBERS)
    )


NEIGHBOURS = {cell: _neighbours(cell) for cell in CELLS}

# G9: the two directions share one name, because using a segment once closes it both ways.
SEGMENT = {
    (here, there): "".join(sorted((here, there))) for here in CELLS for there in NEIGHBOURS[here]
}


@dataclass(frozen=True)
class Position:
    """Everything a game needs to go on from here (G1, G2, G11, G14).

    stage "setup": `side` has to fill its first row.
    stage "move":  `side` has to choose a piece and where it lands.
    stage "drop":  the piece of `side` stands on `mover`, and the piece with `hand` rings that it
                   replaced waits to be put down. The piece in hand is not on the rows.
    stage "goal":  the game is over. The opponent of `side` has just won, and the piece that
                   entered the goal has left the rows.
    """

    rows: tuple[str, ...]  # row 1 first, columns a to f, "0" for an empty cell
    side: str  # "S" or "N"
    stage: str
    turns_completed: int
    mover: str = ""
    hand: int = 0


@dataclass(frozen=True)
class Walk:
    """One way for a piece to travel in one move (G6 to G10).

    `cells` holds each cell stood on, the start first and "goal" last if the goal was entered.
    `bounces` holds the cells bounced on, in order. A piece can only ever stand on an occupied cell
    at the end of a count, so the names leave no doubt as to when it bounced.
    """

    cells: tuple[str, ...]
    bounces: tuple[str, ...]


# ---------------------------------------------------------------------------------------------
# Text


def start() -> Position:
    """The empty board with South about to set up (G2)."""
    return Position((EMPTY_ROW,) * 6, "S", "setup", 0)


def parse(text: str) -> Position:
    """Read a position from its line of text (pieces of G1, stages of G2, G11 and G14).

    Only what can be seen on the board is checked. Whether play could ever have led there is not,
    and the number of turns is compared with nothing.
    """
    fields = text.split(" ")
    if len(fields) != 4:
        raise ValueError(f"a position has four fields, not {len(fields)}: {text!r}")
    rows_text, side, stage_text, turns_text = fields

    if not re.fullmatch("[0-3]{6}(/[0-3]{6}){5}", rows_text):
        raise ValueError(f"rows must be six groups of six digits 0-3 joined by '/': {rows_text!r}")
    if side not in OPPONENT:
        raise ValueError(f"side must be S or N: {side!r}")
    if not re.fullmatch("0|[1-9][0-9]*", turns_text):
        raise ValueError(f"turns must be a whole number without leading zeros: {turns_text!r}")
    stage_match = re.fullmatch("setup|move|goal|drop:([a-f][1-6]):([1-3])", stage_text)
    if not stage_match:
        raise ValueError(f"stage must be setup, move, drop:CELL:RINGS or goal: {stage_text!r}")

    mover, hand = stage_match.groups()
    position = Position(
        rows=tuple(rows_text.split("/")),
        side=side,
        stage="drop" if mover else stage_text,
        turns_completed=int(turns_text),
        mover=mover or "",
        hand=int(hand or 0),
    )
    fault = _count_fault(position)
    if fault:
        raise ValueError(f"{fault}: {text!r}")
    return position


def _count_fault(position: Position) -> str:
    """What is wrong with the number of pieces in this stage, or "" (G1, G2, G10, G11)."""
    if position.stage == "setup":
        first_row = position.rows[0]
        if position.side == "S" and first_row != EMPTY_ROW:
            return "rows must be empty before South sets up"
        if position.side == "N" and first_row not in SETUP_ROWS:
            return "rows must hold two pieces of each kind on row 1 before North sets up"
        if any(row != EMPTY_ROW for row in position.rows[1:]):
            return "rows 2 to 6 must be empty during the set-up"
        return ""

    counts = Counter("".join(position.rows))
    if position.stage == "drop":
        if position.mover not in _pieces(position):
            return f"rows have no piece on {position.mover}, where the mover should stand"
        counts[str(position.hand)] += 1
    if position.stage == "goal":
        # The piece in the goal may be of any kind: exactly one kind is one short.
        numbers = sorted(counts[rings] for rings in RINGS)
        if numbers != [PIECES_OF_A_KIND - 1, PIECES_OF_A_KIND, PIECES_OF_A_KIND]:
            return "rows must hold eleven pieces once one has entered the goal"
        return ""
    if any(counts[rings] != PIECES_OF_A_KIND for rings in RINGS):
        return "rows and hand must hold four pieces of each kind"
    return ""


def text(position: Position) -> str:
    """The line of text that `parse` reads back (pieces of G1, stages of G2, G11 and G14)."""
    stage = position.stage
    if stage == "drop":
        stage = f"drop:{position.mover}:{position.hand}"
    return f"{'/'.join(position.rows)} {position.side} {stage} {position.turns_completed}"


# ---------------------------------------------------------------------------------------------
# The board


def _pieces(position: Position) -> dict[str, int]:
    """The rings of the piece on each occupied cell (G1)."""
    digits = "".join(position.rows)
    return {cell: int(digit) for cell, digit in zip(CELLS, digits, strict=True) if digit != "0"}


def _put(rows: tuple[str, ...], cell: str, rings: int) -> tuple[str, ...]:
    """The rows with a piece of so many rings on the cell, or with the cell empty for 0 (G1)."""
    column, number = COLUMNS.index(cell[0]), ROW_NUMBERS.index(cell[1])
    row = rows[number]
    row = row[:column] + str(rings) + row[column + 1 :]
    return (*rows[:number], row, *rows[number + 1 :])


def _first_row(rows: tuple[str, ...], side: str) -> str:
    """The number of the first row with a piece in it, as this side sees the board (G3, G11)."""
    return next(number for number in ROWS_FROM[side] if rows[int(number) - 1] != EMPTY_ROW)


# ---------------------------------------------------------------------------------------------
# Walking


def walks(position: Position, start_cell: str, *, second_bounce: bool = True) -> list[Walk]:
    """Every walk of the piece on the cell, whether or not its row may play (G6 to G10).

    A walk that lands on a piece is listed as it stands, which means replacing (G8, G11), and is
    also carried on by bouncing. `second_bounce=False` forbids bouncing again on a piece that has
    already been bounced on. By G9 that must not change where a piece can end.
    """
    pieces = _pieces(position)
    if position.stage != "move":
        raise ValueError(f"nothing walks in stage {position.stage}")
    if start_cell not in pieces:
        raise ValueError(f"there is no piece on {start_cell!r}")
    goal_row = ROWS_FROM[position.side][-1]
    found: list[Walk] = []

    def step(
        cells: tuple[str, ...], count: int, used: frozenset[str], bounces: tuple[str, ...]
    ) -> None:
        """Take the next of `count` steps in every way there is (G6 to G10)."""
        here = cells[-1]
        if here[1] == goal_row and count == 1:
            # G10: only the last step of a count enters the goal. The own goal is never tried.
            found.append(Walk((*cells, GOAL), bounces))
        for there in NEIGHBOURS[here]:
            segment = SEGMENT[here, there]
            if segment in used:
                continue  # G9
            path = (*cells, there)
            if count > 1:
                if there not in pieces:  # G6: nothing is passed over
                    step(path, count - 1, used | {segment}, bounces)
                continue
            found.append(Walk(path, bounces))  # G7 on an empty cell, G11 on a piece
            if there in pieces and (second_bounce or there not in bounces):  # G8
                step(path, pieces[there], used | {segment}, (*bounces, there))

    # G6: the piece is off its cell for the whole move, so that its cell is like any empty one.
    rings = pieces.pop(start_cell)
    step((start_cell,), rings, frozenset(), ())
    return found


@lru_cache(maxsize=256)  # `actions`, `play` and `turns` ask about the same position in a row
def _landings(position: Position, *, second_bounce: bool = True) -> frozenset[tuple[str, str]]:
    """Each pair of the piece's cell and where it can land (G3, G4, G13).

    A landing on a piece is always a complete move, because the replaced piece always has room:
    the eleven others cannot all stand on one row, so that at least two rows of the board are open
    to it, and their twelve cells cannot all be taken. Hence a row is blocked (G4) just when its
    pieces have no walk at all.
    """
    pieces = _pieces(position)
    for number in ROWS_FROM[position.side]:
        landings = frozenset(
            (cell, walk.cells[-1])
            for cell in pieces
            if cell[1] == number
            for walk in walks(position, cell, second_bounce=second_bounce)
        )
        if landings:
            return landings
    # G5 says that this does not happen with four one-ring pieces on the board.
    return frozenset()


def _drop_cells(rows: tuple[str, ...], side: str, last_row: str) -> list[str]:
    """The empty cells from the side's home up to `last_row`, the opponent's first row (G11)."""
    order = ROWS_FROM[side]
    open_rows = order[: order.index(last_row) + 1]
    return [
        cell
        for cell, digit in zip(CELLS, "".join(rows), strict=True)
        if digit == "0" and cell[1] in open_rows
    ]


# ---------------------------------------------------------------------------------------------
# Actions and turns


def actions(position: Position) -> list[str]:
    """The legal actions in this stage, sorted (G2, G3, G4, G8, G11, G14).

    A set-up row as it reads in columns a to f ("321123"), a landing ("b1-d2", "b1-goal"), or a
    drop ("=c4"). The list is empty once the game is over.
    """
    if position.stage == "setup":
        return list(SETUP_ROWS)
    if position.stage == "move":
        return sorted(f"{cell}-{landing}" for cell, landing in _landings(position))
    if position.stage == "drop":
        # G12: by now the mover stands on its landing cell, so the row is read as it is seen.
        last_row = _first_row(position.rows, OPPONENT[position.side])
        return sorted("=" + cell for cell in _drop_cells(position.rows, position.side, last_row))
    return []


def play(position: Position, action: str) -> Position:
    """The position after a legal action, ValueError for any other (G2, G7, G8, G10, G11)."""
    if action not in actions(position):
        raise ValueError(f"{action!r} is not legal in {text(position)!r}")
    return _after(position, action)


def _after(position: Position, action: str) -> Position:
    """The position after an action known to be legal (G2, G7, G8, G10, G11, G14)."""
    rows, side, turns_completed = position.rows, position.side, position.turns_completed
    opponent = OPPONENT[side]

    if position.stage == "setup":
        if side == "S":
            return Position((action, *rows[1:]), opponent, "setup", turns_completed + 1)
        # G2: once North has set up, South has the first move.
        return Position((*rows[:5], action), opponent, "move", turns_completed + 1)

    if position.stage == "drop":
        rows = _put(rows, action[1:], position.hand)
        return Position(rows, opponent, "move", turns_completed + 1)

    cell, landing = action.split("-")
    column, number = COLUMNS.index(cell[0]), int(cell[1])
    rings = int(rows[number - 1][column])
    rows = _put(rows, cell, 0)
    if landing == GOAL:
        return Position(rows, opponent, "goal", turns_completed + 1)
    replaced = int(rows[int(landing[1]) - 1][COLUMNS.index(landing[0])])
    rows = _put(rows, landing, rings)
    if replaced:
        # The turn is half made: the same side still has to put the replaced piece down.
        return Position(rows, side, "drop", turns_completed, landing, replaced)
    return Position(rows, opponent, "move", turns_completed + 1)


def turns(
    position: Position, *, second_bounce: bool = True, drop_row_read: str = "placed"
) -> dict[str, Position]:
    """Each distinct legal whole turn and the position after it (G2, G11, G13).

    In a drop stage these are the drops, each of which completes the turn. The switches are for
    tests. `second_bounce` is that of `walks` (G9). `drop_row_read` is the moment at which the
    opponent's first row is looked up (G12): "before" anything is touched, with the mover "lifted"
    off its cell and nothing else changed, or with the mover "placed" on the piece's cell and the
    piece in hand. Only "placed" can be told from a drop stage.
    """
    if drop_row_read not in ("before", "lifted", "placed"):
        raise ValueError(f"drop_row_read must be before, lifted or placed: {drop_row_read!r}")
    if position.stage == "drop" and drop_row_read != "placed":
        raise ValueError(f"a drop stage cannot tell the row as it was {drop_row_read}")
    if position.stage != "move":
        return {action: _after(position, action) for action in actions(position)}

    found: dict[str, Position] = {}
    for cell, landing in sorted(_landings(position, second_bounce=second_bounce)):
        action = f"{cell}-{landing}"
        after = _after(position, action)
        if after.stage != "drop":
            found[action] = after
            continue
        rows_read = {
            "before": position.rows,
            "lifted": _put(position.rows, cell, 0),
            "placed": after.rows,
        }[drop_row_read]
        last_row = _first_row(rows_read, OPPONENT[position.side])
        for drop_cell in _drop_cells(after.rows, position.side, last_row):
            drop = "=" + drop_cell
            found[action + drop] = _after(after, drop)
    return found


def result(position: Position) -> tuple[int, int] | None:
    """The returns of South and North, or None while the game goes on (G14)."""
    if position.stage != "goal":
        return None
    # The side named would have moved next, so the goal was entered by the other one.
    return (-1, 1) if position.side == "S" else (1, -1)


def perft(position: Position, depth: int) -> int:
    """The number of sequences of so many whole turns (G13, G14).

    A game that ends sooner counts for nothing.
    """
    if depth == 0:
        return 1
    after = turns(position)
    if depth == 1:
        return len(after)
    return sum(perft(next_position, depth - 1) for next_position in after.values())


# ---------------------------------------------------------------------------------------------
# Checking a single walk
#
# What follows shares no table and no search with `walks`. A mistake there would have to be made
# here a second time, and in other words, to go unseen.


def check_walk(position: Position, cells: Sequence[str]) -> bool:
    """Whether the piece on the first cell may take just these steps (G3, G4, G6 to G10)."""
    return walk_fault(position, cells) == ""


def walk_fault(position: Position, cells: Sequence[str]) -> str:
    """The first thing wrong with a walk, or "" (G3, G4, G6 to G10).

    `cells` begins with the cell of the piece and goes on with each cell stepped on, "goal" last if
    the goal is entered. A walk that stops on a piece replaces it.
    """
    if position.stage != "move":
        return f"nothing walks in stage {position.stage}"
    if not cells:
        return "a walk begins with the cell of the piece"
    fault = _step_fault(position, cells)
    if fault:
        return fault
    # G3 and G4: every row nearer to the player's home must be empty or blocked.
    nearer = "123456" if position.side == "S" else "654321"
    for number in nearer[: nearer.index(cells[0][1])]:
        for column, digit in zip("abcdef", position.rows[int(number) - 1], strict=True):
            if digit != "0" and _can_walk(position, column + number, int(digit)):
                return f"{column}{number} can move and is nearer"
    return ""


def _step_fault(position: Position, cells: Sequence[str]) -> str:
    """The first step that breaks a rule, or "", whatever row the piece is on (G6 to G10)."""
    pieces = {
        column + str(number): int(digit)
        for number, row in enumerate(position.rows, start=1)
        for column, digit in zip("abcdef", row, strict=True)
        if digit != "0"
    }
    rings = pieces.pop(cells[0], 0)  # G6: its cell counts as empty from now on
    if not rings:
        return f"there is no piece on {cells[0]!r}"
    count = rings
    used: set[frozenset[str]] = set()
    for number, (here, there) in enumerate(pairwise(cells), start=1):
        if number > 1 and count > 0 and here in pieces:
            return f"step {number} passes over the piece on {here}"  # G6
        if count == 0:
            if here not in pieces:
                return f"step {number} goes on after the move has ended on {here}"  # G7
            count = pieces[here]  # G8
        count -= 1
        if there == "goal":
            if here[1] != ("6" if position.side == "S" else "1"):
                return f"step {number} enters the goal from {here}"  # G10
            if count > 0 or number < len(cells) - 1:
                return f"step {number} would pass through the goal"  # G10
            continue
        if not re.fullmatch("[a-f][1-6]", there):
            return f"step {number} leads off the board to {there!r}"
        across = abs(ord(here[0]) - ord(there[0]))
        along = abs(ord(here[1]) - ord(there[1]))
        if across + along != 1:
            return f"step {number} from {here} to {there} is not one orthogonal step"  # G6
        segment = frozenset((here, there))
        if segment in used:
            return f"step {number} uses {here} to {there} a second time"  # G9
        used.add(segment)
    if count > 0:
        return f"the count is {count} short"
    return ""


def _can_walk(position: Position, cell: str, rings: int) -> bool:
    """Whether the piece can finish its own count, with every path of that length tried (G4).

    Bounces do not come into it, since a piece that could bounce can also replace (G8).
    """
    return any(_step_fault(position, path) == "" for path in _paths(cell, rings))


def _paths(cell: str, length: int) -> Iterator[list[str]]:
    """Every run of so many steps from the cell, good and bad, also into the goal (G4, G6, G10)."""
    for directions in product([(1, 0), (0, 1), (-1, 0), (0, -1)], repeat=length):
        path = _follow(cell, directions)
        yield path
        yield [*path[:-1], "goal"]


def _follow(cell: str, directions: Iterable[tuple[int, int]]) -> list[str]:
    """The cells met on going that way, off the board as well (G6)."""
    path = [cell]
    for across, along in directions:
        here = path[-1]
        path.append(chr(ord(here[0]) + across) + chr(ord(here[1]) + along))
    return path
