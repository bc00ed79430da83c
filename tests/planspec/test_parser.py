"""What the strict parser reads, sentence by sentence of the language's description, and what it refuses."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    PlanSyntaxError,
    parse_plan,
    scan_plan,
    serialize_plan,
    step_order,
)
from planspec_lark.planspec import PlanTransformer, parse_tree
from planspec_lark.syntax import decode
from tests.cases import in_one_test
from tests.planspec.test_models import DEPTH, chain


def one(line: str, *body: str) -> PlanStep:
    """The only step of a plan whose summary line is ``line``."""
    (step,) = parse_plan("\n".join(["## Steps", line, *body])).steps
    return step


def codes(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column of every fault."""
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text)
    return [(found.code, found.line or 0, found.column or 0) for found in caught.value.diagnostics]


def fault(line: str) -> str:
    """The code of the only fault of a summary line."""
    ((code, number, _),) = codes(f"## Steps\n{line}\n")
    assert number == 2
    return code


# ---------------------------------------------------------------- text and lines


@pytest.mark.parametrize("text", ["", "\n", " \t\n\r\n", "\ufeff", "\ufeff\n", "  "])
def test_a_text_with_nothing_in_it_is_the_empty_plan(text: str) -> None:
    assert parse_plan(text) == PlanSpec()


def test_a_byte_order_mark_at_the_start_is_accepted() -> None:
    assert parse_plan("\ufeffGoal: g").goal == "g"


def test_a_byte_order_mark_elsewhere_is_a_character() -> None:
    assert parse_plan("Goal: g\ufeff").goal == "g\ufeff"
    assert codes("\n\ufeffGoal: g") == [("PS113", 2, 1)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "", "  ", "\t\r\n\r\n"], ids=repr)
def test_a_line_ends_in_these_ways(end: str) -> None:
    assert parse_plan(f"Goal: g{end}").goal == "g"


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029", "\xa0", "\u3000"], ids=lambda c: f"U+{ord(c):04X}")
def test_other_breaks_and_spaces_are_ordinary_characters(char: str) -> None:
    text = f"# Plan: {char}a{char}\nGoal: {char}\n## Steps\n1. [act] {char}b{char} → v | {char}c{char}\n"
    plan = parse_plan(text)
    assert (plan.title, plan.goal) == (f"{char}a{char}", char)
    assert (plan.steps[0].description, plan.steps[0].result) == (f"{char}b{char}", f"{char}c{char}")
    assert serialize_plan(plan) == text


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u3000"], ids=lambda c: f"U+{ord(c):04X}")
def test_they_separate_no_parts(char: str) -> None:
    assert one(f"1. [act] a{char}|{char}b").description == f"a{char}|{char}b"
    assert one(f"1. [act] a →{char}b").outputs == []
    assert fault(f"1.{char}[act] a") == "PS113"


@in_one_test
@pytest.mark.parametrize(
    "char",
    ["\0", "\x01", "\x08", "\v", "\f", "\x0e", "\x1b", "\x1f", "\x7f", "\ud800", chr(0xDFFF)],
    ids=lambda c: f"U+{ord(c):04X}",
)
@pytest.mark.parametrize(
    "line",
    ["Goal: a{}b", "# Plan: a{}b", "Goal:\n> a{}b", "{}", "Goal: g{}"],
    ids=["goal", "title", "detail", "alone", "end"],
)
def test_control_characters_and_surrogates_are_errors(line: str, char: str) -> None:
    text = line.format(char)
    assert codes(text) == [("PS102", text.count("\n") + 1, text.rpartition("\n")[2].index(char) + 1)]


def test_a_lone_carriage_return_is_a_control_character() -> None:
    assert codes("Goal: a\rGoal: b\n") == [("PS102", 1, 8)]
    assert codes("Goal: g\r\r\n") == [("PS102", 1, 8)]


@pytest.mark.parametrize("read", [parse_plan, parse_tree], ids=["plan", "tree"])
def test_so_is_one_that_ends_the_text(read: Callable[[str], object]) -> None:
    with pytest.raises(PlanSyntaxError):
        read("Goal: g\r")


def test_a_tab_is_white_space_outside_and_text_inside() -> None:
    plan = parse_plan(
        "\tGoal:\ta\tb\t\n\t##\tSteps\t\n\t1.\t[x]\tn\t[act]\tc\td\t→\tv\t,\tw\t|\tr\t|\tProgress:\t1/2\t\n"
    )
    assert plan.goal == "a\tb"
    assert plan.steps == [PlanStep("1", "n", "act", "c\td", [], ["v", "w"], [], "r", PlanStatus.DONE, None, 1, 2)]


def test_bytes_that_are_no_utf_8_are_named_by_their_offset() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        decode("Goal: é".encode() + b"\xff\n")
    (found,) = caught.value.diagnostics
    assert (found.code, found.line, found.column) == ("PS119", 1, 8)
    assert found.message == "byte 8 (0xff) is not UTF-8: invalid start byte"


def test_indentation_has_no_meaning() -> None:
    text = "# Plan: t\nGoal: g\n> d\nConstraints:\n- c\n## Steps\n1. [subtask] a\n  > b\n  1.1. [act] c\n"
    indented = "".join(f" \t {line}\n" for line in text.split("\n")[:-1])
    assert parse_plan(indented) == parse_plan(text.replace("  ", ""))
    assert parse_plan(indented) == parse_plan(text)


def test_blank_lines_mean_nothing() -> None:
    text = "# Plan: t\nGoal: g\n> d\n> e\nConstraints:\n- c\n- d\n## Steps\n1. [act] a\n  > b\n  > c\n2. [act] d\n"
    spread = "\n \n" + text.replace("\n", "\n\t\n\r\n")
    assert parse_plan(spread) == parse_plan(text)
    assert serialize_plan(parse_plan(spread)) == text


# ---------------------------------------------------------------- the document


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Plan: Text", "Text"),
        ("# Text", "Text"),
        ("# Plan:Text", "Text"),
        ("#   Plan:   Text", "Text"),
        ("#\tText", "Text"),
        ("# Plan", "Plan"),
        ("# Plan : Text", "Plan : Text"),
        ("# plan: Text", "plan: Text"),
        ("# Plan: Plan: Text", "Plan: Text"),
        ("# # Text", "# Text"),
        ("# a | b → c \\| d", "a | b → c \\| d"),
    ],
)
def test_a_title(line: str, title: str) -> None:
    assert parse_plan(line) == PlanSpec(title=title)


@pytest.mark.parametrize(
    ("line", "goal"),
    [
        ("Goal: Text", "Text"),
        ("**Goal**: Text", "Text"),
        ("Goal:Text", "Text"),
        ("**Goal**:Text", "Text"),
        ("Goal:", ""),
        ("**Goal**: ", ""),
        ("Goal: Goal: x", "Goal: x"),
        ("Goal: a | b → c \\→ d", "a | b → c \\→ d"),
    ],
)
def test_a_goal(line: str, goal: str) -> None:
    assert parse_plan(line) == PlanSpec(goal=goal)


def test_goal_detail_is_read_like_detail_but_without_inputs() -> None:
    text = "Goal: g\n>   x \n>\n>y\n> \n> ← a, b\n> \\← a\n"
    assert parse_plan(text).goal_detail == ["  x ", "", "y", "", "← a, b", "\\← a"]


def test_goal_detail_may_stand_below_an_empty_goal() -> None:
    assert parse_plan("Goal:\n> d\n") == PlanSpec(goal_detail=["d"])


@pytest.mark.parametrize("header", ["Constraints:", "## Constraints", "##\tConstraints ", "Constraints:\t"])
def test_constraints(header: str) -> None:
    text = f"{header}\n- a\n-  b \n-\tc | d → e\n- - f\n- \\| g"
    assert parse_plan(text).constraints == ["a", "b", "c | d → e", "- f", "\\| g"]


def test_constraints_may_be_none() -> None:
    assert parse_plan("Constraints:\n## Steps\n") == PlanSpec()


@pytest.mark.parametrize(
    "text",
    [
        "# a\nConstraints:\n- b\n",
        "Goal: a\n## Steps\n1. [act] b\n",
        "# a\n## Steps\n",
        "## Steps\n",
        "Constraints:\n- b\n",
    ],
)
def test_each_part_is_optional(text: str) -> None:
    parse_plan(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\n# b", [("PS105", 2, 1)]),
        ("Goal: a\n**Goal**: b", [("PS105", 2, 1)]),
        ("Constraints:\n- a\n## Constraints\n", [("PS105", 3, 1)]),
        ("## Steps\n1. [act] a\n## Steps\n", [("PS105", 3, 1)]),
        ("Goal: a\n# b", [("PS106", 2, 1)]),
        ("Constraints:\nGoal: a", [("PS106", 2, 1)]),
        ("## Steps\n1. [act] a\nConstraints:", [("PS106", 3, 1)]),
        ("## Steps\nGoal: a\n# b", [("PS106", 2, 1), ("PS106", 3, 1)]),
    ],
)
def test_each_part_comes_once_and_in_order(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert codes(text) == expected


@in_one_test
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Some prose.", "PS101"),
        ("```", "PS103"),
        ("~~~text", "PS103"),
        ("Goal：text", "PS104"),
        ("**Goal:** text", "PS104"),
        ("goal: text", "PS104"),
        ("Goal : text", "PS104"),
        ("## Goal", "PS104"),
        ("#text", "PS104"),
        ("#", "PS109"),
        ("# Plan:", "PS109"),
        ("Constraints: none", "PS104"),
        ("Constraints", "PS104"),
        ("**Constraints**:", "PS104"),
        ("## Constraints:", "PS104"),
        ("## Steps:", "PS104"),
        ("Steps:", "PS104"),
        ("### Steps", "PS104"),
        ("## steps", "PS104"),
        ("##Steps", "PS104"),
        ("## Steps now", "PS101"),
        ("- a constraint", "PS107"),
        ("> a detail", "PS107"),
        ("-", "PS109"),
        ("* item", "PS107"),
    ],
)
def test_a_line_that_is_none_of_a_plans_lines(line: str, code: str) -> None:
    assert [found[:2] for found in codes(line)] == [(code, 1)]


@pytest.mark.parametrize("line", ["* item", "1) item", "-item", "• item", "1. item"])
def test_a_constraint_starts_with_a_dash_and_white_space(line: str) -> None:
    assert codes(f"Constraints:\n- a\n{line}\n- b\n") == [("PS118", 3, 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# t\n> d", ("PS107", 2, 1)),
        ("Goal: g\nConstraints:\n- c\n> d", ("PS107", 4, 1)),
        ("## Steps\n> d", ("PS107", 2, 1)),
        ("Goal: g\n- c", ("PS107", 2, 1)),
        ("## Steps\n1. [act] a\n- c", ("PS107", 3, 1)),
    ],
)
def test_a_line_that_belongs_to_nothing(text: str, expected: tuple[str, int, int]) -> None:
    assert codes(text) == [expected]


# ---------------------------------------------------------------- the summary line


@pytest.mark.parametrize("step_id", ["0", "1", "10", "999999999", "0.0", "2.10.3", "1.0.999999999"])
def test_an_id(step_id: str) -> None:
    assert one(f"{step_id}. [act] a").step_id == step_id


@pytest.mark.parametrize(
    "lead", ["01.", "1.02.", "00.", "1234567890.", "1.1234567890.", "1..2.", "1", "1)", "1:", "１.", "1.2"]
)
def test_no_id(lead: str) -> None:
    assert fault(f"{lead} [act] a") == "PS110"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1.[act] a", "PS113"),
        ("1. [act]a", "PS113"),
        ("1. [x][act] a", "PS113"),
        ("1. [x]name [act] a", "PS113"),
        ("1. name[act] a", "PS113"),
    ],
)
def test_parts_are_separated_by_white_space(line: str, code: str) -> None:
    assert fault(line) == code


@pytest.mark.parametrize("line", ["1. [act] a→ b", "1. [act]→ b", "1. [act] （a）→b", "1. [act] →b", "1. [act]\t→\tb"])
def test_white_space_is_optional_in_front_of_the_arrow(line: str) -> None:
    assert one(line).outputs == ["b"]


@pytest.mark.parametrize(
    ("mark", "status"),
    [
        ("", "pending"),
        ("[ ] ", "pending"),
        ("[x] ", "done"),
        ("[>] ", "active"),
        ("[!] ", "blocked"),
        ("[~] ", "skipped"),
    ],
)
def test_the_five_marks(mark: str, status: str) -> None:
    assert one(f"1. {mark}[act] a").status is PlanStatus(status)


@pytest.mark.parametrize("mark", ["[X]", "[]", "[  ]", "[ x]", "[v]", "[-]", "[?]", "[done!]", "[✓]", "[xx x]", "[*]"])
def test_no_other_mark(mark: str) -> None:
    if mark == "[v]":
        assert one(f"1. {mark} [act] a").step_type == "v"
    else:
        assert fault(f"1. {mark} [act] a") == "PS111"


@pytest.mark.parametrize("line", ["1. [x] a", "1. [x] ", "1. [x]", "1. [x] [>] a"])
def test_x_in_brackets_in_this_place_is_the_mark(line: str) -> None:
    assert fault(line) == "PS112"


@pytest.mark.parametrize(
    ("line", "step_type", "status"),
    [
        ("1. [ ] [x] a", "x", "pending"),
        ("1. [>] [x] a", "x", "active"),
        ("1. [x] [x] a", "x", "done"),
        ("1. n [x] a", "x", "pending"),
        ("1. [X] a", "X", "pending"),
        ("1. [x] [X] a", "X", "done"),
    ],
)
def test_types_that_look_like_marks(line: str, step_type: str, status: str) -> None:
    step = one(line)
    assert (step.step_type, step.status, step.description) == (step_type, PlanStatus(status), "a")


@pytest.mark.parametrize("name", ["a1b2c3d4", "load_data", "-", "1", "x", "数据", "é-1", "1-2"])
def test_a_name_between_status_and_type(name: str) -> None:
    assert one(f"1. {name} [act] a").step_name == name
    assert one(f"1. [x] {name} [act] a").step_name == name


@pytest.mark.parametrize("name", ["a b", "a.b", "a:", "(a)"])
def test_no_name(name: str) -> None:
    assert fault(f"1. {name} [act] a") == "PS112"


@pytest.mark.parametrize("word", ["act", "LLM", "_", "a1_B", "X1"])
def test_a_type_is_any_word_in_brackets(word: str) -> None:
    assert one(f"1. [{word}] a").step_type == word


@pytest.mark.parametrize("word", ["(act)", "【act】", "[ act ]", "act"])
def test_no_type(word: str) -> None:
    assert fault(f"1. {word} a") == "PS112"


@pytest.mark.parametrize(
    ("rest", "description", "outputs", "result"),
    [
        ("a|b", "a|b", [], ""),
        ("a |b", "a |b", [], ""),
        ("a| b", "a| b", [], ""),
        ("a || b", "a || b", [], ""),
        ("|a", "|a", [], ""),
        ("a | b", "a", [], "b"),
        ("a\t|\tb", "a", [], "b"),
        ("a  |  b  ", "a", [], "b"),
        ("| b", "", [], "b"),
        ("a | b | c", "a", [], "b | c"),
        ("a | b|c |d", "a", [], "b|c |d"),
        ("a → v | b → w", "a", ["v"], "b → w"),
        ("→ v | b", "", ["v"], "b"),
        ("a | b\u3000| c", "a", [], "b\u3000| c"),
    ],
)
def test_the_line_is_cut_at_its_separators(rest: str, description: str, outputs: list[str], result: str) -> None:
    step = one(f"1. [act] {rest}")
    assert (step.description, step.outputs, step.result) == (description, outputs, result)


@pytest.mark.parametrize("rest", ["a |", "a | ", "a | | b", "|", "a | b |", "→ v |", "a |\t| b"])
def test_an_empty_segment_is_an_error(rest: str) -> None:
    assert fault(f"1. [act] {rest}") == "PS114"


@pytest.mark.parametrize(
    ("rest", "description", "outputs"),
    [
        ("a → b", "a", ["b"]),
        ("a → b, c_1 ,\t_d", "a", ["b", "c_1", "_d"]),
        ("a →b,c", "a", ["b", "c"]),
        ("a → b, b", "a", ["b", "b"]),
        ("a → b → c", "a → b", ["c"]),
        ("a → stop here → c", "a → stop here", ["c"]),
        ("→ b", "", ["b"]),
        ("→→ b", "→", ["b"]),
        ("", "", []),
        ("a → leave the loop", "a → leave the loop", []),
        ("a → b → leave the loop", "a → b → leave the loop", []),
        ("a → 变量", "a → 变量", []),
        ("a → b,", "a → b,", []),
        ("a → ,b", "a → ,b", []),
        ("a → b，c", "a → b，c", []),
        ("a → 1b", "a → 1b", []),
        ("a → b-c", "a → b-c", []),
        ("a → b.", "a → b.", []),
        ("a →", "a →", []),
        ("a -> b", "a -> b", []),
        ("a ⇒ b", "a ⇒ b", []),
    ],
)
def test_the_last_arrow_in_front_of_a_variable_list_declares_outputs(
    rest: str, description: str, outputs: list[str]
) -> None:
    step = one(f"1. [act] {rest}")
    assert (step.description, step.outputs) == (description, outputs)


@pytest.mark.parametrize(
    ("segments", "result", "done", "total"),
    [
        ("Progress: 3/5", "", 3, 5),
        ("Progress: 3", "", 3, None),
        ("Progress:3/5", "", 3, 5),
        ("Progress:\t 3", "", 3, None),
        ("Progress: 0/5", "", 0, 5),
        ("Progress: 0", "", 0, None),
        ("Progress: 03/010", "", 3, 10),
        ("Progress: 999999999/999999999", "", 999_999_999, 999_999_999),
        ("Progress: 9/3", "", 9, 3),
        ("a | Progress: 1/2", "a", 1, 2),
        ("Progress: 1/2 | a", "a", 1, 2),
        ("a | Progress: 1/2 | b", "a | b", 1, 2),
        ("progress: 1/2", "progress: 1/2", 0, None),
        ("Progress 1/2", "Progress 1/2", 0, None),
        ("see Progress: 1/2", "see Progress: 1/2", 0, None),
    ],
)
def test_progress_and_result(segments: str, result: str, done: int, total: int | None) -> None:
    step = one(f"1. [subtask] a | {segments}")
    assert (step.result, step.done_count, step.total_count) == (result, done, total)


@pytest.mark.parametrize(
    "segment",
    [
        "Progress:",
        "Progress: a",
        "Progress: 60%",
        "Progress: 3 /5",
        "Progress: 3/ 5",
        "Progress: 3/",
        "Progress: -1",
        "Progress: 1.5",
        "Progress: 1234567890",
        "Progress: 1/1234567890",
        "Progress: 3/5 rounds",
        "Progress: ٣",
    ],
)
def test_a_segment_that_starts_like_progress_must_be_progress(segment: str) -> None:
    assert fault(f"1. [subtask] a | {segment}") == "PS115"


def test_progress_comes_at_most_once_a_line() -> None:
    assert fault("1. [subtask] a | Progress: 1 | Progress: 1") == "PS116"


# ---------------------------------------------------------------- node bodies


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (">   x ", "  x "),
        ("> x", "x"),
        (">x", "x"),
        (">", ""),
        ("> ", ""),
        (">  ", " "),
        (">\tx\t", "\tx\t"),
        ("> > x", "> x"),
        (">> x", "> x"),
        ("> a ← b", "a ← b"),
        ("> ← b c", "← b c"),
        ("> ←", "←"),
        ("> ← b,", "← b,"),
        ("> ← 变量", "← 变量"),
        ("> <- b", "<- b"),
        ("> | Progress: 3", "| Progress: 3"),
        ("> 1. [act] a", "1. [act] a"),
        ("> ## Steps", "## Steps"),
        ("> >>>>>> theirs", ">>>>>> theirs"),
        (">>>>>>>> theirs", ">>>>>>> theirs"),
        (">>>>>>>theirs", ">>>>>>theirs"),
        (">>>>>> theirs", ">>>>> theirs"),
    ],
)
def test_a_detail_line_is_kept_exactly(line: str, detail: str) -> None:
    step = one("1. [act] a", line)
    assert (step.detail, step.inputs) == ([detail], [])


@pytest.mark.parametrize("accelerate", [True, False])
@pytest.mark.parametrize("line", [">>>>>>> theirs", ">>>>>>>", ">>>>>>> \t", "  >>>>>>> theirs", ">>>>>>>\r"], ids=repr)
@pytest.mark.parametrize("text", ["Goal: g\n{}\n1. [act] a\n", "## Steps\n1. [act] a\n> d\n{}\n> e\n"])
def test_a_conflict_marker_is_no_detail_line(text: str, line: str, accelerate: bool) -> None:
    text = text.format(line)
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text, accelerate=accelerate)
    assert [found.code for found in caught.value.diagnostics] == ["PS128"]
    assert [found.code for found in scan_plan(text).diagnostics] == ["PS128"]


@pytest.mark.parametrize("line", ["> ← a, b", ">← a,b", ">   ←\ta , b  ", ">\t← a, b", "> ←a,\tb"], ids=repr)
def test_a_detail_line_with_an_arrow_and_a_variable_list_declares_inputs(line: str) -> None:
    step = one("1. [act] a", line)
    assert (step.inputs, step.detail) == (["a", "b"], [])


def test_several_input_lines_add_up_in_their_order() -> None:
    step = one("1. [act] a", "> ← b", "> x", "> ← a, c", ">", "> ← b")
    assert (step.inputs, step.detail) == (["b", "a", "c", "b"], ["x", ""])


def test_a_body_belongs_to_the_summary_line_above() -> None:
    plan = parse_plan("## Steps\n1. [subtask] a\n> one\n1.1. [act] b\n\n\n> two\n> three\n2. [act] c\n")
    assert plan.steps[0].detail == ["one"]
    assert plan.steps[0].children[0].detail == ["two", "three"]
    assert plan.steps[1].detail == []


# ---------------------------------------------------------------- escapes, read


@pytest.mark.parametrize(
    ("rest", "description", "outputs"),
    [
        (r"cat a \| sort", "cat a | sort", []),
        (r"cat a \\| sort", r"cat a \| sort", []),
        (r"\| a", "| a", []),
        (r"a \|", "a |", []),
        (r"a \| \| b", "a | | b", []),
        (r'grep "a\|b"', r'grep "a\|b"', []),
        (r"a \|b", r"a \|b", []),
        (r"a\| b", r"a\| b", []),
        (r"C:\data \n \\", r"C:\data \n \\", []),
        (r"say \→ b", "say → b", []),
        (r"say \\→ b, c", r"say \→ b, c", []),
        (r"\→ b", "→ b", []),
        (r"say\→ b", "say→ b", []),
        (r"say \→ leave now", r"say \→ leave now", []),
        (r"say \→ b → c", r"say \→ b", ["c"]),
        (r"a → b \→ c", "a → b → c", []),
        (r"\← b", r"\← b", []),
        (r"\Progress: 3", r"\Progress: 3", []),
        (r"a \| b → c", "a | b", ["c"]),
    ],
)
def test_a_backslash_in_a_description(rest: str, description: str, outputs: list[str]) -> None:
    step = one(f"1. [act] {rest}")
    assert (step.description, step.outputs, step.result) == (description, outputs, "")


@pytest.mark.parametrize(
    ("segments", "result"),
    [
        (r"\Progress: 3/5", "Progress: 3/5"),
        (r"\\Progress: 3/5", r"\Progress: 3/5"),
        (r"\Progress:", "Progress:"),
        (r"a | \Progress: x", "a | Progress: x"),
        (r"a \Progress: 3", r"a \Progress: 3"),
        (r"\progress: 3", r"\progress: 3"),
        (r"\|", "|"),
        (r"\| b", "| b"),
        (r"a \| b", "a | b"),
        (r"a \\| b", r"a \| b"),
        (r"a \| | b", "a | | b"),
        (r"a\|b C:\x \n", r"a\|b C:\x \n"),
        (r"\→ b", r"\→ b"),
        (r"a → b", "a → b"),
    ],
)
def test_a_backslash_in_a_result(segments: str, result: str) -> None:
    step = one(f"1. [act] a | {segments}")
    assert (step.result, step.done_count, step.description) == (result, 0, "a")


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (r"> \← a", "← a"),
        (r"> \\← a, b", r"\← a, b"),
        (r">   \← a ", "  ← a "),
        (r"> \← a b", r"\← a b"),
        (r"> x \← a", r"x \← a"),
        (r"> \| \→ a \Progress: 3", r"\| \→ a \Progress: 3"),
    ],
)
def test_a_backslash_in_a_detail_line(line: str, detail: str) -> None:
    step = one("1. [act] a", line)
    assert (step.detail, step.inputs) == ([detail], [])


# ---------------------------------------------------------------- the tree


def tree(*ids: str) -> dict[str, list[str]]:
    """The ids below each id ("" is the top level) of a plan whose steps have these ids in this order."""
    plan = parse_plan("## Steps\n" + "".join(f"{step_id}. [act] a\n" for step_id in ids))
    found = {"": [step.step_id for step in plan.steps]}
    todo = list(plan.steps)
    for step in todo:
        if step.children:
            found[step.step_id] = [child.step_id for child in step.children]
        todo += step.children
    return found


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["1", "1.1", "1.1.1", "2"], {"": ["1", "2"], "1": ["1.1"], "1.1": ["1.1.1"]}),
        (["2", "2.1.3"], {"": ["2"], "2": ["2.1.3"]}),
        (["2", "2.1", "2.1.3"], {"": ["2"], "2": ["2.1"], "2.1": ["2.1.3"]}),
        (["2.1.3", "2.1", "2"], {"": ["2"], "2": ["2.1"], "2.1": ["2.1.3"]}),
        (["1", "2.1"], {"": ["1", "2.1"]}),
        (["1", "10", "10.1", "1.1"], {"": ["1", "10"], "1": ["1.1"], "10": ["10.1"]}),
        (["3", "1", "1.2", "1.1", "2"], {"": ["3", "1", "2"], "1": ["1.2", "1.1"]}),
        (["1", "1.1", "2", "1.2"], {"": ["1", "2"], "1": ["1.1", "1.2"]}),
        (["1", "5", "9", "9.4"], {"": ["1", "5", "9"], "9": ["9.4"]}),
        (["0", "0.0"], {"": ["0"], "0": ["0.0"]}),
        (["1.1.1.1", "1.1", "1.1.2.5"], {"": ["1.1"], "1.1": ["1.1.1.1", "1.1.2.5"]}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_parent_is_the_longest_prefix_present(ids: list[str], expected: dict[str, list[str]]) -> None:
    assert tree(*ids) == expected


def test_a_duplicate_id_is_an_error_at_its_second_place_that_names_the_first() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan("## Steps\n1. [act] a\n\n2. [act] b\n  1. [act] c\n1. [act] d\n")
    found = caught.value.diagnostics
    assert [(one.code, one.line, one.column) for one in found] == [("PS117", 5, 3), ("PS117", 6, 1)]
    assert {one.message for one in found} == {"duplicate id 1, first seen in line 2"}


def test_a_plan_of_a_thousand_levels_is_read() -> None:
    plan = chain()
    text = serialize_plan(plan)
    assert parse_plan(text) == plan
    assert PlanTransformer().transform(parse_tree(text)) == plan
    backwards = "\n".join(["Goal: down", "## Steps", *reversed(text.split("\n")[2:])])
    assert step_order(parse_plan(backwards)) == step_order(plan)


# ---------------------------------------------------------------- faults


def test_all_faults_of_a_text_are_told_at_once() -> None:
    text = "Plan for today\nGoal：g\n- c\n## Steps\n1) [act] a\n2. [act] b |\n3. c\n4. [act] d\n"
    assert codes(text) == [
        ("PS101", 1, 1),
        ("PS104", 2, 1),
        ("PS107", 3, 1),
        ("PS110", 5, 1),
        ("PS114", 6, 12),
        ("PS112", 7, 4),
    ]


def test_a_fault_has_a_place_the_line_what_was_expected_and_a_fix() -> None:
    text = "## Steps\n  1. [✓] [act] a\n"
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text, name="plan.md")
    (found,) = caught.value.diagnostics
    assert (found.code, found.line, found.column, found.severity.value) == ("PS111", 2, 6, "error")
    assert found.span is not None
    assert text[found.span.start : found.span.end] == "[✓]"
    assert found.source_line == "  1. [✓] [act] a"
    assert found.source is not None
    assert found.source.name == "plan.md"
    assert found.expected == ("a mark such as `[x]`",)
    assert found.fix is not None
    assert text[found.fix.span.start : found.fix.span.end] == "1. [✓] [act] a"
    assert found.fix.text == "1. [x] [act] a"


def test_all_parts_of_a_line_are_told_and_share_its_fix() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan("## Steps\n1) [✓] (act) a -> b\n")
    found = caught.value.diagnostics
    assert [(one.code, one.column) for one in found] == [("PS110", 1), ("PS111", 4), ("PS112", 8), ("PS305", 16)]
    assert {one.fix and one.fix.text for one in found} == {"1. [x] [act] a → b"}


@pytest.mark.parametrize(
    ("line", "gap"),
    [
        ("1) Load the csv -> rows", "1. [TYPE] Load the csv → rows"),
        ("1. [act type] Load | done", "1. [TYPE] Load | done"),
        ("1. [act Load", "1. [TYPE] Load"),
        ("2.", "2. [TYPE]"),
    ],
)
def test_a_line_without_a_type_has_no_fix_and_its_help_shows_the_gap(line: str, gap: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(f"## Steps\n{line}\n")
    found = caught.value.diagnostics
    assert {one.fix for one in found} == {None}
    [missing] = [one for one in found if one.code == "PS112"]
    assert missing.help.endswith(f"`{gap}`")


@pytest.mark.parametrize(
    "text",
    [
        "prose",
        "## Steps\nx",
        "## Steps\n1. a",
        "## Steps\n1.",
        "# ",
        "Goal: g\n1. [x] a",
        "## Steps\n1. [act] a | Progress: x",
    ],
)
def test_what_was_expected_is_said_in_a_persons_words(text: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text)
    said = [words for found in caught.value.diagnostics for words in (found.message, found.help, *found.expected)]
    for terminal in (
        "STEP_ID",
        "MARK",
        "NL",
        "TEXT",
        "DESCRIPTION",
        "BULLET",
        "RESULT",
        "OUTPUTS",
        "DETAIL",
        "TITLE_MARK",
    ):
        assert not [words for words in said if terminal in words.split()]


def test_a_refusal_is_a_value_error_that_shows_all_faults() -> None:
    with pytest.raises(ValueError, match="PS101") as caught:
        parse_plan("a\n```\n")
    assert str(caught.value).count(" --> <text>:") == 2


def test_a_refusal_shows_twenty_faults_and_counts_the_others() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan("# t\n" + "# t\n" * 25)
    assert len(caught.value.diagnostics) == 25
    assert str(caught.value).endswith("\n\nand 5 more")
    assert str(caught.value).count("error[PS105]") == 20


# ---------------------------------------------------------------- trees


def test_a_tree_holds_the_text_and_can_be_edited() -> None:
    text = "Goal: g \n\n## Steps\n1. [act]  a → b  |  c\n> ←  d"
    tree = parse_tree(text)
    assert "".join(tree.scan_values(lambda value: value is not None)) == text
    (step,) = tree.find_data("step")
    step.children[3] = step.children[3].update(value=" [reason]")  # type: ignore[union-attr]
    assert PlanTransformer().transform(tree).steps == [PlanStep("1", "", "reason", "a", ["d"], ["b"], result="c")]


def test_a_tree_of_a_faulty_text_is_refused_with_the_same_faults() -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_tree("prose\n1) [act] a\n")
    assert [found.code for found in caught.value.diagnostics] == [found[0] for found in codes("prose\n1) [act] a\n")]


def test_ids_may_come_twice_in_a_tree_but_not_in_its_plan() -> None:
    tree = parse_tree("## Steps\n1. [act] a\n1. [act] b\n")
    with pytest.raises(ValueError, match="an id comes twice"):
        PlanTransformer().transform(tree)


def test_the_depth_is_the_one_that_was_promised() -> None:
    assert DEPTH == 1000


def test_reading_leaves_the_garbage_collector_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("disable", "enable", "freeze", "unfreeze", "collect", "set_threshold"):
        monkeypatch.setattr(gc, name, lambda *_, name=name: pytest.fail(f"gc.{name} was called"))
    text = "## Steps\n" + "".join(f"{n}. [act] Turn page {n} of the register\n" for n in range(1, 2001))
    assert len(parse_plan(text).steps) == len(scan_plan(text + "so\n").plan.steps) == 2000


@pytest.mark.parametrize("name", ["नाम", "cafe\u0301"])
def test_a_word_with_combining_marks_is_no_name(name: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(f"## Steps\n1. {name} [act] x\n")
    [found] = caught.value.diagnostics
    assert found.message == f"`{name}` is not a name: it has combining marks, which are no letters"
