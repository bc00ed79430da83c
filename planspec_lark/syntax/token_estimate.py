"""How many tokens a text takes, roughly: each language model counts in its own way.

The estimate knows no vocabulary. It counts what byte-level tokenizers cut a text into, and errs on the high side, so
that what fits by the estimate mostly fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["TokenCounter", "estimate_tokens"]

# Any function from a text to the number of its tokens.
TokenCounter = Callable[[str], int]

# Three letters of a word, which begins at a capital letter as well; up to four blanks, where a single one goes with the
# word or the sign after it, but for a digit; any other character.
_TOKEN = re.compile(r"[A-Z]{2,3}|[A-Z][a-z]{0,2}|[a-z]{1,3}|[ \t]{2,4}|[ \t](?![!-/:-~])|[!-~\n]")
_ASCII = re.compile(r"[\x00-\x7f]+")
# What takes four bytes, such as emoji.
_FAR = re.compile(r"[\U00010000-\U0010ffff]")


def estimate_tokens(text: str) -> int:
    """An estimate of how many tokens a text takes.

    One for each three letters of an ASCII word, one for each digit, sign and line break, and one for each four blanks
    in a row. Of other characters, three for two Chinese ones or others of three bytes in UTF-8, one for each of two
    bytes, and three for each of four bytes.
    """
    count = len(_TOKEN.findall(text))
    if text.isascii():
        return count
    others = _ASCII.sub("", text)
    far = len(_FAR.findall(others))
    near = len(others.encode("utf-8", "surrogatepass")) - 4 * far
    return count + 3 * far + (near + 1) // 2
