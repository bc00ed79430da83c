"""YAML texts as plain values with places, read as JSON texts are: no aliases, no tags, no keys but texts.

Needs the extra ``yaml``. The value is built from the events of the parser: nothing is constructed that a text could ask
for, and depth costs no recursion.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from attrs import evolve

from planspec_lark.json_text.builder import JsonBuilder, say_double, say_too_deep
from planspec_lark.json_text.fast_reader import MAX_DIGITS
from planspec_lark.json_text.models import MISSING, JsonText, write_path
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError, in_order, shorten
from planspec_lark.syntax.fences import FENCES
from planspec_lark.syntax.limits import Limits, find_excess
from planspec_lark.syntax.reasoning import blank, has_tags, leave_out_reasoning
from planspec_lark.syntax.source import Source

__all__ = ["YAML_LIMITS", "MissingYamlError", "read_yaml"]

# The parser of the library takes time with the square of the depth of a text in one line, and is slow altogether.
YAML_LIMITS = Limits(max_bytes=256_000, max_depth=32, max_findings=1000)

_TAGS = "tag:yaml.org,2002:"
_SIGN = re.compile(r"[^\n]")
_TOO_LARGE = 10**MAX_DIGITS


class MissingYamlError(PlanSpecError, ImportError):
    """The extra ``yaml`` is not installed."""

    def __init__(self) -> None:
        super().__init__("reading YAML needs the extra `yaml`: pip install 'planspec-lark[yaml]'")


def read_yaml(
    text: str, *, name: str = "<text>", limits: Limits = YAML_LIMITS, within: tuple[int, int] | None = None
) -> JsonText:
    """The value of a YAML text; never raises on any text.

    Everything that is no plain value is refused: aliases, tags, keys that are no texts, a key twice, more than one
    document. Dates stay texts. The first fault ends the reading. In a text that is not YAML, each reasoning
    block (see :mod:`planspec_lark.syntax.reasoning`) is named, and what is left is read. With ``within``, all text
    before and after these offsets is left out.

    Raises:
        MissingYamlError: the extra is not installed.
    """
    source = Source(text, name)
    excess = find_excess(text, name, limits)
    if excess is not None:
        return JsonText(MISSING, [excess], source)
    if within is not None:
        before, after = (_SIGN.sub(" ", part) for part in (text[: within[0]], text[within[1] :]))
        return _Reader(source, limits, before + text[slice(*within)] + after).read()
    read = _Reader(source, limits).read()
    if not read.has_errors or not has_tags(text):
        # In a text that is right, a tag is text.
        return read
    remainder = leave_out_reasoning(text)
    if not remainder.blocks:
        return read
    rest = _Reader(source, limits, blank(text, remainder.blocks)).read()
    return evolve(rest, diagnostics=in_order([*remainder.diagnose(source, is_strict=True), *rest.diagnostics]))


class _RefusedError(Exception):
    """The first fault of a text."""

    def __init__(self, code: str, message: str, start: int, end: int, help: str = "") -> None:
        super().__init__(message)
        self.fault = code, message, start, end, help


class _Reader:
    """Follows the events of a parser."""

    def __init__(self, source: Source, limits: Limits, text: str | None = None) -> None:
        try:
            from ruamel.yaml import YAML  # noqa: PLC0415  (an extra)
            from ruamel.yaml.error import YAMLError  # noqa: PLC0415
            from ruamel.yaml.nodes import ScalarNode  # noqa: PLC0415
        except ImportError:
            raise MissingYamlError from None
        self._yaml, self._yaml_error, self._scalar = YAML(typ="safe", pure=True), YAMLError, ScalarNode
        self._source = source
        self._text = source.text if text is None else text
        self._limits = limits
        self._builder = JsonBuilder()
        self._documents = 0

    def read(self) -> JsonText:
        builder, source = self._builder, self._source
        try:
            for event in self._yaml.parse(self._text):
                self._take(type(event).__name__.removesuffix("Event"), event)
        except _RefusedError as refused:
            code, message, start, end, help = refused.fault
        except self._yaml_error as error:
            code, message, start, end, help = _explain(error, self._text)
        else:
            return JsonText(builder.value, [], source, builder.root)
        path = write_path(builder.path()) if builder.frames else ""
        span = source.span(start, max(end, start + 1))
        fault = Diagnostic(code, message, span=span, help=help, path=path, source=source)
        if builder.root is not None and builder.frames:
            # Nothing inside of what is not closed has a place.
            builder.root.inside = None
        return JsonText(MISSING, [fault], source, builder.root)

    def _take(self, kind: str, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if kind == "DocumentStart":
            self._documents += 1
            if self._documents > 1:
                raise _RefusedError("PY105", "a second document begins here", start, end, "remove it")
        elif kind == "Alias":
            help = "write the value itself again"
            raise _RefusedError("PY102", f"`*{shorten(event.anchor)}` is an alias", start, end, help)
        elif kind in ("MappingEnd", "SequenceEnd"):
            self._builder.close(end)
        elif kind in ("MappingStart", "SequenceStart", "Scalar"):
            if event.tag is not None and (kind, event.tag) != ("Scalar", "!"):
                raise _RefusedError("PY103", f"`{shorten(str(event.tag))}` is a tag", start, end, "write plain values")
            if kind == "Scalar":
                self._take_scalar(event, start, end)
            else:
                self._open({} if kind == "MappingStart" else [], start, end)

    @property
    def _is_at_key(self) -> bool:
        return self._builder.is_in_object and self._builder.key is None

    def _open(self, container: dict[str, Any] | list[Any], start: int, end: int) -> None:
        if self._is_at_key:
            raise _RefusedError("PY104", "a key must be a string", start, end)
        most = self._limits.max_depth
        if most is not None and len(self._builder.frames) >= most:
            raise _RefusedError("PJ107", say_too_deep(most), start, end)
        self._builder.open(container, start)

    def _take_scalar(self, event: Any, start: int, end: int) -> None:
        written, builder = shorten(event.value), self._builder
        value = self._value_of(event)
        if isinstance(value, (int, float)) and not abs(value) < _TOO_LARGE:
            if isinstance(value, float) and not any(map(str.isdigit, written)):
                help = "remove it, or write a text"
                raise _RefusedError("PJ132", f"`{written}` is not a finite number", start, end, help)
            raise _RefusedError("PJ134", "the number is out of range", start, end)
        if not self._is_at_key:
            builder.add(value, start, end)
        elif not isinstance(value, str):
            what, help = (f"`{written}`", f'write "{written}"') if written else ("another value", "")
            raise _RefusedError("PY104", f"a key must be a string, not {what}", start, end, help)
        elif (first := builder.set_key(value, start, end)) is not None:
            raise _RefusedError("PJ128", say_double(value, self._source, first), start, end)

    def _value_of(self, event: Any) -> Any:
        """What a scalar says. Plain ones may be numbers, booleans and null; dates are texts."""
        text = event.value
        is_plain = event.implicit[0] and event.tag is None
        tag = _resolver().resolve(self._scalar, text, (True, False)) if is_plain else ""
        match str(tag).removeprefix(_TAGS):
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int":
                return _whole(text)
            case "float":
                # Where Python's words have no point, those of YAML have one.
                return float(re.sub(r"\.(?=[in])", "", text.replace("_", "").lower()))
        return text


@cache
def _resolver() -> Any:
    """What says of which kind a plain scalar is: by no version that a text may name."""
    from ruamel.yaml import YAML  # noqa: PLC0415  (an extra)

    return YAML(typ="safe", pure=True).resolver


def _whole(text: str) -> int | float | str:
    """A whole number, or the text where it has no digits. A leading zero means nothing."""
    digits = text.replace("_", "").lower()
    # Python's own limit on digits may be lifted, and then a very long number takes very long.
    if len(digits) > 4 * MAX_DIGITS:
        return math.inf
    try:
        return int(digits, 0 if digits.lstrip("+-")[:2] in ("0b", "0o", "0x") else 10)
    except ValueError:
        return text


def _explain(error: Any, text: str) -> tuple[str, str, int, int, str]:
    """A fault that the parser has found. A reader's has a position, all others a mark."""
    mark = getattr(error, "problem_mark", None)
    start = mark.index if mark is not None else getattr(error, "position", 0)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    if text.startswith(FENCES, start):
        return "PJ103", "a code fence is not allowed in YAML", start, start + len(FENCES[0]), "remove it"
    context = getattr(error, "context", None)
    said = f"this is not YAML: {problem}" + (f", {context}" if context else "")
    # Outside of brackets the same text needs no quotes.
    is_brace_in_text = start > 0 and text.startswith("${", start - 1)
    help = "inside brackets, write a text that contains a brace in quotes" if is_brace_in_text else ""
    return "PY101", shorten(said), start, start + 1, help
