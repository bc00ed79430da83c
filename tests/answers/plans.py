"""Plans by chance, as models write them: short texts of everyday work, in English and Chinese.

Each is valid, has dense ids (1, 2, 2.1, ...) and texts without signs of the format, so that an answer that is made
out of it has one meaning only. Here are also the plans next to a plan: a draft of it, the same without some fields, a
flatter one.
"""

from __future__ import annotations

import copy
import re
from random import Random

from attrs import frozen

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.syntax.fields import reset

__all__ = [
    "DETAILS",
    "draft_of",
    "is_chinese",
    "language_of",
    "random_plan",
    "renumber",
    "with_details",
    "with_flow",
    "with_statuses",
    "without",
]

# ---------------------------------------------------------------- what the plans are about


@frozen
class _Subject:
    """What plans are made of that are about one thing. ``{n}`` stands for a number."""

    titles: tuple[str, ...]
    goals: tuple[str, ...]
    constraints: tuple[str, ...]
    # Text and the variable that comes out of it.
    steps: tuple[tuple[str, str], ...]
    # Texts of steps with others below them.
    groups: tuple[str, ...]
    choices: tuple[str, ...]


def _steps(text: str) -> tuple[tuple[str, str], ...]:
    rows = (row.rpartition(" = ") for row in text.strip().split("\n"))
    return tuple((row.strip(), variable) for row, _, variable in rows)


_ENGLISH = (
    _Subject(
        ("Overhaul of quay crane {n}", "Winter work at the harbour"),
        (
            "Get quay crane {n} back to work before the grain ships come",
            "Renew the hoist of the crane without closing the berth",
        ),
        (
            "No lifting above wind force six",
            "The berth stays open for the pilot boat",
            "Every bolt is replaced, none is used again",
        ),
        _steps("""
            Lock the crane and hang the warning signs at both gates = lockout
            Measure the wear of the hoist rope at {n} points = wear_table
            Read the load records of the last season = load_records
            Order the rope and the sheaves from the dealer in town = parts_order
            Lower the jib onto the trestles with the mobile crane = jib_down
            Grease the slewing ring and turn it by hand = ring_free
            Fit the rope and mark it at every tenth metre = rope_fitted
            Test the brakes with {n} tons of ballast = brake_report
            Photograph the welds of the tower from all sides = weld_photos
            Judge the cracks in the photos by the rule book = weld_findings
            Paint the ladder and the rails of the cabin = paint_log
            Hand the test report to the harbour master = handover
        """),
        ("Take the hoist apart", "Put the hoist together again and test it", "Close the work with the authorities"),
        ("Decide whether the old sheaves can stay", "Choose the day of the load test by the weather"),
    ),
    _Subject(
        ("School trip to the salt mine", "Class {n} goes to the coast"),
        (
            "Bring {n} children to the salt mine and back before six in the evening",
            "Spend a day at the coast with class {n}",
        ),
        (
            "One adult for every eight children",
            "Nobody pays more than {n}",
            "No child without a signed form",
            "The bus has no room for bicycles",
        ),
        _steps("""
            Ask the mine for the times of the guided tours = tour_times
            Write the letter to the parents with date and price = letter
            Collect the signed forms and the money until Monday = forms
            Book a bus with {n} seats for the whole day = bus
            List the allergies and medicines of the class = medical_list
            Find {n} parents who come along = helpers
            Divide the class into groups with one adult each = groups
            Pack the first aid bag and the spare clothes = bags
            Walk through the mine with the groups in two rounds = tour
            Count the children at the gate and in the bus = headcount
            Write the report for the school paper with the class = report
            Pay the bus and hand the receipts to the office = receipts
        """),
        ("Prepare the day with the parents", "Spend the day at the mine", "Bring everybody home"),
        ("Choose the tour by the age of the children", "Decide what happens if it rains"),
    ),
)

_CHINESE = (
    _Subject(
        ("社区图书馆搬迁", "老馆藏书清点"),
        ("三天之内把{n}万册图书搬到新馆并恢复借阅", "在不停止还书的情况下完成图书馆搬迁"),
        ("古籍由专人搬运", "每天下午五点以前收工", "雨天不得搬运图书", "儿童区最先开放"),
        _steps("""
            盘点书架并记录每个书架的册数 = shelf_list
            给每个纸箱贴上书架编号和楼层标签 = labels
            联系搬家公司并确认两辆货车的时间 = trucks
            通知读者闭馆日期和还书地点 = notice
            把古籍装入防潮箱并登记编号 = rare_boxes
            按照书架顺序把图书装入{n}个纸箱 = packed_boxes
            核对新馆书架的尺寸与承重 = shelf_check
            将纸箱运到新馆并按楼层堆放 = delivered
            按照编号把图书放回书架 = placed
            抽查{n}个书架的图书顺序 = spot_check
            恢复借阅系统并打印新的借书证 = system_ready
            整理遗失图书的名单并上报 = missing_list
        """),
        ("完成搬迁之前的各项准备", "分批搬运并重新上架", "恢复开放并总结经验"),
        ("根据天气决定哪一天搬运古籍", "决定是否延长闭馆时间"),
    ),
    _Subject(
        ("春茶采摘与加工", "高山茶园春季计划"),
        ("清明以前采摘并加工{n}担春茶", "用现有人手完成春茶加工并保证品质"),
        ("只采一芽两叶", "当天的鲜叶当天加工", "炒锅温度不得超过规定", "有机茶园不得使用化肥"),
        _steps("""
            查看各片茶园的发芽情况并画出采摘顺序 = pick_order
            招募{n}名采茶工并安排住宿 = crew
            检查炒锅和揉捻机是否完好 = machines
            清晨采摘鲜叶并分片称重 = fresh_leaves
            将鲜叶摊晾四小时并每小时翻动一次 = withered
            分三锅炒制并记录每锅的温度 = roasted
            揉捻成形后低温烘干 = dried
            由两名品茶师独立评分 = scores
            按照评分把茶叶分成{n}个等级 = grades
            包装封箱并写明采摘日期 = packed
            向采茶工结算工钱 = wages
            把当年的记录整理成册 = records
        """),
        ("做好开采之前的准备", "采摘并加工鲜叶", "评级包装并结算"),
        ("根据评分决定是否重新烘干", "决定哪些茶叶留作样品"),
    ),
)

# What is below steps, by language.
DETAILS = {
    "en": (
        "Two people do this together",
        "The list hangs next to the door",
        "Last year this took a whole day",
        "Ask again if nobody answers until noon",
        "Write every number down at once",
        "The form is in the blue folder",
        "Nothing else can start before",
    ),
    "zh": (
        "由两个人一起完成",
        "名单贴在门口的公告栏",
        "去年这一步花了整整一天",
        "如有疑问先问负责人",
        "所有数字当场记录",
        "表格放在蓝色文件夹里",
        "完成以前不得开始下一步",
    ),
}
_RESULTS = {
    "en": ("went well", "took two days", "all there but one", "agreed by phone", "as expected"),
    "zh": ("顺利完成", "用了两天", "只缺一份", "电话确认", "符合预期"),
}


def is_chinese(plan: PlanSpec) -> bool:
    """Whether a plan is written in Chinese."""
    return re.search("[一-鿿]", plan.goal) is not None


def language_of(plan: PlanSpec) -> str:
    """``zh`` or ``en``."""
    return "zh" if is_chinese(plan) else "en"


# ---------------------------------------------------------------- plans by chance


def random_plan(random: Random, *, language: str = "", is_full: bool = False) -> PlanSpec:
    """A valid plan of 3 to about 15 steps.

    Args:
        random: what decides; the same state gives the same plan.
        language: ``en`` or ``zh``; by default either.
        is_full: with everything that a plan can have (title, constraints, nesting, data flow, detail, statuses,
            progress) instead of some of it.
    """

    def has(chance: float) -> bool:
        return random.random() < chance or is_full

    language = language or random.choice(["en", "zh"])
    subject = random.choice(_ENGLISH if language == "en" else _CHINESE)
    constraints = random.sample(subject.constraints, random.randint(2, 3)) if has(0.7) else []
    plan = PlanSpec(
        title=_number(random.choice(subject.titles), random) if has(0.85) else "",
        goal=_number(random.choice(subject.goals), random),
        goal_detail=[random.choice(DETAILS[language])] if has(0.15) else [],
        constraints=[_number(constraint, random) for constraint in constraints],
        steps=_random_steps(subject, random, is_nested=has(0.5)),
    )
    renumber(plan)
    if has(0.8):
        _add_data_flow(plan, dict(_variables(subject)), random)
    if is_full:
        plan = with_flow(plan)
    if has(0.4):
        plan = with_details(plan, random)
    if has(0.33):
        plan = with_statuses(plan, random, [PlanStatus.DONE, *random.sample(list(PlanStatus), 2)])
        _add_results(plan, random, is_full=is_full)
    if random.random() < 0.06:
        for step in iter_steps(plan):
            step.step_name = f"step_{step.step_id.replace('.', '_')}"
    return plan


def _number(text: str, random: Random) -> str:
    return text.replace("{n}", str(random.randint(3, 40)))


def _random_steps(subject: _Subject, random: Random, *, is_nested: bool) -> list[PlanStep]:
    texts = [text for text, _ in subject.steps]
    chosen = random.sample(range(len(texts)), random.randint(4, min(9, len(texts))))
    leaves = [_leaf(texts[at], random) for at in sorted(chosen)]
    if not is_nested:
        return leaves
    steps: list[PlanStep] = []
    groups, choices = [*subject.groups], [*subject.choices]
    while leaves:
        # At least two at the top level.
        size = min(random.randint(2, 4), len(leaves) if steps else len(leaves) - 1)
        run, leaves = leaves[:size], leaves[size:]
        if len(run) >= 2 and groups and (not steps or random.random() < 0.6):
            if len(run) >= 3 and choices and random.random() < 0.4:
                run[1:] = [PlanStep("1", step_type="decide", description=choices.pop(), children=run[1:])]
            steps.append(PlanStep("1", step_type="subtask", description=groups.pop(0), children=run))
        else:
            steps += run
    return steps


def _leaf(text: str, random: Random) -> PlanStep:
    return PlanStep("1", step_type=random.choice(["act", "act", "reason"]), description=_number(text, random))


def _variables(subject: _Subject) -> list[tuple[str, str]]:
    # By the beginning of the text: what follows may hold a number.
    return [(text.partition("{n}")[0], variable) for text, variable in subject.steps]


def _add_data_flow(plan: PlanSpec, variables: dict[str, str], random: Random) -> None:
    made: list[str] = []
    for step in iter_steps(plan):
        mine = [variable for text, variable in variables.items() if step.description.startswith(text)]
        if made and not step.children and random.random() < 0.6:
            step.inputs = random.sample(made, min(len(made), random.randint(1, 2)))
        if mine and random.random() < 0.85:
            step.outputs = [mine[0], f"{mine[0]}_notes"] if random.random() < 0.2 else mine[:1]
            made += step.outputs


def _add_results(plan: PlanSpec, random: Random, *, is_full: bool) -> None:
    results = _RESULTS[language_of(plan)]
    for step in iter_steps(plan):
        if step.status is PlanStatus.DONE and random.random() < 0.5:
            step.result = random.choice(results)
        if step.children and (is_full or random.random() < 0.3):
            step.done_count, step.total_count = random.randint(0, 3), random.randint(3, 9)


# ---------------------------------------------------------------- plans next to a plan

# As they follow each other in a plan at work.
_AT_WORK = [PlanStatus.DONE, PlanStatus.SKIPPED, PlanStatus.ACTIVE, PlanStatus.BLOCKED, PlanStatus.PENDING]


def renumber(plan: PlanSpec) -> PlanSpec:
    """Give all steps dense ids, in place: 1, 2, 2.1, ..."""
    levels = [("", plan.steps)]
    while levels:
        lead, steps = levels.pop()
        for number, step in enumerate(steps, 1):
            step.step_id = f"{lead}{number}"
            levels.append((f"{step.step_id}.", step.children))
    return plan


def without(plan: PlanSpec, *names: str) -> PlanSpec:
    """A copy of a plan whose steps lack these fields; ``progress`` stands for its two counts."""
    plan = copy.deepcopy(plan)
    counts = ("done_count", "total_count") if "progress" in names else ()
    for step in iter_steps(plan):
        reset(step, *(name for name in names if name != "progress"), *counts)
    return plan


def with_details(plan: PlanSpec, random: Random) -> PlanSpec:
    """A copy of a plan some of whose steps have detail, at least one."""
    plan = copy.deepcopy(plan)
    steps = [step for step in iter_steps(plan) if not step.children]
    details = DETAILS[language_of(plan)]
    for step in random.sample(steps, max(1, len(steps) // 3)):
        step.detail = random.sample(details, random.randint(1, 2))
    return plan


def with_statuses(plan: PlanSpec, random: Random, statuses: list[PlanStatus]) -> PlanSpec:
    """A copy of a plan, at work in its order: steps without others below have each of these statuses at least once.

    The rest of them is done, if that is among the statuses, or pending. No results.
    """
    plan = without(plan, "status", "result", "progress")
    leaves = [step for step in iter_steps(plan) if not step.children]
    wanted = [*dict.fromkeys(statuses)][: len(leaves)]
    others = [PlanStatus.DONE, PlanStatus.PENDING] if PlanStatus.DONE in wanted else [PlanStatus.PENDING]
    wanted += random.choices(others, k=len(leaves) - len(wanted))
    for step, status in zip(leaves, sorted(wanted, key=_AT_WORK.index), strict=True):
        step.status = status
    if PlanStatus.DONE in statuses:
        for step in iter_steps(plan):
            if step.children and all(one.status is PlanStatus.DONE for one in iter_steps(step) if not one.children):
                step.status = PlanStatus.DONE
    return plan


def draft_of(plan: PlanSpec, random: Random) -> PlanSpec:
    """Another plan for the same goal: without one of its steps, and with others in another order."""
    draft = without(plan, "status", "result", "progress", "step_name")
    steps = draft.steps
    if len(steps) > 2:
        steps = steps.copy()
        steps.pop(random.randrange(len(steps)))
    draft.steps = [*steps[1:], steps[0]]
    return renumber(draft)


def with_flow(plan: PlanSpec) -> PlanSpec:
    """A copy of a plan in which a variable list of two comes out of one step and goes into another."""
    plan = copy.deepcopy(plan)
    leaves = [step for step in iter_steps(plan) if not step.children]
    leaves[0].outputs = [*(leaves[0].outputs or ["first_list"]), "open_points"]
    leaves[-1].inputs = leaves[0].outputs[-2:]
    return plan
