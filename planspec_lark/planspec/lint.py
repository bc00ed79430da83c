"""What is worth saying about a plan beyond the six rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from attrs import evolve

from planspec_lark.planspec.corrections import find_inputs, find_outputs
from planspec_lark.planspec.data_flow import DataFlow, Reach, find_data_flow
from planspec_lark.planspec.escapes import write_description
from planspec_lark.planspec.models import BLANKS, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.tree import iter_with_parents, walk
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, shorten

__all__ = ["OPTIONAL", "check_optional", "find_lint", "lint_plan"]

# What is looked for only where it is asked for.
OPTIONAL = ("PS315",)
# How many characters of a description say what to do and how, and are still read at a glance.
_LENGTHS = (80, 130)

_OPEN = (PlanStatus.PENDING, PlanStatus.ACTIVE)


def lint_plan(plan: PlanSpec, *, also: Collection[str] = ()) -> list[Diagnostic]:
    """Look for what is most likely not meant.

    Args:
        plan: the plan.
        also: the codes of what to look for besides; by default that is left out. There is PS315, the length of
            descriptions.

    Returns:
        Diagnostics with the codes ``PS3xx``, step by step in document order. A warning is likely a slip; an info is
        something that may well be right, such as an input that comes from outside the plan.

    Raises:
        ValueError: ``also`` has a code that is none of these.
    """
    places = {step.step_id: at for at, step in enumerate(iter_steps(plan))}
    return sorted(find_lint(plan, also), key=lambda diagnostic: places[diagnostic.step_id])


def find_lint(plan: PlanSpec, also: Collection[str] = ()) -> Iterator[Diagnostic]:
    """The same one by one, in no order."""
    check_optional(also)
    yield from _check_ids(plan)
    yield from _check_data_flow(plan)
    yield from _check_steps(plan)
    if "PS315" in also:
        yield from _check_lengths(plan)


def check_optional(also: Collection[str]) -> None:
    """Raise a ValueError for a code that is none of those which are only looked for where they are asked for."""
    for code in also:
        if code not in OPTIONAL:
            raise ValueError(f"also: {code!r} is none of {', '.join(OPTIONAL)}")


def _found(  # noqa: PLR0913, PLR0917  (the fields of a diagnostic)
    code: str, step: PlanStep, part: str, message: str, help: str = "", item: int | None = None
) -> Diagnostic:
    said = f"step {shorten(step.step_id)}: {message}"
    return Diagnostic(code, said, help=help, step_id=step.step_id, part=part, item=item)


# ---------------------------------------------------------------- ids


def _check_ids(plan: PlanSpec) -> Iterator[Diagnostic]:
    ids = {step.step_id for step in iter_steps(plan)}
    # The highest number so far among those right below an id.
    highest: dict[str, int] = {}
    for step, parent in iter_with_parents(plan):
        head, _, last = step.step_id.rpartition(".")
        if head and head not in ids:
            message = f"there is no step {head} for it to belong to"
            yield _found("PS301", step, "step_id", message, f"write a step {head} above it, or change its id")
        if head != (parent.step_id if parent else ""):
            continue
        # There may be a step 0.
        number, before = int(last), highest.get(head, -1)
        name = f"{head}.{before}".lstrip(".")
        if number < before:
            yield _found("PS303", step, "step_id", f"it comes behind step {name}")
        elif number > max(before, 0) + 1:
            after = "it is the first one here" if before < 0 else f"the step before it is {name}"
            yield _found("PS302", step, "step_id", f"a number is left out: {after}")
        highest[head] = max(before, number)


# ---------------------------------------------------------------- data flow


def _check_data_flow(plan: PlanSpec) -> Iterator[Diagnostic]:
    flow = find_data_flow(plan)
    # What has been declared so far, as far as it is declared where the walk stands: of two branches only one runs.
    declared = Reach()
    open_ids: set[str] = set()
    for step, is_entered in walk(plan):
        if not is_entered:
            declared.leave()
            open_ids.discard(step.step_id)
            continue
        yield from _check_inputs(step, flow)
        declared.enter(step)
        open_ids.add(step.step_id)
        for item, name in enumerate(step.outputs):
            if name not in flow.consumers:
                yield _found("PS309", step, "outputs", f"no step takes the output `{name}`", item=item)
            earlier = declared.find((name, False))
            declared.put((name, False), step)
            # A container around it declares what it passes on.
            if earlier is not None and (earlier.step is step or earlier.step.step_id not in open_ids):
                message = f"step {shorten(earlier.step.step_id)} declares the output `{name}` as well"
                yield _found("PS308", step, "outputs", message, "give each its own name", item)


def _check_inputs(step: PlanStep, flow: DataFlow) -> Iterator[Diagnostic]:
    for item, name in enumerate(step.inputs):
        origin = flow.origins[step.step_id][name]
        if origin is None:
            yield _found("PS307", step, "inputs", f"no step produces the input `{name}`", item=item)
        elif origin.is_feedback:
            where = "the step itself" if origin.step is step else f"step {shorten(origin.step.step_id)}"
            message = f"the input `{name}` is there only after {where}"
            yield _found("PS306", step, "inputs", message, "move the step, or take another input", item)


# ---------------------------------------------------------------- single steps


def _check_steps(plan: PlanSpec) -> Iterator[Diagnostic]:
    for step in iter_steps(plan):
        if not step.description:
            yield _found("PS312", step, "description", "it has no description", "say in a sentence what is to be done")
        if not step.outputs:
            yield from _check_arrow(step)
            yield _found("PS313", step, "outputs", "it declares no outputs")
        for item, line in enumerate(step.detail):
            if almost := find_inputs(line):
                help = f"if that is meant, write `> {almost.written}`"
                found = _found("PS305", step, "detail", "this line declares no inputs", help, item)
                yield evolve(found, replacement=f"> {almost.written}")
        open_ids = [child.step_id for child in step.children if child.status in _OPEN]
        if step.status is PlanStatus.DONE and open_ids:
            message = f"it is done, but step {shorten(open_ids[0])} below it is not"
            yield _found("PS310", step, "status", message, "mark the steps below it, or set it back to `[>]`")
        if step.total_count is not None and step.done_count > step.total_count:
            message = f"{step.done_count} rounds done out of {step.total_count}"
            yield _found("PS311", step, "done_count", message)


def _check_arrow(step: PlanStep) -> Iterator[Diagnostic]:
    text = step.description
    arrow, behind = text.rpartition("→")[1:]
    behind = behind.strip(BLANKS)
    if almost := find_outputs(text):
        message = f"`{text[almost.start :][:60]}` declares no outputs"
        before = write_description(text[: almost.start].strip(BLANKS), has_outputs=True)
        found = _found("PS305", step, "description", message, f"if that is meant, write `{almost.written}`")
        yield evolve(found, replacement=f"{before} {almost.written}".lstrip(BLANKS))
    elif not arrow or grammars.pattern("planspec", "VARIABLES").fullmatch(behind):
        return
    elif len(behind.split()) == 1:
        help = "if it is meant as an output, give it a name of ASCII letters, digits and `_`"
        message = f"`{behind[:60]}` is text, since variables are ASCII words"
        yield _found("PS314", step, "description", message, help)
    else:
        help = "variables are letters, digits and `_`, with commas between them"
        yield _found("PS304", step, "description", "what stands behind the arrow is no variable list", help)


def _check_lengths(plan: PlanSpec) -> Iterator[Diagnostic]:
    least, most = _LENGTHS
    for step in iter_steps(plan):
        length = len(step.description)
        if step.description and not least <= length <= most:
            help = "say in one sentence what to do and how; what is more goes into `> detail` lines"
            message = f"the description has {length} characters, not {least} to {most}"
            yield _found("PS315", step, "description", message, help)
