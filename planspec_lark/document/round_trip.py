"""Whether the text of a document still reads as its plan: looked at after each change, before it is kept.

Reading all of a long text after each of many small changes would take too long, and need not be. A text reads as a plan
if and only if

1. its head says what the plan says in front of the steps, and opens them;
2. each step has lines of its own, which begin and end where lines do, and which by themselves read as the step: every
   line is read without regard to those around it, but for the summary line that a body belongs to;
3. the ids differ, and each step stands in the plan below the one with the longest id that its own id goes on from;
4. siblings stand in the text in the order in which they stand in the plan.

All that held before a change still holds for steps and lines that it has not touched. So it is enough to look at those
that it has, and at their neighbours: what has been found, put in, renumbered or moved, and the siblings and children of
what has a new id. The finder and the chain keep account of that: steps are found, and lines are linked, through them
alone. Ranks tell the order of any two steps in the text without a walk through it.
"""

from __future__ import annotations

from itertools import pairwise

from attrs import evolve

from planspec_lark.document.chain import Chain
from planspec_lark.document.stretches import Stretch
from planspec_lark.document.watching import Watcher
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import PlanSpec, PlanStep, are_alike

__all__ = ["RoundTripError", "check_change"]


class RoundTripError(RuntimeError):
    """A change after which the text of a document would not read as its plan. That is a fault of this library.

    The document is as it was before the change.
    """


def check_change(finder: Watcher, chain: Chain, *, is_strict: bool) -> None:
    """Look at all that has changed since this was done last.

    Args:
        finder: what knows the plan, and which steps have new places.
        chain: what knows which lines have changed.
        is_strict: whether the text is nothing but the plan. What is said of lines holds only then.

    Raises:
        RoundTripError: the text would not read as the plan.
    """
    changed, placed = chain.take_changed(), finder.take_placed()
    lost = next((stretch for stretch in changed if not _is_linked(stretch, chain)), None)
    if lost is not None:
        raise _fault(
            f"the lines of step {lost.step.step_id} are out of place" if lost.step else "lines are out of place"
        )
    if finder.count != chain.count:
        raise _fault(f"there are {finder.count} ids and lines of {chain.count} steps")
    for step in placed:
        if chain.find(step) is not None and not _fits(step, finder, chain):
            raise _fault(f"step {step.step_id} stands elsewhere in the text than in the plan")
    if is_strict:
        _check_lines([stretch for stretch in changed if chain.find(stretch.step) is stretch], chain)
        _check_head([stretch for stretch in changed if stretch.before is None], finder.plan, chain)


def _fault(reason: str) -> RoundTripError:
    return RoundTripError(f"internal fault, and nothing was changed: {reason}")


def _is_linked(stretch: Stretch, chain: Chain) -> bool:
    """Whether lines stand between their neighbours; those of a step that has gone must not."""
    before, behind = stretch.before, stretch.behind
    if before is None:
        return True
    if stretch.step is not None and chain.find(stretch.step) is not stretch:
        return before.behind is not stretch
    follows = before.behind is stretch and before.rank < stretch.rank
    return follows and (behind is None or (behind.before is stretch and stretch.rank < behind.rank))


# ---------------------------------------------------------------- places


def _fits(step: PlanStep, finder: Watcher, chain: Chain) -> bool:
    """Whether a step has its id for itself, and stands in the plan where its id and its lines say."""
    if finder.look_up(step.step_id) is not step:
        return False
    siblings, head = finder.siblings_of(step)
    at = finder.index_of(siblings, head, step)
    around = siblings[max(at - 1, 0) : at + 2]
    lead = f"{step.step_id}."
    # Where siblings stand in the order of their numbers, one whose id begins so could only be next to it.
    others = around if finder.stand_in_order(siblings, head) else siblings
    return (
        at >= 0
        and _stand_in_order(around, chain)
        and not any(other.step_id.startswith(lead) for other in others)
        and all(child.step_id.startswith(lead) and finder.parent_of(child) is step for child in step.children)
        and _stand_in_order(step.children, chain)
    )


def _stand_in_order(siblings: list[PlanStep], chain: Chain) -> bool:
    stretches = [chain.find(step) for step in siblings]
    return None not in stretches and all(
        one.rank < other.rank for one, other in pairwise(stretch for stretch in stretches if stretch)
    )


# ---------------------------------------------------------------- lines


def _check_lines(stretches: list[Stretch], chain: Chain) -> None:
    """Look whether lines read as their steps. They are read together, which is much faster than one by one."""
    steps = [stretch.step for stretch in stretches if stretch.step is not None]
    texts = [chain.show(stretch) for stretch in stretches]
    read = fast_reader.read_steps("".join(texts))
    if read is None or len(read) != len(steps):
        raise _fault("there are lines that are none of a step's")
    for stretch, step, text, found in zip(stretches, steps, texts, read, strict=True):
        # As each begins with its own summary line, none has lines of another.
        begins = text.lstrip(" \t").startswith(f"{step.step_id}.")
        if not begins or not are_alike(found, step) or not _begins_line(stretch):
            raise _fault(f"the lines of step {step.step_id} would read otherwise")


def _begins_line(stretch: Stretch) -> bool:
    """Whether lines begin behind the end of a line, or where a text begins."""
    before = stretch.before
    return before is None or bool(before.end) or (before.before is None and before.text in ("", "\ufeff"))


def _check_head(heads: list[Stretch], plan: PlanSpec, chain: Chain) -> None:
    """Look whether a head that has changed says what it said."""
    for head in heads:
        first = "" if head.behind is None else chain.show(head.behind)
        read = fast_reader.read(chain.show(head) + first)
        if read is None or len(read.steps) != bool(first) or evolve(read, steps=[]) != evolve(plan, steps=[]):
            raise _fault("what stands in front of the steps would read otherwise")
