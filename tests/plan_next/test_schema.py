"""The schemas and the models agree: what one takes the other takes, whatever a message looks like."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft7Validator

from planspec_lark import Diagnostic
from planspec_lark.plan_next import MessageError, Phase, parse_message
from planspec_lark.plan_next.parser import _NULLABLE
from planspec_lark.plan_next.rules import PHASES
from planspec_lark.syntax import CODES
from planspec_lark.syntax.grammars import schema_path
from tests.cases import in_one_test
from tests.plan_next.messages import GOAL as CORE4, call as make_call, encode, execute, probes, returned, steps

Path = tuple[str | int, ...]

CALL, PROBES, STEPS, EXECUTE = make_call(), probes(), steps(update_plan=["Paint the hall"]), execute()
RESULT = returned(status="done")
VALID = {
    "probes": PROBES,
    "steps": STEPS,
    "execute": EXECUTE,
    "result": RESULT,
    "object": returned({"path": "x", "id": 7}),
}

# What the protocol's schema says. PN201 belongs to it, as each phase has a schema of its own.
STRUCTURAL = {"PN101", "PN102", "PN103", "PN104", "PN105", "PN106", "PN107", "PN201"}
# What the strict schema says besides. Of PN108 the protocol's says a part: where an object takes no other field.
STRICT = {"PN108", "PN202", "PN203", "PN204", "PN205", "PN213"}
CLOSED = {"", "new_block"}
# What neither can, and why: these look at words inside a text, are mere warnings, or need more than the message.
ELSEWHERE = {
    "PN206": "a warning: the field should be there, and need not",
    "PN207": "words of a list that users extend",
    "PN208": "words of a list that users extend",
    "PN209": "a path anywhere in a text, in whatever width it is written",
    "PN210": "a warning, about what only looks random",
    "PN211": "white space of Unicode, for which expressions of schemas have no common meaning",
    "PN212": "a warning, and white space as well",
    "PN214": "a warning, and about words",
    "PN215": "a warning, about the words of headings",
    "PN216": "a warning, about words",
    "PN301": "needs the list of executors",
    "PN302": "needs the context",
    "PN303": "needs the context",
    "PN304": "needs the context",
    "PN305": "is about a context",
    "PN306": "needs the context",
    "PN401": "is about a list of executors",
    "PN402": "is about a list of executors",
}

NEXT = Draft7Validator(json.loads(schema_path("plan_next").read_text(encoding="utf-8")))
RETURN = Draft7Validator(json.loads(schema_path("plan_return").read_text(encoding="utf-8")))
STRICT_NEXT = Draft7Validator(json.loads(schema_path("plan_next_strict").read_text(encoding="utf-8")))
SCHEMAS = {Phase.PLANNING: NEXT, Phase.EXECUTION: RETURN}
STRICT_SCHEMAS = {Phase.PLANNING: STRICT_NEXT, Phase.EXECUTION: RETURN}


def find(message: dict[str, Any], phase: Phase) -> list[Diagnostic]:
    """All that strict reading finds in a message."""
    try:
        read = parse_message(encode(message), phase)
    except MessageError as error:
        return error.diagnostics
    return list(read.warnings)


def changed(message: Any, path: Path, value: Any) -> Any:
    """A copy in which something else stands at a path; an index behind the last one adds an item."""
    message, owner = copied(message, path)
    if isinstance(owner, list) and path[-1] == len(owner):
        owner.append(value)
    else:
        owner[path[-1]] = value
    return message


def without(message: Any, path: Path) -> Any:
    """A copy in which nothing stands there."""
    message, owner = copied(message, path)
    del owner[path[-1]]
    return message


def copied(message: Any, path: Path) -> tuple[Any, Any]:
    """A copy, and what in it holds the last step of a path."""
    owner = message = copy.deepcopy(message)
    for step in path[:-1]:
        owner = owner[step]
    return message, owner


def within(message: dict[str, Any], **fields: Any) -> Any:
    """A copy with other fields in its new block."""
    return {**message, "new_block": {**message["new_block"], **fields}}


def phase_of(message: dict[str, Any]) -> Phase:
    """The phase that a valid message is for."""
    return next(phase for phase, kind in PHASES.items() if kind == message["type"])


def strict(message: dict[str, Any], phase: Phase) -> list[str]:
    """The codes of all that the strict schema might have found as well."""
    codes = [found.code for found in find(message, phase)]
    assert set(codes) <= STRUCTURAL | STRICT | set(ELSEWHERE), codes
    return [code for code in codes if code in STRUCTURAL | STRICT]


def structural(message: dict[str, Any], phase: Phase) -> list[str]:
    """The codes of all that the protocol's own schema might have found as well."""
    found = find(message, phase)
    return [one.code for one in found if one.code in STRUCTURAL or (one.code == "PN108" and is_closed(one))]


def is_closed(found: Diagnostic) -> bool:
    """Whether a field stands where the protocol's schema takes no others."""
    return found.path.rpartition(".")[0] in CLOSED


def without_nulls(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what it leaves out by null, which the protocol allows and its schema does not."""
    return {key: item for key, item in message.items() if item is not None or key not in _NULLABLE}


def test_every_code_is_on_one_side() -> None:
    assert {code for code in CODES if code.startswith("PN")} == STRUCTURAL | STRICT | set(ELSEWHERE)
    assert len(STRUCTURAL | STRICT | set(ELSEWHERE)) == len(STRUCTURAL) + len(STRICT) + len(ELSEWHERE)


def test_the_schemas_are_schemas() -> None:
    for validator in (NEXT, STRICT_NEXT, RETURN):
        Draft7Validator.check_schema(validator.schema)


# ---------------------------------------------------------------- the table


def block(base: str, /, **fields: Any) -> Any:
    return within(VALID[base], **fields)


def call(**fields: Any) -> Any:
    return changed(EXECUTE, ("executor_call",), {**CALL, **fields})


def items(count: int) -> list[str]:
    return [f"Tile {chr(ord('A') + at)} is loose" for at in range(count)]


def valid_cases() -> Iterator[tuple[str, Any]]:
    yield from VALID.items()
    yield "no signal", without(PROBES, ("success_signal",))
    yield "empty signal", {**PROBES, "success_signal": ""}
    yield "empty update_plan", {**STEPS, "update_plan": []}
    yield "goal in one character", block("steps", goal="屋")
    yield "Core4 without texts", block("steps", goal=dict.fromkeys(CORE4, ""))
    yield "Core4 with more", block("steps", goal={**CORE4, "non_goals": ["A new roof"], "extra": 1})
    yield "inputs with a path", call(inputs={"path": "roof.txt", "id": 1, "children": []})
    yield "call with more", call(timeout=20, extra=None)
    yield "no observations", call(expected_observations=[])
    yield "empty result", {**RESULT, "result": ""}
    yield "empty object", {**RESULT, "result": {}}
    yield "failed", {**RESULT, "status": "failed"}
    yield "done in part", {**RESULT, "status": "partly_done"}
    yield "no status", without(RESULT, ("status",))
    for count in range(3, 8):
        yield f"{count} items", block("probes", plan=items(count))


def missing_cases() -> Iterator[tuple[str, Any, list[str]]]:
    paths: list[tuple[str, Path]] = [("type", ("type",)), ("plan_type", ("plan_type",)), ("block", ("new_block",))]
    paths += [(name, ("new_block", name)) for name in ("goal", "plan", "done")]
    paths += [(side, ("new_block", "goal", side)) for side in CORE4]
    for name, path in paths:
        yield f"no {name}", without(PROBES, path), ["PN101"]
    for name in CALL:
        yield f"no {name}", without(EXECUTE, ("executor_call", name)), ["PN213"]
    yield "no call", without(EXECUTE, ("executor_call",)), ["PN203"]
    yield "no result", without(RESULT, ("result",)), ["PN101"]
    yield "return without type", without(RESULT, ("type",)), ["PN101"]
    yield "nothing", {}, ["PN101"]


def kind_cases() -> Iterator[tuple[str, Any, list[str]]]:
    """At each place a value of another kind, and null."""
    places: list[tuple[str, Path, object, list[str]]] = [
        ("probes", ("type",), 1, ["PN103"]),
        ("probes", ("new_block",), [], ["PN103"]),
        ("probes", ("new_block", "goal"), 3, ["PN103"]),
        ("probes", ("new_block", "goal", "metric"), 3, ["PN103"]),
        ("probes", ("new_block", "plan"), {"0": "The gutter leaks"}, ["PN103"]),
        ("probes", ("new_block", "plan", 1), {"hypothesis": "A tile slipped"}, ["PN103"]),
        ("probes", ("new_block", "done"), {}, ["PN103"]),
        ("probes", ("success_signal",), ["One spot is wet"], ["PN103"]),
        ("steps", ("update_plan",), "Paint the hall", ["PN103"]),
        ("steps", ("update_plan", 0), 1, ["PN103"]),
        ("execute", ("executor_call",), "shell: ls", ["PN103"]),
        ("execute", ("executor_call", "inputs"), [], ["PN103"]),
        ("execute", ("executor_call", "expected_observations"), "exit code 0", ["PN103"]),
        ("result", ("result",), ["Done"], ["PN103"]),
        ("result", ("status",), True, ["PN103"]),
    ]
    for base, path, value, codes in places:
        yield f"{base}: {path[-1]} as {type(value).__name__}", changed(VALID[base], path, value), codes
    for base, path in {(base, path): None for base, path, _, _ in places if path[-1] not in _NULLABLE}:
        yield f"{base}: {path[-1]} as null", changed(VALID[base], path, None), ["PN103"]


def field_cases() -> Iterator[tuple[str, Any, list[str]]]:
    yield "strange fields", {**PROBES, "reason": "", "warnings": [], "origin": 1}, ["PN102"] * 3
    yield "strange field in block", block("probes", plan_type="PLAN_PROBES"), ["PN102"]
    yield "strange field in result", {**RESULT, "plan_type": "EXECUTE"}, ["PN102"]
    for name in ("id", "new_id", "current_id", "path", "children"):
        yield f"{name} at the top", {**PROBES, name: 1}, ["PN108"]
        yield f"{name} in the block", block("probes", **{name: "root"}), ["PN108"]
        yield f"{name} in the goal", block("probes", goal={**CORE4, name: ""}), ["PN108"]
        yield f"{name} in the call", call(**{name: None}), ["PN108"]
        yield f"{name} beside the result", {**RESULT, name: 1}, ["PN102"]


def value_cases() -> Iterator[tuple[str, Any, list[str]]]:
    yield "another type", {**PROBES, "type": "plan-nest"}, ["PN104"]
    yield "the other phase's type", {**PROBES, "type": "plan-return"}, ["PN101", *["PN102"] * 3, "PN201"]
    yield "another plan type", {**PROBES, "plan_type": "PLAN"}, ["PN105"]
    yield "empty goal", block("probes", goal=""), ["PN106"]
    yield "something done", block("probes", done=["Look at the roof"]), ["PN107"]
    yield "plan in EXECUTE", block("execute", plan=["List"]), ["PN202"]
    yield "call in PROBES", {**PROBES, "executor_call": CALL}, ["PN204"]
    yield "call in STEPS", {**STEPS, "executor_call": CALL}, ["PN204"]
    yield "null for a call", {**EXECUTE, "executor_call": None}, ["PN203"]
    yield "another status", {**RESULT, "status": "partial"}, ["PN103"]
    yield "result of the other phase", {**EXECUTE, "type": "plan-return", "result": ""}, ["PN102"] * 3 + ["PN201"]
    for base in ("probes", "steps"):
        for count in (0, 2, 8):
            yield f"{base}: {count} items", block(base, plan=items(count)), ["PN205"]


def invalid_cases() -> list[tuple[str, Any, list[str]]]:
    return [*missing_cases(), *kind_cases(), *field_cases(), *value_cases()]


@in_one_test
@pytest.mark.parametrize("message", [pytest.param(message, id=name) for name, message in valid_cases()])
def test_valid_messages(message: dict[str, Any]) -> None:
    phase = phase_of(message)
    assert SCHEMAS[phase].is_valid(message)
    assert STRICT_SCHEMAS[phase].is_valid(message)
    assert strict(message, phase) == []
    other = next(one for one in Phase if one is not phase)
    assert not SCHEMAS[other].is_valid(message)
    assert strict(message, other) == ["PN201"]


@pytest.mark.parametrize(
    ("message", "codes"), [pytest.param(message, codes, id=name) for name, message, codes in invalid_cases()]
)
def test_invalid_messages(message: dict[str, Any], codes: list[str]) -> None:
    is_return = "result" in message or message.get("type") == "plan-return"
    phase = Phase.EXECUTION if is_return and "new_block" not in message else Phase.PLANNING
    assert not STRICT_SCHEMAS[phase].is_valid(message)
    assert sorted(strict(message, phase)) == sorted(codes)
    assert SCHEMAS[phase].is_valid(without_nulls(message)) == (structural(message, phase) == [])


# ---------------------------------------------------------------- any message

_KEYS = [
    *("type", "plan_type", "new_block", "success_signal", "executor_call", "update_plan", "result", "status"),
    *("goal", "plan", "done", *CORE4, *CALL),
    *("id", "new_id", "current_id", "path", "children", "extra", "warnings", "origin", "", "note"),
]
_TEXTS = ["", " ", "plan-next", "plan-return", "PLAN_PROBES", "PLAN_STEPS", "EXECUTE", "done", "failed", "Look", "屋"]
_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 9), st.floats(-2, 2, allow_subnormal=False), st.sampled_from(_TEXTS)
)
_PIECES = [*VALID.values(), PROBES["new_block"], EXECUTE["new_block"], CORE4, CALL, [], {}, ["Look"] * 3]
_values = st.one_of(
    _scalars,
    st.sampled_from(_PIECES).map(copy.deepcopy),
    st.lists(_scalars, max_size=9),
    st.lists(st.sampled_from(_TEXTS), max_size=9),
    st.dictionaries(st.sampled_from(_KEYS), _scalars, max_size=4),
)


def paths_in(value: object, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths_in(item, (*path, index))


def owners_in(value: object) -> list[tuple[Path, Any]]:
    """Everything that something can be added to."""
    owners: list[tuple[Path, Any]] = [((), value)]
    for path in paths_in(value):
        item: Any = value
        for step in path:
            item = item[step]
        if isinstance(item, dict | list):
            owners.append((path, item))
    return owners


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A valid message after some changes, each at any place."""
    message: dict[str, Any] = copy.deepcopy(draw(st.sampled_from([*VALID.values()])))
    for _ in range(draw(st.integers(1, 4))):
        paths = list(paths_in(message))
        change = draw(st.sampled_from(["drop", "replace", "add"]))
        if change == "add":
            path, owner = draw(st.sampled_from(owners_in(message)))
            step = len(owner) if isinstance(owner, list) else draw(st.sampled_from(_KEYS))
            message = changed(message, (*path, step), draw(_values))
        elif paths and change == "drop":
            message = without(message, draw(st.sampled_from(paths)))
        elif paths:
            message = changed(message, draw(st.sampled_from(paths)), draw(_values))
    return message


@given(mutated(), st.sampled_from(Phase))
def test_the_schema_and_the_reader_agree(message: dict[str, Any], phase: Phase) -> None:
    value = without_nulls(message) if phase is Phase.PLANNING else message
    assert SCHEMAS[phase].is_valid(value) == (structural(message, phase) == [])
    assert STRICT_SCHEMAS[phase].is_valid(value) == (strict(message, phase) == [])


@pytest.mark.parametrize("name", ["executor_call", "update_plan"])
def test_null_is_nothing_to_the_reader_alone(name: str) -> None:
    """The protocol says that these two may be null, and its schema does not."""
    message = {**without(STEPS, ("update_plan",)), name: None}
    assert find(message, Phase.PLANNING) == []
    assert not NEXT.is_valid(message)
    assert not STRICT_NEXT.is_valid(message)
