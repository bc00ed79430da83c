"""The totals of all rows of a run, counted from the files in its folder; and the same in words, safe on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, define, field, frozen

from planspec_lark.answers.verdict import Verdict
from planspec_lark.bulk.models import BulkError, BulkTask, describe_error
from planspec_lark.bulk.records import NO_COLUMN
from planspec_lark.bulk.shard import Examples, read_examples, read_rows
from planspec_lark.syntax.diagnostics import CODES, Severity, shorten
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["BulkReport", "CodeCount", "Problem", "ShardFailure", "count_up", "show_report"]

_COUNTED = (
    "problem",
    "parsed",
    "verdict",
    "truncated",
    "valid",
    "codes",
    "counts",
    "severities",
)
# What is counted of the records that were read, in the order of the report.
_SUMS = ("parsed", *(verdict.value for verdict in Verdict), "truncated", "valid")


@frozen
class CodeCount:
    """A code: in how many records it was found, how often in all, and a few examples.

    ``severities`` are the records by the worst severity that the code had in them. An example has ``file``, ``record``
    (from 0), ``line`` of the text (from 1), ``message`` and ``excerpt``.
    """

    code: str
    name: str
    records: int
    findings: int
    severities: dict[str, int]
    examples: list[dict[str, Any]]


@frozen
class Problem:
    """A kind of broken record: how many there are, and a few examples."""

    problem: str
    records: int
    examples: list[dict[str, Any]]


@frozen
class ShardFailure:
    """A shard, or an input as a whole, that could not be analysed."""

    file: str
    part: str | None
    reason: str


@frozen
class BulkReport:
    """The sums of a run. ``read`` are the records with a text, ``problems`` the others by kind; all else is about the
    records that were read. Codes come by the number of records in which they are an error, then a warning, then an
    info, the most frequent first; problems by the number of records.
    """

    files: int
    shards: int
    records: int
    read: int
    parsed: int
    accepted: int
    needs_review: int
    refused: int
    truncated: int
    valid: int
    codes: list[CodeCount]
    problems: list[Problem]
    failed: list[ShardFailure]

    def to_dict(self) -> dict[str, Any]:
        """The same as values of JSON."""
        return asdict(self)


# ---------------------------------------------------------------- counting


@define
class _Counts:
    read: int = 0
    sums: Counter[str] = field(factory=Counter)
    problems: Counter[str] = field(factory=Counter)
    # By code: the records by the worst severity that it had in them, and how often it was found.
    severities: dict[str, Counter[str]] = field(factory=dict)
    findings: Counter[str] = field(factory=Counter)

    def add(self, row: dict[str, Any]) -> None:
        if row["problem"] is not None:
            if not isinstance(row["problem"], str):
                raise TypeError("a problem is a text")
            self.problems[row["problem"]] += 1
            return
        self.read += 1
        self.sums[Verdict(row["verdict"]).value] += 1
        for key in ("parsed", "truncated", "valid"):
            self.sums[key] += row[key]
        for code, count, severity in zip(row["codes"], row["counts"], row["severities"], strict=True):
            self.severities.setdefault(CODES[code].code, Counter())[severity] += 1
            self.findings[code] += count


def count_up(done: Sequence[BulkTask], failed: Iterable[ShardFailure], files: int) -> BulkReport:
    """Read what is on disk and sum it up.

    Raises:
        BulkError: a part cannot be read, or is damaged.
    """
    counts = _Counts()
    examples = Examples()
    for task in done:
        part = Path(task.dst)
        try:
            for row in read_rows(part, task.options.format, _COUNTED):
                counts.add(row)
            examples.merge(read_examples(part)[1])
        except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError) as error:
            why = describe_error(error) if isinstance(error, OSError) else "the part is damaged"
            raise BulkError(f"{visible_name(str(part))}: {why}; remove it and run this again") from None
    findings = [
        CodeCount(
            code,
            CODES[code].name,
            records.total(),
            counts.findings[code],
            {severity.value: records[severity.value] for severity in Severity},
            examples.of_code(code),
        )
        for code, records in counts.severities.items()
    ]
    problems = [Problem(kind, records, examples.of(kind)) for kind, records in counts.problems.items()]
    return BulkReport(
        files=files,
        shards=len(done),
        records=counts.read + counts.problems.total(),
        read=counts.read,
        **{name: counts.sums[name] for name in _SUMS},
        codes=sorted(findings, key=lambda one: ([-count for count in one.severities.values()], one.code)),
        problems=sorted(problems, key=lambda one: (-one.records, one.problem)),
        failed=list(failed),
    )


# ---------------------------------------------------------------- words


def show_report(report: BulkReport) -> str:
    """The sums, what was found by count with one example each, and what failed."""
    blocks = (_sums(report), _problems(report), _findings(report), _failures(report))
    return "\n".join(filter(None, ("".join(f"{row}\n" for row in block) for block in blocks)))


def _sums(report: BulkReport) -> Iterator[str]:
    yield (
        f"{_plural(report.records, 'record')} of {_plural(report.files, 'file')} in {_plural(report.shards, 'shard')}: "
        f"{report.read:,} read, {report.records - report.read:,} broken"
    )
    if report.records and [(one.problem, one.records) for one in report.problems] == [(NO_COLUMN, report.records)]:
        yield "warning: no record has the column of the text: name it with --text"
    for name in _SUMS:
        count = getattr(report, name)
        share = f"{100 * count / report.read:.1f}%" if report.read else "-"
        yield f"{name.replace('_', ' '):<12}{count:>12,}  {share}"


def _problems(report: BulkReport) -> Iterator[str]:
    for problem in report.problems:
        yield f"{problem.problem}: {_plural(problem.records, 'record')}"
        yield from _first(problem.examples)


def _findings(report: BulkReport) -> Iterator[str]:
    for finding in report.codes:
        how = ", ".join(f"{count:,} {severity}" for severity, count in finding.severities.items() if count)
        records = _plural(finding.records, "record")
        yield f"{finding.code} {finding.name}: {records} ({how}), {finding.findings:,} in all"
        yield from _first(finding.examples)


def _first(examples: Sequence[dict[str, Any]]) -> Iterator[str]:
    for example in examples[:1]:
        line = "" if example["line"] is None else f", line {example['line']}"
        place = f"{visible_name(example['file'])}, record {example['record']}{line}"
        yield f"  {place}: {shorten(visible(example['message']))}"


def _failures(report: BulkReport) -> Iterator[str]:
    for failure in report.failed:
        where = f" ({failure.part})" if failure.part else ""
        yield f"failed: {visible_name(failure.file)}{where}: {shorten(visible(failure.reason))}".replace("\n", " ")


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
