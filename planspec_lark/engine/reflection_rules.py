"""What must hold for the decisions and commands of an answer, besides their syntax."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import define, field, frozen

from planspec_lark.engine.decisions import Decision, DecisionLine
from planspec_lark.engine.models import REFLECTION_VERBS, REPLAN_VERBS
from planspec_lark.plan_cmd.apply import perform
from planspec_lark.plan_cmd.finder import Finder
from planspec_lark.plan_cmd.models import VIEW_OPS, PlanCommand
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import CommandError, Diagnostic, join_words, shorten
from planspec_lark.syntax.source import Source

__all__ = ["Given", "ReflectionJudge", "Trial", "judge_replan"]


_WHICH = "the commands here are SKIP, REVISE, ADD and REPLAN with an id; `ACCEPT` takes a result as it is"


@frozen
class Given:
    """A command with its bounds."""

    command: PlanCommand
    start: int
    end: int


def _note(code: str, message: str, source: Source, where: Given | DecisionLine, help: str = "") -> Diagnostic:
    return Diagnostic(code, message, span=source.span(where.start, where.end), help=help, source=source)


def _misplaced(given: Given, source: Source, which: str) -> Diagnostic:
    what = f"{given.command.op} {shorten(given.command.step_id)}"
    return _note("PE205", f"{what} is not possible here", source, given, which)


# ---------------------------------------------------------------- commands on a copy


class Trial:
    """A copy of a plan on which commands are tried, and what becomes of one step wherever they move it.

    Args:
        plan: the plan, which stays as it is.
        step: a step of it to follow, if there is one.
    """

    def __init__(self, plan: PlanSpec, step: PlanStep | None = None) -> None:
        self._finder = Finder(plan)
        self._own = None if step is None else find_step(plan, step.step_id)
        self._is_there = self._own is not None
        self._is_copy = False

    @property
    def step_id(self) -> str:
        """The id that the step has by now, or had when it was removed; "" if there is none to follow."""
        return self._own.step_id if self._own else ""

    def find(self, step_id: str) -> PlanStep | None:
        """The step that has this id by now."""
        self._copy()
        return self._finder.find(step_id)

    def is_above(self, step_id: str) -> bool:
        """Whether this id is that of the step, or of one that it is below."""
        # Cut first: a text may have many commands, and an id many characters.
        own = self.step_id
        return self._is_there and (own == step_id or own[: len(step_id) + 1] == f"{step_id}.")

    def perform(self, command: PlanCommand) -> CommandError | None:
        """Perform a command; why it is refused, or None."""
        self._copy()
        removes = command.op == "REPLAN" and command.step_id != self.step_id and self.is_above(command.step_id)
        try:
            perform(command, self._finder)
        except CommandError as error:
            return error
        self._is_there = self._is_there and not removes
        return None

    def _copy(self) -> None:
        """Copy the plan before anything is done to it: many answers do nothing."""
        if not self._is_copy:
            self._is_copy = True
            self._finder = self._finder.for_trial()
            self._own = self._own and find_step(self._finder.plan, self._own.step_id)


# ---------------------------------------------------------------- reflection


@define
class ReflectionJudge:
    """Judges what an answer says about a step that has not gone well."""

    trial: Trial
    can_interact: bool
    can_retry: bool
    can_accept: bool
    source: Source
    # The one decision, if there is one and only one.
    _decided: DecisionLine | None = None
    # Whether anything says what becomes of the step, rightly or not.
    is_settled: bool = False
    # The commands that skip, and those that change, by the identity of the step that each is about. The steps stay with
    # them, as a step that is gone would leave its identity to another one.
    _skips: dict[int, tuple[PlanStep, PlanCommand]] = field(factory=dict)
    _changes: dict[int, tuple[PlanStep, PlanCommand]] = field(factory=dict)

    def judge(self, decisions: Sequence[DecisionLine], commands: Sequence[Given]) -> Iterator[Diagnostic]:
        """All that is wrong with them."""
        yield from self._judge_decisions(decisions)
        for given in commands:
            yield from self._judge_command(given)

    def miss(self, offset: int) -> Diagnostic:
        """That nothing says what becomes of the step."""
        message, help = "the answer has no decision and no command", f"write {self._ways()} on a line of its own"
        return Diagnostic("PE201", message, span=self.source.span(offset, offset), help=help, source=self.source)

    @property
    def able(self) -> list[Decision]:
        """The decisions that are possible."""
        return [decision for decision in Decision if not self._refuse(decision)]

    def _judge_decisions(self, decisions: Sequence[DecisionLine]) -> Iterator[Diagnostic]:
        self.is_settled = bool(decisions)
        for decided in decisions:
            if reason := self._refuse(decided.decision):
                yield _note("PE204", reason, self.source, decided, f"write {self._ways()} instead")
        others = [decided for decided in decisions if decided.decision is not decisions[0].decision]
        for other in others:
            line, _ = self.source.position(decisions[0].start)
            message = f"a second decision, {other.decision.value}: line {line} says {decisions[0].decision.value}"
            yield _note("PE203", message, self.source, other, "remove one of the two lines")
        if decisions and not others:
            self._decided = decisions[0]

    def _refuse(self, decision: Decision) -> str:
        if decision is Decision.INTERACT and not self.can_interact:
            return "INTERACT is not possible here: no operator can be asked"
        if decision is Decision.RETRY and not self.can_retry:
            return "RETRY is no longer possible: the step has used all of its attempts"
        if decision is Decision.ACCEPT and not self.can_accept:
            return "ACCEPT is not possible here: the step has no result that could be accepted"
        return ""

    def _ways(self) -> str:
        """What can be written to say what becomes of the step."""
        skip = f"PLAN_CMD: SKIP {shorten(self.trial.step_id)} | reason"
        return join_words([f"`{word}`" for word in (*(decision.value for decision in self.able), skip)])

    def _judge_command(self, given: Given) -> Iterator[Diagnostic]:
        command = given.command
        if command.op not in VIEW_OPS and command.op != "ADD":
            self.is_settled |= command.step_id == "ALL" or self.trial.is_above(command.step_id)
        if command.op not in REFLECTION_VERBS or command.step_id == "ALL":
            yield _misplaced(given, self.source, _WHICH)
        else:
            for code, message, help in self._contradict(command):
                yield _note(code, message, self.source, given, help)
            if error := self.trial.perform(command):
                yield _note(error.code, str(error), self.source, given)

    def _contradict(self, command: PlanCommand) -> Iterator[tuple[str, str, str]]:
        target = self.trial.find(command.step_id)
        if target is None or command.op == "ADD":
            return
        name = f"{command.op} {shorten(command.step_id)}"
        if command.op == "SKIP" and target.status is PlanStatus.DONE:
            yield "PE208", f"{name}: the step is already done", "remove the command"
        mine, theirs = (self._skips, self._changes) if command.op == "SKIP" else (self._changes, self._skips)
        if id(target) in theirs:
            _, other = theirs[id(target)]
            message = f"{name} contradicts {other.op} {shorten(other.step_id)}: a step is either skipped or changed"
            yield "PE207", message, "remove one of the two"
        mine.setdefault(id(target), (target, command))
        if self._decided is not None and self.trial.is_above(command.step_id):
            word = self._decided.decision
            if end := self._clash(word, command):
                message = f"{name} contradicts {word.value}: step {shorten(self.trial.step_id)} would {end}"
                yield "PE207", message, "remove one of the two"

    def _clash(self, word: Decision, command: PlanCommand) -> str:
        """What a command would do to the step that does not go with the decision; "" if the two go together."""
        if command.op == "SKIP":
            return "be skipped"
        if word is Decision.ACCEPT:
            return "not stay as it is"
        return "be gone" if command.op == "REPLAN" and command.step_id != self.trial.step_id else ""


# ---------------------------------------------------------------- the end of a round


def judge_replan(
    trial: Trial, decisions: Sequence[DecisionLine], commands: Sequence[Given], source: Source
) -> Iterator[Diagnostic]:
    """All that is wrong with what an answer says at the end of a round."""
    for decided in decisions:
        message = f"{decided.decision.value} is about one step, and this is not about a single step"
        help = "write commands, or nothing if the plan can stay as it is"
        yield _note("PE204", message, source, decided, help)
    has_others = any(given.command.step_id != "ALL" for given in commands)
    for given in commands:
        command = given.command
        if command.op not in REPLAN_VERBS:
            yield _misplaced(given, source, "the commands here are ADD, REVISE and REPLAN")
        elif command.step_id == "ALL" and has_others:
            message = "REPLAN ALL contradicts the other commands: what they change would be gone"
            yield _note("PE207", message, source, given, "remove it, or remove the others")
        elif error := trial.perform(command):
            yield _note(error.code, str(error), source, given)
