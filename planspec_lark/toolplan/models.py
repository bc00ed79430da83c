"""Tool plans and the tools that they call, as typed models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen
from attrs.converters import optional

from planspec_lark.json_text.model_values import ALWAYS_WRITTEN
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = ["Atom", "AtomInput", "AtomOutput", "Registry", "ToolPlan", "ToolStep"]


def _to_types(value: str | Iterable[str]) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else tuple(value)


@frozen
class AtomInput:
    """What a tool takes in under a name.

    Attributes:
        name: the key among a step's inputs.
        type: the type of its value, or several; empty where any will do. The names are in
            ``docs/reference/tool-plans.md``.
        required: whether it has to be there.
        description: what it is for.
        extra: whatever else its definition says.
    """

    name: str
    type: str | tuple[str, ...] = field(default="", converter=_to_types)
    required: bool = False
    description: str = ""
    extra: dict[str, Any] = field(factory=dict)


@frozen
class AtomOutput:
    """What a tool produces under a name."""

    name: str
    type: str | tuple[str, ...] = field(default="", converter=_to_types)
    description: str = ""
    extra: dict[str, Any] = field(factory=dict)


@frozen
class Atom:
    """A tool: its id, and what goes in and comes out.

    Attributes:
        outputs: None if the outputs are unknown; then references to outputs are not checked.
    """

    id: str
    inputs: tuple[AtomInput, ...] = ()
    outputs: tuple[AtomOutput, ...] | None = ()
    description: str = ""
    extra: dict[str, Any] = field(factory=dict)


def _by_id(atoms: Mapping[str, Atom] | Iterable[Atom]) -> dict[str, Atom]:
    listed = atoms.values() if isinstance(atoms, Mapping) else atoms
    found: dict[str, Atom] = {}
    for atom in listed:
        if atom.id in found:
            raise ValueError(f"atoms: there are two with the id {atom.id!r}")
        found[atom.id] = atom
    return found


@frozen
class Registry:
    """Tools, in the order in which they were given.

    Attributes:
        diagnostics: warnings of the reader that made it: what files say of tools and no check looks at.

    Raises:
        ValueError: two have the same id.
    """

    atoms: Mapping[str, Atom] = field(factory=dict, converter=_by_id)
    diagnostics: tuple[Diagnostic, ...] = field(default=(), eq=False, repr=False)

    def find(self, atom_id: str) -> Atom | None:
        """The tool with that very id."""
        return self.atoms.get(atom_id)

    def __iter__(self) -> Iterator[Atom]:
        return iter(self.atoms.values())

    def __len__(self) -> int:
        return len(self.atoms)


@frozen
class ToolStep:
    """A call of a tool.

    Attributes:
        id: that of the tool.
        target: what the step is for.
        inputs: what goes in, by name; texts may refer to outputs of other steps.
        step_id: the step's own name; without it, its index in the plan is its name.
        depends_on: the names of the steps that have to come first; None where references alone say so.
        extra: whatever else the step says.
    """

    id: str
    target: str
    inputs: dict[str, Any] = field(factory=dict, metadata=ALWAYS_WRITTEN)
    step_id: str | None = None
    depends_on: tuple[str, ...] | None = field(default=None, converter=optional(tuple))
    extra: dict[str, Any] = field(factory=dict)


@frozen
class ToolPlan:
    """A structured plan.

    Attributes:
        target: what the user wants.
        steps: the calls, in the order of the document.
        outputs: what is shown in the end; texts may refer to outputs of steps.
        extra, plan_extra: whatever else the document says at the top, and beside the steps.
    """

    target: str
    steps: tuple[ToolStep, ...]
    outputs: dict[str, Any] | None = None
    extra: dict[str, Any] = field(factory=dict)
    plan_extra: dict[str, Any] = field(factory=dict)

    def names(self) -> list[str]:
        """The name of each step: its ``step_id``, or else its index."""
        return [str(index) if step.step_id is None else step.step_id for index, step in enumerate(self.steps)]
