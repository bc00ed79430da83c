"""One token again and again, at each place of a text where readers look for something.

An expression that can read a text in many ways tries all of them where the text goes on with something else. So most
of these are no plans, commands, documents or lists at all, and go to all readers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from planspec_lark import PlanSyntaxError, fix_text
from planspec_lark.exchange import FORMATS, import_text
from tests.growth.engine import ENGINE_WORK
from tests.growth.exchange import EXCHANGE_WORK
from tests.growth.hopspec import HOPSPEC_WORK
from tests.growth.planner import PLANNER_WORK
from tests.growth.reflections import REFLECTION_WORK
from tests.growth.repair import REPAIR_WORK
from tests.growth.work import JSON_WORK, PLAN_WORK, TEXT_WORK, Work

__all__ = ["PUMPED_SHAPES", "PUMPED_WORK"]

_TOKENS = {
    "dots": ".",
    "dots apart": ". ",
    "ellipses": "…",
    "dashes": "-",
    "dashes apart": "- ",
    "stars": "*",
    "stars apart": "* ",
    "underscores": "_",
    "backticks": "`",
    "brackets": "[",
    "boxes": "[ ] ",
    "parentheses": "(",
    "quotes": '"',
    "signs of quotes": "> ",
    "blanks": " ",
    "tabs": "\t",
    "blank lines": "\n",
    "lines of blanks": " \n",
    "characters without width": "\u200b",
    "digits": "1",
    "numbers": "1. ",
    "words": "a few ",
    "conjunctions": "and ",
    "commas": ", ",
    "crosses": "❌",
    "crosses apart": "❌ ",
    "bars": "| ",
    "arrows": "→ ",
}
# What is around the tokens; the rest of the text is a plan, a document or a list of its kind.
_STEPS = "Goal: g\n## Steps\n1. [act] a\n"
_PLACES = {
    "behind a step": (f"{_STEPS}2. [act] b ", "\n3. [act] c\n"),
    "in detail": (f"{_STEPS}> ", "\n2. [act] c\n"),
    "below a step": (_STEPS, "\n2. [act] c\n"),
    "in a heading": ("# ", f"\n{_STEPS}"),
    "in prose in front": ("So it is ", f"\n\n{_STEPS}"),
    "in prose behind": (f"{_STEPS}\nSo it is ", "\n"),
    "behind a command": ("PLAN_CMD: DONE 1 | a ", "\nPLAN_CMD: DONE 2\n"),
    "in a task": ("- [ ] T001 a\n- [ ] T002 needs T001 ", "\n- [ ] T003 b\n"),
    "in an attribute": ("## 执行流程\n#### 步骤1: a\n- 类型：LLM\n- 任务：a ", "\n#### 步骤2: b\n"),
    "in an object": ('{"a": "b", ', '\n"c": 1}\n'),
}
# Tokens in each of many lines.
_FEW = 5


def _in_a_line(head: str, token: str, tail: str, size: int) -> str:
    """The tokens once with something else behind them, and once without."""
    tokens = token * (size // 2 // len(token))
    return f"{head}{tokens}x{tail}{head}{tokens}{tail}"


def _in_lines(head: str, token: str, tail: str, size: int) -> str:
    """The last line of what is in front again and again."""
    before, line_break, line = head.rpartition("\n")
    line = f"{line}{token * _FEW}\n"
    return f"{before}{line_break}{line * (size // len(line))}{tail}"


# Name → the text of about so many characters.
PUMPED_SHAPES: dict[str, Callable[[int], str]] = {
    f"{tokens} {place}, {form}": partial(make, head, token, tail)
    for tokens, token in _TOKENS.items()
    for place, (head, tail) in _PLACES.items()
    for form, make in (("in a line", _in_a_line), ("in lines", _in_lines))
}


def _import(form: str, text: str) -> None:
    try:
        import_text(text, form)
    except PlanSyntaxError as error:
        str(error)


_READERS = (
    (
        PLAN_WORK,
        (
            "parse_plan",
            "scan_plan",
            "check_text",
            "extract_plan",
            "extract_plan with a type",
            "parse_plan_commands",
            "scan_plan_commands",
            "PlanStream",
        ),
    ),
    (HOPSPEC_WORK, ("parse_hopspec", "scan_hopspec", "check_hopspec", "fix_hopspec")),
    (JSON_WORK, ("read_json", "scan_json")),
    (TEXT_WORK, ("words of a message", "find_unstable", "find_state_paths", "normalize")),
    (PLANNER_WORK, ("parse_message", "scan_message", "read_result")),
    (REFLECTION_WORK, ("read_reflection", "read_replan")),
    (REPAIR_WORK, ("repair_plan, an answer",)),
    (ENGINE_WORK, ("read_execution",)),
    (EXCHANGE_WORK, ("import_text",)),
)
PUMPED_WORK = {
    **{name: table[name] for table, names in _READERS for name in names},
    "fix_text": Work(fix_text),
    **{f"import_text, {form}": Work(partial(_import, form)) for form in FORMATS},
}
