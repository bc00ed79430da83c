"""What a language model is told: the planner's brief, and what was wrong with its answer.

The sentences stand in templates, one file for each prompt and language. Whatever comes from a context, an executor's
list or an answer was written by strangers. It is put into code blocks that it can not end, and it is put in last, so
that nothing in it is taken for a part of a template.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from planspec_lark.diagnostics import Diagnostic, Severity
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.executors import Executors
from planspec_lark.plan_next.structure import to_value
from planspec_lark.source import escape_json, visible

__all__ = ["LANGUAGES", "build_planner_prompt", "build_repair_prompt"]

LANGUAGES = ("en", "zh")
# Of many diagnostics, and of a long answer, a prompt shows the start.
_SHOWN_DIAGNOSTICS = 50
_SHOWN_CHARACTERS = 20_000
# Lines between these are there, or not there, as a value is; sections do not hold each other.
_SECTION = re.compile(r"^<!-- if (not )?(\w+) -->\n(.*?)^<!-- end -->\n", re.MULTILINE | re.DOTALL)
# What could end a code block, or a message of a chat (`<|im_end|>`, `</s>`), inside a JSON string.
_MARKS = re.compile(r"`{3,}|<(?=\||/?s>)")


def build_planner_prompt(context: Context, executors: Executors | None = None, *, language: str = "en") -> str:
    """The planner's whole brief for one call, ending in where the plan stands.

    Args:
        context: where the plan stands. Where a new block would be too deep to be planned, the brief says to stop
            splitting.
        executors: the tools that there are, if any are known.
        language: "en" or "zh".

    Raises:
        ValueError: there is no brief in this language.
    """
    return _fill(
        _template("planner", language),
        depth=str(context.depth),
        max_depth=str(context.max_depth),
        limit=None if context.may_split else "yes",
        executors=_to_json(to_value(list(executors.items))) if executors is not None and executors.items else None,
        context=_to_json(to_value(context)),
    )


def build_repair_prompt(diagnostics: Iterable[Diagnostic], *, answer: str | None = None, language: str = "en") -> str:
    """What to tell a language model whose answer was refused: to mend what is wrong, and to send all of it again.

    Args:
        diagnostics: what is wrong; errors come first, and of very many only the first ones are shown.
        answer: the answer as it came, to be shown as well; of a very long one the start.
        language: "en" or "zh".

    Raises:
        ValueError: there is no such prompt in this language.
    """
    found = sorted(diagnostics, key=lambda one: one.severity is not Severity.ERROR)
    more = len(found) - _SHOWN_DIAGNOSTICS
    return _fill(
        _template("repair", language),
        diagnostics=_to_json([_finding(one) for one in found[:_SHOWN_DIAGNOSTICS]]),
        more=str(more) if more > 0 else None,
        answer=None if answer is None else _block(answer[:_SHOWN_CHARACTERS]),
        cut="yes" if answer is not None and len(answer) > _SHOWN_CHARACTERS else None,
    )


@cache
def _template(name: str, language: str) -> str:
    if language not in LANGUAGES:
        raise ValueError(f"there are prompts in {' and '.join(LANGUAGES)}, not in {language!r}")
    return files(__package__).joinpath(f"templates/{name}.{language}.md").read_text(encoding="utf-8")


def _fill(template: str, **values: str | None) -> str:
    """A template with its values, and without the sections of values that are None."""

    def keep(section: re.Match[str]) -> str:
        return section[3] if (values[section[2]] is None) == bool(section[1]) else ""

    return Template(_SECTION.sub(keep, template)).substitute(values)


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    finding = {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "expected": list(diagnostic.expected),
        "help": diagnostic.help,
    }
    return {key: value for key, value in finding.items() if value}


def _to_json(value: object) -> str:
    """JSON text that means the same and has nothing in it that could end a code block or steer what shows it."""
    encoded = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    # In JSON text, these occur inside strings only.
    return _MARKS.sub(lambda mark: f"\\u{ord(mark[0][0]):04x}" * len(mark[0]), encoded)


def _block(text: str) -> str:
    """Any text as a code block, with a fence longer than any in it."""
    shown = _MARKS.sub(lambda mark: mark[0].replace("<", r"\u003c"), visible(text.replace("\r\n", "\n")))
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"
