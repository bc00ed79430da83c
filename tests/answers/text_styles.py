"""Styles of whole texts: several plans, truncation, elisions, what stands around a plan or between its lines."""

from __future__ import annotations

import copy
import re
from random import Random

from attrs import evolve

from planspec_lark import PlanSpec, iter_steps, parse_plan, serialize_plan
from tests.answers.answer import (
    Answer,
    accepted,
    choose,
    closing_of,
    fenced,
    in_doubt,
    opening_of,
    style,
)
from tests.answers.looks import Look, write
from tests.answers.plans import (
    draft_of,
    is_chinese,
    language_of,
    without,
)

# ---------------------------------------------------------------- several plans


def _two(first: str, one: str, second: str, other: str, random: Random) -> str:
    """Two texts, each behind its announcement, both fenced or none."""
    if random.random() < 0.5:
        one, other = fenced(one, random), fenced(other, random)
    return f"{first}\n\n{one}\n{second}\n\n{other}"


@style
def draft_then_final(plan: PlanSpec, random: Random) -> Answer:
    """A draft, and behind it what is announced as final."""
    draft = choose(
        plan, random, en=("Here is a first draft:", "## Draft", "**Draft**"), zh=("先列一个初稿：", "## 初稿")
    )
    final = choose(
        plan,
        random,
        en=(
            "On reflection, some things were in the wrong order. Final plan:",
            "## ✅ Final Plan",
            "**Final version:**",
        ),
        zh=("仔细检查之后，最终计划如下：", "## 最终计划", "## ✅ 最终版本"),
    )
    return Answer(
        _two(draft, serialize_plan(draft_of(plan, random)), final, serialize_plan(plan), random), "accepted", plan
    )


@style
def final_then_draft(plan: PlanSpec, random: Random) -> Answer:
    """What is announced as final stands first; the draft is behind it, for reference."""
    final = choose(plan, random, en=("## Final plan", "Final plan:"), zh=("## 最终计划", "最终计划如下："))
    draft = choose(
        plan,
        random,
        en=("For reference, this was my first draft:", "Discarded draft, so that you see what has changed:"),
        zh=("供参考，以下是之前的初稿：", "已放弃的初稿："),
    )
    return Answer(
        _two(final, serialize_plan(plan), draft, serialize_plan(draft_of(plan, random)), random), "accepted", plan
    )


@style
def updated_plan(plan: PlanSpec, random: Random) -> Answer:
    """The plan as it was, and behind it the updated one."""
    old = choose(plan, random, en=("The plan so far:", "Previous version:"), zh=("之前的计划：", "原计划："))
    new = choose(
        plan,
        random,
        en=("Here is the updated plan:", "You are right, I am sorry. The corrected plan:"),
        zh=("更新后的计划如下：", "抱歉，修改后的最终计划："),
    )
    return Answer(
        _two(old, serialize_plan(draft_of(plan, random)), new, serialize_plan(plan), random), "accepted", plan
    )


@style
def complete_beside_incomplete(plan: PlanSpec, random: Random) -> Answer:
    """A sketch without goal beside the plan that has goal and steps, in either order."""
    sketch = draft_of(plan, random)
    rows = [f"{step.step_id}. [{step.step_type}] {step.description}\n" for step in sketch.steps[:3]]
    short = choose(plan, random, en=("Roughly:", "The short form:"), zh=("大致如下：", "简要步骤："))
    full = choose(plan, random, en=("Spelled out:", "And with everything:"), zh=("完整内容：", "详细如下："))
    parts = [(short, "".join(rows)), (full, serialize_plan(plan))]
    (first, one), (second, other) = parts if random.random() < 0.5 else parts[::-1]
    return Answer(_two(first, one, second, other, random), "accepted", plan)


@style
def two_that_exclude(plan: PlanSpec, random: Random) -> Answer:
    """Two whole plans for the same goal, and no word about which of them holds."""
    labels = [("## Option A", "## Option B"), ("One way to do it:", "Another way to do it:")]
    if is_chinese(plan):
        labels = [("## 方案一", "## 方案二"), ("一种做法：", "另一种做法：")]
    first, second = random.choice(labels)
    one, other = serialize_plan(plan), serialize_plan(draft_of(plan, random))
    return Answer(_two(first, one, second, other, random), "needs_review", None)


@style
def same_plan_twice(plan: PlanSpec, random: Random) -> Answer:
    """The same plan a second time, as small models do."""
    again = choose(
        plan, random, en=("Once more, to copy:", "Here is the plan:"), zh=("再写一遍，便于复制：", "计划如下：")
    )
    text = serialize_plan(plan)
    return Answer(_two(opening_of(plan, random), text, again, text, random), "accepted", plan)


# ---------------------------------------------------------------- truncation


def _rows(plan: PlanSpec) -> tuple[list[str], int]:
    """The canonical lines of a plan, and where those of its steps begin."""
    rows = serialize_plan(plan).split("\n")[:-1]
    return rows, rows.index("## Steps") + 1


def _cut(plan: PlanSpec, random: Random, *, is_valid: bool = False) -> tuple[str, PlanSpec, str]:
    """The text in front of a line, behind at least two steps; what it says; and that line.

    Args:
        plan: a plan.
        random: what decides.
        is_valid: what is left has no subtask or decision without steps below it.
    """
    rows, start = _rows(plan)
    ends = [at for at, row in enumerate(rows) if at >= start and _begins_step(row)][2:]
    if is_valid:
        ends = [at for at in ends if "[subtask]" not in rows[at - 1] and "[decide]" not in rows[at - 1]] or ends[-1:]
    at = random.choice(ends)
    text = "".join(f"{row}\n" for row in rows[:at])
    return text, parse_plan(text), rows[at]


def _begins_step(row: str) -> bool:
    return row.lstrip(" ")[0].isdigit()


def _part_of(row: str, random: Random) -> str:
    """A line cut somewhere behind its first sign."""
    return row[: random.randrange(len(row) - len(row.lstrip(" ")) + 1, len(row))]


@style
def cut_with_open_fence(plan: PlanSpec, random: Random) -> Answer:
    """The fence is never closed; the last line is whole, as its line break says."""
    text, rest, _ = _cut(plan, random)
    return in_doubt(rest, f"```{random.choice(['', 'text', 'planspec'])}\n{text}", opening_of(plan, random))


@style
def cut_in_fenced_line(plan: PlanSpec, random: Random) -> Answer:
    """The text ends inside a line, anywhere, and the fence around it is open."""
    text, rest, row = _cut(plan, random)
    return in_doubt(rest, f"```\n{text}{_part_of(row, random)}", opening_of(plan, random))


@style
def cut_in_line(plan: PlanSpec, random: Random) -> Answer:
    """The last line can not be whole: half a type, a list that goes on, an open bracket or mark."""
    text, rest, row = _cut(plan, random)
    head, kind, words = re.match(r"(.*)\[(\w+)\] (.*)", row).groups()  # type: ignore[union-attr]
    words = words.split(" →")[0].split(" |")[0]
    half = words[: max(2, len(words) // 2)].rstrip(" ")
    ends = [f"[{kind[:2]}", f"[{kind}] {words} → first_list,", f"[{kind}] {words} →", f"[{kind}] **{half}"]
    ends += [f"[{kind}] {words}（{half}" if is_chinese(plan) else f"[{kind}] {words} (see the"]
    return in_doubt(rest, f"{text}{head}{random.choice(ends)}", opening_of(plan, random))


@style
def cut_in_sentence(plan: PlanSpec, random: Random) -> Answer:
    """The last line ends behind a word or sign that never ends a sentence."""
    text, rest, row = _cut(plan, random)
    head, words = re.match(r"(.*\] )(.*)", row).groups()  # type: ignore[union-attr]
    words = words.split(" →")[0].split(" |")[0]
    half = words[: len(words) // 2] if is_chinese(plan) else " ".join(words.split(" ")[:3])
    end = choose(
        plan, random, en=(" and the", " of the", " with a", ", in order to"), zh=("，并且将", "，以及", "，然后把")
    )
    return in_doubt(rest, f"{text}{head}{half}{end}", opening_of(plan, random))


@style
def cut_behind_lead(plan: PlanSpec, random: Random) -> Answer:
    """The last line is a number or a bullet and nothing else."""
    text, rest, row = _cut(plan, random)
    indent = row[: len(row) - len(row.lstrip(" "))]
    number = row.split(" [")[0].strip(" ")
    lead = random.choice([number, number.rstrip("."), f"{number} [", f"{number} [x", "  -", "-", "  - "])
    return in_doubt(rest, f"{text}{indent}{lead}", opening_of(plan, random))


@style
def cut_by_length(plan: PlanSpec, random: Random) -> Answer:
    """The caller knows that the model ran into its limit, somewhere in a line."""
    text, rest, row = _cut(plan, random)
    return Answer(f"{text}{_part_of(row, random)}", "needs_review", rest, {"finish_reason": "length"})


@style
def cut_by_length_at_line_end(plan: PlanSpec, random: Random) -> Answer:
    """The same, right behind a line break: every line is whole, and the plan may go on."""
    text, rest, _ = _cut(plan, random)
    return Answer(text, "needs_review", rest, {"finish_reason": "length"})


@style
def cut_and_allowed(plan: PlanSpec, random: Random) -> Answer:
    """The text is cut, and the caller takes what is left: all lines but the last."""
    text, rest, row = _cut(plan, random, is_valid=True)
    text, options = f"{text}{_part_of(row, random)}", {"allow_truncated": True}
    if random.random() < 0.5:
        return Answer(text, "accepted", rest, {**options, "finish_reason": "length"})
    return Answer(f"{opening_of(plan, random)}\n\n```\n{text}", "accepted", rest, options)


# ---------------------------------------------------------------- elisions


def _elided(plan: PlanSpec, random: Random, row: str, *, at_end: bool = False) -> Answer:
    """A plan some of whose steps are replaced by a line; ``{}`` in it is their numbers."""
    rows, start = _rows(plan)
    tops = [at for at, text in enumerate(rows) if at >= start and text[0] != " "] + [len(rows)]
    first = random.randrange(1, len(tops) - 1)
    last = len(tops) - 2 if at_end else random.randrange(first, len(tops) - 1)
    rest = copy.deepcopy(plan)
    del rest.steps[first : last + 1]
    dash = random.choice(["–", "-", "–"])
    numbers = f"{first + 1}" if first == last else f"{first + 1}{dash}{last + 1}"
    row = row.replace("{}", numbers)
    if first == last:
        row = row.replace("steps ", "step ")
    text = "\n".join([*rows[: tops[first]], row, *rows[tops[last + 1] :], ""])
    return in_doubt(rest, text, opening_of(plan, random))


@style
def elided_steps(plan: PlanSpec, random: Random) -> Answer:
    """Steps that are "as before", by their numbers in a sentence."""
    row = choose(
        plan,
        random,
        en=(
            "… (steps {} unchanged)",
            "... steps {} as before ...",
            "[steps {} remain the same]",
            "(steps {}: no changes)",
            "*(steps {} as in the previous version)*",
        ),
        zh=("……（步骤{}不变）", "（第{}步略）", "步骤{}同上", "【步骤 {} 与之前相同】", "……步骤{}保持不变……"),
    )
    return _elided(plan, random, row)


@style
def elided_numbers(plan: PlanSpec, random: Random) -> Answer:
    """The number of a step, or of several, and no text.

    Of one, nobody can say whether it is a step with this text or none; of several it is clear that they are missing.
    """
    row = choose(plan, random, en=("{}. (unchanged)", "{}. as before", "{}. …"), zh=("{}. 略", "{}. 同上", "{}、不变"))
    answer = _elided(plan, random, row)
    is_clear = answer.plan is not None and len(plan.steps) - len(answer.plan.steps) > 1
    return answer if is_clear else evolve(answer, plan=None)


@style
def elided_dots(plan: PlanSpec, random: Random) -> Answer:
    """Nothing but dots between two steps."""
    return _elided(plan, random, random.choice(["...", "…", "……", "  ...", "- ...", "[...]", "（略）", "(…)"]))


@style
def elided_end(plan: PlanSpec, random: Random) -> Answer:
    """The steps at the end are left to the reader."""
    row = choose(
        plan,
        random,
        en=(
            "... and so on",
            "(remaining steps unchanged)",
            "… rest as before",
            "# ... the other steps stay as they are",
        ),
        zh=("（以下略）", "其余步骤同上", "……后面的步骤不变", "（其余略）"),
    )
    return _elided(plan, random, row, at_end=True)


@style
def elided_text(plan: PlanSpec, random: Random) -> Answer:
    """A step whose text is that it has not changed; nobody knows from here what it says."""
    plan = without(plan, "result", "progress")
    text = choose(plan, random, en=("(unchanged)", "as before", "… (same as above)"), zh=("（不变）", "同上", "略"))
    step = random.choice([step for step in iter_steps(plan) if not step.children])
    step.description = text
    return in_doubt(None, serialize_plan(plan), opening_of(plan, random))


@style
def elided_detail(plan: PlanSpec, random: Random) -> Answer:
    """A step whose detail stands somewhere else."""
    text = choose(plan, random, en=("(details as above)", "… unchanged …"), zh=("同上", "（内容略）", "……不变"))
    plan = copy.deepcopy(plan)
    random.choice([step for step in iter_steps(plan) if not step.children]).detail = [text]
    return in_doubt(None, serialize_plan(plan), opening_of(plan, random))


@style
def elided_constraints(plan: PlanSpec, random: Random) -> Answer:
    """Constraints that stand somewhere else."""
    row = choose(
        plan, random, en=("- (as before)", "(constraints unchanged)", "- …"), zh=("- 同上", "（约束不变）", "- （略）")
    )
    text = write(evolve(plan, constraints=["x"]), Look(constraint=lambda _: row))
    return in_doubt(None, text, opening_of(plan, random))


# ---------------------------------------------------------------- prose, fences, foreign lines

_FOREIGN = {
    "en": (
        "After that we have to wait until the others are ready.",
        "This is also where most of the money is spent.",
        "Then everything is checked once more by somebody else.",
        "Here I was not sure what you meant.",
    ),
    "zh": (
        "在此之后需要等待其他人完成。",
        "然后再由另一个人检查一遍。",
        "这里我不太确定您的意思。",
        "费用主要花在这一部分。",
    ),
}
_REMARKS = {
    "en": (
        "The order follows from what has to be there first.",
        "I have kept some time for surprises.",
        "Tell me the date and I will add it.",
        "The costs are not part of this.",
    ),
    "zh": (
        "顺序取决于前后依赖关系。",
        "我预留了一些机动时间。",
        "如果告诉我日期，我可以补充时间表。",
        "费用没有计算在内。",
    ),
}


def _remarks(plan: PlanSpec, random: Random) -> str:
    """A numbered list of remarks, below a sentence that says that it is one."""
    head = choose(
        plan,
        random,
        en=("A few remarks:", "Why I did it this way:", "**Some things to keep in mind:**"),
        zh=("几点说明：", "这样安排的原因：", "**补充说明：**"),
    )
    rows = [f"{number}. {text}" for number, text in enumerate(random.sample(_REMARKS[language_of(plan)], 3), 1)]
    return "\n".join([head, *random.choice([[], [""]]), *rows, ""])


@style
def numbered_prose_behind(plan: PlanSpec, random: Random) -> Answer:
    """A numbered list of remarks behind the finished plan; its numbers are those of steps."""
    text = serialize_plan(plan)
    text = random.choice([f"{opening_of(plan, random)}\n\n{fenced(text, random)}\n", f"{text}\n", f"{text}\n---\n\n"])
    return Answer(text + _remarks(plan, random), "accepted", plan)


@style
def numbered_prose_before(plan: PlanSpec, random: Random) -> Answer:
    """A numbered list of remarks in front of the plan."""
    text = serialize_plan(plan)
    text = random.choice([fenced(text, random), text])
    return Answer(f"{opening_of(plan, random)}\n\n{_remarks(plan, random)}\n{text}", "accepted", plan)


@style
def prose_before(plan: PlanSpec, random: Random) -> Answer:
    """A sentence or two in front of the plan."""
    return Answer(f"{opening_of(plan, random)}\n\n{serialize_plan(plan)}", "accepted", plan)


@style
def prose_behind(plan: PlanSpec, random: Random) -> Answer:
    """A sentence behind the plan, below a blank line."""
    return Answer(f"{serialize_plan(plan)}\n{closing_of(plan, random)}\n", "accepted", plan)


@style
def prose_around(plan: PlanSpec, random: Random) -> Answer:
    """Sentences in front of the plan and behind it."""
    text = f"{opening_of(plan, random)}\n\n{serialize_plan(plan)}\n"
    return Answer(
        f"{text}{random.choice(_REMARKS[language_of(plan)])}\n\n{closing_of(plan, random)}\n", "accepted", plan
    )


@style
def fence(plan: PlanSpec, random: Random) -> Answer:
    """A fence without the name of a language, of any length and sign."""
    sign = random.choice(["```", "~~~", "````"])
    return accepted(plan, f"{sign}\n{serialize_plan(plan)}{sign}\n", random)


@style
def fence_with_language(plan: PlanSpec, random: Random) -> Answer:
    """A fence with the name of a language, whatever it is."""
    language = random.choice(["planspec", "markdown", "md", "text", "plaintext", "yaml", "plan", "PlanSpec"])
    return accepted(plan, f"```{language}\n{serialize_plan(plan)}```\n", random)


@style
def foreign_line(plan: PlanSpec, random: Random) -> Answer:
    """A sentence between two steps; it might be a step that got lost."""
    rows, start = _rows(plan)
    at = random.choice([at for at, row in enumerate(rows) if at > start and _begins_step(row)])
    gap = random.choice([[], [""]])
    text = "\n".join([*rows[:at], *gap, random.choice(_FOREIGN[language_of(plan)]), *gap, *rows[at:], ""])
    return in_doubt(plan, text, opening_of(plan, random))


# ---------------------------------------------------------------- reasoning blocks and conflict markers

_THOUGHTS = {
    "en": (
        "Okay, the user wants a plan. First draft:",
        "Let me think about what is needed. Something like this:",
        "The final plan could be:",
    ),
    "zh": ("用户想要一份计划。先写个草稿：", "让我想想需要哪些步骤，大概是这样：", "最终计划可以是："),
}
_SECOND_THOUGHTS = {
    "en": ("Wait, the order is wrong. I should start with the other part.", "Good, now write it properly."),
    "zh": ("等等，顺序不对，应该先做另一部分。", "好的，现在正式写出来。"),
}


def _thoughts(plan: PlanSpec, random: Random) -> str:
    """Thoughts with a draft in them, its fence closed or not."""
    language, draft = language_of(plan), serialize_plan(draft_of(plan, random))
    draft = random.choice([draft, f"```\n{draft}```\n", f"```\n{draft}"])
    return f"{random.choice(_THOUGHTS[language])}\n\n{draft}\n{random.choice(_SECOND_THOUGHTS[language])}\n"


@style
def reasoning_block(plan: PlanSpec, random: Random) -> Answer:
    """A draft inside a reasoning block, the plan behind it."""
    tag = random.choice(["think", "think", "thinking", "reasoning"])
    text = random.choice([serialize_plan(plan), fenced(serialize_plan(plan), random)])
    return Answer(f"<{tag}>\n{_thoughts(plan, random)}</{tag}>\n\n{text}", "accepted", plan)


@style
def reasoning_without_start(plan: PlanSpec, random: Random) -> Answer:
    """The same; what starts the block has stayed in the prompt."""
    return Answer(f"{_thoughts(plan, random)}</think>\n\n{serialize_plan(plan)}", "accepted", plan)


@style
def reasoning_without_end(plan: PlanSpec, random: Random) -> Answer:
    """Nothing but thoughts: the model never came to its answer."""
    return Answer(f"<think>\n{_thoughts(plan, random)}", "refused", None)


@style
def conflict_markers(plan: PlanSpec, random: Random) -> Answer:
    """Two versions of a step between the marks of a merge that was never ended."""
    rows, start = _rows(plan)
    at = random.choice([at for at, row in enumerate(rows) if at >= start and _begins_step(row)])
    other = choose(plan, random, en=("Ask everybody once more",), zh=("再次征求大家的意见",))
    theirs = re.sub(r"(\[\w+\]) [^|→]*", rf"\1 {other} ", rows[at]).rstrip(" ")
    base = random.choice([[], ["||||||| base", rows[at]]])
    both = [
        "<<<<<<< HEAD",
        rows[at],
        *base,
        "=======",
        theirs,
        f">>>>>>> {random.choice(['main', 'theirs', '4f2a91c'])}",
    ]
    return Answer("\n".join([*rows[:at], *both, *rows[at + 1 :], ""]), "refused", None)
