"""What is worth saying about a plan beyond the six rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from planspec_lark.planspec.data_flow import Reach
from planspec_lark.planspec.escapes import write_description
from planspec_lark.planspec.models import (
    BLANKS,
    CONTAINER_TYPES,
    OPEN,
    PlanSpec,
    PlanStatus,
    PlanStep,
    has_progress,
    iter_steps,
    refuse_fields,
)
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, shorten
from planspec_lark.syntax.fields import require_one_of

__all__ = ["OPTIONAL", "check_optional", "find_lint", "lint_plan"]

# How a line begins that may declare inputs.
_LEFT_SIGNS = ("<", "⇐", "⟵", "←")
_ARROWS = frozenset(">⇒➜➔⟶➝➞→")
# What is looked for only where it is asked for.
OPTIONAL = ("PS315",)
# How many characters of a description say what to do and how, and are still read at a glance.
_LENGTHS = (80, 130)


def lint_plan(plan: PlanSpec, *, also: Collection[str] = ()) -> list[Diagnostic]:
    """Look for likely mistakes.

    Args:
        also: codes of optional checks: PS315, the length of descriptions.

    Returns:
        Findings with the codes ``PS3xx``, step by step in document order. A warning is likely a slip; an info may well
        be right, such as an input from outside the plan.

    Raises:
        ValueError: ``also`` has another code.
    """
    try:
        places = {step.step_id: at for at, step in enumerate(iter_steps(plan))}
        return sorted(find_lint(plan, also), key=lambda diagnostic: places[diagnostic.step_id])
    except (AttributeError, TypeError):
        # As in check_rules.
        refuse_fields(plan)
        raise


def find_lint(plan: PlanSpec, also: Collection[str]) -> Iterator[Diagnostic]:
    """The same one by one, in no order."""
    check_optional(also)
    # All checks go over the same lists: walks take longer than most of them.
    walked, last = [*walk(plan)], _find_last(plan)
    steps = [step for step, is_entered in walked if is_entered]
    yield from _check_ids(plan, steps)
    yield from _check_inputs(walked, steps)
    outputs = [name for step in steps for name in step.outputs]
    yield from _check_outputs(steps, outputs, last)
    if len(set(outputs)) < len(outputs):
        yield from _check_repeated(walked, outputs)
    yield from _check_steps(steps, last)
    if "PS315" in also:
        yield from _check_lengths(steps)


def check_optional(also: Collection[str]) -> None:
    """Raise a ValueError for a code that is not among the optional ones."""
    for code in also:
        require_one_of("also", code, OPTIONAL)


def _found(code: str, step: PlanStep, part: str, message: str, help: str = "", **more: Any) -> Diagnostic:
    """A finding of a part of a step, whose message begins with the step's id."""
    said = f"step {shorten(step.step_id)}: {message}"
    return Diagnostic(code, said, help=help, step_id=step.step_id, part=part, **more)


# ---------------------------------------------------------------- ids


def _check_ids(plan: PlanSpec, steps: Sequence[PlanStep]) -> Iterator[Diagnostic]:
    """Steps whose parent is missing, and numbers that are left out (PS301, PS302, PS303)."""
    ids: set[str] = set()
    families = [("", plan.steps), *[(step.step_id, step.children) for step in steps if step.children]]
    for head, siblings in families:
        # Nearly all count from 1.
        lead = f"{head}." if head else ""
        if [step.step_id for step in siblings] != [f"{lead}{number}" for number in range(1, len(siblings) + 1)]:
            ids = ids or {step.step_id for step in steps}
            yield from _check_siblings(head, siblings, ids)


def _check_siblings(parent: str, siblings: Iterable[PlanStep], ids: Collection[str]) -> Iterator[Diagnostic]:
    # The highest number so far. There may be a step 0.
    before = -1
    for step in siblings:
        head, _, last = step.step_id.rpartition(".")
        if head and head not in ids:
            message = f"its parent step {head} does not exist"
            yield _found("PS301", step, "step_id", message, f"add a step {head} above it, or change its id")
        if head != parent:
            continue
        number = int(last)
        if number < before:
            yield _found("PS303", step, "step_id", f"it comes after step {_join_id(head, before)}")
            continue
        if number > max(before, 0) + 1:
            after = "it is the first step here" if before < 0 else f"the step before it is {_join_id(head, before)}"
            yield _found("PS302", step, "step_id", f"a number is missing before it: {after}")
        before = number


def _join_id(head: str, number: int) -> str:
    return f"{head}.{number}".lstrip(".")


# ---------------------------------------------------------------- data flow


def _find_last(plan: PlanSpec) -> set[str]:
    """The ids of the steps after which nothing comes but what is below them. Of a decision, each branch ends."""
    last: set[str] = set()
    todo = plan.steps[-1:]
    while todo:
        step = todo.pop()
        last.add(step.step_id)
        todo += step.children if step.step_type == "decide" else step.children[-1:]
    return last


# All steps as they run, as `walk` has them.
_Walked = Sequence[tuple[PlanStep, bool]]


def _check_inputs(walked: _Walked, steps: Iterable[PlanStep]) -> Iterator[Diagnostic]:
    """Inputs that no step before has produced (PS306, PS307, PS316)."""
    made: set[str] = set()
    missing: list[tuple[PlanStep, list[tuple[int, str]]]] = []
    for step, is_entered in walked:
        if not is_entered:
            made.update(step.outputs)
        elif not made.issuperset(step.inputs):
            missing.append((step, [(item, name) for item, name in enumerate(step.inputs) if name not in made]))
    if missing:
        yield from _check_missing(missing, steps)


def _check_missing(
    missing: Iterable[tuple[PlanStep, list[tuple[int, str]]]], steps: Iterable[PlanStep]
) -> Iterator[Diagnostic]:
    producers: dict[str, PlanStep] = {}
    for step in steps:
        for name in step.outputs:
            producers.setdefault(name, step)
    left = _COMPARED
    for step, inputs in missing:
        own = {*step.inputs, *step.outputs}
        for item, name in inputs:
            producer = producers.get(name)
            if producer is None:
                near = _find_near(name, [one for one in producers if one not in own]) if left > 0 else ""
                left -= len(producers)
                yield _check_outside(step, item, near)
                continue
            where = "the step itself" if producer is step else f"step {shorten(producer.step_id)}"
            message = f"the input `{name}` is not available yet: only {where} produces it"
            help = "move this step after it, or use another input"
            yield _found("PS306", step, "inputs", message, help, item=item)


def _check_outputs(steps: Sequence[PlanStep], outputs: Iterable[str], last: Collection[str]) -> Iterator[Diagnostic]:
    """Outputs that no step uses, but for the last ones of the flow: those of the last steps, and of steps whose inputs
    lead nowhere else (PS309)."""
    used = {name for step in steps for name in step.inputs}
    ends = [step for step in steps if step.outputs and used.isdisjoint(step.outputs)]
    used.update(name for step in ends if step.inputs or step.step_id in last for name in step.outputs)
    if used.issuperset(outputs):
        return
    for step in steps:
        for item, name in enumerate(step.outputs):
            if name not in used:
                yield _found("PS309", step, "outputs", f"no step uses the output `{name}`", item=item)


def _check_repeated(walked: _Walked, outputs: Iterable[str]) -> Iterator[Diagnostic]:
    """Outputs that are declared where others have declared them (PS308)."""
    repeated = {name for name, count in Counter(outputs).items() if count > 1}
    # What has been declared so far and counts at this step: of two branches only one runs.
    declared = Reach()
    open_ids: set[str] = set()
    for step, is_entered in walked:
        if not is_entered:
            declared.leave()
            open_ids.discard(step.step_id)
            continue
        declared.enter(step)
        open_ids.add(step.step_id)
        for item, name in enumerate(step.outputs):
            if name not in repeated:
                continue
            earlier = declared.find((name, False))
            declared.put((name, False), step)
            # A container around it declares what it passes on.
            if earlier is not None and (earlier.step is step or earlier.step.step_id not in open_ids):
                message = f"step {shorten(earlier.step.step_id)} also declares the output `{name}`"
                yield _found("PS308", step, "outputs", message, "give each output its own name", item=item)


def _check_outside(step: PlanStep, item: int, near: str) -> Diagnostic:
    """What to say of an input that no step produces, and that may be near an output."""
    message = f"no step produces the input `{step.inputs[item]}`"
    if not near:
        return _found("PS307", step, "inputs", message, item=item)
    return _found("PS316", step, "inputs", message, f"did you mean `{near}`?", item=item, replacement=near)


# How alike names are that are near each other, and how long at most; with how many others one plan's are compared.
_ALIKE, _MOST, _COMPARED = 0.81, 64, 4_000
# What tells names apart on purpose: numbers, and letters that are alone.
_TELLING = re.compile(r"[0-9]+|(?<![A-Za-z])[A-Za-z](?![A-Za-z])")


def _find_near(name: str, others: Iterable[str]) -> str:
    """The name that a misspelt one is most likely meant to be: they differ in case and in `_`, or in a letter or two
    out of many; empty where there is none."""
    word, telling = _plain(name), _TELLING.findall(name)
    near = {
        _plain(other): other
        for other in others
        if max(len(name), len(other)) <= _MOST
        and abs(len(_plain(other)) - len(word)) <= 2
        and _TELLING.findall(other) == telling
    }
    found = get_close_matches(word, near, 1, _ALIKE)
    return near[found[0]] if found else ""


def _plain(name: str) -> str:
    """A name without what is easily taken for something else."""
    return name.replace("_", "").lower()


# ---------------------------------------------------------------- single steps


def _check_steps(steps: Iterable[PlanStep], last: Collection[str]) -> Iterator[Diagnostic]:
    done = PlanStatus.DONE
    for step in steps:
        if not step.description:
            yield _found("PS312", step, "description", "it has no description", "say in one sentence what to do")
        if not step.outputs:
            if not _ARROWS.isdisjoint(step.description):
                yield from _check_arrow(step)
            # A container has those of the steps in it, and what takes something on may be where the flow ends.
            if not (step.step_type in CONTAINER_TYPES or step.children or step.inputs or step.step_id in last):
                yield _found("PS313", step, "outputs", "it declares no outputs")
        if step.detail:
            yield from _check_detail(step)
        if step.result:
            yield from _check_progress(step)
            yield from _check_code(step)
        if step.status is done:
            yield from _check_open(step)
        if step.total_count is not None and step.done_count > step.total_count:
            message = f"{step.done_count} rounds done out of {step.total_count}"
            yield _found("PS311", step, "done_count", message)


def _check_open(step: PlanStep) -> Iterator[Diagnostic]:
    """A step that is done, and has a step below it that is not (PS310)."""
    child = next((child for child in step.children if child.status in OPEN), None)
    if child is not None:
        message = f"it is done, but step {shorten(child.step_id)} below it is not"
        yield _found("PS310", step, "status", message, "mark the steps below it as done, or set it back to `[>]`")


def _check_progress(step: PlanStep) -> Iterator[Diagnostic]:
    """A segment that is read as the result, or a part of it, and looks like a progress."""
    if has_progress(step):
        return
    pieces = step.result.split(" | ")
    # In code, the bars are text.
    if len(pieces) != step.result.count("|") + 1 or step.description.count("`") % 2:
        return
    from planspec_lark.planspec.dialect import read_progress  # noqa: PLC0415  (slow to load, and many plans need none)

    for item, piece in enumerate(pieces):
        if written := read_progress(piece):
            message = f"`{piece}` is read as a result"
            help = f"if a progress is meant, write `{written}`"
            yield _found("PS320", step, "result", message, help, item=item, replacement=written)
            return


def _check_code(step: PlanStep) -> Iterator[Diagnostic]:
    """A bar that is read as the separator before the result, though it is in backticks, as those of commands are."""
    if step.description.count("`") % 2 and step.result.count("`") % 2:
        message = "the bar between the backticks is read as a separator: what is after it is the result"
        yield _found("PS321", step, "result", message, "if the bar is text, put a backslash before it: `\\|`")


def _check_detail(step: PlanStep) -> Iterator[Diagnostic]:
    """Lines of detail that are almost lines of inputs (PS305)."""
    for item, line in enumerate(step.detail):
        row = f"> {line.strip(BLANKS)}"
        if row[2:3] not in _LEFT_SIGNS:
            continue
        from planspec_lark.planspec.dialect import read_line  # noqa: PLC0415  (as above)

        reading = read_line(row)
        if reading is not None and reading.kind == "inputs" and reading.rows[0] != row:
            [written] = reading.rows
            message, help = "this line declares no inputs", f"if inputs are meant, write `{written}`"
            yield _found("PS305", step, "detail", message, help, item=item, replacement=written)


def _check_arrow(step: PlanStep) -> Iterator[Diagnostic]:
    """An arrow in a description without variables behind it, or in other signs (PS305, PS314)."""
    from planspec_lark.planspec.dialect import find_arrow  # noqa: PLC0415  (as above)

    text = step.description
    if found := find_arrow(text):
        at, names = found
        yield _miss_outputs(step, at, names)
        return
    start = text.rfind("→")
    behind = text[start + 1 :].strip(BLANKS)
    # A backslash and code say that it is text, although it has to be none.
    if start < 0 or text[:start].endswith("\\") or text.count("`", 0, start) % 2 or _is_variables(behind):
        return
    if len(behind.split()) == 1 and not {*behind} & {*"/.`"}:
        help = "if an output is meant, give it a name of ASCII letters, digits and `_`"
        message = f"`{behind[:60]}` is read as text: a variable has only ASCII letters, digits and `_`"
        yield _found("PS314", step, "description", message, help)


def _is_variables(text: str) -> bool:
    """Whether these are variables as they should be, which a backslash has made text of."""
    return grammars.pattern("planspec", "VARIABLES").fullmatch(text) is not None


def _miss_outputs(step: PlanStep, at: int, names: Iterable[str]) -> Diagnostic:
    """That what a description says from an offset on declares no outputs, and may be meant to."""
    written = f"→ {', '.join(names)}"
    help = f"if outputs are meant, write `{written}`"
    before = write_description(step.description[:at].strip(BLANKS), has_outputs=True)
    replacement = f"{before} {written}".lstrip(BLANKS)
    message = f"`{step.description[at : at + 60]}` declares no outputs"
    return _found("PS305", step, "description", message, help, replacement=replacement)


def _check_lengths(steps: Iterable[PlanStep]) -> Iterator[Diagnostic]:
    least, most = _LENGTHS
    for step in steps:
        length = len(step.description)
        if step.description and not least <= length <= most:
            help = "say in one sentence what to do and how; put the rest in `> detail` lines"
            message = f"the description has {length} characters, not {least} to {most}"
            yield _found("PS315", step, "description", message, help)
