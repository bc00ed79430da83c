"""What is found in a JSON value, by the path to it: a diagnostic once the text is known that the value came from.

And what people call such values.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType
from typing import Final, TypeAlias

from attrs import frozen

from planspec_lark.diagnostics import CODES, Diagnostic, Severity, in_order
from planspec_lark.json_text.models import JsonText
from planspec_lark.json_text.paths import write_path

__all__ = ["KIND_WORDS", "Finding", "Path", "locate", "word_of"]

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
    return KIND_WORDS.get(type(value), type(value).__name__)


@frozen
class Finding:
    """One fault of a value.

    ``within`` is the stretch of the string at ``path`` that is meant, in its own characters. With ``at_key`` the key
    is meant rather than its value. ``severity`` is that of the code unless it says otherwise.
    """

    code: str
    message: str
    path: Path = ()
    help: str = ""
    within: tuple[int, int] | None = None
    at_key: bool = False
    severity: Severity | None = None


def locate(findings: Iterable[Finding], origin: JsonText | None) -> list[Diagnostic]:
    """Findings as diagnostics in the order of the text; without a text they keep their own, and have no places."""
    return in_order(_locate(finding, origin) for finding in findings)


def _locate(finding: Finding, origin: JsonText | None) -> Diagnostic:
    severity = finding.severity or CODES[finding.code].severity
    path = write_path(finding.path)
    if origin is None:
        return Diagnostic(finding.code, finding.message, severity, help=finding.help, path=path)
    if finding.within is not None:
        span = origin.place_within(finding.path, *finding.within)
    elif finding.at_key:
        span = origin.key_place(finding.path)
    else:
        span = origin.place(finding.path)
    return Diagnostic(finding.code, finding.message, severity, span, help=finding.help, path=path, source=origin.source)
