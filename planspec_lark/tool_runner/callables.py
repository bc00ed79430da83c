"""The callables that do what the steps of a plan ask for. Nothing is ever imported by a name that a plan supplies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias, cast

from planspec_lark.syntax.diagnostics import first_of
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.tool_runner.results import ToolRunError

__all__ = ["ENTRY_POINTS", "AtomCallable", "Call", "Caller", "find_caller", "load_entry_point_atoms"]

ENTRY_POINTS = "planspec_lark.atoms"

# Gets the inputs by name, and gives the outputs by name. May be asynchronous.
AtomCallable: TypeAlias = Callable[[dict[str, Any]], Any]
# Gets the id of the atom as well.
Caller: TypeAlias = Callable[[str, dict[str, Any]], Any]
Call: TypeAlias = Mapping[str, AtomCallable] | Caller


def find_caller(call: Call, atom_ids: Collection[str]) -> Callable[[str], AtomCallable]:
    """What gives the callable of each of these atoms.

    Raises:
        ToolRunError: one of them has none.
        TypeError: ``call`` is nothing to call, and no mapping.
    """
    if isinstance(call, Mapping):
        found = {one: call.get(one) for one in atom_ids}
        missing = [visible_name(one) for one, known in found.items() if not callable(known)]
        if missing:
            raise ToolRunError(f"there is no callable for {first_of(missing)}")
        return lambda atom_id: cast("AtomCallable", found[atom_id])
    if not callable(call):
        raise TypeError(f"call: {type(call).__name__} is nothing to call, and no mapping")
    caller = call
    return lambda atom_id: lambda inputs: caller(atom_id, inputs)


def load_entry_point_atoms(atom_ids: Collection[str] | None = None) -> dict[str, AtomCallable]:
    """The callables that installed packages offer in the group ``planspec_lark.atoms``, by atom id.

    Args:
        atom_ids: load only these, as far as they are there; all by default.

    Raises:
        ToolRunError: one cannot be loaded or called, or two packages offer the same.
    """
    offered: dict[str, EntryPoint] = {}
    for one in entry_points(group=ENTRY_POINTS):
        if atom_ids is not None and one.name not in atom_ids:
            continue
        if offered.setdefault(one.name, one).value != one.value:
            both = f"{offered[one.name].value} and {one.value}"
            raise ToolRunError(visible_name(f"two packages offer the atom {one.name}: {both}"))
    return {name: _load(one) for name, one in offered.items()}


def _load(offered: EntryPoint) -> AtomCallable:
    try:
        loaded = offered.load()
    except Exception as error:
        said = f"the atom {offered.name} cannot be loaded from {offered.value}: {type(error).__name__}: {error}"
        raise ToolRunError(visible_name(said)) from error
    if not callable(loaded):
        raise ToolRunError(visible_name(f"the atom {offered.name} is nothing to call: {offered.value}"))
    made: AtomCallable = loaded
    return made
