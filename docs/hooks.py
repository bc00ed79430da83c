"""What the site makes of the pages: they are written for the tests and for a reader of the repository.

The words behind a fence say to ``tests/test_docs.py`` what a block is. Python-Markdown takes none but a language. The
button that copies a block of a console takes its commands alone.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from html import escape
from typing import Any

from planspec_lark import __version__

# The words of a fence, and the language whose colours fit.
_LANGUAGES = {"console": "console", "python": "python", "json": "json", "yaml": "yaml", "sh": "sh"}
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`\n]*)$", re.M)
# GitHub wants a backslash before a bar in a table's cell, and Python-Markdown none where the bar is in code.
_BAR_IN_CODE = re.compile(r"`[^`\n]*\\\|[^`\n]*`")
_CONSOLE = re.compile(r'<div class="language-console\b[^>]*(?=>)')
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)]*)?\)")


def on_config(config: Any, **_: Any) -> None:
    """The foot of each page has the version."""
    config.copyright = f"planspec_lark {__version__}"


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """A page as Python-Markdown reads it."""
    here = posixpath.dirname(page.file.src_uri)
    if not here:
        # A page that is alone in its part of the navigation needs no list of that part.
        page.meta.setdefault("hide", ["navigation"])
    parts = []
    end = 0
    page.meta["copies"] = copies = []
    for start, stop in _blocks(markdown):
        first, text = markdown[start:stop].rsplit("\n", 1)[0].split("\n", 1)
        if first.endswith("```console"):
            copies.append("\n".join(command for command, _ in commands_of(text)))
        parts += [_outside_links(markdown[end:start], here, config.repo_url), _plain_fence(markdown[start:stop])]
        end = stop
    parts.append(_outside_links(markdown[end:], here, config.repo_url))
    return "".join(parts)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """A page with what is copied of each console."""
    copies = iter(page.meta["copies"])
    return _CONSOLE.sub(lambda found: f'{found[0]} data-copy="{escape(next(copies))}"', html)


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output below it; `> ` goes on with a command."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        first, *rows = part.split("\n")
        while rows and rows[0].startswith("> ") and _is_open(first):
            first += "\n" + rows.pop(0)[2:]
        yield first, "\n".join(rows)


def _is_open(command: str) -> bool:
    """Whether a command's quotes are still open."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


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
