"""Pointing: where on a game's picture an action is, and which target a person has pointed at.

Knows no game. A game that can be played by pointing has a module `pointing.py` with these:

    def clicks(state): for each legal action the targets to click, in order; none for a pass
    def prompt(state, chosen): what to click next, in words

Targets are in the units of the game's canvas, (0, 0) being the upper left corner of the picture, so
that marks can be painted with the canvas as they are. How many pixels a unit has depends on the
size of the picture, the caption below it included: `Layout` knows.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from PIL import Image

from ludarium.drawing.canvas import Board
from ludarium.drawing.shapes import Point, Shapes
from ludarium.drawing.themes import THEMES

if TYPE_CHECKING:
    from ludarium.core.game import Game
    from ludarium.core.state import State

ClickPath: TypeAlias = "tuple[Target, ...]"


class Target(NamedTuple):
    """An area to click, in the units of the canvas.

    Attributes:
        x: of its middle.
        y: of its middle.
        wide: how far it reaches to the left and to the right.
        high: how far it reaches up and down.
        round: whether it is an ellipse, else it is a rectangle.
        layer: of targets that overlap the one with the larger number is on top; among equals the
            nearer one is meant.
        label: what is written on it once it is chosen. Targets of one action that follow each other
            and have the same label, not empty, may be clicked in any order.
    """

    x: float
    y: float
    wide: float
    high: float
    round: bool = True
    layer: int = 0
    label: str = ""

    def away(self, x: float, y: float) -> float:
        """Return how far a point is from the middle: 1 at the edge, more outside."""
        u, v = abs(x - self.x) / self.wide, abs(y - self.y) / self.high
        return math.hypot(u, v) if self.round else max(u, v)


def check_can_be_pointed_at(game: Game) -> None:
    """Raise ValueError unless a game has the module that pointing needs."""
    if importlib.util.find_spec(f"{game.type.package}.pointing") is None:
        raise ValueError(f"{game.name} cannot be played by mouse: it has no pointing.py")


def clicks(state: State) -> dict[int, ClickPath]:
    """Return for each legal action of a state the targets to click, in order.

    No action's targets are the beginning of another's; that of a pass are none at all.

    Raises:
        ValueError: The game cannot be played by pointing.
    """
    check_can_be_pointed_at(state.game)
    found: dict[int, ClickPath] = state.game.type.submodule("pointing").clicks(state)
    return found


def prompt(state: State, chosen: ClickPath = ()) -> str:
    """Return in words what to click next in a running state, after some targets of an action."""
    text: str = state.game.type.submodule("pointing").prompt(state, chosen)
    return text


def orders(path: ClickPath) -> Iterator[ClickPath]:
    """Yield each order in which the targets of an action may be clicked."""
    groups = [list(group) for _, group in itertools.groupby(path, lambda target: target.label)]
    paths = [itertools.permutations(g) if g[0].label else iter([tuple(g)]) for g in groups]
    for parts in itertools.product(*paths):
        yield tuple(itertools.chain.from_iterable(parts))


def hit(targets: Iterable[Target], x: float, y: float) -> Target | None:
    """Return the target that a point means, None where there is none."""
    over = [target for target in targets if target.away(x, y) <= 1]
    nearest = sorted(over, key=lambda p: (-p.layer, math.hypot(x - p.x, y - p.y)))
    return nearest[0] if nearest else None


class Layout:
    """Where the board is in a picture of a game with a longer side of `size` pixels.

    Attributes:
        width: of the picture in pixels.
        height: of the picture in pixels, the caption included.
        scale: pixels in a unit.
    """

    def __init__(self, game: Game, size: int) -> None:
        board: Board = game.type.submodule("render").board_of(game.new_initial_state(0))
        shapes = Shapes(board.width, board.height, size, THEMES["light"], Image.new("1", (1, 1)))
        self.height, self.width = shapes.shape
        self.scale = shapes.scale
        self._shapes = shapes

    def to_pixels(self, x: float, y: float) -> Point:
        """Return where a point in units is in the picture, (x, y) in pixels."""
        return self._shapes.to_pixels(x, y)

    def to_units(self, x: float, y: float) -> Point:
        """Return which point in units a pixel shows."""
        return self._shapes.to_units(x, y)
