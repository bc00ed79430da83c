"""Text → message: strictly, or out of whatever a language model has put around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.json_text.findings import (
    IGNORED_NULL,
    ValueFinding,
    first_findings,
    missing_field,
    wrong_type,
)
from planspec_lark.json_text.models import JsonText
from planspec_lark.json_text.parser import JSON_LIMITS, read_json, scan_json
from planspec_lark.plan_next.conversion import build
from planspec_lark.plan_next.models import Phase, PlanNext, PlanReturn
from planspec_lark.plan_next.rules import PHASES, check_next, check_phase, check_return
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, Severity, has_errors, quote
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.source import Source

__all__ = ["MessageError", "MessageScan", "parse_message", "scan_message", "scan_strictly"]

_MODELS: dict[str, type[PlanNext | PlanReturn]] = {"plan-next": PlanNext, "plan-return": PlanReturn}
# By what a message is told from an object that is only of its type.
_MAIN = {Phase.PLANNING: "new_block", Phase.EXECUTION: "result"}
# Fields of which the protocol says that they may be null, which is to leave them out.
_NULLABLE = ("executor_call", "update_plan")
# Fields for which null can only mean that they are left out, though the protocol does not say so.
_OPTIONAL = ("success_signal", "status")


class MessageError(PlanSyntaxError):
    """A text that is no message its phase takes. ``diagnostics`` holds all its faults in the order of the text."""


@frozen
class MessageScan:
    """What was found in a text: the message, unless an error is among the diagnostics, and all that was found.

    A repair is a warning, what was left out around the message an info.
    """

    message: PlanNext | PlanReturn | None
    diagnostics: list[Diagnostic]
    source: Source = field(repr=False)


def parse_message(
    text: str, phase: Phase | str, *, name: str = "<text>", limits: Limits = JSON_LIMITS
) -> PlanNext | PlanReturn:
    """Read a message strictly: one JSON object and nothing else.

    Args:
        text: the whole answer.
        phase: "planning" takes plan-next, "execution" takes plan-return.
        name: what diagnostics call the text.
        limits: the most bytes, levels and findings.

    Returns:
        The message; its ``warnings`` hold what does not make it wrong.

    Raises:
        MessageError: the text is no such message; with all diagnostics, warnings included.
        ValueError: there is no such phase.
    """
    scan = scan_strictly(text, Phase(phase), name=name, limits=limits)
    if scan.message is None:
        raise MessageError(scan.diagnostics, scan.source)
    return scan.message


def scan_strictly(text: str, phase: Phase, *, name: str, limits: Limits = JSON_LIMITS) -> MessageScan:
    """The same with all that was found, whether or not it is a message."""
    read = read_json(text, name=name, limits=limits)
    message, found = _judge(read, phase, limits)
    return MessageScan(message, found, read.source)


def scan_message(text: str, phase: Phase | str, *, name: str = "<text>", limits: Limits = JSON_LIMITS) -> MessageScan:
    """Read the message in a language model's answer; never raises on any text.

    It is taken out of code fences and prose, and repaired where its meaning is plain; each of these is a diagnostic.
    What is wrong with the message itself stays wrong, and of two different messages none counts. The arguments are
    those of :func:`parse_message`.
    """
    phase = Phase(phase)
    read = scan_json(text, name=name, limits=limits, prefer=lambda value: _is_of(value, phase))
    read, dropped = _without_nulls(read, _OPTIONAL)
    known = [ValueFinding("PN103", IGNORED_NULL, (key,), severity=Severity.WARNING) for key in dropped]
    message, found = _judge(read, phase, limits, known)
    return MessageScan(message, found, read.source)


def _is_of(value: object, phase: Phase) -> bool:
    return isinstance(value, dict) and value.get("type") == PHASES[phase] and _MAIN[phase] in value


def _without_nulls(read: JsonText, keys: Sequence[str]) -> tuple[JsonText, list[str]]:
    """A text whose object has none of these keys with null, and the keys that it had."""
    value = read.value
    if not isinstance(value, dict) or not (nulls := [key for key in keys if key in value and value[key] is None]):
        return read, []
    return evolve(read, value={key: item for key, item in value.items() if key not in nulls}), nulls


def _judge(
    read: JsonText, phase: Phase, limits: Limits, known: Sequence[ValueFinding] = ()
) -> tuple[PlanNext | PlanReturn | None, list[Diagnostic]]:
    """The message, unless there is an error, and all that was found."""
    read, _ = _without_nulls(read, _NULLABLE)
    built: PlanNext | PlanReturn | None = None
    findings = list(known)
    if isinstance(read.value, dict):
        built, more = _judge_value(read.value, phase)
        findings += more
    found = first_findings(findings, read, limits.max_findings, read.diagnostics)
    if built is None or has_errors(found):
        return None, found
    return evolve(built, warnings=tuple(found), origin=read), found


def _judge_value(value: dict[str, Any], phase: Phase) -> tuple[Any, list[ValueFinding]]:
    if "type" not in value:
        return None, [ValueFinding("PN101", missing_field("type"), ("type",), help=f'write "{PHASES[phase]}"')]
    kind = value["type"]
    if not isinstance(kind, str):
        return None, [ValueFinding("PN103", wrong_type("a string", kind), ("type",))]
    if kind not in _MODELS:
        message = f"unknown message type {quote(kind)}"
        return None, [ValueFinding("PN104", message, ("type",), help=f'write "{PHASES[phase]}"')]
    built, findings = build({key: item for key, item in value.items() if key != "type"}, _MODELS[kind])
    findings += check_phase(kind, phase)
    findings += check_next(value) if kind == "plan-next" else check_return(value)
    return built, findings
