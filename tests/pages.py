"""Markdown pages as their readers see them: code blocks, and headings."""

from __future__ import annotations

from attrs import frozen
from markdown_it import MarkdownIt

__all__ = ["Fence", "fences", "headings"]


@frozen
class Fence:
    """One code block of a page."""

    info: str
    text: str


def fences(page: str) -> list[Fence]:
    """The code blocks of a page."""
    return [Fence(token.info, token.content) for token in MarkdownIt().parse(page) if token.type == "fence"]


def headings(page: str) -> list[str]:
    """The headings of a page, each with its level in front."""
    tokens = MarkdownIt().parse(page)
    return [f"{token.tag} {tokens[at + 1].content}" for at, token in enumerate(tokens) if token.type == "heading_open"]
