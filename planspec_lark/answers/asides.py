"""What stands around a plan and is no sentence: comments, tables, metadata, and lists of what has to be at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planspec_lark.answers.demands import demands
from planspec_lark.answers.descriptions import denies, split_words
from planspec_lark.answers.headings import disowns_steps
from planspec_lark.answers.sentences import refuses
from planspec_lark.answers.statements import Talk
from planspec_lark.planspec.answer_lines import read_bullet, read_heading
from planspec_lark.planspec.near_misses import SPACES

__all__ = ["changes_steps", "comments_in", "is_list_of_tools", "leave_out_metadata", "says_more"]

# Words and characters of a comment that is no more than a label.
_LABEL_WORDS, _LABEL_SIGNS, _LABEL_WIDE = 4, 40, 12
_WRITTEN_BY_PROGRAMS = re.compile(
    r"<!--|-->|\b(?:please )?do not (?:edit|wrap|reflow|reformat)(?: (?:by hand|manually|this))?\b"
    r"|\bgenerated (?:plan|(?:by|with|from) [\w.-]+)"
    r"|由.{0,6}自动生成|请?勿(?:手工|手动)?(?:修改|编辑).{0,3}"
)
_WHEN = re.compile(
    r"(?:before|after|during|on) (?:the |that )?(?!hold)\w+|afterwards|end of (?:the )?plan"
    r"|as (?:agreed|discussed)[\w ]*"
)
# What stands for steps that are not there.
_OMITS = re.compile(
    r"\b(?:more|other|others|further|remaining|additional|existing|previous|rest)\b.{0,12}\b(?:steps?|plan|items?|tasks?|constraints?)\b"
    r"|\b(?:etc|and so on|unchanged|omitted|as before|same as)\b|\.{3}|…|其余|更多|剩余|省略|略"
)
_SAYS_MORE = re.compile(r"[0-9\[]|先")
_DRAFTED = re.compile(r"\bdry run\b|草稿")
# The rows of a table whose first column has the numbers of steps.
_OF_STEPS = re.compile(r"^\|[ *]*(?:steps?|#|id|no\.?|nr\.?|步骤|序号|编号)[ *]*\|", re.IGNORECASE | re.MULTILINE)
_OF_MORE = re.compile(r"^\|[ *]*(?:extra|additional|new|missing|further|其他|新增) ?", re.IGNORECASE | re.MULTILINE)
# What heads a table of what is done when, which may have more steps.
_TIMETABLE = re.compile(r"(?i)^[#*_ ]*.{0,20}(?:timetable|daily routine|daily schedule|时间表|作息|日程)", re.MULTILINE)
_ROW = re.compile(r"^\| *\**([0-9]+(?:\.[0-9]+)*)\b", re.MULTILINE)

# The heading of what is to be at hand, and an item below it: a thing, and no limit, fact or sentence.
_TOOLS = re.compile(
    r"\W*(?:what you(?:['’]ll| will)? need|(?:the )?(?:materials?|tools?|equipment|supplies|ingredients|shopping list)"
    r"(?: (?:and|&) \w+)?(?: needed| required)?|(?:所需|需要的)?(?:材料|工具)(?:清单)?)\W*"
)
_ITEM = re.compile(
    r"(?i)(?!.*\b(?:budget|max|only|euros?|dollars|people|closed|is|are|under|less|after|before|by|nothing|nobody|no|[ap]m|days?|hours?"
    r"|\w+day)\b)(?:[^€$£¥.!?。！？]|[0-9]\.[0-9]){1,80}"
)
# A line that speaks of the text itself: when it was written, by whom, and which version it is.
_COLON = r"[*_ ]*[:：][*_ \t]*"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    r"(?:[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}|[0-9]{4}年[0-9]{1,2}月(?:[0-9]{1,2}日)?"
    rf"|(?:[0-9]{{1,2}}\.? )?{_MONTH} (?:[0-9]{{1,2}}(?:st|nd|rd|th)?,? )?[0-9]{{4}})"
    r"(?:[ T,]{1,2}[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?(?:utc|gmt|z|[ap]m))?)?"
)
_PERSON = r"@?[A-Z\u00c0-\u00de][\w.'’-]*(?: [A-Z\u00c0-\u00de][\w.'’-]*){0,3}"
# What may also be said of what a text is about, such as when it is due, is none of these.
_KINDS = (
    r"(?i:(?:date(?: (?:created|modified))?|(?:created|updated|generated|written)(?: (?:on|at))?"
    rf"|last (?:updated?|modified|changed)|日期|(?:创建|编写|更新|修改)(?:日期|时间)|最后更新){_COLON}{_DATE})",
    rf"(?i:(?:(?:document|plan) )?version|(?:文档|当前)?版本号?){_COLON}v?[0-9]+(?:\.[0-9]+){{0,3}}",
    rf"(?i:authors?|(?:created|written|prepared) by){_COLON}{_PERSON}(?:(?:, | ?& | and ){_PERSON}){{0,3}}",
    rf"(?:作者|编写人|创建人){_COLON}[\u4e00-\u9fff]{{2,4}}",
)
_METADATUM = rf"(?:{'|'.join(_KINDS)})[*_]*"
_METADATA = re.compile(rf"^[-*+>•_ \t]*+{_METADATUM}(?: ?[|·•] [*_]*{_METADATUM})*[ \t\\\r]*(?:\n|\Z)", re.MULTILINE)


def is_list_of_tools(text: str, heading: str) -> bool:
    """Whether what is below a heading is a list of tools and materials, and nothing else."""
    rows = (row.strip(SPACES + "\r") for row in text.strip().split("\n"))
    named = read_heading(heading)
    items = [read_bullet(row) or "?" for row in rows if row]
    is_list = named is not None and _TOOLS.fullmatch(named[1].lower()) is not None
    return is_list and all(_ITEM.fullmatch(item) for item in items)


def changes_steps(text: str, talk: Talk) -> bool:
    """Whether a table of steps has a row for one that the plan does not have, or demands something of one."""
    if _OF_MORE.search(text) or (_TIMETABLE.search(text) and "\n|" in text):
        return True
    if not _OF_STEPS.search(text):
        return False
    if not talk.statuses.keys() >= {*_ROW.findall(text)}:
        return True
    cells = (cell.strip(" *\r\n").lower() for row in text.split("\n") if row.startswith("|") for cell in row.split("|"))
    return any(refuses(cell) or denies(cell) or demands(cell, talk.is_own) for cell in cells if cell)


def comments_in(text: str) -> Iterator[str]:
    """The comments in a text; one that is not closed lasts to its end."""
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at)
        yield text[at : end if end >= 0 else len(text)]
        at = text.find("<!--", end) if end >= 0 else -1


def says_more(comment: str, talk: Talk, *, is_in_front: bool = False) -> bool:
    """Whether a comment says that something of the plan is not so, or, behind its beginning, more than a label does."""
    said = _WRITTEN_BY_PROGRAMS.sub(" ", comment.lower()).strip("- \t\r\n,;.")
    is_short = len(said) <= (_LABEL_SIGNS if said.isascii() else _LABEL_WIDE)
    is_label = is_short and len(split_words(said)) <= _LABEL_WORDS and _SAYS_MORE.search(said) is None
    is_demand = denies(said) or demands(said, lambda _word: False) or disowns_steps(said)
    is_demand = is_demand or _DRAFTED.search(said) is not None or _OMITS.search(comment.lower()) is not None
    if is_label or is_in_front:
        return is_demand and _WHEN.fullmatch(said) is None
    return not talk.is_known(said)


def leave_out_metadata(text: str) -> str:
    """A text without lines that speak of it: when it was written, by whom, and which version it is."""
    return _METADATA.sub("", text)
