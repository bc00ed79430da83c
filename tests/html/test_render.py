"""The page as text."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from planspec_lark import PlanSpec, PlanStep, iter_steps, parse_plan
from planspec_lark.html import render_page
from planspec_lark.html.diagram import WIDTH, lay_out
from planspec_lark.html.markup import cut_id, cut_text, read_template
from planspec_lark.planspec import find_data_flow
from planspec_lark.syntax.safe_text import columns, visible
from tests import strategies
from tests.toolplan.measuring import grows_evenly

HOSTILE = (
    '</script><script>hacked=1</script><img src=x onerror=hacked=1>" onmouseover=hacked=1 x="\' autofocus '
    "onfocus=hacked=1 javascript:hacked=1 </style></title></svg><!-- ]]> &lt;b&gt; ${version} $rows \u202eabc\u2066 `"
)


def hostile_plan() -> PlanSpec:
    step = PlanStep(
        "1",
        step_type="act",
        description=HOSTILE,
        inputs=["b"],
        outputs=["a", "c"],
        detail=[HOSTILE, ""],
        result=HOSTILE,
    )
    return PlanSpec(HOSTILE, HOSTILE + "x", [HOSTILE], [HOSTILE], [step, PlanStep("2", step_type="act", inputs=["a"])])


class Reader(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


TAGS = re.compile(
    r"""html|head|meta|link|title|style|script|body|a|header|div|h1|h2|button|p|main|section|input|output|span|b|small
    |ul|li|strong|pre|svg|rect|marker|path|text|circle|details|summary""",
    re.VERBOSE,
)
ATTRIBUTES = re.compile(
    r"""lang|charset|http-equiv|content|name|rel|href|class|id|type|role|dir|title|tabindex|placeholder|autocomplete
    |spellcheck|open|data-(id|status|step|a|b|version)|xmlns|width|height|viewbox|x|y|d|r|rx|cx|cy|refx|refy
    |markerwidth|markerheight|orient|aria-(label|labelledby|describedby|hidden|expanded|level|posinset|setsize|pressed)""",
    re.VERBOSE,
)


def look_at(plan: PlanSpec, page: str) -> Reader:
    """What holds for every page."""
    # All pages have these, and reading them takes long.
    found = Reader(page.replace(read_template("page.css"), "").replace(read_template("page.js"), ""))
    assert found.open == []
    assert not [tag for tag, _ in found.tags if not TAGS.fullmatch(tag)]
    assert not [name for _, attributes in found.tags for name in attributes if not ATTRIBUTES.fullmatch(name)]
    assert {tag for tag, attributes in found.tags if "href" in attributes} <= {"a", "link"}
    assert all(re.fullmatch(r"#(s\d+|tree)|data:,", one["href"] or "") for _, one in found.tags if "href" in one)
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {(one.get("href") or "#heading")[1:] for tag, one in found.tags if tag == "a"} <= set(ids)
    rows = [attributes["data-id"] for _, attributes in found.tags if "data-id" in attributes]
    assert rows == [step.step_id for step in iter_steps(plan)]
    assert visible(page) == page
    return found


@settings(max_examples=2 * settings().max_examples)
@given(strategies.plans)
def test_any_plan(plan: PlanSpec) -> None:
    found = look_at(plan, render_page(plan))
    texts = {*found.texts}
    for step in iter_steps(plan):
        # A name is in front, with a space between.
        described = f" {step.description}" if step.step_name else step.description
        assert {visible(text) for text in [described, step.result, *step.detail] if text} <= texts


def test_a_hostile_plan() -> None:
    page = render_page(hostile_plan(), name=HOSTILE)
    found = look_at(hostile_plan(), page)
    # Heading, detail of the goal, constraint, description, result, detail, and what the box in the diagram is about.
    assert found.texts.count(visible(HOSTILE)) == 7
    assert Reader(page).tags == found.tags
    assert page.count("<script") == page.count("</script") == 1


def test_the_policy_names_style_and_script() -> None:
    page = render_page(PlanSpec())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert rules[rule] == f"'sha256-{b64encode(sha256(inside.encode()).digest()).decode()}'"
    assert {name: rule for name, rule in rules.items() if "sha256" not in rule} == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(", page)


def test_titles() -> None:
    def title(page: str) -> str:
        return page[page.index("<title>") + 7 : page.index("</title>")]

    assert title(render_page(PlanSpec("A <b>", "G"))) == "A &lt;b&gt;"
    assert title(render_page(PlanSpec(goal="G" * 200))) == "G" * 119 + "…"
    assert title(render_page(PlanSpec(), name="x.md")) == "x.md"
    assert title(render_page(PlanSpec())) == "Plan"
    # A goal that is the title is not said twice.
    assert render_page(PlanSpec(goal="Sing")).count("Sing") == 2


@pytest.mark.parametrize(
    ("step", "classes"),
    [
        ("1. [act] a\n> b\n", "row pending l0 full closed"),
        ("1. [>] [act] a\n> b\n", "row active l0 full"),
        ("1. [subtask] a\n1.1. [act] b\n", "row pending l0 branch"),
        ("1. [act] a\n", "row pending l0"),
    ],
)
def test_rows_start_as_plans_fold(step: str, classes: str) -> None:
    page = render_page(parse_plan(f"## Steps\n{step}"))
    assert f'<div class="{classes}" role="treeitem"' in page


def test_what_is_folded_hides_all_below() -> None:
    plan = parse_plan("## Steps\n1. [subtask] a\n1.1. [subtask] b\n1.1.1. [act] c\n2. [act] d\n> e\n")
    plan.steps[0].expanded = False
    plan.steps[1].expanded = True
    page = render_page(plan)
    assert re.findall(r'class="(row[^"]*)"', page) == [
        "row pending l0 branch folded",
        "row pending l1 branch away",
        "row pending l2 away",
        "row pending l0 full",
    ]


def test_inputs_say_where_they_come_from() -> None:
    plan = parse_plan("## Steps\n1. [act] a → x\n> ← y, z\n2. [act] b → y\n> ← x\n")
    page = render_page(plan)
    assert re.findall(r"<small>(.*?)</small>", page) == [
        '<a href="#s1" tabindex="-1">from 2 in the next round</a>',
        "no step produces it",
        '<a href="#s0" tabindex="-1">from 1</a>',
    ]
    assert ">rounds<" not in page


def test_counts() -> None:
    page = render_page(parse_plan("## Steps\n1. [x] [subtask] a | Progress: 2/3\n2. [subtask] b | Progress: 1\n"))
    assert re.findall(r'class="rounds">(.*?)<', page) == ["2 of 3 rounds", "1 rounds"]
    assert "<strong>1/2 (50%)</strong> steps done" in page
    assert re.findall(r'<rect class="(\w+)" x="([\d.]+)%" width="([\d.]+)%"', page) == [
        ("done", "0.000", "50.000"),
        ("pending", "50.000", "50.000"),
    ]


def test_no_variables() -> None:
    assert "No step takes or produces a variable." in render_page(parse_plan("## Steps\n1. [act] a\n"))
    hints = re.findall(r'class="hint">(From.*?)<', render_page(parse_plan("## Steps\n1. [act] a\n2. [act] a → b\n")))
    assert hints == [
        "From left to right, as values flow; dashed lines lead to the next round. 1 step has no variables."
    ]


def test_time_grows_evenly() -> None:
    def make(size: int) -> PlanSpec:
        rows = (f"{at}. [act] a → v{at}\n> ← v{at // 2}, w{at}, v{at + 1}\n" for at in range(1, size))
        return parse_plan("## Steps\n" + "".join(rows))

    assert grows_evenly(make, render_page, 300)


def test_ten_thousand_steps() -> None:
    plan = PlanSpec(steps=[PlanStep(str(at), step_type="act", outputs=[f"v{at}"]) for at in range(10_000)])
    page = render_page(plan)
    assert page.count('class="row ') == page.count('class="box ') == 10_000
    assert '<div id="tree" class="many"' in page
    assert '<details class="diagram"><summary>' in page


# ---------------------------------------------------------------- texts


def test_long_texts_are_cut() -> None:
    assert cut_text("称重称重称重", 12) == "称重称重称重"
    assert cut_text("称重称重称重x", 12) == "称重称重称…"
    assert columns(cut_text("a\u202eb" * 10, 12)) <= 12
    assert cut_id("1.2.3") == "1.2.3"
    assert cut_id(".".join("1" * 50)) == "1.1.1.1….1.1.1.1"[:8] + ".".join("1" * 50)[-9:]


# ---------------------------------------------------------------- the diagram


@settings(max_examples=2 * settings().max_examples)
@given(strategies.workable_plans)
def test_boxes_stand_where_they_should(plan: PlanSpec) -> None:
    flow = find_data_flow(plan)
    layout = lay_out(plan, flow)
    place = {step.step_id: at for at, step in enumerate(iter_steps(plan))}
    assert [place[box.step.step_id] for box in layout.boxes] == sorted(place[box.step.step_id] for box in layout.boxes)
    columns_: dict[int, float] = {}
    for box in layout.boxes:
        assert box.y >= columns_.get(box.column, 0)
        columns_[box.column] = box.y + box.height
        assert box.x + WIDTH < layout.width
        assert box.y + box.height < layout.height
    for edge in layout.edges:
        if not edge.is_feedback:
            assert edge.source.column < edge.target.column
    taken = sum(origin is not None for origins in flow.origins.values() for origin in origins.values())
    assert len(layout.edges) == taken


def test_columns() -> None:
    steps = """\
1. [act] a → x
2. [subtask] b → y
  > ← x
  2.1. [act] c → v
  2.2. [act] d → w
    > ← v
3. [decide] e
  3.1. [act] f → z
  3.2. [act] g → z
4. [act] h
  > ← y, z
5. [act] i
"""
    plan = parse_plan(f"## Steps\n{steps}")
    layout = lay_out(plan, find_data_flow(plan))
    found = {box.step.step_id: box.column for box in layout.boxes}
    # A decision has what its branches produce.
    assert found == {"1": 0, "2": 1, "2.1": 1, "2.2": 2, "3": 0, "3.1": 0, "3.2": 0, "4": 3}
    assert [port.name for box in layout.boxes if box.step.step_id == "3" for port in box.outputs] == ["z"]
