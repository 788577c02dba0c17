"""Print the folders of the package, their floors, and every import between them.

    python tests/architecture.py

A folder imports only from lower floors. Every import counts: at the top of a module, inside a
function, for type checkers only, and a module that is named in a string. `test_package.py` holds
the package to this table.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "envs" / "ludarium"

#: The floor of each folder, and of the modules that stand beside them.
FLOORS = {
    "core": 1,
    "drawing": 2,
    "records": 3,
    "environments": 3,
    "games": 4,
    "agents": 4,
    "single_agent": 5,
    "play": 5,
    "arena": 6,
    "registration": 6,
    "wrappers": 7,
    "bench": 7,
    "cli": 8,
    "__main__": 9,
    "__init__": 9,
}

#: Files that may import each other: a game makes states, whose type is a game's; a record shows
#: itself in a notebook as the page of its episode.
CIRCLES = [
    {"core/game.py", "core/state.py"},
    {f"records/{name}.py" for name in ("episode", "game_record", "html", "replaying")},
]

_IN_A_STRING = re.compile(r"(ludarium(?:\.\w+)+)(?::\w+)?")


def modules() -> dict[str, Path]:
    """Return the full name and the file of each module of the package, types (.pyi) included."""
    found = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def place(path: Path) -> str:
    """Return the folder of a file, or the module's name where it stands beside the folders."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports(path: Path, name: str, known: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """Yield each module that a file imports or names in a string, with the number of the line."""
    tree = ast.parse(path.read_text("utf-8"))
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base] if base else up)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield (full if full in known else base), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = _IN_A_STRING.fullmatch(node.value)
            # the name of a package alone is a group of entry points too
            module = text and text[1] in known and known[text[1]].stem != "__init__"
            if text and module and id(node) not in prose:
                yield text[1], node.lineno


def arrows() -> dict[tuple[Path, Path], int]:
    """Return each import of a file of the package by another one, with the line of the first."""
    known = modules()
    found: dict[tuple[Path, Path], int] = {}
    for name, path in known.items():
        for target, line in imports(path, name, known):
            if target in known and known[target] != path:
                found.setdefault((path, known[target]), line)
    return found


def circles(edges: dict[tuple[Path, Path], int]) -> list[set[str]]:
    """Return the sets of files that import each other, directly or not (Tarjan 1972)."""
    after = defaultdict(list)
    for one, other in edges:
        after[one].append(other)
    index: dict[Path, int] = {}
    low: dict[Path, int] = {}
    stack: list[Path] = []
    found: list[set[str]] = []

    def visit(node: Path) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in after[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append({path.relative_to(PACKAGE).as_posix() for path in group})

    for node in list(after):
        if node not in index:
            visit(node)
    return found


def faults(edges: dict[tuple[Path, Path], int]) -> list[str]:
    """Return a line for each import that the table of floors forbids, and for each circle."""
    lines = []
    for (one, other), line in sorted(edges.items()):
        here, there = place(one), place(other)
        what = f"{one.relative_to(PACKAGE)}:{line} imports {other.relative_to(PACKAGE)}"
        for folder in (here, there):
            if folder not in FLOORS:
                lines.append(f"{what}: {folder} has no floor")
        if here != there and FLOORS.get(here, 0) <= FLOORS.get(there, 0):
            lines.append(f"{what}: floor {FLOORS.get(here)} from floor {FLOORS.get(there)}")
        if here == there == "games":
            games = [path.relative_to(PACKAGE / "games").parts[0] for path in (one, other)]
            if games[0] != games[1] and "__init__.py" not in games:
                lines.append(f"{what}: one game knows another")
    lines += [
        f"circle: {', '.join(sorted(group))}" for group in circles(edges) if group not in CIRCLES
    ]
    return lines


def main() -> int:
    """Print the table; returns 1 where an import breaks it."""
    edges = arrows()
    between: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    files: dict[str, int] = defaultdict(int)
    for path in modules().values():
        files[place(path)] += 1
    for one, other in edges:
        if place(one) != place(other):
            between[place(one)][place(other)] += 1
    for folder in sorted(files, key=lambda folder: (-FLOORS.get(folder, 0), folder)):
        below = sorted(between[folder].items(), key=lambda item: (-FLOORS.get(item[0], 0), item))
        targets = ", ".join(f"{target} ({count})" for target, count in below) or "nothing"
        print(
            f"floor {FLOORS.get(folder, '?')}  {folder:<13} {files[folder]:>3} files -> {targets}"
        )
    for group in circles(edges):
        print(f"circle of {' and '.join(sorted(group))}")
    bad = faults(edges)
    print("\n".join(bad) if bad else "every import goes down")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
