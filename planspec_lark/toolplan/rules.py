"""The rules of tool plans beyond their structure: tools (A), references (R), dependencies (D), and warnings."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field, frozen

from planspec_lark.json_text.findings import Path, ValueFinding, text_of
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.graph import MOST_CYCLES, Graph, Ordering, depend, find_cycles, order
from planspec_lark.toolplan.json_schemas import join_names
from planspec_lark.toolplan.references import ReferencePiece, may_refer, read_pieces, texts_in
from planspec_lark.toolplan.signatures import Signature, Signatures, Slot
from planspec_lark.toolplan.structure import STEPS, Outline, Report, Step, name_of, outline
from planspec_lark.toolplan.types import accepts, fits, kind_of

__all__ = ["Plan", "check_atoms", "check_dependencies", "check_references", "prepare", "warn"]

# A message names so many steps of a circle, half of them at either end.
_NAMED = 20


@frozen
class ReferenceUse:
    """A reference: the step that has it (None for the plan's outputs), where, and the index of the step it is to."""

    step: Step | None
    path: Path
    piece: ReferencePiece
    is_whole: bool
    index: int | None


@define
class Plan:
    """A plan with all that its rules look at.

    Attributes:
        tools: the tools that there are.
        signatures: that of the tool of each step, None where there is none.
        uses: all references among inputs, in the order of the document.
        shown: those among the plan's outputs.
        malformed: what only looks like a reference, wherever it is.
        graph: for each step those that it depends on.
        ordering: the order of the steps.
    """

    outline: Outline
    tools: Signatures
    signatures: list[Signature | None]
    uses: list[ReferenceUse] = field(factory=list)
    shown: list[ReferenceUse] = field(factory=list)
    malformed: list[tuple[Path, ReferencePiece]] = field(factory=list)
    graph: Graph = ()
    ordering: Ordering = field(factory=lambda: Ordering([], [], []))


def prepare(document: object, registry: object = None, report: Report | None = None) -> Plan:
    """All that rules look at, for what is left of a plan; ``report`` is told what is wrong with its structure."""
    made, tools = outline(document, report), Signatures(registry)
    plan = Plan(made, tools, [None if one.atom_id is None else tools.find(one.atom_id) for one in made.steps])
    for step in made.steps:
        for key, value in (step.inputs or {}).items():
            if may_refer(value):
                _find_uses(plan, plan.uses, step, value, (*STEPS, step.index, "inputs", text_of(key)))
    for key, value in made.outputs.items():
        _find_uses(plan, plan.shown, None, value, ("plan", "outputs", text_of(key)))
    plan.graph = _connect(plan)
    plan.ordering = order(plan.graph)
    return plan


def _find_uses(plan: Plan, uses: list[ReferenceUse], step: Step | None, value: object, path: Path) -> None:
    for where, text in texts_in(value, path):
        pieces = read_pieces(text)
        for piece in pieces:
            if piece.kind == "REFERENCE":
                uses.append(ReferenceUse(step, where, piece, len(pieces) == 1, plan.outline.index_of.get(piece.step)))
            elif piece.kind == "MALFORMED":
                plan.malformed.append((where, piece))


def _connect(plan: Plan) -> list[list[int]]:
    """For each step those that it says it depends on; where it does not say so, those that it refers to."""
    index_of = plan.outline.index_of
    named: list[dict[int, None]] = [{} for _ in plan.outline.steps]
    for step in plan.outline.steps:
        for name in step.depends_on or ():
            if name in index_of:
                named[step.index][index_of[name]] = None
    for use in plan.uses:
        assert use.step is not None
        if use.step.depends_on is None and use.index is not None:
            named[use.step.index][use.index] = None
    return [list(others) for others in named]


# ---------------------------------------------------------------- tools


def check_atoms(plan: Plan) -> Iterator[ValueFinding]:
    """A1 to A3: tools are there, take the inputs that they are given, and are given those that they need."""
    for step, signature in zip(plan.outline.steps, plan.signatures, strict=True):
        if step.atom_id is None:
            continue
        if signature is None:
            near = plan.tools.find_near(step.atom_id)
            help = f"did you mean {quote(near)}?" if near else ""
            yield ValueFinding("PT201", f"unknown atom id: {name_of(step.atom_id)}", (*step.path, "id"), help)
        elif step.inputs is not None and signature.inputs is not None:
            yield from _check_inputs(step, step.inputs, signature)


def _check_inputs(step: Step, inputs: dict[object, object], signature: Signature) -> Iterator[ValueFinding]:
    known = signature.inputs or {}
    for key in inputs:
        if key not in known:
            said = text_of(key)
            help = f"its inputs are {join_names(known)}" if known else "it has no inputs"
            message = f"unknown input {quote(said)} of the atom {quote(step.atom_id or '')}"
            yield ValueFinding("PT202", message, (*step.path, "inputs", said), help, at_key=True)
    for name in signature.required:
        value, is_there = inputs.get(name), name in inputs
        if value is None or (isinstance(value, str) and not value):
            path = (*step.path, "inputs", *([name] if is_there else []))
            how = "missing" if not is_there else "null" if value is None else "empty"
            # The words of the definition of tool plans, to the letter.
            message = f"required input '{name_of(name)}' is {how}"
            yield ValueFinding(
                "PT203", message, path, f"the atom {quote(step.atom_id or '')} needs it", at_key=is_there
            )


# ---------------------------------------------------------------- references


def check_references(plan: Plan) -> Iterator[ValueFinding]:
    """R1 to R3: references name a step, an output of its tool, and what comes first."""
    early = _find_early(plan)
    for at, use in enumerate(plan.uses):
        assert use.step is not None
        where = (use.piece.start, use.piece.end)
        if fault := _find_fault(plan, use):
            yield ValueFinding("PT301" if use.index is None else "PT302", fault, use.path, within=where)
        if at in early:
            name = quote(use.piece.step)
            message = f"step {quote(use.step.name)} refers to {name}, but does not depend on it"
            yield ValueFinding("PT303", message, use.path, f"add {name} to its `depends_on`", within=where)


def _find_fault(plan: Plan, use: ReferenceUse) -> str:
    """What is wrong with the step or output of a reference."""
    step, output = use.piece.step, use.piece.output
    if use.index is None:
        return f"reference to unknown step {quote(step)}"
    signature = plan.signatures[use.index]
    if signature is None or signature.outputs is None or output in signature.outputs:
        return ""
    atom = quote(plan.outline.steps[use.index].atom_id or "")
    return f"unknown output {quote(output)} of step {quote(step)}: its atom is {atom}"


def _find_early(plan: Plan) -> set[int]:
    """Which references of steps that list their dependencies are to steps that they do not depend on.

    Of a step whose turn never comes nothing is said: once its circle is broken, it may depend on others.
    """
    stuck = {*plan.ordering.stuck}
    questions: dict[int, tuple[int, int]] = {}
    direct: set[int] = set()
    last = -1
    for at, use in enumerate(plan.uses):
        assert use.step is not None
        if use.index is None or use.step.depends_on is None or use.step.index in stuck:
            continue
        if use.step.index != last:
            last = use.step.index
            direct = set(plan.graph[last])
        if use.index not in direct:
            questions[at] = last, use.index
    covered = depend(plan.graph, plan.ordering.order, questions.values())
    return {at for at, question in questions.items() if question not in covered}


# ---------------------------------------------------------------- dependencies


def check_dependencies(plan: Plan) -> Iterator[ValueFinding]:
    """D1 and D2: dependencies name steps, and do not go in circles."""
    index_of = plan.outline.index_of
    for step in plan.outline.steps:
        for at, name in enumerate(step.depends_on or ()):
            if name not in index_of:
                yield ValueFinding("PT401", f"dependency on unknown step {quote(name)}", (*step.path, "depends_on", at))
    if plan.ordering.stuck:
        cycles = find_cycles(plan.graph, plan.ordering.stuck)
        for cycle in cycles:
            yield _name_cycle(plan, cycle, is_all=len(cycles) < MOST_CYCLES or cycle is not cycles[-1])


def _name_cycle(plan: Plan, cycle: list[int], *, is_all: bool) -> ValueFinding:
    names = [name_of(plan.outline.steps[index].name) for index in [*cycle, cycle[0]]]
    if len(names) > _NAMED + 1:
        left = len(names) - _NAMED
        names = [*names[: _NAMED // 2], f"({left:,} more)", *names[-_NAMED // 2 :]]
    step = plan.outline.steps[cycle[0]]
    path = (*step.path, "inputs" if step.depends_on is None else "depends_on")
    help = "each step depends on the next one: remove one of these dependencies"
    if not is_all:
        help += "; there may be more circles"
    return ValueFinding("PT402", f"circular dependency: {' → '.join(names)}", path, help)


# ---------------------------------------------------------------- warnings


def warn(plan: Plan) -> Iterator[ValueFinding]:
    """What does not make a plan invalid."""
    help = "write `${step.outputs.name}`, or `$${` for a text that contains `${`"
    for path, piece in plan.malformed:
        yield ValueFinding(
            "PT501", f"{quote(piece.text)} is not a reference", path, help, within=(piece.start, piece.end)
        )
    yield from _find_unused(plan)
    for use in plan.shown:
        if fault := _find_fault(plan, use):
            yield ValueFinding("PT503", fault, use.path, within=(use.piece.start, use.piece.end))
    yield from _check_types(plan)


def _find_unused(plan: Plan) -> Iterator[ValueFinding]:
    used = {use.index for use in (*plan.uses, *plan.shown)}
    for step, signature in zip(plan.outline.steps, plan.signatures, strict=True):
        is_shadowed = plan.outline.index_of.get(step.name) != step.index
        if signature is not None and signature.outputs and step.index not in used and not is_shadowed:
            help = "refer to one of them in another step, or in `plan.outputs`"
            yield ValueFinding("PT502", f"no output of step {quote(step.name)} is used", step.path, help)


def _check_types(plan: Plan) -> Iterator[ValueFinding]:
    """Values, and outputs that are a whole value, are of the types of their inputs."""
    whole = {(use.path[2], use.path[4]): use for use in plan.uses if use.is_whole and len(use.path) == len(STEPS) + 3}
    for step, signature in zip(plan.outline.steps, plan.signatures, strict=True):
        known = (signature.inputs if signature is not None else None) or {}
        for key, value in (step.inputs or {}).items():
            slot = known.get(key)
            if slot is None or slot.kinds is None or value is None:
                continue
            if fault := _find_type_fault(plan, key, slot, value, whole.get((step.index, key))):
                yield ValueFinding("PT504", fault, (*step.path, "inputs", key))


def _find_type_fault(plan: Plan, name: str, slot: Slot, value: object, use: ReferenceUse | None) -> str:
    if use is None:
        return "" if accepts(slot.kinds, value) else f"{_say_type(name, slot)}, not {kind_of(value)}"
    signature = None if use.index is None else plan.signatures[use.index]
    output = (signature.outputs or {}).get(use.piece.output) if signature is not None else None
    if output is None or fits(output.kinds, slot.kinds):
        return ""
    return f"{_say_type(name, slot)}, and this output is of type {name_of(output.types)}"


def _say_type(name: str, slot: Slot) -> str:
    return f"the input {quote(name)} is of type {name_of(slot.types)}"
