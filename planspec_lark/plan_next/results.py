"""What an executor's result says in its four sections: how far the work has come, what was made, and how good it is.

Sections are below headings, and headings are spelled in many ways: of any level, numbered, bold, in brackets, or as a
word with a colon, in Chinese or in English. What looks most like a heading counts; whatever else is alike is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import zip_longest

from attrs import frozen

from planspec_lark.plan_next.models import DoneStatus, PlanReturn
from planspec_lark.plan_next.wording.normal_forms import NormalText
from planspec_lark.syntax.fences import read_fence

__all__ = ["HEADINGS", "ResultSection", "ResultSections", "read_result", "status_of"]


class ResultSection(str, Enum):
    """One of the four sections of a result."""

    COMPLETION = "completion"
    DELIVERABLES = "deliverables"
    METRICS = "metrics"
    CONSTRAINTS = "constraints"


# How each section's heading is best written, in both languages.
HEADINGS = {
    ResultSection.COMPLETION: ("Completion", "完成情况"),
    ResultSection.DELIVERABLES: ("Deliverables", "提交物"),
    ResultSection.METRICS: ("Metrics", "指标情况"),
    ResultSection.CONSTRAINTS: ("Constraints", "约束符合性"),
}

_NAMES = {
    ResultSection.COMPLETION: "完成(?:情况|情況|状况|狀況|状态|狀態|度)|completion(?: (?:status|state))?",
    ResultSection.DELIVERABLES: "(?:提交|交付|产出|產出)(?:物|内容|內容|成果)?(?:情况|情況)?"
    "|(?:deliverables?|submissions?|artifacts?)",
    ResultSection.METRICS: "(?:指标|指標|度量)(?:情况|情況|达成情况|達成情況)?|metrics?(?: (?:status|check|results?))?",
    ResultSection.CONSTRAINTS: "(?:约束|約束)(?:条件|條件)?(?:符合性|符合情况|符合情況|遵守情况|遵守情況|情况|情況)?"
    "|(?:constraints?|constraint (?:compliance|status|check)|compliance(?: with (?:the )?constraints?)?)",
}
# So much of a line is looked at for a heading.
_LONGEST = 120
_HEADING = re.compile(
    r"[ >]*+(?P<hash>#{1,6})?+ *+(?P<bullet>[-*+] ++)?+"
    r"(?P<number>(?:[0-9]{1,2}|[一二三四])[.)、:] *+|\([0-9一二三四]{1,2}\) *+)?+(?P<bold>[*_]{1,3}|【|\[)?+ *+"
    rf"(?:{'|'.join(f'(?P<{section.value}>{name})' for section, name in _NAMES.items())})(?![0-9a-z])"
    r"[ *_】\]]*+(?P<sign>[:\-–—][*_]*+ *+)?+",
    re.IGNORECASE,
)
# How a section says how far the work has come, and what of it says something else: `Failed checks: none`.
_STATES = {
    DoneStatus.PARTLY_DONE: "(?:已)?部[分份]完成|未(?:完全|全部)完成|(?:已|已经|已經)?完成了?[一大]?(?:部[分份]|半)"
    "|(?:partly|partially|in part)[ -](?:done|complete|completed|finished)(?![0-9a-z])|partial(?![0-9a-z])"
    "|(?:done|complete|completed|finished) (?:in part|partly|partially)(?![0-9a-z])",
    DoneStatus.FAILED: "[尚仍还還]?未能?完成|(?:没|沒|没有|沒有|没能|沒能)完成|失败|失敗"
    "|(?:not[ -](?:yet )?(?:done|complete|completed|finished)|incomplete|failed)(?![0-9a-z])",
    DoneStatus.DONE: "(?:已|已经|已經)?(?:全部|完全)?完成|(?:done|complete|completed|finished)(?![0-9a-z])",
}
_STATE = re.compile(
    rf"[\s*_>#\-]*+(?:{'|'.join(f'(?P<{state.value}>{words})' for state, words in _STATES.items())})"
    r"(?! *+/)(?![^\n:]{0,30}: *+(?:无|没有|無|沒有|none|nothing|0) *+[.。]? *+(?:\n|$))",
    re.IGNORECASE,
)


@frozen
class ResultSections:
    """A result by its sections: None for one that is not there. Places are offsets in the text.

    Attributes:
        completion: whether the work is done, done in part or not done, and what was in the way.
        deliverables: the files that were made, or the text that was asked for.
        metrics: what was measured, and whether that is enough.
        constraints: whether the bounds were kept.
        status: how far the work has come, as the completion begins; None where it does not say.
        has_reason: whether the completion says anything besides.
        completion_at: where the completion's text is.
        repeated: the headings of sections that were there already. They are text of the section in which they are.
    """

    completion: str | None = None
    deliverables: str | None = None
    metrics: str | None = None
    constraints: str | None = None
    status: DoneStatus | None = None
    has_reason: bool = False
    completion_at: tuple[int, int] = (0, 0)
    repeated: tuple[tuple[int, int], ...] = ()

    @property
    def missing(self) -> tuple[ResultSection, ...]:
        """The sections that are not there, or say nothing."""
        return tuple(section for section in ResultSection if not getattr(self, section.value))


@frozen
class _Heading:
    """A line that names a section: how much it looks like a heading, its bounds, and where its section begins."""

    section: ResultSection
    strength: int
    start: int
    end: int
    text_at: int


def read_result(text: str) -> ResultSections:
    """The sections of a result; never raises on any text. It takes linear time."""
    chosen, repeated = _choose(list(_headings(text)))
    sections = {}
    at = (0, 0)
    for heading, behind in zip_longest(chosen, chosen[1:]):
        said = text[heading.text_at : behind.start if behind else len(text)]
        sections[heading.section.value] = said.strip().replace("\r\n", "\n")
        if heading.section is ResultSection.COMPLETION:
            start = heading.text_at + len(said) - len(said.lstrip())
            at = start, start + len(said.strip().split("\n", 1)[0].rstrip())
    status, has_reason = _read_state(sections.get(ResultSection.COMPLETION.value) or "")
    return ResultSections(
        **sections,
        status=status,
        has_reason=has_reason,
        completion_at=at,
        repeated=tuple((heading.start, heading.end) for heading in repeated),
    )


def status_of(message: PlanReturn) -> DoneStatus:
    """How a block has ended: by the message's ``status``, else by what its result says of it, else done."""
    if message.status is not None:
        return message.status
    said = read_result(message.result).status if isinstance(message.result, str) else None
    return said or DoneStatus.DONE


# ---------------------------------------------------------------- headings


def _choose(found: list[_Heading]) -> tuple[list[_Heading], list[_Heading]]:
    """The heading of each section, and those that name it again and look just like it."""
    best: dict[ResultSection, _Heading] = {}
    for heading in found:
        if heading.section not in best or heading.strength > best[heading.section].strength:
            best[heading.section] = heading
    again = [one for one in found if one is not best[one.section] and one.strength == best[one.section].strength]
    return sorted(best.values(), key=lambda heading: heading.start), again


def _headings(text: str) -> Iterator[_Heading]:
    # What opens the block of code that is open. Nothing in it is a heading.
    opening: re.Match[str] | None = None
    start = 0
    for line in text.split("\n"):
        if mark := read_fence(line, opening):
            opening = None if opening else mark
        elif opening is None and (heading := _heading(line, start)):
            yield heading
        start += len(line) + 1


def _heading(line: str, start: int) -> _Heading | None:
    normal = NormalText.of(line[:_LONGEST])
    match = _HEADING.match(normal.text)
    if match is None:
        return None
    strength = 3 if match["hash"] else 2 if match["bold"] else 1
    is_whole = match.end() == len(normal.text.rstrip()) or match["sign"] is not None
    if strength == 1 and (match["bullet"] or not is_whole):
        return None
    section = next(section for section in ResultSection if match[section.value])
    end = start + normal.found(0, match.end()).end
    return _Heading(section, strength, start, start + len(line.rstrip()), end)


# ---------------------------------------------------------------- how far


def _read_state(completion: str) -> tuple[DoneStatus | None, bool]:
    """How far the work has come, and whether anything is said besides."""
    text = NormalText.of(completion).text
    match = _STATE.match(text)
    if match is None:
        return None, bool(text.strip())
    status = next(state for state in _STATES if match[state.value])
    return status, re.search(r"\w", text[match.end() :]) is not None
