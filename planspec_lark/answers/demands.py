"""Sentences that demand something: what is to be done or may not be, what has to come first, what else is wanted.

What is told of the things that a plan is about may belong to the plan: a step, a condition, a constraint. It does if it
demands something, by a word for that or by its form: an order, or nothing but what is not to be. All else that is told
of them is a fact, a reason or an estimate, and no part of a plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from planspec_lark.answers.vocabulary import CHINESE_SIGN, UNSETTLING, VETO_FOREIGN, any_of

__all__ = ["demands", "orders"]

# What obliges or allows; what is to be done before, after or instead; what is unsettled, taken back or to come; what
# is another person's, of another time or of another kind; and words that forbid in languages close to English.
_DEMANDS = any_of(
    f"""{UNSETTLING} {VETO_FOREIGN}
    mustn't assumes decide decides signature signatures owe awaiting permission consent forbidden prohibited
    banned allowed exempt restricted cannot never unless except hasn't hadn't twice later tomorrow yesterday
    incomplete optional due prior correction corrections rejected slip mistake retract* advis* forgot skeleton
    invented quoting adapt* replace replaces replaced remove
    """,
    # Obliged, or allowed: not where that is denied.
    r"(?<!don't )(?<!doesn't )(?<!won't )(?<!not )(?<!nobody )(?:have|had|has|having|needs?) to(?! do with)"
    r"|(?:'ll|will) (?:also )?need(?! (?:about|around|roughly|some|[0-9]|an? (?:few|couple|hour|day|week|bit)))",
    r"(?:is|are|was|were|be) to (?:be|see|go|have|stay|do)|(?:is|are)(?:n't| not) to|there should|you may (?:prefer"
    r"|want)",
    r"to be (?:done|discarded|completed|fixed|replaced|checked)|(?:also|each|they|you|which|we) needs? (?:an?|the"
    r"|(?:one|two|three|four|at least) (?!(?:hour|day|minute|week|month|line)s?\b)\w+)|\A(?:at least|at most|max\w*)\b"
    r"(?!.*(?:hour|day|minute|week|month)s?\b)[^,]{1,60}(?=\W*\Z)",
    r"should(?: also| all)? be (?!(?:enough|fine|able|done|plenty|easy|an?|the|back|around|about|over|under|no"
    r"|near(?= [0-9])"
    r"|in|all|ready|there|normal|noticeable|noticeably|nothing|incredibly)\b)",
    r"should (?!(?:give|take|help|be|cover|get|fit|see|keep|make|leave|attract|save|reduce|bring|need|cost|prevent"
    r"|avoid|allow|let|put|provide|ensure|show|have|find|reach|meet|hold|match|last|yield|produce|give)\b)\w+"
    r" (?:the|your|an?|all|every|each|it|them|their|his|her|our|my|this|that|these)",
    r"(?:we|you|it|they|he|she|both|all|goal) should(?! (?:give|take|help|be|cover|work|get|fit|see|keep|make"
    r"|leave|attract|last|look|come|land)\b)|should (?:also )?(?:have been|get|receive"
    r"|have(?! an? (?:good|great|better|solid|fair)\b)|know|sign|see|read|say|not|stay"
    r"|never|trade|go|stop|happen|take place|start|begin|drop|remain|include|contain"
    r"|follow)",
    r"should(?:n't| not)(?! (?:take|break|cost|exceed|need|hurt|be (?:a|hard|more|long)))|(?:can|may) not|make sure"
    r"|under no circumstances",
    r"(?:is|are) required|requires that|permit from|(?:needs?|requires?) (?:(?:an?|the|your|prior|written|\w+ing) )*"
    r"(?:permit|permission|approval|consent|licen[cs]e|sign\w*|specialist|professional|expert)",
    r"\A(?!.*\b(?:no|nothing|only|not)\b).*(?:is|are) (?:also )?needed(?! (?:by|in|as|for (?:the )?(?:next )?step)\b)",
    # Advised.
    r"(?:is|are) (?:also |\w+ly )?(?:recommended|advisable|advised)|my (?:recommendation|advice|suggestion)"
    r" (?:is|would be)"
    r"|i(?:'d| would)?(?: also| strongly| highly)? (?:recommend|suggest|advise|propose)(?! (?:this|these|the following"
    r"|to (?:proceed|go|work)|going|(?:an?|the) (?:[\w-]+ ){0,2}(?:plan|steps|order|approach|way|sequence)))",
    r"(?:(?<=, )|\A)i(?:'d| would) (?!say|call|be|guess|expect|estimate|love|like|do|go|put|note|suggest|recommend)\w+"
    r"|i(?:'d| would) (?:also|still|definitely|always|personally) \w+|(?:a )?good idea(?: is)? to"
    r"|(?:is|are) (?:also )?a good idea|(?:is|are) best \w+ed"
    r"|it (?:(?:also|often|really) )?(?:helps|pays|makes sense) to"
    r"|(?:it's|it is|is) (?:best|wise|sensible|smart|safest|safer|time) to",
    r"worth(?:while| (?!asking|noting|mentioning|knowing|remembering|saying|trying)\w+ing)"
    r"|you (?:may|might)(?: also| even| well)? (?:need|want|wish)|you (?:can|could|may|might) also(?! just\b)"
    r"|be (?:sure|aware)|think about",
    r"(?:what|all)(?: that)?(?:'s| is)? (?:left|remains)|leaves (?:the |us |you )?(?:with )?\w+ing"
    r"|comes? on top|(?:is|are|gets?) then \w+ed|(?:afterwards|separately)(?=\W*\Z)|(?:is|are) (?:limited|confined) to",
    r"(?:an?|one) (?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|further|extra|secondary|final|last)"
    r" (?:\w+ )?(?:step|branch|case|goal|constraint|task|check|point)",
    r"takes? place|pay attention|nice to have|(?:comes?|goes|happens?) (?:\w+ ){0,3}?after steps? [0-9]"
    r"|(?:does|do) steps? [0-9]|can wait|(?<!no )open (?:points?|questions?|issues?|items?)|(?<=, )too(?=[.!]?\Z)",
    r"(?:kids|children|students?|guests?|people|everyone|everybody|users?|customers?|colleagues?)"
    r" should(?! (?:be|get|find|like|love|enjoy|feel|have)\b)",
    r"(?:starts?|begins?|closes?|opens?) on (?:\w+day|[0-9]|the [0-9])",
    r"(?:in|on|at|during) [^,]{1,30}, no \w+(?: \w+)?(?=[.!]?\Z)",
    r"(?:no|nobody|nothing|none)\b[^,.]{0,40} (?:may|must|should) \w+|(?:during|until|while) steps? [0-9]|would help",
    r"(?:has|have|get|take)s? (?:priority|precedence)|needs? an? (?:separate|second|extra|additional|special)",
    r"(?:is|are|'re|still) waiting for|asks? (?:you|everyone|everybody|us) to|what(?:'s| is) missing",
    r"(?:then|next|after that|afterwards) comes?",
    r"counts? as|means? (?:fewer|less|more|under|over|above|below|at least|up to)|(?:threshold|cut-?off|cap) is",
    r"is (?:the|our|your) (?:limit|threshold|cut-?off|fall-?back|plan b)|(?:have|has) until"
    r"|(?:each|every) [^,.]{1,30} gets? (?:an?|its|their|the)",
    r"insists?|additionally|furthermore|moreover|in addition|optionally|preferably|ideally|besides(?=,)",
    r"(?:we|you) could|may (?:only|go|not)|(?:it's|is|be) better|better (?:to|choice)|(?:ca|must|sha|wo|should)n't be",
    r"(?:would|'d) (?:rather|like|prefer|want|need|have to|drop|suggest|mean|be (?:better|wiser?|cheaper|safer|best"
    r"|nice|good|ideal|sensible|prudent)(?! (?:example|sign)))|(?:can't|won't|doesn't|wouldn't|never) hurts?",
    r"want(?:ed)? (?:to|you|an?|the|it|all)|wants|preferred|(?:may|might) as well",
    r"(?:could|can also)(?= \w)(?! (?:also |still |easily |well )?(?:be|have|take|help|get|come|cost|happen|change"
    r"|hold|go|lead|mean|make|cause|run|work|start|see|feel|find|just|not)\b)",
    # Settled first, or under a condition.
    r"(?:but|so|and) first (?!of\b|things?\b|steps?\b|comes?\b|the\b)\w+",
    r"(?<!days )(?<!weeks )(?<!hours )(?<!minutes )before(?= \w)(?! (?:by|in|too|and|now)\b)|prior to|in advance"
    r"|beforehand|straight away|or else|at most",
    r"(?<!at )(?<!come )(?<!comes )first(?=[,.]|\W*\Z)|as a (?:last|final|first|next) step|then again|as long as",
    r"until (?:i|you|we|he|she|they|it|the|that|your|someone|everything|all|\w+ (?:has|have|is|are))\b",
    r"without (?:it|that|this|them|him|her)|not (?:before|yet|sure|more|until)|no later than|at the (?:latest"
    r"|earliest)",
    r"only (?:after|if|when|where|once|with|then|by|for|on|in|from|between|be|to)|only (?!steps?\b|one\b)\w+ (?:with"
    r"|may|can|who|that)",
    r"(?:may|be|are|must|will|should) only|sign (?:off|the|it|them|here)|approval (?:of|from|by|is|has)",
    r"wait (?:for|until|with|to)|limits? (?:of|is|to)",
    r"(?:is|are|was|were)(?:n't| not) (?:\w+ ){0,2}?(?:allowed|permitted|known|clear|sure|certain|ready|available"
    r"|included|covered|finished|done|complete|final|there|decided|confirmed|approved|yet|here|valid|possible|counted)",
    # Unsettled, missing, or to come.
    r"still (?:needs?|working|wants?|has|have|to|missing|being|open|looks?|unclear)|yet(?= to\b|\W*\Z)|for now|on hold",
    r"for the moment|in the meantime|more to (?:come|follow)|part (?:[0-9]+|one|two|three)\b|(?:will|to) follow"
    r"|ran out",
    r"continue(?:s|d)?(?=\W*\Z)|(?:has|have|had|be|been|is|are|was|were) (?:\w+ )?(?:dropped|rejected|missing)",
    r"missing (?:from|in|part|steps?)|(?:one |some)thing (?:is )?missing|left (?:to|out|the)|leav\w+ out|back out",
    r"(?<!remaining )(?<!the )remaining (?:steps?|parts?|work|half)|without the|can do without|things to do"
    r"|too (?:many|few|much|early|late)|option \w+|options|choose|pick one",
    r"(?:is|are) for (?!the\b|an?\b|your\b|that\b|this\b|you\b)\w+(?=\W*\Z)|subject to|separate file|previous answer"
    r"|unlikely|someone else|better start|up to you|leave (?:it|that|this) to you|your (?:choice|call|decision)"
    r"|(?<!i )decided (?:to|that)|is meant",
    r"whether (?:the )?(?:steps?|plan|it|this|that|these|we)|(?:it|that)'s either",
    # Taken back, or changed.
    r"(?:next|separate|following|second) (?:message|response|reply)"
    r"|(?:falls?|fallen|fell) (?:away|through)|drops? out|no longer"
    r"|(?:any|some)thing else|who else|come to think"
    r"|thinking about it|that said|change of plans|second thoughts?",
    r"(?:voted|turned) down|called off|fell through|to be corrected|to sign",
    r"mixed up|my (?:bad|mistake)|i was wrong|sorry(?= [^a-z]|, )|after all"
    r"|turned out|ruled out|off limits|hold off",
    r"(?:another|other|second|old|final|first|earlier|last|different|new|this|that|which) version|instead(?! of)",
    r"(?:goes|moves) (?:to|behind|before|up|down|into|in|on|first|last)|trade places|the figure|(?:is"
    r"|are) already (?:done|packed|bought|booked|finished|paid|ordered|sent)",
    r"add(?:s|ed|ing)? (?:it|them|(?:an? |the |one )?(?:\w+ )?(?:step|line|item))|(?:just|has) (?:cut|changed|moved"
    r"|heard)",
    r"drop(?:ped)? (?:it|them|the|that|this|by)|repeat(?:s|ed)? (?:the|it|this|that|step)|stop(?:s|ped)? (?:at|after"
    r"|here)",
    r"(?:is|are) (?:also )?(?:an? (?:goal|constraint|must)|(?:the|our|my|your) (?:goals?|constraints?|targets?))"
    r"|mind (?:the|that|you)|actually(?=,)|(?<=, )actually"
    r"|\A\W*(?:(?:and|but|so|oh),? )?actually",
    # Of another person, or of another time.
    r"(?:the|this|that|other) (?:\w+ )?(?:second|third|last|previous|earlier|old) (?:\w+ )?(?:part|phase|idea|plan"
    r"|draft|answer|file|message|team)",
    r"for your (?:neighbour|sister|brother|colleague|friend|boss|mother|father"
    r"|client)\w*|(?:done|taken care of) by|takes? care of",
    r"(?:possible|one) (?:shape|way)|an? sample|sample (?:plan|of)",
    r"rough(?:ly)? (?:draft|first|version|sketch|outline|idea|plan)",
    # Others who decide, what waits, and what is not to be relied on.
    r"in charge of|'s (?:job|call|business|turn)|has the last word|waits? until|until (?:\w+day|noon|next)",
    r"(?:wants?|needs?) \w+ing|mandatory|compulsory|crucial|prerequisite|precondition|hinges? on|says? no|objected",
    r"(?:is|are) against|outstanding|redundant|a waste of|i meant|by \w+ i mean|only(?=\W*\Z)",
    r"(?:is|are|was|were) (?:out|gone)(?=\W*\Z)|at your own risk|for reference",
    r"(?:is|are) (?:just |only |all )?(?:guess\w*|random)",
    # What may be a constraint.
    r"(?:deadline|due date|time limit|budget|rule|requirement|restriction|target|condition|best time[\w ]{0,40}"
    r"|(?:working|opening|quiet) hours?|(?:target|start|end|latest) date"
    r"|acceptance|(?:\w+ )?criteri(?:on|a)|done when|definition of done"
    r"|earliest start|latest (?:start|end)|open (?:point|question|issue|item)s?)(?:\*\*)?:\W{1,4}(?!none\b|n/a\b)",
    r"is (?:the|your|our) deadline",
    r"(?:deadline|due date|time limit|budget) is"
    r"(?! (?:tight|fine|enough|generous|realistic|included|(?:only |just )?an? (?:rough )?(?:estimate|guess)))"
    r"(?!.*, (?:so|which is why|therefore)\b)",
)
_SIGNS = re.compile(r"->|→|=(?! ?[$€£¥]?[0-9])|[\[\]{}|<>]|\bs/")
# What begins with what is not to be: an order, or the whole of a constraint.
_DENIES_ALL = re.compile(
    r"\W*(?:(?:and|but|so|also) )?(?:(?:don't|do not|never|not)\b(?! (?:worry|be|let|hesitate|expect|panic|only|every))"
    r"|no(?! (?:harm|need|rush|hurry|problem|worries|reason|surprise|wonder))\b"
    r"(?!.*\b(?:is|are|was|were|will|has|have|does|needs?|costs?)\b)|(?:no|nothing|nobody|none|neither)\b.*"
    r"\b(?:may|must|should|can|is to|are to|goes|leaves|enters|touch\w*|use\w*)\b)"
)
_CASE = re.compile(r"\W*(?:and )?(?:if|when|should|in case|once|whenever|where|as soon as)\b")
# What tells what is so in a case, not what is to be done in it.
_TELLS = re.compile(
    r"\W*(?:then )?(?:you|it|that|this|the|there|your|they|i|we|an?|nothing|nobody|one|he|she|these|those|its|their|my"
    r"|our|all|most|both|each|every|don't (?:worry|be|let|panic))\b"
)
# Words that begin no order.
_NO_VERBS = (
    "the an? its their there you your our my we i he she they it all each every both most many some several any one two"
    " three that this these those what who how why here much more none half part thanks? good happy glad great sorry"
    " hope if when since because as by with at during within for in on once while after given based without from of to"
    " not no about around like yet but though although even which where than except or nor whether despite nearly"
    " almost next instead per plus between until whatever expect may ask less net time nobody nothing whose just only"
    " now over under up taken given seen done made and or so then also laid kept built wrote broke chose sent left went"
    " got gave told said thought brought bought found held began"
)
_OBJECTS = (
    "the an? it them this that these those your my our one two all both each every him her us everyone any some access"
    " what what's nothing"
)
_PREPOSITIONS = "in with from for to on at of up out off down back by when until before after"
# What makes a subject of the noun before a preposition.
_FINITE = (
    "is are was were has have had can will would may might does did sounds takes seems comes goes needs feels looks"
    " works makes means helps costs lasts gives keeps starts ends becomes"
)
# Verbs that an order begins with whatever follows them.
_BASE_FORMS = (
    "accept allow apply appoint arrange assemble assign attach borrow bring build calculate cancel clarify collect"
    " compare configure connect consider consult convert create deactivate define deliver determine disable disconnect"
    " distribute document enable ensure enter evaluate examine exclude export gather hang hire identify import include"
    " inform inspect insure integrate invite isolate maintain merge migrate minimise minimize negotiate notify obtain"
    " organise organize perform postpone prioritise prioritize protect publish recheck register reinstall"
    " remind reschedule restrict select shred shut submit sweep throw tidy tighten transfer treat unload unlock unpack"
    " unplug validate verify warn weigh wrap"
    " add sand mask prime rinse scrape degrease ping strike undo scrap ask avoid block book bring buy call carry"
    " check choose clean close confirm cut delete do drop fill find fix get give go install keep leave let make"
    " measure mix move open order pack pick pin place plug prepare press print pull push put read remove rent"
    " replace restart run save schedule sell send set sign skip start stop store swap switch take tape tell test"
    " turn update use wait warm wash wear wipe write"
)
_VERB = rf"(?!(?:{_NO_VERBS.replace(' ', '|')})\b|\w+(?:ing|s|(?<!e)ed|ly)\b)[a-z]+"
_ORDER = re.compile(
    r"\W*(?:(?:(?:in|for|during) step [0-9.]+|then|and|so|now|just|first|next|finally|lastly|last but not least"
    r"|also|always|later|kindly|carefully"
    r"|thoroughly|as a last step|by the way|all that's left is to|that's it),? )*"
    rf"{_VERB} (?:(?:{_OBJECTS.replace(' ', '|')})\b|\w+[.!]\W*\Z"
    rf"|(?:over|away) (?:the|an?|your|all|it|them)\b"
    rf"|(?:{_PREPOSITIONS.replace(' ', '|')})\b(?!.*\b(?:{_FINITE.replace(' ', '|')})\b))"
)
# An order behind a comma: with its conjunction, or behind what says when or why.
_CLAUSE = re.compile(r"[,;] | [–—] |(?<=:) ")
_CONJUNCTION = re.compile(r"(?:so|then|please|and then|and|but) ")
_ADVERBIAL = re.compile(
    r"\W*(?:(?:and|but|also) )?(?:\w+ly|to|following|afterwards|besides|moreover|furthermore|last"
    r"|worst|best|also|bonus|since|because|as|by|with|at|during|within|for|in|on|if|when|once|while|after|before"
    r"|given|based|from|until|between|each|every|next|this|that|one|later|finally|meanwhile|sorry|strictly|right|no"
    r"|yes)\b"
)
_FIRST_ORDER = re.compile(
    rf"\W*(?:(?:(?:in|for|during) step [0-9.]+|then|and|so|also|please|always),? )*"
    rf"(?:{_BASE_FORMS.replace(' ', '|')}) (?!is|was|are|were|has"
    rf"|of\b)[^ ]"
)
_LATE_ORDER = re.compile(
    rf"(?:also )?(?:{_BASE_FORMS.replace(' ', '|')}) [^ ]|"
    rf"(?:also )?{_VERB} (?:the|it|them|him|her|us|your|every|all|this|that|an?|two|three|out|for|off|up|in|on|with|at"
    r"|back)\b"
)

# Words of Chinese that demand something as well, and the longer words and phrases that they are a part of.
_DEMANDS_CHINESE = re.compile(
    r"好像|不敢|说不定|拿不准|吃不准|我猜|拍板|空着|是(?:目标|约束|限制|前提)|省略|跳过|删|去掉|取消|推迟|提高到|不开放|必须|务必|须|应|得(?=先"
    r"|等|换|把|让|从|在|有|要|你|他|她|写|给|单独|降|重|提|算|补|去)|要|(?<!不)需|先|别|勿|不(?:要|能|得|许|可|宜"
    r"|该|再)|请|才|(?:之|以|[事行手发开])前|等|再|换|改|挪|暂|停|还没|没(?:有)?.{0,3}(?:批|定|出|查|公布|核|修)|未"
    r"|尚|否则|不然|更正|写[反错]|漏|其实|不如|说实话|倾向|[你您](?:们)?来?(?:定|选|决定|自己|看着)|参照|样子|旧(?=版|方案"
    r"|计划|稿|的)|晚点|明天|稍后|补|备选|最好|顺手|一并|一起[换算]|还有[一几]|另|照搬|确认|同意|审[核批]|签字"
    r"|点头|授权|立刻|立即|马上|一律|安排在|[仅只](?=对|给|接|面|收|能|许|准|可|做|限|需|允|供|适)|超过|以[上下](?=[。，,；]|\Z)"
    r"|至少|无论如何|禁止|严禁|恐怕|算了|作废|不全|不完整|切记|记得|注意|[=→|<>]|两种|都行|哪[一种个]|推荐|单独"
    r"|缓一缓|不属于|去年(?:的[计方安做]|我们)|上次(?:的|发)|上周[的我]|[还只]差|不必了|[就我]们?不"
    r"|由[^，。]{1,10}(?:完成|负责|收拾|处理|执行|准备|做|买|出|送|签|审|办|去|拿)|适用|变了|剩下的我"
)
_STILL_CHINESE = re.compile(
    r"\A\W*(?:最后(?!.{1,4}[:：])|(?:接着|然后|随后|之后|此后|接下来|(?:与此)?同时)(?![就即便]))(?!.{0,6}(?:祝|希望|提醒|说|一句|加油|是))|说了算|归.{1,4}管|不同意|反对(?!意见)|有意见|不让|没消息|还在考虑|多余|没必要。|可有可无|看情况|缓缓|可以对调"
    r"|[猜估抄]的|凭记忆|(?<!不是我)随手写|初版|风险自负|慎用|谨慎|不保证"
    r"|\A(?:(?:验收|成功|完成)(?:标准|条件|要求)|验收|负责人|截止(?:日期|时间)?|期限|(?:总|最高)?预算|审批人)(?:\W*[:：]\s*|[是为](?!.*所以))(?!无|不限|没有|估计)\S"
    r"|\A(?:(?:提前|完成|完事|下班后|夜里|周末)[^，。]{0,6}?，?|[^，。]{1,8}后，?)?(?:把|将|关[掉上好]|戴[好上]|贴|铺[好上一]"
    r"|拆[掉下开]|量一"
    r"|带[上好]|做[个一]|避开|绕开|保留|留着|备份|打磨|问一|叫上|通知|提醒|告诉|跟.{1,4}[说打报]|和.{1,4}[说打商]"
    r"|用.{1,4}擦|找人|检查|确认|联系|准备|清理|擦)(?!我)[^，。]*。\Z"
    r"|[还也仍](?:需|得|应|要(?!不))|(?<!不)需要(?:先)?(?:做|办|请|找|买|通知|联系|安排|检查)"
    r"|顺便(?![提说问])|可以(?:请(?![您你我])|找(?!我))|封顶"
    r"|预算(?:上限)?[为是：: ]{0,2}[0-9一二两三四五六七八九十百千](?!.{0,40}(?:所以|因此))"
    r"|(?:营业|开放|工作|施工)时间[:：为是从]|不营业|休息(?=。?\Z)|[少缺漏]了"
    r"|对调|互换|晚一?点|放到|经[^，。]{1,10}(?:批准|同意|审核|确认)|草案|草稿|初稿|待定|可能不够"
    r"|\A(?:[^，。]{1,10}后，?|此外，?|另外，?|同时，?|接着，?|其次，?)(?:收集|调整|打扫|清洗|整理|购买|采购|安装|拆除|举行|举办"
    r"|组织|提交|填写|签订|办理|拍照|公布|发布|发送|测试|验收|培训|邀请|预约|预订|申请)[^，。]*。?\Z"
    r"|需要[你您先再另补完]|需要[^，。]{0,6}(?:许可|批准|授权|证[。，；]|[辆名台位]\W*[\u3400-\u9fff])|也(?:很|非常)重要"
    r"|(?:\A\W*我?|[也还])建议(?!如下|您?按|收藏|保存|参考|是|尽[快早])[\u3400-\u9fff]|可以?考虑(?!到)|\A\W*考虑(?!到)"
    r"|[估编]计?的。?\Z|最多(?![需要花用耗])[^，。]{0,8}[0-9一二两三四五六七八九十百千]|控制在[^，。]{1,20}以内"
    r"|[日号]前(?:完|结|交|做|搬|到|截|提)"
    r"|\A\W*(?:如果|若|假如|一旦|万一)(?!.*(?:[我您你]|随时|联系|提问|告[诉知]|也(?:不|没)|仍|照样|还能))[^，]*，[^。]*(?:需要|改|换|把|将|则)"
)
_HARMLESS_CHINESE = re.compile(
    r"不(?:需要[^，。]{0,8}|必(?!了)[^，。]{0,4}|用[^，。]{0,4}|影响|会(?!议)|冲突|涉及|代表|算|是|紧张|费|花|收|求"
    r"|限|愁|急|难|复杂|方便|好看|出错|行|同|一样|到|少|错|多|大|长|短|贵|够|高|低|妨|容易|爱|明显)|没有?(?:关系|问题"
    r"|坏处|什么|必要|考虑|选|做回归|另|太大|那么)|用不[着上]|改[造善进良建]|请?以.{0,6}为准|等于"
    r"|[放排定]在[^，。]{1,15}之前|先[看查读]了|先(?:说明|解释|介绍)|其实(?:够|很|就|也|并)|理由|自由|才[准好]"
    r"|要 ?[^，。]{0,3}[0-9一二三四五六七八九十两几半]+ ?(?:个|多|分|小时|天|周|块|元|年|月)|不[^，。]{0,3}另外?|先说"
    r"|所以先|之所以[^，]*，|\A先[^，。]{1,12}再[^，。]{1,12}，(?:可以|能|会|避免|少|就)|请(?:查看|查收|过目|参考)"
    r"|审批(?=通常|一般|大约)|安排在[^，。]{1,12}，(?:可以|能|避)|单独成|[申邀聘]请|请[求假]|免得|与众不同|差不多"
    r"|来不及|要[不么是]|只要|主要|重要|需要|只需|想要|要点|首要|先[后进]|首先|优先|领先|别(?:[的人处名急墅]|灰心"
    r"|担心|怕)|分别|特别|级别|类别|性别|区别|识别|个别|鉴别|才(?:刚|是|六|过)|刚才|人才|再(?:更新|同步|来找我|说一?声|列给你"
    r"|次|贵|好|见)|前[面者期提后半几两三]|以前|目前|当前|之前的|应该?(?:足够|够|没问题|可以)|[反相对适供响效答]应"
    r"|应[用付急]|[换替转变]换|换算|换句话说|停[车留]|另一"
)


# A sentence of one word that is an order, and those that are none.
_ONE_VERB = re.compile(
    r"\A\W*(?:(?:finally|then|and|now|lastly|so|done\?),? )?(?P<verb>[a-z]+)(?: (?:immediately|now|it))?[.!]\W*\Z"
)
_NO_VERBS_ALONE = """
    done enjoy cheers thanks great perfect hello hi hey sure okay ok absolutely certainly understood prost
    congratulations congrats voilà voila bravo good nice yes welcome alright right exactly amen namaste end
    hooray yay finished ready wow awesome excellent wonderful fantastic lovely
"""
_NO_ONE_VERBS = frozenset(_NO_VERBS_ALONE.split())


def demands(said: str, is_own: Callable[[str], bool]) -> bool:
    """Whether a sentence that does not speak of the plan itself demands something.

    Args:
        said: the sentence, in small letters.
        is_own: whether a word is one of what the plan is about, which then demands nothing.
    """
    alone = _ONE_VERB.match(said)
    if alone is not None and alone["verb"] not in _NO_ONE_VERBS:
        return True
    if CHINESE_SIGN.search(said):
        return bool(_STILL_CHINESE.search(said) or _DEMANDS_CHINESE.search(_HARMLESS_CHINESE.sub("", said)))
    if _SIGNS.search(said) or _DENIES_ALL.match(said) or any(not is_own(match[0]) for match in _DEMANDS.finditer(said)):
        return True
    if _CASE.match(said) and not _TELLS.match(said.partition(", ")[2] or said.partition(": ")[2]):
        return True
    return orders(said)


def orders(said: str) -> bool:
    """Whether a sentence in English orders something, as its form shows."""
    if _ORDER.match(said) or _FIRST_ORDER.match(said):
        return True
    clauses = _CLAUSE.split(said)
    for before, clause in pairwise(clauses):
        joined = _CONJUNCTION.match(clause)
        if (joined or before.endswith(":") or _ADVERBIAL.match(before)) and _LATE_ORDER.match(
            clause, joined.end() if joined else 0
        ):
            return True
    return False
