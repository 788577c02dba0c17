"""Game records to read, write and replay, and episodes as animations and pictures."""

from typing import Any

from ludarium.core.lazy import listed, submodule
from ludarium.records.export import record_episode
from ludarium.records.game_record import GameRecord, read, write
from ludarium.records.replaying import replay

__all__ = ["GameRecord", "read", "record_episode", "replay", "write"]


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
