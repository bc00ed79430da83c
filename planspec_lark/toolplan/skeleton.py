"""A PlanSpec document as a tool plan, as far as it says what one needs; and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define, evolve, field

from planspec_lark.json_text.findings import ValueFinding, to_diagnostics
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.toolplan.models import Registry
from planspec_lark.toolplan.notes import Note, output_of, read_note
from planspec_lark.toolplan.references import ReferencePieceKind, read_pieces, texts_in
from planspec_lark.toolplan.signatures import Signatures
from planspec_lark.toolplan.structure import STEPS
from planspec_lark.toolplan.validation import examine_plan

__all__ = ["plan_to_toolplan_skeleton"]

_Otherwise = TypeVar("_Otherwise", str, None)


def plan_to_toolplan_skeleton(
    plan: PlanSpec, registry: Registry | Mapping[str, Any] | list[Any] | None = None
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The act steps of a plan as steps of a tool plan, and all that has to be added or repaired before it can be run.

    What :func:`planspec_lark.toolplan.toolplan_to_plan` has written down in detail lines comes back as it was. Besides,
    each variable that a step takes in makes a reference to the step that produces it, under the name of the output, or
    of the variable where the tool has an input of that name. Steps of other types are left out: they call no tool.

    Args:
        plan: any plan; its marks make no difference.
        registry: the tools. Without them, nothing is said about tools and what they need.

    Returns:
        The plan for :func:`planspec_lark.toolplan.validate_plan_doc`, without the fields that are not known; and what
        that finds, but for unused outputs. ``step_id`` of a diagnostic is that of the step in ``plan``.
    """
    steps = [step for step in iter_steps(plan) if step.step_type == "act"]
    builder = _Builder(Signatures(registry), [_Draft.of(at, step) for at, step in enumerate(steps)])
    notes = list(filter(None, map(read_note, plan.goal_detail)))
    outputs = _named(notes, "Output")
    target = _said(notes, "Target", plan.goal or plan.title)
    document = {
        "target": target,
        "plan": {"steps": builder.build(), **({"outputs": outputs} if outputs else {})},
    }
    return document, _report(document, registry, steps)


def _report(document: dict[str, Any], registry: Any, steps: list[PlanStep]) -> list[Diagnostic]:
    verdict = examine_plan(document, registry)
    ignored = ("PT502",) if registry is not None else ("PT502", "PT201")
    found = [one for one in (*verdict.errors, *verdict.warnings) if one.code not in ignored]
    return [
        evolve(one, step_id=_step_of(finding, steps))
        for finding, one in zip(found, to_diagnostics(found, None), strict=True)
    ]


def _step_of(finding: ValueFinding, steps: list[PlanStep]) -> str:
    at = finding.path[len(STEPS)] if finding.path[: len(STEPS)] == STEPS and len(finding.path) > len(STEPS) else None
    return steps[at].step_id if isinstance(at, int) else ""


def _said(notes: list[Note], label: str, otherwise: _Otherwise) -> str | _Otherwise:
    """The text with this label; that of a plan or step in its fields may be shorter."""
    return next((note.value for note in notes if note.label == label and isinstance(note.value, str)), otherwise)


def _named(notes: list[Note], label: str) -> dict[str, Any]:
    """The values with this label, by name."""
    return {note.name: note.value for note in notes if note.label == label and note.name is not None}


@define
class _Draft:
    """A step with what its detail lines say."""

    name: str
    step: PlanStep
    notes: list[Note]
    step_id: str | None = None
    # The outputs by the variables for them.
    outputs: dict[str, str] = field(factory=dict)

    @classmethod
    def of(cls, at: int, step: PlanStep) -> _Draft:
        notes = list(filter(None, map(read_note, step.detail)))
        step_id = step.step_name or _said(notes, "Step", "") or None
        made = cls(str(at) if step_id is None else step_id, step, notes, step_id)
        noted = _named(notes, "Output")
        said = {one: noted.get(one) for one in step.outputs}
        made.outputs = {one: out if isinstance(out, str) else output_of(made.name, one) for one, out in said.items()}
        return made

    @property
    def atom_id(self) -> str | None:
        return _said(self.notes, "Atom", None)


@define
class _Builder:
    """Turns drafts into steps. Those that produce a variable are known before it is taken in."""

    signatures: Signatures
    drafts: list[_Draft]
    _known: dict[str, tuple[str, str]] = field(factory=dict)

    def build(self) -> list[dict[str, Any]]:
        """All steps."""
        # A variable that only a later step produces makes a reference as well: that circle is reported then.
        for draft in reversed(self.drafts):
            self._learn(draft)
        made = []
        for draft in self.drafts:
            made.append(self._build(draft))
            self._learn(draft)
        return made

    def _learn(self, draft: _Draft) -> None:
        self._known.update((variable, (draft.name, output)) for variable, output in draft.outputs.items())

    def _build(self, draft: _Draft) -> dict[str, Any]:
        made: dict[str, Any] = {} if draft.step_id is None else {"step_id": draft.step_id}
        if draft.atom_id is not None:
            made["id"] = draft.atom_id
        made["target"] = _said(draft.notes, "Target", draft.step.description)
        made["inputs"] = _named(draft.notes, "Input")
        self._add_references(draft, made["inputs"])
        listed = next((note.value for note in draft.notes if note.label == "Depends on"), None)
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            made["depends_on"] = listed
        return made

    def _add_references(self, draft: _Draft, inputs: dict[str, Any]) -> None:
        """Inputs for the variables that no input refers to yet."""
        used = {
            (piece.step, piece.output)
            for _, text in texts_in(inputs, ())
            for piece in read_pieces(text)
            if piece.kind is ReferencePieceKind.REFERENCE
        }
        signature = None if draft.atom_id is None else self.signatures.find(draft.atom_id)
        declared = (signature.inputs if signature is not None else None) or {}
        for variable in draft.step.inputs:
            step, output = self._known.get(variable, (variable, variable))
            if (step, output) not in used:
                name = variable if variable in declared or output in inputs else output
                inputs.setdefault(name, f"${{{step}.outputs.{output}}}")
