"""What the server asks of a language. None of it knows the protocol: places are offsets in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from attrs import Factory, define, frozen

from planspec_lark.syntax.codes import Severity
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError
from planspec_lark.syntax.fixer import Fixed
from planspec_lark.syntax.limits import Limits

__all__ = ["LIMITS", "Candidate", "Language", "Reading", "RenameError", "Stretch", "Symbol", "Word"]

# What an editor is to show while the user types. A longer text is not read, and a finding says so.
LIMITS = Limits(max_bytes=2_000_000, max_findings=200)

# From where to where.
Stretch = tuple[int, int]


class RenameError(PlanSpecError, ValueError):
    """A name that cannot be given; the text says why."""


@frozen
class Word:
    """A name in a text that has other places as well.

    ``is_origin`` says whether that what it stands for comes from this very place.
    """

    text: str
    place: Stretch
    kind: str
    is_origin: bool = False


@define
class Symbol:
    """A part of a document, with those inside it.

    Attributes:
        name: what a list calls it.
        detail: what a list says beside that, in fewer words.
        kind: "container", "step" or "text".
        place: all of it, with what is inside.
        name_place: the part of it to go to.
        children: the parts inside it.
    """

    name: str
    detail: str
    kind: str
    place: Stretch
    name_place: Stretch
    children: list[Symbol] = Factory(list)


@frozen
class Candidate:
    """Something to write in place of a stretch; ``detail`` says what it means, ``kind`` is "keyword" or "variable"."""

    text: str
    place: Stretch
    detail: str
    kind: str


class Reading(Protocol):
    """What a document holds, as far as it can be read. Nothing of it raises, but for ``rename``."""

    def findings(self, least: Severity) -> list[Diagnostic]:
        """All findings that weigh so much, up to a limit."""

    def symbols(self) -> Sequence[Symbol]:
        """The parts of the document, in the order of the text."""

    def hover(self, offset: int) -> tuple[str, Stretch] | None:
        """What there is to say about a place, as plain text, and where that is."""

    def word_at(self, offset: int) -> Word | None:
        """The name at a place."""

    def definitions(self, word: Word) -> Sequence[Stretch]:
        """Where what a name stands for comes from."""

    def references(self, word: Word, *, with_definitions: bool) -> Sequence[Stretch]:
        """Where it is used."""

    def rename(self, word: Word, name: str) -> Sequence[Stretch]:
        """All places in which another name is to be written.

        Raises:
            RenameError: the name cannot be given, or not everywhere.
        """

    def complete(self, offset: int) -> Iterable[Candidate]:
        """What may be written at a place."""


@frozen
class Language:
    """A language whose documents are served: a row of :data:`planspec_lark.lsp.languages.LANGUAGES`.

    Attributes:
        id: what clients call it.
        files: the paths of files that are its documents, whatever their client calls their language.
        fix: a text after its safe fixes.
        format: a text in canonical form; it raises a PlanSyntaxError for one with faults.
        read: what a text holds.
        triggers: the characters at which a client asks for candidates.
    """

    id: str
    files: re.Pattern[str]
    fix: Callable[[str], Fixed]
    format: Callable[[str], str]
    read: Callable[[str], Reading]
    triggers: Sequence[str]
