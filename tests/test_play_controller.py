"""The controller of the window, without a window: choosing, undo, hint, resignation, records."""

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
from ludarium.play.agent_thread import AgentThread
from ludarium.play.controller import Controller, Selection
from ludarium.play.session import Session, agents_turn


class ManualAgentThread:
    """A stand-in for `AgentThread` that answers when `think` is called."""

    def __init__(self, agent: Any, name: str) -> None:
        self._agent, self._name = agent, name
        self.waiting: list[Any] = []
        self._ready: list[Any] = []
        self.asked = self.stopped = self.discarded = 0
        self.can_stop = hasattr(agent, "stop_event")

    def ask(self, state: Any, rng: Any) -> int:
        self.asked += 1
        self.waiting.append((self.asked, state.clone(), rng))
        return self.asked

    def stop(self) -> None:
        self.stopped = self.asked

    def discard(self) -> None:
        self.discarded = self.asked

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


class ControllerHarness:
    """A controller, with what it announced and saved."""

    def __init__(self, game: Any, agent: Any = "random", seat: int = 0, **more: Any) -> None:
        self.said: list[str] = []
        self.kept: list[Any] = []
        self.begun = 0
        self.game, self.seat = game, seat
        name = agent if isinstance(agent, str) else agent.name
        agent = make_agent(agent) if isinstance(agent, str) else agent
        self.agent_thread = ManualAgentThread(agent, name)

        def begin() -> Session:
            self.begun += 1
            return Session(game.new_initial_state(self.begun), name, seat, self.begun)

        rng, hint_rng = np.random.default_rng(1), np.random.default_rng(2)
        keep = lambda session: self.kept.append(session.record())  # noqa: E731
        self.controller = Controller(
            begin(),
            begin,
            self.agent_thread,
            rng,
            hint_rng,
            keep,
            self.said.append,
            **{"pause": 0, **more},
        )

    @property
    def state(self) -> Any:
        return self.controller.session.state

    def agent(self) -> None:
        """Let the agent answer, and the controller apply the answer."""
        self.agent_thread.think()
        self.controller.poll()

    def click(self, action: int, choose: random.Random | None = None) -> None:
        """Click all targets of an action, in any of the allowed orders."""
        ways = list(orders(clicks(self.state)[action]))
        for place in choose.choice(ways) if choose else ways[0]:
            self.controller.click(place.x, place.y)

    def turn(self, choose: random.Random) -> None:
        """Play a random turn of the person, by clicks unless it is a pass."""
        number = self.state.turn_number()
        while self.controller.session.persons_turn and self.state.turn_number() == number:
            ways = clicks(self.state)
            action = choose.choice([a for a, way in ways.items() if way] or list(ways))
            expected = self.state.child(action)
            if ways[action]:
                self.click(action, choose)
            else:
                self.controller.press("pass")
            assert self.state == expected

    def turn_on(self, turned: bool) -> None:
        """Play a first turn of the person, by clicks on a board that is turned or not."""
        number = self.state.turn_number()
        while self.controller.session.persons_turn and self.state.turn_number() == number:
            way = next(way for way in clicks(self.state, turned).values() if way)
            for place in way:
                self.controller.click(place.x, place.y)

    def resign(self) -> None:
        """Press the button, and press it again as it asks."""
        for asked in ("resign", ""):
            self.controller.press("resign")
            assert self.controller.asked == asked

    def enabled(self) -> set[str]:
        return {button.name for button in self.controller.buttons() if button.enabled}


def play(harness: ControllerHarness, choose: random.Random, turns: int) -> None:
    while turns and not harness.controller.session.over:
        if harness.controller.session.persons_turn:
            harness.turn(choose)
            turns -= 1
        else:
            harness.agent()
    if not harness.controller.session.over and not harness.controller.session.persons_turn:
        harness.agent()


# ---------------------------------------------------------------- playing


@pytest.mark.parametrize("seat", [0, 1])
def test_every_action_can_be_clicked(name: str, seat: int) -> None:
    for seed in range(3):
        harness = ControllerHarness(load(name, max_turns=60), seat=seat)
        play(harness, random.Random(seed), 100)
        assert harness.controller.session.over
        assert harness.said[-1] == harness.controller.session.result()
        harness.controller.save_record()
        (record,) = harness.kept
        *_, last = records.replay(record)
        assert last == harness.state
        assert record.players[seat] == "human"
        told = [line.rpartition(" ")[2] for line in harness.said[:-1]]
        assert tuple(told) == record.turns
        assert [line.startswith("You play") for line in harness.said[:2]] == [not seat, bool(seat)]


def test_clicks_outside_every_target_do_nothing(game: Any) -> None:
    harness = ControllerHarness(game)
    for x, y in ((-5.0, -5.0), (1000.0, 3.0), (0.0, 0.0)):
        changes = harness.controller.revision
        harness.controller.click(x, y)
        assert harness.state.history() == []
        assert harness.controller.revision == changes


def test_clicks_are_ignored_while_the_agent_thinks(game: Any) -> None:
    harness = ControllerHarness(game, seat=1)
    before = harness.state.clone()
    assert harness.controller.thinking and "random is thinking" in harness.controller.status()
    for place in {p for way in clicks(harness.state).values() for p in way}:
        harness.controller.click(place.x, place.y)
    harness.controller.press("pass")
    harness.controller.press("hint")
    assert harness.state == before and harness.agent_thread.asked == 1
    assert harness.enabled() == {"resign", "new"}
    harness.agent()
    assert harness.controller.session.persons_turn
    assert "Your turn: click" in harness.controller.status()


def test_the_agents_answer_waits_for_the_pause(game: Any) -> None:
    now = [0.0]
    harness = ControllerHarness(game, seat=1, pause=0.5, clock=lambda: now[0])
    harness.agent()
    assert harness.controller.thinking
    now[0] = 0.6
    harness.controller.poll()
    assert not harness.controller.thinking


def test_pass_is_enabled_only_where_it_is_legal(game: Any) -> None:
    harness = ControllerHarness(game)
    passes = [action for action, way in clicks(harness.state).items() if not way]
    assert ("pass" in harness.enabled()) == bool(passes)
    before = harness.state.clone()
    harness.controller.press("pass")
    assert harness.state == (before.child(passes[0]) if passes else before)


# ---------------------------------------------------------------- taking back


@pytest.mark.parametrize("seat", [0, 1])
def test_undo_returns_to_the_start_of_the_persons_last_turn(name: str, seat: int) -> None:
    harness, choose, seen = ControllerHarness(load(name), seat=seat), random.Random(5), []
    while len(seen) < 6 and not harness.controller.session.over:
        if harness.controller.session.persons_turn:
            seen.append(harness.state.clone())
            harness.turn(choose)
        else:
            harness.agent()
    while seen:
        assert "undo" in harness.enabled()
        harness.controller.press("undo")
        expected = seen.pop()
        assert harness.state == expected and harness.state.history() == expected.history()
        assert harness.controller.session.persons_turn and not harness.controller.thinking
    assert "undo" not in harness.enabled()
    before = harness.state.clone()
    harness.controller.press("undo")
    assert harness.state == before


def test_undo_while_the_agent_thinks_discards_its_answer(game: Any) -> None:
    harness = ControllerHarness(game)
    before = harness.state.clone()
    harness.turn(random.Random(1))
    assert harness.controller.thinking
    harness.controller.press("undo")
    harness.agent()  # answers the discarded question
    assert harness.state == before
    harness.turn(random.Random(2))
    harness.agent()
    assert len(records.GameRecord.from_state(harness.state).turns) == 2


def half_made(name: str) -> tuple[ControllerHarness, Any] | None:
    """Return a harness with a half-made turn of the person, and the state before it."""
    harness, choose = ControllerHarness(load(name)), random.Random(3)
    for _ in range(200):
        if harness.controller.session.over:
            return None
        if not harness.controller.session.persons_turn:
            harness.agent()
            continue
        for action in harness.state.legal_actions():
            before = harness.state.clone()
            after = before.child(action)
            if after.turn_number() == before.turn_number() and not after.is_terminal():
                harness.click(action)
                assert harness.state == after
                return harness, before
        harness.turn(choose)
    return None


@pytest.mark.parametrize("button", ["undo", "cancel"])
def test_a_half_made_turn_is_taken_back(name: str, button: str) -> None:
    found = half_made(name)
    stages = len(load(name).stages)
    assert (found is None) == (stages == 1), "games whose turns are one action have none"
    if found is not None:
        harness, before = found
        assert harness.controller.session.half_made
        harness.controller.press(button)
        assert harness.state == before and not harness.controller.session.half_made


def test_another_piece_can_be_chosen_instead(game: Any) -> None:
    harness, choose = ControllerHarness(game), random.Random(1)
    for _ in range(30):
        selection = Selection(harness.state)
        pieces = [p for p in selection.next_targets() if p in selection.pieces()]
        if len(pieces) > 1:
            break
        play(harness, choose, 1)
    one, two = pieces[:2]
    controller, before = harness.controller, harness.state.clone()
    assert controller.selection is not None

    def begun() -> Any:
        """Return the chosen targets, or the first action of a half-made turn."""
        assert controller.selection is not None
        return controller.selection.chosen or tuple(
            harness.state.history()[len(before.history()) :]
        )

    controller.click(one.x, one.y)
    first = begun()
    assert first
    if two not in controller.selection.next_targets():  # two may be a landing of one
        controller.click(two.x, two.y)
        assert begun() and begun() != first
    controller.press("cancel")
    assert begun() == () and harness.state == before
    assert controller.selection.next_targets() == Selection(before).next_targets()
    if any(len(way) > 1 for way in clicks(before).values()):
        controller.click(one.x, one.y)
        controller.click(-3.0, -3.0)
        assert begun() == (), "a click outside every target clears the selection"


# ---------------------------------------------------------------- hints


def test_a_hint_shows_the_agents_turn_without_playing_it(name: str) -> None:
    harness = ControllerHarness(load(name), "greedy")
    play(harness, random.Random(4), 4)
    before = harness.state.clone()
    harness.controller.press("hint")
    assert harness.controller.thinking and "thinking of a hint" in harness.controller.status()
    harness.controller.press("hint")  # a second question is not asked
    assert len(harness.agent_thread.waiting) == 1
    expected = agents_turn(make_agent("greedy"), "g", before, np.random.default_rng(2))
    harness.agent()
    assert harness.state == before
    text, now = "", before.clone()
    places: list[Any] = []
    for action in expected:
        text += now.action_to_string(action)
        places += clicks(now)[action]
        now.apply_action(action)
    assert harness.controller.status() == f"Hint: greedy would play {text}"
    assert harness.controller.hint == places
    for place in places:  # clicking the hint plays it
        harness.controller.click(place.x, place.y)
    assert harness.state == now
    assert harness.controller.hint == []


def test_hints_leave_the_game_unchanged(name: str) -> None:
    games = []
    for asks in (False, True):
        harness = ControllerHarness(load(name, max_turns=12))
        choose = random.Random(9)
        while not harness.controller.session.over:
            if asks and harness.controller.session.persons_turn:
                harness.controller.press("hint")
                harness.agent()
            play(harness, choose, 1)
        games.append(harness.state.history())
    assert games[0] == games[1]


# ---------------------------------------------------------------- ends


def test_resign(game: Any) -> None:
    for seat in (0, 1):
        harness = ControllerHarness(game, seat=seat)
        if seat:
            harness.agent()
        harness.turn(random.Random(1))
        harness.agent()
        before = harness.state.clone()
        harness.resign()
        assert (
            harness.controller.session.over and "You have resigned" in harness.controller.status()
        )
        assert harness.enabled() == {"undo", "new"}
        record = harness.controller.session.record()
        assert record.result == ((-1.0, 1.0) if seat == 0 else (1.0, -1.0))
        assert record.reason == "resigned"
        assert records.GameRecord.from_json(record.to_json()) == record
        *_, last = records.replay(record)
        assert last == before
        harness.controller.press("undo")
        assert harness.controller.session.persons_turn and harness.state == before
        assert harness.controller.session.record().reason == "unfinished"


def test_a_new_game_saves_the_previous_record(game: Any) -> None:
    harness = ControllerHarness(game)
    harness.turn(random.Random(1))
    harness.controller.press("new")
    assert harness.kept == [] and "Press New game or N again" in harness.controller.status()
    harness.controller.press("new")
    assert [record.reason for record in harness.kept] == ["unfinished"]
    assert harness.state.history() == [] and harness.begun == 2
    harness.agent()  # answers a question of the previous game
    assert harness.state.history() == []
    harness.controller.press("new")
    assert len(harness.kept) == 1, "the second game is empty"
    harness.turn(random.Random(1))
    harness.controller.save_record()
    harness.controller.save_record()
    assert len(harness.kept) == 2 and harness.kept[1].seed == 3


def test_no_single_press_loses_a_running_game(game: Any) -> None:
    """Resign, new game and quit ask; whatever else the person does withdraws the question."""
    harness = ControllerHarness(game)
    controller = harness.controller
    harness.turn(random.Random(1))
    harness.agent()
    before, words = harness.state.clone(), {"resign": "Resign or R", "new": "N", "quit": "Q"}
    others: dict[str, Callable[[], None]] = {
        "cancel": lambda: controller.press("cancel"),
        "click": lambda: controller.click(-5.0, -5.0),
        "hint": lambda: controller.press("hint"),
    }
    for name in words:
        for other, answer in others.items():
            changes = controller.revision
            controller.press(name)
            assert controller.asked == name and controller.revision > changes
            assert f"{words[name]} again" in controller.status()
            asked = [button.name for button in controller.buttons() if button.asked]
            assert asked == ([] if name == "quit" else [name])
            answer()
            assert controller.asked == "" and "again" not in controller.status(), other
            assert harness.state == before and not controller.session.over
            harness.agent()
    controller.press("resign")
    controller.press("new")  # another question takes its place
    assert controller.asked == "new" and not controller.session.over
    controller.press("resign")
    controller.press("resign")
    assert controller.session.resigned and controller.asked == ""
    controller.press("undo")
    assert not controller.session.over and harness.state == before
    controller.press("quit")
    assert not controller.quitting
    controller.press("quit")
    assert controller.quitting


def test_nothing_is_asked_where_nothing_is_lost(game: Any) -> None:
    harness = ControllerHarness(game)
    harness.controller.press("new")
    assert harness.begun == 2, "nothing was played"
    harness.turn(random.Random(1))
    harness.agent()
    harness.resign()
    harness.controller.press("new")
    assert harness.begun == 3, "the game is over"
    harness.controller.press("quit")
    assert harness.controller.quitting


def test_a_question_outlives_the_agents_answer_but_not_the_game(game: Any) -> None:
    harness = ControllerHarness(game)
    harness.turn(random.Random(1))
    harness.controller.press("resign")
    harness.agent()
    assert harness.controller.asked == "resign" and harness.controller.session.persons_turn
    harness = ControllerHarness(game, FaultyAgent(lambda: -3))
    harness.turn(random.Random(1))
    harness.controller.press("new")
    harness.agent()  # the illegal answer ends the game
    assert harness.controller.asked == "" and harness.controller.session.over


# ---------------------------------------------------------------- under the mouse


def test_the_target_under_the_mouse_is_marked(game: Any) -> None:
    harness = ControllerHarness(game)
    controller = harness.controller
    while not any(len(way) > 1 for way in clicks(harness.state).values()):
        harness.click(next(action for action, way in clicks(harness.state).items() if way))
        if not controller.session.persons_turn:
            harness.agent()
    before = harness.state.clone()
    action, way = next((a, way) for a, way in clicks(before).items() if len(way) > 1)
    for number, place in enumerate(way):
        changes = controller.revision
        controller.hover(place.x, place.y)
        assert controller.hovered == place and controller.revision == changes + 1
        controller.hover(place.x, place.y)
        assert controller.revision == changes + 1, "nothing has changed"
        last = number == len(way) - 1
        assert controller.preview == (before.child(action) if last else None)
        assert harness.state == before, "the mouse plays nothing"
        controller.hover(-5.0, -5.0)
        assert controller.hovered is None and controller.preview is None
        controller.click(place.x, place.y)
    assert harness.state == before.child(action) and controller.hovered is None


def test_hovering_marks_what_a_click_would_choose(name: str) -> None:
    """Wherever the mouse is, the preview is the position after the click."""
    harness, choose = ControllerHarness(load(name, max_turns=40)), random.Random(2)
    controller, previews = harness.controller, 0
    while not controller.session.over:
        if not controller.session.persons_turn:
            harness.agent()
            assert controller.hovered is None
            continue
        places = [place for way in clicks(harness.state).values() for place in way]
        if not places or choose.random() < 0.2:
            if controller.selection is not None and controller.selection.chosen:
                controller.press("cancel")
            harness.turn(choose)
            continue
        place = choose.choice(places)
        controller.hover(place.x, place.y)
        preview, hovered = controller.preview, controller.hovered
        assert controller.selection is not None
        chosen, half_made = controller.selection.chosen, controller.session.half_made
        controller.click(place.x, place.y)
        if preview is not None:
            previews += 1
            assert harness.state == preview
        elif controller.session.persons_turn and not half_made:
            assert controller.selection.chosen[-1:] == ((hovered,) if hovered else ()), chosen
    assert previews > 5


def test_another_piece_of_a_half_made_turn_is_marked(name: str) -> None:
    found = half_made(name)
    if found is None:
        assert len(load(name).stages) == 1
        return
    harness, before = found
    controller = harness.controller
    assert controller.selection is not None
    after = controller.selection.next_targets()
    selection = Selection(before)
    others = [p for p in selection.pieces() if p not in after and selection.action_of((p,))]
    for place in others:
        controller.hover(place.x, place.y)
        assert controller.hovered == place and controller.preview is None
    one_click = any(len(way) == 1 for way in clicks(before).values())
    assert bool(others) == one_click, "an action of two clicks is not replaced by one"


def test_nothing_is_marked_while_the_agent_thinks(game: Any) -> None:
    harness = ControllerHarness(game, seat=1)
    changes = harness.controller.revision
    for place in {p for way in clicks(harness.state).values() for p in way}:
        harness.controller.hover(place.x, place.y)
    assert harness.controller.hovered is None and harness.controller.revision == changes


# ---------------------------------------------------------------- a turned board


@pytest.mark.parametrize("seat", [0, 1])
def test_games_are_clicked_on_a_turned_board(name: str, seat: int) -> None:
    """Each action by its targets, on a board that is flipped in the middle of the game."""
    harness = ControllerHarness(load(name, max_turns=40), seat=seat, orientation=1)
    controller, choose = harness.controller, random.Random(4)
    assert controller.turned
    while not controller.session.over:
        if not controller.session.persons_turn:
            harness.agent()
            continue
        if harness.state.turn_number() in (10, 11):
            controller.press("flip")
            assert not controller.turned
        ways = clicks(harness.state, controller.turned)
        action = choose.choice([a for a, way in ways.items() if way] or list(ways))
        expected = harness.state.child(action)
        for place in choose.choice(list(orders(ways[action]))):
            controller.click(place.x, place.y)
        if not ways[action]:
            controller.press("pass")
        assert harness.state == expected
        if not controller.turned:
            controller.press("flip")


def test_the_mover_is_at_the_bottom(name: str) -> None:
    harness = ControllerHarness(load(name), orientation="mover")
    for _ in range(8):
        assert harness.controller.turned == (harness.state.current_player() == 1)
        if harness.controller.session.persons_turn:
            harness.turn_on(harness.controller.turned)
        else:
            harness.agent()
    with pytest.raises(ValueError, match="orientation is 0, 1 or 'mover'"):
        ControllerHarness(load(name), orientation=3)


def test_flipping_keeps_the_game_and_the_hint(name: str) -> None:
    harness = ControllerHarness(load(name), "greedy")
    play(harness, random.Random(4), 4)
    controller, before = harness.controller, harness.state.clone()
    controller.press("hint")
    harness.agent()
    status, hint = controller.status(), list(controller.hint)
    changes = controller.revision
    controller.press("flip")
    assert controller.turned and controller.revision > changes
    assert harness.state == before and controller.status() == status
    assert [p.x for p in controller.hint] == [p.x for p in hint]
    assert [p.y - 2 * p.lift for p in controller.hint] == pytest.approx([p.y for p in hint])
    for place in controller.hint:  # clicking the hint plays it
        controller.click(place.x, place.y)
    assert harness.state != before
    controller.press("flip")
    assert not controller.turned


# ---------------------------------------------------------------- searches that are broken off


class Searching:
    """An agent that can be stopped, for `ManualAgentThread`."""

    name = "searching"
    stop_event = None

    def select_action(self, state: Any, rng: Any) -> int:
        return int(state.legal_actions()[0])


def test_the_agent_is_told_to_move_now(game: Any) -> None:
    harness = ControllerHarness(game, Searching(), seat=1)
    assert harness.enabled() == {"stop", "resign", "new"}
    harness.controller.press("stop")
    assert harness.agent_thread.stopped == 1 and harness.controller.thinking
    harness.agent()
    assert harness.controller.session.persons_turn and "stop" not in harness.enabled()
    harness.controller.press("stop")  # nothing to stop
    harness.controller.press("hint")
    assert harness.agent_thread.stopped == 1 and "stop" in harness.enabled()
    harness.controller.press("stop")
    assert harness.agent_thread.stopped == 2
    harness.agent()
    assert harness.controller.hint


@pytest.mark.parametrize("button", ["undo", "new"])
def test_undo_and_new_game_break_a_search_off(game: Any, button: str) -> None:
    harness = ControllerHarness(game, Searching())
    harness.turn(random.Random(1))
    asked = harness.agent_thread.asked
    assert harness.agent_thread.discarded == 0
    harness.controller.press(button)
    harness.controller.press(button)
    assert harness.agent_thread.discarded == asked == harness.agent_thread.asked
    assert not harness.controller.thinking


def test_answers_are_not_broken_off(game: Any) -> None:
    harness = ControllerHarness(game, Searching())
    play(harness, random.Random(1), 5)
    assert harness.agent_thread.discarded == 0


# ---------------------------------------------------------------- the list of turns


@pytest.mark.parametrize("seat", [0, 1])
def test_the_turns_of_a_session(name: str, seat: int) -> None:
    harness = ControllerHarness(load(name, max_turns=20), seat=seat)
    play(harness, random.Random(3), 100)
    turns = harness.controller.session.turns()
    assert tuple(text for _, _, text in turns) == harness.controller.session.record().turns
    assert [number for number, _, _ in turns] == list(range(1, len(turns) + 1))
    assert [player for _, player, _ in turns] == [n % 2 for n in range(len(turns))]
    harness.controller.press("undo")
    assert harness.controller.session.turns() == turns[: len(harness.controller.session.turns())]
    assert len(harness.controller.session.turns()) < len(turns)


def test_a_game_in_which_nothing_was_played_is_not_saved(game: Any) -> None:
    harness = ControllerHarness(game)
    harness.controller.save_record()
    assert harness.kept == [] and not harness.controller.recorded
    harness.controller.press("resign")
    harness.controller.press("resign")  # it asks once more
    harness.controller.save_record()
    assert [record.reason for record in harness.kept] == ["resigned"]
    assert harness.controller.recorded


class FaultyAgent:
    """An agent that answers illegal actions or raises."""

    name = "odd"

    def __init__(self, answer: Callable[[], int]) -> None:
        self.answer = answer

    def select_action(self, state: Any, rng: Any) -> int:
        return self.answer()


def test_an_illegal_answer_loses(game: Any) -> None:
    harness = ControllerHarness(game, FaultyAgent(lambda: -3))
    harness.turn(random.Random(1))
    harness.agent()
    assert harness.controller.status().startswith("odd answered an illegal action: you win.")
    record = harness.controller.session.record()
    assert (record.result, record.reason) == ((1.0, -1.0), "illegal")


def test_an_agent_that_raises_leaves_the_game_playable(game: Any) -> None:
    harness = ControllerHarness(game, FaultyAgent(lambda: 1 // 0))
    before = harness.state.clone()
    harness.turn(random.Random(1))
    harness.agent()
    assert harness.controller.error.startswith("odd raised ZeroDivisionError")
    assert harness.controller.status() == harness.controller.error
    assert harness.enabled() == {"undo", "resign", "new"}
    harness.controller.press("undo")
    assert harness.controller.error == "" and harness.state == before
    harness.controller.press("hint")
    harness.agent()
    assert (
        "ZeroDivisionError" in harness.controller.status()
        and harness.controller.session.persons_turn
    )


def test_rejects_unknown_buttons(game: Any) -> None:
    with pytest.raises(ValueError, match="no button 'castle'; the buttons are undo, hint, stop"):
        ControllerHarness(game).controller.press("castle")


# ---------------------------------------------------------------- the thread


def test_the_thread_answers_in_order_without_blocking(game: Any) -> None:
    free = threading.Event()

    class Slow:
        def select_action(self, state: Any, rng: Any) -> int:
            free.wait()
            return int(state.legal_actions()[0])

    agent_thread = AgentThread(Slow(), "slow")
    state = game.new_initial_state(1)
    numbers = [agent_thread.ask(state, np.random.default_rng(1)) for _ in range(3)]
    assert list(agent_thread.answers()) == []
    free.set()
    found: list[Any] = []
    while len(found) < 3:
        found += agent_thread.answers()
        time.sleep(0.01)
    assert [number for number, _ in found] == numbers
    assert all(answer[0] == state.legal_actions()[0] for _, answer in found)
    agent_thread.close()
    agent_thread._thread.join(60)
    assert not agent_thread._thread.is_alive()


class Stoppable:
    """An agent that searches until its event is set."""

    name = "endless"

    def __init__(self) -> None:
        self.stop_event: threading.Event | None = None
        self.begun: list[str] = []

    def select_action(self, state: Any, rng: Any) -> int:
        self.begun.append(state.to_string())
        assert self.stop_event is not None and self.stop_event.wait(60)
        return int(state.legal_actions()[0])


def answers_of(agent_thread: AgentThread, count: int) -> list[Any]:
    """Wait for answers."""
    collected: list[Any] = []
    while len(collected) < count:
        collected += agent_thread.answers()
        time.sleep(0.005)
    return collected


def test_the_thread_stops_what_was_asked_so_far(game: Any) -> None:
    agent = Stoppable()
    agent_thread, state = AgentThread(agent, "endless"), game.new_initial_state(1)
    assert agent_thread.can_stop
    agent_thread.stop()  # nothing was asked yet: the next question is not stopped
    first = [agent_thread.ask(state, np.random.default_rng(1)) for _ in range(2)]
    while not agent.begun:
        time.sleep(0.005)
    assert list(agent_thread.answers()) == []
    agent_thread.stop()
    assert [number for number, _ in answers_of(agent_thread, 2)] == first
    later = agent_thread.ask(state, np.random.default_rng(1))
    begun = len(agent.begun)
    while len(agent.begun) == begun:
        time.sleep(0.005)
    assert not agent_thread._stop_event.is_set() and list(agent_thread.answers()) == []
    agent_thread.stop()
    assert answers_of(agent_thread, 1)[0][0] == later
    agent_thread.close()


def test_the_thread_skips_discarded_questions(game: Any) -> None:
    agent = Stoppable()
    agent_thread, state = AgentThread(agent, "endless"), game.new_initial_state(1)
    agent_thread.ask(state, np.random.default_rng(1))
    while not agent.begun:
        time.sleep(0.005)
    agent_thread.ask(state, np.random.default_rng(1))
    agent_thread.discard()  # the first is broken off, the second never asked
    last = agent_thread.ask(state, np.random.default_rng(1))
    agent_thread.stop()
    numbers = []
    while last not in numbers:
        numbers += [number for number, _ in answers_of(agent_thread, 1)]
    assert last - 1 not in numbers
    agent_thread.ask(state, np.random.default_rng(1))
    agent_thread.close()  # ends the search that runs
    agent_thread._thread.join(60)
    assert not agent_thread._thread.is_alive()


def test_agents_without_an_event_are_waited_for(game: Any) -> None:
    agent_thread = AgentThread(FaultyAgent(lambda: 0), "odd")
    assert not agent_thread.can_stop
    agent_thread.ask(game.new_initial_state(1), np.random.default_rng(1))
    agent_thread.stop()
    assert len(answers_of(agent_thread, 1)) == 1
    agent_thread.close()


def test_an_error_in_prepare_is_an_answer(game: Any) -> None:
    class Unready(FaultyAgent):
        def prepare(self, game: Any) -> None:
            raise RuntimeError("no kernels")

    agent_thread = AgentThread(Unready(lambda: 0), "unready")
    agent_thread.ask(game.new_initial_state(1), np.random.default_rng(1))
    while not (found := list(agent_thread.answers())):
        time.sleep(0.01)
    assert isinstance(found[0][1], RuntimeError)
    agent_thread.close()
