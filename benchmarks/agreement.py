"""Whether what is compared is comparable: the hand-written parser must give what ``parse_plan`` gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import regex_parser
from planspec_lark import PlanSyntaxError, parse_plan
from planspec_lark.planspec import plan_to_dict

__all__ = ["FIXTURES", "DisagreementError", "check_fixtures", "fixture_texts", "same_result"]

FIXTURES = Path(__file__).parents[1] / "fixtures" / "planspec" / "valid"


class DisagreementError(Exception):
    """The two parsers read a text differently, so their times mean nothing."""


def same_result(text: str) -> bool:
    """Whether ``parse_plan`` and the hand-written parser give the same plan, or both refuse the text."""
    return _ours(text) == _theirs(text)


def _flat(plan: dict[str, Any]) -> list[Any]:
    """The plan and all its steps, each with the number of steps right below it; nested lists compare only so deep."""
    rows: list[Any] = [{**plan, "steps": len(plan["steps"])}]
    todo = plan["steps"][::-1]
    while todo:
        step = todo.pop()
        rows.append({**step, "children": len(step["children"])})
        todo += reversed(step["children"])
    return rows


def _ours(text: str) -> list[Any] | None:
    try:
        plan = plan_to_dict(parse_plan(text))
    except PlanSyntaxError:
        return None
    # The version of the grammar is none of the plan's parts.
    del plan["grammar"]
    return _flat(plan)


def _theirs(text: str) -> list[Any] | None:
    try:
        return _flat(regex_parser.to_dict(regex_parser.parse(text)))
    except regex_parser.ParseError:
        return None


def fixture_texts() -> Iterator[tuple[str, str]]:
    """All valid plans among the fixtures: name and text, line breaks untouched."""
    for path in sorted(FIXTURES.glob("*.md")):
        yield path.name, path.read_bytes().decode()


def check_fixtures() -> int:
    """Compare the two on every valid fixture; how many there are.

    Raises:
        DisagreementError: they differ, or there are no fixtures.
    """
    names = []
    for name, text in fixture_texts():
        if _ours(text) is None or not same_result(text):
            raise DisagreementError(f"the two parsers do not agree on {name}")
        names.append(name)
    if not names:
        raise DisagreementError(f"no fixtures in {FIXTURES}")
    return len(names)
