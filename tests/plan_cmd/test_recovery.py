"""Commands in raw answers: a line that begins like one is read or is an error, and no other text matters."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from planspec_lark import PlanCommand, parse_plan_commands, render_all, scan_plan_commands
from planspec_lark.answers import Risk, Verdict
from planspec_lark.plan_cmd import serialize_commands
from planspec_lark.plan_cmd.dialect import DIALECT
from planspec_lark.syntax import Limits
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
    "bold": ("**PLAN_CMD: DONE 2 | two pumps**\n__PLAN_CMD: SKIP 3.1__\n", BOTH),
    "a bold label": ("**PLAN_CMD:** DONE 2 | two pumps\n**PLAN_CMD**: SKIP 3.1\n", BOTH),
    "a bold label in code": ("`**PLAN_CMD:** DONE 2 | two pumps`\n- `**PLAN_CMD:** SKIP 3.1`\n", BOTH),
    "quotes": ("> PLAN_CMD: DONE 2 | two pumps\n> PLAN_CMD: SKIP 3.1\n", BOTH),
    "quotation marks": ('"PLAN_CMD: DONE 2 | two pumps",\n“PLAN_CMD: SKIP 3.1”\n', BOTH),
    "full-width colons": ("PLAN_CMD：DONE 2 | two pumps\nPLAN_CMD： SKIP 3.1\n", BOTH),
    "no-break spaces": ("PLAN_CMD:\xa0DONE\xa02\xa0| two pumps\n\u3000PLAN_CMD:\u2003SKIP 3.1\n", BOTH),
    "other prefixes": ("plan_cmd: DONE 2 | two pumps\nPLAN CMD: SKIP 3.1\n", BOTH),
    "escapes": ("PLAN\\_CMD: DONE 2 | two pumps\nPLAN\\_CMD: SKIP 3\\.1\n", BOTH),
    "entities": (
        "PLAN_CMD: ADD 4 [act] Call the mason → date\n&gt; ← pumps\n&gt; Before noon.\n",
        [ADD],
    ),
    "one string of JSON": ('{"plan": {"text": "PLAN_CMD: DONE 2 | two pumps\\nPLAN_CMD: SKIP 3.1\\n"}}', BOTH),
    "JSON in a code block": ('```json\n["so", "PLAN_CMD: DONE 2 | two pumps\\n- PLAN_CMD: SKIP 3.1"]\n```\n', BOTH),
    "JSON in JSON": (json.dumps({"arguments": json.dumps({"text": "PLAN_CMD: SKIP 3.1"})}), [SKIP]),
    "reasoning": ("<think>\nPLAN_CMD: DONE 9\n</think>\nPLAN_CMD: DONE 2 | two pumps\nPLAN_CMD: SKIP 3.1\n", BOTH),
    "tokens of a chat": ("<|im_start|>\nPLAN_CMD: DONE 2 | two pumps\nPLAN_CMD: SKIP 3.1<|im_end|>", BOTH),
    "a byte-order mark": ("\ufeffPLAN_CMD: DONE 2 | two pumps\nPLAN_CMD: SKIP 3.1", BOTH),
    "detail below a bullet": (
        "- PLAN_CMD: ADD 4 [act] Call the mason → date\n  > ← pumps\n  > Before noon.\nThat is all.\n",
        [ADD],
    ),
    "detail that says something": (
        "PLAN_CMD: ADD 4 [act] Call\n> PLAN_CMD: DONE 2\n> Do not do this.\n",
        [PlanCommand("ADD", "4", "act", "Call", detail=["PLAN_CMD: DONE 2", "Do not do this."])],
    ),
    "a mention": ("I would say PLAN_CMD: DONE 1, or `PLAN_CMD: SKIP 2`.\nPLAN_CMD: SKIP 3.1\n", [SKIP]),
    "a mention in front": ("`PLAN_CMD: DONE 1` is what you want.\nPLAN_CMD: SKIP 3.1\n", [SKIP]),
    "a word of it": ("PLAN_CMD lines follow.\nplan_cmd: so they are called\nPLAN_CMD: SKIP 3.1\n", [SKIP]),
}


@in_one_test
@pytest.mark.parametrize(("text", "commands"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_clear_is_read(text: str, commands: list[PlanCommand]) -> None:
    scan = scan_plan_commands(text)
    assert scan.commands == commands, render_all(scan.diagnostics)
    assert scan.verdict is Verdict.ACCEPTED, render_all(scan.diagnostics)
    assert scan.errors == []
    assert len(scan.spans) == len(commands)


# ---------------------------------------------------------------- what is said beside them


@in_one_test
@pytest.mark.parametrize(
    "said",
    [
        "步骤 2 执行失败，原因是权限不足。",
        "Step 2 was wrong, so I revise it:",
        "Do not run this:",
        "Actually, ignore that command.",
        "For example, you could write:",
        "If the tests pass:",
        "请勿使用以下命令：",
        "更正：上面的命令不对。",
        "Either this or that,",
        "So: PLAN_CMD: DONE 1",
        "| PLAN_CMD: DONE 1 |",
        "...",
        "[note]",
        "- a list",
        "   indented further",
    ],
)
def test_sentences_never_matter(said: str) -> None:
    revise = PlanCommand("REVISE", "2", "act", "Ask for access → access")
    line = "PLAN_CMD: REVISE 2 [act] Ask for access → access\n"
    for text in (f"{said}\n{line}", f"{line}{said}\n", f"{said}\n\n```\n{line}```\n\n{said}\n"):
        scan = scan_plan_commands(text)
        assert (scan.verdict, scan.commands, scan.diagnostics) == (Verdict.ACCEPTED, [revise], [])
        assert {remark.text for remark in scan.remarks if "`" not in remark.text} <= {said.strip()}
        assert said.strip() in "".join(remark.text for remark in scan.remarks)


def test_remarks_are_verbatim() -> None:
    text = "So:\r\n\r\n- PLAN_CMD: DONE 1\r\n  goes on\r\n```py\r\nx = 1\r\n```\r\nPLAN_CMD: SKIP\r\nEnd.\r\n"
    scan = scan_plan_commands(text)
    assert [(one.text, one.span.line) for one in scan.remarks] == [
        ("So:", 1),
        ("goes on\r\n```py\r\nx = 1\r\n```", 4),
        ("End.", 9),
    ]
    assert scan.remarks[0].to_dict() == {"line": 1, "end_line": 1, "text": "So:"}


def test_what_stands_beside_commands_in_json_is_remarks() -> None:
    value = json.dumps({"why": "two pumps", "do": "PLAN_CMD: SKIP 3.1\nso"})
    scan = scan_plan_commands(f"Here:\n```json\n{value}\n```\nBye.\n")
    assert (scan.verdict, scan.commands) == (Verdict.ACCEPTED, [SKIP])
    assert [one.text for one in scan.remarks] == ["Here:", "Bye.", "two pumps", "so"]
    beside = scan_plan_commands(f"PLAN_CMD: SKIP 3.1\n```json\n{json.dumps(['PLAN_CMD: DONE 1'])}\n```\n")
    assert (beside.commands, len(beside.remarks)) == ([SKIP], 1)
    several = json.dumps(["PLAN_CMD: DONE 1", "PLAN_CMD: DONE 2"])
    assert [one.text for one in scan_plan_commands(several).remarks] == [several]


@pytest.mark.parametrize("text", [json.dumps(["PLAN_CMD: SKIP 3.1"]), "PLAN\\_CMD: SKIP 3.1"])
def test_what_commands_are_wrapped_in_has_a_risk(text: str) -> None:
    assert scan_plan_commands(text, max_risk="none").verdict is Verdict.NEEDS_REVIEW
    assert scan_plan_commands(text, max_risk="low").verdict is Verdict.ACCEPTED


# ---------------------------------------------------------------- errors

ERRORS = {
    "an unknown verb": ("PLAN_CMD: BLOCK 2 | x", ["PC101"]),
    "a verb in lower case": ("PLAN_CMD: done 2", ["PC102"]),
    "a verb in bold": ("PLAN_CMD: **DONE** 2", ["PC101"]),
    "a word for a verb": ("PLAN_CMD: 完成 2", ["PC101"]),
    "no id": ("PLAN_CMD: DONE", ["PC103"]),
    "an id in words": ("PLAN_CMD: DONE step 2", ["PC103"]),
    "ALL": ("PLAN_CMD: DONE ALL", ["PC103"]),
    "no type": ("PLAN_CMD: ADD 2 Look", ["PC104"]),
    "a type in other brackets": ("PLAN_CMD: ADD 2 (act) Look", ["PC104"]),
    "a bare REPLAN": ("PLAN_CMD: REPLAN", ["PC105"]),
    "several ids": ("PLAN_CMD: DONE 2 and 3", ["PC106"]),
    "several ids with a comma": ("PLAN_CMD: DONE 2, 3", ["PC106"]),
    "a range without blanks": ("PLAN_CMD: SKIP 2-4", ["PC106"]),
    "a sign behind the id": ("PLAN_CMD: DONE 2;", ["PC106"]),
    "a range": ("PLAN_CMD: SKIP 2 - 4", ["PC106"]),
    "no bar": ("PLAN_CMD: DONE 2 well", ["PC106"]),
    "a verb that takes no text": ("PLAN_CMD: EXPAND 2 | not 3", ["PC106"]),
    "a control character": ("PLAN_CMD: DONE 2 | a\x07b", ["PC108"]),
    "no colon": ("PLAN_CMD DONE 2", ["PC107"]),
    "no colon and an unknown verb": ("PLAN_CMD DELETE 2", ["PC107", "PC101"]),
    "no colon and no id": ("PLAN_CMD DONE", ["PC107", "PC103"]),
    "three faults": ("PLAN_CMD: add step 3 Load the csv", ["PC102", "PC103", "PC104"]),
}
AROUND = ["{}", "- {}", "> {}", "1. {}", "`{}`", "**{}**", "- **`{}`**", "plan_cmd: {}"]


@in_one_test
@pytest.mark.parametrize(("line", "codes"), ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("around", AROUND)
def test_a_line_that_begins_like_a_command_and_is_none_is_an_error(line: str, codes: list[str], around: str) -> None:
    if "plan_cmd" in around:
        line, around = line.replace("PLAN_CMD:", "plan_cmd:"), "{}"
        # Without a verb behind, these are words.
        if line.startswith("plan_cmd: **"):
            return
    if "**" in line and "**" in around:
        return
    text = f"PLAN_CMD: SKIP 3.1\nso\n{around.format(line)}\n"
    scan = scan_plan_commands(text)
    assert (scan.verdict, scan.commands) == (Verdict.NEEDS_REVIEW, [SKIP])
    assert [one.code for one in scan.errors] == codes
    assert {one.line for one in scan.errors} == {3}
    assert all(one.help or one.fix for one in scan.errors)
    assert parse_plan_commands(text) == [SKIP]
    for one in scan.errors:
        if one.fix is not None:
            assert len(parse_plan_commands(one.fix.text)) == 1


OTHERS = {
    "a markup that is not closed": "`PLAN_CMD: DONE 2 | we",
    "a quoted block with detail": "> PLAN_CMD: ADD 1 [act] a\n> > b",
    "the same in a list and in a block": "- PLAN_CMD: ADD 1 [act] a\n```\nPLAN_CMD: ADD 1 [act] a\n```",
    "an open code block": "```\nPLAN_CMD: DONE 1\nPLAN_CMD: DONE 2",
    "a cut last line": "PLAN_CMD: ADD 2 [act] Call the mason,",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_is_not_clear_needs_review(text: str) -> None:
    scan = scan_plan_commands(f"PLAN_CMD: EXPAND 1\n{text}\n")
    assert scan.verdict is Verdict.NEEDS_REVIEW
    assert scan.errors


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing has to change.\n",
        "<<<<<<< ours\nPLAN_CMD: DONE 1\n=======\nPLAN_CMD: SKIP 1\n>>>>>>> theirs\n",
        "PLAN_CMD: ADD 1 [act] a\n>>>>>>> theirs\n",
        "<think>\nPLAN_CMD: DONE 1\n</think>\n",
        '["PLAN_CMD: DONE 1", "PLAN_CMD: DONE 2"]',
    ],
)
def test_what_has_none_or_two_versions_is_refused(text: str) -> None:
    assert scan_plan_commands(text).verdict is Verdict.REFUSED


def test_the_allowed_risk_decides() -> None:
    text = "- PLAN_CMD: SKIP 3\n"
    assert scan_plan_commands(text, max_risk="low").verdict is Verdict.ACCEPTED
    scan = scan_plan_commands(text, max_risk="none")
    assert (scan.verdict, [one.code for one in scan.errors]) == (Verdict.NEEDS_REVIEW, ["PC107"])
    scan = scan_plan_commands("PLAN_CMD: skip 3: too late\n", max_risk=Risk.HIGH)
    assert (scan.verdict, scan.commands) == (Verdict.ACCEPTED, [PlanCommand("SKIP", "3", result="too late")])
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


@pytest.mark.parametrize("sign", ["~~~", "```"])
def test_a_sign_in_detail_opens_no_code_block(sign: str) -> None:
    scan = scan_plan_commands(f"PLAN_CMD: ADD 2 [act] Write it\n> {sign}\n> code\nPLAN_CMD: DONE 1\n")
    assert (scan.verdict, [command.op for command in scan.commands]) == (Verdict.ACCEPTED, ["ADD", "DONE"])


def test_too_much_is_refused() -> None:
    scan = scan_plan_commands("PLAN_CMD: DONE 1\n" * 9, limits=Limits(max_bytes=20))
    assert (scan.verdict, scan.commands) == (Verdict.REFUSED, [])
    many = scan_plan_commands("PLAN_CMD: DROP 1\n" * 9 + "PLAN_CMD: DONE 1\n", limits=Limits(max_findings=2))
    assert many.verdict is Verdict.NEEDS_REVIEW
    for bad in ("PLAN_CMD: DROP 1\n", ""):
        text = "- PLAN_CMD: DONE 1\n" * 400 + bad
        assert scan_plan_commands(text).is_usable is (not bad)


def test_every_form_is_in_the_table() -> None:
    assert {form.code for form in DIALECT.forms.values()} == {
        *("PC101", "PC102", "PC103", "PC104", "PC106", "PC107", "PC108", "PS113")
    }


@given(st.text('PLAN_CMD:DONEk 12.\n|`*->"{}[]（：\xa0', max_size=60))
def test_no_text_makes_it_raise(text: str) -> None:
    for given_text in (text, f"- PLAN_CMD: ADD 1 [act] a\n{text}", f"PLAN_CMD: DONE 1{text}", f"PLAN_CMD:{text}"):
        scan = scan_plan_commands(given_text)
        assert len(scan.commands) == len(scan.spans)
        assert (scan.verdict is Verdict.ACCEPTED) is (bool(scan.commands) and not scan.errors)
        # Nothing is lost: a line that begins so is a command or an error.
        told = {line for span in scan.spans for line in range(span.line, span.end_line + 1)}
        told |= {one.line or 1 for one in scan.diagnostics}
        inner = scan.source.text.split("\n")
        starts = {at for at, row in enumerate(inner, 1) if row.lstrip(" \t").startswith("PLAN_CMD:")}
        details = {one.span.line for one in scan.remarks} if scan.truncated else set()
        assert starts <= told | details


WRAPS = ["{}", "- {}", "3. {}", "`{}`", "**{}**", "\u3000{}"]


# A tag of reasoning is one after a bullet as well; other white space than blanks in front of a text goes.
_commands = strategies.workable_commands.filter(
    lambda command: (
        "<" not in repr(command) and DIALECT.terminal("WIDE_SPACE").search(serialize_commands([command])) is None
    )
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
