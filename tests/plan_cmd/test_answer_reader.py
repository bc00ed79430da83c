"""Commands in raw answers: what is clear is read, what is not clear needs review, and nothing is read wrongly."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from planspec_lark import (
    Limits,
    PlanCommand,
    Severity,
    parse_plan_commands,
    render_all,
    scan_plan_commands,
    serialize_commands,
)
from planspec_lark.answers import Risk, Verdict
from planspec_lark.planspec.near_misses import WIDE_SPACES
from tests import strategies
from tests.cases import in_one_test

DONE, SKIP = PlanCommand("DONE", "2", result="two pumps"), PlanCommand("SKIP", "3.1")
ADD = PlanCommand("ADD", "4", "act", "Call the mason → date", detail=["← pumps", "Before noon."])
BOTH = [DONE, SKIP]

ACCEPTED = {
    "as they are": ("PLAN_CMD: DONE 2 | two pumps\nPLAN_CMD: SKIP 3.1", BOTH),
    "a code block": ("So:\n```text\nPLAN_CMD: DONE 2 | two pumps\nPLAN_CMD: SKIP 3.1\n```\nGood luck!", BOTH),
    "bullets": ("- PLAN_CMD: DONE 2 | two pumps\n* PLAN_CMD: SKIP 3.1\n", BOTH),
    "bullets and boxes": ("- [ ] PLAN_CMD: DONE 2 | two pumps\n• [x] PLAN_CMD: SKIP 3.1\n", BOTH),
    "numbers": ("1. PLAN_CMD: DONE 2 | two pumps\n2）PLAN_CMD: SKIP 3.1\n", BOTH),
    "backticks": ("`PLAN_CMD: DONE 2 | two pumps`\n- `PLAN_CMD: SKIP 3.1`\n", BOTH),
    "bold": ("**PLAN_CMD: DONE 2 | two pumps**\n**PLAN_CMD:** SKIP 3.1\n", BOTH),
    "a bold label in code": ("`**PLAN_CMD:** DONE 2 | two pumps`\n- `**PLAN_CMD:** SKIP 3.1`\n", BOTH),
    "bold parts": ("PLAN_CMD: **DONE** **2** | two pumps\n**PLAN_CMD**: SKIP `3.1`\n", BOTH),
    "quotes": ("> PLAN_CMD: DONE 2 | two pumps\n> PLAN_CMD: SKIP 3.1\n", BOTH),
    "full-width signs": ("PLAN_CMD：DONE ２ ｜ two pumps\nPLAN_CMD： SKIP 3．1。\n", BOTH),
    "no-break spaces": ("PLAN_CMD:\xa0DONE\xa02\xa0| two pumps\n\u3000PLAN_CMD:\u2003SKIP 3.1\n", BOTH),
    "an escaped underscore": ("PLAN\\_CMD: DONE 2 | two pumps\nplan_cmd: skip 3.1\n", BOTH),
    "words for a status": ("PLAN_CMD: 完成 2 | two pumps\nPLAN_CMD: skipped step 3.1\n", BOTH),
    "a JSON value": (
        'Here:\n```json\n{"reason": "dry", "commands": ["PLAN_CMD: DONE 2 | two pumps", "PLAN_CMD: SKIP 3.1"]}\n```\n',
        BOTH,
    ),
    "one string of JSON": ('{"plan": {"text": "PLAN_CMD: DONE 2 | two pumps\\nPLAN_CMD: SKIP 3.1\\n"}}', BOTH),
    "wrapped lines": ("PLAN_CMD: DONE 2 | two\n   pumps\nPLAN_CMD: SKIP 3.1\n", BOTH),
    "reasoning": ("<think>\nPLAN_CMD: DONE 9\n</think>\nPLAN_CMD: DONE 2 | two pumps\nPLAN_CMD: SKIP 3.1\n", BOTH),
    "detail below a bullet": (
        "- PLAN_CMD: ADD 4 [act] Call the mason → date\n  > ← pumps\n  > Before noon.\nThat is all.\n",
        [ADD],
    ),
    "types and lists": ("PLAN_CMD: ADD 4 【行动】 Call the mason -> `date`\n> <- pumps\n> Before noon.\n", [ADD]),
    "a type in a word": ("PLAN_CMD: ADD 4 [Act] Call the mason → date\n> ← pumps\n> Before noon.\n", [ADD]),
    "a wrapped text with detail": (
        "PLAN_CMD: ADD 4 [act] Call the\n    mason → date\n> ← pumps\n> Before noon.\n\nPLAN_CMD: SKIP 3.1\n",
        [ADD, SKIP],
    ),
    **{
        lead: (f"{lead}\nPLAN_CMD: SKIP 3.1\n", [SKIP])
        for lead in (
            "Step 2 was wrong, so I revise it:",
            "I will not use the pump any more.",
            "Based on your example, here are the commands:",
            "Once more:",
            "Nothing of this will work.",
            "We should do this first:",
            "步骤2无法完成，因为没有泵：",
        )
    },
    **{
        tail: (f"PLAN_CMD: SKIP 3.1\n\n{tail}\n", [SKIP])
        for tail in ("The pump is not used in step 4.", "Wait for the mason.", "I did not change anything else.")
    },
    "a mention": ("I would say PLAN_CMD: DONE 1, or `PLAN_CMD: SKIP 2`.\nPLAN_CMD: SKIP 3.1\n", [SKIP]),
}


@in_one_test
@pytest.mark.parametrize(("text", "commands"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_clear_is_read(text: str, commands: list[PlanCommand]) -> None:
    scan = scan_plan_commands(text)
    assert scan.commands == commands, render_all(scan.diagnostics)
    assert scan.verdict is Verdict.ACCEPTED, render_all(scan.diagnostics)
    assert scan.errors == scan.faults == []
    assert len(scan.spans) == len(commands)


@in_one_test
@pytest.mark.parametrize(
    "said",
    [
        *("BLOCKED 1 - no paint", "SKIP 1 - not needed", "SKIP 1 - no time", "BLOCKED 1 - waiting for parts"),
        *("BLOCKED 1 - no permit yet", "BLOCKED 1 - 没有油漆", "SKIP 1 - 不需要", "SKIP 1 ｜ not needed"),
        *("DONE 1 ｜ sanded", "DONE 1 - opened the door", "DONE 1 - draft approved"),
    ],
)
def test_a_reason_may_deny_something(said: str) -> None:
    scan = scan_plan_commands(f"PLAN_CMD: {said}\n")
    assert scan.verdict is Verdict.ACCEPTED
    assert scan.commands[0].result == said.split(maxsplit=2)[2].lstrip("-｜ ")


@in_one_test
@pytest.mark.parametrize(
    "said",
    [
        *("even if it rains, the wall is dry", "a what-if analysis", "若干泵"),
        *("all leaks closed (if any)", "when I came, it was dry", "done", "no cracks found", "it will rain tomorrow"),
        *("the report says if it is safe", "waits for the mason, once more"),
    ],
)
def test_a_result_that_only_names_a_case_is_one(said: str) -> None:
    scan = scan_plan_commands(f"PLAN_CMD: DONE 2 | {said}\n")
    assert scan.verdict is Verdict.ACCEPTED
    assert scan.commands[0].result == said


REVIEW = {
    "a command that is not to run": "Do not run this:\nPLAN_CMD: DONE 1\n",
    "a block that is not to run": "Don't:\n```\nPLAN_CMD: DONE 1\n```\n",
    "不要执行": "请勿使用以下命令：\n\nPLAN_CMD: DONE 1\n",
    "a command that is ignored": "PLAN_CMD: DONE 1\n\nActually, ignore that command.\n",
    "a second thought": "PLAN_CMD: DONE 1\n\nWait, step 1 is not done yet.\n",
    "更正": "PLAN_CMD: DONE 1\n\n更正：上面的命令不对。\n",
    "an example": "For example, you could write:\nPLAN_CMD: DONE 1\n",
    "how commands look": "Commands look like this:\n```\nPLAN_CMD: DONE 9\n```\nMine:\nPLAN_CMD: DONE 1\n",
    "例如": "例如：\nPLAN_CMD: DONE 1\n",
    "a quoted mail": "> On Monday Bob wrote:\n> PLAN_CMD: DONE 9\nPLAN_CMD: DONE 1\n",
    "a draft": "Draft:\nPLAN_CMD: SKIP 1\n\nFinal:\nPLAN_CMD: DONE 1\n",
    "one of two": "Either\nPLAN_CMD: SKIP 1\nor\nPLAN_CMD: DONE 1\n",
    "options": "Option A:\nPLAN_CMD: SKIP 1\nOption B:\nPLAN_CMD: DONE 1\n",
    "a condition": "If the tests pass:\nPLAN_CMD: DONE 1\n",
    "如果": "如果测试通过：\nPLAN_CMD: DONE 1\n",
    "a comment over several lines": "<!--\nPLAN_CMD: SKIP 1\n-->\nPLAN_CMD: DONE 1\n",
    "a key that says no": '{"commands": ["PLAN_CMD: DONE 1"], "rejected": ["PLAN_CMD: SKIP 1"]}',
    "not done": "PLAN_CMD: DONE 1 not yet\n",
    **{
        f"what is said behind {said}": f"PLAN_CMD: DONE 1\nPLAN_CMD: {said}\n"
        for said in (
            *(
                "DONE 2 (unless it rains)",
                "DONE 2 if the felt is off",
                "DONE 2 tomorrow",
                "SKIP 2 maybe",
                "SKIP 2 too late",
            ),
            *(
                "DONE 2 - not yet",
                "DONE 2 (not yet)",
                "DONE 2 ?",
                "DONE 2: if it is dry",
                "DONE 2 - nearly",
                "DONE 2 blocked",
            ),
            *("DONE 2, tomorrow", "DONE 2 —— 明天", "REPLAN ALL because of the rain"),
            *("DONE 2 ｜ not yet", "DONE 2 - still open", "DONE 2 - in progress", "DONE 2 - waiting for parts"),
            *("DONE 2 - mostly", "DONE 2 - also 3", "DONE 2 - 进行中", "SKIP 2 - also 3", "SKIP 2 - not yet"),
            *("BLOCKED 2 - not blocked any more", "BLOCKED 2 - no", "SKIP 2 - don't skip", "SKIP 2 - 不要跳过"),
        )
    },
    **{
        f"a case as the result of {said}": f"PLAN_CMD: EXPAND 1\nPLAN_CMD: {said}\n"
        for said in (
            *("DONE 2 ｜ if it rains", "DONE 2 | if it rains", "DONE 2｜if it rains", "DONE 2 || if it rains"),
            *("DONE 2 │ if it rains", "DONE 2 (if it rains)", "SKIP 2 | unless it rains", "SKIP 2 ｜ 如果下雨"),
            *("BLOCKED 2 | only if it rains", "REPLAN ALL ｜ if it rains", "DONE 2 | once the paint is dry"),
            *("DONE 2 | if it rains, cover the wall", "SKIP 2 | not needed, if it rains", "DONE 2 | 完成（如果下雨）"),
            *("SKIP 2 | no need for it unless it rains", "DONE 2 | painted ｜ if it rains"),
        )
    },
    **{
        f"another status as the result of {said}": f"PLAN_CMD: EXPAND 1\nPLAN_CMD: {said}\n"
        for said in ("DONE 2 | in progress", "DONE 2 | ⏳", "DONE 2 | not yet", "SKIP 2 | done", "DONE 2 ｜ 未完成")
    },
    "an unknown verb": "PLAN_CMD: DONE 1\nPLAN_CMD: REMOVE 2\n",
    "no id": "PLAN_CMD: DONE 1\nPLAN_CMD: DONE\n",
    "no type": "PLAN_CMD: DONE 1\nPLAN_CMD: ADD 2 Look\n",
    "several ids": "PLAN_CMD: DONE 1\nPLAN_CMD: DONE 2 and 3\n",
    "a range": "PLAN_CMD: DONE 1\nPLAN_CMD: SKIP 2 - 4\n",
    "a verb that takes no text": "PLAN_CMD: DONE 1\nPLAN_CMD: EXPAND 2 not 3\n",
    "marks that are not closed": "PLAN_CMD: DONE 1\n`PLAN_CMD: DONE 2 | we\n",
    "a table": "PLAN_CMD: DONE 1\n| PLAN_CMD: DONE 2 |\n",
    "behind a label": "PLAN_CMD: DONE 1\nThen: PLAN_CMD: DONE 2\n",
    "two on a line": "PLAN_CMD: DONE 1 | so; PLAN_CMD: DONE 2\n",
    "one in the detail of another": "PLAN_CMD: ADD 1 [act] a\n> PLAN_CMD: DONE 2\n",
    "a quoted block with detail": "> PLAN_CMD: ADD 1 [act] a\n> > b\n",
    "the same in a list and in a block": "- PLAN_CMD: ADD 1 [act] a\n```\nPLAN_CMD: ADD 1 [act] a\n```\n",
    "an elision": "PLAN_CMD: DONE 1\n...\nPLAN_CMD: DONE 9\n",
    "an elision at the end": "PLAN_CMD: DONE 1\n… and so on\n",
    "a line that goes on": "PLAN_CMD: DONE 1 | the wall is dry and\nthe floor is wet.\n",
    "an open code block": "```\nPLAN_CMD: DONE 1\nPLAN_CMD: DONE 2\n",
    "a cut last line": "PLAN_CMD: DONE 1\nPLAN_CMD: ADD 2 [act] Call the",
}


@in_one_test
@pytest.mark.parametrize("text", REVIEW.values(), ids=REVIEW)
def test_what_is_not_clear_needs_review(text: str) -> None:
    scan = scan_plan_commands(text)
    assert scan.verdict is Verdict.NEEDS_REVIEW
    assert scan.faults
    assert all(one.severity is Severity.ERROR and "(risk: high)" in one.message for one in scan.faults)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing has to change.\n",
        "<<<<<<< ours\nPLAN_CMD: DONE 1\n=======\nPLAN_CMD: SKIP 1\n>>>>>>> theirs\n",
        "PLAN_CMD: ADD 1 [act] a\n>>>>>>> theirs\n",
        "<think>\nPLAN_CMD: DONE 1\n</think>\n",
    ],
)
def test_what_has_none_or_two_versions_is_refused(text: str) -> None:
    assert scan_plan_commands(text).verdict is Verdict.REFUSED


def test_the_allowed_risk_decides() -> None:
    text = "PLAN_CMD: SKIP 3: too late\n"
    assert scan_plan_commands(text).verdict is Verdict.ACCEPTED
    scan = scan_plan_commands(text, max_risk="low")
    assert scan.verdict is Verdict.NEEDS_REVIEW
    (fault,) = scan.faults
    assert (fault.code, fault.severity) == ("PC103", Severity.ERROR)
    assert fault.message.endswith("(risk: medium)")
    with pytest.raises(ValueError, match="lots"):
        scan_plan_commands(text, max_risk="lots")


def test_an_answer_that_is_cut_off_loses_its_last_line() -> None:
    text = "PLAN_CMD: DONE 1\nPLAN_CMD: DONE 2 | all pum"
    assert scan_plan_commands(text).verdict is Verdict.ACCEPTED
    cut = scan_plan_commands(text, finish_reason="length")
    assert (cut.verdict, cut.truncated) == (Verdict.NEEDS_REVIEW, True)
    assert [command.step_id for command in cut.commands] == ["1"]
    assert scan_plan_commands(text, finish_reason="length", max_risk=Risk.HIGH).verdict is Verdict.NEEDS_REVIEW
    allowed = scan_plan_commands(text, finish_reason="length", allow_truncated=True)
    assert (allowed.verdict, allowed.truncated, allowed.commands) == (Verdict.ACCEPTED, True, cut.commands)


def test_too_much_is_refused() -> None:
    scan = scan_plan_commands("PLAN_CMD: DONE 1\n" * 9, limits=Limits(max_bytes=20))
    assert (scan.verdict, scan.commands) == (Verdict.REFUSED, [])
    many = scan_plan_commands("PLAN_CMD: DROP 1\n" * 9 + "PLAN_CMD: DONE 1\n", limits=Limits(max_findings=2))
    assert many.verdict is Verdict.NEEDS_REVIEW


def test_a_fix_makes_a_command_of_its_line() -> None:
    text = "- PLAN_CMD: ADD 4 (LLM) Think -> idea\n> <- talk\n"
    scan = scan_plan_commands(text)
    assert scan.commands == [PlanCommand("ADD", "4", "reason", "Think → idea", detail=["← talk"])]
    for found in scan.diagnostics:
        assert found.fix is not None
        span = found.fix.span
        fixed = text[: span.start] + found.fix.text + text[span.end :]
        assert scan_plan_commands(fixed).commands == scan.commands
    assert serialize_commands(scan.commands) == "PLAN_CMD: ADD 4 [reason] Think → idea\n> ← talk\n"


@given(st.text('PLAN_CMD:DONEk 12.\n|`*->"{}[]（：\xa0', max_size=60))
def test_no_text_makes_it_raise(text: str) -> None:
    for given_text in (text, f"- PLAN_CMD: ADD 1 [act] a\n{text}", f"PLAN_CMD: DONE 1{text}"):
        scan = scan_plan_commands(given_text)
        assert len(scan.commands) == len(scan.spans)
        assert scan.verdict is not Verdict.ACCEPTED or not scan.errors


WRAPS = ["{}", "- {}", "3. {}", "`{}`", "**{}**", "\u3000{}"]


# A tag of reasoning is one after a bullet as well; other white space than blanks around a text goes.
_commands = strategies.workable_commands.filter(
    lambda command: "<" not in repr(command) and not set(WIDE_SPACES) & set(serialize_commands([command]))
)


@given(st.lists(_commands, min_size=1, max_size=4, unique_by=repr), st.sampled_from(WRAPS))
def test_commands_around_which_something_stands_are_read_as_they_are_or_not_at_all(
    commands: list[PlanCommand], wrap: str
) -> None:
    text = ""
    for command in commands:
        first, _, rest = serialize_commands([command]).partition("\n")
        text += f"{wrap.format(first)}\n{rest}"
    scan = scan_plan_commands(text)
    assert scan.verdict is not Verdict.ACCEPTED or scan.commands == parse_plan_commands(serialize_commands(commands))
