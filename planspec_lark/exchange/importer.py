"""Texts of other formats → plans, with an account of every line."""

from __future__ import annotations

from attrs import define, field

from planspec_lark.exchange.convert import Converted, plain_text, plan_to_tasks, tasks_to_plan
from planspec_lark.exchange.formats import FORMATS, Format, find_format, guess_format
from planspec_lark.exchange.models import Reading, Report
from planspec_lark.planspec.models import PlanSpec, PlanStatus
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError, PlanSyntaxError, in_order
from planspec_lark.syntax.source import Source

__all__ = ["ExchangeError", "Imported", "import_text"]


class ExchangeError(PlanSpecError, ValueError):
    """What cannot be imported or exported at all; the text says why, and is safe to show."""


@define(eq=False)
class Imported:
    """What an import gives: the plan, and the report."""

    plan: PlanSpec
    report: Report
    reading: Reading = field(repr=False)

    @property
    def text(self) -> str:
        """The plan as text."""
        return serialize_plan(self.plan)


def choose_format(source: Source) -> Format:
    """The format that a text is in.

    Raises:
        PlanSyntaxError: it is in none (EX110), or in several just as well (EX111).
    """
    guesses = [*guess_format(source).items()]
    if not guesses:
        raise _refuse(source, "EX110", f"this is in none of the formats {', '.join(FORMATS)}")
    best = [name for name, guess in guesses if guess.score == guesses[0][1].score]
    if len(best) > 1:
        raise _refuse(source, "EX111", f"this may be {' or '.join(best)}")
    return find_format(best[0])


def _refuse(source: Source, code: str, message: str) -> PlanSyntaxError:
    help = "say which one it is: --from FORMAT"
    return PlanSyntaxError([Diagnostic(code, message, span=source.span(0, 0), help=help, source=source)], source)


def import_text(text: str, form: str | None = None, *, name: str = "<text>") -> Imported:
    """The plan that a text in another format holds.

    Args:
        text: what is in the file.
        form: one of :data:`planspec_lark.exchange.FORMATS`; by default it is found out.
        name: what diagnostics call it.

    Raises:
        PlanSyntaxError: it has no tasks, cannot be read, or is in no format that can be told.
        ValueError: there is no such format.
    """
    source = Source(text, name)
    chosen = choose_format(source) if form is None else find_format(form)
    reading = chosen.read(source)
    if not reading.tasks.tasks:
        found = [*reading.found, Diagnostic("EX110", "there are no tasks", span=source.span(0, 0), source=source)]
        raise PlanSyntaxError(in_order(found), source)
    return finish(reading, chosen, source)


def finish(reading: Reading, chosen: Format, source: Source) -> Imported:
    """The plan and the report of what was read."""
    made = tasks_to_plan(reading.tasks, "Finish all tasks")
    if not chosen.is_text:
        for key, lost in made.lost.items():
            made.steps[key].detail.append(f"[also needs: {', '.join(map(plain_text, lost))}]")
    report = Report(chosen.name)
    counted = [task for task in reading.tasks if task.is_counted]
    report.tasks, report.done = len(counted), sum(task.status is PlanStatus.DONE for task in counted)
    report.found = in_order([*reading.found, *_locate(made, source)])
    _account(report, reading, made, chosen, source)
    return Imported(made.plan, report, reading)


def _locate(made: Converted, source: Source) -> list[Diagnostic]:
    found = []
    for code, message, task in made.faults:
        start = source.start_of(max(task.line, 1))
        span = source.span(start, start + len(source.line(max(task.line, 1))))
        found.append(Diagnostic(code, message, span=span, step_id=made.steps[id(task)].step_id, source=source))
    return found


def _account(report: Report, reading: Reading, made: Converted, chosen: Format, source: Source) -> None:
    """Say where each line has gone, and what an export would write in its place."""
    steps = {key: step.step_id for key, step in made.steps.items()}
    entries = [*reading.account.close(steps)]
    exported = chosen.write(plan_to_tasks(made.plan, chosen.number))
    differs = chosen.compare(entries, source, exported)
    for fate, entry in entries:
        getattr(report, fate.value).append(entry)
    report.exported = "same" if exported == source.text else "lines differ" if differs else "layout differs"
