"""Differences that are wanted: each with its reason, and with what tells it from all others."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case

__all__ = ["WANTED"]

# Reason → whether a difference is of this kind: the case, the path in its answer, and both values there.
WANTED: dict[str, Callable[[Case, str, Any, Any], bool]] = {
    "the JSON form of a plan has the version of the grammar": lambda _, path, old, new: _says_version(path, old, new),
    "the page has each of its colours once, for both themes": lambda _, __, old, new: _has_other_style(old, new),
}

# A JSON text, or one that stands in another.
_VERSION = re.compile(
    r'(?:(?:\n|\\+n) +)?\\*"grammar\\*": '
    r'(?:\\*"1\.0\\*"|\{\\*"type\\*": \\*"string\\*", \\*"pattern\\*": \\*"\^1\\+\.\\*"\}), ?'
)


def _says_version(path: str, old: Any, new: Any) -> bool:
    if path.endswith(".grammar"):
        return bool(old == "<none>" and new in ("1.0", {"type": "string", "pattern": r"^1\."}))
    return isinstance(old, str) and isinstance(new, str) and _VERSION.sub("", new) == old


# The style sheet of a page, and its hash in the page's policy.
_STYLE = re.compile(r"<style>.*?</style>|style-src 'sha256-[^']+'", re.DOTALL)


def _has_other_style(old: Any, new: Any) -> bool:
    is_page = isinstance(old, str) and isinstance(new, str) and "light-dark(" in new
    return is_page and _STYLE.sub("", old) == _STYLE.sub("", new)
