"""What becomes of a plan that two sides have changed."""

from __future__ import annotations

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStep,
    apply_commands,
    merge_plans,
    parse_plan_commands,
    serialize_plan,
)
from tests.diff.test_compare import BASE, plan, steps


def merged(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> str:
    """The text of what can be merged."""
    result = merge_plans(base, ours, theirs)
    assert result.conflicts == ()
    return serialize_plan(result.plan)


def conflicts(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> list[str]:
    """What cannot be merged, in words."""
    return [str(conflict) for conflict in merge_plans(base, ours, theirs).conflicts]


def commanded(*lines: str) -> PlanSpec:
    changed = plan()
    assert apply_commands(changed, parse_plan_commands("\n".join(f"PLAN_CMD: {line}" for line in lines))) == []
    return changed


def text(*lines: str) -> str:
    return "## Steps\n" + "".join(f"{line}\n" for line in lines)


def short(said: str) -> PlanSpec:
    """Steps by ids, marks and texts, such as `1 a, 2 x b`; those with others below are subtasks, and so is `2 + b`."""
    rows = [row.split(" ") for row in said.split(", ") if row]
    above = {step_id.rpartition(".")[0] for step_id, *_ in rows}
    made = []
    for step_id, *words in rows:
        mark = f"[{words.pop(0)}] " if words[0] in ("x", ">") and len(words) > 1 else ""
        is_container = step_id in above or words[0] == "+"
        kind = "subtask" if is_container else "act"
        made.append(f"{step_id}. {mark}[{kind}] {' '.join(word for word in words if word != '+')}")
    return steps(*made)


# ---------------------------------------------------------------- what can be merged


def test_changes_of_both_sides_survive() -> None:
    ours = commanded("DONE 1 | 212 shelves", "ADD 2.1 [act] Ask for help → help")
    theirs = commanded("BLOCKED 2.1 | None is free", "ADD 6 [act] Celebrate", "SKIP 3")
    assert merged(plan(), ours, theirs) == serialize_plan(
        plan(
            BASE,
            ("1. [act] Label the shelves → labels", "1. [x] [act] Label the shelves → labels | 212 shelves"),
            ("  2.2. [reason]", "  2.3. [reason]"),
            (
                "  2.1. [act] Hire a lorry → lorry",
                "  2.1. [act] Ask for help → help\n  2.2. [!] [act] Hire a lorry → lorry | None is free",
            ),
            ("3. [act]", "3. [~] [act]"),
            ("  5.1. [act] Check\n", "  5.1. [act] Check\n6. [act] Celebrate\n"),
        )
    )


def test_values_of_one_step_are_merged_one_by_one() -> None:
    base = steps("1. a [act] Paint the shelves → paint")
    ours = steps("1. a [reason] Paint the shelves → paint", "> ← brush")
    theirs = steps("1. b [act] Paint all the shelves → paint, rest | Progress: 1/2", "> slowly")
    assert merged(base, ours, theirs) == text(
        "1. b [reason] Paint all the shelves → paint, rest | Progress: 1/2", "  > ← brush", "  > slowly"
    )


@pytest.mark.parametrize(
    ("asked", "changed"),
    [
        ("1. a [act] Paint all shelves → paint", "description"),
        ("1. a [reason] Paint the shelves → paint", "type"),
        ("1. a [act] Paint the shelves → paint, rest", "outputs"),
        ("1. a [act] Paint the shelves → paint\n> ← brush", "inputs"),
        ("1. a [act] Paint the shelves → paint\n> slowly", "detail"),
    ],
)
@pytest.mark.parametrize("mark", ["x", ">", "~", "!"])
def test_a_status_beside_a_change_of_what_is_to_be_done_is_a_conflict(asked: str, changed: str, mark: str) -> None:
    base = steps("1. a [act] Paint the shelves → paint")
    told = steps(f"1. [{mark}] a [act] Paint the shelves → paint | so far")
    assert conflicts(base, told, steps(asked)) == [f"step 1: ours changed the status, theirs changed the {changed}"]
    assert merge_plans(base, told, steps(asked)).plan == told
    assert conflicts(base, steps(asked), told) == [f"step 1: theirs changed the status, ours changed the {changed}"]
    assert merge_plans(base, steps(asked), told).plan == steps(asked)


def test_a_status_beside_two_changes_of_a_text_is_in_dispute_as_well() -> None:
    base, ours, theirs = steps("1. [act] Paint"), steps("1. [x] [act] Paint it"), steps("1. [act] Paint all")
    assert conflicts(base, ours, theirs) == ["step 1: both changed the description, ours changed the status"]
    assert conflicts(base, theirs, ours) == ["step 1: both changed the description, theirs changed the status"]


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        # The name says nothing of what is to be done.
        ("1. a [act] Paint", "1. [x] a [act] Paint | so far", "1. b [act] Paint"),
        # It was done already, and one side has written it better.
        ("1. [x] [act] Paint", "1. [x] [act] Paint | all of them", "1. [x] [act] Paint it"),
        # It is to be done again in any case.
        ("1. [x] [act] Paint", "1. [act] Paint", "1. [x] [act] Paint it"),
        # The side that has changed it has done it.
        ("1. [act] Paint", "1. [>] [act] Paint", "1. [x] [act] Paint it | all of them"),
        ("1. [act] Paint", "1. [x] [act] Paint", "1. [x] [act] Paint it | all of them"),
        ("1. [act] Paint", "1. [x] [act] Paint it", "1. [act] Paint it"),
    ],
)
def test_a_status_goes_with_what_it_was_given_for(base: str, ours: str, theirs: str) -> None:
    assert conflicts(steps(base), steps(ours), steps(theirs)) == []
    assert conflicts(steps(base), steps(theirs), steps(ours)) == []


def test_the_same_change_on_both_sides_is_made_once() -> None:
    ours = commanded("DONE 1 | 212 shelves", "ADD 2 [act] Sing")
    assert merged(plan(), ours, ours) == serialize_plan(ours)


# Three versions and the merge, behind `=` where it is the same if the sides change places.
MERGES = """
What both have added moves what follows once, and nothing where there is room.
= 1 a, 2 b, 3 c       ; 1 a, 2 e, 3 d, 4 b, 5 c     ; 1 a, 2 d, 3 b, 4 c          ; 1 a, 2 e, 3 d, 4 b, 5 c
= 1 a, 2 b, 30 c      ; 1 a, 2 e, 3 d, 4 b, 32 c    ; 1 a, 2 d, 3 b, 31 c         ; 1 a, 2 e, 3 d, 4 b, 32 c
= 10 a, 20 b          ; 10 a, 15 d, 20 b            ; 10 a, 15 d, 25 b            ; 10 a, 15 d, 25 b
= 1 a, 1.1 e, 2 b, 3 c; 1 a, 2 e, 3 b, 4 d, 5 c     ; 1 a, 2 e, 3 b, 4 c          ; 1 a, 2 e, 3 b, 4 d, 5 c
In one place, ours comes first; else, all are numbered together, and gaps stay.
- 1 a, 2 b            ; 1 a, 2 d, 3 b               ; 1 a, 2 e, 3 b               ; 1 a, 2 d, 3 e, 4 b
= 1 a, 2 b, 3 c       ; 1 d, 2 e, 3 a, 4 b, 5 c     ; 1 a, 2 b, 3 f, 4 c, 5 g     ; 1 d, 2 e, 3 a, 4 b, 5 f, 6 c, 7 g
= 10 a, 20 b          ; 10 a, 15 d, 20 b            ; 10 x a, 20 b, 30 e          ; 10 x a, 15 d, 20 b, 30 e
- 4 a                 ; 1 a                         ; 2 a                         ; 1 a
- 7 a, 3 b, 1.1.1 c   ; 7 a, 3 x b, 1.1.1 c, 9 d    ; 7 a, 3 b, 9 e, 1.1.1 > c    ; 7 a, 3 x b, 10 e, 1.1.1 > c, 9 d
- 999999999 a         ; 999999998 d, 999999999 a    ; 999999998 e, 999999999 a    ; 1 d, 2 e, 3 a
What both have added or removed is one; active gives way to what it leads to.
= 1 a                 ; 1 a, 2 b                    ; 1 a, 2 x b | so             ; 1 a, 2 x b | so
= 1 a, 2 b            ; 1 a                         ; 1 a                         ; 1 a
= 1 a                 ; 1 > a                       ; 1 x a | so                  ; 1 x a | so
What one side has put elsewhere goes there.
- 1 a, 1.1 e, 2 b, 2.1 f; 1 + a, 2 b, 2.1 f, 2.2 e  ; 1 a, 1.1 x e, 2 b, 2.1 f, 2.2 g; 1 + a, 2 b, 2.1 f, 2.2 x e, 2.3 g
- 1 a, 2 b, 3 c, 4 d  ; 1 b, 2 c, 3 d, 4 a          ; 1 d, 2 a, 3 b, 4 c          ; 1 d, 2 b, 3 c, 4 a
"""


@pytest.mark.parametrize("row", [row for row in MERGES.split("\n") if row[:2] in ("= ", "- ")])
def test_a_merge(row: str) -> None:
    base, ours, theirs, wanted = (short(said.strip()) for said in row[2:].split(";"))
    assert merged(base, ours, theirs) == serialize_plan(wanted)
    assert row[0] == "-" or merged(base, theirs, ours) == serialize_plan(wanted)


def test_what_one_side_has_removed_and_the_other_has_left_alone_is_gone() -> None:
    ours = plan(BASE, ("3. [act] Paint the old shelves → paint\n", ""), ("4. [act]", "3. [act]"), ("5.", "4."))
    theirs = commanded("DONE 1", "ADD 5.2 [act] Ring the bell")
    done = merged(plan(), ours, theirs)
    assert "Paint" not in done
    assert done.endswith(
        "3. [act] Check\n4. [subtask] Return the keys\n  4.1. [act] Check\n  4.2. [act] Ring the bell\n"
    )


def test_constraints_are_merged_one_by_one() -> None:
    base, ours, theirs = (
        PlanSpec(constraints=list(found)) for found in (["a", "b", "c"], ["new", "a", "c"], ["a", "b", "c", "last"])
    )
    assert merge_plans(base, ours, theirs).plan.constraints == ["new", "a", "c", "last"]


# ---------------------------------------------------------------- what can not


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ("1. [x] [act] Paint", "1. [!] [act] Paint", "the status"),
        ("1. [act] Paint | a", "1. [act] Paint | b", "the result"),
        ("1. [x] [act] Paint | a", "1. [!] [act] Paint | b", "the status and the result"),
        ("1. [act] Paint all", "1. [act] Paint none", "the description"),
        ("1. [reason] Paint", "1. [decide] Paint", "the type"),
        ("1. a [act] Paint", "1. b [act] Paint", "the name"),
        ("1. [act] Paint → a", "1. [act] Paint → b", "the outputs"),
        ("1. [act] Paint\n> ← a", "1. [act] Paint\n> ← b", "the inputs"),
        ("1. [act] Paint\n> a", "1. [act] Paint\n> b", "the detail"),
        ("1. [act] Paint | Progress: 1", "1. [act] Paint | Progress: 2", "the progress"),
    ],
)
def test_a_value_that_both_have_changed(ours: str, theirs: str, said: str) -> None:
    base = steps("1. [act] Paint")
    assert conflicts(base, steps(ours), steps(theirs)) == [f"step 1: both changed {said}"]
    assert conflicts(base, steps(theirs), steps(ours)) == [f"step 1: both changed {said}"]
    assert merge_plans(base, steps(ours), steps(theirs)).plan == steps(ours)


@pytest.mark.parametrize(
    ("name", "said"),
    [("title", "title: both changed it"), ("goal", "goal: both changed it")],
)
def test_a_text_of_the_plan_that_both_have_changed(name: str, said: str) -> None:
    base, ours, theirs = PlanSpec(), PlanSpec(), PlanSpec()
    for side, text_of_side in ((base, "a"), (ours, "b"), (theirs, "c")):
        setattr(side, name, text_of_side)
    assert conflicts(base, ours, theirs) == [said]


def test_lists_of_the_plan_that_both_have_changed() -> None:
    base = PlanSpec(goal_detail=["a"], constraints=["a", "b"])
    ours, theirs = (PlanSpec(goal_detail=[x], constraints=["a", x]) for x in ("x", "y"))
    assert conflicts(base, ours, theirs) == ["detail of the goal: both changed it", "constraints: both changed it"]


APART = "both moved it, each to another place"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "said", "taken"),
    [
        # One side has removed what the other has changed, or put something below.
        ("1 a, 2 b", "1 a", "1 a, 2 x b", ["step 2: ours removed it, theirs changed it"], "theirs"),
        ("1 a, 2 b", "1 a, 2 x b", "1 a", ["step 2: theirs removed it, ours changed it"], "ours"),
        (
            "1 + a, 2 c",
            "1 a, 1.1 c",
            "1 c",
            ["step 1: theirs removed it, ours changed what is below it (1.1)"],
            "ours",
        ),
        # Both have moved a step.
        ("1 + a, 2 + b, 3 c", "1 a, 1.1 c, 2 + b", "1 + a, 2 b, 2.1 c", [f"step 1.1: {APART}"], "ours"),
        ("1 a, 2 b, 3 c, 4 d, 5 e", "1 e, 2 a, 3 b, 4 c, 5 d", "1 a, 2 b, 3 e, 4 c, 5 d", [f"step 1: {APART}"], "ours"),
        ("1 + a, 2 + b", "1 a, 1.1 + b", "2 b, 2.1 + a", [f"step 1: {APART}", f"step 1.1: {APART}"], "ours"),
        # One has made a leaf of what the other has put something below.
        ("1 a, 1.1 b", "1 a", "1 a, 1.1 b, 1.2 c", ["step 1: both changed the type"], ""),
    ],
)
def test_a_conflict(base: str, ours: str, theirs: str, said: list[str], taken: str) -> None:
    versions = {"base": short(base), "ours": short(ours), "theirs": short(theirs)}
    assert conflicts(*versions.values()) == said
    assert not taken or merge_plans(*versions.values()).plan == versions[taken]


def test_one_name_for_two_steps() -> None:
    base, ours, theirs = steps(), steps("1. a [act] Paint"), steps("1. a [act] Sing")
    assert conflicts(base, ours, theirs) == ["step 1: both changed the description"]


def test_a_container_that_one_side_has_removed_and_the_other_has_something_below() -> None:
    ours = plan(BASE, ("5. [subtask] Return the keys\n  5.1. [act] Check\n", ""))
    theirs = commanded("DONE 5.1", "ADD 5.2 [act] Ring the bell")
    assert conflicts(plan(), ours, theirs) == ["step 5: ours removed it, theirs changed what is below it (5.1, 5.2)"]
    assert merge_plans(plan(), ours, theirs).plan == theirs


@pytest.mark.parametrize(("count", "named"), [(3, "2.1, 2.2, 2.3"), (5, "2.1, 2.2, 2.3 and 2 more")])
def test_of_many_changes_below_a_step_the_first_are_named(count: int, named: str) -> None:
    below = [f"2.{at}. [act] x{at}" for at in range(1, count + 1)]
    base = steps("1. [act] a", "2. [subtask] b", *below)
    theirs = steps("1. [act] a", "2. [subtask] b", *(line.replace("[act]", "[x] [act]") for line in below))
    said = f"step 2: ours removed it, theirs changed what is below it ({named})"
    assert conflicts(base, steps("1. [act] a"), theirs) == [said]


def test_a_plan_that_can_not_be_written_is_refused() -> None:
    wrong = PlanSpec(steps=[PlanStep("1", step_type="act"), PlanStep("1", step_type="act")])
    with pytest.raises(ValueError, match="step_id: 1 comes twice"):
        merge_plans(PlanSpec(), wrong, PlanSpec())


def test_nothing_that_is_merged_is_changed() -> None:
    versions = plan(), commanded("DONE 1"), commanded("ADD 1 [act] Sing")
    before = [serialize_plan(one) for one in versions]
    result = merge_plans(*versions)
    result.plan.steps[0].step_type = "reason"
    result.plan.constraints.append("x")
    assert [serialize_plan(one) for one in versions] == before
