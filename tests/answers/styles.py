"""Raw answers with known truth: each style makes one out of a plan, as a model would have sent it.

``STYLES`` has a function for each habit of models. It gives an :class:`Answer`: the text, and what a careful reader who
knows the language, and not any program, sees in it. Nothing here knows how answers are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

# Importing them fills the table.
from tests.answers import markup_styles, mixed_styles, page_styles, step_styles, text_styles  # noqa: F401
from tests.answers.answer import STYLES, Answer, Style
from tests.answers.plans import random_plan

__all__ = ["STYLES", "Answer", "Style", "make_answers"]


def make_answers(style: str, count: int, seed: int = 0) -> Iterator[Answer]:
    """So many answers of a style, every second one in Chinese; the same seed gives the same ones."""
    for number in range(count):
        random = Random(f"{seed} {style} {number}")
        yield STYLES[style](random_plan(random, language=("en", "zh")[number % 2]), random)
