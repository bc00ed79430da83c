"""The documents that a client has open, and what was found out about each of them as it is now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from attrs import frozen
from lsprotocol import types
from pygls.capabilities import get_capability

from planspec_lark.lsp.languages import language_of, path_of
from planspec_lark.lsp.step_index import Language, StepIndex
from planspec_lark.lsp.text import ClientText
from planspec_lark.syntax.codes import Severity
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = ["ClientSettings", "Document", "Documents"]


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
    roots: tuple[str, ...] = ()
    info: bool = False
    pulls: bool = False
    resolves_edits: bool = False
    has_versions: bool = False

    @classmethod
    def of(cls, params: types.InitializeParams, encoding: types.PositionEncodingKind | str) -> ClientSettings:
        """The settings in a client's first message."""
        ask: Callable[..., Any] = partial(get_capability, params.capabilities)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        options = params.initialization_options
        return cls(
            encoding=encoding,
            roots=tuple(folders or filter(None, [params.root_uri])),
            info=isinstance(options, dict) and options.get("info") is True,
            pulls=ask("text_document.diagnostic") is not None,
            resolves_edits="edit" in ask("text_document.code_action.resolve_support.properties", ()),
            has_versions=ask("workspace.workspace_edit.document_changes") is True,
        )


class Document:
    """A document of a language.

    Attributes:
        uri: what its client calls it.
        version: the number of its last change.
        folder: that of its file, whose project settles how it is checked; None for what is no file.
        text: its text now.
        settings: those of its client.
    """

    def __init__(self, item: types.TextDocumentItem, language: Language, settings: ClientSettings) -> None:
        self.uri, self.language, self.version = item.uri, language, item.version
        self.folder = Path(path_of(item.uri)).parent if item.uri.startswith("file:") else None
        self.text, self.settings = ClientText(item.text, settings.encoding), settings
        self._findings: list[Diagnostic] | None = None
        self._reading: StepIndex[Any] | None = None
        # The last reading of a text without faults.
        self._sound: StepIndex[Any] | None = None

    def forget(self) -> None:
        """The text is another now."""
        if self._reading is not None and not self._reading.faults:
            self._sound = self._reading
        self._findings = self._reading = None

    def findings(self) -> list[Diagnostic]:
        """All that is found in the text, in its order."""
        if self._findings is None:
            least = Severity.INFO if self.settings.info else Severity.WARNING
            self._findings = self.reading().findings(least, self.folder)
        return self._findings

    def reading(self) -> StepIndex[Any]:
        """What the text holds."""
        if self._reading is None:
            self._reading = self.language.read(self.text.text, self._sound)
        return self._reading


class Documents:
    """The open documents."""

    def __init__(self) -> None:
        self.settings = ClientSettings()
        self._open: dict[str, Document] = {}

    def find(self, uri: str) -> Document | None:
        """The document that is open by this URI, or None."""
        return self._open.get(uri)

    def open(self, item: types.TextDocumentItem) -> Document | None:
        """Take a document; None where it is in no language that is known."""
        self._open.pop(item.uri, None)
        language = language_of(item.language_id, item.uri, self.settings.roots, item.text)
        if language is None:
            return None
        return self._open.setdefault(item.uri, Document(item, language, self.settings))

    def change(
        self, about: types.VersionedTextDocumentIdentifier, changes: Iterable[types.TextDocumentContentChangeEvent]
    ) -> Document | None:
        """Take changes of a document, one after the other; None where none is open by this URI."""
        document = self._open.get(about.uri)
        if document is None:
            return None
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                text = document.text.replaced(change.range, text)
            document.text = ClientText(text, self.settings.encoding)
        document.version = about.version
        document.forget()
        return document

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._open.pop(uri, None)
