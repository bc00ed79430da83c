"""Documents that are changed: the text reads as the plan, and all else stays as it was."""

from __future__ import annotations

from hypothesis import given, strategies as st

from planspec_lark import PlanCommand, PlanDocument, PlanSpec, serialize_plan, step_order
from planspec_lark.document.pieces import cut_accepted
from tests import strategies
from tests.property import documents

accepted = st.one_of(
    strategies.loose_plans(),
    strategies.loose_plans(),
    strategies.loose_plans(strategies.plans),
    strategies.any_plan_text.filter(strategies.is_accepted),
)
_small_ids = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(lambda numbers: ".".join(map(str, numbers)))


@given(st.one_of(accepted, strategies.grammar_plans().filter(strategies.is_accepted)))
def test_any_text_is_kept(text: str) -> None:
    documents.is_lossless(text)
    assert "".join(piece.text for piece in cut_accepted(text)) == text


@given(accepted, st.one_of(strategies.workable_commands, strategies.wild_commands))
def test_a_command_changes_only_the_lines_that_it_must(text: str, command: PlanCommand) -> None:
    documents.keeps_the_rest(text, command)


@given(strategies.grammar_plans().filter(strategies.is_accepted), strategies.workable_commands)
def test_the_same_for_texts_from_the_grammar(text: str, command: PlanCommand) -> None:
    documents.keeps_the_rest(text, command)


@given(accepted, st.lists(strategies.workable_commands, max_size=6), st.booleans())
def test_many_commands(text: str, commands: list[PlanCommand], atomic: bool) -> None:
    documents.goes_on(text, commands, atomic=atomic)


@given(strategies.workable_plans, st.lists(strategies.workable_commands, max_size=4))
def test_what_is_canonical_stays_so_but_for_orphans_and_empty_parts(
    plan: PlanSpec, commands: list[PlanCommand]
) -> None:
    document = PlanDocument.from_text(serialize_plan(plan))
    document.apply(commands)
    text, printed = document.text, serialize_plan(document.plan)
    if _has_orphans(plan):
        # Those that are taken in stay where they are, and as they are indented.
        text, printed = ("\n".join(sorted(row.strip(" ") for row in one.split("\n"))) for one in (text, printed))
    assert text == (printed if document.plan.steps or not plan.steps else f"{printed}## Steps\n")


def _has_orphans(plan: PlanSpec) -> bool:
    ids = set(step_order(plan))
    return any(head and head not in ids for head in (step_id.rpartition(".")[0] for step_id in ids))


_changes = st.one_of(
    st.builds(
        lambda i, s, r: lambda d: d.set_status(i, s, r), _small_ids, strategies.statuses, st.none() | strategies.trimmed
    ),
    st.builds(lambda i, to: lambda d: d.move(i, to), _small_ids, _small_ids),
    st.builds(lambda i, to: lambda d: d.move(i, to), _small_ids, _small_ids),
    st.builds(lambda i, renumber: lambda d: d.remove(i, renumber=renumber), _small_ids, st.booleans()),
    st.builds(lambda i, name: lambda d: d.rename(i, name), _small_ids, strategies.names),
    st.builds(
        lambda i, kind, text, name, inputs, outputs, detail: (
            lambda d: d.add(i, kind, text, name=name, inputs=inputs, outputs=outputs, detail=detail)
        ),
        _small_ids,
        strategies.known_types,
        strategies.trimmed,
        strategies.names,
        st.lists(strategies.variables, max_size=2),
        st.lists(strategies.variables, max_size=2),
        st.lists(strategies.lines, max_size=2),
    ),
)


@given(accepted, st.lists(_changes, max_size=6))
def test_methods_change_the_text_as_the_plan(text: str, changes: list[documents.Change]) -> None:
    documents.changes_or_refuses(text, changes)
