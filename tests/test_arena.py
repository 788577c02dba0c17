"""Games and matches: who may play, who wins, what is counted, what is repeatable."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import ludarium
from ludarium.agents import make_agent
from ludarium.arena import MatchResult, PlayerError, play_game, play_match
from ludarium.arena.match import wilson
from ludarium.arena.openings import opening_seed
from ludarium.records import GameRecord, replay

PASS = 267  # of Sphlag


def first(observation: dict[str, Any]) -> int:
    """Play the first legal action: a PettingZoo policy."""
    return int(np.flatnonzero(observation["action_mask"])[0])


def passes(observation: dict[str, Any]) -> int:
    """Pass."""
    return PASS


class Nth:
    """An agent that answers something of its own from its n-th decision on."""

    name = "nth"

    def __init__(self, n: int, answer: Any) -> None:
        self.left, self.answer = n, answer

    def select_action(self, state: Any, rng: np.random.Generator) -> Any:
        self.left -= 1
        if self.left > 0:
            return state.legal_actions()[0]
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


# ---------------------------------------------------------------- games


def test_a_game_is_played_to_its_end_and_repeats_with_its_seed(name, game):
    record = play_game(game, "random", "greedy", seed=5)
    assert isinstance(record, GameRecord)
    assert (record.game, record.version, record.seed) == (name, game.version, 5)
    assert record.options == dict(game.options)
    assert record.players == ("random", "greedy")
    *_, last = replay(record)
    assert last.is_terminal()
    assert tuple(last.returns()) == record.result
    assert play_game(name, make_agent("random"), make_agent("greedy"), seed=5) == record
    assert play_game(game, "random", "greedy", seed=6).turns != record.turns


def test_the_first_player_is_player_0():
    assert play_game("sphlag", "greedy", "random", seed=1).result == (1, -1)
    assert play_game("sphlag", "random", "greedy", seed=1).result == (-1, 1)


def test_a_policy_sees_what_env_shows(name):
    seen = []

    def policy(observation: dict[str, Any]) -> np.int64:
        seen.append(observation)
        return np.int64(first(observation))

    game = ludarium.load_game(name, max_turns=6)
    record = play_game(game, policy, policy)
    assert record.players == ("policy", "policy")
    env = ludarium.make(name, max_turns=6)
    env.reset(seed=0)
    assert seen
    for observation in seen:
        shown = env.last()[0]
        assert list(observation) == list(shown)
        for key, array in shown.items():
            assert array.dtype == observation[key].dtype
            assert np.array_equal(array, observation[key])
        env.step(first(shown))


def test_a_player_cannot_change_the_game(name, game):
    class Meddler:
        def select_action(self, state: Any, rng: np.random.Generator) -> int:
            action: int = state.legal_actions()[-1]
            while not state.is_terminal():
                state.apply_action(state.legal_actions()[0])
            return action

    class Honest:
        def select_action(self, state: Any, rng: np.random.Generator) -> int:
            action: int = state.legal_actions()[-1]
            return action

    meddled = play_game(game, Meddler(), "random", seed=2)
    assert meddled.players[0] == "Meddler"
    assert meddled.turns == play_game(game, Honest(), "random", seed=2).turns


@pytest.mark.parametrize(
    "answer", [-1, 268, 10**30, None, 1.0, "pass", True, np.array([1, 2]), 266]
)
def test_an_illegal_answer_loses_the_game(answer):
    state = ludarium.load_game("sphlag").new_initial_state()
    assert answer is True or 266 not in state.legal_actions()
    record = play_game("sphlag", Nth(3, answer), "random", seed=3)
    assert (record.result, record.reason) == ((-1, 1), "illegal")
    assert len(record.turns) == 4
    assert play_game("sphlag", passes, Nth(1, answer), seed=3).result == (1, -1)


@pytest.mark.parametrize("answer", [0, np.int64(0), np.uint8(0), np.array(0)])
def test_an_integer_of_any_kind_is_an_answer(answer):
    record = play_game("sphlag", Nth(1, answer), passes)
    assert record.turns[0] == "G3/0"


def test_a_draw_and_a_truncation_are_different():
    assert play_game("sphlag", passes, passes).reason == "drawn"
    game = ludarium.load_game("sphlag", max_turns=1)
    record = play_game(game, passes, passes)
    assert (record.result, record.reason) == ((0, 0), "max_turns")


# ---------------------------------------------------------------- matches


def test_a_match_swaps_seats_and_repeats_with_its_seed(name, game):
    result = play_match(game, "greedy", "random", games=6, seed=4)
    assert isinstance(result, MatchResult)
    assert result.games == 6
    assert result.players == ("greedy", "random")
    assert result.seats == (0, 1, 0, 1, 0, 1)
    for index, (record, seat) in enumerate(zip(result.records, result.seats, strict=True)):
        assert record.players[seat] == "greedy"
        opening = opening_seed(4, index)
        assert play_game(game, *record.players, seed=record.seed, opening=opening) == record
    for record in play_match(game, "greedy", "random", games=4, seed=4, openings=False).records:
        assert play_game(game, *record.players, seed=record.seed) == record
    assert play_match(name, "greedy", "random", games=6, seed=4) == result
    assert play_match(game, "greedy", "random", games=4, seed=4).records == result.records[:4]
    assert len({record.turns for record in result.records}) == 6
    assert play_match(game, "greedy", "random", games=6, seed=5) != result
    assert pickle.loads(pickle.dumps(result)) == result


def test_counts_are_of_a_and_add_up(name, game):
    result = play_match(game, "greedy", "random", games=20)
    assert result.wins + result.draws + result.truncations + result.losses == 20
    swapped = play_match(game, "random", "greedy", games=20)
    assert result.wins > result.losses
    assert swapped.wins < swapped.losses
    halves = result.by_seat
    assert [half.games for half in halves] == [10, 10]
    assert sum(half.wins for half in halves) == result.wins
    assert all(set(half.seats) == {seat} for seat, half in enumerate(halves))


def test_draws_and_truncations_count_half_and_apart():
    drawn = play_match("sphlag", passes, passes, games=4, openings=False)
    assert (drawn.draws, drawn.truncations, drawn.win_rate) == (4, 0, 0.5)
    cut = play_match(ludarium.load_game("sphlag", max_turns=1), passes, passes, games=4)
    assert (cut.draws, cut.truncations, cut.win_rate) == (0, 4, 0.5)
    assert (cut.wins, cut.losses, cut.illegal) == (0, 0, 0)


def test_illegal_answers_lose_and_are_counted():
    result = play_match("sphlag", lambda observation: 300, "random", games=4)
    assert (result.losses, result.illegal, result.illegal_by) == (4, 4, (4, 0))
    assert result.win_rate == 0
    result = play_match("sphlag", "random", lambda observation: None, games=3, openings=False)
    assert (result.wins, result.illegal, result.illegal_by) == (3, 3, (0, 3))
    assert "illegal=3" in repr(result)
    policy = result.players[1]
    turns = len(result.records[0].turns)
    assert len(result.illegal_answers) == 3
    words = "1 turn" if turns == 1 else f"{turns} turns"
    assert result.illegal_answers[0] == f"game 1: {policy} answered None after {words}"
    record = result.records[0]
    assert record.answer == "None" and GameRecord.from_json(record.to_json()) == record
    assert "answer" not in play_game("sphlag", "random", "random", seed=3).to_json()


def test_a_player_that_raises_is_reported_with_the_games_so_far():
    calls = []

    def fragile(observation: dict[str, Any]) -> int:
        calls.append(1)
        if len(calls) == 4:
            raise KeyError("weights")
        return PASS

    with pytest.raises(PlayerError, match=r"fragile raised KeyError: 'weights'") as caught:
        play_match("sphlag", passes, fragile, games=10, openings=False)
    error = caught.value
    assert isinstance(error.__cause__, KeyError)
    assert error.player == "fragile"
    assert error.result is not None
    assert (error.result.games, error.result.draws) == (3, 3)
    assert (error.record.turns, error.record.reason) == ((), "unfinished")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.result) == (str(error), error.result)


def test_an_illegal_action_inside_an_agent_is_its_exception_not_its_answer():
    error = ludarium.IllegalActionError("mine")
    with pytest.raises(PlayerError, match="mine") as caught:
        play_game("sphlag", "random", Nth(2, error))
    assert caught.value.__cause__ is error
    assert caught.value.result is None
    assert len(caught.value.record.turns) == 3


def test_an_interrupt_passes_through():
    def stop(observation: dict[str, Any]) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match("sphlag", stop, "random")


def test_each_game_is_announced():
    seen: list[Any] = []
    result = play_match(
        "sphlag",
        "random",
        "random",
        games=3,
        on_game=lambda record, seat: seen.append((record, seat)),
    )
    assert seen == list(zip(result.records, result.seats, strict=True))


# ---------------------------------------------------------------- the interval


@pytest.mark.parametrize(
    ("rate", "games", "low", "high"),
    [  # Newcombe 1998, table I, method 3
        (81 / 263, 263, 0.2553, 0.3662),
        (15 / 148, 148, 0.0624, 0.1605),
        (0 / 20, 20, 0.0, 0.1611),
        (1 / 29, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_wilsons(rate, games, low, high):
    assert wilson(rate, games) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_holds_the_rate_and_narrows():
    few = play_match("sphlag", "random", "random", games=10)
    many = play_match("sphlag", "random", "random", games=200)
    for result in (few, many):
        low, high = result.interval
        assert 0 <= low <= result.win_rate <= high <= 1
    assert many.interval[1] - many.interval[0] < few.interval[1] - few.interval[0]


def test_no_games_no_rate():
    empty = MatchResult(("a", "b"))
    assert math.isnan(empty.win_rate)
    assert empty.interval == (0, 1)
    assert empty.games == empty.wins == empty.losses == empty.illegal == 0


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "chess"),
        ({"a": "nobody"}, "nobody"),
        ({"b": "random:3"}, "random:3"),
        ({"games": 0}, "games=0"),
        ({"games": 2.5}, "games=2.5"),
        ({"games": None}, "games=None"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": "1"}, "seed='1'"),
        (
            {"seed": 10**5000},
            "seed=an int of .* bits is not allowed: seed is an int, 0 to 2.*128 - 1",
        ),
        ({"seed": 1.0}, "seed=1.0"),
        ({"seed": True}, "seed=True"),
        ({"seed": None}, "seed=None"),
        ({"games": -2}, "games=-2"),
        ({"games": 10**30}, "games=1000.* is not allowed: games is an int, 1 to 10000000"),
        ({"games": 10**5000}, "games=an int of"),
        ({"games": "4"}, "games='4'"),
        ({"games": [4]}, "games=.4. is not"),
        ({"games": float("nan")}, "games=nan"),
        ({"time_limit": 10**400}, "time_limit=1000"),
        ({"time_limit": [1]}, "time_limit=.1. is not allowed: time_limit is a number > 0"),
    ],
)
def test_a_mistake_is_named(change, message):
    arguments = {"game": "sphlag", "a": "random", "b": "random", **change}
    with pytest.raises(ValueError, match=message):
        play_match(**arguments)
    arguments.pop("games", None)
    if "games" not in change:
        with pytest.raises(ValueError, match=message):
            play_game(**arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"openings": "no"}, "openings='no' is not allowed: openings is True or False"),
        ({"early_stop": 1}, "early_stop=1"),
        ({"on_game": 3}, "on_game=3 is not allowed: on_game is a function, or None"),
    ],
)
def test_a_mistake_in_a_match_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        play_match("sphlag", "random", "random", **change)


@pytest.mark.parametrize("opening", [-1, 1.5, "3", 10**5000], ids=["-1", "1.5", "3", "huge"])
def test_a_wrong_opening_is_named(opening):
    with pytest.raises(ValueError, match="opening="):
        play_game("sphlag", "random", "random", opening=opening)


def test_an_odd_number_of_games_is_said():
    odd = play_match("sphlag", passes, passes, games=3, openings=False)
    assert "games=3 (player 0 in 2) wins" in repr(odd)
    even = play_match("sphlag", passes, passes, games=2, openings=False)
    assert "games=2 wins" in repr(even)


class Unprintable:
    """An answer without a text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        pytest.param(10**5000, "an int of 16610 bits", id="huge"),
        (Unprintable(), "a value of type Unprintable"),
        (np.array([0.5]), "array([0.5])"),
        (np.float64(3), "np.float64(3.0)"),
        ([[1] * 50, "a\nb"], "[[1, 1,"),
        (np.zeros(0), "array([], dtype=float64)"),
        (np.bool_(True), "np.True_"),
        ({"action": 1}, "{'action': 1}"),
    ],
)
def test_any_answer_is_recorded_in_words(answer, text):
    record = play_game("sphlag", Nth(1, answer), "random", seed=3)
    assert (record.reason, record.result) == ("illegal", (-1, 1))
    assert record.answer is not None and len(record.answer) <= 63
    assert record.answer.startswith(text) or not np.__version__.startswith("2")
    assert GameRecord.from_json(record.to_json()) == record


class Speechless(Exception):
    """An exception without a text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("error", [SystemExit(3), Speechless(), RecursionError("deep")])
def test_a_player_that_ends_the_program_ends_only_its_game(error):
    with pytest.raises(PlayerError, match=f"nth raised {type(error).__name__}") as caught:
        play_match("sphlag", "random", Nth(2, error), games=2)
    assert caught.value.player == "nth" and caught.value.result.games == 0


def test_a_player_that_cannot_prepare_is_named():
    class Unready(Nth):
        def prepare(self, game: Any) -> None:
            raise OSError("no weights")

    with pytest.raises(PlayerError, match="nth raised OSError: no weights") as caught:
        play_game("sphlag", "random", Unready(1, 0))
    assert caught.value.record.turns == ()


def test_who_cannot_play_the_game_is_refused_before_the_first_game():
    class Picky(Nth):
        def check(self, game: Any) -> None:
            raise ValueError(f"nth cannot play {game.name}")

    for call in (play_game, play_match):
        with pytest.raises(ValueError, match="nth cannot play sphlag"):
            call("sphlag", Picky(1, 0), "random")


@pytest.mark.parametrize("player", [None, 3, type(make_agent("random"))])
def test_what_cannot_play_is_a_type_error(player):
    with pytest.raises(TypeError, match="a player is"):
        play_match("sphlag", player, "random")
