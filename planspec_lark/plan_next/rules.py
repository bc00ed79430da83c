"""What makes a message a good one, as far as the message alone can tell.

The rules look at a message as a JSON value, so that they speak as well where a field is missing or of a wrong kind:
whatever they cannot look at they pass over, since the structure's faults are told elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planspec_lark.json_text.findings import Path, ValueFinding
from planspec_lark.plan_next.conversion import STRUCTURE_FIELDS
from planspec_lark.plan_next.identity import Phrase
from planspec_lark.plan_next.models import SIDES, DoneStatus, Phase, PlanType
from planspec_lark.plan_next.results import HEADINGS, ResultSections, read_result
from planspec_lark.plan_next.wording.changing_tokens import find_unstable
from planspec_lark.plan_next.wording.guess_words import find_guess, find_sequence
from planspec_lark.plan_next.wording.normal_forms import normalize
from planspec_lark.plan_next.wording.state_paths import find_state_paths
from planspec_lark.syntax.diagnostics import Severity, count_of, shorten

__all__ = ["PHASES", "check_next", "check_phase", "check_return", "texts_at"]

# The type of message that each phase takes.
PHASES = {Phase.PLANNING: "plan-next", Phase.EXECUTION: "plan-return"}

_SMALLEST, _LARGEST = 3, 7
# Of one text so many words are told. One that has more is no hypothesis, and no step.
_MOST_WORDS = 100


def check_phase(kind: str, phase: Phase) -> Iterator[ValueFinding]:
    """Each phase takes one type of message."""
    if kind != PHASES[phase]:
        message = f"{kind} is not allowed in the {phase.value} phase"
        yield ValueFinding("PN201", message, ("type",), help=f"answer with {PHASES[phase]}")


def check_next(value: Mapping[str, Any]) -> Iterator[ValueFinding]:
    """All rules for a plan-next message that need no context."""
    block = value.get("new_block")
    block = block if isinstance(block, dict) else {}
    kind = value.get("plan_type")
    yield from _check_structure_fields(value, block)
    if kind == PlanType.EXECUTE.value:
        yield from _check_execute(value, block)
    elif kind in (PlanType.PLAN_PROBES.value, PlanType.PLAN_STEPS.value):
        yield from _check_plan(value, block)
        yield from _check_words(PlanType(kind), block)
    yield from _check_empty(value, block)
    yield from _check_state_paths(value)
    yield from _check_stability(value, block)
    yield from _check_update(value, block)


def check_return(value: Mapping[str, Any]) -> Iterator[ValueFinding]:
    """All rules for a plan-return message. An object for a result is taken as it is."""
    result = value.get("result")
    if not isinstance(result, str):
        return
    sections = read_result(result)
    yield from _check_sections(sections)
    if sections.completion:
        yield from _check_completion(sections, value.get("status"))


# ---------------------------------------------------------------- structure


def _check_structure_fields(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    # The inputs of a call are the tool's own, and may well have a path.
    places: list[tuple[Path, object]] = [
        ((), value),
        (("new_block",), block),
        (("new_block", "goal"), block.get("goal")),
        (("executor_call",), value.get("executor_call")),
    ]
    for path, owner in places:
        if not isinstance(owner, dict):
            continue
        for key in STRUCTURE_FIELDS:
            if key in owner:
                message = f"`{key}` controls the structure of the blocks, which the planner may not do"
                yield ValueFinding("PN108", message, (*path, key), help="remove it", at_key=True)


def _check_execute(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    if block.get("plan"):
        message = "EXECUTE is one call, so its plan must be empty"
        yield ValueFinding("PN202", message, ("new_block", "plan"), help="write [], or choose PLAN_STEPS")
    if value.get("executor_call") is None:
        help = "add `executor_call` with `command`, `inputs` and `expected_observations`"
        yield ValueFinding("PN203", "EXECUTE has no `executor_call`", ("plan_type",), help=help)


def _check_plan(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    kind = value["plan_type"]
    if value.get("executor_call") is not None:
        help = "remove it, or choose EXECUTE with an empty plan"
        yield ValueFinding("PN204", f"{kind} cannot have `executor_call`", ("executor_call",), help=help, at_key=True)
    plan = block.get("plan")
    if isinstance(plan, list) and not _SMALLEST <= len(plan) <= _LARGEST:
        message = f"the plan has {count_of(len(plan), 'item')}: {kind} needs 3 to 7"
        yield ValueFinding("PN205", message, ("new_block", "plan"))
    if "success_signal" not in value:
        help = "add `success_signal`: what will be observed once the plan has succeeded"
        yield ValueFinding("PN206", f"{kind} has no `success_signal`", ("plan_type",), help=help)


# ---------------------------------------------------------------- texts


def _check_words(kind: PlanType, block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    if kind is PlanType.PLAN_PROBES:
        find, code, said = find_sequence, "PN207", "speaks of an order, and hypotheses have none"
        help = "say what may be true, not what comes first"
    else:
        find, code, said = find_guess, "PN208", "speaks of a guess, and steps must be certain"
        help = "choose PLAN_PROBES where evidence is missing"
    for path, text in texts_at(block.get("plan"), ("new_block", "plan")):
        for word in find(text)[:_MOST_WORDS]:
            yield ValueFinding(code, f"`{word.text}` {said}", path, help=help, within=(word.start, word.end))


def _check_empty(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    call = value.get("executor_call")
    command = call.get("command") if isinstance(call, dict) else None
    if isinstance(command, str) and not normalize(command):
        yield ValueFinding("PN211", "the command is empty", ("executor_call", "command"))
    goal = dict(_goals(block))
    # No text at all has a code of its own.
    if goal and not any(map(normalize, goal.values())) and block.get("goal") != "":
        yield ValueFinding("PN212", "the goal is empty", ("new_block", "goal"), help="say what to reach")
    signal = value.get("success_signal")
    if isinstance(signal, str) and not normalize(signal):
        help = "say what will be observed, or remove it"
        yield ValueFinding("PN212", "the signal is empty", ("success_signal",), help=help)
    for path, text in _plans(value, block):
        if not normalize(text):
            yield ValueFinding("PN212", "the item is empty", path, help="remove it")


def _check_state_paths(value: Mapping[str, Any]) -> Iterator[ValueFinding]:
    items = [*_iter_items(value)]
    texts = [(path, item, False) for path, item in items if isinstance(item, str)]
    texts += [(path, path[-1], True) for path, _ in items if path and isinstance(path[-1], str)]
    for path, text, at_key in texts:
        for found in find_state_paths(text):
            message = f"`{shorten(found.text)}` points into the kernel's own folder"
            within = None if at_key else (found.start, found.end)
            yield ValueFinding("PN209", message, path, help="remove the path", within=within, at_key=at_key)


def _check_stability(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    for path, text in (*_goals(block), *_plans(value, block)):
        for found in find_unstable(text):
            message = f"`{shorten(found.text)}` looks like {found.kind}, which will differ next time"
            help = "remove it: the same context should give the same message"
            yield ValueFinding("PN210", message, path, help=help, within=(found.start, found.end))


def _check_update(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[ValueFinding]:
    """An item that is meant as the new block and does not say so would be done twice."""
    # The sides of a Core4 in their own order: the first one that says something is the goal's text.
    known = dict(_goals(block))
    paths: list[Path] = [("new_block", "goal"), *(("new_block", "goal", side) for side in SIDES)]
    goals = [Phrase(text) for path in paths if (text := known.get(path))]
    for path, text in texts_at(value.get("update_plan"), ("update_plan",)):
        item = Phrase(text)
        same = bool(goals) and item.is_same(goals[0])
        if path[-1] == 0 and not same and any(item.is_same(goal) or item.is_near(goal) for goal in goals):
            message = "this almost repeats the goal of the new block, and would be done again after it"
            help = "use the exact words of the goal, or remove it if the new block does it"
            yield ValueFinding("PN214", message, path, help=help)
        elif path[-1] != 0 and same:
            message = "this repeats the goal of the new block, and would be done again after it"
            yield ValueFinding("PN214", message, path, help="put it first, or remove it if the new block does it")


# ---------------------------------------------------------------- results


def _check_sections(sections: ResultSections) -> Iterator[ValueFinding]:
    path: Path = ("result",)
    missing = sections.missing
    if len(missing) == len(HEADINGS):
        names = ", ".join(name for name, _ in HEADINGS.values())
        help = f"write {names}, each below a heading such as `### Completion`"
        yield ValueFinding(
            "PN215", "the four sections of the result are missing", path, help=help, severity=Severity.INFO
        )
    elif missing:
        names = ", ".join("{} ({})".format(*HEADINGS[section]) for section in missing)
        help = "write `### {}` or `### {}`, and some text below it".format(*HEADINGS[missing[0]])
        yield ValueFinding("PN215", f"sections of the result are missing: {names}", path, help=help)
    for start, end in sections.repeated:
        yield ValueFinding("PN215", "duplicate section", path, help="write each section once", within=(start, end))


def _check_completion(sections: ResultSections, status: object) -> Iterator[ValueFinding]:
    path: Path = ("result",)
    said = sections.status
    if said is None:
        message = "the completion does not begin with how much is done"
        help = "begin with `Done`, `Partly done` or `Not done`"
        yield ValueFinding("PN216", message, path, help=help, within=sections.completion_at)
        return
    if isinstance(status, str) and status in [one.value for one in DoneStatus] and status != said.value:
        message = f"the completion says `{said.value}`, and the field `status`, which counts, says `{status}`"
        yield ValueFinding("PN216", message, path, help="make both the same", within=sections.completion_at)
    if said is not DoneStatus.DONE and not sections.has_reason:
        message = "the completion does not say what is missing"
        yield ValueFinding("PN216", message, path, help="say what is missing, and why", within=sections.completion_at)


def _goals(block: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    goal = block.get("goal")
    if isinstance(goal, str):
        yield ("new_block", "goal"), goal
    elif isinstance(goal, dict):
        yield from ((("new_block", "goal", key), text) for key, text in goal.items() if isinstance(text, str))


def _plans(value: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    yield from texts_at(block.get("plan"), ("new_block", "plan"))
    yield from texts_at(value.get("update_plan"), ("update_plan",))


def texts_at(items: object, path: Path) -> Iterator[tuple[Path, str]]:
    """The texts of a list, each with its path."""
    if isinstance(items, list):
        yield from (((*path, index), item) for index, item in enumerate(items) if isinstance(item, str))


def _iter_items(value: object) -> Iterator[tuple[Path, object]]:
    """A JSON value and everything inside it, each with its path."""
    todo: list[tuple[Path, object]] = [((), value)]
    while todo:
        path, item = todo.pop()
        yield path, item
        if isinstance(item, dict):
            todo.extend(((*path, key), below) for key, below in item.items())
        elif isinstance(item, list):
            todo.extend(((*path, index), below) for index, below in enumerate(item))
