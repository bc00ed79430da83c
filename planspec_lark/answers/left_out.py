"""How likely it is that something belongs to a plan, or changes it, that was left out as no part of it."""

from __future__ import annotations

import re

from planspec_lark.answers.asides import changes_steps, comments_in, is_list_of_tools, leave_out_metadata, says_more
from planspec_lark.answers.demands import orders
from planspec_lark.answers.headings import groups_steps, heads_notes, names_notes, names_overview, names_part
from planspec_lark.answers.reading import Reading
from planspec_lark.answers.remarks import disowns, is_disowned
from planspec_lark.answers.risk import Risk, highest
from planspec_lark.answers.sentences import heads_more, sentences, tells_changes
from planspec_lark.answers.statements import Talk, prohibits
from planspec_lark.answers.status_reports import contradicts, denies_marks
from planspec_lark.answers.vocabulary import NOTES, NOTES_CHINESE
from planspec_lark.planspec.answer_lines import (
    is_harmless,
    is_notes,
    read_bullet,
    read_heading,
    read_item_number,
)
from planspec_lark.planspec.heading_words import names_no_plan
from planspec_lark.planspec.legend import is_legend, redefines_marks
from planspec_lark.planspec.line_faults import is_sentence
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.planspec.near_misses import SPACE, SPACES
from planspec_lark.planspec.plan_choice import begins_again, is_final
from planspec_lark.planspec.step_repair import looks_like_step, read_status, read_type
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Span

__all__ = ["rate_left_out"]

# Codes of what seems to be no part of the plan. Of several plans, only one is taken (PS105).
_FOREIGN = frozenset({"PS101", "PS103", "PS104", "PS107", "PS110", "PS111", "PS112"})
# A line in a quote that has the number of a step.
_QUOTED_STEP = re.compile(r"^> *[0-9]+[.)] ", re.MULTILINE)
# A line that no sentence is: a row of a table, a fence, a comment.
_NO_SENTENCE = re.compile(rf"^{SPACE}*(?:\||```|~~~|<!--)", re.MULTILINE)
# All of a fence that names nothing.
_FENCE_SIGNS = f"`~{SPACES}\r\n"
# Characters above a text that may head it.
_ABOVE = 4_000
# The same in front of the plan, where each line of a list is looked at by itself.
_HEAD = 1_000
# Labels of what is no part of a plan.
_ASIDES = NOTES.union(NOTES_CHINESE)


def rate_left_out(diagnostic: Diagnostic, reading: Reading) -> Risk:
    """The risk of leaving something out that was taken for no part of the plan."""
    plan, span = reading.plan, diagnostic.span
    if diagnostic.code == "PS105" and span is not None:
        is_doubtful = _is_draft_doubtful(reading.text[span.start : span.end], reading)
        return Risk.HIGH if is_doubtful else Risk.MEDIUM
    if diagnostic.code not in _FOREIGN or plan is None or span is None:
        return Risk.NONE
    text = _read(reading, span)
    if not text.strip(_FENCE_SIGNS if diagnostic.code == "PS103" else None):
        return Risk.NONE
    if redefines_marks(text):
        return Risk.HIGH
    start, end = plan
    if start < span.start < end:
        return _rate_inside(text, reading, span)
    is_behind = span.start >= end
    is_otherwise = (
        _goes_on(text, reading, span) or _changes(text, reading, span)
        if is_behind
        else _leads_elsewhere(text, reading, span, is_item=diagnostic.code == "PS107")
    )
    return Risk.HIGH if is_otherwise else _rate_around(text, has_goal=reading.has_goal)


def _read(reading: Reading, span: Span) -> str:
    """What is said in lines that were left out: a line may be one of text and of reasoning."""
    text = leave_out_reasoning(reading.text[span.start : span.end]).text
    return leave_out_metadata(text) if reading.is_early(span.start) else text


def _leads_elsewhere(text: str, reading: Reading, span: Span, *, is_item: bool) -> bool:
    """Whether what comes before a plan may change what it means."""
    assert reading.plan is not None, "there is a plan"
    if any(says_more(comment, reading.talk, is_in_front=True) for comment in comments_in(text)):
        return True
    above = reading.text[max(span.start - _HEAD, 0) : span.start]
    if reading.is_of_draft(span.start) and (_OF_FAULTS.search(above.rstrip()) or not _speaks_of_next(text)):
        return False
    if _may_head(text, reading, span):
        return True
    # A list may be one of constraints, or of what is needed.
    if is_item and read_bullet(text.partition("\n")[0]) is not None and not reading.legend:
        if not _is_headed(above):
            return True
        if is_list_of_tools(text, _find_head(above)):
            return False
    is_disowning = disowns(text, reading.text[span.end : reading.plan[0]], reading.talk, above)
    return is_disowning or denies_marks(text, reading.talk.tally)


def _may_head(text: str, reading: Reading, span: Span) -> bool:
    """Whether text before a plan has what may be of its head: a title, the rest of a line, or a goal that it lacks."""
    return (
        _may_be_title(text, reading, span)
        or any(_is_rest(line, is_in_front=True) for line in _LONE_LINE.findall(text))
        or (not reading.has_goal and _may_have_goal(text))
    )


# Characters of a heading that is nothing but a lead, and of what may be between a title and its plan.
_SHORT, _APART = 80, 200
# A heading that leads to a plan, and does not name what it is about.
_LEADING = re.compile(
    r"\W*(?:(?:the|your|my|an?|final|updated|revised|corrected|improved|fixed|new|first|second|third|last|rough"
    r"|recommended|complete|full|cleaned-up|old|previous|original|current|here is|here's|planspec|step-by-step) )*"
    r"(?:plan|version|draft|answer|output|result|response|option"
    r"|attempt)s?(?: [0-9a-d])?[:：*_ ]*(?:\([^()]*\)[:：*_ ]*)?"
    r"|\W*(?:最终|更新|修订|修改|修正|调整|完整|推荐|正式|初|终|定|新|旧|原|第.|后|的|版|以下是?)*"
    r"(?:计划|方案|版本?|稿|结果|回答)[:：*_ ]*(?:[(（][^()（）]*[)）][:：*_ ]*)?",
    re.IGNORECASE,
)


def _may_be_title(text: str, reading: Reading, span: Span) -> bool:
    """Whether a text ends with a heading right above a plan without a title, which names what it is about."""
    assert reading.plan is not None, "there is a plan"
    assert reading.positions is not None, "there is a plan"
    last = text.rstrip().rpartition("\n")[2].strip(SPACES)
    heading = read_heading(last) if last[:1] in ("#", "*", "_") else None
    if heading is None or reading.plan[0] - span.end > _APART or "title" in reading.positions.fields:
        return False
    if reading.text[span.end : reading.plan[0]].strip("-*_ \t\r\n"):
        return False
    if names_no_plan(heading[1]):
        return True
    is_lead = len(heading[1]) <= _SHORT and _LEADING.fullmatch(heading[1]) is not None
    return not (is_lead or heads_notes(last) or names_notes(heading[1].lower()))


_HOLD_ON = re.compile(r"\A\W*(?:hold on|wait|hang on|let me \w+|等等|稍等)\b[,，.]? ?")
# What heads a list of what is wrong with a draft.
_OF_FAULTS = re.compile(
    r"(?i)(?:问题|不足|缺点|缺陷|problems?|issues?|weaknesses|flaws?|what is wrong|shortcomings)[*_]*[:：][*_]*\Z"
)
# A line of a list, of detail or of code.
_OF_LIST = re.compile(r"[ \t]*(?:>|[-*+•] |```|~~~|[0-9])")
# What is said of the plan that follows, and not of the draft before it.
_OF_NEXT = re.compile(
    r"\b(?:next|below|following|only|if|unless|until|approv\w*|agree\w*|reject\w*|budget|valid|example|sample|please)\b"
    r"|下面(?!这)|以下|如果|只|须|必(?!要)|请|同意|批"
)


def _speaks_of_next(text: str) -> bool:
    """Whether something between a draft and the plan may be said of the plan."""
    said = [_HOLD_ON.sub("", one) for one in sentences(text)]
    if said and is_final(said[-1]):
        # That it is the final one is what leads to it.
        said.pop()
    return any(prohibits(one) or orders(one) or _OF_NEXT.search(one) for one in said)


def _is_draft_doubtful(text: str, reading: Reading) -> bool:
    """Whether a plan that was left out has a title inside a line, or text behind it that speaks against the next."""
    rows = text.split("\n")
    last = max((at for at, row in enumerate(rows) if _OF_LIST.match(row) or looks_like_step(row.strip())), default=-1)
    behind = "\n".join(rows[last + 1 :])
    if _has_title(text) or not behind.strip():
        return _has_title(text)
    lead = behind.rstrip("`~ \r\n").rpartition("\n")[2]
    if is_final(lead) or begins_again(lead):
        return _speaks_of_next(behind)
    return not all(map(reading.talk.comes_before, sentences(behind)))


def _rate_inside(text: str, reading: Reading, span: Span) -> Risk:
    """The risk of leaving out what is between the lines of the plan."""
    is_early = reading.is_early(span.start)
    is_told = _NO_SENTENCE.search(text) is None and all(map(reading.talk.is_told, sentences(text)))
    if not is_told and reading.is_above_goal(span.start) and _is_talk(text):
        # It leads to the plan below its title.
        is_told = all(map(reading.talk.is_small_talk, sentences(text)))
    is_told = reading.has_goal and (is_told or _is_section_of_tools(text, reading.talk))
    if is_early and (is_told or _is_preface(text, reading)):
        return Risk.LOW
    if groups_steps(text.strip()) and reading.says_of_groups and reading.is_above_step(span.end):
        return Risk.MEDIUM
    return _rate_between(text, reading.talk, is_early=is_early)


def _is_preface(text: str, reading: Reading) -> bool:
    """Whether a text between the title and the steps only speaks of the plan, or is the background of its goal.

    Anything else may be a goal that the plan lacks, more of the one that it has, or a constraint.
    """
    talk = reading.talk
    rows = [row for one in text.split("\n") if (row := one.strip(SPACES + "\r")) and not _leads_to_steps(row, talk)]
    headings = [row for row in rows if names_overview(row)]
    told = "\n".join(row for row in rows if not names_overview(row))
    if not _is_talk(told) or _may_have_goal(text):
        return False
    is_headed = headings[:1] == rows[:1] != [] and reading.has_goal
    return all(talk.restates(one) or (is_headed and talk.is_background(one)) for one in sentences(told))


def _is_section_of_tools(text: str, talk: Talk) -> bool:
    """Whether a text is the heading of tools and materials, and a list of some that says nothing new."""
    heading, _, rows = text.strip().partition("\n")
    items = (read_bullet(row.strip(SPACES + "\r")) or "" for row in rows.split("\n"))
    return is_list_of_tools(rows, heading) and all(talk.adds_nothing(item.lower()) for item in items if item)


def _is_talk(text: str) -> bool:
    """Whether all lines of a text are sentences, and none leads to a list."""
    rows = [row.strip(SPACES + "\r") for row in text.split("\n")]
    return all(is_sentence(row) and not row.endswith((":", "：")) for row in rows if row)


def _find_head(above: str) -> str:
    """The last line of a text that is no bullet."""
    rows = (row.strip(SPACES + "\r") for row in reversed(above.split("\n")))
    return next((row for row in rows if row and read_bullet(row) is None), "")


def _is_headed(above: str) -> bool:
    """Whether the list that follows a text has a heading or a label that is not that of a part of the plan."""
    head = _find_head(above)
    is_head = read_heading(head) is not None or head.endswith((":", "："))
    return is_head and (is_notes(head.strip("# ")) or not names_part(head))


def _goes_on(text: str, reading: Reading, span: Span) -> bool:
    """Whether text follows a plan's last line directly, so that it may continue it."""
    is_next = reading.plan is not None and reading.text.count("\n", reading.plan[1], span.start) < 2
    return is_next and _CLOSING.match(text) is None and not is_harmless(text.partition("\n")[0])


def _changes(text: str, reading: Reading, span: Span) -> bool:
    """Whether text after a plan may change what it means."""
    above, talk = _above(reading, span), reading.talk
    if _adds_steps(text, above, talk) or _contradicts_marks(text, above, talk):
        return True
    said = sentences(text, above)
    leads_on = _PLAN.match(reading.text, span.end) is not None
    if leads_on and said and said[-1].endswith((":", "：")):
        # It leads to another plan.
        said.pop()
    is_news = not all(talk.adds_nothing(one) or talk.is_label(one) for one in said)
    return is_news or (not leads_on and heads_more(text))


def _above(reading: Reading, span: Span) -> str:
    """What is between a plan and text after it, which may head that."""
    assert reading.plan is not None, "there is a plan"
    start = reading.plan[1]
    above = reading.text[start : span.start] if span.start - start < _ABOVE else ""
    # The first fence after the plan is the end of its code block.
    return above.lstrip().lstrip("`~") if reading.is_in_code else above


def _adds_steps(text: str, above: str, talk: Talk) -> bool:
    """Whether text after a plan has lines or comments that may be more of it: the next number, a piece of a step."""
    if _QUOTED_STEP.search(text) or any(says_more(comment, talk) for comment in comments_in(text)):
        return True
    following = str(len(talk.tally.top) + 1)
    if any(read_item_number(row.strip(SPACES)) == following for row in text.split("\n")):
        return True
    if any(_is_rest(line) or talk.is_piece(line) for line in _LONE_LINE.findall(text)):
        return True
    # A list in a code block may be another version of the steps.
    return len(_FENCE.findall(above)) % 2 == 1 and len(_NUMBERED.findall(text)) > 1


def _contradicts_marks(text: str, above: str, talk: Talk) -> bool:
    """Whether what text after a plan tells of the states of the steps, in lines, tables or changes, is not so in it."""
    is_list = tells_changes(above + text)
    return denies_marks(text, talk.tally) or changes_steps(text, talk) or (is_list and contradicts(text, talk.tally))


# What closes a plan: the end of a code block, a tag, a word for the end.
_CLOSING = re.compile(r"(?:`{3,}|~{3,}|<[/\w|]|\W*(?:end|eof|完|结束)\b)", re.IGNORECASE)
_FENCE = re.compile(rf"^{SPACE}*(?:```|~~~)", re.MULTILINE)
# A paragraph of one line.
_LONE_LINE = re.compile(rf"(?:\A|\n{SPACE}*\r?\n){SPACE}*([^\n]*[^\n{SPACES}\r])(?=\s*\Z|{SPACE}*\r?\n{SPACE}*\r?\n)")
# What is left of a line of a plan: the word for a branch, the label of a part, a type or a mark, and nothing else.
_REST = re.compile(
    r"(?i)(?:else|otherwise|default|then|or|and|end ?if|fi|if not|step|否则|反之)[ :：→]*"
    r"|(?:el(?:se ?|s)?if|case)\b.{1,40}[:：→]"
    r"|(?P<label>yes|no|goal|objective|in(?:put)?s?|out(?:put)?s?|是|否|目标|输入|输出) *[:：→]|[☐☑▢□|]"
    r"|[\[(（［【](?P<word>[^\[\]()（）［］【】]{1,12})[\])）］】][ :：]*|(?:act|decide|subtask)[:：]"
)


def _is_rest(line: str, *, is_in_front: bool = False) -> bool:
    """Whether a line is what is left of one of a plan; a label in front may be that of all of it."""
    match = _REST.fullmatch(line.strip("*_` \t"))
    if match is None or match["word"] is None:
        return match is not None and not (is_in_front and match["label"])
    return read_type(match["word"]) is not None or read_status(match["word"]) is not None


# A line with a number in front.
_NUMBERED = re.compile(rf"^{SPACE}*[0-9]{{1,3}}[.):]?{SPACE}+[^\W\d_]", re.MULTILINE)
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


def _rate_between(text: str, talk: Talk, *, is_early: bool) -> Risk:
    """The risk of leaving out what is between the lines of a plan, before its steps or among them."""
    in_comment = False
    risks = [Risk.NONE]
    for row in text.split("\n"):
        line = row.strip(SPACES + "\r")
        if in_comment or line.startswith("<!--"):
            in_comment = "-->" not in line
            risks.append(Risk.HIGH if says_more(line, talk) else Risk.NONE)
        elif line and not (is_harmless(line) or is_legend(line) or line.startswith(("```", "~~~"))):
            risks.append(Risk.LOW if is_early and _leads_to_steps(line, talk) else Risk.HIGH)
    return highest(risks)


def _leads_to_steps(line: str, talk: Talk) -> bool:
    """Whether a line leads to the steps, so that it says nothing by itself, and does not call them something else."""
    if not line.endswith((":", "：")) or "→" in line or is_disowned(line):
        return False
    return line.strip("*:： ").lower() not in _ASIDES and all(map(talk.leads_on, sentences(line)))
