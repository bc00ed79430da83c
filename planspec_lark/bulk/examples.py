"""A few examples of every code and every problem, kept beside the rows of a shard."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attrs import define, field

from planspec_lark.bulk.analysing import Analysis
from planspec_lark.bulk.records import Record
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, shorten
from planspec_lark.syntax.source import escape_json, visible

__all__ = ["Examples", "examples_beside", "read_examples"]

_FIELDS = {"file": str, "record": int, "line": int | None, "message": str, "excerpt": str}
# How many of each, per shard and in a report.
_MOST = 3


def examples_beside(part: Path) -> Path:
    """Where the examples of a part are."""
    return part.with_name(f"{part.stem}.examples.json")


def read_examples(part: Path) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """How many bytes a part has if it is whole, and its examples.

    Raises:
        OSError: they cannot be read.
        ValueError: they are damaged.
    """
    value = json.loads(examples_beside(part).read_bytes())
    try:
        size, found = value["part_bytes"], value["examples"]
        examples = [example for kind in found.values() for example in kind]
        if all(isinstance(one[name], kind) for one in examples for name, kind in _FIELDS.items()):
            return int(size), found
    except (AttributeError, KeyError, TypeError):
        pass
    raise ValueError("these are no examples")


@define
class Examples:
    """Examples by code and severity, or by kind of problem: the first few of each."""

    found: dict[str, list[dict[str, Any]]] = field(factory=dict)

    def add_problem(self, file: str, record: Record) -> None:
        """Take a broken record, if there is still room for one of its kind."""
        assert record.problem is not None
        if self._has_room(record.problem):
            message = shorten(visible(record.message or ""))
            excerpt = shorten(visible(record.excerpt.decode("utf-8", "replace")))
            self._add(record.problem, _example(file, record.number, None, message, excerpt))

    def add(self, file: str, record: Record, analysis: Analysis) -> None:
        """Take those diagnostics of a record for which there is still room, one for each code and severity."""
        wanted: dict[str, Diagnostic] = {}
        for diagnostic in analysis.diagnostics:
            kind = _kind(diagnostic.code, diagnostic.severity)
            if kind not in wanted and self._has_room(kind):
                wanted[kind] = diagnostic
        for kind, diagnostic in zip(wanted, analysis.locate(list(wanted.values())), strict=True):
            message, excerpt = (shorten(visible(text)) for text in (diagnostic.message, diagnostic.source_line))
            self._add(kind, _example(file, record.number, diagnostic.line, message, excerpt))

    def merge(self, others: Iterable[tuple[str, list[dict[str, Any]]]]) -> None:
        """Take what another has found, as far as there is room."""
        for kind, examples in others:
            for example in examples:
                if self._has_room(kind):
                    self._add(kind, example)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The examples of a kind of problem."""
        return self.found.get(kind, [])

    def of_code(self, code: str) -> list[dict[str, Any]]:
        """The examples of a code, those that weigh most first."""
        return [one for severity in Severity for one in self.of(_kind(code, severity))][:_MOST]

    def encode(self, size: int) -> bytes:
        """All of them as JSON, with the bytes that the part has which they are beside."""
        value = {"part_bytes": size, "examples": self.found}
        return escape_json(json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1)).encode("utf-8") + b"\n"

    def _has_room(self, kind: str) -> bool:
        return len(self.found.get(kind, ())) < _MOST

    def _add(self, kind: str, example: dict[str, Any]) -> None:
        self.found.setdefault(kind, []).append(example)


def _kind(code: str, severity: Severity) -> str:
    return f"{code} {severity.value}"


def _example(file: str, record: int, line: int | None, message: str, excerpt: str) -> dict[str, Any]:
    return {"file": file, "record": record, "line": line, "message": message, "excerpt": excerpt}
