"""What a text with syntax faults leaves open: lines that could not be read, and what they may explain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve, field, frozen

from planspec_lark.planspec.models import BLANKS, PlanStep, iter_steps
from planspec_lark.planspec.recovery import ScanResult
from planspec_lark.planspec.step_repair import looks_like_step, read_loose_id
from planspec_lark.syntax.diagnostics import Diagnostic, Severity

__all__ = ["Holes"]

# Findings about the place of a step among the others.
_PLACE_CODES = ("PS204", "PS206", "PS301", "PS302", "PS303", "PS310")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID = re.compile(r"[^0-9０-９]{0,20}([0-9０-９]{1,9}(?:[.．][0-9０-９]{1,9})*)")


@frozen
class Holes:
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
        rows, done = source.text.split("\n"), 0
        for fault in self.result.diagnostics:
            if fault.span is None or fault.fix is not None or fault.code == "PS106":
                continue
            self.codes.add(fault.code)
            first, last = fault.span.line - 1, max(fault.span.end_line, done)
            # The body of a line that was refused goes with it.
            while last < len(rows) and rows[last].lstrip(BLANKS).startswith(">"):
                last += 1
            row = rows[first].strip(BLANKS)
            if looks_like_step(row) and (match := _ID.match(row)):
                step_id = read_loose_id(match[1])
                self.ids.add(step_id)
                self.parents.add(step_id.rpartition(".")[0])
            for below in rows[max(first, done) : last]:
                self.words.update(_WORD.findall(below))
            done = last

    def look_through(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
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
