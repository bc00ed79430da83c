"""The rules once more, as plainly as can be: quadratic, recursive, and without anything of the package.

It takes any plan, and registries that are lists of definitions in which nothing is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field

__all__ = ["Opinion", "judge"]

Found = list[tuple[str, str]]
# Of a piece of a text: its step and output where it is a reference, and its bounds.
Piece = tuple[tuple[str, str] | None, int, int]

TYPES = {
    "string": "string str text",
    "integer": "integer int",
    "number": "number float double",
    "boolean": "boolean bool",
    "array": "array list",
    "object": "object dict map",
    "null": "null none",
}
KIND_OF = {name: kind for kind, names in TYPES.items() for name in names.split()}


@define
class Step:
    """What a step says, as far as it makes sense."""

    at: int
    name: str
    is_named: bool = False
    atom: dict[str, Any] | None = None
    atom_id: str | None = None
    inputs: dict[str, Any] | None = None
    depends_on: list[str] | None = None

    @property
    def path(self) -> str:
        return f"plan.steps[{self.at}]"


@define
class Opinion:
    """What is wrong with a plan; ``rings`` are the groups of steps that depend on one another."""

    errors: Found = field(factory=list)
    warnings: Found = field(factory=list)
    rings: list[set[int]] = field(factory=list)
    graph: dict[int, set[int]] = field(factory=dict)
    steps: list[Step] = field(factory=list)
    outputs: dict[str, Any] = field(factory=dict)

    @property
    def is_valid(self) -> bool:
        return not self.errors and not self.rings

    def order(self) -> tuple[list[str], list[list[str]]]:
        """The order and the waves of a valid plan."""
        done: list[int] = []
        level: dict[int, int] = {}
        while len(done) < len(self.steps):
            following = min(at for at, others in self.graph.items() if at not in done and others <= set(done))
            done.append(following)
            level[following] = 1 + max((level[other] for other in self.graph[following]), default=-1)
        waves = [[at for at in sorted(level) if level[at] == number] for number in range(max(level.values()) + 1)]
        return [self.steps[at].name for at in done], [[self.steps[at].name for at in wave] for wave in waves]


def judge(document: Any, atoms: list[dict[str, Any]]) -> Opinion:
    """What the rules say of a plan."""
    opinion = Opinion()
    read_structure(document, atoms, opinion)
    owners = check_names(opinion)
    for step in opinion.steps:
        check_atom(step, opinion.errors)
    uses = [(step, *use) for step in opinion.steps for use in references_in(step.inputs, f"{step.path}.inputs")]
    opinion.warnings += [("MALFORMED_REFERENCE", path) for _, path, meant, _ in uses if meant is None]
    shown = list(references_in(opinion.outputs, "plan.outputs"))
    opinion.warnings += [("MALFORMED_REFERENCE", path) for path, meant, _ in shown if meant is None]
    check_uses(opinion, owners, [(step, path, *meant) for step, path, meant, _ in uses if meant])
    targets = [*(meant for _, _, meant, _ in uses if meant), *(meant for _, meant, _ in shown if meant)]
    check_unused(opinion, owners, {owners.get(step) for step, _ in targets})
    for path, meant, _ in shown:
        if meant and (meant[0] not in owners or lacks(opinion.steps[owners[meant[0]]], meant[1])):
            opinion.warnings.append(("UNRESOLVED_OUTPUT", path))
    for step in opinion.steps:
        check_types(step, opinion, owners)
    return opinion


# ---------------------------------------------------------------- S and U


def get(owner: dict[str, Any], key: str, kind: type, path: str, errors: Found) -> Any:
    path = f"{path}.{key}".lstrip(".")
    if key not in owner:
        errors.append(("MISSING_FIELD", path))
    elif not isinstance(owner[key], kind):
        errors.append(("INVALID_TYPE", path))
    else:
        return owner[key]
    return None


def read_structure(document: Any, atoms: list[dict[str, Any]], opinion: Opinion) -> None:
    errors = opinion.errors
    if not isinstance(document, dict):
        errors.append(("INVALID_TYPE", "$"))
        return
    get(document, "target", str, "", errors)
    plan = get(document, "plan", dict, "", errors)
    if plan is None:
        return
    steps = get(plan, "steps", list, "plan", errors)
    if steps == []:
        errors.append(("EMPTY_STEPS", "plan.steps"))
    opinion.steps = [read_step(at, step, atoms, errors) for at, step in enumerate(steps or [])]
    if "outputs" in plan:
        opinion.outputs = get(plan, "outputs", dict, "plan", errors) or {}


def read_step(at: int, value: Any, atoms: list[dict[str, Any]], errors: Found) -> Step:
    step = Step(at, str(at))
    if not isinstance(value, dict):
        errors.append(("INVALID_TYPE", step.path))
        return step
    step.atom_id = get(value, "id", str, step.path, errors)
    step.atom = next((atom for atom in atoms if atom["id"] == step.atom_id), None)
    get(value, "target", str, step.path, errors)
    step.inputs = get(value, "inputs", dict, step.path, errors)
    if "step_id" in value:
        name = get(value, "step_id", str, step.path, errors)
        if name == "":
            errors.append(("EMPTY_STEP_ID", f"{step.path}.step_id"))
        elif name is not None:
            step.name, step.is_named = name, True
    if "depends_on" in value:
        listed = get(value, "depends_on", list, step.path, errors) or []
        wrong = [place for place, one in enumerate(listed) if not isinstance(one, str)]
        errors += [("INVALID_TYPE", f"{step.path}.depends_on[{place}]") for place in wrong]
        if isinstance(value["depends_on"], list) and not wrong:
            step.depends_on = listed
    return step


def check_names(opinion: Opinion) -> dict[str, int]:
    """The steps by name."""
    owners = {step.name: step.at for step in opinion.steps if not step.is_named}
    for step in opinion.steps:
        if step.is_named and step.name in owners:
            opinion.errors.append(("DUPLICATE_STEP_ID", f"{step.path}.step_id"))
        owners.setdefault(step.name, step.at)
    return owners


# ---------------------------------------------------------------- A


def check_atom(step: Step, errors: Found) -> None:
    if step.atom_id is None:
        return
    if step.atom is None:
        errors.append(("UNKNOWN_ATOM_ID", f"{step.path}.id"))
    elif step.inputs is not None:
        known = {one["name"] for one in step.atom["inputs"]}
        errors += [("UNKNOWN_INPUT_FIELD", f"{step.path}.inputs{key(one)}") for one in step.inputs if one not in known]
        for one in step.atom["inputs"]:
            if not one.get("required"):
                continue
            if one["name"] not in step.inputs:
                errors.append(("MISSING_REQUIRED_INPUT", f"{step.path}.inputs"))
            elif step.inputs[one["name"]] in (None, ""):
                errors.append(("MISSING_REQUIRED_INPUT", f"{step.path}.inputs{key(one['name'])}"))


def key(name: str) -> str:
    return f".{name}" if name.isidentifier() else f"[{json.dumps(name)}]"


# ---------------------------------------------------------------- R and D


def references_in(value: Any, path: str) -> Iterator[tuple[str, tuple[str, str] | None, bool]]:
    """Each reference, or what looks like one, in a value: its path, what it means, and whether it is the whole text."""
    if isinstance(value, str):
        yield from ((path, meant, end - start == len(value)) for meant, start, end in pieces(value))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from references_in(one, f"{path}[{at}]")
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from references_in(one, path + key(name))


def pieces(text: str) -> Iterator[Piece]:
    at = 0
    while at < len(text):
        if text.startswith("$${", at):
            at += 3
        elif text.startswith("${", at):
            end = run(text, at + 2, lambda rest: rest[0] not in "${}" and rest[0] >= " " and rest[0] != "\x7f")
            meant = parse(text[at + 2 : end]) if text[end : end + 1] == "}" else None
            if meant is None:
                end = run(text, at + 2, lambda rest: rest[0] not in "}\r\n" and not rest.startswith(("${", "$${")))
            end += text[end : end + 1] == "}"
            yield meant, at, end
            at = end
        else:
            at += 1


def run(text: str, at: int, goes_on: Callable[[str], bool]) -> int:
    while at < len(text) and goes_on(text[at:]):
        at += 1
    return at


def parse(inside: str) -> tuple[str, str] | None:
    # A step's name has at least one character.
    at = inside.find(".outputs.", 1)
    step, output = inside[: max(at, 0)], inside[at + 9 :]
    is_right = at > 0 and step == step.strip(" \t") and output == output.strip(" \t") and output != ""
    return (step, output) if is_right else None


def check_uses(opinion: Opinion, owners: dict[str, int], uses: list[tuple[Step, str, str, str]]) -> None:
    for step in opinion.steps:
        names = step.depends_on
        if names is None:
            names = [name for user, _, name, _ in uses if user is step]
        opinion.graph[step.at] = {owners[name] for name in names if name in owners}
    reach = {at: reachable(at, opinion.graph) for at in opinion.graph}
    for step, path, name, output in uses:
        if name not in owners:
            opinion.errors.append(("UNKNOWN_STEP_REF", path))
            continue
        if lacks(opinion.steps[owners[name]], output):
            opinion.errors.append(("UNKNOWN_OUTPUT_FIELD", path))
        waits = any(other in reach[other] for other in {step.at, *reach[step.at]})
        if step.depends_on is not None and owners[name] not in reach[step.at] and not waits:
            opinion.errors.append(("REF_BEFORE_DEPENDENCY", path))
    for step in opinion.steps:
        for at, name in enumerate(step.depends_on or []):
            if name not in owners:
                opinion.errors.append(("UNKNOWN_DEPENDENCY", f"{step.path}.depends_on[{at}]"))
    for at in opinion.graph:
        ring = {other for other in opinion.graph if other in reach[at] and at in reach[other]}
        if ring and ring not in opinion.rings:
            opinion.rings.append(ring)


def reachable(at: int, graph: dict[int, set[int]]) -> set[int]:
    found: set[int] = set()
    todo = list(graph[at])
    while todo:
        other = todo.pop()
        if other not in found:
            found.add(other)
            todo += graph[other]
    return found


def lacks(step: Step, output: str) -> bool:
    """Whether a step is known not to have an output."""
    return step.atom is not None and output not in {one["name"] for one in step.atom["outputs"]}


# ---------------------------------------------------------------- warnings


def check_unused(opinion: Opinion, owners: dict[str, int], used: set[int | None]) -> None:
    for step in opinion.steps:
        has_outputs = step.atom is not None and step.atom["outputs"]
        if has_outputs and step.at not in used and owners[step.name] == step.at:
            opinion.warnings.append(("UNUSED_STEP_OUTPUT", step.path))


def check_types(step: Step, opinion: Opinion, owners: dict[str, int]) -> None:
    types = {one["name"]: kinds(one) for one in step.atom["inputs"]} if step.atom else {}
    for name, value in (step.inputs or {}).items():
        wanted = types.get(name)
        if wanted is None or value is None:
            continue
        given: set[str] | None = {kind_of(value)}
        for _, meant, is_whole in references_in(value, "") if isinstance(value, str) else ():
            if is_whole and meant:
                source = opinion.steps[owners[meant[0]]].atom if meant[0] in owners else None
                given = (
                    next((kinds(one) for one in source["outputs"] if one["name"] == meant[1]), None) if source else None
                )
        if given is not None and not given & wanted and not ("integer" in given and "number" in wanted):
            opinion.warnings.append(("INPUT_TYPE_MISMATCH", f"{step.path}.inputs{key(name)}"))


def kinds(slot: dict[str, Any]) -> set[str] | None:
    """Which types are meant, None where any will do."""
    types = slot.get("type", [])
    found = {KIND_OF.get(one) for one in ([types] if isinstance(types, str) else types)}
    return None if not found or None in found else {one for one in found if one}


def kind_of(value: Any) -> str:
    if isinstance(value, float):
        return "integer" if value == int(value) else "number"
    return {bool: "boolean", int: "integer", str: "string", list: "array", dict: "object"}[type(value)]
