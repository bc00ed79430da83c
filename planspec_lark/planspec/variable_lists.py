"""What is almost a list of variables, as people and models write one."""

from __future__ import annotations

import re

from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars

__all__ = ["LONGEST", "VARIABLES", "is_variable_list", "read_names"]

VARIABLES = "variables are ASCII letters, digits and `_`, separated by commas"
# What such a list has between its names, before them and after them; and the words of one of them.
_SIGNS = "[,，、;；&+/]"
_BETWEEN = f" *(?:{_SIGNS}| and ) *"
_AROUND = f"{BLANKS}.,;。，；、[](){{}}`\"'"
_NAME = re.compile(r"(?a)(?=[^A-Za-z]*[A-Za-z])[\w.-]+")
# How long a list is at most, and how many words one of its names has.
LONGEST, _PHRASE = 200, 3
# Words that make a sentence, or a jump, of what is after an arrow.
_PROSE = re.compile(
    r"(?i)(?:a|an|the|th[ei]s|that|these|those|its?|them|they|s?he|we|you|i|is|are|was|be|been|has|have|had|will|would"
    r"|can|could|should|must|may|not?|if|else|then|when|while|until|unless|because|so|or|but|to|from|of|in|on|at|by|with"
    r"|for|into|onto|over|back|again|up|down|out|off|here|there|all|any|each|every|only|also|too|go|goto|stop|skip|retry"
    r"|repeat|continue|break|return|exit|leave|jump|end|abort|finish|proceed|wait|try|start|done)"
)


def read_names(text: str, *, is_phrase_text: bool = False) -> list[str] | None:
    """The variables that are meant by what is almost a list of them: `my report`, `2nd_draft`, `a, b c`.

    A sentence is not such a list; with ``is_phrase_text``, neither is one with a name of several words, or with `and`.
    """
    if len(text) > LONGEST:
        return None
    names = []
    for item in re.split(_SIGNS if is_phrase_text else _BETWEEN, text.strip(_AROUND)):
        words = item.strip(_AROUND).split() or [""]
        is_name = len(words) <= (1 if is_phrase_text else _PHRASE) and all(map(_NAME.fullmatch, words))
        if not is_name or (len(words) > 1 and any(map(_PROSE.fullmatch, words))):
            return None
        name = re.sub(r"[.-]+", "_", "_".join(words)).strip("_")
        names.append(f"_{name}" if name[0].isdigit() else name)
    return names


def is_variable_list(text: str) -> bool:
    """Whether these are variables as they should be, which a backslash has made text of."""
    return grammars.pattern("planspec", "VARIABLES").fullmatch(text.strip(BLANKS)) is not None
