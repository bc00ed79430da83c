"""Plans for these tests."""

from __future__ import annotations

from pathlib import Path

OPEN = "# Plan: Harvest\nGoal: All apples are in\n## Steps\n1. [x] [act] Pick → apples\n2. [act] Press → juice\n"
FINISHED = "# Plan: Winter\nGoal: No pipe bursts\n## Steps\n1. [x] [act] Drain → pipes\n2. [!] [act] Wrap → wrapped\n"
BROKEN = "# Plan: Ill\nGoal: Get well\n## Steps\n1. [X] [act] Rest\n2. sleep\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path
