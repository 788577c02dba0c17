"""The arena: games, matches and tournaments between agents, and who may play."""

from ludarium.arena.match import MatchResult, PlayerError, play_game, play_match
from ludarium.arena.players import PolicyAgent
from ludarium.arena.ratings import Rating
from ludarium.arena.tournament import Standing, TournamentResult, tournament

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
