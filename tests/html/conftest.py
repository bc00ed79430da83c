"""A browser for the tests of the page. It lives as long as these: its loop would be in the way of other tests'."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from planspec_lark import parse_plan
from planspec_lark.html import render_page
from planspec_lark.runs.summary import StepSum

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, where there is one."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    # Only the job has it.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield launched
        launched.close()


class Tab:
    """A page in a context of its own, and what went wrong in it."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", self._fail)
        self.page.on("request", self._ask)

    def _hear(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)

    def _fail(self, error: Error) -> None:
        self.said.append(str(error))

    def _ask(self, request: Request) -> None:
        self.asked.append(request.url)


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Open pages; none may have complained by the end."""
    tabs: list[Tab] = []

    def open_one(**options: Any) -> Tab:
        tabs.append(Tab(browser, **options))
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.context.close()
    assert [said for tab in tabs for said in tab.said] == []


@pytest.fixture
def show(open_tab: Callable[..., Tab], tmp_path: Path) -> Callable[..., Page]:
    """Show the page of a plan, from a file, and see to it that it asks for nothing else."""

    def show_one(text: str, run: Sequence[StepSum] = (), **options: Any) -> Page:
        path = tmp_path / "plan.html"
        path.write_text(render_page(parse_plan(text), run=run), encoding="utf-8")
        tab = open_tab(**options)
        tab.page.goto(path.as_uri())
        assert tab.asked == [path.as_uri()]
        return tab.page

    return show_one
