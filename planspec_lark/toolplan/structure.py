"""The structure of a plan (rules S1 to S7 and U1): which fields there are, of which kind, and what steps are called.

Rules take any JSON value. What they refuse is left out of the outline that all other rules go by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import define, field

from planspec_lark.json_text.findings import KIND_WORDS, Path, ValueFinding, missing_field, text_of, word_of, wrong_type
from planspec_lark.syntax.diagnostics import quote, shorten
from planspec_lark.syntax.safe_text import visible_name

__all__ = [
    "STEPS",
    "Outline",
    "Report",
    "Step",
    "get_field",
    "name_of",
    "outline",
    "refuse_key",
    "refuse_types",
    "refuse_value",
]

# What is told of each finding.
Report: TypeAlias = Callable[[ValueFinding], object]

STEPS: Path = ("plan", "steps")
_MISSING = object()


@define
class Step:
    """A step as far as it can be looked at.

    Attributes:
        name: its ``step_id``, or else its index.
        is_named: whether that is a ``step_id``.
        atom_id: the tool that it calls; None where that is not known.
        inputs: what goes in; None where that is not known.
        depends_on: what it says that it depends on; None where it does not say so.
    """

    index: int
    name: str
    is_named: bool = False
    atom_id: str | None = None
    inputs: dict[Any, Any] | None = None
    depends_on: list[str] | None = None

    @property
    def path(self) -> Path:
        """The path to it."""
        return (*STEPS, self.index)


@define
class Outline:
    """What there is to look at in a plan.

    Attributes:
        steps: one for each item of the list, whatever it is.
        index_of: the index of each step by its name; of two with the same name, that of the first.
        outputs: what is shown in the end.
        findings: what is wrong with the structure, by rule, unless the caller reports it.
    """

    steps: list[Step] = field(factory=list)
    index_of: dict[str, int] = field(factory=dict)
    outputs: dict[Any, Any] = field(factory=dict)
    findings: list[ValueFinding] = field(factory=list)


def name_of(text: str) -> str:
    """A name as messages have it: short, in one line, and safe to show."""
    return visible_name(shorten(text))


def refuse_value(value: object, expected: str, path: Path) -> ValueFinding:
    """That a value is of another type than expected."""
    return ValueFinding("PT102", wrong_type(expected, value), path)


def get_field(  # noqa: PLR0913  (what a finding is about)
    owner: dict[Any, Any], key: str, kind: type, path: Path, report: Report, *, is_needed: bool = True
) -> Any:
    """The value of a field, or None where it is missing or of another kind, which is reported."""
    value = owner.get(key, _MISSING)
    if isinstance(value, kind):
        return value
    if value is not _MISSING:
        report(refuse_value(value, KIND_WORDS[kind], (*path, key)))
    elif is_needed:
        report(ValueFinding("PT101", missing_field(key), (*path, key)))
    return None


def refuse_types(definition: dict[Any, Any], path: Path) -> Iterator[ValueFinding]:
    """That the types of an input or output are neither a text nor a list of texts."""
    types = definition.get("type", "")
    for at, one in enumerate(types) if isinstance(types, list) else ():
        if not isinstance(one, str):
            yield refuse_value(one, "a string", (*path, "type", at))
    if not isinstance(types, str | list):
        yield refuse_value(types, "a string or a list of strings", (*path, "type"))


def refuse_key(key: object, path: Path) -> ValueFinding:
    """That a key of the object at a path is not a string, which JSON cannot say, but Python can."""
    return ValueFinding("PT102", f"expected a string as a key, not {word_of(key)}", (*path, text_of(key)), at_key=True)


def outline(document: object, report: Report | None = None) -> Outline:
    """What there is to look at in a plan, and what is wrong with its structure.

    Args:
        document: the plan.
        report: told of each finding in place of :attr:`Outline.findings`.
    """
    made = Outline()
    report = report or made.findings.append
    if not isinstance(document, dict):
        report(refuse_value(document, KIND_WORDS[dict], ()))
        return made
    get_field(document, "target", str, (), report)
    plan = get_field(document, "plan", dict, (), report)
    if plan is None:
        return made
    steps = get_field(plan, "steps", list, ("plan",), report)
    if steps is not None:
        if not steps:
            report(ValueFinding("PT103", "the plan has no steps", STEPS, help="write at least one step"))
        made.steps = [_read_step(index, step, report) for index, step in enumerate(steps)]
    made.outputs = get_field(plan, "outputs", dict, ("plan",), report, is_needed=False) or {}
    for double in _name_steps(made):
        report(double)
    return made


def _read_step(index: int, value: object, report: Report) -> Step:
    step = Step(index, str(index))
    if not isinstance(value, dict):
        report(refuse_value(value, KIND_WORDS[dict], step.path))
        return step
    path = step.path
    step.atom_id = get_field(value, "id", str, path, report)
    get_field(value, "target", str, path, report)
    step.inputs = get_field(value, "inputs", dict, path, report)
    name = get_field(value, "step_id", str, path, report, is_needed=False)
    if name == "":
        help = "write a name, or remove the field: then the index is the name"
        report(ValueFinding("PT104", "the field `step_id` is empty", (*path, "step_id"), help=help))
    elif name is not None:
        step.name, step.is_named = name, True
    step.depends_on = _read_dependencies(value, path, report)
    return step


def _read_dependencies(step: dict[Any, Any], path: Path, report: Report) -> list[str] | None:
    listed = get_field(step, "depends_on", list, path, report, is_needed=False)
    if listed is None:
        return None
    wrong = [(at, one) for at, one in enumerate(listed) if not isinstance(one, str)]
    for at, one in wrong:
        report(refuse_value(one, KIND_WORDS[str], (*path, "depends_on", at)))
    return None if wrong else listed


# ---------------------------------------------------------------- names


def _name_steps(made: Outline) -> Iterator[ValueFinding]:
    """U1: no two steps have the same name. It is a ``step_id`` that is refused, never an index."""
    known = made.index_of
    for step in made.steps:
        if not step.is_named:
            known[step.name] = step.index
    for step in made.steps:
        if not step.is_named:
            continue
        first = known.setdefault(step.name, step.index)
        if first != step.index:
            how = "already has it" if made.steps[first].is_named else "has this index and no `step_id`"
            message = f"duplicate `step_id` {quote(step.name)}: plan.steps[{first}] {how}"
            yield ValueFinding("PT105", message, (*step.path, "step_id"), help="give each step its own name")
