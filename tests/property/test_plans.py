"""Plans and their texts: what is printed reads back, what is canonical stays, and white space never matters."""

from __future__ import annotations

import copy
import re

import pytest
from hypothesis import assume, given, strategies as st

from planspec_lark import PlanSpec, parse_plan, serialize_plan
from planspec_lark.planspec import parse_tree
from tests import strategies
from tests.property import documents, promises, streams


@given(strategies.plans)
def test_every_plan_reads_back(plan: PlanSpec) -> None:
    promises.reads_back(plan)


@given(strategies.plans)
def test_canonical_text_stays_as_it_is(plan: PlanSpec) -> None:
    promises.is_canonical(serialize_plan(plan))


@given(strategies.plans)
def test_canonical_text_is_lines_without_blank_ones(plan: PlanSpec) -> None:
    text = serialize_plan(plan)
    assert text.endswith("\n") or text == ""
    assert all(row.strip(" \t") for row in text.split("\n")[:-1])


@given(strategies.plans, st.data())
def test_line_ends_may_be_mixed(plan: PlanSpec, data: st.DataObject) -> None:
    rows = serialize_plan(plan).split("\n")[:-1]
    ends = [data.draw(st.sampled_from(["\n", "\r\n"])) for _ in rows]
    text = "".join(row + end for row, end in zip(rows, ends, strict=True))
    assert parse_plan(text) == plan
    assert parse_plan(re.sub(r"\r?\n\Z", "", text)) == plan


@given(strategies.plans, st.data())
def test_indentation_and_blank_lines_mean_nothing(plan: PlanSpec, data: st.DataObject) -> None:
    blanks = st.sampled_from(["", " ", "\t", "\n", "\r\n", " \t\r\n \n   "])
    rows = serialize_plan(plan).split("\n")
    text = "\n".join(data.draw(blanks) + row.lstrip(" \t") for row in rows)
    assert parse_plan(text) == plan


@given(strategies.plans)
def test_steps_need_no_header(plan: PlanSpec) -> None:
    rows = serialize_plan(plan).split("\n")
    if plan.steps:
        rows.remove("## Steps")
    text = "\n".join(rows)
    promises.readers_agree(text)
    assert parse_plan(text) == plan
    documents.is_lossless(text)
    streams.ends_as_extracted(text, [text])


@given(strategies.grammar_plans())
def test_what_the_grammar_derives_is_accepted(text: str) -> None:
    tree = parse_tree(text)
    ids = [str(token) for token in tree.scan_values(lambda token: getattr(token, "type", "") == "STEP_ID")]
    promises.tree_is_the_text(text)
    promises.readers_agree(text)
    assert (promises.accepted(text) is not None) == (len(set(ids)) == len(ids))
    promises.prints_alike(text)


@given(strategies.plans, st.data())
def test_a_plan_with_an_id_twice_is_not_printed(plan: PlanSpec, data: st.DataObject) -> None:
    assume(plan.steps)
    plan.steps.append(copy.deepcopy(data.draw(st.sampled_from(plan.steps))))
    with pytest.raises(ValueError, match="step_id"):
        serialize_plan(plan)
