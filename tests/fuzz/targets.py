"""What the fuzz job does with an input: each public reader, with all that stands behind it.

A target passes where nothing but documented errors comes up and all promises hold for what was read.
"""

from __future__ import annotations

import copy
import json
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, cast

import attrs
from attrs import frozen
from hypothesis import strategies as st

from planspec_lark import (
    Diagnostic,
    PlanCommand,
    PlanSpec,
    PlanStep,
    PlanStream,
    PlanSyntaxError,
    PlanValueError,
    available_outputs,
    check_text,
    collapse_step,
    expand_step,
    find_step,
    iter_steps,
    lint_plan,
    next_pending_step,
    parse_plan,
    parse_plan_commands,
    plan_from_json,
    plan_to_json,
    render,
    render_all,
    scan_plan,
    scan_plan_commands,
    serialize_commands,
    serialize_plan,
    step_order,
    validate_plan,
)
from planspec_lark.hopspec import StepInfo, plan_to_steps, steps_to_plan
from planspec_lark.json_text import read_json, scan_json
from planspec_lark.planspec import PlanTransformer, draw_plan, parse_tree, plan_from_dict
from planspec_lark.planspec.render import show_plan, wrap
from planspec_lark.syntax import decode
from tests.fuzz import engine, planner, repair, tool_runs, toolplans, versions
from tests.fuzz.texts import json_texts, json_values, texts
from tests.hopspec.documents import texts as hopspec_texts
from tests.hopspec.promises import hopspec_is_read
from tests.property import documents, promises, streams
from tests.reporting import to_github, to_json

__all__ = ["TARGETS", "Target"]


@frozen
class Target:
    """Something to fuzz: ``check`` raises for an input that shows a fault, ``inputs`` are such as may show one."""

    check: Callable[[Any], None]
    inputs: Callable[[], st.SearchStrategy[Any]]


# ---------------------------------------------------------------- what must hold for whatever was read


def _is_harmless(shown: str) -> None:
    """Nothing in it steers a terminal."""
    bad = [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\t\n"]
    assert not bad, f"this reaches a terminal: {bad!r}"


def _look_at(diagnostics: Sequence[Diagnostic], text: str) -> None:
    promises.are_placed(list(diagnostics), text)
    _is_harmless(render_all(diagnostics))
    json.loads(to_json(diagnostics, ["plan.md"]))
    _is_harmless(to_github(diagnostics))


def _use(plan: PlanSpec) -> None:
    """Everything that takes a plan."""
    promises.reads_back(plan)
    serialize_plan(plan, fold=True)
    validate_plan(plan)
    for found in lint_plan(plan):
        render(found)
    for fold in (False, True):
        for line in show_plan(plan, fold=fold):
            for row in wrap(line, 60):
                _is_harmless("".join(piece.text for piece in row))
    # One diagram of three takes less time than all of them.
    _is_harmless(draw_plan(plan))
    assert plan_from_json(plan_to_json(plan)) == plan
    assert plan_from_json(plan_to_json(plan, indent=None)) == plan
    assert copy.deepcopy(plan) == plan
    assert plan.progress["total"] == len(step_order(plan))
    assert plan.is_converged or next_pending_step(plan) or any(s.status == "active" for s in iter_steps(plan))
    available_outputs(plan)
    for step in iter_steps(plan):
        assert find_step(plan, step.step_id) is step
    for change in (expand_step, collapse_step):
        assert change(plan, "1") == "" or find_step(plan, "1") is None
    _convert(plan)


def _convert(plan: PlanSpec) -> None:
    try:
        steps = plan_to_steps(plan)
    except ValueError as error:
        assert str(error).startswith("step_type")
        return
    assert step_order(steps_to_plan(steps)) == step_order(plan)


# ---------------------------------------------------------------- targets


def _parse(text: str) -> None:
    try:
        plan = parse_plan(text)
    except PlanSyntaxError as error:
        assert error.diagnostics
        _is_harmless(str(error))
        _look_at(error.diagnostics, text)
        return
    _use(plan)
    promises.prints_alike(text)


def _tree(text: str) -> None:
    promises.tree_is_the_text(text)
    try:
        PlanTransformer().transform(parse_tree(text))
    except PlanSyntaxError as error:
        _is_harmless(str(error))
    except ValueError as error:
        assert str(error) == "an id comes twice"
    promises.readers_agree(text)


def _scan(text: str) -> None:
    result = scan_plan(text)
    _look_at(result.diagnostics, text)
    assert set(result.positions.steps) == set(step_order(result.plan))
    for span in promises.plan_spans(result):
        assert 0 <= span.start <= span.end <= len(text)
    promises.nothing_is_lost(text)
    promises.fixes_are_accepted(text)
    _use(result.plan)


def _stream(text: str) -> None:
    events = streams.ends_as_extracted(text, [text])
    size = 1 + len(text) % 7
    assert streams.ends_as_extracted(text, [text[at : at + size] for at in range(0, len(text), size)]) == events
    streams.hope_is_right(text)
    short = text[:300]
    streams.is_never_taken_back(short)
    stream = PlanStream(name=text[:20])
    for character in short:
        for event in stream.feed(character):
            if event.diagnostic is not None:
                _is_harmless(render(event.diagnostic))
        promises.reads_back(stream.copy_plan())


def _check(text: str) -> None:
    _look_at(check_text(text, name=text[:20]), text)
    promises.refusal_is_located(text)
    promises.nothing_is_refused_in_silence(text)


def _commands(text: str) -> None:
    result = scan_plan_commands(text)
    # What is read otherwise than it stands is named.
    assert result.commands == parse_plan_commands(text) or result.diagnostics
    assert len(result.spans) == len(result.commands)
    _look_at(result.diagnostics, text)
    assert parse_plan_commands(serialize_commands(result.commands)) == result.commands
    promises.both_ways_find_the_same_commands(text)
    promises.command_fixes_are_accepted(text)


def _apply(text: str) -> None:
    commands = parse_plan_commands(text)
    plan = scan_plan(text).plan
    # The plan's own lines as commands, so that some of them find their step.
    for step in [*iter_steps(plan)][:5]:
        kind = step.step_type
        commands.append(PlanCommand("REVISE", step.step_id, kind, step.description, detail=step.detail))
        commands.append(PlanCommand("ADD", step.step_id, kind, step.description))
        commands.append(PlanCommand("REPLAN", step.step_id))
    promises.is_atomic(plan, commands)
    for command in commands[:20]:
        promises.applies_or_refuses(plan, command)


def _edit(text: str) -> None:
    commands = parse_plan_commands(text)[:10]
    for step in [*iter_steps(scan_plan(text).plan)][:5]:
        commands.append(PlanCommand("DONE", step.step_id, result=step.description))
        commands.append(PlanCommand("ADD", step.step_id, "subtask", step.result, detail=step.detail))
        commands.append(PlanCommand("REVISE", step.step_id, "subtask", step.result, detail=[*step.detail, "more"]))
    if promises.accepted(text) is not None:
        documents.is_lossless(text)
        for command in commands:
            documents.keeps_the_rest(text, command)
        documents.goes_on(text, commands, atomic=False)


def _json(text: str) -> None:
    try:
        plan = plan_from_json(text)
    except PlanValueError as error:
        assert error.problems
        return
    _use_or_refuse(plan)


def _value(value: object) -> None:
    try:
        plan = plan_from_dict(value)
    except PlanValueError as error:
        assert error.problems
        return
    _use_or_refuse(plan)


def _use_or_refuse(plan: PlanSpec) -> None:
    """A value may have ids in places where no text can have them."""
    try:
        serialize_plan(plan)
    except ValueError as error:
        assert str(error).startswith(("step_id", "step_type"))
        return
    _use(plan)


def _read_json(text: str) -> None:
    promises.json_is_read(text)
    promises.json_is_harmless(text)
    for read in (read_json, scan_json):
        found = read(text, name=text[:20])
        _look_at(found.diagnostics, text)


def _decode(text: str) -> None:
    whole = text.encode("utf-8", "surrogatepass")
    for data in (
        whole,
        whole[:-1],
        whole[1:],
        text.encode("latin-1", "ignore"),
        text.encode("utf-16", "surrogatepass"),
    ):
        try:
            assert decode(data).encode("utf-8") == data
        except PlanSyntaxError as error:
            assert [found.code for found in error.diagnostics] == ["PS119"]
            _is_harmless(str(error))


def _build(text: str) -> None:
    """Models and HopSpec steps whose fields hold the text."""
    models: dict[Callable[..., object], dict[str, str]] = {PlanSpec: {}, PlanStep: {"step_id": "1"}}
    models[PlanCommand] = {"op": "ADD"}
    for model, known in models.items():
        for attribute in attrs.fields(cast("Any", model)):
            for value in (text, [text], {text: text}, len(text)):
                try:
                    model(**{**known, attribute.name: value})
                except (TypeError, ValueError) as error:
                    assert str(error).startswith(attribute.name)
    for kind in ("LLM", "call", "loop", "branch", "code", "flow", "subtask", text):
        info = StepInfo(text, text, kind, text, text, text, [text], [text], collection=text, element_var=text)
        try:
            plan = steps_to_plan([info], text, text, [text])
            promises.reads_back(plan)
            assert all(step.inputs == [text] for step in plan_to_steps(plan)[:-1])
        except ValueError as error:
            assert not isinstance(error, PlanSyntaxError)


TARGETS = {
    "parse_plan": Target(_parse, texts),
    "parse_tree": Target(_tree, texts),
    "scan_plan": Target(_scan, texts),
    "PlanStream": Target(_stream, texts),
    "check_text": Target(_check, texts),
    "plan_commands": Target(_commands, texts),
    "apply_commands": Target(_apply, texts),
    "versions": Target(versions.try_versions, texts),
    "PlanDocument": Target(_edit, texts),
    "plan_from_json": Target(_json, json_texts),
    "plan_from_dict": Target(_value, json_values),
    "hopspec": Target(hopspec_is_read, lambda: hopspec_texts),
    "read_json": Target(_read_json, json_texts),
    "decode": Target(_decode, texts),
    "models": Target(_build, texts),
    "parse_message": Target(planner.try_message, planner.message_texts),
    "context_from_json": Target(planner.try_context, planner.context_texts),
    "read_executors": Target(planner.try_executors, planner.executors_texts),
    "tool_plans": Target(toolplans.try_tool_plan, toolplans.tool_plan_texts),
    "repair": Target(repair.try_answer, repair.repair_texts),
    "plans_in_answers": Target(repair.try_plan, texts),
    "read_execution": Target(engine.try_answer, engine.answer_texts),
    "streams": Target(engine.try_stream, engine.stream_texts),
    "tool_runs": Target(tool_runs.try_tool_run, tool_runs.tool_run_texts),
}
