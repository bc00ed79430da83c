"""Random plans: the package finds what the rules, written down once more, say."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from planspec_lark.syntax import CODES
from planspec_lark.toolplan import check_tool_plan, validate_plan_doc
from tests.toolplan import oracle
from tests.toolplan.oracle import Opinion

TYPES = ["string", "int", "number", "bool", "list", "object", "file", "null", ["string", "null"], ["int", "string"], []]
NAMES = ["s", "t", "u", "0", "1", "a b", "v.1"]
INPUTS, OUTPUTS = ["x", "y", "a b", "z"], ["o", "p", "q.r"]
STRANGE: list[Any] = [None, 1, "x", [], {}, True, 1.5, [1], ["s", None], ""]
PIECES = ["${", "}", "$", ".outputs.", "s", "o", " ", "\n", "a", ".", "{", "\x7f"]
PLANS = 250
# All but those that come up once in some hundred plans.
MOST_CODES = {code.name for code in CODES.values() if "PT1" <= code.code < "PT6"}
MOST_CODES -= {"EMPTY_STEPS", "EMPTY_STEP_ID"}


class Maker:
    """Makes plans, most of them with few faults or none (``care`` near to 1), or with many."""

    def __init__(self, seed: int, care: float) -> None:
        self.random = random.Random(seed)
        self.care = care

    def pick(self, *values: Any) -> Any:
        return self.random.choice(values)

    def slips(self, share: float = 1.0) -> bool:
        return self.random.random() > float(self.care ** (share / 4))

    def atoms(self) -> list[dict[str, Any]]:
        def slots(names: list[str], **more: list[Any]) -> list[dict[str, Any]]:
            few = self.random.sample(names, self.random.randint(0, 3))
            extra = {key: self.pick(*values) for key, values in more.items()}
            return [{"name": name, "type": self.pick(*TYPES), **extra} for name in few]

        return [
            {"id": one, "inputs": slots(INPUTS, required=[True, False]), "outputs": slots(OUTPUTS)} for one in "ABC"
        ]

    def document(self, atoms: list[dict[str, Any]]) -> dict[str, Any]:
        names = [*NAMES[: self.random.randint(1, 6)]]
        steps: list[Any] = []
        for at, name in enumerate(names):
            known = dict(zip(names[: len(steps)], steps, strict=True))
            steps.append(self.step(at, self.pick(*NAMES) if self.slips() else name, known, atoms))
        plan: dict[str, Any] = {"steps": steps}
        if self.pick(True, False):
            plan["outputs"] = {one: self.text(dict(zip(names, steps, strict=True)), atoms) for one in ("k", "l")}
        document = {"target": "", "plan": plan}
        if self.slips(0.3):
            self.spoil(*self.pick((document, "target"), (document, "plan"), (plan, "steps"), (plan, "outputs")))
        return document

    def spoil(self, owner: dict[str, Any], key: str) -> None:
        if self.pick(True, False):
            owner.pop(key, None)
        else:
            owner[key] = self.pick(*STRANGE)

    def step(self, at: int, name: str, known: dict[str, Any], atoms: list[dict[str, Any]]) -> Any:
        atom = self.pick(*atoms)
        wanted = [one["name"] for one in atom["inputs"]]
        inputs = {one: self.value(known, atoms) for one in wanted if one and not self.slips()}
        inputs |= {"w": 1} if self.slips() else {}
        step = {"id": "none" if self.slips() else atom["id"], "target": "", "inputs": inputs}
        # Without one, its index is its name.
        if name != str(at) or self.pick(True, False):
            step["step_id"] = name
        if self.random.random() < 0.4:
            listed = [*known] if not self.slips() else [*NAMES, "none"]
            step["depends_on"] = self.random.choices(listed, k=self.random.randint(0, 3)) if listed else []
        if self.slips(0.5):
            self.spoil(step, self.pick(*step, "depends_on", "step_id"))
        return self.pick(*STRANGE) if self.slips(0.2) else step

    def value(self, known: dict[str, Any], atoms: list[dict[str, Any]], depth: int = 0) -> Any:
        kind = self.random.random()
        if kind < 0.5:
            return self.text(known, atoms)
        if kind < 0.8 or depth > 2:
            return self.pick(0, 1, 2.0, 2.5, True, "text", [], {}, [1], *([None, ""] if self.slips() else []))
        if kind < 0.9:
            return [self.value(known, atoms, depth + 1) for _ in range(self.random.randint(0, 3))]
        return {one: self.value(known, atoms, depth + 1) for one in ("k", "a b")}

    def text(self, known: dict[str, Any], atoms: list[dict[str, Any]]) -> str:
        if self.slips():
            return "".join(self.random.choices(PIECES, k=self.random.randint(0, 9)))
        name = self.pick(*known) if known and not self.slips() else self.pick(*NAMES) if self.slips() else ""
        if not name:
            return "no reference"
        step = known.get(name)
        atom_id = step.get("id") if isinstance(step, dict) else None
        outputs = [one["name"] for atom in atoms if atom["id"] == atom_id for one in atom["outputs"]]
        if not outputs and not self.slips():
            return "no reference"
        output = self.pick(*OUTPUTS) if self.slips() or not outputs else self.pick(*outputs)
        return (
            str(self.pick("", "", "", "so: ", "$", "$$"))
            + f"${{{name}.outputs.{output}}}"
            + str(self.pick("", "", "}"))
        )


def agree(document: Any, atoms: list[dict[str, Any]], opinion: Opinion) -> None:
    result = validate_plan_doc(document, atoms)
    assert result["valid"] == opinion.is_valid
    if opinion.is_valid:
        assert [(one["code"], one["path"]) for one in result["warnings"]] == opinion.warnings
        assert (result["execution_order"], result["execution_waves"]) == opinion.order()
        return
    count = len(opinion.errors)
    assert [(one["code"], one["path"]) for one in result["errors"][:count]] == opinion.errors
    circles = result["errors"][count:]
    assert {one["code"] for one in circles} <= {"CIRCULAR_DEPENDENCY"}
    starts = [is_a_circle(circle, opinion) for circle in circles]
    assert all(any(at in ring for at in starts) for ring in opinion.rings)


def is_a_circle(found: dict[str, str], opinion: Opinion) -> int:
    """Every step that the message names depends on the next one, and the first, which is given, is at its place."""
    names = found["message"].removeprefix("Circular dependency: ").split(" → ")
    at = int(found["path"].removeprefix("plan.steps[").partition("]")[0])
    first = opinion.steps[at]
    assert found["path"] == f"{first.path}.{'inputs' if first.depends_on is None else 'depends_on'}"
    assert (names[0], names[-1]) == (first.name, first.name)
    here = {at}
    for name in names[1:]:
        here = {other for one in here for other in opinion.graph[one] if opinion.steps[other].name == name}
        assert here
    return at


def agree_on_text(document: Any, atoms: list[dict[str, Any]], opinion: Opinion) -> None:
    found = check_tool_plan(json.dumps(document, ensure_ascii=False), atoms)
    named = sorted((CODES[one.code].name, one.path) for one in found)
    assert [one for one in named if one[0] != "CIRCULAR_DEPENDENCY"] == sorted(opinion.errors + opinion.warnings)
    assert len(named) >= len(opinion.errors) + len(opinion.warnings) + len(opinion.rings)


@pytest.mark.parametrize("care", [0.99, 0.9, 0.5])
def test_random_plans(care: float) -> None:
    seen: set[str] = set()
    valid = 0
    for seed in range(PLANS):
        maker = Maker(seed, care)
        atoms = maker.atoms()
        document = maker.document(atoms)
        opinion = oracle.judge(document, atoms)
        agree(document, atoms, opinion)
        agree_on_text(document, atoms, opinion)
        seen |= {code for code, _ in opinion.errors + opinion.warnings}
        seen |= {"CIRCULAR_DEPENDENCY"} if opinion.rings else set()
        valid += opinion.is_valid
    # There was something to agree on.
    assert valid > PLANS / 2 if care > 0.95 else seen >= MOST_CODES
