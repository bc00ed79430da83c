"""Which lines are commands, what they say, and which lines only look like commands."""

from __future__ import annotations

import pytest

from planspec_lark import PlanCommand, Severity, parse_plan_commands, scan_plan_commands
from planspec_lark.answers import Verdict
from tests.cases import in_one_test


def only(text: str) -> PlanCommand:
    (command,) = parse_plan_commands(text)
    # A last line without a line break may be one that was cut off.
    assert scan_plan_commands(f"{text}\n").commands == [command]
    return command


# ---------------------------------------------------------------- commands


@in_one_test
@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("PLAN_CMD: DONE 1", PlanCommand("DONE", "1")),
        ("PLAN_CMD: DONE 1 | well", PlanCommand("DONE", "1", result="well")),
        ("PLAN_CMD: BLOCKED 2.1 | no key", PlanCommand("BLOCKED", "2.1", result="no key")),
        ("PLAN_CMD: SKIP 10.0 | 不需要", PlanCommand("SKIP", "10.0", result="不需要")),
        ("PLAN_CMD: DONE 1.", PlanCommand("DONE", "1")),
        ("PLAN_CMD: DONE 1.2. | x", PlanCommand("DONE", "1.2", result="x")),
        ("PLAN_CMD: DONE 1 |", PlanCommand("DONE", "1")),
        ("PLAN_CMD: DONE 1 |   ", PlanCommand("DONE", "1")),
        ("PLAN_CMD: DONE 1 |  a | b  ", PlanCommand("DONE", "1", result="a | b")),
        ("PLAN_CMD: DONE 1 | Progress: 3/5", PlanCommand("DONE", "1", result="Progress: 3/5")),
        ("PLAN_CMD: DONE 1 | a \\| b \\Progress: 1", PlanCommand("DONE", "1", result="a \\| b \\Progress: 1")),
        ("PLAN_CMD: DONE 1 | | a", PlanCommand("DONE", "1", result="| a")),
        ("PLAN_CMD: DONE 1 | a |", PlanCommand("DONE", "1", result="a |")),
        ("PLAN_CMD:DONE 1", PlanCommand("DONE", "1")),
        (" \tPLAN_CMD:\t DONE\t1\t|\tx\t", PlanCommand("DONE", "1", result="x")),
        ("PLAN_CMD: ADD 2.3 [act] a", PlanCommand("ADD", "2.3", "act", "a")),
        ("PLAN_CMD: ADD 2.3. [act]   a  ", PlanCommand("ADD", "2.3", "act", "a")),
        ("PLAN_CMD: ADD 1 [act]", PlanCommand("ADD", "1", "act")),
        ("PLAN_CMD: ADD 1 [Foo] a", PlanCommand("ADD", "1", "Foo", "a")),
        ("PLAN_CMD: ADD 1 [x] a", PlanCommand("ADD", "1", "x", "a")),
        ("PLAN_CMD: ADD 1 [act] a → b, c", PlanCommand("ADD", "1", "act", "a → b, c")),
        ("PLAN_CMD: ADD 1 [act] a | b \\| c \\→ d", PlanCommand("ADD", "1", "act", "a | b \\| c \\→ d")),
        ("PLAN_CMD: ADD 1 [act]→ b", PlanCommand("ADD", "1", "act", "→ b")),
        ("PLAN_CMD: ADD 1 [act] | a", PlanCommand("ADD", "1", "act", "| a")),
        ("PLAN_CMD: REVISE 3 [reason] a", PlanCommand("REVISE", "3", "reason", "a")),
        ("PLAN_CMD: REPLAN 4", PlanCommand("REPLAN", "4")),
        ("PLAN_CMD: REPLAN 4 | why", PlanCommand("REPLAN", "4", result="why")),
        ("PLAN_CMD: REPLAN ALL", PlanCommand("REPLAN", "ALL")),
        ("PLAN_CMD: REPLAN all", PlanCommand("REPLAN", "ALL")),
        ("PLAN_CMD: REPLAN aLl | why | not", PlanCommand("REPLAN", "ALL", result="why | not")),
        ("PLAN_CMD: EXPAND 4", PlanCommand("EXPAND", "4")),
        ("PLAN_CMD: COLLAPSE 4.1. ", PlanCommand("COLLAPSE", "4.1")),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"], ids=["no end", "LF", "CRLF"])
def test_a_command(line: str, command: PlanCommand, end: str) -> None:
    assert only(line + end) == command


@in_one_test
@pytest.mark.parametrize(
    ("lines", "detail"),
    [
        (["> a", ">b", ">", ">   c "], ["a", "b", "", "  c "]),
        (["> ← a, b", ">  ← c", "> \\← d"], ["← a, b", " ← c", "\\← d"]),
        (["  > a", "\t>b"], ["a", "b"]),
        (["> a", "", "> b"], ["a"]),
        (["> a", "so", "> b"], ["a"]),
        (["> a", ">>>>>>> theirs", "> b"], ["a"]),
        (["", "> a"], []),
        (["and", "> a"], []),
        ([" ", "> a"], []),
        (["> > a", "> PLAN_CMD: DONE 1"], ["> a", "PLAN_CMD: DONE 1"]),
    ],
)
@pytest.mark.parametrize("verb", ["ADD", "REVISE"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_detail_lines_stand_directly_behind(lines: list[str], detail: list[str], verb: str, end: str) -> None:
    text = end.join([f"PLAN_CMD: {verb} 1 [act] a", *lines])
    assert only(text) == PlanCommand(verb, "1", "act", "a", detail=detail)
    assert parse_plan_commands(text + end) == parse_plan_commands(text)


@pytest.mark.parametrize("command", ["DONE 1", "SKIP 1 | x", "REPLAN ALL", "REPLAN 1", "EXPAND 1"])
def test_other_verbs_have_no_detail(command: str) -> None:
    assert only(f"PLAN_CMD: {command}\n> a\n").detail == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "prose",
        "DONE 1",
        "I would say PLAN_CMD: DONE 1",
        "the PLAN_CMD lines follow",
        "PLAN_CMD lines come here",
        "plan commands: DONE 1",
        "> a\n- b\n1. [act] c\n## Steps",
        "\x00\ud800\x1b[0m",
    ],
)
def test_all_other_text_is_ignored_in_silence(text: str) -> None:
    assert parse_plan_commands(text) == []
    assert scan_plan_commands(text).diagnostics == []


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u3000"], ids=ascii)
def test_other_breaks_and_spaces_are_text(char: str) -> None:
    assert only(f"PLAN_CMD: DONE 1 | a{char}PLAN_CMD: DONE 2").result == f"a{char}PLAN_CMD: DONE 2"
    assert parse_plan_commands(f"{char}PLAN_CMD: DONE 1") == []
    assert parse_plan_commands(f"PLAN_CMD:{char}DONE 1") == []


# ---------------------------------------------------------------- places


def test_a_command_has_its_place_with_its_detail() -> None:
    text = "So:\r\n  PLAN_CMD: ADD 1 [act] a  \r\n  > b\r\n\r\nPLAN_CMD: DONE 1 | c\r\n"
    scan = scan_plan_commands(text, name="answer.txt")
    slices = [text[span.start : span.end] for span in scan.spans]
    assert slices == ["PLAN_CMD: ADD 1 [act] a  \r\n  > b", "PLAN_CMD: DONE 1 | c"]
    assert [(span.line, span.column) for span in scan.spans] == [(2, 3), (5, 1)]
    assert scan.source.name == "answer.txt"


# ---------------------------------------------------------------- near misses


@in_one_test
@pytest.mark.parametrize(
    ("line", "code", "place", "fix"),
    [
        ("PLAN_CMD: DROP 1", "PC101", "DROP", None),
        ("PLAN_CMD: DELETE 1 | x", "PC101", "DELETE", None),
        ("PLAN_CMD: done 1", "PC102", "done", "PLAN_CMD: DONE 1"),
        ("PLAN_CMD: Add 1 [act] a", "PC102", "Add", "PLAN_CMD: ADD 1 [act] a"),
        ("PLAN_CMD: DONE", "PC103", "", None),
        ("PLAN_CMD: DONE | well", "PC103", "|", None),
        ("PLAN_CMD: DONE first", "PC103", "first", None),
        ("PLAN_CMD: DONE 01", "PC103", "01", "PLAN_CMD: DONE 1"),
        ("PLAN_CMD: DONE step 2", "PC103", "step 2", "PLAN_CMD: DONE 2"),
        ("PLAN_CMD: DONE 2) | x", "PC103", "2)", "PLAN_CMD: DONE 2 | x"),
        ("PLAN_CMD: DONE ALL", "PC103", "ALL", None),
        ("PLAN_CMD: DONE 1234567890", "PC103", "1234567890", None),
        ("PLAN_CMD: EXPAND", "PC103", "", None),
        ("PLAN_CMD: ADD 1", "PC104", "", None),
        ("PLAN_CMD: ADD 1 a", "PC104", "a", None),
        ("PLAN_CMD: ADD 1 (act) a", "PC104", "(act) a", "PLAN_CMD: ADD 1 [act] a"),
        ("PLAN_CMD: ADD 1 [act]a", "PC104", "[act]a", "PLAN_CMD: ADD 1 [act] a"),
        ("PLAN_CMD: REVISE 1[act] a", "PC104", "[act] a", "PLAN_CMD: REVISE 1 [act] a"),
        ("PLAN_CMD: REPLAN", "PC105", "REPLAN", None),
        ("PLAN_CMD: REPLAN | why", "PC105", "REPLAN", None),
        ("PLAN_CMD: DONE 1 well", "PC106", "well", "PLAN_CMD: DONE 1 | well"),
        ("PLAN_CMD: DONE 1 |well", "PC106", "|well", "PLAN_CMD: DONE 1 | well"),
        ("PLAN_CMD: DONE 1| well", "PC106", "| well", "PLAN_CMD: DONE 1 | well"),
        ("PLAN_CMD: REPLAN ALL why", "PC106", "why", "PLAN_CMD: REPLAN ALL | why"),
        ("PLAN_CMD: EXPAND 1 | x", "PC106", "| x", "PLAN_CMD: EXPAND 1"),
        ("plan_cmd: DONE 1", "PC107", "plan_cmd: ", "PLAN_CMD: DONE 1"),
        ("PLAN_CMD：DONE 1", "PC107", "PLAN_CMD：", "PLAN_CMD: DONE 1"),
        ("- PLAN_CMD: DONE 1", "PC107", "- PLAN_CMD: ", "PLAN_CMD: DONE 1"),
        ("> PLAN_CMD: DONE 1", "PC107", "> PLAN_CMD: ", "PLAN_CMD: DONE 1"),
        ("`PLAN_CMD: DONE 1`", "PC107", "`PLAN_CMD: ", "PLAN_CMD: DONE 1"),
        ("**PLAN_CMD:** DONE 1", "PC107", "**PLAN_CMD:** ", "PLAN_CMD: DONE 1"),
        ("PLAN_CMD DONE 1", "PC107", "PLAN_CMD ", "PLAN_CMD: DONE 1"),
        ("PLAN_CMD: DONE 1 | a\x07", "PC108", "\x07", "PLAN_CMD: DONE 1 | a"),
        ("PLAN_CMD: DONE 1 | a\rb", "PC108", "\r", "PLAN_CMD: DONE 1 | ab"),
        ("PLAN_CMD:", "PC101", "", None),
    ],
)
def test_a_line_that_looks_like_a_command_and_is_none(line: str, code: str, place: str, fix: str | None) -> None:
    text = f"so\r\n  {line}\r\n\r\n> not its detail\n"
    assert parse_plan_commands(text) == []
    scan = scan_plan_commands(text, name="answer.txt")
    (found,) = scan.diagnostics
    # Only what stands in front of a command or around it is read with a warning, and a label with its colon.
    is_clear = code == "PC107" and not line.startswith("PLAN_CMD ")
    assert scan.commands == (parse_plan_commands(fix or "") if is_clear else [])
    assert [text[span.start : span.end] for span in scan.spans] == ([line] if is_clear else [])
    assert scan.verdict is (Verdict.ACCEPTED if is_clear else Verdict.NEEDS_REVIEW)
    severity = Severity.WARNING if is_clear else Severity.ERROR
    assert (found.code, found.severity, found.line) == (code, severity, 2)
    assert found.span is not None
    assert text[found.span.start : found.span.end].rstrip("\r\n") == place.rstrip("\r\n")
    assert found.source is not None
    assert found.source.name == "answer.txt"
    assert (found.fix and found.fix.text) == fix
    assert found.help or found.fix
    if found.fix:
        assert text[found.fix.span.start : found.fix.span.end] == line
        assert len(parse_plan_commands(found.fix.text)) == 1


def test_a_byte_order_mark_hides_no_command() -> None:
    text = "\ufeffPLAN_CMD: DONE 2\nPLAN_CMD: DONE 3\n"
    assert [one.step_id for one in parse_plan_commands(text)] == ["2", "3"]
    assert [one.step_id for one in parse_plan_commands(text, accelerate=False)] == ["2", "3"]
    assert scan_plan_commands(text).commands == parse_plan_commands(text)
