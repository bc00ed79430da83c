"""What each verb does to a plan, and what it refuses without changing anything."""

from __future__ import annotations

import copy

import pytest

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanSpec,
    apply_command,
    apply_commands,
    iter_steps,
    parse_plan,
    parse_plan_commands,
    serialize_plan,
    step_order,
)
from planspec_lark.plan_cmd.apply import perform
from planspec_lark.plan_cmd.finder import Finder, Move
from tests.cases import in_one_test

PLAN = """\
Goal: g
## Steps
1. [x] one [act] Measure → size | 3 m | Progress: 1/2
  > ← ruler
  > Twice.
2. [>] two [subtask] Build → hull | half | Progress: 1/4
  > ← size
  2.1. [!] [reason] Choose → wood | no wood
  2.2. [decide] Enough
    2.2.1. [act] Cut
    2.2.2. [act] Buy
  2.4. [act] Glue
3. [~] [act] Paint
"""


def after(commands: str, text: str = PLAN) -> str:
    """The steps of a plan, as printed, after all these commands have succeeded."""
    plan = parse_plan(text)
    assert apply_commands(plan, parse_plan_commands(commands)) == []
    return serialize_plan(plan)


def changed(commands: str, text: str = PLAN) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came."""
    before, now = (serialize_plan(parse_plan(text)).split("\n"), after(commands, text).split("\n"))
    return [line for line in before if line not in now], [line for line in now if line not in before]


def order(commands: str, text: str) -> str:
    """The ids of the steps with their descriptions after all these commands have succeeded."""
    steps = iter_steps(parse_plan(after(commands, text)))
    return " ".join(f"{step.step_id}{step.description}" for step in steps)


def steps(*named: str) -> str:
    """A plan of containers; ``2.1b`` stands for the step 2.1 with the description b."""
    rows = [(name.rstrip("abcdefghij"), name.lstrip("0123456789.")) for name in named]
    return "## Steps\n" + "".join(f"{step_id}. [subtask] {description}\n" for step_id, description in rows)


def refused(command: str | PlanCommand, text: str = PLAN) -> tuple[str, str]:
    """Code and message of a refusal, which changes nothing."""
    if isinstance(command, str):
        (command,) = parse_plan_commands(f"PLAN_CMD: {command}")
    plan = parse_plan(text)
    for number, step in enumerate(iter_steps(plan)):
        step.expanded = (None, True, False)[number % 3]
    before, held = copy.deepcopy(plan), [*iter_steps(plan)]
    message = apply_command(plan, command)
    assert message != ""
    assert plan == before
    assert [step.expanded for step in iter_steps(plan)] == [step.expanded for step in iter_steps(before)]
    assert all(step is was for step, was in zip(iter_steps(plan), held, strict=True))
    with pytest.raises(CommandError) as caught:
        perform(command, Finder(plan))
    assert str(caught.value) == message
    assert plan == before
    return caught.value.code, message


# ---------------------------------------------------------------- DONE, BLOCKED, SKIP


@pytest.mark.parametrize(("verb", "mark"), [("DONE", "[x] "), ("BLOCKED", "[!] "), ("SKIP", "[~] ")])
@pytest.mark.parametrize(("step_id", "was"), [("2.2.1", "    2.2.1. [act] Cut"), ("2.2.2.", "    2.2.2. [act] Buy")])
def test_a_status_is_set_and_the_result_if_one_is_given(verb: str, mark: str, step_id: str, was: str) -> None:
    now = was.replace("[act]", f"{mark}[act]")
    assert changed(f"PLAN_CMD: {verb} {step_id}") == ([was], [now])
    assert changed(f"PLAN_CMD: {verb} {step_id} | a b") == ([was], [f"{now} | a b"])


def test_without_text_the_old_result_stays() -> None:
    line = "1. [x] one [act] Measure → size | 3 m | Progress: 1/2"
    assert changed("PLAN_CMD: SKIP 1") == ([line], [line.replace("[x]", "[~]")])
    assert changed("PLAN_CMD: SKIP 1 |") == ([line], [line.replace("[x]", "[~]")])
    assert changed("PLAN_CMD: DONE 1 | 4 m") == ([line], [line.replace("3 m", "4 m")])


def test_the_text_is_the_result_as_it_is() -> None:
    plan = parse_plan(PLAN)
    text = r"a | Progress: 3/5 | \Progress: 1 | | \| → x"
    assert apply_commands(plan, parse_plan_commands(f"PLAN_CMD: DONE 3 | {text} ")) == []
    assert plan.steps[2].result == text
    assert plan.steps[2].done_count == 0
    assert parse_plan(serialize_plan(plan)) == plan


# ---------------------------------------------------------------- ADD


@pytest.mark.parametrize(
    ("command", "rows"),
    [
        ("ADD 4 [act] Launch", ["4. [act] Launch"]),
        ("ADD 4 [act]", ["4. [act]"]),
        ("ADD 4 [subtask] Launch → boat , log", ["4. [subtask] Launch → boat, log"]),
        ("ADD 4 [act] → boat", ["4. [act] → boat"]),
        ("ADD 4 [act]→ boat", ["4. [act] → boat"]),
        ("ADD 4 [act] a → b → go on", ["4. [act] a → b → go on"]),
        (r"ADD 4 [act] say \→ b", [r"4. [act] say \→ b"]),
        (r"ADD 4 [act] say \→ b → c", [r"4. [act] say \→ b → c"]),
        ("ADD 4 [act] a | b → c", [r"4. [act] a \| b → c"]),
        (r"ADD 4 [act] a \| b → c", [r"4. [act] a \| b → c"]),
        ("ADD 4 [act] a → b | c", [r"4. [act] a → b \| c"]),
        ("ADD 4 [act] a | Progress: 3/5", [r"4. [act] a \| Progress: 3/5"]),
        ("ADD 4 [act] | a |", [r"4. [act] \| a \|"]),
        ("ADD 4 [act] [x] a", ["4. [act] [x] a"]),
        ("ADD 4 [act] a -> b", ["4. [act] a -> b"]),
        ("ADD 4 [act] a\n> ← x,y\n> b", ["4. [act] a", "  > ← x, y", "  > b"]),
        ("ADD 4 [act] a\n> b\n>  ← x\n> c\n> ← y", ["4. [act] a", "  > ← x, y", "  > b", "  > c"]),
        ("ADD 4 [act] a\n> \\← x\n>\n>   b ", ["4. [act] a", "  > \\← x", "  >", "  >   b "]),
        ("ADD 4 [act] a\n>\t← x", ["4. [act] a", "  > ← x"]),
    ],
)
def test_the_text_of_add_is_read_like_a_summary_line_without_segments(command: str, rows: list[str]) -> None:
    assert changed(f"PLAN_CMD: {command}\n", "Goal: g\n## Steps\n1. [act] Measure\n") == ([], rows)


@pytest.mark.parametrize("kind", ["subtask", "decide"])
def test_a_step_is_added_below_containers(kind: str) -> None:
    text = f"## Steps\n1. [{kind}] a\n"
    assert order("PLAN_CMD: ADD 1.1 [act] x", text) == "1a 1.1x"


@in_one_test
@pytest.mark.parametrize(
    ("add", "before", "expected"),
    [
        ("1", [], "1x"),
        ("5", [], "5x"),
        ("0", ["1a"], "0x 1a"),
        ("2", ["1a", "2b", "3c"], "1a 2x 3b 4c"),
        ("1", ["1a", "2b", "3c"], "1x 2a 3b 4c"),
        ("3", ["1a", "2b", "3c"], "1a 2b 3x 4c"),
        ("4", ["1a", "2b", "3c"], "1a 2b 3c 4x"),
        ("9", ["1a", "2b"], "1a 2b 9x"),
        # A gap is filled, and a gap ends the run.
        ("2", ["1a", "3b"], "1a 2x 3b"),
        ("1", ["1a", "3b"], "1x 2a 3b"),
        ("2", ["2a", "3b", "5c", "6d"], "2x 3a 4b 5c 6d"),
        ("2", ["2a", "3b", "4c", "6d"], "2x 3a 4b 5c 6d"),
        # Their subtrees go with them.
        ("2", ["1a", "2b", "2.1c", "2.1.7d", "3e", "3.1f"], "1a 2x 3b 3.1c 3.1.7d 4e 4.1f"),
        ("1.1", ["1a", "1.1b", "1.1.1c", "1.2d", "2e"], "1a 1.1x 1.2b 1.2.1c 1.3d 2e"),
        ("1.1", ["1a", "1.1b", "10c", "10.1d"], "1a 1.1x 1.2b 10c 10.1d"),
        ("1", ["1a", "1.1.1b"], "1x 2a 2.1.1b"),
        ("9", ["9a", "10b", "10.9c"], "9x 10a 11b 11.9c"),
        # Where siblings stand out of order, the numbers count for moving and the text for the place.
        ("2", ["3a", "1b", "2c"], "2x 4a 1b 3c"),
        ("3", ["2a", "1b"], "2a 1b 3x"),
        ("1", ["3a", "2b"], "1x 3a 2b"),
        # Orphans: a free id adopts them, a taken one moves them along.
        ("2", ["1a", "2.1b", "2.3.1c", "3d"], "1a 2x 2.1b 2.3.1c 3d"),
        ("1.2", ["1a", "1.2.1b"], "1a 1.2x 1.2.1b"),
        ("1", ["1a", "2.1b", "3c"], "1x 2a 3.1b 4c"),
        ("1", ["2.1a", "1.5b"], "1x 1.5b 2.1a"),
        ("3", ["2.1a", "4b"], "2.1a 3x 4b"),
        ("999999999", ["1a"], "1a 999999999x"),
        ("999999998", ["999999998a"], "999999998x 999999999a"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_add_gives_exactly_the_id_asked_for(add: str, before: list[str], expected: str) -> None:
    assert order(f"PLAN_CMD: ADD {add} [subtask] x", steps(*before)) == expected


def test_an_adopting_step_keeps_the_steps_themselves() -> None:
    plan = parse_plan(steps("1a", "2.1b", "2.2c"))
    orphans = plan.steps[1:]
    assert apply_command(plan, PlanCommand("ADD", "2", "decide", "x")) == ""
    assert all(child is orphan for child, orphan in zip(plan.steps[1].children, orphans, strict=True))
    assert [step.step_id for step in plan.steps] == ["1", "2"]


def test_steps_that_move_stay_the_same_objects_with_all_they_hold() -> None:
    plan = parse_plan(PLAN)
    held = {step.step_id: step for step in iter_steps(plan)}
    held["2"].expanded = False
    assert apply_command(plan, PlanCommand("ADD", "2", "act", "x")) == ""
    assert plan.steps[2] is held["2"]
    assert plan.steps[2].children[1].children[0] is held["2.2.1"]
    assert (held["2"].step_id, held["2"].step_name, held["2"].result, held["2"].expanded) == ("3", "two", "half", False)
    assert held["2.2.1"].step_id == "3.2.1"
    assert parse_plan(serialize_plan(plan)) == plan


@pytest.mark.parametrize(
    ("command", "text", "code", "message"),
    [
        ("ADD 4.1 [act] x", PLAN, "PC112", "ADD 4.1: the parent step 4 does not exist"),
        ("ADD 2.3.1 [act] x", PLAN, "PC112", "ADD 2.3.1: the parent step 2.3 does not exist"),
        ("ADD 1.1 [act] x", PLAN, "PC113", "ADD 1.1: step 1 is of type `act`, which cannot have children"),
        ("ADD 2.1.1 [act] x", PLAN, "PC113", "ADD 2.1.1: step 2.1 is of type `reason`, which cannot have children"),
        (
            "ADD 4 [LLM] x",
            PLAN,
            "PC114",
            "ADD 4: unknown type `LLM`; the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`",
        ),
        (
            "ADD 4 [Act] x",
            PLAN,
            "PC114",
            "ADD 4: unknown type `Act`; the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`",
        ),
        (
            "ADD 1.2 [act] x",
            steps("1a", "1.2.1b"),
            "PC113",
            "ADD 1.2: step 1.2.1 would become its child, and a leaf cannot have children",
        ),
        (
            "ADD 999999999 [act] x",
            steps("999999999a"),
            "PC117",
            "ADD 999999999: the number of step 999999999 cannot be raised",
        ),
        (
            "ADD 999999997 [act] x",
            steps("999999997a", "999999999c", "999999998b"),
            "PC117",
            "ADD 999999997: the number of step 999999999 cannot be raised",
        ),
        (
            "ADD 1.999999999 [act] x",
            steps("1a", "1.999999999b"),
            "PC117",
            "ADD 1.999999999: the number of step 1.999999999 cannot be raised",
        ),
    ],
)
def test_add_refuses(command: str, text: str, code: str, message: str) -> None:
    assert refused(command, text) == (code, message)


# ---------------------------------------------------------------- REVISE


def test_revise_replaces_the_whole_summary_line_and_keeps_the_body() -> None:
    assert changed("PLAN_CMD: REVISE 1 [reason] Estimate → guess") == (
        ["1. [x] one [act] Measure → size | 3 m | Progress: 1/2"],
        ["1. one [reason] Estimate → guess"],
    )


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        ("> Once.", ["  > Once."]),
        ("> ← tape", ["  > ← tape"]),
        ("> a\n> ← tape\n> ← b", ["  > ← tape, b", "  > a"]),
        (">", ["  >"]),
    ],
)
def test_with_detail_lines_inputs_and_detail_are_replaced(lines: str, body: list[str]) -> None:
    text = "## Steps\n1. [act] Measure\n  > ← ruler\n  > Twice.\n"
    assert after(f"PLAN_CMD: REVISE 1 [act] Measure\n{lines}\n", text).split("\n")[2:-1] == body


def test_the_text_of_revise_is_read_like_a_summary_line_without_segments() -> None:
    assert changed(r"PLAN_CMD: REVISE 3 [act] a | b \→ c | Progress: 3")[1] == [r"3. [act] a \| b \→ c \| Progress: 3"]
    assert changed(r"PLAN_CMD: REVISE 3 [act] a \→ c")[1] == [r"3. [act] a \→ c"]


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("REVISE 9 [act] x", "PC111", "REVISE 9: step 9 does not exist"),
        (
            "REVISE 1 [LLM] x",
            "PC114",
            "REVISE 1: unknown type `LLM`; the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`",
        ),
        ("REVISE 2 [act] x", "PC116", "REVISE 2: the step has children, and a step of type `act` cannot have any"),
        (
            "REVISE 2.2 [reason] x\n> y",
            "PC116",
            "REVISE 2.2: the step has children, and a step of type `reason` cannot have any",
        ),
    ],
)
def test_revise_refuses(command: str, code: str, message: str) -> None:
    assert refused(command) == (code, message)


# ---------------------------------------------------------------- REPLAN


@pytest.mark.parametrize("reason", ["", " | why"])
def test_replan_clears_the_children_of_a_container(reason: str) -> None:
    plan = parse_plan(PLAN)
    assert apply_commands(plan, parse_plan_commands(f"PLAN_CMD: REPLAN 2{reason}")) == []
    assert serialize_plan(PlanSpec(steps=[plan.steps[1]])) == (
        "## Steps\n2. two [subtask] Build → hull | half | Progress: 1/4\n  > ← size\n"
    )
    assert step_order(plan) == ["1", "2", "3"]


@pytest.mark.parametrize("command", [PlanCommand("REPLAN", "ALL", result="why"), PlanCommand("REPLAN")])
def test_replan_all_changes_nothing_here(command: PlanCommand) -> None:
    plan = parse_plan(PLAN)
    assert apply_command(plan, command) == ""
    assert plan == parse_plan(PLAN)


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("REPLAN 1", "PC115", "REPLAN 1: only subtask and decide can be replanned"),
        ("REPLAN 2.1 | why", "PC115", "REPLAN 2.1: only subtask and decide can be replanned"),
        ("REPLAN 9", "PC111", "REPLAN 9: step 9 does not exist"),
    ],
)
def test_replan_refuses(command: str, code: str, message: str) -> None:
    assert refused(command) == (code, message)


# ---------------------------------------------------------------- EXPAND, COLLAPSE


@pytest.mark.parametrize(("verb", "flag"), [("EXPAND", True), ("COLLAPSE", False)])
def test_views_change_and_the_plan_does_not(verb: str, flag: bool) -> None:
    plan = parse_plan(PLAN)
    assert apply_command(plan, PlanCommand(verb, "2.2")) == ""
    assert {step.step_id for step in iter_steps(plan) if step.expanded is flag} == {"2.2"}
    assert {step.expanded for step in iter_steps(plan)} == {None, flag}
    assert plan == parse_plan(PLAN)


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize("verb", ["DONE", "BLOCKED", "SKIP", "EXPAND", "COLLAPSE"])
@pytest.mark.parametrize("step_id", ["9", "2.3", "2.1.1"])
def test_an_unknown_step_is_refused(verb: str, step_id: str) -> None:
    assert refused(f"{verb} {step_id}") == ("PC111", f"{verb} {step_id}: step {step_id} does not exist")


@pytest.mark.parametrize("step_id", ["", "ALL"])
@pytest.mark.parametrize("verb", ["DONE", "BLOCKED", "SKIP", "ADD", "REVISE", "EXPAND", "COLLAPSE"])
def test_a_command_without_a_step_is_refused(verb: str, step_id: str) -> None:
    assert refused(PlanCommand(verb, step_id, "act")) == ("PC118", f"{verb}: the step id is missing")


# ---------------------------------------------------------------- several commands


MIXED = "PLAN_CMD: DONE 3 | well\nPLAN_CMD: DONE 9\nPLAN_CMD: ADD 2 [act] x\nPLAN_CMD: REPLAN 1\nPLAN_CMD: SKIP 2 | y\n"
MESSAGES = ["DONE 9: step 9 does not exist", "REPLAN 1: only subtask and decide can be replanned"]


def test_commands_go_on_after_an_error_and_all_messages_are_returned() -> None:
    plan = parse_plan(PLAN)
    assert apply_commands(plan, parse_plan_commands(MIXED)) == MESSAGES
    assert [f"{step.step_id} {step.status.value} {step.result}" for step in plan.steps] == [
        "1 done 3 m",
        "2 skipped y",
        "3 active half",
        "4 done well",
    ]


def test_atomic_changes_nothing_at_all_unless_every_command_succeeds() -> None:
    plan = parse_plan(PLAN)
    held = [*iter_steps(plan)]
    assert apply_commands(plan, iter(parse_plan_commands(MIXED + "PLAN_CMD: EXPAND 1")), atomic=True) == MESSAGES
    assert plan == parse_plan(PLAN)
    assert all(step is was for step, was in zip(iter_steps(plan), held, strict=True))
    assert {step.expanded for step in held} == {None}


def test_steps_added_one_after_the_other_move_the_others_once(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[Move] = []
    renumber = Finder.renumber

    def count(self: Finder, moves: list[Move], new: set[int]) -> None:
        moved.extend(moves)
        renumber(self, moves, new)

    monkeypatch.setattr(Finder, "renumber", count)
    plan = parse_plan("1. [subtask] a\n" + "".join(f"1.{number}. [act] {number}\n" for number in range(1, 31)))
    assert apply_commands(plan, [PlanCommand("ADD", f"1.{number}", "act", "x") for number in range(1, 41)]) == []
    assert step_order(plan) == ["1", *(f"1.{number}" for number in range(1, 71))]
    # Each of the 30 once, and each new step at most once.
    assert len(moved) <= 70
