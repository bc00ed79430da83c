"""What an answer decides, what it may not say, and what only looks like a decision."""

from __future__ import annotations

import copy

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanCommand, PlanSpec, PlanStep, Severity, apply_commands, find_step, parse_plan, render_all
from planspec_lark.engine import Decision, Reflection, read_reflection, read_replan
from planspec_lark.syntax import Limits, grammars
from tests.cases import in_one_test

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


def test_messages_of_near_misses(snapshot: SnapshotAssertion) -> None:
    lines = ["重试", "RETRY 3 | x", "RETRY\x00"]
    assert render_all(reflect("\n".join(lines)).diagnostics) == snapshot


def test_what_is_not_possible_is_not_proposed(snapshot: SnapshotAssertion) -> None:
    found = reflect("- RETRY\n- INTERACT\n- ACCEPT\nRETRY\x00\nACCEPT\x00\n", can_interact=False, can_retry=False)
    assert render_all(found.diagnostics) == snapshot
    assert [one.fix is not None for one in found.diagnostics] == [False, False, True, False, True]


def test_a_byte_order_mark_inside_of_a_text_is_a_near_miss() -> None:
    (one,) = reflect("So:\n\ufeffACCEPT").diagnostics
    assert (one.code, one.fix and one.fix.text) == ("PE202", "ACCEPT")


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


def test_two_decisions(snapshot: SnapshotAssertion) -> None:
    found = reflect("RETRY | one\nACCEPT\nRETRY | two\nINTERACT\n")
    assert codes(found) == [("PE203", 2), ("PE203", 4)]
    assert (found.decision, found.reason) == (None, "")
    assert render_all(found.diagnostics) == snapshot


@pytest.mark.parametrize(
    ("text", "can_interact", "can_retry", "expected"),
    [
        ("INTERACT", False, True, [("PE204", 1)]),
        ("INTERACT", True, False, []),
        ("RETRY", True, False, [("PE204", 1)]),
        ("RETRY", False, True, []),
        ("ACCEPT", False, False, []),
    ],
)
def test_decisions_that_are_not_possible(
    text: str, can_interact: bool, can_retry: bool, expected: list[tuple[str, int]], snapshot: SnapshotAssertion
) -> None:
    found = reflect(text, can_interact=can_interact, can_retry=can_retry)
    assert codes(found) == expected
    assert render_all(found.diagnostics) == snapshot


# ---------------------------------------------------------------- commands


@pytest.mark.parametrize(
    "text",
    [
        "PLAN_CMD: SKIP 2.2 | no brush",
        "PLAN_CMD: SKIP 2",
        "PLAN_CMD: REVISE 2.2 [act] Rinse the wall",
        "PLAN_CMD: REVISE 2 [subtask] Clean it otherwise",
        "PLAN_CMD: REPLAN 2 | the brush does not fit",
        "RETRY\nPLAN_CMD: REVISE 2.2 [act] Rinse the wall",
        "RETRY\nPLAN_CMD: REVISE 2 [subtask] Clean it otherwise",
        "INTERACT\nPLAN_CMD: SKIP 2.3",
        "ACCEPT\nPLAN_CMD: SKIP 2.3\nPLAN_CMD: REVISE 3.1 [act] Take two\nPLAN_CMD: REPLAN 3\nPLAN_CMD: ADD 5 [act] x",
        "ACCEPT\nPLAN_CMD: REVISE 1 [act] Close it again",
        "PLAN_CMD: ADD 2.2 [act] Buy a brush\nPLAN_CMD: SKIP 2.3 | that was 2.2",
        "PLAN_CMD: ADD 2 [act] Buy a brush\nPLAN_CMD: REPLAN 3 | that was 2",
    ],
)
def test_what_may_be_said(text: str) -> None:
    found = reflect(text)
    assert found.diagnostics == []
    assert apply_commands(plan(), found.commands, atomic=True) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Not for a reflection.
        ("ACCEPT\nPLAN_CMD: DONE 3.1", [("PE205", 2)]),
        ("ACCEPT\nPLAN_CMD: BLOCKED 3.1", [("PE205", 2)]),
        ("ACCEPT\nPLAN_CMD: EXPAND 3", [("PE205", 2)]),
        ("ACCEPT\nPLAN_CMD: COLLAPSE 3", [("PE205", 2)]),
        ("PLAN_CMD: REPLAN ALL | all wrong", [("PE205", 1)]),
        ("PLAN_CMD: DONE 2.2", [("PE205", 1)]),
        ("PLAN_CMD: EXPAND 2.2", [("PE205", 1)]),
        # Where commands alone leave the step open, what is almost a decision may have been meant.
        ("PLAN_CMD: SKIP 2.3\n- RETRY", [("PE202", 2)]),
        # What the plan does not take.
        ("ACCEPT\nPLAN_CMD: SKIP 9", [("PC111", 2)]),
        ("ACCEPT\nPLAN_CMD: ADD 9.1 [act] x\nPLAN_CMD: ADD 4.1 [act] x", [("PC112", 2), ("PC113", 3)]),
        ("ACCEPT\nPLAN_CMD: ADD 5 [cook] x", [("PC114", 2)]),
        ("PLAN_CMD: REPLAN 2.2", [("PC115", 1)]),
        ("PLAN_CMD: REVISE 2 [act] x", [("PC116", 1)]),
        ("PLAN_CMD: REPLAN 2\nPLAN_CMD: SKIP 2.2", [("PC111", 2)]),
        # Contradictions.
        ("RETRY\nPLAN_CMD: SKIP 2.2", [("PE207", 2)]),
        ("PLAN_CMD: SKIP 2\nACCEPT", [("PE207", 1)]),
        ("INTERACT\nPLAN_CMD: SKIP 2.2", [("PE207", 2)]),
        ("ACCEPT\nPLAN_CMD: REVISE 2.2 [act] x", [("PE207", 2)]),
        ("ACCEPT\nPLAN_CMD: REVISE 2 [subtask] x", [("PE207", 2)]),
        ("ACCEPT\nPLAN_CMD: REPLAN 2", [("PE207", 2)]),
        ("RETRY\nPLAN_CMD: REPLAN 2", [("PE207", 2)]),
        ("ACCEPT\nPLAN_CMD: SKIP 4\nPLAN_CMD: REVISE 4 [act] x", [("PE207", 3)]),
        ("ACCEPT\nPLAN_CMD: REPLAN 3\nPLAN_CMD: SKIP 3", [("PE207", 3)]),
        ("PLAN_CMD: SKIP 2.2\nPLAN_CMD: ADD 2.1 [act] x\nPLAN_CMD: REVISE 2.3 [act] x", [("PE207", 3)]),
        ("RETRY\nPLAN_CMD: ADD 1 [act] x\nPLAN_CMD: SKIP 3.2", [("PE207", 3)]),
        ("RETRY\nACCEPT\nPLAN_CMD: SKIP 2.2", [("PE203", 2)]),
        # A step that is gone is not the one that gets its id.
        ("ACCEPT\nPLAN_CMD: REPLAN 2\nPLAN_CMD: ADD 2.2 [act] x\nPLAN_CMD: SKIP 2.2", [("PE207", 2)]),
        # Steps that are done.
        ("ACCEPT\nPLAN_CMD: SKIP 2.1", [("PE208", 2)]),
        ("ACCEPT\nPLAN_CMD: ADD 1 [act] x\nPLAN_CMD: SKIP 2", [("PE208", 3)]),
        # All at once.
        (
            "RETRY\nACCEPT\n- RETRY\nPLAN_CMD: DONE 1\nPLAN_CMD: SKIP 1\nPLAN_CMD: SKIP 9\nPLAN_CMD: skip 4\n",
            [("PE203", 2), ("PE202", 3), ("PE205", 4), ("PE208", 5), ("PC111", 6), ("PC102", 7)],
        ),
    ],
)
def test_what_may_not_be_said(text: str, expected: list[tuple[str, int]], snapshot: SnapshotAssertion) -> None:
    found = reflect(text)
    assert codes(found) == expected
    assert not found.is_usable
    assert render_all(found.diagnostics) == snapshot


def test_a_step_whose_parent_is_missing_is_followed() -> None:
    given = parse_plan("## Steps\n1. [act] a\n2.1. [>] [act] b\n")
    text = "PLAN_CMD: ADD 2 [subtask] c\nPLAN_CMD: SKIP 2"
    found = read_reflection(text, given, given.steps[1], can_interact=True)
    assert found.diagnostics == []
    found = read_reflection("PLAN_CMD: SKIP 2", given, given.steps[1], can_interact=True)
    assert codes(found) == [("PC111", 1)]


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


def test_a_step_of_another_plan_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match=r"^step: the plan has no step 7$"):
        read_reflection("RETRY", plan(), PlanStep("7"), can_interact=True)


def test_the_step_may_be_a_copy() -> None:
    given = plan()
    step = copy.deepcopy(find_step(given, OWN))
    assert step is not None
    assert read_reflection("PLAN_CMD: SKIP 2.2", given, step, can_interact=True).diagnostics == []


# ---------------------------------------------------------------- the end of a round


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The plan can stay as it is.",
        "- retry\n**ACCEPT**\n",
        "PLAN_CMD: ADD 3.3 [act] Take another sample\n> ← sample\nPLAN_CMD: REVISE 4 [act] Open it",
        "PLAN_CMD: REPLAN 2 | the brush does not fit",
        "PLAN_CMD: REPLAN ALL | there is no water in it\nPLAN_CMD: REPLAN all",
        "PLAN_CMD: REVISE 1 [act] Close it again",
    ],
)
def test_a_replan(text: str) -> None:
    found = replan(text)
    assert (found.decision, found.reason, found.diagnostics) == (None, "", [])
    assert apply_commands(plan(), found.commands, atomic=True) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RETRY", [("PE204", 1)]),
        ("ACCEPT | fine\nPLAN_CMD: REPLAN 3", [("PE204", 1)]),
        ("PLAN_CMD: SKIP 3", [("PE205", 1)]),
        ("PLAN_CMD: DONE 3", [("PE205", 1)]),
        ("PLAN_CMD: BLOCKED 3", [("PE205", 1)]),
        ("PLAN_CMD: EXPAND 3\nPLAN_CMD: COLLAPSE 3", [("PE205", 1), ("PE205", 2)]),
        ("PLAN_CMD: REPLAN ALL\nPLAN_CMD: ADD 5 [act] x", [("PE207", 1)]),
        ("PLAN_CMD: REPLAN 4\nPLAN_CMD: REVISE 9 [act] x", [("PC115", 1), ("PC111", 2)]),
    ],
)
def test_what_may_not_be_said_in_a_replan(
    text: str, expected: list[tuple[str, int]], snapshot: SnapshotAssertion
) -> None:
    found = replan(text)
    assert codes(found) == expected
    assert not found.is_usable
    assert render_all(found.diagnostics) == snapshot


# ---------------------------------------------------------------- limits


def test_a_text_that_is_too_long_is_not_read() -> None:
    limits = Limits(max_bytes=10)
    given = plan()
    for found in (
        read_reflection("RETRY | 换新刷子", given, given.steps[0], can_interact=True, limits=limits),
        read_replan("RETRY | 换新刷子", given, limits=limits),
    ):
        assert (found.decision, found.commands, codes(found), found.is_usable) == (None, [], [("PS121", 1)], False)


def test_more_findings_than_asked_for_are_counted() -> None:
    given = plan()
    limits = Limits(max_findings=2)
    found = read_reflection("PLAN_CMD: DONE 1\n" * 5, given, given.steps[0], can_interact=True, limits=limits)
    assert codes(found) == [("PE205", 1), ("PE205", 2), ("PS120", 3)]
    assert not found.is_usable
    found = read_replan("PLAN_CMD: DONE 1\n" * 5, given, limits=limits)
    assert codes(found) == [("PE205", 1), ("PE205", 2), ("PS120", 3)]


def test_names() -> None:
    given = plan()
    assert read_replan("RETRY", given).source.name == "<re-plan>"
    assert read_reflection("", given, given.steps[0], can_interact=True).source.name == "<reflection>"
    assert read_reflection("", given, given.steps[0], can_interact=True, name="a").source.name == "a"
