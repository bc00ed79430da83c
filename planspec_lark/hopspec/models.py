"""What a HopSpec document is: its steps, the document around them, and the table of step types.

HopSpec's own rules are not checked here (:mod:`planspec_lark.hopspec.rules` does that), and any text can be given to a
field; what no document could hold is refused by the printer. Comparison and traversal use no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from attrs import define, field, fields, frozen

from planspec_lark.hopspec.vocabulary import SECTIONS, Language
from planspec_lark.syntax.tree import iter_tree

__all__ = ["MODES", "STEP_TYPES", "HopSpec", "HopType", "Mode", "StepInfo", "iter_infos"]


# ---------------------------------------------------------------- the table of step types


@frozen
class Mode:
    """What one kind of steps of a type has beside what all of them have.

    ``is_container`` says whether steps of a type that has others below it have them in this mode as well.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    is_container: bool = True


@frozen
class HopType:
    """A type of step: its fields, those of each of its modes, and whether it has steps below it.

    The mode is the value of the field ``chooser``. Where a type has none, it is the first mode one of whose required
    fields the step has.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    is_container: bool = False
    chooser: str = ""
    modes: Mapping[str, Mode] = field(factory=dict)

    def fields(self, mode: str) -> set[str]:
        """The fields that its steps may have in a mode; where that is empty, those of all modes."""
        modes = [self.modes[mode]] if mode else self.modes.values()
        own = (name for one in (self, *modes) for name in (*one.required, *one.optional))
        return {"step_type", self.chooser, *own}


_PLANNED = ("max_steps", "allowed_types")
# In the order in which they are listed.
STEP_TYPES: Mapping[str, HopType] = {
    "LLM": HopType(("task", "inputs", "outputs"), ("return_format", "verifier", "data_tags", "description")),
    "call": HopType(
        ("call_target", "task", "inputs", "outputs"),
        ("verifier", "description"),
        chooser="call_target",
        modes={
            "tool": Mode(("tool_domain",)),
            "hoplet": Mode(("hoplet_path",)),
            "mcp": Mode(("mcp_service",)),
            "rag": Mode(optional=("rag_collection",)),
        },
    ),
    "loop": HopType(
        optional=("outputs", "description"),
        is_container=True,
        modes={
            "for-each": Mode(("collection", "element_var")),
            "while": Mode(("condition",), ("max_iterations",)),
        },
    ),
    "branch": HopType(("condition",), ("description",), is_container=True),
    "code": HopType(("description", "inputs", "outputs")),
    "flow": HopType(
        ("action",),
        ("description",),
        chooser="action",
        modes={
            "exit": Mode(("outputs",), ("exit_id",)),
            "continue": Mode(("target_loop",)),
            "break": Mode(("target_loop",)),
        },
    ),
    "subtask": HopType(
        ("expand_mode",),
        ("inputs", "max_depth", "description"),
        is_container=True,
        chooser="expand_mode",
        modes={
            "static": Mode(optional=("outputs",)),
            "dynamic": Mode(("task", "outputs"), (*_PLANNED, "solidified_path"), is_container=False),
            "think": Mode(("task", "outputs"), (*_PLANNED, "max_iterations"), is_container=False),
        },
    ),
}
# When the steps are decided: before the run, which is the default, or in it.
MODES = ("AOT", "JIT")


# ---------------------------------------------------------------- steps and documents


def _names(steps: list[StepInfo]) -> str:
    return f"[{', '.join(step.step_name for step in steps)}]"


@define(eq=False)
class StepInfo:
    """One HopSpec step with all below it. ``step_type`` is LLM, call, loop, branch, code, flow or subtask.

    ``label`` is what is in brackets after the name in the heading, and ``comments`` are the lines that start with
    ``>`` or ``<!--``, as they are written.
    """

    step_id: str = ""
    step_name: str = ""
    step_type: str = ""
    task: str = ""
    description: str = ""
    condition: str = ""
    inputs: list[str] = field(factory=list)
    outputs: list[str] = field(factory=list)
    return_format: str = ""
    verifier: str = ""
    call_target: str = ""
    tool_domain: str = ""
    hoplet_path: str = ""
    mcp_service: str = ""
    collection: str = ""
    element_var: str = ""
    max_iterations: int | None = None
    expand_mode: str = ""
    action: str = ""
    exit_id: str = ""
    target_loop: str = ""
    data_tags: str = ""
    rag_collection: str = ""
    max_depth: int | None = None
    max_steps: int | None = None
    allowed_types: list[str] = field(factory=list)
    solidified_path: str = ""
    label: str = ""
    comments: list[str] = field(factory=list)
    children: list[StepInfo] = field(factory=list, repr=_names)

    def __eq__(self, other: object) -> bool:
        return _same([self], [other]) if isinstance(other, StepInfo) else NotImplemented

    def mode(self) -> str:
        """Which of its type's modes the step has; empty where its type has none, or it does not say."""
        kind = STEP_TYPES.get(self.step_type)
        if kind is None or not kind.modes:
            return ""
        if kind.chooser:
            said = str(getattr(self, kind.chooser))
            return said if said in kind.modes else ""
        return next((name for name, one in kind.modes.items() if any(getattr(self, f) for f in one.required)), "")


_OWN = attrgetter(*(one.name for one in fields(StepInfo) if one.name != "children"))


def _own(info: StepInfo) -> tuple[Any, ...]:
    return (*_OWN(info), len(info.children))


def _same(ours: list[StepInfo], theirs: list[StepInfo]) -> bool:
    # As each knows how many children it has, the first difference comes before either tree ends.
    pairs = zip(iter_infos(ours), iter_infos(theirs), strict=False)
    return len(ours) == len(theirs) and all(_own(one) == _own(other) for one, other in pairs)


def iter_infos(steps: list[StepInfo]) -> Iterator[StepInfo]:
    """These steps and all below them, in document order."""
    return (step for step, _ in iter_tree(steps))


@define(eq=False)
class HopSpec:
    """A whole document. All its sections but the steps are free text, of several lines or none.

    ``mode`` is AOT, JIT, or empty where the document does not say; ``comments`` are those before the first step.
    ``language`` is the one that the document is written in. It takes no part in comparing: a document and its
    translation are equal.
    """

    title: str = ""
    mode: str = ""
    overview: str = ""
    input_definition: str = ""
    constraints: str = ""
    comments: list[str] = field(factory=list)
    steps: list[StepInfo] = field(factory=list, repr=_names)
    output_format: str = ""
    input_example: str = ""
    language: Language = "zh"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HopSpec):
            return NotImplemented
        return _HEAD(self) == _HEAD(other) and _same(self.steps, other.steps)


_HEAD = attrgetter("title", "mode", "comments", *(name for name in SECTIONS if name != "steps"))
