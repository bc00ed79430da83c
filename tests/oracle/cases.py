"""What both are asked: fixtures, texts that are nearly right, sequences of edits, merges, and streams cut anywhere.

All of it follows from the commit's hash, so that every run asks the same. Nothing here imports the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["Case", "make_cases"]

Case = dict[str, Any]

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_JUNK = [
    *(
        "\x00",
        "\x07",
        "\r",
        "\x1b[2J",
        "\x7f",
        "\x85",
        "\u2028",
        "\u3000",
        "\xa0",
        "\ufeff",
        "\u202e",
        "\u0301",
        "文",
        "👩‍👧",
    ),
    *(
        "\\",
        "\\|",
        " | ",
        "| ",
        "→ a",
        "→ a, b",
        "->",
        "=>",
        "← a",
        "← 输入",
        "<-",
        "，",
        "、",
        "Progress: 3/5",
        "Progress:",
    ),
    *(
        "[X]",
        "[x]",
        "[>]",
        "[!]",
        "[~]",
        "[ ]",
        "[act]",
        "[LLM]",
        "[",
        "]",
        "1)",
        "1.",
        "2.1. ",
        "3.2.1. [act] ",
        "* ",
        "- ",
        "> ",
    ),
    *(
        "# ",
        "## Steps",
        "## Constraints",
        "Goal:",
        "Goal：",
        "**Goal**:",
        "Constraints:",
        "```",
        "```\n",
        "**",
        "`",
        "PLAN_CMD: ",
    ),
    *(
        "<think>",
        "</think>",
        "DONE 1",
        "ADD 1 [act] x → y",
        "REPLAN ALL",
        "{",
        "}",
        '"',
        ":",
        "\n",
        "\n\n",
        "\n> x",
        "\t",
        "   ",
    ),
]
_SENTENCES = [
    "Here is the plan:",
    "Good luck!",
    "Note that step 2 comes first.",
    "下面是计划：",
    "1. First, think.",
    "- [ ] todo",
]


@cache
def _samples(folder: str, *suffixes: str) -> list[tuple[str, str]]:
    found = []
    for path in sorted((_FIXTURES / folder).rglob("*.*")):
        if path.suffix in suffixes:
            data = path.read_bytes()
            found.append((str(path.relative_to(_FIXTURES)), data.decode("utf-8", "surrogateescape")))
    assert found, folder
    return found


def make_cases(seed: str, texts: int) -> Iterator[Case]:
    """All cases, each with an ``id`` that says where it comes from and a ``kind`` that says what is asked."""
    yield from _from_fixtures()
    random = Random(seed)
    plans = [text for _, text in _samples("planspec", ".md")]
    valid = [text for name, text in _samples("planspec", ".md") if "/valid/" in name]
    commands = [text for _, text in _samples("plan_cmd", ".txt", ".md")]
    for number in range(texts):
        yield {"id": f"text {number}", "kind": "plan", "text": _text(random, plans), "ask": number}
    for number in range(texts // 10):
        yield {"id": f"commands {number}", "kind": "commands", "text": _text(random, [*commands, *plans])}
    for number in range(texts // 10):
        text = _text(random, plans)
        yield {"id": f"stream {number}", "kind": "stream", "text": text, "cuts": _cuts(random, len(text))}
    for number in range(texts // 10):
        text = _text(random, valid)
        yield {"id": f"edits {number}", "kind": "edits", "text": text, "edits": _edits(random, _ids(text))}
    for number in range(texts // 20):
        base = random.choice(valid)
        sides = [_commands(random, _ids(base)), _commands(random, _ids(base))]
        yield {"id": f"merge {number}", "kind": "merge", "text": base, "sides": sides}
    objects = [text for folder in ("json_text", "plan_next") for _, text in _samples(folder, ".json", ".txt", ".md")]
    for number in range(texts // 10):
        yield {"id": f"json {number}", "kind": "json", "text": _text(random, objects)}


def _from_fixtures() -> Iterator[Case]:
    for name, text in _samples("planspec", ".md", ".txt"):
        for ask in range(8):
            yield {"id": f"{name} {ask}", "kind": "plan", "text": text, "ask": ask}
        yield {"id": f"{name} stream", "kind": "stream", "text": text, "cuts": list(range(0, len(text), 7))}
        yield {"id": f"{name} command line", "kind": "command line", "text": text}
    for name, text in _samples("plan_cmd", ".txt", ".md"):
        yield {"id": name, "kind": "commands", "text": text}
    for folder in ("json_text", "plan_next", "toolplan", "execution", "reflection", "replan"):
        for name, text in _samples(folder, ".json", ".txt", ".md", ".yaml"):
            yield {"id": name, "kind": "json", "text": text}


# ---------------------------------------------------------------- texts


def _text(random: Random, samples: list[str]) -> str:
    text = random.choice(samples)
    for _ in range(random.choice([0, 1, 1, 2, 3, 6])):
        text = random.choice([_put, _cut, _double, _move_row, _put_row, _swap, _end_otherwise])(random, text, samples)
    return text


def _put(random: Random, text: str, _: list[str]) -> str:
    at = random.randint(0, len(text))
    return text[:at] + random.choice(_JUNK) * random.choice([1, 1, 1, 2, 5]) + text[at:]


def _cut(random: Random, text: str, _: list[str]) -> str:
    at = random.randint(0, len(text))
    return text[:at] + text[at + random.choice([1, 2, 5, 40]) :]


def _double(random: Random, text: str, _: list[str]) -> str:
    at = random.randint(0, len(text))
    return text[:at] + text[at : at + random.randint(1, 60)] * 2 + text[at:]


def _move_row(random: Random, text: str, _: list[str]) -> str:
    rows = text.split("\n")
    row = rows.pop(random.randrange(len(rows)))
    rows.insert(random.randint(0, len(rows)), row)
    return "\n".join(rows)


def _put_row(random: Random, text: str, samples: list[str]) -> str:
    rows = text.split("\n")
    row = random.choice([random.choice(_SENTENCES), random.choice(random.choice(samples).split("\n"))])
    rows.insert(random.randint(0, len(rows)), row)
    return "\n".join(rows)


def _swap(random: Random, text: str, _: list[str]) -> str:
    old = random.choice([" ", "|", "→", "[", "]", ".", ">", "←", ":", "-", "#", "1", ","])
    return text.replace(old, random.choice(_JUNK), random.choice([1, 5, -1]))


def _end_otherwise(random: Random, text: str, _: list[str]) -> str:
    return text.replace("\n", random.choice(["\r\n", "\r", "\n\n", " \n", "\n\t"]))


def _cuts(random: Random, length: int) -> list[int]:
    return sorted(random.randint(0, length) for _ in range(random.choice([0, 1, 5, 50])))


# ---------------------------------------------------------------- edits


def _ids(text: str) -> list[str]:
    """The ids that seem to be in a text, and a few that are not."""
    return [*re.findall(r"^\s*(\d+(?:\.\d+)*)\.\s", text, re.M), "9", "1.1", "4.4.2"]


def _command(random: Random, ids: list[str]) -> str:
    verb = random.choice(["DONE", "BLOCKED", "SKIP", "ADD", "ADD", "REVISE", "REPLAN", "EXPAND", "COLLAPSE"])
    text = random.choice(["", "all there", "a | b", "走 → x", "write it → a, b", "\\→ a"])
    if verb in ("ADD", "REVISE"):
        kind = random.choice(["act", "reason", "subtask", "decide", "x"])
        detail = random.choice(["", "\n> ← a\n> more", "\n> only this"])
        step_id = _new(random, ids) if verb == "ADD" else random.choice(ids)
        return f"PLAN_CMD: {verb} {step_id} [{kind}] {text or 'do it'}{detail}"
    if verb in ("EXPAND", "COLLAPSE") or not text:
        return f"PLAN_CMD: {verb} {random.choice(ids)}"
    return f"PLAN_CMD: {verb} {random.choice(ids)} | {text}"


def _new(random: Random, ids: list[str]) -> str:
    """An id for a step: one that is taken, the next one, or one below."""
    head, _, last = random.choice(ids).rpartition(".")
    number = str(int(last) + random.choice([0, 1, 1, 3]))
    return random.choice([f"{head}.{number}" if head else number, f"{random.choice(ids)}.1"])


def _commands(random: Random, ids: list[str]) -> str:
    return "\n".join(_command(random, ids) for _ in range(random.randint(1, 6))) + "\n"


def _edits(random: Random, ids: list[str]) -> list[list[str]]:
    """Calls of a document: a method's name and its arguments, all texts."""
    made = []
    for _ in range(random.randint(1, 8)):
        method = random.choice(["apply", "apply", "set_status", "add", "remove", "move", "rename"])
        arguments = {
            "apply": lambda: [_commands(random, ids)],
            "set_status": lambda: [random.choice(ids), random.choice(["done", "active", "pending"])],
            "add": lambda: [_new(random, ids), "act"],
            "remove": lambda: [random.choice(ids)],
            "move": lambda: [random.choice(ids), _new(random, ids)],
            "rename": lambda: [random.choice(ids), random.choice(["load", "数据", "a-b"])],
        }[method]()
        made.append([method, *arguments])
    return made
