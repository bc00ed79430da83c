"""The page in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.runs.summary import StepSum
from planspec_lark.syntax.safe_text import visible
from tests.corpus import SHOWCASE, find, read
from tests.html.test_render import HOSTILE, hostile_plan
from tests.planspec.test_models import DEPTH, chain

if TYPE_CHECKING:
    from playwright.sync_api import Page

Show = Callable[..., "Page"]

PLAN = """\
# Plan: Move the library
Goal: All books stand in the new house
Constraints:
- No book leaves its shelf unlabelled
## Steps
1. [x] [act] Label the shelves → labels | 212 shelves
  > ← rooms
  > Two colours, one a floor.
2. [>] [subtask] Move the books → moved
  > ← labels
  2.1. [!] [act] Hire a lorry → lorry | None is free before Friday
    > Twelve tonnes at least.
  2.2. [subtask] Carry → carried
    > ← labels
    2.2.1. [reason] Find the best order of the rooms → room_order
    2.2.2. [act] Carry the boxes → carried
      > ← room_order, lorry
3. [~] [act] Paint the old shelves → paint
"""


def shown(page: Page) -> list[str]:
    """The ids of the steps that are seen."""
    ids: list[str] = page.locator(".row").evaluate_all(
        "all => all.filter(one => one.offsetParent).map(one => one.dataset.id)"
    )
    return ids


def open_bodies(page: Page) -> list[str]:
    ids: list[str] = page.locator(".body").evaluate_all(
        "all => all.filter(one => one.offsetParent).map(one => one.parentElement.dataset.id)"
    )
    return ids


def row(page: Page, step_id: str) -> Any:
    return page.locator(f'.row[data-id="{step_id}"]')


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.dataset.id || document.activeElement.id || 'body'"))


ALL = ["1", "2", "2.1", "2.2", "2.2.1", "2.2.2", "3"]
FULL = ["1", "2", "2.1", "2.2", "2.2.2"]


# ---------------------------------------------------------------- folding


def test_the_page_starts_as_plans_fold(show: Show) -> None:
    page = show(PLAN)
    assert shown(page) == ALL
    assert open_bodies(page) == ["2", "2.1"]


def test_all_is_folded_and_unfolded(show: Show) -> None:
    page = show(PLAN)
    page.get_by_role("button", name="Collapse all").click()
    assert (shown(page), open_bodies(page)) == (["1", "2", "3"], [])
    assert page.get_by_role("treeitem", expanded=False).count() == 2
    page.get_by_role("button", name="Expand all").click()
    assert (shown(page), open_bodies(page)) == (ALL, FULL)
    assert page.get_by_role("treeitem", expanded=False).count() == 0


def test_a_click_folds(show: Show) -> None:
    page = show(PLAN)
    row(page, "2.2").locator(".text").click()
    assert shown(page) == ["1", "2", "2.1", "2.2", "3"]
    row(page, "2").locator(".fold").click()
    assert shown(page) == ["1", "2", "3"]
    row(page, "2").locator(".text").click()
    # What is folded inside stays so.
    assert shown(page) == ["1", "2", "2.1", "2.2", "3"]
    row(page, "1").locator(".text").click()
    row(page, "2").locator(".more").click()
    assert open_bodies(page) == ["1", "2.1"]
    # A click into a body is one by a reader who copies from it.
    row(page, "1").locator(".body p").last.click()
    assert open_bodies(page) == ["1", "2.1"]


# ---------------------------------------------------------------- keyboard


def test_the_keyboard_is_enough(show: Show) -> None:
    page = show(PLAN)
    row(page, "1").focus()
    for key, expected in [
        ("ArrowDown", "2"),
        ("ArrowRight", "2.1"),
        ("ArrowDown", "2.2"),
        ("ArrowLeft", "2.2"),
        ("ArrowDown", "3"),
        ("ArrowDown", "3"),
        ("ArrowUp", "2.2"),
        ("ArrowRight", "2.2"),
        ("ArrowRight", "2.2.1"),
        ("ArrowLeft", "2.2"),
        ("End", "3"),
        ("Home", "1"),
        ("ArrowUp", "1"),
        ("a", "1"),
    ]:
        page.keyboard.press(key)
        assert focused(page) == expected, key
    page.keyboard.press("Enter")
    assert open_bodies(page) == ["1", "2", "2.1"]
    page.keyboard.press("ArrowLeft")
    assert open_bodies(page) == ["2", "2.1"]
    page.keyboard.press("ArrowRight")
    assert open_bodies(page) == ["1", "2", "2.1"]
    page.keyboard.press("Space")
    page.keyboard.press("*")
    assert open_bodies(page) == ["1", "2", "2.1"]


def test_the_tree_is_one_stop_of_tab(show: Show) -> None:
    page = show(PLAN)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert focused(page) == "1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    # The link in the open body of this step, and of no other.
    assert page.evaluate("document.activeElement.textContent") == "from 1"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "2"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_folding_what_has_the_focus_moves_it(show: Show) -> None:
    page = show(PLAN)
    row(page, "2.2.1").focus()
    page.get_by_role("button", name="Collapse all").click()
    assert page.locator('.row[tabindex="0"]').get_attribute("data-id") == "2"


# ---------------------------------------------------------------- names and roles


def test_names_and_roles(show: Show) -> None:
    page = show(PLAN)
    assert page.get_by_role("tree", name="Steps").count() == 1
    assert page.get_by_role("heading", name="Move the library", level=1).count() == 1
    assert page.get_by_role("img", name="1 done, 1 active, 1 blocked, 3 pending, 1 skipped").count() == 1
    item = page.get_by_role("treeitem", name="2.1 blocked Hire a lorry", exact=True)
    assert item.get_attribute("aria-level") == "2"
    assert (item.get_attribute("aria-posinset"), item.get_attribute("aria-setsize")) == ("1", "2")
    assert page.get_by_role("searchbox", name="Find in steps").count() == 1
    assert page.get_by_role("button", name="done 1").get_attribute("aria-pressed") == "false"
    assert (
        page.get_by_role(
            "link", name="1, done: Label the shelves; takes rooms (no step produces it); produces labels"
        ).count()
        == 1
    )
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('button, input, a, [role=region], [tabindex="0"]')]
        .filter(one => !one.textContent.trim() && !one.hasAttribute('aria-label'))
        .map(one => one.outerHTML)"""
    )
    assert unnamed == []


# ---------------------------------------------------------------- filter


def test_filter(show: Show) -> None:
    page = show(PLAN)
    page.get_by_role("button", name="Collapse all").click()
    page.get_by_role("button", name="blocked").click()
    # With the steps around it, which are pale.
    assert shown(page) == ["2", "2.1"]
    assert page.locator(".context").count() == 1
    assert page.locator("#found").inner_text() == "1 of 7 steps"
    page.get_by_role("button", name="pending").click()
    assert shown(page) == ["2", "2.1", "2.2", "2.2.1", "2.2.2"]
    search = page.get_by_role("searchbox")
    search.fill("ROOM boxes")
    assert shown(page) == ["2", "2.2", "2.2.2"]
    search.fill("nothing like it")
    assert (shown(page), page.locator("#found").inner_text()) == ([], "0 of 7 steps")
    search.fill("")
    for name in ("pending", "blocked"):
        page.get_by_role("button", name=name).click()
    assert (shown(page), page.locator("#found").inner_text()) == (["1", "2", "3"], "")


# ---------------------------------------------------------------- theme, paper, width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme(show: Show, scheme: str) -> None:
    page = show(PLAN, color_scheme=scheme)
    light, dark = "rgb(251, 250, 248)", "rgb(21, 24, 28)"
    colours = []
    for _ in range(4):
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.get_by_role("button", name="Theme").click()
    mine = light if scheme == "light" else dark
    assert colours == [mine, light, dark, mine]
    assert page.get_by_role("button", name="Theme: light").count() == 1
    # A browser may begin the new page before it has written down what the old one asked it to keep.
    for _ in range(20):
        page.reload()
        if page.get_by_role("button", name="Theme: light").count() == 1:
            return
        page.wait_for_timeout(100)
    pytest.fail("the theme is not kept")


def test_on_paper_all_is_there(show: Show) -> None:
    page = show(PLAN)
    page.get_by_role("button", name="Collapse all").click()
    page.emulate_media(media="print")
    assert (shown(page), open_bodies(page)) == (ALL, FULL)
    assert not page.get_by_role("button", name="Theme").is_visible()


def test_paper_is_white(show: Show) -> None:
    page = show(PLAN, color_scheme="dark")
    for _ in range(3):
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.emulate_media(media="screen")
        page.get_by_role("button", name="Theme").click()


def test_without_scripts_all_is_there(show: Show) -> None:
    page = show(PLAN, java_script_enabled=False)
    assert page.locator(".row:visible").count() == len(ALL)
    assert page.locator(".body:visible").count() == len(FULL)
    assert page.locator("button:visible").count() == 0


@pytest.mark.parametrize("path", [SHOWCASE, *find("planspec/valid", "tea_grading.md")], ids=lambda path: path.stem)
def test_a_narrow_screen_is_wide_enough(show: Show, path: Any) -> None:
    page = show(read(path))
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_plan_of_a_thousand_levels(show: Show) -> None:
    page = show(serialize_plan(chain()))
    assert page.locator(".row").count() == DEPTH
    assert page.locator(".row").last.get_attribute("aria-level") == str(DEPTH)
    row(page, "1").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.getAttribute('aria-level')") == str(DEPTH - 1)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# ---------------------------------------------------------------- diagram


def test_the_picture_leads_to_steps(show: Show) -> None:
    page = show(PLAN)
    page.get_by_role("button", name="Collapse all").click()
    page.get_by_role("link", name="2.2.2").click()
    assert focused(page) == "2.2.2"
    assert shown(page) == ALL
    page.get_by_role("searchbox").fill("paint")
    page.get_by_role("link", name="2.1, blocked").click()
    assert (focused(page), page.get_by_role("searchbox").input_value()) == ("2.1", "")


def test_the_picture_by_keyboard(show: Show) -> None:
    page = show(PLAN)
    page.locator(".pane").focus()
    page.keyboard.press("Tab")
    box = "document.activeElement.dataset.step"
    assert page.evaluate(box) == "0"
    page.keyboard.press("ArrowRight")
    assert (page.evaluate(box), page.locator("path.near").count()) == ("1", 1)
    page.keyboard.press("Enter")
    assert focused(page) == "2"


def test_links_of_inputs_lead_to_their_origins(show: Show) -> None:
    page = show(PLAN)
    page.get_by_role("link", name="from 1").first.click()
    assert focused(page) == "1"


# ---------------------------------------------------------------- strangers


@pytest.mark.parametrize("width", [1280, 500])
def test_what_a_run_has_taken_is_shown_in_whole_words(show: Show, width: int) -> None:
    sums = [StepSum("2.2.1", 12, 1234.5, tokens=51_234, errors=["no such file " * 40]), StepSum("", 12)]
    page = show(PLAN, run=sums, viewport={"width": width, "height": 800})
    heights = page.locator(".run th:not(:last-child), .run td:not(:last-child)").evaluate_all(
        "all => all.map(one => { const r = document.createRange(); r.selectNodeContents(one);"
        " return r.getBoundingClientRect().height })"
    )
    assert len(heights) == 12
    assert max(heights) < 30
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_in_a_plan_runs(show: Show) -> None:
    page = show(serialize_plan(hostile_plan()))
    page.get_by_role("button", name="Expand all").click()
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, embed, link:not([rel=icon]), form, base").count() == 0
    # The text is there, to the letter.
    assert page.locator(".text").first.inner_text() == visible(HOSTILE)
    assert page.title().startswith(visible(HOSTILE)[:40])
    links = page.locator("a").evaluate_all(
        "all => all.map(one => one.getAttribute('href')).filter(one => !/^#(s\\d+|tree)$/.test(one))"
    )
    assert links == []
    names = page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes]).map(one => one.name)"
    )
    assert not [name for name in names if name.startswith("on") or name == "style"]


def test_the_policy_holds(open_tab: Callable[..., Any], tmp_path: Any) -> None:
    """What got into the page all the same could do nothing. (The browser complains, as it should.)"""
    from planspec_lark.html import render_page

    text = render_page(parse_plan(PLAN)).replace(
        "</main>", '<img src="https://example.invalid/x" onerror="hacked = 1"><script>hacked = 2</script></main>'
    )
    path = tmp_path / "plan.html"
    path.write_text(text, encoding="utf-8")
    tab = open_tab()
    tab.page.goto(path.as_uri())
    assert tab.page.evaluate("window.hacked") is None
    said = [one for one in tab.said if "Content Security Policy" in one]
    assert len(said) >= 2
    with pytest.raises(Exception, match="TrustedHTML"):
        tab.page.evaluate("document.body.innerHTML = '<b>x</b>'")
    tab.said.clear()


def test_all_kinds_of_plans(open_tab: Callable[..., Any], tmp_path: Any) -> None:
    from planspec_lark.html import render_page

    tab = open_tab()
    path = tmp_path / "plan.html"
    for fixture in find("planspec/valid", ".md")[::6]:
        path.write_text(render_page(parse_plan(read(fixture)), name=fixture.name), encoding="utf-8")
        tab.page.goto(path.as_uri())
        assert tab.page.locator("h1").inner_text() != ""
    assert {*tab.asked} == {path.as_uri()}
