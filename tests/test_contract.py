"""The contract between a game and the kernels: its types, its limits, and what compiled code is."""

from __future__ import annotations

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludarium
from ludarium.core import jit, registry
from ludarium.core.game import game_type, kernels_for
from ludarium.core.limits import REQUIRED, check_modules, check_sizes

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "envs" / "ludarium"
GAMES = ludarium.list_games()
OURS = [name for name in GAMES if game_type(name).package.startswith("ludarium.")]
TEMPLATES = [
    "ludarium.core.kernels",
    "ludarium.agents.turn_kernels",
    "ludarium.agents.mcts_kernels",
    "ludarium.agents.alphabeta_kernels",
    "ludarium.agents.alphazero_kernels",
    "ludarium.single_agent.learner_kernels",
]


def imported(path: Path) -> set[str]:
    """Return the modules of ludarium.core that a file imports when it runs."""
    found = set()
    for block in ast.parse(path.read_text("utf-8")).body:
        if isinstance(block, ast.ImportFrom) and (block.module or "").startswith("ludarium.core"):
            found.add(block.module or "")
    return found


# ---------------------------------------------------------------- types

PLANTED = {
    "core/kernels.py": ("rules.legal(", '"Rules" has no attribute'),
    "agents/turn_kernels.py": ("rules.apply(", '"Rules" has no attribute'),
    "agents/mcts_kernels.py": ("rules.nth_action(", '"Rules" has no attribute'),
    "agents/alphabeta_kernels.py": ("mcts.find_winning(", "Module has no attribute"),
    "agents/alphazero_kernels.py": ("kernels.update_terminal(", "Module has no attribute"),
    "single_agent/learner_kernels.py": ("observation.observe(", '"Observation" has no attribute'),
}


def test_a_misspelt_kernel_is_a_type_error(tmp_path: Path) -> None:
    """Mypy reads every template with the project's own settings, and the games' modules as well."""
    copy = tmp_path / "envs" / "ludarium"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, (call, _) in PLANTED.items():
        text = (copy / name).read_text("utf-8")
        assert call in text, f"{name} does not call {call}"
        (copy / name).write_text(text.replace(call, call.replace("(", "_misspelt("), 1), "utf-8")
    keeps = "".join(
        f"from ludarium.games.{game} import {part} as {game}_{part}\n"
        f"_{game}_{part}: contract.{part.title()} = {game}_{part}\n"
        for game in OURS
        for part in ("rules", "observation", "actions", "notation", "symmetry")
    )
    (copy / "keeps.py").write_text(f"from ludarium.core import contract\n{keeps}", "utf-8")
    files = [str(copy / name) for name in [*PLANTED, "keeps.py"]]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), *files],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": "envs", "PYTHONPATH": ""},
        check=False,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    lines = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert len(lines) == len(PLANTED), result.stdout
    for name, (_, message) in PLANTED.items():
        assert any(name in line and message in line and "misspelt" in line for line in lines), name


def test_what_is_required_is_what_the_contract_says() -> None:
    """The table that is checked at run time has the names of the stub, in its order."""
    stub = ast.parse((PACKAGE / "core" / "contract.pyi").read_text("utf-8"))
    classes = {block.name: block for block in stub.body if isinstance(block, ast.ClassDef)}
    for part, names in REQUIRED.items():
        methods = [line for line in classes[part.title()].body if isinstance(line, ast.FunctionDef)]
        assert names == tuple(method.name for method in methods)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_says_so_when_it_is_imported(template: str) -> None:
    with pytest.raises(ImportError, match=r"is a template: .*kernels_for"):
        importlib.import_module(template)
    assert template not in sys.modules


def test_all_templates_are_listed() -> None:
    files = {PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in TEMPLATES}
    assert files == set(PACKAGE.rglob("*kernels.py"))


def test_kernels_of_an_unknown_template() -> None:
    with pytest.raises(ValueError, match=r"no module 'ludarium\.agents\.nothing_kernels'"):
        kernels_for(game_type(GAMES[0]), "ludarium.agents.nothing_kernels")


def test_kernels_are_made_once() -> None:
    kind = game_type(GAMES[0])
    kernels = kernels_for(kind, "ludarium.agents.alphabeta_kernels")
    assert kernels.mcts is kernels_for(kind, "ludarium.agents.mcts_kernels")
    assert kernels.kernels is kind.kernels is kernels_for(kind, "ludarium.core.kernels")


# ---------------------------------------------------------------- limits


def modules(**changes: Any) -> tuple[Any, Any]:
    """Return a game's modules with other values; None removes a name."""
    kind = game_type(GAMES[0])
    pair = [types.SimpleNamespace(**vars(module)) for module in (kind.rules, kind.observation)]
    for name, value in changes.items():
        part = pair[name in REQUIRED["observation"]]
        if value is None:
            delattr(part, name)
        else:
            setattr(part, name, value)
    return pair[0], pair[1]


@pytest.mark.parametrize("name", [*REQUIRED["rules"], *REQUIRED["observation"]])
def test_a_game_without_a_name_is_refused(name: str) -> None:
    part = "rules" if name in REQUIRED["rules"] else "observation"
    with pytest.raises(ValueError, match=rf"game 'nim': {part}\.py does not define {name}$"):
        check_modules("nim", *modules(**{name: None}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ACTIONS_PER_TURN": 3}, r"rules\.ACTIONS_PER_TURN is 3; allowed is an int, 1 to 2$"),
        ({"ACTIONS_PER_TURN": 0}, r"rules\.ACTIONS_PER_TURN is 0; allowed is an int, 1 to 2$"),
        ({"ACTIONS_PER_TURN": True}, r"rules\.ACTIONS_PER_TURN is True; allowed is an int"),
        ({"MAX_ACTIONS": 0}, r"rules\.MAX_ACTIONS is 0; allowed is an int, 1 to 1000000$"),
        ({"MAX_ACTIONS": 1.5}, r"rules\.MAX_ACTIONS is 1\.5; allowed is an int"),
        ({"MAX_ACTIONS": 2**31}, r"rules\.MAX_ACTIONS is 2147483648; allowed is an int"),
        ({"SCRATCH_SIZE": -1}, r"rules\.SCRATCH_SIZE is -1; allowed is an int, 1 to"),
        ({"PHASES": ()}, r"number of rules\.PHASES is 0; allowed is an int, 1 to 16$"),
        (
            {"PHASES": tuple(map(str, range(17)))},
            r"number of rules\.PHASES is 17; allowed is an int, 1 to 16$",
        ),
        ({"PHASES": ("a", "a")}, r"rules\.PHASES is \('a', 'a'\); allowed are distinct words$"),
        ({"PHASES": (1,)}, r"rules\.PHASES is \(1,\); allowed are distinct words$"),
        ({"PLANES": (1,)}, r"observation\.PLANES is not a sequence of names$"),
    ],
)
def test_limits_of_a_game(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"game 'nim': .*{message}"):
        check_modules("nim", *modules(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_actions": 0}, r"num_actions\(\) is 0; allowed is an int, 1 to 1000000$"),
        ({"num_actions": 10**7}, r"num_actions\(\) is 10000000; allowed is an int"),
        ({"shape": (3, 3)}, r"observation is \(3, 3\); allowed is \(H, W, C\), C being 2"),
        ({"shape": (3, 3, 3)}, r"observation is \(3, 3, 3\); allowed is \(H, W, C\), C being 2"),
        ({"shape": (0, 3, 2)}, r"observation is \(0, 3, 2\); allowed is"),
        ({"blank": [0] * 9}, r"blank_state\(\) returned \[0.*\]; allowed is an int64 or uint64"),
        ({"blank": np.zeros((3, 3), np.int64)}, r"returned int64 \[3, 3\]; allowed is an int64"),
        ({"blank": np.zeros(9, np.float64)}, r"returned float64 \[9\]; allowed is an int64"),
        ({"blank": np.zeros(3, np.int64)}, r"rules\.MAX_TURNS is 3; allowed is an int, 0 to 2$"),
        ({"blank": np.zeros(9, np.int64)}, r"has 0 at rules\.MAX_TURNS; the option .* is 7$"),
    ],
)
def test_sizes_of_a_game(changes: dict[str, Any], message: str) -> None:
    rules: Any = types.SimpleNamespace(PLAYER=0, TURN=1, STATUS=2, MAX_TURNS=3)
    blank = np.array([0, 0, 0, 7, 0], np.int64)
    sizes: dict[str, Any] = {"blank": blank, "num_actions": 9, "shape": (3, 3, 2)}
    check_sizes("nim", rules, planes=("a", "b"), options={"max_turns": 7}, **sizes)
    with pytest.raises(ValueError, match=f"game 'nim': .*{message}"):
        sizes |= changes
        check_sizes("nim", rules, planes=("a", "b"), options={"max_turns": 7}, **sizes)


LONG_TURNS = """
import ludarium
from long_turns import GAME
state = GAME.load().new_initial_state()
print(ludarium.perft(state, 0))
try:
    ludarium.perft(state, 1)
except ValueError as error:
    print(error)
"""


def test_perft_refuses_longer_turns_than_declared(tmp_path: Path) -> None:
    """Its arrays have room for the declared number of actions; compiled code checks no bounds.

    The game is a copy of ours that completes a turn with every third action.
    """
    name = min(OURS, key=lambda name: game_type(name).rules.ACTIONS_PER_TURN)
    old, new = game_type(name).package, tmp_path / "long_turns"
    shutil.copytree(PACKAGE / "games" / name, new, ignore=shutil.ignore_patterns("__pycache__"))
    for path in new.glob("*.py"):
        text = path.read_text("utf-8").replace(old, "long_turns")
        if path.name == "rules.py":
            assert "\nSTATE_SIZE = 9\n" in text and "    state[TURN] += ONE\n" in text
            text = text.replace("\nSTATE_SIZE = 9\n", "\nSTATE_SIZE = 10\n")
            text = text.replace(
                "    state[TURN] += ONE\n",
                "    state[9] += ONE\n    state[TURN] = state[9] // U(3)\n",
            )
        path.write_text(text, "utf-8")
    result = subprocess.run(
        [sys.executable, "-c", LONG_TURNS],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=False,
    )
    message = f"a turn of {name} has more actions than rules.ACTIONS_PER_TURN, 1"
    assert result.stdout.splitlines() == ["1", message], result.stderr


# ---------------------------------------------------------------- shared sources

BITS = """
import json
import numpy as np
from ludarium.core.bits import (
    U, below, count, lowest, reverse, store8, store_cells, times, zeros_above,
)
from numba import njit

@njit
def results(x, y, rng, cells):
    store8(cells, 1, x)
    store_cells(cells, 9, U(3), U(0), x, y, x >> U(9), y >> U(5), x)
    store_cells(cells, 137, U(13), ~U(0), y, x, x >> U(7), y >> U(5), y)
    return lowest(x), count(x), zeros_above(x), reverse(x), times(x, y), below(rng, 1000)

@njit
def signed(x):
    return lowest(x), count(x)

found = []
for x in (1, 2**63, 2**64 - 1, 0x123456789ABCDEF0, 3 << 40):
    rng, cells = np.array([x], np.uint64), np.zeros(265, np.int8)
    found.append([int(n) for n in results(U(x), U(2**64 - 3), rng, cells)])
    found.append([int(rng[0]), *cells.tolist()])
    half = np.int64(x >> 1 | 1)
    found.append([int(n) for n in signed(half)])
print(json.dumps(found))
"""


def test_bits_are_the_same_without_a_compiler(tmp_path: Path) -> None:
    answers = []
    for off in ("0", "1"):
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", BITS],
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            check=False,
        )
        assert result.returncode == 0, result.stderr
        answers.append(json.loads(result.stdout))
    assert answers[0] == answers[1]
    assert answers[0][0][:4] == [0, 1, 63, 1 << 63]


def test_the_digest_covers_what_all_kernels_share() -> None:
    """Whatever of core a game's jitted modules or a template import is in the digest."""
    known = {f"ludarium.core.{path.stem}" for path in jit.SHARED_SOURCES}
    assert all(path.is_file() for path in jit.SHARED_SOURCES)
    for template in TEMPLATES:
        path = PACKAGE.parent.joinpath(*template.split(".")).with_suffix(".py")
        assert imported(path) <= known, template
    for name in OURS:
        for path in (PACKAGE / "games" / name).glob("*.py"):
            if "@njit(**JIT)" in path.read_text("utf-8"):
                assert imported(path) <= known, path


@pytest.mark.parametrize("edited", ["bits.py", "status.py", "jit.py"])
def test_an_edit_of_a_shared_source_is_seen(
    edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba

    monkeypatch.setenv("LUDARIUM_CACHE_DIR", str(tmp_path / "cache"))
    copies = [Path(shutil.copy(path, tmp_path)) for path in jit.SHARED_SOURCES]
    monkeypatch.setattr(jit, "SHARED_SOURCES", copies)
    folders = []
    for edit in ("", "", "# an edit\n"):
        with (tmp_path / edited).open("a") as file:
            file.write(edit)
        with jit.cache_folder(game_type(GAMES[0]).package):
            folders.append(numba.config.CACHE_DIR)
    assert folders[0] == folders[1] != folders[2]


# ---------------------------------------------------------------- names of games and agents


class _Distribution:
    def __init__(self, name: str) -> None:
        self.name = name


def point(name: str, value: str, group: str, package: str) -> EntryPoint:
    """Return an entry point of an installed package."""
    made = EntryPoint(name, value, group)
    vars(made)["dist"] = _Distribution(package)
    return made


@pytest.mark.parametrize(
    ("group", "cached", "ask"),
    [
        (registry.GAMES, registry._entry_points, ludarium.list_games),
        (registry.GAMES, registry._entry_points, lambda: ludarium.load_game("nim")),
        (registry.AGENTS, registry._agent_points, registry.list_agents),
        (registry.AGENTS, registry._agent_points, lambda: registry.find_agent("nim")),
    ],
)
def test_two_packages_with_one_name(
    group: str, cached: Any, ask: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither hides the other: the error names both packages."""
    both = [
        point("nim", "one_games.nim:GAME", group, "one-games"),
        point("nim", "more_games.nim:GAME", group, "more-games"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: both)
    cached.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"'nim'.*more-games .*one-games .*uninstall"):
            ask()
    finally:
        monkeypatch.undo()
        cached.cache_clear()


def test_one_package_that_is_found_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """An editable install beside its metadata in a folder is no conflict."""
    twice = [point("nim", "games.nim:GAME", registry.GAMES, "games") for _ in range(2)]
    monkeypatch.setattr(registry, "entry_points", lambda group: twice)
    registry._entry_points.cache_clear()
    try:
        assert registry.list_games() == ["nim"]
    finally:
        monkeypatch.undo()
        registry._entry_points.cache_clear()
