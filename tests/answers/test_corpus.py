"""Answers with what the rules say of each, as scores: a corpus may get better, and never worse.

``fixtures/answers`` has NAME.answer.md; NAME.json with its style, whether its model had been told the format, the
verdict, what the caller knows, and why; NAME.plan.md where a plan is read. ``fixtures/unseen`` has files with an answer
a line: those of ``answers.jsonl`` were written before the reader saw them, those of ``natural.jsonl`` with no reader in
mind. ``fixtures/markdown`` has plain Markdown with its plans, which is no PlanSpec.

``python -m tests.answers.test_corpus`` prints the scores, and the name of each answer that is not right.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from attrs import frozen

from planspec_lark import Extraction, PlanSpec, PlanStep, extract_plan, iter_steps, parse_plan
from planspec_lark.answers import Verdict
from tests.answers.styles import make_answer
from tests.corpus import FIXTURES, each, find, read

CORPORA = ("answers", "unseen/answers", "unseen/natural")
# Of the answers that no rule holds: how many are read right at least, how many are held all the same at most, and in
# how many a line is detail that could have been joined. Of those that a rule holds: how many are accepted at most.
SCORES = {
    "answers": {"right": 161, "held": 0, "joined": 0, "wrong": 0, "trap": 0},
    "unseen/answers": {"right": 369, "held": 0, "joined": 0, "wrong": 0, "trap": 0},
    "unseen/natural": {"right": 109, "held": 0, "joined": 0, "wrong": 0, "trap": 0},
}
answers = each("answers", ".answer.md")


@frozen
class Case:
    """An answer, and what the rules say of it."""

    name: str
    text: str
    verdict: str
    plan: PlanSpec | None
    options: dict[str, Any]


@cache
def cases(corpus: str) -> list[Case]:
    return [*_from_files()] if corpus == "answers" else [*_from_rows(corpus)]


def _from_files() -> Iterator[Case]:
    for path in find("answers", ".answer.md"):
        name = path.name.removesuffix(".answer.md")
        about = json.loads(read(path.with_name(f"{name}.json")))
        seen = path.with_name(f"{name}.plan.md")
        plan = parse_plan(read(seen)) if seen.exists() else None
        yield Case(name, read(path), about["verdict"], plan, about["options"])


def _from_rows(corpus: str) -> Iterator[Case]:
    for row in map(json.loads, read(FIXTURES / f"{corpus}.jsonl").splitlines()):
        plan = parse_plan(row["plan"]) if row["plan"] else None
        yield Case(str(row["number"]), row["text"], row["verdict"], plan, row["options"])


def _joined(plan: PlanSpec) -> list[object]:
    """What a plan says, whether a line is detail or the end of the one above."""
    return [plan.title, plan.goal, plan.goal_detail, plan.constraints, [*map(_of_step, iter_steps(plan))]]


def _of_step(step: PlanStep) -> list[object]:
    text = "".join("".join([step.description, *step.detail]).split())
    counts = step.result, step.done_count, step.total_count
    return [step.step_id, step.status, step.step_name, step.step_type, step.inputs, step.outputs, counts, text]


def judge(case: Case, found: Extraction) -> str:
    """What came of an answer."""
    is_accepted = found.verdict is Verdict.ACCEPTED
    if case.verdict != "accepted":
        return "trap" if is_accepted else "held by a rule"
    if not is_accepted:
        return "held"
    assert case.plan is not None
    if found.plan == case.plan:
        return "right"
    return "joined" if _joined(found.plan) == _joined(case.plan) else "wrong"


@cache
def outcomes(corpus: str) -> dict[str, str]:
    return {case.name: judge(case, extract_plan(case.text, **case.options)) for case in cases(corpus)}


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_score_never_gets_worse(corpus: str) -> None:
    counts, least = Counter(outcomes(corpus).values()), SCORES[corpus]
    bad = {
        name: outcome for name, outcome in outcomes(corpus).items() if outcome in ("held", "joined", "wrong", "trap")
    }
    assert counts["right"] >= least["right"], bad
    assert all(counts[kind] <= least[kind] for kind in ("held", "joined", "wrong", "trap")), bad
    plans = sum(1 for case in cases(corpus) if case.verdict == "accepted")
    assert counts["right"] >= 0.85 * plans


@pytest.mark.parametrize("corpus", CORPORA)
def test_cases_are_complete(corpus: str) -> None:
    for case in cases(corpus):
        assert case.verdict in ("accepted", "held", "needs_review", "refused")
        assert (case.plan is not None) or case.verdict != "accepted", case.name
    kinds = Counter(case.verdict == "accepted" for case in cases(corpus))
    assert min(kinds[True], kinds[False]) >= 30


def test_what_a_rule_holds_has_its_verdict_and_the_plan_that_is_read() -> None:
    for case in cases("answers"):
        found = extract_plan(case.text, **case.options)
        if case.verdict != "accepted":
            assert found.verdict.value == case.verdict, case.name
            assert case.plan in (None, found.plan), case.name


def test_the_folder_holds_nothing_else() -> None:
    names = {case.name for case in cases("answers")}
    assert {path.stem for path in find("answers", ".json")} == names
    endings = (".answer.md", ".plan.md", ".json")
    assert [path.name for path in (FIXTURES / "answers").iterdir() if not path.name.endswith(endings)] == []


def test_plain_markdown_is_another_format() -> None:
    hints = []
    for row in map(json.loads, read(FIXTURES / "markdown" / "answers.jsonl").splitlines()):
        found = extract_plan(row["text"])
        assert found.verdict is Verdict.REFUSED, row["name"]
        assert parse_plan(row["plan"]).steps
        hints.append("planspec import" in found.holds[0].help)
    assert all(hints)
    assert len(hints) > 200


# ---------------------------------------------------------------- generated answers


@pytest.mark.parametrize("is_fenced", [True, False], ids=["fenced", "plain"])
def test_forms_of_the_dialect_are_read_right_in_any_mixture(is_fenced: bool) -> None:
    counts: Counter[str] = Counter()
    for number in range(200):
        text, plan = make_answer(Random(number), is_fenced=is_fenced)
        counts[judge(Case(str(number), text, "accepted", plan, {}), extract_plan(text))] += 1
    assert counts["wrong"] == 0
    assert counts["right"] >= 0.9 * counts.total()


if __name__ == "__main__":
    for corpus in CORPORA:
        print(corpus, dict(Counter(outcomes(corpus).values())))
        print(
            *(
                f"  {kind}: {name}"
                for name, kind in outcomes(corpus).items()
                if kind not in ("right", "held by a rule")
            ),
            sep="\n",
        )
