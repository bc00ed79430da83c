"""The smallest text that lets a language model mend its plan: the wrong lines, the rules, and how to answer."""

from __future__ import annotations

from typing import Any

from planspec_lark.answers.examples import EXAMPLES
from planspec_lark.answers.faulty import Faulty, find_faulty
from planspec_lark.syntax.diagnostics import Diagnostic, shorten
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits
from planspec_lark.syntax.prompt_templates import fill, read_template, to_json

__all__ = ["MAX_FAULTS", "repair_prompt"]

MAX_FAULTS = 20
# Of all lines that are shown, and of what is said about them.
_MAX_CHARACTERS = 20_000


def repair_prompt(
    text: str,
    *,
    language: str = "en",
    max_faults: int = MAX_FAULTS,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """What asks a language model to mend single lines of a plan. :func:`~planspec_lark.splice` puts its answer in.

    Args:
        text: the plan. Where its syntax is right, what breaks one of the six rules is to be mended.
        language: "en" or "zh".
        max_faults: how many faults to show; of the others, their number. Long lines leave room for fewer.
        name: what errors call the text.
        limits: how much to read.

    Returns:
        The prompt; the empty text where nothing is to be mended.

    Raises:
        ValueError: there is no such prompt in this language, there can not be so few faults, or the text is too large
            or has a line that is too long to be mended.
    """
    if max_faults < 1:
        raise ValueError(f"max_faults: {max_faults} is less than 1")
    template = read_template(__package__, "mend", language)
    faulty = find_faulty(text, name=name, limits=limits)
    if faulty.excess is not None:
        raise ValueError(faulty.excess.message)
    if not faulty.faults:
        return ""
    shown, lines = _choose(faulty, max_faults)
    if not shown:
        number = faulty.faults[0][1][0]
        raise ValueError(f"line {number} is too long to be mended: take it out, or mend it by hand")
    more = len(faulty.faults) - len(shown)
    rest = f"{max(more, 1)}+" if faulty.uncounted else str(more) if more else None
    rules = _rules(dict.fromkeys(fault.code for fault in shown), language)
    rows = ",\n".join(to_json(lines[number], indent=None) for number in sorted(lines))
    return fill(template, lines=f"[\n{rows}\n]", rules=rules, more=rest)


def _choose(faulty: Faulty, most: int) -> tuple[list[Diagnostic], dict[int, dict[str, Any]]]:
    """The first faults, as many as there is room for, and the lines that have to be written anew for them."""
    shown: list[Diagnostic] = []
    lines: dict[int, dict[str, Any]] = {}
    room = _MAX_CHARACTERS
    for fault, numbers in faulty.faults[:most]:
        new = [number for number in numbers if number not in lines]
        notes = {number: _note(fault, number, faulty) for number in numbers}
        room -= sum(len(faulty.source.line(number)) for number in new)
        room -= sum(len(str(value)) for note in notes.values() for value in note.values())
        if room < 0:
            break
        for number, note in notes.items():
            line = lines.setdefault(number, {"line": number, "text": _text_of(faulty, number), "wrong": []})
            line["wrong"].append(note)
        shown.append(fault)
    return shown, lines


def _text_of(faulty: Faulty, number: int) -> str:
    return faulty.source.line(number).strip("\ufeff \t")


def _note(fault: Diagnostic, number: int, faulty: Faulty) -> dict[str, Any]:
    """What is said about one line of a fault."""
    span = fault.span
    is_place = span is not None and fault.code not in ("PS201", "PS205") and number == span.line
    note: dict[str, Any] = {"code": fault.code, "message": shorten(fault.message)}
    if not is_place or span is None:
        if fault.code == "PS106" and (span is None or number < span.line):
            note["message"] = "the part from line {} goes in front of this line".format(span.line if span else "?")
        return note
    line = faulty.source.line(number)
    indent = len(line) - len(line.lstrip("\ufeff \t"))
    note["column"] = max(span.column - indent, 1)
    if fault.fix is not None and fault.fix.span.line == fault.fix.span.end_line:
        start, end = fault.fix.span.column - 1, fault.fix.span.end_column - 1
        note["write"] = f"{line[:start]}{fault.fix.text}{line[end:]}".strip("\ufeff \t")
    return note


def _rules(codes: dict[str, None], language: str) -> str:
    """The rules of these codes in words, each with an example."""
    words = dict(row.split(" ", 1) for row in read_template(__package__, "rules", language).splitlines())
    return "\n".join(f"- {code}: {words[code]}\n\n{_fenced(EXAMPLES[code])}\n" for code in codes).rstrip("\n")


def _fenced(example: str) -> str:
    return "\n".join(f"  {row}" for row in ("```text", *example.split("\n"), "```"))
