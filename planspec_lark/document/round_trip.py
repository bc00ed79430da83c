"""Whether the text of a document still reads as its plan: looked at after each change, before it is kept.

Reading all of a long text after each of many small changes would take too long, and need not be. A text reads as a plan
if and only if

1. its head says what the plan says before the steps, and opens them;
2. each step has lines of its own, which begin and end where lines do, and which by themselves read as the step: every
   line is read without regard to those around it, but for the summary line that a body belongs to;
3. the ids differ, and each step is in the plan below the one with the longest id that its own id begins with;
4. siblings are in the text in the order in which they are in the plan.

All that held before a change still holds for steps and lines that it has not touched. So it is enough to look at those
that it has, and at their neighbours: what has been found, put in, renumbered or moved, and the siblings and children of
what has a new id. The editor and the blocks keep account of that: steps are found, and lines are put in, through them
alone. Ranks tell the order of any two steps in the text without a walk through it.
"""

from __future__ import annotations

from itertools import islice, pairwise

from attrs import evolve

from planspec_lark.document.blocks import Blocks, LineBlock
from planspec_lark.document.edits import Editor
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import PlanSpec, PlanStep, are_alike
from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["RoundTripError", "check_change"]


class RoundTripError(PlanSpecError, RuntimeError):
    """A change after which the text of a document would not read as its plan. That is a fault of this library.

    The document is as it was before the change.
    """


def check_change(editor: Editor, blocks: Blocks) -> None:
    """Look at all that has changed since this was done last.

    Args:
        editor: what knows the plan, and which steps have new places.
        blocks: what knows which lines have changed.

    Raises:
        RoundTripError: the text would not read as the plan.
    """
    changed = blocks.take_changed()
    for block in changed:
        # The block of a step is in the list; that of a step that has gone must not be.
        if block.step and blocks.is_linked(block) is not (blocks.find(block.step) is block):
            raise _fault(f"the lines of step {block.step.step_id} are out of place")
    if editor.count != blocks.count:
        raise _fault(f"there are {editor.count} ids and lines of {blocks.count} steps")
    steps = {block: block.step for block in changed if block.step and blocks.find(block.step) is block}
    for block, step in steps.items():
        if block.is_placed and not _fits(step, editor, blocks):
            raise _fault(f"step {step.step_id} is elsewhere in the text than in the plan")
        block.is_placed = False
    _check_lines(steps, blocks)
    if any(block.step is None for block in changed):
        _check_head(editor.plan, blocks)


def _fault(reason: str) -> RoundTripError:
    return RoundTripError(f"internal fault, and nothing was changed: {reason}")


def _fits(step: PlanStep, editor: Editor, blocks: Blocks) -> bool:
    """Whether no other step has its id, and it is in the plan where its id and its lines say."""
    if editor.look_up(step.step_id) is not step:
        return False
    siblings, head = editor.siblings_of(step)
    at = editor.index_of(siblings, head, step)
    around = siblings[max(at - 1, 0) : at + 2]
    lead = f"{step.step_id}."
    # Where siblings are in the order of their numbers, one whose id begins so could only be next to it.
    others = around if editor.stand_in_order(siblings, head) else siblings
    return (
        at >= 0
        and _stand_in_order(around, blocks)
        and not any(other.step_id.startswith(lead) for other in others)
        and all(child.step_id.startswith(lead) and editor.parent_of(child) is step for child in step.children)
        and _stand_in_order(step.children, blocks)
    )


def _stand_in_order(siblings: list[PlanStep], blocks: Blocks) -> bool:
    found = [blocks.find(step) for step in siblings]
    return all(one and other and one.rank < other.rank for one, other in pairwise(found)) and None not in found


def _check_lines(changed: dict[LineBlock, PlanStep], blocks: Blocks) -> None:
    """Look whether lines read as their steps. They are read together, which is much faster than one by one."""
    texts = [blocks.show(block) for block in changed]
    read = fast_reader.read_steps("".join(texts))
    if read is None or len(read) != len(changed):
        raise _fault("there are lines that belong to no step")
    for (block, step), text, found in zip(changed.items(), texts, read, strict=True):
        # As each begins with its own summary line and ends a line, none has lines of another.
        begins = text.lstrip(" \t").startswith(f"{step.step_id}.")
        if not begins or not (block.text or "").endswith("\n") or not are_alike(found, step):
            raise _fault(f"the lines of step {step.step_id} would read otherwise")


def _check_head(plan: PlanSpec, blocks: Blocks) -> None:
    """Look whether a head that has changed says what it said."""
    head, *first = islice(blocks, 2)
    read = fast_reader.read("".join(map(blocks.show, [head, *first])))
    if read is None or len(read.steps) != len(first) or evolve(read, steps=[]) != evolve(plan, steps=[]):
        raise _fault("what comes before the steps would read otherwise")
