"""What stands in the place of a token and is none: near misses, and what they are most likely meant as."""

from __future__ import annotations

import re
from typing import Any

from attrs import define, field, frozen

from planspec_lark.json_text.flaws import Flaw, name_sign
from planspec_lark.json_text.scalars import NO_VALUE, diagnose_word
from planspec_lark.json_text.strings import decode, irregular_pieces, spell

__all__ = ["CUT_OFF", "Near", "NearMisses"]

# The kind of what the text ends in the middle of.
CUT_OFF = "CUT_OFF"


@frozen
class Near:
    """What stands at a place: the kind of token that it is meant as (empty where it is none), its bounds, its value.

    A value that cannot be known is :data:`NO_VALUE`.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    flaws: tuple[Flaw, ...] = ()


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
_CLOSERS = dict.fromkeys("“”„‟＂", _DOUBLE) | dict.fromkeys("‘’‚‛", _SINGLE) | {sign: sign for sign in "\"'`"}
# A quote closes a string only in front of what can stand behind a string.
_BEHIND = r"[ \t]*+(?:[,:，：；、=}\]｝］】\r\n#]|//|/\*|\Z)"
_CLOSED = {
    closers: re.compile(rf"(?:[^{closers}\\\n]|\\[^\n]|[{closers}](?!{_BEHIND}))*+[{closers}]")
    for closers in set(_CLOSERS.values())
}
_CLOSED_LATER = re.compile(rf'(?:[^"\\]|\\(?s:.))*+"(?={_BEHIND})')
_NEXT_QUOTE = re.compile(r'(?:[^"\\]|\\(?s:.))*+"?')
# A quote in the middle of a string that looks as if another string began there.
_OPENS_ANOTHER = re.compile(r'[,:{\[][ \t]*"')
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

    def read_key(self, at: int) -> Near | None:
        """A key without quotes, if one stands here."""
        match = _KEY.match(self.text, at)
        if match is None:
            return None
        key = match["key"]
        right = spell(decode(key))
        fix = (at, match.end("key"), right)
        flaw = Flaw("PJ127", f"the key `{key}` stands without quotes", at, match.end("key"), fix=fix)
        return Near("STRING", at, match.end("key"), decode(key), (flaw,))

    def read(self, at: int, *, may_be_value: bool) -> Near:
        """What stands here; it has at least one character."""
        char = self.text[at]
        if match := _COMMENT.match(self.text, at):
            flaw = Flaw("PJ117", "JSON has no comments", *match.span(), help="leave it out", fix=(*match.span(), ""))
            return Near("", *match.span(), flaws=(flaw,))
        if match := _SIGN.match(self.text, at):
            return self._read_sign(match)
        if match := _FOREIGN_SPACE.match(self.text, at):
            message = f"{name_sign(char)} is no white space in JSON"
            flaw = Flaw("PJ116", message, *match.span(), fix=(*match.span(), " "))
            return Near("", *match.span(), flaws=(flaw,))
        if char in _CLOSERS:
            return self._read_string(at)
        return self._read_word(at, may_be_value=may_be_value)

    def _read_sign(self, match: re.Match[str]) -> Near:
        kind = _SIGNS[match[0]]
        message = f"`{match[0]}` stands in place of `{_PLAIN[kind]}`"
        flaw = Flaw("PJ116", message, *match.span(), fix=(*match.span(), _PLAIN[kind]))
        return Near(kind, *match.span(), flaws=(flaw,))

    def _read_word(self, at: int, *, may_be_value: bool) -> Near:
        if (match := _WORD.match(self.text, at)) and match.end() < len(self.text):
            flaw, value = diagnose_word(match[0], at)
            if flaw.code != "PJ131" or value is not NO_VALUE:
                return Near("LITERAL", *match.span(), value, (flaw,))
        match = _PHRASE.match(self.text, at)
        end = at + len(match[0].rstrip()) if match else at + 1
        if may_be_value and end == len(self.text):
            return Near(CUT_OFF, at, end)
        if may_be_value:
            flaw, value = diagnose_word(self.text[at:end], at)
            return Near("LITERAL", at, end, value, (flaw,))
        return Near("", at, end)

    # ---------------------------------------------------------------- strings

    def _read_string(self, at: int) -> Near:
        text, opener = self.text, self.text[at]
        closers = _CLOSERS[opener]
        match = _CLOSED[closers].match(text, at + 1)
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

    def _read_unclosed(self, at: int) -> Near:
        line = _REST_OF_LINE.match(self.text, at)
        assert line is not None
        content = line[0].rstrip(" \t")
        bare = content.rstrip(",}] \t")
        if line.end() == len(self.text) and bare == content:
            return Near(CUT_OFF, at, len(self.text))
        end = at + max(len(bare), 1)
        message = "the quote that ends this string is missing"
        flaw = Flaw("PJ122", message, at, end, expected=('a closing `"`',), is_loss=True)
        return Near("STRING", at, end, NO_VALUE, (flaw,))

    def _build_string(self, at: int, end: int) -> Near:
        raw = self.text[at + 1 : end - 1]
        value = decode(raw)
        flaws = [*self._diagnose_quotes(at, end, value), *diagnose_pieces(raw, at + 1)]
        return Near("STRING", at, end, value, tuple(flaws))

    def _diagnose_quotes(self, at: int, end: int, value: str) -> list[Flaw]:
        fix = (at, end, spell(value))
        if self.text[at] != '"' or self.text[end - 1] != '"':
            message = f"a string stands in double quotes, not in `{self.text[at]}{self.text[end - 1]}`"
            return [Flaw("PJ121", message, at, end, fix=fix)]
        inner = re.search(r'(?<!\\)(?:\\\\)*+"', self.text[at + 1 : end - 1])
        if inner is None:
            return []
        where = at + inner.end()
        help = 'inside a string a quote is written `\\"`'
        return [Flaw("PJ123", "a quote in the middle of a string", where, where + 1, help=help, fix=fix)]


def diagnose_pieces(raw: str, offset: int) -> list[Flaw]:
    """What is wrong with single characters of a string; ``offset`` is where its first one stands."""
    flaws = []
    for piece in irregular_pieces(raw):
        start, end = offset + piece.start, offset + piece.end
        fix = (start, end, spell(piece.value)[1:-1])
        if piece.code == "PJ124":
            message = f"{name_sign(piece.value)} cannot stand in a string as it is"
            flaws.append(Flaw("PJ124", message, start, end, fix=fix))
        elif piece.code == "PJ125":
            message = f"`{raw[piece.start : piece.end]}` is no escape"
            help = r"a backslash is written `\\`" if piece.value.startswith("\\") else "leave the backslash out"
            flaws.append(Flaw("PJ125", message, start, end, help=help, fix=fix))
        else:
            flaws.append(Flaw("PJ126", "half of a surrogate pair is no character", start, end, is_loss=True))
    return flaws
