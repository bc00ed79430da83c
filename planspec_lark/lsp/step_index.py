"""A document that is a tree of steps: what an editor can be told of it, whichever language it is in."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from planspec_lark.lsp.models import Bounds, CompletionItem, NamePosition, Symbol, Token
from planspec_lark.lsp.tokens import find_tokens
from planspec_lark.syntax.codes import Severity
from planspec_lark.syntax.diagnostics import Diagnostic, count_of, excerpt, join_words
from planspec_lark.syntax.source import Source
from planspec_lark.syntax.tree import iter_tree, walk_tree

__all__ = [
    "TOLD",
    "StepIndex",
    "name_steps",
    "say_some",
]

# What stands deeper is listed on this level: what carries symbols to a client uses recursion.
_LEVELS = 40
# How many steps a sentence names, and how many sentences of variables are told.
_NAMED, TOLD = 8, 20


class _Step(Protocol):
    step_id: str
    step_name: str

    @property
    def children(self) -> Sequence[Self]: ...


AnyStep = TypeVar("AnyStep", bound=_Step)


class StepIndex(ABC, Generic[AnyStep]):
    """A document as far as it can be read, and where its parts stand.

    Attributes:
        language: what clients call the language, and its grammar.
        files: the paths of files that are its documents, whatever their client calls their language.
        triggers: the characters at which a client asks for candidates.
        reserved: what looks like a name and is read as something else.
        source: its text.
        faults: what keeps parts of it from being read.
        steps: those at its top.
    """

    language: ClassVar[str]
    files: ClassVar[re.Pattern[str]]
    triggers: ClassVar[Sequence[str]] = ()
    reserved: ClassVar[Collection[str]] = ()

    source: Source
    faults: Sequence[Diagnostic]
    steps: list[AnyStep]

    @abstractmethod
    def __init__(self, text: str, before: Self | None = None) -> None:
        """Read a text; ``before`` is the last one without faults, which is of no use after that."""

    # ------------------------------------------------------------ what a language says

    @abstractmethod
    def findings(self, least: Severity, folder: Path | None = None) -> list[Diagnostic]:
        """All findings of at least this severity, up to a limit, as the project that the folder is in settles them."""

    @abstractmethod
    def fixed(self, folder: Path | None) -> str:
        """The text after its safe fixes, as the project that the folder is in settles them."""

    @abstractmethod
    def formatted(self) -> str:
        """The text in canonical form; it raises a PlanSyntaxError for one with faults."""

    def finished(self, step_id: str) -> str:  # noqa: ARG002
        """The text after a step of it is set to done, where a language offers that."""
        return self.source.text

    def complete(self, offset: int) -> Iterable[CompletionItem]:  # noqa: ARG002
        """What may be written at a place, where a language offers that."""
        return ()

    @abstractmethod
    def _parts(self) -> Iterator[Symbol]:
        """The parts of the document beside its steps."""

    @abstractmethod
    def _outline(self, step: AnyStep) -> tuple[str, str, bool]:
        """What a step does, what a list says beside that, and whether the step is a container."""

    @abstractmethod
    def _lines_of(self, step: AnyStep) -> Sequence[Bounds]:
        """Where the lines of a step stand."""

    @abstractmethod
    def _words_of(self, step: AnyStep | None) -> Iterator[NamePosition]:
        """The names in the lines of a step, or outside of steps. A line with faults has none: where are they?"""

    @property
    @abstractmethod
    def variables(self) -> Collection[str]:
        """The names of all variables."""

    @abstractmethod
    def _origins(self, step: AnyStep, name: str) -> Iterable[AnyStep | None]:
        """The steps from which a variable of a step comes; None stands for what is outside of steps."""

    @abstractmethod
    def _say_step(self, step: AnyStep) -> Iterable[str]:
        """What a step is, needs and gives, a sentence each; what it is called comes before the first."""

    @abstractmethod
    def _say_variables(self, step: AnyStep | None, only: str = "") -> Iterable[str]:
        """Where variables of a step come from and go to, all or ``only`` one."""

    @abstractmethod
    def _matches(self, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
        """What the grammar says of the lines between two offsets, and where each of them starts."""

    # ------------------------------------------------------------ symbols

    @cached_property
    def symbols(self) -> Sequence[Symbol]:
        """The parts of the document and the tree of its steps, in the order of the text."""
        return sorted([*self._parts(), *self._tree()], key=lambda symbol: symbol.place[0])

    def _tree(self) -> list[Symbol]:
        top: list[Symbol] = []
        open_: list[Symbol] = []
        for step, is_entered in walk_tree(self.steps):
            if is_entered:
                symbol = self._symbol(step)
                (open_[min(len(open_), _LEVELS) - 1].children if open_ else top).append(symbol)
                open_.append(symbol)
                continue
            _, end = open_.pop().place
            if open_:
                start, last = open_[-1].place
                open_[-1].place = start, max(last, end)
        return top

    def _symbol(self, step: AnyStep) -> Symbol:
        lines = self._lines_of(step)
        work, detail, is_container = self._outline(step)
        name = " ".join(filter(None, (f"{step.step_id}.", step.step_name, work)))
        kind = "container" if is_container or step.children else "step"
        return Symbol(excerpt(name), detail, kind, (lines[0][0], lines[-1][1]), lines[0][1])

    def tokens(self, start: int, end: int) -> Iterator[Token]:
        """The parts of the lines between two offsets."""
        return find_tokens(self._matches(start, end))

    # ------------------------------------------------------------ hover

    @cached_property
    def _steps_by_line(self) -> dict[int, AnyStep]:
        """By the number of each line of a step, that step."""
        position = self.source.position
        return {position(start)[0]: step for step, _ in iter_tree(self.steps) for start, _ in self._lines_of(step)}

    def _step_at(self, offset: int) -> AnyStep | None:
        return self._steps_by_line.get(self.source.position(offset)[0])

    def hover(self, offset: int) -> tuple[str, Bounds] | None:
        """Where a variable comes from and goes to; of any other place, what its step needs and gives."""
        step, word = self._step_at(offset), self.word_at(offset)
        if word is not None and word.is_variable:
            return "\n".join(self._say_variables(step, word.text)), word.place
        if step is None:
            return None
        name = f" ({excerpt(step.step_name)})" if step.step_name else ""
        said = "\n".join(self._say_step(step))
        return f"Step {excerpt(step.step_id)}{name}: {said}", self._lines_of(step)[0]

    def open_step_at(self, offset: int) -> str:  # noqa: ARG002
        """The id of the step at a place, if it can be set to done; empty where there is none."""
        return ""

    # ------------------------------------------------------------ names

    def word_at(self, offset: int) -> NamePosition | None:
        """The variable or the name of a step at a place."""
        found = self._words_of(self._step_at(offset))
        return next((word for word in found if word.place[0] <= offset <= word.place[1]), None)

    def definitions(self, word: NamePosition) -> Sequence[Bounds]:
        """Where that comes from which a name stands for; what gives it is its own origin."""
        if word.is_origin:
            return [word.place]
        origins = [*map(id, self._origins(word.step, word.text))] if word.is_variable else [word.means]
        return [one.place for one in self.occurrences(word, origins) if one.is_origin]

    def occurrences(self, word: NamePosition, only: Collection[int | str] | None = None) -> Sequence[NamePosition]:
        """All places of a name, or those in ``only`` some steps by their identity, in the order of the text."""
        found = re.finditer(rf"{re.escape(word.text)}(?!\w)", self.source.text)
        steps = {id(step): step for step in (self._step_at(match.start()) for match in found)}
        around = (step for key, step in steps.items() if only is None or key in only)
        words = (one for step in around for one in self._words_of(step) if one.means == word.means)
        return sorted({one.place: one for one in words}.values(), key=lambda one: one.place)


# ---------------------------------------------------------------- words


def name_steps(steps: Sequence[_Step]) -> str:
    """Steps as a sentence names them."""
    ids = [excerpt(step.step_id) for step in steps[:_NAMED]]
    more = [count_of(len(steps) - _NAMED, "other")] if len(steps) > _NAMED else []
    return f"step{'s' if len(steps) > 1 else ''} {join_words([*ids, *more], 'and')}"


def say_some(sentences: Iterable[str]) -> Iterator[str]:
    """As many sentences as are read at a glance."""
    found = [*islice(sentences, TOLD + 1)]
    yield from found[:TOLD]
    if len(found) > TOLD:
        yield "and more"
