"""The code in the README, as its readers would paste it, for the tests that try it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)


def shell_lines() -> list[str]:
    """Return the commands of the shell blocks, without what follows a #; each may have lines."""
    joined = [re.sub(r"\\\n\s*", "", block) for block in blocks("bash")]
    lines = [line for block in joined for line in block.splitlines()]
    return [re.sub(r"\s+# .*", "", line) for line in lines]


def python_lines() -> list[str]:
    """Return the code of the lines ``python -c``."""
    found = [re.fullmatch(r'python -c "([^"]+)"', line) for line in shell_lines()]
    return [match[1] for match in found if match]


def spans(text: str = TEXT) -> list[str]:
    """Return what stands between backticks, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


def table(head: str) -> list[tuple[str, list[str]]]:
    """Return the first cell of each row of a table, and the code in the second cell."""
    lines = iter(TEXT.splitlines())
    assert any(line.startswith(f"| {head}") for line in lines), f"no table {head!r}"
    next(lines)
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        rows.append((cells[0], spans(cells[1])))
    return rows


def small(code: str) -> str:
    """Return code or a command with numbers that take seconds instead of minutes."""
    for pattern, number in (
        (r"(--games[ =])\d+", "2"),
        (r"(games=)\d+", "2"),
        (r"(num_envs=)\d+", "4"),
        (r"(mcts:)\d+", "8"),
        (r"(alphabeta:)\d+", "1"),
        (r"(--turns )\d+", "300"),
        (r"(--depth )\d+", "2"),
    ):
        code = re.sub(pattern, rf"\g<1>{number}", code)
    return code


def programs() -> list[str]:
    """Return the Python of the README for a base install, each a program of its own.

    These are its blocks, its lines ``python -c``, and the table of what to type.
    """
    typed = [
        f"import gymnasium, pettingzoo, ludarium\n{code}"
        for _, codes in table("you want")
        for code in codes
        if "(" in code
    ]
    return [small(code) for code in (*blocks("python"), *python_lines(), *typed)]


def commands() -> list[list[str]]:
    """Return the arguments of each command ``ludarium`` that a base install can run as it stands.

    Those that need a screen, a model, a cluster or a file of results are parsed only: ``--help``.
    """
    lines = [line for line in (*shell_lines(), *spans()) if re.match(r"ludarium [a-z-]", line)]
    found = []
    for line in dict.fromkeys(lines):
        words = shlex.split(small(line))[1:]
        if re.search(r"--window|FILE|model\.zip|--ray|^ludarium bench$", line):
            words.append("--help")
        found.append(words)
    return found
