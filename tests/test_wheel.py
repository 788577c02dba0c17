"""The wheel in clean environments, tried from another folder, with the lines of the README."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
import readme

import ludarium

ROOT = Path(__file__).parent.parent


def run(command: Sequence[str | Path], folder: Path) -> str:
    """Run a command in a folder that is not the project's; returns what it prints."""
    hidden = ("PYTHONPATH", "NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    result = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder, ROOT], folder)
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path, *constraints: str) -> Path:
    """Install the wheel alone into a new environment; returns its folder of commands."""
    venv.create(folder / "venv", with_pip=True)
    commands = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    run([commands / "python", "-m", "pip", "install", "--quiet", wheel, *constraints], folder)
    return commands


TRY = """
import ludarium, numpy as np
for name in ludarium.list_games():
    env = ludarium.make(name, render_mode="rgb_array", render_size=128)
    env.reset(seed=1)
    for agent in env.agent_iter(40):
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    assert env.render().dtype == np.uint8
    batch = ludarium.make_vec(name, num_envs=3)
    batch.reset()
    batch.step(batch.sample_actions())
    print(name, ludarium.perft(ludarium.load_game(name).new_initial_state(1), 1))
"""


def check(commands: Path, folder: Path) -> None:
    """Try an installation: every game, and the command."""
    printed = run([commands / "python", "-W", "error", "-c", TRY], folder)
    assert [line.split()[0] for line in printed.splitlines()] == ludarium.list_games()
    for line in readme.python_lines():
        run([commands / "python", "-W", "error", "-c", line], folder)
    assert "perft" in run([commands / "ludarium", "--help"], folder)
    for name in ludarium.list_games():
        assert name in run([commands / "ludarium", "list"], folder)


def check_readme(commands: Path, folder: Path) -> None:
    """Paste every line of the README that needs no extra."""
    for code in readme.programs():
        run([commands / "python", "-W", "error", "-c", code], folder)
    for words in readme.commands():
        run([commands / "ludarium", *words], folder)


def test_wheel_holds_what_is_needed_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for name in ludarium.list_games():
        assert f"ludarium/games/{name}/RULES.md" in names
    assert "ludarium/py.typed" in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"ludarium", next(t for t in tops if t.endswith(".dist-info"))}
    assert not [name for name in names if "__pycache__" in name or "test" in name]


def test_clean_environment(wheel: Path, tmp_path: Path) -> None:
    """The newest of everything, and the base install only."""
    commands = install(wheel, tmp_path)
    check(commands, tmp_path)
    check_readme(commands, tmp_path)
    heavy = "import importlib.util as u; print([m for m in ('torch', 'pygame') if u.find_spec(m)])"
    assert run([commands / "python", "-c", heavy], tmp_path).strip() == "[]"


def test_lowest_versions(wheel: Path, tmp_path: Path) -> None:
    """The lowest version of each dependency that pyproject.toml allows on this Python."""
    commands = install(wheel, tmp_path, "--constraint", str(ROOT / ".ci" / "lowest.txt"))
    check(commands, tmp_path)
