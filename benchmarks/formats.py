"""The same plan read side by side: by ``parse_plan``, by hand-written parsers, and in other formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from benchmarks import regex_parser, sloppy_parser
from benchmarks.agreement import DisagreementError, check_fixtures, same_result
from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, Timing, race
from benchmarks.plans import BLOCK, plan_text
from benchmarks.tables import Table, ratio, seconds
from planspec_lark import parse_plan, plan_to_json
from planspec_lark.planspec import plan_from_dict

__all__ = ["measure_formats"]

_OURS = "parse_plan"
_REGEX = "hand-written regex parser"
_SLOPPY = "sloppy parser"

Reader = tuple[Callable[[str], object], str]


def measure_formats(settings: Settings) -> Findings:
    """Time all readers on one plan; those whose library is not installed are left out."""
    count = BLOCK * (10 if settings.quick else 100)
    text = plan_text(count)
    checked = check_fixtures()
    if not same_result(text):
        raise DisagreementError("the two parsers do not agree on the plan to be measured")
    readers, missing = _readers(text)
    tasks = {name: Task.on(run, source) for name, (run, source) in readers.items()}
    timings = race(tasks, rounds=settings.rounds * 3, budget=6.0)
    findings = Findings([_table(count, timings)])
    notes = findings.tables[0].notes
    notes.append(f"The regex parser gives what parse_plan gives on this plan and on all {checked} fixtures.")
    notes += [f"{name}: left out, it is not installed." for name in missing]
    findings.note("formats", timings)
    notes.append("PyYAML reads the plan without what is empty, the JSON readers with it.")
    for figure, name in (("parse to regex", _REGEX), ("parse to sloppy", _SLOPPY)):
        findings.figures[figure] = timings[_OURS].best / timings[name].best
    return findings


def _table(count: int, timings: dict[str, Timing]) -> Table:
    columns = ["reader", "best, per step", "best, to parse_plan", "median, to parse_plan", "rounds"]
    table = Table(f"Side by side on {count:,} steps", columns)
    ours = timings[_OURS]
    for name, timing in timings.items():
        best, middle = timing.best / ours.best, timing.median / ours.median
        table.rows.append([name, seconds(timing.best / count), ratio(best), ratio(middle), str(len(timing.samples))])
    return table


def _readers(text: str) -> tuple[dict[str, Reader], list[str]]:
    plan = parse_plan(text)
    as_json = plan_to_json(plan, indent=None)
    readers: dict[str, Reader] = {
        _OURS: (parse_plan, text),
        _REGEX: (regex_parser.parse, text),
        _SLOPPY: (sloppy_parser.parse, text),
        "json.loads, to dicts only": (json.loads, as_json),
        "json.loads + plan_from_dict (cattrs)": (lambda source: plan_from_dict(json.loads(source)), as_json),
    }
    missing = []
    for module, add in (("pydantic", _add_pydantic), ("markdown_it", _add_markdown), ("yaml", _add_yaml)):
        if find_spec(module):
            add(readers, text, as_json)
        else:
            missing.append(module)
    return readers, missing


def _add_pydantic(readers: dict[str, Reader], _text: str, as_json: str) -> None:
    model = import_module("benchmarks.pydantic_model").Plan
    readers["pydantic, model_validate_json"] = (model.model_validate_json, as_json)


def _add_markdown(readers: dict[str, Reader], text: str, _as_json: str) -> None:
    readers["markdown-it-py, to tokens only"] = (import_module("markdown_it").MarkdownIt().parse, text)


def _add_yaml(readers: dict[str, Reader], _text: str, as_json: str) -> None:
    yaml = import_module("yaml")
    as_yaml = yaml.dump(_without_defaults(json.loads(as_json)), allow_unicode=True, sort_keys=False)
    if hasattr(yaml, "CSafeLoader"):
        readers["PyYAML, CSafeLoader, to dicts only"] = (lambda source: yaml.load(source, yaml.CSafeLoader), as_yaml)
    readers["PyYAML, safe_load, to dicts only"] = (yaml.safe_load, as_yaml)


def _without_defaults(value: Any) -> Any:
    """The plan as one would write it in YAML: without what is empty."""
    if isinstance(value, dict):
        return {key: _without_defaults(item) for key, item in value.items() if item and item != "pending"}
    return [_without_defaults(item) for item in value] if isinstance(value, list) else value
