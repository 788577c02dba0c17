"""Pointing: where an action lies on a game's picture, and which target a person clicks.

The module is independent of any game. A game that can be played by pointing has a `pointing.py`:

    def clicks(state):         for each legal action the targets to click, in order; none: a pass
    def prompt(state, chosen): what to click next, in words
    def marks(state):          optional: the targets to mark in overlays where these are more

Targets are in the units of the game's canvas, (0, 0) being the upper left corner of the picture, so
that marks can be painted on the canvas without conversion. `Layout` converts units to pixels, which
depends on the size and the orientation of the picture and on the caption below it.
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
        x: horizontal position of the centre.
        y: vertical position of the centre.
        wide: half the width.
        high: half the height.
        round: True for an ellipse, False for a rectangle.
        layer: where targets overlap, the one with the larger number is hit; with equal numbers, the
            nearer one.
        label: text written on the target once it is chosen. Consecutive targets of an action that
            share a label, not empty, may be clicked in any order.
        lift: how far the target is drawn further up because it lies above the board.
    """

    x: float
    y: float
    wide: float
    high: float
    round: bool = True
    layer: int = 0
    label: str = ""
    lift: float = 0.0

    def away(self, x: float, y: float) -> float:
        """Return the distance of a point from the centre: 1 at the edge, more outside."""
        u, v = abs(x - self.x) / self.wide, abs(y - self.y) / self.high
        return math.hypot(u, v) if self.round else max(u, v)


def check_can_be_pointed_at(game: Game) -> None:
    """Raise ValueError unless a game has the module that pointing needs."""
    if importlib.util.find_spec(f"{game.type.package}.pointing") is None:
        raise ValueError(f"{game.name} cannot be played by mouse: it has no pointing.py")


def clicks(state: State, turned: bool = False) -> dict[int, ClickPath]:
    """Return for each legal action of a state the targets to click, in order.

    The targets of one action are never the beginning of those of another; a pass has none.

    Args:
        state: the position.
        turned: whether the board is turned by 180 degrees, where what is lifted lies elsewhere in
            units of the canvas, so that it is further up in the picture again.

    Raises:
        ValueError: The game cannot be played by pointing.
    """
    return _paths(state, "clicks", turned)


def marks(state: State, turned: bool = False) -> dict[int, ClickPath]:
    """Return for each legal action the targets that an overlay marks.

    They are those of `clicks` unless the game's `pointing.py` has a function `marks`, for actions
    that are chosen by fewer clicks than they have places. The arguments are as of `clicks`.
    """
    return _paths(state, "marks", turned)


def _paths(state: State, name: str, turned: bool) -> dict[int, ClickPath]:
    check_can_be_pointed_at(state.game)
    module = state.game.type.submodule("pointing")
    paths: dict[int, ClickPath] = getattr(module, name, module.clicks)(state)
    if turned:
        return {
            action: tuple(target._replace(y=target.y + 2 * target.lift) for target in path)
            for action, path in paths.items()
        }
    return paths


def prompt(state: State, chosen: ClickPath = ()) -> str:
    """Return in words what to click next in a running state, after the targets chosen so far."""
    text: str = state.game.type.submodule("pointing").prompt(state, chosen)
    return text


def orders(path: ClickPath) -> Iterator[ClickPath]:
    """Yield each order in which the targets of an action may be clicked.

    >>> a, b = Target(0, 0, 1, 1, label="1"), Target(2, 0, 1, 1, label="1")
    >>> [[target.x for target in order] for order in orders((a, b))]
    [[0, 2], [2, 0]]
    """
    groups = [list(group) for _, group in itertools.groupby(path, lambda target: target.label)]
    paths = [itertools.permutations(g) if g[0].label else iter([tuple(g)]) for g in groups]
    for parts in itertools.product(*paths):
        yield tuple(itertools.chain.from_iterable(parts))


def hit(targets: Iterable[Target], x: float, y: float) -> Target | None:
    """Return the target at a point, None where there is none.

    >>> hit([Target(0, 0, 1, 1), Target(3, 0, 1, 1)], 2.5, 0.5)
    Target(x=3, y=0, wide=1, high=1, round=True, layer=0, label='', lift=0.0)
    """
    over = [target for target in targets if target.away(x, y) <= 1]
    nearest = sorted(over, key=lambda p: (-p.layer, math.hypot(x - p.x, y - p.y)))
    return nearest[0] if nearest else None


class Layout:
    """The place of the board in a picture whose longer side has `size` pixels.

    Args:
        game: the game, whose options decide the size of the board.
        size: longer side of the picture, in pixels.
        turned: whether the board is turned by 180 degrees.

    Attributes:
        width: width of the picture, in pixels.
        height: height of the picture with its caption, in pixels.
        scale: pixels in a unit.
    """

    def __init__(self, game: Game, size: int, turned: bool = False) -> None:
        board: Board = game.type.submodule("render").board_of(game.new_initial_state(0))
        nothing = Image.new("1", (1, 1))
        shapes = Shapes(board.width, board.height, size, THEMES["light"], nothing, turned)
        self.height, self.width = shapes.shape
        self.scale = shapes.scale
        self._shapes = shapes

    def __repr__(self) -> str:
        return f"<Layout {self.width} x {self.height}, {self.scale:.1f} pixels per unit>"

    def to_pixels(self, x: float, y: float) -> Point:
        """Convert a point in units to (x, y) in pixels."""
        return self._shapes.to_pixels(x, y)

    def to_units(self, x: float, y: float) -> Point:
        """Convert a pixel to a point in units."""
        return self._shapes.to_units(x, y)
