"""A plan that a model has put into a string of a JSON value, such as the argument of a call."""

from __future__ import annotations

import json
import re
from re import Match

from attrs import frozen

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.scan import scan_plan
from planspec_lark.syntax.limits import Limits, find_excess

__all__ = ["JsonString", "find_in_json"]

# A string; the last of a text may lack its end. And an escape that is cut off.
_STRING = re.compile(r'"(?P<text>(?:[^"\\\n]|\\.)*+)(?P<end>"|\\?\Z)')
_CUT_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,3}\Z")
# Strings that are looked at, the longest first.
_TRIED = 5


@frozen
class JsonString:
    """A string: what it says, whether it has an end, and where it stands."""

    text: str
    is_whole: bool
    start: int
    end: int


def find_in_json(text: str, limits: Limits, *, default_type: str = "") -> JsonString | None:
    """The one string of a JSON value in a text that holds a plan with steps; None where there is none, or several.

    Without one that has steps, one with a goal will do: it may have steps that can not be read.
    """
    if find_excess(text, "", limits) or r"\n" not in text:
        return None
    plans: list[PlanSpec] = []
    strings: list[JsonString] = []
    almost: list[JsonString] = []
    found = [match for match in _STRING.finditer(text) if r"\n" in match["text"]]
    for match in sorted(found, key=lambda match: -len(match["text"]))[:_TRIED]:
        is_whole, said = _decode(match)
        if said.lstrip().startswith("{") and (inner := _find_longest(said)) is not None:
            # The arguments of a call are a JSON value in a string.
            is_inner_whole, said = _decode(inner)
            is_whole = is_whole and is_inner_whole
        plan = scan_plan(said, default_type=default_type, limits=limits).plan
        if plan.steps and plan not in plans:
            plans.append(plan)
            strings.append(JsonString(said, is_whole, *match.span()))
        elif plan.goal:
            almost.append(JsonString(said, is_whole, *match.span()))
    # Of several that differ, none is known to hold.
    return (strings or almost)[0] if len(strings or almost) == 1 else None


def _find_longest(text: str) -> Match[str] | None:
    found = [match for match in _STRING.finditer(text) if r"\n" in match["text"]]
    return max(found, key=lambda match: len(match["text"]), default=None)


def _decode(match: Match[str]) -> tuple[bool, str]:
    """Whether a string has its end, and what it says; nothing where it is none."""
    is_whole = match["end"] == '"'
    written = match["text"] if is_whole else _CUT_ESCAPE.sub("", match["text"])
    try:
        return is_whole, json.loads(f'"{written}"')
    except ValueError:
        return is_whole, ""
