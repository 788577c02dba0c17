"""Game records to read, write and replay, and episodes as animations and pictures."""

from ludarium.core.episodes import record_episode
from ludarium.core.records import GameRecord, read, replay, write

__all__ = ["GameRecord", "read", "record_episode", "replay", "write"]
