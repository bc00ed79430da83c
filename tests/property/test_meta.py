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
from planspec_lark.plan_cmd import apply as applying, printer as command_printing
from planspec_lark.plan_cmd.finder import Finder
from planspec_lark.planspec import ScanResult, builder, fast_reader, printer as printing
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


@pytest.mark.parametrize("name", ["write_description", "write_segments"])
def test_a_missing_escape_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(printing, name, lambda text, **_: text)
    assert _is_noticed(promises.reads_back, strategies.plans)


@pytest.mark.parametrize("name", _ESCAPED)
def test_a_kept_escape_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(builder, f"read_{name.removesuffix('s')}", lambda raw, **_: raw)
    assert _is_noticed(promises.reads_back, strategies.plans, _ESCAPED[name])


def test_trimming_too_much_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    read = fast_reader.read

    def trim(text: str) -> PlanSpec | None:
        plan = read(text)
        if plan is not None:
            plan.goal = plan.goal.strip()
        return plan

    monkeypatch.setattr(fast_reader, "read", trim)
    assert _is_noticed(promises.reads_back, strategies.plans, PlanSpec(goal="a\u3000"))


def test_trimming_too_little_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules(grammars.grammar_path("planspec"))
    loose = RegularRules(rules._rules, dict(rules._terminals) | {"TEXT": TerminalPattern("", r"[^ \t\n][^\n]*", "")})
    patterns = re.compile(loose.pattern("plan", "step", fast_reader._HEAD)), fast_reader.patterns()[1]
    monkeypatch.setattr(fast_reader, "patterns", lambda: patterns)
    assert _is_noticed(promises.readers_agree, strategies.any_plan_text, "Goal: a\t\n")


def test_a_missing_mark_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "_needs_mark", lambda _step: False)
    assert _is_noticed(promises.reads_back, strategies.plans, _step(step_type="x"))


def test_a_missing_check_of_places_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "_refuse_misplaced", lambda _ids: None)
    moved = PlanSpec(steps=[PlanStep("1", step_type="act"), PlanStep("1.1", step_type="act")])
    with pytest.raises(AssertionError):
        promises.reads_back(moved)


def test_a_tree_by_direct_parents_only_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_reader, "grow", list)
    assert _is_noticed(promises.reads_back, strategies.plans)


def test_a_missing_validator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "require_text", lambda _name, value, *_: value)
    assert _is_noticed(promises.reads_back, st.builds(PlanSpec, title=st.just("a\n## Steps")))


def test_a_fast_path_that_accepts_more_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "read_valid", lambda text: fast_reader.read(text.replace("[X]", "[x]")))
    assert _is_noticed(promises.readers_agree, strategies.any_plan_text, "## Steps\n1. [X] [act] a\n")


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


def test_a_command_printed_without_its_detail_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = command_printing._rows
    monkeypatch.setattr(command_printing, "_rows", lambda command: rows(command)[:1])
    assert _is_noticed(promises.command_reads_back, strategies.commands)


def test_an_add_that_does_not_make_room_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Finder, "renumber", lambda *_: None)
    pairs = st.tuples(strategies.workable_plans, strategies.workable_commands)
    plan, command = _step(), PlanCommand("ADD", "1", "act")
    assert _is_noticed(lambda pair: promises.applies_or_refuses(*pair), pairs, (plan, command))


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


def test_a_step_that_is_not_followed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial, "is_above", lambda _, step_id: step_id == "1")

    def check(text: str) -> None:
        plan = _step()
        promises.reflection_is_sound(text, plan, plan.steps[0], can_interact=True, can_retry=True)

    assert _is_noticed(check, strategies.plain_answers, "RETRY\nPLAN_CMD: ADD 1 [act] a\nPLAN_CMD: SKIP 2\n")
