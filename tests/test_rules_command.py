"""The command `rules`: the page of rules at a terminal and in a pipe, whole and in short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_first_session import COLUMNS, Person

import ludarium
from ludarium.core import rule_page
from ludarium.core.game import game_type


def test_a_pipe_gets_the_page_as_it_is(run: Any, name: str) -> None:
    status, out, err = run("rules", name)
    assert (status, err) == (0, "")
    page = Path(ludarium.__file__).parent / "games" / name / "RULES.md"
    assert out.strip() == page.read_text("utf-8").strip()


def test_the_short_rules_are_a_chapter_and_name_the_rest(run: Any, name: str) -> None:
    status, out, err = run("rules", name, "--short")
    assert (status, err) == (0, "")
    whole = run("rules", name)[1]
    chapter = whole.split("## In a minute")[1].split("\n## ")[0].strip()
    assert chapter in out and out.startswith(f"# {game_type(name).title}\n")
    assert out.strip().endswith(f"`ludarium rules {name}`")
    assert len(out) < len(whole) / 5


def test_a_terminal_gets_it_formatted_and_no_line_is_too_long(name: str, tmp_path: Path) -> None:
    person = Person(tmp_path, "rules", name)
    try:
        shown = person.read()
        assert person.child.wait(60) == 0
    finally:
        person.close()
    assert "In a minute" in shown and "## In a minute" not in shown
    assert [line for line in shown.split("\n") if len(line) > COLUMNS] == []


def test_an_unknown_game_is_named(run: Any) -> None:
    status, out, err = run("rules", "chess")
    assert (status, out) == (2, "")
    assert "'chess'" in err and "'gliss'" in err


def test_a_game_without_a_page_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rule_page.resources, "files", lambda package: tmp_path)
    with pytest.raises(ValueError, match=r"ludarium.games.gliss, .* gliss, has no RULES.md"):
        rule_page.rule_page(game_type("gliss"))
    (tmp_path / "RULES.md").write_text("# A game\n\nno chapters", "utf-8")
    with pytest.raises(ValueError, match="has no chapters"):
        rule_page.short_rules(game_type("gliss"))
    (tmp_path / "RULES.md").write_text("# A game\n\n## How to play\n\nPlay.\n\n## More\n", "utf-8")
    assert rule_page.short_rules(game_type("gliss")) == "Play."
