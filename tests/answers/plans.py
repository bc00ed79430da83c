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
        ("Spring banquet", "Dinner for the rowing club"),
        (
            "Serve {n} guests a warm dinner with one cook and two helpers",
            "Feed the rowing club for less than {n} a head",
        ),
        (
            "No nuts in any dish",
            "The kitchen closes at eleven",
            "Only one oven is free before noon",
            "Two guests eat no gluten",
        ),
        _steps("""
            Ask the guests what they can not eat = diets
            Write a menu for {n} people with one dish for each diet = menu
            Order vegetables and fish from the market hall = order
            Borrow {n} plates from the sailing school = plates
            Peel the potatoes and keep them in cold water = potatoes
            Simmer the stock for the fish soup = stock
            Bake the bread in the big oven = bread
            Taste the soup and season it with lemon = soup
            Lay the tables in the boat house = tables
            Send the plates out in the order of the tables = served
            Compare the bill with the budget of the club = balance
            Clean the stoves and return the keys to the warden = keys
            Label the leftovers with the date of today = leftovers
        """),
        (
            "Prepare everything that keeps until the evening",
            "Cook and serve the warm courses",
            "Clear away after the last guest",
        ),
        ("Choose the dessert by what the market has", "Decide whether the tables stand outside"),
    ),
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
        ("Customer database to version {n}", "Move of the order tables"),
        (
            "Move {n} million orders to the new cluster without losing one",
            "Upgrade the customer database in one night window",
        ),
        (
            "No write is lost",
            "At most {n} minutes without service",
            "Every command is in the runbook before the night",
            "Backups stay for a year",
        ),
        _steps("""
            Count the rows of every table in the old cluster = row_counts
            Copy the schema and compare it with the old one = schema_diff
            Start the replication and wait for the lag to fall below {n} seconds = replica
            Rehearse the switch with the traffic of last Friday = rehearsal
            Find the queries that got slower in the rehearsal = slow_queries
            Add the missing indexes on the new cluster = indexes
            Announce the window to the shops and the call centre = notice
            Stop the writers and note the last sequence number = last_number
            Point the services to the new cluster = switch_log
            Compare counts and checksums of both clusters = checksums
            Watch the error rate for {n} minutes after the switch = error_rate
            Keep the old cluster readable for two weeks = fallback
        """),
        ("Prepare the new cluster", "Switch over in the night window", "Clean up after a quiet week"),
        ("Decide on going back if a checksum differs", "Choose the night by the load of the shops"),
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
    _Subject(
        ("Soil samples of lot {n}", "Heavy metals in the allotments"),
        (
            "Report the lead content of {n} garden plots to the town council",
            "Find out which plots of lot {n} can grow vegetables",
        ),
        ("Every result is measured twice", "Samples stay below eight degrees", "No result leaves the lab unsigned"),
        _steps("""
            Draw a map of the plots with {n} sampling points = sample_map
            Take the samples with the clean auger = samples
            Dry the samples at forty degrees over night = dry_samples
            Sieve the dry soil and fill it into numbered vials = vials
            Dissolve one gram of each vial in acid = solutions
            Calibrate the spectrometer with five standards = calibration
            Measure the solutions in blocks of {n} = raw_values
            Look for drift between the blocks = drift_note
            Compare the values with the limits for vegetables = exceedances
            Write to the gardeners of the plots with high values = letters
            Archive the vials for the second lab = archive
        """),
        ("Bring the samples into the lab", "Measure lead and cadmium", "Tell the council and the gardeners"),
        ("Decide which plots are measured again", "Choose the acid by the clay in the soil"),
    ),
    _Subject(
        ("Apple harvest in the lower orchard", "Harvest of {n} hectares"),
        (
            "Pick and store {n} tons of apples before the first frost",
            "Bring the late apples in with the crew of last year",
        ),
        (
            "Nobody climbs when the ladders are wet",
            "Organic rows are picked first",
            "The cold store takes {n} crates at most",
        ),
        _steps("""
            Test the sugar of ten apples from every row = sugar_values
            Fix the order of the rows by the test = row_order
            Hire {n} pickers and rent the caravans for them = crew
            Check the ladders and throw away the broken ones = ladders
            Wash the crates and stack them at the end of each row = crates
            Pick the rows and leave the fallen fruit for juice = picked
            Sort the apples by size on the belt = graded
            Weigh every pallet and write the weight on the card = weights
            Cool the store to two degrees before the first pallet = cold_store
            Press the fallen fruit with the mobile press = juice
            Pay the pickers by the weight of their crates = wages
        """),
        ("Get the orchard ready", "Pick, sort and store the fruit", "Settle the season"),
        ("Decide whether the press comes twice", "Choose the buyer of the small apples"),
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
    _Subject(
        ("订单数据库升级", "会员系统迁移"),
        ("在一个夜间窗口内把订单数据库升级到新版本", "把{n}万条会员记录迁移到新集群并且不丢数据"),
        ("停机时间不超过{n}分钟", "任何写入都不能丢失", "每条命令都要先写进操作手册", "旧集群保留两周"),
        _steps("""
            统计旧集群每张表的行数 = row_counts
            导出表结构并与新版本比较 = schema_diff
            建立主从同步并观察延迟 = replica
            用上周五的流量演练切换过程 = rehearsal
            找出演练中变慢的查询语句 = slow_queries
            在新集群上补建缺少的索引 = indexes
            通知门店和客服停机时间 = notice
            停止写入并记下最后的序号 = last_number
            把全部服务指向新集群 = switch_log
            核对两边的行数与校验值 = checksums
            切换之后观察{n}分钟的错误率 = error_rate
            写出复盘报告并归档 = review
        """),
        ("准备新的集群", "在夜间窗口完成切换", "确认稳定之后清理旧环境"),
        ("校验值不一致时决定是否回退", "根据门店流量决定切换日期"),
    ),
    _Subject(
        ("校园旧书义卖", "六年级义卖活动"),
        ("在校园里举办旧书义卖并为山区学校筹款", "用一个下午卖出{n}箱旧书"),
        ("每本书的价格不超过十元", "现金由两名老师共同保管", "活动在放学以前结束", "不得占用消防通道"),
        _steps("""
            向校长申请场地和时间 = permit
            写倡议书并发给{n}个班级 = appeal
            收集旧书并登记书名和捐书人 = book_list
            挑出破损的图书并送去回收 = sorted_books
            给图书定价并贴上价格标签 = priced_books
            制作海报并张贴在校门口 = posters
            给每个班级安排摊位和值班同学 = stalls
            准备零钱和收款登记表 = cash_box
            按照摊位摆放桌椅和图书 = set_up
            当天下午开始义卖并记录每一笔收入 = income
            清点余款并由两名老师签字 = balance
            把善款寄给山区学校并公布账目 = donation
        """),
        ("完成义卖之前的准备", "布置场地并举行义卖", "公布结果并感谢捐书人"),
        ("下雨时决定是否改到体育馆", "决定剩余的图书如何处理"),
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
