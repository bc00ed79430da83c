"""How far a text can still become a whole one, by Lark's own tables.

A beginning is good if some text of the language goes on from it. Lark itself only says where a token fails, so this
walks its LALR table with the automata of the terminals that the table allows, character by character: exact, since an
LALR parser shifts no token that cannot be gone on from. Where a token could end in several places, all are followed.

The automata are interegular's, which spells classes out. So `\\w` is cut down to the ASCII letters, digits and `é`, and
a text is read with `é` for any other letter that may stand in a name: no token tells these apart.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import interegular
from lark.parsers.lalr_analysis import Shift

from planspec_lark.constrained.notation import read_grammar
from tests.constrained.engines import canonical, lark

_LETTERS = re.compile(r"(?<=A-Z_a-z)\\u00aa.*?(?=\]|\\u0000)")
Stack = tuple[int, ...]


@cache
def _name_characters() -> re.Pattern[str]:
    (pattern,) = read_grammar("planspec_canonical")["_NAME_CHAR"].scan_values(lambda _: True)
    return re.compile(pattern[1:-1])


def _stand_in(character: str) -> str:
    return "é" if ord(character) > 0x7F and _name_characters().match(character) else character


class Oracle:
    """The viable beginnings of one canonical language."""

    def __init__(self, language: str) -> None:
        text, self.cuts = _LETTERS.subn("é", canonical(language))
        parser = lark(text)
        table = parser.parser.parser._parse_table
        self._states: dict[int, dict[str, Any]] = table.states
        self._start: Stack = (table.start_states["start"],)
        self._automata: dict[str, Any] = {
            one.name: self._automaton(one.pattern.to_regexp()) for one in parser.terminals
        }
        self._feed = cache(self._feed_uncached)
        self._open = cache(self._open_uncached)
        self._is_live = cache(lambda name, state: self._automata[name].islive(state))

    @staticmethod
    def _automaton(pattern: str) -> Any:
        return interegular.parse_pattern(pattern).to_fsm()

    def _feed_uncached(self, stack: Stack, terminal: str) -> Stack | None:
        while True:
            action, what = self._states[stack[-1]].get(terminal, (None, None))
            if action is None:
                return None
            if action is Shift:
                return (*stack, what)
            size = len(what.expansion)
            stack = stack[:-size] if size else stack
            stack = (*stack, self._states[stack[-1]][what.origin.name][1])

    def _open_uncached(self, stack: Stack) -> frozenset[tuple[Stack, str, int]]:
        """Every terminal that may come, at its automaton's start."""
        names = (name for name in self._states[stack[-1]] if name in self._automata)
        return frozenset((stack, name, self._automata[name].initial) for name in names if self._feed(stack, name))

    def _step(self, places: frozenset[tuple[Stack, str, int]], character: str) -> frozenset[tuple[Stack, str, int]]:
        character = _stand_in(character)
        found: set[tuple[Stack, str, int]] = set()
        for stack, name, state in places:
            automaton = self._automata[name]
            after = automaton.map[state].get(automaton.alphabet[character])
            if after is None or not self._is_live(name, after):
                continue
            found.add((stack, name, after))
            if after in automaton.finals:
                shifted = self._feed(stack, name)
                assert shifted is not None
                found |= self._open(shifted)
        return frozenset(found)

    def good_bytes(self, text: str) -> int:
        """How many bytes of a text are the beginning of some text of the language."""
        places = self._open(self._start)
        good = 0
        for character in text:
            after = self._step(places, character)
            if not after:
                return good + self._good_part(places, character)
            places, good = after, good + len(character.encode("utf-8"))
        return good

    def _good_part(self, places: frozenset[tuple[Stack, str, int]], character: str) -> int:
        """How many bytes of a wrong character start a right one."""
        data = character.encode("utf-8")
        for size in range(len(data) - 1, 0, -1):
            if any(self._step(places, other) for other in _block(data[:size])):
                return size
        return 0


@cache
def _block(start: bytes) -> tuple[str, ...]:
    """Characters that start with these bytes: the special ones, a letter for names, and one that is none of them."""
    special = [c for c in "→←é" if c.encode("utf-8").startswith(start)]
    found: dict[bool, str] = {}
    for code in range(0x80, 0x110000):
        if 0xD800 <= code < 0xE000 or chr(code) in special or not chr(code).encode("utf-8").startswith(start):
            continue
        found.setdefault(bool(_name_characters().match(chr(code))), chr(code))
        if len(found) == 2:
            break
    return (*special, *found.values())
