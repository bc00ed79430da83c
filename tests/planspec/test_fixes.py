"""Fixes of a text, as data and applied: what they change, what they keep, and how often a text is clean afterwards."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from planspec_lark import (
    Diagnostic,
    PlanSyntaxError,
    Severity,
    check_text,
    fix_text,
    parse_plan,
    render,
    serialize_plan,
)
from planspec_lark.planspec import FixResult, fixer
from planspec_lark.planspec.dialect import DIALECT
from planspec_lark.syntax.limits import NO_LIMITS, Limits
from tests import strategies
from tests.answers.mutators import MUTATORS, make_mutations

_COUNT = 200
# Only a fix that drops text or guesses helps here.
GUESSED = ("prose_line", "doubled_id", "arrow")
UNSAFE = (*GUESSED, "stray_detail")

HEAD = "Goal: g\n## Steps\n"


def fixed(text: str, *, unsafe: bool = False) -> str:
    return fix_text(text, unsafe=unsafe).text


def is_plan(text: str) -> bool:
    try:
        parse_plan(text)
    except PlanSyntaxError:
        return False
    return True


def errors(text: str) -> int:
    return sum(one.severity is Severity.ERROR for one in check_text(text, limits=NO_LIMITS))


# ---------------------------------------------------------------- how often a text is clean afterwards


@cache
def rates(name: str) -> tuple[int, int, int, int, int]:
    """Of mutated texts: those that still say what was meant, how many of them are the plan again after safe fixes and
    after all; the others, and how many of those are another plan after safe fixes.
    """
    meant = safe = every = others = wrong = 0
    for text, mutation in make_mutations(name, _COUNT):
        plan = parse_plan(text)
        after = fixed(mutation.text)
        if not mutation.is_meant:
            others += 1
            wrong += after != mutation.text
            continue
        meant += 1
        is_right = is_plan(after) and parse_plan(after) == plan
        safe += is_right
        if not is_right:
            after = fixed(mutation.text, unsafe=True)
            is_right = is_plan(after) and parse_plan(after) == plan
        every += is_right
    return meant, safe, every, others, wrong


@pytest.mark.parametrize("name", MUTATORS)
def test_a_text_that_says_what_was_meant_is_clean_afterwards(name: str) -> None:
    meant, safe, every, _, _ = rates(name)
    # As the page about diagnostics says.
    assert (every if name in UNSAFE else safe) >= 0.98 * meant
    assert safe == 0 or name not in GUESSED


@pytest.mark.parametrize("name", MUTATORS)
def test_a_text_that_does_not_is_left_to_people(name: str) -> None:
    assert rates(name)[4] == 0


# ---------------------------------------------------------------- what always holds

_texts = strategies.any_plan_text


@given(_texts, st.booleans())
def test_no_text_gets_worse(text: str, unsafe: bool) -> None:
    result = fix_text(text, unsafe=unsafe)
    assert errors(result.text) <= errors(text)
    assert result.left == check_text(result.text)
    assert (result.text == text) == (result.fixed == [])


@given(_texts)
def test_a_fixed_text_has_nothing_to_fix(text: str) -> None:
    after = fixed(text)
    again = fix_text(after)
    assert again == FixResult(after, [], [], check_text(after), again.refused)


# A word that is a part of the format, however it is written, is no text.
_OWN = [DIALECT.terminal(name) for name in ("TYPE_WORD", "INPUTS_WORD", "OUTPUTS_WORD", "STATUS_WORD", "PROGRESS_WORD")]
_OWN += [DIALECT.tokens(name) for name in ("status_word", "part")]
_SIGNS = {"of", "step", "phase", "stage", "text", "planspec", "md", "markdown", "plain", "txt", "needs"}


def _is_own(word: str) -> bool:
    return word.isdigit() or word in _SIGNS or any(own.fullmatch(word) for own in _OWN)


def words(text: str) -> Counter[str]:
    return Counter(word for word in re.findall(r"[^\W_]+", text.lower()) if not _is_own(word))


@given(_texts)
def test_safe_fixes_lose_no_word(text: str) -> None:
    # The same goal or title twice says no more than once.
    assert words(text).keys() - words(fixed(text)).keys() == set()


@given(st.builds(serialize_plan, strategies.plans))
def test_a_plan_stays_as_it_is_but_for_its_lint(text: str) -> None:
    result = fix_text(text)
    assert {one.code for one in result.fixed} <= {"PS202", "PS320"}
    assert result.fixed or result.text == text


# ---------------------------------------------------------------- single fixes


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param("## Steps\n1. [act] a\nGoal: g\n> d\n", "Goal: g\n> d\n## Steps\n1. [act] a\n", id="a late goal"),
        pytest.param("## Steps\r\nGoal: g\r\n", "Goal: g\r\n## Steps\r\n", id="CRLF"),
        pytest.param(
            "## Steps\n1. [act] a\nConstraints:\n* c\n\n- d\nGoal: g\n",
            "Goal: g\nConstraints:\n- c\n\n- d\n## Steps\n1. [act] a\n",
            id="late constraints with bullets of their own",
        ),
        pytest.param(f"```\n{HEAD}1. [act] a\n```\n", f"{HEAD}1. [act] a\n", id="a fence"),
        pytest.param("Goal: g\n1. [act] a\n## Steps\n2. [act] b\n", "Goal: g\n1. [act] a\n2. [act] b\n", id="header"),
        pytest.param("## Goal\n\nShip it\n1. [act] a\n", "Goal: Ship it\n1. [act] a\n", id="a goal in the next line"),
        pytest.param("**Goal**:\nShip it\n1. [act] a\n", "Goal: Ship it\n1. [act] a\n", id="a goal without text"),
        pytest.param("Goal: g\nGoal: g\n1. [act] a\n", "Goal: g\n1. [act] a\n", id="the same goal twice"),
        pytest.param(
            "Goal: g\nConstraints:\n- a\nConstraints:\n- b\n1. [act] a\n",
            "Goal: g\nConstraints:\n- a\n- b\n1. [act] a\n",
            id="two lists of constraints",
        ),
        pytest.param(f"{HEAD}1. [LLM] a\n", f"{HEAD}1. [reason] a\n", id="a word for a type"),
        pytest.param(f"{HEAD}1. [done] [act] a\n", f"{HEAD}1. [x] [act] a\n", id="a word for a mark"),
        pytest.param(
            f"{HEAD}1. [act] a → b\n2. [act] c\n- Inputs: `b`\n<- b\n",
            f"{HEAD}1. [act] a → b\n2. [act] c\n> ← b\n> ← b\n",
            id="inputs with a bullet, and inputs without the sign of a detail line",
        ),
        pytest.param(f"{HEAD}1. [act] a\nOutputs: b\n", f"{HEAD}1. [act] a → b\n", id="outputs for no step"),
        pytest.param("Goal: g\n## Steps # all\n1. [act] a\n", f"{HEAD}1. [act] a\n", id="a comment behind a header"),
        pytest.param(f"{HEAD}\u3000\u30001) [Act] a\n", f"{HEAD}1. [act] a\n", id="wide blanks in front"),
        pytest.param(
            f"{HEAD}1. [act] a → b\n2. [act] c\n  Inputs: b\n",
            f"{HEAD}1. [act] a → b\n2. [act] c\n  > ← b\n",
            id="inputs in words",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\n- ← b\n* ← `c`\n", f"{HEAD}1. [act] a\n> ← b\n> ← c\n", id="arrows behind bullets"
        ),
        pytest.param(
            f"{HEAD}1. [x] [act] a | r\n  Outputs: b\n2. [act] c\n> ← b\n",
            f"{HEAD}1. [x] [act] a → b | r\n2. [act] c\n> ← b\n",
            id="outputs in words",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\n  > d\n  Status: done\n2. [act] b\n- **Status**: in progress\n",
            f"{HEAD}1. [x] [act] a\n  > d\n2. [>] [act] b\n",
            id="a status in words",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\nStatus: pending\n2. [x] [act] b\nStatus: done\n",
            f"{HEAD}1. [act] a\n2. [x] [act] b\n",
            id="a status that the step has anyhow",
        ),
        pytest.param(
            f"{HEAD}1) [act] a\nStatus: done\n2. [Act] b\n> d\nStatus: blocked.\n",
            f"{HEAD}1. [x] [act] a\n2. [!] [act] b\n> d\n",
            id="a status of a step that is fixed as well",
        ),
    ],
)
def test_a_safe_fix(text: str, after: str) -> None:
    assert fixed(text) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param(f"Hello:\n{HEAD}1. [act] a\n\nBye\n", f"{HEAD}1. [act] a\n\n", id="prose"),
        pytest.param(f"{HEAD}1. [act] a\nWait\n2. [act] b\n", f"{HEAD}1. [act] a\n> Wait\n2. [act] b\n", id="between"),
        pytest.param("# t\nShip it\n## Steps\n1. [act] a\n", "# t\nGoal: Ship it\n## Steps\n1. [act] a\n", id="goal"),
        pytest.param(
            f"{HEAD}1. [act] a\n1. [subtask] b\n1.1. [act] c\n2. [act] d\n",
            f"{HEAD}1. [act] a\n1. [subtask] b\n1.1. [act] c\n2. [act] d\n",
            id="an id without room",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\n1. [subtask] b\n1.1. [act] c\n",
            f"{HEAD}1. [act] a\n2. [subtask] b\n2.1. [act] c\n",
            id="an id, and those below it",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\n1. [act] b\n1. [act] c\n", f"{HEAD}1. [act] a\n2. [act] b\n3. [act] c\n", id="ids"
        ),
        pytest.param(f"```\n{HEAD}1. [act] a\n", f"{HEAD}1. [act] a\n", id="a fence that is never closed"),
        pytest.param(f"```python\n{HEAD}1. [act] a\n```\n", f"{HEAD}1. [act] a\n", id="a fence of another language"),
        pytest.param(f"{HEAD}1. [act] a\n\n- b\n", f"{HEAD}1. [act] a\n\n> b\n", id="a bullet that is set off"),
        pytest.param(f"{HEAD}1. [act] a\n- b\n* c\n  • d\n", f"{HEAD}1. [act] a\n> b\n> c\n  > d\n", id="bullets"),
        pytest.param(
            f"{HEAD}1. [act] a\n- Option A: b\n", f"{HEAD}1. [act] a\n> Option A: b\n", id="one of several ways"
        ),
        pytest.param(
            f"Goal: g\n- a\n{HEAD[8:]}1. [act] b\n", f"Goal: g\nConstraints:\n- a\n{HEAD[8:]}1. [act] b\n", id="-"
        ),
        pytest.param(
            "Goal: g\nConstraints:\n- a\n> b\n1. [act] c\n", "Goal: g\n> b\nConstraints:\n- a\n1. [act] c\n", id=">"
        ),
        pytest.param(f"<think>no</think>\n{HEAD}1. [act] a\n", f"{HEAD}1. [act] a\n", id="reasoning"),
        pytest.param(f"{HEAD}1. [reson] a\n", f"{HEAD}1. [reason] a\n", id="a type that is almost one"),
        pytest.param(f"{HEAD}1. [act] a -> b_c\n", f"{HEAD}1. [act] a → b_c\n", id="an arrow"),
        pytest.param(
            f"{HEAD}1. [act] a\nStatus: who knows\n2. [act] b\n",
            f"{HEAD}1. [act] a\n> Status: who knows\n2. [act] b\n",
            id="a status that nobody knows",
        ),
    ],
)
def test_an_unsafe_fix(text: str, after: str) -> None:
    assert fixed(text) == text
    assert fixed(text, unsafe=True) == after


@pytest.mark.parametrize(
    "line",
    [
        r"1. [act] go | ok \| progress 3/5",
        r"1. [act] go | progress 3/5 \| ok",
        r"1. [act] go | a \| progress 3/5 | b",
        r"1. [act] go \|Progress: 3/5",
        r"1. [act] go \｜Progress: 3/5",
        "1. [act] Run `ls|progress 3/4`",
        "1. [act] Run `ls | progress 3/4`",
        "1. [act] Run `grep x|Progress: 3`",
        "1. [act] Compare x|progress=3",
        "1. [act] Replace `x -> y_1`",
        'Write "x -> y_1"',
    ],
)
def test_what_is_text_or_has_another_place_is_not_changed_safely(line: str) -> None:
    text = f"Goal: Work\n## Steps\n{line}\n"
    assert fix_text(text).text == text


def test_the_first_of_two_statuses_counts_and_the_other_is_left_to_people() -> None:
    text = f"{HEAD}1. [act] a\nStatus: done\nStatus: blocked\n2. [act] b\n"
    assert fixed(text) == f"{HEAD}1. [x] [act] a\nStatus: blocked\n2. [act] b\n"
    assert fixed(text, unsafe=True) == fixed(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{HEAD}<<<<<<< ours\n1. [act] a\n=======\n1. [act] b\n>>>>>>> theirs\n", id="a conflict"),
        pytest.param(f"{HEAD}1. [act] a\n...\n", id="an elision"),
        pytest.param(f"{HEAD}1. [>] [act] a\nStatus: done\n2. [act] b\n", id="another status than the mark"),
        pytest.param(f"{HEAD}1. [?] [act] a\n", id="an unknown mark"),
        pytest.param(f"{HEAD}1. [act] a | Progress: half\n", id="an unknown progress"),
        pytest.param(f"{HEAD}1. a\n", id="a step without a type"),
        pytest.param(f"{HEAD}1. [act] a\n- 1.1. b\n", id="one in a list"),
        pytest.param(f"{HEAD}1. [act] a → b\nOutputs: c\n2. [act] d\n", id="outputs that the step has already"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_has_no_fix(text: str) -> None:
    assert fixed(text, unsafe=True) == text


PROSE = "We met on Monday.\nAnna was late.\n"


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        pytest.param(
            f"# Notes\n\n{PROSE}Bob did.\nEve, too.\nNobody else.\n## Steps\n1) [act] a\n## Open\n- the cake\nBye\n",
            "6 of its 11 lines are not part of a plan",
            id="notes with a step",
        ),
        pytest.param(
            "# Release\n1. [ ] Tag it\n2. [x] Sign it\n\nNotes:\n- Ask Bob\n",
            "no step of a plan can be read in it",
            id="a list of tasks",
        ),
        pytest.param("#!/bin/sh\n# Goal: none\nset -e\nmake\n", "no step of a plan can be read in it", id="a program"),
        pytest.param(
            f"# How\n{PROSE}```\n{HEAD}1) [act] a\n```\nOr\n```\n1) [act] b\n```\n",
            "7 of its 12 lines are not part of a plan",
            id="a page with plans",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\n<think>\n2. [act] b\n\n3. [act] c\n4. [act] d\n",
            "4 of its 7 lines are not part of a plan",
            id="reasoning that is not closed",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\n</think>\n2. [act] b\n",
            "4 of its 5 lines are not part of a plan",
            id="reasoning that is not opened",
        ),
        pytest.param("id,name\n1,Anna\n2,Bob\n", "3 of its 3 lines are not part of a plan", id="a table"),
    ],
)
@pytest.mark.parametrize("unsafe", [False, True])
def test_a_text_that_is_no_plan_stays(text: str, refused: str, unsafe: bool) -> None:
    result = fix_text(text, unsafe=unsafe)
    assert result == FixResult(text, [], [], check_text(text), refused)


def test_a_move_does_not_give_a_line_to_another_step() -> None:
    """Without the title between, the last line would be one of the goal's."""
    text = "Goal: g\n# t\n> whose?\n1. [act] a\n"
    assert fixed(text) == text


def test_as_many_lines_as_there_are_move_to_one_place_in_their_order() -> None:
    lines = "".join(f"> {number}\n" for number in range(40))
    assert fixed(f"{lines}{HEAD}1. [act] a\n", unsafe=True) == f"Goal: g\n{lines}{HEAD[8:]}1. [act] a\n"
    parts = "Constraints:\n- b\nGoal: g\n> d\n# t\n"
    assert fixed(f"1. [act] a\n{parts}") == "# t\nGoal: g\n> d\nConstraints:\n- b\n1. [act] a\n"


@pytest.mark.parametrize("between", ["---", "<!-- c -->"])
@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param(
            "## Steps\n1. [act] a\nGoal: g\n{}\n> d\n2. [act] b\n",
            "Goal: g\n> d\n## Steps\n1. [act] a\n2. [act] b\n",
            id="a late goal",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\nConstraints:\n- b\n{{}}\n- c\n",
            f"Goal: g\nConstraints:\n- b\n- c\n{HEAD[8:]}1. [act] a\n",
            id="late constraints",
        ),
        pytest.param(
            f"{HEAD}1. [act] a\nConstraints:\n- b\n{{}}\n* c\n",
            f"Goal: g\nConstraints:\n- b\n- c\n{HEAD[8:]}1. [act] a\n",
            id="late constraints with another bullet",
        ),
        pytest.param("Goal: g\n# t\n{}\n> d\n1. [act] a\n", "Goal: g\n# t\n> d\n1. [act] a\n", id="a late title"),
        pytest.param(
            "Goal: g\nGoal: g\n{}\n> d\n1. [act] a\n", "Goal: g\nGoal: g\n> d\n1. [act] a\n", id="a second goal"
        ),
    ],
)
def test_a_line_that_says_nothing_does_not_part_a_line_from_what_it_belongs_to(
    text: str, after: str, between: str
) -> None:
    assert fixed(text.format(between)) == after


@pytest.mark.parametrize("between", ["**", "prose"])
def test_a_list_with_something_else_in_it_is_not_moved_in_part(between: str) -> None:
    text = f"{HEAD}1. [act] a\nConstraints:\n- b\n{between}\n- c\n"
    assert fixed(text) == text


def test_a_fix_that_makes_a_text_worse_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(text: str, **more: Any) -> list[Diagnostic]:
        found = check_text(text, **more)
        bad = [evolve(one.fix, text="what\nis\nthis") for one in found if one.fix]
        return [evolve(one, fix=bad.pop() if one.code == "PS111" else one.fix) if one.fix else one for one in found]

    monkeypatch.setattr(fixer, "check_text", check)
    text = f"{HEAD}1) [act] a\n2. [X] [act] b\n"
    assert fix_text(text).text == text.replace("1)", "1.")


def test_a_fix_is_data() -> None:
    text = "## Steps\n1. [act] a\nGoal: g\n"
    (found,) = [one for one in check_text(text) if one.code == "PS106"]
    assert found.fix is not None
    assert (found.fix.is_safe, found.fix.title) == (True, "move the goal up, before line 1")
    assert [(edit.span.start, edit.span.end, edit.text) for edit in found.fix.edits] == [
        (0, 0, "Goal: g\n"),
        (20, 28, ""),
    ]
    assert render(found).endswith("\n  fix: move the goal up, before line 1")


def test_what_was_fixed_and_what_is_left() -> None:
    result = fix_text("Goal: g\n## Steps\n1) [act] a → b\n2. c\n", name="a.md")
    assert [(one.code, one.line) for one in result.fixed] == [("PS110", 3)]
    assert [(one.code, one.line) for one in result.left if one.severity is Severity.ERROR] == [("PS112", 4)]
    assert {one.source and one.source.name for one in (*result.fixed, *result.left)} == {"a.md"}


def test_a_text_that_is_too_long_stays() -> None:
    result = fix_text("1) [act] a\n", limits=Limits(max_bytes=4))
    assert (result.text, [one.code for one in result.left]) == ("1) [act] a\n", ["PS121"])
