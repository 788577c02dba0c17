"""Walks for people: every one that is shown is a legal walk by the reference's own check."""

from __future__ import annotations

import random
from typing import Any

import pytest
from gyges import reference, walks
from gyges.positions import GAME, START, at, board, can, play, random_positions
from gyges.texts import mirror

import ludarium
from ludarium.core.history import last_turn_of
from ludarium.core.state import State
from ludarium.games.gyges import one_walk
from ludarium.games.gyges.walks import Walked, walked


def positions() -> list[Any]:
    """Positions of games, and made-up ones of every kind."""
    rng = random.Random(6)
    made_up = [at(walks.made_up(rng, kind)) for kind in walks.KINDS for _ in range(4)]
    return [*random_positions(60, seed=6), *made_up]


def test_every_landing_has_a_walk() -> None:
    """From each piece to each of its ends."""
    rng = random.Random(8)
    shown = into_goal = bounced = 0
    for state in positions():
        position = reference.parse(state.to_string())
        pieces = board(state)
        actions = sorted(can(state))
        for action in rng.sample(actions, min(20, len(actions))):
            start, end = action.split("-")
            walk = one_walk(state, start, end)
            assert walk[0] == start and walk[-1] == end
            assert reference.check_walk(position, walk), reference.walk_fault(position, walk)
            assert walk == one_walk(state, start, end), "always the same"
            shown += 1
            into_goal += end == "goal"
            bounced += any(cell in pieces and cell != start for cell in walk[1:-1])
    assert shown > 1200 and into_goal > 10 and bounced > 400


def test_no_walk_is_shorter() -> None:
    """As short as the shortest that the reference finds."""
    for state in list(random_positions(12, seed=7)):
        position = reference.parse(state.to_string())
        for start in {action[:2] for action in can(state)}:
            found: dict[str, int] = {}
            for walk in reference.walks(position, start):
                length = found.get(walk.cells[-1], 99)
                found[walk.cells[-1]] = min(length, len(walk.cells))
            assert {end: len(one_walk(state, start, end)) for end in found} == found


@pytest.mark.parametrize(
    "start, end",
    [
        ("a1", "a1"),
        ("a1", "goal"),
        ("a2", "a3"),
        ("a6", "a3"),
        ("g1", "a1"),
        ("goal", "a1"),
        ("", ""),
    ],
)
def test_no_walk(start: str, end: str) -> None:
    """What is no legal landing has no walk, and the message says what is."""
    with pytest.raises(ValueError, match=f"'{start}-{end}' is illegal in .* legal: a1-a4"):
        one_walk(at(START), start, end)


def test_no_walk_in_other_stages() -> None:
    for state in (GAME.new_initial_state(), play(at(START), "c1-d1")):
        with pytest.raises(ludarium.IllegalActionError, match="'c1-d1' is illegal"):
            one_walk(state, "c1", "d1")


# ---------------------------------------------------------------- the last turn


def latest(state: State) -> Walked | None:
    """Return what the last turn did, whole or half made."""
    whole, begun = last_turn_of(state)
    return walked(begun or whole)


def test_last_turn_follows_the_game() -> None:
    """After every action of some games, the turn so far with its walk is what was played."""
    for seed in range(4):
        rng = random.Random(seed)
        state = GAME.new_initial_state()
        assert latest(state) is None
        texts: list[str] = []
        while not state.is_terminal():
            before = state.clone()
            if before.stage() != "drop":
                start, texts = before, []
            texts.append(state.action_to_string(action := rng.choice(state.legal_actions())))
            state.apply_action(action)
            last = latest(state)
            assert last is not None
            assert (last.player, last.text) == (start.current_player(), "".join(texts))
            if start.stage() == "setup":
                assert last[2:] == (0, [], [], None)
                continue
            assert f"{last.walk[0]}-{last.walk[-1]}" == texts[0]
            position = reference.parse(start.to_string())
            assert reference.check_walk(position, last.walk)
            assert last.rings == board(start)[last.walk[0]]
            met = [cell for cell in last.walk[1:-1] if cell in board(start)]
            assert last.bounces == [cell for cell in met if cell != last.walk[0]]
            assert last.drop == (texts[1][1:] if texts[1:] else None)


def test_last_turn_where_the_history_begins_half_way() -> None:
    """A text with a piece in hand does not say how it came there."""
    half = at("310032/000000/000000/000010/002000/203113 S drop:e4:2 4")
    assert latest(half) is None
    last = latest(play(half, "=c2"))
    assert last == (0, "=c2", 0, [], [], "c2")


def test_diagram_shows_the_last_turn() -> None:
    """`str(state)` says who played what, and by which way."""
    state = play(at(str(mirror("000000/000000/000000/300303/110011/222023 S move 20"))), "f3-goal")
    assert "North played f3-goal: 3 rings by f3 e3 d3 c3 c2 c1 goal, bouncing off c3" in str(state)
