"""The words of talk about plans, in English and Chinese.

A sentence of such words, and of those of the plan itself, says nothing new. So no word is among them that denies,
restricts, puts off, compares, adds or orders: `only`, `before`, `also`, `wrong`, `draft`, `instead`, 不, 先, 再, 改.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

__all__ = [
    "ACTIONS",
    "BASE_FORMS",
    "CHINESE",
    "CHINESE_SIGN",
    "COUNTS",
    "ENGLISH",
    "NOTES",
    "NOTES_CHINESE",
    "RELATIVE",
    "UNSETTLING",
    "VETO",
    "VETO_CHINESE",
    "VETO_FOREIGN",
    "Form",
    "any_of",
    "one_of",
]

CHINESE_SIGN = re.compile(r"[\u3400-\u9fff]")


def any_of(words: str, *forms: str) -> re.Pattern[str]:
    """What finds any of some words, given with blanks between them, or a form, given as an expression."""
    return re.compile(rf"\b(?:{'|'.join((*words.replace('*', r'[a-z]*').split(), *forms))})\b")


def one_of(*forms: str) -> str:
    """An expression for any of some expressions."""
    return f"(?:{'|'.join(forms)})"


@frozen
class Form:
    """A form of sentences that is looked for only where one of its words is, which is found much sooner.

    Attributes:
        pattern: the form.
        words: parts of words, one of which is in every sentence of the form that has no signs beyond ASCII.
    """

    pattern: re.Pattern[str]
    words: Sequence[str]

    @classmethod
    def of(cls, words: str, *forms: str) -> Form:
        """A form of some expressions, with its words joined by bars."""
        return cls(re.compile("|".join(forms)), words.split("|"))

    def is_in(self, said: str) -> bool:
        """Whether a sentence in small letters has the form."""
        is_likely = not said.isascii() or any(map(said.__contains__, self.words))
        return is_likely and self.pattern.search(said) is not None


_POINTERS = """
    a an the this that these those it its it's they them their they're each every both all any everything whole
    entire i i'm i've i'll i'd me my we we've we'll us our you you're you've you'll your yourself user reader who
    what how why where which below above x owner back instructions recommendation suggestion low proceed gave here
    here's there there's there're that's one ones thing things
"""
_PARTICLES = """
    of to in on at by with for from into as about around between through across within during under up out down off
    over and or so is are was were been am do does did has have had can will let let's along together per plus now
    right very quite really fully easily clearly exactly directly quickly simply well overall roughly immediately
    automatically carefully simultaneously successfully far
"""
_THINGS = """
    plan plans planning planspec step steps task tasks goal goals objective constraint constraints requirement
    requirements list order sequence format text answer response output outputs input inputs result results type
    types act acts reason reasons decide subtask subtasks action actions detail details information request needs
    budget time times day days hour hours minute minutes week weeks schedule deadline total summary overview
    explanation duration number numbers size structure way approach method work progress dependency dependencies
    feedback question questions help support end job start point kind name names id ids line lines arrow bracket
    brackets mark marks tool tools trip journey path flow effort cost costs money word words date dates everyday
    conditions state status checklist document documents note tip preparation human humans machine machines
    deliverable deliverables milestone milestones phase phases stage stages outcome outcomes purpose resources
    command commands mind test team sub title titles quality balance clarity ease role roles variable variables
"""
ACTIONS = """
    covers cover contains contain consists consist includes include follows follow keeps keep stays stay takes take
    uses use need produces produce gives give gets get ensures ensure makes make respects respect considers consider
    leads lead gathers treats helps allows allow lets brings bring shows show describes describe splits lasts holds
    meets meet fits fit aims focuses focus provides provide prevents prevent avoids avoid reduces reduce handles
    assigns combines separates fulfils fulfills fulfil satisfies satisfy complies works runs run builds build ends
    starts begins goes go comes come reaches reach find finds arrive arrives track carries turns saves save guides
    guide executes execute performs know see read write written doing going making using following taking giving
    keeping happen happens understand looks look serves serve supports suggest recommend propose came matches match
    sums outlines lists specifies presents reflects addresses accounts corresponds guarantees secures enables offers
    delivers remains becomes achieves accomplishes requires breaks moves connects links declares tells says depend
    depends prepare prepares
"""
_QUALITIES = """
    done complete completed finished ready pending reached met kept made given structured split grouped ordered
    numbered listed marked arranged built intended based designed limited planned prepared included covered needed
    required used produced created adapted explained described broken tailored checked executed followed formatted
    organized organised respected considered contained ensured fulfilled satisfied combined handled achieved gathered
    running parts independent sequential manageable doable feasible realistic straightforward self planner logical
    natural short simple easy quick clear compact concise brief small long longest shortest most important main key
    concrete detailed full good great nice possible useful helpful practical same single available local able sure
    suitable sufficient enough relaxed safe happy smooth smoothly comfortable efficient effective new updated revised
    final corrected improved requested suggested recommended proposed lovely little buying experienced easier aligned
    transparent traceable accessible respective respectively such therefore thus hence accordingly thereby estimated
    necessary active parallel linear readable consistent valid flexible adaptable robust solid balanced thorough
    comprehensive achievable
"""
_OPENERS = """
    certainly absolutely okay ok alright yes hello hi hey bye goodbye moment dear understood thanks thank please got
    according regarding
"""
ENGLISH = frozenset("".join((_POINTERS, _PARTICLES, _THINGS, ACTIONS, _QUALITIES, _OPENERS)).split())
# A sentence that begins with one of these gives an order.
_BASE_FORMS = """
    mind test cover contain include follow keep stay take use need produce give get ensure make respect consider lead
    help allow bring show describe meet fit focus provide prevent avoid reduce work run build end start go come reach
    find arrive track save guide execute know read write do decide order list mark split
"""
BASE_FORMS = frozenset(_BASE_FORMS.split())
# What denies, restricts, puts off, compares or doubts.
_VETO = """
    not cannot never nothing nobody none neither nor no only except unless instead rather otherwise but although
    though however wrong missing incomplete twice half skip drop omit ignore swap reverse forget forgot actually wait
    later tomorrow yesterday mistake draft optional perhaps maybe unsure doubt
"""
VETO_FOREIGN = "nur nicht kein keine keinen keiner sofern bevor sollte seulement sauf jamais sinon"
VETO = frozenset(f"{_VETO} {VETO_FOREIGN}".split())
# What obliges, asks, takes back, leaves open or calls something a sample, whatever it is said of. A star stands for any
# letters.
UNSETTLING = """
    must shall ought necessar* supposed please provided assuming permitting agree* approve approves approved
    confirm* signed signs pending unapproved maximum meanwhile another different alternativ* variant variants
    cheaper oops apolog* hm hmm reflection void joke fiction* nonsense pointless lack* unfinished todo tbd wip
    sketch* placeholder* attach* annex veto* imagin* cancel* bug bugs broke violat* contradict* obsolete supersed*
    invalid incorrect uncertain unclear untested unchecked unverified unnecessary proposal debate inspiration
    illustrat* demonstrat* example examples tentative provisional preliminary hypothetical* discuss* skip* omit*
    ignor* swap* revers* opposite delet* insert* belong belongs postpon* halt* redo*
"""
# What says where or under which condition something is done: it may be a word of the plan, and is news all the same.
_RELATIVE = """
    provided without assuming assume before until yet still example sample template first second third fourth fifth
    last next then later after again also more another other different should must may might would could if when once
    while till too early late top bottom earlier already decided
"""
RELATIVE = frozenset(_RELATIVE.split())
# Words and phrases of Chinese; of several at one place, the longest counts.
_CHINESE = """
    计划 方案 步骤 步 第 每 个 这 那 这个 这份 这样 此 该 本 以上 上述 上面 以下 下面 如下 下列 就是 是 的 了 和 与
    及 并 在 为 为了 由 从 到 把 将 被 也能 能 会 有 共 共有 一共 总共 分 分为 分成 包括 包含 涵盖 覆盖 完成 完毕
    完整 全部 所有 整个 全程 过程 大约 约 预计 需要 耗时 用时 最耗时 时间 小时 分钟 天 半天 一个 两个 几个 均 都 很
    简单 易行 明了 清晰 简洁 简短 具体 可行 合理 紧凑 详细 实用 高效 顺利 轻松 即可 就行 就可以 可以 按 按照 根据
    依据 基于 考虑 考虑到 兼顾 预算 要求 需求 目标 约束 条件 格式 规范 符合 满足 遵循 遵守 确保 保证 避免 帮助 帮 您
    你 您的 你的 我 我们 我的 给 请 看 见 查看 输出 输入 结果 产出 得到 用于 用在 使用 执行 开始 到此 结束 依次 顺序
    排列 安排 任务 拆解 拆分 好的 好 当然 没问题 收到 明白 明白了 马上 立即 现在 已 已经 生成 制定 编写 整理 规划
    准备 准备好 推荐 建议 提供 采用 更新 更新后 修改后 最终 行动 类型 推理 决策 子任务 状态 标记 改为 说明 总结 总之
    简而言之 休息 就 后 中 里 来 让 让我 让我们 一步一步 一步步 地 所 要 想 时 信息 见下 下 请问 关键 重要 主要 目的
    成果 阶段 资源 团队 质量 清楚 明确 逐步 循序渐进 便于 理解 跟踪 检查 实现 达成 达到 所需 相关 各 各个 其中 分别
    对应 涉及 适合 方便 好了 两部分 合起来 取决于 前后 内容 补充 据此 有限 尽量 精简 后您 之间 没有依赖 没有依赖关系
    相互 独立 依赖关系 清单 列出 写 写成 严格 供 进行 出行 旅行 旅程 行程 迟到 谢谢 阅读 感谢 之 其 它 它们 说 可 以
    对 次 份 一切 不复杂 不难 直接 给出 帮您 帮你 您要 达 到达 而 因为 因此 所以 从而 以便
"""
CHINESE = frozenset(_CHINESE.split())
VETO_CHINESE = "不没未别勿只仅但否缺漏错暂假反"
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
COUNTS = {word: number for number, word in enumerate(_NUMBERS.split(), 1)}
COUNTS |= {sign: number for number, sign in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
# Labels and headings of what is no part of a plan.
_NOTES = """
    note notes tip tips hint hints remark remarks risk risks why explanation explanations rationale reason reasons
    reasoning overview summary context background question questions answer answers result output plan task topic
    title subject date version format language legend key user assistant request changes changed status author source
    sources reference references link links disclaimer here sure okay hello dear
"""
NOTES = frozenset(_NOTES.split())
_NOTES_CHINESE = """
    说明 提示 贴士 备注 注意 风险 原因 为什么 解释 问 答 总结 小结 图例 背景 主题 日期 版本 来源 参考 进度 变更 以上
    您好 你好
"""
NOTES_CHINESE = tuple(_NOTES_CHINESE.split())
