"""How many tokens a text takes, roughly: each language model counts in its own way.

The estimate knows no vocabulary. It counts what byte-level tokenizers cut a text into, and errs on the high side, so
that what fits by the estimate mostly fits.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["TokenCounter", "estimate_tokens"]

# Any function from a text to the number of its tokens.
TokenCounter = Callable[[str], int]


def _kind(byte: int) -> str:
    """What kind of character a byte is, or is part of: far of four bytes, such as emoji, near of fewer."""
    if byte >= 0x80:
        return "f" if byte >= 0xF0 else "n"
    char = chr(byte)
    if char in " \t":
        return " "
    if char.isalpha():
        return "a" if char.islower() else "A"
    if char.isdigit() or char == "\n":
        return "1"
    return "-" if char.isprintable() else "."


_KINDS = "".join(map(_kind, range(256))).encode()
# One after the other, so that each kind that is left is a token, but for a dot: up to four blanks; a single one goes
# with the word or the sign after it, but for a digit; three letters of a word, which begins at a capital letter as
# well. Replacing what is plain takes a quarter of what a regular expression takes.
_TOKENS = (
    *((b" " * count, b"1") for count in (4, 3, 2)),
    *((b" " + kind, b"." + kind) for kind in (b"a", b"A", b"-")),
    *((word, b"1") for word in (b"AAA", b"AA", b"Aaa", b"Aa", b"aaa", b"aa")),
)


def estimate_tokens(text: str) -> int:
    """An estimate of how many tokens a text takes.

    One for each three letters of an ASCII word, one for each digit, sign and line break, and one for each four blanks
    in a row. Of other characters, three for two Chinese ones or others of three bytes in UTF-8, one for each of two
    bytes, and three for each of four bytes.
    """
    kinds = text.encode("utf-8", "surrogatepass").translate(_KINDS)
    for several, one in _TOKENS:
        kinds = kinds.replace(several, one)
    far, near = kinds.count(b"f"), kinds.count(b"n")
    # Of the four bytes that are far, three count as near.
    return len(kinds) - kinds.count(b".") - far - near + 3 * far + (near - 3 * far + 1) // 2
