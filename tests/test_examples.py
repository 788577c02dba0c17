"""Every example runs as it stands, on every game, without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ludarium

ALL = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
# Those with higher numbers need other libraries: tests/interop runs them, `make test-interop`.
EXAMPLES = [path for path in ALL if int(path.stem[:2]) <= 20]

# Arguments that make an example short and keep its files in a folder of the test's.
QUICK = {
    "01_random_game": ["--seed", "3"],
    "02_action_mask": [],
    "03_render_gif": ["--size", "160", "--out", "game.gif"],
    "04_game_and_state": [],
    "05_vector_throughput": ["--num-envs", "64", "--seconds", "0.2"],
    "06_mcts_vs_alphabeta": ["--mcts", "mcts:50", "--alphabeta", "alphabeta:1", "--games", "2"],
    "07_tournament": ["--games", "2", "--out", "games.jsonl"],
    "08_your_own_agent": ["--games", "2"],
}


def quick(example: Path) -> list[str]:
    """Return the arguments for a short run: the later examples have one of their own."""
    return QUICK.get(example.stem, ["--smoke", "--out", "run"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example: Path, name: str, tmp_path: Path) -> None:
    if example.stem not in QUICK and name != ludarium.list_games()[-1]:
        return  # training is the same for every game, and takes its time
    command = [sys.executable, "-W", "error", str(example), "--game", name, *quick(example)]
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "DISPLAY": ""}
    )
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr, result.stderr
    assert result.stdout.strip()


def test_every_short_example_is_there() -> None:
    assert set(QUICK) <= {path.stem for path in EXAMPLES}


def test_every_other_example_is_run_by_a_test_of_its_library() -> None:
    here = Path(__file__).parent
    tests = [*(here / "interop").glob("test_*.py"), here / "test_alpha_zero_general.py"]
    run = "".join(path.read_text("utf-8") for path in tests)
    assert [path.stem for path in ALL if path not in EXAMPLES and path.stem not in run] == []


def test_the_gif_example_keeps_what_is_there(tmp_path: Path) -> None:
    kept = tmp_path / "game.gif"
    kept.write_text("mine")
    example = next(path for path in EXAMPLES if path.stem == "03_render_gif")
    command = [sys.executable, str(example), "--out", str(kept)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2 and "exists" in result.stderr
    assert kept.read_text() == "mine"


# the libraries that examples import beside those of the base install
OTHER_LIBRARIES = re.compile(
    r"^ *(?:import|from) (torch|ray|tianshou|tensordict|torchrl|agilerl|pyspiel|open_spiel|shimmy"
    r"|supersuit|sb3_contrib|stable_baselines3)\b",
    re.MULTILINE,
)
NEEDY = [path for path in ALL if OTHER_LIBRARIES.search(path.read_text("utf-8"))]


@pytest.mark.parametrize("example", NEEDY, ids=[path.stem for path in NEEDY])
def test_without_its_library_an_example_says_what_to_install(example: Path, tmp_path: Path) -> None:
    """In one line, whichever of its libraries is missing."""
    text = example.read_text("utf-8")
    missing = sorted(set(OTHER_LIBRARIES.findall(text)))
    blocked = f"sys.modules.update(dict.fromkeys({missing!r}))"
    code = f"import runpy, sys; {blocked}; runpy.run_path({str(example)!r})"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1 and "this example needs: pip install " in result.stderr
    if "[train]" in text:
        assert "'ludarium[train]', or in a clone '.[train]'" in result.stderr


@pytest.mark.parametrize(
    ("stem", "words", "message"),
    [
        ("10_sb3_maskable_ppo", ["--steps", "0"], "'0' is not an int >= 1"),
        ("11_sb3_self_play", ["--steps", "-5"], "'-5' is not an int >= 1"),
        ("12_selfplay_ppo_torch", ["--share", "2"], "'2' is not a number from 0 to 1"),
        ("12_selfplay_ppo_torch", ["--threads", "0"], "'0' is not an int >= 1"),
        ("12_selfplay_ppo_torch", ["--opponent", "nobody"], "no agent 'nobody'"),
        ("20_alphazero_torch", ["--simulations", "few"], "'few' is not an int >= 1"),
    ],
)
def test_nonsense_is_refused_before_a_folder_is_made(
    stem: str, words: list[str], message: str, tmp_path: Path
) -> None:
    example = next(path for path in EXAMPLES if path.stem == stem)
    command = [sys.executable, str(example), "--out", str(tmp_path / "run"), *words]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 2 and "Traceback" not in result.stderr
    assert message in result.stderr
    assert not (tmp_path / "run").exists()
