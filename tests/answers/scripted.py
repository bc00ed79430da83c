"""Language models whose answers are scripts: they see nothing but the prompt."""

from __future__ import annotations

import json
import re
from typing import Any

# What is in a wrong place or says nothing is left out; what has to be a step and can not be one becomes another.
_OUT = {"PS101", "PS104", "PS105", "PS107", "PS109", "PS125", "PS128"}
_STEP = {"PS102", "PS110", "PS112", "PS117", "PS202", "PS203", "PS204"}
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def lines_of(prompt: str) -> list[dict[str, Any]]:
    """The lines that a prompt asks for."""
    block = re.search(r"^```json\n(.*?)^```$", prompt, flags=re.S | re.M)
    assert block is not None
    listed: list[dict[str, Any]] = json.loads(block[1])
    return listed


def follow(prompt: str) -> str:
    """The answer of one that does what the prompt proposes, and leaves all else as it is."""
    rows: list[str] = []
    for line in lines_of(prompt):
        texts = [note["write"] for note in line["wrong"] if "write" in note] or [line["text"]]
        # A model writes no control characters.
        rows += [f"LINE {line['line']}: {_CONTROLS.sub('', text)}".rstrip(" ") for text in texts[0].split("\n")]
    return "\n".join(rows)


def think(prompt: str) -> str:
    """The answer of one that knows what the rules say."""
    listed = lines_of(prompt)
    moved = [line["text"] for line in listed if _has(line, "PS106") and not _is_anchor(line)]
    rows = ["Let me see.", ""]
    for line in listed:
        rows += [f"LINE {line['line']}: {text}".rstrip() for text in _repair(line, moved) or [""]]
    return "\n".join(rows)


def _has(line: dict[str, Any], code: str) -> bool:
    return any(note["code"] == code for note in line["wrong"])


def _is_anchor(line: dict[str, Any]) -> bool:
    return any("goes in front of this line" in note["message"] for note in line["wrong"])


def _repair(line: dict[str, Any], moved: list[str]) -> list[str]:
    before = moved if _is_anchor(line) else []
    before = [*before, "Goal: Know what it is for"] if _has(line, "PS205") else before
    behind = ["## Steps", "1. [act] Begin"] if _has(line, "PS201") else []
    own = [line["text"]]
    for note in line["wrong"]:
        if "write" in note:
            own = note["write"].split("\n")
        elif note["code"] in _OUT or (note["code"] == "PS106" and not _is_anchor(line)):
            own = []
        elif note["code"] in _STEP:
            own = [f"{900 + line['line']}. [subtask] Something else"]
    return [*before, *own, *behind]
