"""What a change costs: as much as the check of its text, whatever else is open, and one check for many changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol.types import (
    DidChangeTextDocumentParams,
    DidOpenTextDocumentParams,
    PublishDiagnosticsParams,
    TextDocumentContentChangeWholeDocument as Whole,
    TextDocumentItem,
    VersionedTextDocumentIdentifier,
)

from planspec_lark.lsp import features, planspec_index, server
from planspec_lark.lsp.documents import ClientSettings, Document
from planspec_lark.lsp.text import ClientText
from planspec_lark.planspec import check as planspec_check

STEPS = 1000
PLAN = "Goal: g\n## Steps\n" + "".join(f"{n}. [act] Step {n} → v{n}\n  > ← v{n - 1}\n" for n in range(1, STEPS + 1))


class Counter:
    """Counts calls of a function, and lets them through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        self.count = 0
        self.real: Callable[..., Any] = getattr(owner, name)
        monkeypatch.setattr(owner, name, self)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.count += 1
        return self.real(*arguments, **options)


def item(text: str = PLAN, uri: str = "untitled:1") -> TextDocumentItem:
    return TextDocumentItem(uri, "planspec", 1, text)


def typed(version: int) -> list[Whole]:
    return [Whole(PLAN.replace("4. [act]", f"4. {' ' * version}[act]"))]


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(monkeypatch, planspec_check, "check_scan")


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(monkeypatch, planspec_index, "scan_strictly")


class Listened(server._Server):
    """A server whose findings are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[PublishDiagnosticsParams] = []

    def text_document_publish_diagnostics(self, params: PublishDiagnosticsParams) -> None:
        self.told.append(params)


def published(run: Callable[[Listened], Any]) -> list[PublishDiagnosticsParams]:
    """What a server publishes while something is done to it."""
    told: list[PublishDiagnosticsParams] = []

    async def work() -> None:
        made = Listened()
        await run(made)
        told.extend(made.told)

    asyncio.run(work())
    return told


async def until(told: list[PublishDiagnosticsParams], count: int) -> None:
    for _ in range(3000):
        if len(told) >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(told)


def test_many_changes_are_checked_once(checks: Counter) -> None:
    async def run(made: Listened) -> None:
        made.open(DidOpenTextDocumentParams(item()))
        for version in range(2, 50):
            about = VersionedTextDocumentIdentifier(version=version, uri=item().uri)
            made.change(DidChangeTextDocumentParams(about, typed(version)))
        await until(made.told, 1)

    [told] = published(run)
    assert (told.version, checks.count) == (49, 1)


def test_a_check_is_followed_by_a_pause_that_is_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(server, "monotonic", lambda: clock[0])

    def check(_: Document) -> list[Any]:
        clock[0] += 3
        return []

    async def run(made: Listened) -> None:
        monkeypatch.setattr(Document, "findings", property(check))
        made.open(DidOpenTextDocumentParams(item()))
        await until(made.told, 1)
        # It ended at 103, so the next waits to 106; later ones need not wait.
        pauses: list[float] = []
        loop: Any = asyncio.get_running_loop()
        loop.call_later = lambda pause, *_: pauses.append(pause)
        for clock[0] in (103.0, 105.0, 120.0):
            made._timers.clear()
            made._check_soon(item().uri)
        assert pauses == [3, 1, server._PAUSE]

    published(run)


def test_a_change_is_checked_once_whatever_is_asked(checks: Counter, scans: Counter) -> None:
    document = Document(item(), planspec_index.PlanIndex, ClientSettings())
    for version in (2, 3):
        document.change(version, typed(version))
        for _ in range(3):
            features.diagnose(document)
            features.list_symbols(document)
            features.fold(document)
    assert (checks.count, scans.count) == (2, 2)


def test_a_place_in_a_long_line_is_found_without_going_over_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ClientText("🚚" * 10_000 + "\n")
    widths = Counter(monkeypatch, text, "_width")
    for at in range(0, 10_000, 10):
        assert text.offset(text.position(at)) == at
    assert widths.count == 10_001
