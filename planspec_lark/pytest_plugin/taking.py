"""What a test hands over → a plan: a model as it is, a text as a language model's answer."""

from __future__ import annotations

from attrs import frozen

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.recovery import scan_plan
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, render_all, shorten
from planspec_lark.syntax.source import one_line

__all__ = ["Taken", "UnreadablePlanError", "take"]

# A message shows so many findings.
_SHOWN = 10


class UnreadablePlanError(AssertionError):
    """A text that holds no plan, or one that could be read only in part."""


@frozen
class Taken:
    """A plan, and what was found when its text was read (nothing if it came as a model)."""

    plan: PlanSpec
    findings: tuple[Diagnostic, ...] = ()

    @property
    def repairs(self) -> list[Diagnostic]:
        """What had to be mended in the text. What is no part of the plan, such as prose around it, needs no repair."""
        return [found for found in self.findings if found.severity is Severity.WARNING]

    def list_repairs(self) -> list[str]:
        """The repairs, a line each, below a line that counts them."""
        repairs = self.repairs
        if not repairs:
            return []
        shown = [f"  {_say(found)}" for found in repairs[:_SHOWN]]
        more = [f"  and {len(repairs) - _SHOWN} more"] if len(repairs) > _SHOWN else []
        return [f"the text was read with {len(repairs)} repair{'s' if len(repairs) > 1 else ''}:", *shown, *more]


def _say(found: Diagnostic) -> str:
    said = f"line {found.line}: {found.code} {one_line(shorten(found.message))}"
    return f"{said}; read as: {one_line(shorten(found.fix.text))}" if found.fix and found.fix.text else said


def take(value: PlanSpec | str) -> Taken:
    """The plan that is meant.

    Raises:
        UnreadablePlanError: the text holds no steps, or something of its plan had to be left out.
        TypeError: this is neither a plan nor a text.
    """
    if isinstance(value, PlanSpec):
        return Taken(value)
    if not isinstance(value, str):
        raise TypeError(f"expected a plan or a text, not {type(value).__name__}")
    result = scan_plan(value, name="<answer>")
    errors = [found for found in result.diagnostics if found.severity is Severity.ERROR]
    if errors:
        more = f"\n\nand {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
        raise UnreadablePlanError(
            f"the plan in this text can be read only in part\n{render_all(errors[:_SHOWN])}{more}"
        )
    if not result.plan.steps:
        start = one_line(shorten(value))
        raise UnreadablePlanError(
            f"there is no plan in this text: {start}" if start else "there is no plan: the text is empty"
        )
    return Taken(result.plan, tuple(result.diagnostics))
