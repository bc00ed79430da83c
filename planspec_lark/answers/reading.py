"""What a tolerant reading has made of a text: its plan, where that is, and what was left out around it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property

from attrs import field, frozen

from planspec_lark.answers.statements import Talk
from planspec_lark.planspec.legend import find_legend
from planspec_lark.planspec.models import iter_steps
from planspec_lark.planspec.plan_choice import is_final
from planspec_lark.planspec.positions import Positions
from planspec_lark.planspec.recovery import ScanResult
from planspec_lark.syntax.diagnostics import Severity
from planspec_lark.syntax.source import Span

__all__ = ["Reading"]

# Codes of plans that were not taken: a draft or an earlier one, and one that excludes the plan.
_OTHER_PLANS = ("PS105", "PS130")
_FENCE = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
_BLANK = re.compile(r"\s*")
_GROUPS = re.compile(r"(?i)\bgroup(?:ed|s)?\b|\bheadings?\b|分组|小标题")
_SET_OFF = re.compile(r"\n[ \t]*\r?\n(?=[-*+•])")


@frozen(slots=False)
class Reading:
    """What the risk of single repairs depends on in all of a reading.

    Attributes:
        text: what was read.
        positions: where the plan's parts are in it; None where it holds no plan.
        has_goal: whether the plan has one.
        descriptions: those of its steps.
        statuses: the status of each step, by id.
        left_out: what was taken for no part of it, in the order of the text.
        others: where the plans end that were left out.
    """

    text: str
    positions: Positions | None = None
    has_goal: bool = True
    descriptions: tuple[str, ...] = ()
    statuses: Mapping[str, str] = field(factory=dict)
    left_out: tuple[Span, ...] = ()
    others: tuple[int, ...] = ()

    @classmethod
    def of(cls, result: ScanResult) -> Reading:
        """What is known of a plan that was found in a text."""
        told = [(one, one.span) for one in result.diagnostics if one.span is not None]
        steps = [*iter_steps(result.plan)]
        return cls(
            result.source.text,
            result.positions,
            has_goal=bool(result.plan.goal),
            descriptions=tuple([step.description for step in steps]),
            statuses={step.step_id: step.status.value for step in steps},
            left_out=tuple([span for one, span in told if one.severity is Severity.INFO]),
            others=tuple([span.end for one, span in told if one.code in _OTHER_PLANS]),
        )

    @cached_property
    def legend(self) -> Mapping[str, str]:
        """What signs stand for, as the text says."""
        return find_legend(self.text)

    @cached_property
    def plan(self) -> tuple[int, int] | None:
        """From the first line of the plan to the last; None where there is none."""
        return self.positions.bounds if self.positions else None

    @cached_property
    def steps(self) -> list[int]:
        """Where the steps start, in order."""
        return sorted(step.span.start for step in self.positions.steps.values()) if self.positions else []

    @cached_property
    def talk(self) -> Talk:
        """What the text around the plan says of it."""
        at, end = self.plan or (0, 0)
        lines = []
        for span in self.left_out:
            # The words of such a line are not the plan's.
            if at <= span.start < end:
                lines.append(self.text[at : span.start])
                at = span.end
        return Talk("".join([*lines, self.text[at:end]]), self.descriptions, self.statuses)

    @cached_property
    def is_in_code(self) -> bool:
        """Whether the plan is in a code block."""
        return self.plan is not None and len(_FENCE.findall(self.text, 0, self.plan[0])) % 2 == 1

    @cached_property
    def says_of_groups(self) -> bool:
        """Whether the text in front of the plan tells of headings that only group the steps."""
        return self.plan is not None and _GROUPS.search(self.text, 0, self.plan[0]) is not None

    def is_early(self, at: int) -> bool:
        """Whether an offset is in front of all steps. Of one outside the plan, that is seen without finding them."""
        start, end = self.plan or (0, 0)
        return at < start or (at < end and (not self.steps or at < self.steps[0]))

    def is_above_step(self, at: int) -> bool:
        """Whether the next line that is not blank is that of a step."""
        following = bisect_left(self.steps, at)
        blank = _BLANK.match(self.text, at)
        return following < len(self.steps) and blank is not None and blank.end() >= self.steps[following]

    def is_above_goal(self, at: int) -> bool:
        """Whether the plan's goal comes behind an offset."""
        goal = self.positions.fields.get("goal") if self.positions else None
        return goal is not None and at < goal[0].start

    def is_of_draft(self, at: int) -> bool:
        """Whether what is in front of the plan stands between a draft and a plan that is called final."""
        return self._draft_end is not None and self._draft_end <= at

    @cached_property
    def _draft_end(self) -> int | None:
        """Where the first plan ends after which one is called final."""
        first = min(self.others, default=None)
        rows = self.text[first : self.plan[0]].split("\n") if first is not None and self.plan else []
        leads = [row for row in rows if row.strip() and _FENCE.match(row) is None]
        # What calls the plan final stands right before it.
        return first if leads and is_final(leads[-1]) else None

    @cached_property
    def closing_list(self) -> int | None:
        """Where bullets begin after the last step that are set off from it, as those of no other step are."""
        if not self.steps or _SET_OFF.search(self.text, self.steps[0], self.steps[-1]):
            return None
        found = _SET_OFF.search(self.text, self.steps[-1])
        return found.end() if found else None
