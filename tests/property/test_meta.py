"""The promises can fail: each is broken on purpose, and hypothesis notices."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import Phase, example, given, settings, strategies as st

from planspec_lark import CommandError, PlanCommand, PlanSpec, PlanStep, scan_plan
from planspec_lark.engine.reflection_rules import Trial
from planspec_lark.plan_cmd import apply as applying
from planspec_lark.plan_cmd.finder import Finder
from planspec_lark.planspec import ScanResult, fast_reader, printer as printing
from planspec_lark.syntax import fields, grammars
from planspec_lark.syntax.lalr import load_rules
from planspec_lark.syntax.patterns import RegularRules, TerminalPattern
from tests import strategies
from tests.property import promises


def _is_noticed(promise: Callable[[Any], None], values: st.SearchStrategy[Any], *examples: Any) -> bool:
    """Whether a promise fails, for an example or for what hypothesis makes."""

    def check(value: Any) -> None:
        promise(value)

    test = given(values)(check)
    for value in examples:
        test = example(value)(test)
    test = settings(phases=[Phase.explicit, Phase.generate], max_examples=400, report_multiple_bugs=False)(test)
    try:
        test()
    except (AssertionError, ValueError):
        return True
    return False


def _step(**values: Any) -> PlanSpec:
    return PlanSpec(steps=[PlanStep(**{"step_id": "1", "step_type": "act", **values})])


_ESCAPED = {
    "description": _step(description="a | b"),
    "segments": _step(result="Progress: 3"),
    "detail": _step(detail=["← a"]),
}


@pytest.mark.parametrize("name", _ESCAPED)
def test_a_missing_escape_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(printing, f"write_{name}", lambda text, **_: text)
    assert _is_noticed(promises.reads_back, strategies.plans, _ESCAPED[name])


def test_trimming_too_little_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules(grammars.grammar_path("planspec"))
    loose = RegularRules(rules._rules, dict(rules._terminals) | {"TEXT": TerminalPattern("", r"[^ \t\n][^\n]*", "")})
    patterns = re.compile(loose.pattern("plan", "step", fast_reader._HEAD)), fast_reader.patterns()[1]
    monkeypatch.setattr(fast_reader, "patterns", lambda: patterns)
    assert _is_noticed(promises.readers_agree, strategies.any_plan_text, "Goal: a\t\n")


def test_a_missing_validator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "require_text", lambda _name, value, *_: value)
    assert _is_noticed(promises.reads_back, st.builds(PlanSpec, title=st.just("a\n## Steps")))


def test_a_silent_scanner_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "scan_plan", lambda text: evolve(scan_plan(text), diagnostics=[]))
    assert _is_noticed(promises.nothing_is_lost, strategies.any_plan_text)


def test_a_wrong_fix_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str) -> ScanResult:
        result = scan_plan(text)
        wrong = [evolve(found, fix=found.fix and evolve(found.fix, text="1.[act]")) for found in result.diagnostics]
        return evolve(result, diagnostics=wrong)

    monkeypatch.setattr(promises, "scan_plan", scan)
    assert _is_noticed(promises.fixes_are_accepted, strategies.any_plan_text)


def test_a_half_done_command_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(command: PlanCommand, finder: Finder, _run: object = None) -> None:
        finder.plan.title = "changed"
        raise CommandError("PC111", f"{command.op}: no")

    monkeypatch.setattr(applying, "perform", half)
    pairs = st.tuples(strategies.workable_plans, strategies.workable_commands)
    assert _is_noticed(lambda pair: promises.applies_or_refuses(*pair), pairs)


def test_a_command_that_is_not_tried_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial, "perform", lambda *_: None)

    def check(text: str) -> None:
        plan = _step()
        promises.reflection_is_sound(text, plan, plan.steps[0], can_interact=True, can_retry=True)

    assert _is_noticed(check, strategies.plain_answers, "ACCEPT\nPLAN_CMD: SKIP 2\n")
