"""What is at one place of a text: a token of the grammar, or a near miss and what it is most likely meant as."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import Any

from attrs import define, field, frozen

from planspec_lark.json_text.escapes import JSON_ESCAPES, read_piece
from planspec_lark.json_text.fast_reader import read_number
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.safe_text import safe_json
from planspec_lark.syntax.source import Source

__all__ = ["CUT_OFF", "NO_VALUE", "SCALARS", "NearMisses", "Token", "TokenFault", "read_token", "token_pattern"]

SCALARS = frozenset({"STRING", "NUMBER", "LITERAL"})
# The kind of what the text ends in the middle of.
CUT_OFF = "CUT_OFF"
# What cannot be known.
NO_VALUE = object()


@frozen
class TokenFault:
    """What is wrong at one place of a text, before it is a diagnostic.

    ``fix`` is a text to put in its place, or in that of the part ``fix_at``. ``is_loss`` says that something of the
    text is missing in what is read.
    """

    code: str
    message: str
    start: int
    end: int
    expected: tuple[str, ...] = ()
    help: str = ""
    fix: str | None = None
    fix_at: tuple[int, int] | None = None
    is_loss: bool = False

    def diagnose(self, severity: Severity, source: Source, path: str = "") -> Diagnostic:
        """The same as a diagnostic."""
        span = source.span(self.start, self.end)
        fix = None
        if self.fix is not None:
            fix = Fix(source.span(*self.fix_at) if self.fix_at else span, self.fix)
        message, expected, help = self.message, self.expected, self.help
        return Diagnostic(self.code, message, severity, span, expected, help, fix, path=path, source=source)


@define
class Token:
    """What is at a place: the kind of token that it is meant as (empty for no token), its bounds, its value.

    A value that cannot be known is :data:`NO_VALUE`. Of a token of the grammar ``behind`` is where the next one begins,
    and ``is_glued`` says that it is only the beginning of something else.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    faults: tuple[TokenFault, ...] = ()
    behind: int = 0
    is_glued: bool = False


def _near(kind: str, span: tuple[int, int], code: str, message: str, *, value: Any = None, **more: Any) -> Token:
    """A token with one fault, which is all of it."""
    return Token(kind, *span, value, (TokenFault(code, message, *span, **more),))


# ---------------------------------------------------------------- tokens of the grammar

_LITERALS = {"true": True, "false": False, "null": None}
# Right after a scalar such a character belongs to it.
_GLUED = re.compile(r"[\w.+\-]")


@cache
def token_pattern() -> re.Pattern[str]:
    """Any token of the grammar."""
    return grammars.regular("json_text").tokens("token")


def read_token(text: str, at: int) -> Token | None:
    """The token of the grammar that is here."""
    match = token_pattern().match(text, at)
    if match is None:
        return None
    kind, behind = match.lastgroup or "", match.end()
    if kind not in SCALARS:
        return Token(kind, at, at + 1, None, (), behind)
    said, end = match[kind], match.end(kind)
    value: object = said
    faults: tuple[TokenFault, ...] = ()
    if kind == "STRING":
        end += 1
        if "\\" in said:
            value, faults = JSON_ESCAPES.decode(said), _diagnose_pieces(said, at + 1)
    elif kind == "LITERAL":
        value = _LITERALS[said]
    else:
        try:
            value = read_number(said)
        except ValueError as error:
            message, help = error.args
            value, faults = NO_VALUE, (TokenFault("PJ134", message, at, end, help=help, is_loss=True),)
    return Token(kind, at, end, value, faults, behind, _GLUED.match(text, end) is not None)


def _diagnose_pieces(raw: str, offset: int) -> tuple[TokenFault, ...]:
    """What is wrong with single characters of a string; ``offset`` is where its first one is."""
    faults = []
    for match in JSON_ESCAPES.pieces.finditer(raw):
        value, code = read_piece(match[0])
        if not code:
            continue
        start, end = offset + match.start(), offset + match.end()
        fix = safe_json(value)[1:-1]
        if code == "PJ124":
            faults.append(TokenFault(code, f"{_name_sign(value)} must be escaped in a string", start, end, fix=fix))
        elif code == "PJ125":
            help = r"write a backslash as `\\`" if value.startswith("\\") else "remove the backslash"
            faults.append(TokenFault(code, f"`{match[0]}` is not a JSON escape", start, end, help=help, fix=fix))
        else:
            faults.append(TokenFault(code, "half of a surrogate pair is not a character", start, end, is_loss=True))
    return tuple(faults)


_SIGN_NAMES = {"\n": "the line break U+000A", "\r": "the carriage return U+000D", "\t": "the tab U+0009"}


def _name_sign(char: str) -> str:
    """The name of an invisible character."""
    return _SIGN_NAMES.get(char, f"the character U+{ord(char):04X}")


# ---------------------------------------------------------------- near misses

_SIGNS = {
    "，": "COMMA", "、": "COMMA", "；": "COMMA", ";": "COMMA",
    "：": "COLON", "=": "COLON", "=>": "COLON",
    "｛": "OPEN_OBJECT", "｝": "CLOSE_OBJECT",
    "［": "OPEN_ARRAY", "【": "OPEN_ARRAY", "］": "CLOSE_ARRAY", "】": "CLOSE_ARRAY",
}  # fmt: skip
_PLAIN = {
    "COMMA": ",",
    "COLON": ":",
    "OPEN_OBJECT": "{",
    "CLOSE_OBJECT": "}",
    "OPEN_ARRAY": "[",
    "CLOSE_ARRAY": "]",
}
_SIGN = re.compile("=>|[，、；;：=｛｝［］【】]")
_COMMENT = re.compile(r"(?://|#)[^\r\n]*|/\*(?s:.*?)(?:\*/|\Z)")
# White space elsewhere, and characters without width.
_FOREIGN_SPACE = re.compile(r"(?:[^\S \t\n\r]|[\u200b-\u200f\u2060\ufeff])+")

# What closes a string that was opened by that sign.
_DOUBLE, _SINGLE = '“”„‟＂"', "‘’‚‛'"
_CLOSING_QUOTES = dict.fromkeys("“”„‟＂", _DOUBLE) | dict.fromkeys("‘’‚‛", _SINGLE) | {sign: sign for sign in "\"'`"}
# A quote closes a string only before what can be after a string.
_BEHIND = r"[ \t]*+(?:[,:，：；、=}\]｝］】\r\n#]|//|/\*|\Z)"
_CLOSED = {
    quotes: re.compile(rf"(?:[^{quotes}\\\n]|\\[^\n]|[{quotes}](?!{_BEHIND}))*+[{quotes}]")
    for quotes in set(_CLOSING_QUOTES.values())
}
_CLOSED_LATER = re.compile(rf'(?:[^"\\]|\\(?s:.))*+"(?={_BEHIND})')
_NEXT_QUOTE = re.compile(r'(?:[^"\\]|\\(?s:.))*+"?')
# A quote in the middle of a string that looks as if another string began there.
_OPENS_ANOTHER = re.compile(r'[,:{\[][ \t]*"')
_INNER_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*+"')
_REST_OF_LINE = re.compile(r"[^\r\n]*")

_KEY = re.compile(
    r"(?P<key>[^\s,:：=，{}\[\]\"“”'‘’`/#](?:[^\r\n,:：=，{}\[\]\"“”]{0,80}[^\s,:：=，{}\[\]\"“”])?)[ \t]*(?=[:：=])"
)
_WORD = re.compile(r"[+\-]?[\w.$][\w.+\-$]*")
# Anything up to what may be a part of JSON again.
_PHRASE = re.compile(r"[^,，:：{}｛｝\[\]［］\"“”\r\n]+")


@define
class NearMisses:
    """The near misses of one text. Every part of it is looked at a bounded number of times."""

    text: str
    # Up to here a string that spans lines has been looked for in vain.
    _searched: int = field(default=0, init=False)

    def read_key(self, at: int) -> Token | None:
        """A key without quotes, if one is here."""
        match = _KEY.match(self.text, at)
        if match is None:
            return None
        value, message = JSON_ESCAPES.decode(match["key"]), f"the key `{match['key']}` is not in quotes"
        return _near("STRING", match.span("key"), "PJ127", message, value=value, fix=safe_json(value))

    def read(self, at: int, *, may_be_value: bool) -> Token:
        """What is here; it has at least one character."""
        text = self.text
        if match := _COMMENT.match(text, at):
            return _near("", match.span(), "PJ117", "a comment is not allowed in JSON", help="remove it", fix="")
        if match := _SIGN.match(text, at):
            kind = _SIGNS[match[0]]
            message = f"expected `{_PLAIN[kind]}`, not `{match[0]}`"
            return _near(kind, match.span(), "PJ116", message, fix=_PLAIN[kind])
        if match := _FOREIGN_SPACE.match(text, at):
            return _near("", match.span(), "PJ116", f"{_name_sign(text[at])} is not white space in JSON", fix=" ")
        if text[at] in _CLOSING_QUOTES:
            return self._read_string(at)
        return self._read_word(at, may_be_value=may_be_value)

    def _read_word(self, at: int, *, may_be_value: bool) -> Token:
        if (match := _WORD.match(self.text, at)) and match.end() < len(self.text):
            token = _read_word(match[0], at)
            if token.value is not NO_VALUE or token.faults[0].code != "PJ131":
                return token
        match = _PHRASE.match(self.text, at)
        end = at + len(match[0].rstrip()) if match else at + 1
        if not may_be_value:
            return Token("", at, end)
        return Token(CUT_OFF, at, end) if end == len(self.text) else _read_word(self.text[at:end], at)

    def _read_string(self, at: int) -> Token:
        text, opener = self.text, self.text[at]
        match = _CLOSED[_CLOSING_QUOTES[opener]].match(text, at + 1)
        if match and not (opener == '"' and _OPENS_ANOTHER.search(match[0][:-1])):
            return self._build_string(at, match.end())
        if opener == '"' and (match := _CLOSED[_DOUBLE].match(text, at + 1)) and text[match.end() - 1] != '"':
            return self._build_string(at, match.end())
        if opener == '"' and at >= self._searched:
            if match := _CLOSED_LATER.match(text, at + 1):
                return self._build_string(at, match.end())
            found = _NEXT_QUOTE.match(text, at + 1)
            self._searched = found.end() if found else at
        return self._read_unclosed(at)

    def _read_unclosed(self, at: int) -> Token:
        line = _REST_OF_LINE.match(self.text, at)
        assert line is not None
        content = line[0].rstrip(" \t")
        bare = content.rstrip(",}] \t")
        if line.end() == len(self.text) and bare == content:
            return Token(CUT_OFF, at, len(self.text))
        message, expected = "the closing quote of this string is missing", ('a closing `"`',)
        end = at + max(len(bare), 1)
        return _near("STRING", (at, end), "PJ122", message, value=NO_VALUE, expected=expected, is_loss=True)

    def _build_string(self, at: int, end: int) -> Token:
        raw, quotes = self.text[at + 1 : end - 1], self.text[at] + self.text[end - 1]
        value = JSON_ESCAPES.decode(raw)
        faults = _diagnose_pieces(raw, at + 1)
        if quotes != '""':
            message = f"a string must be in double quotes, not in `{quotes}`"
            faults = (TokenFault("PJ121", message, at, end, fix=safe_json(value)), *faults)
        elif inner := _INNER_QUOTE.search(raw):
            message, help = "a quote in the middle of a string", 'write a quote inside a string as `\\"`'
            where = at + inner.end()
            fault = TokenFault("PJ123", message, where, where + 1, help=help, fix=safe_json(value), fix_at=(at, end))
            faults = (fault, *faults)
        return Token("STRING", at, end, value, faults)


# ---------------------------------------------------------------- words in place of values

_OTHER_LITERALS = {**_LITERALS, "none": None}
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})
_LIKE_A_NUMBER = re.compile(r"[+\-]?\.?[0-9]")
_LOOSE_NUMBER = re.compile(r"[+\-]?(?P<int>[0-9]*)(?P<fraction>\.[0-9]*)?(?P<exponent>[eE][+\-]?[0-9]+)?")
_GROUPED = re.compile(r"[+\-]?[0-9]+(?:_[0-9]+)+")
_HEXADECIMAL = re.compile(r"[+\-]?0[xX][0-9A-Fa-f]{1,16}")


def _read_word(word: str, at: int) -> Token:
    """A word that JSON does not know in the place of a value."""
    end = at + len(word)
    lower = word.lower()
    if lower in _OTHER_LITERALS:
        right = safe_json(_OTHER_LITERALS[lower])
        message = f"expected `{right}`, not `{word}`"
        return _near("LITERAL", (at, end), "PJ131", message, value=_OTHER_LITERALS[lower], fix=right)
    if _LIKE_A_NUMBER.match(word) and (number := _repair_number(word)):
        value, right = number
        return _near(
            "LITERAL", (at, end), "PJ133", f"expected the number `{right}`, not `{word}`", value=value, fix=right
        )
    expected: tuple[str, ...] = ("a value",)
    if lower.lstrip("+-") in _NOT_FINITE:
        code, message, help, expected = "PJ132", "not a number in JSON", "write a number, or null", ()
    elif _LIKE_A_NUMBER.match(word):
        code, message, help = "PJ133", "not a number", f"if it is a text, write it in double quotes: {safe_json(word)}"
    elif word.strip(".…"):
        code, message, help = "PJ131", "not a value", f"write a text in double quotes: {safe_json(word)}"
    else:
        code, message, help = "PJ131", "not a value", "write the value in full"
    message = f"`{word}` is {message}"
    return _near("LITERAL", (at, end), code, message, value=NO_VALUE, expected=expected, help=help, is_loss=True)


def _repair_number(word: str) -> tuple[int | float, str] | None:
    """What a number most likely says, and how JSON writes it. A leading zero may stand for anything."""
    sign = "-" if word.startswith("-") else ""
    right = ""
    if _HEXADECIMAL.fullmatch(word):
        right = str(int(word, 16))
    elif _GROUPED.fullmatch(word):
        right = sign + word.lstrip("+-").replace("_", "")
    elif match := _LOOSE_NUMBER.fullmatch(word):
        fraction = match["fraction"] or ""
        right = f"{sign}{match['int'] or '0'}{fraction if len(fraction) > 1 else ''}{match['exponent'] or ''}"
    if not grammars.pattern("json_text", "NUMERAL").fullmatch(right):
        return None
    with suppress(ValueError):
        return read_number(right), right
    return None
