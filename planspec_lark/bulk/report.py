"""The totals of rows, of one shard or of all; and the same in words, safe on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import asdict, define, field

from planspec_lark.bulk.analysis import Analysis
from planspec_lark.syntax.diagnostics import CODES, count_of, shorten
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["BulkReport", "Found", "show_report"]

# How many examples there are of each code and problem.
_MOST = 3
# What is counted of the records that were read, in the order of the report.
_SHARES = ("parsed", "accepted", "needs_review", "refused", "truncated", "repaired")
_SUMS = ("shards", "records", "read", *_SHARES)


@define
class Found:
    """What was found of one code, or of one kind of broken records.

    Attributes:
        records: in how many records.
        findings: how often in all.
        examples: of the first records, each with ``file``, ``record`` (from 0), ``line`` of the text (from 1),
            ``message`` and ``excerpt``.
    """

    records: int
    findings: int
    examples: list[dict[str, Any]]


@define
class BulkReport:
    """The sums of rows.

    Attributes:
        shards: how many shards they are.
        records: how many records.
        read: how many of them have a text; what follows is about those.
        parsed: how many are plans as they are.
        accepted: how many have this verdict.
        needs_review: how many have that one.
        refused: how many have the last one.
        truncated: how many were cut off.
        repaired: how many were read with repairs.
        problems: by kind, why the others could not be read.
        codes: by code, what was found in them.
        failed: by their file of rows, why shards could not be analysed.
    """

    shards: int = 0
    records: int = 0
    read: int = 0
    parsed: int = 0
    accepted: int = 0
    needs_review: int = 0
    refused: int = 0
    truncated: int = 0
    repaired: int = 0
    problems: dict[str, Found] = field(factory=dict)
    codes: dict[str, Found] = field(factory=dict)
    failed: dict[str, str] = field(factory=dict)

    def add(self, place: dict[str, Any], found: Analysis) -> None:
        """Count a record."""
        columns, told = found.columns, [(it.code, it.line, it.message, it.source_line) for it in found.diagnostics]
        if "problem" in columns:
            one = BulkReport(records=1)
            group = one.problems
            told.append((columns["problem"], None, columns["message"], ""))
        else:
            counted = {"parsed": columns["parsed"], "truncated": columns["truncated"], columns["verdict"]: True}
            one = BulkReport(records=1, read=1, repaired=columns["repairs"] > 0, **counted)
            group = one.codes
        for kind, line, message, excerpt in told:
            example = {**place, "line": line, "message": _short(message), "excerpt": _short(excerpt)}
            group.setdefault(kind, Found(1, 0, [example])).findings += 1
        self.merge(one)

    def merge(self, other: BulkReport) -> None:
        """Add the sums of records that come later."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for ours, theirs in ((self.problems, other.problems), (self.codes, other.codes)):
            for kind, found in theirs.items():
                known = ours.get(kind, Found(0, 0, []))
                examples = [*known.examples, *found.examples][:_MOST]
                ours[kind] = Found(known.records + found.records, known.findings + found.findings, examples)

    def to_dict(self) -> dict[str, Any]:
        """The same as values of JSON."""
        return asdict(self)


def _short(text: str) -> str:
    return shorten(visible(text))


# ---------------------------------------------------------------- words


def show_report(report: BulkReport) -> str:
    """The sums, what was found by count with one example each, and what failed."""
    failed = [f"failed: {name}: {visible_name(shorten(reason))}" for name, reason in report.failed.items()]
    blocks = (_sums(report), _list(report.problems), _list(report.codes), failed)
    return "\n".join(filter(None, ("".join(f"{row}\n" for row in block) for block in blocks)))


def _sums(report: BulkReport) -> Iterator[str]:
    broken = report.records - report.read
    records, shards = count_of(report.records, "record"), count_of(report.shards, "shard")
    yield f"{records} in {shards}: {report.read:,} read, {broken:,} broken"
    for name in _SHARES:
        count = getattr(report, name)
        share = f"{count / report.read:.1%}" if report.read else "-"
        yield f"{name.replace('_', ' '):<12}{count:>12,}  {share}"


def _list(several: dict[str, Found]) -> Iterator[str]:
    for kind, found in sorted(several.items(), key=lambda item: (-item[1].records, item[0])):
        in_all = f", {found.findings:,} in all" if found.findings > found.records else ""
        name = f"{kind} {CODES[kind].name}" if kind in CODES else kind
        yield f"{name}: {count_of(found.records, 'record')}{in_all}"
        for example in found.examples[:1]:
            line = "" if example["line"] is None else f", line {example['line']}"
            yield f"  {example['file']}, record {example['record']}{line}: {visible_name(example['message'])}"
