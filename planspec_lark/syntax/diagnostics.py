"""What can be wrong with a text: diagnostics as data, and their rendering. Their codes are in :mod:`.codes`.

A diagnostic holds message, place and fix; it becomes text only on demand. All parts of the
text that it shows pass through :func:`planspec_lark.syntax.safe_text.visible`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import Factory, field, frozen

from planspec_lark.syntax.codes import CODES, Code, Risk, Severity
from planspec_lark.syntax.safe_text import columns, one_line, visible, visible_name
from planspec_lark.syntax.source import Source, Span

__all__ = [
    "CODES",
    "Code",
    "CommandError",
    "Diagnostic",
    "Edit",
    "Fix",
    "PlanSpecError",
    "PlanSyntaxError",
    "Severity",
    "apply_edits",
    "brief",
    "count_of",
    "decode",
    "excerpt",
    "first_of",
    "has_errors",
    "in_order",
    "join_words",
    "name_some",
    "quote",
    "render",
    "render_all",
    "shorten",
]

# The most columns of a line in an excerpt, and the most diagnostics in the text of an exception.
_EXCERPT_COLUMNS = 100
_SHOWN = 20


@frozen
class Edit:
    """A text to put in place of a span."""

    span: Span
    text: str


@frozen
class Fix:
    """A text to put in place of a span, and for some fixes ``more`` such edits, which belong together.

    ``is_safe`` says whether it keeps what the text means, and all that it says: so does another spelling. One that
    drops text or guesses is not, and neither is one that was not checked. ``title`` says what it does, where
    that is more than to write a line.
    """

    span: Span
    text: str
    more: tuple[Edit, ...] = ()
    is_safe: bool = False
    title: str = ""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All of its edits, in the order of the text. No two overlap."""
        return tuple(sorted((Edit(self.span, self.text), *self.more), key=lambda edit: edit.span.start))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """A text with all of these edits in their places. Where two overlap, what both take out is gone once."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        pieces += text[at : edit.span.start], edit.text
        at = max(at, edit.span.end)
    return "".join([*pieces, text[at:]])


@frozen
class Diagnostic:
    """One finding. Its severity is by default that of its code.

    ``expected`` says in words what could be at the span. ``fix`` makes the line right. ``step_id`` names the step,
    ``part`` its field (or one of the plan's), and ``item`` the index in that field if it is a list. ``replacement`` is
    what to write for that part; it becomes a fix once the place is known. ``path`` leads to a value of JSON or YAML:
    ``new_block.plan[2]``. ``is_provisional`` says that it may be gone once the syntax is repaired. ``risk`` says how
    likely a repair changes what is meant; None if nothing was repaired.
    """

    code: str
    message: str
    severity: Severity = field(default=Factory(lambda self: CODES[self.code].severity, takes_self=True))
    span: Span | None = None
    expected: tuple[str, ...] = ()
    help: str = ""
    fix: Fix | None = None
    step_id: str = ""
    part: str = ""
    item: int | None = None
    replacement: str = ""
    path: str = ""
    is_provisional: bool = False
    risk: Risk | None = None
    source: Source | None = field(default=None, eq=False, repr=False)

    @property
    def head(self) -> str:
        """What texts begin with: severity and code."""
        return f"{self.severity.value}[{CODES[self.code].label}]"

    @property
    def line(self) -> int | None:
        """The line of the place, from 1."""
        return self.span.line if self.span else None

    @property
    def column(self) -> int | None:
        """The column of the place in code points, from 1."""
        return self.span.column if self.span else None

    @property
    def source_line(self) -> str:
        """The line of the place; empty if there is no place."""
        return self.source.line(self.span.line) if self.source and self.span else ""

    def __str__(self) -> str:
        return render(self)


class PlanSpecError(Exception):
    """The base of all errors that this package raises on purpose."""


class PlanSyntaxError(PlanSpecError, ValueError):
    """A text that is not a plan. ``diagnostics`` holds all its faults in the order of the text."""

    def __init__(self, diagnostics: Sequence[Diagnostic], source: Source) -> None:
        super().__init__(diagnostics, source)
        self.diagnostics = list(diagnostics)
        self.source = source

    def __str__(self) -> str:
        shown = render_all(self.diagnostics[:_SHOWN])
        more = len(self.diagnostics) - _SHOWN
        if more <= 0:
            return shown
        last = self.diagnostics[-1]
        return (
            f"{shown}\n\nand {more} more" if last.code != "PS120" else f"{shown}\n\nand {more - 1} more; {last.message}"
        )


class CommandError(PlanSpecError, ValueError):
    """A command that a plan does not take. ``code`` is its code, the text says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def decode(data: bytes, name: str = "<text>") -> str:
    """The text of bytes in UTF-8.

    Raises:
        PlanSyntaxError: the bytes are no UTF-8; the one diagnostic (PS119) gives the offset of the first bad byte.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # Each bad byte becomes one character, so what is before the first keeps its place.
        source = Source(data.decode("utf-8", "replace"), name)
        start = len(data[: error.start].decode("utf-8"))
        message = f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8: {error.reason}"
        span = source.span(start, start + 1)
        fault = Diagnostic("PS119", message, span=span, help="save the text as UTF-8", source=source)
        raise PlanSyntaxError([fault], source) from None


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of them is an error."""
    return any(one.severity is Severity.ERROR for one in diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics in the order of the text; those without a place come first, and else all stay as they are."""
    return sorted(diagnostics, key=lambda found: found.span.start if found.span else 0)


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All of them as text, a blank line between any two."""
    return "\n\n".join(map(render, diagnostics))


def render(diagnostic: Diagnostic) -> str:
    """A diagnostic as text: message, place, the line with a caret under the span, what was expected, and a fix."""
    rows = [f"{diagnostic.head}: {excerpt(diagnostic.message)}"]
    source, span = diagnostic.source, diagnostic.span
    if source is not None and span is not None:
        number = str(span.line)
        shown, caret = _underline(source.line(span.line), span)
        rows.append(f" --> {visible_name(source.name)}:{number}:{span.column}{_in_brackets(diagnostic.path)}")
        rows.append(f"{number} | {shown}")
        rows.append(f"{' ' * len(number)} | {caret}")
    elif diagnostic.path.strip("$"):
        rows.append(f" -->{_in_brackets(diagnostic.path)}")
    if diagnostic.expected:
        rows.append(f"  expected: {join_words(diagnostic.expected)}")
    if diagnostic.help:
        rows.append(f"  help: {excerpt(diagnostic.help)}")
    if diagnostic.fix is not None and diagnostic.fix.title:
        rows.append(f"  fix: {excerpt(diagnostic.fix.title)}")
    elif diagnostic.fix is not None:
        text = excerpt(diagnostic.fix.text).replace("\n", "\n         ")
        rows.append(f"  write: {text or _name_nothing(diagnostic.fix, source)}")
    return "\n".join(row.rstrip(" ") for row in rows)


def _in_brackets(path: str) -> str:
    # The top of a value is what the whole text is.
    return f" ({visible_name(path)})" if path.strip("$") else ""


def _name_nothing(fix: Fix, source: Source | None) -> str:
    """What to write where a fix leaves something out."""
    is_part = source is not None and not _is_line(fix.span, source)
    return f"(nothing: remove {'it' if is_part else 'the line'})"


def _is_line(span: Span, source: Source) -> bool:
    """Whether a span is all of a line but for white space around it."""
    line = source.line(span.line)
    return span.end_line == span.line and line.strip() == line[span.column - 1 : span.end_column - 1]


def join_words(words: Sequence[str], last: str = "or") -> str:
    """Words as an enumeration: `a, b or c`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def first_of(words: Sequence[str], most: int = 10) -> str:
    """The first words of a list: `a, b, …`."""
    return ", ".join([*words[:most], *["…"] * (len(words) > most)])


def name_some(names: Sequence[str], most: int = 10) -> str:
    """The first names of a list, and how many more there are: `a, b and 3 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def count_of(number: int, one: str, more: str = "") -> str:
    """A number of things: `1 step`, `2 steps`."""
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def quote(name: str) -> str:
    """A name or value as messages have it: in backticks, short, on one line, and safe to show."""
    return f"`{visible_name(shorten(name))}`"


def shorten(text: str, most: int = 2 * _EXCERPT_COLUMNS) -> str:
    """A text cut to what one wants to read of it."""
    return text if len(text) <= most else text[:most] + "…"


def excerpt(text: str) -> str:
    """As much of a text as one wants to read, safe to show."""
    return shorten(visible(text))


def brief(text: str, most: int = _EXCERPT_COLUMNS * 2) -> str:
    """The beginning of a text in one line, safe to show. What is cut off is not looked at."""
    line, is_whole = one_line(text[: 4 * most]), len(text) <= 4 * most
    return line if is_whole and len(line) <= most else line[:most].rstrip() + "…"


def _underline(line: str, span: Span) -> tuple[str, str]:
    """The part of a line around a span, and the carets below it."""
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    end = min(max(end, start + 1), start + _EXCERPT_COLUMNS)
    first = max(0, start - _EXCERPT_COLUMNS // 2)
    last = first + 2 * _EXCERPT_COLUMNS
    before, marked, after = (visible(line[a:b]) for a, b in ((first, start), (start, end), (end, last)))
    lead = "…" if first else ""
    trail = "…" if last < len(line) else ""
    padding = "".join("\t" if char == "\t" else " " * columns(char) for char in lead + before)
    return f"{lead}{before}{marked}{after}{trail}", padding + "^" * max(1, columns(marked))
