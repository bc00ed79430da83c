"""How far the repairs of a tolerant reading can be trusted: how likely is it that they change what is meant?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cached_property

from attrs import field, frozen

from planspec_lark.answers.descriptions import denies, is_foreign_draft, split_words
from planspec_lark.answers.headings import disowns_steps, groups_steps, names_part
from planspec_lark.answers.remarks import disowns, is_disowned
from planspec_lark.answers.sentences import heads_more, sentences
from planspec_lark.answers.statements import Talk
from planspec_lark.answers.vocabulary import NOTES, NOTES_CHINESE
from planspec_lark.planspec.answer_lines import find_legend, is_harmless, is_notes, read_bullet, read_heading
from planspec_lark.planspec.models import BLANKS, STEP_TYPES
from planspec_lark.planspec.near_misses import SPACE, SPACES, Flaw
from planspec_lark.planspec.plan_choice import is_final
from planspec_lark.planspec.positions import Places
from planspec_lark.planspec.step_repair import looks_like_step, read_status, repair_step
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Span

__all__ = ["RISKS", "Reading", "Risk", "highest", "rate"]


class Risk(str, Enum):
    """How likely it is that a repair changes what is meant, the least first."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def __init__(self, _value: str) -> None:
        self.rank = len(type(self).__members__)
        """Its place among the four, from 0."""


def highest(risks: Iterable[Risk]) -> Risk:
    """The highest of these."""
    return max(risks, default=Risk.NONE, key=lambda risk: risk.rank)


# Of each code that a tolerant reading gives a warning with, the risk of the repair. Where a line has several flaws, the
# highest counts, though only the first flaw is named. Some are worse with some texts, as is said after them.
RISKS = {
    "PS102": Risk.MEDIUM,  # a control character was left out: what it stood for is gone
    "PS104": Risk.LOW,  # a header in other words or signs
    "PS105": Risk.MEDIUM,  # `## Steps` after steps: all are taken for one list
    "PS106": Risk.LOW,  # a part in another place: each part has its own words
    "PS110": Risk.LOW,  # an id in other signs: `1)`, `01.`, `**1.**`
    "PS111": Risk.LOW,  # a mark in other signs; a status that is not known was dropped: high
    "PS112": Risk.LOW,  # a type in other brackets
    "PS113": Risk.NONE,  # white space
    "PS114": Risk.LOW,  # a separator with nothing after it
    "PS115": Risk.LOW,  # progress in other signs; what had no number was taken for text: medium
    "PS116": Risk.MEDIUM,  # a second progress was taken for text
    "PS118": Risk.LOW,  # another bullet
    "PS203": Risk.MEDIUM,  # two steps with one name
    "PS206": Risk.MEDIUM,  # a container without steps, which may be lost
    "PS124": Risk.LOW,  # a comment after a header was left out; one after text, which may belong to it: medium
    "PS125": Risk.MEDIUM,  # reasoning that lacks a tag at one end: up to there, or from there on, all was left out
    "PS107": Risk.LOW,  # detail with a bullet, inputs in words
    "PS126": Risk.LOW,  # a line that was wrapped
    "PS129": Risk.MEDIUM,  # a plan that is cut off, where that is allowed
    "PS130": Risk.HIGH,  # of several plans one was taken, and nothing says which of them holds
    "PS305": Risk.MEDIUM,  # text was taken for outputs or inputs
}
# What is left out and seems to be no part of the plan: prose, fences; but of several plans only one is taken.
_LEFT_OUT = {"PS105": Risk.MEDIUM}
_FOREIGN = frozenset({"PS101", "PS103", "PS104", "PS107", "PS110", "PS111", "PS112"})


# Words and characters of a comment that is no more than a label.
_LABEL_WORDS, _LABEL_SIGNS, _LABEL_WIDE = 4, 40, 12
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# The rows of a table whose first column has the numbers of steps.
_OF_STEPS = re.compile(r"^\|[ *]*(?:steps?|#|no\.?|nr\.?|步骤|序号|编号)[ *]*\|", re.IGNORECASE | re.MULTILINE)
_ROW = re.compile(r"^\| *\**([0-9]+(?:\.[0-9]+)*)\b", re.MULTILINE)
# A line that no sentence is: a row of a table, a fence, a comment.
_NO_SENTENCE = re.compile(rf"^{SPACE}*(?:\||```|~~~|<!--)", re.MULTILINE)
# All of a fence that names nothing.
_FENCE_SIGNS = f"`~{SPACES}\r\n"
# Characters above a text that may head it.
_ABOVE = 4_000
# The same in front of the plan, where each line of a list is looked at by itself.
_HEAD = 1_000
_FENCE = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
_BLANK = re.compile(r"\s*")
_SET_OFF = re.compile(r"\n[ \t]*\r?\n(?=[-*+•])")


@frozen(slots=False)
class Reading:
    """What the risk of single repairs depends on in all of a reading.

    Attributes:
        text: what was read.
        places: where the plan's parts are in it; None where it holds no plan.
        has_goal: whether the plan has one.
        descriptions: those of its steps.
        statuses: the status of each step, by id.
        left_out: what was taken for no part of it, in the order of the text.
        others: where the plans end that were left out.
    """

    text: str
    places: Places | None = None
    has_goal: bool = True
    descriptions: tuple[str, ...] = ()
    statuses: Mapping[str, str] = field(factory=dict)
    left_out: tuple[Span, ...] = ()
    others: tuple[int, ...] = ()

    @cached_property
    def legend(self) -> Mapping[str, str]:
        """What signs stand for, as the text says."""
        return find_legend(self.text)

    @cached_property
    def plan(self) -> tuple[int, int] | None:
        """From the first line of the plan to the last; None where there is none."""
        return self.places.bounds if self.places else None

    @cached_property
    def steps(self) -> list[int]:
        """Where the steps start, in order."""
        return sorted(step.span.start for step in self.places.steps.values()) if self.places else []

    @cached_property
    def talk(self) -> Talk:
        """What the text around the plan says of it."""
        at, end = self.plan or (0, 0)
        lines = []
        for span in self.left_out:
            # The words of such a line are not the plan's.
            if at <= span.start < end:
                lines.append(self.text[at : span.start])
                at = span.end
        return Talk("".join([*lines, self.text[at:end]]), self.descriptions, self.statuses)

    @cached_property
    def is_in_code(self) -> bool:
        """Whether the plan is in a code block."""
        return self.plan is not None and len(_FENCE.findall(self.text, 0, self.plan[0])) % 2 == 1

    def is_above_step(self, at: int) -> bool:
        """Whether the next line that is not blank is that of a step."""
        following = bisect_left(self.steps, at)
        blank = _BLANK.match(self.text, at)
        return following < len(self.steps) and blank is not None and blank.end() >= self.steps[following]

    def is_of_draft(self, at: int) -> bool:
        """Whether what is in front of the plan stands between a draft and a plan that is called final."""
        return self._draft_end is not None and self._draft_end <= at

    @cached_property
    def _draft_end(self) -> int | None:
        """Where the first plan ends after which one is called final."""
        first = min(self.others, default=None)
        is_followed = first is not None and self.plan is not None and is_final(self.text[first : self.plan[0]])
        return first if is_followed else None

    @cached_property
    def closing_list(self) -> int | None:
        """Where bullets begin after the last step that are set off from it, as those of no other step are."""
        if not self.steps or _SET_OFF.search(self.text, self.steps[0], self.steps[-1]):
            return None
        found = _SET_OFF.search(self.text, self.steps[-1])
        return found.end() if found else None


def rate(diagnostic: Diagnostic, reading: Reading) -> Risk:
    """The risk of what a tolerant reading has made of a text at the place of a diagnostic.

    What is between the first and the last line of the plan and is not understood is never without risk. Around
    the plan, what looks like a step of it is not, nor what takes something back, nor the goal of a plan that has none.

    What was dropped though it seems to belong to the plan is always of the highest.
    """
    code, fix, span = diagnostic.code, diagnostic.fix, diagnostic.span
    if diagnostic.severity is Severity.ERROR or code == "PS120":
        return Risk.HIGH
    if diagnostic.severity is Severity.INFO:
        return highest((_LEFT_OUT.get(code, Risk.NONE), _rate_left_out(diagnostic, reading)))
    risk = RISKS.get(code, Risk.HIGH)
    if fix is not None and code != "PS124" and _is_disowned(fix, reading.text):
        return Risk.HIGH
    if fix is None or span is None or code == "PS305":
        return risk
    if code == "PS107" and reading.closing_list is not None and fix.span.start >= reading.closing_list:
        return Risk.HIGH
    end = span.start if code == "PS124" else fix.span.end
    if code == "PS124":
        risk = _rate_comment(fix.text)
    return highest((risk, _rate_line(reading.text[fix.span.start : end], fix.text, reading.legend)))


def _is_disowned(fix: Fix, text: str) -> bool:
    """Whether a heading says that what is below it is not to be done, or a line is one of several ways to do a step."""
    heading = read_heading(text[fix.span.start : fix.span.end].strip(SPACES + "\r"))
    is_heading = heading is not None and (disowns_steps(heading[1]) or is_foreign_draft(heading[1].lower()))
    return is_heading or _OPTION.match(fix.text) is not None


# A line below a step that is one of several ways to do it.
_OPTION = re.compile(
    r"> \W*(?:option|variant|alternative|opci[oó]n|variante|möglichkeit|choix|方案|选项)\s*[a-z0-9一二三甲乙]\b",
    re.IGNORECASE,
)


def _rate_left_out(diagnostic: Diagnostic, reading: Reading) -> Risk:
    """The risk of leaving something out that was taken for no part of the plan."""
    plan, span = reading.plan, diagnostic.span
    if diagnostic.code == "PS105" and span is not None and _has_title(reading.text[span.start : span.end]):
        return Risk.HIGH
    if diagnostic.code not in _FOREIGN or plan is None or span is None:
        return Risk.NONE
    # A line may be one of text and of reasoning.
    text = leave_out_reasoning(reading.text[span.start : span.end]).text
    if diagnostic.code == "PS103" and not text.strip(_FENCE_SIGNS):
        return Risk.NONE
    start, end = plan
    if start < span.start < end:
        return _rate_inside(text, reading, span)
    if span.start >= end:
        is_otherwise = _goes_on(text, reading, span) or _changes(text, reading, span)
    else:
        # A list may be one of constraints, or of what is needed.
        is_list = diagnostic.code == "PS107" and read_bullet(text.partition("\n")[0]) is not None and not reading.legend
        if reading.is_of_draft(span.start):
            return _rate_around(text, has_goal=reading.has_goal)
        above = reading.text[max(span.start - _HEAD, 0) : span.start]
        is_list = is_list and not _is_headed(above)
        is_otherwise = is_list or disowns(text, reading.text[span.end : start], reading.talk, above)
        is_otherwise = is_otherwise or (not reading.has_goal and _may_have_goal(text))
    return Risk.HIGH if is_otherwise else _rate_around(text, has_goal=reading.has_goal)


def _rate_inside(text: str, reading: Reading, span: Span) -> Risk:
    """The risk of leaving out what is between the lines of the plan."""
    is_early = not reading.steps or span.start < reading.steps[0]
    is_told = _NO_SENTENCE.search(text) is None and all(map(reading.talk.is_told, sentences(text)))
    if is_early and reading.has_goal and (is_told or _is_aside(text, reading.talk)):
        return Risk.LOW
    if groups_steps(text.strip()) and reading.is_above_step(span.end):
        return Risk.MEDIUM
    return _rate_between(text, reading.talk, is_early=is_early)


def _is_headed(above: str) -> bool:
    """Whether the list that follows a text has a heading or a label that is not that of a part of the plan."""
    rows = (row.strip(SPACES + "\r") for row in reversed(above.split("\n")))
    head = next((row for row in rows if row and read_bullet(row) is None), "")
    return (read_heading(head) is not None or head.endswith((":", "："))) and not names_part(head)


def _goes_on(text: str, reading: Reading, span: Span) -> bool:
    """Whether text follows a plan's last line directly, so that it may continue it."""
    is_next = reading.plan is not None and reading.text.count("\n", reading.plan[1], span.start) < 2
    return is_next and _CLOSING.match(text) is None and not is_harmless(text.partition("\n")[0])


def _changes(text: str, reading: Reading, span: Span) -> bool:
    """Whether a sentence after a plan may change what it means."""
    assert reading.plan is not None, "there is a plan"
    end = span.end
    start = reading.plan[1]
    above = reading.text[start : span.start] if span.start - start < _ABOVE else ""
    if reading.is_in_code:
        # The first fence after the plan is the end of its code block.
        above = above.lstrip().lstrip("`~")
    if any(_says_more(match[0], reading.talk) for match in _COMMENT.finditer(text)):
        return True
    if _OF_STEPS.search(text) and not reading.statuses.keys() >= {*_ROW.findall(text)}:
        # There is a row for a step that the plan does not have.
        return True
    said = sentences(text, above)
    if said and said[-1].endswith((":", "：")) and _PLAN.match(reading.text, end):
        # It leads to another plan.
        said.pop()
    if not all(reading.talk.adds_nothing(one) or reading.talk.is_label(one) for one in said):
        return True
    return heads_more(text) and _PLAN.match(reading.text, end) is None


# What closes a plan: the end of a code block, a tag, a word for the end.
_CLOSING = re.compile(r"(?:`{3,}|~{3,}|<[/\w|]|\W*(?:end|eof|完|结束)\b)", re.IGNORECASE)
# How another plan begins.
_PLAN = re.compile(r"\s*(?:(?:`{3,}|~{3,}).*\n\s*)?(?:#{1,2} |\**(?:goal|目标))", re.IGNORECASE)
# How a line begins that is a step's, whatever its number is.
_TYPED = re.compile(
    rf"^{SPACE}*+(?:[^\s\[［【]{{1,12}}[ \t]*+)?[\[［【](?:{'|'.join(STEP_TYPES)})[\]］】][ \t:：]*+[^\s,.;，。、)]",
    re.IGNORECASE | re.MULTILINE,
)
# A title that is in the middle of a line.
_TITLE = re.compile(r"(?<![\n`\"'])# Plan:")
_GOAL = re.compile(r"\b(?:goal|objective|aim)s?\b|目标|目的", re.IGNORECASE)
# A line with a label, as a goal has one.
_LABELLED = re.compile(
    rf"^[*_#{SPACES}]*+(?P<label>[^\W\d_]++(?: [^\W\d_]++)?+)[*_]*[:：][*_]*{SPACE}*+[^\s/*_]", re.MULTILINE
)


def _rate_around(text: str, *, has_goal: bool) -> Risk:
    """The risk of leaving out what comes before the plan or after it."""
    is_lost = (not has_goal and _GOAL.search(text) is not None) or _has_title(text)
    return Risk.HIGH if is_lost or _TYPED.search(text) else Risk.NONE


def _may_have_goal(text: str) -> bool:
    """Whether a line before a plan has a label that may be another word for its goal."""
    return any(not is_notes(match["label"]) for match in _LABELLED.finditer(text))


def _has_title(text: str) -> bool:
    """Whether a title comes after other text, so that it is read as none."""
    titles = _TITLE.finditer(text) if "# Plan:" in text else ()
    return any(text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip() for match in titles)


# Labels of what is no part of a plan.
_ASIDES = NOTES.union(NOTES_CHINESE)


def _is_aside(text: str, talk: Talk) -> bool:
    """Whether a section between the parts of the plan is one of notes, or of what is needed, and demands nothing."""
    heading, *rows = (row.strip(SPACES + "\r") for row in text.strip().split("\n"))
    named = read_heading(heading)
    is_named = named is not None and is_notes(named[1])
    return is_named and all(talk.adds_nothing((read_bullet(row) or row).lower()) for row in rows if row)


def _says_more(comment: str, talk: Talk) -> bool:
    """Whether a comment says that something of the plan is not so, or more than a label says."""
    said = comment.removeprefix("<!--").removesuffix("-->").strip("- \t").lower()
    is_label = len(split_words(said)) <= _LABEL_WORDS and len(said) <= (_LABEL_SIGNS if said.isascii() else _LABEL_WIDE)
    return any(denies(one) for one in sentences(comment)) or not (is_label or talk.is_known(said))


def _rate_between(text: str, talk: Talk, *, is_early: bool) -> Risk:
    """The risk of leaving out what is between the lines of a plan, before its steps or among them."""
    in_comment = False
    worst = Risk.NONE
    for row in text.split("\n"):
        line = row.strip(SPACES + "\r")
        if in_comment or line.startswith("<!--"):
            in_comment = "-->" not in line
            worst = highest((worst, Risk.HIGH if _says_more(line, talk) else Risk.NONE))
        elif line and not (is_harmless(line) or find_legend(line) or line.startswith(("```", "~~~"))):
            # A line that leads to the steps says nothing by itself, unless it calls them something else; among them it
            # may be a condition.
            is_lead = is_early and line.endswith((":", "：")) and "→" not in line and not is_disowned(line)
            is_lead = (
                is_lead and all(map(talk.leads_on, sentences(line))) and line.strip("*:： ").lower() not in _ASIDES
            )
            worst = highest((worst, Risk.LOW if is_lead else Risk.HIGH))
    return worst


def _rate_comment(repaired: str) -> Risk:
    """The risk of leaving out what comes after a line."""
    marks = (grammars.pattern("planspec", mark) for mark in ("CONSTRAINTS_MARK", "STEPS_MARK"))
    return RISKS["PS124"] if any(mark.fullmatch(repaired) for mark in marks) else Risk.MEDIUM


def _rate_line(line: str, repaired: str, legend: Mapping[str, str]) -> Risk:
    """The highest risk of all that was done to a line."""
    if "~~" in repaired:
        # What is struck out may not be meant any more.
        return Risk.HIGH
    clean = grammars.pattern("planspec", "FORBIDDEN").sub("", line).strip(BLANKS)
    if not looks_like_step(clean):
        item = read_bullet(clean)
        if item is None or not looks_like_step(repaired):
            return Risk.NONE
        clean = f"1. {item}"
    flaws, written = repair_step(clean, legend)
    if written != repaired:
        # It got a type that it does not have. A question is none to be answered by doing it.
        if _IN_DOUBT.search(clean):
            return Risk.HIGH
        flaws = repair_step(clean, legend, next(iter(STEP_TYPES)))[0]
    risks = [_rate_flaw(flaw, clean, repaired, legend) for flaw in flaws]
    if repaired.count("→") > clean.count("→"):
        risks.append(RISKS["PS305"])
    return highest(risks)


# A question, and a doubt inside a line.
_IN_DOUBT = re.compile(r"[?？](?:[)）]|\Z)|\bnot (?:sure|certain|clear)\b|不确定|待定|没定")


def _rate_flaw(flaw: Flaw, line: str, repaired: str, legend: Mapping[str, str]) -> Risk:
    written = line[flaw.start : flaw.end]
    if flaw.code == "PS111":
        mark = written.strip("[]［］【】*_`")
        is_known = read_status(mark) is not None or mark.replace("\ufe0f", "") in legend
        return RISKS[flaw.code] if is_known else Risk.HIGH
    if flaw.code == "PS115" and f"\\{written}" in repaired:
        return Risk.MEDIUM
    return RISKS.get(flaw.code, Risk.HIGH)
