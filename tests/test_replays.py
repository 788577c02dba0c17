"""Games as pages: what stands in them, and that a browser can step through them on its own."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import golden
import numpy as np
from browsing import Watched, needs_chromium
from PIL import Image

import ludarium
from ludarium import records
from ludarium.arena import play_game
from ludarium.records import record_episode
from ludarium.records.game_record import GameRecord
from ludarium.records.results import ending_of, result_of

NASTY = "<script>alert('&amp;\"\u2028$title</script>", "</iframe>\0`${x}` \\u003c"


def data_of(page: str) -> dict[str, Any]:
    """Return the data that a page steps through."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    found: dict[str, Any] = json.loads(text)
    return found


def illegal_end(name: str, players: tuple[str, str] = ("one", "two")) -> GameRecord:
    """Return a record of a game that an illegal answer ended."""
    state = ludarium.load_game(name).new_initial_state(1)
    for _ in range(5):
        state.apply_action(state.legal_actions()[0])
    return GameRecord.from_state(state, players, 1, result=(-1.0, 1.0), reason="illegal")


# ---------------------------------------------------------------- what stands in a page


def test_a_page_has_every_position_turn_and_the_result(name: str, tmp_path: Path) -> None:
    record = play_game(name, "greedy", "random", seed=1)
    page = record_episode(record, tmp_path / "game.html").read_text("utf-8")
    data = data_of(page)
    *_, last = records.replay(record)
    states = [last._at_start()]
    for action in last.history():
        states.append(states[-1].child(action))
    assert data["positions"] == [state.to_string() for state in states]
    texts = ["".join(text for _, text in turn["actions"]) for turn in data["turns"]]
    assert texts == list(record.turns)
    assert [turn["number"] for turn in data["turns"]] == list(range(1, len(record.turns) + 1))
    frames = [frame for turn in data["turns"] for frame, _ in turn["actions"]]
    assert frames == list(range(1, len(states)))
    assert data["result"] == result_of(record, last)
    assert html.escape(data["result"]) in page
    assert data["status"][-1].endswith(data["result"])
    assert "has won" in data["result"]
    for player in record.players:
        assert html.escape(player) in page


class Links(HTMLParser):
    """Collect what a page loads or refers to."""

    found: list[str]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("src", "href", "srcset", "data", "action", "poster", "xlink:href"):
                self.found.append(str(value))


def test_a_page_needs_nothing_else(name: str, tmp_path: Path) -> None:
    page = record_episode(illegal_end(name), tmp_path / "game.html").read_text("utf-8")
    links = Links()
    links.found = []
    links.feed(page + "".join(data_of(page)["shapes"]))
    assert all(link.startswith("#") or link == "data:," for link in links.found), links.found
    assert not re.search(r"url\((?!#)|@import|https?:(?!//www\.w3\.org/)", page)
    assert "default-src 'none'" in page


def test_what_is_referred_to_is_defined(name: str, tmp_path: Path) -> None:
    game = play_game(name, "greedy", "random", seed=2)
    page = record_episode(game, tmp_path / "game.html").read_text("utf-8")
    shapes = "".join(data_of(page)["shapes"])
    names = set(re.findall(r'(?:url\(|href=")#([^")]+)', page + shapes))
    assert names <= set(re.findall(r'id="([^"]+)"', page))
    used = {int(n) for n in re.findall(r"var\(--c(\d+)\)", page)}
    for theme in re.findall(r"(?:light|dark); (--background[^}]*)", page):
        assert used <= {int(n) for n in re.findall(r"--c(\d+):", theme)}


def test_names_are_text(name: str, tmp_path: Path) -> None:
    record = illegal_end(name, NASTY)
    page = record_episode(record, tmp_path / "game.html").read_text("utf-8")
    assert "<script>alert" not in page and "\0" not in page
    assert page.count("<script") == 2 and page.count("</script>") == 2
    assert "alert" in data_of(page)["players"][0]


def test_long_games_stay_small(name: str, game: Any, tmp_path: Path) -> None:
    rng, state = np.random.default_rng(3), game.new_initial_state(seed=1)
    longest = state
    for _ in range(4):
        state = game.new_initial_state(seed=1)
        while not state.is_terminal() and len(state.history()) < 400:
            state.apply_action(int(rng.choice(state.legal_actions())))
        longest = max(longest, state, key=lambda s: len(s.history()))
    path = record_episode(longest, tmp_path / "game.html")
    assert path.stat().st_size < 200_000 + 5_000 * len(longest.history())


def test_an_illegal_answer_is_the_result(name: str, tmp_path: Path) -> None:
    record = illegal_end(name)
    page = record_episode(record, tmp_path / "game.html").read_text("utf-8")
    words = "two has won by an illegal action of one"
    data = data_of(page)
    assert data["result"] == words
    last = [data["shapes"][k] for k in data["frames"][-1]]
    assert any(words in shape for shape in last), "in the picture too"
    # and in pictures of the other kinds
    plain = GameRecord.from_state(list(records.replay(record))[-1])
    for suffix in ("gif", "png"):
        ended = record_episode(record, tmp_path / f"a.{suffix}", size=200)
        goes_on = record_episode(plain, tmp_path / f"b.{suffix}", size=200)
        assert ended.read_bytes() != goes_on.read_bytes()


def test_long_names_leave_room_for_the_result(name: str, tmp_path: Path) -> None:
    record = illegal_end(name, ("b" * 300, "a" * 300))
    *_, last = records.replay(record)
    assert "a" * 300 in result_of(record, last)
    shown = ending_of(record, last)
    assert shown is not None and shown.startswith("a" * 17 + "... has won") and len(shown) < 80
    page = record_episode(record, tmp_path / "game.html").read_text("utf-8")
    data = data_of(page)
    assert any(shown in data["shapes"][k] for k in data["frames"][-1])
    assert "a" * 300 in data["result"]


def test_states_that_do_not_follow_are_numbered(name: str, tmp_path: Path) -> None:
    states = golden.games(name)[0]
    page = record_episode([states[9], states[4], states[5]], tmp_path / "a.html").read_text("utf-8")
    data = data_of(page)
    texts = [[text for _, text in turn["actions"]] for turn in data["turns"]]
    assert texts[0] == ["position 1"]
    assert texts[1] == [states[4].action_to_string(states[5].history()[-1])]


# ---------------------------------------------------------------- in a notebook


def test_notebooks_show_records_and_states(name: str) -> None:
    record = play_game(name, "greedy", "random", seed=1)
    shown = record._repr_html_()
    assert shown.startswith("<iframe ") and 'sandbox="allow-scripts"' in shown
    inner = html.unescape(re.findall(r'srcdoc="([^"]*)"', shown)[0])
    assert data_of(inner)["result"].endswith("won") or "has won" in data_of(inner)["result"]
    # what ids and styles a page has stays inside the frame
    assert re.sub(r'srcdoc="[^"]*"', "", shown).count("<") == 2
    later = GameRecord(**{**record.__dict__, "version": 99})
    assert "version 99" in later._repr_html_() and "<iframe" not in later._repr_html_()
    png = next(records.replay(record))._repr_png_()
    assert png.startswith(b"\x89PNG")


# ---------------------------------------------------------------- in a browser


@needs_chromium
def test_stepping_to_the_end_shows_the_last_position(
    name: str, browser: Any, tmp_path: Path
) -> None:
    record = play_game(name, "greedy", "random", seed=1)
    *_, last = records.replay(record)
    seen = Watched(browser, record_episode(record, tmp_path / "game.html"))
    page = seen.page
    assert seen.text("#position") == last._at_start().to_string()
    for _ in last.history():
        page.locator("#on").click()
    assert seen.text("#position") == last.to_string()
    assert page.locator("#on").is_disabled()
    result = result_of(record, last)
    assert result in seen.text("#status") and result in seen.text("#list")
    assert seen.text("#result") == result
    drawn = page.locator("#pieces text").all_text_contents()
    assert result in drawn, "the caption of the picture"
    assert page.locator("#list [aria-current]").inner_text() in record.turns[-1]
    assert seen.quiet(), seen.heard


@needs_chromium
def test_keys_list_slider_and_play(name: str, browser: Any, tmp_path: Path) -> None:
    record = play_game(name, "greedy", "random", seed=1)
    seen = Watched(browser, record_episode(record, tmp_path / "game.html"))
    from playwright.sync_api import expect

    page = seen.page
    states = [state.to_string() for state in records.replay(record)]
    page.keyboard.press("End")
    assert seen.text("#position") == states[-1]
    page.keyboard.press("Home")
    assert seen.text("#position") == states[0]
    page.keyboard.press("ArrowRight")
    second = seen.text("#position")
    assert second != states[0]
    page.keyboard.press("ArrowLeft")
    assert seen.text("#position") == states[0]
    page.locator("#list li").nth(4).locator("button").last.click()
    assert seen.text("#position") == states[5]
    page.locator("#slider").fill("1")
    assert seen.text("#position") == second
    page.locator("#speed").select_option("200")
    page.keyboard.press("Home")
    page.locator("h1").click()
    page.keyboard.press("End")
    page.locator("#play").click()  # at the end: from the start again
    expect(page.locator("#status")).to_contain_text(re.compile(r"Action ([3-9]|1\d) of"))
    page.locator("#play").click()
    stopped = seen.text("#position")
    page.wait_for_timeout(500)
    assert seen.text("#position") == stopped
    assert seen.quiet(), seen.heard


@needs_chromium
def test_both_themes_look_like_the_pictures(name: str, browser: Any, tmp_path: Path) -> None:
    """The page as the browser draws it against the frame of the last position."""
    record = play_game(name, "greedy", "random", seed=1)
    *_, last = records.replay(record)
    seen = Watched(browser, record_episode(record, tmp_path / "game.html", theme="dark"))
    page = seen.page
    page.keyboard.press("End")
    for theme in ("dark", "light"):
        frame = last.render(size=512, theme=theme)
        height, width = frame.shape[:2]
        page.locator("#board").evaluate(
            "(board, size) => { board.style.cssText = "
            "`position: fixed; z-index: 9; left: 0; top: 0; border: 0; width: ${size[0]}px; "
            "height: ${size[1]}px; border-radius: 0` }",
            [width, height],
        )
        shot = tmp_path / f"{theme}.png"
        page.screenshot(path=shot, clip={"x": 0, "y": 0, "width": width, "height": height})
        with Image.open(shot) as image:
            found = np.asarray(image.convert("RGB")).astype(int)
        gap = np.abs(found - frame).max(2)
        assert (gap > 60).mean() < 0.04, "but for type and edges the same"
        page.keyboard.press("t")
    assert seen.quiet(), seen.heard


@needs_chromium
def test_nasty_names_do_nothing(name: str, browser: Any, tmp_path: Path) -> None:
    seen = Watched(browser, record_episode(illegal_end(name, NASTY), tmp_path / "game.html"))
    assert "alert('&amp;" in seen.text("header")
    seen.page.keyboard.press("End")
    assert "alert('&amp;" in seen.text("#status")
    assert seen.quiet(), seen.heard


@needs_chromium
def test_many_in_a_notebook_do_not_meet(name: str, browser: Any, tmp_path: Path) -> None:
    shown = [play_game(name, "random", "random", seed=seed)._repr_html_() for seed in (1, 2)]
    path = tmp_path / "notebook.html"
    path.write_text("<!DOCTYPE html><meta charset='utf-8'><h1>mine</h1>" + "".join(shown), "utf-8")
    seen = Watched(browser, path)
    frames = seen.page.frames[1:]
    assert len(frames) == 2
    frames[0].locator("#end").click()
    assert (
        frames[0].locator("#position").inner_text() != frames[1].locator("#position").inner_text()
    )
    assert frames[1].locator("#start").is_disabled()
    assert seen.text("h1") == "mine"
    assert [note for note in seen.heard if "about:srcdoc" not in note] == [f"request: {seen.uri}"]
    seen.page.close()


@needs_chromium
def test_space_plays_after_a_click_on_a_button(browser: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    record = play_game("sphlag", "greedy", "random", seed=1)
    seen = Watched(browser, record_episode(record, tmp_path / "game.html"))
    seen.page.locator("#on").click()
    seen.page.keyboard.press(" ")
    expect(seen.page.locator("#play")).to_have_attribute("aria-label", "Stop")
    seen.page.keyboard.press(" ")
    expect(seen.page.locator("#play")).to_have_attribute("aria-label", "Play")
    assert seen.quiet(), seen.heard


@needs_chromium
def test_all_turns_are_printed_without_the_controls(browser: Any, tmp_path: Path) -> None:
    record = play_game("sphlag", "random", "random", seed=1)
    seen = Watched(browser, record_episode(record, tmp_path / "game.html"))
    page = seen.page
    hidden = "list => list.scrollHeight - list.clientHeight"
    page.set_viewport_size({"width": 900, "height": 300})
    assert page.locator("#list").evaluate(hidden) > 0, "on a screen the list scrolls"
    page.emulate_media(media="print")
    assert page.locator("#list").evaluate(hidden) <= 0
    assert page.locator("#board").is_visible() and page.locator("#ending").is_visible()
    assert not page.locator("#bar").is_visible()
    assert seen.quiet(), seen.heard
