"""The ids of the games' environments, for PettingZoo and Gymnasium.

An environment is named by a string, so that nothing is imported before it is made.
"""

from __future__ import annotations

from ludarium.core.registry import environment_ids, game_modules


def register_with_pettingzoo() -> None:
    """Register every id with PettingZoo, where it has a registry (1.26 and later).

    Importing twice or reloading changes nothing: an id that is there stays.
    """
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    for id_, module in environment_ids().items():
        for kind, registry in (
            ("aec", pettingzoo.aec_registry),
            ("parallel", pettingzoo.parallel_registry),
        ):
            if id_ not in registry:
                factory = "env" if kind == "aec" else "parallel_env"
                pettingzoo.register(kind, id_, f"{module}:{factory}")


def register_with_gymnasium() -> None:
    """Register the single-agent environments of every id ``name-vN``.

    ``Name-vN`` has the options' defaults; ``Name-flat-vN`` has flat observations, for scripts that
    can only pass an id. Spawned workers find them by the id with the module before it:
    ``ludarium:ludarium/Name-vN``. Importing twice or reloading changes nothing.
    """
    import gymnasium

    games = game_modules()
    for id_, module in environment_ids().items():
        namespace, _, name = id_.rpartition("/")
        stem, _, version = f"{name[:1].upper()}{name[1:]}".rpartition("-v")
        for variant, options in (("", {}), ("-flat", {"observation": "flat"})):
            gymnasium_id = f"{namespace}/{stem}{variant}-v{version}".lstrip("/")
            if module in games and gymnasium_id not in gymnasium.registry:
                gymnasium.register(
                    id=gymnasium_id,
                    entry_point="ludarium.single_agent.env:make_single",
                    vector_entry_point="ludarium.single_agent.vector:make_batch",
                    kwargs={"game": games[module], **options},
                )
