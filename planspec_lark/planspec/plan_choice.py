"""Which of several plans in one answer counts: what the text before each calls it, and whether it is complete."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.rules import check_rules
from planspec_lark.syntax.diagnostics import has_errors

__all__ = ["begins_again", "choose_plan", "is_final"]

# What the text before a plan may call it.
_FINAL = re.compile(
    r"(?i)\b(?:final|finalized|updated|corrected|revised|improved|fixed version"
    r"|use this (?:one|plan)|real plan|actual plan)\b"
    r"|最终|定稿|终稿|正式版|更新后|修改后|修订|修正后|更正|以此为准|以下为准|为准"
)
# How a writer begins again, or prefers one of several; in a title, these words are those of the work to be done.
_AGAIN = re.compile(
    r"(?i)\b(?:(?:let me|let's|i'll|i will|i'm going to|i should|i have to) (?:\w+ ){0,3}?"
    r"(?:redo|rewrite|rework|redraft|restart|start (?:over|again|fresh)|try (?:this |that |it )?again)"
    r"|starting over|recommended|preferred)\b"
    r"|重新(?:写|来|做|列|整理|规划|制定|给出)|重写|重来|推荐"
)
# What is final, and does not only come later than another.
_LAST_WORD = re.compile(r"(?i)\bfinal\b|\buse this (?:one|plan)\b|最终|定稿|终稿|正式版|为准")
# What says that it is not, though it has such a word in it.
_NOT_FINAL = re.compile(
    r"(?i)(?:\b(?:not|never|no|until)|n['’]t)\b(?: \w+){0,3} (?:final|finalized|corrected|revised)\b"
    r"|to be (?:corrected|revised)|\brejected\b|\bdisagree\b|\boption [b-z]\b"
    r"|(?:不是|并非|还没|尚未)[^，。]{0,4}(?:最终|定稿|终稿)"
)
_DRAFT = re.compile(
    r"(?i)\b(?:draft|discard(?:ed)?|rejected|old|older|previous|original|outdated|superseded|rough|sample|example"
    r"|first (?:attempt|version|try|pass)|(?<!in your )(?<!in the )(?<!in this )(?<!in that )(?<!planspec )"
    r"(?<!requested )(?<!required )format)\b"
    r"|草稿|初稿|草案|第一版|废弃|作废|旧版|原计划|原版|未采用|示例|样例|(?<!按)(?<!要求的)(?<!合)格式"
)


def choose_plan(plans: Sequence[tuple[str, PlanSpec]]) -> tuple[int, frozenset[int]]:
    """Choose the plan of an answer, as :func:`planspec_lark.planspec.scan.scan_plan` says.

    Args:
        plans: each plan with the text before it, the last line of which is its title.

    Returns:
        Which plan counts, by its number; and those that exclude it where nothing says which of them holds.
    """
    with_steps = [at for at, (_, plan) in enumerate(plans) if plan.steps]
    if len(with_steps) < 2:
        return (with_steps[0] if with_steps else 0), frozenset()
    announced = [at for at in with_steps if _is_announced(plans[at][0])]
    if announced:
        best = announced[-1]
        finals = [at for at in announced if _LAST_WORD.search(plans[at][0]) and plans[at][1] != plans[best][1]]
        return best, frozenset(finals if _LAST_WORD.search(plans[best][0]) else ())
    serious = [at for at in with_steps if not _DRAFT.search(plans[at][0])] or with_steps
    complete = [at for at in serious if _is_complete(plans[at][1])]
    best = (complete or serious)[-1]
    others = (at for at in serious if at != best and plans[at][1] != plans[best][1])
    rivals = (at for at in others if not complete or at in complete or _goes_on(plans[at][1], plans[best][1]))
    return best, frozenset(rivals)


def is_final(lead: str) -> bool:
    """Whether the text before a plan calls it the one that holds."""
    return any(_FINAL.search(row) and not _NOT_FINAL.search(row) for row in lead.split("\n"))


def begins_again(said: str) -> bool:
    """Whether a writer says that he writes a plan again, or prefers the one that follows."""
    return _AGAIN.search(said.replace("’", "'")) is not None


def _is_announced(lead: str) -> bool:
    said, _, title = lead.rpartition("\n")
    rows = [row for row in said.split("\n") if row.strip("`~ \t\r")]
    # What a heading right above a plan calls it counts more than what was said before.
    if rows and _DRAFT.search(rows[-1]) and not is_final(f"{rows[-1]}\n{title}"):
        return False
    return is_final(lead) or begins_again(said)


def _goes_on(plan: PlanSpec, other: PlanSpec) -> bool:
    """Whether the steps of one plan may be more of another's."""
    return not {step.step_id for step in plan.steps} & {step.step_id for step in other.steps}


def _is_complete(plan: PlanSpec) -> bool:
    return bool(plan.goal and plan.steps) and not has_errors(check_rules(plan))
