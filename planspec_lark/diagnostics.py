"""What can be wrong with a text: diagnostics as data, the table of codes, and their rendering.

A diagnostic holds message, place and fix; it becomes text only when somebody asks for it. Whatever it shows of the
text passes through :func:`planspec_lark.source.visible`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from attrs import field, frozen

from planspec_lark.source import Source, Span, columns, visible, visible_name

__all__ = [
    "CODES",
    "Code",
    "CommandError",
    "Diagnostic",
    "Fix",
    "PlanSyntaxError",
    "Severity",
    "decode",
    "render",
    "render_all",
    "shorten",
]

# An excerpt shows at most so many columns of a line, and an exception at most so many diagnostics.
_EXCERPT_COLUMNS = 100
_SHOWN = 20


class Severity(str, Enum):
    """How much a diagnostic weighs: an info never fails a check, a warning only a strict one."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@frozen
class Code:
    """A stable name for one kind of finding."""

    code: str
    name: str
    severity: Severity
    summary: str


_TABLE = """
PS101 error   unknown-line          A line that is none of a plan's lines.
PS102 error   control-character     A control character other than tab, or a lone surrogate.
PS103 error   code-fence            A line that opens or closes a code block.
PS104 error   wrong-header          A header that is almost one of a plan's headers.
PS105 error   repeated-part         Title, goal, constraints or steps a second time.
PS106 error   part-out-of-order     A part behind one that it has to precede.
PS107 error   orphan-line           A `>` or `-` line that belongs to nothing.
PS108 error   step-before-header    A step in front of `## Steps`.
PS109 error   missing-text          A title or a constraint without text.
PS110 error   bad-id                A step that does not start with an id and a dot.
PS111 error   bad-mark              A mark that is none of the five.
PS112 error   bad-type              A step without a type in square brackets.
PS113 error   missing-space         Parts of a summary line without white space between them.
PS114 error   empty-segment         A separator with nothing behind it.
PS115 error   bad-progress          `Progress:` without `N` or `N/M`.
PS116 error   repeated-progress     A second `Progress:` in one line.
PS117 error   duplicate-id          An id that another step has already.
PS118 error   wrong-bullet          A constraint that does not start with `- `.
PS119 error   invalid-utf-8         Bytes that are no UTF-8.
PS120 error   more-findings         More findings than are listed.
PS121 error   too-many-bytes        A text with more bytes than a limit allows.
PS122 error   too-many-steps        A plan with more steps than a limit allows.
PS123 error   too-deep              A plan with more levels than a limit allows.
PS201 error   no-steps              A plan without steps.
PS202 error   invalid-type          A type that is none of reason, act, decide, subtask.
PS203 error   duplicate-name        A name that another step has already.
PS204 error   leaf-with-children    A `reason` or `act` step with children.
PS205 error   no-goal               A plan without a goal.
PS206 warning empty-container       A `subtask` or `decide` step without children.
PS301 warning missing-parent        A step whose parent's id does not exist.
PS302 info    id-gap                A number left out among siblings.
PS303 warning id-disorder           A step behind a sibling with a higher number.
PS304 info    arrow-in-text         An arrow with something else than a variable list behind it.
PS305 warning almost-an-arrow       `->`, or a list with foreign commas, where outputs or inputs may be meant.
PS306 warning input-before-output   An input that only a later step produces.
PS307 info    outside-input         An input that no step produces.
PS308 warning repeated-output       An output that another step declares as well.
PS309 info    unused-output         An output that no step takes as input.
PS310 warning done-with-open-steps  A done container with children still to do.
PS311 warning progress-beyond-total Progress beyond its total.
PS312 warning empty-description     A step without a description.
PS313 info    no-outputs            A step without outputs.
PC101 error   unknown-verb          A command whose verb is none of the eight.
PC102 error   lower-case-verb       A verb that is not in upper case.
PC103 error   bad-target            A command without a step id.
PC104 error   missing-type          ADD or REVISE without a type in square brackets.
PC105 error   bare-replan           REPLAN with neither an id nor ALL.
PC106 error   loose-text            Text in a place where the command takes none.
PC107 error   wrong-prefix          A line that almost starts with `PLAN_CMD:`.
PC108 error   command-control-character  A control character in a command.
PC111 error   unknown-step          A command for a step that does not exist.
PC112 error   unknown-parent        ADD below a step that does not exist.
PC113 error   leaf-parent           ADD below a `reason` or `act` step.
PC114 error   unknown-type          ADD or REVISE with a type that is none of the four.
PC115 error   not-a-container       REPLAN, or new children, for a `reason` or `act` step.
PC116 error   leaf-with-children    REVISE of a step with children to `reason` or `act`.
PC117 error   no-room               ADD would push a number beyond nine digits.
PC118 error   malformed-command     A command built by hand that no line could spell.
PJ101 error   no-object             A text without a JSON object.
PJ102 error   text-around-object    Other text in front of a JSON object or behind it.
PJ103 error   code-fence            A line that opens or closes a code block around JSON.
PJ104 error   second-object         A second JSON object.
PJ105 error   not-an-object         JSON with something else than an object at the top.
PJ106 error   cut-off               JSON that ends in the middle.
PJ107 error   too-deep              JSON with more levels than a limit allows.
PJ111 error   missing-comma         Two members or items without a comma between them.
PJ112 error   trailing-comma        A comma behind the last member or item.
PJ113 error   missing-colon         A key and its value without a colon between them.
PJ114 error   missing-value         A key without a value, or a comma with nothing in front of it.
PJ115 error   wrong-bracket         A bracket that is not closed, or closed with the wrong sign.
PJ116 error   full-width-sign       A full-width or other sign in place of the one of JSON.
PJ117 error   comment               A comment.
PJ118 error   unexpected-text       Anything else that cannot stand where it does.
PJ121 error   wrong-quotes          A string in other quotes than double ones.
PJ122 error   unclosed-string       A string without its closing quote.
PJ123 error   unescaped-quote       A quote in the middle of a string.
PJ124 error   raw-control-character A line break or another control character in a string.
PJ125 error   bad-escape            A backslash in a string that starts none of the escapes.
PJ126 error   lone-surrogate        Half of a surrogate pair.
PJ127 error   unquoted-key          A key without quotes.
PJ128 error   duplicate-key         A key that the object has already.
PJ131 error   bare-word             A word in place of a value, such as `True`.
PJ132 error   not-finite            `NaN` or `Infinity`.
PJ133 error   bad-number            A number that is not written as JSON writes it.
PJ134 error   number-out-of-range   A number beyond the range of floats, or with too many digits.
"""


def _read_table() -> dict[str, Code]:
    rows = (line.split(maxsplit=3) for line in _TABLE.strip().split("\n"))
    return {code: Code(code, name, Severity(severity), summary) for code, severity, name, summary in rows}


# Every code by itself, in the order of the documentation.
CODES = _read_table()


@frozen
class Fix:
    """A text to put in place of a span."""

    span: Span
    text: str


@frozen
class Diagnostic:
    """One finding.

    ``expected`` says in words what could stand at the span. ``fix`` is a replacement that makes the line right.
    ``step_id`` names the step that is meant, where there is one; ``part`` its field (or one of the plan's), and
    ``item`` which item of that field, from 0, where it is a list. In a JSON text ``part`` is the path to the place.
    ``replacement`` is what to write in place of that part; it becomes a fix once the place is known.
    """

    code: str
    message: str
    severity: Severity
    span: Span | None = None
    expected: tuple[str, ...] = ()
    help: str = ""
    fix: Fix | None = None
    step_id: str = ""
    part: str = ""
    item: int | None = None
    replacement: str = ""
    source: Source | None = field(default=None, eq=False, repr=False)

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
        """The line of the place, as it is written; empty where the diagnostic has no place."""
        return self.source.line(self.span.line) if self.source and self.span else ""

    def __str__(self) -> str:
        return render(self)


class PlanSyntaxError(ValueError):
    """A text that is no plan. ``diagnostics`` holds all its faults in the order of the text."""

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


class CommandError(ValueError):
    """A command that a plan does not take. ``code`` is its code, the text says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def decode(data: bytes, name: str = "<text>") -> str:
    """The text that these bytes are in UTF-8.

    Raises:
        PlanSyntaxError: the bytes are no UTF-8; the one diagnostic (PS119) gives the offset of the first bad byte.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # Each bad byte becomes one character, so what stands before the first keeps its place.
        source = Source(data.decode("utf-8", "replace"), name)
        start = len(data[: error.start].decode("utf-8"))
        message = f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8: {error.reason}"
        span = source.span(start, start + 1)
        fault = Diagnostic("PS119", message, Severity.ERROR, span, help="save the text as UTF-8", source=source)
        raise PlanSyntaxError([fault], source) from None


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All of them as text, a blank line between any two."""
    return "\n\n".join(map(render, diagnostics))


def render(diagnostic: Diagnostic) -> str:
    """A diagnostic as text: message, place, the line with a caret under the span, what was expected, and a fix."""
    rows = [f"{diagnostic.severity.value}[{diagnostic.code}]: {shorten(visible(diagnostic.message))}"]
    source, span = diagnostic.source, diagnostic.span
    if source is not None and span is not None:
        number = str(span.line)
        excerpt, caret = _excerpt(source.line(span.line), span)
        rows.append(f" --> {visible_name(source.name)}:{number}:{span.column}")
        rows.append(f"{number} | {excerpt}")
        rows.append(f"{' ' * len(number)} | {caret}")
    if diagnostic.expected:
        rows.append(f"  expected: {join_words(diagnostic.expected)}")
    if diagnostic.help:
        rows.append(f"  help: {shorten(visible(diagnostic.help))}")
    if diagnostic.fix is not None:
        text = shorten(visible(diagnostic.fix.text)).replace("\n", "\n         ")
        rows.append(f"  write: {text or _name_nothing(diagnostic.fix, source)}")
    return "\n".join(row.rstrip(" ") for row in rows)


def _name_nothing(fix: Fix, source: Source | None) -> str:
    """What to write where a fix leaves something out."""
    is_part = source is not None and source.line(fix.span.line).strip() != source.text[fix.span.start : fix.span.end]
    return f"(nothing: leave {'it' if is_part else 'the line'} out)"


def join_words(words: Sequence[str]) -> str:
    """Words as an enumeration: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def shorten(text: str) -> str:
    """A text cut to what one wants to read of it."""
    return text if len(text) <= 2 * _EXCERPT_COLUMNS else text[: 2 * _EXCERPT_COLUMNS] + "…"


def _excerpt(line: str, span: Span) -> tuple[str, str]:
    """The part of a line around a span, and the carets that go below it."""
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
