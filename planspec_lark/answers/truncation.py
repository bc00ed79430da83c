"""Whether an answer was cut off: its model reached a limit, or lost its connection."""

from __future__ import annotations

import re

from planspec_lark.planspec.corrections import SPACE
from planspec_lark.syntax.reasoning import leave_out_reasoning

__all__ = ["find_cut"]

# How a last line ends, or all of it looks, that cannot be the last. A table's row ends in a bar.
_CUT = re.compile(
    rf"(?i)(?:(?!\|).*\||.*(?:[→,，、(（\[［【]|\b(?:and|or|the|a|an|of|to|with|so that|that|in|for|by|from)"
    rf"|并且|以及|然后|并|和|与|及|将|把){SPACE}*"
    rf"|{SPACE}*(?:[-*+•]|[0-9]+(?:\.[0-9]+)*[.)、]?){SPACE}*|.*\[[A-Za-z_]*)"
)


# What interfaces of models call the end of an answer that has reached its limit.
_LENGTH = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length")


def find_cut(text: str, *, finish_reason: str = "") -> int | None:
    """Where the last line starts that may be a part of one only; None where nothing shows that the text was cut off.

    That is shown by the caller's ``finish_reason``, by a code block that is never closed, and by a last line that
    cannot be the last.
    """
    text = leave_out_reasoning(text).text
    ended = text.rstrip(" \t")
    start = ended.rfind("\n") + 1
    last = ended[start:]
    is_open = last.count("**") % 2 == 1 or sum(map(last.count, "(（")) > sum(map(last.count, ")）"))
    is_cut = is_open or finish_reason in _LENGTH or _has_open_fence(text) or (last and _CUT.fullmatch(last) is not None)
    return start if is_cut and ended else None


def _has_open_fence(text: str) -> bool:
    is_open = False
    for row in text.split("\n"):
        is_open ^= row.lstrip(" \t>").startswith(("```", "~~~"))
    return is_open
