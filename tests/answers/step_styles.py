"""Styles of steps: their numbers, statuses, bodies and types."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from random import Random

from attrs import evolve

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps
from tests.answers.answer import (
    STYLES,
    Answer,
    accepted,
    choose,
    in_doubt,
    look_of,
    opening_of,
    style,
)
from tests.answers.looks import Look, OfStep, nothing, write
from tests.answers.plans import (
    is_chinese,
    shallow,
    with_constraints,
    with_details,
    with_flow,
    with_nesting,
    with_statuses,
    without,
)

__all__ = ["EMOJIS", "cased", "last_number", "of_status"]

# ---------------------------------------------------------------- numbers


def last_number(step: PlanStep) -> str:
    return step.step_id.rpartition(".")[2]


def _letter(step: PlanStep) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[int(last_number(step)) - 1]


def _numbered(spelling: str, gap: str, plan: PlanSpec, random: Random) -> Answer:
    """Another spelling of the same numbers."""
    return look_of(plan, random, number=lambda step: spelling.format(step.step_id), gap=gap)


STYLES["numbers_paren"] = partial(_numbered, "{})", " ")
STYLES["numbers_parens"] = partial(_numbered, "({})", " ")
STYLES["numbers_full_width_parens"] = partial(_numbered, "（{}）", "")
STYLES["numbers_ideographic"] = partial(_numbered, "{}、", "")
STYLES["numbers_bold"] = partial(_numbered, "**{}.**", " ")


@style
def numbers_letters(plan: PlanSpec, random: Random) -> Answer:
    """Letters: for all steps where none has others below it, else for those of the second level."""
    plan = shallow(plan, 2)
    is_nested = any(step.children for step in plan.steps)
    end = random.choice([".", ")"])

    def number(step: PlanStep) -> str:
        return f"{_letter(step)}{end}" if "." in step.step_id or not is_nested else f"{step.step_id}."

    return look_of(plan, random, number=number)


@style
def numbers_step(plan: PlanSpec, random: Random) -> Answer:
    """The word in front of the number, a colon behind it."""
    spelling = choose(plan, random, en=("Step {}:", "Step {}.", "STEP {}:"), zh=("步骤{}：", "步骤 {}：", "Step {}:"))
    return _numbered(spelling, " ", plan, random)


@style
def numbers_bold_step(plan: PlanSpec, random: Random) -> Answer:
    """The same in bold."""
    spelling = choose(plan, random, en=("**Step {}.**", "**Step {}:**"), zh=("**步骤{}：**", "**Step {}.**"))
    return _numbered(spelling, " ", plan, random)


@style
def numbers_check_boxes(plan: PlanSpec, random: Random) -> Answer:
    """A bullet and a check box in front of each number; what is not done has an empty one."""
    plan = with_statuses(plan, random, [PlanStatus.DONE])
    done = random.choice("xX")
    return look_of(
        plan,
        random,
        lead=lambda step: f"- [{done if step.status is PlanStatus.DONE else ' '}] ",
        mark=nothing,
        hang="    ",
    )


@style
def numbers_bullets(plan: PlanSpec, random: Random) -> Answer:
    """A bullet in front of each number."""
    bullet = random.choice(["- ", "* ", "+ "])
    return look_of(plan, random, lead=lambda _: bullet, hang="    ")


@style
def numbers_restart(plan: PlanSpec, random: Random) -> Answer:
    """Numbers that start again at every indentation, as Markdown has them."""
    indent = random.choice(["  ", "   ", "    ", "\t"])
    plan = with_nesting(plan, random)
    return look_of(plan, random, number=lambda step: f"{last_number(step)}.", indent=indent, hang=indent)


@style
def table(plan: PlanSpec, random: Random) -> Answer:
    """A table with a row a step."""
    plan = without(plan, "step_name", "detail", "result", "progress")
    head = ["#", "Status", "Type", "Step", "Inputs", "Outputs"]
    if is_chinese(plan):
        head = ["编号", "状态", "类型", "步骤", "输入", "输出"]
    nothing_there = random.choice(["", "-", "—"])
    ticked = random.choice(["{}", "`{}`"])
    kind = random.choice(["{}", "[{}]"])
    cells = [
        [
            step.step_id,
            EMOJIS.get(step.status, ""),
            kind.format(step.step_type),
            step.description,
            ", ".join(map(ticked.format, step.inputs)) or nothing_there,
            ", ".join(map(ticked.format, step.outputs)) or nothing_there,
        ]
        for step in iter_steps(plan)
    ]
    if not any(step.status is not PlanStatus.PENDING for step in iter_steps(plan)):
        for row in [head, *cells]:
            del row[1]
    rows = [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *cells]]
    text = write(evolve(plan, steps=[]), Look(between=("",)))
    return accepted(plan, "\n".join([text, *rows, ""]), random)


# ---------------------------------------------------------------- statuses

EMOJIS = {
    PlanStatus.DONE: "✅",
    PlanStatus.ACTIVE: "⏳",
    PlanStatus.BLOCKED: "❌",
    PlanStatus.SKIPPED: "⏭",
}
_STATUSES = {
    "status_white_check": (PlanStatus.DONE, "✅"),
    "status_check": (PlanStatus.DONE, "✓"),
    "status_heavy_check": (PlanStatus.DONE, "✔"),
    "status_heavy_check_emoji": (PlanStatus.DONE, "✔️"),
    "status_done_word": (PlanStatus.DONE, "[done]"),
    "status_capital_x": (PlanStatus.DONE, "[X]"),
    "status_hourglass": (PlanStatus.ACTIVE, "⏳"),
    "status_in_progress_word": (PlanStatus.ACTIVE, "[in progress]"),
    "status_cross": (PlanStatus.BLOCKED, "❌"),
    "status_no_entry": (PlanStatus.BLOCKED, "🚫"),
    "status_next_track": (PlanStatus.SKIPPED, "⏭"),
    "status_next_track_emoji": (PlanStatus.SKIPPED, "⏭️"),
}


def of_status(spellings: dict[PlanStatus, str]) -> OfStep:
    return lambda step: spellings.get(step.status, "")


def _one_status(status: PlanStatus, spelling: str, plan: PlanSpec, random: Random) -> Answer:
    """One status in one spelling, where the mark stands; the other steps are pending and have none."""
    return look_of(with_statuses(plan, random, [status]), random, mark=of_status({status: spelling}))


for _name, (_status, _spelling) in _STATUSES.items():
    STYLES[_name] = partial(_one_status, _status, _spelling)


@style
def status_mixed(plan: PlanSpec, random: Random) -> Answer:
    """Signs of all statuses, where the mark stands."""
    return look_of(with_statuses(plan, random, [*EMOJIS]), random, mark=of_status(EMOJIS))


@style
def status_in_front(plan: PlanSpec, random: Random) -> Answer:
    """Signs in front of the numbers."""
    signs = {status: f"{sign} " for status, sign in EMOJIS.items()}
    return look_of(with_statuses(plan, random, [*EMOJIS]), random, lead=of_status(signs), mark=nothing)


@style
def status_at_end(plan: PlanSpec, random: Random) -> Answer:
    """Signs at the ends of the lines."""
    signs = {status: f" {sign}" for status, sign in EMOJIS.items()}
    return look_of(with_statuses(plan, random, [*EMOJIS]), random, tail=of_status(signs), mark=nothing)


@style
def status_ballot_boxes(plan: PlanSpec, random: Random) -> Answer:
    """Check boxes that are one character, with every step."""
    signs = {PlanStatus.DONE: "☑", PlanStatus.PENDING: "☐"}
    return look_of(with_statuses(plan, random, [PlanStatus.DONE]), random, mark=of_status(signs))


@style
def status_unknown(plan: PlanSpec, random: Random) -> Answer:
    """A mark that says something, and nobody knows what: the step counts as pending, and somebody has to look."""
    plan = with_statuses(plan, random, [])
    marked = random.choice([step for step in iter_steps(plan) if not step.children])
    sign = random.choice(["🟡", "[?]", "(?)", "🔁", "[on hold]", "[%]"])
    return in_doubt(plan, write(plan, Look(mark=lambda step: sign if step is marked else "")), opening_of(plan, random))


_STATUS_WORDS = {
    PlanStatus.DONE: ("done", "已完成"),
    PlanStatus.ACTIVE: ("in progress", "进行中"),
    PlanStatus.BLOCKED: ("blocked", "受阻"),
    PlanStatus.SKIPPED: ("skipped", "已跳过"),
    PlanStatus.PENDING: ("to do", "待办"),
}


def _legend(signs: dict[PlanStatus, str], plan: PlanSpec, random: Random) -> Answer:
    """A plan with signs, and what they mean in front of it or behind it, in a line or a list."""
    plan = with_statuses(plan, random, [status for status in signs if status is not PlanStatus.PENDING])
    words = {status: both[is_chinese(plan)] for status, both in _STATUS_WORDS.items()}
    joint = random.choice([" = ", ": ", " – ", " "])
    entries = [f"{sign}{joint}{words[status]}" for status, sign in signs.items()]
    head, comma = ("图例：", "，") if is_chinese(plan) else ("Legend: ", ", ")
    legend = f"{head}{comma.join(entries)}"
    if random.random() < 0.4:
        legend = "\n".join([head.rstrip(" "), *(f"- {entry}" for entry in entries)])
    text = write(plan, Look(mark=of_status(signs)))
    text = random.choice([f"{legend}\n\n{text}", f"{text}\n{legend}\n"])
    return Answer(f"{opening_of(plan, random)}\n\n{text}", "accepted", plan)


@style
def legend_of_new_signs(plan: PlanSpec, random: Random) -> Answer:
    """A legend for signs that mean nothing by themselves."""
    statuses = [PlanStatus.DONE, PlanStatus.ACTIVE, PlanStatus.BLOCKED, PlanStatus.PENDING]
    signs = random.choice([("🟢", "🔵", "🔴", "⚪"), ("🟩", "🟨", "🟥", "⬜"), ("🅳", "🅰", "🅱", "🅿")])
    return _legend(dict(zip(statuses, signs, strict=True)), plan, random)


@style
def legend_over_usual_signs(plan: PlanSpec, random: Random) -> Answer:
    """A legend that gives the usual signs another meaning: it counts."""
    signs = random.choice(
        [
            {PlanStatus.DONE: "✅", PlanStatus.SKIPPED: "❌", PlanStatus.PENDING: "⏳"},
            {PlanStatus.DONE: "✅", PlanStatus.BLOCKED: "⏭", PlanStatus.SKIPPED: "🚫"},
            {PlanStatus.DONE: "✔", PlanStatus.ACTIVE: "✅", PlanStatus.PENDING: "⏳"},
        ]
    )
    return _legend(signs, plan, random)


# ---------------------------------------------------------------- bodies


def _bullets(sign: str, plan: PlanSpec, random: Random) -> Answer:
    """Bullets below a step are its detail."""
    return look_of(with_details(plan, random), random, detail=f"{sign} {{}}".format, hang=random.choice(["  ", "   "]))


STYLES["body_stars"] = partial(_bullets, "*")
STYLES["body_dashes"] = partial(_bullets, "-")
STYLES["body_dots"] = partial(_bullets, "•")
STYLES["body_pluses"] = partial(_bullets, "+")


@style
def body_typed_bullets(plan: PlanSpec, random: Random) -> Answer:
    """Bullets with a type below a step are steps; they have no numbers."""
    plan = without(shallow(with_nesting(plan, random), 2), "step_name")
    bullet = random.choice(["- ", "* ", "• ", "+ "])
    return look_of(
        plan,
        random,
        lead=lambda step: bullet if "." in step.step_id else "",
        number=lambda step: "" if "." in step.step_id else f"{step.step_id}.",
    )


@style
def body_flow_bullets(plan: PlanSpec, random: Random) -> Answer:
    """Inputs and outputs as bullets below the step."""
    spelling = choose(
        plan,
        random,
        en=("- {0}puts: {1}", "- **{0}puts:** {1}", "* {0}put: {1}", "- {0}puts: `{1}`"),
        zh=("- {2}：{1}", "- **{2}**：{1}", "- {2}: {1}", "- {0}puts: {1}"),
    )
    comma = "`, `" if "`" in spelling else ", "
    return look_of(
        with_flow(plan),
        random,
        arrow=nothing,
        inputs=lambda names: spelling.format("In", names, "输入"),
        outputs=lambda names: spelling.format("Out", names, "输出"),
        comma=comma,
    )


@style
def body_backticked_lists(plan: PlanSpec, random: Random) -> Answer:
    """Inputs and outputs as bullets, each variable in backticks or the list in brackets."""
    left, right = random.choice([("`", "`"), ("[`", "`]")])
    return look_of(
        with_flow(plan),
        random,
        arrow=nothing,
        inputs=f"- Inputs: {left}{{}}{right}".format,
        outputs=f"- Outputs: {left}{{}}{right}".format,
        comma="`, `",
    )


@style
def body_full_width_lists(plan: PlanSpec, random: Random) -> Answer:
    """Full-width commas between variables."""
    return look_of(with_flow(plan), random, comma=random.choice(["，", "、"]))


def _wrapped(text: str, random: Random) -> str:
    """A text of two lines; it stays as it is if no place is free of doubt."""
    places = [found.start() for found in re.finditer(r"(?<=[A-Za-z]) (?=[a-z])|(?<=[一-鿿])(?=[一-鿿])", text)]
    places = [at for at in places if 3 < at < len(text) - 3]
    if not places:
        return text
    at = random.choice(places)
    return f"{text[:at]}\n{text[at:].removeprefix(' ')}"


@style
def wrapped_steps(plan: PlanSpec, random: Random) -> Answer:
    """Summary lines go on in an indented line; in Chinese between any two characters."""
    return look_of(plan, random, text=lambda text: _wrapped(text, random), hang=random.choice(["  ", "   ", "      "]))


@style
def wrapped_before_arrow(plan: PlanSpec, random: Random) -> Answer:
    """The arrow and its variables stand in the line below."""
    return look_of(with_flow(plan), random, arrow="\n→ {}".format, hang=random.choice(["  ", "   ", "      "]))


@style
def wrapped_goal_and_constraints(plan: PlanSpec, random: Random) -> Answer:
    """Goal and constraints go on in an indented line."""
    indent = random.choice(["  ", "   ", "    "])

    def wrap(text: str) -> str:
        return _wrapped(text, random).replace("\n", f"\n{indent}")

    return look_of(
        with_constraints(plan),
        random,
        goal=lambda text: f"Goal: {wrap(text)}",
        constraint=lambda text: f"- {wrap(text)}",
    )


# ---------------------------------------------------------------- types

_TYPE_WORDS = {"reason": "LLM", "act": "TOOL"}
_CHINESE_TYPES = {"reason": "推理", "act": "行动", "decide": "决策", "subtask": "子任务"}


@style
def types_in_capitals(plan: PlanSpec, random: Random) -> Answer:
    """`[Act]` or `[ACT]`."""
    return look_of(plan, random, type=cased(random))


def cased(random: Random) -> Callable[[str], str]:
    change = random.choice([str.capitalize, str.upper])
    return lambda kind: f"[{change(kind)}]"


@style
def types_as_words(plan: PlanSpec, random: Random) -> Answer:
    """Words for who does it: a model or a tool."""
    words = {kind: word.lower() if random.random() < 0.15 else word for kind, word in _TYPE_WORDS.items()}
    return look_of(plan, random, type=lambda kind: f"[{words.get(kind, kind)}]")


@style
def types_in_chinese(plan: PlanSpec, random: Random) -> Answer:
    """Types in Chinese, in brackets of either width."""
    spelling = random.choice(["[{}]", "【{}】", "［{}］"])
    return look_of(plan, random, type=lambda kind: spelling.format(_CHINESE_TYPES[kind]))


@style
def types_in_parentheses(plan: PlanSpec, random: Random) -> Answer:
    """``(act)``."""
    return look_of(plan, random, type="({})".format)


def _without_types(plan: PlanSpec) -> PlanSpec:
    """The plan as it is with ``act`` for every type that is not said; what has steps below it is a subtask."""
    plan = without(plan, "step_name")
    for step in iter_steps(plan):
        step.step_type = "subtask" if step.children else "act"
    return plan


@style
def types_missing_with_default(plan: PlanSpec, random: Random) -> Answer:
    """No types, and the caller says what a step without one is."""
    plan = _without_types(plan)
    return accepted(plan, write(plan, Look(type=nothing)), random, default_type="act")


@style
def types_missing(plan: PlanSpec, random: Random) -> Answer:
    """No types, and nobody says what they are."""
    return in_doubt(None, write(_without_types(plan), Look(type=nothing)), opening_of(plan, random))


@style
def types_partly_missing_with_default(plan: PlanSpec, random: Random) -> Answer:
    """Some steps lack their type, and the caller says what it is."""
    plan = without(plan, "step_name")
    bare = random.choice([step for step in iter_steps(plan) if not step.children])
    bare.step_type = "act"
    text = write(plan, Look()).replace(f"[act] {bare.description}", bare.description, 1)
    return accepted(plan, text, random, default_type="act")


@style
def types_partly_missing(plan: PlanSpec, random: Random) -> Answer:
    """Some steps lack their type, and nobody says what it is."""
    answer = types_partly_missing_with_default(plan, random)
    return Answer(answer.text, "needs_review", None)
