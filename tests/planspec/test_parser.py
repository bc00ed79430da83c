"""What the strict parser reads, sentence by sentence of the language's description, and what it refuses."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStep,
    PlanSyntaxError,
    parse_plan,
    scan_plan,
    serialize_plan,
)
from planspec_lark.planspec import PlanTransformer, parse_tree
from tests.cases import in_one_test


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


@pytest.mark.parametrize("read", [parse_plan, parse_tree], ids=["plan", "tree"])
def test_so_is_one_that_ends_the_text(read: Callable[[str], object]) -> None:
    with pytest.raises(PlanSyntaxError):
        read("Goal: g\r")


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


# ---------------------------------------------------------------- the summary line


@pytest.mark.parametrize("line", ["1. [x] a", "1. [x] ", "1. [x]", "1. [x] [>] a"])
def test_x_in_brackets_in_this_place_is_the_mark(line: str) -> None:
    assert fault(line) == "PS112"


@pytest.mark.parametrize("name", ["a b", "a.b", "a:", "(a)"])
def test_no_name(name: str) -> None:
    assert fault(f"1. {name} [act] a") == "PS112"


# ---------------------------------------------------------------- node bodies


@pytest.mark.parametrize("accelerate", [True, False])
@pytest.mark.parametrize("line", [">>>>>>> theirs", ">>>>>>>", ">>>>>>> \t", "  >>>>>>> theirs", ">>>>>>>\r"], ids=repr)
@pytest.mark.parametrize("text", ["Goal: g\n{}\n1. [act] a\n", "## Steps\n1. [act] a\n> d\n{}\n> e\n"])
def test_a_conflict_marker_is_no_detail_line(text: str, line: str, accelerate: bool) -> None:
    text = text.format(line)
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text, accelerate=accelerate)
    assert [found.code for found in caught.value.diagnostics] == ["PS128"]
    assert [found.code for found in scan_plan(text).diagnostics] == ["PS128"]


# ---------------------------------------------------------------- escapes, read


# ---------------------------------------------------------------- the tree


# ---------------------------------------------------------------- faults


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


@pytest.mark.parametrize(
    "text", ["prose", "# ", *(f"Goal: g\n## Steps\n{row}" for row in ("x", "1. a", "1.", "1. [x] a"))]
)
def test_what_was_expected_is_said_in_a_persons_words(text: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text)
    said = [words for found in caught.value.diagnostics for words in (found.message, found.help, *found.expected)]
    for terminal in [
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
    ]:
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
