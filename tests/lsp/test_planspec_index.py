"""What the server knows of a plan, without a client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol.types import TextDocumentItem

from planspec_lark.folder.project import read_project
from planspec_lark.lsp.documents import ClientSettings, Document
from planspec_lark.lsp.features import format_text
from planspec_lark.lsp.languages import language_of
from planspec_lark.lsp.models import Bounds, NamePosition
from planspec_lark.lsp.planspec_index import PlanIndex
from planspec_lark.lsp.rename import RenameError, places_to_rename
from planspec_lark.lsp.server import _diagnose
from planspec_lark.lsp.step_index import StepIndex
from planspec_lark.planspec import check_text
from planspec_lark.syntax import Severity
from tests.corpus import ROOT

PLAN = """\
# Plan: Move
Goal: Switch
Constraints:
- No loss
- No doubles
## Steps
1. [x] compare [reason] Compare schemas → gaps | 3 columns
2. [>] [subtask] Copy → report
  > ← gaps
  2.1. [x] [act] Copy all → snapshot, log | 41 GB
  2.2. [>] [act] Verify → report | Progress: 37/52
    > ← snapshot
    > By hand
3. [decide] Complete?
  > ← report
  3.1. [act] Switch → notice
    > ← log
  3.2. [act] Postpone → notice
4. [act] Tell → letter
  > ← notice, price
"""


def at(place: str, text: str = PLAN, *, after: bool = False) -> int:
    """The offset of a place, which occurs once."""
    assert text.count(place) == 1, place
    return text.index(place) + (len(place) if after else 0)


def places(reading: StepIndex[Any], word: NamePosition, *, with_definitions: bool = True) -> list[Bounds]:
    """Where a name is taken, and where it is given."""
    return [one.place for one in reading.occurrences(word) if with_definitions or not one.is_origin]


def said(text: str, places: object) -> list[tuple[int, str]]:
    """Places as the numbers of their lines, and what stands there."""
    assert isinstance(places, (list, tuple))
    return [(text.count("\n", 0, start) + 1, text[start:end]) for start, end in places]


# ---------------------------------------------------------------- which documents


@pytest.mark.parametrize(
    ("language", "uri", "is_plan"),
    [
        ("planspec", "untitled:Untitled-1", True),
        ("planspec", "file:///tmp/notes.txt", True),
        ("markdown", "untitled:Untitled-1", False),
        ("markdown", "file:///home/me/app/README.md", False),
        ("markdown", "file:///home/me/app/planspec/a.md", True),
        ("markdown", "file:///home/me/app/planspec/archive/a%20b.md", True),
        ("markdown", "file:///home/me/app/Tasks/a/plan.md", True),
        ("markdown", "file:///home/me/app/docs/a.plan.md", True),
        ("markdown", "file:///home/me/planspec/README.md", True),
        ("markdown", "file:///home/me/open/planspec/README.md", False),
        ("markdown", "file:///home/me/open/planspec/planspec/a.md", True),
        ("markdown", "vscode-remote://wsl/home/me/app/planspec/a.md", True),
        ("markdown", "file:///home/me/app/.cursor/plans/a.plan.md", False),
        ("planspec", "file:///home/me/app/.cursor/plans/a.plan.md", True),
        ("markdown", "http://[", False),
        ("", "", False),
    ],
)
def test_which_documents_are_plans(language: str, uri: str, is_plan: bool) -> None:
    found = language_of(language, uri, ["file:///home/me/app", "file:///home/me/open/planspec/"])
    assert (found is PlanIndex) is is_plan


def test_a_plan_of_another_tool_is_none() -> None:
    uri = "file:///home/me/app/a.plan.md"
    assert language_of("markdown", uri, text="---\ntodos: []\n---\n") is None
    assert language_of("markdown", uri, text="---\ntodos: []\n---\nGoal: g\n") is PlanIndex
    assert language_of("planspec", uri, text="---\ntodos: []\n---\n") is PlanIndex


def test_files_are_plans_as_the_hooks_have_them() -> None:
    assert f"files: '{PlanIndex.files.pattern}'" in (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


# ---------------------------------------------------------------- hover


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (
            "2.2. [>]",
            "Step 2.2: active\nact: to do or to make something\nProgress: 37/52\n"
            "Needs snapshot from step 2.1 (done): 41 GB\nGives report to step 3",
        ),
        (
            "[subtask]",
            "Step 2: active\nsubtask: holds the steps that it consists of\nDone below it: 1/2 (50%)\n"
            "Needs gaps from step 1 (done): 3 columns\nGives report to step 3",
        ),
        (
            "[reason]",
            "Step 1 (compare): done\nreason: to think something through\nGives gaps to step 2\nResult: 3 columns",
        ),
        (
            "By hand",
            "Step 2.2: active\nact: to do or to make something\nProgress: 37/52\n"
            "Needs snapshot from step 2.1 (done): 41 GB\nGives report to step 3",
        ),
        ("price", "Needs price, which no step produces"),
        ("letter", "Gives letter, which no step takes"),
        ("notice, price", "Needs notice from step 3 (pending)"),
    ],
)
def test_hover(place: str, expected: str) -> None:
    found = PlanIndex(PLAN).hover(at(place))
    assert found is not None
    assert found[0] == expected


@pytest.mark.parametrize(
    ("place", "shown"),
    [("By hand", "2.2. [>] [act] Verify → report | Progress: 37/52"), ("price", "price")],
)
def test_hover_marks_a_name_or_the_first_line_of_a_step(place: str, shown: str) -> None:
    found = PlanIndex(PLAN).hover(at(place))
    assert found is not None
    assert PLAN[slice(*found[1])] == shown


@pytest.mark.parametrize("place", ["# Plan", "Goal", "- No loss", "## Steps"])
def test_there_is_nothing_to_say_outside_of_steps(place: str) -> None:
    assert PlanIndex(PLAN).hover(at(place)) is None


@pytest.mark.parametrize("rounds", ["Progress: 0/3", "Progress: 2"])
def test_hover_says_how_many_rounds_are_done(rounds: str) -> None:
    found = PlanIndex(f"1. [act] Knock | {rounds}\n").hover(0)
    assert found is not None
    assert rounds in found[0].split("\n")


def test_hover_says_what_is_no_type_and_shows_nothing_that_steers() -> None:
    found = PlanIndex("1. [LLM] Do\u202e it | a\u200bb\n").hover(0)
    assert found is not None
    assert found[0] == (
        "Step 1: pending\nLLM: no type of steps; these are reason, act, decide and subtask\nResult: a\\u200bb"
    )


def test_hover_does_not_tell_of_all_variables() -> None:
    found = PlanIndex(f"1. [act] x → {', '.join(f'v{n}' for n in range(30))} | done\n").hover(0)
    assert found is not None
    rows = found[0].split("\n")
    assert (len(rows), rows[-3:]) == (24, ["Gives v19, which no step takes", "and more", "Result: done"])


# ---------------------------------------------------------------- names


def test_an_input_comes_from_the_output_before_it() -> None:
    reading = PlanIndex(PLAN)
    word = reading.word_at(at("← gaps", after=True))
    assert word is not None
    assert said(PLAN, reading.definitions(word)) == [(7, "gaps")]


def test_what_branches_put_out_comes_from_all_of_them() -> None:
    reading = PlanIndex(PLAN)
    word = reading.word_at(at("notice, price"))
    assert word is not None
    assert said(PLAN, reading.definitions(word)) == [(16, "notice"), (18, "notice")]


def test_what_no_step_puts_out_comes_from_nowhere() -> None:
    reading = PlanIndex(PLAN)
    word = reading.word_at(at("price"))
    assert word is not None
    assert reading.definitions(word) == []
    assert said(PLAN, places(reading, word)) == [(20, "price")]


def test_references_are_all_steps_that_take_it() -> None:
    reading = PlanIndex(PLAN)
    word = reading.word_at(at("Copy → report", after=True))
    assert word is not None
    assert said(PLAN, places(reading, word, with_definitions=False)) == [(15, "report")]
    assert said(PLAN, places(reading, word)) == [
        (8, "report"),
        (11, "report"),
        (15, "report"),
    ]
    # Where it is produced, that is where it comes from.
    assert said(PLAN, reading.definitions(word)) == [(8, "report")]


@pytest.mark.parametrize("place", ["Compare schemas", "# Plan", "1. [x] compare", "By hand"])
def test_other_text_is_no_name(place: str) -> None:
    assert PlanIndex(PLAN).word_at(at(place) + 3) is None


def test_a_variable_gets_another_name_in_all_its_places() -> None:
    reading = PlanIndex(PLAN)
    word = reading.word_at(at("notice, price"))
    assert word is not None
    assert said(PLAN, places_to_rename(reading, word, "news")) == [(16, "notice"), (18, "notice"), (20, "notice")]
    assert places_to_rename(reading, word, "notice") == []


def test_a_step_gets_another_name() -> None:
    reading = PlanIndex(PLAN)
    word = reading.word_at(at("compare"))
    assert word is not None
    assert said(PLAN, places_to_rename(reading, word, "vergleichen-中文")) == [(7, "compare")]


@pytest.mark.parametrize(
    ("text", "place", "name", "message"),
    [
        (
            PLAN,
            "snapshot, log",
            "a b",
            "`a b` cannot be a variable: write a letter or `_`, then letters, digits and `_`",
        ),
        (PLAN, "snapshot, log", "", "`` cannot be a variable: write a letter or `_`, then letters, digits and `_`"),
        (PLAN, "snapshot, log", "中", "`中` cannot be a variable: write a letter or `_`, then letters, digits and `_`"),
        (PLAN, "snapshot, log", "gaps", "there is a variable `gaps` already, and the two would be one"),
        (PLAN, "snapshot, log", "price", "there is a variable `price` already, and the two would be one"),
        (PLAN, "compare", "a.b", "`a.b` cannot be a step name: write letters, digits, `_` and `-`"),
        ("1. a [act] x\n2. b [act] y\n", "a [act]", "b", "step 2 has the name `b` already"),
        (
            "1. [act] x → first\n2) [act] y → z\n> ← first\n3. [act] z → first2 >> first\n4. act]] first\n",
            "first\n2)",
            "second",
            "`first` may occur in line 5 as well, which has faults: repair that first",
        ),
    ],
)
def test_a_name_that_cannot_be_given_is_refused(text: str, place: str, name: str, message: str) -> None:
    reading = PlanIndex(text)
    word = reading.word_at(at(place, text))
    assert word is not None
    with pytest.raises(RenameError) as error:
        places_to_rename(reading, word, name)
    assert str(error.value) == message


# ---------------------------------------------------------------- symbols


def test_symbols_are_the_tree_of_the_steps() -> None:
    goal, constraints, *steps = PlanIndex(PLAN).symbols
    assert (goal.name, goal.detail, said(PLAN, [goal.place])) == ("Goal", "Switch", [(2, "Switch")])
    assert said(PLAN, [constraints.place]) == [(4, "No loss\n- No doubles")]
    assert [(one.name, one.detail, one.kind, len(one.children)) for one in steps] == [
        ("1. compare Compare schemas", "[reason] done", "step", 0),
        ("2. Copy", "[subtask] active", "container", 2),
        ("3. Complete?", "[decide] pending", "container", 2),
        ("4. Tell", "[act] pending", "step", 0),
    ]
    assert PLAN[slice(*steps[1].place)].endswith("> By hand")
    assert PLAN[steps[1].place[0] : steps[1].name_end] == "2. [>] [subtask] Copy → report"


def test_symbols_of_a_deep_plan_are_not_deep() -> None:
    text = "".join(f"{'.'.join(['1'] * depth)}. [subtask] s\n" for depth in range(1, 400))
    level, depth, count = [*PlanIndex(text).symbols], 0, 0
    while level:
        depth, count = depth + 1, count + len(level)
        level = [child for one in level for child in one.children]
    assert (depth, count) == (41, 399)


# ---------------------------------------------------------------- completion


def offered(text: str) -> list[str]:
    """What may be written at the bar in a text."""
    start = text.index("¦")
    return [one.text for one in PlanIndex(text.replace("¦", "")).complete(start)]


MARKS = ["[ ]", "[x]", "[>]", "[!]", "[~]"]
TYPES = ["[reason]", "[act]", "[decide]", "[subtask]"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. ¦", MARKS + TYPES),
        ("1. [¦", MARKS + TYPES),
        ("  1.2. [a¦] Text", MARKS + TYPES),
        ("1. ac¦", MARKS + TYPES),
        ("1. [x] ¦", TYPES),
        ("1. [x] name [¦", TYPES),
        ("1. name ¦", TYPES),
        ("1.¦", []),
        ("1. [act] Text ¦", []),
        ("1. [act] Text [¦", []),
        ("Goal: ¦", []),
        ("¦", []),
        ("- ¦", []),
        ("> ¦", []),
    ],
)
def test_marks_and_types_are_offered_where_the_grammar_takes_them(text: str, expected: list[str]) -> None:
    assert offered(text) == expected


BODY = "1. [act] A → first, second\n2. [act] B → third\n  > ← {}\n3. [act] C\n  > ← missing, first\n4. [act] D {}\n"


@pytest.mark.parametrize(
    ("inputs", "outputs", "expected"),
    [
        ("¦", "", ["first", "second"]),
        ("fi¦", "", ["first", "second"]),
        ("first, ¦", "", ["second"]),
        ("first,¦", "", ["second"]),
        # What the step takes already is left out, also where that is written after the cursor.
        ("fi¦, second", "", ["first"]),
        ("first", "→ ¦", []),
        ("first", "¦", []),
    ],
)
def test_variables_are_offered_behind_arrows(inputs: str, outputs: str, expected: list[str]) -> None:
    assert offered(BODY.format(inputs, outputs)) == expected


def test_variables_of_later_steps_are_not_offered() -> None:
    assert offered("1. [act] A → a\n2. [act] B\n  > ← ¦\n3. [act] C → late\n") == ["a"]


def test_a_candidate_takes_the_place_of_what_is_written() -> None:
    text = "1. [re] Text\n"
    assert next(one for one in PlanIndex(text).complete(5) if one.text == "[act]").place == (3, 7)
    text = BODY.format("first", "")
    middle = at("← first\n", text) + 4
    [second] = [one for one in PlanIndex(text).complete(middle) if one.text == "second"]
    assert text[slice(*second.place)] == "first"


# ---------------------------------------------------------------- texts with faults


def test_a_text_with_faults_has_steps_all_the_same() -> None:
    text = PLAN.replace("2.2. [>]", "2.2) [>]").replace("Goal:", "Goal")
    reading = PlanIndex(text)
    found = reading.hover(at("By hand", text))
    assert found is not None
    assert found[0].startswith("Step 2.2: active\n")
    word = reading.word_at(at("snapshot\n", text))
    assert word is not None
    assert said(text, reading.definitions(word)) == [(10, "snapshot")]


def test_infos_are_left_out_unless_they_are_asked_for() -> None:
    assert [one.code for one in PlanIndex(PLAN).findings(Severity.WARNING)] == []
    assert {one.code for one in PlanIndex(PLAN).findings(Severity.INFO)} == {one.code for one in check_text(PLAN)}
    assert PlanIndex(PLAN).findings(Severity.INFO)


def formatted(text: str, language: type[StepIndex[Any]]) -> str:
    """A text after the edits that make it canonical."""
    document = Document(TextDocumentItem("untitled:1", language.language, 1, text), language, ClientSettings())
    for edit in format_text(document) or ():
        start, end = document.text.offsets(edit.range)
        text = text[:start] + edit.new_text + text[end:]
    return text


def test_the_canonical_form_keeps_the_line_ends() -> None:
    text = "Goal:  x\r\n## Steps\r\n1.  [act] y\r\n"
    assert formatted(text, PlanIndex) == "Goal: x\r\n## Steps\r\n1. [act] y\r\n"


def test_a_text_that_is_too_long_is_not_read() -> None:
    text = PLAN + "> x" * 700_000
    assert [one.code for one in PlanIndex(text).findings(Severity.WARNING)] == ["PS121"]
    assert PlanIndex(text).symbols == []


def test_a_name_may_stand_behind_the_last_fault_that_is_listed() -> None:
    text = "1. [act] x → first\n" + "2) [act\n" * 300 + "3) [act first\n"
    reading = PlanIndex(text)
    word = reading.word_at(at("→ first", text, after=True))
    assert word is not None
    with pytest.raises(RenameError, match="`first` may occur in line 302 as well, which has faults"):
        places_to_rename(reading, word, "second")


def test_findings_are_those_that_the_project_settles(tmp_path: Path) -> None:
    text = "Goal: x\n## Steps\n1. [act] one → a\n2. [act] two → a\n3. [subtask] three\n"
    (tmp_path / "planspec.toml").write_text("ignore = ['PS308']\nseverity = {PS206 = 'error'}\n")
    # Wherever the editor has started the server.
    uri = (tmp_path / "planspec" / "ä b.md").as_uri()
    document = Document(TextDocumentItem(uri, "planspec", 1, text), PlanIndex, ClientSettings())
    assert [(one.code, one.severity) for one in document.findings] == [("PS206", Severity.ERROR)]
    left = read_project(document.folder).fix_text(document.reading.fixed(document.folder)).left
    assert [one for one in left if one.severity is not Severity.INFO] == document.findings
    (tmp_path / "planspec.toml").write_text("ignored = []")
    document.change(2, [])
    (told,) = _diagnose(document)
    assert told.message.startswith("this document could not be checked: ")
    assert "planspec.toml: ignored: there is no such setting" in told.message
