"""HopSpec documents for the server: sections, steps, variables and their places."""

from __future__ import annotations

import re
from bisect import bisect_right
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
    STEP_NAME,
    VARIABLE,
    Language,
    StepIndex,
    name_steps,
    say_some,
)
from planspec_lark.lsp.tokens import ITEM
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, excerpt, join_words
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import BLANKS
from planspec_lark.syntax.tree import walk_tree

__all__ = ["HOPSPEC", "HopSpecIndex"]

# The fields with names in them: the group of their line that these are, and what kind of names.
_NAMES = {
    "step_id": ("heading_NAME", STEP_NAME),
    "target_loop": ("attribute_line_VALUE", STEP_NAME),
    "inputs": ("attribute_line_NAMES", VARIABLE),
    "outputs": ("attribute_line_NAMES", VARIABLE),
    "collection": ("attribute_line_VALUE", VARIABLE),
    "element_var": ("attribute_line_VALUE", VARIABLE),
}
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
    reserved = EMPTY.all

    def __init__(self, text: str, before: HopSpecIndex | None = None) -> None:  # noqa: ARG002
        self._scan = scan_strictly(text, limits=LIMITS)
        self._document, self._places = self._scan.document, self._scan.positions
        super().__init__(self._scan.source, self._scan.diagnostics, self._document.steps)

    def findings(self, least: Severity, folder: Path | None = None) -> list[Diagnostic]:  # noqa: ARG002
        """Those of the check. Projects settle nothing of it."""
        return check_scan(self._scan, LIMITS, least=least)

    # ------------------------------------------------------------ places

    @cached_property
    def _starts(self) -> list[int]:
        """The lines in which the parts of the document begin."""
        steps = (lines["step_id"] for lines in self._places.steps.values())
        return sorted(chain(self._places.fields.values(), steps))

    def _end_of(self, line: int) -> int:
        """The last line of the part that begins in a line, blank lines after it aside."""
        at = bisect_right(self._starts, line)
        last = self.source.position(self.source.length)[0]
        end = self._starts[at] - 1 if at < len(self._starts) else last
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
        lines = self._places.steps[step.step_id]
        for field, line in lines.items():
            if field in _MENTIONS:
                yield from self._mentioned(step, field, line, lines)
            elif field in _NAMES:
                group, kind = _NAMES[field]
                is_origin = field in _ORIGINS or (field == "outputs" and bool(produced(step)))
                loop = self._loops[id(step)] if field == "target_loop" else id(step)
                names = _names_in(step, field)
                for text, place in self._items(line, group):
                    if text in names:
                        yield NamePosition(text, place, kind, step, loop if kind == STEP_NAME else text, is_origin)

    def _items(self, line: int, group: str) -> Iterator[tuple[str, Bounds]]:
        """The names that a line holds as one of its parts."""
        start, match = self.source.start_of(line), self._match(line)
        for item in ITEM.finditer(match.string, *match.span(group)) if match else ():
            yield item[0], (start + item.start(), start + item.end())

    def _match(self, line: int) -> re.Match[str] | None:
        return grammars.regular("hopspec").pattern("line").match(f"{self.source.line(line)}\n")

    def _mentioned(self, step: StepInfo, field: str, line: int, lines: Mapping[str, int]) -> Iterator[NamePosition]:
        """The variables that a text mentions."""
        known = self._mentions_of(step, field)
        if not known:
            return
        comment, others = grammars.pattern("hopspec", "COMMENT"), {*lines.values()}
        for number in range(line, self._end_of(lines["step_id"]) + 1):
            row = self.source.line(number)
            if number > line and (number in others or comment.match(row)):
                return
            for match in _MENTIONS[field].finditer(row):
                if match[0] in known:
                    start = self.source.start_of(number) + match.start()
                    yield NamePosition(match[0], (start, start + len(match[0])), VARIABLE, step, match[0])

    def _mentions_of(self, step: StepInfo, field: str) -> set[str]:
        """The variables that a field of a step mentions."""
        found = {match[0] for match in _MENTIONS[field].finditer(getattr(step, field))}
        if _MENTIONS[field] is _TAG:
            # These tags stand for the variables that they are given to.
            found -= {*_TAG.findall(step.data_tags)}
        return found & self._variables

    @cached_property
    def _declared(self) -> list[NamePosition]:
        """The inputs that the document declares."""
        header = self._places.fields.get("input_definition")
        found = []
        for line in range(header + 1, self._end_of(header) + 1) if header else ():
            if place := find_declared(self.source.line(line)):
                start, end = (self.source.start_of(line) + at for at in place)
                name = self._text[start:end]
                found.append(NamePosition(name, (start, end), VARIABLE, None, name, is_origin=True))
        return found

    def _matches(self, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
        numbers = chain(self._places.fields.values(), *(lines.values() for lines in self._places.steps.values()))
        for number in sorted({*numbers}):
            at, match = self.source.start_of(number), self._match(number)
            if match and at < end and at + len(match.string) > start:
                yield match, at

    # ------------------------------------------------------------ who takes what from whom

    @cached_property
    def _users(self) -> tuple[Mapping[str, Sequence[StepInfo]], Mapping[str, Sequence[StepInfo]]]:
        return find_users(self._document.steps)

    @cached_property
    def _variables(self) -> set[str]:
        return {*chain(*self._users), *(one.text for one in self._declared)}

    def has_variable(self, name: str) -> bool:
        """Whether it is declared, or any step takes or gives it."""
        return name in self._variables

    @cached_property
    def _takers(self) -> Mapping[str, Sequence[StepInfo]]:
        """By variable, the steps that take or mention it, in document order."""
        takers: dict[str, list[StepInfo]] = {}
        for step in iter_infos(self._document.steps):
            mentioned = (self._mentions_of(step, field) for field in _MENTIONS)
            for name in {*_taken(step)}.union(*mentioned):
                takers.setdefault(name, []).append(step)
        return takers

    def _origins(self, step: StepInfo, name: str) -> list[StepInfo | None]:
        found = find_sources(self._document.steps, step, name)
        if None in found and not any(one.text == name for one in self._declared):
            found.remove(None)
        # If none, it is there in a later round at best.
        return found or [*found, *self._users[0].get(name, ())][:1]

    @cached_property
    def _loops(self) -> Mapping[int, int]:
        """By the identity of each step, that of the loop that it may leave: of those of this name the innermost."""
        found: dict[int, int] = {}
        around: list[StepInfo] = []
        for step, is_entered in walk_tree(self._document.steps):
            if is_entered:
                name = ("loop", step.target_loop)
                meant = (id(one) for one in reversed(around) if (one.step_type, one.step_name) == name)
                # What leaves no loop has a name of its own.
                found[id(step)] = next(meant, -id(step))
                around.append(step)
            else:
                around.pop()
        return found

    # ------------------------------------------------------------ symbols and hover

    def _parts(self) -> Iterator[Symbol]:
        for name, line in self._places.fields.items():
            if name in SECTIONS and name != "steps":
                places = self._lines(line, self._end_of(line))
                header = SECTIONS[name].of(self._document.language)
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


def _names_in(step: StepInfo, field: str) -> set[str]:
    """The names in a field of a step."""
    value = step.step_name if field == "step_id" else getattr(step, field)
    return {value} if isinstance(value, str) else {*value}


def _kind_of(step: StepInfo) -> str:
    """The type of a step, with its mode."""
    mode = step.mode()
    return f"{step.step_type}:{mode}" if mode else step.step_type


def _say_work(step: StepInfo) -> str:
    """What a step does, in one line."""
    over = f"{step.element_var} in {step.collection}" if step.collection else step.condition
    return one_line(over or step.task or step.description or step.target_loop)


# ---------------------------------------------------------------- the row of the table


HOPSPEC = Language(
    id="hopspec",
    # As the project that has defined the language calls its files; and as plans are called.
    files=re.compile(r"(^|/)(HopSpec|[^/]+\.hopspec)\.md$"),
    fix=lambda text, _: fix_hopspec(text, limits=LIMITS),
    format=lambda text: serialize_hopspec(parse_hopspec(text, limits=LIMITS)),
    read=HopSpecIndex,
)
