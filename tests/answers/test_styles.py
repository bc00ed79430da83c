"""The answers and the faults that readers are measured with: their truth holds, whatever a reader makes of them."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from functools import cache
from random import Random

import pytest

from planspec_lark import PlanSpec, PlanSyntaxError, iter_steps, parse_plan, serialize_plan, validate_plan
from tests.answers.looks import Look, write
from tests.answers.mutators import MUTATORS, Mutation, make_mutations
from tests.answers.plans import (
    draft_of,
    is_chinese,
    phases_of,
    random_plan,
    shallow,
    with_constraints,
    with_details,
    with_flow,
    with_nesting,
    with_title,
)
from tests.answers.styles import STYLES, Answer, make_answers

_COUNT = 24
_OPTIONS: dict[str, set[object]] = {"default_type": {"act"}, "finish_reason": {"length"}, "allow_truncated": {True}}

styles = pytest.mark.parametrize("style", STYLES)
mutators = pytest.mark.parametrize("name", MUTATORS)


@cache
def _answers(style: str) -> list[Answer]:
    return [*make_answers(style, _COUNT)]


def _strictly(text: str) -> PlanSpec | None:
    try:
        return parse_plan(text)
    except PlanSyntaxError:
        return None


# ---------------------------------------------------------------- plans


def test_plans_by_chance_are_valid_and_read_back() -> None:
    plans = [random_plan(Random(seed), is_full=seed % 3 == 0) for seed in range(300)]
    assert len({serialize_plan(plan) for plan in plans}) == len(plans)
    assert 100 < sum(map(is_chinese, plans)) < 200
    for seed, plan in enumerate(plans):
        made = [plan, draft_of(plan, Random(seed)), phases_of(plan, Random(seed)), shallow(plan, 2), with_flow(plan)]
        made += [with_constraints(plan), with_title(plan), with_nesting(plan, Random(1)), with_details(plan, Random(1))]
        for one in made:
            assert parse_plan(serialize_plan(one)) == one
            assert validate_plan(one) == []
        assert made[1] != plan


def test_a_full_plan_has_everything() -> None:
    for seed in range(100):
        text = serialize_plan(random_plan(Random(seed), is_full=True))
        for part in ("# Plan: ", "Goal: ", "\n> ", "Constraints:\n- ", "\n  1.1. ", "→ ", "> ← ", "[x] ", "Progress: "):
            assert part in text


def test_the_usual_look_is_the_canonical_one() -> None:
    for seed in range(100):
        plan = random_plan(Random(seed), is_full=seed % 2 == 0)
        assert write(plan, Look()) == serialize_plan(plan)


# ---------------------------------------------------------------- styles


@styles
def test_an_answer_follows_from_its_seed(style: str) -> None:
    assert _answers(style) == [*make_answers(style, _COUNT)]
    assert _answers(style) != [*make_answers(style, _COUNT, seed=1)]


@styles
def test_a_style_leaves_the_plan_as_it_is(style: str) -> None:
    for seed in range(_COUNT):
        plan = random_plan(Random(seed))
        before = copy.deepcopy(plan)
        STYLES[style](plan, Random(seed))
        assert plan == before


@styles
def test_the_plan_that_is_seen_can_be_written_down(style: str) -> None:
    for answer in _answers(style):
        if answer.plan is not None:
            assert parse_plan(serialize_plan(answer.plan)) == answer.plan


@styles
def test_an_answer_is_not_the_canonical_text(style: str) -> None:
    for answer in _answers(style):
        if answer.plan is not None and not answer.options:
            assert answer.text != serialize_plan(answer.plan)


@styles
def test_a_verdict_fits_its_plan_and_its_options(style: str) -> None:
    assert len({answer.verdict for answer in _answers(style)}) == 1
    for answer in _answers(style):
        assert answer.verdict in {"accepted", "needs_review", "refused"}
        assert answer.plan is not None or answer.verdict != "accepted"
        assert answer.plan is None or answer.verdict != "refused"
        assert answer.plan is None or answer.verdict != "accepted" or validate_plan(answer.plan) == []
        assert all(value in _OPTIONS[name] for name, value in answer.options.items())


@styles
def test_an_answer_that_is_strictly_a_plan_says_that_plan(style: str) -> None:
    for answer in _answers(style):
        strict = _strictly(answer.text)
        if strict is not None and "finish_reason" not in answer.options:
            assert answer.verdict == "accepted"
            assert strict == answer.plan


@styles
def test_all_texts_that_are_seen_stand_in_the_answer(style: str) -> None:
    """Letter by letter, whatever signs, blanks and line breaks stand between them."""
    for answer in _answers(style):
        if answer.plan is not None:
            text, plan = _letters(answer.text), answer.plan
            steps = [*iter_steps(plan)]
            lists = [
                *(step.detail for step in steps),
                *(step.inputs for step in steps),
                *(step.outputs for step in steps),
            ]
            said = [plan.title, plan.goal, *plan.goal_detail, *plan.constraints, *itertools.chain(*lists)]
            said += [part for step in steps for part in (step.description, step.step_name, step.result)]
            assert [part for part in said if _letters(part) not in text] == []


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@styles
def test_both_languages_occur_in_every_style(style: str) -> None:
    plans = [answer.plan for answer in _answers(style) if answer.plan is not None]
    assert not plans or 0 < sum(map(is_chinese, plans)) < len(plans)


def test_most_styles_are_to_be_accepted() -> None:
    verdicts = Counter(next(make_answers(style, 1)).verdict for style in STYLES)
    assert verdicts["accepted"] > 0.6 * len(STYLES)
    assert verdicts["needs_review"] > 0.1 * len(STYLES)
    assert verdicts["refused"] >= 2


# ---------------------------------------------------------------- mutators


@cache
def _mutations(name: str) -> list[tuple[str, Mutation]]:
    return [*make_mutations(name, 100)]


@mutators
def test_a_mutation_follows_from_its_seed(name: str) -> None:
    assert _mutations(name) == [*make_mutations(name, 100)]


@mutators
def test_a_mutator_changes_the_text(name: str) -> None:
    assert all(text != mutation.text for text, mutation in _mutations(name))


@mutators
def test_a_mutated_text_is_strictly_no_plan_or_another(name: str) -> None:
    assert all(_strictly(mutation.text) != parse_plan(text) for text, mutation in _mutations(name))


@mutators
def test_most_mutated_texts_still_say_what_was_meant(name: str) -> None:
    meant = [mutation.is_meant for _, mutation in _mutations(name)]
    assert sum(meant) >= 55


@pytest.mark.parametrize("name", ["arrow", "bullet", "progress", "status"])
def test_a_text_without_the_part_in_question_stays(name: str) -> None:
    text = "Goal: go\n## Steps\n1. [act] Ask\n2. [act] Go\n"
    assert all(MUTATORS[name](text, Random(seed)).text == text for seed in range(20))
