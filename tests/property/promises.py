"""What is promised, each as a function that raises where the promise does not hold."""

from __future__ import annotations

import copy
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from planspec_lark import (
    Diagnostic,
    PlanCommand,
    PlanSpec,
    PlanStatus,
    PlanStep,
    PlanSyntaxError,
    apply_command,
    apply_commands,
    extract_plan,
    find_step,
    iter_steps,
    parse_plan,
    parse_plan_commands,
    scan_plan,
    scan_plan_commands,
    serialize_commands,
    serialize_plan,
    step_order,
)
from planspec_lark.answers.block import find_blocks
from planspec_lark.engine import Decision, read_reflection, read_replan
from planspec_lark.json_text import JsonText, read_json, scan_json
from planspec_lark.json_text.models import MISSING
from planspec_lark.planspec import ScanResult, parse_tree, plan_from_dict, plan_to_dict
from planspec_lark.planspec.dialect import is_suspect
from planspec_lark.planspec.fast_reader import read as read_valid
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.planspec.recovery import scan_lines
from planspec_lark.syntax import Source, Span
from planspec_lark.syntax.envelopes import set_aside, undo_escapes
from planspec_lark.syntax.fences import find_fences
from planspec_lark.syntax.limits import NO_LIMITS
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import end_last_line

# ---------------------------------------------------------------- printing and reading


def reads_back(plan: PlanSpec) -> None:
    """A plan that is printed and read is the same plan, by its own comparison and by its values."""
    again = parse_plan(serialize_plan(plan))
    assert again == plan
    assert plan_to_dict(again) == plan_to_dict(plan)


def is_canonical(text: str) -> None:
    """A canonical text is printed as it was, byte for byte."""
    assert serialize_plan(parse_plan(text)) == text


def prints_alike(text: str) -> None:
    """What is printed of any accepted text is canonical."""
    plan = accepted(text)
    if plan is not None:
        is_canonical(serialize_plan(plan))
        reads_back(plan)


def command_reads_back(command: PlanCommand) -> None:
    """A command that is printed and read is the same command, and its text is canonical."""
    text = serialize_commands([command])
    assert parse_plan_commands(text) == [command]
    assert serialize_commands(parse_plan_commands(text)) == text


def refusal(text: str, *, accelerate: bool = True) -> PlanSyntaxError | None:
    """The error of a text, or None where it is accepted."""
    try:
        parse_plan(text, accelerate=accelerate)
    except PlanSyntaxError as error:
        return error
    return None


def accepted(text: str, *, accelerate: bool = True) -> PlanSpec | None:
    """The plan of a text, or None where it has a syntax error."""
    try:
        return parse_plan(text, accelerate=accelerate)
    except PlanSyntaxError:
        return None


# ---------------------------------------------------------------- readers that agree


def readers_agree(text: str) -> None:
    """The fast path, the parser, the walk and the scanner accept the same texts and make the same plan of them."""
    fast = read_valid(text)
    assert accepted(text) == accepted(text, accelerate=False) == fast
    if fast is None:
        assert str(refusal(text)) == str(refusal(text, accelerate=False))
    walked = scan_lines(text, limits=NO_LIMITS)
    assert (fast is None) == bool(walked.diagnostics)
    scan = scan_plan(text)
    if fast is not None:
        assert walked.plan == fast
        # Some things are text to the grammar, and to a reader of answers what they look like.
        is_foreign = (
            is_suspect(text)
            or any(step.step_type not in STEP_TYPES for step in iter_steps(fast))
            or _has_quoted_plan(text)
        )
        if not is_foreign and not any(found.code in ("PS305", "PS115") for found in scan.diagnostics):
            assert scan.plan == fast
            assert scan.diagnostics == []
    else:
        # In white space, there is nothing to tell of.
        assert scan.diagnostics or not text.strip()


def tree_is_the_text(text: str) -> None:
    """The tokens of a tree put together are the text."""
    try:
        tree = parse_tree(text)
    except PlanSyntaxError:
        return
    assert "".join(str(token) for token in tree.scan_values(lambda _: True) if token is not None) == text


# ---------------------------------------------------------------- diagnostics


def refusal_is_located(text: str) -> None:
    """A refused text has diagnostics, all inside it and in its order."""
    error = refusal(text)
    if error is not None:
        assert error.diagnostics
        are_placed(error.diagnostics, text)
        assert str(error)


def are_placed(diagnostics: list[Diagnostic], text: str) -> None:
    """All diagnostics have places in what they show that agree with themselves, in the order of the text.

    That is the text, but where escapes were undone in it.
    """
    whole = Source(text)
    undone = undo_escapes(text, "planspec_dialect")
    spans = [diagnostic.span for diagnostic in diagnostics]
    for diagnostic, span in zip(diagnostics, spans, strict=True):
        assert span is not None
        source = diagnostic.source or whole
        assert source.text == text or undone is not None
        assert 0 <= span.start <= span.end <= source.length
        assert span == source.span(span.start, span.end)
    starts = [span.start for span in spans if span]
    assert starts == sorted(starts)


_HEADERS = re.compile(
    r"(?P<goal>(?:Goal|\*\*Goal\*\*):)|(?P<constraints>Constraints:|##[ \t]+Constraints)|(?P<steps>##[ \t]+Steps)"
)


def nothing_is_lost(text: str) -> None:
    """Every line with something on it is part of the plan or named by a diagnostic of the scan."""
    scan = scan_plan(text)
    named = [*plan_spans(scan), *(found.span for found in scan.diagnostics if found.span)]
    lines_are_named(text, named)


def no_line_of_an_answer_is_lost(text: str) -> None:
    """Every line of an answer is in its plan, in a finding, or in the remarks; these are the text as it stands."""
    found = extract_plan(text)
    named = [one.span for one in found.findings if one.span]
    named += [one.diagnostic.span for one in found.repairs if one.diagnostic.span]
    for remark in found.remarks:
        assert text[remark.span.start : remark.span.end] == remark.text
        named.append(remark.span)
    if found.scan is not None:
        named += plan_spans(found.scan)
    if found.span is not None:
        rows = text.split("\n")
        # The fences and quote signs of the block itself say nothing.
        named += [Source(text).span(*_bounds_of(text, at)) for at, row in enumerate(rows) if _FENCE.fullmatch(row)]
    lines_are_named(text, named)


# What opens or closes a code block, with the name of its language: quotes and bullets may stand before it.
_FENCE = re.compile(r"(?:[ \t>]|[-*+•][ \t]|[0-9]{1,3}[.)][ \t])*(?:`{3,}[^`]*|~{3,}.*)")


def _bounds_of(text: str, at: int) -> tuple[int, int]:
    start = sum(len(row) + 1 for row in text.split("\n")[:at])
    return start, start + len(text.split("\n")[at])


def nothing_is_refused_in_silence(text: str) -> None:
    """Every line with something on it is part of what was understood or named by a diagnostic of the refusal.

    The lines below something refused are named with it; the scan names them one by one (PS107, PS112). Where it finds
    two plans, it names the one that it leaves out (PS130), which the refusal has understood.
    """
    error = refusal(text)
    if error is not None:
        scan = scan_plan(text)
        if not any(found.severity.value == "info" for found in scan.diagnostics):
            others = [found for found in scan.diagnostics if found.code in {"PS107", "PS112", "PS130"}]
            named = [*plan_spans(scan), *(found.span for found in [*error.diagnostics, *others] if found.span)]
            lines_are_named(text, named)


def plan_spans(scan: ScanResult) -> Iterable[Span]:
    """The places of all that the plan holds, field by field."""
    for fields in (scan.positions.fields, *(step.fields for step in scan.positions.steps.values())):
        for spans in fields.values():
            yield from spans


def _has_quoted_plan(text: str) -> bool:
    """Whether a quote in it is read as a plan. Below a goal and a blank line, the form takes it for detail."""
    whole = end_last_line(set_aside(leave_out_reasoning(text).text))
    return any(block.text != whole for block in find_blocks(whole))


def lines_are_named(text: str, named: Iterable[Span]) -> None:
    """Every line with something on it is touched by a span; one header of each kind says all by being there."""
    touched = {line for span in named for line in range(span.line, span.end_line + 1)}
    headers = Counter[str]()
    has_quote = any(fence.is_quoted for fence in find_fences(text)) or _has_quoted_plan(text)
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.removeprefix("\ufeff" if number == 1 else "").strip(" \t\r")
        if not bare or number in touched:
            continue
        if _FENCE.fullmatch(bare) or (has_quote and not bare.strip("> \t")):
            # The signs of the code block around a plan say no more than that, nor those of a quote around it.
            continue
        header = _HEADERS.fullmatch(bare.lstrip("> \t") if has_quote else bare)
        assert header is not None, f"line {number} is lost: {line!r}"
        headers[str(header.lastgroup)] += 1
    assert all(count == 1 for count in headers.values()), f"a header is lost: {headers}"


def fixes_are_accepted(text: str) -> None:
    """A line that was changed as its diagnostic says is a line of a plan (or is gone)."""
    findings = scan_plan(text).diagnostics
    # Tags of reasoning have a finding of their own.
    text = leave_out_reasoning(text).text
    for found in findings:
        if found.fix is None:
            continue
        span = found.fix.span
        start = text.rfind("\n", 0, span.start) + 1
        behind, newline, _ = text[span.end :].partition("\n")
        behind = behind.removesuffix("\r") if newline else behind
        repaired = f"{text[start : span.start]}{found.fix.text}{behind}"
        for row in repaired.removeprefix("\ufeff" if start == 0 else "").split("\n"):
            assert is_plan_line(row), f"{row!r} is offered for {found.source_line!r}"


def is_plan_line(row: str) -> bool:
    """Whether a line is accepted somewhere in a plan."""
    heads = ("", "Goal: g\n", "Constraints:\n", "## Steps\n", "## Steps\n0.0.0. [a]\n")
    return any(accepted(head + row) is not None for head in heads)


def both_ways_find_the_same_commands(text: str) -> None:
    """The pattern and Lark's parser agree about what a command is and says."""
    assert parse_plan_commands(text) == parse_plan_commands(text, accelerate=False)


def command_fixes_are_accepted(text: str) -> None:
    """A line that was changed as its diagnostic says is exactly one command."""
    for found in scan_plan_commands(text).diagnostics:
        if found.fix is not None:
            assert len(parse_plan_commands(found.fix.text)) == 1
            fixed = scan_plan_commands(f"{found.fix.text}\n")
            assert fixed.commands or fixed.truncated
            # A last line may look as if it was cut off.
            assert {one.code for one in fixed.diagnostics} <= {"PS129"}


# ---------------------------------------------------------------- applying


def applies_or_refuses(plan: PlanSpec, command: PlanCommand) -> None:
    """A command changes a plan into one that still prints and reads back, or changes nothing and says why."""
    before = copy.deepcopy(plan)
    flags = [step.expanded for step in iter_steps(plan)]
    message = apply_command(plan, command)
    if message:
        assert plan == before
        assert flags == [step.expanded for step in iter_steps(plan)]
    else:
        reads_back(plan)


def is_atomic(plan: PlanSpec, commands: list[PlanCommand]) -> None:
    """Several commands at once change all or nothing, and what they change is what they change one by one."""
    before, single = copy.deepcopy(plan), copy.deepcopy(plan)
    expected = [message for command in commands if (message := apply_command(single, command))]
    assert apply_commands(plan, commands, atomic=True) == expected
    assert plan == (before if expected else single)


def adds_exactly(plan: PlanSpec, command: PlanCommand) -> None:
    """ADD gives the id asked for and keeps all other steps, in their order and with what they say."""
    before = [(id(step), _said(step)) for step in iter_steps(plan)]
    if apply_command(plan, command):
        return
    known = {step for step, _ in before}
    new = [step for step in iter_steps(plan) if id(step) not in known]
    assert [step.step_id for step in new] == [command.step_id]
    kept = [(id(step), _said(step)) for step in iter_steps(plan) if id(step) in known]
    assert sorted(kept) == sorted(before)
    assert len(set(step_order(plan))) == len(before) + 1


def _said(step: object) -> str:
    """All that a step says but its id and its children."""
    return re.sub(r"\A\w+\(step_id='[^']*', |, children=\[[^\]]*\]\)\Z", "", repr(step))


# ---------------------------------------------------------------- reflections


def reflection_is_sound(text: str, plan: PlanSpec, step: PlanStep, *, can_interact: bool, can_retry: bool) -> None:
    """An answer is read without a change of the plan; what is usable is possible, and is about the step."""
    before = copy.deepcopy(plan)
    found = read_reflection(text, plan, step, can_interact=can_interact, can_retry=can_retry)
    assert plan == before
    are_placed(found.diagnostics, text)
    for one in found.diagnostics:
        if one.code == "PE202" and one.fix is not None:
            repaired = read_reflection(one.fix.text, plan, step, can_interact=can_interact, can_retry=can_retry)
            assert (repaired.diagnostics, repaired.commands) == ([], [])
            assert repaired.decision is not None
    if not found.is_usable:
        assert found.diagnostics
        return
    assert found.decision is not Decision.INTERACT or can_interact
    assert found.decision is not Decision.RETRY or can_retry
    assert {command.op for command in found.commands} <= {"SKIP", "REVISE", "ADD", "REPLAN"}
    was = copy.copy(step)
    above = _perform(plan, found.commands, step)
    is_there = any(one is step for one in iter_steps(plan))
    if found.decision is None:
        assert found.commands
    elif found.decision is Decision.ACCEPT:
        assert is_there
        assert (step.status, step.description, step.step_type) == (was.status, was.description, was.step_type)
    else:
        assert is_there
        assert all(op != "SKIP" for op in above)


def replan_is_sound(text: str, plan: PlanSpec) -> None:
    """An answer at the end of a round is read without a change of the plan, and what is usable is possible."""
    before = copy.deepcopy(plan)
    found = read_replan(text, plan)
    assert plan == before
    assert found.decision is None
    are_placed(found.diagnostics, text)
    if found.is_usable:
        assert {command.op for command in found.commands} <= {"REVISE", "ADD", "REPLAN"}
        assert len({command.step_id == "ALL" for command in found.commands}) < 2
        _perform(plan, found.commands, None)


def _perform(plan: PlanSpec, commands: list[PlanCommand], step: PlanStep | None) -> list[str]:
    """Apply commands that have to succeed and to leave alone what is done and not named; the verbs about a step."""
    done = {id(one): one for one in iter_steps(plan) if one.status is PlanStatus.DONE}
    above = []
    for command in commands:
        target = find_step(plan, command.step_id)
        if target is not None and command.op != "ADD":
            below = [*iter_steps(target)]
            if any(one is step for one in below):
                above.append(command.op)
            assert command.op != "SKIP" or target.status is not PlanStatus.DONE
            for named in below if command.op == "REPLAN" else [target]:
                done.pop(id(named), None)
        assert apply_command(plan, command) == ""
    left = {id(one) for one in iter_steps(plan)}
    assert all(one.status is PlanStatus.DONE and id(one) in left for one in done.values())
    reads_back(plan)
    return above


# ---------------------------------------------------------------- JSON values of plans


def dict_reads_back(plan: PlanSpec) -> None:
    """A plan that goes through its JSON value is the same plan."""
    assert plan_from_dict(plan_to_dict(plan)) == plan


# ---------------------------------------------------------------- JSON

_SURROGATE = re.compile("[\ud800-\udfff]")


def json_is_read(text: str) -> None:
    """The reader accepts what the standard library does, but for what it is stricter about, and reads the same."""
    if text.count("[") + text.count("{") > 300:
        return  # The standard library reads with recursion.
    expected = _read_otherwise(text)
    found = read_json(text, limits=NO_LIMITS)
    assert found.has_errors == (expected is MISSING)
    if expected is not MISSING:
        scanned = scan_json(text, limits=NO_LIMITS)
        assert found.diagnostics == scanned.diagnostics == []
        assert is_same_json(found.value, expected)
        assert is_same_json(scanned.value, expected)


def json_is_harmless(text: str) -> None:
    """Whatever is read is plain JSON with places; and every finding has a place and a fix that changes something."""
    for read in (read_json, scan_json):
        found = read(text)
        are_placed(found.diagnostics, text)
        assert found.has_value == isinstance(found.value, dict)
        assert found.has_value or found.has_errors
        _has_places(found)
        json.dumps(found.value if found.has_value else None, ensure_ascii=False, allow_nan=False).encode()
        for one in found.diagnostics:
            assert one.fix is None or one.fix.text != text[one.fix.span.start : one.fix.span.end]


def _read_otherwise(text: str) -> Any:
    """The object that the standard library reads, where it is one that this project accepts too; else MISSING."""

    def refuse(_: object) -> NoReturn:
        raise ValueError

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("a key comes twice")
        if any(_SURROGATE.search(key) for key, _ in pairs):
            raise ValueError("a lone surrogate")
        return dict(pairs)

    def to_int(digits: str) -> int:
        if len(digits.lstrip("-")) > 400:
            raise ValueError("too many digits")
        return int(digits)

    try:
        value = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=collect, parse_constant=refuse, parse_int=to_int
        )
    except ValueError:
        return MISSING
    scalars_of_it = [value for _, value in walk_json(value)]
    is_fine = all(math.isfinite(one) for one in scalars_of_it if isinstance(one, float))
    is_fine = is_fine and not any(_SURROGATE.search(one) for one in scalars_of_it if isinstance(one, str))
    return value if isinstance(value, dict) and is_fine else MISSING


def walk_json(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """All values inside of one, and itself, with their paths."""
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in inner:
        yield from walk_json(below, (*path, step))


def is_same_json(one: object, other: object) -> bool:
    return json.dumps(one) == json.dumps(other)


def _has_places(found: JsonText) -> None:
    """Every value is where its place says, and so is its key."""
    text = found.source.text
    for path, _ in walk_json(found.value if found.has_value else None):
        span, key = found.span(path), found.key_span(path)
        assert 0 <= span.start <= span.end <= len(text)
        assert 0 <= key.start <= key.end <= len(text)
        if path and isinstance(path[-1], str):
            assert key.end <= span.start
        if path:
            outer = found.span(path[:-1])
            assert outer.start < span.start
            assert span.end <= outer.end
