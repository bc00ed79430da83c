"""Where tool plans once were not what their source says: a test for each row of the table of deviations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import render_all
from planspec_lark.syntax import CODES
from planspec_lark.toolplan import AtomsError, check_tool_plan, load_atoms, validate_plan_doc
from tests.cli.running import run
from tests.corpus import FIXTURES

# The table of codes in section 4 of the source.
CODES_OF_THE_SOURCE = [
    *("MISSING_FIELD", "INVALID_TYPE", "EMPTY_STEPS", "EMPTY_STEP_ID", "DUPLICATE_STEP_ID"),
    *("UNKNOWN_ATOM_ID", "UNKNOWN_INPUT_FIELD", "MISSING_REQUIRED_INPUT"),
    *("UNKNOWN_STEP_REF", "UNKNOWN_OUTPUT_FIELD", "REF_BEFORE_DEPENDENCY"),
    *("UNKNOWN_DEPENDENCY", "CIRCULAR_DEPENDENCY"),
]

SEARCH = {
    "id": "search",
    "inputs": [{"name": "query", "type": "string", "required": True}],
    "outputs": [{"name": "hits", "type": "array"}],
}
SEND = {"id": "send", "inputs": [{"name": "what", "required": True}]}
PLAN: dict[str, Any] = {
    "target": "Tell me",
    "plan": {
        "steps": [
            {"step_id": "find", "id": "search", "target": "Find it", "inputs": {"query": "harbour"}},
            {"step_id": "tell", "id": "send", "target": "Tell it", "inputs": {"what": "${find.outputs.hits}"}},
        ]
    },
}


def write(folder: Path, **files: Any) -> Path:
    folder.mkdir(exist_ok=True)
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def test_deviation_t1(tmp_path: Path) -> None:
    folder = write(tmp_path / "atoms", send=SEND, search=SEARCH)
    registry = load_atoms(folder)
    assert [atom.id for atom in registry] == ["search", "send"]
    assert registry == load_atoms(write(tmp_path / "together", all=[SEARCH, SEND]))
    assert validate_plan_doc(PLAN, registry)["valid"]
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    result = run("tools", "check", str(tmp_path / "plan.json"), "--atoms", str(folder))
    assert (result.exit_code, result.stdout) == (0, "1 file checked: nothing to say\n")

    write(folder, twice=SEARCH)
    with pytest.raises(AtomsError) as caught:
        load_atoms(folder)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (
        "PT601",
        f"duplicate atom `search`, first seen at {folder / 'search.json'}:1:1",
    )
    assert found.source is not None
    assert (found.source.name, found.line, found.column) == (str(folder / "twice.json"), 1, 8)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, atoms=[SEARCH, SEND], plan=PLAN)
    return tmp_path


def check(here: Path, plan: object, *options: str) -> tuple[int, Any]:
    (here / "plan.json").write_text(json.dumps(plan))
    result = run("tools", "check", "plan.json", "--atoms", "atoms.json", "--format", "result", *options)
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def test_deviation_t2(here: Path) -> None:
    assert check(here, PLAN) == (0, {"valid": True, "warnings": [], "execution_order": ["find", "tell"]})

    unused = {**PLAN, "plan": {"steps": PLAN["plan"]["steps"][:1]}}
    warned = {
        "valid": True,
        "warnings": [
            {"code": "UNUSED_STEP_OUTPUT", "message": "No output of step `find` is used", "path": "plan.steps[0]"}
        ],
        "execution_order": ["find"],
    }
    assert check(here, unused) == (0, warned)
    assert check(here, unused, "--strict") == (1, warned)

    step = {"id": "look", "target": "", "inputs": {}}
    empty = {"id": "search", "target": "", "inputs": {}}
    assert check(here, {"target": "", "plan": {"steps": [empty, step]}}) == (
        1,
        {
            "valid": False,
            "errors": [
                {
                    "code": "MISSING_REQUIRED_INPUT",
                    "message": "Required input 'query' is missing",
                    "path": "plan.steps[0].inputs",
                },
                {"code": "UNKNOWN_ATOM_ID", "message": "Unknown atom id: look", "path": "plan.steps[1].id"},
            ],
        },
    )


@pytest.mark.parametrize("name", CODES_OF_THE_SOURCE)
def test_deviation_t2_texts_name_the_codes(name: str) -> None:
    """Each of the 13, in the text of a finding and in all formats, beside its number."""
    folder = FIXTURES / "toolplan" / name
    (path,) = folder.glob("bad.*")
    (code,) = (code for code in CODES.values() if code.name == name)
    text = path.read_text(encoding="utf-8")
    assert f"error[{code.code} {name}]: " in render_all(check_tool_plan(text, load_atoms(folder / "atoms")))
    for form in ("text", "json", "github", "result"):
        result = run("tools", "check", str(path), "--atoms", str(folder / "atoms"), "--format", form)
        assert result.exit_code == 1
        assert name in result.stdout, form


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ('{"target": ', "target", "(PJ106 at 1:12)"),
        ("target: *a\n", "target", "(PY102 at 1:9)"),
        ('{"target": "", "target": ""}', "target", "(PJ128 at 1:16)"),
        ("", "$", "Expected an object, not null"),
    ],
)
def test_a_text_without_a_value_has_a_result(here: Path, text: str, path: str, said: str) -> None:
    (here / "plan.txt").write_text(text)
    result = run("tools", "check", "plan.txt", "--atoms", "atoms.json", "--format", "result")
    (error,) = json.loads(result.stdout)["errors"]
    assert (result.exit_code, error["code"], error["path"]) == (1, "INVALID_TYPE", path)
    assert said in error["message"]


def test_bytes_that_are_no_text_have_a_result(here: Path) -> None:
    (here / "plan.json").write_bytes(b"\xff")
    result = run("tools", "check", "plan.json", "--atoms", "atoms.json", "--format", "result")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["errors"][0]["message"].endswith("(PS119 at 1:1)")


@pytest.mark.usefixtures("here")
def test_a_result_is_that_of_one_plan_that_can_be_read() -> None:
    for files, said in ((["plan.json", "plan.json"], "one plan"), (["q.json"], "No such file")):
        result = run("tools", "check", *files, "--atoms", "atoms.json", "--format", "result")
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
