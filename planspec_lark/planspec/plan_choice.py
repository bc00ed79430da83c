"""Which of several plans in one answer counts: what the text before each calls it, and whether it is complete."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.diagnostics import has_errors

__all__ = ["begins_again", "choose_plan", "is_final"]

# What the text before a plan may call it.
_FINAL = re.compile(
    r"(?i)\b(?:final|finalized|updated|corrected|revised|improved|fixed version|recommended|preferred"
    r"|use this (?:one|plan)|real plan|actual plan)\b"
    r"|最终|定稿|终稿|正式版|更新后|修改后|修订|修正[后版]|改进[后版]|更正|推荐|为准"
)
# Such words announce the plan behind them in a clause that says nothing else.
_ADJECTIVE = r"(?:finali[sz]ed|final|updated|corrected|revised|improved|fixed|recommended|preferred|real|actual)"
_NOUN = r"(?:plan|version|one|steps|list|proposal|answer|output)"
_ANNOUNCES = re.compile(
    r"(?:(?:so|hence|thus|and|now|then|ok|okay|here|this|is|are|below|comes|follows|therefore|finally|please|find"
    r"|you'll|you will|the|my|our|your|a|an|following) )*+"
    rf"(?:{_ADJECTIVE}(?: (?:and )?(?:new|full|complete|whole|{_ADJECTIVE}))*(?: {_NOUN})?"
    rf"|use this {_NOUN}(?: instead)?)"
    r"(?: (?:is|below|is below|follows|as follows|is as follows|is this)"
    r"| (?:with|for) .+)?"
    r"|(?:好的|那么|因此|所以|于是|现将|现在|以下|下面|这里|这|就|请看|是|为|即|给出|我的|您的|你的|本次|整理|附上|现)*+"
    r"(?:(?:(?:最终|定稿|终稿|正式|更新后|修改后|修订后?|修正后?|改进后?|更正后?|推荐|调整后)的?)+"
    r"(?:(?:执行|行动)?计划|方案|版本?|稿|步骤|做法|安排|清单|结果){0,2}(?:如下|见下|见下文|是|为)?"
    r"|请?以(?:此|以下|下面|下列|本|这)(?:[份个]|计划|方案|版本?)*为准)"
)
# A clause with such a word is said of what is next to it, on either side.
_POINTS = re.compile(r"\bthis\b|[这此]")
# What takes back in the rest of the sentence what is announced, puts it under a condition, or gives it to others.
_UNSAYS = re.compile(
    r"\b(?:not|never|no|nor|neither|without|non|until|unless|if|once|when|pending|would|could|should|may|might|was|were"
    r"|had|above|earlier|previous|too late|instead of|reject\w*|disagree\w*|replaced|superseded|withdrawn"
    r"|errors?|mistakes?|bugs?|(?!\A)\boption [b-z]|to be|according|client|customer|competitor|colleague|boss|board"
    r"|they|their|his|her|he|she|nobody"
    r"|ignor\w*|except|far from|optional|for (?:comparison|reference)|last (?:year|month|week|time))\b"
    r"|n't\b|\w's (?=\w)|不(?!好意思)|非(?!常)|没(?!问题|关系)|未|勿|无|别|若|如果|假如|上面|上述|以上|见上|否决"
    r"|客户|对方|他|她|仅供"
)
# A label that says more announces a plan as well where it speaks of one, and nothing denies it, puts it elsewhere, or
# gives it to others.
_OF_PLAN = re.compile(r"\b(?:plan|version|option|proposal|variant|steps|list)\b|计划|方案|版|稿|步骤|清单")
_HERE = re.compile(r"(?:here|below)\b|以下|下面")
_ESTRANGES = re.compile(
    r"\b(?:almost|nearly|hardly|barely|pre|semi|quasi|so-called|supposed\w*|least|less|former\w*|before|after|later|soon"
    r"|tomorrow|will|than|rather|by|alternative|backup|nobody|nothing|none|somebody|someone|others|people|teacher|manager"
    r"|draft|withdr\w*|replac\w*|need\w*|you (?:recommended|preferred|revised|updated|corrected|sent|gave|wrote))\b"
    rf"|\b(?:that|which)\b.*\b{_ADJECTIVE}\b"
    r"|\A\W*(?:here (?:is|are) )?(?:what|why|how|who|whose|which|whether|where)\b(?!.*\blooks? like\b)"
    r"|前的|之前|曾|待|稍后|以后|之后|将(?!计划)|需(?!求)|有人|别人|同事|老板|替代|备选|取代|撤回|废|为什么|为何|如何"
)
_POLITE = re.compile(
    r"(?:(?:i'm |so |very )*sorry|(?:i |my )?apolog\w*|my (?:mistake|bad)|oops|no (?:problem|worries)|thanks|thank you"
    r"|you're right|good (?:catch|point)|of course|sure)\b[^,，:：;；—–()]*[,，:：;；—–]"
)
_FOLLOWS = re.compile(r"(?:so|therefore|hence|thus)\b|因此|所以|于是")
# The same, unless what is in front is a case.
_POINTS_ON = re.compile(r"(?:and )?(?:here (?:is|are|comes)|below)\b|(?:以下|下面)[是为]")
# What sounds like that and is not.
_OWN = re.compile(
    r"\b(?:here|that|it|let)'s\b|\b(?:which replaces|replacing) [\w ]+|\baccording to (?:your|our) \w+"
    r"|\bwithout (?:further ado|(?:the |any |these |those )?(?:errors?|mistakes?|bugs?))"
    r"|\bas (?:discussed|agreed|mentioned|promised|requested)(?: (?:above|before|earlier|previously))?\b"
)
_MARKS = re.compile(r"[^\w\s.,!?;:()'|—–，、。！？；：（）-]|_")
_SENTENCE = re.compile(r"(?<=[.!?;])(?=\s|\Z)|(?<=[。！？；])")
_CLAUSE = re.compile(r"[,，、:：()（）|—–]| - ")
# How a writer begins again; in a title, these words are those of the work to be done.
_AGAIN = re.compile(
    r"\b(?:let me|let's|i'll|i will|i'm going to|i should|i have to) (?:(?!not\b|never\b)\w+ ){0,3}?"
    r"(?:redo|rewrite|rework|redraft|restart|start (?:over|again|fresh)|try (?:this |that |it )?again"
    r"|(?:fix|correct|revise|adjust) (?:this|that|it|the plan))\b"
    r"|\bstarting over\b"
    r"|重新(?:写|来|做|列|整理|规划|制定|给出)|重写|重来"
)
_IN_CASE = re.compile(r"\b(?:if|once|when|unless|until|before|after|later)\b|[?？]|如果|若|等你|等您|之后再|稍后")
_DENIES = re.compile(r"\b(?:not|never|no)\b|n't\b|不|没|无|未|别|勿")
# What is final, or best, and does not only come later than another.
_LAST_WORD = re.compile(
    r"(?i)\bfinal\b|\buse this (?:one|plan)\b|\brecommended\b|\bpreferred\b|最终|定稿|终稿|正式版|为准|推荐"
)
_DRAFTS = (
    r"\b(?:draft|discard(?:ed)?|rejected|old|older|previous|original|outdated|superseded|rough|sample|example"
    r"|first (?:attempt|version|try|pass)|(?<!in your )(?<!in the )(?<!in this )(?<!in that )(?<!planspec )"
    r"(?<!requested )(?<!required )format)\b"
    r"|草稿|初稿|草案|第一版|废弃|作废|旧版|原计划|原版|未采用|示例|样例|(?<!按)(?<!要求的)(?<!合)格式"
)
_DRAFT = re.compile(rf"(?i){_DRAFTS}")
# How a title calls its plan a draft; any other is one of words about the work.
_DRAFT_TITLE = re.compile(
    rf"(?i)(?:\A\W*|[-–—(（:：\[【] ?)(?:the |an? |my |your )?(?:{_DRAFTS})(?: (?:plan|version|one|idea))?"
    r"(?=\W*\Z|[:：)）(（\]】]| [-–—])"
    rf"|(?:{_DRAFTS}) ?(?:plan|version|计划|方案|版)"
)
# What is said of the plan in front of it, and not of the next.
_OF_DRAFT = re.compile(
    r"\b(?:above|instead of|ignores?|misse[sd]|forgets?|forgot|lacks?|leaves|skips?|violates|fails|needs|too \w+"
    r"|problems?|weakness(?:es)?|wrong|gaps?)\b|上面|前面|没有|缺|问题|不足|忽略|漏|太|行不通"
)
_FINAL_CALL, _UNCLEAR_CALL, _DRAFT_CALL = "final", "unclear", "draft"


def choose_plan(plans: Sequence[tuple[str, PlanSpec]]) -> tuple[int, frozenset[int]]:
    """Choose the plan of an answer, as :func:`planspec_lark.planspec.scan.scan_plan` says.

    Args:
        plans: each plan with the text before it, the last line of which is its title.

    Returns:
        Which plan counts, by its number; and those that exclude it where nothing says which of them holds.
    """
    with_steps = [at for at, (_, plan) in enumerate(plans) if plan.steps]
    if len(with_steps) < 2:
        return (with_steps[0] if with_steps else 0), frozenset()
    calls = {at: _call(plans[at][0]) for at in with_steps}
    announced = [at for at in with_steps if calls[at] == _FINAL_CALL]
    if announced:
        return announced[-1], _find_last_words(plans, announced)
    serious = [at for at in with_steps if calls[at] != _DRAFT_CALL] or with_steps
    complete = [at for at in serious if _is_complete(plans[at][1])]
    best = (complete or serious)[-1]

    def is_rival(at: int) -> bool:
        """Whether nothing says that the best one stands above another."""
        if plans[at][1] == plans[best][1]:
            return False
        # What is said of one in words that are not clear may be said against it, or for it.
        if _UNCLEAR_CALL in (calls[at], calls[best]):
            return True
        return at in (complete or serious) or (at in serious and _goes_on(plans[at][1], plans[best][1]))

    return best, frozenset(filter(is_rival, with_steps))


def _find_last_words(plans: Sequence[tuple[str, PlanSpec]], announced: Sequence[int]) -> frozenset[int]:
    """The plans that are announced with the last word, as the last one that is announced is, and are others."""
    best = announced[-1]
    last = [at for at in announced if _LAST_WORD.search(plans[at][0])]
    return frozenset(at for at in last if best in last and plans[at][1] != plans[best][1])


def is_final(lead: str) -> bool:
    """Whether the text before a plan calls it the one that holds."""
    return any(_call_row(row) == _FINAL_CALL for row in lead.split("\n"))


def begins_again(said: str) -> bool:
    """Whether a writer says that he writes a plan again."""
    return any(
        _AGAIN.search(clause) is not None and not _DENIES.search(clause)
        for sentence in _sentences(said)
        if not _IN_CASE.search(sentence)
        for clause in _CLAUSE.split(sentence)
    )


def _call(lead: str) -> str:
    """What the text before a plan calls it; empty where it says nothing of that. What is said last counts."""
    said, _, title = lead.rpartition("\n")
    call = ""
    for row in said.split("\n"):
        call = _call_row(row) or (_FINAL_CALL if begins_again(row) else "") or call
    # A title has the words of the work to be done, too.
    of_title = _call_row(title)
    if of_title == _FINAL_CALL or (of_title and _UNSAYS.search(title.lower())):
        return of_title
    return call or (_DRAFT_CALL if of_title == _DRAFT_CALL and _DRAFT_TITLE.search(title) else "")


def _call_row(row: str) -> str:
    """The same of a line."""
    call = ""
    is_label = row.rstrip("*_ \t\r").endswith((":", "：")) or row.lstrip()[:1] in ("#", "*", "_")
    for said in _sentences(row):
        polite = _POLITE.match(said)
        sentence = _OWN.sub("", said[polite.end() :] if polite and not _FINAL.search(polite[0]) else said).strip()
        final, drafts = _FINAL.search(sentence), [*_DRAFT.finditer(sentence)]
        if final is None and drafts:
            is_of_next = not (_DENIES.search(sentence) or _OF_DRAFT.search(sentence))
            call = _DRAFT_CALL if is_of_next else _UNCLEAR_CALL
        elif final is not None:
            end = _end_of_announcement(sentence, is_label=is_label)
            is_told = end is not None and all(one.start() <= end for one in drafts)
            is_meant = is_told or (not drafts and _is_announced(sentence, said, is_label=is_label))
            call = _FINAL_CALL if is_meant else _UNCLEAR_CALL
    return call


def _end_of_announcement(sentence: str, *, is_label: bool) -> int | None:
    """Where the first clause of a sentence ends that announces the plan behind it, if nothing takes that back."""
    if sentence.endswith(("?", "？")):
        return None
    at = start = 0
    for clause in _CLAUSE.split(sentence):
        bare = clause.strip(" \t\r.!。！;；")
        if _FOLLOWS.match(bare) or (_POINTS_ON.match(bare) and not _IN_CASE.search(sentence, 0, at)):
            # What is in front of it is the reason.
            start = at
        if _ANNOUNCES.fullmatch(bare) and (is_label or not _POINTS.search(bare)):
            return None if _UNSAYS.search(sentence, start) else at + len(clause)
        at += len(clause) + 1
    return None


def _is_announced(sentence: str, said: str, *, is_label: bool) -> bool:
    """Whether a sentence announces the plan behind it in more words, of which none takes that back."""
    is_here = is_label or (_HERE.match(said) is not None and not _OF_DRAFT.search(sentence))
    if not is_here or sentence.endswith(("?", "？")) or not _OF_PLAN.search(sentence):
        return False
    return not (_UNSAYS.search(sentence) or _ESTRANGES.search(sentence))


def _sentences(text: str) -> list[str]:
    """The sentences of a line, in lower case and without marks."""
    bare = _MARKS.sub("", text.replace("’", "'").lower())
    return [said for one in _SENTENCE.split(bare) if (said := one.strip())]


def _goes_on(plan: PlanSpec, other: PlanSpec) -> bool:
    """Whether the steps of one plan may be more of another's."""
    return not {step.step_id for step in plan.steps} & {step.step_id for step in other.steps}


def _is_complete(plan: PlanSpec) -> bool:
    return bool(plan.goal and plan.steps) and not has_errors(check_rules(plan))
