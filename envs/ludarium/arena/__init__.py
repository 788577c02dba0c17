"""The arena: games and matches between agents, and who may play."""

from ludarium.arena.match import MatchResult, PlayerError, play_game, play_match
from ludarium.arena.players import PolicyAgent

__all__ = ["MatchResult", "PlayerError", "PolicyAgent", "play_game", "play_match"]
