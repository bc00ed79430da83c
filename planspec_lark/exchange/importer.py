"""Texts of other formats → plans, with an account of every line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field

from planspec_lark.exchange.conversion import Converted, tasks_to_plan
from planspec_lark.exchange.formats import FORMATS, Format, find_format, guess_format
from planspec_lark.exchange.models import ExchangeReport, Fate, Task, TaskReading
from planspec_lark.json_text.models import write_path
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, in_order, join_words
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings
from planspec_lark.syntax.source import Source

__all__ = ["ImportResult", "import_text"]


@define(eq=False)
class ImportResult:
    """What an import gives.

    Attributes:
        plan: the plan.
        report: where everything has gone.
        source: what was read.
        reading: how it was read.
        steps: the step of each task of it.
    """

    plan: PlanSpec
    report: ExchangeReport
    source: Source = field(repr=False)
    reading: TaskReading = field(repr=False)
    steps: Mapping[Task, PlanStep] = field(repr=False)

    @property
    def text(self) -> str:
        """The plan as text."""
        return serialize_plan(self.plan)


def choose_format(source: Source) -> Format:
    """The format that a text is in.

    Raises:
        PlanSyntaxError: it is in none (EX110), or in several just as well (EX111).
    """
    scores = guess_format(source)
    if not scores:
        raise _refuse(source, "EX110", f"unknown format; the formats are {join_words(FORMATS, 'and')}", _NAME_IT)
    best = [name for name, score in scores.items() if score == max(scores.values())]
    if len(best) > 1:
        raise _refuse(source, "EX111", f"the format is not clear: it may be {' or '.join(best)}", _NAME_IT)
    return find_format(best[0])


_NAME_IT = "name the format: --from FORMAT"


def _refuse(
    source: Source, code: str, message: str, help: str = "", also: Sequence[Diagnostic] = ()
) -> PlanSyntaxError:
    found = Diagnostic(code, message, span=source.span(0, 0), help=help, source=source)
    return PlanSyntaxError(in_order([*also, found]), source)


def import_text(
    text: str,
    form: str | None = None,
    *,
    list: int = 0,  # noqa: A002  (as the option is called)
    name: str = "<text>",
) -> ImportResult:
    """The plan that a text in another format holds.

    Args:
        text: what is in the file.
        form: one of :data:`planspec_lark.exchange.FORMATS`; by default it is found out.
        list: which of several lists without boxes is the plan, from 1; by default all of them are.
        name: what diagnostics call it.

    Raises:
        PlanSyntaxError: it has no tasks, cannot be read, or is in no format that can be told.
        ValueError: there is no such format, or no such list.
    """
    source = Source(text, name)
    plan = fast_reader.read(text)
    if plan is not None and plan.steps:
        # It may look like a list of another tool.
        raise _refuse(source, "EX110", "this is already a PlanSpec plan")
    chosen = choose_format(source) if form is None else find_format(form)
    reading = chosen.read(source, list)
    if not reading.tasks.children:
        raise _refuse(source, "EX110", "the text has no tasks", also=reading.found)
    return _finish(reading, chosen, source)


def _finish(reading: TaskReading, chosen: Format, source: Source) -> ImportResult:
    """The plan and the report of what was read."""
    made = tasks_to_plan(reading.tasks, is_strict=chosen.is_text)
    counted = [task for task in reading.tasks if task.is_counted]
    counts, unit = reading.account.count(), "fields" if reading.account.is_of_fields else "lines"
    report = ExchangeReport(
        chosen.name,
        len(counted),
        sum(task.status is PlanStatus.DONE for task in counted),
        similar=reading.similar,
        summary=f"{counts[Fate.CARRIED]} {unit} carried, {counts[Fate.KEPT]} kept, {counts[Fate.LEFT_OUT]} left out",
        settle=lambda: reading.account.close(made.steps),
    )
    found = Findings(DEFAULT_LIMITS.max_findings)
    for several in (reading.found, _locate(made, source), _find_controls(source) if chosen.is_text else ()):
        found.extend(several)
    report.found = found.close()
    return ImportResult(made.plan, report, source, reading, made.steps)


def _find_controls(source: Source) -> Iterator[Diagnostic]:
    for match in grammars.pattern("planspec", "FORBIDDEN").finditer(source.text):
        # A line end is two characters in some files.
        if match[0] != "\r" or source.text[match.end() : match.end() + 1] not in ("\n", ""):
            message = f"the character U+{ord(match[0]):04X} is not allowed in a plan, and is written as an escape"
            yield Diagnostic("EX108", message, span=source.span(*match.span()), source=source)


def _locate(made: Converted, source: Source) -> list[Diagnostic]:
    found = []
    for code, message, task in made.faults:
        start = source.start_of(max(task.line, 1))
        span = source.span(start, start + len(source.line(max(task.line, 1))))
        path = write_path(task.path) if task.path else ""
        step_id = made.steps[task].step_id
        found.append(Diagnostic(code, message, span=span, step_id=step_id, path=path, source=source))
    return found
