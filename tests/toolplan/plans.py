"""Plans and tools that tests begin with: a bakery's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["ATOMS", "bake", "codes", "document", "paths", "weigh"]

ATOMS: list[dict[str, Any]] = [
    {
        "id": "weigh",
        "inputs": [
            {"name": "item", "type": "string", "required": True},
            {"name": "grams", "type": "integer"},
            {"name": "rest"},
        ],
        "outputs": [{"name": "weight", "type": "number"}, {"name": "note", "type": "string"}],
    },
    {
        "id": "bake",
        "inputs": [
            {"name": "dough", "type": ["string", "number"], "required": True},
            {"name": "minutes", "type": "integer"},
        ],
        "outputs": [{"name": "loaf", "type": "string"}],
    },
    {"id": "sweep", "inputs": [{"name": "floor"}], "outputs": []},
]


def weigh(step_id: str = "", item: Any = "rye", **fields: Any) -> dict[str, Any]:
    """A step that weighs something."""
    name = {"step_id": step_id} if step_id else {}
    return {**name, "id": "weigh", "target": "Weigh it", "inputs": {"item": item}, **fields}


def bake(step_id: str = "", dough: Any = "rye", **fields: Any) -> dict[str, Any]:
    """A step that bakes."""
    name = {"step_id": step_id} if step_id else {}
    return {**name, "id": "bake", "target": "Bake it", "inputs": {"dough": dough}, **fields}


def document(*steps: Any, **plan: Any) -> dict[str, Any]:
    """A plan of these steps."""
    return {"target": "Bread", "plan": {"steps": list(steps), **plan}}


def codes(result: dict[str, Any]) -> list[str]:
    """The codes of what was found, in its order."""
    return [found["code"] for found in result.get("errors", result.get("warnings", []))]


def paths(found: Sequence[dict[str, str]]) -> list[tuple[str, str]]:
    """Code and path of each."""
    return [(one["code"], one["path"]) for one in found]
