"""Commands: what is printed reads back, and applying one changes what it says or nothing."""

from __future__ import annotations

from hypothesis import given, strategies as st

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanDocument,
    PlanSpec,
    parse_plan,
    parse_plan_commands,
    scan_plan_commands,
    serialize_commands,
    serialize_plan,
)
from planspec_lark.plan_cmd.apply import perform, perform_all
from planspec_lark.plan_cmd.finder import Finder
from tests import strategies
from tests.property import promises


@given(strategies.commands)
def test_every_command_reads_back(command: PlanCommand) -> None:
    promises.command_reads_back(command)


@given(strategies.wild_commands)
def test_a_command_is_printed_faithfully_or_refused(command: PlanCommand) -> None:
    try:
        text = serialize_commands([command])
    except ValueError as error:
        message = str(error)
    else:
        assert parse_plan_commands(text) == [command]
        return
    assert message.startswith(("step_id", "step_type", "description", "result", "detail"))


@given(st.lists(strategies.commands, max_size=4), st.lists(strategies.lines, max_size=4))
def test_other_text_between_commands_means_nothing(commands: list[PlanCommand], prose: list[str]) -> None:
    # In prose, a tag of reasoning would mean something.
    quiet = [f"so: {line.replace('<', '')}" for line in prose]
    text = serialize_commands(commands).replace("PLAN_CMD: ", "\n".join(["", *quiet, "\t PLAN_CMD: "]))
    if all("PLAN_CMD: " not in serialize_commands([c])[10:] for c in commands):
        assert parse_plan_commands(text) == commands


@given(st.lists(strategies.commands, max_size=4))
def test_line_ends_of_commands_may_be_mixed(commands: list[PlanCommand]) -> None:
    text = serialize_commands(commands)
    assert parse_plan_commands(text.replace("\n", "\r\n")) == commands
    assert parse_plan_commands(text.removesuffix("\n")) == commands


@given(strategies.near_commands)
def test_every_prefixed_line_is_a_command_or_reported(text: str) -> None:
    scan = scan_plan_commands(text)
    found = [one.span for one in scan.diagnostics if one.span]
    named = {line for span in (*found, *scan.spans) for line in range(span.line, span.end_line + 1)}
    for number, line in enumerate(text.split("\n"), start=1):
        assert not line.lstrip(" \t").startswith("PLAN_CMD:") or number in named


@given(strategies.workable_plans, strategies.workable_commands)
def test_a_command_applies_or_changes_nothing(plan: PlanSpec, command: PlanCommand) -> None:
    promises.applies_or_refuses(plan, command)


@given(strategies.plans, strategies.wild_commands)
def test_any_command_on_any_plan_applies_or_changes_nothing(plan: PlanSpec, command: PlanCommand) -> None:
    promises.applies_or_refuses(plan, command)


@given(strategies.workable_plans, st.lists(strategies.workable_commands, max_size=4))
def test_commands_together_change_all_or_nothing(plan: PlanSpec, commands: list[PlanCommand]) -> None:
    promises.is_atomic(plan, commands)


@given(strategies.workable_plans, strategies.workable_commands)
def test_adding_gives_the_id_and_keeps_the_rest(plan: PlanSpec, command: PlanCommand) -> None:
    promises.adds_exactly(plan, PlanCommand("ADD", command.step_id.replace("ALL", "1"), "subtask", command.description))


@given(strategies.workable_plans, st.lists(strategies.workable_commands, max_size=4))
def test_printed_commands_do_the_same(plan: PlanSpec, commands: list[PlanCommand]) -> None:
    again = parse_plan_commands(serialize_commands(commands))
    assert [(c.op, c.step_id) for c in again] == [(c.op, c.step_id) for c in commands]
    promises.is_atomic(plan, again)
    serialize_plan(plan)


def _command(op: str, head: str, number: int, kind: str) -> PlanCommand:
    return PlanCommand(op, f"{head}{number}", *((kind, "a") if op == "ADD" else ()))


ADDED = st.builds(
    _command,
    st.sampled_from(["ADD", "ADD", "ADD", "ADD", "DONE", "REPLAN"]),
    st.sampled_from(["", "", "1.", "2."]),
    st.sampled_from([1, 1, 2, 3, 4, 5, 999_999_998, 999_999_999]),
    st.sampled_from(["subtask", "subtask", "act", "unknown"]),
)
# Some with gaps, some that are in for a missing parent.
IDS = st.lists(
    st.sampled_from(["1", "2", "3", "4", "6", "1.1", "1.2", "1.2.1", "2.1", "3.1", "5.1", "6.2", "999999999"]),
    unique=True,
)


@given(IDS, st.lists(ADDED, max_size=12))
def test_commands_together_do_what_they_do_one_by_one(ids: list[str], commands: list[PlanCommand]) -> None:
    text = "".join(f"{step_id}. [subtask] {step_id}\n" for step_id in ids)
    one, other = parse_plan(text), parse_plan(text)
    expected = []
    for command in commands:
        try:
            expected.append(perform(command, Finder(one)))
        except CommandError as error:
            expected.append(str(error))
    reports, _ = perform_all(Finder(other), commands, atomic=False)
    assert [report.message for report in reports] == expected
    assert other == one
    document, slow = PlanDocument.from_text(text), PlanDocument.from_text(text)
    assert [report.message for report in document.apply(commands)] == expected
    for command in commands:
        slow.apply([command])
    assert document.text == slow.text
    assert document.plan == one
