"""Assertions on the structure of a plan, in a chain that reads as a sentence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable
from itertools import accumulate
from operator import eq, ge, le
from typing import NoReturn, Self, Unpack

from attrs import frozen

from planspec_lark.planspec.lint import lint_plan
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.rules import check_rules
from planspec_lark.pytest_plugin.match import (
    Criteria,
    Wanted,
    Words,
    describe_words,
    find_nearest,
    has_words,
    want,
)
from planspec_lark.pytest_plugin.subject import Subject, SubjectStep, show_nodes, show_some, take
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, count_of, render
from planspec_lark.syntax.safe_text import one_line

__all__ = ["PlanAssertion", "StepAssertion", "assert_plan"]

# A failure is shown where the test has asked, not where that is found out here.
__tracebackhide__ = True

# The most steps of which a message says what they have instead.
_SHOWN = 10
_SEVERITIES = [severity.value for severity in Severity]


def assert_plan(
    plan: PlanSpec | str,
    *,
    max_risk: Risk | str = Risk.MEDIUM,
    default_type: str = "",
    finish_reason: str = "",
    allow_truncated: bool = False,
) -> PlanAssertion:
    """Begin a chain of assertions on a plan.

    Args:
        plan: a plan, or a text with one, such as a language model's answer.
        max_risk: of a text, the highest risk that is allowed, as for :func:`planspec_lark.extract_plan`.
        default_type: of a text, the type of steps that have none.
        finish_reason: of a text, why the model stopped, as its interface says; "length" means that it is cut off.
        allow_truncated: of a text that is cut off, whether the plan without its last line will do.

    Raises:
        AssertionError: the verdict on a text is not ``accepted``.
        ValueError: there is no such risk or type.
    """
    how = {"default_type": default_type, "finish_reason": finish_reason, "allow_truncated": allow_truncated}
    return PlanAssertion(take(plan, max_risk=max_risk, **how))


@frozen
class PlanAssertion:
    """What can be asserted of a plan. Every method answers with an object to continue with, or raises AssertionError.

    A step is meant by its id (``"2.1"``), by its name, by words of its description (whatever their letters' case), or
    by a compiled pattern that is searched for there.
    """

    _subject: Subject

    @property
    def plan(self) -> PlanSpec:
        """The plan itself."""
        return self._subject.plan

    # ---------------------------------------------------------------- steps

    def has_step(self, which: Words | None = None, **criteria: Unpack[Criteria]) -> StepAssertion:
        """There is a step that is meant and meets all criteria. What comes next in the chain speaks of such steps.

        Args:
            which: the step that is meant, or any.
            criteria: ``name``, ``type`` and ``status``, which have to be equal; ``inputs`` and ``outputs``, a name or
                several, which have to be among the step's; ``result``, words of it.
        """
        wanted = want(which, **criteria)
        found = self._find(wanted)
        if not found:
            self._miss(f"there is no {_bare(wanted)}", wanted)
        return StepAssertion(self._subject, str(wanted), found)

    def has_no_step(self, which: Words | None = None, **criteria: Unpack[Criteria]) -> Self:
        """No step is meant and meets all criteria, which are those of :meth:`has_step`."""
        wanted = want(which, **criteria)
        if found := self._find(wanted):
            self._fail(f"there is {wanted}", marked=found)
        return self

    def step_count(
        self,
        count: int | None = None,
        *,
        at_least: int | None = None,
        at_most: int | None = None,
        **criteria: Unpack[Criteria],
    ) -> Self:
        """There are so many steps, children included, or so many that meet the criteria of :meth:`has_step`."""
        wanted = want(**criteria)
        found = self._find(wanted)
        limits = {"": count, "at least ": at_least, "at most ": at_most}
        asked = {word: limit for word, limit in limits.items() if limit is not None}
        if not asked:
            raise TypeError("step_count: say how many: a number, at_least or at_most")
        holds = {"": eq, "at least ": ge, "at most ": le}
        if not all(holds[word](len(found), limit) for word, limit in asked.items()):
            listed = " and ".join(f"{word}{limit}" for word, limit in asked.items())
            such = str(wanted).removeprefix("a step")
            said = f"there {'is' if len(found) == 1 else 'are'} {count_of(len(found), 'step')}{such}, not {listed}"
            self._fail(said, marked=found if wanted.criteria else ())
        return self

    # ---------------------------------------------------------------- the plan

    def has_goal(self, words: Words) -> Self:
        """The goal has these words."""
        if not has_words(words, self.plan.goal):
            self._fail_with(f"the goal has no {describe_words(words)}", [f"  Goal: {one_line(self.plan.goal)}"])
        return self

    def has_constraint(self, words: Words) -> Self:
        """A constraint has these words."""
        constraints = self.plan.constraints
        if not any(has_words(words, constraint) for constraint in constraints):
            rows = show_some((f"- {one_line(constraint)}" for constraint in constraints), len(constraints))
            self._fail_with(f"no constraint has {describe_words(words)}", rows or ["  the plan has no constraints"])
        return self

    def is_valid(self) -> Self:
        """The plan keeps the six rules."""
        found = [found for found in check_rules(self.plan) if found.severity is Severity.ERROR]
        self._refuse("the plan is not valid", found)
        return self

    def has_no_findings(self, *, least: str = "warning", ignore: Collection[str] = ()) -> Self:
        """Neither the six rules nor lint find anything.

        Args:
            least: what counts: "error", "warning" (errors as well) or "info" (everything).
            ignore: codes that do not.
        """
        if least not in _SEVERITIES:
            raise ValueError(f"least: {least!r} is not one of {', '.join(_SEVERITIES)}")
        listed = [*check_rules(self.plan), *lint_plan(self.plan)]
        found = [one for one in listed if one.severity.counts_as(Severity(least)) and one.code not in ignore]
        self._refuse(f"there {'is' if len(found) == 1 else 'are'} {count_of(len(found), 'finding')}", found)
        return self

    def needs_no_repair(self) -> Self:
        """The text that the plan was read from is one as it is, but for what is written around the plan."""
        if self._subject.repairs:
            raise AssertionError("\n".join(self._subject.list_repairs()))
        return self

    # ---------------------------------------------------------------- messages

    def _find(self, wanted: Wanted) -> list[SubjectStep]:
        return [node for node in self._subject.nodes if wanted.fits(node.step)]

    def _refuse(self, message: str, found: list[Diagnostic]) -> None:
        if found:
            ids = {one.step_id for one in found if one.step_id}
            self._fail(
                message,
                show_some(map(render, found), len(found)),
                [node for node in self._subject.nodes if node.step.step_id in ids],
            )

    def _miss(self, message: str, wanted: Wanted) -> NoReturn:
        """Fail, since there is nothing that is wanted, with what comes nearest."""
        near = find_nearest(wanted, self._subject.nodes)
        reasons = [(node.step.step_id, wanted.explain(node.step)) for node in near]
        named = ", ".join(f"{step_id} ({reason})" if reason else step_id for step_id, reason in reasons)
        self._fail(message, [one_line(f"nearest: {named}")] if named else [], near)

    def _fail(self, message: str, rows: Iterable[str] = (), marked: Iterable[SubjectStep] = ()) -> NoReturn:
        shown = show_nodes(self._subject.nodes, marked) or ["  (it has no steps)"]
        self._fail_with(message, [*rows, "the plan:", *shown])

    def _fail_with(self, message: str, rows: Iterable[str]) -> NoReturn:
        raise AssertionError("\n".join([one_line(message), *rows, *self._subject.list_repairs()]))


@frozen
class StepAssertion(PlanAssertion):
    """What can be asserted of steps that have been found.

    Several may have been: each method keeps those that it holds for, and fails where it holds for none. So a chain says
    that there is one step for which all of it is true.
    """

    _said: str
    _found: list[SubjectStep]

    @property
    def steps(self) -> tuple[PlanStep, ...]:
        """The steps."""
        return tuple(node.step for node in self._found)

    def before(self, which: Words | None = None, **criteria: Unpack[Criteria]) -> StepAssertion:
        """It is over, with all below it, before another step begins."""
        wanted, others = self._others("before", which, criteria)
        last = max(other.place for other in others)
        return self._keep(f"before {wanted}", others, lambda node: node.end <= last)

    def after(self, which: Words | None = None, **criteria: Unpack[Criteria]) -> StepAssertion:
        """It begins when another step is over, with all below it."""
        wanted, others = self._others("after", which, criteria)
        first = min(other.end for other in others)
        return self._keep(f"after {wanted}", others, lambda node: node.place >= first)

    def under(self, which: Words | None = None, **criteria: Unpack[Criteria]) -> StepAssertion:
        """It is below another step, on whatever level."""
        wanted, others = self._others("under", which, criteria)
        # Up to where what is below one of the others before it reaches.
        ends = [0, *accumulate((other.end for other in others), max)]
        places = [other.place for other in others]
        return self._keep(f"under {wanted}", others, lambda node: node.place < ends[bisect_left(places, node.place)])

    def produces(self, *names: Words) -> StepAssertion:
        """These are among its outputs."""
        return self._meet("produces", want(outputs=names))

    def consumes(self, *names: Words) -> StepAssertion:
        """These are among its inputs."""
        return self._meet("consumes", want(inputs=names))

    # ---------------------------------------------------------------- what is left

    def _others(self, word: str, which: Words | None, criteria: Criteria) -> tuple[Wanted, list[SubjectStep]]:
        wanted = want(which, **criteria)
        others = self._find(wanted)
        if not others:
            self._miss(f"there is no {_bare(wanted)} that {self._said} could be {word}", wanted)
        return wanted, others

    def _keep(self, said: str, others: list[SubjectStep], holds: Callable[[SubjectStep], bool]) -> StepAssertion:
        kept = [node for node in self._found if holds(node)]
        if not kept:
            self._fail(f"{self._said} is not {said}", marked=[*self._found, *others])
        return StepAssertion(self._subject, f"{self._said} {said}", kept)

    def _meet(self, word: str, wanted: Wanted) -> StepAssertion:
        kept = [node for node in self._found if wanted.fits(node.step)]
        names = " and ".join(str(criterion).partition(" ")[2] for criterion in wanted.criteria)
        if not kept:
            rows = [f"step {step.step_id}: {wanted.explain(step)}" for step in self.steps[:_SHOWN]]
            marked = [f"  {one_line(row)}" for row in rows]
            self._fail(f"{self._said} does not say that it {word} {names}", marked, self._found)
        return StepAssertion(self._subject, f"{self._said} that {word} {names}", kept)


def _bare(wanted: Wanted) -> str:
    return str(wanted).removeprefix("a ")
