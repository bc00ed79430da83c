"""Hostile messages and contexts of any size, and what reads them. They have tables of their own: nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from planspec_lark import render_all, serialize_plan
from planspec_lark.plan_next import (
    Block,
    Context,
    NewBlock,
    PlanNext,
    PlanReturn,
    check_message,
    context_from_json,
    context_to_json,
    context_to_plan,
    parse_message,
    read_result,
    scan_message,
)
from planspec_lark.plan_next.context import CONTEXT_LIMITS
from planspec_lark.syntax import Limits
from tests.growth.work import Work

__all__ = ["PLANNER_SHAPES", "PLANNER_WORK"]

# The default ones would refuse the long texts at once.
_LONG = Limits(max_depth=64, max_findings=1000)


def _many(piece: str, size: int) -> str:
    return "".join(piece.format(number) for number in range(1 + size // len(piece))) if piece else ""


def _message(size: int, *, goal: str = '"g"', plan: str = "", more: str = "") -> str:
    block = f'"new_block": {{"goal": {goal}, "plan": [{_many(plan, size)}"a", "b"], "done": []}}'
    return f'{{"type": "plan-next", "plan_type": "PLAN_STEPS", {block}{_many(more, size)}}}'


def _context(size: int, *, done: str = "", more: str = "") -> str:
    return f'{{"think": {{"goal": "g", "plan": ["a"], "done": [{_many(done, size)}"d"]{_many(more, size)}}}}}'


# Name → the text of about so many characters.
PLANNER_SHAPES: dict[str, Callable[[int], str]] = {
    "items": lambda n: _message(n, plan='"a", '),
    "items with words": lambda n: _message(n, plan='"maybe {0}", '),
    "one long item": lambda n: _message(n // 6, plan='"' + "maybe " * (n // 6) + '", '),
    "wrong items": lambda n: _message(n, plan="{0}, "),
    "a long goal": lambda n: _message(1, goal='"' + "g" * n + '"'),
    "a deep goal": lambda n: _message(1, goal='{"a": ' * (n // 6)),
    "sides of a goal": lambda n: _message(1, goal="{" + _many('"k{0}": "x", ', n) + '"intent": ""}'),
    "unknown fields": lambda n: _message(n, more=', "k{0}": 1'),
    "fields again": lambda n: _message(n, more=', "update_plan": []'),
    "state paths": lambda n: _message(n, plan='".thinkon/{0}", '),
    "what is done": lambda n: _context(n, done='{{"goal": "a{0}", "result": "b"}}, '),
    "what is done, as texts": lambda n: _context(n, done='"a{0}", '),
    "what is done, all wrong": lambda n: _context(n, done='{{"x": {0}}}, '),
    "unknown fields of a context": lambda n: _context(n, more=', "k{0}": 1'),
    "a deep context": lambda n: '{"think": ' + '{"goal": "g", "done": [' * (n // 23),
    "an update": lambda n: _message(
        1, goal='"' + "g " * (n // 4) + '"', more=', "update_plan": [' + '"g ", ' * (n // 12) + '"g"]'
    ),
    "an update of one long item": lambda n: _message(
        1, goal='"' + "g " * (n // 4) + '"', more=', "update_plan": ["' + "g " * (n // 4) + ' a"]'
    ),
    "headings": lambda n: "# completion\n" * (n // 13),
    "blank lines behind a heading": lambda n: "# completion" + "\n" * n,
    "marks behind a heading": lambda n: "# completion" + " *" * (n // 2),
    "marks before a heading": lambda n: "> " * (n // 4) + "* " * (n // 4) + "completion",
    "sections": lambda n: "### 完成情况\n未完成：无\n提交物：a\n" * (n // 30),
    "fences": lambda n: "```\n~~~\n" * (n // 8),
    "a heading behind blanks": lambda n: " " * n + "completion",
    "states": lambda n: "### completion\n" + "failed " * (n // 7),
}


def _refuse(text: str) -> None:
    with suppress(ValueError):
        parse_message(text, "planning", limits=_LONG)


def _check_head(text: str) -> None:
    # The text as the goal, and as the items of the plan around it.
    plan = text.replace("\n", " ").split(", ")
    check_message(PlanNext("PLAN_STEPS", NewBlock(text or "g")), Context(Block("g", ["h", *plan])))


def _read_context(text: str) -> None:
    with suppress(ValueError):
        context = context_from_json(text, limits=CONTEXT_LIMITS)
        context_to_json(context)
        serialize_plan(context_to_plan(context))


PLANNER_WORK = {
    "parse_message": Work(_refuse),
    "scan_message": Work(lambda text: render_all(scan_message(text, "planning", limits=_LONG).diagnostics)),
    "contexts": Work(_read_context),
    "read_result": Work(read_result),
    "check a result": Work(lambda text: check_message(PlanReturn(text))),
    "check against a plan": Work(_check_head),
}
