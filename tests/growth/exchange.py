"""Hostile task lists of other tools, of any size."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from planspec_lark import PlanSyntaxError, render_all
from planspec_lark.exchange import export_into, export_plan, import_text, update_text
from tests.growth.work import Work

__all__ = ["EXCHANGE_SHAPES", "EXCHANGE_WORK"]


def _many(piece: str, size: int, head: str = "") -> str:
    return head + "".join(piece.format(number, number - 1) for number in range(1, 2 + size // len(piece)))


# Name → the text of about so many characters.
EXCHANGE_SHAPES: dict[str, Callable[[int], str]] = {
    "check boxes": lambda n: "- [ ] a\n" * (n // 8),
    "numbered items": lambda n: "1. a\n" * (n // 5),
    "headings with tasks": lambda n: _many("## h{0}\n\n- [ ] t\n\n", n),
    "boxes far to the right": lambda n: "- [ ] a\n          - [ ] b\n  c\n            - [ ] d\n" * (n // 54),
    "numbers that go on": lambda n: "a\n" + "2. b\n" * (n // 5),
    "notes between tasks": lambda n: "- [ ] a\n\nnote\n\n" * (n // 15),
    "levels beyond all that are read": lambda n: "- " * (n // 2) + "[ ] a\n",
    "quotes in quotes": lambda n: "> " * (n // 2) + "a\n- [ ] b\n",
    "a text that goes on": lambda n: "- [ ] a\n" + "  and more\n" * (n // 11),
    "open fences": lambda n: "- [ ] a\n  ```\n" * (n // 14),
    "front matter": lambda n: "---\n" + "a: b\n" * (n // 5) + "- [ ] x\n",
    "blank lines": lambda n: "\n" * n + "- [ ] a\n",
    "tabs": lambda n: "- [ ] a\n" + "\t" * n + "- [ ] b\n",
    "brackets": lambda n: "- [ ] " + "[" * n,
    "unknown boxes": lambda n: "- [?] a\n" * (n // 8),
    "control characters": lambda n: "- [ ] a\x00\x1b\n" * (n // 10),
    "ids of Kiro": lambda n: _many("- [ ] {0}. a\n  - _Depends: {1}_\n", n, "# Implementation Plan\n"),
    "one long id": lambda n: "- [ ] " + "1." * (n // 2) + " a\n  - _Requirements: 1_\n",
    "the same id": lambda n: "- [ ] 1. a\n  - _Requirements: 1_\n" * (n // 34),
    "words of dependencies": lambda n: "- [ ] 1. a\n  - " + "_Depends: " * (n // 10),
    "ids of spec-kit": lambda n: _many("- [ ] T{0:03} a (depends on T{1:03})\n", n),
    "ranges": lambda n: "- [ ] T001 depends on " + "T001-T999, " * (n // 11) + "T2\n",
    "phases": lambda n: (
        _many("## Phase {0}: P\n\n- [ ] T{0:03} a\n\n", n // 2)
        + _many("- **Phase {0}**: Depends on Phase {1}\n", n // 2, "## Dependencies\n\n")
    ),
    "headings in bold": lambda n: _many("**Step {0}: s**\n\n- b\n\n", n),
    "groups of headings": lambda n: _many("## {0}. a\n\n### 1. b\n\n- x\n\n### 2. c\n\n", n),
    "rows with numbers": lambda n: _many("Step {0}: s\n", n),
    "tables": lambda n: "| # | a |\n|---|---|\n| 1 | x |\n| 2 | y |\n\n" * (n // 42),
    "lists beside one another": lambda n: "- a\n\nb\n\n" * (n // 8),
    "closed fences": lambda n: "```\n- a\n```\n\n" * (n // 13),
    "signs in place of boxes": lambda n: "- ✅ a\n- b\n" * (n // 10),
    "issues in JSON Lines": lambda n: _many('{{"id": "b-{0}", "title": "t", "status": "open"}}\n', n),
    "todos in front matter": lambda n: _many("  - id: a{0}\n    content: b\n", n // 4, "---\ntodos:\n") + "---\n",
    "groups of OpenSpec": lambda n: _many("## {0}. G\n\n- [ ] {0}.1 a\n\n", n),
    "tasks of Task Master": lambda n: (
        '{"tasks": ['
        + ",".join(f'{{"id": {at}, "title": "a", "dependencies": [{at - 1}]}}' for at in range(1, 2 + n // 45))
        + "]}"
    ),
    "one long field": lambda n: '{"tasks": [{"id": 1, "title": "a", "details": "' + "b\\n" * (n // 3) + '"}]}',
}


def _import(text: str) -> None:
    with suppress(PlanSyntaxError):
        imported = import_text(text)
        render_all(imported.report.found)
        imported.report.to_dict()


def _import_plain(text: str) -> None:
    with suppress(PlanSyntaxError):
        import_text(text, "markdown").report.to_dict()


def _export(text: str) -> None:
    with suppress(PlanSyntaxError):
        imported = import_text(text)
        export_plan(imported.plan, "kiro")
        export_into(imported.plan, text)


def _update(text: str) -> None:
    with suppress(PlanSyntaxError):
        imported = import_text(text)
        update_text(imported.text, imported.plan, takes_statuses=True)


EXCHANGE_WORK = {
    "import_text": Work(_import),
    "import_text of plain Markdown": Work(_import_plain),
    "export_plan and export_into": Work(_export),
    "update_text": Work(_update),
}
