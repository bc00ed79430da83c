"""The sentences of a text around a plan, those of wrapped lines put together again, and where they stand."""

from __future__ import annotations

import re
from enum import Enum

from attrs import define, field

from planspec_lark.answers.descriptions import denies, has_veto
from planspec_lark.answers.headings import MARKS, heads_notes, is_label, names_data, names_part, read_note
from planspec_lark.answers.vocabulary import Form, one_of
from planspec_lark.planspec.answer_lines import read_heading
from planspec_lark.planspec.models import MARKS as STATUS_MARKS, STEP_TYPES
from planspec_lark.planspec.near_misses import SPACES
from planspec_lark.syntax.fences import FENCES

__all__ = ["heads_more", "is_offer", "refuses", "sentences", "speaks_of_case", "tells_changes"]


# How a sentence ends, with marks around it or not; such a line is not a heading.
_ENDS = tuple(f"{sign}{marks}" for sign in ".!?。！？" for marks in ("", "*", "**", "_", "__"))
# A heading for what is done next, by the plan or by who offers it.
_NEXT = re.compile(r"(?i)\W*(?:next steps?|what['’]s next|下一步)\W*")
# Characters of a sentence that is looked at in one piece.
_LONGEST = 500
# What is offered to who reads it, or left to him.
_OFFER = re.compile(
    r"\b"
    + one_of(
        r"let me know|tell me|feel free|at your disposal|just (?:ask|say|reply)|say the word|(?:happy|glad|here) to",
        r"do(?: not|n't) hesitate|i (?:can|could)|i'll be|i'm (?:always )?(?:here|ready)",
        r"i(?:'ll| will) (?:update|refresh|mark|tick off) the (?:signs?|marks?|status\w*|progress|boxes|check ?list)",
        r"(?:i'd|i) need to know|copy this|(?:do you want|would you like) me to(?=\W*\Z)",
        r"you can (?:now |also |then )?(?:\w+ ){0,2}?(?:follow|use|copy|run|start|execute|mark|track|check|tick)\w*",
        r"you can (?:now |also |then )?(?:\w+ ){0,2}?(?:save|see|find|go|relax|ask)\w*",
        r"(?:if|should|when|whenever) you(?:'d)? (?:\w+ )?(?:need|want|wish|like|prefer|have)",
        r"(?:once|when|as soon as|after) you(?:'re| are|'ve| have)? (?:happy|ready|okay|fine|satisfied"
        r"|confirm\w*)\b[^,]*, i(?:'ll| will| can)",
        r"(?:can|may) (?:then )?be (?:checked|verified|tested|tracked)",
        r"(?:if|should) (?:any\w*\b.* (?:is|are|be) unclear|(?:any|some)thing)",
        r"if (?:the|this|that)(?: plan)? (?:suits|helps|works for|is fine|looks good)",
    )
    + r"\b|"
    + one_of(
        r"如需|如有.{0,6}(?:问题|疑问|需|变|不清|调整)|如果?[您你]|若[您你有需]|需要的?话|如果.{0,4}(?:合适|满意)",
        r"要不要我|(?:需要|想)我.{0,60}[吗？?]|告诉我|告知|随时|欢迎|请查收|(?:请|供[您你]?)过目|请指正|问我"
        r"|我.{0,4}可以|我(?:再|就|会|马上|立刻)+(?:帮[您你])?(?:调整|更新|修改|同步|补充)|[您你]可以让我|请确认.{0,8}是否",
        r"确认(?:无误)?[之以]?后，?我(?:将|就|会|再)*开始|供[您你]?参考",
        r"可以?(?:根据[^，。]*)?(?:再|随时|灵活|适当|自由)*(?:调整|微调|细化|增减)\W*\Z",
        r"(?<!也)可以?(?:直接(?:复制|使用|贴|执行|运行)|参考|按(?:照)?(?:步骤|顺序)(?:逐步)?执行|逐步执行)",
    )
)
# A case that something is said for.
_IN_CASE = re.compile(r"\b(?:if|in case|unless|should)\b|如[果遇]|[若遇]|一旦|万一")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’*_)]*\s+|(?<=[。！？])|[;；]\s*")
# A line that begins something of its own, and continues nothing.
_BEGINS = re.compile(r"[-*+•·>#|`]|[0-9]+[.)、]|[(（【\[]")
_ITEM = re.compile(r"[-*+•·>]\s|[0-9]+[.)、]|[(（][0-9]+[)）]")
# The level of a heading that is bold text.
_BOLD = 7
# What is said of the plan even in notes, or takes something back.
_OF_STEPS = re.compile(
    r"\b(?:plans?|steps?|(?:i|we)(?:'ve| have| just)? (?:forgot|missed|left out|omitted|overlooked)|oops|actually"
    r"|scratch that|wait|hold on|correction|remember to (?:add|insert)|also (?:have|need) to|commands?|(?:the"
    r"|all|everything|nothing) above|(?:this|these|it)"
    r" (?:is|are|assumes?|holds?|appl(?:y|ies)|depends?|requires?|needs?)|draft|version|todo|tbd|incomplete|missing"
    r"|approv(?:ed|al)|sign(?:ed|s)? off|ignore|(?<!tend to )cancel\w*)\b|计划"
    r"|方案|步|[漏忘]了|遗漏|更正|纠正|不对|(?<![0-9楼层岁度米人元个级天周月年])以[上下]|上[面述]|下[面述]|命令|草[案稿]|批准|审批|确认|作废|暂"
)
# What restricts or repeats something, or puts it in front, whatever it is.
_RESTRICTS = re.compile(
    r"\b(?:only (?:run|do|use|start|apply)|as well|twice|swap|agree|(?:is|are|has|have) to be"
    r"|(?:not|don't|never) (?:run|use|execute|follow|apply|carry|start|act)"
    r"|(?:please|kindly) (?:look|check|confirm|verify|tell|say|correct|decide|choose|make sure)"
    r"|(?:begin|start) with (?:the )?(?:steps? [0-9]|phase|last|second|third)"
    r"|(?:voted|turned) down|called off|(?:it|that)['’]?s either"
    r"|(?:nothing|nobody|no one) (?:may|must|should)|place-?holders?|made[- ]up|guess(?:ed|es)?|invented|fictional"
    r"|illustrative)\b|[请不]要?(?:执行|照做)"
    r"|随手|随便[写填]|占位|瞎[写填]|[编估猜]的|再填|实际[^，。]{0,6}(?:得看|要看|为准)"
    r"|请[您你]?(?:先|再)?(?:确认|核[对实]|告诉|选)"
)
_CHANGES = Form.of(
    "changed|moved",
    r"\bwhat (?:has |i |i've )?(?:changed|moved)\b",
    r"(?:变更|修改)说明",
)
_FRONT_MATTER = re.compile(r"\A---\r?\n(?:[\w -]*:.*\n)*---")
# A type of the format that is spoken of.
_TYPES = re.compile(rf"`?\[({'|'.join(STEP_TYPES)})\]`?")
# What a mark of the format says where it is spoken of.
_MARK = re.compile(r"`\[([ xX>!~])\]`")
_MARK_WORDS = {mark: status.value for status, mark in STATUS_MARKS.items()}
# A change that the plan shows by itself: what is new in it, or marked or called otherwise.
_HAS_CHANGED = re.compile(
    r"\b(?:new|added|marked|set to|(?:is|are|went) (?:skipped|done|blocked|active|in progress)"
    r"|now (?:done|blocked|active|in progress|skipped|has|says|names)|renamed|updated"
    r"|reworded|clarified|split)\b|新增|标记为|改为|更新|补充"
)
# What a cell of a table says against something.
_REFUSES = re.compile(
    r"\A\W*(?:no|not|wants?|pending|open|denied|tbd|cancell?ed|skip(?:ped)?|unclear|void|on hold|if|unless)\b"
    r"|\b(?:refus\w*|reject\w*|postpon\w*|approv\w*|replaced by)\b|[?？❌✗✖⏸🚫⛔]"
    r"|\A\W*(?:否|不|先|待定|作废|取消|暂缓|未定|可选)"
)
# A tag by itself, or around nothing but a name.
_TAG = re.compile(
    r"</[\w-]+>|<(?!\w*(?:skip|cancel|abort|stop|step|draft|old|example|sample))[A-Za-z][\w-]*>|(?:<\|[a-z_]++\|>)+"
    r"|<([\w-]+)>\s*+(?!\w*(?:skip|cancel|abort|stop|step|draft))[\w.-]*+\s*+</\1>"
)


def is_offer(said: str) -> bool:
    """Whether a sentence offers something to who reads it, or leaves it to him."""
    return _OFFER.search(said) is not None


def refuses(said: str) -> bool:
    """Whether a cell of a table says something against what it is about."""
    return _REFUSES.search(said) is not None


def tells_changes(text: str) -> bool:
    """Whether a text has a heading or a label of what has changed in a plan."""
    return _CHANGES.is_in(text.lower())


def speaks_of_case(said: str) -> bool:
    """Whether a sentence says something for a case."""
    return _IN_CASE.search(said) is not None


def sentences(text: str, above: str = "") -> list[str]:
    """The sentences of a text in lower case, those that were wrapped put together again.

    What stands in notes, or below an offer, is left out unless it speaks of the plan or takes something back.

    Args:
        text: the text.
        above: what is above it, which may head it.
    """
    reader = _Paragraphs()
    for row in above.split("\n") if above else ():
        reader.read(row)
    reader.rows = []
    if "[" in text:
        text = _MARK.sub(lambda mark: _MARK_WORDS[mark[1].lower()], _TYPES.sub(r"\1", text))
    if text.startswith("---"):
        text = _FRONT_MATTER.sub("", text)
    for row in text.split("\n"):
        reader.read(row)
    found = (
        said
        for paragraph, kind in reader.rows
        for said in (part.replace("**", "").strip(MARKS).lower() for part in _SENTENCE_END.split(paragraph))
        if kind.lets(said)
    )
    return [said[at : at + _LONGEST] for said in found for at in range(0, len(said), _LONGEST)]


class _Kind(Enum):
    """What a paragraph is, and so what counts in it."""

    TEXT = "text"
    NOTES = "notes"
    NOTE = "note"
    OFFER = "offer"
    CHANGES = "changes"
    CELL = "cell"

    def lets(self, said: str) -> bool:
        """Whether a sentence counts: in notes and tables, what restricts something or denies something of the plan.

        What a line says for a case that is labelled as a note by itself may be more than that.
        """
        if self in (_Kind.TEXT, _Kind.OFFER):
            return self is _Kind.TEXT
        if self is _Kind.CHANGES:
            return _HAS_CHANGED.search(said) is None and re.search(r"[^\W\d]", said) is not None
        if self is _Kind.CELL and (has_veto(said) or refuses(said)):
            return True
        if _RESTRICTS.search(said) or (_OF_STEPS.search(said) and denies(said)):
            return True
        return self is _Kind.NOTE and speaks_of_case(said)


@define
class _Paragraphs:
    """Puts lines together to paragraphs.

    Attributes:
        rows: the paragraphs.
        section: what is below the last heading.
        label: what is below the last label, down to the end of its list, or of its paragraph.
        is_listed: whether that list has begun.
        is_code: whether the lines are in a code block.
        is_comment: whether they are in a comment.
    """

    rows: list[tuple[str, _Kind]] = field(factory=list)
    section: _Kind = _Kind.TEXT
    label: _Kind = _Kind.TEXT
    is_listed: bool = False
    is_code: bool = False
    is_comment: bool = False

    def read(self, row: str) -> None:
        line = row.strip(SPACES + "\r")
        if line.startswith(FENCES):
            self.is_code = not self.is_code
            self.label = self.section
            self.rows.append(("", _Kind.TEXT))
        elif self.is_code or not line or (line[0] == "<" and _TAG.fullmatch(line)):
            self.rows.append(("", _Kind.TEXT))
        elif line.startswith("<!--") or self.is_comment:
            self._leave_comments(line)
        elif line.startswith("|"):
            self.rows.extend((cell, _Kind.CELL) for cell in line.split("|"))
        elif self._goes_on(line):
            paragraph, kind = self.rows[-1]
            self.rows[-1] = (f"{paragraph} {line}", kind)
        else:
            self._begin(line)

    def _leave_comments(self, line: str) -> None:
        """Read what is behind the comments that a line begins with; they are no sentences."""
        while line and (self.is_comment or line.startswith("<!--")):
            _, end, line = line.partition("-->")
            self.is_comment = not end
            line = line.strip(SPACES)
        self.rows.append(("", _Kind.TEXT))
        if line:
            self.read(line)

    def _goes_on(self, line: str) -> bool:
        said = self.rows[-1][0] if self.rows else ""
        return 0 < len(said) < _LONGEST and not _BEGINS.match(line) and said[-1] not in ".!?:。！？："

    def _begin(self, line: str) -> None:
        heading = read_heading(line)
        is_item = heading is None and _ITEM.match(line) is not None
        if heading is not None:
            self.label = _find_kind_below(heading[1])
            # Bold text heads a list or a paragraph only.
            is_section = heading[0] < _BOLD and self.label is _Kind.NOTES
            self.section, self.is_listed = _Kind.NOTES if is_section else _Kind.TEXT, False
            self.rows.append((line, _Kind.TEXT))
            if heading[0] < _BOLD:
                # What follows on the next line does not continue it.
                self.rows.append(("", _Kind.TEXT))
            return
        kind = self.label
        if not is_item and (kind is not _Kind.NOTES or self.is_listed):
            kind = self.section
        self.is_listed = is_item
        if not is_item:
            below = _find_kind_below(line)
            self.label = self.section if below is _Kind.TEXT else below
            kind = _Kind.TEXT if is_label(line) else kind
        if kind is _Kind.TEXT and (note := read_note(line)):
            line, kind = note, _Kind.NOTE
        self.rows.append((line, kind))


def _find_kind_below(line: str) -> _Kind:
    """What stands below a heading or a label.

    What is listed below an offer is offered, too.
    """
    said = line.lower()
    if _CHANGES.is_in(said):
        return _Kind.CHANGES
    if is_label(line) and is_offer(said):
        return _Kind.OFFER
    return _Kind.NOTES if heads_notes(line) and not names_data(line) else _Kind.TEXT


def heads_more(text: str) -> bool:
    """Whether text after a plan has the heading of something that may belong to it, as it is none of notes."""
    is_code = False
    lines = [row.strip(SPACES + "\r") for row in text.split("\n")]
    for at, line in enumerate(lines):
        is_code ^= line.startswith(FENCES)
        heading = None if is_code or line.endswith(_ENDS) else read_heading(line)
        if heading and names_part(heading[1]) and not (_NEXT.fullmatch(heading[1]) and _offers(lines[at + 1 :])):
            return True
    return False


def _offers(lines: list[str]) -> bool:
    """Whether the first of some lines that is not empty is an offer."""
    return is_offer(next(filter(None, lines), "").lower().replace("’", "'"))
