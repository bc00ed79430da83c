"""What is worth saying about a plan beyond the six rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from attrs import evolve

from planspec_lark.planspec.answer_lines import find_elision, may_elide
from planspec_lark.planspec.data_flow import DataFlow, Reach, find_data_flow
from planspec_lark.planspec.escapes import write_description
from planspec_lark.planspec.models import (
    BLANKS,
    CONTAINER_TYPES,
    MARKS,
    OPEN,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
    make_step,
    refuse_fields,
)
from planspec_lark.planspec.near_misses import (
    LIKE_ARROW,
    NOTHING,
    RIGHT_ARROW,
    SPACES,
    find_inputs,
    find_outputs,
    is_quoted,
    repair_header,
    variables_of,
)
from planspec_lark.planspec.step_repair import find_bar, find_progress, may_have_progress, read_status
from planspec_lark.planspec.tree import iter_with_parents, walk
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, shorten

__all__ = [
    "OPTIONAL",
    "check_optional",
    "find_doubtful",
    "find_gaps",
    "find_lint",
    "find_placeholders",
    "lint_plan",
    "looks_like_flow",
    "looks_like_outputs",
]

# What is looked for only where it is asked for.
OPTIONAL = ("PS315",)
# How many characters of a description say what to do and how, and are still read at a glance.
_LENGTHS = (80, 130)

_OVER = (PlanStatus.DONE, PlanStatus.SKIPPED)


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
    # What is said of the title comes first.
    try:
        places = {"": -1, **{step.step_id: at for at, step in enumerate(iter_steps(plan))}}
        return sorted(find_lint(plan, also), key=lambda diagnostic: places[diagnostic.step_id])
    except (AttributeError, TypeError):
        # As in check_rules.
        refuse_fields(plan)
        raise


def find_lint(plan: PlanSpec, also: Collection[str]) -> Iterator[Diagnostic]:
    """The same one by one, in no order."""
    check_optional(also)
    yield from _check_title(plan)
    yield from _check_ids(plan)
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
        if code not in OPTIONAL:
            raise ValueError(f"also: {code!r} is not one of {', '.join(OPTIONAL)}")


def _found(code: str, step: PlanStep, part: str, message: str, help: str = "", **more: Any) -> Diagnostic:
    said = f"step {shorten(step.step_id)}: {message}"
    return Diagnostic(code, said, help=help, step_id=step.step_id, part=part, **more)


# ---------------------------------------------------------------- title


# What a title says of a plan that does not hold, or not yet: at its beginning, in brackets or behind a dash.
_NO_PLAN = re.compile(
    r"(?i)(?:\A\W*|[-–—(（:：\[【] ?|, ?)(?:(?:rough |first )?drafts?(?! (?:due|of|for))\b|rejected\b|superseded\b"
    r"|replaced by\b|obsolete\b|outdated\b|withdrawn\b|cancell?ed\b|void\b"
    r"|not (?:yet )?(?:agreed|approved|final|released)\b|not yet(?=\W*\Z)|old(?: plan\b|(?=\)))|only if\b|if it\b"
    r"|do not (?:use|run|follow)\b"
    r"|草案|草稿|作废|已废弃|已取代|未批准|未定稿|不再使用)(?=\W*\Z|[\s)）:：\]】,，;；.-])"
)


def _check_title(plan: PlanSpec) -> Iterator[Diagnostic]:
    """A title that says of the plan that it does not hold."""
    if (match := _NO_PLAN.search(plan.title)) is not None:
        said = match[0].strip(" -–—(（:：[【,")
        message = f"the title says `{said}`: the plan may not be one to act on"
        yield Diagnostic("PS322", message, help="act on the plan that holds, or change the title", part="title")


# ---------------------------------------------------------------- ids


def _check_ids(plan: PlanSpec) -> Iterator[Diagnostic]:
    ids = {step.step_id for step in iter_steps(plan)}
    # The highest number so far among those right below an id.
    highest: dict[str, int] = {}
    for step, parent in iter_with_parents(plan):
        head, _, last = step.step_id.rpartition(".")
        if head and head not in ids:
            message = f"its parent step {head} does not exist"
            yield _found("PS301", step, "step_id", message, f"add a step {head} above it, or change its id")
        if head != (parent.step_id if parent else ""):
            continue
        # There may be a step 0.
        number, before = int(last), highest.get(head, -1)
        if number < before:
            yield _found("PS303", step, "step_id", f"it comes after step {_join_id(head, before)}")
            continue
        if number > max(before, 0) + 1:
            after = "it is the first step here" if before < 0 else f"the step before it is {_join_id(head, before)}"
            yield _found("PS302", step, "step_id", f"a number is missing before it: {after}")
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
                yield _found(
                    "PS306", step, "inputs", message, "move this step after it, or use another input", item=item
                )
        for item, name in enumerate(step.outputs):
            if name not in flow.consumers and name not in results:
                yield _found("PS309", step, "outputs", f"no step uses the output `{name}`", item=item)
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
                yield _found("PS308", step, "outputs", message, "give each output its own name", item=item)


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
        return _found("PS307", step, "inputs", message, item=item)
    return _found("PS316", step, "inputs", message, f"did you mean `{near}`?", item=item, replacement=near)


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
    if all(step.status is not PlanStatus.DONE or not step.inputs for step in steps):
        return
    # A container is over once all steps in it are, whatever its own mark says.
    made = {
        name
        for step in steps
        if step.outputs
        and (step.status in _OVER or (step.children and all(child.status in _OVER for child in step.children)))
        for name in step.outputs
    }
    for step in steps:
        for name in step.inputs if step.status is PlanStatus.DONE else ():
            origin = flow.origins[step.step_id][name]
            if origin is not None and not origin.is_feedback and name not in made:
                other = shorten(origin.step.step_id)
                message = f"it is done, but step {other}, which produces its input `{name}`, is not"
                help = f"mark step {other} as done too, or set this one back to `[ ]`"
                yield _found("PS318", step, "status", message, help)
                break


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
            yield _found("PS317", step, "status", message, help)
        before[-1] = step
        before.append(None)


# ---------------------------------------------------------------- single steps


def _check_steps(plan: PlanSpec, last: Collection[str]) -> Iterator[Diagnostic]:
    for step in iter_steps(plan):
        if not step.description:
            yield _found("PS312", step, "description", "it has no description", "say in one sentence what to do")
        if not step.outputs:
            yield from _check_arrow(step)
            # A container has those of the steps in it, and what takes something on may be where the flow ends.
            if not (step.step_type in CONTAINER_TYPES or step.children or step.inputs or step.step_id in last):
                yield _found("PS313", step, "outputs", "it declares no outputs")
        for item, line in enumerate(step.detail):
            yield from _check_detail(step, item, line)
        yield from _check_progress(step)
        yield from _check_code(step)
        open_ids = [child.step_id for child in step.children if child.status in OPEN]
        if step.status is PlanStatus.DONE and open_ids:
            message = f"it is done, but step {shorten(open_ids[0])} below it is not"
            yield _found("PS310", step, "status", message, "mark the steps below it as done, or set it back to `[>]`")
        if step.total_count is not None and step.done_count > step.total_count:
            message = f"{step.done_count} rounds done out of {step.total_count}"
            yield _found("PS311", step, "done_count", message)


def _check_progress(step: PlanStep) -> Iterator[Diagnostic]:
    """A segment that is read as the result, or a part of it, or as text, and looks like a progress."""
    if step.total_count is not None or step.done_count:
        return
    if not step.outputs and (bar := find_bar(step.description)):
        at, written = bar
        message, help = f"`{step.description[at:]}` is read as text", f"if a progress is meant, write ` | {written}`"
        # What is before it may have its outputs.
        front = write_description(step.description[:at].rstrip(SPACES), has_outputs=True)
        yield _found("PS320", step, "description", message, help, replacement=f"{front} | {written}")
        return
    pieces = step.result.split(" | ")
    # In code, the bars are text.
    if len(pieces) != step.result.count("|") + 1 or step.description.count("`") % 2:
        return
    for item, piece in enumerate(pieces):
        if written := find_progress(piece):
            message = f"`{piece}` is read as a result"
            help = f"if a progress is meant, write `{written}`"
            yield _found("PS320", step, "result", message, help, item=item, replacement=written)
            return


def _check_code(step: PlanStep) -> Iterator[Diagnostic]:
    """A bar that is read as the separator before the result, though it is in backticks, as those of commands are."""
    if step.description.count("`") % 2 and step.result.count("`") % 2:
        message = "the bar between the backticks is read as a separator: what is after it is the result"
        yield _found("PS321", step, "result", message, "if the bar is text, put a backslash before it: `\\|`")


def _check_detail(step: PlanStep, item: int, line: str) -> Iterator[Diagnostic]:
    behind = line.strip(BLANKS)[1:]
    if almost := find_inputs(line):
        code, written, why = "PS305", f"> {almost.written}", ""
    elif line.lstrip(BLANKS).startswith("←") and not _is_list(behind) and (names := _read_names(behind)):
        code, written, why = "PS319", f"> ← {', '.join(names)}", f": {_VARIABLES}"
    else:
        return
    help = f"if inputs are meant, write `{written}`{why}"
    yield _found(code, step, "detail", "this line declares no inputs", help, item=item, replacement=written)


def _is_list(text: str) -> bool:
    """Whether these are variables as they should be, which a backslash has made text of."""
    return grammars.pattern("planspec", "VARIABLES").fullmatch(text.strip(BLANKS)) is not None


def _check_arrow(step: PlanStep) -> Iterator[Diagnostic]:
    text = step.description
    start = text.rfind("→")
    if almost := find_outputs(text):
        yield _miss_outputs("PS305", step, almost.start, text[almost.start :], almost.written)
        return
    behind = text[start + 1 :].strip(BLANKS)
    # A backslash, code and quotes say that it is text, although it has to be none.
    if start < 0 or text[:start].endswith("\\") or _is_list(behind) or is_quoted(text, start):
        return
    if names := _read_names(behind, is_phrase_text=step.step_type == "decide"):
        yield _miss_outputs("PS319", step, start, f"→ {behind}", f"→ {', '.join(names)}", f": {_VARIABLES}")
    elif len(behind.split()) == 1:
        help = "if an output is meant, give it a name of ASCII letters, digits and `_`"
        message = f"`{behind[:60]}` is read as text: a variable has only ASCII letters, digits and `_`"
        yield _found("PS314", step, "description", message, help)
    else:
        yield _found("PS304", step, "description", "the text after the arrow is not a variable list", _VARIABLES)


def _miss_outputs(  # noqa: PLR0913, PLR0917  (what there is to say of an arrow)
    code: str, step: PlanStep, at: int, said: str, written: str, why: str = ""
) -> Diagnostic:
    """That what a description says from an offset on declares no outputs, and may be meant to."""
    help = f"if outputs are meant, write `{written}`{why}"
    before = write_description(step.description[:at].strip(BLANKS), has_outputs=True)
    replacement = f"{before} {written}".lstrip(BLANKS)
    return _found(code, step, "description", f"`{said[:60]}` declares no outputs", help, replacement=replacement)


def looks_like_outputs(description: str) -> bool:
    """Whether a description ends with what is almost an arrow with a variable list (PS305, PS319)."""
    step = make_step("1", "", "act", description)
    return any(found.code in ("PS305", "PS319") for found in _check_arrow(step))


def find_doubtful(plan: PlanSpec) -> Iterator[Diagnostic]:
    """What is text in a plan, and may be meant otherwise where a text is not strictly one.

    That is what is almost a variable list after an arrow, a word for a status in brackets, a bar in backticks, and what
    a title says of the plan.
    """
    yield from _check_title(plan)
    if plan.title.endswith(("?", "？")):
        yield Diagnostic("PS127", "the title asks something", help="write what the plan is about", part="title")
    if plan.title and (header := repair_header(f"## {plan.title}")) and not header[1].startswith("# "):
        message = "the title is written as the header of another part of the plan"
        yield Diagnostic("PS104", message, Severity.ERROR, help="write `Goal: Text`, or another title", part="title")
    steps = [*iter_steps(plan)]
    # Most plans have none of these signs, which is seen at once.
    said = "".join([plan.goal, *[step.description for step in steps]])
    yield from _find_almost_lists(steps, said)
    yield from _find_hidden_flow(steps, said)
    yield from _find_hidden_inputs(steps)
    yield from _find_hidden_parts(steps, said)
    yield from _find_hidden_statuses(steps, said)
    if "[" in said or "【" in said:
        texts = [("goal", plan.goal, "")] + [("description", step.description, step.step_id) for step in steps]
        for part, text, step_id in texts:
            if (hint := _BLANK.search(text)) is not None:
                message = f"{step_id and f'step {shorten(step_id)}: '}`{hint[0]}` stands for a text that is missing"
                yield Diagnostic("PS127", message, help=_WRITE, step_id=step_id, part=part)
    yield from _find_half_read(steps, said)


def _find_hidden_parts(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Bars in backticks, steps in detail, and progress inside a text."""
    is_said = may_have_progress(said)
    for step in steps:
        if step.result:
            yield from _check_code(step)
        if (is_said or step.result) and (step.done_count, step.total_count) == (0, None):
            yield from _find_hidden_progress(step)
        for item, line in enumerate(step.detail):
            if _STEP_IN_DETAIL.match(line) is not None:
                message = f"step {shorten(step.step_id)}: the detail `{line[:60]}` may be meant as a step"
                help = "write the step on a line of its own, without `>`"
                yield Diagnostic("PS127", message, help=help, step_id=step.step_id, part="detail", item=item)


# Inputs behind another arrow in the line of a step.
_FOREIGN_INPUTS = re.compile(r"(?:<[-=]|⇐)[ \t]*(?P<names>[\w, ]+)\)?\Z")
# How a line of detail begins that has the number and the type of a step, or a check box and a number below one.
_STEP_IN_DETAIL = re.compile(
    rf"[^\w\[［【]{{0,6}}[0-9]+(?:\.[0-9]+)*[.)、]?[^\w\[［【]{{0,6}}[\[［【](?:{'|'.join(STEP_TYPES)})[\]］】]"
    r"|(?:\[[ xX]\]|[☐☑]) *[0-9]+\.[0-9]+\b"
)


# A number as of a step, or what is announced and does not follow.
_NUMBER_IN_FRONT = re.compile(r"(?:[0-9]+(?:\.[0-9]+)*[.)、]|\[[xX ]\])[ \t]")

# A number behind the end of a clause, as one of the next step in the same line has it; a list of its own begins with 1.
_FIRST_INSIDE = re.compile(r"(?<![0-9])1[.)）、]")
_NUMBER_INSIDE = re.compile(
    r"(?:[;；,，.。][ \t]*|[ \t][(（]?(?=[0-9]+[)）]))(?P<number>[0-9]{1,3})"
    r"(?:[)）、][ \t]*[^\W\d]|\.[ \t]*[A-Z\u3400-\u9fff])"
)

# A label of what is no step.
_FACT = re.compile(r"(?i)(?:owner|effort|duration|goal|deadline|负责人|工时|目标|截止)\s*[:：]")


def _find_half_read(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Descriptions that begin with another id or mark, hold the next number, or end with a colon without more."""
    has_numbers = re.search(r"[0-9][.)）、]", said) is not None
    for step in steps:
        text = step.description
        if _NUMBER_IN_FRONT.match(text) is not None:
            message, help = f"`{text[:60]}` begins as a step does", "write the id and the mark once each"
            yield _found("PS127", step, "description", message, help)
        elif (
            has_numbers
            and (inside := _NUMBER_INSIDE.search(text))
            and int(inside["number"]) == int(step.step_id.rpartition(".")[2]) + 1
        ):
            message = f"`{inside[0]}` inside the description may begin the next step"
            yield _found("PS127", step, "description", message, "write each step on a line of its own")
        elif _FACT.match(text) is not None:
            yield _found("PS127", step, "description", f"`{text[:60]}` tells something, and is no step", _WRITE)
        elif text.endswith((":", "：")) and not (step.detail or step.children or step.outputs):
            yield _found("PS127", step, "description", f"nothing follows after `{text[-60:]}`", _WRITE)


def _find_almost_lists(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """What is almost a variable list after an arrow, in descriptions (all of them are ``said``) and detail."""
    for step in steps if "→" in said else ():
        if not step.outputs and "→" in step.description:
            yield from (found for found in _check_arrow(step) if found.code == "PS319")
    for step in steps if "←" in said else ():
        _, arrow, behind = step.description.rpartition("←")
        if arrow and _is_list(behind):
            help = f"if inputs are meant, write `> ← {behind.strip(BLANKS)}` on the next line"
            yield _found("PS319", step, "description", f"`← {behind.strip(BLANKS)[:60]}` declares no inputs", help)
    for step in steps if "<" in said or "⇐" in said else ():
        match = _FOREIGN_INPUTS.search(step.description)
        if match is not None and _is_list(match["names"]):
            help = f"if inputs are meant, write `> ← {match['names']}` on the next line"
            yield _found("PS319", step, "description", f"`{match[0][:60]}` declares no inputs", help)
    for step in steps:
        for item, line in enumerate(step.detail):
            if "←" in line:
                yield from (found for found in _check_detail(step, item, line) if found.code == "PS319")


# A line of detail with an arrow or a label as one of inputs or outputs has it, and what is behind it.
_FLOW_DETAIL = re.compile(
    r"(?i)[-*+•`_ ]{0,5}(?:(?P<arrow>[←⟵⬅]\ufe0f?|\$?\\leftarrow\b\$?|&larr;)|<[-=]{1,2}|⇐"
    r"|(?:(?P<inputs>input(?:\(s\)|s?)|输入)|(?P<outputs>output(?:\(s\)|s?)|produces|输出|产出)"
    r"|needs|requires|depends on|based on|uses?|in|依赖|需要|使用)[*_`]{0,3} ?[:：])(?P<said>.*)"
)
# One of these is in each such line.
_FLOW_SIGNS = (":", "：", "<", "\\", "&", "←", "⟵", "⬅", "⇐")
_STEP_BEHIND = re.compile(
    r"(?i)\bsteps? ?#?(?:[0-9]|one|two|three|four|five)|步骤 ?[0-9一二三四五六七八九]|第.{1,3}步"
    r"|\A\W*[0-9]+(?:\.[0-9]+)*\W*\Z|#[0-9]"
)
_NAME_BEHIND = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[\s(（.,;，；、]|\Z)")
_IDENTIFIER = re.compile(r"(?a)[A-Za-z_]\w*")
# Lines below a label that may be the list of it.
_NEXT = 8


def looks_like_flow(line: str) -> bool:
    """Whether a line of detail begins as one of inputs or outputs does."""
    return _FLOW_DETAIL.match(line) is not None


def _find_hidden_inputs(steps: Sequence[PlanStep]) -> Iterator[Diagnostic]:
    """Inputs and outputs that became detail, as more than variables is said of them."""
    said = "".join([line for step in steps for line in step.detail])
    if not any(map(said.__contains__, _FLOW_SIGNS)):
        return
    rows = [(step, item, line) for step in steps for item, line in enumerate(step.detail)]
    labelled = [(*row, match) for row in rows if (match := _FLOW_DETAIL.match(row[2]))]
    known = {name for step in steps for name in step.outputs} if labelled else set()
    for step, item, line, match in labelled:
        said = match["said"][:_LIST].strip(f"{BLANKS}*`")
        below = said or "\n".join(step.detail[item + 1 : item + 1 + _NEXT])[:_LIST]
        listed = _IDENTIFIER.findall(below)
        names = [name for name in listed if name in known] or _read_names(said) or []
        is_list = bool(names) and variables_of(said.rstrip(".。")) is not None
        is_list = is_list and said.rstrip(".。").lower() not in NOTHING
        is_known = any(name in known for name in listed)
        is_meant = is_known or (match["inputs"] is not None and is_list) or _STEP_BEHIND.search(below) is not None
        if match["outputs"]:
            is_meant = (is_list and not step.outputs) or any(name in known.difference(step.outputs) for name in listed)
        elif match["arrow"]:
            # A backslash says that the line is text; another finding names one that is almost a list.
            is_text = (_is_list(said) and line.startswith("←")) or any(_check_detail(step, item, line))
            is_meant = not is_text and (is_meant or _NAME_BEHIND.match(said) is not None)
        if is_meant:
            what, arrow = ("outputs", "→") if match["outputs"] else ("inputs", "> ←")
            written = f"{arrow} {', '.join(dict.fromkeys(names))}" if names else f"{arrow} name"
            place = " at the end of the step line" if match["outputs"] else ""
            help = f"if {what} are meant, write `{written}`{place}: {_VARIABLES}"
            yield _found("PS319", step, "detail", f"`{line[:60]}` declares no {what}", help, item=item)


# A label of inputs or outputs with a list behind it that ends a text, and such a label behind an arrow.
_FLOW_LABEL = r"(?:(?P<inputs>inputs?|输入)|outputs?|produces|输出|产出)[*_`]{0,3} ?[:：][ *_`]{0,4}"
_ITEM = r"[`*]{0,2}[A-Za-z_][A-Za-z0-9_]*[`*]{0,2}"
_LABELLED_FLOW = re.compile(
    rf"(?i)(?<![^\s(（\[【;；:：,，.。|*_`—–-]){_FLOW_LABEL}"
    rf"(?P<names>{_ITEM}(?:(?: ?[,，、;；&] ?| and | ?和 ?){_ITEM}){{0,20}})[)）\]】.。*_` ]{{0,4}}\Z"
)
_FLOW_WORDS = ("put", "produces", "输入", "输出", "产出")
_BEHIND_ARROW = re.compile(
    rf"(?i)[*_`]{{0,3}}{_FLOW_LABEL}|[<{{«]|(?P<names>[\w, ，、*`]+)[(（\[][^()（）\[\]]*[)）\]]\W*\Z"
)
_RIGHT_ARROW = re.compile(f"{RIGHT_ARROW}|{LIKE_ARROW}")
_LIKE_ARROW = re.compile(LIKE_ARROW)
_ARROW_SIGNS = re.compile(r"[→⇒➔➜-➞➡⟶⮕🡒]")


def _find_hidden_flow(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Inputs and outputs in the line of a step, or in its result, that are text to the format."""
    told = "\n".join(filter(None, [step.result for step in steps]))
    # Each is looked for as what is found soonest.
    has_arrows = any(map(said.__contains__, ">\\&")) or (not said.isascii() and _ARROW_SIGNS.search(said) is not None)
    texts = f"{said}\n{told}".lower() if ":" in said or ":" in told or not (said.isascii() and told.isascii()) else ""
    has_labels = any(map(texts.__contains__, _FLOW_WORDS))
    known = {name for step in steps for name in (*step.inputs, *step.outputs)} if has_arrows or has_labels else set()
    for step in steps if has_arrows or has_labels or "→" in told or "_" in said else ():
        behind = [*_check_behind_arrow(step, known)] if has_arrows and not step.outputs else []
        yield from behind
        if step.outputs and step.outputs[-1].endswith("_") and re.search(r"(?<!\S)_{1,2}\Z", step.description):
            names = [name.rstrip("_") for name in step.outputs]
            help = f"write `→ {', '.join(names)}` without marks around it"
            yield _found("PS319", step, "outputs", f"`{step.outputs[-1]}` has marks in its name", help)
        for part, text in (("description", step.description[-_LIST:]), ("result", step.result[-_LIST:])):
            match = _LABELLED_FLOW.search(text) if has_labels else None
            names = (_read_names(match["names"]) or []) if match else []
            # In a sentence, these may be words like any others.
            is_set_off = match is not None and not text[: match.start()].rstrip(BLANKS)[-1:].isalnum()
            is_meant = is_set_off or (match is not None and _are_variables(match["names"], names, known))
            if match is not None and is_meant and not behind and (match["inputs"] or not step.outputs):
                what, arrow = ("inputs", "> ←") if match["inputs"] else ("outputs", "→")
                place = "on the next line" if match["inputs"] else "at the end of the description"
                help = f"if {what} are meant, write `{arrow} {', '.join(names)}` {place}"
                yield _found("PS319", step, part, f"`{match[0][:60]}` declares no {what}", help)
        if step.result.startswith("→") and not step.outputs and (names := variables_of(step.result[1:]) or []):
            help = f"if outputs are meant, write `→ {', '.join(names)}` before the bar"
            yield _found("PS319", step, "result", f"`{step.result[:60]}` declares no outputs", help)


def _are_variables(said: str, names: Collection[str], known: Collection[str]) -> bool:
    """Whether one of these names, as they are said, is a variable of the plan, or can be nothing else."""
    return any(name in known for name in names) or (bool(names) and "_" in said.strip("_"))


def _check_behind_arrow(step: PlanStep, known: Collection[str]) -> Iterator[Diagnostic]:
    """A list behind an arrow with brackets around it, a label before it, or a remark or signs behind it.

    What is behind an arrow of another kind may be a list as it is.
    """
    text = step.description
    arrow = max(_RIGHT_ARROW.finditer(text), key=lambda one: one.end(), default=None)
    at, end = arrow.span() if arrow else (text.rfind("→"), text.rfind("→") + 1)
    behind = text[end:].strip(f"{SPACES}*")
    is_like = at >= 0 and _LIKE_ARROW.match(text, at) is not None
    is_list = _is_list(behind) and not is_like
    is_text = at < 0 or text[:at].endswith("\\") or is_quoted(text, at)
    if is_text or is_list or find_outputs(text) or len(behind) > _LIST:
        return
    match, is_foreign = _BEHIND_ARROW.match(behind), "→" not in text[at:end]
    listed = re.sub(r"\W+\Z", "", behind)
    if not is_foreign and ((match is None and listed == behind) or _read_names(behind)):
        return
    if match is not None:
        listed = match["names"] or behind[match.end() :]
    is_phrase_text = step.step_type == "decide" or match is not None
    listed = listed.strip("<>{}«»* ")
    names = _read_names(listed, is_phrase_text=is_phrase_text) or []
    if (is_like and names) or _are_variables(listed, names, known):
        yield _miss_outputs("PS319", step, at, text[at:], f"→ {', '.join(names)}", f": {_VARIABLES}")


# What is still to be written.
_WHAT = "(?:steps?|text|goal|tasks?|title|description|content|details?|constraints?)"
# What stands for a text that is still to be written: dots, a hint in brackets, a word for it.
_PLACEHOLDER = re.compile(
    r"\W*(?:\.{3,}|…|⋮)\W*|<[^<>]+>|\[[^\[\]]+\]|\{[^{}]+\}"
    r"|(?i:todo|tbd|tba|n/a|to be (?:determined|defined))\b\W*|待[定补填]充?\W*"
    rf"|(?i:(?:your|next) {_WHAT} (?:goes )?here"
    rf"|(?:insert|add|write|put|enter) (?:(?:your|the|an?) )?{_WHAT} here)\W*|[?？–—-]+"
)
# A blank to be filled in; inside a name, three are none.
_GAP = re.compile(r"_{4,}|(?<![A-Za-z0-9_])___(?![A-Za-z0-9_])")
# A hint in brackets inside a text, which is no link.
_HINTED = "name|date|time|place|amount|number|client|address|email|nombre|fecha|número|datum"
_BLANK = re.compile(
    rf"(?i)\[(?:(?:[^\W\d_]+ ){{1,5}}[^\W\d_]+|{_HINTED}|姓名|名称|日期|时间|地点|金额|数量|人数)\](?![(\[])"
    r"|(?<=.)【[^【】]{1,12}】"
)
_BEGINS_PLACEHOLDER = re.compile(r"\n(?:[^\w\n]|[tT][oObB]|[nN]/|待)")
# A goal that is said elsewhere.
_ELSEWHERE = re.compile(
    r"(?i)(?:see|same as|as in) (?:above|before|your|the (?:last|previous|first|above)|my)\b.*"
    r"|[同见如](?:上|前|您|你|原)(?!所愿).*"
)
# Characters of a hint, at most, and what to do about one.
_HINT, _WRITE = 120, "write what is meant"


def find_placeholders(plan: PlanSpec) -> Iterator[Diagnostic]:
    """Parts of a plan whose text stands for one that is missing."""
    steps = [*iter_steps(plan)]
    said = "\n".join(["", plan.title, plan.goal, *plan.constraints, *[step.description for step in steps]])
    is_elided = may_elide(said)
    # Most plans have no such text, which is seen at once.
    is_elsewhere = _ELSEWHERE.fullmatch(plan.goal) is not None
    if not (is_elided or is_elsewhere or "___" in said or " here" in said or _BEGINS_PLACEHOLDER.search(said)):
        return
    texts: list[tuple[str, str, int | None, str]] = [("title", plan.title, None, ""), ("goal", plan.goal, None, "")]
    texts += [("constraints", text, item, "") for item, text in enumerate(plan.constraints)]
    texts += [("description", step.description, None, step.step_id) for step in steps]
    # A hint is short.
    texts = [row for row in texts if len(row[1]) <= _HINT]
    for part, text, item, step_id in texts:
        is_missing = is_elsewhere and part == "goal"
        if is_missing or _is_placeholder(text, is_elided=is_elided) or _GAP.search(text):
            message = f"{step_id and f'step {shorten(step_id)}: '}`{text}` stands for a text that is missing"
            yield Diagnostic("PS127", message, help=_WRITE, step_id=step_id, part=part, item=item)


def _is_placeholder(text: str, *, is_elided: bool) -> bool:
    return _PLACEHOLDER.fullmatch(text) is not None or (is_elided and find_elision(text))


def find_gaps(plan: PlanSpec) -> Iterator[Diagnostic]:
    """That the first step is not number 1, or that a number is left out: there may be other steps before it."""
    # Most plans leave none out, which is seen far sooner than what an id is.
    if _is_counted_through(plan):
        return
    first = plan.steps[0].step_id if plan.steps else ""
    for found in _check_ids(plan):
        if found.code == "PS302" and found.step_id == first:
            message = f"the first step is {first}: there may be others before it"
            yield Diagnostic("PS127", message, help="ask for the whole plan", step_id=first, part="step_id")
        elif found.code == "PS302":
            yield evolve(found, severity=Severity.ERROR)


def _is_counted_through(plan: PlanSpec) -> bool:
    """Whether the steps below each other one are counted from 1."""
    last: dict[str, int] = {}
    for step in iter_steps(plan):
        head, _, number = step.step_id.rpartition(".")
        last[head] = expected = last.get(head, 0) + 1
        if number != str(expected):
            return False
    return True


# One sign in brackets after a word is an argument.
_WORD = r"(?:(?<![A-Za-z0-9_])|(?=.[^()（）\[\]【】]{2}))[(（\[【]([^()（）\[\]【】]{1,20})[)）\]】]"
_NOT_DONE = re.compile(r"(?i)not (?:yet )?(?:done|started|begun|finished)|未完成|尚未")
_OPENING = "(（[【"
# A word for a status at the end, set off from the rest or in capitals.
_BEFORE_STATUS = ("DONE", "WIP", "**", " - ", "–", "—", "✅", "✓", "✔", "☑")
_STATUS_AT_END = re.compile(
    r"(?:(?<!to )(?<!as )(?<!the )\*\*| [-–—] ?|[✅✓✔☑]\ufe0f? ?|(?<!to )(?<!as )(?<!the )\b(?=(?:DONE|WIP)\W*\Z))"
    r"(?P<word>[^\W\d_]++(?: [^\W\d_]++)?+)\W*\Z"
)
_ALSO_STATUS = re.compile(r"(?i)wip|on hold|paused|(?:做|办|弄|已)(?:完|好|妥)了?|搞定了?")
_IN_BRACKETS = re.compile(rf"\A\W*{_WORD}|{_WORD}\W*\Z")


_PROGRESS_INSIDE = re.compile(
    r"(?i)(?:(?<![\w\\])progress|进度)[*_` ]{0,4}[:：=][*_` ]{0,4}"
    r"[0-9]{1,9} ?(?:[/／]|of) ?[0-9]{1,9}[)\]）】*_`.。]{0,4}\Z"
)


def _find_hidden_progress(step: PlanStep) -> Iterator[Diagnostic]:
    """A progress at the end of a description or a result that is a part of it."""
    for part, text in (("description", step.description), ("result", step.result)):
        is_there = may_have_progress(text) and not text.startswith("Progress:")
        match = _PROGRESS_INSIDE.search(text) if is_there else None
        if match is not None and not is_quoted(text, match.start()):
            message = f"`{match[0][:60]}` in the {part} may be meant as the progress"
            help = "write it at the end of the step line, such as ` | Progress: 1/3`"
            yield _found("PS115", step, part, message, help, severity=Severity.ERROR)


# What shows how something stands, and has a meaning only where a legend gives it one.
_SIGNALS = frozenset("🔴🟠🟡🟢🔵🟣⚪⚫🟥🟧🟨🟩🟦🟪⬜⬛✅❌⏸⛔🛑✖✗❓🚧🔒👎✓✔☑☐⏳⌛🔄🚫⏭")


def _find_hidden_statuses(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """What may be meant as a status in descriptions; all of them are in ``said``, where most have no such sign."""
    if any(map(said.__contains__, _OPENING)):
        for step in steps:
            yield from _find_hidden_status(step)
    if any(map(said.__contains__, _BEFORE_STATUS)):
        for step in steps:
            if (ending := _STATUS_AT_END.search(step.description)) is not None and _may_be_status(ending["word"]):
                yield _hide_status(step, ending["word"])
    for step in () if said.isascii() else steps:
        yield from _find_signal(step)


def _find_signal(step: PlanStep) -> Iterator[Diagnostic]:
    """A sign in a colour at the beginning or the end of a description."""
    text = step.description.strip("\ufe0f ()（）[]")
    if not _SIGNALS.isdisjoint((text[:1], text[-1:])):
        help = "write a mark after the id, such as `[x]` for done, or say in a legend what the sign means"
        message = "a sign in a colour in the description may be meant as a status"
        yield _found("PS111", step, "description", message, help, severity=Severity.ERROR)


def _find_hidden_status(step: PlanStep) -> Iterator[Diagnostic]:
    """A word for a status in brackets at an end of a description."""
    for match in _IN_BRACKETS.finditer(step.description):
        word = match[1] or match[2]
        mark = " " if _NOT_DONE.match(word) else read_status(word)
        if mark not in (None, MARKS[step.status]) or (mark is None and _may_be_status(word)):
            yield _hide_status(step, word)


def _may_be_status(word: str) -> bool:
    """Whether a word stands for a status, or for what is nearly one."""
    told = re.sub(r"(?i)\A(?:already|now|still) ", "", word)
    return bool(told.strip()) and (read_status(told) is not None or _ALSO_STATUS.fullmatch(told) is not None)


def _hide_status(step: PlanStep, word: str) -> Diagnostic:
    help = "write a mark after the id, such as `[x]` for done"
    message = f"`{word}` in the description may be meant as a status"
    return _found("PS111", step, "description", message, help, severity=Severity.ERROR)


_VARIABLES = "variables are ASCII letters, digits and `_`, separated by commas"
# What such a list has between its names, before them and after them; and the words of one of them.
_BETWEEN = r" *(?:[,，、;；&+/]| and ) *"
_AROUND = f"{BLANKS}.,;。，；、[](){{}}`\"'"
_NAME = re.compile(r"(?a)(?=[^A-Za-z]*[A-Za-z])[\w.-]+")
# How long a list is at most, and how many words one of its names has.
_LIST, _PHRASE = 200, 3
# Words that make a sentence, or a jump, of what is after an arrow.
_PROSE = re.compile(
    r"(?i)(?:a|an|the|th[ei]s|that|these|those|its?|them|they|s?he|we|you|i|is|are|was|be|been|has|have|had|will|would"
    r"|can|could|should|must|may|not?|if|else|then|when|while|until|unless|because|so|or|but|to|from|of|in|on|at|by|with"
    r"|for|into|onto|over|back|again|up|down|out|off|here|there|all|any|each|every|only|also|too|go|goto|stop|skip|retry"
    r"|repeat|continue|break|return|exit|leave|jump|end|abort|finish|proceed|wait|try|start|done)"
)


def _read_names(text: str, *, is_phrase_text: bool = False) -> list[str] | None:
    """The variables that are meant by what is almost a list of them: `my report`, `2nd_draft`, `a, b c`.

    A sentence is not such a list; with ``is_phrase_text``, neither is one with a name of several words.
    """
    if len(text) > _LIST:
        return None
    names = []
    for item in re.split(_BETWEEN, text.strip(_AROUND)):
        words = item.strip(_AROUND).split() or [""]
        is_name = len(words) <= (1 if is_phrase_text else _PHRASE) and all(map(_NAME.fullmatch, words))
        if not is_name or (len(words) > 1 and any(map(_PROSE.fullmatch, words))):
            return None
        name = re.sub(r"[.-]+", "_", "_".join(words)).strip("_")
        names.append(f"_{name}" if name[0].isdigit() else name)
    return names


def _check_lengths(plan: PlanSpec) -> Iterator[Diagnostic]:
    least, most = _LENGTHS
    for step in iter_steps(plan):
        length = len(step.description)
        if step.description and not least <= length <= most:
            help = "say in one sentence what to do and how; put the rest in `> detail` lines"
            message = f"the description has {length} characters, not {least} to {most}"
            yield _found("PS315", step, "description", message, help)
