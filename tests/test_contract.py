"""Who may import whom."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import ROOT


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "planspec_lark", tmp_path / "planspec_lark", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_imports_run_downwards(copy: Path) -> None:
    done = check(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("planspec/models.py", "import planspec_lark.plan_cmd.models"),
        ("plan_cmd/models.py", "import planspec_lark.hopspec.models"),
        ("syntax/source.py", "import planspec_lark.syntax.grammars"),
        ("planspec/models.py", "import planspec_lark.planspec.parser"),
        ("planspec/dialect.py", "import planspec_lark.planspec.builder"),
        ("plan_cmd/models.py", "import planspec_lark.answers.extract"),
        ("hopspec/models.py", "import planspec_lark.cli"),
        ("plan_cmd/models.py", "import planspec_lark.bulk.models"),
        ("bulk/models.py", "import planspec_lark.cli"),
        ("bulk/models.py", "import planspec_lark.bulk.records"),
    ],
)
def test_an_import_upwards_or_sideways_is_found(copy: Path, module: str, line: str) -> None:
    path = copy / "planspec_lark" / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    assert check(copy).returncode != 0


def test_a_new_module_has_to_be_listed(copy: Path) -> None:
    (copy / "planspec_lark" / "attic.py").write_text('"""Nowhere."""\n', encoding="utf-8")
    assert check(copy).returncode != 0


def test_what_is_private_to_lark_is_touched_in_one_module() -> None:
    found = {
        path.relative_to(ROOT / "planspec_lark").as_posix()
        for path in (ROOT / "planspec_lark").rglob("*.py")
        for module in re.findall(r"^ *(?:from|import) (lark\b[\w.]*)", path.read_text(encoding="utf-8"), re.MULTILINE)
        if module not in ("lark", "lark.exceptions")
    }
    assert found == {"syntax/lalr.py"}


# ---------------------------------------------------------------- the map


def _map_of(folder: str) -> str:
    """What the map in CONTRIBUTING.md says of a folder at the top, and of what is in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(rf"^{folder}/ *(.*?)\n(?=\w+/|```)", text, re.DOTALL | re.MULTILINE)
    assert found, folder
    return found[1]


def _packages() -> dict[str, str]:
    """What the map says of each package."""
    entries = re.split(r"\n  (?=\w+/ )", _map_of("planspec_lark"))
    return {entry.partition("/")[0]: entry for entry in entries[1:]}


def test_the_map_has_every_module_that_is_in_no_package() -> None:
    listed = {name for row in _map_of("planspec_lark").splitlines() for name in re.findall(r"^  (\w+\.py)", row)}
    assert listed == {path.name for path in (ROOT / "planspec_lark").glob("*.py")}


def test_the_map_has_every_package() -> None:
    found = {path.parent.name for path in (ROOT / "planspec_lark").glob("*/__init__.py")}
    assert {*_packages()} == found


@pytest.mark.parametrize("package", sorted({*_packages()} - {"cli"}))
def test_the_map_has_every_module(package: str) -> None:
    entry = _packages()[package]
    found = {path.stem for path in (ROOT / "planspec_lark" / package).glob("*.py")} - {"__init__"}
    assert found <= {*re.findall(r"\w+", entry)}
    # What stands beside a dot is a module; what a module is for may come after it, in brackets.
    assert {*re.findall(r"(\w+)(?: \([^)]*\))?\s+·", entry), *re.findall(r"·\s+(\w+)", entry)} <= found


def test_the_map_has_every_folder_of_tests() -> None:
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/__init__.py")}
    said, _, besides = _map_of("tests").partition("Besides:\n")
    listed = re.findall(r"^  (\w+)/", besides, re.MULTILINE)
    assert sorted(folders - {*_packages()}) == sorted(listed)
    # A package without a folder of its own is said to be tested elsewhere.
    assert {*_packages()} - folders <= {*re.findall(r"(\w+)/", said)}


def test_contributing_names_no_file_that_is_gone() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w.]*[/.][\w./]*\.(?:py|md|lark|toml)|[\w./]+/)`", text)
    assert len(named) > 20
    assert [name for name in named if not any((base / name).exists() for base in (ROOT, ROOT / "planspec_lark"))] == []
