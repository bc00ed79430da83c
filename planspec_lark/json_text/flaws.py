"""What is wrong at one place of a text, before it is a diagnostic."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Flaw", "name_sign"]


@frozen
class Flaw:
    """One fault: code, message, bounds, what could stand there, advice, and the text to put in place of a stretch.

    ``is_loss`` says that something of the text is missing in what is read.
    """

    code: str
    message: str
    start: int
    end: int
    expected: tuple[str, ...] = ()
    help: str = ""
    fix: tuple[int, int, str] | None = None
    is_loss: bool = False


_NAMES = {"\n": "the line break U+000A", "\r": "the carriage return U+000D", "\t": "the tab U+0009"}


def name_sign(char: str) -> str:
    """How a character is called that nobody could see."""
    return _NAMES.get(char, f"the character U+{ord(char):04X}")
