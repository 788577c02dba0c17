"""Results as tables for the terminal and in Markdown, and facts about the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.table import Table

from ludarium.bench.rows import Row


def machine() -> dict[str, Any]:
    """Return the facts that figures depend on: processor, cores, system and versions."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = lines[0].partition(":")[2].strip() if lines else processor
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("ludarium", "numba", "numpy", "pettingzoo")},
    }


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratios(rows: Iterable[Row]) -> list[tuple[str, float]]:
    """Return quotients of rows of the same run, those against the fastest peers first.

    The speed of each game is divided by that of other libraries, and that of a batch by its limit.
    """
    rows = list(rows)
    quotients: list[tuple[str, float]] = []
    for place in range(len(rows)):  # of a peer among those of its group, the fastest first
        for group in ("vector", "aec", "search"):
            peers = [row for row in rows if row.group == "peers" and row.against == group]
            peers.sort(key=lambda row: -row.value)
            for row in rows:
                if place < len(peers) and row.group == group and row.unit == peers[place].unit:
                    title = f"{row.subject}, {group} / {peers[place].subject}"
                    quotients.append((title, row.value / peers[place].value))
    limits = {row.subject: row.value for row in rows if row.group == "limit"}
    quotients += [
        (f"{row.subject}, vector / limit", row.value / limits[row.subject])
        for row in rows
        if row.group == "vector" and row.subject in limits
    ]
    return quotients


def notes(rows: Iterable[Row]) -> list[str]:
    """Return a line for each row that has a note: what it writes, how simple its game is."""
    return [f"{row.subject}: {row.note}" for row in rows if row.note]


def _cells(row: Row) -> tuple[str, ...]:
    bar = "" if row.bar is None else f"{'>=' if row.more else '<='} {_number(row.bar)}"
    if row.aim is not None:
        bar += f", aim {_number(row.aim)}"
    met = {None: "", True: "yes", False: "NO"}[row.met]
    return row.group, row.subject, _number(row.value), row.unit, bar, met


def as_table(rows: Iterable[Row], facts: Mapping[str, Any]) -> Table:
    """Return a table for the terminal."""
    rows = list(rows)
    caption = ", ".join(f"{key} {value}" for key, value in facts.items())
    caption = "\n".join([*notes(rows), caption])
    table = Table("row", "of", "median", "unit", "bar", "met", title="Benchmark", caption=caption)
    for row in rows:
        table.add_row(*_cells(row), style="red" if row.met is False else None)
    for title, ratio in ratios(rows):
        table.add_row("ratio", title, _number(ratio), "times", "", "")
    return table


def as_markdown(rows: Iterable[Row], facts: Mapping[str, Any]) -> str:
    """Return the table in Markdown, for README files."""
    rows = list(rows)
    lines = ["| row | of | median | unit | bar | met |", "|---|---|---:|---|---|---|"]
    lines += [f"| {' | '.join(_cells(row))} |" for row in rows]
    lines += [
        f"| ratio | {title} | {_number(ratio)} | times | | |" for title, ratio in ratios(rows)
    ]
    described = ", ".join(f"{key} {value}" for key, value in facts.items())
    explained = [f"- {note}" for note in notes(rows)]
    if explained:
        explained.append("")
    return "\n".join([*lines, "", *explained, f"Measured on: {described}.", ""])
