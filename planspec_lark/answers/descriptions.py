"""Sentences that describe: they say how things are, and neither what is to be done nor that something does not hold.

Of the plan itself, a sentence describes if it says what the plan does, in the verbs of talk about plans, and denies,
restricts, puts off, takes back and asks for nothing. Of all other things, it does if it demands nothing
(:mod:`planspec_lark.answers.demands`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from planspec_lark.answers.demands import demands, orders
from planspec_lark.answers.vocabulary import ACTIONS, CHINESE_SIGN, UNSETTLING, VETO, VETO_CHINESE, any_of

__all__ = ["denies", "describes", "has_veto", "is_foreign_draft", "split_words"]

_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:'[^\W\u3400-\u9fff]+)*|[→←=<>|~+]")
_PLAIN_WORD = re.compile(r"\w+")
# All of ASCII that is in no word → a blank.
_NO_WORDS = {code: " " for code in range(128) if _PLAIN_WORD.match(chr(code)) is None}
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_VETO_SIGN = re.compile(rf"n't\b|[{VETO_CHINESE}]")


def has_veto(said: str) -> bool:
    """Whether something is denied, restricted, put off or doubted."""
    # A word such as `read-only` denies nothing.
    said = _HYPHEN.sub("", said) if "-" in said else said
    return _VETO_SIGN.search(said) is not None or not VETO.isdisjoint(split_words(said, _WORD))


def split_words(text: str, word: re.Pattern[str] = _WORD) -> list[str]:
    """The words of a text. Python splits plain ASCII much faster than an expression finds them."""
    return text.translate(_NO_WORDS).split() if text.isascii() else word.findall(text)


# What is asked for, depends on something, is taken back, belongs to something else, or is not all or not the last word;
# besides what has a veto.
_DENIES = any_of(
    f"""{UNSETTLING}
    would might could let's requir* meant remember decid* approval sign yet still open again beforehand afterwards
    just other version versions better shorter anyone someone somebody alone sorry mind remaining stuck reject*
    errors fail* exceed* conflict* outdated sample samples template templates dropp* replac* remov* add added
    moves moved trade delay* stop* off continu* repeat* unlikely limit*
    """,
    r"whether (?:the )?(?:steps?|plan|it|this|that|these|we)",
    r"should(?! (?:give|take|help|be enough|cover|work|get|fit|see|keep|make|leave|attract|last|look))",
    r"until (?:i|you|we)|at most|at the (?:latest|earliest|end of)",
    r"(?:need|have|had|has)s? to|(?:is|are|was|were) to|make sure|in the meantime|option \w+|turned out",
    r"left out|back out|goes (?:to|into|before|after|first|last|on|by|away|out)",
    r"(?:any|some|no)thing else|who else|come to think|that said|change of plans|second thoughts?|more to come",
    r"takes? place|it (?:(?:also|often|really) )?(?:helps|pays|makes sense) to",
    r"ran out|a slip|breaks? (?:the|your|a|one|it)",
    r"(?<!its )(?:first|second|third|last|previous|earlier|old) (?:\w+ )?(?:part|phase|half|idea|plan|draft|answer|year"
    r"|summer|week)",
)
_SIGNS = re.compile(r"->|→|=|[\[\]{}|<>]")
_DENIES_CHINESE = re.compile(
    r"[再先另须必应才等待若请换替停昨删补选审批误]|改(?!动|善|进)|还(?!原)|加(?!油|载|入|快|强)|去年|省略|跳过|颠倒"
    r"|互换|旧|摘自|示例|样例|来自|有效(?=[期至到])|撤销|取代|超出|违反|问题|合并|两遍|暂停|讨论|变了|改变|周[一-日]"
    r"|上[次周月]|附件|正式|需要(?![^，。]{0,6}(?:[0-9一二两三四五六七八九十半几]|[周天月]|小时|分钟|时间))|要|其实"
    r"|算了|稍后|后续|剩|多余|由|负责|放在|最好|作废|顺序|确认|同意|练习|演示|网友|初步|想法|适用|为准|记得|重复|重来"
    r"|推迟|取消|对调|晚一?点|放到|草案|草稿|[=→|<>]"
)
# Words of German, French, Spanish, Italian and Portuguese that English has not. Of what is said in these languages,
# nothing is known but how people wish and offer something.
_FOREIGN = any_of(
    """
    der das und ich ist sind wenn mit dir sie viel le les des pour que vous je j' un une el los las para por muy
    una del espero boa sorte buena bonne il che di uma você dass für avec nous
    """
)
_FOREIGN_WISH = re.compile(
    r"\W*(?:sag\w* (?:mir )?(?:einfach |gerne? )?bescheid|melde dich|lass\w* (?:mich|es mich) wissen|ich hoffe"
    r"|viel (?:erfolg|spaß|glück)|n'hésite[sz]? pas|bonne? \w+\W*\Z|dites?-moi|j'espère|avísa\w*|dime|buena suerte"
    r"|wenn du (?:möchtest|magst|willst)|soll ich\b.*\?|¿(?:quieres|quiere|te gustaría) que|si (?:quieres|lo deseas)"
    r"|voulez-vous que|si (?:tu veux|vous (?:le )?(?:voulez|souhaitez))|espero|boa sorte|fammi sapere"
    r"|buon\w* \w+\W*\Z|me avise)"
)
_FOREIGN_DRAFT = re.compile(
    r"\b(?:borrador|ejemplo|faltan?|entwurf|beispiel|fehl(?:t|en)|brouillon|exemple|manque(?:nt)?|bozza|esempio|rascunho)\b"
)
# What a wish would take out of the plan.
_FOREIGN_CUT = re.compile(r"\b(?:weg|wegl\w+|streich\w*|lösch\w*|elimin\w*|quit\w*|borr\w*|supprim\w*|enlev\w*)\b")
# What denies, obliges or orders in these languages.
_FOREIGN_DEMANDS = re.compile(
    r"\b(?:ensuite|enfin|puis|por último|luego|infine|poi|depois|por fim|zum schluss|danach|anschließend"
    r"|nicht|kein\w*|nur|muss|müssen|müsst|musst|soll\w*|darf|dürfen|bevor|vorher|zuerst|erst|bis|falls|sofern"
    r"|sobald|außer|ohne|statt|noch|zusätzlich|außerdem|anstatt|bitte|brauch\w*|entscheid\w*|prüf\w*|wähl\w*|entwurf"
    r"|beispiel|fehl\w*|später|alternativ\w*|oder|ne|n'\w+|pas|sauf|sans|dois|doit|devez|doivent|faut|avant|d'abord"
    r"|errat\w+|korr(?:ektur|igi)\w*|berichtig\w*|ersetz\w*|remplac\w*|corrig\w*|confirm[ae]r\w*|ree?mplaz\w*|sustitu\w*"
    r"|l[ée]ase|verworfen|weggelassen|abgesagt|überholt|veraltet|annul\w*|cancelad\w*|descartad\w*|jusqu\w*|seulement"
    r"|uniquement|jamais|interdit\w*|manqu\w*|brouillon|exemple|plus tard|ou|sin|no|debe\w*|deben"
    r"|hay que|tiene que|antes|primero|hasta|solo|sólo|nunca|falta\w*|borrador|ejemplo|después|o)\b"
    r"|\A\W*(?:\w+(?:ez|en sie)\b|[a-zäöü]+t? bitte)"
)
_COMES = any_of(
    "was were will forbidden prohibited banned allowed invented also",
    "(?:has|have) been|going to|to be|made up|from an?|you can|needs|lacks|misses",
)
# The plan or a part of it as the subject of a verb.
_OF_PLAN = re.compile(
    r"\W*(?:(?:and|so|also|overall|in (?:short|summary|total|this plan|the plan)|as a result|as you can see),? )*"
    r"(?:(?:this|the|that|your|my|each|every|all|both|these|whole|entire|above|first|last|\w+ing|\w+ed|two|three|four"
    r"|five|six|seven|eight|[0-9]+) )*(?!an? |another )(?:(?!(?:if|when|once|while|before|after|in|case)\b)\w+ ){0,2}?"
    r"(?:plan|order|approach|structure|sequence|schedule|steps?(?: [0-9.]+(?:(?:,| and| to|[-–]) ?[0-9.]+)*)?|phases?"
    r"|this|it) (?:(?:also|first|then|each|all|always|already|usually|often|mostly|probably|should|will"
    r"|can) )*(?P<verb>[a-z-]+)\b"
)
# What may speak of the plan or of a part of it.
_NAMES_PLAN = any_of(
    "plan plans step steps goal goals constraint constraints command commands serious*",
    r"(?:first|second|third|last)(?:(?=\W*\Z)| (?:one|item|line|half|part))|numbers of|the two|the agent",
)
_POINTS_AT_PLAN = re.compile(
    r"\W*(?:(?:and|but|so|also|in fact),? )*(?:only|this|these|it(?! (?:is|'s) (?:normal|common|usual))|everything"
    r"|nothing of|none of|either|the rest|better|someone else|my|i)\b"
)
_SPEAKS_OF_PLAN_CHINESE = re.compile(
    r"计划|方案|步(?!行)|以上(?!的)|上[面述]|顺序|这[一个]?版|版本|清单|目标|约束|这些|流程(?=.*[是给])"
)
# Verbs that say where a thing stands, whether it holds or what it waits for.
_STANDING = """
    is was has does comes goes ends starts begins stays holds applies counts depends requires needs expires awaits waits
    falls becomes happens changes lists tells says reads takes stands lies means ceases trails go come end start
    came need depend move be show describe stay know see read write stems dates
"""
_STANDS = frozenset(_STANDING.split())
_MOVES = frozenset(["goes", "starts", "begins", "ends", "moves"])
# What a step is like, and not who does it, where it is, or what becomes of it.
_IS = frozenset(["is", "are", "comes", "come", "takes", "take"])
_DIVIDED = re.compile(r" (?:divided|split|organi[sz]ed|structured|ordered|grouped|broken|kept|laid|limited)\b")
# How a plan goes on from one thing to another.
_FLOWS = re.compile(r" (?:from|through|on to)\b| with (?!steps? )")
_SITS = re.compile(
    r"'| (?:being|on|from|by|to|with|at|in|up|off|next|now|last|behind|before|after|left|\w+'s|\w+ed)\b|\W*\Z"
)
_VERBS = frozenset(ACTIONS.split()) - _STANDS
_STATES_CHINESE = re.compile(
    r"\W*(?:以上|上述|上面|整[个套份]|该|本|这|此|全程|其中|计划|方案|预计|总|共|每(?!.*遍)|各"
    r"|[两二三四五六七八九十0-9]|第.{1,3}步(?=.*(?:同时|并行|互|依赖|耗时|约|预计|避免|确保|保证|因为|是为了|用于"
    r"|得到|产出|提供))|我(?:已|把|将|按|根据)?|您|你)"
)
_HARMLESS_CHINESE = re.compile(r"互不[\u3400-\u9fff]{2}|不?影响|不会(?:有|丢失|中断)|无需|即使[^，]*，")
# Why something is as it is.
_REASON_CHINESE = re.compile(r"因为|因此|所以|以便|避免|是为了|这样|即使|方便")
# How things stand at the moment.
_NOW_CHINESE = re.compile(
    r"\W*(?:步骤 ?[0-9.]+|第.{1,3}步)[^，]*(?:正在进行|阻塞|受阻)\W*\Z"
    r"|\W*(?:目前|当前)(?=.*(?:正在|进行|完成|阻塞|受阻|进度))(?!.*(?:[不没未别改消停论]|审批|批准))"
)


def is_foreign_draft(said: str) -> bool:
    """Whether a sentence in another language calls something a draft or a sample, or says that something is missing."""
    return _FOREIGN_DRAFT.search(said) is not None


def denies(said: str, is_own: Callable[[str], bool] = lambda _word: False) -> bool:
    """Whether something is denied, restricted, put off, taken back, made dependent or asked for."""
    if has_veto(said):
        return True
    if CHINESE_SIGN.search(said):
        return _DENIES_CHINESE.search(said) is not None
    return _SIGNS.search(said) is not None or any(not is_own(match[0]) for match in _DENIES.finditer(said))


def describes(said: str, told: str, is_own: Callable[[str], bool], *, is_of_plan: bool = False) -> bool:
    """Whether a sentence describes.

    Args:
        said: the sentence, in small letters.
        told: the same without the phrases that change nothing.
        is_own: whether a word is one of what the plan is about.
        is_of_plan: whether it speaks of the plan, whatever its words are.
    """
    said, told = " ".join(said.split()), " ".join(told.split())
    if said.endswith((":", "：")):
        return False
    if CHINESE_SIGN.search(said):
        is_of_plan = is_of_plan or _SPEAKS_OF_PLAN_CHINESE.search(said) is not None
        return _is_stated_in_chinese(told) if is_of_plan else not demands(told, is_own)
    if _FOREIGN.search(said) or _FOREIGN_WISH.match(said):
        is_free = _FOREIGN_WISH.match(said) is not None or _FOREIGN_DEMANDS.search(said) is None
        return is_free and _FOREIGN_CUT.search(said) is None
    if is_of_plan or _OF_PLAN.match(told):
        is_order = ", so " in told and orders(told)
        return _says_what_it_does(told) and not (is_order or denies(told.replace(" but ", " "), is_own))
    return not (demands(said, is_own) or _may_be_of_plan(said, told, is_own))


def _may_be_of_plan(said: str, told: str, is_own: Callable[[str], bool]) -> bool:
    """Whether a sentence that demands nothing denies something which may be the plan or a part of it."""
    if _NAMES_PLAN.search(said):
        return denies(told.replace(" but ", " "), is_own) or _COMES.search(said) is not None or orders(told)
    return _POINTS_AT_PLAN.match(said) is not None and has_veto(told.replace(" but ", " "))


def _says_what_it_does(told: str) -> bool:
    """Whether the plan is the subject of a sentence, and its verb none of where it stands or whether it holds."""
    subject = _OF_PLAN.match(told)
    verb = subject["verb"] if subject else ""
    if subject and verb in _IS:
        behind = subject.end()
        return _DIVIDED.match(told, behind) is not None or ("step" in subject[0] and _SITS.match(told, behind) is None)
    if verb in _MOVES and subject:
        return _FLOWS.match(told, subject.end()) is not None
    return verb in _VERBS or (verb.endswith("s") and verb not in _STANDS)


def _is_stated_in_chinese(told: str) -> bool:
    told = _HARMLESS_CHINESE.sub("", told)
    is_stated = (_STATES_CHINESE.match(told) or not demands(told, lambda _word: False)) and not denies(told)
    is_reason = _REASON_CHINESE.search(told) is not None and not (has_veto(told) or demands(told, lambda _word: False))
    return bool(is_stated or is_reason) or _NOW_CHINESE.match(told) is not None
