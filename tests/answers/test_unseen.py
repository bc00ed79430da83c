"""Answers that were written before the reader saw them, each with what its reader sees in it: a plan, or a question.

``fixtures/unseen/answers.jsonl`` has one a line: its text, the verdict (`accepted` or `held`), the plan, what the
caller knows, and why. Those of ``natural.jsonl`` were written as answers to requests, with no reader in mind, and got
their plans and verdicts afterwards: much more of what is said around a plan gives advice there. The reader has been
changed for many of them since.
"""

from __future__ import annotations

import json
from functools import cache

import pytest

from planspec_lark import extract_plan, parse_plan
from planspec_lark.answers import Verdict
from tests.corpus import FIXTURES, ROOT, read

# Answers that are accepted though they should not be, and why. One that has become right has to leave this table.
WEAKNESSES = {
    "answers": {
        260: "the text is strictly a plan, and only its title says that another one has replaced it",
        305: "a heading names the place, and only who reads it knows that it is another one",
        312: "a code block behind the plan has a name in it that is a placeholder",
        819: "the plan has no goal, which `planspec check` finds",
        874: "a step in bold has ended with its line, so that what is below it is detail",
        889: "plain Markdown has no goal, and only who reads the sentence in front may see one in it",
        324: "the text ends in the middle of a word, and nothing else shows it",
        896: "the text ends in the middle of a word, and nothing else shows it",
    },
    "natural": {
        21: "a step is marked as done, and only its detail says that it may not be",
        269: "the text of a step takes itself back",
    },
}
# Of the answers that are plans, the part that is read right at least.
RIGHT = {"answers": 0.85, "natural": 0.44}


@cache
def outcomes(name: str) -> dict[int, tuple[str, str]]:
    """By number, the verdict that is expected of an answer, and whether it is `right`, `held` or `wrong`."""
    found = {}
    for row in read(FIXTURES / "unseen" / f"{name}.jsonl").splitlines():
        case = json.loads(row)
        reading = extract_plan(case["text"], **case["options"])
        is_accepted = reading.verdict is Verdict.ACCEPTED
        plan = parse_plan(case["plan"]) if case["plan"] else None
        outcome = "held" if not is_accepted else "right" if reading.plan == plan else "wrong"
        found[case["number"]] = case["verdict"], outcome
    return found


@pytest.mark.parametrize(("name", "least"), [("answers", 170), ("natural", 90)])
def test_there_are_answers_of_both_kinds(name: str, least: int) -> None:
    verdicts = [verdict for verdict, _ in outcomes(name).values()]
    assert min(verdicts.count("accepted"), verdicts.count("held")) > least


@pytest.mark.parametrize("name", WEAKNESSES)
def test_none_is_accepted_wrongly_but_those_that_are_known(name: str) -> None:
    assert {number for number, (_, outcome) in outcomes(name).items() if outcome == "wrong"} == set(WEAKNESSES[name])


@pytest.mark.parametrize("name", RIGHT)
def test_the_page_has_the_sums(name: str) -> None:
    plans, questions = (
        [one for kind, one in outcomes(name).values() if kind == verdict] for verdict in ("accepted", "held")
    )
    right, held = plans.count("right"), questions.count("held")
    said = (
        f"{right} of {len(plans)} that are plans are read right, "
        f"and {held} of {len(questions)} that need a question are held back"
    )
    assert said in " ".join(read(ROOT / "docs" / "reference/answers.md").split())
    assert right >= RIGHT[name] * len(plans)
