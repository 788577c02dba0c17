"""Games, matches and tournaments between agents: `play_game`, `play_match`, `tournament`."""

from typing import Any

from ludarium.agents.players import PolicyAgent
from ludarium.arena.match import MatchResult, PlayerError, play_game, play_match
from ludarium.arena.ratings import Rating
from ludarium.arena.standings import Standing, TournamentResult
from ludarium.arena.tournament import tournament
from ludarium.core.lazy import listed, submodule

__all__ = [
    "MatchResult",
    "PlayerError",
    "PolicyAgent",
    "Rating",
    "Standing",
    "TournamentResult",
    "play_game",
    "play_match",
    "tournament",
]


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
