"""The table of languages, and which one a document is in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from planspec_lark.folder.foreign import is_foreign, is_hidden
from planspec_lark.lsp.hopspec_index import HopSpecIndex
from planspec_lark.lsp.planspec_index import PlanIndex
from planspec_lark.lsp.step_index import StepIndex

__all__ = ["LANGUAGES", "language_of", "path_of"]

# Where a path is that of several, the first counts: a file's own name says more than its folder.
LANGUAGES: Sequence[type[StepIndex[Any]]] = (HopSpecIndex, PlanIndex)


def language_of(language_id: str, uri: str, roots: Iterable[str] = (), text: str = "") -> type[StepIndex[Any]] | None:
    """The language of a document, or None where it is in none of them.

    Args:
        language_id: what its client calls the language; most call these files Markdown.
        uri: of the document.
        roots: the URIs of the folders that the client has opened. What these are called says nothing of what is in
            them.
        text: what is in it, which may show that it is another tool's.
    """
    path = path_of(uri)
    path = min([path, *(path.removeprefix(f"{path_of(root).rstrip('/')}/") for root in roots)], key=len)
    named = next((one for one in LANGUAGES if one.language == language_id), None)
    if named is not None or is_hidden(path) or is_foreign(text):
        return named
    return next((one for one in LANGUAGES if one.files.search(path)), None)


def path_of(uri: str) -> str:
    """The path in a URI; empty where it is none."""
    try:
        return unquote(urlsplit(uri).path)
    except ValueError:  # not a URI
        return ""
