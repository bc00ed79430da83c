"""Language models whose answers are scripts: they see nothing but the prompt."""

from __future__ import annotations

import re
from typing import Any

from planspec_lark import repair_plan
from planspec_lark.answers import RepairRound

_SHOWN = re.compile(r"^LINE ([0-9]+): ?(.*)$", re.MULTILINE)
_PLACE = re.compile(r"^ --> .*:([0-9]+):[0-9]+$", re.MULTILINE)
_WRITE = re.compile(r"^  write: (.*(?:\n {9}.*)*)", re.MULTILINE)


def answered(text: str, answer: str, **options: Any) -> RepairRound:
    """The first round of a repair, in which this is answered."""
    return repair_plan(text, lambda _: answer, rounds=1, **options).rounds[0]


def asked(text: str, **options: Any) -> str:
    """What is asked first about a text."""
    return answered(text, "", **options).prompt


def lines_of(prompt: str) -> dict[int, str]:
    """The lines that a prompt shows, by their numbers."""
    plan = _block(prompt, 0)
    return {int(number): text for number, text in _SHOWN.findall(plan)}


def wrong_of(prompt: str) -> list[tuple[int, str]]:
    """The findings that a prompt shows, each with its line."""
    found = _block(prompt, 1).split("\n\n")
    return [(int(place[1]), one) for one in found if (place := _PLACE.search(one))]


def follow(prompt: str) -> str:
    """The answer of one that does what the prompt proposes, and leaves all else as it is."""
    rows: dict[int, list[str]] = {}
    for line, found in wrong_of(prompt):
        if match := _WRITE.search(found):
            texts = match[1].replace("\n         ", "\n").split("\n")
            rows[line] = [""] if texts[0].startswith("(nothing") else texts
    return "\n".join(f"LINE {line}: {text}".rstrip() for line, texts in rows.items() for text in texts)


def _block(prompt: str, number: int) -> str:
    # How to answer, with examples, stands before the text.
    _, _, data = re.split("^## (Your text|你的文本)$", prompt, maxsplit=1, flags=re.MULTILINE)
    blocks = re.findall(r"^(`{3,})text\n(.*?)^\1$", data, re.MULTILINE | re.DOTALL)
    return str(blocks[number][1])
