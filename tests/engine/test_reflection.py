"""What an answer decides, what it may not say, and what only looks like a decision."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import (
    Diagnostic,
    PlanCommand,
    PlanSpec,
    PlanStep,
    Severity,
    apply_commands,
    find_step,
    parse_plan,
    render_all,
    serialize_commands,
    validate_plan,
)
from planspec_lark.engine import Decision, Reflection, read_reflection, read_replan
from planspec_lark.syntax import Limits, grammars
from tests.cases import in_one_test
from tests.corpus import FIXTURES, expected_codes, find, read

PLAN = """\
Goal: The well gives clean water again
## Steps
1. [x] [act] Close the well → closed
2. [>] [subtask] Clean the well
  2.1. [x] [act] Pump it empty
  2.2. [>] [act] Brush the wall → clean_wall
  2.3. [act] Wash out the mud
3. [subtask] Test the water
  3.1. [act] Take a sample → sample
  3.2. [decide] Is it good?
4. [act] Open the well
"""
OWN = "2.2"


def plan() -> PlanSpec:
    return parse_plan(PLAN)


def reflect(text: str, *, can_interact: bool = True, can_retry: bool = True) -> Reflection:
    given = plan()
    step = find_step(given, OWN)
    assert step is not None
    found = read_reflection(text, given, step, can_interact=can_interact, can_retry=can_retry)
    assert given == plan()
    return found


def replan(text: str) -> Reflection:
    given = plan()
    found = read_replan(text, given)
    assert given == plan()
    return found


def codes(found: Reflection) -> list[tuple[str, int | None]]:
    return [(one.code, one.line) for one in found.diagnostics]


# ---------------------------------------------------------------- decisions


@in_one_test
@pytest.mark.parametrize(
    ("text", "decision", "reason"),
    [
        ("RETRY", Decision.RETRY, ""),
        ("ACCEPT | good enough", Decision.ACCEPT, "good enough"),
        ("INTERACT | Which brush?", Decision.INTERACT, "Which brush?"),
        (" \tRETRY\t|\t a | b \t", Decision.RETRY, "a | b"),
        ("RETRY |", Decision.RETRY, ""),
        ("RETRY | \\| Progress: 3", Decision.RETRY, "\\| Progress: 3"),
        ("The brush broke.\n\n```\nRETRY | new brush\n```\nThat is all.", Decision.RETRY, "new brush"),
        ("刷子坏了。\nRETRY | 换新刷子\n", Decision.RETRY, "换新刷子"),
        ("RETRY\nIt was the brush.\nRETRY", Decision.RETRY, ""),
        ("RETRY | one\nRETRY | two\nRETRY", Decision.RETRY, "two"),
        ("\ufeffACCEPT", Decision.ACCEPT, ""),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"], ids=["no end", "LF", "CRLF"])
def test_a_decision(text: str, decision: Decision, reason: str, end: str) -> None:
    found = reflect(text.replace("\n", end or "\n") + end)
    assert (found.decision, found.reason, found.commands, found.diagnostics) == (decision, reason, [], [])
    assert found.is_usable


def test_the_words_are_those_of_the_grammar() -> None:
    word = grammars.pattern("reflection", "WORD").pattern
    assert word == f"(?P<value>{'|'.join(decision.value for decision in Decision)})"


def test_the_parser_takes_the_same_lines() -> None:
    tree = grammars.parser("reflection").parse("  RETRY | a | b \r\n\t", start="decision")
    assert "".join(str(token) for token in tree.scan_values(lambda _: True)) == "  RETRY | a | b \r\n\t"


@in_one_test
@pytest.mark.parametrize(
    "text",
    [
        "I would accept the result",
        "Retry the call with another brush.",
        "RETRY because the brush broke",
        "RETRY or ACCEPT",
        "RETRY/ACCEPT",
        "No RETRY",
        "Decision: not RETRY",
        "RETRYING",
        "accepted",
        "Accept it, and go on: that is what I would do.",
        "重试一次再说",
        "接受当前结果",
        "~~RETRY~~",
        "RETRY?",
        "retry_count: 3",
        "retry2",
        "\u0131nteract",
    ],
)
def test_prose_is_prose(text: str) -> None:
    assert codes(reflect(text)) == [("PE201", 1)]
    assert reflect(f"{text}\nACCEPT").diagnostics == []


@in_one_test
@pytest.mark.parametrize(
    ("line", "repaired"),
    [
        ("retry", "RETRY"),
        ("Accept", "ACCEPT"),
        ("**RETRY**", "RETRY"),
        ("`INTERACT`", "INTERACT"),
        ("- RETRY", "RETRY"),
        ("* **RETRY** | broken brush", "RETRY | broken brush"),
        ("> ACCEPT", "ACCEPT"),
        ("## ACCEPT", "ACCEPT"),
        ("1. RETRY", "RETRY"),
        ("[RETRY]", "RETRY"),
        ("【RETRY】", "RETRY"),
        ('"decision": "RETRY",', "RETRY"),
        ("RETRY: broken brush", "RETRY | broken brush"),
        ("RETRY：刷子坏了", "RETRY | 刷子坏了"),
        ("RETRY - broken brush", "RETRY | broken brush"),
        ("RETRY — broken brush", "RETRY | broken brush"),
        ("RETRY|broken brush", "RETRY | broken brush"),
        ("RETRY｜刷子坏了", "RETRY | 刷子坏了"),
        ("RETRY ｜ 刷子坏了", "RETRY | 刷子坏了"),
        ("Decision: RETRY", "RETRY"),
        ("**Decision:** RETRY", "RETRY"),
        ("**Decision: RETRY**", "RETRY"),
        ("Final decision: **ACCEPT** - it will do", "ACCEPT | it will do"),
        ("决策：RETRY", "RETRY"),
        ("最终决策：重试", "RETRY"),
        ("接受。", "ACCEPT"),
        ("询问：用哪把刷子？", "INTERACT | 用哪把刷子？"),
        ("PLAN_CMD: RETRY", "RETRY"),
        ("PLAN_CMD: RETRY 2.2 | broken brush", "RETRY | broken brush"),
        ("plan_cmd：accept", "ACCEPT"),
        ("RETRY 2.2", "RETRY"),
        ("RETRY step 2.2.", "RETRY"),
        ("RETRY 3", None),
        ("RETRY.", "RETRY"),
        ("ACCEPT!", "ACCEPT"),
        ("RETRY | a\x00b", "RETRY | ab"),
        ("- RETRY\x1b[31m", None),
        ("**RETRY\x07**", "RETRY"),
        ("RETRY | a \x00", "RETRY | a"),
        ("**RETRY: broken brush**", "RETRY | broken brush"),
        ("RETRY: | broken brush", "RETRY | broken brush"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "So:\n \t{} \t\r\nThat is all."], ids=["alone", "in prose"])
def test_a_near_miss_is_reported_and_repaired(line: str, repaired: str | None, around: str) -> None:
    text = around.format(line)
    found = reflect(text)
    if repaired is None and "\x1b" in line:
        assert codes(found) == [("PE201", text.count("\n") + 1)]
        return
    (one,) = found.diagnostics
    assert (found.decision, one.code, one.severity) == (None, "PE202", Severity.ERROR)
    assert (one.fix and one.fix.text) == repaired
    if one.fix is not None:
        assert text[one.fix.span.start : one.fix.span.end] == line
        fixed = reflect(text[: one.fix.span.start] + one.fix.text + text[one.fix.span.end :])
        assert (fixed.diagnostics, fixed.decision is None) == ([], False)


@in_one_test
@pytest.mark.parametrize("text", ["{}", "So:\n{}", "So:\n\ufeff{}"])
def test_what_is_not_possible_is_not_proposed(text: str) -> None:
    for word, is_possible in (("RETRY", False), ("INTERACT", False), ("ACCEPT", True)):
        (one,) = reflect(text.format(f"- {word}"), can_interact=False, can_retry=False).diagnostics
        assert (one.code, one.fix is not None) == ("PE202", is_possible)


@pytest.mark.parametrize("settling", ["ACCEPT", "PLAN_CMD: SKIP 2.2 | no brush", "PLAN_CMD: REVISE 2 [subtask] Clean"])
def test_an_answer_that_has_decided_may_list_the_decisions(settling: str) -> None:
    found = reflect(f"I could say\n- RETRY\n- ACCEPT\n\n{settling}\n")
    assert [(one.code, one.line, one.severity) for one in found.diagnostics] == [
        ("PE202", 2, Severity.WARNING),
        ("PE202", 3, Severity.WARNING),
    ]
    assert found.is_usable


def test_a_command_may_have_something_around_it() -> None:
    found = reflect("RETRY\n- PLAN_CMD: SKIP 4\nThen: PLAN_CMD: SKIP 3.1\n")
    assert codes(found) == [("PC107", 2)]
    assert found.is_usable
    assert found.commands == [PlanCommand("SKIP", "4")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("PLAN_CMD: REPLAN", "PC105"),
        ("PLAN_CMD: REMOVE 4", "PC101"),
        ("- **PLAN_CMD: BLOCK 4**", "PC101"),
        ("PLAN_CMD: SKIP 4 and 5", "PC106"),
        ("PLAN_CMD: ADD 5 Report", "PC104"),
    ],
)
def test_a_line_that_cannot_be_read_is_skipped_with_a_warning(line: str, code: str) -> None:
    text = f"{line}\nPLAN_CMD: REVISE 4 [act] Open it\n"
    for found in (reflect(f"RETRY\n{text}"), replan(f"\n{text}")):
        assert found.is_usable
        assert found.commands == [PlanCommand("REVISE", "4", "act", "Open it")]
        assert (code, 2, Severity.WARNING) in [(one.code, one.line, one.severity) for one in found.diagnostics]
        assert found.warnings[-1].startswith(f"line 2: {code}: this line is skipped: ")
    assert replan(line).is_usable
    # Nothing else says what becomes of the step.
    assert ("PE201", 2) in codes(reflect(f"{line}\n \n")) or ("PE201", 1) in codes(reflect(f"{line}\n \n"))
    assert not reflect(line).is_usable


def test_two_versions_are_not_skipped() -> None:
    assert not replan("<<<<<<< a\nPLAN_CMD: REPLAN 2\n=======\n>>>>>>> b\n").is_usable


def test_sentences_beside_commands_never_matter() -> None:
    for said in ("步骤 2 执行失败，原因是权限不足。", "Do not do this:", "If it rains, ignore it."):
        found = replan(f"{said}\nPLAN_CMD: REVISE 4 [act] Open it\n{said}\n")
        assert (len(found.commands), found.diagnostics) == (1, [])


def test_an_answer_that_is_cut_off_is_of_no_use() -> None:
    given = plan()
    step = find_step(given, OWN)
    assert step is not None
    cut = read_reflection("RETRY | bro", given, step, can_interact=True, finish_reason="length")
    assert (codes(cut), cut.is_usable) == ([("PS129", 1)], False)
    assert codes(replan("PLAN_CMD: ADD 5 [act] Open it,")) == [("PS129", 1)]
    assert codes(replan("```\nPLAN_CMD: ADD 5 [act] Open it\n")) == [("PS129", 2)]
    assert not read_replan("Nothing has to ch", given, finish_reason="length").is_usable
    assert replan("Nothing has to change, so").is_usable
    assert reflect("RETRY | it was closed,").is_usable


def test_what_belongs_to_a_command_is_no_decision() -> None:
    found = reflect("ACCEPT\nPLAN_CMD: ADD 5 [act] Report\n> RETRY\n> - RETRY\n")
    assert found.diagnostics == []
    assert found.commands == [PlanCommand("ADD", "5", "act", "Report", detail=["RETRY", "- RETRY"])]


# ---------------------------------------------------------------- nothing, or too much


@pytest.mark.parametrize(("text", "line", "column"), [("", 1, 1), ("so\n\nit is \n\n", 3, 6), ("\n\n", 1, 1)])
def test_an_answer_without_anything(text: str, line: int, column: int) -> None:
    (one,) = reflect(text).diagnostics
    assert (one.code, one.line, one.column) == ("PE201", line, column)
    assert not reflect(text).is_usable


# ---------------------------------------------------------------- commands


@in_one_test
@pytest.mark.parametrize(
    "text",
    [
        "PLAN_CMD: SKIP 2",
        "PLAN_CMD: REVISE 2 [subtask] Clean it otherwise",
        "PLAN_CMD: REPLAN 2 | the brush does not fit",
        "RETRY\nPLAN_CMD: REVISE 2.2 [act] Rinse the wall",
        "RETRY\nPLAN_CMD: REVISE 2 [subtask] Clean it otherwise",
        "ACCEPT\nPLAN_CMD: SKIP 2.3\nPLAN_CMD: REVISE 3.1 [act] Take two\nPLAN_CMD: REPLAN 3\nPLAN_CMD: ADD 5 [act] x",
        "PLAN_CMD: ADD 2.2 [act] Buy a brush\nPLAN_CMD: SKIP 2.3 | that was 2.2",
        "PLAN_CMD: ADD 2 [act] Buy a brush\nPLAN_CMD: REPLAN 3 | that was 2",
    ],
)
def test_what_may_be_said(text: str) -> None:
    found = reflect(text)
    assert found.diagnostics == []
    assert apply_commands(plan(), found.commands, atomic=True) == []


# Of an answer: what is found in which line.
REFUSED = {
    # A decision that is none, or one of several.
    "RETRY | one\nACCEPT\nRETRY | two\nINTERACT\n": "2 PE203, 4 PE203",
    "重试\nRETRY 3 | x\nRETRY\x00": "1 PE202, 2 PE202, 3 PE202",
    # Not for a reflection.
    "ACCEPT\nPLAN_CMD: DONE 3.1": "2 PE205",
    "ACCEPT\nPLAN_CMD: BLOCKED 3.1": "2 PE205",
    "ACCEPT\nPLAN_CMD: EXPAND 3": "2 PE205",
    "ACCEPT\nPLAN_CMD: COLLAPSE 3": "2 PE205",
    "PLAN_CMD: REPLAN ALL | all wrong": "1 PE205",
    "PLAN_CMD: DONE 2.2": "1 PE205",
    "PLAN_CMD: EXPAND 2.2": "1 PE205",
    # Where commands alone leave the step open, what is almost a decision may have been meant.
    "PLAN_CMD: SKIP 2.3\n- RETRY": "2 PE202",
    # What the plan does not take.
    "ACCEPT\nPLAN_CMD: SKIP 9": "2 PC111",
    "ACCEPT\nPLAN_CMD: ADD 9.1 [act] x\nPLAN_CMD: ADD 4.1 [act] x": "2 PC112, 3 PC113",
    "ACCEPT\nPLAN_CMD: ADD 5 [cook] x": "2 PC114",
    "PLAN_CMD: REPLAN 2.2": "1 PC115",
    "PLAN_CMD: REVISE 2 [act] x": "1 PC116",
    "PLAN_CMD: REPLAN 2\nPLAN_CMD: SKIP 2.2": "2 PC111",
    # Contradictions.
    "RETRY\nPLAN_CMD: SKIP 2.2": "2 PE207",
    "PLAN_CMD: SKIP 2\nACCEPT": "1 PE207",
    "INTERACT\nPLAN_CMD: SKIP 2.2": "2 PE207",
    "ACCEPT\nPLAN_CMD: REVISE 2.2 [act] x": "2 PE207",
    "ACCEPT\nPLAN_CMD: REVISE 2 [subtask] x": "2 PE207",
    "ACCEPT\nPLAN_CMD: REPLAN 2": "2 PE207",
    "RETRY\nPLAN_CMD: REPLAN 2": "2 PE207",
    "ACCEPT\nPLAN_CMD: SKIP 4\nPLAN_CMD: REVISE 4 [act] x": "3 PE207",
    "ACCEPT\nPLAN_CMD: REPLAN 3\nPLAN_CMD: SKIP 3": "3 PE207",
    "PLAN_CMD: SKIP 2.2\nPLAN_CMD: ADD 2.1 [act] x\nPLAN_CMD: REVISE 2.3 [act] x": "3 PE207",
    "RETRY\nPLAN_CMD: ADD 1 [act] x\nPLAN_CMD: SKIP 3.2": "3 PE207",
    "RETRY\nACCEPT\nPLAN_CMD: SKIP 2.2": "2 PE203",
    # A step that is gone is not the one that gets its id.
    "ACCEPT\nPLAN_CMD: REPLAN 2\nPLAN_CMD: ADD 2.2 [act] x\nPLAN_CMD: SKIP 2.2": "2 PE207",
    # Steps that are done.
    "ACCEPT\nPLAN_CMD: SKIP 2.1": "2 PE208",
    "ACCEPT\nPLAN_CMD: ADD 1 [act] x\nPLAN_CMD: SKIP 2": "3 PE208",
    # All at once.
    "RETRY\nACCEPT\n- RETRY\nPLAN_CMD: DONE 1\nPLAN_CMD: SKIP 1\nPLAN_CMD: SKIP 9\nPLAN_CMD: skip 4\n": (
        "2 PE203, 3 PE202, 4 PE205, 5 PE208, 6 PC111, 7 PC102"
    ),
}


REFUSED_AS_REPLAN = {
    "RETRY": "1 PE204",
    "ACCEPT | fine\nPLAN_CMD: REPLAN 3": "1 PE204",
    "PLAN_CMD: SKIP 3": "1 PE205",
    "PLAN_CMD: DONE 3": "1 PE205",
    "PLAN_CMD: BLOCKED 3": "1 PE205",
    "PLAN_CMD: EXPAND 3\nPLAN_CMD: COLLAPSE 3": "1 PE205, 2 PE205",
    "PLAN_CMD: REPLAN ALL\nPLAN_CMD: ADD 5 [act] x": "1 PE207",
    "PLAN_CMD: REPLAN 4\nPLAN_CMD: REVISE 9 [act] x": "1 PC115, 2 PC111",
}


@pytest.mark.parametrize(
    ("reading", "refused"), [(reflect, REFUSED), (replan, REFUSED_AS_REPLAN)], ids=["reflection", "replan"]
)
def test_what_may_not_be_said(
    reading: Callable[[str], Reflection], refused: dict[str, str], snapshot: SnapshotAssertion
) -> None:
    told: list[str] = []
    for text, expected in refused.items():
        found = reading(text)
        assert ", ".join(f"{one.line} {one.code}" for one in found.diagnostics) == expected
        assert not found.is_usable
        told += [f"{text!r}:", *(f"  {one.message} ({one.help})" for one in found.diagnostics)]
    assert "\n".join(told) == snapshot


@pytest.mark.parametrize(
    ("able", "text", "message"),
    [
        ("can_interact", "INTERACT", "INTERACT is not possible here: no operator can be asked"),
        ("can_retry", "RETRY", "RETRY is no longer possible: the step has used all of its attempts"),
    ],
)
def test_decisions_that_are_not_possible(able: str, text: str, message: str) -> None:
    unable = {"can_interact": False, "can_retry": False}
    (found,) = reflect(text, **unable).diagnostics
    assert (found.code, found.message) == ("PE204", message)
    assert found.help == "write `ACCEPT` or `PLAN_CMD: SKIP 2.2 | reason` instead"
    assert codes(reflect(text, **{**unable, able: True})) == codes(reflect("ACCEPT", **unable)) == []


def test_a_step_whose_parent_is_missing_is_followed() -> None:
    given = parse_plan("## Steps\n1. [act] a\n2.1. [>] [act] b\n")
    for text, expected in (("PLAN_CMD: ADD 2 [subtask] c\nPLAN_CMD: SKIP 2", []), ("PLAN_CMD: SKIP 2", [("PC111", 1)])):
        assert codes(read_reflection(text, given, given.steps[1], can_interact=True)) == expected


def test_a_container_that_is_planned_again_is_still_there() -> None:
    given = plan()
    text = "RETRY\nPLAN_CMD: REPLAN 2\nPLAN_CMD: ADD 1 [act] x\n"
    assert read_reflection(text, given, given.steps[1], can_interact=True).diagnostics == []
    found = read_reflection(f"{text}PLAN_CMD: SKIP 3\n", given, given.steps[1], can_interact=True)
    assert codes(found) == [("PE207", 4), ("PE207", 4)]
    assert [one.message for one in found.diagnostics] == [
        "SKIP 3 contradicts REPLAN 2: a step is either skipped or changed",
        "SKIP 3 contradicts RETRY: step 3 would be skipped",
    ]


def test_an_id_that_starts_alike_is_that_of_another_step() -> None:
    given = parse_plan("## Steps\n1. [act] a\n10. [>] [act] b\n")
    assert read_reflection("ACCEPT\nPLAN_CMD: SKIP 1", given, given.steps[1], can_interact=True).diagnostics == []


def test_an_identity_is_not_given_to_another_step() -> None:
    """Steps that REPLAN removes stay known, so that no new one is taken for one of them."""
    many = "".join(f"PLAN_CMD: ADD 3.{number} [act] x\nPLAN_CMD: SKIP 3.{number}\n" for number in range(1, 40))
    text = f"ACCEPT\nPLAN_CMD: REVISE 3.1 [act] x\nPLAN_CMD: REVISE 3.2 [decide] x\nPLAN_CMD: REPLAN 3\n{many}"
    assert reflect(text).diagnostics == []


def test_which_step_it_is_about_is_known_by_its_id() -> None:
    given = plan()
    step = copy.deepcopy(find_step(given, OWN))
    assert step is not None
    assert read_reflection("PLAN_CMD: SKIP 2.2", given, step, can_interact=True).diagnostics == []
    with pytest.raises(ValueError, match=r"^step: the plan has no step 7$"):
        read_reflection("RETRY", given, PlanStep("7"), can_interact=True)


# ---------------------------------------------------------------- the end of a round


@pytest.mark.parametrize("text", ["", "- retry\n**ACCEPT**\n", "PLAN_CMD: REPLAN ALL | no water\nPLAN_CMD: REPLAN all"])
def test_a_replan(text: str) -> None:
    found = replan(text)
    assert (found.decision, found.reason, found.diagnostics) == (None, "", [])
    assert apply_commands(plan(), found.commands, atomic=True) == []


# ---------------------------------------------------------------- limits


def test_limits_and_names() -> None:
    given = plan()
    for text, limits, expected in (
        ("RETRY | 换新刷子", Limits(max_bytes=10), [("PS121", 1)]),
        ("PLAN_CMD: DONE 1\n" * 5, Limits(max_findings=2), [("PE205", 1), ("PE205", 2), ("PS120", 3)]),
    ):
        about_step = read_reflection(text, given, given.steps[0], can_interact=True, limits=limits)
        about_plan = read_replan(text, given, limits=limits)
        for found, name in ((about_step, "<reflection>"), (about_plan, "<re-plan>")):
            assert (found.decision, codes(found), found.is_usable) == (None, expected, False)
            assert found.source.name == name
    assert read_reflection("", given, given.steps[0], can_interact=True, name="a").source.name == "a"


# ---------------------------------------------------------------- fixtures: every one runs every invariant

FOLDERS = ["reflection/valid", "reflection/invalid", "reflection/unattended", "replan/valid", "replan/invalid"]
VALID, INVALID = (
    [path for folder in FOLDERS if folder.endswith("/valid") is is_valid for path in find(folder, ".txt")]
    for is_valid in (True, False)
)


def plan_for(path: Path) -> PlanSpec:
    name = "chinese_plan.md" if path.stem.startswith("chinese_") else "plan.md"
    return parse_plan(read(FIXTURES / "reflection" / name))


def look(path: Path, text: str) -> Reflection:
    given = plan_for(path)
    if path.parents[1].name == "replan":
        return read_replan(text, given, name=path.name)
    step = find_step(given, OWN)
    assert step is not None
    is_attended = path.parent.name != "unattended"
    return read_reflection(text, given, step, can_interact=is_attended, can_retry=is_attended, name=path.name)


def test_the_fixtures_are_complete() -> None:
    assert len(find("reflection/valid", ".txt")) >= 15
    assert len(find("reflection/invalid", ".txt")) >= 15
    for path in (*VALID, *INVALID):
        assert path.with_suffix(".codes").exists() is (path in INVALID)
    english, chinese = (parse_plan(read(FIXTURES / "reflection" / f"{name}plan.md")) for name in ("", "chinese_"))
    assert validate_plan(english) == validate_plan(chinese) == []
    assert english.progress == chinese.progress


def test_what_is_said(snapshot: SnapshotAssertion) -> None:
    told: list[str] = []
    for path in VALID:
        found = look(path, read(path))
        assert (found.diagnostics, found.is_usable) == ([], True)
        assert apply_commands(plan_for(path), found.commands, atomic=True) == []
        decision = found.decision.value if found.decision else "-"
        told += [f"{path.stem}: {decision} | {found.reason}", serialize_commands(found.commands)]
    assert "\n".join(told) == snapshot


@in_one_test
@pytest.mark.parametrize("path", VALID + INVALID)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_ends_do_not_matter(path: Path, line_end: str) -> None:
    text = read(path)
    found, same = look(path, text), look(path, text.replace("\r\n", "\n").replace("\n", line_end))
    assert (same.decision, same.reason, same.commands) == (found.decision, found.reason, found.commands)
    places = [[(one.code, one.line, one.column) for one in each.diagnostics] for each in (found, same)]
    assert places[0] == places[1]


@in_one_test
@pytest.mark.parametrize("path", INVALID)
def test_codes_and_fixes(path: Path) -> None:
    """A fix in place of its line leaves no finding of that line that was there before."""
    text = read(path)
    found = look(path, text)
    assert [(one.line, one.code) for one in found.diagnostics] == expected_codes(path)
    assert not found.is_usable
    for one in found.diagnostics:
        if one.fix is not None:
            span = one.fix.span
            fixed = look(path, text[: span.start] + one.fix.text + text[span.end :])
            assert (one.code, one.line) not in {(other.code, other.line) for other in fixed.diagnostics}


def test_messages(snapshot: SnapshotAssertion) -> None:
    """One of each code, as it is shown."""
    first: dict[str, Diagnostic] = {}
    for path in INVALID:
        for found in look(path, read(path)).diagnostics:
            first.setdefault(found.code, found)
    assert render_all([first[code] for code in sorted(first)]) == snapshot
