"""What models write between and instead of a plan's lines, and what it means.

Each function looks at one line of an answer, without its indentation, and says what it is as the grammar would spell
it. Nothing here says what a plan is: what comes out is put to the grammar again.
"""

from __future__ import annotations

from collections.abc import Collection

from planspec_lark.planspec.heading_words import english_of
from planspec_lark.planspec.near_misses import EMOJI, NOTHING, SPACE, SPACES, compiled, has_any, unwrap, variables_of

__all__ = [
    "cut_breaks",
    "find_elision",
    "heads_flow",
    "is_conflict_marker",
    "is_flow",
    "is_front_matter",
    "is_harmless",
    "is_notes",
    "is_option",
    "is_phase",
    "is_suspect",
    "join_lines",
    "may_elide",
    "read_bullet",
    "read_counts",
    "read_flow",
    "read_heading",
    "read_item_number",
    "read_state_line",
    "read_wide_detail",
    "without_arrows",
]

_RULER = rf"(?:[-*_=─—]{SPACE}*){{3,}}"
_COMMENT = r"<!--(?:(?!-->).)*-->"
_TOKENS = r"(?:<\|[a-z_]++\|>)+"


def is_harmless(line: str) -> bool:
    """Whether a line says nothing: a ruler, an HTML comment that ends in it, or tokens that end a model's message."""
    return any(compiled(pattern).fullmatch(line) for pattern in (_RULER, _COMMENT, _TOKENS))


def is_conflict_marker(line: str) -> bool:
    """Whether a line is one that `git merge` leaves where two versions exclude each other."""
    return line == "=======" or compiled(r"(?:<{7}|>{7}|\|{7})(?: .*)?").fullmatch(line) is not None


# Words that say that something is as it was, or is left out; and how a line looks that says nothing else.
_SAME = (
    r"unchanged|(?:the )?same(?: as (?:above|before|(?:the )?(?:previous|last)(?: \w+)?"
    r"|(?:in )?(?:step|phase|stage|part|day|week) [0-9.]+))?"
    r"|as (?:above|before)|as in (?:the )?(?:(?:previous|last|earlier|original) (?:version|plan|answer)|v[0-9.]+)"
    r"|see (?:above|(?:the )?(?:previous|last) (?:plan|version|answer))|no changes?|omitted(?: for brevity)?"
    r"|ditto|idem|as is|and so (?:on|forth)|<?snip>?"
    r"|略|省略|同上|同前|不变|未变|无变化|保持不变|与之前相同|和之前一样|与上一?版(?:相同|一致)|照旧|如前|见上|原样保留|未改动"
    r"|照原计划(?:执行|进行)?|等等|[同如]第 ?[0-9一二三四五六七八九十]+ ?(?:步|阶段|部分|[天周])"
)
_DOTS = r"(?:\.{3,}|…+|⋮)"
_BARE = (
    rf"(?i)[\W_\d]*(?:\[\w{{1,9}}\][\W_]*)?(?:{_DOTS}[\W_]*)?(?:(?:the )?"
    rf"(?:rest|remaining|other|others|steps?|constraints?|items?|其余|余下|以下|后面|其他|剩余|此处|步骤|第|约束)[^.]*?)?"
    rf"(?:(?:is|are|remains?|stays?|stay) )?(?:{_SAME}|{_DOTS})[\W_]*"
    rf"|{_DOTS}[\W_]*(?:and so on|etc\.?|等等|以此类推|依此类推)[\W_]*"
    rf"|[(（][^()（）]{{0,30}}(?:{_SAME})[^()（）]{{0,6}}[)）]"
)


# Characters: a line that begins with dots stands for others, unless it says much itself.
_SHORT = 80
# Characters: a line that says nothing but that something is left out is shorter.
_LONG = 200
_REST = (
    r"(?i)(?:\b(?:to be )?continue[sd]?\b.{0,40}\b(?:next|below|part|message|response)\b"
    r"|未完待续|下一?条(?:消息|回复)"
    r"|\b(?:the rest of the|(?:the )?remaining|(?:all )?(?:the )?other) "
    r"(?:steps?|plan|constraints?|tasks?|items?)\b.{0,60}?"
    r"\b(?:unchanged|same|as before|as above|not repeated|omitted)\b"
    r"|(?:其余|其他|剩余|后续|后面)(?:的)?(?:步骤|部分|内容|约束|任务).{0,30}?(?:相同|不变|同上|一致|照旧|省略|不再重复|略))"
)


_OPEN = rf"[#>*\-\s]*{_DOTS}"


def find_elision(line: str) -> bool:
    """Whether a line stands for others that are left out: `... (unchanged)`, `steps 4-8 as before`, `略`."""
    if not may_elide(line):
        return False
    text = line.strip(SPACES)
    is_open = len(text) < _SHORT and compiled(_OPEN).match(text) is not None
    is_bare = len(text) < _LONG and compiled(_BARE).fullmatch(text) is not None
    return is_open or is_bare or compiled(_REST).search(text) is not None


# One of these is in every line that stands for others. To look for them takes far less than the expressions above, and
# one sign of a word in Chinese is found sooner than the word.
_ELIDED = (
    *("...", "…", "⋮", "unchanged", "same", "as before", "as above", "as in ", "see ", "no change", "omitted"),
    *("not repeated", "continue", "ditto", "idem", "as is", "and so ", "snip"),
)
_ELIDED_CHINESE = {
    "变": ("不变", "未变", "无变化"),
    "一": ("一样", "一致", "下一条"),
    **{word[-1]: (word,) for word in ("略", "同", "照旧", "重复", "类推", "未完", "下条", "如前", "见上", "保留")},
    **{word[-1]: (word,) for word in ("未改动", "照原计划", "同第", "等等")},
}


def may_elide(text: str) -> bool:
    """Whether any line of a text may be one that stands for others."""
    lowered = without_arrows(text).lower()
    if has_any(lowered, _ELIDED):
        return True
    if lowered.isascii():
        return False
    return any(sign in lowered and has_any(lowered, words) for sign, words in _ELIDED_CHINESE.items())


def without_arrows(text: str) -> str:
    """A text with blanks in place of a plan's arrows.

    Most plans in English have no other signs beyond ASCII, and Python looks for words in plain ASCII much faster.
    """
    return text.replace("→", " ").replace("←", " ")


_BULLET = rf"(?P<sign>[-*+•·‣▪◦–—－]){SPACE}+(?P<text>.*)"


# Signs that may stand for others: marks, characters, and commas or quotes after an arrow; of the last two, only the
# quotes are ASCII. Each is looked for by itself, as an alternative of them is slow.
_SUSPECT_MARKS = ("*", "__", "`", "<br", "<|")
_SUSPECT_SIGNS = (
    r"[\xa0\u2000-\u200b\u200e\u200f\u202f\u2060\u3000\ufeff｜"
    r"\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
)
_SUSPECT_LIST = r"[→←][^\n|→←，、；‘’“”„‚«»‹›\"']*+[，、；‘’“”„‚«»‹›\"']"


def is_suspect(text: str) -> bool:
    """Whether a text that the grammar accepts has signs in it that may stand for others."""
    bare = without_arrows(text)
    if has_any(bare, _SUSPECT_MARKS):
        return True
    if bare.isascii():
        return ("'" in bare or '"' in bare) and compiled(_SUSPECT_LIST).search(text) is not None
    return any(compiled(pattern).search(text) for pattern in (_SUSPECT_SIGNS, _SUSPECT_LIST))


def read_bullet(line: str) -> str | None:
    """The text after a bullet, or None."""
    match = compiled(_BULLET).fullmatch(line)
    return match["text"].strip(SPACES) if match else None


_BREAK = r"(?i) *<(?:br ?/?|\|[a-z_]{1,40}\|)>\Z"
# Characters of such a sign, at most.
_SIGN = 45


def cut_breaks(line: str) -> str:
    """A line without the line breaks of HTML at its end, and without the tokens that end a message of a model."""
    end = len(line)
    while line.endswith(">", 0, end) and (match := compiled(_BREAK).search(line, max(end - _SIGN, 0), end)):
        end = (
            len(line[: match.start()].rstrip(" ")) if line[match.start() - 1 : match.start()] == " " else match.start()
        )
    return line[:end] or line


_FLOW_LABEL = (
    rf"(?i)(?:[-*+•·‣▪◦–—－]{SPACE}+)?[*_`]*(?:(?P<inputs>input(?:\(s\)|s?)|needs|requires|depends on|输入|依赖)"
    rf"|output(?:\(s\)|s?)|produces|returns|yields|输出|产出)"
    rf"{SPACE}*+[*_`]*+{SPACE}*+(?:[:：]|[-=]>|→){SPACE}*+[*_]*+{SPACE}*+"
)
# Behind a bullet, an arrow is label enough.
_FLOW = rf"(?i)(?:{_FLOW_LABEL.removeprefix('(?i)')}|[-*+•·‣▪◦]{SPACE}+(?:[-=]>|→))(?P<names>.+)"
_AND = rf"{SPACE}*[,，、;；&]{SPACE}*(?:and{SPACE}+)?|{SPACE}+and{SPACE}+|{SPACE}*[和与]{SPACE}*"


def read_flow(line: str, known: Collection[str] = ()) -> tuple[str, list[str]] | None:
    """What a line such as ``- Inputs: a, b`` says: "inputs" or "outputs", and the variables.

    Where all of them are ``known``, words may be between them: ``a and b``.
    """
    match = compiled(_FLOW).fullmatch(line)
    if match is None:
        return None
    said = unwrap(match["names"])
    bare = said.rstrip(".。")
    names = [] if bare.lower() in NOTHING else variables_of(said) or variables_of(bare)
    if names is None and known:
        listed = [unwrap(name) for name in compiled(_AND).split(bare)]
        names = listed if all(name in known for name in listed) else None
    return None if names is None else ("inputs" if match["inputs"] else "outputs", names)


def heads_flow(line: str) -> str:
    """Which list a line such as ``- Inputs:`` heads: "inputs", "outputs", or none."""
    label = line.lower() if compiled(_FLOW_LABEL).fullmatch(line) else ""
    is_input, is_output = "input" in label or "输入" in label, has_any(label, ("output", "输出", "产出"))
    return "inputs" if is_input else "outputs" if is_output else ""


def is_flow(line: str) -> bool:
    """Whether a line is headed as inputs or outputs, whatever it lists."""
    return compiled(_FLOW).fullmatch(line) is not None


_WAYS = "option|variant|alternative|opci[oó]n|variante|möglichkeit|choix|方案|选项"
_OPTION = (
    rf"(?i)\W*(?:(?:{_WAYS})\s*[a-z0-9一二三甲乙]\b|options?\s*[:：]|或者?[:：]|(?:either|or|alternatively|otherwise)\b"
    r"|not needed\b|要么|way [0-9a-d]\b|plan [a-d]\b|(?:1st|2nd|first|second) (?:option|way)\b)"
)


def is_option(text: str) -> bool:
    """Whether a line below a step is one of several ways to do it."""
    return compiled(_OPTION).match(text) is not None


_STATE = (
    rf"(?i)(?P<bullet>[-*+•·‣▪◦–—－]{SPACE}+)?[*_]*(?:(?P<status>(?:current )?status|(?:当前)?状态)|progress|进度)"
    rf"{SPACE}*+[*_]*+{SPACE}*+[:：]{SPACE}*+[*_]*+{SPACE}*+(?P<said>.+)"
)
_COUNTS = rf"(?P<done>[0-9]{{1,9}})(?:{SPACE}*(?:/|of){SPACE}*(?P<total>[0-9]{{1,9}}))?"


def read_state_line(line: str) -> tuple[str, str] | None:
    """What a line such as ``- Status: done`` says: "status" or "progress", and the text after it."""
    match = compiled(_STATE).fullmatch(line)
    return ("status" if match["status"] else "progress", unwrap(match["said"]).rstrip(".。")) if match else None


def read_counts(text: str) -> tuple[int, int | None] | None:
    """The rounds of ``3/5``, ``3 of 5`` or ``3``: how many are done, and of how many."""
    match = compiled(_COUNTS).fullmatch(text)
    return (int(match["done"]), int(match["total"]) if match["total"] else None) if match else None


def read_wide_detail(line: str) -> str | None:
    """A detail line whose sign is a wide one, as it is written right."""
    return f"> {line[1:].strip(SPACES)}" if line[:1] == "＞" else None


_CJK = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]"


def join_lines(first: str, second: str) -> str:
    """Two lines of one text: joined by a blank, between two ideographs by nothing."""
    first, second = first.rstrip(SPACES), second.strip(SPACES)
    is_close = compiled(_CJK).match(first[-1:]) and compiled(_CJK).match(second[:1])
    return f"{first}{'' if is_close else ' '}{second}"


# Before a Chinese word, it needs no blank.
_ITEM = rf"[*_]*[(（]?(?P<number>[0-9]{{1,3}})(?:[.)、）]|\.\)|\ufe0f?\u20e3)[*_]*(?:{SPACE}|(?=[\u3400-\u9fff]))"


def read_item_number(line: str) -> str | None:
    """The number of an item of a numbered list, or None."""
    match = compiled(_ITEM).match(line)
    return match["number"] if match else None


def is_front_matter(line: str) -> bool:
    """Whether a line could be in front matter: a key and its value, an item, a comment."""
    return compiled(r"[\w -]+:(?: .*)?|- .*|#.*").fullmatch(line) is not None


# For text in small letters, which makes looking through it several times faster.
_NOTES = (
    rf"(?:(?:(?:{english_of('any_notes')}) )*"
    rf"(?:{english_of('advice', 'questions', 'summaries', 'notes', 'mistakes', 'things', 'ingredients', 'timeline')}"
    r"|pitfalls|costs?|prices|sources|references|reading|links|glossary|numbers"
    r"|(?:time|cost|budget) (?:overview|estimate|breakdown|summary))"
    r"(?: (?:and|&|for|on|about|to|at|needed|required) .*| needed| required)?"
    r"|(?:(?:project|plan) )?(?:context|introduction|intro)"
    r"|what you(?:['’]ll| will)? need|what (?:usually|often|can|could|might|may) (?:goes?|happens?) .*"
    r"|(?:what|(?:one )?things?) to (?:watch|look out|keep in mind|remember|consider|note|know)\b.*"
    r"|(?:(?:a few )?things )?worth (?:knowing|noting|remembering|considering)\b.*|good to know"
    r"|(?:my |the )?(?:thinking|reasoning)"
    r"|(?:common|potential|possible|known|main|key) (?:risks|problems|issues|challenges|pitfalls|mistakes)(?: .*)?"
    r"|(?:here(?:['’]s| is) )?(?:why|how (?:long|much)|about|what (?:it|this|i|happens|to expect))\b.*"
    r"|(?:consejos|notas|conseils|remarques|astuces|tipps?|hinweise?|anmerkungen)(?: .*)?"
    r"|(?:备注|小贴士|温馨提示|注意事项|.{0,4}提示|常见问题|总结|结语|(?:需?要|所需)?(?:准备)?的?(?:东西|材料|工具|物品)(?:清单|准备)?)|(?:项目|计划)?(?:概述|概览|简介|引言)|.{0,4}(?:说明|估算|背景|亮点|特点|优势|特色)|(?:(?!供).){0,8}参考|.?(?:小|学习|温馨)建议|(?:为什么|背景|常见).*)"
)
_HEADING = r"(?P<hashes>#{1,6}+)[ ]*+(?P<text>.+)|(?P<marks>\*\*|__)(?P<bold>.+)(?P=marks)[:：]?"
# What stands in parentheses behind the bold text of a phase: `**Phase 3: Lamp** (optional)`.
_ASIDE = r"(?P<heading>\*\*[^*]+\*\*) *+[*_]?(?P<aside>[(（][^()（）*_]+[)）])[*_]?[:：]?"


def read_heading(line: str) -> tuple[int, str] | None:
    """The level of a heading (7 for one that is bold text by itself) and its text without pictures in front."""
    match = compiled(_HEADING).fullmatch(line.rstrip(" #"))
    if match is None or (match["bold"] and match["marks"] in match["bold"]):
        return _read_phase_with_aside(line)
    text = unwrap(match["text"] or match["bold"])
    return len(match["hashes"] or "#######"), unwrap(compiled(EMOJI).sub("", text, count=1))


def _read_phase_with_aside(line: str) -> tuple[int, str] | None:
    """The same for the bold name of a phase that has something in parentheses behind it."""
    match = compiled(_ASIDE).fullmatch(line) if line.startswith("**") else None
    heading = read_heading(match["heading"]) if match else None
    return (heading[0], f"{heading[1]} {match['aside']}") if match and heading and is_phase(heading[1]) else None


def is_notes(text: str) -> bool:
    """Whether a heading, or a label with a colon, is that of notes, which are no part of a plan."""
    emoji = compiled(EMOJI).match(text)
    said = text[emoji.end() if emoji else 0 :].strip("*:：" + SPACES).lower()
    return compiled(_NOTES).fullmatch(said) is not None


_PHASE = rf"(?i)(?:{english_of('phases')}|阶段|第.{{1,3}}(?:阶段|[周天月])|(?:week|day|month|sprint) [0-9])"


def is_phase(text: str) -> bool:
    """Whether a heading is that of a phase, which consists of steps."""
    return compiled(_PHASE).match(text) is not None
