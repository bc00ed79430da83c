"""HopSpec documents for the server: sections, steps, variables and their places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from planspec_lark.hopspec.check import check_scan, fix_hopspec
from planspec_lark.hopspec.data_flow import find_declared, find_sources, find_users, needed, produced
from planspec_lark.hopspec.models import STEP_TYPES, StepInfo, iter_infos
from planspec_lark.hopspec.parser import parse_hopspec, scan_strictly
from planspec_lark.hopspec.positions import span_of_line
from planspec_lark.hopspec.printer import serialize_hopspec
from planspec_lark.hopspec.vocabulary import (
    EMPTY,
    SECTIONS,
)
from planspec_lark.lsp.models import LIMITS, Bounds, NamePosition, Symbol
from planspec_lark.lsp.step_index import (
    StepIndex,
    name_steps,
    say_some,
)
from planspec_lark.lsp.tokens import ITEM
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, excerpt, join_words
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import BLANKS
from planspec_lark.syntax.tree import iter_tree

__all__ = ["HopSpecIndex"]

# The fields of a step that have names in them, and the tokens of their lines that may be names.
_NAMED = ("step_id", "target_loop", "inputs", "outputs", "collection", "element_var")
_TOKENS = ("function", "variable", "string")
# Those where that begins which a name stands for; outputs do so as well, but for those of flow steps.
_ORIGINS = ("step_id", "element_var")
# Where texts of a step mention variables: an expression, what comes before arrows, and tags of a prompt.
_TAG = re.compile(r"(?<=<)\w+(?=>)")
_MENTIONS = {
    "condition": re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|(?<![\w.])[^\W\d]\w*"),
    "data_tags": re.compile(r"(?<!\w)[^\W\d]\w*+(?=[ \t]*+(?:→|->))"),
    "task": _TAG,
    "description": _TAG,
}


class HopSpecIndex(StepIndex[StepInfo]):
    """A HopSpec document."""

    language = "hopspec"
    # As the project that has defined the language calls its files; and as plans are called.
    files = re.compile(r"(^|/)(HopSpec|[^/]+\.hopspec)\.md$")
    reserved = EMPTY.all

    def __init__(self, text: str, before: HopSpecIndex | None = None) -> None:  # noqa: ARG002
        self._scan = scan = scan_strictly(text, limits=LIMITS)
        self.source, self.faults, self.steps = scan.source, scan.diagnostics, scan.document.steps
        self._text, self._places = text, scan.positions

    def findings(self, least: Severity, folder: Path | None = None) -> list[Diagnostic]:  # noqa: ARG002
        """Those of the check. Projects settle nothing of it."""
        return check_scan(self._scan, LIMITS, least=least)

    def fixed(self, folder: Path | None) -> str:  # noqa: ARG002
        """The text after its safe fixes."""
        return fix_hopspec(self._text, limits=LIMITS).text

    def formatted(self) -> str:
        """The text in canonical form."""
        return serialize_hopspec(parse_hopspec(self._text, limits=LIMITS))

    # ------------------------------------------------------------ places

    @cached_property
    def _starts(self) -> list[int]:
        """The lines in which the parts of the document begin."""
        steps = (lines["step_id"] for lines in self._places.steps.values())
        return sorted(chain(self._places.fields.values(), steps))

    @cached_property
    def _numbers(self) -> list[int]:
        """These lines, and those in which the attributes of steps begin."""
        steps = (lines.values() for lines in self._places.steps.values())
        return sorted({*chain(self._places.fields.values(), *steps)})

    def _next(self, numbers: Sequence[int], line: int) -> int:
        """The first of some lines after another one, or that after the last of all."""
        at = bisect_right(numbers, line)
        return numbers[at] if at < len(numbers) else self.source.position(self.source.length)[0] + 1

    def _end_of(self, line: int) -> int:
        """The last line of the part that begins in a line, blank lines after it aside."""
        end = self._next(self._starts, line) - 1
        while end > line and not self.source.line(end).strip(BLANKS):
            end -= 1
        return end

    def _lines(self, first: int, last: int) -> list[Bounds]:
        spans = (span_of_line(self.source, line) for line in range(first, last + 1))
        return [(span.start, span.end) for span in spans]

    def _lines_of(self, step: StepInfo) -> Sequence[Bounds]:
        line = self._places.line_of(step.step_id, "step_id")
        return self._lines(line, self._end_of(line))

    def _words_of(self, step: StepInfo | None) -> Iterator[NamePosition]:
        if step is None:
            yield from self._declared
            return
        for field, line in self._places.steps[step.step_id].items():
            if field in _MENTIONS:
                yield from self._mentioned(step, field, line)
            elif field in _NAMED:
                yield from self._named(step, field, line)

    def _named(self, step: StepInfo, field: str, line: int) -> Iterator[NamePosition]:
        """The names that a line consists of."""
        is_origin = field in _ORIGINS or (field == "outputs" and bool(produced(step)))
        value = step.step_name if field == "step_id" else getattr(step, field)
        names = {value} if isinstance(value, str) else {*value}
        meant, start = self._meant(step, field), self.source.start_of(line)
        for first, last, part in self.tokens(start, start + 1):
            for item in ITEM.finditer(self._text, first, last) if part in _TOKENS else ():
                if item[0] in names:
                    yield NamePosition(item[0], item.span(), step, meant or item[0], is_origin)

    def _mentioned(self, step: StepInfo, field: str, line: int) -> Iterator[NamePosition]:
        """The variables that a text mentions, in its lines up to the next part or comment."""
        known, comment = self._mentions_of(step, field), grammars.pattern("hopspec", "COMMENT")
        for number in range(line, self._next(self._numbers, line)) if known else ():
            row, start = self.source.line(number), self.source.start_of(number)
            if number > line and comment.match(row):
                return
            for match in _MENTIONS[field].finditer(row):
                if match[0] in known:
                    place = (start + match.start(), start + match.end())
                    yield NamePosition(match[0], place, step, match[0])

    def _mentions_of(self, step: StepInfo, field: str) -> set[str]:
        """The variables that a field of a step mentions."""
        found = {match[0] for match in _MENTIONS[field].finditer(getattr(step, field))}
        if _MENTIONS[field] is _TAG:
            # These tags stand for the variables that they are given to.
            found -= {*_TAG.findall(step.data_tags)}
        return found & self.variables

    @cached_property
    def _declared(self) -> list[NamePosition]:
        """The inputs that the document declares."""
        header = self._places.fields.get("input_definition")
        found = []
        for line in range(header + 1, self._end_of(header) + 1) if header else ():
            if place := find_declared(self.source.line(line)):
                start, end = (self.source.start_of(line) + at for at in place)
                name = self._text[start:end]
                found.append(NamePosition(name, (start, end), None, name, is_origin=True))
        return found

    def _matches(self, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
        (first, _), (last, _) = map(self.source.position, (start, end - 1))
        for number in self._numbers[bisect_left(self._numbers, first) : bisect_right(self._numbers, last)]:
            match = grammars.regular("hopspec").pattern("line").match(f"{self.source.line(number)}\n")
            if match:
                yield match, self.source.start_of(number)

    # ------------------------------------------------------------ who takes what from whom

    @cached_property
    def _users(self) -> tuple[Mapping[str, Sequence[StepInfo]], Mapping[str, Sequence[StepInfo]]]:
        return find_users(self.steps)

    @cached_property
    def variables(self) -> set[str]:
        """The names of all that is declared, and of all that any step takes or gives."""
        return {*chain(*self._users), *(one.text for one in self._declared)}

    @cached_property
    def _takers(self) -> Mapping[str, Sequence[StepInfo]]:
        """By variable, the steps that take or mention it, in document order."""
        takers: dict[str, list[StepInfo]] = {}
        for step in iter_infos(self.steps):
            mentioned = (self._mentions_of(step, field) for field in _MENTIONS)
            for name in {*_taken(step)}.union(*mentioned):
                takers.setdefault(name, []).append(step)
        return takers

    def _origins(self, step: StepInfo, name: str) -> list[StepInfo | None]:
        found = find_sources(self.steps, step, name)
        if None in found and not any(one.text == name for one in self._declared):
            found.remove(None)
        # If none, it is there in a later round at best.
        return found or [*found, *self._users[0].get(name, ())][:1]

    @cached_property
    def _parents(self) -> Mapping[int, StepInfo | None]:
        return {id(step): parent for step, parent in iter_tree(self.steps)}

    def _meant(self, step: StepInfo, field: str) -> int:
        """The step that a field names, by its identity; of several loops the innermost. It is 0 where it names none."""
        if field == "step_id":
            return id(step)
        if field != "target_loop":
            return 0
        loop = self._parents[id(step)]
        while loop is not None and (loop.step_type, loop.step_name) != ("loop", step.target_loop):
            loop = self._parents[id(loop)]
        # What leaves no loop has a name of its own.
        return -id(step) if loop is None else id(loop)

    # ------------------------------------------------------------ symbols and hover

    def _parts(self) -> Iterator[Symbol]:
        for name, line in self._places.fields.items():
            if name in SECTIONS and name != "steps":
                places = self._lines(line, self._end_of(line))
                header = SECTIONS[name].of(self._scan.document.language)
                yield Symbol(header, "", "text", (places[0][0], places[-1][1]), places[0][1])

    def _outline(self, step: StepInfo) -> tuple[str, str, bool]:
        kind = STEP_TYPES.get(step.step_type)
        return _say_work(step), _kind_of(step), kind is not None and kind.is_container

    def _say_step(self, step: StepInfo) -> Iterator[str]:
        types = join_words([*STEP_TYPES], "and")
        known = "" if step.step_type in STEP_TYPES else f": no type of steps; these are {types}"
        yield f"{excerpt(_kind_of(step))}{known}"
        if work := _say_work(step):
            yield excerpt(work)
        yield from say_some(self._say_variables(step))

    def _say_variables(self, step: StepInfo | None, only: str = "") -> Iterator[str]:
        gives = [only]
        if step is not None:
            gives = [*filter(None, [step.element_var]), *produced(step)]
            # What a text mentions is taken as well.
            for name in dict.fromkeys([*_taken(step), *({only} - {"", *gives})]):
                if only in ("", name):
                    yield self._say_source(step, name)
        for name in dict.fromkeys(gives):
            if only in ("", name):
                others = [one for one in self._takers.get(name, ()) if one is not step]
                yield f"Gives {excerpt(name)}{f' to {name_steps(others)}' if others else ', which no other step takes'}"

    def _say_source(self, step: StepInfo, name: str) -> str:
        found = self._origins(step, name)
        steps = [one for one in found if one is not None]
        known = [name_steps(steps)] if steps else []
        known += ["the input definition"] if len(steps) < len(found) else []
        origin = f" from {' or '.join(known)}" if known else ", which no step produces"
        return f"Needs {excerpt(name)}{origin}"


def _taken(step: StepInfo) -> list[str]:
    """The variables that a step needs."""
    return [name for _, names in needed(step) for name in names]


def _kind_of(step: StepInfo) -> str:
    """The type of a step, with its mode."""
    mode = step.mode()
    return f"{step.step_type}:{mode}" if mode else step.step_type


def _say_work(step: StepInfo) -> str:
    """What a step does, in one line."""
    over = f"{step.element_var} in {step.collection}" if step.collection else step.condition
    return one_line(over or step.task or step.description or step.target_loop)
