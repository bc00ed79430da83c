"""What the fuzz job does with tool plans and definitions of tools."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from planspec_lark import render_all
from planspec_lark.syntax.safe_text import visible
from planspec_lark.toolplan import (
    AtomsError,
    ToolPlanError,
    check_tool_plan,
    load_atoms,
    load_plan_doc,
    registry_from_value,
    registry_to_value,
    tool_plan_from_dict,
    tool_plan_to_dict,
    validate_plan_doc,
)
from planspec_lark.toolplan.structure import outline
from tests import strategies
from tests.corpus import FIXTURES, read
from tests.property import promises

__all__ = ["tool_plan_texts", "try_tool_plan"]

_CODES = sorted((FIXTURES / "toolplan").iterdir())
_TEXTS = [read(path) for folder in _CODES for path in sorted(folder.rglob("*.*"))]
_PLAN = load_plan_doc(FIXTURES / "toolplan" / "INVALID_TYPE" / "good.json")
_ATOMS = load_atoms(FIXTURES / "toolplan" / "INVALID_TYPE" / "atoms")
_SIGNS = [
    "${",
    "}",
    "$",
    ".outputs.",
    "${0.outputs.orders}",
    '"',
    "{",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "  ",
    "- ",
    "null",
    "'",
    "&a",
    "*a",
]


@st.composite
def _changed(draw: st.DrawFn) -> str:
    """A fixture with a few characters changed."""
    text = draw(st.sampled_from(_TEXTS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 20, len(text))))
        text = text[:start] + draw(st.one_of(st.just(""), st.sampled_from(_SIGNS), st.text(max_size=5))) + text[end:]
    return text


@cache
def tool_plan_texts() -> st.SearchStrategy[str]:
    """Plans and definitions with changes, and anything."""
    return st.one_of(_changed(), _changed(), strategies.wild)


def try_tool_plan(text: str) -> None:
    """A text as a plan and as definitions; as a value, too, and with itself."""
    for registry in (_ATOMS, text):
        found = check_tool_plan(text, registry)
        promises.are_placed(found, text)
        shown = render_all(found)
        assert shown == visible(shown)
    try:
        value = load_plan_doc(text)
    except ToolPlanError as error:
        assert error.diagnostics
        value = text
    _try_files(text)
    assert bool(outline(value).findings) == (not _is_plan(value))
    for plan, registry in ((value, _ATOMS), (_PLAN, value), (value, value), (_PLAN, _read_registry(value))):
        result = validate_plan_doc(plan, registry)
        shown = json.dumps(result, ensure_ascii=False)
        assert result["valid"] == ("execution_order" in result)
        assert visible(shown) == shown or any(mark in shown for mark in _names(plan))


def _try_files(text: str) -> None:
    """A text as a file of definitions, under each name that says what it is, and beside one that has them all."""
    with TemporaryDirectory() as folder:
        for suffix in ("json", "yaml"):
            path = Path(folder) / f"tools.{suffix}"
            path.write_text(text, encoding="utf-8", errors="replace", newline="")
            try:
                assert registry_from_value(load_plan_doc(path)) == load_atoms(path)
            except AtomsError as error:
                shown = str(error)
                assert shown == visible(shown)
                assert all(one.span is not None for one in error.diagnostics if one.source is not None)
            except ToolPlanError as error:
                assert error.diagnostics


def _names(plan: Any) -> list[str]:
    """The names of a plan's steps, which the order has as they are."""
    steps = plan["plan"]["steps"] if _is_plan(plan) else []
    return [step["step_id"] for step in steps if "step_id" in step]


def _read_registry(value: Any) -> Any:
    """The model of definitions, which is given back as it was."""
    try:
        registry = registry_from_value(value)
    except AtomsError as error:
        assert error.diagnostics
        return value
    assert registry_from_value(registry_to_value(registry)) == registry
    return registry


def _is_plan(value: Any) -> bool:
    try:
        plan = tool_plan_from_dict(value)
    except ToolPlanError as error:
        assert error.diagnostics
        return False
    assert tool_plan_from_dict(tool_plan_to_dict(plan)) == plan
    return True
