"""Lists of executors."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark.plan_next import Executor, Executors, ExecutorsError, load_executors
from planspec_lark.plan_next.executors import read_executors

TEXT = """\
# What the planner may call.
executors:
  - id: read_file
    description: Gives the text of a file.
    guarantees: the file is left as it is
    limits: [1 MB, UTF-8]
  - id: run_tests
    side_effects:
      - writes .pytest_cache
    since: 2026-01-31
    cost: {cents: 3}
"""
TOOLS = Executors(
    [
        Executor(
            "read_file",
            "Gives the text of a file.",
            ["the file is left as it is"],
            ["1 MB", "UTF-8"],
        ),
        Executor(
            "run_tests", side_effects=["writes .pytest_cache"], extra={"since": "2026-01-31", "cost": {"cents": 3}}
        ),
    ]
)


def test_all_fields_are_read(tmp_path: Path) -> None:
    assert read_executors(TEXT) == TOOLS
    path = tmp_path / "executors.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert load_executors(path) == TOOLS


@pytest.mark.parametrize("text", ["", "# nothing\n", "executors:\n", "executors: []\n", "[]", "---\n"])
def test_a_list_may_be_empty(text: str) -> None:
    assert read_executors(text) == Executors()


def test_a_plain_list_will_do_and_json_too() -> None:
    assert read_executors("- id: a\n- {id: b}\n") == Executors([Executor("a"), Executor("b")])
    assert read_executors('{"executors": [{"id": "a"}]}') == Executors([Executor("a")])
    assert read_executors("- id: a\n  limits:\n") == Executors([Executor("a")])


@pytest.mark.parametrize(
    "text",
    [
        "tools:\n- id: a\n",
        "- text\n- 3\n-\n",
        "- id: ''\n- id: a b\n- id: 'a:b'\n",
        "- id: a\n- id: b\n- id: a\n",
        "- id: a\n  limits: 3\n  guarantees: [x, 3]\n  side_effects: {a: b}\n  description: [x]\n",
    ],
    ids=str,
)
def test_all_faults_are_told(text: str, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(ExecutorsError) as caught:
        read_executors(text, name="executors.yaml")
    assert str(caught.value) == snapshot


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "executors.yaml"
    path.write_bytes(b"#" * 256_000)
    assert load_executors(path) == Executors()
    path.write_bytes(b"#" * 256_001)
    with pytest.raises(ExecutorsError) as caught:
        load_executors(path)
    assert [found.code for found in caught.value.diagnostics] == ["PS121"]
    with pytest.raises(ExecutorsError) as caught:
        load_executors("/dev/zero")
    assert [found.code for found in caught.value.diagnostics] == ["PS121"]
