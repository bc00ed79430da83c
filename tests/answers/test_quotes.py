"""Plans with a sign in front of each line or signs that are escaped, and plans that are none but in JSON."""

from __future__ import annotations

import pytest

from planspec_lark import extract_plan
from planspec_lark.answers import Risk, Verdict

PLAN = "# Plan: Trip\nGoal: go\n## Steps\n1. [act] Go → a\n  > ← b\n  > by bus\n2. [act] Pack\n"
QUOTE = "".join(f"> {row}\n" for row in PLAN.splitlines())


@pytest.mark.parametrize("quote", [QUOTE, QUOTE.replace("> ## Steps", ">\n> ## Steps"), QUOTE.replace("\n", "\r\n")])
def test_a_plan_in_a_quote_is_read_without_its_signs(quote: str) -> None:
    found = extract_plan(f"Here is the plan:\n\n{quote}\nGood luck!\n")
    assert (found.verdict, found.text) == (Verdict.ACCEPTED, PLAN)
    assert [(entry.code, entry.risk, entry.line) for entry in found.repairs] == [("PS107", Risk.LOW, 3)]


def test_what_is_said_of_the_quote_counts() -> None:
    assert extract_plan(f"On Monday Ann wrote:\n\n{QUOTE}").verdict is Verdict.NEEDS_REVIEW
    assert extract_plan(f"{QUOTE}\nPlease don't do this.\n").verdict is Verdict.NEEDS_REVIEW
    assert extract_plan(QUOTE, max_risk="none").verdict is Verdict.NEEDS_REVIEW


def test_two_quotes_are_none() -> None:
    assert extract_plan(f"{QUOTE}\nor\n\n{QUOTE.replace('Pack', 'Stay')}").verdict is Verdict.REFUSED


def test_a_plan_beside_a_quote_is_the_plan() -> None:
    found = extract_plan(f"> 1. [act] Stay\n\n{PLAN}")
    assert [step.description for step in found.plan.steps] == ["Go", "Pack"]


def test_a_quote_in_a_quote_is_no_plan() -> None:
    assert extract_plan("".join(f"> {row}\n" for row in QUOTE.splitlines())).verdict is Verdict.REFUSED


ESCAPED = {
    "Markdown": "\\# Plan: Trip\nGoal: go\n\\## Steps\n1\\. \\[act\\] Go → a\\_b\n   \\> ← b\\*c\n",
    "types": "# Plan: Trip\nGoal: go\n## Steps\n1. \\[act] Go → a_b\n   > ← b*c\n",
    "HTML": "# Plan: Trip\nGoal: go\n## Steps\n1. [act] Go -&gt; a_b\n   &gt; ← b*c\n",
}


@pytest.mark.parametrize("text", ESCAPED.values(), ids=ESCAPED)
def test_a_plan_whose_signs_are_escaped_is_read_without_that(text: str) -> None:
    found = extract_plan(f"Here is the plan:\n\n{text}")
    assert found.verdict is Verdict.ACCEPTED
    assert found.text == "# Plan: Trip\nGoal: go\n## Steps\n1. [act] Go → a_b\n  > ← b*c\n"
    assert (found.repairs[0].code, found.repairs[0].risk) == ("PS101", Risk.LOW)
    assert extract_plan(text, max_risk="none").verdict is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1\\. [act] Go", "1. [act] Go"),
        ("1.1\\. [act] Go", "1.1. [act] Go"),
        ("1 \\[act] Go", "1. [act] Go"),
        ("1. [ ] \\[act] Go", "1. [act] Go"),
        ("1. \\[x\\] \\[act\\] Go", "1. [x] [act] Go"),
        ("1. [act] Go\n  \\> soon", "1. [act] Go\n  > soon"),
        ("1. [act] Go\n&gt; soon", "1. [act] Go\n  > soon"),
        ("1. [act] Go\n  &gt; soon", "1. [act] Go\n  > soon"),
        ("1. [act] Go -&gt; a", "1. [act] Go → a"),
        ("1. [act] Go =&gt; a, b", "1. [act] Go → a, b"),
    ],
)
def test_one_escaped_sign_of_a_plan_is_enough(written: str, meant: str) -> None:
    found = extract_plan(f"Goal: go\n## Steps\n{written}\n")
    assert found.text == f"Goal: go\n## Steps\n{meant}\n"
    assert found.repairs[0].message.startswith("signs in this text are escaped")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1\\. [act] \\*a\\* \\_b\\_ \\[c\\] \\(d\\) \\`e\\` \\~f\\+\\-\\#", "1. [act] *a* _b_ [c] (d) `e` ~f+-#"),
        ("1. [act] &lt;a&gt; &amp; &quot;b&quot; &#39;c&#39; =&gt; d", "1. [act] <a> & \"b\" 'c' → d"),
    ],
)
def test_with_the_signs_of_a_plan_all_others_lose_their_escapes(written: str, meant: str) -> None:
    assert extract_plan(f"Goal: go\n## Steps\n{written}\n").text == f"Goal: go\n## Steps\n{meant}\n"


def test_an_escape_in_a_text_stays() -> None:
    plan = "Goal: go\n## Steps\n1. [act] Match \\[act\\] and 1\\. and \\# and a &amp; b &gt; c\n"
    assert extract_plan(f"Here is the plan:\n\n{plan}").text == plan


def test_what_is_escaped_twice_is_left_as_it_is() -> None:
    assert extract_plan("Goal: go\n## Steps\n1\\\\. \\\\[act\\\\] Go\n").verdict is not Verdict.ACCEPTED
    assert extract_plan("Goal: go\n## Steps\n1\\. [act] Go\n2\\\\. [act] Stay\n").verdict is not Verdict.ACCEPTED
    plan = "Goal: go\n## Steps\n1. [act] Go -&gt; a\n2. [act] Stay -&amp;gt; b\n"
    assert extract_plan(plan).text == plan
    # Some signs are escaped once, and some twice.
    assert extract_plan("\\\\# Plan: Trip\nGoal: go\n1\\. [act] Go\n").verdict is not Verdict.ACCEPTED
    assert extract_plan("Goal: go\n## Steps\n" + "\\" * 90_000 + "# Go\n").verdict is not Verdict.ACCEPTED


def test_it_is_said_that_json_is_no_plan() -> None:
    (fault,) = extract_plan('{"goal": "go", "steps": [{"id": 1, "type": "act"}]}').faults
    assert "1. [act] Text" in (fault.help or "")
    (fault,) = extract_plan("Sorry, I have no plan.").faults
    assert not fault.help
