"""What is promised of reading a text while it is being written."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from planspec_lark import PlanSpec, PlanStep, PlanStream, PlanSyntaxError, extract_plan, parse_plan
from planspec_lark.answers import Extraction, PlanEvent, PlanEventKind, StreamEnd
from planspec_lark.answers.block import find_blocks
from planspec_lark.planspec import plan_to_dict
from planspec_lark.syntax.envelopes import set_aside, undo_escapes
from planspec_lark.syntax.limits import NO_LIMITS, Limits
from planspec_lark.syntax.reasoning import has_tags
from planspec_lark.syntax.source import end_last_line
from planspec_lark.syntax.tree import grow


def read_all(pieces: Iterable[str], *, limits: Limits = NO_LIMITS) -> tuple[list[PlanEvent], StreamEnd]:
    """Feed a stream with these pieces and end it: all its events, and its end."""
    stream = PlanStream(limits=limits)
    events = [event for piece in pieces for event in stream.feed(piece)]
    end = stream.finish()
    return [*events, *end.events], end


def cut(text: str, places: Iterable[int]) -> list[str]:
    """A text in pieces, cut at these places."""
    bounds = [0, *sorted(at for at in places if at < len(text)), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


def build(events: Iterable[PlanEvent]) -> PlanSpec:
    """The plan that events tell of."""
    plan = PlanSpec()
    steps: dict[str, PlanStep] = {}
    for event in events:
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
                assert event.step.step_id not in steps
                assert not event.step.children
                steps[event.step.step_id] = event.step
    plan.steps = grow([*steps.values()])
    return plan


def is_same(found: Extraction, expected: Extraction) -> None:
    assert plan_to_dict(found.plan) == plan_to_dict(expected.plan)
    assert (found.verdict, found.holds, found.repairs) == (expected.verdict, expected.holds, expected.repairs)
    assert (found.remarks, found.notes, found.span) == (expected.remarks, expected.notes, expected.span)


def ends_as_extracted(text: str, pieces: Iterable[str], limits: Limits = NO_LIMITS) -> list[PlanEvent]:
    """What comes out in the end is what the whole text gives, and what the events tell, unless it says otherwise."""
    events, end = read_all(pieces, limits=limits)
    is_same(end.result, extract_plan(text, name="<stream>", limits=limits))
    if end.superseded:
        assert _has_other_blocks(text)
    elif not has_tags(text):
        assert build(events) in (end.result.plan, PlanSpec())
    assert [event.kind for event in events].count(PlanEventKind.SETTLED) == 1
    return events


def _has_other_blocks(text: str) -> bool:
    """Whether the block that counts may be another than the first: one of several, a quote, behind escapes.

    A plan that the form takes as it is may be read so where the dialect would read more into it.
    """
    if has_tags(text) or undo_escapes(text, "planspec_dialect"):
        return True
    whole = end_last_line(set_aside(text))
    blocks = find_blocks(whole)
    if len(blocks) != 1 or blocks[0].text != whole:
        return True
    [block] = blocks
    return bool(find_blocks(whole[: block.around_start])) or _is_plan(whole[block.start : block.end])


def is_never_taken_back(text: str, limits: Limits = NO_LIMITS) -> None:
    """What is known of any prefix stays so: its events are the first of those of the whole text."""
    whole = PlanStream(limits=limits).feed(text)
    stream = PlanStream(limits=limits)
    known: list[PlanEvent] = []
    for piece in text:
        known += stream.feed(piece)
        assert known == whole[: len(known)]
        assert stream.is_hopeless == any(event.kind is PlanEventKind.HOPELESS for event in known)
        assert stream.is_settled == any(event.kind is PlanEventKind.SETTLED for event in known)
    assert known == whole


def hope_is_right(text: str) -> None:
    """A plan that is accepted was never hopeless, unless it was told of another."""
    events, end = read_all([text])
    is_hopeless = any(event.kind is PlanEventKind.HOPELESS for event in events)
    if end.result.is_usable and not end.superseded:
        assert not is_hopeless


def _is_plan(text: str) -> bool:
    try:
        parse_plan(text, limits=NO_LIMITS)
    except PlanSyntaxError:
        return False
    return True
