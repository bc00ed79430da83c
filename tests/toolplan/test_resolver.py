"""References give way to outputs."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark.toolplan import resolver
from planspec_lark.toolplan.resolver import Unresolved, ValueRefusedError, copy_value, resolve

OUTPUTS: dict[tuple[str, str], Any] = {
    ("a", "text"): "rye",
    ("a", "number"): 5,
    ("a", "none"): None,
    ("a", "list"): [1, {"k": "${a.outputs.number}"}],
    ("a.b", "c.d"): "dots",
    ("a", "evil"): "${a.outputs.number} $${",
    ("a", "object"): object(),
    ("a", "nan"): float("nan"),
}


def find(step: str, output: str) -> Any:
    try:
        return OUTPUTS[step, output]
    except KeyError:
        raise Unresolved(f"no {output}") from None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${a.outputs.text}", "rye"),
        ("${a.outputs.number}", 5),
        ("${a.outputs.list}", [1, {"k": "${a.outputs.number}"}]),
        ("${a.b.outputs.c.d}", "dots"),
        ("${a.outputs.object}", OUTPUTS["a", "object"]),
        (" ${a.outputs.number}", " 5"),
        ("${a.outputs.text}${a.outputs.text}", "ryerye"),
        ("${a.outputs.none}, ${a.outputs.list}", 'null, [1, {"k": "${a.outputs.number}"}]'),
        ("${a.outputs.evil}", "${a.outputs.number} $${"),
        ("$${a.outputs.number}", "${a.outputs.number}"),
        ("$$${a.outputs.number}", "$${a.outputs.number}"),
        ("${a.output.number}", "${a.output.number}"),
        ("${} ${a.outputs.number} ${", "${} 5 ${"),
        ({"k": ["${a.outputs.number}", {"${a.outputs.text}": ["${a.outputs.text}!"]}]}, None),
        (("${a.outputs.text}", ["${a.outputs.text}"], ()), ["${a.outputs.text}", ["${a.outputs.text}"], []]),
    ],
)
def test_values(value: Any, expected: Any) -> None:
    if isinstance(value, dict) and value:
        expected = {"k": [5, {"${a.outputs.text}": ["rye!"]}]}
    assert resolve(value, find) == (expected, True)


def test_nothing_is_shared() -> None:
    value = {"own": [1], "other": "${a.outputs.list}"}
    resolved, _ = resolve(value, find)
    resolved["own"].append(2)
    resolved["other"][1]["k"] = 0
    assert value == {"own": [1], "other": "${a.outputs.list}"}
    assert OUTPUTS["a", "list"] == [1, {"k": "${a.outputs.number}"}]


def test_what_is_not_there() -> None:
    with pytest.raises(Unresolved, match="no q"):
        resolve(["${a.outputs.q}"], find)
    kept = resolve(["${a.outputs.q}", "x ${a.outputs.q} ${a.outputs.number}"], find, keep=True)
    assert kept == (["${a.outputs.q}", "x ${a.outputs.q} 5"], False)


@pytest.mark.parametrize("name", ["object", "nan"])
def test_what_no_text_can_say(name: str) -> None:
    with pytest.raises(ValueRefusedError, match=rf"^\$\{{a.outputs.{name}\}} cannot be put into a text: "):
        resolve(f"x ${{a.outputs.{name}}}", find)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_depth() -> None:
    assert copy_value(nested(200)) == nested(200)
    for value in (nested(201), nested(100_000)):
        with pytest.raises(ValueRefusedError, match=r"^more than 200 levels$"):
            copy_value(value)
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueRefusedError, match="levels"):
        copy_value(circle)
    circle[0] = (circle,)
    with pytest.raises(ValueRefusedError, match="levels"):
        copy_value(circle)


@pytest.mark.parametrize(
    ("value", "is_taken"),
    [
        ("x" * 30, True),
        ("x" * 31, False),
        (["x" * 15, {"y" * 14: "z"}], True),
        (["x" * 15, {"y" * 15: "z"}], False),
        (["${a.outputs.long}", "${a.outputs.long}"], True),
        (["${a.outputs.long}", "${a.outputs.long}", "-"], False),
        ("${a.outputs.long} ${a.outputs.long} ${a.outputs.long}", False),
    ],
)
def test_characters(monkeypatch: pytest.MonkeyPatch, value: Any, is_taken: bool) -> None:
    monkeypatch.setattr(resolver, "MAX_CHARACTERS", 30)
    if is_taken:
        resolve(value, lambda *_: "x" * 15)
        return
    with pytest.raises(ValueRefusedError, match=r"^more than 30 characters$"):
        resolve(value, lambda *_: "x" * 15)


def test_a_text_that_is_too_long_is_not_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "MAX_CHARACTERS", 30)
    asked: list[str] = []

    def give(_: str, output: str) -> str:
        asked.append(output)
        return "x" * 15

    with pytest.raises(ValueRefusedError, match="characters"):
        resolve("${a.outputs.b}" * 10, give)
    assert len(asked) == 3


def test_doubling_ends_soon() -> None:
    shared: Any = [1]
    for _ in range(100):
        shared = [shared, shared]
    with pytest.raises(ValueRefusedError, match=r"^more than 1,000,000 values$"):
        copy_value(shared)
