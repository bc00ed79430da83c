"""The dialect: what each of its forms says, in lines, and that the table of forms tells the truth."""

from __future__ import annotations

import re

import pytest

from planspec_lark import PlanStatus
from planspec_lark.planspec.dialect import (
    DIALECT,
    LineReading,
    find_arrow,
    is_elision,
    read_columns,
    read_line,
    read_progress,
    read_row,
    read_variables,
)
from planspec_lark.syntax.codes import CODES
from planspec_lark.syntax.recovery import risk_of
from tests.cases import in_one_test

_LINE_RULES = (
    *(
        "header",
        "tight_title",
        "table",
        "early_step",
        "late_step",
        "step",
        "label",
        "flow",
        "wide_detail",
        "untyped_step",
    ),
    *("bullet_line", "ruler", "comment_line", "tag", "conflict", "fence"),
)


def terminals(line: str) -> set[str]:
    """The terminals with a row that read a part of a line, by whatever rule."""
    found = set()
    for rule in _LINE_RULES:
        match = DIALECT.match(rule, line)
        if match is None:
            continue
        groups = (name for name, value in match.groupdict().items() if value is not None)
        found |= {name.lstrip("abcdefghijklmnopqrstuvwxyz_") for name in groups} & DIALECT.forms.keys()
        tail = match.groupdict().get("TAIL") or ""
        found |= {str(sign.lastgroup) for sign in DIALECT.tokens("tail").finditer(tail)}
        pieces = (DIALECT.rule("piece").match(piece.strip()) for piece in re.split(r"[|｜]", tail)[1:])
        found |= {str(piece.lastgroup) for piece in pieces if piece}
    return found


def written(reading: LineReading) -> str:
    """The canonical text of a line."""
    step = reading.step
    return step.write(step.number or "1") if step and not reading.rows else "\n".join(reading.rows)


# ---------------------------------------------------------------- a line for each form

# terminal, line, what differs (code and place), canonical text; no text where a part has none.
_STEPS = [
    ("LIST_SIGN", "* 1. [act] a", "PS110 *", "1. [act] a"),
    ("DASH_WIDE", "-\u3000[act] a", "PS110 -", "1. [act] a"),
    ("LIST_SIGN", "－ [act] a", "PS110 －", "1. [act] a"),
    ("STEP_HASHES", "### 2. [act] a", "PS110 ###", "2. [act] a"),
    ("MARK_TIGHT", "1. [x][act] a", "PS113 [", "1. [x] [act] a"),
    ("DONE_BOX", "1. [X] [act] a", "PS111 [X]", "1. [x] [act] a"),
    ("DASH", "- [x] 1. [act] a", "PS110 - [x]", "1. [x] [act] a"),
    ("DONE_BOX", "1. [完成] n [act] a", "PS111 [完成]", "1. [x] n [act] a"),
    ("DONE_SIGN", "1. ✅ [act] a", "PS111 ✅", "1. [x] [act] a"),
    ("ACTIVE_BOX", "1. [in progress] [act] a", "PS111 [in progress]", "1. [>] [act] a"),
    ("ACTIVE_SIGN", "1. 🔄 [act] a", "PS111 🔄", "1. [>] [act] a"),
    ("BLOCKED_BOX", "1. [bloqué] [act] a", "PS111 [bloqué]", "1. [!] [act] a"),
    ("BLOCKED_SIGN", "1. ⛔ [act] a", "PS111 ⛔", "1. [!] [act] a"),
    ("SKIPPED_BOX", "1. [cancelled] [act] a", "PS111 [cancelled]", "1. [~] [act] a"),
    ("SKIPPED_SIGN", "1. ⏭️ [act] a", "PS111 ⏭️", "1. [~] [act] a"),
    ("PENDING_BOX", "1. [] [act] a", "PS111 []", "1. [act] a"),
    ("PENDING_SIGN", "1. ☐ [act] a", "PS111 ☐", "1. [act] a"),
    ("MARK_WIDE", "1. 【>】[act] a", "PS111 【>】", "1. [>] [act] a"),
    ("UNKNOWN_BOX", "1. [?] [act] a", "PS111 [?]", None),
    ("UNKNOWN_SIGN", "1. ⏳ [act] a", "PS111 ⏳", None),
    ("NUMBER_TIGHT", "1.[act] a", "PS113 [", "1. [act] a"),
    ("NUMBER_WORDED", "Step 1: [act] a", "PS110 Step 1:", "1. [act] a"),
    ("NUMBER_WORDED", "第1步：[act] a", "PS110 第1步：", "1. [act] a"),
    ("NUMBER_WORDED", "**Étape 2 :** [act] a", "PS110 **Étape 2 :**", "2. [act] a"),
    ("NUMBER_SIGN", "1) [act] a", "PS110 1)", "1. [act] a"),
    ("NUMBER_SIGN", "１．２． [act] a", "PS110 １．２．", "1.2. [act] a"),
    ("NUMBER_SIGN", "**1.** [act] a", "PS110 **1.**", "1. [act] a"),
    ("NUMBER_SIGN", "01.02. [act] a", "PS110 01.02.", "1.2. [act] a"),
    ("NUMBER_OPEN", "1 [act] a", "PS110 1", "1. [act] a"),
    ("NUMBER_CIRCLED", "③ [act] a", "PS110 ③", "3. [act] a"),
    ("NUMBER_KEY", "🔟 [act] a", "PS110 🔟", "10. [act] a"),
    ("NUMBER_CHINESE", "（二十一）[act] a", "PS110 （二十一）", "21. [act] a"),
    ("NUMBER_LETTER", "b) [act] a", "PS110 b)", "2. [act] a"),
    ("NUMBER_BAD", "1..1. [act] a", "PS110 1..1.", None),
    ("NAME_TIGHT", "1. n[act] a", "PS113 [", "1. n [act] a"),
    ("TYPE_TIGHT", "1. [act]a", "PS113 a", "1. [act] a"),
    ("TYPE_BRACKETS", "1. **[act]** a", "PS112 **[act]**", "1. [act] a"),
    ("TYPE_BRACKETS", "1. 【行动】a", "PS112 【行动】", "1. [act] a"),
    ("TYPE_ROUND", "1. (act) a", "PS112 (act)", "1. [act] a"),
    ("TYPE_LABEL", "1. 推理：a", "PS112 推理：", "1. [reason] a"),
    ("TYPE_OPEN", "1. [act Build it", "PS112 [act", None),
    ("TYPE_UNKNOWN", "1. [act type] a", "PS112 [act type]", None),
    ("MARK_LATE", "1. [act] [x] a → b", "PS111 [x]", "1. [x] [act] a → b"),
    ("TYPE_FIRST", "[act] 1. a", "PS112 [act]", "1. [act] a"),
    ("OUTPUTS_ARROW", "1. [act] a --> b,c | r", "PS305 --> b,c", "1. [act] a → b, c | r"),
    ("OUTPUTS_SIGNS", "1. [act] a → `b`、c", "PS305 → `b`、c", "1. [act] a → b, c"),
    ("WIDE_BAR", "1. [act] a ｜ b", "PS114 ｜", "1. [act] a | b"),
    ("TIGHT_BAR", "1. [act] a |Progress: 1/2", "PS114 |", "1. [act] a | Progress: 1/2"),
    ("HTML_COMMENT", "1. [act] a <!-- b -->", "PS124 <!-- b -->", "1. [act] a"),
    ("COMMENT", "1. [act] a  # b", "PS124 # b", "1. [act] a"),
    ("PROGRESS_WORDS", "1. [act] a | Progress: 3 of 5", "PS115 Progress: 3 of 5", "1. [act] a | Progress: 3/5"),
    ("PROGRESS_BAD", "1. [act] a | Progress: half", "PS115 Progress: half", None),
]
_HEADERS = [
    ("EMOJI", "🎯 Goal: a", "Goal: a"),
    ("HASH_TIGHT", "#Trip", "# Trip"),
    ("HASHES", "### Goal: a", "Goal: a"),
    ("HEADER_NUMBER", "## 1. Goal: a", "Goal: a"),
    ("DASH_COLON", "Goal - a", "Goal: a"),
    ("OPEN_FRAME", "【Plan】Trip", "# Plan: Trip"),
    ("WIDE_COLON", "Goal：a", "Goal: a"),
    ("TITLE_WORD", "**Plan: Trip**", "# Plan: Trip"),
    ("TITLE_WORD", "计划：旅行", "# Plan: 旅行"),
    ("GOAL_WORD", "**Objectif :** a", "Goal: a"),
    ("GOAL_WORD", "目标（Goal）：a", "Goal: a"),
    ("CONSTRAINTS_WORD", "### Constraints", "Constraints:"),
    ("CONSTRAINTS_WORD", "Restricciones: sin lluvia", "Constraints:\n- sin lluvia"),
    ("CONSTRAINTS_WORD", "约束：无", "Constraints:"),
    ("STEPS_WORD", "**Schritte:**", "## Steps"),
]
_OTHERS = [
    ("DASH_TIGHT", "-Sand it", "PS118", ""),
    ("DETAIL_SIGN", "＞ a", "PS107", "> a"),
    ("INPUTS_WORD", "- **Inputs:** `a`, b", "PS107", "> ← a, b"),
    ("OUTPUTS_WORD", "输出：a", "PS107", ""),
    ("STATUS_WORD", "- Status: done", "PS107", ""),
    ("PROGRESS_WORD", "Fortschritt: 2/5", "PS107", ""),
    ("INPUTS_ARROW", "> <- a; b", "PS107", "> ← a, b"),
    ("OUTPUTS_LINE", "=> a, b", "PS126", ""),
    ("RULER", "* * *", "PS101", ""),
    ("COMMENT_LINE", "<!-- a -->", "PS101", ""),
    ("TAG", "</plan>", "PS101", ""),
    ("FENCE", "```text", "PS103", ""),
    ("CONFLICT", "<<<<<<< HEAD", "PS128", ""),
    ("TABLE_ROW", "| 1 | act | a |", "", ""),
]


def test_each_form_has_a_line() -> None:
    tried = {row[0] for rows in (_STEPS, _HEADERS, _OTHERS) for row in rows}
    # What a text is as a whole stands in no line of its own.
    assert DIALECT.forms.keys() - tried == {"ELISION"}
    assert {form.code for form in DIALECT.forms.values()} <= CODES.keys()


@pytest.mark.parametrize(("terminal", "line", "miss", "canonical"), _STEPS)
def test_a_step(terminal: str, line: str, miss: str, canonical: str | None) -> None:
    reading = read_line(line)
    assert reading is not None
    [deviation] = reading.deviations
    assert f"{deviation.code} {line[deviation.start : deviation.end]}".rstrip() == miss
    assert terminal in {"DASH", *terminals(line)}
    assert (deviation.risk is None) == (canonical is None)
    if canonical is None:
        # Somebody has to say what is meant.
        assert risk_of(reading.deviations) is None
    else:
        assert (reading.kind, written(reading)) == ("step", canonical)


@pytest.mark.parametrize(("terminal", "line", "canonical"), _HEADERS)
def test_a_header(terminal: str, line: str, canonical: str) -> None:
    reading = read_line(line)
    assert reading is not None
    [deviation] = reading.deviations
    assert (deviation.code, deviation.start, deviation.end) == ("PS104", 0, len(line))
    assert (written(reading), terminal in terminals(line)) == (canonical, True)


@pytest.mark.parametrize(("terminal", "line", "code", "canonical"), _OTHERS)
def test_another_line(terminal: str, line: str, code: str, canonical: str) -> None:
    reading = read_line(line)
    assert reading is not None
    assert " ".join(one.code for one in reading.deviations) == code
    assert (written(reading), terminal in terminals(line)) == (canonical, True)


@pytest.mark.parametrize(
    ("line", "codes", "canonical"),
    [
        ("1) Load the csv -> rows", "PS110 PS112 PS305", None),
        (
            "Step 1: [done] **[Action]** Load -> rows | progress 1/2",
            "PS110 PS111 PS112 PS305 PS115",
            "1. [x] [act] Load → rows | Progress: 1/2",
        ),
        ("* ✅ （act） a ｜ b  # c", "PS110 PS111 PS112 PS114 PS124", "1. [x] [act] a | b"),
        ("1) [?] [act] a", "PS110 PS111", None),
        ("1. [x] [act] a | Progress: 1 | Progress: 2", "PS116", None),
        ("- [x] 1. [ ] [act] a", "PS110 PS111", None),
    ],
)
def test_each_part_of_a_line_that_differs_is_told(line: str, codes: str, canonical: str | None) -> None:
    reading = read_line(line)
    assert reading is not None
    assert " ".join(one.code for one in reading.deviations) == codes
    assert [one.start for one in reading.deviations] == sorted(one.start for one in reading.deviations)
    assert (risk_of(reading.deviations) is None) == (canonical is None)
    assert canonical is None or written(reading) == canonical


def test_a_missing_type_is_shown_as_a_gap_or_is_the_default_one() -> None:
    reading = read_line("1) Load the csv -> rows")
    assert reading is not None
    assert reading.kind == "untyped"
    assert reading.deviations[1].help.endswith(": `1. [TYPE] Load the csv → rows`")
    typed = read_line("1) Load the csv -> rows", default_type="act")
    assert typed is not None
    assert (typed.kind, written(typed)) == ("step", "1. [act] Load the csv → rows")


def test_signs_that_the_caller_explains_are_marks() -> None:
    reading = read_line("1. ⏳ [act] a", signs={"⏳": PlanStatus.ACTIVE})
    assert reading is not None
    assert (risk_of(reading.deviations) is not None, written(reading)) == (True, "1. [>] [act] a")


# ---------------------------------------------------------------- the table of forms


def _samples(terminal: str) -> list[str]:
    """What the row of a terminal shows."""
    shown = re.findall(r"``\s?(.+?)\s?``|`([^`]+)`", DIALECT.forms[terminal].forms)
    return [one or other for one, other in shown]


# How a part gets into a line of its kind. A name of a form's own sign such as `#` is no whole part.
_AROUND = {
    "DASH_WIDE": "{}\u3000[act] a",
    "LIST_SIGN": "{} 1. [act] a",
    "STEP_HASHES": "{} 1. [act] a",
    "MARK_TIGHT": "1. {} a",
    "NUMBER_TIGHT": "{} a",
    "NUMBER_OPEN": "{} a",
    "NAME_TIGHT": "1. {} a",
    "EMOJI": "{} Goal: a",
    "CONFLICT": "{}",
    "WIDE_BAR": "1. [act] a\u3000{}\u3000b",
    "TIGHT_BAR": "1. [act] a {}",
    "DASH_TIGHT": "{}",
    "PROGRESS_WORDS": "1. [act] a | {}",
    "PROGRESS_BAD": "1. [act] a | {}",
    "OUTPUTS_ARROW": "1. [act] a {}",
    "OUTPUTS_SIGNS": "1. [act] a {}",
    "HTML_COMMENT": "1. [act] a {}",
    "COMMENT": "1. [act] a  {}",
    "TYPE_FIRST": "{}",
    "MARK_LATE": "{}",
}
_IN_LINES = {
    **dict.fromkeys(("DONE", "ACTIVE", "BLOCKED", "SKIPPED", "PENDING", "UNKNOWN", "MARK"), "1. {} [act] a"),
    "NUMBER": "{} [act] a",
    "TYPE": "1. {} a",
}
# A label or a header whose sample is all of it but its value.
_VALUES = {
    "INPUTS_WORD": "a",
    "OUTPUTS_WORD": "a",
    "STATUS_WORD": "done",
    "PROGRESS_WORD": "1/2",
    **dict.fromkeys(("TITLE_WORD", "GOAL_WORD", "HASHES"), "Text"),
}


def _lines_of(terminal: str) -> list[str]:
    around = _AROUND.get(terminal) or _IN_LINES.get(terminal.partition("_")[0], "{}")
    value = _VALUES.get(terminal, "")
    samples = [one for one in _samples(terminal) if one.strip("#") or terminal == "STEP_HASHES"]
    lines = [around.format(one) for one in samples]
    return [f"{line} {value}" if value and line.rstrip("*")[-1:] in ":：" else line for line in lines]


@in_one_test
@pytest.mark.parametrize("terminal", sorted(DIALECT.forms.keys() - {"ELISION"}))
def test_what_a_row_shows_is_read_by_its_terminal(terminal: str) -> None:
    for line in _lines_of(terminal):
        assert terminal in terminals(line), line
        reading = read_line(line)
        assert reading is not None, line
        codes = {one.code for one in reading.deviations}
        assert DIALECT.forms[terminal].code in codes or reading.kind in ("bullet", "table"), line
        assert (DIALECT.forms[terminal].risk is None) <= (risk_of(reading.deviations) is None), line


@pytest.mark.parametrize(
    "text", [*_samples("ELISION"), "(TBD)", "**...**", "……", "____", "TODO.", "不变。", "（同上）"]
)
def test_what_stands_for_others(text: str) -> None:
    assert is_elision(text)


@pytest.mark.parametrize("text", ["a ...", "Wait ... and see", "same as before, but blue", "TBD list", "[a] b", "_"])
def test_what_only_has_such_a_part_does_not(text: str) -> None:
    assert not is_elision(text)


# ---------------------------------------------------------------- words and values


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("a,b ，c、d；e", ["a", "b", "c", "d", "e"]),
        ("[`a`, **b**]", ["a", "b"]),
        ("__a, _b", ["__a", "_b"]),
        ("a.", ["a"]),
        ("my report", None),
        ("a/b.md", None),
        ("2nd", None),
        ("变量", None),
        ("", None),
    ],
)
def test_lists_of_variables(text: str, names: list[str] | None) -> None:
    assert read_variables(text) == names


@pytest.mark.parametrize(
    ("description", "found"),
    [
        ("a -> b", (2, ("b",))),
        ("a ⇒ b、c", (2, ("b", "c"))),
        ("-> b", (0, ("b",))),
        ("a -> leave the loop", None),
        ("a `-> b`", None),
        (r"a \→ b", None),
        ("a", None),
        ("", None),
    ],
)
def test_arrows_at_the_end_of_a_description(description: str, found: tuple[int, tuple[str, ...]] | None) -> None:
    assert find_arrow(description) == found


@pytest.mark.parametrize(
    ("piece", "meant"),
    [("progress 3/5", "Progress: 3/5"), ("进度：３／５", "Progress: 3/5"), ("Progress: 3/5", ""), ("in progress", "")],
)
def test_progress_in_words(piece: str, meant: str) -> None:
    assert read_progress(piece) == meant


# ---------------------------------------------------------------- tables


def test_a_row_of_a_table_is_a_step() -> None:
    columns = read_columns("| # | Status | Type | Task | Inputs | Outputs | Progress |")
    assert columns == ["id", "status", "type", "text", "inputs", "outputs", "progress"]
    assert read_columns("| N° | Type | Tâche |") == ["id", "type", "text"]
    found = read_row(r"| 2 | done | Act | **Sand** a\|b | x | y, z | 1/2 |", columns, {})
    assert found is not None
    reading, inputs = found
    assert (written(reading), inputs) == (r"2. [x] [act] **Sand** a\|b → y, z | Progress: 1/2", ["x"])


@pytest.mark.parametrize("row", ["| Task | Status |", "| Type | Task | Price |", "| Type | Task | Type |", "| a |"])
def test_another_table_is_no_table_of_steps(row: str) -> None:
    assert read_columns(row) is None


@pytest.mark.parametrize(
    "row",
    ["| act | Sand | half | y |", "| act | Sand | done | smooth doors |"],
)
def test_a_row_with_a_cell_that_says_nothing_known_has_no_canonical_text(row: str) -> None:
    found = read_row(row, ["type", "text", "status", "outputs"], {})
    assert found is not None
    assert risk_of(found[0].deviations) is None


@pytest.mark.parametrize("row", ["|---|:-:|", "| act |", "| act | a | b |"])
def test_a_ruler_and_a_row_of_another_width_are_no_steps(row: str) -> None:
    assert read_row(row, ["type", "text"], {}) is None


def test_a_row_without_a_type_is_no_step() -> None:
    assert read_row("| x | Sand |", ["type", "text"], {}) is None


# ---------------------------------------------------------------- ids
