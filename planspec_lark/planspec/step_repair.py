"""Steps that are almost some: how people and language models number them, and which words they use for status and type.

As in :mod:`planspec_lark.planspec.near_misses`, a repair is a guess that callers put to the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from re import Match
from types import MappingProxyType

from attrs import define, field

from planspec_lark.planspec.heading_words import NUMBER_WORDS
from planspec_lark.planspec.models import BLANKS, STEP_TYPES
from planspec_lark.planspec.near_misses import (
    SPACE,
    SPACES,
    NearMiss,
    blank_quoted,
    compiled,
    find_outputs,
    is_quoted,
    repeats_arrow,
    unwrap,
    variables_of,
)
from planspec_lark.syntax import grammars

__all__ = [
    "STATUS_FORMS",
    "STATUS_SIGNS",
    "find_bar",
    "find_change",
    "find_misses",
    "find_progress",
    "is_foreign_type",
    "is_item",
    "is_type_label",
    "looks_like_step",
    "may_have_progress",
    "rank_of_number",
    "read_loose_id",
    "read_status",
    "read_type",
    "repair_step",
]

_SPACE_GROUP = rf"(?P<space>{SPACE}*)"


def may_have_progress(text: str) -> bool:
    """Whether a text has the word for a progress."""
    return "rogress" in text or "PROGRESS" in text or "进度" in text


def find_progress(text: str) -> str:
    """The progress that is meant by a piece such as ``progress 3/5``; empty for any other.

    ``Progress:`` itself begins a piece only where a backslash has made text of it.
    """
    return "" if text.startswith("Progress:") else _read_progress(text)


def _read_progress(text: str) -> str:
    match = compiled(_ALMOST_PROGRESS).fullmatch(text)
    if match is None:
        return ""
    done, total = match["done"] or match["bare"], match["total"] or match["whole"]
    counts = [done, total] if total else [done]
    return f"Progress: {'/'.join(str(int(count)) for count in counts)}"


def find_bar(description: str) -> tuple[int, str] | None:
    """Where a bar in a description is that separates nothing, and the progress behind it, at the end."""
    at = max(description.rfind("|"), description.rfind("｜"))
    bar = compiled(_TEXT_BAR).fullmatch(description, at) if at >= 0 else None
    # A bar that is set off can only be text where a backslash has made it so.
    if bar is None or compiled(_SEPARATOR).match(description, at) or is_quoted(description, at):
        return None
    return at, _read_progress(bar["piece"])


# How a step may be numbered, besides by digits: letters, Chinese numerals, all of them in parentheses or after a word.
_NUMERALS = "一二三四五六七八九"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
# Digits on keys, such as 1️⃣1️⃣, and the key for ten.
_KEYS = "(?:[0-9]\ufe0f?\u20e3)++|🔟"
# Up to 99; what continues with more numerals is another number.
_NUMERAL = f"(?:[{_NUMERALS}]?十[{_NUMERALS}]?|[{_NUMERALS}])(?![{_NUMERALS}十百千零〇])"
_LEADER = (
    rf"(?:[#＃]{{1,6}}{SPACE}*)?(?:[-*+•·‣▪◦]{SPACE}+)?(?:(?:\[(?P<box>[ xX]|[^\w\s\[\]])\]"
    rf"|(?P<sign>[^\x00-\x1f\x7f\w\s#*_`\[\](){{}}<>|（）【】［］🔟]{{1,3}}))"
    rf"{SPACE}+)?(?P<marks>[*_]*)(?:(?P<word>{NUMBER_WORDS}){SPACE}*)?"
)
# A time of day and a quantity are no numbers of a step.
_DIGITS = (
    r"(?![0-9]{1,2}\.[0-9]{2}[ \t]+[^\s\[［【*`(])"
    r"(?![0-9]++\.[0-9]++[ \t]?(?:k?g|m?l|[cmk]?m|%|€|\$|euros?|cups?|lit(?:er|re)s?|hours?|h|min(?:ute)?s?|days?"
    r"|weeks?)\b)"
    r"[0-9０-９]++(?:[.．][0-9０-９]++)*(?![:：][0-9])"
)
# Each with the group `all`: what should have been written otherwise, if anything.
_ID = (
    rf"(?P<all>(?P<open>[(（]?)(?P<id>{_KEYS}|{_DIGITS}|[{_CIRCLED}]|{_NUMERAL}|[A-Ha-h](?![A-Za-z]))[)）]?(?:步|阶段)?"
    r"(?P<shut>(?:[*_]{2}(?=[.．、)）:：]))?)"
    rf"(?:\.\)|[.．、)）:：。]|{SPACE}+[-–—.](?={SPACE}))?)(?P<close>[*_]*){_SPACE_GROUP}"
)
# Without marks before an id, those behind it open something else.
_BARE_ID = _ID.replace("(?P<close>[*_]*)", "(?P<close>)").replace("[*_]{2}(?=[.．、)）:：])", "")
# How a step begins, whatever follows; and how one begins that has a sign after its number, or a word before it.
_WORDED = (
    rf"(?:第{SPACE}*(?:{_DIGITS}|{_NUMERAL}){SPACE}*(?:步|阶段)"
    rf"|(?i:step|phase|stage|步骤|阶段){SPACE}*(?:{_DIGITS}|{_NUMERAL}))"
)
# A type before the id.
_TYPE_IN_FRONT = (
    rf"(?:[-*+•]{SPACE}+)?(?P<all>[*_`]*[\[［【]{SPACE}*(?P<type>[^\W\d][\w-]{{0,20}}){SPACE}*[\]］】][*_`]*)"
    rf"{SPACE}*(?=(?i:step {SPACE}*)?{_DIGITS}[.)、．:：])"
)
_PREFIX = _LEADER[: _LEADER.index("(?:(?P<word>")]
_STEP = (
    rf"{_PREFIX}(?:{_WORDED}|[{_CIRCLED}]|{_KEYS}|[(（]?{_DIGITS}|[(（]{_NUMERAL}[)）]|{_NUMERAL}、"
    rf"|[A-Za-z][.)、]{SPACE}+[\[［【])"
)
_ITEM = (
    rf"{_PREFIX}(?:(?P<worded>{_WORDED})(?={SPACE}*[*_]*{SPACE}*(?:[.．:：)、）–—\[-]|\Z))|[(（]{_DIGITS}[)）]|[{_CIRCLED}]|{_KEYS}"
    rf"|[*_]{{2}}{_DIGITS}[*_]{{2}}[.．、)）:：]|{_DIGITS}(?:\.\)|[.．、)）:：])|[(（]{_NUMERAL}[)）]"
    rf"|{_NUMERAL}、|[A-Za-z][.)、]{SPACE})"
)
# Types that may be labels.
_TYPES = f"{'|'.join(STEP_TYPES)}|推理|行动|决策|子任务"
_MARK = (
    rf"(?P<all>[*_`]*[\[［【](?P<mark>[^\[\]［］【】]*)[\]］】][*_`]*){_SPACE_GROUP}"
    rf"(?=(?:[\w-]++{SPACE}*+)?+[*_`]*+[\[［【(（<]|[*_]*+(?i:{_TYPES})[*_]*+[:：])"
)
_FREE_MARK = rf"(?P<all>[\[［【](?P<mark>[^\[\]［］【】]*)[\]］】]){_SPACE_GROUP}"
_SIGN = (
    rf"(?P<all>(?P<mark>[^\x00-\x1f\x7f\w\s#*_`\[\](){{}}<>|（）【】［］\"'“”‘’«»:：.,;!?、。，…→-]{{1,3}}+))"
    rf"{_SPACE_GROUP}"
)
# Possessive: a word may be as long as the text.
_NAME = rf"(?P<all>(?=[_-]*+\w)[\w-]++){_SPACE_GROUP}(?=[*_`]*[\[［【(（<])"
_TYPE = (
    rf"(?P<all>(?P<marks>[*_`]*)(?P<open>[\[［【(（<])"
    rf"(?P<inner>\*\*|__(?=[^\]］】]*__)|`|){SPACE}*(?P<type>[^\W\d][\w -]{{0,30}}?){SPACE}*(?P=inner)"
    rf"[\]］】)）>](?P<close>[*_`]*)"
    rf"(?:：|:(?={SPACE}))?){_SPACE_GROUP}"
)
_TYPE_LABEL = rf"(?i)(?P<all>[*_]*(?P<type>{_TYPES})[*_]*[:：][*_]*){_SPACE_GROUP}(?=\S)"
# What a grammar that knows only `Progress: N/M` takes for a result or for text.
_COUNT, _SIGNS = "[0-9０-９]{1,9}", "[*_`]{0,3}"
_OF = rf"{SPACE}*+(?:[/／]|(?:out )?of){SPACE}*+"
_ROUNDS = "(?:rounds?|steps?|done|轮|次|步)"
_ALMOST_PROGRESS = (
    rf"(?i:{_SIGNS}(?:progress|进度){SPACE}*+{_SIGNS}{SPACE}*+"
    rf"(?:[:：=]{SPACE}*+{_SIGNS}{SPACE}*+(?P<done>{_COUNT})(?:{_OF}(?P<total>{_COUNT}))?"
    rf"|(?P<bare>{_COUNT}){_OF}(?P<whole>{_COUNT}))"
    rf"{_SIGNS}(?:{SPACE}*+{_ROUNDS})?[.。]?{_SIGNS})"
)
_SAID = ("Progress:", "Progress：")
# A bar that is text to a grammar, as nothing is behind it or it is a wide one, with a progress behind it.
_TEXT_BAR = (
    rf"(?<=[{SPACES}])[|｜]{SPACE}*+(?P<piece>(?i:{_SIGNS}(?:progress|进度){SPACE}*+{_SIGNS}{SPACE}*+[:：]"
    rf"{SPACE}*+{_SIGNS}{SPACE}*+{_COUNT}{_OF}{_COUNT}{_SIGNS}(?:{SPACE}*+{_ROUNDS})?[.。]?{_SIGNS}))"
)
_SEPARATOR = rf"(?<![^{SPACES}])\|(?![^{SPACES}])"
_PROGRESS_CUT = rf"{_TEXT_BAR}(?={SPACE}*+(?:[|｜]|\Z))"
_CUT = rf"(?<![^{SPACES}])[|｜](?![^{SPACES}])|{_PROGRESS_CUT}"
# In a line that the grammar accepts, a bar with other white space around it is text.
_PLAIN_CUT = rf"(?<![^{BLANKS}])\|(?![^{BLANKS}])|(?<![^{SPACES}])｜(?![^{SPACES}])|{_PROGRESS_CUT}"
_BOLD_LEAD = (
    r"\A\*\*(?=[^\s*])(?P<text>[^*]*[^\s*])\*\*(?:(?<=[\u3400-\u9fff]\*\*)|(?![^\W\u3400-\u9fff]))"
    r"(?:(?<=[:：]\*\*)|(?=[:：])|(?!.*\*\*))"
)
_NO_SPACES = str.maketrans("", "", SPACES)
_NO_MARKS = str.maketrans("", "", "*_`")
_WIDE = str.maketrans("０１２３４５６７８９．", "0123456789.", "\ufe0f\u20e3")

# What people and models write in place of a mark. Emoji are compared without their variation selector.
_STATUS_WORDS = {
    "x": ("X", "✅", "✓", "✔", "☑", "done", "complete", "completed", "finished", "已完成", "完成", "已办"),
    ">": ("⏳", "🔄", "in progress", "in_progress", "ongoing", "active", "started", "running", "进行中", "正在进行"),
    "!": ("❌", "🚫", "blocked", "受阻", "阻塞", "已阻塞"),
    "~": ("⏭", "skipped", "skip", "cancelled", "canceled", "已跳过", "跳过", "已取消"),
    " ": ("", "☐", "⬜", "🔲", "pending", "todo", "to do", "open", "not started", "待办", "未开始", "待开始", "待处理"),
}
# What says of something in a sentence how it stands, as expressions. Legends and reports have more, each its own.
STATUS_FORMS = {
    "done": "done|completed?|finished|完成",
    "active": "in progress|ongoing|active|running|under ?way|进行",
    "blocked": "blocked|stuck|on hold|受阻|阻塞",
    "skipped": "skipped|跳过",
    "pending": "pending|open|not (?:yet )?(?:started|begun)",
}
STATUS_SIGNS = {word: mark for mark, words in _STATUS_WORDS.items() for word in (mark, *words)}
_TYPE_WORDS = {
    word: name for name, one in STEP_TYPES.items() for word in (name, *one.words, *map(str.lower, one.hopspec))
}


def read_type(word: str) -> str | None:
    """The step type that a word stands for, or None."""
    return _TYPE_WORDS.get(word.lower())


def is_foreign_type(word: str) -> bool:
    """Whether a word that is no type stands for one, or for a status."""
    return word not in STEP_TYPES and (read_type(word) is not None or read_status(word) is not None)


def is_type_label(text: str) -> bool:
    """Whether a text begins with a type as a label: ``act: Strip``."""
    return compiled(_TYPE_LABEL).match(text) is not None


def read_loose_id(written: str) -> str:
    """The id that is meant by numbers joined by dots, of any width and with leading zeros or without."""
    return ".".join(number.lstrip("0") or "0" for number in written.translate(_WIDE).split("."))


def read_number(written: str) -> str:
    """The id that is meant by digits, by a Chinese numeral up to 99, or by a letter, which counts from `a`."""
    if written[0] in f"{_NUMERALS}十":
        tens, ten, units = written.rpartition("十")
        return str(10 * (_NUMERALS.find(tens) + 1 if tens else len(ten)) + _NUMERALS.find(units or " ") + 1)
    if written == "🔟":
        return "10"
    if written in _CIRCLED:
        return str(_CIRCLED.index(written) + 1)
    return str(ord(written.lower()) - 96) if written.isalpha() and written.isascii() else read_loose_id(written)


def read_status(written: str) -> str | None:
    """The character of the mark that is meant by a sign or a word, or None."""
    return STATUS_SIGNS.get(
        written.strip(SPACES).replace("\ufe0f", "").lower() or " ", None if written.strip(SPACES) != "X" else "x"
    )


def status_of(sign: str, legend: Mapping[str, str]) -> str | None:
    """The character of the mark that a sign stands for, or None. A legend stands above what is usual."""
    return legend.get(sign.replace("\ufe0f", ""), read_status(sign)) or None


def is_item(line: str, *, is_worded: bool = False) -> bool:
    """Whether a line begins as an item of a numbered list does; or (``is_worded``) with a word such as `Step 1`."""
    match = compiled(_ITEM).match(line)
    return match is not None and (not is_worded or match["worded"] is not None)


def rank_of_number(line: str) -> float:
    """How far in a kind of number counts at the same indentation: 一、 （一） Step 1 1. (1) a."""
    match = compiled(_LEADER).match(line)
    rest = line[match.end() :] if match else line
    if match and match["word"]:
        return 0.2
    is_open = rest[:1] in "(（"
    sign = rest[1:2] if is_open else rest[:1]
    if sign and sign in f"{_NUMERALS}十":
        return 0.1 if is_open else 0.0
    if sign.isdigit():
        return 0.4 if is_open else 0.3
    return 0.5


def looks_like_step(line: str) -> bool:
    """Whether a line seems to be meant as a step. A numbered heading does only if it is one otherwise."""
    match = compiled(_STEP).match(line)
    if match is None:
        return _read_type_in_front(line) is not None
    return line[:1] not in ("#", "＃") or repair_step(line)[1] is not None


def _read_type_in_front(line: str) -> tuple[str, int] | None:
    """The step type that a line begins with, before its id, and where that starts."""
    match = compiled(_TYPE_IN_FRONT).match(line) if line[:1] in "[［【*_`-+•" else None
    meant = read_type(match["type"]) if match else None
    return (meant, match.end()) if match and meant else None


@define
class _StepRepairer:
    """Reads a summary line as loosely as it can, from left to right, and writes it down as it should be."""

    line: str
    legend: Mapping[str, str] = field(factory=dict)
    default_type: str = ""
    # Marks before the id that have to be closed after the text.
    marks: str = ""
    # How much is written up to the mark, and whether there is one.
    id_end: int = 0
    has_mark: bool = False
    has_type: bool = True
    # The type that is before the id.
    type_in_front: str = ""
    # Whether it may be meant in two ways.
    is_unclear: bool = False
    at: int = 0
    written: str = ""
    misses: list[NearMiss] = field(factory=list)

    def miss(self, code: str, message: str, start: int, end: int | None = None) -> None:
        self.misses.append(NearMiss(code, message, start, start + 1 if end is None else end))

    def match(self, pattern: str) -> Match[str] | None:
        """What comes next, if it is of this kind."""
        return compiled(pattern).match(self.line, self.at)

    def take(self, match: Match[str], meant: str) -> bool:
        """Write down what a part means; returns whether it is written so already."""
        self.at = match.end()
        self.written += f"{meant} "
        return match["all"] == meant

    def check_space(self, match: Match[str], what: str) -> None:
        """Note white space that is missing after a part, or is none."""
        space, end = match["space"], match.end()
        if space.strip(BLANKS):
            self.miss("PS113", f"the white space after {what} is not spaces or tabs", end - len(space), end)
        elif not space and end < len(self.line):
            self.miss("PS113", f"white space is missing after {what}", end)

    def lead(self) -> str | None:
        """What may be before the id; returns the character of the mark that it stands for."""
        if found := _read_type_in_front(self.line):
            self.type_in_front, self.at = found
            self.miss("PS112", "the type must come after the id", 0, self.at)
            return None
        match = self.match(_LEADER)
        if match is None or not match.end():
            return None
        self.miss("PS110", "a step must start with its id", 0, match.end())
        self.at = match.end()
        self.marks = match["marks"]
        box = match["box"] if match["box"] is not None else match["sign"]
        if box is None:
            return None
        known = self.status(box)
        if known is None:
            self.miss("PS111", f"`{box}` is not a status mark", *match.span("sign" if match["box"] is None else "box"))
        return known or " "

    def id(self) -> bool:
        match = self.match(_ID if self.marks else _BARE_ID)
        if match is None:
            return False
        step_id, written = read_number(match["id"]), match["all"]
        if match["close"] or match["shut"]:
            self.marks = ""
        if not match["space"] and self.line[match.end() : match.end() + 1] in (".", "．"):
            self.miss("PS110", f"`{written}` has another dot after it", match.start(), match.end() + 1)
            return False
        if self.take(match, f"{step_id}.") and grammars.pattern("planspec", "ID").fullmatch(step_id):
            self.check_space(match, f"`{written}`")
        else:
            self.miss("PS110", f"`{written}` is not an id with a dot after it", *match.span("all"))
        return True

    def status(self, written: str) -> str | None:
        """The character of the mark that a sign or a word stands for here, or None."""
        return status_of(written.strip(SPACES), self.legend)

    def mark(self, box: str | None) -> None:
        """The mark, in its place or before the id."""
        self.id_end = len(self.written)
        self.find_mark(box)
        self.has_mark = len(self.written) > self.id_end

    def find_mark(self, box: str | None) -> None:
        match = self.match_mark()
        if match is not None:
            self.take_mark(match)
        elif box not in (None, " "):
            self.written += f"[{box}] "

    def match_mark(self) -> Match[str] | None:
        """What stands for a mark here: something in brackets, or a sign by itself."""
        match = self.match(_MARK)
        if match is not None and (self.is_status(match) or not self.is_type(match["mark"])):
            return match
        if match is None and (self.default_type or self.type_in_front):
            match = self.match(_FREE_MARK)
            # One sign in brackets is meant as a mark, whether it is known or not.
            if match is not None and (self.is_status(match) or compiled(r"\W").fullmatch(match["mark"])):
                return match
        match = self.match(_SIGN)
        is_set = match is not None and self.line[match.end() : match.end() + 1] in ("[", "［", "【")
        return match if match is not None and (is_set or self.is_status(match)) else None

    def is_status(self, match: Match[str]) -> bool:
        """Whether what stands in the place of a mark means one of them."""
        return self.status(match["mark"]) is not None

    def take_mark(self, match: Match[str]) -> None:
        # A status is never invented: whatever means none of the five counts as pending.
        known = self.status(match["mark"]) or " "
        if self.take(match, f"[{known}]"):
            self.check_space(match, f"`{match['all']}`")
        else:
            self.miss("PS111", f"`{match['all']}` is not a status mark", *match.span("all"))

    def is_type(self, word: str) -> bool:
        """Whether a word in brackets would do as a type rather than a mark."""
        is_name = word not in ("x", "X") and grammars.pattern("planspec", "VARIABLE").fullmatch(word) is not None
        return is_name or read_type(word) is not None

    def name(self) -> None:
        if match := self.match(_NAME):
            self.take(match, match["all"])
            self.check_space(match, f"the name `{match['all']}`")

    def type(self, default: str) -> bool:
        if self.type_in_front:
            self.written += f"[{self.type_in_front}] "
            self.is_unclear = self.match(_TYPE) is not None
            return True
        found = self.match_type()
        if found is None:
            return self.take_label() or self.take_default(default)
        match, meant = found
        if match["marks"] and not match["close"]:
            self.marks = match["marks"]
        if not self.take(match, f"[{meant}]"):
            self.miss("PS112", f"`{match['all']}` is not a type in square brackets", *match.span("all"))
        elif self.line[match.end() : match.end() + 1] != "→":
            self.check_space(match, f"`{match['all']}`")
        return True

    def match_type(self) -> tuple[Match[str], str] | None:
        """What is in brackets where a type is, and the type that is meant."""
        match = self.match(_TYPE)
        is_other = match is not None and match["open"] in "(（<"
        # With nothing after it, what is in front is not a name, but all that the step says.
        if match is None or (is_other and not self.line[match.end() :].strip(SPACES)):
            return None
        word = match["type"].strip(SPACES)
        meant = read_type(word)
        is_word = not is_other and grammars.pattern("planspec", "VARIABLE").fullmatch(word) is not None
        return (match, meant or word) if meant or is_word else None

    def take_label(self) -> bool:
        """Take a type that is written as a label, if there is one: ``act: Strip``."""
        label = self.match(_TYPE_LABEL)
        if label is not None:
            self.miss("PS112", f"`{label['all']}` is not a type in square brackets", *label.span("all"))
            self.take(label, f"[{_TYPE_WORDS[label['type'].lower()]}]")
        return label is not None

    def take_default(self, default: str) -> bool:
        """Write the type that steps without one have, if they have any."""
        if default:
            self.has_type = False
            self.written += f"[{default}] "
            self.miss("PS112", "the type in square brackets is missing", min(self.at, len(self.line) - 1))
        return bool(default)

    def rest(self) -> None:
        """What is behind the type: the description, the outputs, and the pieces between separators."""
        # With the white space in front, so that a separator right after the type is one.
        text, offset = " " + self.line[self.at :], self.at - 1
        text = self.take_sign_behind(text.rstrip(SPACES))
        if self.marks and text.endswith(self.marks):
            text, self.marks = text.removesuffix(self.marks), ""
        is_accepted = grammars.regular("planspec").pattern("line").fullmatch(f"{self.line}\n") is not None
        bare = blank_quoted(text)
        found = compiled(_PLAIN_CUT if is_accepted else _CUT).finditer(text)
        cuts = [one.start() for one in found if not one["piece"] or bare[one.start()] != "\0"]
        description, outputs = self.split_outputs(text[: cuts[0] if cuts else None].strip(SPACES))
        kept = [f"{self.without_marks(description)}{outputs}".strip(BLANKS), *self.pieces(text, bare, cuts, offset)]
        self.written = (self.written + " | ".join(kept)).rstrip(BLANKS)

    def split_outputs(self, text: str) -> tuple[str, str]:
        """What is before the outputs at the end of a text, and how those are written; empty where there are none."""
        if almost := find_outputs(text):
            self.is_unclear |= repeats_arrow(text, almost)
            description = text[: almost.start]
            if description.startswith("**") and description.count("**") == 1:
                # They were around all of it.
                description = description[2:]
            return description, f" {almost.written}"
        description, arrow, listed = text.rpartition("→")
        # A backslash makes text of it.
        is_arrow = arrow and not description.endswith("\\")
        if is_arrow and grammars.pattern("planspec", "VARIABLES").fullmatch(listed.strip(BLANKS)):
            return description, f" → {', '.join(variables_of(listed) or ())}"
        return text, ""

    def without_marks(self, description: str) -> str:
        """A description without the marks that are around it, or at its start for the line."""
        if self.marks and description.rstrip(SPACES).endswith(self.marks):
            description = description.rstrip(SPACES).removesuffix(self.marks)
        elif self.marks:
            description = description.replace(self.marks, "", 1)
        plain = unwrap(description)
        # In code, an arrow is text, which it is not without the marks.
        if "→" in plain and is_quoted(description, description.rfind("→")):
            plain = description
        # What is bold at the start of an item of a list in Markdown is its subject.
        return plain if self.has_type else compiled(_BOLD_LEAD).sub(r"\g<text>", plain)

    def pieces(self, text: str, bare: str, cuts: Sequence[int], offset: int) -> Iterator[str]:
        """The pieces behind separators: empty ones go, a bad Progress becomes part of the result.

        Args:
            text: what is behind the type.
            bare: the same, with signs in place of what is quoted.
            cuts: where the separators are.
            offset: where the text begins in the line.
        """
        pieces = [(bar, end, unwrap(text[bar + 1 : end])) for bar, end in pairwise([*cuts, len(text)])]
        # Words in place of `Progress:` mean it only where there is none.
        is_open, has_progress = not any(piece.startswith(_SAID) for _, _, piece in pieces), False
        for bar, end, piece in pieces:
            is_text = bare[bar] == "\0"
            if not piece:
                self.miss("PS114", "nothing follows the separator `|`", offset + bar)
            elif piece.startswith(_SAID) or (is_open and not is_text and find_progress(piece)):
                written = self.progress(piece, offset + text.index(piece, bar), has_progress, is_text=is_text)
                has_progress = has_progress or not written.startswith("\\")
                is_open = is_open and not has_progress
                is_bare = compiled(_SEPARATOR).match(text, bar) and text[bar + 1 : end].strip(BLANKS) == piece
                if written == piece and not is_bare:
                    self.miss("PS115", "what is around a progress is more than ` | `", offset + bar, offset + end)
                yield written
            else:
                yield piece

    def take_sign_behind(self, text: str) -> str:
        """Take a sign at the end of a line for its mark, where it has none; returns what is before it."""
        front, _, sign = text.rpartition(" ")
        known = self.status(sign) if sign and not sign[0].isalnum() and not sign.isascii() and front else None
        if known is None or self.has_mark:
            return text
        self.miss("PS111", f"`{sign}` is not a status mark", self.at - 1 + len(front) + 1, len(self.line))
        self.written = f"{self.written[: self.id_end]}[{known}] {self.written[self.id_end :]}"
        return front.rstrip(SPACES)

    def progress(self, piece: str, start: int, repeated: bool, *, is_text: bool) -> str:
        end = start + len(piece)
        whole = f" | {piece}\n"
        if grammars.pattern("planspec", "PROGRESS").match(whole):
            if not repeated:
                return piece
            self.miss("PS116", "a second `Progress:` in one line", start, end)
            return "\\" + piece
        self.miss("PS115", f"`{piece[:60]}` is not `Progress: N` or `Progress: N/M`", start, end)
        return ("" if repeated or is_text else _read_progress(piece)) or "\\" + piece


def repair_step(
    line: str, legend: Mapping[str, str] = MappingProxyType({}), default_type: str = ""
) -> tuple[list[NearMiss], str | None]:
    """A line that is meant as a step: its faults from left to right, and the line repaired, or None.

    ``legend`` says for signs which mark they stand for; a step without a type gets the default one, if there is one.
    """
    repairer = _StepRepairer(line, legend, default_type)
    box = repairer.lead()
    if not repairer.id():
        return repairer.misses, None
    repairer.mark(box)
    state = (repairer.at, repairer.written, len(repairer.misses))
    repairer.name()
    if not repairer.type(""):
        # What looked like a name before a type is text where there is none.
        repairer.at, repairer.written = state[:2]
        del repairer.misses[state[2] :]
        if not repairer.type(default_type):
            return repairer.misses, None
    repairer.rest()
    return repairer.misses, None if repairer.is_unclear else repairer.written


def find_change(line: str, repaired: str) -> NearMiss:
    """What was changed in a line that has no fault to the grammar."""
    written, meant = (one.translate(_NO_SPACES) for one in (line, repaired))
    if written == meant:
        code, message = "PS113", "white space at the end of a text is not spaces or tabs"
    elif "｜" in line and written.replace("｜", "|") == meant:
        code, message = "PS114", "`｜` is not the separator `|`"
    elif written.translate(_NO_MARKS) == meant.translate(_NO_MARKS):
        code, message = "PS107", "the line has markup around it"
    else:
        code, message = "PS305", "read as a list of variables"
    return NearMiss(code, message, 0, len(line))


def find_misses(line: str) -> list[NearMiss]:
    """All faults of a line that is meant as a step, from left to right, also where it cannot be repaired."""
    misses, repaired = repair_step(line)
    if repaired is None:
        # With any type at all, what comes after it is looked at as well.
        misses, _ = repair_step(line, default_type=next(iter(STEP_TYPES)))
    return sorted(misses, key=lambda miss: miss.start)
