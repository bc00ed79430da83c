"""Judges answers: reads and checks them in one, as the runtime needs both."""

from __future__ import annotations

from attrs import frozen

from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.context_rules import check_message
from planspec_lark.plan_next.executors import Executors
from planspec_lark.plan_next.models import Phase, PlanNext, PlanReturn
from planspec_lark.plan_next.parser import scan_message, scan_strictly
from planspec_lark.syntax.diagnostics import Diagnostic, has_errors, in_order

__all__ = ["Judge"]


@frozen(kw_only=True)
class Judge:
    """What answers are held to.

    Attributes:
        executors: the tools that a planner may call; None for any.
        tolerant: take messages out of prose and code fences, and repair what is plainly meant.
    """

    executors: Executors | None = None
    tolerant: bool = False

    def judge(
        self, answer: str, phase: Phase, context: Context | None = None, *, name: str = "<text>"
    ) -> tuple[PlanNext | PlanReturn | None, list[Diagnostic]]:
        """The message, or None where there is an error; and all that was found."""
        scan = (scan_message if self.tolerant else scan_strictly)(answer, phase, name=name)
        found = scan.diagnostics
        if scan.message is not None:
            found = in_order([*found, *check_message(scan.message, context, self.executors)])
        return (None if has_errors(found) else scan.message), found
