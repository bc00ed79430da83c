"""Questions as language models and programs get them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from planspec_lark import Diagnostic, PlanStep, Severity
from planspec_lark.engine import (
    Request,
    build_answer_repair_prompt,
    plan_prompt,
    request_execution,
    request_generation,
    request_reflection,
    request_replan,
)

STEP = PlanStep("2", step_type="act", description="Buy two pumps", inputs=["map"], outputs=["pumps"], detail=["Cheap."])
BRANCHES = [PlanStep("2.1", step_type="act", description="Rain", detail=["x"]), PlanStep("2.2", step_type="act")]
STATE = "Goal: Dry\n## Steps\n2. [act] Buy two pumps → pumps\n"
HISTORY = [{"step": "1"}, "two", 3]
SHOWN = {
    "id": "2",
    "type": "act",
    "task": "Buy two pumps",
    "details": ["Cheap."],
    "inputs": ["map"],
    "outputs": ["pumps"],
}
FOUND = [Diagnostic("PE104", "no \x1b such status", Severity.ERROR, path="status")]


def sent(request: Request) -> Any:
    text = request.to_json()
    assert text.endswith("}\n")
    return json.loads(text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_requests(language: str) -> None:
    request = request_generation("Dry", constraints=iter(["a"]), language=language, previous=STATE)
    assert sent(request) == {
        "phase": "generation",
        "language": language,
        "task": "Dry",
        "constraints": ["a"],
        "previous": STATE,
        "prompt": plan_prompt("Dry", constraints=["a"], language=language, previous=STATE),
    }
    assert sent(request_generation("Dry")).keys() == {"phase", "language", "task", "constraints", "prompt"}

    given: dict[str, Any] = {"language": language, "max_history": 10}
    request = request_execution(
        STEP, {"map": 1}, iter(HISTORY), STATE, branches=iter(BRANCHES), missing=iter(["hose"]), key="k", **given
    )
    again = request_execution(STEP, {"map": 1}, HISTORY, STATE, branches=BRANCHES, missing=["hose"], **given)
    assert sent(request) == {
        "phase": "execution",
        "language": language,
        "key": "k",
        "step": SHOWN,
        "inputs": {"map": 1},
        "missing": ["hose"],
        "history": ["two", 3],
        "left_out": 1,
        "plan_state": STATE,
        "branches": [{"id": "2.1", "task": "Rain", "details": ["x"]}, {"id": "2.2"}],
        "prompt": again.prompt,
    }
    assert "branches" not in sent(request_execution(STEP, {}, [], STATE))

    given = {"attempt": 3, "language": language, "can_retry": False}
    request = request_reflection("FAIL", "sold out", STATE, STEP, False, iter(["SKIP"]), **given)
    assert sent(request) == {
        "phase": "reflection",
        "step": SHOWN,
        "status": "FAIL",
        "result": "sold out",
        "can_accept": True,
        "can_interact": False,
        "commands": ["SKIP"],
        "plan_state": STATE,
        "prompt": request_reflection("FAIL", "sold out", STATE, STEP, False, ["SKIP"], **given).prompt,
        **given,
    }

    request = request_replan(STATE, history=iter(HISTORY), missing=iter(["pumps"]), language=language)
    assert sent(request) == {
        "phase": "replan",
        "language": language,
        "plan_state": STATE,
        "history": HISTORY,
        "left_out": 0,
        "commands": ["REVISE", "ADD", "REPLAN", "REPLAN ALL"],
        "missing": ["pumps"],
        "prompt": request_replan(STATE, history=HISTORY, missing=["pumps"], language=language).prompt,
    }
    value = sent(request_replan(STATE, container=STEP, language=language))
    assert (value["container"], "commands" in value) == (SHOWN, False)


def test_only_json_is_sent() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        request_execution(STEP, {"map": float("nan")}, [], STATE).to_json()


@given(st.text())
def test_nothing_steers_a_terminal(text: str) -> None:
    request = request_generation(text, previous=text).refuse(text, FOUND)
    shown = request.to_json()
    assert not {c for c in shown if (ord(c) < 32 and c != "\n") or c in "\x7f\x9b\u202e\u200b\u2028"}
    shown.encode("utf-8")
    assert json.loads(shown)["task"] == text


# ---------------------------------------------------------------- once more


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refused_request_says_why(language: str) -> None:
    first = request_execution(STEP, {}, [], STATE, language=language)
    again = first.refuse("oh \x1b", FOUND)
    repair = build_answer_repair_prompt("oh \x1b", FOUND, "execution", language=language)
    assert again.prompt == f"{first.prompt}\n\n{repair}"
    value = sent(again)
    refused = value.pop("refused")
    assert value == {**sent(first), "prompt": again.prompt}
    assert (refused["answer"], refused["prompt"]) == ("oh \x1b", repair)
    assert [(one["code"], one["path"]) for one in refused["diagnostics"]] == [("PE104", "status")]


def test_only_the_last_refusal_counts() -> None:
    first = request_generation("Dry")
    assert first.refuse("a", FOUND).refuse("b", []) == first.refuse("b", [])


def test_new_steps_are_repaired_as_a_plan_is() -> None:
    repair = build_answer_repair_prompt("a", FOUND, "replan", is_plan=True)
    assert request_replan(STATE, container=STEP).refuse("a", FOUND).prompt.endswith(repair)
    assert repair not in request_replan(STATE).refuse("a", FOUND).prompt
