"""Try Ludarium with other libraries: `make test-interop`. Standard library only.

Libraries that pin against each other live in environments of their own, built once each under
.venv-interop/. A row of the table below is one library: its tests are tests/interop/<file>, run by
pytest in the row's environment. A failed row does not stop the others; the exit status is 1 then.

python tests/interop/run.py --only OpenSpiel --write README.md
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".venv-interop"
LOGS = FOLDER / "logs"
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
MARK, END_MARK = "<!-- interop -->", "<!-- /interop -->"

BUILD_SECONDS, TEST_SECONDS = 900, 900  # after which a step is given up
TAIL = 40  # lines of a failed row's log that are shown


@dataclass(frozen=True)
class Row:
    """One library: its name for people, its distribution, its tests."""

    library: str
    distribution: str
    tests: str


@dataclass(frozen=True)
class Environment:
    """One virtual environment: extras of ours, other requirements, and what is tried in it."""

    extras: str
    requirements: tuple[str, ...]
    rows: tuple[Row, ...]
    torch: bool = True


ENVIRONMENTS = {
    "newest": Environment(
        extras="train",
        requirements=(
            "open_spiel>=1.6",
            "dm-tree",  # OpenSpiel's torch learners import it
            "shimmy>=2.0",
            "supersuit>=3.9",
            "tianshou>=2.0",
            "torchrl>=0.10",
        ),
        rows=(
            Row("PettingZoo", "pettingzoo", "test_pettingzoo.py"),
            Row("Gymnasium", "gymnasium", "test_gymnasium.py"),
            Row("OpenSpiel", "open_spiel", "test_openspiel.py"),
            Row("Shimmy", "shimmy", "test_shimmy.py"),
            Row("SuperSuit", "supersuit", "test_supersuit.py"),
            Row("Tianshou", "tianshou", "test_tianshou.py"),
            Row("TorchRL", "torchrl", "test_torchrl.py"),
        ),
    ),
    "ray": Environment(
        extras="ray",
        requirements=("ray[client,rllib]>=2.49",),
        rows=(Row("RLlib", "ray", "test_rllib.py"),),
    ),
    "agilerl": Environment(
        extras="",
        requirements=("agilerl>=2.4", "peft"),  # it cannot be imported without peft
        rows=(Row("AgileRL", "agilerl", "test_agilerl.py"),),
    ),
}


@dataclass
class Result:
    """What came of a row; `passed` decides the exit status."""

    library: str
    version: str = "-"
    checkers: str = "-"
    result: str = "no result"
    seconds: float = 0.0
    passed: bool = False


# ---------------------------------------------------------------- running commands


def say(text: str) -> None:
    """Print one line of progress at once."""
    print(text, flush=True)


def call(command: Sequence[str | Path], log: Path, seconds: int, **variables: str) -> int | None:
    """Run a command with its output added to a log; returns the exit status, None on a timeout.

    Whatever it started ends with it: its process group is killed.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [str(word) for word in command]
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(words)}\n")
        file.flush()
        child = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = child.wait(seconds)
        except subprocess.TimeoutExpired:
            file.write(f"\ngiven up after {seconds} seconds\n")
            status = None
        finally:
            _kill_group(child)
    return status


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing is left of it
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()


def show_tail(log: Path) -> None:
    """Print the last lines of a log."""
    lines = log.read_text("utf-8", errors="replace").splitlines()[-TAIL:]
    say("\n".join(f"    | {line}" for line in lines))


# ---------------------------------------------------------------- environments


def python_of(name: str) -> Path:
    """Return the interpreter of an environment."""
    return FOLDER / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def pip_variables() -> dict[str, str]:
    """Return what pip is told: the CPU build of torch, unless the caller has a constraint."""
    if "PIP_CONSTRAINT" in os.environ or not CONSTRAINTS.exists():
        return {}
    return {"PIP_CONSTRAINT": str(CONSTRAINTS)}


def fingerprint(environment: Environment) -> str:
    """Return what an environment was made from, as a hash."""
    constraint = Path(pip_variables().get("PIP_CONSTRAINT") or os.environ.get("PIP_CONSTRAINT", ""))
    parts = [
        sys.version,
        environment.extras,
        *environment.requirements,
        (ROOT / "pyproject.toml").read_text("utf-8"),
        constraint.read_text("utf-8") if constraint.is_file() else "",
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def build(name: str, environment: Environment) -> bool:
    """Make an environment unless it is there already; returns whether it is there now."""
    stamp = FOLDER / name / "stamp"
    wanted = fingerprint(environment)
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        say(f"{name}: as it was built before")
        return True
    log = LOGS / f"build-{name}.txt"
    log.unlink(missing_ok=True)
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    pip = [python_of(name), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    project = f".[{environment.extras}]" if environment.extras else "."
    steps: list[tuple[str, list[str | Path]]] = [
        ("a virtual environment", [sys.executable, "-m", "venv", FOLDER / name]),
        # first and alone: what depends on torch then finds it there
        ("torch", [*pip, "torch"]),
        (
            ", ".join(environment.requirements),
            [*pip, "-e", project, "pytest>=8", *environment.requirements],
        ),
    ]
    for what, command in steps:
        if what == "torch" and not environment.torch:
            continue
        begun = time.monotonic()
        say(f"{name}: {what}")
        if call(command, log, BUILD_SECONDS, **pip_variables()) != 0:
            say(f"{name}: could not be built")
            show_tail(log)
            return False
        say(f"{name}: ... {time.monotonic() - begun:.0f} s")
    stamp.write_text(wanted, "utf-8")
    return True


def version_of(name: str, distribution: str) -> str:
    """Return the version of a distribution in an environment, ``-`` if it is not there."""
    code = f"import importlib.metadata as m; print(m.version({distribution!r}))"
    found = subprocess.run([python_of(name), "-c", code], capture_output=True, text=True)
    return found.stdout.strip() or "-"


# ---------------------------------------------------------------- tests


def read_report(report: Path) -> tuple[int, int, list[str]]:
    """Return how many tests pytest ran, how many did not pass, and the checkers that passed.

    A test names the checker that it ran: ``record_property("checker", "api_test")``.
    """
    total, bad, checkers = 0, 0, []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        total += 1
        failed = any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
        bad += failed
        for found in case.iter("property"):
            value = found.get("value", "")
            if found.get("name") == "checker" and not failed and value not in checkers:
                checkers.append(value)
    return total, bad, checkers


def try_row(name: str, row: Row) -> Result:
    """Run the tests of one library."""
    outcome = Result(row.library, version_of(name, row.distribution))
    tests = Path("tests") / "interop" / row.tests
    if not (ROOT / tests).exists():
        outcome.result = f"no {tests.as_posix()}"
        return outcome
    log, report = LOGS / f"{row.library}.txt", LOGS / f"{row.library}.xml"
    for old in (log, report):
        old.unlink(missing_ok=True)
    begun = time.monotonic()
    command = [python_of(name), "-m", "pytest", "-p", "no:cacheprovider", "--durations=5"]
    command += ["-o", "junit_family=xunit1"]  # the one with properties
    status = call([*command, f"--junitxml={report}", tests], log, TEST_SECONDS)
    outcome.seconds = time.monotonic() - begun
    if status is None:
        outcome.result = f"given up after {TEST_SECONDS} s"
    elif not report.exists():
        outcome.result = f"pytest ended with {status}"
    else:
        total, bad, checkers = read_report(report)
        outcome.passed = status == 0 and total > 0 and bad == 0
        outcome.checkers = ", ".join(checkers) or "-"
        outcome.result = f"{total} passed" if outcome.passed else f"{bad} of {total} not passed"
    if not outcome.passed:
        show_tail(log)
    return outcome


# ---------------------------------------------------------------- tables


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows)]  # noqa: B905  # rows are alike
    lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)  # noqa: B905
    return "\n".join(lines)


def written_rows(text: str) -> dict[str, str]:
    """Return the rows of the table between the marks of a text, by library."""
    inside = text.partition(MARK)[2].partition(END_MARK)[0]
    lines = [line for line in inside.splitlines() if line.startswith("| ")][1:]
    return {line.split("|")[1].strip(): line for line in lines}


def write_table(file: Path, results: Sequence[Result]) -> None:
    """Put results between the marks of a file, beside rows of libraries that were not tried.

    The file is replaced whole or not at all.
    """
    text = file.read_text("utf-8")
    python = ".".join(map(str, sys.version_info[:2]))
    rows = written_rows(text)
    for r in results:
        cells = (r.library, r.version, python, r.checkers, r.result)
        rows[r.library] = f"| {' | '.join(cells)} |"
    known = [row.library for environment in ENVIRONMENTS.values() for row in environment.rows]
    table = [
        "| library | version | Python | its checkers | tests |",
        "|---|---|---|---|---|",
        *(rows[library] for library in known if library in rows),
    ]
    before, _, rest = text.partition(MARK)
    after = rest.partition(END_MARK)[2]
    beside = file.with_name(f".{file.name}.new")
    beside.write_text("\n".join([f"{before}{MARK}", *table, "", END_MARK]) + after, "utf-8")
    os.replace(beside, file)


# ---------------------------------------------------------------- the command


def chosen(only: Sequence[str]) -> dict[str, Environment]:
    """Return the environments with the rows that were asked for, by library or environment.

    Raises:
        ValueError: A name is neither.
    """
    if not only:
        return ENVIRONMENTS
    known = {row.library.lower() for e in ENVIRONMENTS.values() for row in e.rows} | {*ENVIRONMENTS}
    for name in only:
        if name.lower() not in known:
            raise ValueError(f"--only {name}: there is {', '.join(sorted(known))}")
    wanted = {name.lower() for name in only}
    found = {}
    for name, environment in ENVIRONMENTS.items():
        rows = tuple(r for r in environment.rows if wanted & {name, r.library.lower()})
        if rows:
            found[name] = Environment(
                environment.extras, environment.requirements, rows, environment.torch
            )
    return found


def main() -> int:
    """Build, try, print; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a library or an environment"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into a text")
    arguments = parser.parse_args()
    try:
        environments = chosen(arguments.only)
        if arguments.write and not {MARK, END_MARK} <= set(
            arguments.write.read_text("utf-8").split("\n")
        ):
            raise ValueError(f"{arguments.write} has no lines {MARK} and {END_MARK}")
    except (OSError, ValueError) as error:
        parser.error(str(error))

    begun = time.monotonic()
    say(f"logs in {LOGS}")
    results = []
    for name, environment in environments.items():
        built = build(name, environment)
        for row in environment.rows:
            if not built:
                results.append(Result(row.library, result="not installed"))
                continue
            say(f"{row.library}: tests/interop/{row.tests}")
            results.append(try_row(name, row))
            say(f"{row.library}: ... {results[-1].result}, {results[-1].seconds:.0f} s")

    head = ("library", "version", "environment checker", "result", "seconds")
    body = [(r.library, r.version, r.checkers, r.result, f"{r.seconds:.0f}") for r in results]
    failed = sum(not r.passed for r in results)
    say(f"\n{text_table([head, *body])}\n")
    if arguments.write and failed:
        say(f"{arguments.write} is as it was: not every row passed")
    elif arguments.write:
        write_table(arguments.write, results)
    say(f"{time.monotonic() - begun:.0f} s; logs in {LOGS}")
    say(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
