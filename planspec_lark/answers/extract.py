"""An answer → the plan in it, with a ledger of all that was repaired, dropped or left out on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.answers.json_strings import JsonString, find_in_json
from planspec_lark.answers.quotes import find_in_quote, undo_escapes
from planspec_lark.answers.reading import Reading
from planspec_lark.answers.remarks import is_disowned
from planspec_lark.answers.repair import last_line
from planspec_lark.answers.repair_risk import rate
from planspec_lark.answers.risk import RISKS, Risk, highest
from planspec_lark.answers.truncation import CUT, find_cut, name_cut
from planspec_lark.answers.verdict import Verdict, decide, explain, reach_verdict
from planspec_lark.planspec.answer_lines import read_heading
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.hidden_parts import find_doubtful, find_gaps, find_nested, find_placeholders
from planspec_lark.planspec.interchange import plan_to_dict
from planspec_lark.planspec.models import STEP_TYPES, PlanSpec
from planspec_lark.planspec.positions import Positions
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.recovery import ScanResult
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.scan import scan_plan
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, in_order
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits, check_is_text
from planspec_lark.syntax.source import Source, Span

__all__ = ["Extraction", "Repair", "extract_plan"]


# Rules that a reading may break without losing anything that could be named.
_RULES = ("PS202", "PS203", "PS204", "PS206", "PS319")


# What to do about text that may change what a plan means.
_ABOUT = "if this does not change the plan, remove it; if it does, change the plan as it says"
# What to do about a heading above steps that says more than what they are about: a status, a case, a choice.
_OF_HEADING = "what a heading says of its steps is not read: mark each step by itself, or decide which of them hold"
# A list of steps as a field of a JSON or YAML value, and what to do about it.
_KEYED_STEPS = re.compile(
    r'"(?:steps|plan|tasks|步骤)"\s*:\s*\[|^[ \t]*(?:steps|plan|tasks|步骤):[ \t]*\r?\n[ \t]*-[ \t]+\w+:[ \t]',
    re.MULTILINE,
)
_WRITE = "JSON and YAML are not read as plans: write each step as a line such as `1. [act] Text → output`"
# What lines of a list are left out with, and what to do where that list is the plan.
_OF_LISTS = frozenset({"PS107", "PS110", "PS112"})
_HEAD = "if a list in it is the plan, write `## Steps` above it"
# A bullet that may be below another one.
_NESTED = re.compile(r"^[^\S\n]+[-*+•·]", re.MULTILINE)
# What tells of steps that were not taken.
_LOST = frozenset({"PS107", "PS110", "PS111", "PS112", "PS127"})


@frozen
class Repair:
    """One entry of the ledger.

    Attributes:
        code: the code of what was found.
        message: what was found, in words.
        was: the text as it was.
        became: what it was read as; the empty text for what was left out. What was only moved stays the same, and so
            does what may be something else than it was taken for.
        risk: how likely it is that this changes what is meant.
        diagnostic: what was found, with its place; an error where the risk is above the one that is allowed.
    """

    code: str
    message: str
    was: str
    became: str
    risk: Risk
    diagnostic: Diagnostic = field(repr=False)

    @property
    def line(self) -> int:
        """Its first line, from 1."""
        return self.diagnostic.line or 1

    @property
    def end_line(self) -> int:
        """Its last line."""
        span = self.diagnostic.span
        return self.line if span is None else last_line(span)

    def to_dict(self) -> dict[str, Any]:
        """The entry as a JSON value."""
        names = ("line", "end_line", "code", "message", "was", "became")
        return {**{name: getattr(self, name) for name in names}, "risk": self.risk.value, "help": self.diagnostic.help}


@frozen
class Extraction:
    """What was found in an answer.

    Attributes:
        plan: the plan; empty where there is none.
        repairs: what was repaired or dropped, in the order of the answer.
        left_out: what seems to be no part of the plan.
        span: from the plan's first character to its last; None where there is none.
        max_risk: the highest risk that is allowed.
        truncated: whether the answer was cut off.
        scan: what the tolerant reader has made of the answer, or of the string of a JSON value in it that holds the
            plan; without the last line where that was cut off.
    """

    plan: PlanSpec
    repairs: tuple[Repair, ...]
    left_out: tuple[Repair, ...]
    span: Span | None
    max_risk: Risk
    truncated: bool
    scan: ScanResult = field(repr=False)

    @cached_property
    def text(self) -> str:
        """The plan's canonical text, as the plan is when it is first asked for."""
        return serialize_plan(self.plan)

    @property
    def source(self) -> Source:
        """The text that was read."""
        return self.scan.source

    @property
    def positions(self) -> Positions:
        """Where the plan's parts are in it."""
        return self.scan.positions

    @property
    def entries(self) -> tuple[Repair, ...]:
        """All that was repaired, dropped or left out."""
        return (*self.repairs, *self.left_out)

    @property
    def verdict(self) -> Verdict:
        """Whether the plan is safe to act on."""
        is_there = bool(self.plan.steps)
        is_lost = not is_there and self.span is not None and any(entry.code in _LOST for entry in self.entries)
        return reach_verdict(self.entries, self.max_risk, is_there=is_there, is_lost=is_lost and not self._is_keyed)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All that was found, in the order of the text. What keeps the plan from being accepted is an error."""
        return [*in_order(entry.diagnostic for entry in self.entries), *self._miss()]

    @property
    def readings(self) -> list[Diagnostic]:
        """The diagnostics without those of the rules (PS2xx), for who checks the rules as well."""
        return [one for one in self.diagnostics if not one.code.startswith("PS2")]

    @property
    def faults(self) -> list[Diagnostic]:
        """What keeps the plan from being accepted: errors whose messages end with their risks; empty where it is."""
        if self.is_usable:
            return []
        return [*explain(self.entries, self.max_risk), *self._miss()]

    @property
    def deciding(self) -> list[Repair]:
        """The entries that keep the plan from being accepted: with a risk above the allowed one, or beyond repair."""
        return decide(self.entries, self.max_risk)

    @property
    def _is_keyed(self) -> bool:
        """Whether the steps are fields of a JSON or YAML value, of which no line is a step's."""
        return _KEYED_STEPS.search(self.source.text) is not None

    def _miss(self) -> list[Diagnostic]:
        """That there are no steps."""
        if self.plan.steps:
            return []
        message = "the text has no plan: no steps can be read"
        has_list = any(entry.code in _OF_LISTS for entry in self.entries)
        help = _WRITE if self._is_keyed else _HEAD if has_list else ""
        return [Diagnostic("PS201", message, Severity.ERROR, self.source.span(0, 0), help=help, source=self.source)]

    @property
    def refused(self) -> list[Repair]:
        """All entries with a risk above the one that is allowed."""
        entries = sorted(self.entries, key=lambda entry: entry.line)
        return [entry for entry in entries if entry.risk.rank > self.max_risk.rank]

    @property
    def risk(self) -> Risk:
        """The highest risk of any entry."""
        return highest(entry.risk for entry in self.entries)

    @property
    def is_usable(self) -> bool:
        """Whether there is a plan with steps, and nothing was done for it that is not allowed."""
        return self.verdict is Verdict.ACCEPTED

    def to_dict(self) -> dict[str, Any]:
        """All of it as a JSON value. It has no plan where that is not usable."""
        return {
            "verdict": self.verdict.value,
            "usable": self.is_usable,
            "truncated": self.truncated,
            "risk": self.risk.value,
            "max_risk": self.max_risk.value,
            "plan": plan_to_dict(self.plan) if self.is_usable else None,
            "text": self.text if self.is_usable else None,
            "line": self.span.line if self.span else None,
            "end_line": self.span.end_line if self.span else None,
            "repairs": [entry.to_dict() for entry in self.repairs],
            "left_out": [entry.to_dict() for entry in self.left_out],
        }


def extract_plan(  # noqa: PLR0913  (each says something else about the answer)
    text: str,
    *,
    max_risk: Risk | str = Risk.MEDIUM,
    default_type: str = "",
    finish_reason: str = "",
    allow_truncated: bool = False,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
) -> Extraction:
    """Take the plan out of an answer, and keep account of all that was done to it. Never raises on any text.

    Args:
        text: any text.
        max_risk: the highest risk that is allowed. What is done above that is refused: then the plan is not usable.
        default_type: the type of steps that have none; with it, a plan in plain Markdown is one, too.
        finish_reason: why the model stopped, as its interface says; a limit such as "length", a filter or "incomplete"
            means that the answer is cut off.
        allow_truncated: whether a plan that is cut off will do. Its last line is not taken in any case.
        name: what diagnostics call the text.
        limits: how much to read. More findings than are listed count as the highest risk.

    Raises:
        ValueError: there is no such risk or type.
    """
    check_is_text(text)
    most = Risk(max_risk)
    if default_type and default_type not in STEP_TYPES:
        raise ValueError(f"default_type: {default_type!r} is not one of {', '.join(STEP_TYPES)}")
    read = partial(
        extract_plan,
        max_risk=max_risk,
        default_type=default_type,
        finish_reason=finish_reason,
        allow_truncated=allow_truncated,
        name=name,
        limits=limits,
    )
    if (plain := undo_escapes(text)) is not None:
        found = read(plain[0])
        return evolve(found, repairs=(_name_escapes(text, *plain[1:], name, most), *found.repairs))
    start = find_cut(text, finish_reason=finish_reason)
    result = scan_plan(text if start is None else text[:start], default_type=default_type, name=name, limits=limits)
    cut = None if start is None else name_cut(Source(text, name), start, is_allowed=allow_truncated)
    if result.plan.steps:
        return _account(result, cut, most)
    if (inner := find_in_json(text, limits, default_type=default_type)) is not None:
        found = read(inner.text, finish_reason="" if inner.is_whole else "length")
        found = evolve(found, left_out=(_name_json(text, inner, name, most), *found.left_out))
        if cut is None or found.truncated:
            return found
        # The string is whole, and what came after it is missing.
        entry = _enter(cut, Source(text, name), most, RISKS[CUT] if allow_truncated else Risk.HIGH)
        return evolve(found, truncated=True, repairs=(*found.repairs, entry))
    if (quoted := find_in_quote(text, limits, default_type=default_type)) is not None:
        found = read(quoted[0])
        return evolve(found, repairs=(_name_quote(text, *quoted[1:], name, most), *found.repairs))
    return _account(result, cut, most)


def _account(result: ScanResult, cut: Diagnostic | None, most: Risk) -> Extraction:
    """A reading with an entry for each finding: of the cut, of the reader, and of what the plan breaks."""
    told, source, reading = result.diagnostics, result.source, Reading.of(result)
    is_strict = not told and cut is None
    broken = _find_broken(result.plan, told, is_strict=is_strict)
    if not is_strict and result.plan.steps and len(result.plan.constraints) > 1 and _NESTED.search(source.text):
        places = result.positions.fields.get("constraints", ())[-len(result.plan.constraints) :]
        broken.extend(find_nested(source.text, [span.start for span in places]))
    repairs: list[Repair] = []
    left_out: list[Repair] = []
    for diagnostic in (*([cut] if cut else []), *told, *(locate(broken, result.positions) if broken else ())):
        entries = left_out if diagnostic.severity is Severity.INFO else repairs
        entries.append(_enter(diagnostic, source, most, rate(diagnostic, reading)))
    repairs.sort(key=lambda entry: entry.line)
    span = source.span(*reading.plan) if reading.plan else None
    return Extraction(result.plan, tuple(repairs), tuple(left_out), span, most, cut is not None, result)


def _find_broken(plan: PlanSpec, told: Sequence[Diagnostic], *, is_strict: bool) -> list[Diagnostic]:
    """What breaks a rule, or may be meant otherwise in a text that is not strictly a plan.

    A word in brackets is taken for a type, though it may be meant as a status or as nothing of the kind; and what a
    reading makes of a text that is not a plan may break other rules.
    """
    codes = _RULES[:1] if is_strict else _RULES
    broken = [found for found in check_rules(plan) if found.code in codes]
    if not is_strict:
        broken.extend(find_doubtful(plan))
        # A step that was left out with an error is named already.
        is_named = any(found.severity is Severity.ERROR for found in told)
        broken.extend(found for found in find_gaps(plan) if not is_named or found.step_id == plan.steps[0].step_id)
    broken.extend(find_placeholders(plan))
    return broken


def _name_json(text: str, inner: JsonString, name: str, most: Risk) -> Repair:
    """That the plan is in a string, which its lines are counted in."""
    source = Source(text, name)
    span = source.span(inner.start, inner.end)
    message = "the plan is in a string of a JSON value: lines are counted in that string"
    # The key of the string is what leads to it.
    risk = Risk.HIGH if is_disowned(text[: inner.start].rstrip('" :\n').rpartition('"')[2]) else Risk.NONE
    severity = Severity.ERROR if risk.rank > most.rank else Severity.INFO
    found = Diagnostic("PS101", message, severity, span, source=source)
    return Repair("PS101", message, f"{text[: inner.start]}…{text[inner.end :]}".strip(), "", risk, found)


def _name_quote(text: str, start: int, end: int, name: str, most: Risk) -> Repair:
    """That the plan is in a quote."""
    source = Source(text, name)
    end = start + len(text[start:end].rstrip())
    message = "the plan is in a quote: the `>` before each line is left out, and columns are counted without it"
    severity = Severity.ERROR if Risk.LOW.rank > most.rank else Severity.WARNING
    found = Diagnostic("PS107", message, severity, source.span(start, end), source=source)
    return Repair("PS107", message, ">", "", Risk.LOW, found)


def _name_escapes(text: str, start: int, end: int, name: str, most: Risk) -> Repair:
    """That the signs of the plan are escaped."""
    source = Source(text, name)
    message = "signs in this text are escaped: it is read without that, and columns are counted without it"
    severity = Severity.ERROR if Risk.LOW.rank > most.rank else Severity.WARNING
    found = Diagnostic("PS101", message, severity, source.span(start, end), source=source)
    return Repair("PS101", message, text[start:end], "", Risk.LOW, found)


def _enter(diagnostic: Diagnostic, source: Source, most: Risk, risk: Risk) -> Repair:
    # What breaks a rule is taken as it is, whatever might be meant by it.
    is_type = diagnostic.code in _RULES
    fix, span = None if is_type else diagnostic.fix, diagnostic.span
    is_dropped = diagnostic.severity is not Severity.WARNING or diagnostic.code in ("PS105", "PS125", "PS130")
    is_kept = is_type or (fix is None and not is_dropped)
    was = source.text[fix.span.start : fix.span.end] if fix else _whole_lines(span, diagnostic.source or source)
    became = fix.text if fix else was if is_kept else ""
    if risk.rank > most.rank:
        help = diagnostic.help or _advise(diagnostic, was)
        diagnostic = evolve(diagnostic, severity=Severity.ERROR, help=help)
    return Repair(diagnostic.code, diagnostic.message, was, became, risk, diagnostic)


def _advise(diagnostic: Diagnostic, was: str) -> str:
    """What to do about what is refused, and has no advice of its own."""
    if diagnostic.severity is Severity.INFO and diagnostic.code == "PS101":
        return _ABOUT
    return _OF_HEADING if diagnostic.code == "PS110" and diagnostic.fix and read_heading(was.strip()) else ""


def _whole_lines(span: Span | None, source: Source) -> str:
    """The lines that a span touches, without white space around them."""
    if span is None:
        return ""
    return "\n".join(source.line(number) for number in range(span.line, last_line(span) + 1)).strip(" \t\n")
