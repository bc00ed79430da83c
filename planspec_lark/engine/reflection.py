"""Text → reflection: what a language model's answer decides about a step, or changes at the end of a round."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, field, frozen

from planspec_lark.answers.truncation import is_cut_short, name_cut, start_of_last_line
from planspec_lark.engine.decisions import Decision, DecisionLine, diagnose_decision, match_decision
from planspec_lark.engine.reflection_rules import Given, ReflectionJudge, Trial, judge_replan
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.plan_cmd.recovery import CONFLICT, CommandLine, is_cut, read_lines
from planspec_lark.planspec.models import BLANKS, PlanSpec, PlanStep
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, brief, has_errors
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import Remainder, leave_out_reasoning
from planspec_lark.syntax.source import Source, end_last_line

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

    @property
    def warnings(self) -> list[str]:
        """What was skipped or repaired, each in a line."""
        told = [found for found in self.diagnostics if found.severity is Severity.WARNING]
        return [f"line {found.line or 1}: {found.code}: {brief(found.message)}" for found in told]


def read_reflection(  # noqa: PLR0913  (all but the first three are options)
    text: str,
    plan: PlanSpec,
    step: PlanStep,
    *,
    can_interact: bool,
    can_retry: bool = True,
    can_accept: bool = True,
    finish_reason: str = "",
    name: str = "<reflection>",
    limits: Limits = DEFAULT_LIMITS,
) -> Reflection:
    """What an answer decides about a failed step, and what is wrong with it.

    Args:
        text: any text.
        plan: the plan. Commands are tried on a copy of it.
        step: the step of the plan that is looked at.
        can_interact: whether there is a person to ask.
        can_retry: whether the step may run again.
        can_accept: whether it has a result.
        finish_reason: why the model stopped; "length" means that the answer is cut off.
        name: what diagnostics call the text.
        limits: how much to read and to report; answers have no steps and no depth.

    Raises:
        ValueError: the plan has no such step. No text makes it raise.
    """
    if find_step(plan, step.step_id) is None:
        raise ValueError(f"step: the plan has no step {step.step_id}")
    answer = _Answer.read(text, name, limits)
    if isinstance(answer, Reflection):
        return answer
    judge = ReflectionJudge(Trial(plan, step), can_interact, can_retry, can_accept, answer.source)
    found = answer.found
    for one in judge.judge(answer.decisions, answer.commands):
        found.add(one)
    missed = False
    for line in answer.others:
        near = diagnose_decision(line.text, step.step_id, judge.able)
        missed = missed or near is not None
        for one in near.report(answer.source, line.start, line.end) if near else _skip(line):
            # A model that has decided may also list the possible decisions.
            found.add(evolve(one, severity=Severity.WARNING) if near and judge.is_settled else one)
    found.extend(answer.repairs)
    if not (judge.is_settled or missed or answer.commands):
        found.add(judge.miss(len(text.rstrip(f"{BLANKS}\r\n"))))
    return answer.close(answer.decisions, finish_reason)


def read_replan(
    text: str,
    plan: PlanSpec,
    *,
    finish_reason: str = "",
    name: str = "<re-plan>",
    limits: Limits = DEFAULT_LIMITS,
) -> Reflection:
    """What an answer changes at the end of a round. An answer without commands changes nothing and is fine.

    Args:
        text: any text.
        plan: the plan. Commands are tried on a copy of it.
        finish_reason: why the model stopped; "length" means that the answer is cut off.
        name: what diagnostics call the text.
        limits: how much to read and to report; answers have no steps and no depth.
    """
    answer = _Answer.read(text, name, limits)
    if isinstance(answer, Reflection):
        return answer
    for one in judge_replan(Trial(plan), answer.decisions, answer.commands, answer.source):
        answer.found.add(one)
    for line in answer.others:
        answer.found.extend(_skip(line))
    answer.found.extend(answer.repairs)
    return answer.close([], finish_reason)


def _skip(line: CommandLine) -> Iterator[Diagnostic]:
    """What is wrong with a line that cannot be read: it is skipped. Two versions are more than a line."""
    for one in line.found:
        is_skipped = one.code != CONFLICT and one.severity is Severity.ERROR
        message = f"this line is skipped: {one.message}"
        yield evolve(one, severity=Severity.WARNING, message=message) if is_skipped else one


@frozen
class _Answer:
    """An answer that is being read: its decisions, commands and other lines, and what was found.

    Attributes:
        repairs: what was found of the commands.
    """

    source: Source
    remainder: Remainder
    found: Findings
    decisions: list[DecisionLine] = field(factory=list, init=False)
    commands: list[Given] = field(factory=list, init=False)
    others: list[CommandLine] = field(factory=list, init=False)
    repairs: list[Diagnostic] = field(factory=list, init=False)
    lines: list[CommandLine] = field(factory=list, init=False)

    @classmethod
    def read(cls, text: str, name: str, limits: Limits) -> _Answer | Reflection:
        """Sort the lines of a text; where it is too long, that is all there is to say."""
        source = Source(text, name)
        if excess := find_excess(text, name, limits):
            return Reflection(None, "", [], [excess], source)
        answer = cls(source, leave_out_reasoning(text), Findings(limits.max_findings))
        kept = end_last_line(answer.remainder.text)
        for line in read_lines(kept, source):
            answer.lines.append(line)
            if line.command is not None:
                answer.commands.append(Given(line.command, line.start, line.end))
                answer.repairs.extend(line.found)
            elif decided := match_decision(kept, line.start):
                answer.decisions.append(decided)
            else:
                answer.others.append(line)
        return answer

    def close(self, decisions: list[DecisionLine], finish_reason: str) -> Reflection:
        """What the answer says, with these decisions."""
        self.found.extend(self.remainder.diagnose(self.source))
        text = self.remainder.text
        # One that was cut off before its first word has not said that nothing is to change.
        if is_cut_short(finish_reason) or is_cut(text, self.lines, finish_reason):
            self.found.add(name_cut(self.source, start_of_last_line(text)))
        is_one = len({decided.decision for decided in decisions}) == 1
        reasons = [decided.reason for decided in decisions if decided.reason] if is_one else []
        return Reflection(
            decisions[0].decision if is_one else None,
            reasons[-1] if reasons else "",
            [given.command for given in self.commands],
            self.found.close(),
            self.source,
        )
