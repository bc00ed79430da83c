"""YAML texts as plain values with places, read as JSON texts are: no aliases, no tags, no keys but texts.

Needs the extra ``yaml``. The value is built from the events of the parser: nothing is constructed that a text could ask
for, and depth costs no recursion.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from attrs import define, field

from planspec_lark.json_text.builder import Builder
from planspec_lark.json_text.fast_reader import MAX_DIGITS
from planspec_lark.json_text.models import MISSING, JsonText, write_path
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, PlanSpecError, shorten
from planspec_lark.syntax.limits import Limits, find_excess
from planspec_lark.syntax.source import Source

__all__ = ["YAML_LIMITS", "MissingYamlError", "read_yaml"]

# The parser of the library takes time with the square of the depth of a text in one line, and is slow altogether.
YAML_LIMITS = Limits(max_bytes=256_000, max_depth=32, max_findings=1000)

_TAGS = "tag:yaml.org,2002:"
_BASES = {"0b": 2, "0o": 8, "0x": 16}


class MissingYamlError(PlanSpecError, ImportError):
    """The extra ``yaml`` is not installed."""

    def __init__(self) -> None:
        super().__init__("reading YAML needs the extra `yaml`: pip install 'planspec-lark[yaml]'")


def read_yaml(text: str, *, name: str = "<text>", limits: Limits = YAML_LIMITS) -> JsonText:
    """The value of a YAML text; never raises on any text.

    Everything that is no plain value is refused: aliases, tags, keys that are no texts, a key twice, more than one
    document. Dates stay texts. The first fault ends the reading.

    Raises:
        MissingYamlError: the extra is not installed.
    """
    source = Source(text, name)
    excess = find_excess(text, name, limits)
    if excess is not None:
        return JsonText(MISSING, [excess], source)
    return _Reader(source, limits).read()


def _library() -> tuple[Any, Any]:
    """What is needed of the library: the class that reads, and that of its errors."""
    try:
        from ruamel.yaml import YAML  # noqa: PLC0415  (an extra)
        from ruamel.yaml.error import YAMLError  # noqa: PLC0415
    except ImportError:
        raise MissingYamlError from None
    return YAML(typ="safe", pure=True), YAMLError


class _RefusedError(Exception):
    """The first fault of a text."""

    def __init__(self, code: str, message: str, start: int, end: int, help: str = "") -> None:
        super().__init__(message)
        self.fault = code, message, start, end, help


@define
class _Reader:
    """Follows the events of a parser."""

    source: Source
    limits: Limits
    builder: Builder = field(factory=Builder)
    documents: int = 0

    def read(self) -> JsonText:
        yaml, yaml_error = _library()
        try:
            for event in yaml.parse(self.source.text):
                self._take(type(event).__name__.removesuffix("Event"), event)
        except _RefusedError as refused:
            return self._stop(*refused.fault)
        except yaml_error as error:
            return self._stop(*_explain(error, self.source.text))
        return JsonText(self.builder.value, [], self.source, self.builder.root)

    def _stop(self, code: str, message: str, start: int, end: int, help: str = "") -> JsonText:
        path = write_path(self.builder.path()) if self.builder.depth else ""
        span = self.source.span(start, max(end, start + 1))
        fault = Diagnostic(code, message, CODES[code].severity, span, help=help, path=path, source=self.source)
        root = self.builder.root
        if root is not None and self.builder.depth:
            # Nothing inside of what is not closed has a place.
            root.inside = None
        return JsonText(MISSING, [fault], self.source, root)

    def _take(self, kind: str, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if kind == "DocumentStart":
            self.documents += 1
            if self.documents > 1:
                raise _RefusedError("PY105", "a second document begins here", start, end, "leave it out")
        elif kind == "Alias":
            help = "write the value itself, once more"
            raise _RefusedError("PY102", f"`*{shorten(event.anchor)}` is an alias", start, end, help)
        elif kind in ("MappingStart", "SequenceStart"):
            self._open(kind, event, start, end)
        elif kind in ("MappingEnd", "SequenceEnd"):
            self.builder.close(end)
        elif kind == "Scalar":
            self._take_scalar(event, start, end)

    def _open(self, kind: str, event: Any, start: int, end: int) -> None:
        if event.tag is not None:
            raise _tagged(event, start, end)
        if self.builder.is_at_key:
            raise _RefusedError("PY104", "a key is a text", start, end)
        most = self.limits.max_depth
        if most is not None and self.builder.depth >= most:
            raise _RefusedError("PJ107", f"this is deeper than the {most} levels that are allowed", start, end)
        self.builder.open({} if kind == "MappingStart" else [], start)

    def _take_scalar(self, event: Any, start: int, end: int) -> None:
        if event.tag is not None and event.tag != "!":
            raise _tagged(event, start, end)
        value = _value_of(event, start, end)
        if not self.builder.is_at_key:
            self.builder.add(value, start, end)
            return
        if not isinstance(value, str):
            written = shorten(event.value)
            help = f'write "{written}"' if written else ""
            raise _RefusedError("PY104", f"a key is a text, and {written or 'this'} is none", start, end, help)
        first = self.builder.set_key(value, start, end)
        if first is not None:
            line, column = self.source.position(first)
            message = f"the key {shorten(repr(value))} is there already, at {line}:{column}"
            raise _RefusedError("PJ128", message, start, end)


def _tagged(event: Any, start: int, end: int) -> _RefusedError:
    return _RefusedError("PY103", f"`{shorten(str(event.tag))}` is a tag", start, end, "write plain values")


def _value_of(event: Any, start: int, end: int) -> Any:
    """What a scalar says. Plain ones may be numbers, booleans and null; dates are texts."""
    text = event.value
    kind = _kind_of(text) if event.implicit[0] and event.tag is None else "str"
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind == "int":
            return _whole(text)
        if kind == "float":
            return _finite(text.replace("_", ""), start, end)
    except ValueError:
        raise _RefusedError("PJ134", "this number is out of range", start, end) from None
    return text


def _whole(text: str) -> int | str:
    """A whole number, or the text where it has no digits. A leading zero means nothing."""
    written = text.replace("_", "").lower()
    body = written.lstrip("+-")
    base = _BASES.get(body[:2], 10)
    digits = body if base == 10 else body[2:]
    if not digits:
        return text
    # Python's own limit on digits may be lifted, and then a very long number takes very long.
    if base == 10 and len(digits.lstrip("0")) > MAX_DIGITS:
        raise ValueError(text)
    value = int(digits.lstrip("0") or "0", base)
    if value >= 10**MAX_DIGITS:
        raise ValueError(text)
    return -value if written.startswith("-") else value


def _finite(digits: str, start: int, end: int) -> float:
    if digits.lstrip("+-").lower() in (".inf", ".nan"):
        raise _RefusedError("PJ132", f"`{digits}` is no finite number", start, end, "leave it out, or write a text")
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(digits)
    return value


def _kind_of(text: str) -> str:
    from ruamel.yaml.nodes import ScalarNode  # noqa: PLC0415  (an extra)

    return str(_resolver().resolve(ScalarNode, text, (True, False))).removeprefix(_TAGS)


@cache
def _resolver() -> Any:
    yaml, _ = _library()
    return yaml.resolver


def _explain(error: Any, text: str) -> tuple[str, str, int, int, str]:
    """A fault that the parser has found. A reader's has a position, all others a mark."""
    mark = getattr(error, "problem_mark", None)
    start = mark.index if mark is not None else getattr(error, "position", 0)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    context = getattr(error, "context", None)
    said = f"this is no YAML: {problem}" + (f", {context}" if context else "")
    # Outside of brackets the same text needs no quotes.
    is_brace_in_text = start > 0 and text.startswith("${", start - 1)
    help = "between brackets, a text with a brace in it stands in quotes" if is_brace_in_text else ""
    return "PY101", shorten(said), start, start + 1, help
