"""The result of a tournament as tables for terminal and Markdown, CSV, JSON, and a picture."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from ludarium.arena.ratings import can_rate
from ludarium.arena.standings import ANCHOR, Standing, TournamentResult
from ludarium.core.errors import install

if TYPE_CHECKING:
    from rich.table import Table

# ---------------------------------------------------------------- contents of the tables

NO_RATING = f"ratings need choix: {install('arena')}"


def title_of(result: TournamentResult) -> str:
    """Return a one-line description of the tournament."""
    options = "".join(f", {name} {value}" for name, value in result.game.options.items())
    stop = ", stopped early where decided" if result.early_stop else ""
    odd = ", the first in the alphabet beginning once more" if result.rounds % 2 else ""
    plural = "" if result.rounds == 1 else "s"
    games = f"{result.rounds} game{plural} of each pair{odd}{stop}, seed {result.seed}"
    return f"{result.game.type.title}{options}: {games}"


def caption_of(result: TournamentResult) -> str:
    """Return a one-line explanation of the ratings."""
    if not can_rate():
        return NO_RATING
    rated, *others = result.groups
    zero = f"{ANCHOR} = 0" if ANCHOR in rated else "mean = 0"
    text = f"Elo scale, {zero}, with 95 % intervals; drawn and truncated games count half"
    if others:
        groups = "; ".join(", ".join(group) for group in others)
        text += f"; not rated, as no finished game connects them with the others: {groups}"
    return text


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def _rating(standing: Standing) -> tuple[str, str]:
    rating = standing.rating
    if rating is None:
        return "-", "-"
    if rating.low == rating.high:
        return f"{rating.value:.0f}", "anchor"
    return f"{rating.value:.0f}", f"{rating.low:.0f} to {rating.high:.0f}"


_COUNTS = ("games", "wins", "draws", "truncations", "losses")


def _rows(result: TournamentResult, times: bool) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table; columns of zeros only are left out."""
    standings = result.standings()
    head = ["player", "rating", "95 % range", "games", "wins", "draws", "truncated", "losses"]
    illegal, failed = (
        any(getattr(standing, name) for standing in standings) for name in ("illegal", "failures")
    )
    head += ["illegal"] * illegal + ["failed"] * failed + ["win rate", "95 % range"]
    head += ["ms per turn"] * times
    rows = []
    for standing in standings:
        row = [standing.name, *_rating(standing)]
        row += [str(getattr(standing, name)) for name in _COUNTS]
        row += [str(standing.illegal)] * illegal + [str(standing.failures)] * failed
        low, high = standing.interval
        row += [_percent(standing.win_rate), f"{100 * low:.1f}-{100 * high:.1f} %"]
        pace = standing.ms_per_turn
        row += ["-" if math.isnan(pace) else f"{pace:.3g}"] * times
        rows.append(row)
    return head, rows


def _cross(result: TournamentResult) -> tuple[list[str], list[list[float | None]]]:
    """Return the names in the order of the table, and the win rates of each pair."""
    names = [standing.name for standing in result.standings()]
    rates: list[list[float | None]] = []
    for a in names:
        found = [None if a == b else result.match(a, b).win_rate for b in names]
        rates.append([None if rate is None or math.isnan(rate) else rate for rate in found])
    return names, rates


def _short(rate: float | None) -> str:
    return "" if rate is None else f"{100 * rate:.0f}"


# ---------------------------------------------------------------- the terminal


def as_table(result: TournamentResult, times: bool = False) -> Table:
    """Return the table of players for the terminal.

    Args:
        result: the result of a tournament.
        times: whether to show the mean thinking times, which differ from run to run.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title_of(result)), caption=escape(caption_of(result)))
    head, rows = _rows(result, times)
    for name in head:
        table.add_column(name, justify="left" if name == "player" else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def as_cross_table(result: TournamentResult) -> Table:
    """Return the win rates of all pairs, in percent, of the row's player against the column's."""
    from rich.markup import escape
    from rich.table import Table

    names, rates = _cross(result)
    table = Table("win rate, %", title="the row against the column")
    for name in names:
        table.add_column(escape(name), justify="right")
    for name, row in zip(names, rates, strict=True):
        table.add_row(escape(name), *map(_short, row))
    return table


# ---------------------------------------------------------------- files


def to_markdown(result: TournamentResult, times: bool = False) -> str:
    """Return the table of players and the table of win rates as Markdown."""
    lines = [f"{title_of(result)}. {caption_of(result)}.", ""]
    lines += _markdown(*_rows(result, times))
    names, rates = _cross(result)
    cross = [[name, *map(_short, row)] for name, row in zip(names, rates, strict=True)]
    lines += ["", "Win rates in percent, the row against the column:", ""]
    return "\n".join([*lines, *_markdown(["", *names], cross), ""])


def _markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return lines + [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]


def _fields(standing: Standing, times: bool) -> dict[str, Any]:
    rating = standing.rating
    fields = {
        "player": standing.name,
        "rating": None if rating is None else round(rating.value, 1),
        "rating_low": None if rating is None else round(rating.low, 1),
        "rating_high": None if rating is None else round(rating.high, 1),
        **{name: getattr(standing, name) for name in (*_COUNTS, "illegal", "failures")},
        "win_rate": None if math.isnan(standing.win_rate) else round(standing.win_rate, 4),
        "win_rate_low": round(standing.interval[0], 4),
        "win_rate_high": round(standing.interval[1], 4),
    }
    if times:
        pace = standing.ms_per_turn
        fields["ms_per_turn"] = None if math.isnan(pace) else round(pace, 4)
    return fields


def to_csv(result: TournamentResult, times: bool = False) -> str:
    """Return the table of players as comma-separated values."""
    rows = [_fields(standing, times) for standing in result.standings()]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_json(result: TournamentResult, times: bool = False) -> str:
    """Return the settings, the table, the pairs and the failures as JSON."""
    pairs = []
    for i, a in enumerate(result.players):
        for b in result.players[i + 1 :]:
            match = result.match(a, b)
            counts = {name: getattr(match, name) for name in _COUNTS}
            pairs.append({"a": a, "b": b, **counts, "illegal": list(match.illegal_by)})
    fields = {
        "game": result.game.name,
        "version": result.game.version,
        "options": dict(result.game.options),
        "games": result.rounds,
        "seed": result.seed,
        "early_stop": result.early_stop,
        "standings": [_fields(standing, times) for standing in result.standings()],
        "pairs": pairs,
        "failures": [
            {"a": entry.a, "b": entry.b, "round": entry.round, "failure": entry.failure}
            for entry in result.failures
        ],
    }
    return json.dumps(fields, indent=2) + "\n"


# ---------------------------------------------------------------- a picture

CELL, EDGE, TYPE = 64, 16, 18  # sizes of a cell, the margin and the type, in pixels
_POOR, _EVEN, _GOOD = (205, 92, 66), (245, 243, 236), (62, 128, 168)
_INK, _GAP = (38, 38, 38), (226, 224, 216)


def draw_cross_table(result: TournamentResult) -> Any:
    """Return a picture of the win rates of all pairs, a `PIL.Image.Image`."""
    from PIL import Image, ImageDraw, ImageFont

    names, rates = _cross(result)
    font: Any = ImageFont.load_default(TYPE)
    left = EDGE + max(math.ceil(font.getlength(name)) for name in names) + EDGE // 2
    title = title_of(result)
    width = max(left + CELL * len(names), EDGE + math.ceil(font.getlength(title))) + EDGE
    top = EDGE + 2 * TYPE + left - EDGE
    image = Image.new("RGB", (width, top + CELL * len(names) + EDGE), (255, 255, 255))
    pen = ImageDraw.Draw(image)
    pen.text((EDGE, EDGE), title, _INK, font)
    for i, name in enumerate(names):
        middle = top + CELL * i + CELL // 2
        pen.text((left - EDGE // 2, middle), name, _INK, font, anchor="rm")
        label = Image.new("L", (left - EDGE, CELL), 0)  # of the column, written upwards
        ImageDraw.Draw(label).text((0, CELL // 2), name, 255, font, anchor="lm")
        upright = label.rotate(90, expand=True)
        image.paste(_INK, (left + CELL * i, top - upright.height - EDGE // 2), upright)
        for j, rate in enumerate(rates[i]):
            x, y = left + CELL * j, top + CELL * i
            pen.rectangle((x + 1, y + 1, x + CELL - 2, y + CELL - 2), _colour(rate))
            pen.text((x + CELL // 2, y + CELL // 2), _short(rate), _INK, font, anchor="mm")
    return image


def _colour(rate: float | None) -> tuple[int, int, int]:
    if rate is None:
        return _GAP
    end, part = (_GOOD, 2 * rate - 1) if rate > 0.5 else (_POOR, 1 - 2 * rate)
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(_EVEN, end, strict=True))
    return red, green, blue


def _write_picture(file: BinaryIO, result: TournamentResult, times: bool) -> None:
    draw_cross_table(result).save(file, format="PNG")


def _writer(to_text: Callable[[TournamentResult, bool], str]) -> Callable[..., None]:
    def write(file: BinaryIO, result: TournamentResult, times: bool) -> None:
        file.write(to_text(result, times).encode())

    return write


#: Suffix of a file's name -> the function that writes a result in that form.
WRITERS: dict[str, Callable[[BinaryIO, TournamentResult, bool], None]] = {
    ".csv": _writer(to_csv),
    ".json": _writer(to_json),
    ".md": _writer(to_markdown),
    ".png": _write_picture,
}
