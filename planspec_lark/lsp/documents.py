"""The documents that a client has open, and what was found out about each of them as it is now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import frozen
from lsprotocol import types

from planspec_lark.lsp.languages import path_of
from planspec_lark.lsp.step_index import StepIndex
from planspec_lark.lsp.text import ClientText
from planspec_lark.syntax.codes import Severity
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = ["ClientSettings", "Document"]


@frozen(kw_only=True)
class ClientSettings:
    """What a client has said at the start.

    Attributes:
        encoding: what its columns count units of.
        roots: the URIs of the folders that it has opened.
        info: whether infos are told as well.
        pulls: whether it asks for findings, which then need not be sent to it.
        resolves_edits: whether it asks for the edit of an action once that is chosen.
        has_versions: whether an edit may say for which version of a document it is made.
    """

    encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16
    roots: Sequence[str] = ()
    info: bool = False
    pulls: bool = False
    resolves_edits: bool = False
    has_versions: bool = False


class Document:
    """A document of a language.

    Attributes:
        uri: what its client calls it.
        version: the number of its last change.
        folder: that of its file, whose project settles how it is checked; None for what is no file.
        text: its text now.
        settings: those of its client.
    """

    def __init__(self, item: types.TextDocumentItem, language: type[StepIndex[Any]], settings: ClientSettings) -> None:
        self.uri, self.version, self.settings, self._language = item.uri, item.version, settings, language
        self.folder = Path(path_of(item.uri)).parent if item.uri.startswith("file:") else None
        self.text = ClientText(item.text, settings.encoding)
        # The last reading of a text without faults.
        self._sound: StepIndex[Any] | None = None

    def change(self, version: int, changes: Iterable[types.TextDocumentContentChangeEvent]) -> None:
        """Take changes, one after the other."""
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                text = self.text.replaced(change.range, text)
            self.text = ClientText(text, self.settings.encoding)
        self.version = version
        self.__dict__.pop("findings", None)
        reading = self.__dict__.pop("reading", None)
        if reading is not None and not reading.faults:
            self._sound = reading

    @cached_property
    def findings(self) -> list[Diagnostic]:
        """All that is found in the text, in its order."""
        return self.reading.findings(Severity.INFO if self.settings.info else Severity.WARNING, self.folder)

    @cached_property
    def reading(self) -> StepIndex[Any]:
        """What the text holds."""
        return self._language(self.text.text, self._sound)
