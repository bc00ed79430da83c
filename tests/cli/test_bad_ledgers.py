"""A ledger that is damaged, cut off or of another program: one clear error, whatever command runs; nothing changes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from planspec_lark.tool_runner import callables
from tests.cli.engine_world import OPERATOR, make_world
from tests.cli.planning import SCRIPTS, write_scripts
from tests.cli.running import run
from tests.toolplan.plans import ATOMS, document, weigh


def weigh_it(item: str) -> dict[str, object]:
    return {"weight": f"3 of {item}", "note": "so"}


def _plan() -> tuple[Path, list[str]]:
    make_world()
    assert run("run", "bakery.md", *OPERATOR, "--max-steps", "1").exit_code == 3
    return Path("bakery.md.ledger"), ["run", "bakery.md", *OPERATOR, "--resume"]


def _planner() -> tuple[Path, list[str]]:
    write_scripts()
    assert run("planner", "start", "Bake").exit_code == 0
    assert run("planner", "run", *SCRIPTS, "--max-calls", "1").exit_code == 3
    return Path(".thinkon", "planner.ledger"), ["planner", "run", *SCRIPTS]


def _tools() -> tuple[Path, list[str]]:
    Path("atoms.json").write_text(json.dumps(ATOMS))
    Path("plan.json").write_text(json.dumps(document(weigh("flour"), weigh("oven"))))
    command = ["tools", "run", "plan.json", "--atoms", "atoms.json", "--resume"]
    assert run(*command).exit_code == 0
    return Path("plan.json.ledger"), command


WORLDS: dict[str, Callable[[], tuple[Path, list[str]]]] = {"plan": _plan, "planner": _planner, "tools": _tools}


def _cut(ledger: Path) -> None:
    ledger.write_bytes(ledger.read_bytes()[:5000])


def _replace_by_text(ledger: Path) -> None:
    ledger.write_text("Goal: g\n" * 1000)


def _replace_by_folder(ledger: Path) -> None:
    ledger.unlink()
    ledger.mkdir()


FAULTS: dict[str, Callable[[Path], None]] = {
    "cut off": _cut,
    "a text": _replace_by_text,
    "a folder": _replace_by_folder,
}


def _files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("world", WORLDS)
def test_one_error_and_nothing_changes(world: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("weigh", f"{__name__}:weigh_it", "planspec_lark.atoms")
    monkeypatch.setattr(callables, "entry_points", lambda **_: [point])
    ledger, command = WORLDS[world]()
    FAULTS[fault](ledger)
    before = _files()
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("Error: ") == 1
    assert str(ledger) in result.stderr or fault == "a folder"
    assert "Traceback" not in result.stderr
    assert _files() == before
    # A reader is told the same.
    looked = run("log", ledger)
    assert (looked.exit_code, looked.stdout) == (2, "")
    assert _files() == before


@pytest.mark.parametrize(
    ("lost", "said"),
    [("records WHERE seq = 3", "record 3 of run "), ("outputs", "output list of record 3 of run ")],
)
def test_what_is_lost_from_a_ledger_is_said(lost: str, said: str) -> None:
    ledger, command = _plan()
    base = sqlite3.connect(ledger)
    assert base.execute(f"DELETE FROM {lost}").rowcount >= 1
    base.commit()
    base.close()
    result = run(*command)
    assert result.exit_code == 2
    assert f"bakery.md.ledger: {said}" in result.stderr
    assert "is missing: put back a copy of the ledger, or begin a new run" in result.stderr
    assert "Traceback" not in result.stderr
