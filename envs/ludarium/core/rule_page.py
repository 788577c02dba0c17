"""The page of rules in a game's folder, ``RULES.md``: the whole of it, or one chapter."""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludarium.core.game import GameType

SHORT = "In a minute"  # the chapter that a newcomer reads first


def rule_page(game_type: GameType) -> str:
    """Return the rules of a game, as Markdown.

    Raises:
        ValueError: The package of the game has no ``RULES.md``.
    """
    try:
        return (resources.files(game_type.package) / "RULES.md").read_text("utf-8")
    except FileNotFoundError:
        raise ValueError(
            f"there are no rules to show: {game_type.package}, the package of "
            f"{game_type.name}, has no RULES.md"
        ) from None


def short_rules(game_type: GameType) -> str:
    """Return the chapter "In a minute" of a game's rules, or the first chapter if it has none.

    Returns:
        Markdown without the chapter's title.

    Raises:
        ValueError: The package of the game has no ``RULES.md``, or that has no chapters.
    """
    chapters = re.split(r"^## +(.+?) *$", rule_page(game_type), flags=re.MULTILINE)
    titles, texts = chapters[1::2], chapters[2::2]
    if not texts:
        raise ValueError(f"RULES.md of {game_type.package} has no chapters: titles begin with ##")
    return texts[titles.index(SHORT) if SHORT in titles else 0].strip()


def plain_text(markdown: str) -> str:
    """Return paragraphs of Markdown without its signs for emphasis, code and links.

    >>> plain_text("Go *there*, by `c4`, as the [rules](#rules) say. **Now.**")
    'Go there, by c4, as the rules say. Now.'
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|`", "", text)
