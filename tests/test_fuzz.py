"""Every public reader on hostile input: ``PLANSPEC_PROFILE=long`` tries for hours what else takes a minute."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import Phase, given, settings, strategies as st

from planspec_lark import PlanSpec, scan_plan
from planspec_lark.planspec import ScanResult
from planspec_lark.syntax import fields
from tests.fuzz import targets
from tests.fuzz.targets import TARGETS
from tests.timing import TooSlowError, time_limit

# Seconds for a single input.
LIMIT = 10.0
EXAMPLES = 5 * settings().max_examples


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=EXAMPLES)
@given(st.data())
def test_no_input_shows_a_fault(name: str, data: st.DataObject) -> None:
    _try(name, data.draw(TARGETS[name].inputs()), LIMIT)


def _try(name: str, value: object, limit: float) -> None:
    with time_limit(limit):
        TARGETS[name].check(value)


# ---------------------------------------------------------------- faults that are there on purpose


def _find(name: str) -> object:
    """An input that shows a fault."""
    found: list[object] = []

    @settings(max_examples=1000, phases=[Phase.generate], database=None)
    @given(TARGETS[name].inputs())
    def look(value: object) -> None:
        try:
            _try(name, value, 0.5)
        except Exception:
            found.append(value)
            raise

    with pytest.raises((Exception, ExceptionGroup)):
        look()
    return found[0]


def _raising(read: Callable[[str], object], sign: str) -> Callable[..., object]:
    """A reader with an error that is not documented, for texts with a sign in them."""

    def broken(text: str, **more: str) -> object:
        if sign in text:
            raise KeyError(sign)
        return read(text, **more)

    return broken


@pytest.mark.parametrize(
    ("target", "reader", "sign"),
    [
        ("parse_plan", "parse_plan", "| Progress: "),
        ("scan_plan", "scan_plan", "```"),
        ("plan_commands", "scan_plan_commands", "PLAN_CMD: REPLAN"),
        ("plan_from_json", "plan_from_json", "NaN"),
    ],
)
def test_an_undocumented_error_is_found(monkeypatch: pytest.MonkeyPatch, target: str, reader: str, sign: str) -> None:
    monkeypatch.setattr(targets, reader, _raising(getattr(targets, reader), sign))
    assert sign in str(_find(target))


def test_what_reaches_a_terminal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "render_all", lambda found: "".join(one.source_line for one in found))
    assert _find("check_text")


def test_a_value_that_makes_an_undocumented_error_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(value: object) -> PlanSpec:
        if isinstance(value, dict) and value.get("steps"):
            raise KeyError(value)
        return PlanSpec()

    monkeypatch.setattr(targets, "plan_from_dict", read)
    assert _find("plan_from_dict")


def test_a_model_that_refuses_without_a_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def require_text(_name: str, value: object, _advice: str = "") -> str:
        if not isinstance(value, str) or "\n" in value:
            raise ValueError("no")
        return value

    monkeypatch.setattr(fields, "require_text", require_text)
    assert _find("models") is not None


def test_an_endless_loop_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str) -> ScanResult:
        while "## Steps" in text:
            pass
        return scan_plan(text)

    monkeypatch.setattr(targets, "scan_plan", scan)
    with pytest.raises(TooSlowError):
        _try("scan_plan", "## Steps", 0.1)
    assert "## Steps" in str(_find("scan_plan"))
