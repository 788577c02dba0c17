"""Episodes as a self-contained page of HTML to step through, without network or other files.

Each position is drawn as SVG in both themes. The two differ only in colours, which become variables
of the page. The page holds the board, and each shape that several positions share, once. Both sides
of the board are drawn, so that a reader can turn it: that adds about as much again to what the
positions of a game take, and letters and shadows stay upright.
"""

from __future__ import annotations

import html
import json
import string
from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING, Any, BinaryIO

from ludarium.core.game import game_type
from ludarium.drawing import pictures
from ludarium.drawing.svg import FONT, Element, SvgCanvas, start_svg
from ludarium.drawing.themes import THEMES, Colour
from ludarium.records.episode import AUTO
from ludarium.records.results import plain, result_of

if TYPE_CHECKING:
    from ludarium.records.episode import Episode
    from ludarium.records.game_record import GameRecord

FRAME = 620  # height of a page in a notebook, in pixels
SIZE = 512  # longer side in pixels for which lines and type are drawn; the page scales it
NAMED = (
    "background",
    "ink",
    "muted",
    "edge",
    "chosen",
)  # colours that the page itself uses
PREFIX = "part-"  # of the names of definitions

_Pair = tuple[Colour, ...]  # a colour in each theme


def write_html(file: BinaryIO, episode: Episode) -> None:
    """Write the page of an episode."""
    file.write(page(episode).encode())


def page(episode: Episode) -> str:
    """Return the page of an episode."""
    record, last = episode.record, episode.states[-1]
    title = last.game.type.title
    names = [plain(name) for name in record.players]
    drawing = _Drawing(episode)
    turns, status = _turns(episode)
    result = _result(episode)
    data = {
        "game": title,
        "frames": drawing.frames[0],
        "turned": drawing.frames[1],
        "ground": drawing.ground,
        "shapes": drawing.shapes,
        "addresses": _addresses(episode),
        "positions": [state.to_string() for state in episode.states],
        "status": status,
        "turns": turns,
        "players": names,
        "colours": [drawing.mover.get(player) for player in (0, 1)],
        "result": result,
    }
    players = "\n<span>against</span>\n".join(
        f'<div class="player">{_disc(drawing.mover.get(player))}{html.escape(name)}</div>'
        for player, name in enumerate(names)
    )
    height, width = drawing.size
    return string.Template(_text_of("replay.html")).substitute(
        theme="" if episode.theme == AUTO else f' data-theme="{episode.theme}"',
        style=_text_of("replay.css"),
        script=_text_of("replay.js"),
        title=html.escape(_title(record)),
        game=html.escape(title),
        players=players,
        result=html.escape(result),
        light=drawing.variables(0),
        dark=drawing.variables(1),
        font=FONT,
        width=width,
        height=height,
        definitions=drawing.definitions,
        ground=drawing.ground[0],
        first="".join(drawing.shapes[k] for k in drawing.frames[0][0]),
        status=html.escape(status[0]),
        position=html.escape(episode.states[0].to_string()),
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def frame_of(record: GameRecord) -> str:
    """Return the page of a record in an iframe, so that a notebook can hold several.

    A record that cannot be replayed here is shown as text, with the reason.
    """
    from ludarium.records.episode import episode_of

    try:
        text = page(episode_of(record))
    except ValueError as error:
        return f"<pre>{html.escape(f'{record!r}: {error}')}</pre>"
    return (
        f'<iframe sandbox="allow-scripts" loading="lazy" style="width: 100%; height: {FRAME}px; '
        f'border: 0" title="{html.escape(_title(record))}" srcdoc="{html.escape(text)}"></iframe>'
    )


def _text_of(name: str) -> str:
    """Return the text of a file that lies beside this module."""
    return resources.files("ludarium.records").joinpath(name).read_text("utf-8")


def _title(record: GameRecord) -> str:
    names = [plain(name) for name in record.players]
    return f"{game_type(record.game).title}: {names[0]} against {names[1]}"


def _disc(colour: str | None) -> str:
    return "" if colour is None else f'<i style="background: {colour}"></i>'


# ---------------------------------------------------------------- turns in text


def _turns(episode: Episode) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the list of turns, and a status line for each position."""
    turns: list[dict[str, Any]] = []
    first = episode.states[0].turn_number()
    status = [f"After turn {first}" if episode.skipped else "The first position"]
    count = episode.num_actions
    pairs = zip(episode.states, episode.texts[1:], strict=False)
    for frame, (before, text) in enumerate(pairs, 1):
        player = before.current_player()
        number = before.turn_number() + 1
        if text is None:  # states that do not follow from each other
            turns.append({"number": "", "player": None, "actions": [(frame, f"position {frame}")]})
            status.append(f"Position {frame} of {count}")
            continue
        if not turns or (turns[-1]["number"], turns[-1]["player"]) != (number, player):
            turns.append({"number": number, "player": player, "actions": []})
        turns[-1]["actions"].append((frame, text))
        who = plain(episode.record.players[player])
        status.append(
            f"Action {episode.skipped + frame} of {count}, turn {number}: {who} played {text}"
        )
    if len(status) > 1 or episode.ending is not None:
        status[-1] += f". {_result(episode)}"
    return turns, status


def _result(episode: Episode) -> str:
    """Return how the game ended, or where the page ends before it does."""
    if not episode.left_out:
        return result_of(episode.record, episode.states[-1])
    turns = episode.turn_numbers
    return f"The page ends after turn {turns.stop - 1}; the game goes on"


def _addresses(episode: Episode) -> list[str]:
    """Return for each position what stands after ``#`` in the page's address.

    ``turn=12`` is the position after turn 12, ``turn=13.1`` the one after the first action of turn
    13. States that do not follow from each other are numbered: ``position=3``.
    """
    addresses = []
    for state, last_turn in episode.positions:
        number, begun = state.turn_number(), last_turn.begun
        addresses.append(
            f"turn={number}" if begun is None else f"turn={number + 1}.{len(begun.actions)}"
        )
    if None in episode.texts[1:] or len(set(addresses)) < len(addresses):
        return [f"position={index}" for index in range(len(addresses))]
    return addresses


# ---------------------------------------------------------------- drawing in both themes


class _Drawing:
    """All pictures of an episode, decomposed into shapes.

    Attributes:
        frames: for each side of the board, first the one that is shown first, and each position
            the numbers of its shapes, in order.
        shapes: the text of each shape.
        ground: for each side the text of the board.
        definitions: definitions that shapes refer to.
        mover: colour of each player who is to move in some position.
        size: height and width of the pictures, in pixels.
    """

    def __init__(self, episode: Episode) -> None:
        self.frames: list[list[list[int]]] = []
        self.shapes: list[str] = []
        self.ground: list[str] = []
        self.mover: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._colours: dict[_Pair, int] = {}
        self._known: dict[str, list[str]] = {}
        turned = pictures.bottom_player(episode.states[0], episode.orientation) == 1
        for side in (turned, not turned):
            self._draw(episode, side)
        self.definitions = "".join(text for texts in self._known.values() for text in texts)

    def _draw(self, episode: Episode, turned: bool) -> None:
        """Draw all positions with a side of the board at the bottom."""
        board = episode.states[0].game.type.submodule("render").board_of(episode.states[0])
        bare = [start_svg(board, SIZE, theme, PREFIX, turned) for theme in THEMES]
        self.size = bare[0].shape
        self.ground.append("".join(self._merge([canvas.elements for canvas in bare])))
        self._define(bare)
        frames = []
        for index, (state, last_turn) in enumerate(episode.positions):
            ending = episode.ending if index == len(episode.positions) - 1 else None
            canvases = [
                pictures.draw_on(canvas.bare(), state, ending=ending, last_turn=last_turn)
                for canvas in bare
            ]
            self._define(canvases)
            elements = self._merge([canvas.elements for canvas in canvases])
            frames.append([self._number(text) for text in elements])
            colours = tuple(c.caption_colour for c in canvases if c.caption_colour is not None)
            if len(colours) == len(canvases) and not state.is_terminal():
                self.mover.setdefault(state.current_player(), self._variable(colours))
        self.frames.append(frames)

    def _define(self, canvases: list[SvgCanvas]) -> None:
        """Add the definitions of a picture in each theme to those that are known."""
        for name in canvases[0].definitions:
            if name not in self._known:
                self._known[name] = self._merge([canvas.definitions[name] for canvas in canvases])

    def _number(self, text: str) -> int:
        """Return the number of a shape, a new one if it has none yet."""
        number = self._numbers.setdefault(text, len(self.shapes))
        if number == len(self.shapes):
            self.shapes.append(text)
        return number

    def _variable(self, colours: _Pair) -> str:
        number = self._colours.setdefault(colours, len(self._colours))
        return f"var(--c{number})"

    def _merge(self, pictures: list[list[Element]]) -> list[str]:
        """Return the elements of a picture in each theme as those of one for both."""
        if len({tuple(element.template for element in found) for found in pictures}) != 1:
            raise ValueError("the pictures of a position differ in more than colours by theme")
        return [self._text(found) for found in zip(*pictures, strict=True)]

    def _text(self, found: tuple[Element, ...]) -> str:
        colours = zip(*(element.colours for element in found), strict=True)
        names = iter([self._variable(pair) for pair in colours])
        return found[0].text(lambda _: next(names))

    def variables(self, theme: int) -> str:
        """Return the colours of a theme as variables of the page."""
        names: Iterable[tuple[str, Colour]] = [
            *((name, getattr(list(THEMES.values())[theme], name)) for name in NAMED),
            *((f"c{number}", pair[theme]) for pair, number in self._colours.items()),
        ]
        return " ".join("--{}: #{:02x}{:02x}{:02x};".format(n, *colour) for n, colour in names)
