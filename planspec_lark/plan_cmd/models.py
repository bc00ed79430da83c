"""The model of a command, and how it is built from tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from re import Pattern
from typing import Any

from attrs import Attribute, define, field

from planspec_lark.planspec.models import BLANKS, PlanStatus
from planspec_lark.syntax import grammars
from planspec_lark.syntax.fields import Each, Line, Matches, Text, exact, exact_items, require_one_of

__all__ = ["EDIT_OPS", "OPS", "STATUS_OPS", "VIEW_OPS", "PlanCommand", "build_command", "command_pattern"]

# The status that each verb sets.
STATUS_OPS = {"DONE": PlanStatus.DONE, "BLOCKED": PlanStatus.BLOCKED, "SKIP": PlanStatus.SKIPPED}
EDIT_OPS = ("ADD", "REVISE")
VIEW_OPS = ("EXPAND", "COLLAPSE")
OPS = (*STATUS_OPS, *EDIT_OPS, "REPLAN", *VIEW_OPS)

_IS_ID = Matches("ID", "numbers joined by dots, such as '2.1', or 'ALL'", is_empty_allowed=True)


def _is_op(_instance: object, attribute: Attribute[Any], value: object) -> None:
    require_one_of(attribute.name, value, OPS)


def _is_target(instance: object, attribute: Attribute[Any], value: object) -> None:
    if value != "ALL":
        _IS_ID(instance, attribute, value)


def _to_target(value: object) -> object:
    return "ALL" if isinstance(value, str) and value.upper() == "ALL" else exact(value)


@define
class PlanCommand:
    """One command. Description and detail are kept as written, ``→ outputs`` and ``← inputs`` included.

    ``step_id`` is "ALL" if REPLAN means the whole plan. ``step_type``, ``description`` and ``detail`` are for ADD
    and REVISE, ``result`` for DONE, BLOCKED, SKIP and REPLAN.
    """

    op: str = field(converter=exact, validator=_is_op)
    step_id: str = field(default="", converter=_to_target, validator=_is_target)
    step_type: str = field(
        converter=exact,
        default="",
        validator=Matches("VARIABLE", "a type (a letter or `_`, then letters, digits and `_`)", is_empty_allowed=True),
    )
    description: str = field(converter=exact, default="", validator=Text())
    result: str = field(converter=exact, default="", validator=Text())
    detail: list[str] = field(converter=exact_items, factory=list, validator=Each(Line()))


@cache
def command_pattern(rule: str) -> Pattern[str]:
    """A rule of ``grammar/plan_cmd.lark`` as one pattern."""
    return grammars.regular("plan_cmd").pattern(rule)


def build_command(tokens: Mapping[str, str], detail: Sequence[str]) -> PlanCommand:
    """The command of these tokens.

    Args:
        tokens: the values of the tokens of its line, by terminal; an absent token has no entry.
        detail: the values of its DETAIL lines.
    """
    verb = next(tokens[name] for name in ("STATUS_VERB", "EDIT_VERB", "REPLAN", "VIEW_VERB") if name in tokens)
    return PlanCommand(
        verb.strip(BLANKS),
        tokens.get("TARGET", "ALL"),
        tokens.get("TYPE", ""),
        tokens.get("TEXT", "").strip(BLANKS),
        tokens.get("RESULT", "").partition("|")[2].strip(BLANKS),
        [*detail],
    )
