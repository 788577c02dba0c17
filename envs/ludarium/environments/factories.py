"""The factories `env`, `raw_env` and `parallel_env` of each game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludarium.core.errors import show
from ludarium.core.game import GameType
from ludarium.core.options import split_options
from ludarium.environments.aec import AECGame
from ludarium.environments.parallel import ParallelGame

_ENVIRONMENT_OPTIONS = (
    "render_mode",
    "render_size",
    "illegal",
    "copy",
    "observation",
    "orientation",
)


def environments(
    game_type: GameType,
) -> tuple[Callable[..., AECGame], Callable[..., AECGame], Callable[..., ParallelGame]]:
    """Return the factories `env`, `raw_env` and `parallel_env` of a game.

    Their `__module__` is the game's package, so that they can be pickled by name.
    """

    def env(**options: Any) -> AECGame:
        max_cycles = options.pop("max_cycles", None)
        if max_cycles is not None:
            if options.get("max_turns", max_cycles) not in (None, max_cycles):
                raise ValueError(
                    f"max_cycles={show(max_cycles)} and "
                    f"max_turns={show(options['max_turns'])} differ: "
                    "they are two names of one option"
                )
            limit = game_type.all_options()["max_turns"]
            options["max_turns"] = limit.check("max_cycles", max_cycles)
        theirs, ours = split_options(
            f"env() of {game_type.name}",
            options,
            game_type.all_options(),
            ("max_cycles", *_ENVIRONMENT_OPTIONS),
        )
        return AECGame(game_type.load(**theirs), **ours)

    def raw_env(**options: Any) -> AECGame:
        return env(**options)

    def parallel_env(**options: Any) -> ParallelGame:
        return ParallelGame(env(**options))

    own = "".join(f"    {name}: {o.help}\n" for name, o in game_type.all_options().items())
    for factory, kind in (
        (env, "AEC environment"),
        (raw_env, "AEC environment; the same as `env`, whose checks are built in"),
        (parallel_env, "parallel environment"),
    ):
        factory.__module__ = game_type.package
        factory.__qualname__ = factory.__name__
        factory.__doc__ = (
            f"Return {game_type.title} as a PettingZoo {kind}.\n\n"
            "Args:\n"
            "    **options: those of `ludarium.environments.aec.AECGame` (render_mode,\n"
            "        render_size, illegal, copy, observation, orientation), max_cycles (another\n"
            "        name of max_turns), and the game's, listed below.\n\n"
            "Returns:\n"
            "    An environment whose observations are dicts: observation int8 [H, W, C], or\n"
            "    flat, and action_mask int8 [A].\n\n"
            "Raises:\n"
            "    ValueError: An option is unknown, or a value is not allowed.\n\n"
            f"Options of {game_type.title}:\n{own}"
        )
    return env, raw_env, parallel_env
