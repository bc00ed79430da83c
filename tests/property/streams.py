"""What is promised of reading a text while it is being written."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from attrs import evolve

from planspec_lark import (
    Diagnostic,
    Limits,
    PlanSpec,
    PlanStep,
    PlanStream,
    PlanSyntaxError,
    ScanResult,
    Severity,
    iter_steps,
    parse_plan,
    plan_to_dict,
    scan_plan,
)
from planspec_lark.planspec import PlanEvent, PlanEventKind, StreamEnd
from planspec_lark.syntax.limits import DEFAULT_LIMITS, NO_LIMITS
from planspec_lark.syntax.tree import grow

# The kinds that say what a draft holds.
_REFUSALS = {"PS121", "PS122", "PS123"}


def read_all(
    pieces: Iterable[str], *, strict: bool = False, limits: Limits = NO_LIMITS
) -> tuple[list[PlanEvent], StreamEnd]:
    """Feed a stream with these pieces and end it: all its events, and its end."""
    stream = PlanStream(strict=strict, limits=limits)
    events = [event for piece in pieces for event in stream.feed(piece)]
    end = stream.finish()
    return [*events, *end.events], end


def cut(text: str, places: Iterable[int]) -> list[str]:
    """A text in pieces, cut at these places."""
    bounds = [0, *sorted(at for at in places if at < len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


def build(events: Iterable[PlanEvent], draft: int | None) -> PlanSpec:  # noqa: PLR0912  (a kind of event each)
    """The plan that the events of one draft tell of."""
    plan = PlanSpec()
    steps: dict[str, PlanStep] = {}
    for event in events:
        if event.draft != draft:
            continue
        match event.kind:
            case PlanEventKind.TITLE:
                plan.title = event.text
            case PlanEventKind.GOAL:
                plan.goal = event.text
            case PlanEventKind.GOAL_DETAIL:
                plan.goal_detail.append(event.text)
            case PlanEventKind.CONSTRAINT:
                plan.constraints.append(event.text)
            case PlanEventKind.STEP:
                assert event.step is not None
                assert not event.step.inputs
                assert not event.step.detail
                assert event.step.step_id not in steps
                steps[event.step.step_id] = copy.deepcopy(event.step)
            case PlanEventKind.INPUTS:
                steps[event.step_id].inputs.extend(event.names)
            case PlanEventKind.OUTPUTS:
                steps[event.step_id].outputs.extend(event.names)
            case PlanEventKind.DETAIL:
                steps[event.step_id].detail.append(event.text)
            case PlanEventKind.REVISED if event.step is not None:
                revised = steps[event.step.step_id]
                for name in ("description", "outputs", "result", "done_count", "total_count"):
                    setattr(revised, name, getattr(event.step, name))
            case PlanEventKind.REVISED if plan.constraints:
                plan.constraints[-1] = event.text
            case PlanEventKind.REVISED:
                plan.goal = event.text
            case PlanEventKind.STEP_ENDED:
                assert event.step == steps[event.step.step_id] if event.step else False
    plan.steps = grow([*steps.values()])
    return plan


def is_same_scan(found: ScanResult, expected: ScanResult) -> None:
    assert found.plan == expected.plan
    assert plan_to_dict(found.plan) == plan_to_dict(expected.plan)
    assert found.diagnostics == expected.diagnostics
    assert found.positions.fields == expected.positions.fields
    assert found.positions.steps == expected.positions.steps
    assert found.source.name == expected.source.name
    assert found.source.text == expected.source.text


@lru_cache(maxsize=1)
def _scan(text: str, limits: Limits) -> ScanResult:
    """Mostly, many splits of one text are read."""
    return scan_plan(text, name="<stream>", limits=limits)


def ends_as_scanned(text: str, pieces: Iterable[str], limits: Limits = NO_LIMITS) -> list[PlanEvent]:
    """What comes out in the end is what a scan of the whole text gives, and what the events tell."""
    events, end = read_all(pieces, limits=limits)
    expected = _scan(text, limits)
    late = is_too_late(events)
    if late is not None:
        others = [found for found in expected.diagnostics if found.span != late.span or found.code != "PS125"]
        expected = evolve(expected, diagnostics=[late, *others])
    is_same_scan(end.result, expected)
    tells_the_plan(events, end)
    return events


def is_too_late(events: Iterable[PlanEvent]) -> Diagnostic | None:
    """What says that a plan which was told of is reasoning: a closing tag that nothing opens has come behind it."""
    late = [event.diagnostic for event in events if event.diagnostic and has_started_over(event.diagnostic)]
    return next((found for found in reversed(late) if found.severity is Severity.ERROR), None)


def has_started_over(found: Diagnostic) -> bool:
    """Whether a finding says that all in front of a place is reasoning."""
    return found.code == "PS125" and re.search("it was not opened|before the final channel", found.message) is not None


def tells_the_plan(events: list[PlanEvent], end: StreamEnd) -> None:
    """The events of the draft that was taken tell the plan and all its findings, each once and in order."""
    result = end.result
    if end.draft is None:
        assert {found.code for found in result.diagnostics} & _REFUSALS
        return
    plan = build(events, end.draft)
    late = _late_title(events, end, plan)
    plan.title += late
    assert plan == result.plan
    assert plan_to_dict(plan) == plan_to_dict(result.plan)
    findings = [event for event in events if event.kind is PlanEventKind.FINDING]
    begin = max(
        (_end(event) for event in findings if event.diagnostic and has_started_over(event.diagnostic)), default=0
    )
    blocks = [event.diagnostic for event in findings if _is_block(event.diagnostic) and _end(event) >= begin]
    assert blocks == [found for found in result.diagnostics if _is_block(found)]
    plain = [found for found in result.diagnostics if not _is_block(found)]
    if late:
        plain = [found for found in plain if found.message != "the title is out of order"]
    findings = [event for event in findings if not _is_block(event.diagnostic) and _end(event) > begin]
    # A late title is a draft of its own, the next one, whose findings are those of the plan as well.
    told = [event.diagnostic for event in findings if event.draft in (end.draft, end.draft + bool(late))]
    assert told == [found for found in plain if not _is_left_out(found) or found in told]
    left_out = [found for found in plain if found not in told]
    assert len(left_out) <= max(event.draft for event in events)
    begun = _ids(events, PlanEventKind.STEP, end.draft)
    assert begun == _ids(events, PlanEventKind.STEP_ENDED, end.draft)
    assert sorted(begun) == sorted(step.step_id for step in iter_steps(result.plan))
    settled = [event.draft for event in events if event.kind is PlanEventKind.SETTLED]
    assert settled == [end.draft] or (len(settled) == 1 and (is_too_late(events) or end.superseded))
    endings = [event.draft for event in events if event.kind is PlanEventKind.DRAFT_ENDED]
    assert endings == [*range(max(event.draft for event in events) + 1)]


def _late_title(events: list[PlanEvent], end: StreamEnd, plan: PlanSpec) -> str:
    """The title after a plan that has none. Told as another plan's, it is known to be its own at the end only."""
    if plan.title or not end.superseded or end.draft is None:
        return ""
    later = (event for event in events if event.kind is PlanEventKind.TITLE and event.draft > end.draft)
    return next((event.text for event in later), "")


def _is_block(found: Diagnostic | None) -> bool:
    return found is not None and found.code == "PS125"


def _end(event: PlanEvent) -> int:
    assert event.diagnostic is not None
    return event.diagnostic.span.end if event.diagnostic.span else 0


def _ids(events: list[PlanEvent], kind: PlanEventKind, draft: int) -> list[str]:
    return [event.step.step_id for event in events if event.step and (event.kind, event.draft) == (kind, draft)]


def _is_left_out(found: Diagnostic) -> bool:
    return found.message in (
        "left out: another plan",
        "left out: another plan, and nothing says which one counts",
        "left out: not part of the plan",
    )


def is_never_taken_back(text: str, limits: Limits = NO_LIMITS) -> None:
    """What is known of any prefix stays so: its events are the first of those of the whole text."""
    whole = PlanStream(limits=limits).feed(text)
    stream = PlanStream(limits=limits)
    known: list[PlanEvent] = []
    for at, piece in enumerate(text):
        known += stream.feed(piece)
        assert known == whole[: len(known)]
        assert stream.is_hopeless == any(event.kind is PlanEventKind.HOPELESS for event in known)
        assert stream.is_settled == any(event.kind is PlanEventKind.SETTLED for event in known)
        tail = text[: at + 1].rpartition("\n")[2]
        assert stream.provisional.text == tail
    assert known == whole


def hope_is_right(text: str, limits: Limits = DEFAULT_LIMITS) -> None:
    """Without a hopeless fault nothing of the plan is lost; strictly, the text is accepted, and else it is not."""
    events, end = read_all([text], limits=limits)
    fault = next((event.diagnostic for event in events if event.kind is PlanEventKind.HOPELESS), None)
    errors = [found for found in end.result.diagnostics if found.severity is Severity.ERROR]
    if fault is None:
        assert errors == []
    elif {event.draft for event in events} == {0}:
        assert errors
    events, _ = read_all([text], strict=True, limits=limits)
    faults = [event.diagnostic for event in events if event.kind is PlanEventKind.HOPELESS]
    refused = _refuse(text, limits)
    assert len(faults) == bool(refused)
    # What was told of reasoning that nothing had opened cannot be taken back.
    if refused and refused[0].code not in _REFUSALS and not has_started_over(refused[0]):
        assert faults[0] == refused[0]


def _refuse(text: str, limits: Limits) -> list[Diagnostic]:
    """All that the strict reader says. A limit on findings would leave out some before they are put in order."""
    try:
        parse_plan(text, name="<stream>", limits=evolve(limits, max_findings=None))
    except PlanSyntaxError as error:
        return error.diagnostics
    return []
