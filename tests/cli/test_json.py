"""`planspec json`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan, plan_from_json, plan_json_schema, plan_to_json
from planspec_lark.planspec import GRAMMAR_VERSION
from tests.cases import in_one_test
from tests.cli.running import BROKEN, PLAN, run
from tests.corpus import each, read


@in_one_test
@each("planspec/valid", ".md")
def test_it_is_the_plan_as_json(path: Path) -> None:
    plan = parse_plan(read(path))
    result = run("json", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == plan_to_json(plan) + "\n"
    assert plan_from_json(result.stdout) == plan
    compact = run("json", "--compact", path).stdout
    assert compact == plan_to_json(plan, indent=None) + "\n"
    assert compact.count("\n") == 1


@each("planspec/valid", ".md")
def test_its_schema_accepts_it(path: Path) -> None:
    schema = json.loads(run("json", "--schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(run("json", path).stdout))


def test_whole_output(snapshot: SnapshotAssertion) -> None:
    assert run("json", "plan.md").stdout == snapshot


def test_schema() -> None:
    pretty = run("json", "--schema")
    assert json.loads(pretty.stdout) == plan_json_schema()
    compact = run("json", "--schema", "--compact").stdout
    assert json.loads(compact) == plan_json_schema()
    assert compact.count("\n") == 1
    assert (pretty.exit_code, pretty.stderr) == (0, "")


@pytest.mark.parametrize("change", [("steps", 3), ("unknown", 1), ("goal", "two\nlines"), ("constraints", [""])])
def test_the_schema_refuses_what_is_no_plan(change: tuple[str, object]) -> None:
    schema = json.loads(run("json", "--schema").stdout)
    value = json.loads(run("json", "plan.md").stdout)
    value[change[0]] = change[1]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(value)


def test_standard_input() -> None:
    assert run("json", "-", stdin=PLAN).stdout == run("json", "plan.md").stdout


def test_no_file() -> None:
    result = run("json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Missing argument 'FILE'" in result.stderr


@pytest.mark.parametrize("name", ["missing.md", "."])
def test_what_cannot_be_read(name: str) -> None:
    result = run("json", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")


def test_no_plan(snapshot: SnapshotAssertion) -> None:
    result = run("json", "broken.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot
    assert run("json", "-", stdin=BROKEN).exit_code == 1


def test_invalid_utf_8() -> None:
    result = run("json", "-", stdin=b"Goal: \xff\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "PS119" in result.stderr


def test_empty_plan() -> None:
    assert json.loads(run("json", "-").stdout) == {
        "grammar": GRAMMAR_VERSION,
        "title": "",
        "goal": "",
        "goal_detail": [],
        "constraints": [],
        "steps": [],
    }


def test_a_thousand_levels() -> None:
    ids = [".".join(["1"] * depth) for depth in range(1, 1001)]
    text = "Goal: x\n## Steps\n" + "".join(f"{step_id}. [subtask] s\n" for step_id in ids)
    result = run("json", "--compact", "-", stdin=text)
    assert result.exit_code == 0
    assert result.stdout.count('"step_id"') == 1000


def test_characters_that_steer_are_escapes_of_json() -> None:
    text = "Goal: a\u009b31m b\u202e c\u2028 d\ufeff e\n## Steps\n1. [act] x\n"
    result = run("json", "-", stdin=text)
    for char in "\u009b\u202e\u2028\ufeff":
        assert char not in result.stdout
    assert json.loads(result.stdout)["goal"] == parse_plan(text).goal
