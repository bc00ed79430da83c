"""A Markdown table whose rows are the steps of a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from planspec_lark.planspec.near_misses import NOTHING, SPACES, unwrap, variables_of
from planspec_lark.planspec.step_repair import read_status, read_type, repair_step, status_of
from planspec_lark.syntax.diagnostics import count_of

__all__ = ["is_delimiter", "read_columns", "split_cells", "write_row"]

_COLUMNS = {
    "number": (
        "#",
        "no",
        "no.",
        "nr",
        "nr.",
        "id",
        "number",
        "step #",
        "step no.",
        "编号",
        "序号",
        "步骤编号",
        "步骤号",
    ),
    "status": ("status", "state", "done", "状态", "进度"),
    "type": ("type", "kind", "类型"),
    "inputs": ("inputs", "input", "needs", "depends on", "输入", "依赖"),
    "outputs": ("outputs", "output", "produces", "输出", "产出"),
    "result": ("result", "results", "结果"),
    "text": (
        "step",
        "steps",
        "description",
        "task",
        "action",
        "what",
        "what to do",
        "步骤",
        "内容",
        "任务",
        "描述",
        "操作",
        "事项",
    ),
}
_NUMBER = re.compile(r"(?:(?i:step|no\.?) ?|[#第])?([0-9]+(?:\.[0-9]+)*)[.)、）步]?")
# A row with one cell, which is in bold: the name of the rows below it.
_GROUP = re.compile(r"\|[\s|]*+(\*\*|__)(?:(?!\1)[^|])++\1\s*+\|[\s|]*+")
# Characters of a cell that are shown.
_SHOWN = 60
_KINDS = {word: kind for kind, words in _COLUMNS.items() for word in words}


def split_cells(line: str) -> list[str] | None:
    """The cells of a table's row; None where a line is none."""
    text = line.strip(SPACES)
    if not text.startswith("|") or not text.endswith("|") or len(text) < 3:
        return None
    return [unwrap(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", text[1:-1])]


def is_delimiter(cells: Sequence[str]) -> bool:
    """Whether cells are those of the row below a table's header."""
    return all(re.fullmatch(r":?-+:?", cell) for cell in cells)


def read_columns(cells: Sequence[str]) -> list[str] | None:
    """What the columns of a table hold, "" for what no step has; None where it is none of steps."""
    kinds = [_KINDS.get(cell.strip("*").lower(), "") for cell in cells]
    if kinds.count("text") == 2 and "number" not in kinds:
        # `Step` beside `Task` has the numbers.
        kinds[kinds.index("text")] = "number"
    is_known = kinds.count("text") == 1 and all(kinds.count(kind) <= 1 for kind in kinds if kind)
    return kinds if is_known and {*kinds} - {"", "text"} else None


def _read_mark(cell: str, legend: Mapping[str, str]) -> str | None:
    """The character of the mark that a cell stands for: a sign, a word, or a sign beside a word for the same."""
    bare = cell.replace("\ufe0f", "").strip("[]")
    whole = status_of(bare, legend)
    if whole is not None or " " not in bare:
        return whole
    sign, _, word = bare.partition(" ")
    mark = status_of(sign, legend)
    return mark if mark == read_status(word) else None


def write_row(
    columns: Sequence[str], line: str, number: int, legend: Mapping[str, str], default_type: str
) -> tuple[list[str] | None, str]:
    """The lines that a row says, or None where it says no step; and then what of it no step has, in words."""
    cells = split_cells(line) or []
    values = {kind: cell for kind, cell in zip(columns, cells, strict=False) if cell.lower() not in NOTHING}
    if why := _refuse_row(columns, line, cells, values):
        return None, why
    numbered = _NUMBER.fullmatch(values.get("number", str(number)))
    if numbered is None:
        return None, f"`{values['number'][:_SHOWN]}` is not a number of a step"
    mark = _read_mark(values["status"], legend) if "status" in values else " "
    if mark is None:
        return None, f"`{values['status'][:_SHOWN]}` is not a status"
    flow: dict[str, list[str]] = {}
    for name in ("inputs", "outputs"):
        listed = variables_of(values[name]) if name in values else []
        if listed is None:
            return None, f"`{values[name][:_SHOWN]}` is not a list of variables"
        flow[name] = listed
    type_ = f"[{values['type'].strip('[]')}] " if "type" in values else ""
    written = repair_step(f"{numbered[1]}. {type_}{values['text']}", legend, default_type)[1]
    if written is None:
        return None, "it has no type"
    head, _, rest = written.partition(". ")
    return _add_flow(f"{head}. [{mark}] {rest}" if mark != " " else written, flow, values.get("result", "")), ""


def _add_flow(line: str, flow: Mapping[str, Sequence[str]], result: str) -> list[str]:
    """The lines of a step with its outputs, its result and its inputs."""
    inputs, outputs = flow["inputs"], flow["outputs"]
    line += f" → {', '.join(outputs)}" if outputs else ""
    line += f" | {result}" if result else ""
    return [line, f"> ← {', '.join(inputs)}"] if inputs else [line]


def _refuse_row(columns: Sequence[str], line: str, cells: Sequence[str], values: Mapping[str, str]) -> str:
    """What shows that a row is none of a step: a sum, the name of the rows below it, a cell too many; or ""."""
    if len(cells) != len(columns):
        return f"it has {count_of(len(cells), 'cell')}, and the header {len(columns)}"
    if "text" not in values or _GROUP.fullmatch(line.strip(SPACES)):
        return "it does not say what is to be done"
    if "number" in columns and "number" not in values:
        return "it has no number"
    if "type" in values and read_type(values["type"].strip("[]")) is None:
        return f"`{values['type'][:_SHOWN]}` is not a type"
    return ""
