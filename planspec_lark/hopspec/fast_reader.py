"""A text without any fault → the document that it is, at the speed of the regular expression engine.

The patterns are made from the grammar's own rules (see :mod:`planspec_lark.syntax.patterns`). A text that they refuse
has a fault; :mod:`planspec_lark.hopspec.recovery` knows what to say about it.
"""

from __future__ import annotations

from functools import cache
from re import Pattern

from planspec_lark.hopspec.builder import HopSpecBuilder
from planspec_lark.hopspec.models import HopSpec
from planspec_lark.hopspec.positions import LinePositions
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import end_last_line

__all__ = ["read"]

# The tokens of a row.
_ROW = (
    *("attribute_KEY", "attribute_VALUE", "attribute__below"),
    *("attribute_NAMES_KEY", "attribute_NAMES", "attribute_COUNT_KEY", "attribute_COUNT"),
    *("heading_STEP", "heading_NAME", "heading_LABEL", "comment_COMMENT"),
)
_TERMINALS = tuple(name.partition("_")[2] for name in _ROW)


@cache
def _patterns() -> tuple[Pattern[str], Pattern[str], Pattern[str], Pattern[str]]:
    """What matches all before the sections, a section of free text, the header of the section of steps, and a row."""
    rules = grammars.regular("hopspec")
    return (
        rules.pattern("document", without="_part", groups=("title_TEXT", "mode_MODE_WORD")),
        rules.pattern("section", groups=("section_header_SECTION", "_text")),
        rules.pattern("flow_header", groups=("FLOW",)),
        rules.pattern("row", groups=_ROW),
    )


def read(text: str) -> tuple[HopSpec, LinePositions] | None:
    """The document and its places, or None where the text has a fault."""
    text, builder = end_last_line(text), HopSpecBuilder()
    head_pattern, section_pattern, flow_pattern, _ = _patterns()
    head = head_pattern.match(text)
    assert head is not None, "all in front of the sections may be absent"
    for rule, terminal in (("title", "TEXT"), ("mode", "MODE_WORD")):
        if said := head[f"{rule}_{terminal}"]:
            builder.take({terminal: said}, "", _line_of(text, head.start(f"{rule}_{terminal}")))
    at = head.end()
    try:
        while at < len(text):
            line = _line_of(text, at)
            if section := section_pattern.match(text, at):
                builder.take({"SECTION": section["section_header_SECTION"]}, "", line)
                builder.add_text(section["_text"] or "")
                at = section.end()
            elif flow := flow_pattern.match(text, at):
                builder.take({"FLOW": flow["FLOW"]}, "", line)
                at = _take_rows(builder, text, flow.end(), line + flow[0].count("\n"))
            else:
                return None
    except ValueError:
        # What the grammar cannot know.
        return None
    return builder.finish(), builder.positions


def _take_rows(builder: HopSpecBuilder, text: str, at: int, line: int) -> int:
    """Take what the section of steps is made of, from an offset on, which is in this line; returns where it ends."""
    match_row = _patterns()[3].match
    while match := match_row(text, at):
        said = {name: value for name, value in zip(_TERMINALS, match.groups(), strict=True) if value is not None}
        builder.take(said, match[0], line, said.get("_below", ""))
        line += text.count("\n", at, match.end())
        at = match.end()
    return at


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
