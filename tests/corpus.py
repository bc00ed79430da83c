"""The fixtures, found on disk: whatever lies in their folders is tested, and its file name is the test's id."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
SHOWCASE = FIXTURES / "planspec" / "valid" / "harbour_crane_overhaul.md"


def find(folder: str, suffix: str) -> list[Path]:
    found = sorted((FIXTURES / folder).glob(f"*{suffix}"))
    assert found, f"no *{suffix} in fixtures/{folder}"
    return found


def each(folder: str, suffix: str) -> pytest.MarkDecorator:
    """Run a test with ``path`` for every such file of a folder."""
    return pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in find(folder, suffix)])


def read(path: Path) -> str:
    """The text of a file, its line ends as they are."""
    return path.read_bytes().decode("utf-8")


def expected_codes(path: Path) -> list[tuple[int, str]]:
    """The line and code of every diagnostic that the file beside ``path`` announces."""
    rows = path.with_suffix(".codes").read_text(encoding="utf-8").split("\n")
    return [(int(line), code) for line, code in (row.split() for row in rows if row)]


def changes(before: str, after: str) -> str:
    """What differs between two texts: places and lines, without those around them."""
    return "\n".join([*unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")][2:])
