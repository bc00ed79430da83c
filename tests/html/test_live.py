"""The page in a browser, while its file changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from planspec_lark.html.server import PageServer
from tests.html.serving import served
from tests.html.test_browser import PLAN, focused, open_bodies, row, shown

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG = PLAN + "".join(f"{at}. [act] Put up shelf {at} → shelf_{at}\n" for at in range(4, 60))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "library.md"
    path.write_text(LONG, encoding="utf-8")
    return path


@pytest.fixture
def server(file: Path) -> Iterator[PageServer]:
    with served(file) as server:
        yield server


@pytest.fixture
def page(server: PageServer, open_tab: Callable[..., Any]) -> Iterator[Page]:
    tab = open_tab()
    tab.page.goto(server.url)
    yield tab.page
    assert {*tab.asked} <= {server.url, f"{server.url}events"}


def write(file: Path, page: Page, text: str) -> None:
    """Change the file, and wait until the page has heard of it."""
    version = page.evaluate("document.documentElement.dataset.version")
    file.write_text(text, encoding="utf-8")
    page.wait_for_selector(f'html:not([data-version="{version}"])')


def test_what_has_changed_is_shown(file: Path, page: Page) -> None:
    changed = LONG.replace("[!]", "[x]").replace("Hire a lorry", "Hire two").replace("Move the library", "Move it")
    write(file, page, changed)
    assert page.get_by_role("treeitem", name="2.1 done Hire two", exact=True).count() == 1
    assert page.locator("h1").inner_text() == page.title() == "Move it"
    assert page.get_by_role("button", name="done 2").count() == 1
    assert page.locator(".sum").inner_text() == "2/63 (3%) steps done"
    assert page.locator('a.box[data-step="2"] .said').text_content() == "Hire two"


def test_all_else_stays(file: Path, page: Page) -> None:
    page.set_viewport_size({"width": 900, "height": 500})
    row(page, "2.2").locator(".fold").click()
    row(page, "1").locator(".more").click()
    page.locator(".pane").evaluate("pane => { pane.scrollLeft = 20; pane.scrollTop = 300 }")
    row(page, "30").focus()
    top = row(page, "30").evaluate("one => one.getBoundingClientRect().top")
    assert page.evaluate("window.scrollY") > 500
    # Three steps more above, and another at the place of one that is seen.
    added = "3.1. [act] Mix → paint_1\n3.2. [act] Sand → sand\n3.3. [act] Paint → paint_2\n"
    write(file, page, LONG.replace("→ paint\n", f"→ paint\n{added}").replace("2. [>]", "2. [x]"))
    assert focused(page) == "30"
    assert abs(row(page, "30").evaluate("one => one.getBoundingClientRect().top") - top) < 2
    ids = shown(page)
    assert "2.2.1" not in ids
    assert ids[3:8] == ["2.2", "3", "3.1", "3.2", "3.3"]
    # What a reader has opened stays open; all else is as its status asks for.
    assert open_bodies(page) == ["1", "2.1"]
    assert page.locator(".pane").evaluate("pane => [pane.scrollLeft, pane.scrollTop]") == [20, 300]


def test_the_filter_stays(file: Path, page: Page) -> None:
    page.get_by_role("button", name="blocked").click()
    page.get_by_role("searchbox").fill("lorry")
    page.get_by_role("searchbox").focus()
    assert shown(page) == ["2", "2.1"]
    write(file, page, LONG.replace("3. [~] [act] Paint", "3. [!] [act] Sell the lorry, paint"))
    assert shown(page) == ["2", "2.1", "3"]
    assert (focused(page), page.get_by_role("searchbox").input_value()) == ("search", "lorry")
    assert page.locator("#found").inner_text() == "2 of 63 steps"


def test_a_step_that_goes_takes_the_focus_to_another(file: Path, page: Page) -> None:
    row(page, "59").focus()
    write(file, page, PLAN)
    assert focused(page) == "3"
    write(file, page, "Goal: Nothing\n## Steps\n")
    assert shown(page) == []
    write(file, page, PLAN)
    assert page.locator('.row[tabindex="0"]').get_attribute("data-id") == "1"


def test_the_box_with_the_focus_keeps_it(file: Path, page: Page) -> None:
    page.locator('a.box[data-step="5"]').focus()
    write(file, page, LONG.replace("2.1. [!]", "2.1. [x]").replace("1. [x] [act] Label", "1. [act] Label"))
    assert page.evaluate("document.activeElement.dataset.step") == "5"
    page.locator("summary").click()
    write(file, page, LONG)
    assert not page.locator(".pane").is_visible()


def test_a_broken_file_is_named_and_the_plan_stays(file: Path, page: Page) -> None:
    assert page.get_by_role("alert").inner_text() == ""
    write(file, page, LONG.replace("1. [x]", "1) [x]").replace("Label the", "<b>Label</b> the"))
    said = page.get_by_role("alert").inner_text()
    assert said.startswith("library.md is not a plan at the moment. Below is the last one that it was.")
    assert "error[PS110]: `1)` is not an id with a dot after it" in said
    assert "<b>Label</b>" in said
    assert page.get_by_role("treeitem", name="1 done Label the shelves", exact=True).count() == 1
    write(file, page, LONG)
    assert page.get_by_role("alert").inner_text() == ""


def test_a_server_that_ends_is_named(open_tab: Callable[..., Any], file: Path) -> None:
    tab = open_tab()
    with served(file) as server:
        tab.page.goto(server.url)
        assert tab.page.locator("#said").inner_text() == ""
    tab.page.wait_for_selector("#said:not(:empty)")
    assert tab.page.locator("#said").inner_text() == "The server has ended; this page no longer follows its file."
    # The browser says so, too.
    tab.said = [one for one in tab.said if "net::ERR" not in one]
