"""The workflow for changes, and the forms for reports: what they promise is what the repository has."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.corpus import ROOT

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def loaded(path: str) -> Any:
    return YAML(typ="safe").load((ROOT / path).read_text(encoding="utf-8"))


def commands(job: str) -> list[str]:
    steps = loaded(".github/workflows/ci.yml")["jobs"][job]["steps"]
    return [step["run"] for step in steps if "run" in step]


def test_every_python_runs_the_line_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    line = readme.split("## Test it\n\n```", 1)[1].split("\n")[1]
    assert commands("test") == [line]
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    versions = loaded(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert [f"Programming Language :: Python :: {version}" for version in versions] == [
        one for one in classifiers if "Python :: 3." in one
    ]


def test_its_checks_are_those_of_the_whole_run() -> None:
    whole = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert len(commands("checks")) == 6
    for command in commands("checks")[1:]:
        assert f".venv/bin/{command}" in whole


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_ask_for_what_they_need(path: Any) -> None:
    form = loaded(str(path.relative_to(ROOT)))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    assert set(form) == {"name", "description", "labels", "body"}
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in asked} <= {"input", "textarea"}
    assert all(part["attributes"]["label"] for part in asked)
    assert len({part["id"] for part in asked}) == len(asked)
