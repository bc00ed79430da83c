"""What the site makes of the pages: they are written for the tests and for a reader of the repository.

The words behind a fence say to ``tests/test_docs.py`` what a block is. Python-Markdown takes none but a language.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

# The words of a fence, and the language whose colours fit.
_LANGUAGES = {"console": "console", "python": "python", "json": "json", "yaml": "yaml", "sh": "sh"}
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`\n]*)$", re.M)
# GitHub wants a backslash before a bar in a table's cell, and Python-Markdown none where the bar is in code.
_BAR_IN_CODE = re.compile(r"`[^`\n]*\\\|[^`\n]*`")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)]*)?\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """A page as Python-Markdown reads it."""
    here = posixpath.dirname(page.file.src_uri)
    if not here:
        # A page that is alone in its part of the navigation needs no list of that part.
        page.meta.setdefault("hide", ["navigation"])
    parts = []
    end = 0
    for start, stop in _blocks(markdown):
        parts += [_outside_links(markdown[end:start], here, config.repo_url), _plain_fence(markdown[start:stop])]
        end = stop
    parts.append(_outside_links(markdown[end:], here, config.repo_url))
    return "".join(parts)


def _blocks(markdown: str) -> list[tuple[int, int]]:
    """Where the fenced blocks stand."""
    found = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(markdown):
        if opened is None:
            opened = fence
        elif not fence["info"].strip() and len(fence["ticks"]) >= len(opened["ticks"]):
            found.append((opened.start(), fence.end()))
            opened = None
    return found


def _plain_fence(block: str) -> str:
    """A block whose fence has one word; `bad` and `good` become its title."""
    first, rest = block.split("\n", 1)
    fence = _FENCE.match(first)
    assert fence is not None
    words = fence["info"].partition(" file=")
    kind, *more = words[0].split() or ["text"]
    title = words[2] or {"bad": "Wrong", "good": "Right", "refused": "Refused", "accepted": "Accepted"}.get(
        more[0] if more else "", ""
    )
    named = f' title="{title}"' if title else ""
    return f"{fence['indent']}{fence['ticks']}{_LANGUAGES.get(kind, 'text')}{named}\n{rest}"


def _outside_links(text: str, here: str, home: str | None) -> str:
    """Links to files beside ``docs/`` lead to the repository, where its address is known, or are plain text."""

    def link(match: re.Match[str]) -> str:
        target = match["target"]
        if (
            ":" in target
            or not (path := posixpath.normpath(posixpath.join("docs", here, target)))
            or (path.startswith("docs/"))
        ):
            return match[0]
        return f"[{match['text']}]({home.rstrip('/')}/blob/main/{path})" if home else match["text"]

    return _BAR_IN_CODE.sub(lambda code: code[0].replace("\\|", "|"), _LINK.sub(link, text))
