"""The smallest text that lets a language model repair its plan: the wrong lines, the rules, and how to answer.

Most faults are in a line of their own. What is missing, or is in the wrong place, needs a line beside which it
goes instead: that line stays, and what is missing is written with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeAlias

from attrs import frozen

from planspec_lark.planspec.check import locate
from planspec_lark.planspec.models import BLANKS
from planspec_lark.planspec.near_misses import repair_header
from planspec_lark.planspec.prompt_texts import type_values
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.step_repair import find_misses
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, shorten
from planspec_lark.syntax.limits import DEFAULT_LIMITS, OVER_LIMIT, Limits
from planspec_lark.syntax.prompt_templates import fill, prompt_json, read_template, text_values
from planspec_lark.syntax.source import Source, Span

__all__ = [
    "EXAMPLES",
    "MAX_FAULTS",
    "NO_GOAL",
    "NO_STEPS",
    "Fault",
    "Faulty",
    "build_prompt",
    "find_beside",
    "find_faulty",
    "last_line",
    "repair_prompt",
]

MAX_FAULTS = 20
# Of all lines that are shown, and of what is said about them.
_MAX_CHARACTERS = 20_000
# What is missing, so that it has no place.
NO_STEPS, NO_GOAL = "PS201", "PS205"
# A part that is in the wrong place.
_MISPLACED = "PS106"
_MARKS = ("TITLE_MARK", "GOAL_MARK", "CONSTRAINTS_MARK", "STEPS_MARK")
_GOAL, _STEPS = _MARKS.index("GOAL_MARK"), _MARKS.index("STEPS_MARK")
# What is around a line and is none of it.
_AROUND = "\ufeff" + BLANKS

# A right example for each fault that a line of a plan may have: beside the rule in words, what a model is shown.
# Each is at the start of a plan, in its steps, or is a whole plan; the tests read them as such.
EXAMPLES = {
    "PS101": "  > The depot opens at seven.",
    "PS102": "1. [act] Order the gas → gas",
    "PS103": "1. [act] Order the gas → gas",
    "PS104": "Goal: Open the bakery at six",
    "PS105": "Goal: Open the bakery at six\n> And close it at noon.",
    "PS106": "Goal: Open the bakery at six\nConstraints:\n- No noise before five\n## Steps",
    "PS107": "1. [act] Order the gas → gas\n  > The depot opens at seven.",
    "PS109": "- No noise before five",
    "PS110": "2.1. [act] Order the gas → gas",
    "PS111": "1. [x] [act] Order the gas → gas",
    "PS112": "1. [act] Order the gas → gas",
    "PS113": "1. [x] order [act] Order the gas → gas",
    "PS114": "1. [x] [act] Order the gas → gas | Two bottles",
    "PS115": "1. [>] [subtask] Order the gas → gas | Progress: 1/3",
    "PS116": "1. [>] [subtask] Order the gas → gas | Two bottles | Progress: 1/3",
    "PS117": "3. [act] Order the gas → gas",
    "PS118": "- No noise before five",
    "PS124": "## Steps\n1. [act] Order the gas → gas",
    "PS125": "1. [act] Order the gas → gas",
    "PS126": "1. [act] Order the gas for the new oven → gas",
    "PS127": "2. [act] Light the oven → heat\n3. [act] Bake the bread → bread",
    "PS128": "1. [act] Order the gas → gas",
    "PS129": "2. [act] Light the oven → heat\n3. [act] Bake the bread → bread",
    "PS201": "## Steps\n1. [act] Order the gas → gas",
    "PS202": "1. [act] Order the gas → gas",
    "PS203": "1. order_gas [act] Order the gas → gas",
    "PS204": "1. [subtask] Order the gas → gas\n  1.1. [act] Call the depot → date",
    "PS205": "Goal: Open the bakery at six\n## Steps",
    "PS305": "2. [act] Light the oven → heat, light\n  > ← gas",
}


# ---------------------------------------------------------------- which lines are wrong


# A fault, and the lines that have to be rewritten for it.
Fault: TypeAlias = "tuple[Diagnostic, list[int]]"


@frozen(slots=False)
class Faulty:
    """What is to be repaired in a text.

    Attributes:
        source: the text.
        faults: each fault in the order of the text: what is wrong, and the lines that have to be rewritten for it.
        uncounted: what says how many findings there are besides; None where all are listed.
        excess: what is wrong with a text that is too large to be repaired.
    """

    source: Source
    faults: list[Fault]
    uncounted: Diagnostic | None
    excess: Diagnostic | None

    @cached_property
    def lines(self) -> frozenset[int]:
        """All lines that may be rewritten."""
        return frozenset(number for _, numbers in self.faults for number in numbers)


def find_faulty(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> Faulty:
    """Find the lines of a plan that have to be repaired: by its syntax, or where that is right, by the six rules."""
    result = scan_strictly(text, name=name, limits=limits)
    found = result.diagnostics
    if not found:
        located = locate(check_rules(result.plan), result.positions)
        found = [one for one in located if one.severity is Severity.ERROR][: limits.max_findings]
    excess = next((one for one in found if one.code in OVER_LIMIT), None)
    uncounted = next((one for one in found if one.code == "PS120"), None)
    parts = _Parts(result.source)
    faults = [(one, _lines_of(one, parts)) for one in found if one not in (excess, uncounted)]
    return Faulty(result.source, faults, uncounted, excess)


def last_line(span: Span) -> int:
    """The last line that a span touches; one that ends at a line's start does not touch that."""
    return max(span.line, span.end_line - (span.end_column == 1))


def _lines_of(fault: Diagnostic, parts: _Parts) -> list[int]:
    """The lines that have to be rewritten for a fault."""
    if fault.code in (NO_STEPS, NO_GOAL):
        return [parts.beside(fault.code)]
    assert fault.span is not None, "what is found in a text has a place"
    lines = [*range(fault.span.line, last_line(fault.span) + 1)]
    if fault.code == _MISPLACED and (own := parts.part_of(fault.span.line)) is not None:
        behind = parts.first_behind(own)
        return lines if behind is None else [behind, *lines]
    return lines


def find_beside(code: str, source: Source, span: Span | None) -> int:
    """The line beside which that goes which a plan lacks. The plan is all of a text, or is in a part of it."""
    if span is None:
        return _Parts(source).beside(code)
    first = span.line
    above = first - 1
    while above > 0 and not source.line(above).strip():
        above -= 1
    # A header is no part of a plan that has a place.
    if above > 0 and _Parts(source).part_of(above) is not None:
        first = above
    return _Parts(source, first, last_line(span)).beside(code)


@frozen(slots=False)
class _Parts:
    """Where the parts of a plan begin, as it is or as it is meant: in all of a text, or between two of its lines."""

    source: Source
    start: int = 1
    end: int | None = None

    @cached_property
    def first(self) -> dict[int, int]:
        """The first line of each part."""
        first: dict[int, int] = {}
        for number in range(self.start, (self.end or self.source.position(self.source.length)[0]) + 1):
            part = self.part_of(number)
            if part is not None:
                first.setdefault(part, number)
        return first

    def beside(self, code: str) -> int:
        """The line beside which that goes which is missing."""
        if code == NO_STEPS:
            return self.first.get(_STEPS) or self.last_line
        return self.first.get(_GOAL) or self.first_behind(_GOAL) or self.last_line

    def first_behind(self, part: int) -> int | None:
        """The first line of all parts that belong after one."""
        return min((line for other, line in self.first.items() if other > part), default=None)

    def part_of(self, number: int) -> int | None:
        """Which part begins in a line."""
        line = self.source.line(number).lstrip(_AROUND)
        for text in (line, (repair_header(line) or (None, ""))[1]):
            for part, mark in enumerate(_MARKS):
                if grammars.pattern("planspec", mark).match(text):
                    return part
        return _STEPS if grammars.pattern("planspec", "STEP_ID").match(line) else None

    @property
    def last_line(self) -> int:
        """The last line that is not blank."""
        return self.end or self.source.position(len(self.source.text.rstrip()))[0]


# ---------------------------------------------------------------- the prompt


def repair_prompt(
    text: str,
    *,
    language: str = "en",
    max_faults: int = MAX_FAULTS,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """What asks a language model to repair lines of a plan. :func:`~planspec_lark.answers.splice` puts its answer in.

    Args:
        text: the plan. Where its syntax is right, what breaks one of the six rules is to be repaired.
        language: "en" or "zh".
        max_faults: how many faults to show; of the others, their number. Long lines leave room for fewer.
        name: what errors call the text.
        limits: how much to read.

    Returns:
        The prompt; the empty text where nothing is to be repaired.

    Raises:
        ValueError: there is no such prompt in this language, there can not be so few faults, or the text is too large
            or has a line that is too long to be repaired.
    """
    if max_faults < 1:
        raise ValueError(f"max_faults: {max_faults} is less than 1")
    # Whatever the text is like, there has to be a prompt in this language.
    read_template(__package__, "repair", language)
    faulty = find_faulty(text, name=name, limits=limits)
    if faulty.excess is not None:
        raise ValueError(faulty.excess.message)
    return build_prompt(faulty, language=language, max_faults=max_faults)[0] if faulty.faults else ""


def build_prompt(
    faulty: Faulty, *, language: str, max_faults: int, plan: str | None = None, refused: str | None = None
) -> tuple[str, frozenset[int]]:
    """The prompt for the first faults, and the lines that it asks for.

    Args:
        faulty: what is to be repaired.
        language: "en" or "zh".
        max_faults: how many faults to show.
        plan: what could be read of the plan, for those who do not remember it.
        refused: why the last answer to this was not taken.

    Raises:
        ValueError: the first line is too long to be repaired.
    """
    shown, lines = _choose(faulty, max_faults)
    if not shown:
        number = faulty.faults[0][1][0]
        raise ValueError(f"line {number} is too long to be repaired: remove it, or repair it by hand")
    more = len(faulty.faults) - len(shown)
    rest = f"{max(more, 1)}+" if faulty.uncounted else str(more) if more else None
    prompt = fill(
        read_template(__package__, "repair", language),
        lines="[\n" + ",\n".join(prompt_json(lines[number], indent=None) for number in sorted(lines)) + "\n]",
        rules=_rules(dict.fromkeys(note["code"] for line in lines.values() for note in line["wrong"]), language),
        more=rest,
        refused=refused,
        **text_values(plan, name="plan"),
    )
    return prompt, frozenset(lines)


def _choose(faulty: Faulty, most: int) -> tuple[list[Diagnostic], dict[int, dict[str, Any]]]:
    """The first faults, as many as there is room for, and the lines that have to be rewritten for them."""
    shown: list[Diagnostic] = []
    lines: dict[int, dict[str, Any]] = {}
    room = _MAX_CHARACTERS
    for fault, numbers in faulty.faults[:most]:
        new = [number for number in numbers if number not in lines]
        notes = {number: [_note(fault, number, faulty), *_further(fault, number, faulty)] for number in numbers}
        room -= sum(len(faulty.source.line(number)) for number in new)
        room -= sum(len(str(value)) for several in notes.values() for note in several for value in note.values())
        if room < 0:
            break
        for number, several in notes.items():
            line = lines.setdefault(
                number, {"line": number, "text": faulty.source.line(number).strip(_AROUND), "wrong": []}
            )
            line["wrong"] += several
        shown.append(fault)
    return shown, lines


def _further(fault: Diagnostic, number: int, faulty: Faulty) -> Iterator[dict[str, Any]]:
    """What else is wrong with the line of a step that nothing says how to write: a reader names its first fault."""
    is_own = fault.span is not None and fault.span.line == number
    if not is_own or fault.fix is not None or not "PS110" <= fault.code <= "PS116":
        return
    told = {fault.code}
    for miss in find_misses(faulty.source.line(number).strip(_AROUND)):
        # Of each kind, the first.
        if miss.code not in told:
            told.add(miss.code)
            yield {"code": miss.code, "message": shorten(miss.message), "column": miss.start + 1}


def _note(fault: Diagnostic, number: int, faulty: Faulty) -> dict[str, Any]:
    """What is said about one line of a fault."""
    note: dict[str, Any] = {"code": fault.code, "message": shorten(fault.message)}
    span, fix = fault.span, fault.fix
    if span is None or fault.code in (NO_STEPS, NO_GOAL):
        return note
    if number != span.line:
        if fault.code == _MISPLACED and number < span.line:
            note["message"] = f"the part from line {span.line} must come before this line"
        return note
    line = faulty.source.line(number)
    note["column"] = max(span.column - (len(line) - len(line.lstrip(_AROUND))), 1)
    if fix is not None and fix.span.line == fix.span.end_line:
        note["write"] = f"{line[: fix.span.column - 1]}{fix.text}{line[fix.span.end_column - 1 :]}".strip(_AROUND)
    return note


def _rules(codes: dict[str, None], language: str) -> str:
    """The rules of these codes in words, each with an example."""
    rules = fill(read_template(__package__, "rules", language), **type_values(language))
    words = dict(row.split(" ", 1) for row in rules.splitlines())
    return "\n\n".join(f"- {code}: {words[code]}\n\n{_fenced(EXAMPLES[code])}" for code in codes if code in words)


def _fenced(example: str) -> str:
    return "\n".join(f"  {row}" for row in ("```text", *example.split("\n"), "```"))
