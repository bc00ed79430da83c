"""Headings and labels around a plan: those of notes, which are no part of it, and those that may be of a part of it."""

from __future__ import annotations

import re

from planspec_lark.answers.demands import orders
from planspec_lark.answers.descriptions import has_veto, split_words
from planspec_lark.answers.vocabulary import NOTES, NOTES_CHINESE
from planspec_lark.planspec.answer_lines import is_notes, read_heading
from planspec_lark.planspec.heading_words import chinese_of, english_of, words_of
from planspec_lark.planspec.near_misses import SPACES
from planspec_lark.planspec.step_repair import read_status

__all__ = [
    "COLONS",
    "MARKS",
    "disowns_steps",
    "groups_steps",
    "heads_notes",
    "is_label",
    "marks_state",
    "names_data",
    "names_notes",
    "names_overview",
    "names_part",
    "read_note",
]

COLONS = ":："
# What is around the words of a line, and none of them.
MARKS = SPACES + "*_#>~-•👉✅📋📝💡\r"
# What labels a paragraph as a note, in small letters.
_NOTE = re.compile(
    rf"[\W_]*(?:(?:{english_of('any_notes')}) )*"
    rf"(?:{english_of('advice', 'notes', 'merits', 'timeline')}|explanations?|reasoning|context|why|risks?|points"
    r"|thoughts behind|considerations?|highlights|principles|rules? of thumb|(?:rough )?timing|duration|effort|legend"
    r"|dependenc\w+|critical path|short version|tl;?dr|big picture)"
    r"(?: [^:.!?，。：]{1,40})?[*_]*[:：]|\W*(?!.{0,3}[另其他]).{0,4}(?:思路|理解|考虑|分析)[^：。]{0,6}[:：]"
    r"|\W*(?:备注|(?:[几一]点|需要|补充){0,2}说明(?:的?几点)?|注|提示|(?:特别|温馨)?提醒|小贴士|温馨提示|贴士|假设|前提|背景|原因"
    r"|设计思路|注意|关键依赖|依赖关系)[*_]*[:：]|[\W_]*(?:why|how come)\b[^:.!?]{1,60}\?[*_]*"
    r"|\W*为什么[^：。！？]{0,30}？[*_]*"
    r"|\W*(?:a few words|some background|a (?:quick|short) (?:explanation|word))\b[^:.!?]{0,60}:"
    r"|\W*(?:how (?:the|this|it)\b[^:.!?]{0,20}\b(?:works?|fits?|hangs?)|why)\b[^:.!?]{0,60}:",
)
# What a part of a plan, what comes before it or after it, and another plan are called.
_PART = re.compile(
    rf"\b(?:{english_of('phases', 'steps', 'criteria')}|parts?|plans?|options?|alternatives?|alternatively|variants?"
    r"|versions?"
    r"|roll-?backs?|fall-?backs?|contingency|contingencies|backup|goals?|objectives?|aims?|constraints?|requirements?|rules?"
    r"|conditions?|prerequisites?|preconditions?|before|after|afterwards|then|next|later|follow-?ups?|first|second"
    r"|third|also|additional\w*|more|extra|remaining|rest|continued|preparations?|prepare|to-?do|tasks?|check-?list"
    r"|check|deliverables|inputs?|outputs?|milestones?|acceptance|scope|limits?|deadlines?|permits?"
    r"|approvals?|needed|need|must|don'ts?|if|when|week|day|month|issues?|blockers?|exceptions?|errat\w+|materials?"
    r"|shopping|nice to have)\b|\Abudget\W*\Z|阶段|步骤|计划|方案|备选|回滚|回退"
    r"|应急|目标|约束|要求|条件|前置|准备|后续|之[前后]|补充|另|任务|清单|输入|输出|里程碑|验收|范围|限制|期限|审批"
    r"|如果|第.{1,2}(?:部分|[周天月])|需要"
)


# What says of steps that they are for a case, one of several ways, or not to be done at all.
_CASE = re.compile(
    r"(?:\A|[:：(（]|[0-9.]+ )\W*(?:(?:only )?if\b|in case\b|unless\b|otherwise\b|option [a-z0-9]\b|plan [b-z]\b"
    r"|(?:only )?when (?:it|there|something|things)\b"
    r"|(?:optional(?:ly)?|alternativ\w*|variants?|options?|rejected|discarded|dropped|abandoned|withdrawn|fall-?back"
    r"|back-?up plan|contingency|roll-?back|later|future|stretch(?: goals?)?|tentative|time permitting"
    r"|nice[ -]to[ -]have|maybe|someday|skipp?(?:ed)?|cancell?ed|postponed"
    r"|deferred|on hold|parking lot|backlog|obsolete|outdated|examples?|samples?|drafts?|old|previous|discussed|ideas?"
    r"|not (?:doing|needed|now|in scope|part of .*|this time)|out of scope|won['’]t (?:do|have))"
    r"(?: (?:plan|idea|step|option|approach|version|task|item|route|way|action)s?)*(?=\W*\Z|[:：(（]))"
    r"|\b(?:on hold|not (?:sure|approved|confirmed|decided|agreed)|tbd|if (?:needed|necessary|required|possible"
    r"|wanted)|optional|unsure|pending (?:approval|review|decision)|to be (?:discussed|decided|confirmed|approved)"
    r"|suspended|paused|for (?:later|another day|next time)"
    r"|(?:do|does|did) not|don['’]t|(?<!['’]ll )never|ignore|skip (?:it|this|these|those)"
    r"|leave out|pick one|one of|awaiting|needs approval"
    r"|blocked)\b"
    r"|[-–—(（⏸🚫❌]\W*(?:rejected|postponed|cancell?ed|skipped|dropped|withdrawn|superseded|deferred|refused)\b|⏸"
    r"|如[果遇]|[若遇]|备选|备用|应急|可选|以后再|不做|放弃|方案[一二三四甲乙A-D]|选项|回滚|取消|废弃|推迟|作废|暂缓"
    r"|示例|草案|不要|别做|暂停|待[定议批]|存疑",
    re.IGNORECASE,
)
# What is said in parentheses at the end of a heading.
_ASIDE = re.compile(r"[(（][^()（）]+[)）]\W*\Z")
# What heads a text about all of a plan.
_ABOUT = rf"(?:{english_of('overviews')})"
_OVERVIEW = re.compile(
    rf"(?i)\W*(?:(?:the|an?|plan|project|task|general|brief|quick|short) )*{_ABOUT}(?: (?:and|&) {_ABOUT})?\W*"
    rf"|\W*(?:计划|项目|任务|方案)?(?:{chinese_of('overviews')})(?:[与和]?(?:{chinese_of('overviews')}))?\W*"
)
# Signs for a state.
_STATES = frozenset("✅☑✔✓❌✖✗🚫⛔⏸⏭⏳🔄🔴🟡🟢")
# What is below such a heading may be more of the plan.
_DATA = re.compile(
    words_of("timeline", "things", "ingredients", english="schedule|need|to remember|problems?|issues?", chinese="时间")
)
# Characters at each end of a heading that are looked at.
_LOOKED_AT = 100
# Characters and words of a heading that only puts steps into groups.
_GROUP, _GROUP_WORDS = 40, 4


def disowns_steps(heading: str) -> bool:
    """Whether a heading says that what is below it holds in a case only, is one of several ways, or does not hold."""
    ends = heading if len(heading) <= 2 * _LOOKED_AT else f"{heading[:_LOOKED_AT]} {heading[-_LOOKED_AT:]}"
    aside = _ASIDE.search(ends)
    return _CASE.search(ends) is not None or (aside is not None and has_veto(aside[0].lower()))


def marks_state(line: str) -> bool:
    """Whether a heading says how what is below it stands, by a word or a sign."""
    heading = read_heading(line)
    return heading is not None and (read_status(heading[1]) is not None or not _STATES.isdisjoint(line))


def groups_steps(line: str) -> bool:
    """Whether a line is a heading that says nothing of the steps below it but what they are about."""
    heading = read_heading(line)
    if heading is None or len(heading[1]) > _GROUP or any(sign.isdigit() for sign in line):
        return False
    words = split_words(heading[1].lower())
    says_more = marks_state(line) or disowns_steps(heading[1]) or names_part(heading[1]) or heads_notes(heading[1])
    return len(words) <= _GROUP_WORDS and not says_more and not has_veto(heading[1].lower())


def read_note(line: str) -> str:
    """What a line says after a label such as `Note:`, in small letters; empty where there is nothing."""
    line = line.lower()
    match = _NOTE.match(line)
    return line[match.end() :] if match and line[match.end() :].strip(MARKS) else ""


def heads_notes(line: str) -> bool:
    """Whether a heading or a label is that of notes, as it begins with a word for some."""
    return is_notes(line.strip("#* ")) or _NOTE.fullmatch(f"{line.lower().rstrip('*_' + COLONS)}:") is not None


def is_label(line: str) -> bool:
    """Whether a line ends with a colon, so that it leads to others."""
    return line.rstrip("*_").endswith((":", "："))


def names_data(line: str) -> bool:
    """Whether a heading is that of dates, things or tasks, below which an order is no advice."""
    return _DATA.search(line) is not None


def names_notes(label: str) -> bool:
    """Whether a heading or a label is that of something that is no part of a plan."""
    return not NOTES.isdisjoint(split_words(label)) or any(word in label for word in NOTES_CHINESE)


def names_overview(line: str) -> bool:
    """Whether a heading is that of a text about all of a plan, such as its background."""
    heading = read_heading(line)
    return heading is not None and _OVERVIEW.fullmatch(heading[1]) is not None


def names_part(heading: str) -> bool:
    """Whether a heading may be that of a part of a plan, or of another one."""
    said = heading.lower().replace("’", "'").strip(MARKS)
    if is_notes(heading) or _NOTE.fullmatch(f"{heading.lower().rstrip(COLONS)}:") or names_notes(said):
        return False
    return _PART.search(said) is not None or orders(said)
