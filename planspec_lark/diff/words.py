"""How alike the words of two steps are: by the share of words that both have, each step costing the same at most."""

from __future__ import annotations

import re

from planspec_lark.planspec.models import PlanStep

__all__ = ["likeness", "words_of"]

# Characters of a step that are looked at, and different words that are kept.
_READ, _KEPT = 2_000, 64
# A word, or a sign of a script that sets no spaces between words.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u2e80-\u9fff\uac00-\ud7af]+")


def words_of(step: PlanStep) -> frozenset[str]:
    """The words that say what a step asks for; a variable is none like any other. At most so many as are enough."""
    text = "\n".join([step.description[:_READ], *step.detail[:_KEPT]])[:_READ].casefold()
    found = dict.fromkeys(_WORD.findall(text))
    found.update(dict.fromkeys(f"→ {name}" for name in step.outputs[:_KEPT]))
    found.update(dict.fromkeys(f"← {name}" for name in step.inputs[:_KEPT]))
    return frozenset(list(found)[:_KEPT])


def likeness(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """The share of words that two sets have in common: 0 for none, 1 for all of them, and where both are empty."""
    count = len(ours) + len(theirs)
    return 2 * len(ours & theirs) / count if count else 1.0
