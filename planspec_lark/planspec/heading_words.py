"""The words of headings and labels, in English and Chinese, by what they head: each in one place.

All expressions that find such words are made from this table. Where a word heads something only in one place, or only
together with others, it is in the expression itself.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = [
    "HEADER_KINDS",
    "HEADER_WORDS",
    "NUMBER_WORDS",
    "chinese_of",
    "english_of",
    "heads_asides",
    "heads_no_steps",
    "names_no_plan",
    "names_part_of_text",
    "words_of",
]

_compile = cache(re.compile)
# What the parts of a plan are called where nothing else is said, in small letters.
HEADER_WORDS = {
    "title": ("plan", "title", "plan title", "计划", "标题", "计划标题", "计划名称"),
    "goal": (
        *("goal", "goals", "objective", "objectives", "the goal", "目标", "目的", "总目标"),
        *("main goal", "overall goal", "project goal"),
        *("ziel", "objectif", "objetivo", "obiettivo"),
    ),
    "constraints": (
        *("constraint", "constraints", "requirements", "ground rules", "rules", "limitations"),
        *("the constraints", "the rules", "rules to follow", "rules to respect", "limits", "conditions"),
        *("约束", "约束条件", "限制", "限制条件", "要求", "基本要求", "规则"),
        *("bedingungen", "rahmenbedingungen", "contraintes", "restricciones"),
    ),
    "steps": (
        *("step", "steps", "plan steps", "action steps", "the steps", "action plan", "steps to take", "what to do"),
        *("tasks", "task list", "todo list", "to-do list", "action items"),
        *("execution steps", "implementation steps", "detailed steps"),
        *("步骤", "执行步骤", "实施步骤", "计划步骤", "具体步骤", "行动步骤", "操作步骤"),
        *("行动计划", "执行计划", "实施计划", "任务列表", "任务清单", "待办事项"),
        *("schritte", "étapes", "pasos"),
    ),
}
HEADER_KINDS = {word: kind for kind, words in HEADER_WORDS.items() for word in words}

# What stands before the number of a step.
NUMBER_WORDS = "(?i:step|phase|stage)|步骤|阶段|第"

# By what they head: words in English, which stand by themselves, and words in Chinese, wherever they stand.
_WORDS = {
    "steps": ("steps?", "步骤"),
    "phases": ("phases?|stages?", "阶段"),
    "times": ("weeks?|days?|months?|hours?|minutes?|years?", ""),
    "timeline": ("timeline|overview", ""),
    "things": ("materials?|tools?|equipment|supplies|shopping list", "材料|工具"),
    "ingredients": ("ingredients", ""),
    "lists": ("packing list", "清单|名单"),
    "advice": ("tips?|notes?|hints?|remarks?|faq", "贴士|备注|提示|注意"),
    "questions": ("questions?", "问题"),
    "summaries": ("summary|conclusion|recap", ""),
    "overviews": ("overview|introduction|intro|background|context|summary", "概述|概览|简介|引言|背景"),
    "notes": ("background|assumptions?|disclaimer|rationale|takeaways?", ""),
    "mistakes": ("mistakes?|reasons?|myths?", "原因|误区"),
    "risks": ("risks?|problems?|failed|wrong|riscos|riesgos|risques|risiken", "风险"),
    "merits": ("pros|cons|(?:dis)?advantages?|benefits|drawbacks", "优点|缺点|好处|坏处"),
    "facts": ("team|roles?|attendees|participants|contacts?|budget|facts?", "分工|联系人|预算|原则"),
    "examples": ("examples?|samples?", "示例|样例"),
    "rules": ("rules?|lessons?", ""),
    # What tells of work that has been done, and what has been found; what is measured in the end.
    "reports": (
        "changes(?: made| so far)?|summary of (?:the |all )?changes|change ?log|release notes|accomplishments?"
        "|achievements?|completed(?: (?:work|tasks?|items?|steps?|features?))?|done(?: so far)?"
        "|(?:work|tasks?|items?|steps?) (?:completed|done|finished)|progress(?: (?:report|update|so far))?"
        "|what(?:['’]s| has| is| was| have| i| we)(?: \\w+){0,2}? (?:completed|done|finished|changed|new|built|fixed)"
        "|what changed|what(?:['’]s)? (?:works|working|we did)|highlights|features|improvements(?: made)?"
        "|lessons learned"
        "|(?:test )?results?|outcomes?|(?:bug )?fixes(?: applied)?|(?:issues|bugs) fixed|summary of (?:the )?work"
        "|(?:files|code) (?:changed|modified|created|added)|(?:changed|modified|new) files|implemented features"
        "|decisions(?: made)?|status|state|done this week",
        "(?:実装)?完了(?:した)?(?:作業|内容|項目)|実装内容|(?:测试)?结果|(?:工作)?总结|结论|经验教训|(?:修改|改动|变更|新增)的?文件|(?:修复|解决)的?(?:问题|内容)|已修复|变更|完成情况"
        "|已完成的?(?:工作|任务|内容|事项|部分)?|(?:变更|修改|更新|改动)(?:说明|内容|记录|总结|日志|情况)|成果|进展(?:情况)?"
        "|(?:功能)?特性",
    ),
    "findings": (
        "findings?|blockers?|bugs?|insights?|observations?|references|limitations|(?:known |open |remaining )?issues"
        "|fontes|fuentes|quellen|refer[eê]ncias"
        "|areas (?:for|of) improvement|recommendations|deliverables",
        "发现|洞察|(?:发现|存在|已知|遗留)的?问题|参考(?:资料|文献)|局限性?|改进(?:点|建议|空间)|交付物",
    ),
    # What a plan is about, uses or is used by, where it is the title of a list.
    "matters": (
        "components?|technolog(?:y|ies)|tech(?:nology)? stack|resources|dependencies|prerequisites|success factors"
        "|use cases|user stories|scope|non-goals|architecture|team|stakeholders|best practices|conventions"
        "|open questions",
        "(?:已实现的?|新增)?功能|技术栈|问题|依赖|前置条件|架构|团队|优化点",
    ),
    "criteria": ("criteria|criterion|metrics|kpis?|definition of done", "(?:验收|成功|完成)标准|.{0,4}指标"),
    "best": ("best|worst", ""),
    "ways": ("ways?", ""),
    "options": ("options?|ideas?", ""),
    "choices": ("choose|pick|either", ""),
    # What labels something that is told of steps, and what may label a step as well.
    "labels": (
        r"(?:(?:key|main|phase|expected|estimated|possible|acceptance|success|exit|entry|completion|done|out of|due"
        r"|start|end|time|tech|definition of) )*"
        r"(?:acceptance|criteri(?:a|on)|done(?: when)?|deliverables?|deliver(?:y|ies)|risks?|issues?|notes?|files?"
        r"|results?|outcomes?|outputs?|inputs?|dependenc(?:y|ies)|depends on|dependent on|requires|needs|prerequisites?"
        r"|preconditions?|priority|assignees?|assigned to|owners?|responsible|responsibility|blocked by|blocks"
        r"|blockers?|estimates?|effort|duration|time|timeline|timeframe|timing|when|due|dates?|deadline|goals?|objectives?|aims?"
        r"|purpose|focus|rationale|why|reasons?|costs?|budget|tools?|materials?|resources?|stack|technolog(?:y|ies)"
        r"|references?|links?|docs|milestones?|warnings?|caution|important|tips?|hints?|constraints?|assumptions?"
        r"|location|where|who|scope|comments?|complexity|difficulty|impact|severity|tags?|mitigations?|metrics?|kpis?"
        r"|stakeholders?|team|status|examples?|context|background|description|summary)",
        "(?:主要|关键|预期|预计|预估|阶段|所需|需要|验收|完成|成功|最终|前置|截止|潜在|可能)*"
        "(?:标准|交付物?|成果|产出物?|结果|依赖项?|条件|前提|风险点?|备注|说明|注意?|事项|提示|负责人?|责任人|执行人|参与人"
        "|人员|优先级|工期|工时|工作量|时间|耗时|用时|周期|日期|期限|目标|目的|里程碑|预算|成本|费用|资源|工具|材料|输入|输出"
        "|指标|状态|范围|约束|参考|地点|背景|原因|理由|应对|措施|关键点|要点)",
    ),
    "doubtful_labels": (
        "verification|validation|tests?|requirements?|reviews?|checks?|checkpoints?|rollback|commands?|actions?",
        "验收|验证|测试|要求|检查|评审|回滚",
    ),
    # What tells of something, and orders nothing.
    "telling": (r"avoid|remaining|refus\w*|bring|lost|understand|recogni[sz]e|spot|identify|broke", ""),
    # What stands before a word for notes.
    "any_notes": (
        "an?|the|your|my|a few|few|some|one|two|three|other|last|little|small|short|brief|quick|rough|estimated|general"
        "|common|typical|usual|key|important|final|additional|further|extra|bonus|side|safety|pro|helpful|useful|handy"
        "|practical",
        "",
    ),
}


def english_of(*kinds: str) -> str:
    """An expression for a word in English of some kinds, without what bounds it."""
    return "|".join(_WORDS[kind][0] for kind in kinds)


def chinese_of(*kinds: str) -> str:
    """The same for a word in Chinese."""
    return "|".join(_WORDS[kind][1] for kind in kinds)


def words_of(*kinds: str, english: str = "", chinese: str = "") -> str:
    """An expression that finds a word of some kinds, or one of more words that are given as expressions."""
    signs = "|".join(part for part in (*(_WORDS[kind][1] for kind in kinds), chinese) if part)
    words = "|".join(part for part in (english_of(*kinds), english) if part)
    return rf"(?i:\b(?:{words})\b{'|' if signs else ''}{signs})"


# How a heading calls what is no list of steps: a word for that, and what it is said of. With a verb, it may be work.
_QUALITIES = (
    "the|an?|our|my|your|all|some|key|main|major|top|core|new|open|recent|latest|final|current|important|potential"
    "|possible|expected|known|biggest|overall|project|product|business|technical"
)
_QUALITIES_CHINESE = "(?:主要|关键|潜在|项目|重要|核心|本次|本周|最近)*的?"
_OF = "(?:,? (?:of|for|in|from|with|to|being|identified|found|during)\\b.*)?"
_VERBS = (
    "add|adopt|build|change|check|clean|collect|configure|create|define|document|draft|enforce|export|fix|follow|gather"
    "|implement|import|improve|introduce|learn|make|measure|migrate|move|plan|port|publish|refactor|remove|replace|review"
    "|revise|rewrite|set|simplify|test|tighten|track|translate|update|write"
)
_LISTS = english_of("risks", "findings", "merits", "mistakes")
_ENDS = english_of("criteria", "rules")
_NO_STEPS = (
    rf"(?i)[\W\d]*+(?:(?:{_QUALITIES}) ){{0,3}}(?:{_LISTS})(?: (?:and|&) \w+)?{_OF}\W*"
    rf"|[\W\d]*+(?!(?:{_VERBS})\b)(?:[\w'’-]++ ){{0,3}}(?:{_ENDS}|guidelines|principles){_OF}\W*"
    rf"|[\W\d]*+{_QUALITIES_CHINESE}(?:{chinese_of('findings', 'criteria', 'risks')})(?:[与和及].{{1,6}})?\W*"
    r"|(?!制定|编写|更新|修改|添加|配置|实现).{0,8}(?:规则|守则|准则|原则)\W*"
)
_NO_PLAN = (
    rf"(?i)[\W\d]*+(?:(?:{_QUALITIES}|coding) ){{0,3}}(?:{english_of('reports', 'matters')})(?: (?:and|&) \w+)?\W*"
    rf"|[\W\d]*+{_QUALITIES_CHINESE}(?:{chinese_of('reports', 'matters', 'merits')})(?:[与和及].{{1,6}})?\W*"
)

# Characters of a heading that says nothing but what it heads.
_SHORT = 60
# What is told beside steps: what was decided and learned, what is left, what belongs to the work.
_ASIDES = (
    r"(?i)\W*(?:(?:open|known|key|main|other|important|project|current|external|past|possible|potential|next|stretch|post"
    r"|the|and|&) )*"
    rf"(?:{english_of('labels', 'notes', 'summaries')}|decisions?|lessons?|learnings?|errors?|future|goals|backlog"
    r"|logs?|follow-?ups?|parking lot|nice[ -]to[ -]haves?|changelog|history|appendix|limitations?|concerns?"
    r"|enhancements?|improvements?|ideas?|extras?)"
    r"(?: (?:made|learned|encountered|work|ideas?|enhancements?|improvements?|plans?|steps|considerations?|scope|items"
    r"|log|tracking|and|&|or|dependencies|risks|links|metrics|criteria|planned|changed|needed|required))*\W*"
    r"|\W*(?:主要|关键|项目|外部|相关|未来|后续|已知|遇到的?|待定|其他|重要|经验)*"
    r"(?:参考(?:资料|文献|链接)?|资料|链接|交付(?:物|成果)?|成果|优化(?:方向)?|改进|扩展|展望|决策|决定|依赖项?|指标"
    r"|阻塞项?|障碍|错误|经验|教训|总结|附录|假设|资源|里程碑|日志|记录)\W*"
    r"|\W*(?:后续|未来)(?:工作|计划|安排)\W*"
    rf"|\W*{words_of('labels')}\W*"
)

_PARTS = (
    rf"(?:{english_of('overviews')}|scope|details|(?:current|target|desired) state)|{chinese_of('overviews')}|现状|范围"
)


def heads_no_steps(heading: str) -> bool:
    """Whether a heading is that of a list of what is no steps: of risks, findings, rules."""
    return _compile(_NO_STEPS).fullmatch(heading) is not None


def names_no_plan(title: str) -> bool:
    """Whether a title is such a heading, or that of a report or a list of things."""
    return heads_no_steps(title) or _compile(_NO_PLAN).fullmatch(title) is not None


def heads_asides(heading: str) -> bool:
    """Whether all of a heading, which has no number, says that below it is what is told beside steps."""
    return len(heading) <= _SHORT and _compile(_ASIDES).fullmatch(heading) is not None


def names_part_of_text(heading: str) -> bool:
    """Whether a heading is that of the goal or the steps of a plan, or of a text about it, and says nothing else."""
    name = heading.strip(" *_:：").lower()
    return HEADER_KINDS.get(name) in ("title", "goal", "steps") or _compile(_PARTS).fullmatch(name) is not None
