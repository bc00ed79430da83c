"""What an answer is, the table of styles, and what models say around a plan.

Where an answer would be, by chance, a strict document that says something else (``**`` around a text are characters of
it then), prose is put in front: a careful reader takes what is announced as a plan by a chatting model for Markdown.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from attrs import Factory, frozen

from planspec_lark import PlanSpec, PlanSyntaxError, parse_plan
from tests.answers.looks import Look, write
from tests.answers.plans import (
    is_chinese,
    language_of,
)

__all__ = [
    "STYLES",
    "Answer",
    "Style",
    "accepted",
    "choose",
    "closing_of",
    "fenced",
    "in_doubt",
    "look_of",
    "opening_of",
    "style",
]


@frozen
class Answer:
    """A raw answer and what a careful reader sees in it."""

    text: str
    verdict: str = "accepted"
    """``accepted``, ``needs_review`` or ``refused``."""
    plan: PlanSpec | None = None
    """The plan that is seen; None where there is none, or none that two careful readers would agree on."""
    options: dict[str, Any] = Factory(dict)
    """What the caller knows: ``default_type``, ``finish_reason``, ``allow_truncated``."""


Style = Callable[[PlanSpec, Random], Answer]

STYLES: dict[str, Style] = {}


def style(function: Style) -> Style:
    """Enter a style under its name."""
    STYLES[function.__name__] = function
    return function


# ---------------------------------------------------------------- what models say around a plan

_OPENINGS = {
    "en": (
        "Sure! Here is the plan:",
        "Certainly, here is a plan that should work for you:",
        "I have put this together from what you told me.",
        "Okay, let's get this organised 🙂",
        "Thanks for the details. This is how I would do it:",
    ),
    "zh": (
        "好的，计划如下：",
        "当然可以！以下是为您整理的计划：",
        "根据您的要求，我做了如下安排。",
        "没问题，请看下面的计划：",
    ),
}
_CLOSINGS = {
    "en": (
        "Let me know if you would like me to change anything!",
        "Would you like me to add more detail to any of this?",
        "Hope that helps, and good luck!",
        "I can also turn this into a checklist if that is easier to share.",
    ),
    "zh": ("如需调整，请随时告诉我！", "需要我把某一部分写得更详细吗？", "希望对您有帮助，祝一切顺利！"),
}


def choose(plan: PlanSpec, random: Random, *, en: tuple[str, ...], zh: tuple[str, ...]) -> str:
    """One of some phrases, in the language of the plan."""
    return random.choice(zh if is_chinese(plan) else en)


def opening_of(plan: PlanSpec, random: Random) -> str:
    return random.choice(_OPENINGS[language_of(plan)])


def closing_of(plan: PlanSpec, random: Random) -> str:
    return random.choice(_CLOSINGS[language_of(plan)])


def strictly(text: str) -> PlanSpec | None:
    """What the text says if it is strictly a plan."""
    try:
        return parse_plan(text)
    except PlanSyntaxError:
        return None


def accepted(plan: PlanSpec, text: str, random: Random, **options: Any) -> Answer:
    """An answer that says this plan, with prose around it now and then."""
    strict = strictly(text)
    if random.random() < 0.4 or (strict is not None and strict != plan):
        text = f"{opening_of(plan, random)}\n\n{text}"
    if random.random() < 0.25:
        text += f"\n{closing_of(plan, random)}\n"
    return Answer(text, "accepted", plan, options)


def in_doubt(plan: PlanSpec | None, text: str, opening: str, **options: Any) -> Answer:
    """An answer that says this plan as far as it can be read; not strictly a plan, by its first sentence."""
    return Answer(f"{opening}\n\n{text}", "needs_review", plan, options)


def look_of(plan: PlanSpec, random: Random, **spellings: Any) -> Answer:
    """A plan with some spellings of its own."""
    return accepted(plan, write(plan, Look(**spellings)), random)


def fenced(text: str, random: Random) -> str:
    language = random.choice(["", "", "text", "planspec", "markdown"])
    return f"```{language}\n{text}```\n"
