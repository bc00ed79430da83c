"""What the parts of a line are called in an editor's colours. Where they stand, the terminals of the grammars say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from planspec_lark.lsp.models import Token

__all__ = ["DIALECT_PARTS", "ITEM", "KINDS", "find_tokens"]

# By the rules for lines of PlanSpec and of HopSpec: their terminals, each with a name that the protocol has for such a
# part. What is in none of these tables is plain text.
_FORM = {
    "title": {"TITLE_MARK": "keyword", "TEXT": "string"},
    "goal": {"GOAL_MARK": "keyword", "TEXT": "string"},
    "constraints": {"CONSTRAINTS_MARK": "keyword"},
    "constraint": {"TEXT": "string"},
    "steps_header": {"STEPS_MARK": "keyword"},
    "step": {
        "STEP_ID": "number",
        "MARK": "enumMember",
        "NAME": "function",
        "TYPE": "type",
        "OUTPUTS": "variable",
        "RESULT": "string",
        "_more": "string",
        "PROGRESS": "number",
        "_behind": "string",
    },
    "body_line": {"INPUTS": "parameter", "DETAIL": "string"},
    "mode": {"MODE_KEY": "keyword", "MODE_WORD": "enumMember"},
    "section_header": {"SECTION": "keyword"},
    "flow_header": {"FLOW": "keyword"},
    "heading": {"STEP": "number", "NAME": "function", "LABEL": "type"},
    "attribute_line": {
        "KEY": "property",
        "VALUE": "string",
        "NAMES_KEY": "property",
        "NAMES": "variable",
        "COUNT_KEY": "property",
        "COUNT": "number",
    },
}
_LINES = {rule: {f"{rule}_{part}": kind for part, kind in parts.items()} for rule, parts in _FORM.items()}
# The same of the dialect, whose rules share their parts.
DIALECT_PARTS = {
    "part": "keyword",
    "field": "keyword",
    "box": "enumMember",
    "early_type": "type",
    "number": "number",
    "mark": "enumMember",
    "name": "function",
    "type": "type",
    "late": "enumMember",
    "OUTPUTS": "variable",
    "OUTPUTS_ARROW": "variable",
    "OUTPUTS_SIGNS": "variable",
    "COMMENT_LINE": "comment",
    "COMMENT": "comment",
    "HTML_COMMENT": "comment",
}
KINDS = sorted({kind for parts in (*_FORM.values(), DIALECT_PARTS) for kind in parts.values()})
# Each variable of a list is a token; of any other part, all but the white space around it.
_LISTS = ("parameter", "variable")
ITEM, _TRIMMED = re.compile(r"[^\s,，、](?:[^,，、]*[^\s,，、])?"), re.compile(r"\S(?:.*\S)?", re.DOTALL)


def find_tokens(lines: Iterable[tuple[re.Match[str], int]]) -> Iterator[Token]:
    """The tokens of lines, in the order of the text: of each what its rule has matched, and where the line starts."""
    for match, at in lines:
        for group, kind in _groups_of(match).items():
            pattern = ITEM if kind in _LISTS else _TRIMMED
            for found in pattern.finditer(match.string, *match.span(group)):
                yield at + found.start(), at + found.end(), kind


def _groups_of(match: re.Match[str]) -> Mapping[str, str]:
    """The groups that are tokens, in the order of the line, each with its kind."""
    own = _LINES.get(str(match.lastgroup))
    return own or {group: DIALECT_PARTS[group] for group in match.re.groupindex if group in DIALECT_PARTS}
