"""Plain Markdown without the words of a plan → which of its headings are steps, and which hold some.

A heading says little by itself: what stands below it, and below the others, tells what it is. So all of a text is
looked at before its lines are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum

from attrs import define, field

from planspec_lark.planspec.answer_lines import is_notes, read_bullet, read_heading, read_item_number
from planspec_lark.planspec.heading_words import english_of, words_of
from planspec_lark.planspec.near_misses import SPACES, compiled, repair_header
from planspec_lark.planspec.positions import iter_rows
from planspec_lark.planspec.step_repair import is_item, repair_step
from planspec_lark.syntax.fences import FENCES

__all__ = ["BOLD_LEVEL", "Role", "find_outline", "has_box", "is_box", "is_order"]

_CHINESE = re.compile(r"[\u3400-\u9fff]")
# How the text of a check box's item begins.
_BOX = r"\[(?:[xX]|[^\w\]])\]|[☐☑]"
# A heading of what is no step: what is to be at hand, who takes part, and what is only told.
_NO_STEPS = words_of(
    *("telling", "options", "risks", "mistakes", "questions", "merits", "facts", "examples", "best", "rules"),
    *("lists", "summaries"),
    english="causes?|symptoms?|design|overview|goals?",
    chinese="材料|方案|建议|注意",
)
# How a heading begins that says when its steps are due.
_DUE = (
    r"(?i)\W*(?:(?:the|an?|by|on|in|from|early|mid|late|first|last|next|this|that|about|around"
    r"|[0-9–-]+|one|two|three) )*"
    r"(?:(?:\w+ )?\w*day|right after|january|february"
    r"|march|april|may|june|july|august|september|october|november|december"
    rf"|{english_of('times', 'phases')}|today|tomorrow|tonight|morning|afternoon|evening|night|before (?=\w)"
    r"|after (?=\w)|afterwards|first|then|later|finally)\b|.*(?:[0-9]+:[0-9]{2}|[0-9] ?[ap]m\b|第.{1,3}[周天月日]|提前"
    r"|当天|当日|前一|阶段|[0-9一二三四五六七八九十]+(?:[周天月日]|个月)|之?[前后](?:\W|\Z))"
)
# What begins as an order does in English: with a verb, and not as a sentence that tells of something.
_FINITE = "is|are|was|were|has|have|had|can|could|will|would|may|might|should|does|did"
_ORDER = (
    r"(?!(?i:the|an?|this|that|these|those|it|its|he|she|we|they|you|your|my|our|there|here|some|many|most|all|both|no|one"
    r"|two|three|who|what|why|how|when|where|which|is|are|do|does|did|can|if)\b)"
    rf"(?i:(?![a-z]*(?:ing|ed|ly|[^su]s|tion|ment|ness)\b))[A-Z][a-z]+ (?!(?:\S+ ){{0,3}}(?:{_FINITE})\b)[\w\"'(*`$€~]"
)
# The parts of items that have to be orders: of those below headings, and of a list by itself.
_MANY, _MOST = 0.4, 0.5
# What is said in front of a list whose items are no steps one after the other.
_NO_ORDERS = words_of(
    *("ways", "options", "choices", "advice", "mistakes", "questions", "examples", "rules"),
    english="approach(?:es)?|methods?|alternatives?|choices?|suggestions?|before i|need to know|avoid|not|never",
)
# What a title, or what leads to headings, says of something that is no plan.
_OTHER = words_of(
    *("best", "ways", "options", "mistakes", "rules", "lists", "ingredients"),
    english=r"top|why|places|report|contract|agreement|history|change ?log|release notes|reviews?|which|versus|vs"
    r"|faq|house code",
    chinese="为什么|合同|报告|推荐|排名|哪|区别|对比|历史",
)
# What heads a list of steps, and what makes a step of a heading.
_HEADS_STEPS = words_of("steps", english="how to|what to do|procedure", chinese="流程|做法")
_NAMES_STEPS = words_of("steps")
# What speaks of steps in front of them; and what may be a name: words with capital letters, and no article or the like
# behind the first of them.
_TELLS_OF_STEPS = words_of(
    "steps", english=r"how (?:to|i|you|we)|plans?|guide|procedure|process|checklist", chinese="流程|做法|计划|方案"
)
_NAME = (
    r"[*_0-9.、)）: ]*[A-Z][\w'’-]*"
    r"(?: (?!(?:A|An|The|Your|My|Our|All|It|Up|Out|Off|In|On)\b)(?:[A-Z0-9][\w'’-]*|(?:of|and|&|the|at|to|de|la)(?= )))"
    r"{1,4}[*_]*"
)
_WORDED = r"(?i)\W*(?:step\b|第.{1,3}步|步骤)"
_PHASED = rf"(?i)\W*(?:(?:{english_of('phases')})\b|第.{{1,3}}阶段|阶段)"
# A phase without the marks of a heading, above bullets.
_PLAIN_PHASE = (
    rf"(?im)^(?:\*\*)?(?:(?:{english_of('phases')}) ?[0-9]{{1,2}}|第.{{1,3}}阶段|阶段.) ?(?:\*\*)?[:：](?:\*\*)? ?"
    r"(?!.{80})[^\n]*\n"
    r"(?:[ \t]*\r?\n)?[-*+•] "
)
# A time of day, marks and a box in front of what an item says.
_FRONT = r"[*_\s]*(?:\[.\]\s*|[☐☑]\s*)?[*_]*(?:[0-9]{1,2}[:.][0-9]{2}(?: ?[ap]\.?m\.?)?[*_]*[\s–—:-]*)?[*_]*"
# Characters of a label.
_LABEL = 20
# Characters in front of a list that are looked at.
_LEAD = 1_000
# The level of a heading that is bold text by itself, and of such a phase.
BOLD_LEVEL = 7
# Headings of a kind that make an outline, and numbered headings of which each is a step.
_LEAST, _LEAST_STEPS = 2, 3


class Role(Enum):
    """What a line is: a heading that is a step, holds numbered steps or bullets, or heads all steps; the first step."""

    STEP = "step"
    PHASE = "phase"
    LIST = "list"
    HEADER = "header"
    FIRST = "first"


@define(eq=False)
class _Section:
    """A heading, and what stands between it and the next one."""

    start: int
    level: int
    text: str
    number: str = ""
    # Whether it has no marks of a heading.
    is_plain: bool = False
    numbers: list[int] = field(factory=list)
    boxes: int = 0
    bullets: int = 0
    # Whether text or code comes before the first item.
    has_text: bool = False
    # What its items say, each with the offset of its line.
    items: list[tuple[int, str]] = field(factory=list)

    @property
    def is_listed(self) -> bool:
        return bool(self.numbers or self.boxes)


def has_box(line: str) -> bool:
    """Whether a line is an item with a check box."""
    return is_box(read_bullet(line) or "")


def is_box(text: str) -> bool:
    """Whether a text begins with a check box."""
    return compiled(_BOX).match(text) is not None


def find_outline(text: str) -> Mapping[int, Role] | None:
    """The roles of lines, by their offsets; None where a text has the words of a plan's parts."""
    found = _read_sections(text)
    if found is None:
        return None
    roles = _find_headings([one for one in found[1:] if not is_notes(one.text)])
    if not roles:
        return _find_only_list(found, text)
    steps = [one.text for one in found if roles.get(one.start) is Role.STEP]
    if steps and _are_names(steps, text, min(roles)):
        return {}
    # The title, and the line that leads to the first heading.
    start = min(roles)
    titles = [one.text for one in found[1:2] if one.start < start and one.level <= _LEAST]
    lead = re.split(r"[.!?。！？]\s|\n", text[max(start - _LEAD, 0) : start].strip())[-1]
    return {} if any(compiled(_OTHER).search(said) for said in (*titles, lead)) else roles


def _find_headings(sections: Sequence[_Section]) -> dict[int, Role]:
    """The roles of headings that are steps, or hold some."""
    # Numbers that go on over headings are those of steps, whatever the headings are.
    if phases := _find_phases(sections, _is_counted_through):
        return phases
    sections = [one for one in sections if not compiled(_NO_STEPS).search(one.text)]
    if _are_steps(sections):
        return {one.start: Role.STEP for one in sections if one.number}
    return _find_phases(sections, _is_boxed) or _find_lists(sections)


def _find_phases(sections: Sequence[_Section], hold: Callable[[Sequence[_Section]], bool]) -> dict[int, Role]:
    """The headings above lists of steps that go together."""
    listed = [one for one in sections if one.is_listed]
    is_plan = len(listed) >= _LEAST and hold(listed) and _share_of_orders(listed) >= _MANY
    return {one.start: Role.PHASE for one in _with_parents(sections, listed)} if is_plan else {}


def _find_lists(sections: Sequence[_Section]) -> dict[int, Role]:
    """The headings above bullets that say when these are due, where there are no other lists."""
    bulleted = [one for one in sections if one.bullets]
    if len(bulleted) < _LEAST or any(one.is_listed for one in sections):
        return {}
    is_due = all(compiled(_DUE).match(one.text) for one in bulleted)
    groups = [bulleted, *([one] for one in bulleted if one.is_plain)]
    is_plan = is_due and all(_share_of_orders(group) >= _MOST for group in groups)
    return {one.start: Role.LIST for one in bulleted} if is_plan else {}


def _are_steps(sections: Sequence[_Section]) -> bool:
    """Whether headings are numbered from 1, each is a step, and nothing else is a heading."""
    sections = sections[1:] if _has_title(sections) else sections
    if not _are_counted(sections) or any(one.is_listed for one in sections):
        return False
    are_phases = all(compiled(_PHASED).match(one.text) for one in sections)
    if are_phases and any(one.bullets for one in sections):
        # Their bullets are the steps.
        return False
    is_worded = are_phases or any(compiled(_WORDED).match(one.text) for one in sections)
    return len(sections) >= (_LEAST if is_worded else _LEAST_STEPS) and (is_worded or _name_orders(sections))


def _are_counted(sections: Sequence[_Section]) -> bool:
    """Whether headings are on one level, and numbered from 1."""
    numbers = [f"{number}" for number in range(1, len(sections) + 1)]
    return len({one.level for one in sections}) == 1 and [one.number for one in sections] == numbers


def _name_orders(sections: Sequence[_Section]) -> bool:
    """Whether most headings may be orders."""
    said = [one.text.lstrip("*_0123456789.、)）: ") for one in sections]
    # One word by itself may be anything's name.
    told = [one for one in said if " " in one or not one.isascii()]
    return len(told) >= _LEAST and _part_of_orders(told) >= _MOST


def _has_title(sections: Sequence[_Section]) -> bool:
    """Whether the first heading has no number, and all others are below it."""
    return bool(sections) and not sections[0].number and all(sections[0].level < one.level for one in sections[1:])


def _are_names(said: Sequence[str], text: str, start: int) -> bool:
    """Whether texts may be the names of things, and nothing in front of them speaks of steps.

    Where all words have capital letters, a name looks like an order: `Sunrise Hike`, `Order Tickets`.
    """
    is_told = _is_said_before(_TELLS_OF_STEPS, text, start)
    return not is_told and all(compiled(_NAME).fullmatch(one) for one in said)


def _is_said_before(words: str, text: str, start: int) -> bool:
    """Whether such words are in what leads to a place in a text."""
    return compiled(words).search(text, max(start - _LEAD, 0), start) is not None


def _share_of_orders(sections: Sequence[_Section]) -> float:
    """The part of the items of some sections that may be orders."""
    return _part_of_orders([said for one in sections for _, said in one.items])


def is_order(said: str) -> bool:
    """Whether a text may be an order. Words of Chinese do not show it."""
    return _CHINESE.search(said) is not None or _is_english_order(said)


def _is_english_order(said: str) -> bool:
    front = compiled(_FRONT).match(said)
    return compiled(_ORDER).match(said, front.end() if front else 0) is not None


def _part_of_orders(said: Sequence[str]) -> float:
    """The part of some texts that may be orders."""
    return sum(map(is_order, said)) / len(said) if said else 0.0


def _find_only_list(sections: Sequence[_Section], text: str) -> Mapping[int, Role]:
    """Where the one numbered list of a text begins, if each of its items is an order."""
    numbered = [one for one in sections if one.numbers]
    if len(numbered) != 1:
        return {}
    (section,) = numbered
    others = (one for one in sections if one.boxes or (one.bullets and one is not section))
    is_long = len(section.numbers) >= _LEAST_STEPS and _is_counted_through(numbered)
    if not is_long or any(not is_notes(one.text) for one in others):
        return {}
    start = section.items[0][0]
    if compiled(_HEADS_STEPS).search(section.text):
        is_header = section.level > 1 and compiled(_NAMES_STEPS).search(section.text) is not None
        return {start: Role.FIRST, **({section.start: Role.HEADER} if is_header else {})}
    return {start: Role.FIRST} if _are_orders([said for _, said in section.items], text, start) else {}


def _are_orders(said: Sequence[str], text: str, start: int) -> bool:
    """Whether all items of a list are orders in English, and what is in front of it does not head anything else."""
    if not all(_is_english_order(one) and not one.endswith("?") for one in said):
        return False
    return not _is_said_before(_NO_ORDERS, text, start) and not _are_names(said, text, start)


def _is_counted_through(listed: Sequence[_Section]) -> bool:
    """Whether the numbers of all lists go on from the first to the last one."""
    numbers = [number for one in listed for number in one.numbers]
    return numbers == [*range(1, len(numbers) + 1)] and all(one.numbers for one in listed)


def _is_boxed(listed: Sequence[_Section]) -> bool:
    """Whether all lists have check boxes."""
    return all(one.boxes for one in listed)


def _with_parents(sections: Sequence[_Section], listed: Sequence[_Section]) -> Iterator[_Section]:
    """These sections, and those without a list of their own that they are below."""
    levels, own = Counter(one.level for one in sections), {one.start for one in listed}
    for at, one in enumerate(sections):
        below = sections[at + 1] if at + 1 < len(sections) else None
        is_parent = below is not None and below.level > one.level and below.is_listed and not one.has_text
        # The only one of its level is the title of all.
        is_parent = is_parent and levels[one.level] > 1
        if one.start in own or is_parent:
            yield one


def _read_sections(text: str) -> list[_Section] | None:
    """The headings of a text with what is below them; None where one of them is a part of a plan."""
    found = [_Section(0, 0, "")]
    phases = {match.start() for match in compiled(_PLAIN_PHASE).finditer(text)}
    in_code = False
    line_start = 0
    for row, start in iter_rows(text, 0):
        content, indent = row.strip(SPACES + "\r\n"), start - line_start
        line_start = start + len(row)
        if content.startswith(FENCES):
            in_code = not in_code
        elif not in_code and _is_label(content):
            return None
        elif in_code or not content:
            continue
        heading = read_heading(content) if not indent and content[0] in "#*_" else None
        is_plain = heading is None and start in phases
        if is_plain:
            heading = BOLD_LEVEL, content
        if heading is not None:
            found.append(_Section(start, *heading, number=_number_of(heading[1]), is_plain=is_plain))
        elif not indent:
            _add(found[-1], content, start)
    return found


def _is_label(content: str) -> bool:
    """Whether a line is that of a goal, of constraints or of the steps, with its text or above it."""
    if content[:1] not in ("*", "#") and not any(colon in content[:_LABEL] for colon in ":："):
        return False
    header = repair_header(content)
    return header is not None and not header[1].startswith("# ")


def _add(section: _Section, content: str, start: int) -> None:
    """Count a line of a section."""
    number, bullet = read_item_number(content), read_bullet(content)
    is_box = has_box(content) or content[0] in "☐☑"
    if number is not None:
        section.numbers.append(int(number))
        bullet = content.lstrip("*_(（0123456789").lstrip(".、)） \ufe0f\u20e3")
    elif is_box:
        section.boxes += 1
    elif bullet is not None:
        section.bullets += 1
    else:
        section.has_text |= not section.items
        return
    section.items.append((start, bullet or content))


def _number_of(heading: str) -> str:
    """The number that a heading begins with, as one of a step does; empty where it has none."""
    written = repair_step(heading, default_type="act")[1] if is_item(heading) else None
    return written.partition(". ")[0] if written else ""
