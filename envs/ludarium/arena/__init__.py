"""The arena: games, matches and tournaments between agents, and who may play."""

from typing import Any

from ludarium.agents.players import PolicyAgent
from ludarium.arena.match import MatchResult, PlayerError, play_game, play_match
from ludarium.arena.ratings import Rating
from ludarium.arena.tournament import Standing, TournamentResult, tournament
from ludarium.core.lazy import submodule

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
