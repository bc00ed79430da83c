"""A bad and a good example of every code, found on disk: a folder each, by the code's name in results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Diagnostic, Severity, render_all
from planspec_lark.syntax import CODES
from planspec_lark.toolplan import (
    AtomsError,
    Registry,
    check_tool_plan,
    load_atoms,
    load_plan_doc,
    registry_from_value,
    registry_to_value,
    tool_plan_from_dict,
    tool_plan_to_dict,
    validate_plan_doc,
)
from planspec_lark.toolplan.parser import read_doc_file
from tests.corpus import FIXTURES

FOLDER = FIXTURES / "toolplan"
NAMES = {code.name: code for code in CODES.values() if code.code.startswith("PT")}
OF_PLANS = sorted(name for name, code in NAMES.items() if not code.code.startswith("PT6"))
OF_ATOMS = sorted(set(NAMES) - set(OF_PLANS))
# What a plan has to be read for at all.
STRUCTURAL = {"MISSING_FIELD", "INVALID_TYPE", "EMPTY_STEPS", "EMPTY_STEP_ID", "DUPLICATE_STEP_ID"}

of_plans = pytest.mark.parametrize("name", OF_PLANS)
of_atoms = pytest.mark.parametrize("name", OF_ATOMS)


def plan_file(name: str, kind: str) -> Path:
    (path,) = (FOLDER / name).glob(f"{kind}.*")
    return path


def atoms_of(name: str) -> Registry:
    return load_atoms(FOLDER / name / "atoms")


def check(name: str, kind: str) -> list[Diagnostic]:
    return check_tool_plan(read_doc_file(plan_file(name, kind)), atoms_of(name))


def find_in_atoms(name: str, folder: str) -> Sequence[Diagnostic]:
    """The errors of definitions, or the warnings of those that have none."""
    try:
        return load_atoms(FOLDER / name / folder).diagnostics
    except AtomsError as error:
        assert NAMES[name].severity is Severity.ERROR
        return error.diagnostics


def shown(found: Iterable[Diagnostic]) -> str:
    return render_all(found).replace(f"{FIXTURES}/", "")


def names_of(found: Iterable[Diagnostic]) -> set[str]:
    return {CODES[one.code].name for one in found}


def plain(found: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((one["code"], one["path"]) for one in found.get("errors", found.get("warnings", [])))


def test_there_is_a_folder_for_every_code() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(NAMES)
    for name in OF_PLANS:
        assert {path.name.partition(".")[0] for path in (FOLDER / name).iterdir()} == {"atoms", "bad", "good"}
    for name in OF_ATOMS:
        assert {path.name for path in (FOLDER / name).iterdir()} == {"bad_atoms", "good_atoms"}


@of_plans
def test_a_bad_plan_has_its_code_and_no_other(name: str, snapshot: SnapshotAssertion) -> None:
    found = check(name, "bad")
    assert names_of(found) - {"UNUSED_STEP_OUTPUT"} <= {name}
    assert name in names_of(found)
    assert shown(found) == snapshot


@of_plans
def test_a_good_plan_has_none(name: str) -> None:
    assert check(name, "good") == []


@of_plans
def test_plain_results_say_the_same(name: str) -> None:
    found = check(name, "bad")
    result = validate_plan_doc(load_plan_doc(plan_file(name, "bad")), atoms_of(name))
    severity = Severity.ERROR if any(one.severity is Severity.ERROR for one in found) else Severity.WARNING
    expected = [(*names_of([one]), one.path) for one in found if one.severity is severity]
    assert plain(result) == sorted(expected)
    assert result["valid"] == (severity is Severity.WARNING)


@of_plans
def test_models_are_there_and_back(name: str) -> None:
    document = load_plan_doc(plan_file(name, "good"))
    plan = tool_plan_from_dict(document)
    assert tool_plan_to_dict(plan) == document
    atoms = atoms_of(name)
    assert registry_from_value(registry_to_value(atoms)) == atoms
    result = validate_plan_doc(document, atoms)
    assert result == validate_plan_doc(document, registry_to_value(atoms))
    assert sorted(result["execution_order"]) == sorted(plan.names())


@of_plans
def test_the_model_refuses_what_is_structural(name: str) -> None:
    document = load_plan_doc(plan_file(name, "bad"))
    if name not in STRUCTURAL:
        assert tool_plan_to_dict(tool_plan_from_dict(document)) == document
        return
    with pytest.raises(ValueError, match=r"\[PT1") as caught:
        tool_plan_from_dict(document)
    assert names_of(caught.value.diagnostics) == {name}  # type: ignore[attr-defined]


@of_atoms
def test_bad_atoms_have_their_code(name: str, snapshot: SnapshotAssertion) -> None:
    found = find_in_atoms(name, "bad_atoms")
    assert names_of(found) - {"UNKNOWN_TOOL_OUTPUTS"} <= {name}
    assert name in names_of(found)
    assert shown(found) == snapshot


@of_atoms
def test_good_atoms_have_none(name: str) -> None:
    assert len(load_atoms(FOLDER / name / "good_atoms")) > 0
    assert name not in names_of(find_in_atoms(name, "good_atoms"))
