"""What is found in a JSON value, by the path to it: a diagnostic once the text is known that the value came from.

And what people call such values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from types import NoneType
from typing import Final, TypeAlias

from attrs import Factory, field, frozen

from planspec_lark.json_text.models import JsonText, write_path
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, Severity, in_order, quote, shorten
from planspec_lark.syntax.limits import Findings
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.syntax.source import Span

__all__ = [
    "IGNORED_NULL",
    "KIND_WORDS",
    "Path",
    "ValueFinding",
    "first_findings",
    "missing_field",
    "text_of",
    "to_diagnostics",
    "unknown_field",
    "word_of",
    "wrong_type",
]

# Keys and indices from the outermost value inwards.
Path: TypeAlias = tuple[str | int, ...]

# What a person calls a value, by its type.
KIND_WORDS: Final[dict[type, str]] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}


def word_of(value: object) -> str:
    """What a person calls a value of this kind."""
    return KIND_WORDS.get(type(value)) or visible_name(shorten(type(value).__name__))


# What all languages of JSON say of a field, each under a code of its own.
IGNORED_NULL: Final = "null was read as a missing field"


def missing_field(name: str) -> str:
    """That a field is missing."""
    return f"the field {quote(name)} is missing"


def unknown_field(name: str) -> str:
    """That there is no field of this name."""
    return f"unknown field {quote(name)}"


def wrong_type(expected: str, value: object) -> str:
    """That a value is of another type than expected; ``expected`` says it in words: ``a string``."""
    return f"expected {expected}, not {word_of(value)}"


def text_of(key: object) -> str:
    """A key as paths and messages have it. In JSON all keys are texts; in Python some cannot even be written."""
    if isinstance(key, str):
        return key
    try:
        return str(key)
    except Exception:
        return word_of(key)


@frozen
class ValueFinding:
    """One fault of a value.

    ``within`` is the part of the string at ``path`` that is meant, in its own characters. With ``at_key`` the key
    is meant rather than its value. ``severity`` is that of the code unless it says otherwise.
    """

    code: str
    message: str
    path: Path = ()
    help: str = ""
    within: tuple[int, int] | None = None
    at_key: bool = False
    severity: Severity = field(default=Factory(lambda self: CODES[self.code].severity, takes_self=True))

    @property
    def is_error(self) -> bool:
        """Whether it is an error."""
        return self.severity is Severity.ERROR


def to_diagnostics(findings: Iterable[ValueFinding], origin: JsonText | None) -> list[Diagnostic]:
    """Findings as diagnostics in the order of the text; without a text they keep their own, and have no places.

    Of a text that may have millions of them, :func:`first_findings` has the first ones.
    """
    return in_order(_locate(finding, origin) for finding in findings)


def _locate(finding: ValueFinding, origin: JsonText | None) -> Diagnostic:
    code, message, help, path = finding.code, finding.message, finding.help, write_path(finding.path)
    span, source = (None, None) if origin is None else (_place_of(finding, origin), origin.source)
    return Diagnostic(code, message, finding.severity, span, help=help, path=path, source=source)


def _place_of(finding: ValueFinding, origin: JsonText) -> Span:
    if finding.within is not None:
        return origin.span_within(finding.path, *finding.within)
    return origin.key_span(finding.path) if finding.at_key else origin.span(finding.path)


def first_findings(
    findings: Iterable[ValueFinding], origin: JsonText, limit: int | None, before: Iterable[Diagnostic] = ()
) -> list[Diagnostic]:
    """The first diagnostics of a text in its order up to a limit, and after them how many more there are.

    A text may have millions of findings, so all others are let go as soon as they have been counted.

    Args:
        findings: what is found.
        origin: the text.
        limit: how many to list; None for all.
        before: what is known of the text already; it counts first.
    """
    counts: Counter[Severity] = Counter()

    def count() -> Iterator[tuple[int, int, ValueFinding]]:
        for number, finding in enumerate(findings):
            counts[finding.severity] += 1
            yield _place_of(finding, origin).start, number, finding

    # One more than are shown: the number of all others is said at the place of the first of them.
    kept = sorted(count()) if limit is None else nsmallest(limit + 1, count())
    found = Findings(limit)
    found.extend([*before, *(_locate(finding, origin) for *_, finding in kept)])
    found.counts.update(counts - Counter(finding.severity for *_, finding in kept))
    return found.close()
