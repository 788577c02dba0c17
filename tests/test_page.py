"""The page of a game for its readers: keys, phones, paper, themes, addresses, screen readers."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Watched, needs_chromium
from test_replays import data_of

import ludarium
from ludarium import records
from ludarium.arena import play_game
from ludarium.drawing.themes import THEMES
from ludarium.records import record_episode
from ludarium.records.episode import episode_of
from ludarium.records.game_record import GameRecord

LIGHT, DARK = ("rgb({}, {}, {})".format(*THEMES[theme].background) for theme in ("light", "dark"))
INK = "rgb({}, {}, {})".format(*THEMES["light"].ink)
LIST_OVERFLOW = "list => list.scrollHeight - list.clientHeight"
CONTROLS = [
    *("start", "back-turn", "play", "on-turn", "end"),
    *("back", "slider", "on"),
    *("speed", "flip", "copy", "theme"),
]
PHONES = [(390, 844), (844, 390)]


@pytest.fixture(scope="module")
def games() -> dict[str, GameRecord]:
    """A short game of each kind."""
    return {name: play_game(name, "greedy", "random", seed=1) for name in ludarium.list_games()}


@pytest.fixture
def record(games: dict[str, GameRecord], name: str) -> GameRecord:
    """A game."""
    return games[name]


@pytest.fixture
def path(record: GameRecord, tmp_path: Path) -> Path:
    """Its page."""
    return record_episode(record, tmp_path / "game.html")


@pytest.fixture
def seen(browser: Any, path: Path) -> Iterator[Watched]:
    """Its page in a browser, at the first position."""
    watched = Watched(browser, path)
    yield watched
    assert watched.quiet(), watched.heard


def turns_of(record: GameRecord) -> list[str]:
    """Return the text of the position after each turn."""
    return [state.to_string() for state in records.replay(record)]


# ---------------------------------------------------------------- what stands in the page


def test_both_sides_of_the_board_are_drawn(record: GameRecord, tmp_path: Path) -> None:
    pages = [
        record_episode(record, tmp_path / f"{side}.html", orientation=side).read_text("utf-8")
        for side in (0, 1)
    ]
    drawn = [sides_of(page) for page in pages]
    assert drawn[0] == drawn[1][::-1]
    first, other = drawn[0]
    assert first[0] != other[0] and first[-1] != other[-1]
    assert len(drawn[0][0]) == 1 + len(record_positions(record))


def sides_of(page: str) -> tuple[list[str], list[str]]:
    """Return for each side, the first one first, the board and all positions as light SVG."""
    data = data_of(page)
    colours = dict(re.findall(r"(--c\d+): (#\w+);", page))

    def text(shapes: list[str]) -> str:
        return re.sub(r"var\((--c\d+)\)", lambda found: colours[found[1]], "".join(shapes))

    first, other = (
        [text([data["ground"][side]])]
        + [text([data["shapes"][k] for k in frame]) for frame in data[key]]
        for side, key in enumerate(("frames", "turned"))
    )
    return first, other


def record_positions(record: GameRecord) -> list[Any]:
    """Return the positions of a game, one after each action."""
    return list(episode_of(record).positions)


def test_each_position_has_an_address_of_its_own(record: GameRecord, path: Path) -> None:
    addresses = data_of(path.read_text("utf-8"))["addresses"]
    positions = record_positions(record)
    assert len(set(addresses)) == len(addresses) == len(positions)
    for address, (state, last_turn) in zip(addresses, positions, strict=True):
        number = state.turn_number()
        if last_turn.begun is None:
            assert address == f"turn={number}"
        else:
            assert address == f"turn={number + 1}.{len(last_turn.begun.actions)}"


def test_states_that_do_not_follow_have_addresses_by_number(name: str, tmp_path: Path) -> None:
    state = ludarium.load_game(name).new_initial_state(1)
    later = state.child(state.legal_actions()[0])
    page = record_episode([later, state, later], tmp_path / "a.html").read_text("utf-8")
    assert data_of(page)["addresses"] == ["position=0", "position=1", "position=2"]


def test_a_page_has_no_theme_of_its_own_unless_one_is_given(
    record: GameRecord, tmp_path: Path
) -> None:
    for theme, words in (
        ("auto", '<html lang="en">'),
        ("dark", '<html lang="en" data-theme="dark">'),
    ):
        page = record_episode(record, tmp_path / f"{theme}.html", theme=theme).read_text("utf-8")
        assert words in page
    assert (
        record_episode(record, tmp_path / "auto.png", size=128).read_bytes()
        == record_episode(record, tmp_path / "light.png", size=128, theme="light").read_bytes()
    )
    with pytest.raises(ValueError, match="theme is 'light', 'dark' or 'auto'"):
        record_episode(record, tmp_path / "red.html", theme="red")


def test_every_control_has_a_name(path: Path) -> None:
    page = path.read_text("utf-8")
    for control in CONTROLS:
        assert re.search(rf'<(button|input|select) id="{control}"[^>]* aria-label="\w', page)
    assert re.search(r'id="status"[^>]* aria-live="polite"', page)
    assert re.search(r'id="board"[^>]* role="img" aria-label="\w', page)
    assert '<ol id="list" aria-label="Turns">' in page


# ---------------------------------------------------------------- keys and controls


@needs_chromium
def test_arrows_step_a_turn_and_with_shift_an_action(record: GameRecord, seen: Watched) -> None:
    page, turns = seen.page, turns_of(record)
    for position in turns[1:]:
        page.keyboard.press("ArrowRight")
        assert seen.text("#position") == position
    page.keyboard.press("ArrowRight")
    assert seen.text("#position") == turns[-1], "at the end it stays"
    for position in turns[-2::-1]:
        page.keyboard.press("ArrowLeft")
        assert seen.text("#position") == position
    for state, _ in record_positions(record)[1:]:
        page.keyboard.press("Shift+ArrowRight")
        assert seen.text("#position") == state.to_string()
    for state, _ in record_positions(record)[-2::-1]:
        page.keyboard.press("Shift+ArrowLeft")
        assert seen.text("#position") == state.to_string()


@needs_chromium
def test_the_buttons_step_turns_and_actions(record: GameRecord, seen: Watched) -> None:
    page, turns = seen.page, turns_of(record)
    for position in turns[1:]:
        page.locator("#on-turn").click()
        assert seen.text("#position") == position
    assert page.locator("#on-turn").is_disabled() and page.locator("#on").is_disabled()
    page.locator("#back").click()
    assert seen.text("#position") == record_positions(record)[-2][0].to_string()
    page.locator("#end").click()
    page.locator("#back-turn").click()
    assert seen.text("#position") == turns[-2]


@needs_chromium
def test_tab_meets_the_controls_before_the_turns(seen: Watched) -> None:
    page = seen.page
    page.locator("#list button").nth(2).click()
    page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges()")
    page.reload()
    seen.heard.pop()
    page.keyboard.press("ArrowRight")
    met = []
    for _ in range(len(CONTROLS) + 1):
        page.keyboard.press("Tab")
        met.append(
            page.evaluate(
                "document.activeElement.id || document.activeElement.parentElement.tagName"
            )
        )
    assert met == [*CONTROLS, "LI"]


@needs_chromium
@pytest.mark.parametrize("clicked", ["#on", "#flip", "#list li:nth-child(3) button >> nth=0"])
def test_space_only_plays_after_a_click(clicked: str, seen: Watched) -> None:
    from playwright.sync_api import expect

    page = seen.page
    page.locator(clicked).click()
    before = seen.text("#position"), page.locator("#flip").get_attribute("aria-pressed")
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Stop")
    after = seen.text("#position"), page.locator("#flip").get_attribute("aria-pressed")
    assert after == before, "the button that was clicked did nothing"
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")


@needs_chromium
def test_space_plays_after_a_click_on_the_slider_or_the_speed(seen: Watched) -> None:
    page, shown = seen.page, "document.activeElement.id"
    page.locator("#slider").click()
    assert page.evaluate(shown) == ""
    for clicked in (True, False):
        page.locator("#speed").focus()
        if clicked:
            page.locator("#speed").dispatch_event("pointerdown")
        else:
            page.keyboard.press("Shift")
        page.locator("#speed").select_option("2000" if clicked else "500")
        assert page.evaluate(shown) == ("" if clicked else "speed")


@needs_chromium
def test_space_on_a_button_reached_by_keyboard_is_that_button(seen: Watched) -> None:
    page = seen.page
    page.locator("#on").focus()
    page.keyboard.press(" ")
    assert page.locator("#slider").input_value() == "1"
    assert page.locator("#play").get_attribute("aria-label") == "Play"


# ---------------------------------------------------------------- the board


@needs_chromium
def test_the_board_is_turned_by_a_key_and_a_button(record: GameRecord, seen: Watched) -> None:
    page = seen.page
    page.keyboard.press("End")
    upright = page.locator("#board").inner_html()
    position = seen.text("#position")
    page.keyboard.press("f")
    turned = page.locator("#board").inner_html()
    assert turned != upright and seen.text("#position") == position
    assert page.locator("#flip").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Home")
    page.keyboard.press("End")
    assert page.locator("#board").inner_html() == turned, "it stays turned"
    page.locator("#flip").click()
    assert page.locator("#board").inner_html() == upright


@needs_chromium
@pytest.mark.parametrize("size", [*PHONES, (900, 700), (1400, 900)])
def test_the_board_keeps_its_size(size: tuple[int, int], seen: Watched) -> None:
    page = seen.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    first = seen.box("#board"), seen.box("#bar")
    while page.locator("#on").is_enabled():
        page.keyboard.press("Shift+ArrowRight")
        assert (seen.box("#board"), seen.box("#bar")) == first
    page.locator("#play").click()
    assert (seen.box("#board"), seen.box("#bar")) == first
    page.keyboard.press(" ")
    page.keyboard.press("c")
    page.keyboard.press("f")
    assert (seen.box("#board"), seen.box("#bar")) == first


@needs_chromium
@pytest.mark.parametrize("size", PHONES)
def test_a_phone_shows_the_whole_board_and_all_controls(
    size: tuple[int, int], seen: Watched
) -> None:
    page, (width, height) = seen.page, size
    page.set_viewport_size({"width": width, "height": height})
    page.keyboard.press("End")
    for selector in ("#board", "#list", *(f"#{control}" for control in CONTROLS)):
        box = seen.box(selector)
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, selector
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, selector
    board = seen.box("#board")
    assert max(board["width"] / width, board["height"] / height) > 0.9, "as large as fits"
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert all(seen.box(f"#{control}")["height"] >= 34 for control in CONTROLS)


@needs_chromium
@pytest.mark.parametrize("size", PHONES)
def test_long_names_leave_a_phone_its_board_and_controls(
    size: tuple[int, int], record: GameRecord, browser: Any, tmp_path: Path
) -> None:
    players = ("a" * 300, "b " * 150)
    named = dataclasses.replace(record, players=players)
    seen = Watched(browser, record_episode(named, tmp_path / "game.html"))
    seen.page.set_viewport_size({"width": size[0], "height": size[1]})
    before = seen.box("#board")
    seen.page.keyboard.press("End")
    assert seen.box("#board") == before
    for selector in ("#board", *(f"#{control}" for control in CONTROLS)):
        box = seen.box(selector)
        assert box["x"] >= 0 and box["x"] + box["width"] <= size[0], selector
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], selector
    assert seen.quiet(), seen.heard


# ---------------------------------------------------------------- paper and themes


@needs_chromium
def test_the_position_and_all_turns_are_printed(record: GameRecord, seen: Watched) -> None:
    page = seen.page
    page.set_viewport_size({"width": 900, "height": 300})
    page.emulate_media(color_scheme="dark")
    page.keyboard.press("ArrowRight")
    shown = page.locator("#pieces").inner_html()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("#pieces").inner_html() == shown
    assert page.locator("#list").evaluate(LIST_OVERFLOW) <= 0
    assert page.locator("#position").evaluate("p => p.scrollWidth - p.clientWidth") <= 0
    for selector in ("#board", "#status", "#position", "#ending", "#result"):
        assert page.locator(selector).is_visible()
    for button in page.locator("#list button").all():
        assert button.is_visible()
    for control in CONTROLS:
        assert not page.locator(f"#{control}").is_visible()
    look = "button => [getComputedStyle(button).color, getComputedStyle(button).backgroundColor]"
    ink, ground = page.locator("#list [aria-current]").evaluate(look)
    assert ink == INK and ground == "rgba(0, 0, 0, 0)", "printers leave out backgrounds"
    assert seen.box("#board")["height"] > 100
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == LIGHT


@needs_chromium
def test_the_theme_is_that_of_the_system_until_it_is_chosen(seen: Watched) -> None:
    page, ground = seen.page, "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    assert light == LIGHT and dark == DARK
    page.locator("#theme").click()
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == dark, "a choice stays"
    page.keyboard.press("t")
    assert page.evaluate(ground) == light


@needs_chromium
def test_a_given_theme_is_shown_whatever_the_system_has(
    record: GameRecord, browser: Any, tmp_path: Path
) -> None:
    for theme, other, colour in (("light", "dark", LIGHT), ("dark", "light", DARK)):
        page = record_episode(record, tmp_path / f"{theme}.html", theme=theme)
        seen = Watched(browser, page)
        seen.page.emulate_media(color_scheme=other)
        assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == colour
        assert seen.quiet(), seen.heard


# ---------------------------------------------------------------- addresses


@needs_chromium
def test_an_address_names_a_turn(record: GameRecord, browser: Any, path: Path) -> None:
    from playwright.sync_api import expect

    turns = turns_of(record)
    seen = Watched(browser, path, "turn=4")
    page = seen.page
    assert seen.text("#position") == turns[4]
    page.evaluate("location.hash = '#turn=2'")
    expect(page.locator("#position")).to_have_text(turns[2])
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{seen.uri}#turn=3")
    length = page.evaluate("history.length")
    page.keyboard.press("End")
    expect(page).to_have_url(f"{seen.uri}#turn={len(record.turns)}")
    assert page.evaluate("history.length") == length, "the way back is not filled with steps"
    page.evaluate("location.hash = '#turn=99999'")
    page.evaluate("location.hash = '#else'")
    assert seen.text("#position") == turns[-1]
    assert seen.quiet(), seen.heard


@needs_chromium
def test_half_made_turns_have_addresses(browser: Any, record: GameRecord, path: Path) -> None:
    for state, last_turn in record_positions(record):
        if last_turn.begun is not None:
            seen = Watched(browser, path, f"turn={state.turn_number() + 1}.1")
            assert seen.text("#position") == state.to_string()
            assert seen.quiet(), seen.heard
            break


# ---------------------------------------------------------------- copying


@needs_chromium
@pytest.mark.parametrize(
    ("script", "by_key"),
    [
        ("", True),
        ("Object.defineProperty(navigator, 'clipboard', { value: undefined })", False),
        ("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))", True),
    ],
)
def test_the_position_is_copied(
    script: str, by_key: bool, record: GameRecord, browser: Any, path: Path
) -> None:
    from playwright.sync_api import expect

    seen = Watched(browser, path, script=script)
    page = seen.page
    page.keyboard.press("ArrowRight")
    if by_key:
        page.keyboard.press("c")
    else:
        page.locator("#copy").click()
    expect(page.locator("#copy")).to_have_text("copied")
    page.evaluate("document.body.append(document.createElement('textarea'))")
    page.locator("textarea").focus()
    page.keyboard.press("Control+v")
    assert page.locator("textarea").input_value() == turns_of(record)[1]
    assert seen.quiet(), seen.heard


@needs_chromium
def test_a_position_that_cannot_be_copied_is_selected(
    record: GameRecord, browser: Any, path: Path
) -> None:
    from playwright.sync_api import expect

    script = (
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.execCommand = () => false"
    )
    seen = Watched(browser, path, script=script)
    seen.page.keyboard.press("c")
    expect(seen.page.locator("#copy")).to_have_text("selected")
    assert seen.page.evaluate("String(getSelection())") == turns_of(record)[0]
    assert seen.quiet(), seen.heard


# ---------------------------------------------------------------- screen readers, motion


@needs_chromium
def test_the_position_is_told_to_screen_readers(record: GameRecord, seen: Watched) -> None:
    page = seen.page
    title = ludarium.load_game(record.game).type.title
    page.keyboard.press("ArrowRight")
    told = f"turn 1: greedy played {record.turns[0]}"
    assert told in seen.text("#status")
    assert page.locator("#board").get_attribute("aria-label").startswith(f"{title}: ")
    assert told in page.locator("#board").get_attribute("aria-label")
    assert told in page.locator("#slider").get_attribute("aria-valuetext")
    first = page.locator("#list button").first
    assert first.get_attribute("aria-label") == f"Turn 1, greedy: {first.inner_text()}"
    assert page.title().startswith(title)
    page.locator("#play").click()
    assert page.locator("#status").get_attribute("aria-live") == "off", "while it plays"
    page.locator("#play").click()
    assert page.locator("#status").get_attribute("aria-live") == "polite"


@needs_chromium
def test_a_reader_who_wants_less_motion_is_shown_a_position_a_second(seen: Watched) -> None:
    page = seen.page
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("window.setTimeout = (_, delay) => { window.delay = delay }")
    page.locator("#speed").select_option("200")
    page.locator("#play").click()
    assert page.evaluate("window.delay") == 1000
    assert page.evaluate("document.getAnimations().length") == 0
    page.locator("#play").click()
    page.emulate_media(reduced_motion="no-preference")
    page.locator("#play").click()
    assert page.evaluate("window.delay") == 200
