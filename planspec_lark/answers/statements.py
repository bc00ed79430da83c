"""What a sentence around a plan does: it says nothing new, or it may change what the plan means.

A sentence leaves a plan alone where all its words are the plan's own or those of talk about plans
(:mod:`planspec_lark.answers.vocabulary`); where it is an offer, a wish, a question or a report of one's own work in
which nothing is denied or restricted; and where it describes (:mod:`planspec_lark.answers.descriptions`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cached_property

from attrs import define, field

from planspec_lark.answers.demands import demands, orders
from planspec_lark.answers.descriptions import denies, describes, has_veto, is_foreign_draft, split_words
from planspec_lark.answers.headings import COLONS, MARKS, heads_notes, names_notes, names_part
from planspec_lark.answers.sentences import is_offer, speaks_of_case
from planspec_lark.answers.status_reports import Tally, drop_reports, names_other_steps
from planspec_lark.answers.vocabulary import (
    BASE_FORMS,
    CHINESE,
    CHINESE_SIGN,
    COUNTS,
    ENGLISH,
    NOTES,
    RELATIVE,
    VETO,
    Form,
    one_of,
)
from planspec_lark.planspec.answer_lines import read_heading, without_arrows
from planspec_lark.planspec.legend import LEGEND_LABEL, is_entry, is_legend

__all__ = ["Talk", "is_of_others", "prohibits", "without_idioms"]

# Characters of a text that words are looked for in by themselves.
_SHORT = 10_000

# ---------------------------------------------------------------- forms that leave a plan alone


# What is wished; a tip; in Chinese also why a step stands where it does.
_WISH = re.compile(
    r"\A\W*(?:(?:and|so|finally|then|ha|aw+|wow|ooh|oh|yay),? )?"
    + one_of(
        r"(?:i )?(?:hope|wish)(?:ing)?\b|hopefully|good luck|best of luck|best wishes|enjoy|have (?:fun|an? (?:nice"
        r"|good|great|safe|lovely|wonderful|pleasant|amazing|fantastic|enjoyable))\b|stay (?:safe|warm|dry|healthy"
        r"|calm|tuned|strong|positive|curious|hydrated)",
        r"(?:i )?love (?:it|this|that)(?: (?:idea|project|plan))?\W*\Z"
        r"|what an? (?:\w+ )?(?:idea|project|goal|question|adventure|challenge)\W*\Z",
        r"(?:and )?(?:do not|don't) forget to (?:have fun|enjoy|smile|breathe|celebrate|rest|relax)",
        r"break a leg|sehr gern|gerne?\b|natürlich|claro|bien sûr|por supuesto|avec plaisir",
        r"i'm (?:so |very |really )?sorry (?:to|that|you|about)\b",
        r"take (?:your time|care\b(?! (?:to|that|of)))|thanks?\b|congrat|cheers|well done"
        r"|happy (?:\w+ing\b|to\b|holidays|birthday|days|new)|great (?!\w+s? (?:need|must|have|should))"
        r"|safe (?:travels?|trip|journey|flight|drive|return)"
        r"|ready when|best\W*\Z",
        r"remember\W*\Z|keep (?:it up|going|up the good work)|way to go|you've got this|go for it",
        r"(?:please )?(?:remember|don't forget) to (?:take (?:regular |short )?breaks?(?: (?:and|to) (?:keep|stay"
        r"|drink|have|enjoy)\b[^,]*)?\W*\Z"
        r"|be (?:patient|kind|gentle|consistent|careful|proud)(?: and \w+)?(?:\W*\Z|, as\b[^,]*\Z)"
        r"|(?:(?:enjoy it|have fun|rest|relax|breathe|celebrate|smile|sleep|eat|drink|hydrate)"
        r"(?: (?:well|enough|plenty|water|regularly))*(?: and |, |\W*\Z))+\Z)",
        r"(?:tips?|hints?)\b|(?:sorry|(?:i |my )?apolog\w+)(?: again)? (?:for|about)\b|we are (?:here|there) for you",
    )
    + r"|\A.{0,5}(?:祝|希望|(?<!志)愿|加油|谢谢|感谢|期待|小贴士|提示)|\A[^，。]{2,40}，(?:这|主要)?是(?:因为|为了|怕)"
)
_TAKES_BACK = Form.of(
    "n't|not|step|weg|streich|elimin|supprim|wrong|wait|back|mind|mix|suggestion|made|invented|placeholder|come up"
    "|came up|fill|i'd|you'll|show|explain|left",
    r"\b(?:tak(?:e|ing) (?:that|this|it) back|chang(?:ed|ing) my mind|mixed up|(?:is|are) suggestions?"
    r"|(?:is|are|was|were) (?:just |only |all )?(?:made[- ]up|invented|placeholders?)"
    r"|(?:i|we)(?:'ve| have|'d| had)? (?:came?|come) up with to|(?:to|i) fill(?:ed)? (?:in )?the gaps"
    r"|i'd (?:be|feel) (?:happier|better|safer|easier|more comfortable)|you'll (?:have|get) (?:it|them|the rest)\b"
    r"|(?:shows?|explains?) (?:the|how)\b.{0,20}\b(?:format|plans?|looks?)|left (?:.*\bsteps?\b.* out"
    r"|\w+ \w+ out(?! on purpose))"
    r"|(?:delete|remove|drop|skip|omit|leave out) steps? [0-9]|weglassen|streichen|elimin(?:a|e|ar|es)|supprimer?"
    r"|(?:have|has|did)(?:n't| not) (?:\w+ )?(?:changed|updated|adjusted|included|added) (?:the plan|it|that|this)"
    r"|the wrong way (?:a?round|about)|in the wrong order)\b|\A\W*(?:oh,? )?wait\b",
    r"其实.*[更改]|建议.{0,4}改|算漏|写反",
)
# A question that has to be answered before anything is done.
_LEAVES_OPEN = Form.of(
    "?|about|before",
    r"\b(?:how|what) about\b|\A\W*(?:and )?who\b[^?]*\?",
    r"(?:告诉|告知)[^，。]{0,12}后，?再",
    r"\A(?!.*\bif\b).*\b(?:tell me|let me know)\b.*\bbefore (?:i|we|you|steps?)\b",
    r"\A(?!\W*(?:why|how|what)\b).*\b(?:confirm|approve|agree|decide|choose|pick|prefer|which|before i|go with"
    r"|either)\b[^?]*\?\W*\Z",
    r"\A(?!\W*(?:would you|shall i|should i|can i|could i|may i|want me|do you want me|need)\b)[^?]* or [^?]*\?\W*\Z",
    r" (?:oder|ou|o) [^?]*\?\W*\Z",
    r"\A(?!.{0,5}(?:要|需要|想|让)我)(?:.*)(?:确认|同意|批|哪一?[种个]|还是|选|定).*[?？吗呢]\W*\Z",
)
# What the writer left out at the word of who reads it.
_LEFT_OUT = re.compile(
    r"\Ai(?:'ve| have)? (?:(?:did|have) ?n(?:o|')t|left|kept)\b(?!.*\bsteps? [0-9]).* (?:since|because"
    r"|as) you(?:'ve)? (?:said|mentioned|asked|told)\b|\Ai (?:didn't|did not) (?:include|add|plan|list|use|put|look"
    r"|go)\b.*\b(?:since|because|as)\b"
    r"(?!.*\b(?:yet|time|space|know|sure|access|could\w*)\b)|\A(?!.*\bsteps? [0-9])i (?:left|skipped|dropped|considered"
    r"|thought about)\b.*(?:\bon purpose\b|\bbecause\b|\bsince\b|, as )"
    r"(?!.*\b(?:yet|time|space|know|sure|access|could\w*)\b)|\A我(?:没有|没).*因为[您你](?:说|提到|要求)"
)
# What a writer is no expert in.
_DISCLAIMER = re.compile(
    r"\W*(?:please note(?: that)?|note(?: that)?|this|it|the (?:above|plan)|disclaimer:).*"
    r"\b(?:general (?:information|guidance)|informational purposes|no substitute for"
    r"|not (?:a substitute for )?(?:\w+ )?advice)\b"
)
# How long something takes.
_ESTIMATE = re.compile(
    r"\W*(?:plan on|budget|expect|allow|count on|reckon with)\b(?!.*\b(?:before|after|between|until)\b).*"
    r"\b(?:(?:minute|hour|day|week|weekend|evening)s?"
    r"|take longer)\b"
)
# What became of another plan.
_OF_ANOTHER = re.compile(
    r"\A\W*(?:an? |the |my )?(?:earlier|previous|old|older|original|first) (?:plan|draft|version|idea)s? (?:was"
    r"|were) (?!better|right|fine)|\A(?:初稿|旧版|原计划|原方案)因"
)
# What the writer has done on the plan, or says to be doing.
_WORK = one_of(
    r"kept|keep|put|made|chose|chosen|split|broke|broken|break|gave|given|built|write|wrote|written|set|cut",
    r"laid|grouped",
    r"ordered|limited|focused|numbered|created?|prepared|adapted|adjusted|removed|added|changed|followed|checked",
    r"included|based|structured|organi[sz]ed|arranged|plan|planned|designed|aimed|used|considered|fixed",
    r"updated|revised",
    r"corrected|marked|named|assumed|estimated|calculated|scheduled|reserved|treated|placed|simplified",
    r"shortened|merged|moved|renamed|replaced|divided|listed|thought",
    r"(?:suggest|recommend|propose)(?= (?:this|these|the following|to (?:proceed|go|work)|going"
    r"|(?:an?|the) (?:[\w-]+ ){0,2}(?:plan|steps|order|approach|way|sequence)))",
    r"structure|walk|looked|left(?= .* out\b)",
)
_FORMS = re.compile(
    # A question.
    r"[?？]\W*\Z|吗\W*\Z|呢\W*\Z"
    # What is done with the plan as a text.
    r"|\A\W*(?:(?:just|simply) )?(?:(?:tick|check|mark|cross) off (?:the|each|every) (?:step|item|task)s?"
    r"|(?:tick|check)"
    r" (?:each|the|every) (?:step|item|task|box)(?:es|s)?(?: off)?) as you (?:go|complete|finish)\b[^,]*\Z"
    r"|\A\W*(?:(?:just|simply) )?(?:save|copy|paste) (?:it|this|the plan) (?:as|into|to|in) [^,]*\Z"
    # A number, an end, a word for a status after a sign in a legend.
    r"|\Athat(?:'s| is) (?:it|all|everything|the (?:whole|full|entire|complete))\b"
    # What holds, of several plans.
    r"|\A\W*(?:this|it|that|the (?:final|corrected|updated|revised) (?:version|plan|one)) is the (?:version|plan|one)"
    r" (?:to (?:use|follow|run|execute|go with|work (?:from|with))|that counts)\W*\Z"
    r"|\A\W*(?:the \w+ (?:plan|version)|this(?: (?:plan|version|one))?) (?:fully |completely )?replaces (?:the|my)"
    r" (?:first|earlier|previous|old|original) \w+(?: (?:completely|entirely|fully))?\W*\Z"
    r"|\A\W*(?:please )?use the (?:final|corrected|updated|revised) (?:plan|version)\W*\Z"
    r"|\A\W*the (?:first )?draft is only (?:there|here) to show\b"
    r"|\A\W*(?:[0-9]+|(?:the )?end(?: of (?:the |this )?plan)?|eof|完"
    r"|结束|(?:best |kind )?regards|sincerely|(?:and )?here(?:'s| is) (?:one|another)|done|pending|blocked|skipped"
    r"|in progress|active|已?完成|进行中|受阻|待办|已?跳过)\W*\Z"
    r"|\A\W*(?:an?|two|three|a few|some) (?:choices?|decisions?|assumptions?) (?:that )?i(?:'ve| have)?"
    r" (?:made|took|taken)\b"
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
    + one_of(
        r"(?:about |around |roughly )?(?:[0-9]+(?:[-–][0-9]+)?|one|two|three|four|five|six|a few|an?|half an?)"
        r" (?:minutes?|hours?|days?|weeks?|months?)",
        r"(?:one|two|three|four|a few)(?= (?:things?|commands?|parts?)\b)",
        r"(?:no|any|without(?: any)?) (?:dependenc\w+|branch\w*|loops?|problem|extra \w+|conflicts?|gaps?)",
        r"(?:no|any|without(?: any)?) (?:surprises|obstacles|blockers)",
        r"(?:no|any|without(?: any)?) (?:further|other|more) steps|no budget|no step needs it",
        r"not (?:\w+ )?advice|not part of this|in no time|all (?:of )?(?:the )?necessary",
        r"the (?:first|earlier|old|previous) (?:pass|draft|version|attempt|try|one) can be (?:ignored|discarded)",
        r"nothing (?:in \w+ \w+ )?(?:has |have )?changed|a step-by-step",
        r"(?:nothing(?: else)?|no \w+) (?:is|are|gets?|was) (?:forgotten|lost|missed|overlooked|left out|needed"
        r"|required)",
        r"(?:after|per|following) your (?:last )?(?:message|feedback|comments?|corrections?)",
        r"for (?:the|any|my) (?:\w+ )?(?:mistake|error|confusion|oversight)s?",
        r"you (?:do not|don't) (?:need|have) to be\b[^,:]*|nothing to decide",
        r"not (?:be )?(?:forgotten|lost|missed|overlooked|skipped)|no steps were changed[^)]*",
        r"should not (?:skip|forget|miss|lose) .*|not only"
        r"|do(?: not|n't) (?:worry|hesitate|forget(?! (?:to|the|your|about|that)\b))",
        r"(?:once|when|after|as soon as) (?:you've completed )?(?:both |all )?(?:of )?(?:the )?steps?(?: [0-9.]+)?"
        r"(?: (?:is|are) (?:done|complete\w*|finished))?",
        r"(?:only|just)(?= \w+ steps\b)"
        r"|the only(?= (?:one|(?:[\w-]+ing )?steps?|part|blocker|output|input|goal|constraint))"
        r"|the only (?:real |true |actual )?(?:fork|decision|choice|branch|risk|bottleneck|dependency|unknown)"
        r"|draft(?= plan)",
        r"as you \w+|as (?:requested|discussed|specified)|what you need|as of (?:this \w+|today|now)",
        r"(?:that |which )?you(?:'ve| have)? (?:mentioned|asked for|wanted|gave me|described|provided)",
        r"(?:that |which )?you(?:'ve| have)? (?:specified|requested)",
        r"(?:(?:do not|don't) depend on )?each other",
        r"(?<!to )(?:avoids|prevents) (?!.*\bsteps?\b)[^,:]*",
        r"(?:by|in|for|to|from) (?:an? |any |some |the )?(?:later|next|following|earlier) steps?",
        r"(?:designed|meant|intended) to be (?:executed|followed|run|done|read|worked through)(?: from top to bottom"
        r"| in order| in sequence| step by step| as is)?",
        r"right away|in time|on time|at the moment|at any time|once more|to copy|if (?:needed|necessary)",
        r"(?:already )?(?:a third|a quarter|half|two thirds) (?:is )?done|only then",
        r"(?:already |roughly |about |almost |nearly )*(?:(?:a third|a quarter|half) of the way|halfway)(?: there)?",
        r"takes? .{0,40} into account",
        r"the one that (?:can't|takes|needs|costs)\b.*|depends? on (?!whether|if|it)(?:the |your )?\w+",
        r"(?:then|finally|next),?(?= (?:you're|enjoy|i))|(?<=how i )would|(?:to|can(?: also)?|i'll) draft"
        r"|draft(?= (?:the|an?|it|you|your|this)\b)",
        r"should(?= (?:work|take|get|give|help|cover))|follow(?= (?:these|the|this) )",
        r"(?:can|will|should|ready to) be|stands? (?:alone|by itself|on its own)",
        r"by following these steps|should have an? (?:good|great|better|solid|fair)",
    )
    + r"\b|(?<=\bthe )(?:first|second|third|fourth|last|final|next)(?= (?:step|one|\w+s)\b)"
    r"|\A(?:given that|considering)\b[^,]*,|"
    + one_of(
        r"考虑到[^，]*，|\A首先(?=是)|是否|反馈|没问题|不复杂|不难|不遗漏\w*?细节|别担心|不用担心|话不多说|不仅|不错",
        r"没有(?:依赖(?:关系)?|分支|冲突|遗漏|阻塞|异常)|不影响(?:计划|步骤|顺序)"
        r"|[0-9一二两三四五六七八九十半几]+(?:个?(?:分钟|小时|天|周)|个月)",
    )
)
# What only leads into a sentence: that the plan is followed, as a whole and as it is. Any other way to do that is news.
_FOLLOWING = r"by (?:{})(?:following|sticking to|completing|working through|going through|executing|implementing) "
_WAY = one_of(
    r"(?:care|faith|success)fully|closely|exactly|diligently|systematically|consistently|correctly|strictly|properly"
    r"|simply|just|methodically|patiently|step[ -]by[ -]step|one by one|one at a time|in sequence",
    r"in (?:the )?(?:(?:given|right|listed|shown) )?order|from (?:start|beginning) to (?:finish|end)|as (?:described"
    r"|listed|written|outlined)",
)
_PREFACE = re.compile(
    r"\A\W*(?:(?:so|and|overall),? )?"
    + _FOLLOWING.format(rf"{_WAY} )*(?:")
    + r"(?:this|these|the|all(?: of)?(?: these| the)?|your) (?:(?:simple|easy|structured|comprehensive|detailed|clear"
    r"|straightforward|organi[sz]ed|whole|entire|full|two|three|four|five|six|seven|eight|nine|ten) ){0,2}"
    rf"(?:plan|steps|approach|guide|process|roadmap)(?: (?:above|outlined|provided))?(?:,? (?:and )?{_WAY})*, (?=\w)"
)
# The same in fewer words.
_WITH_THAT = re.compile(
    r"\A\W*(?:(?:so|and|overall),? )?(?:with|following) (?:that|this|these steps|(?:this|the) plan)"
    r"(?: done| in place)?, (?=\w)"
)
_OTHER_PREFACE = re.compile(
    r"\A\W*(?:\w+,? )?" + _FOLLOWING.format(r"[^,]{0,80} )?(?:") + r"[^,]*\b(?:plan|steps?)\b[^,]*,"
)
# What comes of following the plan.
_PROMISES = re.compile(r"(?:you|we|they|it|(?:the|your) \w+)(?:'ll| will| can| should)\b")
# Why something is as it is.
_REASON = re.compile(
    r",? ?\b(?:because|since|so that|in order to|which (?:means|keeps|makes|helps|avoids|allows|saves)"
    r"|to (?:keep|make|avoid|ensure|help|save|give)|for easy)\b[^,:]*|，?(?:是因为|因为|以便|以免|从而|这样|好让)[^，]*"
)
# What a reason says that is more than a reason: a duty, or that somebody has not agreed.
_OBLIGES = re.compile(
    r"\b(?:must|(?:has|have|needs?) to(?! do with)|until|(?:not|n't) (?:been |yet |be )*(?:agreed?|approved?"
    r"|allowed|signed|confirmed)|forbidden|prohibited)\b"
    r"|[没未](?:有)?(?:同意|批准?|确认|签)|必须|不[得许准]"
)
# What a plan is for.
_PURPOSE = re.compile(
    r"(?<=\b(?:plan|trip)) (?:for|to|in|with|from (?:now|today|here|the (?:start|beginning))"
    r"|that (?:you|should|will|gets|takes|keeps|covers|fits|helps)|which you)\b[^,:]*"
)
_FOR_OTHERS = re.compile(
    r"\b(?:discuss\w*|alternatives|if|when|unless|in case|case"
    r"|(?<!now )until|once|another|other|someone|somebody|who|example|last|my|his|her"
    r"|their|missing|open(?! (?:day|house|air|source|evening))|optional|approv\w*|sign\w*|cancel\w*"
    r"|delet\w*|drop\w*|draft|half|rest|follow|continued|only"
    r"|placeholders?|invented|crossed|struck|neighbours?|remov\w*)\b"
    r"|\w+'s (?:plan|version|client|customer)"
)
# In which case something is offered.
_CONDITION = re.compile(r"\b(?:if|should|when|once)\b[^,]*|如[果需有][^，]*|是因为[^，]*")
_CASE = re.compile(r"\b(?:if|should|when|whenever|once) you\b[^,]*")
_TO_ME = re.compile(r"\b(?:me|us|i|i'll|i'd|reach out|say|name|paste|planspec)\b")
# What is wanted, and what the writer has done on the way to the plan; and what says that it is not settled.
_RESTATES = re.compile(
    r"\W*(?:(?:okay|ok|so|right|well|understood|i understand|i see),? (?:that )?)*(?:the user|you)(?:'d| would)?"
    r" (?:(?:also|just) )?(?:wants?|likes?|needs?|asked|said|told me|mentioned|wrote)\b"
)
_HAS_DONE = re.compile(
    r"\W*(?:i|we)(?:'ve| have)? (?:\w+ly )?(?:\w+ed|went|thought|read|kept|took|chose|don't (?:have|know))\b"
)
_SO_THAT = re.compile(r",? so (?:that )?(?:no(?:body| one|thing)|you|it|they|each|every\w*|all|the)\b.*")
_COUNTED = re.compile(
    rf"\b(?:there are|in|the|has|have|of|with|all|these|following|into) ([0-9]{{1,3}}"
    rf"|{'|'.join(word for word in COUNTS if word.isascii())})"
    rf" (?:\w+ )?steps\b|(?:共有?|分为?|包含|包括) ?([0-9]{{1,3}}"
    rf"|[{''.join(word for word in COUNTS if not word.isascii())}])个?步"
)
_REQUEST = re.compile(r"\W*(?:question|request|task|prompt|问题|任务|需求)\W*[:：]")
_SETS_OUT = re.compile(
    r"\W*(?:i'll|i will|let me|let's|let us) (?:lay|structure|organi[sz]e|build|walk|break|order|group|split|think)\b"
    r"|.*, so i (?:revise|update|adjust)d? the plan\b"
    r"|\W*thought for [0-9a-z ]+\W*\Z"
    r"|(?!.*\b(?:not|n't|never|only)\b).*, (?:so|which is why|therefore) i(?:'ve| have)?"
    r" (?:put|placed|kept|made|moved|split|scheduled|started|left"
    r"|ordered|built|arranged)\b(?!.*\b(?:not|only|instead|unless|if)\b)"
    r"|(?!.*[没未不])[^，。]{2,40}，(?:所以|因此)我(?:先|就|特意)?(?:把|将)(?!.*[不未别请须必])"
    r"|\W*我?已经?(?:根据|按照?)[^，。：]{0,20}(?:更新|修改|调整|补充)(?!.*(?:[还尚待草请]|未|部分))"
)
_IS_OPEN = re.compile(
    r"\b(?:yet|still|haven't|for now|only|just|until|unless|not sure|wasn't|couldn't|can't|left|missing|skipped"
    r"|omitted|rejected|abandoned|made up|illustrat\w*|example|version|retracted|invented|pasted|copied|assumed"
    r"|guess\w*|tomorrow|later|have to|has to|must|should|need to|(?:for|from) (?:a|an|the|my"
    r"|another) (?:\w+ )?(?:colleague|friend|neighbour|client|team|customer))\b"
)
# What leads to a plan, and what to something of another writer, of another time, or for a case.
_ANNOUNCES = re.compile(
    r"\bhier (?:ist|sind|der|mein|ein)\b|\bi(?:'d| would) (?:\w+ ){1,5}like this\W*\Z"
    r"|\bvoici\b|\baqu[ií] (?:está|tienes)\b|\bthe plan is\W*\Z|\b(?:here(?:'s| is| are)"
    r"|below|following|as follows|this is|these are|copy this|as a plan)\b"
    r"|\A\W*these (?:\w+ )?steps\W*\Z"
    r"|\A\W*(?:the )?(?:\w+ )?steps (?:to|for)\b[^:]*:\Z"
    r"|\A\W*(?:the )?(?:current |latest )?(?:state|status|progress) (?:after|as of|at the end of)"
    r" (?:today|yesterday|this|our|\w+day|week|day)\b[\w' ]{0,20}:\Z"
    r"|\b(?:current|latest) (?:state|status|progress)\b|\b(?:progress|status) (?:update|report)\b"
    r"|\A\W*(?:the )?(?:whole |complete |entire |full |basic )?(?:process|procedure|routine|schedule|sequence|order)"
    r"(?: in (?:[0-9]+|\w+) (?:easy |simple |short )?steps| step by step)?:\Z"
    r"|步骤[：:]\Z|(?:梳理|分|整理|拆)成[^，。]{0,6}(?:阶段|步骤?|部分)[：:]?\Z"
    r"|计划[：:]?\Z|\A\W*这(?:就?是|份是)(?:[您你]要的|我?(?:更新|修改|整理|调整)(?:后|好)?的?|最终的?|完整的?|新的?)*(?:更新版|最新版|新版|版本|计划|方案"
    r"|清单)[：:。]?\Z|\A\W*(?:基于|据此|为此|最终(?:方案|计划|版))|(?:计划|方案)(?:[为是]|[和与及]进度)[：:]?\Z"
    r"|(?:如下|以下|下面|这是|输出|直接|然后是|接下来是).*(?:计划|方案|步骤|流程|版本|安排|清单|进度|进展)"
    r"|(?:计划|方案|步骤|流程|安排|进度|进展|状态|正文).*(?:如下|输出)|\A\W*这是(?:目前|当前|最新)的?(?:计划|进度|方案|状态)表?[：:。]?\Z"
    r"|(?:可以|建议|推荐)(?:这样|这么|按下面|按以下)[^，。]{0,6}[：:。]?\Z"
)
# What has to be so before the plan is carried out.
_FRONT_CASE = re.compile(r"\W*(?:assuming|once|if|when|after|before|provided|as long as|with (?:your|all|clean|the))\b")
_OF_OTHERS = re.compile(
    r"\b"
    + one_of(
        r"what (?!i\b|you\b|we\b|follows|is|has|the plan)\w+|\w+s'(?= )",
        r"(?<!your )(?<!this )(?!(?:here|it|that|there|let|what|today)'s)\w+'s"
        r"(?= (?:\w+ ){0,2}(?:plans?|versions?|drafts?|lists?|ideas?|answers?|suggestions?|proposals?|notes?|approach"
        r"|way)\b|\W*\Z)",
        r"they|he|she|who|someone|somebody|several|other|another|different",
        r"(?!i |you |we )\w+ (?:does|did|do) the following",
        r"years?|worst|best|case|part|first few|before|until|unless|once|if|suppose|assuming|may|might",
        r"(?:approach|way|idea) would|example|sample|template|version for|(?:last|this) (?:spring|summer|autumn"
        r"|winter)",
        r"(?:put together|laid out|made|written|wrote \w+) for (?!you|this|the)\w+",
        r"from (?:(?:the|an?|my|our|your) )?(?:last|earlier|previous|old"
        r"|first(?=\W*\Z| (?:plan|version|draft|answer|message|part|half|idea|try)))",
    )
    + r"\b|"
    + one_of(
        r"(?<![我编])(?:写|提出|拟)的|(?:用户|客户|同事)[^，：]{0,4}(?:给出?|提供|发来?)的|他人|别人|另一家|摘自"
        r"|博客|前年|网友|去年|上周|上次|昨天|以前|如果|若|除非|等.{0,6}后|才|(?<!期)(?<!等)待",
        r"草(?:[案稿拟版图]|(?=\W|\Z))|起草|备选|例|示范|练习|测试|演示|紧急|大概|可能|部分|前半",
    )
)
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+(?:'[^\W\u3400-\u9fff]+)*|[→←=<>|~+]")
_OWN_WORD = re.compile(r"\w+")
_START = re.compile(r"\n([a-z]+)")
_NEVER_OWN = VETO | RELATIVE
_ACTS = re.compile(r"\b(?:swap|skip|drop|half|draft|reverse|omit|wait|mistake|missing|optional)\b")
# What bounds something, with the two words behind it.
_BOUND = re.compile(r"\b(?:before|until|without) \w+ \w+")
# The same as a part of a name.
_NAME = re.compile(r"\b(?:half|draft|swap|wait)[ -](?P<behind>\w+)")
# What joins something to a wish or an offer that is more than that.
_MORE = re.compile(r"(?:,|;| [–—-])? and (?:also|then) |(?:,|;| [–—-])? and (?=.*\b(?:as well|too)\b)|, as ")
_CLAUSE_END = re.compile(r"[,:，：] *| [–—-]+ |——")
# What joins an order to what announces a plan.
_BUT = re.compile(r", (?:but|just|please|only) ")
_FIRST_WORD = re.compile(r"\W*(?:(?:please|then|and|so|just) )*([a-z]+)")

# ---------------------------------------------------------------- what speaks of a plan

_POINTS = re.compile(
    r"\b(?:plans?|steps?|phases?|this|that|these|those|it|its|they|them|here|everything|nothing|none|all|any|what|above"
    r"|below"
    r"|following|follows|list|order|draft|version|start|do)\b|计划|方案|步|以上|以下|上面|下面|这|那|此|其|执行|动手"
)
_OF_PLAN = re.compile(
    r"\b(?:plans?|steps?|this|these|above|below|following|follows|draft|version)\b|计划|方案|步|以上|以下|上面"
    r"|下面|这"
)
# What a plan is for, and what comes of it.
_AIMS = re.compile(
    r"\b(?:goals?|objectives?|aims?|tasks?|purposes?|targets?|outcomes?|outputs?|results?|deliverables?|summary)\b"
    r"|目标|目的|任务|用于|结果"
)
# What a plan may be limited by, or how it stands.
_LIMITS = re.compile(
    r"\b(?:days?|hours?|minutes?|weeks?|months?|time|times|schedule|dates?|deadline|budget|costs?|money|quality|effort"
    r"|constraints?|requirements?|conditions?|done|complet\w+|finished|pending|blocked|active|skipped|running|progress)\b"
    r"|[天周月]|小时|分钟|时间|预算|约束|要求|条件|完成|完毕|进行|有限"
)
# What asks back.
_ASKS = Form.of(
    "please|whether",
    r"\bplease (?:look|confirm|verify|tell|correct|decide|choose)\b|\bwhether\b|请.{0,4}确认|是否",
)
_LEGEND_HEAD = re.compile(LEGEND_LABEL)
_LEGEND = re.compile(r"\W*(?:legend|key|图例|.{2}说明)\W*[:：]|\W*= |.*\blegend\b")
# What says what the words for types mean.
_EXPLAINS_TYPES = re.compile(r".*\b(?:act|reason|decide|subtask)\b[\]`\"”')）]* ?(?:means\b|stands for\b|表示|代表)")
_SETS_CASE = re.compile(r"\b(?:if|when|you|who|tomorrow)\b|[如若先再须]")
_TYPE_WORDS = re.compile(r"\b(?:act|reason|decide|subtasks?)\b")
_TELLS = re.compile(r"(?:this|that|it|i|you|we|there)(?: \w+|'\w+)")
_STATE_LABEL = re.compile(r"(?:updated|current|latest|overall) (?:state|status|progress): ")
_LABEL = re.compile(r"([a-z]{3,}(?: [a-z]{3,})?): \S|([\u4e00-\u9fff]{2,6})：(?=.)")
# How a line looks that may be a piece of a plan: an item, a box, a type, data flow, a value, an order in Chinese.
_PIECE = re.compile(
    r"(?:[a-h]|[ivx]{1,4})[.)、]\s|[☐☑▢□]|step ?[0-9]+(?:[a-z]\b|[^:：]{0,3}[:：])|步骤 ?[0-9]+[:：]"
    r"|(?:act|reason|decide|subtask|inputs?|outputs?|行动|推理|决策|子任务|输入|输出) ?[:：](?! ?(?:none|无)\W*\Z)"
    r"|\[\w+\]\Z|\{.*\}\Z|(?:打扫|清理|检查|准备|联系|通知|安装|拆|刷|洗|擦|买|订|写|搬|测试|部署|收集|购买|整理|预订|提交"
    r"|编写|撰写)[\u3400-\u9fff]{1,12}\Z"
)
# What is a sentence, and no line of any notation.
_SENTENCE = re.compile(r"[\w\"'(][^|{}<>\[\]=→@\\]{8,}[.!:。！：]")


def prohibits(said: str) -> bool:
    """Whether something is forbidden."""
    return _PROHIBITS.match(said) is not None


def is_of_others(said: str) -> bool:
    """Whether something is said of another writer, of another time, or for a case."""
    return _OF_OTHERS.search(said) is not None


def _orders_in_case(said: str) -> bool:
    """Whether what is offered in a case is no offer without it, but an order that is none to the writer."""
    told = _CASE.sub(" ", said).strip(" ,.!")
    return told != said.strip(" ,.!") and not is_offer(told) and orders(f"{told}.") and _TO_ME.search(told) is None


def _is_wish(said: str) -> bool:
    """Whether something is wished, and not for a case."""
    return _WISH.match(said) is not None and not speaks_of_case(said)


def without_idioms(said: str) -> str:
    """A sentence without the phrases that change nothing."""
    return _REASON.sub(lambda match: match[0] if _OBLIGES.search(match[0]) else " ", _IDIOMS.sub(" ", said))


@define(eq=False, slots=False)
class Talk:
    """The sentences around one plan.

    Attributes:
        text: the plan's lines.
        descriptions: those of its steps.
        statuses: the status of each step, by id.
        is_of_plan: whether all that is said speaks of the plan, whatever its words are.
    """

    text: str = ""
    descriptions: tuple[str, ...] = ()
    statuses: Mapping[str, str] = field(factory=dict)
    is_of_plan: bool = False

    @cached_property
    def _own(self) -> frozenset[str]:
        """The words of the plan."""
        return frozenset(split_words(without_arrows(self.text).lower(), _OWN_WORD))

    @cached_property
    def tally(self) -> Tally:
        """The statuses of the plan's steps, counted."""
        return Tally(self.statuses, self.descriptions)

    @cached_property
    def _counts(self) -> frozenset[int]:
        """How many steps there are: all, at the top, and without others below them."""
        return frozenset((len(self.descriptions), *(count.total() for count in self.tally.counts))) - {0}

    @cached_property
    def _own_bounds(self) -> frozenset[str]:
        """What the plan says of when, and without what, something is done."""
        return frozenset(match[0] for match in _BOUND.finditer(self.text.lower()))

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

    def _read(self, said: str) -> str:
        """A sentence with plain apostrophes. What the plan is about denies nothing as a part of its name."""
        said = said.replace("’", "'")
        names = [
            name for name in _NAME.finditer(said) if name["behind"] not in ENGLISH and name[0] in self.text.lower()
        ]
        for name in names:
            said = said.replace(name[0], name["behind"])
        if " before " in said or " until " in said or " without " in said:
            # What the plan says itself is not said anew.
            said = _BOUND.sub(lambda match: " " if match[0] in self._own_bounds else match[0], said)
        return said

    def adds_nothing(self, said: str) -> bool:
        """Whether a sentence after the plan leaves it alone, as :func:`sentences` has it."""
        whole = self._read(said)
        said = _WITH_THAT.sub("", _PREFACE.sub("", whole, count=1), count=1)
        is_led = said != whole
        if not is_led and _OTHER_PREFACE.match(said):
            return False
        if self.statuses and names_other_steps(said, self.tally):
            return False
        told = drop_reports(said, self.tally) if self.statuses else said
        if told is None or self._is_unsettled(told):
            return False
        if self._says_nothing(told):
            return True
        if is_offer(told) or _is_wish(told):
            return self._only_offers(told)
        return self._leaves_alone(told, is_led=is_led)

    def _is_unsettled(self, said: str) -> bool:
        """Whether a sentence takes something back, leaves it open, or has another number of steps than the plan."""
        return _TAKES_BACK.is_in(said) or _LEAVES_OPEN.is_in(said) or self._miscounts(said)

    def _says_nothing(self, said: str) -> bool:
        """Whether a sentence has no words but known ones, or is a note, a disclaimer, or an entry of a legend."""
        is_vague = said.endswith(":") and NOTES.union(ENGLISH).issuperset(_WORD.findall(said))
        return (
            self.is_known(said)
            or is_vague
            or heads_notes(said)
            or (_DISCLAIMER.match(said) is not None and not speaks_of_case(said))
            or is_entry(said)
            or self._explains_types(said)
        )

    def _only_offers(self, said: str) -> bool:
        """Whether all that a wish or an offer says is that: nothing is joined to it, and it denies nothing."""
        others = (one for one in _MORE.split(said)[1:] if not (_WISH.match(one) or is_offer(one)))
        if any(demands(one, self.is_own) for one in others) or _orders_in_case(said):
            return False
        return not (has_veto(said) and has_veto(_CONDITION.sub(" ", without_idioms(said))))

    def _leaves_alone(self, said: str, *, is_led: bool) -> bool:
        """Whether a sentence describes, or has a form that changes nothing; ``is_led`` by the plan being followed."""
        told = without_idioms(said)
        return (
            any(form.match(said) for form in (_LEFT_OUT, _OF_ANOTHER, _ESTIMATE))
            or self.is_known(told)
            or describes(said, told, self.is_own, is_of_plan=self.is_of_plan)
            or (is_led and _PROMISES.match(said) is not None and not (has_veto(told) or demands(told, self.is_own)))
            or all(map(self._is_alone, _CLAUSE_END.split(told)))
            or is_legend(said)
        )

    def is_small_talk(self, said: str) -> bool:
        """Whether a sentence is a wish, leads to the plan, or says nothing in its words, and has no number in it."""
        told = self._read(said)
        if has_veto(told) or demands(told, self.is_own) or any(map(str.isdigit, told)):
            return False
        is_lead = _ANNOUNCES.search(told) is not None and self.leads_on(said)
        return is_lead or _WISH.match(told) is not None or self.is_known(told)

    def restates(self, said: str) -> bool:
        """Whether a sentence speaks of a plan in its own words and known ones, and of no limit or state."""
        told = self._read(said)
        is_of_plan = _OF_PLAN.search(told) is not None and _LIMITS.search(told) is None
        return is_of_plan and self.is_told(said) and self.is_known(told)

    def is_background(self, said: str) -> bool:
        """Whether a sentence speaks of other things than a plan and what it is for, and leaves them alone."""
        told = self._read(said)
        is_of_plan = _OF_PLAN.search(told) is not None or _AIMS.search(told) is not None
        return not is_of_plan and not any(map(str.isdigit, told)) and self.leads_on(said) and self.comes_before(said)

    def _explains_types(self, said: str) -> bool:
        """Whether a sentence says what the words for types mean, and asks for nothing."""
        if _EXPLAINS_TYPES.match(said) is None:
            return False
        told = _TYPE_WORDS.sub(" ", said)
        return not (has_veto(told) or demands(told, self.is_own) or _SETS_CASE.search(told))

    def is_label(self, said: str) -> bool:
        """Whether a line is the label of a paragraph or a list that is no part of the plan."""
        told = self._read(said)
        is_label = told.endswith((":", "："))
        return is_label and not (names_part(told) or has_veto(told) or demands(told.rstrip(COLONS), self.is_own))

    def comes_before(self, said: str) -> bool:
        """Whether a sentence further before the plan leaves it alone.

        There it may also restate what is wanted, or report how the writer came to the plan.
        """
        told = self._read(said)
        if _REQUEST.match(told) or (_SETS_OUT.match(told) and not _TAKES_BACK.is_in(told)):
            return True
        if self.puts_off(said) or (self.statuses and drop_reports(told, self.tally) is None):
            return False
        if self.leads_on(said) or self.is_label(said) or _LEGEND.match(said) or is_legend(said):
            return True
        restated = _RESTATES.match(told)
        if restated is not None:
            return not demands(told[restated.end() :], self.is_own)
        # Why the writer has done something is said of the work, and not of the plan.
        told = _SO_THAT.sub("", told)
        return _HAS_DONE.match(told) is not None and _IS_OPEN.search(told) is None

    def leads_on(self, said: str) -> bool:
        """Whether a sentence right before the plan leads to it, and not to a part of it or to something else."""
        told = self._read(said)
        if prohibits(told) or is_foreign_draft(told) or _ASKS.is_in(told) or _TAKES_BACK.is_in(told):
            return False
        if self._miscounts(told):
            return False
        return self.adds_nothing(said) or _LEGEND_HEAD.fullmatch(told) is not None or self._announces(told)

    def _announces(self, said: str) -> bool:
        """Whether a sentence says that the plan follows, and neither for which case nor that it is another's."""
        said = without_idioms(said)
        last = re.split(r", (?:but |so |and )?|，", said)[-1]
        if _FRONT_CASE.match(said) and last != said:
            return False
        # What is said before what announces a plan is not said of the plan.
        said = last if _ANNOUNCES.search(last) else said
        # What a plan is for may be anything but a case, or another person.
        if any(_FOR_OTHERS.search(match[0]) for match in _PURPOSE.finditer(said)):
            return False
        said = _PURPOSE.sub(" ", said)
        is_label = said.endswith((":", "："))
        clauses = [said] if is_label else _CLAUSE_END.split(said)
        is_other = is_of_others(said) or any(has_veto(one) and (is_label or _OF_PLAN.search(one)) for one in clauses)
        is_other = is_other or any(map(orders, _BUT.split(said)[1:]))
        return not is_other and (_ANNOUNCES.search(said) is not None or self.adds_nothing(said))

    def puts_off(self, said: str) -> bool:
        """Whether a sentence further before the plan says that it does not hold, or begins with a part of it."""
        said = self._read(said)
        if _LEGEND.match(said):
            return False
        label = _LABEL.match(said)
        if label is not None and not (
            _TELLS.match(said, label.end() - 1)
            or names_notes(label[0])
            or self.is_known(label[0])
            or _STATE_LABEL.match(said)
        ):
            return True
        if not has_veto(said) or _FORMS.search(said):
            return False
        # What the plan is about denies nothing: a seed swap.
        told = _ACTS.sub(lambda match: " " if match[0] in self._own else match[0], said)
        is_of_plan = any(has_veto(clause) and _OF_PLAN.search(clause) for clause in _CLAUSE_END.split(told))
        return is_of_plan and has_veto(without_idioms(told)) and not self.leads_on(said)

    def is_piece(self, line: str) -> bool:
        """Whether a line by itself looks like a step, or what belongs to one, and says more than words about plans."""
        said = self._read(line.strip(MARKS).lower())
        if _PIECE.match(said) is None or read_heading(line) is not None or is_legend(line) or _LEGEND.match(said):
            return False
        return not (self.is_known(said) or _WISH.match(said) or is_offer(said) or is_entry(said))

    def is_told(self, said: str) -> bool:
        """Whether a sentence between the parts of the plan speaks of it, and says nothing new."""
        if _SENTENCE.fullmatch(said) is None:
            return said == "" or (said[-1] in ".!。！" and self.is_known(said))
        return _POINTS.search(said) is not None and self.adds_nothing(said)

    def _miscounts(self, said: str) -> bool:
        """Whether another number of steps is told than the plan has, at its top or in all."""
        if "steps" not in said and "步" not in said:
            return False
        told = (one[1] or one[2] for one in _COUNTED.finditer(said))
        return bool(self._counts) and any(int(COUNTS.get(one, one)) not in self._counts for one in told)

    def _is_alone(self, clause: str) -> bool:
        clause = clause.strip()
        has_form = _FORMS.search(clause) or _WISH.match(clause)
        is_denied = has_veto(clause) or (
            CHINESE_SIGN.search(clause) is not None and clause[-1] not in "?？吗呢" and denies(clause)
        )
        return (has_form is not None and not is_denied) or self.is_known(clause)

    def is_known(self, said: str) -> bool:
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
        if CHINESE_SIGN.match(word):
            return self._is_new_chinese(word)
        if word in _NEVER_OWN:
            return True
        if word in COUNTS:
            return COUNTS[word] not in self._counts
        if word.isdecimal():
            return word not in self._own and word.lstrip("0") not in map(str, self._counts)
        stem = word.removesuffix("'s").removesuffix("ing")
        forms = {word, word.removesuffix("s"), stem, f"{stem}e", stem[:-1], f"{word}s"}
        return self._own.isdisjoint(forms - _NEVER_OWN)

    def is_own(self, word: str) -> bool:
        """Whether a word is one of what the plan is about."""
        return word not in ENGLISH and not self._is_new(word)

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
