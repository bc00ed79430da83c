"""What is done with a text of a hostile shape: each reader, printer and check of the package by its name."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from attrs import field, frozen

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanDocument,
    PlanSpec,
    PlanStream,
    PlanSyntaxError,
    apply_commands,
    check_text,
    extract_plan,
    iter_steps,
    lint_plan,
    parse_plan,
    parse_plan_commands,
    plan_to_json,
    render_all,
    repair_plan,
    scan_plan,
    scan_plan_commands,
    serialize_commands,
    serialize_plan,
    step_order,
    validate_plan,
)
from planspec_lark.hopspec import plan_to_steps, steps_to_plan
from planspec_lark.html import render_page
from planspec_lark.json_text import read_json, scan_json
from planspec_lark.plan_next import build_repair_prompt
from planspec_lark.plan_next.wording.changing_tokens import find_unstable
from planspec_lark.plan_next.wording.guess_words import find_guess, find_sequence
from planspec_lark.plan_next.wording.normal_forms import normalize
from planspec_lark.plan_next.wording.state_paths import find_state_paths
from planspec_lark.planspec import (
    PlanTransformer,
    draw_plan,
    focus_view,
    next_step_view,
    parse_tree,
    plan_from_dict,
    plan_to_dict,
    step_states,
)
from planspec_lark.planspec.render import show_plan, wrap
from planspec_lark.syntax import Limits, decode, estimate_tokens
from planspec_lark.syntax.limits import NO_LIMITS
from tests.reporting import to_github, to_json

__all__ = ["EXCEPTIONS", "JSON_WORK", "PLAN_WORK", "TEXT_WORK", "Work"]


# The default ones would refuse the long texts at once.
_LONG = Limits(max_depth=64, max_findings=1000)


@frozen
class Work:
    """Something whose time is measured: ``run`` on what ``make`` makes of a text (that part is not)."""

    run: Callable[[Any], object]
    make: Callable[[str], Any] = field(default=str)


def _parse(text: str) -> None:
    with suppress(ValueError):
        parse_plan(text)


def _parse_tree(text: str) -> None:
    with suppress(ValueError):
        PlanTransformer().transform(parse_tree(text))


def _refuse(text: str) -> None:
    try:
        parse_plan(text)
    except ValueError as error:
        str(error)


def _stream(text: str) -> None:
    """Character by character, with every limit watched."""
    stream = PlanStream(limits=Limits(max_bytes=10**9, max_steps=10**9, max_depth=10**9))
    for character in text:
        stream.feed(character)
    stream.finish()


def _positions(text: str) -> object:
    positions = scan_plan(text).positions
    return positions.fields, positions.steps


def _reports(text: str) -> None:
    found = check_text(text)
    to_json(found, ["plan.md"])
    to_github(found)


@lru_cache(maxsize=1)
def _plan(text: str) -> PlanSpec:
    """The plan in a text, for all that does not change it."""
    return scan_plan(text).plan


def _show(plan: PlanSpec) -> None:
    deque((row for line in show_plan(plan, fold=False) for row in wrap(line, 100)), maxlen=0)


def _bound(plan: PlanSpec) -> None:
    size = len(serialize_plan(plan))
    for count in (estimate_tokens, len):
        with suppress(ValueError):
            serialize_plan(plan, max_tokens=size // 4 + 1, count_tokens=count)


def _view_steps(plan: PlanSpec) -> None:
    steps = [*iter_steps(plan)]
    step_states(plan)
    for view in (next_step_view(plan), *(focus_view(plan, step.step_id) for step in (*steps[:1], *steps[-1:]))):
        if view is not None:
            view.to_dict()
            with suppress(ValueError):
                view.to_text(max_tokens=len(view.to_text()) // 4 + 1)


def _repair(text: str) -> None:
    repair_plan(text, lambda _: "LINE 1: Goal: g\nPLAN 1", rounds=1)


def _convert(plan: PlanSpec) -> None:
    for step in iter_steps(plan):
        step.step_type = "act"
    steps_to_plan(plan_to_steps(plan))


def _plan_and_commands(text: str) -> tuple[PlanSpec, list[PlanCommand]]:
    """A plan and, where its text holds none, a command for each of its steps, the last one first."""
    plan = copy.deepcopy(_plan(text))
    return plan, parse_plan_commands(text) or list(_commands(plan))


def _commands(plan: PlanSpec) -> Iterator[PlanCommand]:
    for number, step_id in enumerate(reversed(step_order(plan))):
        op = ("DONE", "REVISE", "EXPAND", "DONE")[number % 4]
        yield PlanCommand(op, step_id, "act" if op == "REVISE" else "", "b → c" if op == "REVISE" else "")
        yield PlanCommand("BLOCKED", f"{step_id}.7", result="there is no such step")


def _document_and_commands(text: str) -> tuple[PlanDocument, list[PlanCommand]]:
    try:
        document = PlanDocument.from_text(text, limits=NO_LIMITS)
    except PlanSyntaxError:
        document = PlanDocument.from_text(serialize_plan(_plan(text)), limits=NO_LIMITS)
    return document, _plan_and_commands(text)[1]


def _edit(both: tuple[PlanDocument, list[PlanCommand]]) -> object:
    document, commands = both
    document.apply(commands)
    return document.text


def _take_apart(document: PlanDocument) -> object:
    """Give every step a name, move it to a free place, and take it out, as far as it is there."""
    for number, step_id in enumerate(step_order(document.plan)):
        to = f"9{number:07}"
        changes = partial(document.rename, step_id, f"n{number}"), partial(document.move, step_id, to)
        for change in (*changes, partial(document.remove, to)):
            with suppress(CommandError):
                change()
    return document.text


def _words(text: str) -> None:
    find_sequence(text)
    find_guess(text)


def _copy(plan: PlanSpec) -> None:
    assert copy.deepcopy(plan) == plan


def _positions_in_json(text: str) -> None:
    found = scan_json(text, limits=_LONG)
    for key in [*found.value][:100] if found.has_value else ():
        found.span([key])
        found.span([key, -1])
        found.span_within([key], 1, len(text))


PLAN_WORK = {
    "parse_plan": Work(_parse),
    "parse_tree": Work(_parse_tree),
    "the error's text": Work(_refuse),
    "scan_plan": Work(scan_plan),
    "PlanStream": Work(_stream),
    "positions": Work(_positions),
    "check_text": Work(lambda text: render_all(check_text(text))),
    "scan and render": Work(lambda text: render_all(scan_plan(text).diagnostics)),
    "reports": Work(_reports),
    "decode": Work(decode, lambda text: text.encode("utf-8", "replace")),
    "parse_plan_commands": Work(parse_plan_commands),
    "scan_plan_commands": Work(lambda text: render_all(scan_plan_commands(text).diagnostics)),
    "serialize_commands": Work(serialize_commands, parse_plan_commands),
    "serialize_plan": Work(serialize_plan, _plan),
    "serialize_plan, folded": Work(lambda plan: serialize_plan(plan, fold=True), _plan),
    "serialize_plan, bounded": Work(_bound, _plan),
    "views of steps": Work(_view_steps, _plan),
    "extract_plan": Work(extract_plan),
    "extract_plan with a type": Work(partial(extract_plan, default_type="act")),
    "repair_plan": Work(_repair),
    "validate_plan": Work(validate_plan, _plan),
    "lint_plan": Work(lambda plan: render_all(lint_plan(plan)), _plan),
    "show_plan": Work(_show, _plan),
    "draw_plan": Work(draw_plan, _plan),
    "render_page": Work(render_page, _plan),
    "copying": Work(_copy, _plan),
    "plan_to_json": Work(plan_to_json, _plan),
    "plan_from_dict": Work(plan_from_dict, lambda text: plan_to_dict(_plan(text))),
    "HopSpec": Work(_convert, lambda text: copy.deepcopy(_plan(text))),
    "apply_commands": Work(lambda both: apply_commands(*both), _plan_and_commands),
    "apply_commands, atomic": Work(lambda both: apply_commands(*both, atomic=True), _plan_and_commands),
    "PlanDocument.from_text": Work(_document_and_commands),
    "PlanDocument.apply": Work(_edit, _document_and_commands),
    "PlanDocument's methods": Work(_take_apart, lambda text: _document_and_commands(text)[0]),
}

JSON_WORK = {
    "read_json": Work(lambda text: render_all(read_json(text, limits=_LONG).diagnostics)),
    "scan_json": Work(lambda text: render_all(scan_json(text, limits=_LONG).diagnostics)),
    "positions in JSON": Work(_positions_in_json),
}

TEXT_WORK = {
    "words of a message": Work(_words),
    "find_unstable": Work(find_unstable),
    "find_state_paths": Work(find_state_paths),
    "normalize": Work(normalize),
    "build_repair_prompt": Work(lambda text: build_repair_prompt([], answer=text)),
}

# Shape and work whose time has to grow faster, and why.
EXCEPTIONS = {
    # Every line is indented by its step's depth: the text itself grows with the input to the power of 1.5.
    **dict.fromkeys(
        [
            ("details in the deep", "serialize_plan"),
            ("details in the deep", "serialize_plan, folded"),
            ("details in the deep", "serialize_plan, bounded"),
            ("details in the deep", "show_plan"),
            ("details in the deep", "plan_to_json"),
        ],
        "its output is indented",
    ),
    **dict.fromkeys(
        [
            ("ids backwards", "PlanDocument's methods"),
            ("a long id and its output", "PlanDocument's methods"),
            ("a long id and many steps", "PlanDocument's methods"),
        ],
        "numbers out of order have all to be looked at",
    ),
}
