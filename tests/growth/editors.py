"""What an editor does with a text of a hostile shape, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise

from lsprotocol import types

from planspec_lark.lsp import features
from planspec_lark.lsp.documents import ClientSettings, Document
from planspec_lark.lsp.languages import language_of
from planspec_lark.lsp.rename import RenameError, places_to_rename
from tests.growth.work import Work

__all__ = ["editor_work"]

_URI = "untitled:1"


def _open(text: str, language: str) -> Document:
    known = language_of(language, _URI)
    assert known is not None
    # What fixes everything is measured by itself.
    return Document(types.TextDocumentItem(_URI, language, 1, text), known, ClientSettings(resolves_edits=True))


def _type(document: Document) -> None:
    """Put a character into many places at once."""
    text = document.text.text
    ends = [len(text) * part // 100 for part in range(101)]
    changed = types.TextDocumentContentChangeWholeDocument("x".join(text[start:end] for start, end in pairwise(ends)))
    document.change(2, [changed])
    features.diagnose(document)


def _ask(document: Document) -> None:
    """Ask all that can be asked, about all of the text, and about a place in the middle of it."""
    about, text = types.TextDocumentIdentifier(_URI), document.text.text
    features.list_symbols(document)
    features.fold(document)
    features.list_tokens(document, types.SemanticTokensParams(about))
    features.format_text(document)
    whole = document.text.range(0, len(text))
    features.fix(document, types.CodeActionParams(about, whole, types.CodeActionContext([])))
    offset = len(text) // 2
    at = document.text.position(offset)
    features.hover(document, types.HoverParams(about, at))
    features.complete(document, types.CompletionParams(about, at))
    reading = document.reading
    # Where names stand, in one language and the other.
    places = (text.rfind("→", 0, offset) + 2, text.rfind("：", 0, offset) + 1, text.rfind(": ", 0, offset) + 2)
    for word in filter(None, map(reading.word_at, places)):
        reading.definitions(word)
        reading.occurrences(word)
        with suppress(RenameError):
            places_to_rename(reading, word, "another")


def editor_work(language: str) -> Mapping[str, Work]:
    """What is done with documents of a language."""
    start = partial(_open, language=language)
    return {"an editor's changes": Work(_type, start), "an editor's questions": Work(_ask, start)}
