"""The files that docs/how-to/ci.md shows."""

from __future__ import annotations

import re

from tests.corpus import ROOT


def shown(name: str) -> str:
    """The text of a file as the page shows it."""
    page = (ROOT / "docs" / "how-to/ci.md").read_text(encoding="utf-8")
    match = re.search(rf"^```text file={re.escape(name)}\n(.*?)^```$", page, flags=re.S | re.M)
    assert match is not None
    return match[1]
