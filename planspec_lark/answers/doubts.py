"""What the text around commands says of them: that they do not hold, or not as they are.

Most of it reports work, and may say anything of the world. So only what points at the commands counts: a label or a
heading right before them, a sentence with a word such as `these` or `the above`, one that speaks of carrying out
under a condition, and one in which the writer thinks again. Such a sentence has to be a known one
(:mod:`planspec_lark.answers.statements`), or to say what the commands do.
"""

from __future__ import annotations

import re

from planspec_lark.answers.descriptions import has_veto
from planspec_lark.answers.sentences import sentences
from planspec_lark.answers.statements import Talk, is_of_others, prohibits, without_idioms
from planspec_lark.planspec.answer_lines import read_heading

__all__ = ["doubts_commands"]

# Its words are those of talk about commands, besides those of talk about plans.
_TALK = Talk(
    "update updates change changes changed mark marks record records reflect round turn finding findings new"
    " report action 命令 建议 调整",
    is_of_plan=True,
)
_STEP = re.compile(
    r"\b(?:the )?steps? #?[0-9]+(?:\.[0-9]+)*(?:(?:, | and | to )[0-9][0-9.]*)*"
    r"|第.{1,3}步|步骤 ?[0-9.]+|\A[一二三四五六七八九十]+、"
)
# Words that make a pronoun of the one before them, as they are no nouns.
_VERB = (
    r"(?: (?:is|are|was|were|has|have|had|will|would|should|must|may|might|can|could|do|does|only|still|all|needs?"
    r"|apply|applies|holds?|counts?|stands?|assumes?|depends?|requires?|before|after|until|unless|once|if|when"
    r"|yet|as|in"
    r"|for|from|ones?|two|three)\b"
    r"|\W*\Z)"
)
_NOUN = r"(?:commands?|lines?|changes|updates?|list|answer|version)"
# What points at commands from anywhere, and what does after them.
_THESE = re.compile(
    rf"\b(?:(?:these|those)(?:{_VERB}| {_NOUN}\b)|the (?:changes|following)\b|following {_NOUN}\b"
    r"|(?:the|both|all|any|my|first|second|third|last) (?:\w+ )?(?:command|line)s?\b"
    rf"|(?:the|as|(?:every|any|no)thing|{_NOUN}) (?:above|below)\b|(?:above|below)\W*\Z)"
    r"|命令|以上|以下|上面|下面(?!进入|继续|开始|我)|上述"
)
_THIS = re.compile(
    rf"\b(?:(?:this|that|both|all|either|neither)(?:{_VERB}| {_NOUN}\b)|(?:first|second|third|last) one\b"
    r"|of (?:this|that|these|those|it)\b)"
    r"|这(?!一步|个步骤)|此(?!外)|\A\W*刚才"
)
# What is done with commands, and what makes it depend on something.
_ACT = re.compile(
    r"\b(?:mark\w*|approv\w*|confirm\w*|appl(?:y|ies|ied)|execut\w*|carr\w+ out|go-ahead)\b|执行(?!完)|批准|审批|确认"
)
_CASE = re.compile(
    r"\b(?:if|when|once|unless|until|before|after(?! (?:this|today|my)\b)|would|could|might|may|suppose"
    r"|imagine|assuming|pending|yet|whether)\b"
    r"|如果|若|假如|一旦|除非|等|才|后再|先|暂"
)
_BEGINS_CASE = re.compile(
    r"\W*(?:(?:only )?(?:if|when|unless|until|as soon as|in case|should|suppose|imagine|assuming|once"
    r"|after(?!.*\bi\b))\b|如果|若|假如|一旦|除非|等|只有)"
)
# How a writer begins who thinks again.
_AGAIN = re.compile(
    r"\W*(?:(?:oops|whoops|hmm+|actually|on (?:second|reflection)|scrap|scratch|i take (?:it|that|this) back"
    r"|erratum)\b"
    r"|(?:wait|hold on|edit|correction) ?(?:[,.:!…—–-]|no\b|\Z)"
    r"|等等|等一下|慢着|哎呀|不对|更正|纠正|其实)"
)
# What leaves it to the reader which of them to carry out.
_CHOICE = re.compile(
    r"\b(?:choose|pick|select|decide) (?:one|between|among|either|which|whether)\b"
    r"|\bwhich (?:one|of (?:these|the two))\b"
    r"|请[您你]?(?:\w\w)?选|二选一|[哪任]一?[个种项]"
)
# A sentence on commands in general.
_ANY_COMMAND = re.compile(r"\b(?:an?|each|every) (?:\w+ )?command\b|(?<!二)(?<!一)(?<!两)条?命令的?(?:格式|语法)")
# What says what commands do.
_DOES = re.compile(
    rf"\W*(?:with (?:these|this|the) \w+,? )?(?:(?:this|that|these|both|they|the)(?: (?:new |last )?{_NOUN}| step)?"
    r"(?: above)?|it|the plan) (?:mark|insert|add|update|record|set|close|skip|reflect|keep|make|leave|complet|finish"
    r"|split|revise|bring|put|show|stay|is on|should be|now)\w*"
    r"|\W*that(?:'s| is| was) (?:all|it)\b|以上命令(?:将|把|用于|会)"
)
# Who speaks in a label that reports: the writer, the plan, or one of its steps.
_REPORTS = re.compile(
    r"\W*(?:(?:so|and|but|now|therefore|thus|then|next|accordingly|to|this|that),? )*"
    r"(?:(?:i|we|let|i'm|i've|i'll|we've|we'll|(?:the |my |both |all |two |three )?(?:plan(?= \w+ \w)|steps?)"
    r"|(?:mark|updat|record|clos|skipp|add|complet|finish|reflect|status)\w*)\b)"
    r"|.{0,4}(?:计划|需要|步|我|记录|更新|跳过|增加|新增|标记|改用|改为|完成)"
)
# A label in Chinese that names a thing or a choice; in English, every other word may be that of another writer.
_TOPIC = re.compile(r"(?!.*(?:方[案式]|选[项择]|[或选后说]|以[上下]))[\u3400-\u9fff]+[:：]\Z")
_WHY = re.compile(r",? \b(?:because|since)\b.*|，?因为.*")
_LAST_CLAUSE = re.compile(r", (?:but |so |and |which means )?|，(?:因此|所以)?| (?=i (?:propose|suggest|recommend)\b)")
_COLON = re.compile("[:：]")
_ENDS = tuple(".!?:。！？：")


def doubts_commands(text: str, *, is_lead: bool = False, is_behind: bool = False) -> bool:
    """Whether text beside commands says that they are not to be carried out, or not as they are.

    Args:
        text: the text, without code fences.
        is_lead: whether commands follow it.
        is_behind: whether commands come before it.
    """
    last = text.rstrip().rpartition("\n")[2].strip()
    if is_lead and last.startswith("<!--") and "-->" not in last:
        return True
    said = [_STEP.sub("step ", one.replace("’", "'")) for one in sentences(text) if one]
    if is_lead and said and _is_label(last, said[-1]) and not _leads_on(said.pop()):
        return True
    return any(_doubts(one, is_behind=is_behind) for one in said)


def _is_label(line: str, said: str) -> bool:
    is_short = len(said.split()) < 3 and not (
        line[:1].islower() or line.endswith(_ENDS) or line.startswith((">", "- ", "<")) or _COLON.search(said)
    )
    return said.endswith((":", "：")) or is_short or read_heading(line) is not None


def _leads_on(said: str) -> bool:
    """Whether a label leads to commands which the writer means to be carried out."""
    if _BEGINS_CASE.match(without_idioms(said)) or _ANY_COMMAND.search(said):
        return False
    # To skip a step denies nothing here.
    label = said.rstrip(":：").replace("skip ", "mark ") + ":"
    last = _LAST_CLAUSE.split(_WHY.sub(":", label))[-1]
    if _TALK.leads_on(label) or _TALK.leads_on(last):
        return True
    is_told = _REPORTS.match(last) is not None and not (_CASE.search(last) or _THESE.search(last))
    # What is denied of a step is why the commands are given.
    is_told = is_told and (last.startswith("step") or not (has_veto(last) or is_of_others(last)))
    return is_told or (_TOPIC.match(label) is not None and not (has_veto(label) or is_of_others(label)))


def _doubts(said: str, *, is_behind: bool) -> bool:
    if _AGAIN.match(said) or prohibits(said) or _ANY_COMMAND.search(said) or _CHOICE.search(said):
        return True
    points = _THESE.search(said) or (is_behind and _THIS.search(said))
    if not points and not (_ACT.search(said) and (_CASE.search(said) or has_veto(said))):
        return False
    does = _DOES.match(said)
    is_known = does is not None and not (has_veto(said) or _CASE.search(said.partition(" before ")[0]))
    return not (is_known or _TALK.adds_nothing(said))
