"""Makes ``vscode/*.tmLanguage.json``, by which editors colour documents, from the grammars.

    python -m editors.textmate

What a line looks like comes from ``grammar/planspec.lark`` and ``grammar/hopspec.lark``. Only what its tokens are
called is said here, in the words that themes for TextMate's grammars know, and which lines stand inside of what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from planspec_lark.planspec.builder import BODY, SUMMARY
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.syntax import grammars

__all__ = ["LANGUAGES", "Colours", "make_grammar", "path_of"]

_SCHEMA = "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json"
# What stands in front of the value of a token is the sign of that token.
_SIGN = "_SIGN"


@frozen
class Colours:
    """What there is to colour in a language.

    Attributes:
        name: what it is called.
        files: how the names of its files end.
        lines: the lines of a document: the rule of the grammar, what of that rule are other lines, and its tokens.
        scopes: what a token is called, perhaps with the rule in front that it stands in.
        blocks: by the rule of the line that begins it, the lines that a part of a document has; without them, any line
            may stand anywhere. The rule ``fence`` stands for a block of code.
        types: the words that a token may be, where any word is read.
    """

    name: str
    files: Sequence[str]
    lines: Mapping[str, tuple[str | None, tuple[str, ...]]]
    scopes: Mapping[str, str]
    blocks: Mapping[str, Sequence[str]] = field(factory=dict)
    types: Mapping[str, Sequence[str]] = field(factory=dict)


_PLANSPEC = Colours(
    "PlanSpec",
    ("plan.md",),
    {
        "title": (None, ("TITLE_MARK", "TEXT")),
        "goal": ("_goal_detail", ("GOAL_MARK", "TEXT")),
        "constraints": ("constraint", ("CONSTRAINTS_MARK",)),
        "constraint": (None, ("BULLET", "TEXT")),
        "steps_header": (None, ("STEPS_MARK",)),
        "_summary": (None, SUMMARY),
        "_body": (None, BODY),
    },
    {
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
    },
    types={"TYPE": [*STEP_TYPES]},
)
_HOPSPEC = Colours(
    "HopSpec",
    ("HopSpec.md", "hopspec.md"),
    {
        "title": (None, ("TITLE_MARK", "TEXT")),
        "mode": (None, ("MODE_KEY", "MODE_WORD")),
        "section_header": (None, ("SECTION",)),
        "flow_header": (None, ("FLOW",)),
        "heading": (None, ("STEP", "NAME", "LABEL")),
        "comment": (None, ("COMMENT",)),
        "attribute_line": (None, ("KEY", "VALUE", "NAMES_KEY", "NAMES", "COUNT_KEY", "COUNT")),
    },
    {
        "TITLE_MARK": "punctuation.definition.heading",
        "title.TEXT": "entity.name.section markup.heading",
        "MODE_KEY": "keyword.other.mode",
        "MODE_WORD": "constant.language.mode",
        "SECTION": "entity.name.section markup.heading",
        "FLOW": "keyword.other.steps",
        "STEP_SIGN": "keyword.other.step",
        "STEP": "constant.numeric.step",
        "NAME": "entity.name.function.step",
        "LABEL": "string.unquoted.label",
        "COMMENT": "comment.line",
        "KEY": "keyword.other.attribute",
        "VALUE": "string.unquoted.value",
        "NAMES_KEY": "keyword.other.attribute",
        "NAMES": "variable.other.names",
        "COUNT_KEY": "keyword.other.attribute",
        "COUNT": "constant.numeric.count",
    },
    {"section_header": ("fence",), "flow_header": ("heading", "comment", "attribute_line", "fence")},
)
LANGUAGES: Mapping[str, Colours] = {"planspec": _PLANSPEC, "hopspec": _HOPSPEC}
_GROUP = re.compile(r"\(\?P<(\w+)>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def path_of(language: str) -> Path:
    """The file with the grammar of a language."""
    return Path(__file__).with_name("vscode") / f"{language}.tmLanguage.json"


def make_grammar(language: str) -> dict[str, Any]:
    """The grammar for TextMate, as a JSON value."""
    colours = LANGUAGES[language]
    inside = {rule for rules in colours.blocks.values() for rule in rules}
    lines = {rule.strip("_"): _make_line(language, rule) for rule in colours.lines if rule not in colours.blocks}
    blocks = {rule: _make_block(language, rule) for rule in colours.blocks}
    if "fence" in inside:
        blocks["fence"] = _make_code(language)
    return {
        "$schema": _SCHEMA,
        "name": colours.name,
        "scopeName": f"source.{language}",
        "fileTypes": [*colours.files],
        "patterns": _include(rule for rule in (*lines, *blocks) if rule not in inside),
        "repository": {**lines, **blocks},
    }


def _include(rules: Iterable[str]) -> list[dict[str, str]]:
    return [{"include": f"#{rule}"} for rule in rules]


def _make_line(language: str, rule: str) -> dict[str, Any]:
    """One kind of line. It is matched whole or not at all."""
    pattern = grammars.regular(language).make("pattern", rule, *LANGUAGES[language].lines[rule])
    pattern = _name_signs(language, pattern)
    names = _GROUP.findall(pattern)
    captures = {str(at): _capture(language, rule, name) for at, name in enumerate(names, 1)}
    return {
        "name": f"meta.{rule.strip('_')}.{language}",
        "match": rf"^\ufeff?[ \t]*+{_translate(language, pattern)}",
        "captures": captures,
    }


def _make_block(language: str, rule: str) -> dict[str, Any]:
    """A line, and the lines inside it up to the next such line."""
    line, blocks = _make_line(language, rule), LANGUAGES[language].blocks
    ends = [_translate(language, grammars.regular(language).make("pattern", one, None, ())) for one in blocks]
    return {
        "begin": line["match"],
        "beginCaptures": {"0": {"name": line["name"]}, **line["captures"]},
        "end": rf"^(?={'|'.join(ends)})",
        "patterns": _include(blocks[rule]),
    }


def _make_code(language: str) -> dict[str, Any]:
    """A block of code, in which nothing is structure."""
    start, end = (
        _translate(language, grammars.regular(language).make("expression", one)) for one in ("FENCE", "CODE_END")
    )
    return {"name": f"markup.raw.block.{language}", "begin": f"^{start}", "end": f"^{end}"}


def _name_signs(language: str, pattern: str) -> str:
    """An expression in which what stands in front of a token's value is a group as well, where it is named above."""
    for name in _GROUP.findall(pattern):
        if f"{name}{_SIGN}" in LANGUAGES[language].scopes:
            before, _, _ = grammars.regular(language).make("parts", name)
            pattern = pattern.replace(f"{before}(?P<{name}>", f"(?P<{name}{_SIGN}>{before})(?P<{name}>")
    return pattern


def _translate(language: str, pattern: str) -> str:
    """An expression of Python's for Oniguruma, which is given a line at a time.

    It has no lone surrogates, and numbers its groups.
    """
    end = grammars.regular(language).make("parts", "NL")[1]
    pattern = pattern.replace(end, "[ \t]*$").replace("\r?\n", "$").replace("\ud800-\udfff", "")
    return _CONTROL.sub(lambda match: rf"\x{ord(match[0]):02x}", _GROUP.sub("(", pattern).replace("\t", r"\t"))


def _capture(language: str, rule: str, name: str) -> dict[str, Any]:
    colours = LANGUAGES[language]
    scope = colours.scopes.get(name) or colours.scopes[f"{rule}.{name}"]
    capture: dict[str, Any] = {"name": " ".join(f"{one}.{language}" for one in scope.split())}
    if name in colours.types:
        # Any word is read; which of them are types, the table says.
        words = "|".join(colours.types[name])
        capture["patterns"] = [{"match": rf"\b(?!(?:{words})\b)\w+", "name": f"invalid.illegal.type.{language}"}]
    return capture


if __name__ == "__main__":
    for one in LANGUAGES:
        made = json.dumps(make_grammar(one), ensure_ascii=False, indent=2)
        path_of(one).write_text(f"{made}\n", encoding="utf-8")
