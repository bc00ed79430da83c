"""What an answer says that its signs stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from re import Match
from typing import TypeAlias

from planspec_lark.planspec.near_misses import SPACE, SPACES, compiled, has_any
from planspec_lark.planspec.step_repair import STATUS_FORMS, STATUS_SIGNS

__all__ = ["LEGEND_LABEL", "find_legend", "is_entry", "is_legend", "redefines_marks"]

# One of these is in every legend.
_WORDS = (
    *("legend", "key", "图例", "符号说明", "状态说明", "标记说明", "=", "means", "stands for", "marks", "表示", "代表"),
    *("done", "complete", "finished", "完成"),
)
LEGEND_LABEL = (
    r"[#>*_\- (（]*(?i:legend|key|status legend|图例|符号说明|状态说明|状态图例|标记说明)[*_]*+[ ]*+[*_]*+[:：]"
)
_LEGEND = rf"{LEGEND_LABEL}[*_]*(?P<entries>.*)"
# What is no sign that stands for something.
_NO_SIGN = r"\w\s=:：→,，;；、.。·|()（）/'\"“”‘’–—-"
# What is between two entries: a sign for that, or a blank before the next sign. Longer white space is no part of it.
_BETWEEN = rf"[·|;；,，]|{SPACE}(?=[^{_NO_SIGN}])"
_ENTRY = (
    rf"(?P<sign>[^{_NO_SIGN}]{{1,3}}|(?i:(?:an? )?(?:empty|blank)(?: \w+){{0,3}}?(?= means| stands for))){SPACE}*+"
    rf"(?P<verb>[=:：→–—-]|stands for|means|marks|表示|代表)?{SPACE}*+(?P<words>[^\W\d_].*)"
)
# A legend in parentheses at the end of a line.
_ASIDE = r"(?:\A|[.!?:。！？：] ?)[(（]([^()（）]*+)[)）][.。]?\Z"
# How a line of a plan begins, or of a list.
_OF_PLAN = r"[-+•>|#]|[*][ \t]|[0-9]+[.)、]|(?i:goal|目标)\b"
# What a mark of the format is said to stand for.
_MARK_ENTRY = (
    r"(?m)\[(?P<mark>[ xX>!~])\]`?[ \t]*+(?:(?P<verb>=|means|stands for|marks|denotes|indicates|表示|代表)|[:：–—-])"
    r"[ \t]*+"
    r"(?P<words>[^\n·|;；,，]+)"
)
# What sentences say of the usual signs: what follows or comes before one, and where a line may be that of a step.
_SIGNS = "".join(sign for sign in STATUS_SIGNS if len(sign) == 1 and not sign.isascii())
_OF_STEP = r"[0-9]+[.)、]|[>|]|[-*•+][ \t]*\[|(?i:goal|目标)\b"
_SAID = (
    rf"(?P<sign>[{_SIGNS}])[\"'`”’*_ ]*+(?:(?:steps?|items?|tasks?|ones|步骤) ?)?"
    r"(?:(?P<weak>is|are)|[=:：→–—]|(?:here )?(?:marks?|means?|stands? for|indicates?|denotes?|signals?|signif(?:y|ies)"
    r"|represents?|shows?|flags?)|for|to (?:mark|show|flag)|表示|代表|意味着|指的是|标[记注])(?![A-Za-z])"
    rf"(?P<words>[^,.;:!?，。；：！？·|()（）\n{_SIGNS}]*)"
)
_SAID_OF = (
    r"(?:(?: (?:are|is|were|was|got|get|have|has))? (?:marked|flagged|label?led|tagged|shown|indicated)"
    r"(?: with| by| as)?(?: an?| the)? [\"'`“‘*_]*"
    rf"|[用以](?=[{_SIGNS}](?:标[记注出]|表示)(?:[，。；！\s]|\Z)))(?P<sign>[{_SIGNS}])"
)
# What else speaks of such a sign: it is a word of a sentence, or has a word alone that is no meaning of a status.
_SPOKEN_OF = (
    rf"(?:\b(?i:an?|the|with|without|by|of|each|every|any|no|put|puts|use|uses|add)[ ]++[\"'`“‘*_]*|[带有打用以加标])"
    rf"(?P<named>[{_SIGNS}])"
    rf"|(?P<subject>[{_SIGNS}])[\"'`”’*_]*(?: (?:doesn['’]t|does|isn['’]t|is|takes?|costs?|means?|says?|tells?|can|will"
    r"|may|must|should|needs?|has|have|gets?|goes|comes|stands?)\b(?! *[:：])|(?:的|[并]?[不非是]|只|可以|需要))"
    rf"|\A[*_]*(?P<alone>[{_SIGNS}])[ :：-]*(?:(?!done|ready|go\b|ok)[a-z]+(?: [a-z]+)?"
    r"|可选|选做|紧急|重要|必须|必做|推荐|优先|高优先级|低优先级|并行|可并行|付费|免费|需要审批)[*_]*[.。]?\Z"
)
# What restricts or denies what a line says of a sign; and all the words, beside the usual one, of a clause that says
# what the sign stands for. What is done late, or at home, is something else.
_RESTRICTS = r"(?i)\b(?:not|never|no|but|only|except|unless|if)\b|n['’]t\b|[不没未非只仅但除]"
_OF_SIGNS = (
    rf"(?i)(?:[^\w\u3400-\u9fff]|[{_SIGNS}]|\b(?:i|you|we|i'?ve|have|has|had|the|an?|each|every|every(?:thing|one)"
    r"|any(?:thing)?|all|both|those|these|they|it|its|that|which|what(?:ever)?|where(?:ver)?|when(?:ever)?|is|are|was"
    r"|were|been|already|now|so|far|currently|steps?|tasks?|items?|ones?|lines?|plan|list|put|puts|gets?|got|gave"
    r"|gives?|given|add(?:ed|s)?|use[ds]?|set|mark(?:s|ed)?|flag(?:s|ged)?|show[ns]?|carr(?:y|ies)|signs?|emoji|ticks?"
    r"|check ?marks?|box(?:es)?|symbols?|of|on|to|with|by|in|at|next|beside|behind|front|beginning|start|end|and|or|as"
    r"|ve)\b|[已经的步骤任务项目事情标记注打上用以表示了一个我们您你会把将给每都各全所有在前面后加带是者为处其这些那就])*"
)
# Characters in front of that which say what is marked.
_FRONT_OF = 80
_MOST_WORDS = 4
# Signs, each with the character of the mark that it stands for, or None where that is not clear.
_Meanings: TypeAlias = "list[tuple[str, str | None]]"
# Characters of a line, or of what one says of a sign, that are looked at for that.
_LONGEST = 500
_MEANINGS = (
    (
        " ",
        rf"{STATUS_FORMS['pending']}|not (?:yet )?done|to[ -]?do|to be done|waiting|planned|approved"
        r"|[未没]有?(?:开始|完成|办)|待(?:办|处理|做|开始)?",
    ),
    (">", rf"{STATUS_FORMS['active']}|started|doing|work(?:ing|ed) on|处理"),
    ("!", rf"{STATUS_FORMS['blocked']}|failed|卡住"),
    ("~", rf"{STATUS_FORMS['skipped']}|skip|dropped|not needed|no longer needed|取消"),
    ("x", rf"{STATUS_FORMS['done']}|ready|办|办好|做好"),
)
_USUAL = rf"(?i)(?<![A-Za-z])(?:{'|'.join(words for _, words in _MEANINGS)})(?![A-Za-z])"
# What may stand in front of such a word, and behind it, where nothing else is said.
_FRONT = (
    r"(?:(?:that|the|an?|this|what|everything|steps?|it|work|task|is|are|has|been|being|already|now|currently|still"
    r"|yet) |已经?|正在|尚|[还仍]|目前|步骤)*+"
)
_BEHIND = (
    r"(?: (?:now|yet|on purpose|deliberately|intentionally|so far|at the moment|steps?|tasks?)"
    r"|了|中|的|步骤|任务|理)*+\W*"
)


def find_legend(text: str) -> dict[str, str]:
    """What an answer says that its signs stand for: sign → the character of the mark, or "" where that is not clear.

    It is labelled as a legend; or it says of two signs or more in one line, or in parentheses at the end of one, what
    they mean, and nothing else. What any sentence says of a usual sign counts as well.
    """
    legend: dict[str, str] = {}
    lowered = text.lower()
    has_sign = not text.isascii() and compiled(f"[{_SIGNS}]").search(text) is not None
    if not (has_sign or has_any(lowered, _WORDS)):
        return legend
    is_open = False
    for row in text.split("\n"):
        line = row.strip(SPACES + "\r")
        if match := compiled(_LEGEND).fullmatch(line):
            entries = match["entries"]
            is_open = not entries.strip(SPACES + "*")
        else:
            entries = line[1:] if is_open and line[:1] in "-*•" else ""
            is_open = is_open and bool(entries or not line)
        found = _read_entries(_pieces(entries)) if entries else _read_whole(line, least=2)
        found.extend(_read_sentences(line, {sign for sign, _ in found}))
        for sign, mark in found:
            # What is said in two ways is not clear.
            legend[sign] = mark or "" if legend.get(sign, mark) == mark else ""
    return legend


def is_legend(line: str) -> bool:
    """Whether a line says of signs what they stand for, and nothing else: of each, one of the meanings of marks."""
    match = compiled(_LEGEND).fullmatch(line)
    found = _read_entries(_pieces(match["entries"])) if match else _read_whole(line)
    return bool(found) and all(mark is not None for _, mark in found)


def redefines_marks(text: str) -> bool:
    """Whether a text says of a mark such as `[x]` that it stands for another status than it does."""
    entries = compiled(_MARK_ENTRY).finditer(text) if "[" in text else ()
    for entry in entries:
        mark = _meaning(entry["words"])
        # Of a dash or a colon, anything may come behind.
        if mark != entry["mark"].lower() and (mark is not None or entry["verb"] is not None):
            return True
    legend = find_legend(text)
    return any(legend.get(mark, mark) != mark for mark in "!>~")


def _pieces(line: str) -> list[str]:
    """What may be the entries of a line."""
    pieces = compiled(_BETWEEN).split(line.replace("\ufe0f", ""))
    return [bare for piece in pieces if (bare := piece.strip(SPACES + "*_"))]


def _read_entries(pieces: Iterable[str]) -> _Meanings:
    """Each sign with the character of the mark that it stands for, or None."""
    entries = (compiled(_ENTRY).fullmatch(piece) for piece in pieces)
    return [(entry["sign"], _meaning_of(entry["words"])) for entry in entries if entry]


def _read_whole(line: str, *, least: int = 1) -> _Meanings:
    """The same of a line without a label that has nothing but entries; a single one has a verb.

    Of several, other text may be in front, if they are in parentheses.
    """
    if least > 1 and compiled(_OF_PLAN).match(line):
        return []
    aside = compiled(_ASIDE).search(line) if line.endswith((")", "）", ".", "。")) else None
    pieces = _pieces(aside[1] if aside and (least > 1 or line[0] in "(（") else line)
    matches = (compiled(_ENTRY).fullmatch(piece) for piece in pieces)
    entries = [entry for entry in matches if entry and _is_clear(entry)]
    is_told = len(entries) > 1 or any(entry["verb"] for entry in entries)
    if len(entries) < max(least, len(pieces)) or not is_told:
        return []
    return [(entry["sign"], _meaning(entry["words"])) for entry in entries]


def _read_sentences(line: str, known: Collection[str]) -> _Meanings:
    """The same of what sentences say of the usual signs, but for those that are known from the line."""
    if len(line) > _LONGEST or line.isascii() or compiled(_OF_STEP).match(line):
        return []
    if not compiled(f"[{_SIGNS}]").search(line):
        return []
    bare = line.replace("\ufe0f", "")
    said = _read_definitions(bare) or _read_pairs(bare) or ([] if known else _read_mentions(bare))
    return [(sign, mark) for sign, mark in said if sign not in known]


def _read_definitions(line: str) -> _Meanings:
    """What is said behind a sign that it stands for, and in front of one that is marked with it."""
    # By the places of the signs: of what is behind and in front of one, the former counts.
    said: dict[int, tuple[str, str | None]] = {}
    for match in compiled(_SAID).finditer(line):
        words = compiled(r"(?i)(?: and| or| while|[和而])?[\s*_`'\"“”]*\Z").sub("", match["words"]).strip()
        if words:
            mark = _meaning(words, is_all=True)
            if mark is None and match["weak"] and _says_nothing_else(compiled(_USUAL).sub(" ", words)):
                mark = _meaning(words)
            said[match.start("sign")] = match["sign"], mark
    for match in compiled(_SAID_OF).finditer(line):
        if match.start("sign") not in said:
            front = line[max(match.start() - _FRONT_OF, 0) : match.start()]
            words = compiled(r"[,.;:!?，。；：！？·|()（）]").split(front)[-1].strip()
            said[match.start("sign")] = match["sign"], _meaning(words, is_all=True)
    return [*said.values()]


def _read_mentions(line: str) -> _Meanings:
    """The signs that a line speaks of in other words than those for their usual meaning, none of which is clear."""
    said: _Meanings = []
    for match in compiled(_SPOKEN_OF).finditer(line):
        sign = match[str(match.lastgroup)]
        words = line.partition(sign)[2].strip(f"{SPACES}:：-*_")
        is_usual = _meaning(words) is not None if match.lastgroup == "alone" else _has_usual_word(sign, line)
        if not is_usual:
            said.append((sign, None))
    return said


def _has_usual_word(sign: str, line: str) -> bool:
    """Whether a line that speaks of a sign says what the sign stands for, and nothing else of it."""
    usual = dict(_MEANINGS).get(STATUS_SIGNS[sign])
    if usual is None or compiled(_RESTRICTS).search(line) is not None:
        return False
    clause = next(one for one in compiled(r"[.;:!?，。；：！？()（）]|,(?! and\b)").split(line) if sign in one)
    # What can be done is not done.
    rest, times = compiled(rf"(?i)(?<![A-Za-z])(?<!\bbe )(?:{usual})(?![A-Za-z])").subn(" ", clause)
    return times > 0 and _says_nothing_else(rest)


def _says_nothing_else(words: str) -> bool:
    return compiled(_OF_SIGNS).fullmatch(words) is not None


def _read_pairs(line: str) -> _Meanings:
    """The same of a list of two of the usual signs or more, each with a few words."""
    aside = compiled(r"[(（]([^()（）]*+)[)）]").search(line)
    entries = [compiled(_ENTRY).fullmatch(piece) for piece in _pieces(aside[1] if aside else line)]
    found = [entry for entry in entries if entry and entry["sign"] in _SIGNS]
    is_list = len({entry["sign"] for entry in found}) > 1 and len(found) == len(entries)
    if not is_list or any(len(entry["words"].split()) > _MOST_WORDS for entry in found):
        return []
    return [(entry["sign"], _meaning_of(entry["words"])) for entry in found]


def is_entry(line: str) -> bool:
    """Whether a line is one entry of a legend, such as an item of a list of them."""
    entry = compiled(_ENTRY).fullmatch(line)
    return entry is not None and _is_clear(entry)


def _is_clear(entry: Match[str]) -> bool:
    """Whether an entry says what its sign means, and nothing else. No sign stands for what has not begun."""
    mark = _meaning(entry["words"], is_all=True)
    return mark is not None and (mark == " " or not entry["sign"][0].isalpha())


def _meaning_of(words: str) -> str | None:
    """What an entry of a labelled legend means, which may have more in parentheses or behind a dash."""
    bare = compiled(r"[(（–—].*|[.。!！\s]+\Z|\s-\s.*").sub("", words[:_LONGEST]).strip(SPACES + "*_")
    clauses = [clause.strip(SPACES) for clause in compiled("[、/]").split(bare)]
    marks = [mark for clause in clauses if (mark := _meaning(clause, is_all=True)) is not None]
    return marks[0] if marks else None


def _meaning(said: str, *, is_all: bool = False) -> str | None:
    """The character of the mark that is meant by the words that a text begins with, or (``is_all``) has alone."""
    clauses = [said] if is_all else [clause.strip(SPACES) for clause in compiled("[、/]").split(said)]
    for clause in clauses:
        for mark, words in _MEANINGS:
            pattern = compiled(rf"(?i){_FRONT}(?:{words})(?![A-Za-z]){_BEHIND}")
            if (pattern.fullmatch(clause) if is_all else pattern.match(clause)) is not None:
                return mark
    return None
