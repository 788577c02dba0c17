"""The rule book of Sphlag as tests: one for each ruling S1-S21 of RULES.md, named after it.

Everything goes through the public interface. Positions are in text notation: the four levels from
the ground up, each row by row from row 1; the side to move; passes in a row; the levels before the
last turn, or ``-``; the turns completed. The four reds and nothing else are

    R.....R..R.....R/........./..../.

`positions.py` says how they are read: `can(state)` are its legal actions, `places(state)` the
placings among them, `reach(state, hole)` where the sphere in a hole can go.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sphlag.positions import (
    FULL,
    GAME,
    RED_HOLES,
    at,
    below,
    board,
    board_text,
    can,
    holes,
    levels,
    number,
    places,
    play,
    random_positions,
    reach,
)
from sphlag.texts import mirror

import ludarium

pytestmark = pytest.mark.quick

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def plain_python() -> Iterator[None]:
    """Without compilation, NumPy warns where bits leave a word, as they are meant to."""
    with np.errstate(over="ignore"):
        yield


# ---------------------------------------------------------------- the board


def test_S1_holes() -> None:
    """Levels of 16, 9, 4 and 1 holes; a sphere above the ground needs exactly four below it."""
    assert len(holes()) == 30
    assert [len(level) for level in levels(at(f"{FULL} W 0 - 20")).split("/")] == [16, 9, 4, 1]
    for hole in holes()[16:29]:
        needed = {hole} | below(hole)
        if hole[3] == "2":
            needed = needed.union(*(below(support) for support in below(hole)))
        colours = {h: board(FULL)[h] for h in needed} | dict.fromkeys(RED_HOLES, "R")
        text = board_text(colours)
        assert levels(at(f"{text} W 0 - 20")) == text
        for support in below(hole) - RED_HOLES:
            gone = {h: c for h, c in colours.items() if h != support}
            with pytest.raises(ValueError, match=f"{hole} rests on an empty hole"):
                at(f"{board_text(gone)} W 0 - 20")


def test_S2_reds() -> None:
    """Flags at A1 and G7, walls at C5 and E3: they are always there, carry, and never move."""
    start = GAME.new_initial_state()
    assert board(levels(start)) == dict.fromkeys(RED_HOLES, "R")
    for bad in (
        "......R..R.....R/........./..../.",  # no upper flag
        "R.....R........R/........./..../.",  # no wall on C5
        "R.....RR.R.....R/........./..../.",  # one more
        "R.....W..R.....R/........./..../.",  # a sphere in the place of a wall
    ):
        with pytest.raises(ValueError, match="the reds are on A1, E3, C5, G7"):
            at(f"{bad} W 0 - 20")
    # F6 rests on the lower flag and three whites, B2 on the upper flag and three blacks
    assert "F6/1" in places(at("R.....R..RWW..WR/........./..../. W 0 - 20"))
    assert "B2/1" in places(at("RB..BBR..R.....R/........./..../. B 0 - 20"))
    for state in random_positions(100, seed=2):
        assert not {action[:4] for action in can(state) if "-" in action} & RED_HOLES


def test_S3_halves() -> None:
    """Column plus row above 8 is White's half, below 8 Black's, 8 nobody's, on every level."""
    ground, first, second = (FULL.split("/")[i] for i in range(3))
    found: dict[str, set[str]] = {"W": set(), "B": set()}
    for boards in ("R.....R..R.....R/.........", f"{ground}/.........", f"{ground}/{first}"):
        for side in "WB":
            found[side] |= places(at(f"{boards}/..../. {side} 0 - 20"))
    usable = set(holes()) - RED_HOLES
    assert found["W"] == {hole for hole in usable if number(hole) > 8}
    assert found["B"] == {hole for hole in usable if number(hole) < 8}
    assert len(found["W"]) == len(found["B"]) == 9
    assert places(at(f"{ground}/{first}/{second}/. W 0 - 20")) == set()


def test_S4_touch_holes() -> None:
    """Two of E7, F6, G5 touch the lower flag, two of A3, B2, C1 the upper; no other hole does."""
    # the ground, and the hole that rests on three touch or other holes and a flag
    upper, lower = (
        "R{1}B.{0}BR..R.....R/{2}......../..../.",
        "R.....R..RW{1}.W{0}R/........{2}/..../.",
    )
    for text, colour, other, returns in (
        (upper, "W", "B", [1.0, -1.0]),  # A3, C1, B2
        (lower, "B", "W", [-1.0, 1.0]),  # E7, G5, F6
    ):
        for filled in range(8):
            touching = [colour if filled >> i & 1 else other for i in range(3)]
            state = at(f"{text.format(*touching)} {other} 0 - 20")
            wins = touching.count(colour) >= 2
            assert (state.is_terminal(), state.returns()) == (wins, returns if wins else [0.0, 0.0])
    # one touch hole and all neighbours of the flag's corner that are none: nothing
    assert not at("RW.WBWRWWR...W.R/........./..../. B 0 - 20").is_terminal()


def test_S5_top() -> None:
    """D4/3 stays empty: no text fills it, and with all else filled nobody can go there."""
    with pytest.raises(ValueError, match="D4/3 has 'W'; it can never be filled"):
        at(f"{FULL[:-1]}W W 0 - 20")
    assert len(board(FULL)) == 29
    lively = "RBBWBBRWBRWWBWWR/BBWBWWBWB/BWBW/."  # F6 and E5/2 may swap
    assert "F6/1-E5/2" in can(at(f"{lively} B 0 - 20"))
    for side in "WB":
        for text in (FULL, lively):
            assert not {action for action in can(at(f"{text} {side} 0 - 20")) if "/3" in action}
    for state in random_positions(150, seed=5):
        assert not {action for action in can(state) if "/3" in action}


def _transposed(hole: str) -> str:
    return f"{'ABCDEFG'[int(hole[1]) - 1]}{'ABCDEFG'.index(hole[0]) + 1}/{hole[3]}"


def _turned(hole: str) -> str:
    return f"{'GFEDCBA'['ABCDEFG'.index(hole[0])]}{8 - int(hole[1])}/{hole[3]}"


def _renamed(action: str, rename: Any) -> str:
    return action if action == "pass" else "-".join(rename(hole) for hole in action.split("-"))


def test_S6_transposition_keeps_the_halves() -> None:
    """Columns for rows: the same player has the mirrored turns."""
    for state in random_positions(150, seed=61):
        fields = state.to_string().split(" ")
        colours = {_transposed(hole): colour for hole, colour in board(fields[0]).items()}
        image = at(" ".join([board_text(colours), *fields[1:]]))
        assert can(image) == {_renamed(action, _transposed) for action in can(state)}


def test_S6_half_turn_swaps_the_players() -> None:
    """Turned by 180 degrees and with colours swapped: the other player has the same numbers."""
    rng = random.Random(62)
    for state in random_positions(150, seed=63):
        image = at(mirror(state.to_string()))
        while not state.is_terminal():
            assert image.current_player() == 1 - state.current_player()
            assert image.legal_actions() == state.legal_actions()
            assert can(image) == {_renamed(action, _turned) for action in can(state)}
            for player in (0, 1):
                mine, theirs = (
                    state.observation_tensor(player),
                    image.observation_tensor(1 - player),
                )
                assert (mine == theirs).all()
            if rng.random() < 0.2:
                break
            action = rng.choice(state.legal_actions())
            state, image = state.child(action), image.child(action)
            assert image.to_string() == mirror(state.to_string())
        assert image.is_terminal() == state.is_terminal()
        assert image.returns() == state.returns()[::-1]


# ---------------------------------------------------------------- a turn


def test_S7_turn() -> None:
    """White begins and is player 0; a turn is one action: a placing, a move or the pass."""
    state = GAME.new_initial_state()
    assert state.to_string() == "R.....R..R.....R/........./..../. W 0 - 0"
    for turn, action in enumerate(["G3/0", "A5/0", "G3/0-G1/0", "pass", "E7/0"]):
        assert (state.current_player(), state.turn_number()) == (turn % 2, turn)
        assert state.to_string().split(" ")[1] == "WB"[turn % 2]
        state = play(state, action)
    hole = "[A-G][1-7]/[0-2]"
    for state in random_positions(100, seed=7):
        for action in can(state):
            assert re.fullmatch(f"{hole}|{hole}-{hole}|pass", action)
            assert play(state, action).current_player() != state.current_player()


def test_S8_placing() -> None:
    """Own colour, own half, any level, empty, supported by spheres of any colour."""
    start = GAME.new_initial_state()
    # the touch holes of the own flag, E7 and G5, are open; the diagonal and the rest are not
    assert places(start) == {"G3/0", "E5/0", "G5/0", "C7/0", "E7/0"}
    after = play(start, "E7/0", "A3/0")
    assert levels(after) == "R...B.R..R....WR/........./..../."
    # D6 rests on C5 (red), E5 (white), C7 (black), E7 (white)
    state = at("R.....R..RW..BWR/........./..../. W 0 - 20")
    assert places(state) == {"G3/0", "G5/0", "D6/1"}
    assert levels(play(state, "D6/1")) == "R.....R..RW..BWR/.......W./..../."
    # one support short
    assert places(at("R.....R..RW..B.R/........./..../. W 0 - 20")) == {"G3/0", "G5/0", "E7/0"}
    # level 2, over four spheres of both colours
    state = at("R....BRW.RWB.WWR/....WB.WW/..../. W 0 - 20")
    assert "E5/2" in places(state)
    assert levels(play(state, "E5/2")) == "R....BRW.RWB.WWR/....WB.WW/...W/."
    # supported, but on the diagonal (D4/1), or in the other half (D6/1 for Black)
    assert "D4/1" not in places(at("R....BR..RW..W.R/........./..../. W 0 - 20"))
    assert "D6/1" not in places(at("R.....R..RW..WBR/........./..../. B 0 - 20"))


def test_S9_supply() -> None:
    """The sixteenth sphere can be placed; with sixteen on the board one can only move or pass."""
    fifteen = at("RBWWBWRWWRWWWWWR/.WWWW.W../..../. W 0 - 20")
    assert places(fifteen) == {"F4/1", "D6/1", "F6/1"}
    sixteen = play(fifteen, "D6/1", "pass")
    assert levels(sixteen) == "RBWWBWRWWRWWWWWR/.WWWW.WW./..../."
    assert places(sixteen) == set() and len(can(sixteen)) > 1
    # Black's supply is Black's own
    assert places(play(fifteen, "D6/1")) == {"B2/1"}
    with pytest.raises(ValueError, match="17 W; a player has 16"):
        at("RBWWBWRWWRWWWWWR/.WWWWWWW./..../. W 0 - 20")


# ---------------------------------------------------------------- moving


def test_S10_locked_and_loaded() -> None:
    """One sphere on top drops into the gap, whatever its colour; two on top lock."""
    # D6 (black) rests on C5 E5 C7 E7, F6 (white) on E5 G5 E7 G7
    state = at("R.....R..RWW.WWR/.......BW/..../. W 0 - 20")
    assert reach(state, "E5/0") == reach(state, "E7/0") == set()  # both carry both
    assert {"A7/0", "A5/0"} <= reach(state, "C7/0")  # carries D6 only
    assert {"G3/0", "G1/0"} <= reach(state, "G5/0")  # carries F6 only
    assert levels(play(state, "C7/0-A7/0")) == "R.....R..RWWWBWR/........W/..../."
    assert levels(play(state, "G5/0-G3/0")) == "R.....RW.RWW.WWR/.......B./..../."
    # nothing on top: free
    assert reach(at("R.....R..R....WR/........./..../. W 0 - 20"), "E7/0") != set()
    # the opponent's spheres and the reds are not yours to move
    for state in random_positions(100, seed=10):
        colours = board(levels(state))
        movers = {action[:4] for action in can(state) if "-" in action}
        assert {colours[hole] for hole in movers} <= {"WB"[state.current_player()]}


def test_S11_chain() -> None:
    """What rests on the dropping sphere drops after it; two drops are the most."""
    # C7 carries D6 (black), D6 carries E5/2 (white)
    state = at("R....BRW.RWB.WWR/....WB.BW/...W/. W 0 - 20")
    after = play(state, "C7/0-A7/0")
    assert levels(after) == "R....BRW.RWBWBWR/....WB.WW/..../."
    for state in random_positions(150, seed=11):
        before = board(levels(state))
        for action in can(state) - {"pass"}:
            now = board(levels(play(state, action)))
            changed = [hole for hole in holes() if before.get(hole) != now.get(hole)]
            assert len(changed) <= 4  # from, to, and the holes of two dropped spheres
            assert len(now) == len(before) + ("-" not in action)


def test_S12_order() -> None:
    """Lift, settle, travel, land: the way is looked for on the board after the drop."""
    # E7 climbs over F4's neighbour; D6 has dropped to E7 by then
    state = at("R.....RW.RWW.WWR/.......B./..../. W 0 - 20")
    after = play(state, "E7/0-F4/1")
    assert after.to_string() == (
        "R.....RW.RWW.WBR/.....W.../..../. B 0 R.....RW.RWW.WWR/.......B./..../. 21"
    )
    # the hole that a dropped sphere has left is open, unless the next of the chain fills it
    single = at("R....BRW.RWB.WWR/....WB.BW/..../. W 0 - 20")
    chain = at("R....BRW.RWB.WWR/....WB.BW/...B/. W 0 - 20")
    assert "D6/1" in reach(single, "C7/0")
    assert "D6/1" not in reach(chain, "C7/0")


def test_S13_travel() -> None:
    """(a) One or two steps along rows and columns, (b) or one climb or descent of 3 and 1."""
    # C7-A7-A5 and C7-E7-E5 round the corner; the wall C5 stops C7-C5-C3
    state = at("R.....R..R...W.R/........./..../. W 0 - 20")
    assert reach(state, "C7/0") == {"A7/0", "A5/0", "E7/0", "E5/0"}
    # no jump: E1 is filled, so G1 reaches nothing beyond it
    assert reach(at("R.BW..R..R.....R/........./..../. W 0 - 20"), "G1/0") == {"G3/0", "G5/0"}
    # two steps and no third; the wall C5 is not passed diagonally
    assert reach(at("R.....R..R..W..R/........./..../. W 0 - 20"), "A7/0") == {
        "C7/0", "E7/0", "A5/0", "A3/0",
    }  # fmt: skip
    # on level 1 the hole on the way must be supported too: B6-D6-D4 needs E7 below D6
    assert "D4/1" not in reach(at("R....WR.BRB.BB.R/......W../..../. W 0 - 20"), "B6/1")
    assert "D4/1" in reach(at("R....WR.BRB.BBBR/......W../..../. W 0 - 20"), "B6/1")
    # down from D2/1 to the four holes beside the platform
    state = at("RBB..BR..R.....R/.W......./..../. W 0 - 20")
    assert reach(state, "D2/1") == {"A3/0", "G1/0", "G3/0", "E5/0"}
    # up from C7 over the wall to D4/1; E5 may not, D4 would stand on the hole it left
    state = at("R....BR..RW..W.R/........./..../. W 0 - 20")
    assert reach(state, "C7/0") == {"A7/0", "A5/0", "E7/0", "D4/1"}
    assert "D4/1" not in reach(state, "E5/0")
    # a climb needs a supported hole: without C3 there is no D4
    assert "D4/1" not in reach(at("R.....R..RW..W.R/........./..../. W 0 - 20"), "C7/0")


def test_S14_after_the_drop() -> None:
    """The hole that the load left, and holes resting on the dropped load, may be entered."""
    # E7 (black) carries D6 (white): they swap
    state = at("R.....R..RW..WBR/.......W./..../. B 0 - 20")
    assert "D6/1" in reach(state, "E7/0")
    assert levels(play(state, "E7/0-D6/1")) == "R.....R..RW..WWR/.......B./..../."
    # E7 carries D6; F6 is empty and rests on E7, which D6 fills again
    state = at("R.....R..RWW.WWR/.......B./..../. W 0 - 20")
    assert {"D6/1", "F6/1"} <= reach(state, "E7/0")
    assert levels(play(state, "E7/0-F6/1")) == "R.....R..RWW.WBR/........W/..../."
    # from level 1 to 2: F6 carries E5/2
    state = at("R....BRW.RWB.WWR/....WB.WW/...B/. W 0 - 20")
    assert "E5/2" in reach(state, "F6/1")
    # never down by a touching step, and up by one only onto a sphere that dropped
    column = "ABCDEFG".index
    for state in random_positions(150, seed=14):
        colours = board(levels(state))
        for start, end in (action.split("-") for action in can(state) if "-" in action):
            across = abs(column(start[0]) - column(end[0])), abs(int(start[1]) - int(end[1]))
            if across == (1, 1):
                assert int(end[3]) == int(start[3]) + 1
                assert sum(start in below(hole) for hole in colours if hole[3] == end[3]) == 1


def test_S15_no_support_from_oneself() -> None:
    """Nobody climbs onto the hole just left; a sphere from elsewhere may be put there."""
    state = at("R.....R..RW..WWR/........./..../. W 0 - 20")
    assert "D6/1" in places(state)
    for hole in ("E5/0", "C7/0", "E7/0"):  # D6 rests on each of them
        assert "D6/1" not in reach(state, hole)
    # after every landing all spheres are supported: the text of the position is accepted
    for state in random_positions(100, seed=15):
        for action in can(state):
            after = play(state, action)
            assert at(after.to_string()) == after


def test_S16_a_move_changes_the_board() -> None:
    """Two stacked spheres of one colour do not swap, even with the board before unknown."""
    same = at("R.....R..RW..WWR/.......W./..../. W 0 - 20")
    for hole in ("E5/0", "C7/0", "E7/0"):
        assert "D6/1" not in reach(same, hole)
    other = at("R.....R..RW..WWR/.......B./..../. W 0 - 20")
    assert "D6/1" in reach(other, "E7/0")
    for state in random_positions(150, seed=16):
        for action in can(state) - {"pass"}:
            assert levels(play(state, action)) != levels(state)


# ---------------------------------------------------------------- ko and passing


def test_S17_ko() -> None:
    """The board before the opponent's last turn may not come back; a pass knows no ko."""
    black = at("R.....R..RW..WBR/.......W./..../. B 0 - 20")
    white = play(black, "E7/0-D6/1")  # a swap; White may not swap back at once
    assert "E7/0-D6/1" not in can(white)
    assert {"pass", "C7/0-A7/0", "C7/0-D6/1"} <= can(white)
    with pytest.raises(ludarium.IllegalActionError):
        play(white, "E7/0-D6/1")
    # the same board reached otherwise, or with nothing known of the past: allowed
    assert "E7/0-D6/1" in can(at("R.....R..RW..WWR/.......B./..../. W 0 - 21"))
    # in a text the board before may be one that no turn leads from; the ban on it is the same
    now, before = "R.....R..R..W..R/........./..../.", "R.....R..R...W.R/........./..../."
    assert "A7/0-C7/0" not in can(at(f"{now} W 0 {before} 20"))
    now, before = "R.....R..R.....R/........./..../.", "R.....R..R....WR/........./..../."
    assert places(at(f"{now} W 0 {before} 20")) == {"G3/0", "E5/0", "G5/0", "C7/0"}
    # one turn of the opponent later the old board may come back
    after = play(at("R.....R..R...W.R/........./..../. W 0 - 20"), "C7/0-A7/0", "pass")
    assert "A7/0-C7/0" in can(after)
    # after a pass the board before is the board now: passing, which keeps it, is not repeating
    now, _, _, before, _ = after.to_string().split(" ")
    assert now == before and "pass" in can(after)


def test_S18_passing() -> None:
    """Passing is always allowed, and the only choice of a player who can do nothing else."""
    for state in random_positions(200, seed=18):
        assert "pass" in can(state)
    for side in "WB":
        assert can(at(f"{FULL} {side} 0 - 20")) == {"pass"}


# ---------------------------------------------------------------- the end


def test_S19_two_contacts() -> None:
    """Two contacts win at once, by a move, a drop, or a drop that the opponent caused."""
    # D2-B2, with C1: two whites at the upper flag
    state = at("RWB.BBR..R.....R/.W......./..../. W 0 - 20")
    assert not state.is_terminal()
    after = play(state, "D2/1-B2/1")
    assert after.is_terminal() and after.returns() == [1.0, -1.0] and not after.is_truncated()
    assert after.legal_actions() == [] and after.current_player() == -1
    # White's F6 swaps with E5/2, and so drops a black sphere beside black G5
    after = play(at("R....BRW.RWB.WWR/....WB.WW/...B/. W 0 - 20"), "F6/1-E5/2")
    assert after.is_terminal() and after.returns() == [-1.0, 1.0]
    # one contact is none too many: the game goes on
    after = play(at("R.....RW.RWW.WWR/.......B./..../. W 0 - 20"), "E7/0-F4/1")
    assert not after.is_terminal() and after.returns() == [0.0, 0.0]
    # two contacts of both: the player who made the turn, the one not to move, wins
    both = "RWB.WBR..RWB.WBR/........./..../."
    assert at(f"{both} B 0 - 20").returns() == [1.0, -1.0]
    assert at(f"{both} W 0 - 20").returns() == [-1.0, 1.0]
    # contact goes before the count of S20
    assert at("RWB.WBR..R.....R/........./..../. W 2 - 20").returns() == [1.0, -1.0]


@pytest.mark.parametrize(
    "board, returns",
    [
        ("R...W.R..R.....R/........./..../.", [1.0, -1.0]),  # one contact against none
        ("R.....R..R....BR/........./..../.", [-1.0, 1.0]),
        ("R...W.R.BR...W.R/........./..../.", [1.0, -1.0]),  # contact beats fewer spheres
        ("R....BR.BR...W.R/........./..../.", [1.0, -1.0]),  # equal contacts: fewer spheres
        ("R....BR..R..WW.R/........./..../.", [-1.0, 1.0]),
        ("R...W.R..R..WWBR/........./..../.", [-1.0, 1.0]),
        ("R.....R.BR...W.R/........./..../.", [0.0, 0.0]),  # all equal: a draw
        ("R...W.R.BR...WBR/........./..../.", [0.0, 0.0]),
        ("R.....R..R.....R/........./..../.", [0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("side", "WB")
def test_S20_two_passes(board: str, returns: list[float], side: str) -> None:
    """Two passes end the game: more contacts, then fewer spheres, else a draw."""
    once = play(at(f"{board} {side} 0 - 20"), "pass")
    assert not once.is_terminal()
    twice = play(once, "pass")
    assert twice.is_terminal() and not twice.is_truncated()
    assert twice.returns() == returns
    assert twice.to_string() == f"{board} {side} 2 {board} 22"


def test_S20_passes_in_a_row() -> None:
    """A turn between two passes keeps the game going."""
    state = play(GAME.new_initial_state(), "pass", "A5/0", "pass", "C1/0")
    assert not state.is_terminal() and state.to_string().split(" ")[2] == "0"
    assert play(state, "pass", "pass").is_terminal()


def test_S21_length() -> None:
    """After max_turns turns without an end the game is truncated; the last turn may still win."""
    assert GAME.max_turns == 200 == GAME.options["max_turns"]
    last = at("RWB.BBR..R.....R/.W......./..../. W 0 - 199")
    cut = play(last, "G3/0")
    assert cut.is_terminal() and cut.is_truncated() and cut.returns() == [0.0, 0.0]
    assert cut.legal_actions() == [] and cut.current_player() == -1
    won = play(last, "D2/1-B2/1")
    assert won.is_terminal() and not won.is_truncated() and won.returns() == [1.0, -1.0]
    # two passes decide on the last turn too, and a draw by them is no truncation
    drawn = play(at("R.....R..R.....R/........./..../. B 1 - 199"), "pass")
    assert drawn.is_terminal() and not drawn.is_truncated() and drawn.returns() == [0.0, 0.0]
    # turn 198 is not the last; text at or beyond the limit reads as truncated unless won
    assert not play(at("R.....R..R.....R/........./..../. W 0 - 198"), "G3/0").is_terminal()
    for turns in (200, 201, 5000):
        assert at(f"R.....R..R.....R/........./..../. W 0 - {turns}").is_truncated()
        assert at(f"RWB.WBR..R.....R/........./..../. B 0 - {turns}").returns() == [1.0, -1.0]
    # the limit is an option
    short = ludarium.load_game("sphlag", max_turns=3).new_initial_state()
    assert not play(short, "G3/0", "A5/0").is_terminal()
    assert play(short, "G3/0", "A5/0", "pass").is_truncated()


# ---------------------------------------------------------------- worked cases

CASES = [json.loads(line) for line in (HERE / "cases.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_worked_case(case: dict[str, Any]) -> None:
    """A worked example: turns that are and are not legal, and what one of them leads to."""
    state = at(case["pos"])
    assert set(case["legal"]) <= can(state), case["why"]
    assert not set(case["illegal"]) & can(state), case["why"]
    if "exact" in case:
        assert can(state) == set(case["exact"]), case["why"]
    for hole, found in case.get("exact_from", {}).items():
        assert reach(state, hole) == set(found), case["why"]
    if "play" in case:
        after = play(state, case["play"])
        assert after.to_string() == case["next"], case["why"]
        assert (after.returns() if after.is_terminal() else None) == case["returns"], case["why"]


def test_every_ruling_has_its_test() -> None:
    """RULES.md has S1 to S21 in order, each with its mark, and this file a test for each."""
    page = Path(ludarium.sphlag.__file__).with_name("RULES.md")
    marks = re.findall(r"^- \*\*S(\d+)\*\* \(([TFD/-]+)\) \*\*", page.read_text("utf-8"), re.M)
    assert [int(n) for n, _ in marks] == list(range(1, 22))
    assert " ".join(mark for _, mark in marks) == (
        "T T/F T T F F D T D T F - T/D D F T T/D T T/D T D"
    )
    tested = {int(n) for n in re.findall(r"^def test_S(\d+)_", Path(__file__).read_text(), re.M)}
    assert tested == set(range(1, 22))
