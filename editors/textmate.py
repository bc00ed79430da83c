"""Makes ``vscode/planspec.tmLanguage.json``, by which editors colour plans, from the grammar.

    python -m editors.textmate

What a line looks like comes from ``grammar/planspec.lark``. Only what its tokens are called is said here, in the words
that themes for TextMate's grammars know.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.planspec.tokens import BODY, SUMMARY
from planspec_lark.syntax import grammars

__all__ = ["LINES", "PATH", "make_grammar"]

LANGUAGE = "planspec"
# The file with the grammar.
PATH = Path(__file__).with_name("vscode") / f"{LANGUAGE}.tmLanguage.json"
# The lines of a document: the rule of the grammar, what of that rule are other lines, and its tokens.
LINES: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "title": (None, ("TITLE_MARK", "TEXT")),
    "goal": ("_goal_detail", ("GOAL_MARK", "TEXT")),
    "constraints": ("constraint", ("CONSTRAINTS_MARK",)),
    "constraint": (None, ("BULLET", "TEXT")),
    "steps_header": (None, ("STEPS_MARK",)),
    "_summary": (None, SUMMARY),
    "_body": (None, BODY),
}
# What stands in front of the value of a token is the sign of that token.
_SIGN = "_SIGN"
_SCOPES = {
    "TITLE_MARK": "punctuation.definition.heading",
    "title.TEXT": "entity.name.section markup.heading",
    "GOAL_MARK": "keyword.other.goal",
    "goal.TEXT": "string.unquoted.goal",
    "CONSTRAINTS_MARK": "keyword.other.constraints",
    "BULLET": "punctuation.definition.list.begin",
    "constraint.TEXT": "string.unquoted.constraint",
    "STEPS_MARK": "keyword.other.steps",
    "STEP_ID": "constant.numeric.step",
    "MARK": "keyword.control.status",
    "NAME": "entity.name.function.step",
    "TYPE": "storage.type.step",
    "DESCRIPTION": "meta.description",
    "OUTPUTS_SIGN": "keyword.operator.output",
    "OUTPUTS": "variable.other.output",
    "RESULT_SIGN": "punctuation.separator.segment",
    "RESULT": "string.unquoted.result",
    "_more": "string.unquoted.result",
    "_behind": "string.unquoted.result",
    "PROGRESS_SIGN": "keyword.other.progress",
    "PROGRESS": "constant.numeric.progress",
    "INPUTS_SIGN": "keyword.operator.input",
    "INPUTS": "variable.other.input",
    "DETAIL_SIGN": "punctuation.definition.quote",
    "DETAIL": "markup.quote.detail",
}
_GROUP = re.compile(r"\(\?P<(\w+)>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def make_grammar() -> dict[str, Any]:
    """The grammar for TextMate, as a JSON value."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "PlanSpec",
        "scopeName": f"source.{LANGUAGE}",
        "fileTypes": ["plan.md"],
        "patterns": [{"include": f"#{rule.strip('_')}"} for rule in LINES],
        "repository": {rule.strip("_"): _make_line(rule) for rule in LINES},
    }


def _make_line(rule: str) -> dict[str, Any]:
    """One kind of line. It is matched whole or not at all."""
    pattern = grammars.regular(LANGUAGE).make("pattern", rule, *LINES[rule])
    pattern = _name_signs(pattern)
    names = _GROUP.findall(pattern)
    captures = {str(at): _capture(rule, name) for at, name in enumerate(names, 1)}
    return {
        "name": f"meta.{rule.strip('_')}.{LANGUAGE}",
        "match": rf"^\ufeff?[ \t]*+{_translate(pattern)}",
        "captures": captures,
    }


def _name_signs(pattern: str) -> str:
    """An expression in which what stands in front of a token's value is a group as well, where it is named above."""
    for name in _GROUP.findall(pattern):
        if f"{name}{_SIGN}" in _SCOPES:
            before, _, _ = grammars.regular(LANGUAGE).make("parts", name)
            pattern = pattern.replace(f"{before}(?P<{name}>", f"(?P<{name}{_SIGN}>{before})(?P<{name}>")
    return pattern


def _translate(pattern: str) -> str:
    """An expression of Python's for Oniguruma, which is given a line at a time.

    It has no lone surrogates, and numbers its groups.
    """
    end = grammars.regular(LANGUAGE).make("parts", "NL")[1]
    pattern = pattern.replace(end, "[ \t]*$").replace("\r?\n", "$").replace("\ud800-\udfff", "")
    return _CONTROL.sub(lambda match: rf"\x{ord(match[0]):02x}", _GROUP.sub("(", pattern).replace("\t", r"\t"))


def _capture(rule: str, name: str) -> dict[str, Any]:
    scope = _SCOPES.get(name) or _SCOPES[f"{rule}.{name}"]
    capture: dict[str, Any] = {"name": " ".join(f"{one}.{LANGUAGE}" for one in scope.split())}
    if name == "TYPE":
        # Any word is read; which of them are types, the table says.
        words = "|".join(STEP_TYPES)
        capture["patterns"] = [{"match": rf"\b(?!(?:{words})\b)\w+", "name": f"invalid.illegal.type.{LANGUAGE}"}]
    return capture


if __name__ == "__main__":
    made = json.dumps(make_grammar(), ensure_ascii=False, indent=2)
    PATH.write_text(f"{made}\n", encoding="utf-8")
