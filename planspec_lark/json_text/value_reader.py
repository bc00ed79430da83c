"""Through one JSON value, token by token, from its first sign to its last; past everything that is wrong in it.

What a token looks like, and what is only meant as one, is said in ``grammar/json_text_dialect.lark``. What may follow
is a value, a key, a colon or a comma; where a token may not come, something is missing before it, or it is left out.
"""

from __future__ import annotations

import re
from typing import Any

from attrs import define

from planspec_lark.json_text.builder import JsonBuilder, say_double, say_too_deep
from planspec_lark.json_text.escapes import LOST, PIECES, read_piece, read_string
from planspec_lark.json_text.fast_reader import read_number
from planspec_lark.json_text.models import write_path
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.fences import FENCES
from planspec_lark.syntax.limits import Findings, Limits
from planspec_lark.syntax.recovery import Dialect
from planspec_lark.syntax.safe_text import safe_json
from planspec_lark.syntax.source import Source

__all__ = ["DIALECT", "JsonInput", "ValueReader"]

DIALECT = Dialect("json_text_dialect")

_SIGNS = {
    "COMMA": ",",
    "COLON": ":",
    "OPEN_OBJECT": "{",
    "CLOSE_OBJECT": "}",
    "OPEN_ARRAY": "[",
    "CLOSE_ARRAY": "]",
}
_LITERALS = {"true": True, "false": False, "null": None, "none": None}
_STRINGS = frozenset({"STRING", "LOOSE", "SINGLE", "DOUBLE", "CODE", "MIXED", "GLUED", "LONG", "UNCLOSED"})
# What a person calls what may come.
_WORDS = {
    "value": "a value",
    "key": "a key in double quotes",
    "colon": "`:`",
    "comma": "`,` or a closing bracket",
}
# What says nothing: what is said of it, and what to do about it.
_LOST = {
    "BAD_NUMBER": ("is not a number", "if it is a text, write it in double quotes: {}"),
    "NOT_FINITE": ("is not a number in JSON", "write a number, or null"),
    "BARE": ("is not a value", "write a text in double quotes: {}"),
    "ELISION": ("is not a value", "write the value in full"),
}
# What is wrong with single characters of a string.
_CHARACTERS = {
    "PJ124": "a line break or another control character must be escaped in a string",
    "PJ125": "`{}` is not a JSON escape",
    "PJ126": "half of a surrogate pair is not a character",
}
# What counts towards giving up: that something is no JSON at all. So much of that may be found, and once more for each
# value.
_STRANGE = frozenset({"PJ115", "PJ118", "PJ131"})
_MOST_STRANGE = 20
# What cannot be known.
_NO_VALUE = object()
_SPACE = re.compile(r"[ \t\n\r]*+")
_INNER_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*+"')
_BARE_POINT = re.compile(r"\.(?![0-9])")
_FIRST_POINT = re.compile(r"^(-?)\.")


@define
class JsonInput:
    """A text that is read.

    Attributes:
        text: what is read.
        source: what findings show: a text as long, with the same lines.
        limits: how much is read.
        is_strict: whether all that is found is an error.
        faults_left: so many more faults are looked at. A text is read in a time that its length bounds, and each fault
            costs as much as many characters.
        searched: up to here, the end of a string of several lines has been looked for in vain.
    """

    text: str
    source: Source
    limits: Limits
    is_strict: bool
    faults_left: int = 10_000
    searched: int = 0


class ValueReader:
    """One reading of one value.

    Attributes:
        start, end: where the value begins, and where it ends once it is read.
        is_whole: the value is read to its end; else the text has ended in the middle of it, or it is too deep, or too
            little of it is JSON.
        is_too_deep: it has more levels than it may, and nothing of it counts.
        losses: how much could not be read.
    """

    def __init__(self, given: JsonInput, start: int) -> None:
        self.text = given.text
        self.start = self.end = start
        self.builder = JsonBuilder()
        self.findings = Findings(given.limits.max_findings)
        self.losses = self._strange = 0
        self.is_whole = self.is_too_deep = False
        self._given = given
        self._want = "value"
        self._is_over = False
        # Where the last token ends that counts, where the last comma is, and whether a container has just begun.
        self._last_end, self._comma, self._is_first = start, start, False
        # A brace costs as much as a fault, as it may be no more than that.
        given.faults_left -= 1

    def run(self) -> ValueReader:
        """Read the value, as far as it goes."""
        text, tokens = self.text, DIALECT.tokens("token")
        while not self._is_over:
            space = _SPACE.match(text, self.end)
            at = space.end() if space else self.end
            match = tokens.match(text, at)
            if match is None or text.startswith(FENCES, at):
                self._end_early(at, at)
                break
            self.end = match.end()
            self._take(str(match.lastgroup), at)
            if not self._is_over and (why := self._why_not()):
                message = f"nothing was read from here on: {why}"
                self._finish("PJ118", message, self.end, self.end + 1)
        return self

    @property
    def value(self) -> Any:
        """The value, as far as it could be read."""
        return self.builder.value

    @property
    def is_intact(self) -> bool:
        """Whether the value is read to its end, and nothing in it is anything else."""
        return self.is_whole and not self._strange

    def _why_not(self) -> str:
        """Why to stop reading."""
        if self._strange > _MOST_STRANGE + self.builder.count:
            return "too little of the text is JSON"
        return "there are too many faults" if self._given.faults_left < 0 else ""

    def _say(  # noqa: PLR0913  (all but the first by their names)
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        *,
        expected: str = "",
        help: str = "",
        fix: str | None = None,
    ) -> None:
        """Note what is wrong. What has no fix is lost."""
        given, builder, is_loss = self._given, self.builder, fix is None
        given.faults_left -= 1
        if builder.frames and builder.frames[-1].node is None and not self._is_over:
            # That this container is left out has been said.
            return
        self.losses += is_loss
        self._strange += is_loss and code in _STRANGE
        severity = Severity.ERROR if given.is_strict or is_loss else Severity.WARNING
        span, path = given.source.span(start, end), write_path(builder.path())
        repair, words = None if fix is None else Fix(span, fix), (expected,) if expected else ()
        self.findings.add(
            Diagnostic(code, message, severity, span, words, help, repair, path=path, source=given.source)
        )

    # ---------------------------------------------------------------- tokens

    def _take(self, kind: str, at: int) -> None:
        written = self.text[at : self.end]
        if kind == "COMMENT":
            self._say("PJ117", "a comment is not allowed in JSON", at, self.end, help="remove it", fix="")
        elif kind == "SPACE":
            self._say("PJ116", f"U+{ord(written[0]):04X} is not white space in JSON", at, self.end, fix=" ")
        elif kind == "OTHER":
            self._leave_out("unexpected text", at)
        elif kind in _SIGNS:
            if written != (sign := _SIGNS[kind]):
                self._say("PJ116", f"expected `{sign}`, not `{written}`", at, self.end, fix=sign)
            self._take_sign(sign, at)
        else:
            self._take_scalar(kind, at)

    def _take_sign(self, sign: str, at: int) -> None:
        if sign in "}]":
            self._close(sign, at)
        elif sign in "{[":
            self._open(sign, at)
        elif sign == ",":
            self._take_comma(at)
        elif self._want == "colon":
            self._go("value")
        else:
            self._leave_out("this `:` has no key before it", at)

    def _go(self, want: str, *, is_first: bool = False) -> None:
        """What comes next, after a token that counts."""
        self._want, self._is_first, self._last_end = want, is_first, self.end

    @property
    def _next(self) -> str:
        """What comes after a comma."""
        return "key" if self.builder.is_in_object else "value"

    def _leave_out(self, message: str, at: int) -> None:
        self._say("PJ118", message, at, self.end, expected=_WORDS[self._want])

    def _miss_value(self, start: int, end: int) -> None:
        # A key that could not be read has been named.
        if self.builder.key is not None or not self.builder.is_in_object:
            self._say("PJ114", "a value is missing here", start, end)
        self.builder.key = None

    def _take_comma(self, at: int) -> None:
        if self._want == "key":
            self._say("PJ114", "nothing precedes this comma", at, self.end, help="remove it", fix="")
            return
        if self._want != "comma":
            self._miss_value(at, self.end)
            if not self.builder.is_in_object:
                return
        self._comma = at
        self._go(self._next)

    # ---------------------------------------------------------------- values and keys

    def _find_place(self, at: int, *, is_string: bool, is_key: bool) -> str:
        """What a value is here, a value or a key, after what is missing before it; empty where it is left out."""
        last = self._last_end
        if self.builder.is_in_object and self._want in ("comma", "key") and not (is_string or is_key):
            self._leave_out("this is not a key", at)
            return ""
        if self._want == "comma":
            self._say("PJ111", "a comma is missing", last, last, fix=",")
            self._want = self._next
        if self._want == "colon" and is_key:
            self._miss_value(last, last)
            return "key"
        if self._want == "colon":
            self._say("PJ113", "a colon is missing between a key and its value", last, last, fix=":")
            return "value"
        return self._want

    def _take_scalar(self, kind: str, at: int) -> None:
        text = self.text
        if kind == "UNCLOSED":
            kind = self._find_end(at)
        is_string = kind in _STRINGS
        if self.end == len(text) and not is_string:
            # More of it may have followed.
            self._end_early(at, self.end)
            return
        is_key = self.builder.is_in_object and DIALECT.terminal("COLON_AHEAD").match(text, self.end) is not None
        if kind in ("BARE", "ELISION") and self._want == "comma" and not is_key:
            self._leave_out("unexpected text", at)
            return
        place = self._find_place(at, is_string=is_string, is_key=is_key)
        if place == "key":
            self._take_key(kind, at)
            return
        value = _NO_VALUE
        if place and is_string:
            value = self._read_string(kind, at)
            self._check_string(kind, at, value)
        elif place:
            value = self._read_word(kind, at)
        if value is not _NO_VALUE:
            self.builder.add(value, at, self.end)
        self.builder.key = None
        self._go("comma")

    def _take_key(self, kind: str, at: int) -> None:
        name = self._read_string(kind, at) if kind in _STRINGS else self.text[at : self.end]
        first = None if name is _NO_VALUE else self.builder.set_key(name, at, self.end)
        if kind in _STRINGS:
            self._check_string(kind, at, name)
        else:
            self._say("PJ127", f"the key `{name}` is not in quotes", at, self.end, fix=safe_json(name))
        if first is not None:
            help = "the first one counts; remove one of the two, or rename it"
            self._say("PJ128", say_double(name, self._given.source, first), at, self.end, help=help)
        self._go("colon")

    # ---------------------------------------------------------------- strings

    def _find_end(self, at: int) -> str:
        """The kind of a string that has no closing quote in its line: of several lines, cut off, or without one."""
        text, given = self.text, self._given
        if text[at] == '"' and at >= given.searched and (match := DIALECT.terminal("LONG").match(text, at)):
            end = match.end()
            if end > at + 1 and text[end - 1] == '"' and DIALECT.terminal("AHEAD").match(text, end):
                self.end = end
                return "LONG"
            given.searched = end - 1
        line = text[at : self.end].rstrip(" \t")
        bare = line.rstrip(",}] \t")
        if self.end == len(text) and bare == line:
            return "CUT_OFF"
        self.end = at + max(len(bare), 1)
        return "UNCLOSED"

    def _read_string(self, kind: str, at: int) -> Any:
        """What a string says, if that can be known."""
        raw = self.text[at + 1 : self.end - 1]
        return _NO_VALUE if kind == "UNCLOSED" else read_string(raw) if "\\" in raw or kind != "STRING" else raw

    def _check_string(self, kind: str, at: int, value: Any) -> None:
        """Say what is wrong with a string."""
        text, end = self.text, self.end
        if value is _NO_VALUE:
            self._say("PJ122", "the closing quote of this string is missing", at, end)
            return
        raw = text[at + 1 : end - 1]
        if (quotes := text[at] + text[end - 1]) != '""':
            message = f"a string must be in double quotes, not in `{quotes}`"
            self._say("PJ121", message, at, end, fix=safe_json(value))
        elif kind == "LOOSE" and _INNER_QUOTE.search(raw):
            self._say("PJ123", "a quote in the middle of a string", at, end, fix=safe_json(value))
        # In a string of the form, nothing but half of a surrogate pair can be wrong.
        if kind != "STRING" or LOST in value:
            self._check_characters(raw, at + 1)

    def _check_characters(self, raw: str, start: int) -> None:
        """Say what is wrong with single characters of a string."""
        for match in PIECES.finditer(raw):
            value, code = read_piece(match[0])
            if code:
                fix = None if code == "PJ126" else safe_json(value)[1:-1]
                place = start + match.start(), start + match.end()
                self._say(code, _CHARACTERS[code].format(match[0]), *place, fix=fix)

    # ---------------------------------------------------------------- numbers and words

    def _read_word(self, kind: str, at: int) -> Any:
        """What a number or a word says, if that can be known."""
        word = self.text[at : self.end]
        if kind in _LOST:
            what, help = _LOST[kind]
            code, help = DIALECT.forms[kind].code, help.format(safe_json(word))
            self._say(code, f"`{word}` {what}", at, self.end, help=help)
            return _NO_VALUE
        if kind in ("NUMBER", "DECIMAL"):
            return self._read_number(word, at)
        value = _LITERALS[word.lower()]
        if word != (right := safe_json(value)):
            self._say("PJ131", f"expected `{right}`, not `{word}`", at, self.end, fix=right)
        return value

    def _read_number(self, word: str, at: int) -> Any:
        right = _FIRST_POINT.sub(r"\g<1>0.", _BARE_POINT.sub("", word.lstrip("+")))
        try:
            value = read_number(right)
        except ValueError as error:
            message, help = error.args
            self._say("PJ134", message, at, self.end, help=help)
            return _NO_VALUE
        if right != word:
            self._say("PJ133", f"expected the number `{right}`, not `{word}`", at, self.end, fix=right)
        return value

    # ---------------------------------------------------------------- containers

    def _open(self, sign: str, at: int) -> None:
        builder, most = self.builder, self._given.limits.max_depth
        if sign == "{" and self._want == "key" and self._is_first:
            self._say("PJ118", "this second `{` has no key", at, self.end, help="remove it", fix="")
            return
        if builder.frames:
            self._find_place(at, is_string=False, is_key=False)
        if most is not None and len(builder.frames) >= most:
            self.is_too_deep = True
            self._finish("PJ107", say_too_deep(most), at, at + 1)
            self.end = len(self.text)
            return
        builder.open({} if sign == "{" else [], at)
        self._go(self._next, is_first=True)

    def _close(self, sign: str, at: int) -> None:
        frames, right = self.builder.frames, self._closer(-1)
        goes_on = DIALECT.terminal("GOES_ON").match(self.text, self.end) is not None
        if sign != right and goes_on and len(frames) == 1:
            self._leave_out(f"this `{sign}` closes no bracket", at)
            return
        if self._want != "comma" and not self._is_first:
            self._end_member(at)
        if sign != right:
            # What would be at its end too early was rather closed with the wrong sign.
            is_inner = len(frames) > 1 and self._closer(-2) == sign and not (goes_on and len(frames) == 2)
            message = f"`{right}` is missing before this `{sign}`" if is_inner else f"expected `{right}`, not `{sign}`"
            self._say("PJ115", message, at, self.end, fix=f"{right}{sign}" if is_inner else right)
            if is_inner:
                self.builder.close(self._last_end)
        self.builder.close(self.end)
        self._go("comma")
        self._is_over = self.is_whole = not frames

    def _end_member(self, at: int) -> None:
        """Say what is wrong with the end of a container behind a comma, a key or a colon."""
        if self._want == self._next:
            self._say("PJ112", "nothing follows this comma", self._comma, self._comma + 1, help="remove it", fix="")
        else:
            self._miss_value(at, self.end)

    def _closer(self, index: int) -> str:
        return "}" if self.builder.frames[index].is_object else "]"

    # ---------------------------------------------------------------- too early an end

    def _end_early(self, start: int, end: int) -> None:
        """The text, or its code block, ends in the middle of the value, and maybe of a token that is left out."""
        self.end = end
        self._finish("PJ106", "the text ends in the middle of the object", start, end)

    def _finish(self, code: str, message: str, start: int, end: int) -> None:
        """Say why here is the end, and close all that is open."""
        self._is_over = True
        self._say(code, message, start, end)
        while self.builder.frames:
            self.builder.close(self._last_end)
