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


@pytest.mark.parametrize("last", [3, 30])
def test_what_both_have_added_moves_what_follows_once(last: int) -> None:
    base = steps("1. [act] One", "2. [act] Two", f"{last}. [act] Three")
    theirs = steps("1. [act] One", "2. [act] Sell", "3. [act] Two", f"{last + 1}. [act] Three")
    ours = steps("1. [act] One", "2. [act] Weigh", "3. [act] Sell", "4. [act] Two", f"{last + 2}. [act] Three")
    assert merged(base, ours, theirs) == merged(base, theirs, ours) == serialize_plan(ours)


def test_what_both_have_added_moves_nothing_where_there_is_room() -> None:
    base = steps("10. [act] a", "20. [act] b")
    ours = steps("10. [act] a", "15. [act] Sell", "20. [act] b")
    theirs = steps("10. [act] a", "15. [act] Sell", "25. [act] b")
    assert merged(base, ours, theirs) == merged(base, theirs, ours) == serialize_plan(theirs)


def test_what_both_have_put_below_another_step_moves_what_follows_once() -> None:
    base = steps("1. [subtask] a", "1.1. [act] x", "2. [act] b", "3. [act] c")
    theirs = steps("1. [act] a", "2. [act] x", "3. [act] b", "4. [act] c")
    ours = steps("1. [act] a", "2. [act] x", "3. [act] b", "4. [act] new", "5. [act] c")
    assert merged(base, ours, theirs) == merged(base, theirs, ours) == serialize_plan(ours)


def test_what_both_have_added_in_one_place_is_there_twice_and_ours_comes_first() -> None:
    base = steps("1. [act] a", "2. [act] b")
    ours, theirs = (
        steps("1. [act] a", "2. [act] Sing a song", "3. [act] b"),
        steps("1. [act] a", "2. [act] Hire a lorry", "3. [act] b"),
    )
    assert merged(base, ours, theirs) == text(
        "1. [act] a", "2. [act] Sing a song", "3. [act] Hire a lorry", "4. [act] b"
    )


def test_what_is_added_in_different_places_is_numbered_together() -> None:
    base = steps("1. [act] a", "2. [act] b", "3. [act] c")
    ours = steps("1. [act] x", "2. [act] y", "3. [act] a", "4. [act] b", "5. [act] c")
    theirs = steps("1. [act] a", "2. [act] b", "3. [act] z", "4. [act] c", "5. [act] end")
    assert merged(base, ours, theirs) == text(
        "1. [act] x", "2. [act] y", "3. [act] a", "4. [act] b", "5. [act] z", "6. [act] c", "7. [act] end"
    )


def test_gaps_between_ids_stay() -> None:
    base = steps("10. [act] a", "20. [act] b")
    ours, theirs = (
        steps("10. [act] a", "15. [act] x", "20. [act] b"),
        steps("10. [x] [act] a", "20. [act] b", "30. [act] y"),
    )
    assert merged(base, ours, theirs) == text("10. [x] [act] a", "15. [act] x", "20. [act] b", "30. [act] y")


def test_a_step_that_both_have_moved_far_up_gets_a_number_from_one_on() -> None:
    assert merged(steps("4. [act] a"), steps("1. [act] a"), steps("2. [act] a")) == text("1. [act] a")


def test_an_addition_of_both_with_another_status_is_one_step() -> None:
    base = steps("1. [act] a")
    ours, theirs = steps("1. [act] a", "2. [act] b"), steps("1. [act] a", "2. [x] [act] b | done it")
    assert merged(base, ours, theirs) == text("1. [act] a", "2. [x] [act] b | done it")


def test_what_one_side_has_removed_and_the_other_has_left_alone_is_gone() -> None:
    ours = plan(BASE, ("3. [act] Paint the old shelves → paint\n", ""), ("4. [act]", "3. [act]"), ("5.", "4."))
    theirs = commanded("DONE 1", "ADD 5.2 [act] Ring the bell")
    done = merged(plan(), ours, theirs)
    assert "Paint" not in done
    assert done.endswith(
        "3. [act] Check\n4. [subtask] Return the keys\n  4.1. [act] Check\n  4.2. [act] Ring the bell\n"
    )


def test_what_both_have_removed_is_gone() -> None:
    base, left = steps("1. [act] a", "2. [act] b"), steps("1. [act] a")
    assert merged(base, left, left) == text("1. [act] a")


def test_a_step_goes_where_one_side_has_moved_it() -> None:
    base = steps("1. [subtask] a", "1.1. [act] x", "2. [subtask] b", "2.1. [act] y")
    ours = steps("1. [subtask] a", "2. [subtask] b", "2.1. [act] y", "2.2. [act] x")
    theirs = steps("1. [subtask] a", "1.1. [x] [act] x | done it", "2. [subtask] b", "2.1. [act] y", "2.2. [act] z")
    assert merged(base, ours, theirs) == text(
        "1. [subtask] a", "2. [subtask] b", "  2.1. [act] y", "  2.2. [x] [act] x | done it", "  2.3. [act] z"
    )


def test_both_sides_may_put_different_steps_elsewhere() -> None:
    base = steps("1. [act] a", "2. [act] b", "3. [act] c", "4. [act] d")
    ours = steps("1. [act] b", "2. [act] c", "3. [act] d", "4. [act] a")
    theirs = steps("1. [act] d", "2. [act] a", "3. [act] b", "4. [act] c")
    assert merged(base, ours, theirs) == text("1. [act] d", "2. [act] b", "3. [act] c", "4. [act] a")


def test_constraints_are_merged_one_by_one() -> None:
    base, ours, theirs = (
        PlanSpec(constraints=list(found)) for found in (["a", "b", "c"], ["new", "a", "c"], ["a", "b", "c", "last"])
    )
    assert merge_plans(base, ours, theirs).plan.constraints == ["new", "a", "c", "last"]


def test_active_gives_way_to_what_it_leads_to() -> None:
    base, ours, theirs = steps("1. [act] a"), steps("1. [>] [act] a"), steps("1. [x] [act] a | done it")
    assert merged(base, ours, theirs) == merged(base, theirs, ours) == text("1. [x] [act] a | done it")


def test_ids_of_any_kind_stay_as_they_are() -> None:
    base = steps("7. [act] a", "3. [act] b", "1.1.1. [act] c")
    ours, theirs = (
        steps("7. [act] a", "3. [x] [act] b", "1.1.1. [act] c", "9. [act] x"),
        steps("7. [act] a", "3. [act] b", "9. [act] y", "1.1.1. [>] [act] c"),
    )
    assert merged(base, ours, theirs) == text(
        "7. [act] a", "3. [x] [act] b", "10. [act] y", "1.1.1. [>] [act] c", "9. [act] x"
    )


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


def test_a_step_that_one_side_has_removed_and_the_other_has_changed() -> None:
    base, ours, theirs = steps("1. [act] a", "2. [act] b"), steps("1. [act] a"), steps("1. [act] a", "2. [x] [act] b")
    assert conflicts(base, ours, theirs) == ["step 2: ours removed it, theirs changed it"]
    assert conflicts(base, theirs, ours) == ["step 2: theirs removed it, ours changed it"]
    assert merge_plans(base, ours, theirs).plan == theirs


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


def test_a_step_that_one_side_has_put_below_what_the_other_has_removed() -> None:
    base = steps("1. [subtask] a", "2. [act] x")
    ours, theirs = steps("1. [subtask] a", "1.1. [act] x"), steps("1. [act] x")
    assert conflicts(base, ours, theirs) == ["step 1: theirs removed it, ours changed what is below it (1.1)"]
    assert merge_plans(base, ours, theirs).plan == ours


def test_a_step_that_both_have_moved_apart() -> None:
    base = steps("1. [subtask] a", "2. [subtask] b", "3. [subtask] c", "4. [act] x")
    ours = steps("1. [subtask] a", "1.1. [act] x", "2. [subtask] b", "3. [subtask] c")
    theirs = steps("1. [subtask] a", "2. [subtask] b", "2.1. [act] x", "3. [subtask] c")
    assert conflicts(base, ours, theirs) == ["step 1.1: both moved it, each to another place"]
    assert merge_plans(base, ours, theirs).plan == ours


def test_a_step_that_both_have_put_elsewhere_among_its_neighbours() -> None:
    base = steps("1. [act] a", "2. [act] b", "3. [act] c", "4. [act] d", "5. [act] e")
    ours = steps("1. [act] e", "2. [act] a", "3. [act] b", "4. [act] c", "5. [act] d")
    theirs = steps("1. [act] a", "2. [act] b", "3. [act] e", "4. [act] c", "5. [act] d")
    assert conflicts(base, ours, theirs) == ["step 1: both moved it, each to another place"]


def test_two_steps_that_would_stand_below_each_other() -> None:
    base = steps("1. [subtask] a", "2. [subtask] b")
    ours, theirs = steps("1. [subtask] a", "1.1. [subtask] b"), steps("2. [subtask] b", "2.1. [subtask] a")
    result = merge_plans(base, ours, theirs)
    assert result.plan == ours
    assert {conflict.names for conflict in result.conflicts} == {("place",)}


def test_steps_below_what_has_become_a_leaf() -> None:
    base = steps("1. [subtask] a", "1.1. [act] b")
    ours, theirs = steps("1. [act] a"), steps("1. [subtask] a", "1.1. [act] b", "1.2. [act] c")
    assert conflicts(base, ours, theirs) == ["step 1: both changed the type"]


def test_one_name_for_two_steps() -> None:
    base, ours, theirs = steps(), steps("1. a [act] Paint"), steps("1. a [act] Sing")
    assert conflicts(base, ours, theirs) == ["step 1: both changed the description"]


def test_a_plan_that_can_not_be_written_is_refused() -> None:
    wrong = PlanSpec(steps=[PlanStep("1", step_type="act"), PlanStep("1", step_type="act")])
    with pytest.raises(ValueError, match="step_id: 1 comes twice"):
        merge_plans(PlanSpec(), wrong, PlanSpec())


def test_numbers_have_an_end() -> None:
    base = steps("999999999. [act] a")
    ours, theirs = steps("999999998. [act] x", "999999999. [act] a"), steps("999999998. [act] y", "999999999. [act] a")
    assert merged(base, ours, theirs) == text("1. [act] x", "2. [act] y", "3. [act] a")


def test_nothing_that_is_merged_is_changed() -> None:
    versions = plan(), commanded("DONE 1"), commanded("ADD 1 [act] Sing")
    before = [serialize_plan(one) for one in versions]
    result = merge_plans(*versions)
    result.plan.steps[0].step_type = "reason"
    result.plan.constraints.append("x")
    assert [serialize_plan(one) for one in versions] == before
