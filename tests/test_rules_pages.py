"""The pages of rules: what they say about other programs, and the ids and links on them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ludarium

pytestmark = pytest.mark.quick

GAMES = Path(ludarium.__file__).parent / "games"

# what nobody can know of all programs, texts or players of a game
SWEEPING = re.compile(
    r"\b(?:every|each|all|any|no|most)(?: \w+){0,2} (?:programs?|implementations?|engines?)\b"
    r"|\bprograms? for the game that we know\b|\beverybody (?:plays|agrees)\b",
    re.IGNORECASE,
)


def page(name: str) -> str:
    """Return the page of rules of a game, each paragraph in one line."""
    text = (GAMES / name / "RULES.md").read_text("utf-8")
    return re.sub(r"(?<=\S)\n +", " ", text)


def test_no_page_speaks_for_programs_that_it_does_not_name(name: str) -> None:
    text = re.sub(r"\s+", " ", page(name))
    assert SWEEPING.findall(text) == []


def test_the_sweeping_claim_of_old_would_be_found() -> None:
    assert SWEEPING.search("and every program for the game that we know allows it")


def test_links_within_a_page_lead_somewhere(name: str) -> None:
    text = (GAMES / name / "RULES.md").read_text("utf-8")
    titles = re.findall(r"^## (.+)$", text, re.M)
    anchors = {title.lower().replace(" ", "-") for title in titles}
    links = re.findall(r"\]\(#([\w-]+)\)", text)
    assert links and set(links) <= anchors
    # the list of contents names every chapter but the first rows of the page
    contents = text.split("Contents: ")[1].split("\n\n")[0]
    assert set(re.findall(r"\]\(#([\w-]+)\)", contents)) == anchors
