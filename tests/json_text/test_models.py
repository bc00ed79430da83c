"""Paths as they are written."""

from __future__ import annotations

import pytest

from planspec_lark.json_text.models import write_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), "$"),
        (("a",), "a"),
        (("new_block", "plan", 2), "new_block.plan[2]"),
        ((0, "a"), "[0].a"),
        (("inputs", "a b"), 'inputs["a b"]'),
        (("a.b", "c"), '["a.b"].c'),
        (("", "[0]"), '[""]["[0]"]'),
        (("目标", 0), "目标[0]"),
        (('"', "\n"), '["\\""]["\\n"]'),
        (("k" * 61,), '["' + "k" * 60 + '…"]'),
        (("k" * 60,), "k" * 60),
        ((*"a" * 50,), ".".join("a" * 50)),
        ((*"a" * 25, *"b" * 26), ".".join("a" * 25) + "…" + ".b" + ".b" * 24),
    ],
)
def test_a_path_is_written(path: tuple[str | int, ...], expected: str) -> None:
    assert write_path(path) == expected
