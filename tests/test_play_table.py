"""A person at the window's table, without a window: choosing, undo, hint, resignation, records."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from registered import load

from ludarium import records
from ludarium.agents import make_agent
from ludarium.drawing.pointing import clicks, orders
from ludarium.play.agent_thread import Thinker
from ludarium.play.controller import Selection, Table
from ludarium.play.session import Session, agents_turn


class Patient:
    """An agent's thoughts that are answered when the test says so."""

    def __init__(self, agent: Any, name: str) -> None:
        self._agent, self._name = agent, name
        self.waiting: list[Any] = []
        self._ready: list[Any] = []
        self.asked = 0

    def ask(self, state: Any, rng: Any) -> int:
        self.asked += 1
        self.waiting.append((self.asked, state.clone(), rng))
        return self.asked

    def think(self) -> None:
        for number, state, rng in self.waiting:
            try:
                self._ready.append((number, agents_turn(self._agent, self._name, state, rng)))
            except Exception as error:
                self._ready.append((number, error))
        self.waiting = []

    def answers(self) -> Iterator[Any]:
        while self._ready:
            yield self._ready.pop(0)


class Sitting:
    """A table and what it said, kept and asked."""

    def __init__(self, game: Any, agent: Any = "random", seat: int = 0, **more: Any) -> None:
        self.said: list[str] = []
        self.kept: list[Any] = []
        self.begun = 0
        self.game, self.seat = game, seat
        name = agent if isinstance(agent, str) else agent.name
        agent = make_agent(agent) if isinstance(agent, str) else agent
        self.thinker = Patient(agent, name)

        def begin() -> Session:
            self.begun += 1
            return Session(game.new_initial_state(self.begun), name, seat, self.begun)

        rng, hint_rng = np.random.default_rng(1), np.random.default_rng(2)
        keep = lambda session: self.kept.append(session.record())  # noqa: E731
        self.table = Table(
            begin, self.thinker, rng, hint_rng, keep, self.said.append, **{"pause": 0, **more}
        )

    @property
    def state(self) -> Any:
        return self.table.session.state

    def agent(self) -> None:
        """Let the agent think, and its answer be heeded."""
        self.thinker.think()
        self.table.heed()

    def click(self, action: int, choose: random.Random | None = None) -> None:
        """Click all places of an action, in any of the orders allowed."""
        ways = list(orders(clicks(self.state)[action]))
        for place in choose.choice(ways) if choose else ways[0]:
            self.table.click(place.x, place.y)

    def turn(self, choose: random.Random) -> None:
        """Play a random turn of the person's, all but a pass by clicks."""
        number = self.state.turn_number()
        while self.table.session.persons_turn and self.state.turn_number() == number:
            ways = clicks(self.state)
            action = choose.choice([a for a, way in ways.items() if way] or list(ways))
            expected = self.state.child(action)
            if ways[action]:
                self.click(action, choose)
            else:
                self.table.press("pass")
            assert self.state == expected

    def works(self) -> set[str]:
        return {button.name for button in self.table.buttons() if button.works}


def play(sitting: Sitting, choose: random.Random, turns: int) -> None:
    while turns and not sitting.table.session.over:
        if sitting.table.session.persons_turn:
            sitting.turn(choose)
            turns -= 1
        else:
            sitting.agent()
    if not sitting.table.session.over and not sitting.table.session.persons_turn:
        sitting.agent()


# ---------------------------------------------------------------- playing


@pytest.mark.parametrize("seat", [0, 1])
def test_every_action_can_be_clicked(name: str, seat: int) -> None:
    for seed in range(3):
        sitting = Sitting(load(name, max_turns=60), seat=seat)
        play(sitting, random.Random(seed), 100)
        assert sitting.table.session.over
        assert sitting.said[-1] == sitting.table.session.result()
        sitting.table.leave()
        (record,) = sitting.kept
        *_, last = records.replay(record)
        assert last == sitting.state
        assert record.players[seat] == "human"
        told = [line.rpartition(" ")[2] for line in sitting.said[:-1]]
        assert tuple(told) == record.turns
        assert [line.startswith("You play") for line in sitting.said[:2]] == [not seat, bool(seat)]


def test_nothing_happens_where_nothing_can_be_clicked(game: Any) -> None:
    sitting = Sitting(game)
    for x, y in ((-5.0, -5.0), (1000.0, 3.0), (0.0, 0.0)):
        changes = sitting.table.changes
        sitting.table.click(x, y)
        assert sitting.state.history() == []
        assert sitting.table.changes == changes


def test_no_clicks_while_the_agent_thinks(game: Any) -> None:
    sitting = Sitting(game, seat=1)
    before = sitting.state.clone()
    assert sitting.table.thinking and "random is thinking" in sitting.table.line()
    for place in {p for way in clicks(sitting.state).values() for p in way}:
        sitting.table.click(place.x, place.y)
    sitting.table.press("pass")
    sitting.table.press("hint")
    assert sitting.state == before and sitting.thinker.asked == 1
    assert sitting.works() == {"resign", "new"}
    sitting.agent()
    assert sitting.table.session.persons_turn
    assert "Your turn: click" in sitting.table.line()


def test_the_persons_turn_is_seen_before_the_answer(game: Any) -> None:
    now = [0.0]
    sitting = Sitting(game, seat=1, pause=0.5, clock=lambda: now[0])
    sitting.agent()
    assert sitting.table.thinking
    now[0] = 0.6
    sitting.table.heed()
    assert not sitting.table.thinking


def test_pass_only_where_it_is_legal(game: Any) -> None:
    sitting = Sitting(game)
    passes = [action for action, way in clicks(sitting.state).items() if not way]
    assert ("pass" in sitting.works()) == bool(passes)
    before = sitting.state.clone()
    sitting.table.press("pass")
    assert sitting.state == (before.child(passes[0]) if passes else before)


# ---------------------------------------------------------------- taking back


@pytest.mark.parametrize("seat", [0, 1])
def test_undo_goes_to_where_the_persons_last_turn_began(name: str, seat: int) -> None:
    sitting, choose, seen = Sitting(load(name), seat=seat), random.Random(5), []
    while len(seen) < 6 and not sitting.table.session.over:
        if sitting.table.session.persons_turn:
            seen.append(sitting.state.clone())
            sitting.turn(choose)
        else:
            sitting.agent()
    while seen:
        assert "undo" in sitting.works()
        sitting.table.press("undo")
        expected = seen.pop()
        assert sitting.state == expected and sitting.state.history() == expected.history()
        assert sitting.table.session.persons_turn and not sitting.table.thinking
    assert "undo" not in sitting.works()
    before = sitting.state.clone()
    sitting.table.press("undo")
    assert sitting.state == before


def test_undo_while_the_agent_thinks_makes_its_answer_void(game: Any) -> None:
    sitting = Sitting(game)
    before = sitting.state.clone()
    sitting.turn(random.Random(1))
    assert sitting.table.thinking
    sitting.table.press("undo")
    sitting.agent()  # answers the question that was asked before
    assert sitting.state == before
    sitting.turn(random.Random(2))
    sitting.agent()
    assert len(records.GameRecord.from_state(sitting.state).turns) == 2


def half_made(name: str) -> tuple[Sitting, Any] | None:
    """Return a sitting in the middle of a turn of the person's, and the state it began in."""
    sitting, choose = Sitting(load(name)), random.Random(3)
    for _ in range(200):
        if sitting.table.session.over:
            return None
        if not sitting.table.session.persons_turn:
            sitting.agent()
            continue
        for action in sitting.state.legal_actions():
            before = sitting.state.clone()
            after = before.child(action)
            if after.turn_number() == before.turn_number() and not after.is_terminal():
                sitting.click(action)
                assert sitting.state == after
                return sitting, before
        sitting.turn(choose)
    return None


@pytest.mark.parametrize("button", ["undo", "cancel"])
def test_a_half_made_turn_is_taken_back(name: str, button: str) -> None:
    found = half_made(name)
    stages = len(load(name).stages)
    assert (found is None) == (stages == 1), "games whose turns are one action have none"
    if found is not None:
        sitting, before = found
        assert sitting.table.session.half_made
        sitting.table.press(button)
        assert sitting.state == before and not sitting.table.session.half_made


def test_choosing_anew(game: Any) -> None:
    sitting, choose = Sitting(game), random.Random(1)
    for _ in range(30):
        selection = Selection(sitting.state)
        pieces = [p for p in selection.choices() if p in selection.pieces()]
        if len(pieces) > 1:
            break
        play(sitting, choose, 1)
    one, two = pieces[:2]
    table, before = sitting.table, sitting.state.clone()
    assert table.selection is not None

    def begun() -> Any:
        """Return what the person has chosen, places or the first action of a turn."""
        assert table.selection is not None
        return table.selection.chosen or tuple(sitting.state.history()[len(before.history()) :])

    table.click(one.x, one.y)
    first = begun()
    assert first
    if two not in table.selection.choices():  # where the other piece is no landing of the one
        table.click(two.x, two.y)
        assert begun() and begun() != first
    table.press("cancel")
    assert begun() == () and sitting.state == before
    assert table.selection.choices() == Selection(before).choices()
    if any(len(way) > 1 for way in clicks(before).values()):
        table.click(one.x, one.y)
        table.click(-3.0, -3.0)
        assert begun() == (), "a click beside everything chooses nothing any more"


# ---------------------------------------------------------------- hints


def test_a_hint_shows_the_agents_turn_and_plays_nothing(name: str) -> None:
    sitting = Sitting(load(name), "greedy")
    play(sitting, random.Random(4), 4)
    before = sitting.state.clone()
    sitting.table.press("hint")
    assert sitting.table.thinking and "thinking of a hint" in sitting.table.line()
    sitting.table.press("hint")  # one question is enough
    assert len(sitting.thinker.waiting) == 1
    expected = agents_turn(make_agent("greedy"), "g", before, np.random.default_rng(2))
    sitting.agent()
    assert sitting.state == before
    text, now = "", before.clone()
    places: list[Any] = []
    for action in expected:
        text += now.action_to_string(action)
        places += clicks(now)[action]
        now.apply_action(action)
    assert sitting.table.line() == f"Hint: greedy would play {text}"
    assert sitting.table.hint == places
    for place in places:  # whoever follows it plays it
        sitting.table.click(place.x, place.y)
    assert sitting.state == now
    assert sitting.table.hint == []


def test_hints_change_nothing_of_the_game(name: str) -> None:
    games = []
    for asks in (False, True):
        sitting = Sitting(load(name, max_turns=12))
        choose = random.Random(9)
        while not sitting.table.session.over:
            if asks and sitting.table.session.persons_turn:
                sitting.table.press("hint")
                sitting.agent()
            play(sitting, choose, 1)
        games.append(sitting.state.history())
    assert games[0] == games[1]


# ---------------------------------------------------------------- ends


def test_resigning(game: Any) -> None:
    for seat in (0, 1):
        sitting = Sitting(game, seat=seat)
        if seat:
            sitting.agent()
        sitting.turn(random.Random(1))
        sitting.agent()
        before = sitting.state.clone()
        sitting.table.press("resign")
        assert sitting.table.session.over and "You have resigned" in sitting.table.line()
        assert sitting.works() == {"undo", "new"}
        record = sitting.table.session.record()
        assert record.result == ((-1.0, 1.0) if seat == 0 else (1.0, -1.0))
        assert record.reason == "resigned"
        assert records.GameRecord.from_json(record.to_json()) == record
        *_, last = records.replay(record)
        assert last == before
        sitting.table.press("undo")
        assert sitting.table.session.persons_turn and sitting.state == before
        assert sitting.table.session.record().reason == "unfinished"


def test_a_new_game_keeps_the_record_of_the_one_before(game: Any) -> None:
    sitting = Sitting(game)
    sitting.turn(random.Random(1))
    sitting.table.press("new")
    assert [record.reason for record in sitting.kept] == ["unfinished"]
    assert sitting.state.history() == [] and sitting.begun == 2
    sitting.agent()  # what was asked in the game before
    assert sitting.state.history() == []
    sitting.table.press("new")
    assert len(sitting.kept) == 1, "nothing happened in the second"
    sitting.turn(random.Random(1))
    sitting.table.leave()
    sitting.table.leave()
    assert len(sitting.kept) == 2 and sitting.kept[1].seed == 3


def test_a_game_in_which_nothing_happened_is_kept_if_it_is_all(game: Any) -> None:
    sitting = Sitting(game)
    sitting.table.leave()
    assert [record.turns for record in sitting.kept] == [()]


class Odd:
    """An agent that answers or raises badly."""

    name = "odd"

    def __init__(self, answer: Callable[[], int]) -> None:
        self.answer = answer

    def select_action(self, state: Any, rng: Any) -> int:
        return self.answer()


def test_an_illegal_answer_loses(game: Any) -> None:
    sitting = Sitting(game, Odd(lambda: -3))
    sitting.turn(random.Random(1))
    sitting.agent()
    assert sitting.table.line().startswith("odd answered an illegal action: you win.")
    record = sitting.table.session.record()
    assert (record.result, record.reason) == ((1.0, -1.0), "illegal")


def test_an_agent_that_raises_loses_nothing(game: Any) -> None:
    sitting = Sitting(game, Odd(lambda: 1 // 0))
    before = sitting.state.clone()
    sitting.turn(random.Random(1))
    sitting.agent()
    assert sitting.table.error.startswith("odd raised ZeroDivisionError")
    assert sitting.table.line() == sitting.table.error
    assert sitting.works() == {"undo", "resign", "new"}
    sitting.table.press("undo")
    assert sitting.table.error == "" and sitting.state == before
    sitting.table.press("hint")
    sitting.agent()
    assert "ZeroDivisionError" in sitting.table.line() and sitting.table.session.persons_turn


def test_a_button_that_is_not_there(game: Any) -> None:
    with pytest.raises(ValueError, match="no button 'castle'"):
        Sitting(game).table.press("castle")


# ---------------------------------------------------------------- the thread


def test_the_thread_answers_in_order_and_never_waits(game: Any) -> None:
    free = threading.Event()

    class Slow:
        def select_action(self, state: Any, rng: Any) -> int:
            free.wait()
            return int(state.legal_actions()[0])

    thinker = Thinker(Slow(), "slow")
    state = game.new_initial_state(1)
    numbers = [thinker.ask(state, np.random.default_rng(1)) for _ in range(3)]
    assert list(thinker.answers()) == []
    free.set()
    found: list[Any] = []
    while len(found) < 3:
        found += thinker.answers()
        time.sleep(0.01)
    assert [number for number, _ in found] == numbers
    assert all(answer[0] == state.legal_actions()[0] for _, answer in found)
    thinker.close()
    thinker._thread.join(60)
    assert not thinker._thread.is_alive()


def test_what_an_agent_raises_when_it_is_made_ready_is_an_answer(game: Any) -> None:
    class Unready(Odd):
        def prepare(self, game: Any) -> None:
            raise RuntimeError("no kernels")

    thinker = Thinker(Unready(lambda: 0), "unready")
    thinker.ask(game.new_initial_state(1), np.random.default_rng(1))
    while not (found := list(thinker.answers())):
        time.sleep(0.01)
    assert isinstance(found[0][1], RuntimeError)
    thinker.close()
