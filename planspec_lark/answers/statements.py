"""What a sentence around a plan does: it greets, announces, asks, offers or explains, or it may change the plan.

The words for what may be meant otherwise have no end. So it is the other way round: a sentence that speaks of the plan
is harmless where it has a form that is known to say nothing new. All others may change what the plan means. A form that
is missing here costs a review, and no wrong plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from planspec_lark.planspec.answer_lines import is_notes, read_heading
from planspec_lark.planspec.corrections import SPACES

__all__ = [
    "changes_plan",
    "heads_more",
    "labels_more",
    "leads_elsewhere",
    "puts_off",
    "says_nothing_new",
    "sentences",
    "speaks_of_plan",
    "verbs_of",
]

# Characters of a sentence that is looked at in one piece.
_LONGEST = 500
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’*_)]*\s+|(?<=[。！？])|\s*[;；]\s*")
# A line that begins something of its own, and goes on with nothing.
_BEGINS = re.compile(r"[-*+•·>#|`]|[0-9]+[.)、]|[(（【\[]")
_CLAUSE_END = re.compile(r",? but |, (?:so|yet|and|otherwise|though|although) |\s[—–-]+\s|——|，|、而")
_CONTRACTED = re.compile(r"(?<=\w)['’](s|re)(?= \w)")
_NEVER = re.compile(r"(?!)")
_OF_STEPS = re.compile(r"\b(?:plans?|steps?)\b|计划|方案|步")
_FRONT_MATTER = re.compile(r"\A---\r?\n(?:[\w -]*:.*\n)*---")
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
            or line.startswith("<!--")
            or (aside and _BEGINS.match(line) and not aside.search(line.lower()))
        ):
            rows.append("")
        elif rows and 0 < len(rows[-1]) < _LONGEST and not _BEGINS.match(line) and rows[-1][-1] not in ".!?:。！？：":
            rows[-1] += f" {line}"
        else:
            rows.append(line)
        if line and (read_heading(line) or not _BEGINS.match(line)):
            # What is listed below an offer is offered, too; below notes, what does not speak of the plan by that word.
            is_offer = line[-1] in ":：" and _OFFERS.search(line.lower()) is not None
            aside = _NEVER if is_offer else _OF_STEPS if is_notes(line.strip("#* ")) else None
    found = (part.strip(_MARKS).lower() for row in rows for part in _SENTENCE_END.split(row))
    return [said[at : at + _LONGEST] for said in found for at in range(0, len(said), _LONGEST)]


# ---------------------------------------------------------------- what a sentence speaks of

_OF_PLAN = re.compile(
    r"\b(?:plans?|planning|steps?|drafts?|versions?|above|below|following|follows|goals?|constraints?|proposal"
    r"|variant"
    r"|(?:the|this|that|these|those|my|your|whole|entire|old|last|first|second|next|each|every|one|wrong|of) "
    r"(?:\w+ )?(?:list|order|sequence|items?|points?|lines?|numbers?|numbering|answer|reply|approach|two|thing"
    r"|rest|other|beginning|end|top|bottom)"
    r"|the (?:first|second|third|fourth|fifth|last|former|latter|next) of|the (?:former|latter)"
    r")\b|\bs/\w+/\w"
    r"|计划|方案|步骤|[0-9一二两三四五六七八九十几每各]步|草案|草稿|初稿|终稿|版|顺序|[这此该本的]清单|环节"
    r"|以上|上述|上面|以下|下面|后面"
    r"|前面|剩下|目标|约束",
)
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|its|they|them|here|everything|nothing|none|all|any|what)\b|这|那|此|其",
)

# ---------------------------------------------------------------- forms that say nothing new

_ASKS = re.compile(r"[?？]\W*\Z|吗|呢\W*\Z|是否")
# What is offered to who reads it, or left to him.
_OFFERS = re.compile(
    r"\b(?:let me know|tell me|feel free|just (?:ask|say|reply)|happy to|glad to|at your disposal|don['’]t hesitate"
    r"|(?:if|should|when|whenever|as) you(?:['’]d)? (?:\w+ )?(?:need|want|wish|like|prefer|have|require|are ready)"
    r"|(?:if|should) (?:any|some|something|there|that)\b.* (?:unclear|questions?|missing|help|changes?|adjust\w*)"
    r"|i (?:can|could)(?! ?not|n['’]t)\b|i['’]d be\b|i['’](?:ll|d) be|would you like|do you want|you (?:can|may"
    r"|could) (?:also |now |then )?"
    r"(?:\w+ ){0,2}(?:follow|use|copy|paste|run|start|execute|mark|track|adapt|adjust|change|tick|save|see|find|go"
    r"|relax|ask)\w*)\b"
    r"|如需|如果?[您你]|如有|若[您你有需]|需要的?话|请?告诉我|随时|欢迎|请指正|请查收|过目|我.{0,4}可以"
    r"|[您你]可以|可以?参考|(?<!也)可以?直接|请确认|状态|如果(?:要|需要|想|还)|(?<!仅)供(?:您|你)?参考",
)
_WISHES = re.compile(
    r"\W*(?:(?:i )?hope\b|good luck|best of luck|enjoy|have (?:a|fun)|stay |take (?:your time|care)|thanks?|happy |"
    r"great|congrat|safe |cheers|ready when|that['’]s (?:it|all)|well done|(?:the )?end(?: of (?:the )?(?:plan"
    r"|answer))?\W*\Z)|.{0,3}(?:祝|希望|愿|加油|谢谢|感谢)",
)
# What leads to a plan.
_ANNOUNCES = re.compile(
    r"\b(?:here(?:['’]s| is| are| you (?:go|are|have)| (?:it|they) (?:is|are)| we go)|there you (?:go|are)"
    r"|(?:is|are|you will find|you['’]ll find) below"
    r"|(?:below|following|this|these|that|so) (?:\w+ )?(?:is|are|you)|as follows|(?:follow|use) (?:these|the) steps"
    r"|i(?:['’]d| would| will|['’]ll)? ?(?:also )?(?:recommend|suggest|propose|advise|proceed|go|do|plan|create"
    r"|make|put|give)"
    r"|i need to|let(?:['’]s| me)|we(?:['’]ll| will)|that is the plan|please (?:find|see)|copy this|as a plan)\b"
    r"|如下|以下(?:是|为)|下面(?:是|为|给出|的)|这是|就是|见下|[为给帮][您你]|根据|按照?|基于|推荐|建议|整理"
    r"|制定|给出|输出"
    r"|\b(?:the|my|your) plan (?:is|for|has|looks)\b|\b(?:things|remarks|tips|notes|reasons)\b|\b(?:once more"
    r"|with everything|to copy|in full"
    r"|copy|paste|roughly|status|as of (?:this|today|now))\b"
    r"|\bin (?:\w+ )?steps\b|首先|然后|接着|完整|原因|内容|已生成|来了|当前|状态|进度"
    r"|[一几]些?(?:点|说明)|尽量"
    r"|计划[：:]?\Z|供(?:您|你)?参考|\A\W*(?:so|well|sure|ok(?:ay)?|alright|certainly|of course|done)\W*\Z",
)
# How a label or a heading names a plan, with no more than an adjective or two, and what it is for.
_NAMES = re.compile(
    r"\W*(?:(?:the|a|an|your|my|our|this|complete|full|final|finalized|new|updated|revised|corrected|improved"
    r"|short|brief"
    r"|detailed|simple|quick|structured|proposed|suggested|recommended|action|step[- ]by[- ]step|phased|draft"
    r"|\w+[- ]step"
    r"|answer|solution|output|planspec|project|question|make)[ (-]{1,3}(?=\w))*+"
    r"(?:plan|planspec|steps|answer|output|version|result|solution|overview|constraints|goal|tips|notes|changes)\b"
    r"(?:[ ,]+(?:for|in|to|of|with|without any|on|that|which|you)\b.*|\W*(?:\(.*\))?)\W*\Z",
)
# What somebody tells of his own work on the plan.
_TOLD = re.compile(
    r"\b(?:i|we)(?:['’]ve| have|['’]d)? (?:(?:also|then|already|just|deliberately|now|carefully|briefly) )*"
    r"(?!(?:doubt|want|intend|need|decid|reject|discard|abandon|omitt|miss|overlook|hop|plan)\w*)"
    r"(?:\w+ed|kept|put|made|chose|chosen|left|split|broke|broken|took|taken|gave|given|built|wrote|written|set"
    r"|cut|drew"
    r"|laid|did|done|went|found|thought|tried|add|hope|think|treat|use)\b"
    r"|(?:[我已]).{0,12}(?:改|调|加|补|删|更新|分|拆|整理|标|考虑|合并|完成|写|放|根据|按|制定|去掉|移|重写"
    r"|确认|核对)",
)
# What is true of a plan and of its steps as they stand.
_SUBJECT = (
    r"(?:\b(?:plan|this|that|it|these|those|they|everything|nothing else|thing|steps?|version|list|order"
    r"|sequence|approach|goal|constraints?|above|below|item|one|two|which|that|both"
    r"|[0-9]+)\b(?: (?:[0-9]+|and|to|or|–|of|all|both|each|also|together|above|below|now|already|here|in step))*+)"
)
_VERBS = (
    r"(?:covers?|contains?|ha(?:s|ve)(?! (?:\w+ed|been|become|to|had)\b)|consists?|includes?|follows?|keeps?"
    r"|stays?|takes?|uses?|needs?|produces?|creates?"
    r"|gives?|gets?|ensures?|makes?|respects?|considers?|accounts?|depends? on|relies|rely|builds?|starts? with"
    r"|begins? with|ends? with|comes? (?:first|last|from)|runs?|works?|leads? to|gathers?|treats?|helps?"
    r"|allows?|lets?"
    r"|brings?|shows?|describes?|splits?|lasts?|holds?|meets?|matche?s?|fits?|aims?|focus\w*|provides?"
    r"|prevents?|avoids?"
    r"|reduces?|protects?|became|costs?|checks?|handles?|assigns?|combines?|leaves?|separates?|fulfil\w*"
    r"|satisf\w+|complies|conforms|adheres?|results? in|does(?! not|n)|suits?)"
)
_PREDICATES = (
    r"(?:pending|done|ready|complete|finished|short|simple|easy|ordered|designed|based|written|structured|split"
    r"|grouped"
    r"|kept|made|laid out|new|running|in progress|active|blocked|numbered|listed|marked|independent|sequential"
    r"|self-contained|possible|straightforward|manageable|critical|important|sufficient|enough|about|sized"
    r"|arranged|built"
    r"|given|intended|meant to|there to|where|what|how|why|in the (?:order|format)|under way|up to you|connected|used"
    r"|(?:an? |the )?(?:reason|act|decide|subtask|decision|action|simple|single|short|only one|first one|last one"
    r"|long\w*|hard\w*|most|main|key|one (?:that|which)|plan|third|quarter|most)\b|already|of type|local"
    r"|required|needed|here|there|your|part of|advice|professional|legal|quite|really|very|also|not part"
    r"|simple actions|all)\b"
)
_STATES = re.compile(
    rf"{_SUBJECT} (?:{_VERBS}\b|(?:is|are|was|were|will be|can be)(?: \w+ly| now| already| all| fully)? {_PREDICATES}"
    r"|can run in parallel|can be (?:marked|run|done in|executed|started|copied|pasted|tracked|checked|followed)"
    r"|should (?:work|be doable|take|give|get)|(?:will|['’]ll|would) (?:take|help|get|give|ensure|make|need|let"
    r"|keep|work|be|do(?![.!]?\Z))\b)"
    r"|\A(?:by|with|using|through|in|after|following|once you['’]ve) (?:\w+ )*(?:plan|steps?|approach|format)\b"
    r"|\bthere (?:is|are) (?:no|\w+) (?:dependenc|branch|loop|steps? in)"
    r"|\A(?:why\b|\w+ steps?, about|summary|total|overview|you(?:['’]ll| will) find|共|这样|这就是|这是)"
    r"|就是.{0,6}计划|输出|完毕|简单"
    r"|\b(?:take|are enough|is enough)\b|因为|已经?考虑|取决于|步.{0,6}(?:需要|大约|耗时|约|用时|依赖|使用|产出"
    r"|可以同时|可以并行|完成后|是|共|最|即可)"
    r"|(?:计划|方案|步骤|步|版本?|以上|本)[^，]{0,20}(?:共|包括|包含|分|大约|预计|耗时|确保|保证|避免|遵循|考虑"
    r"|符合|兼顾|采用|覆盖|是"
    r"|就是|为|由|比较|适合|可以帮助|能帮|合起来|内容可以|即可|(?<!也)可以?直接)"
    r"|按(?:照)?(?:以上|上述|此).{0,8}(?:即可|就行|执行)|跟着.{0,8}(?:就行|即可)|每步|分.{0,3}步"
    r"|第.{1,2}步.{0,4}(?:新|已)",
)
# ---------------------------------------------------------------- what such a form must not have

# What is left out of account: it denies nothing of the plan.
_IDLE = re.compile(
    r"\bnot only\b|\bdon['’]t (?:worry|hesitate|forget|panic)\b|\b(?:no|without) (?:dependenc\w+|branch\w*"
    r"|loops?|extra"
    r"|problem|changes?)\b|\bnothing (?:is|gets|was) (?:forgotten|lost|missed|overlooked)\b|\bthe only one\b"
    r"|\A(?:once|when|after) (?:both |all )?(?:the )?steps?(?: [0-9]+)? (?:is|are) (?:done|complete\w*"
    r"|finished)|\bthe one that\b.*|\bnothing else\b|\bneed to (?:give|create|write|make)\b"
    r"|\bi(?: would|['’]d) (?:do|go|suggest|recommend|propose|proceed|approach|tackle|start)\b|\bwhat (?:has|is"
    r"|needs)\b.*"
    r"|\b(?:not|n['’]t) (?:be )?(?:skip|forget|forgotten|miss|overlook|lose|lost)\w*\b"
    r"|\bno steps were changed except\b|\bshould (?:work|be doable|take|give|get)\b|\bonly \w+ (?:steps"
    r"|parts)\W*\Z|\beach other\b|\b(?:so that|because|since|in order to)\b.*"
    r"|\b(?:that|which) (?:respects?|keeps?|works?|fits?|you|gets?|can)\b.*|(?:\bnot|n['’]t) (?:\w+ )?advice\b"
    r"|因为.*|没问题|不复杂|不难|不遗漏|别担心|话不多说|无需|不用担心|不会|避免|以免|未来|以便|不仅|不错"
    r"|没有(?:依赖|分支|冲突|遗漏)|直接|最终|已删除|已去掉"
    r"|[^，]*您不|待办|不变",
)
# What denies, restricts, puts off, sets conditions, or compares with what could be instead.
_VETO = re.compile(
    r"\b(?:not|cannot|never|nothing|nobody|none|neither|nor|only|just|except|unless|until|instead|rather"
    r"|otherwise|yet|still"
    r"|if|in case|once|should|must|might|may|would|could|ought|shall|needs? (?:to|a|an|some|more)|ha[sd] to"
    r"|have to|too|wrong|lacks?|missing|again|twice|later|tomorrow|yesterday|before|after all|first few"
    r"|(?:first|second) half|half of|part|beginning"
    r"|optional|assume|suppos\w+|perhaps|maybe|likely|unlikely|no|un(?!i|der|til)\w+|in\w*complete|pre\w*liminary"
    r"|tentative|rough|drafts?(?! plan)|decided against|to you|yourself|last (?:year|week|month|time|summer"
    r"|winter|spring|autumn)|other|another|different|sorry|placeholder|template|several|variant)\b"
    r"|n['’]t\b"
    r"|[不没未别勿无非只仅暂待若假还换删漏缺错反乱多另]|改(?![后进善造])|(?<!首)先(?!生)|除[非了]|再(?!见)|如果"
    r"|可能|大概|似乎|也许|应[该当]|必须|(?<![需主您你])要(?!求)"
    r"|之前|之后|以后|去年|上周|昨天|明天|稍后|别人|备选|前半|后半|差",
)
# What puts the plan off or takes it back, whatever the sentence speaks of.
_STOPS = re.compile(
    r"(?:\bnot|n['’]t)\b.{0,40}\b(?:yet|approved|final|until|settled|signed|before|confirmed|ready|literally)\b"
    r"|\b(?:await|hold (?:off|on|until|it|this|back)|pending (?:\w+ )?(?:approval|review|confirmation))\b"
    r"|\bwait (?:for|until|till)\b|\b(?:to be|still be|being) (?:completed|added|filled|determined|continued"
    r"|discussed|reviewed|approved|confirmed|decided|settled)\b"
    r"|\byet to\b|\buntil (?:i|we|he|she|they|the|further|you)\b|\b(?:after all|second thoughts?|grain of salt"
    r"|on reflection)\b"
    r"|\b(?:only|merely|purely) (?:as|for|an?)\b|\bun(?:likely|clear|certain) (?:that|whether|if)\b"
    r"|(?:\bnot|n['’]t|\bnever) (?:\w+ ){0,2}(?:do|run|use|follow|execute|apply|try)"
    r" (?:this|it|that|them|these|any|the (?:above|following|plan|steps))\b"
    r"|\bwork in progress\b|\bstill working\b"
    r"|\bno, (?:wait|not)\b|\bwait\W*\Z|\b(?:was|is) (?:a |my )?mistake\b|\bby mistake\b|\bown risk\b|\bunverified\b"
    r"|\b(?:would|might|may|could) (?:be |have been )?(?:better|best|preferable|wiser|safer|easier|cheaper|quicker)\b"
    r"|最好|不如|更好|不[^，。不]{1,3}了(?!解)|算了|未经|前，?(?:请|必须|须|先)"
    r"|\bbefore (?:i|we|anyone|anybody|anything) \w+|\bcome to think\b|\bsorry, (?:that|this|it|wrong|the)\b"
    r"|\bmy (?:bad|mistake)\b"
    r"|\b(?:hypothetical\w*|fiction\w*|joke|straw man|placeholder|tentative\w*|preliminar\w+|provisional\w*"
    r"|unfinished"
    r"|wip|tbd|tbc|for (?:illustration|reference|inspiration)|thinking out loud|in theory)\b"
    r"|尚未|还没|还未|未(?:定|批|审|完|获)|暂(?:时)?(?:不|别|缓)|先(?:别|不要|不)|待(?:定|审|批|确认)"
    r"|等.{0,8}(?:再|后|通知|确认|批准|点头|同意)|(?:批准|通过|同意|确认).{0,3}(?:后|以后|之后)才?|写错|搞错"
    r"|就?不必|不用(?!担心|客气)"
    r"|(?<!我)也可以?(?!以?告诉)|省去|就算了|就(?:别|不(?!会|用担)|改|换)|假设|仅作|当真|演示|可以?省|(?:这"
    r"|以上|上面).{0,4}(?:去年|上周|昨天|上次|别人|以前)",
)
# An order that is given of something it points at.
_ORDERS = re.compile(
    r"(?:please )?(?!(?:hope|copy|paste|save|enjoy|is|does|did|do|are|was|has|have|can|could|would|should|will"
    r"|with|by|for"
    r"|in|to|of|on|from|after|all|and|so|because|since|as|like|let|doing|following|love|hoping|that|see|thus"
    r"|both|about"
    r"|at|through|under|within|until)\b)[a-z]{3,} (?:it|this|that|them|these|those|everything)\b",
)
# A sentence that begins with what it points at.
_POINTS_FIRST = re.compile(
    r"(?:\w+[,:] )?(?:this|that|it|these|those|they|everything|nothing|none|neither|either|only|all of|one of|some of"
    r"|most of)\b|这|那|此",
)
# Something is to be done, as a sentence in the indicative says it.
_OBLIGES = re.compile(
    r"(?<!\bi )(?<!\bi'd )\b(?:must|has to|have to|had to|needs to|need to|ought to)\b(?! know\b)|(?:必须|务必"
    r"|需要?补)"
    r"|(?:\bnot|n['’]t|\bno longer) (?:really |be )?(?:needed|necessary|required)\b",
)
# Something is to be done, as an order says it: a verb, and what it is done to.
_NO_VERBS = (
    r"the|an?|this|that|these|those|it|its|i|you|we|they|he|she|there|here|each|every|both|all|some|most|no|not"
    r"|any|one|two"
    r"|in|on|at|by|for|with|from|to|of|as|if|when|once|while|since|because|although|though|but|and|or|so|nor|my"
    r"|your|our"
    r"|his|her|their|until|before|after|during|within|under|over|through|about|between|into|is|are|was|were|has"
    r"|have|had"
    r"|can|could|will|would|may|might|do|does|did|be|been|than|also|only|just|then|now|such|even|what|which|who"
    r"|how|why"
    r"|where|hope|thanks?|enjoy|mind|let|copy|paste|good|best|congratulations|save|given|like|unlike|despite"
    r"|per|via|plus|besides|see|love|got|made|kept|took|gave|put"
)
_COMMANDS = re.compile(
    rf"(?:\A|[,:] |\A(?:please|kindly|and|also|then|just|always|ps|note)[:,]? )(?!(?:{_NO_VERBS})\b|take your time)"
    r"(?!\w*(?:ing|ed|ly|[^s]s)\b)[a-z]{2,12} "
    r"(?:the|an?|your|my|our|his|her|it|them|this|that|these|everything|whatever|one|another|some|all|both|either)\b"
    r"|\A(?!reply|say|type|write)[a-z]+ [\"“`][^\"”`]+[\"”`] (?:with|by|to|from|for)\b"
    r"|\A先[^，]{1,8}[再，]|\A(?:请把|把(?!.*因为))|请(?!告|查|放心|随时|确认|参考|问|原谅|注意|看|见|知"
    r"|您?过目|指正|回复|稍|教|联系|继续)",
)
# A prohibition, whatever it forbids.
_PROHIBITS = re.compile(
    r"\W*(?:please |just |and |also )*(?:do not|don['’]t|never|let['’]s not)\b(?! (?:worry|hesitate|forget"
    r"|panic|give up|be "
    r"|rush|get |mind|let ))|\W*请?(?:千万|先)?(?:不要|别|勿|切勿|请勿)(?!担心|客气|着急|忘|急)",
)
# One more thing to be done, whatever it is.
_ADDS = re.compile(
    r"\b(?:you|we|one|somebody|someone|there|it|they)(?:['’]ll)? (?:(?:still|also|must|will|would|then) )*"
    r"(?:still|also|additionally|must also)\b.{0,20}\b(?:needs?|have|has|must|should|book|add|buy|get|do)\b"
    r"|\b(?:must|should|needs? to|have to|has to) also\b|\bmore to come\b|\bdon['’]t forget (?:to|that)\b|记得"
    r"|别忘|\bleft to (?:add|do)\b"
    r"|\b(?:in between|between the two)\b"
    r"|\b(?:as well|in addition)\W*\Z(?<=.{12})|(?:还|另外|此外).{0,6}(?:要|需|得|差|加|有几|有两|应)|(?:只"
    r"|仅).{0,8}(?:够|就行|即可)",
)
# What is said of doing a thing that is a step: whether, when, how often.
_OF_DOING = re.compile(
    r"\b(?:not|never|should|must|can wait|could|might|may|would|before|after|until|first|later|instead|rather"
    r"|only|un\w+ary"
    r"|pointless|second thoughts|belongs|twice|again|longer|skip\w*|drop\w*|postpone\w*|cancel\w*|replace\w*)\b"
    r"|n['’]t\b"
    r"|[不没别只先再改换]|[之以][前后]",
)
# What is a sentence, and no line of any notation.
_SENTENCE = re.compile(r"[\w\"'(][^|{}<>\[\]=→@\\]{8,}[.!:。！：]")
# How a sentence ends, with marks around it or not; such a line is no heading.
_ENDS = tuple(f"{sign}{marks}" for sign in ".!?。！？" for marks in ("", "*", "**", "_", "__"))
_LABEL = re.compile(r"([a-z]{3,}(?: [a-z]{3,})?): \S|([\u4e00-\u9fff]{2,6})：(?=.)")
# Labels and headings of what is no part of a plan.
_ASIDE = re.compile(
    r"\b(?:notes?|tips?|hints?|remarks?|risks?|why|explanations?|rationale|reasons?|reasoning|overview|summary"
    r"|context"
    r"|background|questions?|answers?|result|output|plan|task|topic|title|subject|date|version|format|language"
    r"|legend|key|user"
    r"|assistant|request|changes|changed|status|author|sources?|references?|links?|disclaimer|here|sure|okay"
    r"|hello|dear)\b"
    r"|说明|提示|贴士|备注|注意|风险|原因|为什么|解释|问|答|总结|小结|计划|方案|图例|任务|背景|主题|标题|日期"
    r"|版本|格式|来源|参考"
    r"|状态|进度|结果|修改|变更|好的|您好|你好",
)
_LEGEND = re.compile(r"\W*(?:legend|key|图例|.{2}说明)\W*[:：]")
_TIP = re.compile(r"\W*(?:tips?|hints?)\b|小贴士|提示")
# What is only to be done in some case.
_IN_A_CASE = re.compile(
    r"(?!.*(?:\b(?:can|may|could)\b|可以))\W*(?:(?:if|unless|in case|whether)\b|如果|若是|假如|要是|一旦|除非)"
)
# What has become of another plan.
_OF_OTHER = re.compile(
    r"\b(?:earlier|previous|old|older|first|original|other) (?:plans?|drafts?|versions?|ideas?|steps? [0-9]+) "
    r"(?:was|were|had|did|became)\b|(?:初稿|旧版|原计划|原方案)因",
)
# What leads to something else than the plan that holds: to another case, another author, a part.
_OTHER_CASE = re.compile(
    r"\A\W*(?:suppos\w+|assum\w+|imagin\w+|if|unless|once(?! more| again)|in case|in the (?:worst|best|ideal)"
    r"|should|when|before|(?:plan|option|variant|version"
    r"|alternative|choice|proposal) [a-z0-9]\b|from the|what (?!follows|you need|you asked|i (?:suggest"
    r"|recommend|propose|would|['’]d)|has)"
    r"|(?:an? |the |one )(?:\w+ ){0,2}(?:approach|way|possibility|idea|attempt|alternative|example|sample|template)"
    r"|(?:the|an?) \w+(?:['’]s|s['’]) |(?:the|an?) (?:first|second|last) (?:few|half|part)|something like"
    r"|something)\b"
    r"|\b(?:one of (?:several|many|the)|someone else|what (?!i\b|you\b|we\b)\w+ (?:proposed|suggested|wrote)"
    r"|(?:they|he|she) (?:did|had|has|have|made|used|wrote|proposed|suggested)"
    r"|template|should never|would fail|(?:my|our|some) (?:\w+ )?(?:thoughts|ideas|notes)|had (?:this )?in mind"
    r"|so far)\b"
    r"|用户.{0,4}的(?:计划|方案|版本|草稿)|\A(?:如果|若|假|万一|一旦|要是)|(?:才(?:执行|做|用|能)|别人|他人"
    r"|去年|上周|上次|以前|昨天|备选|反面|大概"
    r"|一部分|前半|后半|部分[：:]?\Z|可以这样)",
)


def changes_plan(said: str, verbs: Iterable[str] = ()) -> bool:
    """Whether a sentence beside a plan may change what the plan means.

    Args:
        said: one sentence, as :func:`sentences` has it.
        verbs: how the plan's steps begin, as :func:`verbs_of` has it.
    """
    if _ASKS.search(said) or _OFFERS.search(said):
        return _PROHIBITS.match(said) is not None and _POINTS.search(said) is not None
    idle = _IDLE.sub(" ", said)
    is_order = any(form.match(said) for form in (_PROHIBITS, _ORDERS, _IN_A_CASE)) or _COMMANDS.search(said)
    if is_order or _STOPS.search(said) or _ADDS.search(said) or _OBLIGES.search(idle):
        return True
    if _WISHES.match(said) or _OF_OTHER.search(said):
        return False
    is_told = _TOLD.search(said) or _TIP.match(said)
    if not is_told and (_begins_with_one(said, verbs) or (_OF_DOING.search(idle) and _names_one(said, verbs))):
        return True
    if not _is_of_plan(said):
        return False
    return not _is_known(said) or any(_is_vetoed(part) for part in _CLAUSE_END.split(said) if _is_of_plan(part))


def _is_of_plan(said: str) -> bool:
    """Whether a sentence speaks of a plan, or begins with what points at it."""
    return _OF_PLAN.search(said) is not None or _POINTS_FIRST.match(said) is not None


def _is_known(said: str, *, is_lead: bool = False) -> bool:
    """Whether a sentence has a form that says nothing new of a plan."""
    is_lead = is_lead or said.endswith((":", "："))
    forms = (_ANNOUNCES, _TOLD, _STATES) if is_lead else (_TOLD, _STATES)
    said = _CONTRACTED.sub(lambda match: " is" if match[1] == "s" else " are", said)
    return any(form.search(said) for form in forms) or _NAMES.fullmatch(said) is not None


def says_nothing_new(said: str) -> bool:
    """Whether a sentence in front of a plan's steps has a known form, and nothing in it that may change the plan."""
    if _SENTENCE.fullmatch(said) is None:
        return said == ""
    is_told = _OF_PLAN.search(said) is not None and _is_known(said)
    return is_told and not changes_plan(said) and not leads_elsewhere(said)


def heads_more(text: str) -> bool:
    """Whether text behind a plan has the heading of something that may belong to it, as it is none of notes."""
    is_code = False
    for row in text.split("\n"):
        line = row.strip(SPACES + "\r")
        is_code ^= line.startswith(("```", "~~~"))
        heading = None if is_code or line.endswith(_ENDS) else read_heading(line)
        if heading and not is_notes(heading[1]) and _ASIDE.search(heading[1].lower()) is None:
            return True
    return False


def labels_more(said: str) -> bool:
    """Whether a sentence in front of a plan begins with a label that may be one of its parts."""
    match = _LABEL.match(said)
    return match is not None and _ASIDE.search(match[0]) is None and not _is_known(match[0], is_lead=True)


def leads_elsewhere(said: str) -> bool:
    """Whether the sentence right in front of a plan says that this is not the plan that holds, or not all of it."""
    if _LEGEND.match(said):
        return False
    if puts_off(said) or _OTHER_CASE.search(said):
        return True
    is_label = said.endswith((":", "："))
    if is_label and not (_is_known(said, is_lead=True) or _ASKS.search(said) or _OFFERS.search(said)):
        return True
    parts = _CLAUSE_END.split(said)
    last = parts[-1].rpartition(", ")[2]
    if _ANNOUNCES.search(last):
        # What is said in front of that is not said of the plan.
        parts = [last]
    return any(
        _is_vetoed(part) for part in parts if (part is parts[-1] or speaks_of_plan(part)) and not _OFFERS.search(part)
    )


def puts_off(said: str) -> bool:
    """Whether a sentence says that a plan is not to be acted on, or not yet."""
    return (_STOPS.search(said) or _PROHIBITS.match(said)) is not None


def speaks_of_plan(said: str) -> bool:
    """Whether a sentence speaks of a plan, or points at something."""
    return (_OF_PLAN.search(said) or _POINTS.search(said)) is not None


def verbs_of(descriptions: Iterable[str]) -> frozenset[str]:
    """How the descriptions of steps begin: what stands in other words of the same verb as well."""
    starts = (re.match(r"[a-z]{4,}|[\u4e00-\u9fff]{2}", text.lower()) for text in descriptions)
    return frozenset(match[0].removesuffix("e") for match in starts if match)


def _names_one(said: str, verbs: Iterable[str]) -> bool:
    """Whether a sentence names one of these verbs; as a noun with an article, such as in `the order`, it is none."""
    found = (match for verb in verbs for match in re.finditer(rf"(?<![a-z]){verb}(?![a-z]{{5}})", said))
    return any(
        re.search(r"\b(?:the|an?|in|your) \Z", said[: at.start()]) is None or said[at.end() :][:1].isalpha()
        for at in found
    )


def _begins_with_one(said: str, verbs: Iterable[str]) -> bool:
    """Whether a clause is about doing a step, and says of it what is not known to say nothing new."""
    return any(re.search(rf"(?:\A|[,;:] |\b(?:so|and|but) ){verb}[a-z]?ing (?!{_VERBS}\b)", said) for verb in verbs)


def _is_vetoed(clause: str) -> bool:
    return _VETO.search(_IDLE.sub(" ", clause)) is not None
