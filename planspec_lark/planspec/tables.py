"""A Markdown table whose rows are the steps of a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from planspec_lark.planspec.near_misses import NOTHING, SPACES, unwrap, variables_of
from planspec_lark.planspec.step_repair import read_status, repair_step, status_of

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
    columns: Sequence[str], cells: Sequence[str], number: int, legend: Mapping[str, str], default_type: str
) -> list[str] | None:
    """The lines that a row says, or None where it says no step."""
    values = {kind: cell for kind, cell in zip(columns, cells, strict=False) if cell.lower() not in NOTHING}
    text = values.get("text")
    if text is None or len(cells) != len(columns):
        return None
    mark = _read_mark(values["status"], legend) if "status" in values else " "
    type_ = f"[{values['type'].strip('[]')}] " if "type" in values else ""
    numbered = _NUMBER.fullmatch(values.get("number", str(number)))
    if numbered is None:
        return None
    written = repair_step(f"{numbered[1]}. {type_}{text}", legend, default_type)[1]
    flow = {name: variables_of(values[name]) for name in ("inputs", "outputs") if name in values}
    if written is None or mark is None or None in flow.values():
        return None
    head, _, rest = written.partition(". ")
    marked = f"{head}. [{mark}] {rest}" if mark != " " else written
    outputs = flow.get("outputs")
    line = f"{marked} → {', '.join(outputs)}" if outputs else marked
    if "result" in values:
        line = f"{line} | {values['result']}"
    inputs = flow.get("inputs")
    return [line, f"> ← {', '.join(inputs)}"] if inputs else [line]
