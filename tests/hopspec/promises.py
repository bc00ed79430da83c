"""What is promised of every text that is read as a HopSpec document."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest

from planspec_lark import PlanSyntaxError
from planspec_lark.hopspec import (
    HopSpecTransformer,
    check_hopspec,
    fast_reader,
    fix_hopspec,
    parse_hopspec,
    parse_hopspec_tree,
    scan_hopspec,
    serialize_hopspec,
)
from planspec_lark.hopspec.parser import scan_strictly
from planspec_lark.hopspec.recovery import HopSpecRecovery
from planspec_lark.hopspec.vocabulary import KEYS, VALUES
from planspec_lark.syntax import Diagnostic, Severity, Span, grammars
from planspec_lark.syntax.source import Source

__all__ = ["hopspec_is_read", "hopspec_readers_agree"]


def hopspec_readers_agree(text: str) -> None:
    """The patterns, the parser with its transformer, and the reading line by line give the same of a text."""
    tree = grammars.parse_tree("hopspec", text)
    transformer, defined = HopSpecTransformer(), None
    if tree is not None:
        # What comes twice or is indented too little, the grammar lets through.
        with suppress(ValueError):
            defined = transformer.transform(tree)
    recovery = HopSpecRecovery(Source(text), "en", is_strict=True)
    fast, lines = fast_reader.read(text), recovery.run()
    assert (fast is None) == (defined is None) == bool(recovery.findings)
    if fast is None or defined is None:
        return
    for document, positions in (fast, lines):
        assert (document, document.language) == (defined, defined.language)
        assert positions == transformer.positions
        assert [*positions.steps] == [*transformer.positions.steps]


def hopspec_is_read(text: str) -> None:
    """Strict and tolerant readers, the check and the fixer agree about a text, and nothing is lost in silence."""
    hopspec_readers_agree(text)
    result = scan_strictly(text)
    if result.diagnostics:
        assert all(one.span is not None for one in result.diagnostics)
        with pytest.raises(PlanSyntaxError) as caught:
            parse_hopspec(text)
        assert caught.value.diagnostics == result.diagnostics
    else:
        document = parse_hopspec(text)
        tree = parse_hopspec_tree(text)
        assert "".join(tree.scan_values(lambda value: value is not None)) == text
        assert HopSpecTransformer().transform(tree) == document
    assert parse_hopspec(serialize_hopspec(result.document)) == result.document
    scanned = scan_hopspec(text)
    if "think>" not in text:
        assert scanned.document == result.document
        assert len(scanned.diagnostics) == len(result.diagnostics)
    printed = serialize_hopspec(result.document, language="zh") + serialize_hopspec(result.document, language="en")
    _is_accounted_for(text, printed, [one.span for one in result.diagnostics if one.span])
    found = check_hopspec(text)
    assert [one for one in found if one.code.startswith("HS1")] == result.diagnostics
    assert _count_errors(fix_hopspec(text).left) <= _count_errors(found)


def _count_errors(found: list[Diagnostic]) -> int:
    return sum(one.severity is Severity.ERROR for one in found)


def _is_accounted_for(text: str, printed: str, spans: list[Span]) -> None:
    """Every word of a text is in the document, or in a line that a finding speaks of."""
    lines = {line for span in spans for line in range(span.line, span.end_line + 1)}
    for number, row in enumerate(text.split("\n"), start=1):
        # A section without text is as good as none.
        if number not in lines and not row.lstrip("\ufeff \t").startswith("## "):
            for word in re.split(r"[\s,，、:：#（）()\\-]+", row.strip("\ufeff")):
                assert word in printed or word in _WORDS, (number, row)


# What may be written in another way: other words for the same thing, and what stands for nothing.
_WORDS = {part for key in KEYS for word in key.word.all for part in word.split()}
_WORDS |= {part for values in VALUES.values() for word in values.values() for one in word.all for part in one.split()}
_WORDS |= {"Step", "Step1", "Step2", "seq_think"}
