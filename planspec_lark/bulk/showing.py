"""A report in words, for people. All of it is safe to show on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planspec_lark.bulk.records import NO_COLUMN
from planspec_lark.bulk.report import BulkReport, Distribution, Finding, Problem
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.source import visible, visible_name

__all__ = ["show_report"]

_QUANTILES = ("mean", "min", "p10", "p50", "p90", "p99", "max")


def show_report(report: BulkReport) -> str:
    """The sums, what was found by count with one example each, and what failed."""
    blocks = [
        list(_sums(report)),
        list(_numbers(report)) if report.read else [],
        list(_problems(report.problems)),
        list(_findings(report.codes)),
        [_failure(failure.file, failure.part, failure.reason) for failure in report.failed],
    ]
    return "\n".join("".join(f"{row}\n" for row in block) for block in blocks if block)


def _sums(report: BulkReport) -> Iterator[str]:
    broken = report.records - report.read
    yield (
        f"{_plural(report.records, 'record')} of {_plural(report.files, 'file')} in {_plural(report.shards, 'shard')}: "
        f"{report.read:,} read, {broken:,} broken"
    )
    if report.records and [(one.problem, one.records) for one in report.problems] == [(NO_COLUMN, report.records)]:
        yield "warning: no record has the column of the text: name it with --text"
    for word, count in (("parsed", report.parsed), ("valid", report.valid)):
        yield f"{word:<7}{count:>12,}  {_percent(count, report.read)}"


def _numbers(report: BulkReport) -> Iterator[str]:
    yield "".join([" " * 7, *(f"{name:>9}" for name in _QUANTILES)])
    for word, numbers in (("score", report.score), ("steps", report.steps), ("depth", report.depth)):
        yield "".join([f"{word:<7}", *(f"{value:>9}" for value in _values(numbers))])


def _values(numbers: Distribution) -> list[str]:
    return [f"{getattr(numbers, name):,.3f}".rstrip("0").rstrip(".") for name in _QUANTILES]


def _problems(problems: Sequence[Problem]) -> Iterator[str]:
    for problem in problems:
        yield f"{problem.problem}: {_plural(problem.records, 'record')}"
        yield from _first(problem.examples)


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        how = ", ".join(f"{count:,} {severity}" for severity, count in finding.severities.items() if count)
        records = _plural(finding.records, "record")
        yield f"{finding.code} {finding.name}: {records} ({how}), {finding.findings:,} in all"
        yield from _first(finding.examples)


def _first(examples: Sequence[dict[str, Any]]) -> Iterator[str]:
    for example in examples[:1]:
        line = "" if example["line"] is None else f", line {example['line']}"
        place = f"{visible_name(example['file'])}, record {example['record']}{line}"
        yield f"  {place}: {shorten(visible(example['message']))}"


def _failure(file: str, part: str | None, reason: str) -> str:
    where = f" ({part})" if part else ""
    return f"failed: {visible_name(file)}{where}: {shorten(visible(reason))}".replace("\n", " ")


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f}%" if total else "-"
