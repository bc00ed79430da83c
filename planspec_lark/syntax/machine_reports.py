"""Diagnostics for machines: JSON, and workflow commands of GitHub Actions.

Each format has an item for a diagnostic, which needs no other one, and a whole around the items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import fields_dict

from planspec_lark.syntax.diagnostics import CODES, Diagnostic, Fix, Severity, shorten
from planspec_lark.syntax.safe_text import safe_json, visible
from planspec_lark.syntax.source import Span

__all__ = ["count_severities", "github_item", "json_item", "to_json"]

# Of a longer line or id, a report shows the start: a line may have as many findings as characters.
_LONGEST = 500
_SPAN = tuple(fields_dict(Span))
_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def count_severities(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """How many there are of each severity: keys error, warning, info."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    return {severity.value: counts[severity] for severity in Severity}


def to_json(
    items: Iterable[dict[str, Any]],
    files: Sequence[str],
    summary: Mapping[str, int],
    fixed: Iterable[Diagnostic] | None = None,
) -> str:
    """One object: ``files``, ``summary`` (see :func:`count_severities`) and ``diagnostics``, which are ``items``.

    With ``fixed``, diagnostics whose fixes were applied, it has these as well, in short.
    """
    report = {"files": list(files), "summary": dict(summary), "diagnostics": list(items)}
    return safe_json(report if fixed is None else {**report, "fixed": list(map(_fixed_item, fixed))}, indent=2)


def _fixed_item(diagnostic: Diagnostic) -> dict[str, Any]:
    """What was fixed: its line is that in the text as it was then."""
    return {
        "file": diagnostic.source.name if diagnostic.source else None,
        "code": diagnostic.code,
        "line": diagnostic.line,
        "message": diagnostic.message,
        "is_safe": diagnostic.fix is not None and diagnostic.fix.is_safe,
    }


def json_item(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as an object.

    Lines, columns and offsets count code points, lines and columns from 1, offsets from 0; ends are excluded. Source
    lines and step ids of more than 500 characters are cut there and end in `…`. ``fix`` is a fix of one edit;
    ``fix_edits`` are those of any fix.
    """
    fix = diagnostic.fix
    edits = () if fix is None else fix.edits
    return {
        "file": diagnostic.source.name if diagnostic.source else None,
        "code": diagnostic.code,
        "name": CODES[diagnostic.code].name,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "span": _to_span(diagnostic.span),
        "expected": list(diagnostic.expected),
        "help": diagnostic.help,
        "fix": None if fix is None or fix.more else {"span": _to_span(fix.span), "text": fix.text},
        "fix_edits": [{"span": _to_span(edit.span), "text": edit.text} for edit in edits],
        "fix_safe": None if fix is None else fix.is_safe,
        "fix_title": fix.title if fix else "",
        "provisional": diagnostic.is_provisional,
        "step_id": shorten(diagnostic.step_id, _LONGEST) or None,
        "path": diagnostic.path or None,
        "source_line": shorten(diagnostic.source_line, _LONGEST),
    }


def _to_span(span: Span | None) -> dict[str, int] | None:
    return None if span is None else {name: getattr(span, name) for name in _SPAN}


def github_item(diagnostic: Diagnostic) -> str:
    """A diagnostic as a workflow command, one line, which GitHub Actions turns into an annotation."""
    span = diagnostic.span
    properties = {"file": diagnostic.source.name if diagnostic.source else ""}
    if span is not None:
        properties |= {"line": str(span.line), "col": str(span.column), "endLine": str(span.end_line)}
        if span.end_line == span.line:
            properties["endColumn"] = str(span.end_column)
    properties["title"] = f"{diagnostic.code} {CODES[diagnostic.code].name}"
    listed = ",".join(f"{key}={_quote(value, ':,')}" for key, value in properties.items() if value)
    fix = _describe(diagnostic.fix) if diagnostic.fix else ""
    help = f"\n{diagnostic.help}" if diagnostic.help else ""
    return f"::{_GITHUB[diagnostic.severity]} {listed}::{_quote(diagnostic.message + help + fix, '')}"


def _describe(fix: Fix) -> str:
    """What a fix does, in a line of its own; empty where it only leaves something out."""
    if fix.title:
        return f"\nfix: {fix.title}"
    return f"\nwrite: {fix.text}" if fix.text else ""


def _quote(text: str, more: str) -> str:
    text = visible(text).replace("%", "%25").replace("\n", "%0A")
    for char in more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
