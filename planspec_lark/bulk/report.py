"""What all rows of a run come to, counted from the files in its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, define, field, frozen

from planspec_lark.bulk.examples import Examples, read_examples
from planspec_lark.bulk.models import BulkError, BulkTask
from planspec_lark.bulk.reasons import reason_of
from planspec_lark.bulk.writing import read_rows
from planspec_lark.syntax.diagnostics import CODES, Severity
from planspec_lark.syntax.source import visible_name

__all__ = ["BulkReport", "Distribution", "Failure", "Finding", "Problem", "count_up"]

_COUNTED = ("problem", "parsed", "valid", "score", "steps", "depth", "codes", "counts", "severities")


@frozen
class Distribution:
    """How a number is distributed over the records that could be read: its mean, and what so many percent reach."""

    mean: float = 0.0
    min: float = 0
    p10: float = 0
    p50: float = 0
    p90: float = 0
    p99: float = 0
    max: float = 0


@frozen
class Finding:
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
class Failure:
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
    valid: int
    score: Distribution
    steps: Distribution
    depth: Distribution
    codes: list[Finding]
    problems: list[Problem]
    failed: list[Failure]

    def to_dict(self) -> dict[str, Any]:
        """The same as values of JSON."""
        return asdict(self)


@define
class _Counts:
    records: int = 0
    parsed: int = 0
    valid: int = 0
    problems: Counter[str] = field(factory=Counter)
    records_with: dict[str, Counter[str]] = field(factory=dict)
    findings: Counter[str] = field(factory=Counter)
    numbers: dict[str, Counter[float]] = field(factory=lambda: {key: Counter() for key in ("score", "steps", "depth")})

    def add(self, row: dict[str, Any]) -> None:
        self.records += 1
        if row["problem"] is not None:
            if not isinstance(row["problem"], str):
                raise TypeError("a problem is a text")
            self.problems[row["problem"]] += 1
            return
        self.parsed += row["parsed"]
        self.valid += row["valid"]
        for key, counter in self.numbers.items():
            # A thousandth is as fine as anybody reads, and there are not too many of them to be counted.
            counter[round(row[key], 3)] += 1
        for code, count, severity in zip(row["codes"], row["counts"], row["severities"], strict=True):
            self.records_with.setdefault(CODES[code].code, Counter())[severity] += 1
            self.findings[code] += count

    def rank(self, code: str) -> tuple[list[int], str]:
        """Where a code comes in a report."""
        return [-self.records_with[code][severity.value] for severity in Severity], code


def count_up(done: Sequence[BulkTask], failed: Iterable[Failure], files: int) -> BulkReport:
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
            examples.merge(read_examples(part)[1].items())
        except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError) as error:
            why = reason_of(error) if isinstance(error, OSError) else "the part is damaged"
            raise BulkError(f"{visible_name(str(part))}: {why}; remove it and run this again") from None
    failures = list(failed)
    read = counts.records - counts.problems.total()
    score, steps, depth = (_distribute(counter) for counter in counts.numbers.values())
    codes = [
        Finding(
            code,
            CODES[code].name,
            counts.records_with[code].total(),
            counts.findings[code],
            {severity.value: counts.records_with[code][severity.value] for severity in Severity},
            examples.of_code(code),
        )
        for code in sorted(counts.records_with, key=counts.rank)
    ]
    problems = [
        Problem(kind, records, examples.of(kind))
        for kind, records in sorted(counts.problems.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    return BulkReport(
        files,
        len(done),
        counts.records,
        read,
        counts.parsed,
        counts.valid,
        score,
        steps,
        depth,
        codes,
        problems,
        failures,
    )


def _distribute(counter: Counter[float]) -> Distribution:
    total = counter.total()
    if not total:
        return Distribution()
    values = sorted(counter)
    mean = round(sum(value * counter[value] for value in values) / total, 3)
    wanted = [1, *(-(-total * percent // 100) for percent in (10, 50, 90, 99)), total]
    found: list[float] = []
    seen = 0
    for value in values:
        seen += counter[value]
        while len(found) < len(wanted) and wanted[len(found)] <= seen:
            found.append(value)
    return Distribution(mean, *found)
