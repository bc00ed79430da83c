"""What the text around a plan says of it: that it is none to act on, or that something of it is meant otherwise."""

from __future__ import annotations

import re

from planspec_lark.answers.sentences import sentences
from planspec_lark.answers.statements import Talk
from planspec_lark.answers.vocabulary import Form
from planspec_lark.planspec.answer_lines import is_harmless, read_item_number
from planspec_lark.planspec.near_misses import SPACES

__all__ = ["disowns", "is_disowned"]

# All patterns are for lines in small letters. That, and one `\b` before all words that need it, makes looking
# through a line several times faster.

# What says that there is more than this text.
_PART = Form.of(
    "part|message|response|answer|reply|steps|ran out|continu|/",
    r"\b(?:part (?:[0-9]+|one|two|three) of"
    r"|(?:next|another|separate|later|following|second) (?:message|response|answer|reply)"
    r"|(?:more|other|further|additional|missing) steps|ran out of)\b"
    r"|\W*part (?:[0-9]+|one|two|three)\W*\Z|\A\W*[0-9]+ ?/ ?[0-9]+\W*\Z"
    r"|\A\W*(?:to be )?continue[sd]?\W*\Z|\A\W*continu(?:ing|ed) (?:from|the|with|where)\b"
    r"|还有.{0,6}步骤|未完|接上文|续上文|接续|待续|第 ?[0-9一二三四五六七八九十]+ ?部分|下一?条",
)
# What says that something is not to be done or used.
_FORBIDDEN = (
    r"(?:\b(?:not|never|avoid)|n['’]t) (?:\w+ ){0,2}?(?:us(?:e|ed|ing)|run|execut\w+|follow\w*|appl\w+|adopt\w*"
    r"|recommend\w*|act(?:ed)? on|implement\w*|carr\w+ out|send|final|valid)\b"
    r"|\b(?:(?:do|would|should|must|will|could)(?: not|n['’]t) (?:\w+ ){0,2}?(?:do|be done)\b"
    r"|not to (?:be )?do(?:ne)?\b|(?:do|would|should|must)(?: not|n['’]t)\W*\Z|under no circumstances\b|hold off\b"
    r"|(?:ignore|disregard|forget|scrap|cancel|retract|scratch) (?:the |this |that |my |all )*"
    r"(?:above|plan|version|previous|last|it|everything|commands?|lines?)\b|scratch that\b)"
    r"|(?:不要|请勿|切勿|勿|别|不应|不该|不能|不会|不建议|无法)(?:再|去|按|照)?(?:这样)?"
    r"(?:执行|使用|采用|采纳|运行|照做|用|做|参考)"
    r"|作废|忽略(?:以上|上面|上述|此)"
)
# What says that a plan is none to act on.
_REJECTED = Form.of(
    "not|n't|never|avoid|no circumstances|hold off|ignore|disregard|forget|scrap|cancel|retract|scratch|reject|discard"
    "|abandon|supersed|obsolete|outdated|incorrect|invalid|wrong|flawed|withdraw|no longer|none of|nothing of|anti"
    "|counter|draft|example|sample|illustration|~~",
    _FORBIDDEN,
    r"\b(?:reject\w*|discard\w*|abandon\w*|supersed\w*|obsolete|outdated|incorrect|invalid|wrong|flawed|withdrawn?"
    r"|(?:not|n['’]t) (?:right|correct)|no longer|(?:does not|doesn['’]t) (?:apply|hold)"
    r"|(?:none|nothing) of (?:this|it|the above)|anti-?patterns?|counter-?examples?"
    r"|(?:as|is (?:just|only)) an? (?:draft|example|sample|illustration))\b"
    r"|~~.+~~|反例|不作为|只是(?:示例|样例|例子|草稿)"
    r"|(?:以下|这些).{0,4}步骤.{0,4}(?:删|去掉)"
    r"|错误|有误|不对|不正确|废弃|否决|放弃|弃用|无效",
)
_GAVE = "wrote|said|sent|gave|provided|shared|posted|pasted|submitted"
# What says that a plan only shows how it is written, is one that who reads it has, or a part of one.
_SHOWN = (
    Form.of(
        "example|instance|e.g.|e. g.|look|would be|excerpt|quot|wrote|user|human|customer|client|template|sample",
        r"\b(?:for (?:example|instance)\b|e\. ?g\.|examples? of\b"
        r"|(?:(?:c|w|sh)ould|might|may|can) look like\b"
        r"|(?:commands?|format|syntax|examples?) (?:\w+ )?looks? like\b|would be (?:written|formatted)\b"
        r"|excerpt\b|quot(?:ed?|ation|ing) (?:from|of)\b|(?!i\b|we\b)\w+ wrote\W*\Z)"
        r"|\A\W*(?:user|human|customer|client|用户|客户)\W{0,4}[:：]"
        r"|\A\W*(?:template|quote|(?:example|sample)[ _]plan)\W*\Z|仅供参考|用户提供|只是示例"
        r"|例如|比如|譬如|举例|格式(?:如下|示例|为(?![您你])|是|举例)|示例|样例",
    ),
    Form.of(
        f"{_GAVE}|have|has|had",
        rf"\A\W*(?:you|the user|he|she|they) (?:\w+ )?(?:{_GAVE})\b"
        r"|\b(?:plan|version|draft|text|one) (?:that |which )?(?:you|the user|they|he|she) "
        rf"(?:\w+ )?(?:{_GAVE}|have|has|had)\b"
        r"|[你您](?:给|发|写|提供|提交|贴)(?:出|来|过)?的?(?:计划|方案)|用户的?(?:计划|方案)",
    ),
    Form.of(
        "current|existing|original|previous|old|former|last|present",
        r"\b(?:(?:(?<!here is )(?<!here's )(?:your|the user's|his|her|their|the|my)"
        r" (?:current|existing|original|previous|last|present)|(?:your|his|her|their|the|my) (?:old|former))"
        r" (?:\w+ )?(?:plan|version|draft|text|one)\b"
        r"|(?:old|previous|former|original|existing)[ _]plan\W*\Z)"
        r"|(?:原|(?<!是)当前|现有|(?<!是)目前的?|旧|原来的|原有的?|现在的)(?:计划|方案)",
    ),
    Form.of(
        "change|replace|modify|edit|update|rewrite|only|just|add|insert|put|append",
        r"\b(?:(?:change|replace|modify|edit|update|rewrite) (?:only |just )?(?:the )?(?:steps?|lines?|parts?)\b"
        r"|(?:only|just) (?:the )?(?:\w+ )?(?:steps?|lines?|parts?) [^.]*\b(?:chang\w+|differ\w*|new)\b"
        r"|(?:only|just) (?:the )?(?:changes|changed|new|differing|modified|affected)\b"
        r"|(?:add|insert|put|append)\b.*\b(?:(?:after|before|behind|between|below) (?:steps? |lines? )?#?[0-9]"
        r"|(?:at the end of|to) (?:the|your) (?:plan|list|steps)\b))"
        r"|(?:只|仅)(?:需|要)?(?:修改|更改|改动|改|变)|(?:在|于)第.{1,3}步(?:之?后|之?前)",
    ),
)
# What leads to a plan for a case, or to that of another person.
_ELSEWHERE = re.compile(
    r"\W*(?:only )?(?:if|unless|in case|as soon as)\b.*[:：]\Z|(?:如果|若|假如|一旦|除非).*[:：]\Z"
    r"|\W*an? \w+['’]s plan\W*\Z"
    r"|上一?(?:版本?|个版本)"
)
# What calls a plan the one that holds, whatever else is said in the same line.
_HOLDS = re.compile(
    r"\b(?:final|finalized|updated|corrected|revised|improved|fixed|rewritten|reworked|adapted|modified|adjusted)\b"
    r"|最终|定稿|终稿|更新后|修改后|修订|修正后|更正后|改进|调整后|优化后"
)
# What tells of a plan before, and does not point at the one that follows.
_TOLD = re.compile(
    r"(?!.*\b(?:this|these|it|here|below|following|plan|still|yet)\b)(?!.*(?:以下|下面|这|还))"
    r".*(?:\b(?:was|were|had|did|used|missed|forgot|mixed|wrote|made)\b|了)"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_FENCE = re.compile(r"(?:`{3,}|~{3,}).*")
# Characters of a line that is looked at.
_LONGEST = 500


# What front matter says of the state of a text that does not hold.
_FRONT_MATTER = re.compile(r"\A---\r?\n(?:(?:[\w -]*[:：]|- ).*\n)*?---")
_STATE = re.compile(
    r"^(?:[\w -]*status|state|stage|decision|[\w ]*状态|阶段) *[:：](?! *\W*(?:final\w*|approved|active|current|ready"
    r"|accepted|done|in progress|published|open|new|ok|live|released|confirmed|agreed|定稿|已?批准|进行中|正式|有效)\b)"
    r"|^(?:draft|obsolete|deprecated|rejected|superseded|archived|template|example|sample) *: *(?:true|yes|1)\b"
    r"|^(?:approved|valid|final|ready|active|current) *: *(?:false|no|0)\b"
    r"|^kind *: *(?:template|draft|example|sample)\b"
    r"|^(?:replaced|superseded|obsoleted)[ _-]by *:|^(?:note|remark|warning)s? *:.*\b(?:not|only|unless|until|draft)\b",
    re.IGNORECASE | re.MULTILINE,
)


def disowns(text: str, between: str, talk: Talk, above: str = "") -> bool:
    """Whether what comes before a plan says that it is an example, by another person, a part, or none to act on.

    Args:
        text: what comes before it.
        between: what else is between that and the plan.
        talk: what is known of the plan.
        above: what comes before the text, which may head it.
    """
    front = _FRONT_MATTER.match(text)
    if front is not None and _STATE.search(front[0]):
        return True
    said = sentences(text, above)
    line = text.rstrip().rpartition("\n")[2].strip(SPACES + "\r")
    doubts = _find_doubts(said, line, talk)
    # Before a corrected plan, what is wrong with the one before is said of that one.
    is_of_former = bool(said) and _HOLDS.search(said[-1]) is not None and talk.leads_on(said[-1])
    if doubts and not (is_of_former and all(map(_TOLD.match, doubts))):
        return True
    rows = (row.strip(SPACES + "\r") for row in between.split("\n"))
    is_apart = any(row and _FENCE.fullmatch(row) is None and not is_harmless(row) for row in rows)
    return not is_apart and is_disowned(line)


def _find_doubts(said: list[str], line: str, talk: Talk) -> list[str]:
    """What of the sentences before a plan, of which a line is the last, does not leave it alone."""
    doubts = [one for one in said if not talk.comes_before(one)]
    if said and read_item_number(line) is not None:
        # The number of a plan, or of a part of it, says nothing of it.
        return [one for one in doubts if one is not said[-1]]
    # Any other label has to lead to the plan.
    is_stray = bool(said) and said[-1].endswith((":", "：")) and not (doubts or talk.leads_on(said[-1]))
    return said[-1:] if is_stray else doubts


def is_disowned(line: str) -> bool:
    """Whether a line that leads to a plan says so."""
    # Of what is said in the line, the end leads to the plan.
    said = _SENTENCE_END.split(line[-_LONGEST:].lower())[-1]
    if _PART.is_in(said) or _REJECTED.is_in(said.replace("_", " ")) or _ELSEWHERE.match(said):
        return True
    return any(form.is_in(said) for form in _SHOWN) and _HOLDS.search(said) is None
