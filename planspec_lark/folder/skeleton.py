"""The plan that a description becomes before its steps are planned, and a template to fill in."""

from __future__ import annotations

from collections.abc import Iterable

from planspec_lark.folder.models import FolderError, FolderErrorReason
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.fields import require_one_of
from planspec_lark.syntax.prompt_templates import read_template
from planspec_lark.syntax.safe_text import one_line

__all__ = ["make_skeleton", "make_template"]

_MOST_TITLE = 80
_STEPS = {
    "en": ("Find out what there is and what is missing", "Do what is missing", "Compare the work with the goal"),
    "zh": ("弄清现状与缺口", "完成缺少的部分", "对照目标检查成果"),
}
# Of each step its type, what it takes, and what it produces.
_FLOW = (("reason", (), "findings"), ("act", ("findings",), "work"), ("reason", ("work",), "verdict"))


def make_skeleton(description: str, *, constraints: Iterable[str] = (), language: str = "en") -> str:
    """A valid plan with a goal, and three steps to replace.

    Args:
        description: what the plan is for.
        constraints: what it has to keep to.
        language: of the steps, "en" or "zh".

    Raises:
        FolderError: the description, or a constraint, is empty.
        ValueError: the language is another.
    """
    require_one_of("language", language, _STEPS)
    goal, kept = one_line(description), list(map(one_line, constraints))
    if not goal:
        raise FolderError("the description is empty", FolderErrorReason.NAME)
    if not all(kept):
        raise FolderError("a constraint is empty", FolderErrorReason.NAME)
    title = goal if len(goal) <= _MOST_TITLE else f"{goal[: _MOST_TITLE - 1].rstrip(' ')}…"
    steps = [
        PlanStep(str(number), step_type=kind, description=text, inputs=[*inputs], outputs=[output])
        for number, (text, (kind, inputs, output)) in enumerate(zip(_STEPS[language], _FLOW, strict=True), start=1)
    ]
    return serialize_plan(PlanSpec(title, goal, constraints=kept, steps=steps))


def make_template(language: str = "en") -> str:
    """A valid plan in canonical form that has every part, each with words on what to write there.

    Raises:
        ValueError: the language is neither "en" nor "zh".
    """
    return read_template(__package__, "plan", language)
