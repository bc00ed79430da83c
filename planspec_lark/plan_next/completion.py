"""Whether a result says that the work was not done."""

from __future__ import annotations

import re

from planspec_lark.plan_next.models import DoneStatus, PlanReturn

__all__ = ["has_failed"]

# A result in four sections begins with how far the work has come, below a heading or behind it in the same line; these
# are the words of that section for: not at all. Work that was done in part is done: what is left is the planner's to
# see. `Failed checks: none` is no failure.
_SECTION = re.compile(
    r"^[ \t]*+(?:#{1,6}[ \t]*+)?(?:[0-9]{1,2}[.)、][ \t]*+)?[*_]{0,3}(?:完成情况|completion)[ \t:：*_]*+\n*+[ \t*_-]*+"
    r"(?:未完成|失败|(?:not[ \t]done|not[ \t]completed|failed)(?![0-9a-z]))"
    r"(?![^\n:：]{0,30}[:：][ \t]*+(?:无|没有|none|nothing|0)[ \t。.]*+$)",
    re.IGNORECASE | re.MULTILINE,
)


def has_failed(message: PlanReturn) -> bool:
    """Whether a block has failed: by the message's ``status``, else by the section of the result that says so."""
    if message.status is not None:
        return message.status is DoneStatus.FAILED
    return isinstance(message.result, str) and _SECTION.search(message.result.replace("\r\n", "\n")) is not None
