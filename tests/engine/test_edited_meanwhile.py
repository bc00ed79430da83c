"""Plans whose file somebody edits while they are run, as editors do it: not all at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from attrs import define, field

from planspec_lark import PlanFileError, PlanSyntaxError
from planspec_lark.engine import OperatorResult, Outcome, StepCall, ThinkEngine, think

PLAN = "Goal: g\n## Steps\n" + "".join(f"{at}. [act] part {at}\n  > ← x\n" for at in range(1, 13))
MORE = "13. [act] one more\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "plan").write_text(PLAN)
    return tmp_path / "plan"


@define
class Editor:
    """An operator; while it does the second step somebody begins to edit."""

    edit: Callable[[], None]
    done: list[str] = field(factory=list)
    _thread: Thread | None = None

    def __call__(self, call: StepCall) -> OperatorResult:
        self.done.append(call.step.description)
        if call.step.step_id == "2":
            self._thread = Thread(target=self.edit)
            self._thread.start()
        time.sleep(0.05)
        return OperatorResult()

    def run(self, path: Path, jobs: int = 1) -> Outcome:
        try:
            return ThinkEngine(path, self, jobs=jobs, view_pause=0.05, inputs={"x": 1}).run().outcome
        finally:
            assert self._thread is not None
            self._thread.join()


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_file_that_is_written_in_pieces(path: Path, jobs: int) -> None:
    def edit() -> None:
        # The first of them are no plan, and those after that are plans as well.
        lines = [*path.read_text().splitlines(keepends=True), MORE]
        with path.open("w", buffering=1) as file:
            time.sleep(0.1)
            for line in lines:
                file.write(line)
                time.sleep(0.02)

    editor = Editor(edit)
    assert editor.run(path, jobs) is Outcome.CONVERGED
    assert sorted(editor.done) == sorted([f"part {at}" for at in range(1, 13)] + ["one more"])
    assert path.read_text().count("[x]") == 13


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_file_that_is_away_for_a_moment(path: Path, jobs: int) -> None:
    def edit() -> None:
        text = path.read_text()
        path.unlink()
        time.sleep(0.4)
        path.write_text(text + MORE)

    editor = Editor(edit)
    assert editor.run(path, jobs) is Outcome.CONVERGED
    assert "one more" in editor.done


def test_a_file_that_is_no_plan_for_a_moment(path: Path) -> None:
    def edit() -> None:
        text = path.read_text()
        path.write_text(text + "13. [act one more\n")
        time.sleep(0.5)
        path.write_text(text + MORE)

    editor = Editor(edit)
    assert editor.run(path) is Outcome.CONVERGED
    assert editor.done[-1] == "one more"


@pytest.mark.parametrize(("text", "error"), [("1. [act\n", PlanSyntaxError), (None, PlanFileError)])
def test_a_file_that_stays_no_plan(
    path: Path, text: str | None, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(think, "_PATIENCE", 0.3)
    editor = Editor(path.unlink if text is None else lambda: path.write_text(text) and None)
    with pytest.raises(error):
        editor.run(path)
    # Nothing is written over what was edited.
    assert (path.read_text() if path.exists() else None) == text


def test_an_edit_counts_while_others_are_at_work(path: Path) -> None:
    def edit() -> None:
        path.write_text(path.read_text().replace("[act] part 12", "[act] another part"))

    editor = Editor(edit)
    assert editor.run(path, 3) is Outcome.CONVERGED
    assert "another part" in editor.done
    assert "part 12" not in editor.done
