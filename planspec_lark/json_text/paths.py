"""Paths to values, such as ``("new_block", "plan", 2)``, and how they are written: ``new_block.plan[2]``."""

from __future__ import annotations

import json
from collections.abc import Sequence

__all__ = ["LEVELS", "Path", "write_key", "write_path"]

# Keys and indices, from the top.
Path = Sequence[str | int]

# So many levels of a path are written out at either end, and so many characters of a key.
LEVELS = 25
_LONGEST = 60


def write_path(path: Path) -> str:
    """A path as people write it: keys with dots between, indices in brackets; the top itself is ``$``.

    A key that is no plain word is quoted in brackets: ``inputs["a b"]``. A path of more than 50 levels is cut in its
    middle, a key of more than 60 characters at its end.
    """
    is_long = len(path) > 2 * LEVELS
    written = f"{_join(path[:LEVELS])}…{_join(path[-LEVELS:])}" if is_long else _join(path)
    return written.removeprefix(".") or "$"


def write_key(key: str) -> str:
    """A key as messages name it: quoted as in JSON, and cut if it is long."""
    return f"`{_quote(key)}`"


def _quote(key: str) -> str:
    return json.dumps(key if len(key) <= _LONGEST else key[:_LONGEST] + "…", ensure_ascii=False)


def _join(path: Path) -> str:
    return "".join([_write(step) for step in path])


def _write(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if len(step) <= _LONGEST and step.isidentifier() else f"[{_quote(step)}]"
