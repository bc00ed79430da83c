"""Long repetitions in a regular expression, and texts that could make it try them in many ways.

A repetition costs more than its text where what it repeats is read in two ways, where what follows reads the same
characters, or where a search begins it anew at every place. All of these need the same kind of text: what leads up to
the repetition, many times what it repeats, and an end that nothing accepts. So that is what is made here, of the
characters and words of the expression itself. Possessive repetitions are taken as well: a search begins them anew.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from attrs import field, frozen

from tests.timing import TooSlowError, time_limit

# Private to the library: nothing else gives the tree of an expression.
from re import _compiler, _constants as ops, _parser  # type: ignore[attr-defined]  # isort: skip

__all__ = ["Attack", "attacks", "write"]

_REPEATS = {ops.MAX_REPEAT: "", ops.MIN_REPEAT: "?", ops.POSSESSIVE_REPEAT: "+"}
# A repetition with fewer turns costs no more than a number.
_LONG = 100
# Characters of all kinds; each expression adds its own.
_CHARACTERS = "a1 \n\t.-*_`x!#,>|[(:A是，。\u200b"
# No more than so many of each for one repetition.
_MOST_CHARACTERS, _MOST_WORDS = 40, 40
# Of repetitions that repeat the same, so many in different places.
_MOST_ALIKE = 6
# Seconds to find out whether a repetition reads a short text.
_SOON = 0.1
_ENDS = ("", "\0", "\n\0", "\n")

_Node = tuple[Any, Any]


@frozen
class Attack:
    """What is in front, what is repeated, and the end; and the repetition that it is for."""

    before: str
    pump: str
    end: str
    loop: str

    def text(self, size: int) -> str:
        """About so many characters."""
        return self.before + self.pump * max(size // len(self.pump), 1) + self.end


def attacks(pattern: re.Pattern[str]) -> Iterator[Attack]:
    """All that is worth a try."""
    tree = _Tree(_parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    for loop in tree.loops:
        for pump in tree.pumps(loop):
            for end in _ENDS:
                yield Attack(loop.before, pump, end, loop.written)
                if loop.before and not loop.before[-1].isspace():
                    yield Attack(f"{loop.before} ", pump, end, loop.written)


@frozen
class _Loop:
    """A long repetition: an example of what leads to it, and what it repeats."""

    before: str
    body: Any

    @cached_property
    def written(self) -> str:
        return write(self.body)


@frozen(slots=False)
class _Tree:
    """The tree of an expression."""

    root: Any
    _members: dict[str, str] = field(factory=dict)

    @cached_property
    def loops(self) -> list[_Loop]:
        """Those within others come after them."""
        return [*self._choose()]

    def _choose(self) -> Iterator[_Loop]:
        found = {(loop.before, loop.written): loop for loop in self._find(self.root, "")}
        # Lists of words have the same blanks between them.
        turns = Counter[str]()
        for loop in found.values():
            turns[loop.written] += 1
            if turns[loop.written] <= _MOST_ALIKE:
                yield loop

    def pumps(self, loop: _Loop) -> Iterator[str]:
        """Texts that the repetition reads again and again."""
        loops = self._compile([(ops.MAX_REPEAT, (0, ops.MAXREPEAT, loop.body))])
        words = [*self._samples(loop.body), *self._words]
        for pool, most in ((self._characters, _MOST_CHARACTERS), (words, _MOST_WORDS)):
            yield from islice((one for one in dict.fromkeys(pool) if one and _reads(loops, one * 3)), most)

    @cached_property
    def _characters(self) -> str:
        return "".join(dict.fromkeys([*_CHARACTERS, *_literals(self.root)]))

    @cached_property
    def _words(self) -> list[str]:
        """Words of the expression, what leads to repetitions, and what is in them; each as it could follow itself."""
        words = [*_runs(self.root)]
        for loop in self.loops:
            words += [loop.before, *self._samples(loop.body)]
        return [form for word in dict.fromkeys(words) for form in (word, f"{word} ", f"\n{word}", f" {word}")]

    def _find(self, nodes: Iterable[_Node], before: str) -> Iterator[_Loop]:
        for node in nodes:
            op, value = node
            if op in _REPEATS and value[1] > _LONG:
                yield _Loop(before, value[2])
            for part in _parts(op, value):
                yield from self._find(part, before)
            before += self._sample([node])

    def _samples(self, nodes: Iterable[_Node]) -> Iterator[str]:
        """Examples of what these read: one of each alternative, and repetitions with no turn and with one."""
        return islice(self._vary([*nodes]), 12)

    def _vary(self, nodes: list[_Node]) -> Iterator[str]:
        if not nodes:
            yield ""
            return
        (op, value), *rest = nodes
        first: list[str] = []
        if op in _REPEATS:
            turn = self._sample(value[2])
            first = [turn * max(value[0], 1), *([""] if value[0] == 0 else [])]
        elif op is ops.BRANCH:
            first = [self._sample(part) for part in value[1]][:6]
        elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
            first = [*islice(self._vary([*_parts(op, value)[0]]), 6)]
        else:
            first = [self._sample([nodes[0]])]
        for last in islice(self._vary(rest), 6):
            for one in first:
                yield one + last

    def _sample(self, nodes: Iterable[_Node]) -> str:
        """The plainest example of what these read."""
        text = ""
        for op, value in nodes:
            if op in _REPEATS:
                text += self._sample(value[2]) * min(value[0], 40)
            elif op is ops.LITERAL:
                text += chr(value)
            elif op in (ops.NOT_LITERAL, ops.ANY, ops.IN):
                text += self._member((op, value))
            elif op is ops.ASSERT and value[0] < 0:
                text = text or self._sample(value[1])
            elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP, ops.BRANCH):
                text += self._sample(_parts(op, value)[0])
        return text

    def _member(self, node: _Node) -> str:
        """A character of a class."""
        key = write([node])
        if key not in self._members:
            is_in = self._compile([node])
            pool = (*self._characters, *map(chr, range(0x3000)))
            self._members[key] = next((one for one in pool if is_in.fullmatch(one)), "")
        return self._members[key]

    def _compile(self, nodes: list[_Node]) -> re.Pattern[str]:
        compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(self.root.state, nodes))
        return compiled


def _reads(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a pattern reads a text, or cannot say so soon."""
    try:
        with time_limit(_SOON, on_processor=False):
            return pattern.fullmatch(text) is not None
    except TooSlowError:
        return True


def _parts(op: Any, value: Any) -> list[Any]:
    """The sequences within a node."""
    if op in _REPEATS:
        return [value[2]]
    if op is ops.SUBPATTERN:
        return [value[3]]
    if op is ops.ATOMIC_GROUP:
        return [value]
    if op is ops.BRANCH:
        return [*value[1]]
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [value[1]]
    return [part for part in value[1:] if part] if op is ops.GROUPREF_EXISTS else []


def _literals(nodes: Iterable[_Node]) -> Iterator[str]:
    """The single characters that an expression names."""
    for op, value in nodes:
        if op in (ops.LITERAL, ops.NOT_LITERAL):
            yield chr(value)
        elif op is ops.IN:
            yield from _literals(value)
        elif op is ops.RANGE:
            yield chr(value[0])
        for part in _parts(op, value):
            yield from _literals(part)


def _runs(nodes: Iterable[_Node]) -> Iterator[str]:
    """Its words: literals that follow one another."""
    run = ""
    for op, value in nodes:
        if op is ops.LITERAL:
            run += chr(value)
            continue
        if len(run) > 1:
            yield run
        run = ""
        for part in _parts(op, value):
            yield from _runs(part)
    if len(run) > 1:
        yield run


# ---------------------------------------------------------------- as it is written

_CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}
_PLACES = {
    ops.AT_BEGINNING: "^",
    ops.AT_BEGINNING_STRING: r"\A",
    ops.AT_END: "$",
    ops.AT_END_STRING: r"\Z",
    ops.AT_BOUNDARY: r"\b",
    ops.AT_NON_BOUNDARY: r"\B",
}
_OPENINGS = {
    ops.IN: "[",
    ops.BRANCH: "(?:",
    ops.SUBPATTERN: "(",
    ops.ATOMIC_GROUP: "(?>",
    (ops.ASSERT, 1): "(?=",
    (ops.ASSERT, -1): "(?<=",
    (ops.ASSERT_NOT, 1): "(?!",
    (ops.ASSERT_NOT, -1): "(?<!",
}


def write(nodes: Iterable[_Node]) -> str:
    """A part of an expression, about as it was written."""
    return "".join(_write(op, value) for op, value in nodes)


def _sign(code: int) -> str:
    return re.escape(chr(code)) if chr(code).isprintable() else ascii(chr(code))[1:-1]


def _write(op: Any, value: Any) -> str:
    if op in (ops.LITERAL, ops.NOT_LITERAL):
        sign = _sign(value)
        return sign if op is ops.LITERAL else f"[^{sign}]"
    if op in (ops.AT, ops.CATEGORY):
        return (_PLACES if op is ops.AT else _CATEGORIES)[value]
    if op is ops.RANGE:
        return "-".join(map(_sign, value))
    if op in _REPEATS:
        high = "" if value[1] is ops.MAXREPEAT else value[1]
        return f"(?:{write(value[2])}){{{value[0]},{high}}}{_REPEATS[op]}"
    parts = "|".join(map(write, [value] if op is ops.IN else _parts(op, value)))
    opening = _OPENINGS.get((op, value[0]) if op in (ops.ASSERT, ops.ASSERT_NOT) else op)
    if opening:
        return f"{opening}{parts}{']' if op is ops.IN else ')'}"
    return {ops.ANY: ".", ops.NEGATE: "^", ops.GROUPREF: f"\\{value}"}.get(op, f"<{op}>")
