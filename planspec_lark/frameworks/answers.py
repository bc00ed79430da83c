"""What all frameworks are told of an answer: the plan in it, or what to write instead."""

from __future__ import annotations

from attrs import frozen

from planspec_lark.answers.extract import extract_plan
from planspec_lark.engine.requests import RunPhase, build_answer_repair_prompt
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.prompt_texts import format_text
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import render_all

__all__ = ["Reading", "describe_format", "read"]


@frozen
class Reading:
    """What an answer holds.

    Attributes:
        plan: the plan; None where it is not accepted.
        findings: what keeps it from being accepted, as text.
        prompt: what to ask the model for then.
    """

    plan: PlanSpec | None
    findings: str = ""
    prompt: str = ""


def read(answer: str, max_risk: Risk | str = Risk.MEDIUM) -> Reading:
    """The plan in an answer, if it is accepted by the rules of :func:`planspec_lark.extract_plan`."""
    found = extract_plan(answer, max_risk=max_risk, name="<answer>")
    if found.is_usable:
        return Reading(found.plan)
    return Reading(None, render_all(found.holds), build_answer_repair_prompt(answer, found.holds, RunPhase.GENERATION))


def describe_format(language: str = "en") -> str:
    """The format on a page, for a prompt or a schema; "en" or "zh"."""
    return format_text(language)
