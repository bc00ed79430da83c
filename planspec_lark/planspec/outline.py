"""Plain Markdown without the words of a plan → which of its headings are steps, and which hold some.

A heading says little by itself: what stands below it, and below the others, tells what it is. So all of a text is
looked at before its lines are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from attrs import define, field

from planspec_lark.planspec.answer_lines import is_notes, read_bullet, read_heading, read_item_number
from planspec_lark.planspec.near_misses import SPACES, compiled, repair_header
from planspec_lark.planspec.positions import iter_rows
from planspec_lark.planspec.step_repair import is_item, repair_step

__all__ = ["Role", "find_outline", "has_box"]

# How the text of a check box's item begins.
_BOX = r"\[(?:[xX]|[^\w\]])\]|[☐☑]"
# A heading of what is no step: what is to be at hand, who takes part, and what is only told.
_NO_STEPS = (
    r"(?i)\b(?:avoid|remaining|refus\w*|bring|lost|understand|recogni[sz]e|spot|identify|broke|options?|risks?|reasons?"
    r"|questions?|problems?|mistakes?|pros|cons|(?:dis)?advantages?|causes?|myths?|benefits|drawbacks|symptoms?|failed"
    r"|wrong|roles?|team|budget|ideas?|summary|design|overview|examples?|samples?|best|worst|facts?|rules?|goals?)\b"
    r"|原因|风险|优点|缺点|误区|问题|好处|坏处|预算|分工|材料|清单|方案|原则|建议|示例|样例|注意"
)
# A heading that says when its steps are due.
_DUE = (
    r"(?i)\b(?:\w+day|january|february|march|april|may|june|july|august|september|october|november|december|weeks?"
    r"|days?|months?|hours?|today|tomorrow|tonight|morning|afternoon|evening|night|before|after(?:wards)?|first|then"
    r"|later|finally|now|phase|stage)\b|[0-9]+:[0-9]{2}|[0-9] ?[ap]m\b|第.{1,3}[周天月日]|提前|当天|当日|前一|阶段"
    r"|[0-9一二三四五六七八九十]+(?:[周天月日]|个月)|之?[前后](?:\W|\Z)"
)
# An item that is an order in English: a verb, and what it is about; no sentence that tells of something.
_FINITE = "is|are|was|were|has|have|had|can|could|will|would|may|might|should|does|did"
_ORDER = (
    r"[*_]*[0-9]+[.)][ \t]+[*_]*(?!(?:the|an?|this|that|these|those|it|its|he|she|we|they|you|your|my|our|there|here"
    r"|some|many|most|all|both|no|one|two|three|who|what|why|how|when|where|which|is|are|do|does|did|can|if)\b)"
    rf"(?i:(?![a-z]*(?:ing|ed|ly|[^su]s)\b))[A-Z][a-z]+ (?!(?:\S+ ){{0,3}}(?:{_FINITE})\b)\S+ \S"
)
# What is said in front of a list whose items are no steps one after the other.
_NO_ORDERS = (
    r"(?i)\b(?:ways?|options?|approach(?:es)?|methods?|alternatives?|choices?|choose|ideas?|suggestions?|tips?|reasons?"
    r"|questions?|mistakes?|before i|need to know|either|pick|examples?|samples?|rules?|lessons?|avoid|not|never)\b"
)
# What heads a list of steps.
_HEADS_STEPS = r"(?i)\bsteps?\b|\bhow to\b|\bwhat to do\b|\bprocedure\b|步骤|流程|做法"
# Characters in front of a list that are looked at.
_LEAD = 1_000
# Headings of a kind that make an outline, and numbered headings of which each is a step.
_LEAST, _LEAST_STEPS = 2, 3


class Role(Enum):
    """What a line is: a heading that is a step, or that holds numbered steps or bullets; the first step of a list."""

    STEP = "step"
    PHASE = "phase"
    LIST = "list"
    FIRST = "first"


@define
class _Section:
    """A heading, and what stands between it and the next one."""

    start: int
    level: int
    text: str
    number: str = ""
    numbers: list[int] = field(factory=list)
    boxes: int = 0
    bullets: int = 0
    # Whether text or code comes before the first item.
    has_text: bool = False
    # The first lines of its numbered items, each with its offset.
    items: list[tuple[int, str]] = field(factory=list)

    @property
    def is_listed(self) -> bool:
        return bool(self.numbers or self.boxes)


def has_box(line: str) -> bool:
    """Whether a line is an item with a check box."""
    return compiled(_BOX).match(read_bullet(line) or "") is not None


def find_outline(text: str) -> Mapping[int, Role]:
    """The roles of lines, by their offsets; none where a text has the words of a plan."""
    found = _read_sections(text)
    if found is None:
        return {}
    sections = [one for one in found[1:] if not is_notes(one.text)]
    listed = [one for one in sections if one.is_listed]
    if len(listed) >= _LEAST and _is_counted_through(listed):
        # Numbers that go on over headings are those of steps, whatever the headings are.
        return {one.start: Role.PHASE for one in _with_parents(sections, listed)}
    sections = [one for one in sections if not compiled(_NO_STEPS).search(one.text)]
    numbered = [one for one in sections if one.number]
    if [one.number for one in numbered] == [f"{number}" for number in range(1, len(numbered) + 1)]:
        level = {one.level for one in numbered}
        is_flat = len(level) == 1 and not any(one.is_listed for one in numbered)
        if len(numbered) >= _LEAST_STEPS and is_flat and len(numbered) == len(sections):
            return {one.start: Role.STEP for one in numbered}
    listed = [one for one in sections if one.is_listed]
    if len(listed) >= _LEAST and all(one.boxes for one in listed):
        return {one.start: Role.PHASE for one in _with_parents(sections, listed)}
    bulleted = [one for one in sections if one.bullets]
    if len(bulleted) >= _LEAST and not listed and all(compiled(_DUE).search(one.text) for one in bulleted):
        return {one.start: Role.LIST for one in bulleted}
    return {} if len(listed) > 1 or bulleted else _find_only_list(found, text)


def _find_only_list(sections: Sequence[_Section], text: str) -> Mapping[int, Role]:
    """Where the one numbered list of a text begins, if each of its items is an order."""
    items = [item for one in sections for item in one.items]
    numbers = [number for one in sections for number in one.numbers]
    if len(items) < _LEAST_STEPS or numbers != [*range(1, len(numbers) + 1)]:
        return {}
    start = items[0][0]
    if any(one.items and compiled(_HEADS_STEPS).search(one.text) for one in sections):
        return {start: Role.FIRST}
    is_other = compiled(_NO_ORDERS).search(text, max(start - _LEAD, 0), start) is not None
    is_ordered = all(compiled(_ORDER).match(item) and not item.endswith(("?", "？")) for _, item in items)
    return {start: Role.FIRST} if is_ordered and not is_other else {}


def _is_counted_through(listed: Sequence[_Section]) -> bool:
    """Whether the numbers of all lists go on from the first to the last one."""
    numbers = [number for one in listed for number in one.numbers]
    return numbers == [*range(1, len(numbers) + 1)] and all(one.numbers for one in listed)


def _with_parents(sections: Sequence[_Section], listed: Sequence[_Section]) -> Iterator[_Section]:
    """These sections, and those without a list of their own that they are below."""
    levels = Counter(one.level for one in sections)
    for at, one in enumerate(sections):
        below = sections[at + 1] if at + 1 < len(sections) else None
        is_parent = below is not None and below.level > one.level and below.is_listed and not one.has_text
        # The only one of its level is the title of all.
        is_parent = is_parent and levels[one.level] > 1
        if one in listed or is_parent:
            yield one


def _read_sections(text: str) -> list[_Section] | None:
    """The headings of a text with what is below them; None where one of them is a part of a plan."""
    found = [_Section(0, 0, "")]
    in_code = False
    line_start = 0
    for row, start in iter_rows(text, 0):
        content, indent = row.strip(SPACES + "\r\n"), start - line_start
        line_start = start + len(row)
        if content.startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code or not content:
            continue
        heading = read_heading(content) if not indent and content[0] in "#*_" else None
        if heading is not None:
            header = repair_header(content)
            if header is not None and not header[1].startswith("# "):
                return None
            found.append(_Section(start, *heading, number=_number_of(heading[1])))
        elif not indent:
            _add(found[-1], content, start)
    return found


def _add(section: _Section, content: str, start: int) -> None:
    """Count a line of a section."""
    number = read_item_number(content)
    if number is not None:
        section.numbers.append(int(number))
        section.items.append((start, content))
    elif has_box(content) or content[0] in "☐☑":
        section.boxes += 1
    elif read_bullet(content) is not None:
        section.bullets += 1
    elif not (section.is_listed or section.bullets):
        section.has_text = True


def _number_of(heading: str) -> str:
    """The number that a heading begins with, as one of a step does; empty where it has none."""
    written = repair_step(heading, default_type="act")[1] if is_item(heading) else None
    return written.partition(". ")[0] if written else ""
