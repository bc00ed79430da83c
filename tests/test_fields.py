"""What fields may hold."""

from __future__ import annotations

from planspec_lark.syntax import grammars
from planspec_lark.syntax.fields import has_forbidden


def test_the_quick_search_for_forbidden_characters_finds_what_the_terminal_matches() -> None:
    forbidden = grammars.pattern("planspec", "FORBIDDEN")
    codes = [*range(0x3000), *range(0xD700, 0xE100), *range(0xFE00, 0x10100), 0x10FFFF]
    differ = [code for code in codes if has_forbidden(chr(code)) != bool(forbidden.search(chr(code)))]
    assert not differ
    assert has_forbidden("fine \x1b not") != has_forbidden("fine\t文 →\nfine")
