"""All that can be said about a text at once: syntax, rules and lint, each finding at its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import chain

from attrs import evolve, field, frozen

from planspec_lark.planspec.dialect import read_line, read_progress
from planspec_lark.planspec.fixes import add_fixes
from planspec_lark.planspec.lint import check_optional, find_lint
from planspec_lark.planspec.models import BLANKS, PlanStep, iter_steps
from planspec_lark.planspec.positions import Positions, StepPositions
from planspec_lark.planspec.recovery import ScanResult, scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.limits import DEFAULT_LIMITS, OVER_LIMIT, Findings, Limits
from planspec_lark.syntax.source import Span

__all__ = ["check_scan", "check_text", "locate"]

# Faults of a text whose plan was not read, or not to its end.
_UNREAD = OVER_LIMIT | {"PS119", "PS120"}


def check_text(
    text: str,
    *,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
    also: Collection[str] = (),
    least: Severity = Severity.INFO,
) -> list[Diagnostic]:
    """Check a text as a plan.

    Args:
        text: a PlanSpec document.
        name: what diagnostics call it, such as the file's name.
        limits: how much to read and to report.
        also: what else to look for, as in :func:`planspec_lark.lint_plan`.
        least: what counts; of less weight are only those that ``also`` asks for.

    Returns:
        All findings in the order of the text, each with its fix, if there is one. Where there are syntax errors, rules
        and lint look at what could be read, and what they find is provisional. They do not speak of what a line that
        could not be read may explain, and leave infos out.

    Raises:
        ValueError: as :func:`planspec_lark.lint_plan` does.
    """
    check_optional(also)
    return check_scan(scan_strictly(text, name=name, limits=limits), limits, also=also, least=least)


def check_scan(
    result: ScanResult, limits: Limits, *, also: Collection[str] = (), least: Severity = Severity.INFO
) -> list[Diagnostic]:
    """The same for a text that was read with these limits, as :func:`scan_strictly` does."""
    faults = result.diagnostics
    if any(one.code in _UNREAD for one in faults):
        return add_fixes(faults, result.source)
    judged: Iterable[Diagnostic] = chain(check_rules(result.plan), find_lint(result.plan, also))
    judged = _Unread(result).filter(judged) if faults else judged
    counted = [one for one in judged if one.severity.counts_as(least) or one.code in also]
    found = Findings(limits.max_findings)
    found.extend(faults)
    if counted:
        # Findings about the plan itself, which have no step, come first.
        places = {step.step_id: at for at, step in enumerate(iter_steps(result.plan))}
        counted.sort(key=lambda one: places.get(one.step_id, -1))
        # Of what is not listed, no more than the first has to be found in the text.
        shown = len(counted) if limits.max_findings is None else limits.max_findings + 1
        found.extend(locate(counted[:shown], result.positions, frozenset(one.line for one in faults)))
        found.counts.update(one.severity for one in counted[shown:])
    return add_fixes(found.close(), result.source)


def locate(
    diagnostics: Iterable[Diagnostic], positions: Positions, faulty: Collection[int | None] = ()
) -> Iterator[Diagnostic]:
    """Give each diagnostic the place of the step and field that it speaks of.

    Its replacement becomes its fix, but not in a step that has one of the lines that are ``faulty`` by themselves.
    """
    positions_of = cache(positions.step)

    @cache
    def is_spoilt(step_id: str) -> bool:
        return any(positions.source.position(start)[0] in faulty for start, _ in positions.bounds_of(step_id))

    for diagnostic in diagnostics:
        # Which item is where can only be told where all of a step was read as it is written.
        is_exact = not (faulty and diagnostic.step_id and is_spoilt(diagnostic.step_id))
        is_listed = diagnostic.item is not None and not is_exact
        span = _find(evolve(diagnostic, part="", item=None) if is_listed else diagnostic, positions, positions_of)
        said = positions.source.text[span.start : span.end]
        if diagnostic.code == "PS320" and is_exact and not read_progress(said.strip(BLANKS)):
            # A bar with a backslash before it is text.
            continue
        fix = Fix(span, diagnostic.replacement) if diagnostic.replacement and is_exact else None
        yield evolve(diagnostic, span=span, fix=fix, source=positions.source)


def _find(diagnostic: Diagnostic, positions: Positions, positions_of: Callable[[str], StepPositions]) -> Span:
    if diagnostic.step_id:
        fields = positions_of(diagnostic.step_id).fields
        whole = fields["step_id"][0]
    else:
        fields, whole = positions.fields, positions.source.span(0, 0)
    spans = fields.get(diagnostic.part, ())
    if diagnostic.item is not None and diagnostic.item < len(spans):
        return spans[diagnostic.item]
    return spans[0] if spans else whole


# ---------------------------------------------------------------- what a text with syntax faults leaves open

# Findings about the place of a step among the others.
_PLACE_CODES = ("PS204", "PS206", "PS301", "PS302", "PS303", "PS310")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@frozen
class _Unread:
    """The lines of a text that could not be read, and those that went with them.

    Attributes:
        result: what was read.
        ids: the ids that they seem to have.
        parents: the ids above these; empty for a step at the top.
        words: their words.
        codes: the codes of their faults.
    """

    result: ScanResult
    ids: set[str] = field(factory=set, init=False)
    parents: set[str] = field(factory=set, init=False)
    words: set[str] = field(factory=set, init=False)
    codes: set[str] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        source = self.result.source
        rows, done, read = source.text.split("\n"), 0, -1
        for fault in self.result.diagnostics:
            if fault.span is None or fault.fix is not None or fault.code == "PS106":
                continue
            self.codes.add(fault.code)
            first, last = fault.span.line - 1, max(fault.span.end_line, done)
            # The body of a line that was refused goes with it.
            while last < len(rows) and rows[last].lstrip(BLANKS).startswith(">"):
                last += 1
            if first == read:
                # Another part of the same line.
                continue
            row, read = rows[first].strip(BLANKS), first
            reading = read_line(row)
            if reading is not None and reading.step is not None and (step_id := reading.step.number):
                self.ids.add(step_id)
                self.parents.add(step_id.rpartition(".")[0])
            for below in rows[max(first, done) : last]:
                self.words.update(_WORD.findall(below))
            done = last

    def filter(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The findings of rules and lint that none of these lines explains, each as a provisional one.

        Infos are left out: what may well be right anyway says too little where not all could be read.
        """
        steps = {step.step_id: step for step in iter_steps(self.result.plan)}
        for one in found:
            if one.severity is not Severity.INFO and not self._explain(one, steps.get(one.step_id)):
                yield evolve(one, is_provisional=True)

    def _explain(self, found: Diagnostic, step: PlanStep | None) -> bool:
        """Whether a finding may be there only because a line could not be read."""
        if step is None:
            return bool(self.ids) if found.code == "PS201" else "PS104" in self.codes
        if found.part in ("inputs", "outputs") and found.item is not None:
            names = step.inputs if found.part == "inputs" else step.outputs
            return names[found.item] in self.words
        return found.code in _PLACE_CODES and self._is_near(found.step_id, is_order=found.code in ("PS302", "PS303"))

    def _is_near(self, step_id: str, *, is_order: bool) -> bool:
        """Whether a line that could not be read may be this step, or be above, below or beside it."""
        parent = step_id.rpartition(".")[0]
        return (
            step_id in self.ids
            or parent in self.ids
            or step_id in self.parents
            or (is_order and parent in self.parents)
        )
