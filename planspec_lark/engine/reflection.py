"""Text → reflection: what a language model's answer decides about a step, or changes at the end of a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from attrs import field, frozen

from planspec_lark.engine.decisions import Decided, Decision, diagnose_decision, match_decision
from planspec_lark.engine.judging import Given, ReflectionJudge, judge_replan
from planspec_lark.engine.trial import Trial
from planspec_lark.plan_cmd.faults import Fault
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.plan_cmd.parser import find_fault, to_diagnostic, walk_commands
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, has_errors
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source

__all__ = ["Reflection", "read_reflection", "read_replan"]


@frozen
class Reflection:
    """What an answer says.

    Attributes:
        decision: the decision, if there is one and only one.
        reason: its reason; of several lines with the same decision, that of the last one with a reason.
        commands: the commands, in their order.
        diagnostics: all that is wrong, and the reasoning blocks that were left out, in the order of the text.
        source: the text.
    """

    decision: Decision | None
    reason: str
    commands: list[PlanCommand]
    diagnostics: list[Diagnostic]
    source: Source = field(repr=False)

    @property
    def is_usable(self) -> bool:
        """Whether it can be acted upon: nothing in it is an error."""
        return not has_errors(self.diagnostics)


def read_reflection(  # noqa: PLR0913  (all but the first three are options)
    text: str,
    plan: PlanSpec,
    step: PlanStep,
    *,
    can_interact: bool,
    can_retry: bool = True,
    name: str = "<reflection>",
    limits: Limits = DEFAULT_LIMITS,
) -> Reflection:
    """Find what an answer decides about a step that has not gone well, and all that is wrong with it.

    Args:
        text: any text.
        plan: the plan. Commands are tried on a copy of it.
        step: the step of the plan that is looked at.
        can_interact: whether there is a person to ask.
        can_retry: whether the step may run again.
        name: what diagnostics call the text.
        limits: how much to read and to report; answers have no steps and no depth.

    Raises:
        ValueError: the plan has no such step. No text makes it raise.
    """
    if find_step(plan, step.step_id) is None:
        raise ValueError(f"step: the plan has no step {step.step_id}")
    source = Source(text, name)
    if excess := find_excess(text, name, limits):
        return Reflection(None, "", [], [excess], source)
    remainder = leave_out_reasoning(text)
    decisions, commands = _read(remainder.text)
    found = Findings(limits.max_findings)
    judge = ReflectionJudge(Trial(plan, step), can_interact, can_retry, source)
    for one in judge.judge(decisions, commands):
        found.add(one)
    missed = False
    diagnose = partial(diagnose_decision, step_id=step.step_id, able=judge.able)
    for fault, start, end in _walk_faults(remainder.text, diagnose):
        missed = True
        # Whoever has decided may well list the decisions, too.
        is_harmless = fault.code == "PE202" and judge.is_settled
        found.add(to_diagnostic(fault, source, start, end, Severity.WARNING if is_harmless else None))
    if not (judge.is_settled or missed):
        found.add(judge.miss(len(text.rstrip(f"{BLANKS}\r\n")), has_commands=bool(commands)))
    found.extend(remainder.diagnose(source))
    return _reflect(decisions, commands, found, source)


def read_replan(text: str, plan: PlanSpec, *, name: str = "<re-plan>", limits: Limits = DEFAULT_LIMITS) -> Reflection:
    """Find what an answer changes at the end of a round. An answer without commands changes nothing and is fine.

    Args:
        text: any text.
        plan: the plan. Commands are tried on a copy of it.
        name: what diagnostics call the text.
        limits: how much to read and to report; answers have no steps and no depth.
    """
    source = Source(text, name)
    if excess := find_excess(text, name, limits):
        return Reflection(None, "", [], [excess], source)
    remainder = leave_out_reasoning(text)
    decisions, commands = _read(remainder.text)
    found = Findings(limits.max_findings)
    for one in judge_replan(Trial(plan), decisions, commands, source):
        found.add(one)
    for fault, start, end in _walk_faults(remainder.text, lambda _: None):
        found.add(to_diagnostic(fault, source, start, end))
    found.extend(remainder.diagnose(source))
    return _reflect([], commands, found, source)


def _reflect(decisions: list[Decided], commands: list[Given], found: Findings, source: Source) -> Reflection:
    is_one = len({decided.decision for decided in decisions}) == 1
    reasons = [decided.reason for decided in decisions if decided.reason] if is_one else []
    return Reflection(
        decisions[0].decision if is_one else None,
        reasons[-1] if reasons else "",
        [given.command for given in commands],
        found.close(),
        source,
    )


def _read(text: str) -> tuple[list[Decided], list[Given]]:
    """The decisions and the commands in a text."""
    decisions: list[Decided] = []
    commands: list[Given] = []
    for found, start, end in walk_commands(text, _find_decision):
        if isinstance(found, PlanCommand):
            commands.append(Given(found, start, end))
        else:
            decisions.append(found)
    return decisions, commands


def _find_decision(text: str, at: int, _newline: int) -> Iterator[tuple[Decided, int, int]]:
    if decided := match_decision(text, at):
        yield decided, decided.start, decided.end


def _walk_faults(text: str, diagnose: Callable[[str], Fault | None]) -> Iterator[tuple[Fault, int, int]]:
    """The lines that are almost commands, and those that are almost decisions by ``diagnose``; with their bounds."""

    def find(text: str, at: int, newline: int) -> Iterator[tuple[Fault, int, int]]:
        if match_decision(text, at):
            return
        line = text[at:newline].removesuffix("\r")
        start = at + len(line) - len(line.lstrip(BLANKS))
        line = line.strip(BLANKS)
        if fault := diagnose(line):
            yield fault, start, start + len(line)
        else:
            yield from find_fault(text, at, newline)

    for found, start, end in walk_commands(text, find):
        if isinstance(found, Fault):
            yield found, start, end
