"""Answers to execution requests: JSON with status, result and outputs, read from any text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from attrs import field, frozen

from planspec_lark.engine.models import LOOP_WORDS, Effort, HopStatus, OperatorResult
from planspec_lark.json_text.findings import (
    IGNORED_NULL,
    ValueFinding,
    first_findings,
    missing_field,
    unknown_field,
    wrong_type,
)
from planspec_lark.json_text.parser import JSON_LIMITS, scan_json
from planspec_lark.planspec.models import PlanStep
from planspec_lark.syntax.diagnostics import (
    CODES,
    Diagnostic,
    Severity,
    has_errors,
    join_words,
    quote,
    shorten,
)
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import Source

__all__ = ["ExecutionScan", "execution_schema", "read_execution"]

_SPENT = ("tokens", "cost", "model", "input_tokens", "output_tokens")
_FIELDS = ("status", "result", "outputs", "branch", "loop", "retry_after", *_SPENT)
# Fields for which null can only mean that there is none.
_OPTIONAL = ("outputs", "branch", "loop", "retry_after", *_SPENT)
# Characters of a result: it becomes a part of one line of the plan.
_LONGEST_RESULT = 2000
# Tokens, cost or seconds in one answer, so that sums stay numbers.
_LARGEST_AMOUNT = 10**15

_Value = TypeVar("_Value")


@frozen
class ExecutionScan:
    """What was found in a text: the answer, unless an error is among the diagnostics, and all that was found.

    A repair is a warning, what was left out around the answer an info. ``effort`` is what the answer says that it took,
    also where it is of no use otherwise.
    """

    answer: OperatorResult | None
    diagnostics: list[Diagnostic]
    source: Source = field(repr=False)
    effort: Effort


def execution_schema(outputs: Iterable[str], branches: Sequence[str], *, is_loop: bool) -> dict[str, Any]:
    """The JSON schema of an answer.

    Args:
        outputs: of the step.
        branches: of a decision, the ids of those of which one holds.
        is_loop: whether the answer may say of a subtask whether it is done again.
    """
    values: dict[str, Any] = {name: {} for name in outputs}
    said: dict[str, Any] = {
        "status": {"enum": [status.value for status in HopStatus]},
        "result": {"type": "string"},
        "outputs": {"type": "object", "properties": values, "additionalProperties": False},
    }
    if branches:
        said["branch"] = {"enum": [*branches]}
    if is_loop:
        said["loop"] = {"enum": [*LOOP_WORDS]}
    return {"type": "object", "properties": said, "required": ["status", "result"], "additionalProperties": False}


def read_execution(text: str, step: PlanStep, *, name: str = "<answer>", limits: Limits = JSON_LIMITS) -> ExecutionScan:
    """Read the answer to an execution prompt; never raises.

    The object is taken out of code fences and prose, and repaired where its meaning is plain; each of these is a
    diagnostic. Of two different objects none counts, and without `result` it is a result without text. What is wrong
    with the answer itself has codes of its own (PE).

    Args:
        text: the whole answer.
        step: the step that it is about. Its outputs are those that the answer may have; if it is of type decide, its
            children are the branches.
        name: what diagnostics call the text.
        limits: the most bytes, levels and findings.
    """
    read = scan_json(text, name=name, limits=limits, prefer=lambda value: "status" in value)
    findings: list[ValueFinding] = []
    answer, effort = None, Effort(llm_calls=1)
    if read.has_value and isinstance(read.value, dict):
        reader = _Reader(read.value, step, findings)
        effort = reader.effort()
        answer = reader.read(effort)
    closed = first_findings(findings, read, limits.max_findings, read.diagnostics)
    is_wrong = has_errors(closed)
    return ExecutionScan(None if is_wrong else answer, closed, read.source, effort)


@frozen
class _Reader:
    """An answer's value, and what is found in it."""

    value: dict[str, Any]
    step: PlanStep
    findings: list[ValueFinding]

    def read(self, effort: Effort) -> OperatorResult | None:
        self._check_fields()
        status = self._status()
        result, outputs = self._result(), dict(self._outputs(status))
        branch, loop = self._branch(status), self._loop()
        retry_after = self._amount("retry_after") if self._has("retry_after") else None
        if status is None:
            return None
        return OperatorResult(status, result, outputs, branch, effort, loop=loop, retry_after=retry_after)

    def effort(self) -> Effort:
        """What the answer says that it took."""
        sent, written = int(self._amount("input_tokens")), int(self._amount("output_tokens"))
        tokens = int(self._amount("tokens")) or sent + written
        model, cost = self._text("model") or "", self._amount("cost")
        return Effort(1, tokens, cost, model=model, input_tokens=sent, output_tokens=written)

    def _amount(self, name: str) -> float:
        """The tokens, the cost or the seconds that the answer tells; 0 where it does not."""
        said = self.value.get(name)
        if said is None:
            return 0
        kinds, wanted = (int, "a whole number") if name.endswith("tokens") else (int | float, "a number")
        if isinstance(said, bool) or not isinstance(said, kinds):
            self._find("PE103", wrong_type(wanted, said), name)
        elif 0 <= said <= _LARGEST_AMOUNT:
            return said
        else:
            self._find("PE103", f"expected {wanted} from 0 to {_LARGEST_AMOUNT:,}", name)
        return 0

    def _find(self, code: str, message: str, *path: str, repaired: bool = False, **more: Any) -> None:
        severity = Severity.WARNING if repaired else CODES[code].severity
        self.findings.append(ValueFinding(code, message, path, severity=severity, **more))

    def _has(self, name: str) -> bool:
        return name in self.value and (self.value[name] is not None or name not in _OPTIONAL)

    def _check_fields(self) -> None:
        if "status" not in self.value:
            self._find("PE101", missing_field("status"), "status", help="add `status`")
        for name in self.value:
            if name not in _FIELDS:
                self._find("PE102", unknown_field(name), name, at_key=True)
            elif not self._has(name):
                self._find("PE103", IGNORED_NULL, name, repaired=True)

    def _value(self, name: str, default: _Value, wanted: str) -> _Value | None:
        """A field that has to be of the type of its default; None where it is of another one."""
        said = self.value[name] if self._has(name) else default
        if isinstance(said, type(default)):
            return said
        self._find("PE103", wrong_type(wanted, said), name)
        return None

    def _text(self, name: str) -> str | None:
        return self._value(name, "", "a string")

    def _status(self) -> HopStatus | None:
        said = self._text("status") if "status" in self.value else None
        if said is None:
            return None
        meant = "_".join(said[:100].upper().replace("-", " ").replace("_", " ").split())
        names = [status.value for status in HopStatus]
        if meant not in names:
            self._find("PE104", f"unknown status {quote(said)}; the statuses are {join_words(names, 'and')}", "status")
            return None
        if meant != said:
            self._find("PE104", f"the status was read as `{meant}`", "status", repaired=True)
        return HopStatus(meant)

    def _result(self) -> str:
        said = self._text("result")
        if said is None:
            return ""
        # What is cut off is not looked at.
        line = one_line(said[: 2 * _LONGEST_RESULT])
        if len(line) > _LONGEST_RESULT:
            self._find(
                "PE108",
                f"the result was cut after {_LONGEST_RESULT:,} characters",
                "result",
                help="write a shorter result",
            )
            return line[: _LONGEST_RESULT - 1].rstrip(" ") + "…"
        if line != said.strip():
            self._find(
                "PE108", "the result was read as one line", "result", help="write one line without control characters"
            )
        return line

    def _outputs(self, status: HopStatus | None) -> Iterator[tuple[str, Any]]:
        nothing: dict[str, Any] = {}
        given = self._value("outputs", nothing, "an object")
        if given is None:
            return
        declared = dict.fromkeys(self.step.outputs)
        for name in given:
            if name not in declared:
                self._find("PE110", f"unknown output {quote(name)}; it is left out", "outputs", name, at_key=True)
        for name in declared:
            if name in given:
                yield name, given[name]
            elif status is HopStatus.OK:
                self._find("PE109", f"the output `{name}` is missing", "outputs", help=f"add `{name}` to `outputs`")

    def _branch(self, status: HopStatus | None) -> str:
        is_decision = self.step.step_type == "decide"
        if not self._has("branch"):
            if is_decision and status is HopStatus.OK:
                self._find("PE105", missing_field("branch"), "branch", help=f"add `branch`: {self._branches()}")
            return ""
        if not is_decision or status not in (HopStatus.OK, None):
            self._find("PE107", "this step has no branches; `branch` is left out", "branch")
            return ""
        return self._child()

    def _child(self) -> str:
        said = self._text("branch")
        if said is None:
            return ""
        meant = said[:1000].strip().removesuffix(".")
        if meant not in {child.step_id for child in self.step.children}:
            self._find("PE106", f"unknown branch {quote(said)}", "branch", help=f"choose {self._branches()}")
            return ""
        if meant != said:
            self._find("PE106", f"the branch was read as `{meant}`", "branch", repaired=True)
        return meant

    def _loop(self) -> str:
        said = self._text("loop") or ""
        if said and said not in LOOP_WORDS:
            self._find("PE103", f'expected "again" or "done", not {quote(said)}', "loop")
            return ""
        return said

    def _branches(self) -> str:
        return shorten(" or ".join(child.step_id for child in self.step.children)) or "the step has none"
