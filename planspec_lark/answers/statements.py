"""What a sentence around a plan does: it says nothing new, or it may change what the plan means.

The words for what may be meant otherwise have no end. So it is the other way round. A sentence leaves a plan alone
where all its words are the plan's own or those of talk about plans (:mod:`planspec_lark.answers.vocabulary`), or where
it is a question, an offer, a wish or a report of one's own work in which nothing is denied or restricted. What is
missing here costs a review, and no wrong plan.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cached_property

from attrs import define

from planspec_lark.answers.vocabulary import (
    BASE_FORMS,
    CHINESE,
    COUNTS,
    ENGLISH,
    NOTES,
    NOTES_CHINESE,
    RELATIVE,
    VETO,
    VETO_CHINESE,
)
from planspec_lark.planspec.answer_lines import is_notes, read_heading, without_arrows
from planspec_lark.planspec.corrections import SPACES

__all__ = ["Talk", "has_veto", "heads_more", "is_of_others", "prohibits", "sentences", "without_idioms"]

# Characters of a sentence that is looked at in one piece.
_LONGEST = 500
# Characters of a text that words are looked for in by themselves.
_SHORT = 10_000
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’*_)]*\s+|(?<=[。！？])|[;；]\s*")
# A line that begins something of its own, and continues nothing.
_BEGINS = re.compile(r"[-*+•·>#|`]|[0-9]+[.)、]|[(（【\[]")
_NEVER = re.compile(r"(?!)")
# What is said of the plan even in a list of notes.
_OF_STEPS = re.compile(
    r"\b(?:plans?|steps?|(?:i|we)(?:'ve| have| just)? (?:forgot|missed|left out|omitted|overlooked)|oops|actually"
    r"|instead|scratch that|wait|hold on|correction|remember to (?:add|insert)|also (?:have|need) to)\b"
    r"|计划|方案|步|[漏忘]了|遗漏|更正|纠正|不对"
)
_CHANGES = re.compile(r"\bwhat (?:has |i |i've )?changed\b|(?:变更|修改)说明")
_FRONT_MATTER = re.compile(r"\A---\r?\n(?:[\w -]*:.*\n)*---")
_TAG = re.compile(r"</[\w-]+>|(?:<\|[a-z_]++\|>)+")
_MARKS = SPACES + "*_#>~-•👉✅📋📝💡\r"


def sentences(text: str) -> list[str]:
    """The sentences of a text in lower case, those that were wrapped put together again."""
    rows: list[str] = []
    is_code = False
    aside: re.Pattern[str] | None = None
    for row in _FRONT_MATTER.sub("", text).split("\n"):
        line = row.strip(SPACES + "\r")
        if line.startswith(("```", "~~~")):
            is_code = not is_code
        elif (
            is_code
            or not line
            or line.startswith(("<!--", "|"))
            or (line.startswith(("</", "<|")) and _TAG.fullmatch(line))
            or (aside and _BEGINS.match(line) and not aside.search(line.lower()))
        ):
            rows.append("")
        elif rows and 0 < len(rows[-1]) < _LONGEST and not _BEGINS.match(line) and rows[-1][-1] not in ".!?:。！？：":
            rows[-1] += f" {line}"
        else:
            rows.append(line)
        if line and (read_heading(line) or not _BEGINS.match(line)):
            # What is listed below an offer is offered, too, and so is what has changed; below notes, what does not
            # speak of the plan by that word.
            is_offer = line[-1] in ":：" and (_OFFER.search(line.lower()) or _CHANGES.search(line.lower()))
            aside = _NEVER if is_offer else _OF_STEPS if is_notes(line.strip("#* ")) else None
    found = (part.strip(_MARKS).lower() for row in rows for part in _SENTENCE_END.split(row))
    return [said[at : at + _LONGEST] for said in found for at in range(0, len(said), _LONGEST)]


# ---------------------------------------------------------------- forms that leave a plan alone


def _any(*forms: str) -> str:
    return f"(?:{'|'.join(forms)})"


# What is offered to who reads it, or left to him.
_OFFER = re.compile(
    r"\b"
    + _any(
        r"let me know|tell me|feel free|at your disposal|just (?:ask|say|reply)|(?:happy|glad|here) to",
        r"do(?: not|n't) hesitate|i (?:can|could)|i'll be|i'm (?:always )?here|(?:i'd|i) need to know|copy this",
        r"you can (?:now |also |then )?(?:\w+ ){0,2}?(?:follow|use|copy|run|start|execute|mark|track|check|tick)\w*",
        r"you can (?:now |also |then )?(?:\w+ ){0,2}?(?:save|see|find|go|relax|ask)\w*",
        r"(?:if|should|when|whenever) you(?:'d)? (?:\w+ )?(?:need|want|wish|like|prefer|have)",
        r"(?:if|should) (?:any\w*\b.* (?:is|are|be) unclear|(?:any|some)thing)",
        r"if (?:the|this|that)(?: plan)? (?:suits|helps|works for|is fine|looks good)",
    )
    + r"\b|"
    + _any(
        r"如需|如有.{0,6}(?:问题|疑问|需|变|不清|调整)|如果?[您你]|若[您你有需]|需要的?话|如果.{0,4}(?:合适|满意)",
        r"告诉我|告知|随时|欢迎|请查收|过目|请指正|问我|我.{0,4}可以|[您你]可以让我|请确认是否|供[您你]?参考",
        r"(?<!也)可以?(?:直接(?:复制|使用|贴|执行|运行)|参考)",
    )
)
# What is wished; a tip; in Chinese also why a step stands where it does.
_WISH = re.compile(
    r"\A\W*(?:(?:and|finally|then),? )?"
    + _any(
        r"(?:i )?(?:hope|wish)(?:ing)?\b|hopefully|good luck|best of luck|best wishes|enjoy|have (?:a|fun)\b|stay ",
        r"take (?:your time|care)|thanks?\b|happy |great |congrat|safe |cheers|well done|ready when|remember\W*\Z",
        r"(?:tips?|hints?)\b|(?:sorry|(?:i |my )?apolog\w+)(?: again)? (?:for|about)\b|we are (?:here|there) for you",
    )
    + r"|\A.{0,5}(?:祝|希望|愿|加油|谢谢|感谢|期待|小贴士|提示)|\A把.*，是因为"
)
# A case that something is said for.
_IN_CASE = re.compile(r"\b(?:if|in case|unless|should)\b|如[果遇]|[若遇]|一旦|万一")
# What became of another plan.
_OF_ANOTHER = re.compile(
    r"\A\W*(?:an? |the |my )?(?:earlier|previous|old|older|original|first) (?:plan|draft|version|idea)s? (?:was|were)\b"
    r"|\A(?:初稿|旧版|原计划|原方案)因"
)
# What the writer has done on the plan, or says to be doing.
_WORK = _any(
    r"kept|keep|put|made|chose|chosen|split|broke|broken|break|gave|given|built|write|wrote|written|set|cut|laid|grouped",
    r"ordered|limited|focused|numbered|created?|prepared|adapted|adjusted|removed|added|changed|followed|checked",
    r"included|based|structured|organi[sz]ed|arranged|plan|planned|designed|aimed|used|considered|fixed|updated|revised",
    r"corrected|marked|named|simplified|shortened|merged|moved|renamed|replaced|divided|listed|thought|suggest|recommend",
    r"propose|walk|looked|left(?= .* out\b)",
)
_FORMS = re.compile(
    # A question.
    r"[?？]\W*\Z|吗\W*\Z|呢\W*\Z"
    # A number, an end, a word for a status after a sign in a legend.
    r"|\A\W*(?:[0-9]+|(?:the )?end|eof|完|结束|(?:best |kind )?regards|sincerely"
    r"|(?:and )?here(?:'s| is) (?:one|another)"
    r"|done|pending|blocked|skipped|in progress|active|已?完成|进行中|受阻|待办|已?跳过)\W*\Z"
    rf"|\A(?:so |and |here )?(?:let(?: me|'s)|(?:i|we)(?:'ve| have|'ll| will|'d| would)?) "
    rf"(?:(?:also|then|just|deliberately|now|carefully|briefly|tried to) )*{_WORK}\b"
    r"|\A[一几]些?点?(?:说明|补充|提示|备注)|我(?:已经?|重新|把|将|按|根据|预留)|\A已(?:经|为|按|根据|考虑)"
)
_PROHIBITS = re.compile(
    r"\W*(?:(?:please|just|but|and|so) )*(?:do not|don['’]t|never)\b(?! (?:worry|hesitate|panic))"
    r"|[请先]*(?:不要|别|勿)(?!担心|客气|着急)"
)
# What is said of a thing without changing it: how long it takes, which of the steps it is, that something is not there.
_IDIOMS = re.compile(
    r"\b"
    + _any(
        r"(?:about |around |roughly )?(?:[0-9]+(?:[-–][0-9]+)?|one|two|three|four|five|six|a few|an?|half an?)"
        r" (?:minutes?|hours?|days?|weeks?|months?)",
        r"(?:one|two|three|four|a few)(?= (?:things?|commands?|parts?)\b)",
        r"(?:no|any|without(?: any)?) (?:dependenc\w+|branch\w*|loops?|problem|extra \w+|conflicts?|gaps?)",
        r"(?:no|any|without(?: any)?) (?:further|other|more) steps|no budget|no step needs it",
        r"not (?:\w+ )?advice|not part of this",
        r"nothing (?:else )?(?:is|gets|was) (?:forgotten|lost|missed|overlooked|left out|needed|required)",
        r"(?:after|per|following) your (?:last )?(?:message|feedback|comments?|corrections?)",
        r"for (?:the|any|my) (?:\w+ )?(?:mistake|error|confusion|oversight)s?",
        r"nothing to decide|not (?:be )?(?:forgotten|lost|missed|overlooked|skipped)|no steps were changed[^)]*",
        r"should not (?:skip|forget|miss|lose) .*|do(?: not|n't) (?:worry|hesitate|forget)|not only",
        r"(?:once|when|after|as soon as) (?:you've completed )?(?:both |all )?(?:of )?(?:the )?steps?(?: [0-9.]+)?"
        r"(?: (?:is|are) (?:done|complete\w*|finished))?",
        r"(?:only|just)(?= \w+ steps\b)|the only(?= (?:one|output|input|goal|constraint))|draft(?= plan)",
        r"as you \w+|as (?:requested|discussed|specified)|what you need|as of (?:this \w+|today|now)",
        r"(?:that |which )?you(?:'ve| have)? (?:mentioned|asked for|wanted|gave me|described|provided)",
        r"(?:that |which )?you(?:'ve| have)? (?:specified|requested)",
        r"each other|right away|in time|on time|at the moment|at any time|once more|to copy|if (?:needed|necessary)",
        r"(?:already )?(?:a third|a quarter|half|two thirds) (?:is )?done|takes? .{0,40} into account",
        r"the one that (?:can't|takes|needs|costs)\b.*|depends? on (?!whether|if|it)(?:the |your )?\w+",
        r"(?:then|finally|next),?(?= (?:you're|enjoy|i))|(?<=how i )would|can also draft",
        r"should(?= (?:work|take|get|give|help|cover))|follow(?= (?:these|the|this) )|(?:can|will|should|ready to) be",
    )
    + r"\b|(?<=\bthe )(?:first|second|third|fourth|last|final|next)(?= (?:step|one|\w+s)\b)"
    r"|\A(?:given that|considering)\b[^,]*,|"
    + _any(
        r"考虑到[^，]*，|\A首先(?=是)|是否|反馈|没问题|不复杂|不难|不遗漏\w*?细节|别担心|不用担心|话不多说|不仅|不错",
        r"没有(?:依赖(?:关系)?|分支|冲突|遗漏)|[0-9一二两三四五六七八九十半几]+个?(?:分钟|小时|天|周)",
    )
)
# Why something is as it is.
_REASON = re.compile(
    r",? ?\b(?:because|since|so that|in order to|which (?:means|keeps|makes|helps|avoids|allows|saves)"
    r"|to (?:keep|make|avoid|ensure|help|save|give)|for easy)\b[^,:]*|，?(?:是因为|因为|以便|以免|从而)[^，]*"
)
# What a plan is for.
_PURPOSE = re.compile(r"(?<=\b(?:plan|trip)) (?:for|to|in|with|that you|which you)\b[^,:]*")
# In which case something is offered.
_CONDITION = re.compile(r"\b(?:if|should|when|once)\b[^,]*|如[果需有][^，]*|是因为[^，]*")
# What leads to a plan, and what to something of another writer, of another time, or for a case.
_ANNOUNCES = re.compile(
    r"\bthe plan is\W*\Z|\b(?:here(?:'s| is| are)|below|following|as follows|this is|these are|copy this|as a plan)\b"
    r"|计划[：:]?\Z"
    r"|(?:如下|以下|下面|这是|输出|直接|然后是|接下来是).*(?:计划|方案|步骤|流程|版本|安排)"
    r"|(?:计划|方案|步骤|流程|安排|进度|状态|正文).*(?:如下|输出)"
)
_OF_OTHERS = re.compile(
    r"\b"
    + _any(
        r"what (?!i\b|you\b|we\b|follows|is|has|the plan)\w+|(?!(?:here|it|that|there|let|what)'s)\w+'s|\w+s'(?= )",
        r"they|he|she|who|someone|somebody|several|other|another|different",
        r"(?!i |you |we )\w+ (?:does|did|do) the following",
        r"years?|worst|best|case|part|first few|before|until|unless|once|if|suppose|assuming|may|might",
        r"(?:approach|way|idea) would|example|sample|template",
        r"from (?:(?:the|an?|my|our|your) )?(?:last|earlier|previous|old|first)",
    )
    + r"\b|"
    + _any(
        r"(?<!我)(?:写|提出|拟)的|他人|网友|去年|上周|上次|昨天|以前|如果|若|除非|等.{0,6}后|才|(?<!期)(?<!等)待",
        r"草|备选|例|示范|练习|测试|演示|紧急|大概|可能|部分|前半",
    )
)
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:'[^\W\u3400-\u9fff]+)*|[→←=<>|~+]")
_OWN_WORD = re.compile(r"\w+")
_START = re.compile(r"\n([a-z]+)")
# All of ASCII that is in no word → a blank.
_NO_WORDS = {code: " " for code in range(128) if _OWN_WORD.match(chr(code)) is None}
_NEVER_OWN = VETO | RELATIVE
_CLAUSE_END = re.compile(r"[,:，：] *| [–—-]+ |——")
_FIRST_WORD = re.compile(r"\W*(?:(?:please|then|and|so|just) )*([a-z]+)")
_VETO_SIGN = re.compile(rf"n't\b|[{VETO_CHINESE}]")
_HAN = re.compile(r"[\u3400-\u9fff]")

# ---------------------------------------------------------------- what speaks of a plan

_POINTS = re.compile(
    r"\b(?:plans?|steps?|this|that|these|those|it|its|they|them|here|everything|nothing|none|all|any|what|above|below"
    r"|following|follows|list|order|draft|version|start|do)\b|计划|方案|步|以上|以下|上面|下面|这|那|此|其|执行|动手"
)
_OF_PLAN = re.compile(
    r"\b(?:plans?|steps?|this|these|above|below|following|follows|draft|version)\b|计划|方案|步|以上|以下|上面|下面|这"
)
_LEGEND = re.compile(r"\W*(?:legend|key|图例|.{2}说明)\W*[:：]")
_LABEL = re.compile(r"([a-z]{3,}(?: [a-z]{3,})?): \S|([\u4e00-\u9fff]{2,6})：(?=.)")
# What is a sentence, and no line of any notation.
_SENTENCE = re.compile(r"[\w\"'(][^|{}<>\[\]=→@\\]{8,}[.!:。！：]")
# How a sentence ends, with marks around it or not; such a line is not a heading.
_ENDS = tuple(f"{sign}{marks}" for sign in ".!?。！？" for marks in ("", "*", "**", "_", "__"))


def has_veto(said: str) -> bool:
    """Whether something is denied, restricted, put off or doubted."""
    return _VETO_SIGN.search(said) is not None or not VETO.isdisjoint(_split(said, _WORD))


def _split(text: str, word: re.Pattern[str]) -> list[str]:
    """The words of a text. Python splits plain ASCII much faster than an expression finds them."""
    return text.translate(_NO_WORDS).split() if text.isascii() else word.findall(text)


def prohibits(said: str) -> bool:
    """Whether something is forbidden."""
    return _PROHIBITS.match(said) is not None


def is_of_others(said: str) -> bool:
    """Whether something is said of another writer, of another time, or for a case."""
    return _OF_OTHERS.search(said) is not None


def without_idioms(said: str) -> str:
    """A sentence without the phrases that change nothing."""
    said = _IDIOMS.sub(" ", said)
    return _REASON.sub(lambda match: match[0] if has_veto(match[0]) else " ", said)


@define(eq=False, slots=False)
class Talk:
    """The sentences around one plan.

    Attributes:
        text: the plan's lines.
        descriptions: those of its steps.
    """

    text: str = ""
    descriptions: tuple[str, ...] = ()

    @cached_property
    def _lowered(self) -> str:
        return without_arrows(self.text).lower()

    @cached_property
    def _own(self) -> frozenset[str]:
        """The words of the plan."""
        return frozenset(_split(self._lowered, _OWN_WORD))

    @cached_property
    def _own_pairs(self) -> Container[str]:
        """What is beside each other in the plan: most words of Chinese are two signs.

        In a short text, a pair is found sooner than all of them are listed.
        """
        return self.text if len(self.text) < _SHORT else frozenset(map(str.__add__, self.text, self.text[1:]))

    @cached_property
    def _orders(self) -> frozenset[str]:
        """How a sentence begins that says what is to be done."""
        return BASE_FORMS.union(_START.findall("\n".join(("", *self.descriptions)).lower()))

    def adds_nothing(self, said: str) -> bool:
        """Whether a sentence after the plan leaves it alone, as :func:`sentences` has it."""
        said = said.replace("’", "'")
        if self._is_known(said) or is_notes(said) or _OF_ANOTHER.match(said):
            return True
        if said.endswith(":") and NOTES.union(ENGLISH).issuperset(_WORD.findall(said)):
            return True
        is_offer = _OFFER.search(said) is not None
        if is_offer or (_WISH.match(said) is not None and _IN_CASE.search(said) is None):
            return not (has_veto(said) and has_veto(_CONDITION.sub(" ", without_idioms(said))))
        return all(map(self._is_alone, _CLAUSE_END.split(without_idioms(said))))

    def leads_on(self, said: str) -> bool:
        """Whether a sentence right before the plan leads to it, and not to a part of it or to something else."""
        if prohibits(said):
            return False
        if self.adds_nothing(said):
            return True
        said = without_idioms(said.replace("’", "'"))
        last = re.split(r", (?:but |so |and )?|，", said)[-1]
        # What is said before what announces a plan is not said of the plan.
        said = last if _ANNOUNCES.search(last) else said
        is_label = said.endswith((":", "："))
        if not is_label and _OF_PLAN.search(said) is None:
            return True
        is_other = has_veto(said) or is_of_others(said)
        if not is_other and self.adds_nothing(_PURPOSE.sub(" ", said)):
            return True
        return not is_other and (not is_label or _ANNOUNCES.search(said) is not None)

    def puts_off(self, said: str) -> bool:
        """Whether a sentence further before the plan says that it does not hold, or begins with a part of it."""
        said = said.replace("’", "'")
        if _LEGEND.match(said):
            return False
        label = _LABEL.match(said)
        if label is not None and not (_names_notes(label[0]) or self._is_known(label[0])):
            return True
        if not has_veto(said) or _OF_PLAN.search(said) is None or _FORMS.search(said):
            return False
        return has_veto(without_idioms(said)) and not self.leads_on(said)

    def is_told(self, said: str) -> bool:
        """Whether a sentence between the parts of the plan speaks of it, and says nothing new."""
        if _SENTENCE.fullmatch(said) is None:
            return said == ""
        return _POINTS.search(said) is not None and self.adds_nothing(said)

    def _is_alone(self, clause: str) -> bool:
        clause = clause.strip()
        has_form = _FORMS.search(clause) or _WISH.match(clause)
        return (has_form is not None and not has_veto(clause)) or self._is_known(clause)

    def _is_known(self, said: str) -> bool:
        """Whether all words of a sentence are the plan's or those of talk about plans, and it gives no order."""
        unknown = {*_WORD.findall(said)} - ENGLISH
        if any(self._is_new(word) for word in unknown):
            return False
        return not any(self._is_order(clause) for clause in _CLAUSE_END.split(said))

    def _is_order(self, clause: str) -> bool:
        match = _FIRST_WORD.match(clause)
        return match is not None and match[1] in self._orders

    def _is_new(self, word: str) -> bool:
        """Whether a word that is none of talk about plans is none of the plan either."""
        if _HAN.match(word):
            return self._is_new_chinese(word)
        if word in COUNTS:
            return COUNTS[word] != len(self.descriptions)
        stem = word.removesuffix("'s").removesuffix("ing")
        forms = {word, word.removesuffix("s"), stem, f"{stem}e", stem[:-1], f"{word}s"}
        return self._own.isdisjoint(forms - _NEVER_OWN)

    def _is_new_chinese(self, text: str) -> bool:
        """Whether a run of Chinese has a word in it that is not known. Of several words, the longest is taken."""
        at = 0
        while at < len(text):
            for size in (4, 3, 2, 1):
                word = text[at : at + size]
                if word in CHINESE or COUNTS.get(word, 99) <= len(self.descriptions):
                    break
                if len(word) == size == 2 and word in self._own_pairs and not has_veto(word):
                    break
            else:
                return True
            at += len(word)
        return False


def _names_notes(label: str) -> bool:
    """Whether a heading or a label is that of something that is no part of a plan."""
    return not NOTES.isdisjoint(_WORD.findall(label)) or any(word in label for word in NOTES_CHINESE)


def heads_more(text: str) -> bool:
    """Whether text after a plan has the heading of something that may belong to it, as it is none of notes."""
    is_code = False
    for row in text.split("\n"):
        line = row.strip(SPACES + "\r")
        is_code ^= line.startswith(("```", "~~~"))
        heading = None if is_code or line.endswith(_ENDS) else read_heading(line)
        if heading and not (is_notes(heading[1]) or _names_notes(heading[1].lower())):
            return True
    return False
