"""Signatures of tools, read from plain values as far as these make sense."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, TypeAlias

from attrs import field, frozen

from planspec_lark.json_text.findings import ValueFinding
from planspec_lark.json_text.model_values import to_value
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.spelling import find_near
from planspec_lark.toolplan.models import Atom, Registry
from planspec_lark.toolplan.tool_lists import DefinedTool, is_tool_list, list_definitions, read_tool_list
from planspec_lark.toolplan.types import kinds_of

__all__ = ["Signature", "Signatures", "Slot", "Slots", "list_slots"]

# A message has so many types of one definition.
_SAID = 5
# So many unknown ids are compared with so many that are known: a plan and a list of tools may have any number.
_MOST_UNKNOWN = 20
_MOST_KNOWN = 1000


@frozen
class Slot:
    """An input or an output of a tool.

    Attributes:
        required: whether an input has to be there.
        kinds: which types its value may have, None where it may have any.
        types: the same as its definition says it.
    """

    required: bool
    kinds: frozenset[str] | None
    types: str

    @classmethod
    def of(cls, types: object, *, required: bool = False) -> Slot:
        """That of a definition; ``types`` is a text, or a list of texts."""
        names = [types] if isinstance(types, str) else types if isinstance(types, list | tuple) else []
        said = [one for one in names if isinstance(one, str)]
        return cls(required, kinds_of(said), " or ".join(shorten(one) for one in said[:_SAID]))


Slots: TypeAlias = Mapping[str, Slot]


@frozen
class Signature:
    """What goes into a tool and comes out of it, by name; None where its definition does not say it in a known way."""

    inputs: Slots | None
    outputs: Slots | None
    required: tuple[str, ...] = field(init=False)

    @required.default
    def _find_required(self) -> tuple[str, ...]:
        return tuple(name for name, slot in (self.inputs or {}).items() if slot.required)

    @classmethod
    def of(cls, definition: object) -> Signature:
        """That of a tool, be it a model or a plain value."""
        said = to_value(definition)
        if not isinstance(said, dict):
            return cls(None, None)
        return cls(_read_slots(said.get("inputs", [])), _read_slots(said.get("outputs", [])))


class Signatures:
    """The tools that there are, each read when a step asks for it.

    Args:
        registry: a model; or definitions by id, a list of definitions with ids, an object with that list as ``atoms``,
            or one definition with an id; a definition may be a model as well; or a list of tools of another form.
            Any other value holds no tools.
    """

    def __init__(self, registry: object) -> None:
        self._known: dict[str, Signature] = {}
        self._near: dict[str, str] = {}
        self._definitions = registry.atoms if isinstance(registry, Registry) else _as_definitions(registry)

    def find(self, atom_id: str) -> Signature | None:
        """That of the tool with this very id."""
        if atom_id not in self._known and atom_id in self._definitions:
            self._known[atom_id] = Signature.of(self._definitions[atom_id])
        return self._known.get(atom_id)

    def find_near(self, atom_id: str) -> str:
        """The id that somebody may have meant by an unknown one, or ""."""
        if atom_id not in self._near and len(self._near) < _MOST_UNKNOWN:
            self._near[atom_id] = find_near(atom_id, islice(self._definitions, _MOST_KNOWN))
        return self._near.get(atom_id, "")


def _as_definitions(registry: object) -> Mapping[str, object]:
    """Definitions by id. Of two with the same id the first counts."""
    found: dict[str, object] = {}
    for one in read_tool_list(registry) if is_tool_list(registry) else list_definitions(registry):
        if isinstance(one, DefinedTool):
            found.setdefault(one.atom.id, one.atom)
        elif not isinstance(one, ValueFinding):
            _, key, value = one
            atom_id = value.id if isinstance(value, Atom) else value.get("id") if isinstance(value, dict) else None
            if isinstance(atom_id := atom_id if key is None else key, str):
                found.setdefault(atom_id, value)
    return found


def list_slots(value: Any) -> Any:
    """Inputs or outputs that are objects or types by name, as a list of objects with names; any other as they are."""
    if not isinstance(value, dict):
        return value
    return [{**(one if isinstance(one, dict) else {"type": one}), "name": name} for name, one in value.items()]


def _read_slots(value: object) -> Slots | None:
    """Inputs or outputs: a list of objects with names, or objects or types by name."""
    listed, found = list_slots(value), dict[str, Slot]()
    if not isinstance(listed, list):
        return None
    for one in listed:
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(name, str):
            return None
        if name not in found:
            found[name] = Slot.of(one.get("type"), required=one.get("required") is True)
    return found
