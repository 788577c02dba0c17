"""What tests of pages in a browser share; conftest.py makes `browser` known to all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium"
)
# Without what a fresh browser looks up in the background.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless browser with a profile of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=CHROMIUM,
            headless=True,
            args=FLAGS,
            viewport={"width": 900, "height": 700},
        )
        yield context
        context.close()


class Watched:
    """A page, and all that went wrong or out."""

    def __init__(self, browser: Any, path: Path, address: str = "", script: str = "") -> None:
        """Open a file; `address` follows ``#``, and `script` runs before the page's own."""
        self.page = browser.new_page()
        if script:
            self.page.add_init_script(script)
        self.heard: list[str] = []
        self.page.on("console", lambda message: self.heard.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.heard.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.heard.append(f"request: {request.url}"))
        self.page.goto(path.as_uri() + (f"#{address}" if address else ""))
        self.uri = path.as_uri()

    def text(self, selector: str) -> str:
        found: str = self.page.locator(selector).inner_text()
        return found

    def box(self, selector: str) -> dict[str, float]:
        """Return where an element is, in pixels: x, y, width and height."""
        found: dict[str, float] = self.page.locator(selector).bounding_box()
        return found

    def quiet(self) -> bool:
        """Whether nothing but the page itself was asked for, and nobody complained."""
        self.page.close()
        return self.heard == [f"request: {self.uri}"]
