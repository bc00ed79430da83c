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
