"""What is worth saying about a plan beyond the six rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

from planspec_lark.planspec.data_flow import DataFlow, Reach, find_data_flow
from planspec_lark.planspec.dialect import find_arrow, read_line, read_progress
from planspec_lark.planspec.escapes import write_description
from planspec_lark.planspec.models import (
    BLANKS,
    CONTAINER_TYPES,
    OPEN,
    SETTLED,
    PlanSpec,
    PlanStatus,
    PlanStep,
    has_progress,
    iter_steps,
    refuse_fields,
)
from planspec_lark.planspec.tree import iter_with_parents, walk
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, shorten
from planspec_lark.syntax.fields import require_one_of

__all__ = ["OPTIONAL", "check_ids", "check_optional", "find_lint", "lint_plan", "name_fault"]

# What a variable is made of, and how a line begins that may declare inputs.
_VARIABLES = "variables are ASCII letters, digits and `_`, separated by commas"
_LEFT_SIGNS = ("<", "⇐", "⟵", "←")
# What is looked for only where it is asked for.
OPTIONAL = ("PS315",)
# How many characters of a description say what to do and how, and are still read at a glance.
_LENGTHS = (80, 130)


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
    yield from check_ids(plan)
    flow = find_data_flow(plan)
    last = _find_last(plan)
    yield from _check_data_flow(plan, flow, last)
    yield from _check_states(plan, flow)
    yield from _check_steps(plan, last)
    if "PS315" in also:
        yield from _check_lengths(plan)


def check_optional(also: Collection[str]) -> None:
    """Raise a ValueError for a code that is not among the optional ones."""
    for code in also:
        require_one_of("also", code, OPTIONAL)


def name_fault(code: str, step: PlanStep, part: str, message: str, help: str = "", **more: Any) -> Diagnostic:
    """A finding of a part of a step, whose message begins with the step's id."""
    said = f"step {shorten(step.step_id)}: {message}"
    return Diagnostic(code, said, help=help, step_id=step.step_id, part=part, **more)


# ---------------------------------------------------------------- ids


def check_ids(plan: PlanSpec) -> Iterator[Diagnostic]:
    """Steps whose parent is missing, and numbers that are left out (PS301, PS302)."""
    ids = {step.step_id for step in iter_steps(plan)}
    # The highest number so far among those right below an id.
    highest: dict[str, int] = {}
    for step, parent in iter_with_parents(plan):
        head, _, last = step.step_id.rpartition(".")
        if head and head not in ids:
            message = f"its parent step {head} does not exist"
            yield name_fault("PS301", step, "step_id", message, f"add a step {head} above it, or change its id")
        if head != (parent.step_id if parent else ""):
            continue
        # There may be a step 0.
        number, before = int(last), highest.get(head, -1)
        if number < before:
            yield name_fault("PS303", step, "step_id", f"it comes after step {_join_id(head, before)}")
            continue
        if number > max(before, 0) + 1:
            after = "it is the first step here" if before < 0 else f"the step before it is {_join_id(head, before)}"
            yield name_fault("PS302", step, "step_id", f"a number is missing before it: {after}")
        highest[head] = number


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


def _check_data_flow(plan: PlanSpec, flow: DataFlow, last: Collection[str]) -> Iterator[Diagnostic]:
    results = _find_results(plan, flow, last)
    spelling: _Spelling | None = None
    for step in iter_steps(plan):
        own: frozenset[str] = frozenset()
        for item, name in enumerate(step.inputs):
            origin = flow.origins[step.step_id][name]
            if origin is None:
                spelling = spelling or _Spelling(flow.producers)
                own = own or frozenset([*step.inputs, *step.outputs])
                yield _check_outside(step, item, spelling.find(name, without=own))
            elif origin.is_feedback:
                where = "the step itself" if origin.step is step else f"step {shorten(origin.step.step_id)}"
                message = f"the input `{name}` is not available yet: only {where} produces it"
                yield name_fault(
                    "PS306", step, "inputs", message, "move this step after it, or use another input", item=item
                )
        for item, name in enumerate(step.outputs):
            if name not in flow.consumers and name not in results:
                yield name_fault("PS309", step, "outputs", f"no step uses the output `{name}`", item=item)
    yield from _check_repeated(plan)


def _check_repeated(plan: PlanSpec) -> Iterator[Diagnostic]:
    """Outputs that are declared where others have declared them."""
    counts = Counter(name for step in iter_steps(plan) for name in step.outputs)
    repeated = {name for name, count in counts.items() if count > 1}
    if not repeated:
        return
    # What has been declared so far and counts at this step: of two branches only one runs.
    declared = Reach()
    open_ids: set[str] = set()
    for step, is_entered in walk(plan):
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
                yield name_fault("PS308", step, "outputs", message, "give each output its own name", item=item)


def _find_results(plan: PlanSpec, flow: DataFlow, last: Collection[str]) -> set[str]:
    """The last outputs of the flow: those of the last steps, and of steps whose inputs lead nowhere else."""
    results: set[str] = set()
    for step in iter_steps(plan):
        if step.outputs and (step.inputs or step.step_id in last) and flow.consumers.keys().isdisjoint(step.outputs):
            results.update(step.outputs)
    return results


def _check_outside(step: PlanStep, item: int, near: str | None) -> Diagnostic:
    """What to say of an input that no step produces, and that may be near an output."""
    message = f"no step produces the input `{step.inputs[item]}`"
    if near is None:
        return name_fault("PS307", step, "inputs", message, item=item)
    return name_fault("PS316", step, "inputs", message, f"did you mean `{near}`?", item=item, replacement=near)


# How alike names are that are near each other, and how long at most; with how many others one plan's are compared.
_ALIKE, _MOST, _COMPARED = 0.81, 64, 20_000
# What tells names apart on purpose: numbers, and letters that are alone.
_TELLING = re.compile(r"[0-9]+|(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Words whose neighbours are not to be exchanged.
_JOINING = frozenset(
    {"after", "as", "before", "by", "for", "from", "in", "of", "on", "over", "per", "to", "versus", "vs"}
)


class _Spelling:
    """Finds the name that a misspelt one is meant to be; in a plan with very many, the first ones that are asked for.

    Near each other are names that differ in case and in `_`, or in a letter or two out of many; and, after those, names
    of the same words in another order.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [(name, *_plain(name)) for name in names if len(name) <= _MOST]
        self._by_words: dict[tuple[str, ...], list[str]] = {}
        for name, _, telling in self._names:
            self._by_words.setdefault(_words_of(name, telling), []).append(name)
        self._near: dict[str, list[str]] = {}
        self._left = _COMPARED

    def find(self, name: str, without: Collection[str]) -> str | None:
        """The nearest name, but for some; None where none is near."""
        if name not in self._near:
            self._near[name] = self._look_for(name) if len(name) <= _MOST and self._left > 0 else []
        return next((near for near in self._near[name] if near not in without), None)

    def _look_for(self, name: str) -> list[str]:
        self._left -= len(self._names)
        text, telling = _plain(name)
        matcher, found = SequenceMatcher(None, "", text, autojunk=False), []
        for other, other_text, other_telling in self._names:
            if abs(len(other_text) - len(text)) <= 2 and other_telling == telling:
                matcher.set_seq1(other_text)
                if matcher.quick_ratio() >= _ALIKE and (ratio := matcher.ratio()) >= _ALIKE:
                    found.append((-ratio, other))
        return [*(other for _, other in sorted(found)), *self._by_words.get(_words_of(name, telling), [])]


def _plain(name: str) -> tuple[str, list[str]]:
    """A name without what is easily taken for something else, and what tells it from others on purpose."""
    return name.replace("_", "").lower(), _TELLING.findall(name)


def _words_of(name: str, telling: list[str]) -> tuple[str, ...]:
    """The same for all names of the same words, in whatever order, and with the same that is telling."""
    words = [word.lower() for word in _NAME_PART.findall(name)]
    return (*(words if _JOINING.intersection(words) else sorted(words)), "", *telling)


# ---------------------------------------------------------------- how far the steps have come


def _check_states(plan: PlanSpec, flow: DataFlow) -> Iterator[Diagnostic]:
    steps = [*iter_steps(plan)]
    if sum(step.status is PlanStatus.ACTIVE for step in steps) > 1:
        yield from _check_active(plan)
    done = [step for step in steps if step.status is PlanStatus.DONE and step.inputs]
    made = {name for step in steps if _is_over(step) for name in step.outputs} if done else set()
    for step in done:
        for name in step.inputs:
            origin = flow.origins[step.step_id][name]
            if origin is not None and not origin.is_feedback and name not in made:
                other = shorten(origin.step.step_id)
                message = f"it is done, but step {other}, which produces its input `{name}`, is not"
                help = f"mark step {other} as done too, or set this one back to `[ ]`"
                yield name_fault("PS318", step, "status", message, help)
                break


def _is_over(step: PlanStep) -> bool:
    """Whether nothing more is to be done in a step.

    A container is over once all steps in it are, whatever its own mark says.
    """
    return step.status in SETTLED or (bool(step.children) and all(child.status in SETTLED for child in step.children))


def _check_active(plan: PlanSpec) -> Iterator[Diagnostic]:
    # Below each step in progress that is open, the last one in progress so far.
    before: list[PlanStep | None] = [None]
    for step, is_entered in walk(plan):
        if step.status is not PlanStatus.ACTIVE:
            continue
        if not is_entered:
            before.pop()
            continue
        if before[-1] is not None:
            message = f"it is in progress, and so is step {shorten(before[-1].step_id)} next to it"
            help = "steps run one after another: set one of the two to `[x]`, `[!]` or `[ ]`"
            yield name_fault("PS317", step, "status", message, help)
        before[-1] = step
        before.append(None)


# ---------------------------------------------------------------- single steps


def _check_steps(plan: PlanSpec, last: Collection[str]) -> Iterator[Diagnostic]:
    for step in iter_steps(plan):
        if not step.description:
            yield name_fault("PS312", step, "description", "it has no description", "say in one sentence what to do")
        if not step.outputs:
            yield from _check_arrow(step)
            # A container has those of the steps in it, and what takes something on may be where the flow ends.
            if not (step.step_type in CONTAINER_TYPES or step.children or step.inputs or step.step_id in last):
                yield name_fault("PS313", step, "outputs", "it declares no outputs")
        for item, line in enumerate(step.detail):
            yield from _check_detail(step, item, line)
        yield from _check_progress(step)
        yield from _check_code(step)
        open_ids = [child.step_id for child in step.children if child.status in OPEN]
        if step.status is PlanStatus.DONE and open_ids:
            message = f"it is done, but step {shorten(open_ids[0])} below it is not"
            yield name_fault(
                "PS310", step, "status", message, "mark the steps below it as done, or set it back to `[>]`"
            )
        if step.total_count is not None and step.done_count > step.total_count:
            message = f"{step.done_count} rounds done out of {step.total_count}"
            yield name_fault("PS311", step, "done_count", message)


def _check_progress(step: PlanStep) -> Iterator[Diagnostic]:
    """A segment that is read as the result, or a part of it, and looks like a progress."""
    if has_progress(step) or not step.result:
        return
    pieces = step.result.split(" | ")
    # In code, the bars are text.
    if len(pieces) != step.result.count("|") + 1 or step.description.count("`") % 2:
        return
    for item, piece in enumerate(pieces):
        if written := read_progress(piece):
            message = f"`{piece}` is read as a result"
            help = f"if a progress is meant, write `{written}`"
            yield name_fault("PS320", step, "result", message, help, item=item, replacement=written)
            return


def _check_code(step: PlanStep) -> Iterator[Diagnostic]:
    """A bar that is read as the separator before the result, though it is in backticks, as those of commands are."""
    if step.description.count("`") % 2 and step.result.count("`") % 2:
        message = "the bar between the backticks is read as a separator: what is after it is the result"
        yield name_fault("PS321", step, "result", message, "if the bar is text, put a backslash before it: `\\|`")


def _check_detail(step: PlanStep, item: int, line: str) -> Iterator[Diagnostic]:
    """A line of detail that is almost one of inputs (PS305)."""
    reading = read_line(f"> {line.strip(BLANKS)}") if line.lstrip(BLANKS)[:1] in _LEFT_SIGNS else None
    if reading is not None and reading.kind == "inputs" and reading.rows[0] != f"> {line.strip(BLANKS)}":
        [written] = reading.rows
        message, help = "this line declares no inputs", f"if inputs are meant, write `{written}`"
        yield name_fault("PS305", step, "detail", message, help, item=item, replacement=written)


def _check_arrow(step: PlanStep) -> Iterator[Diagnostic]:
    """An arrow in a description without variables behind it, or in other signs (PS304, PS305, PS314)."""
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
        yield name_fault("PS314", step, "description", message, help)
    else:
        yield name_fault("PS304", step, "description", "the text after the arrow is not a variable list", _VARIABLES)


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
    return name_fault("PS305", step, "description", message, help, replacement=replacement)


def _check_lengths(plan: PlanSpec) -> Iterator[Diagnostic]:
    least, most = _LENGTHS
    for step in iter_steps(plan):
        length = len(step.description)
        if step.description and not least <= length <= most:
            help = "say in one sentence what to do and how; put the rest in `> detail` lines"
            message = f"the description has {length} characters, not {least} to {most}"
            yield name_fault("PS315", step, "description", message, help)
