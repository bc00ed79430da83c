"""Steps of building a release: its links, and what is made of the grammars, which is slow to make.

Without the latter the package works just the same, only that every process that reads a text starts more slowly.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parent

# Texts that make every reader ask for all that it needs of the grammars: documents with and without faults, commands,
# answers.
PLAN = """\
# Plan: Move the library
Goal: All books stand in the new house
> The old lease ends in May.
Constraints:
- No book leaves its shelf unlabelled
## Steps
1. [x] [act] Label the shelves → labels | 212 shelves | Progress: 2/2
  > ← rooms
  > Two colours.
"""
ANSWER = f"Here you are:\n```\n{PLAN}2) [X] [act] Go | Progress: x\nso\n```\n"
REPAIRED = "LINE 1: # Plan: a\nline 2: b\n"
# Several plans, and text around them.
TWO = f"{PLAN}\nOr:\n\n{PLAN.replace('books', 'shelves')}"
JSON = '{"a": [1, "\\n", 01, True,], b: {}}'
TOOL_PLAN = (
    '{"target": "", "plan": {"steps": [{"id": "a", "target": "", "inputs": {"b": "$${c} ${0.outputs.d} ${e}"}}]}}'
)
HOPSPEC = """\
## 任务概述

Label the shelves

```text
Two colours
```

## Execution Flow

> A comment

#### Step1: label（LLM）
- Type: LLM
  more
- 输入：rooms
- 最大轮次：3
### 步骤2
- taks: x
- 最大步数：x
## Bogus
"""
COMMANDS = "PLAN_CMD: ADD 1 [act] Paint → paint\n> Twice.\nPLAN_CMD: done 1\n"
REFLECTION = "RETRY | Rain\n- ACCEPT\nPLAN_CMD: REVISE 1 [act] Paint\n"


class RepositoryLinks(MetadataHookInterface):
    """Links to the repository that a release is built from, where ``PLANSPEC_REPOSITORY_URL`` has its address."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Before the metadata are read."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        if home := os.environ.get("PLANSPEC_REPOSITORY_URL", "").rstrip("/"):
            text = link_from_outside(text, home)
            metadata["urls"] = {
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Documentation": f"{home}/blob/main/docs/index.md",
                "Issues": f"{home}/issues",
                "Source": home,
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def link_from_outside(text: str, home: str) -> str:
    """A page whose relative links and pictures work away from the repository, as package indexes show it."""

    def link(match: re.Match[str]) -> str:
        return f"{match['text']}({home}/{'raw' if match['picture'] else 'blob'}/main/{match['target']})"

    return re.sub(r"(?P<text>(?P<picture>!?)\[[^\]]*\])\((?!https?:|#)(?P<target>[^)\s]+)\)", link, text)


class CompileGrammars(BuildHookInterface[Any]):
    """Puts ``planspec_lark/compiled/<language>.json`` into the wheel, and nothing into the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the files of the wheel are gathered."""
        if version == "editable":
            # In a checkout the grammars, and what is made of them, change under one's hands.
            return
        self._folder = tempfile.TemporaryDirectory()
        sys.path.insert(0, str(ROOT))
        try:
            for path in compile_grammars(Path(self._folder.name)):
                build_data["force_include"][str(path)] = f"planspec_lark/compiled/{path.name}"
        finally:
            sys.path.remove(str(ROOT))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """After the wheel is written."""
        if version != "editable":
            self._folder.cleanup()


def compile_grammars(folder: Path) -> list[Path]:
    """Read texts of all kinds, and write down what that took from the grammars; returns the files."""
    # What a checkout has kept was asked for by other texts: a build neither reads nor adds to it.
    sys.pycache_prefix, sys.dont_write_bytecode = str(folder), True
    from planspec_lark.syntax import grammars  # noqa: PLC0415  (not importable before)

    exercise()
    written = []
    for language in (*grammars.READ, *grammars.DIALECTS):
        path = folder / f"{language}.json"
        path.write_text(grammars.dump(language), encoding="ascii")
        written.append(path)
    return written


def exercise() -> None:
    """Let every reader read."""
    import planspec_lark as ps  # noqa: PLC0415
    from planspec_lark.engine import read_reflection  # noqa: PLC0415
    from planspec_lark.hopspec import check_hopspec, parse_hopspec, scan_hopspec, serialize_hopspec  # noqa: PLC0415
    from planspec_lark.json_text import read_json  # noqa: PLC0415
    from planspec_lark.toolplan import check_tool_plan  # noqa: PLC0415

    plan = ps.parse_plan(PLAN)
    ps.check_text(PLAN)
    ps.check_text(ANSWER)
    ps.apply_commands(plan, ps.parse_plan_commands(COMMANDS))
    ps.scan_plan_commands(COMMANDS)
    document = ps.PlanDocument.from_text(PLAN)
    document.apply(ps.parse_plan_commands(COMMANDS + "PLAN_CMD: REVISE 2 [act] Go\n> Soon\n"))
    assert ps.parse_plan(document.text) == document.plan
    read_reflection(REFLECTION, plan, plan.steps[0], can_interact=True)
    ps.repair_plan(f"{PLAN}2. [X] Go\n", lambda _: REPAIRED)
    ps.repair_plan(TWO, lambda _: "PLAN 1\nUNCHANGED\n", ask_remarks=True)
    read_json(JSON)
    check_hopspec(HOPSPEC)
    text = serialize_hopspec(scan_hopspec(HOPSPEC).document)
    assert serialize_hopspec(parse_hopspec(text)) == text
    check_tool_plan(TOOL_PLAN, {})
    for text in (PLAN, ANSWER):
        result = ps.scan_plan(text)
        assert result.positions.steps
        assert result.positions.fields
