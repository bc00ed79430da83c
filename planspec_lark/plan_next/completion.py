"""Whether a result says that the work was not done."""

from __future__ import annotations

import re

from planspec_lark.plan_next.models import DoneStatus, PlanReturn

__all__ = ["has_failed"]

# A result in four sections begins with how far the work has come; these are the words of that section for: not at all.
_SECTION = re.compile(
    r"^[ \t]*#{1,6}[ \t]*(?:完成情况|completion)[ \t:：]*\n+[ \t]*(?:[*_-][ \t]*)*(未完成|失败|not done\b|failed\b)",
    re.IGNORECASE | re.MULTILINE,
)


def has_failed(message: PlanReturn) -> bool:
    """Whether a block has failed: by the message's ``status``, else by the section of the result that says so."""
    if message.status is not None:
        return message.status is DoneStatus.FAILED
    return isinstance(message.result, str) and _SECTION.search(message.result.replace("\r\n", "\n")) is not None
