"""Differences that are wanted: each with its reason, and with what tells it from all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case

__all__ = ["WANTED"]

# Reason → whether a difference is of this kind: the case, the path in its answer, and both values there.
WANTED: dict[str, Callable[[Case, str, Any, Any], bool]] = {}
