"""Hypothesis strategies for HopSpec documents, and texts that are almost such."""

from __future__ import annotations

from hypothesis import strategies as st

from planspec_lark.hopspec import HopSpec, StepInfo
from planspec_lark.hopspec.models import MODES, STEP_TYPES
from planspec_lark.hopspec.vocabulary import KEYS, SECTIONS, VALUES

__all__ = ["any_documents", "changed_texts", "documents", "texts"]

_PIECES = [
    "read", "任务", "a", "- 任务：x", "- Task: x", "## Steps", "## 执行流程", "#### 步骤1: a", "### Step 1",
    "> so", "<!-- b -->", "```", "```python", "````", "\\", "\\## a", "\\```", "  b", "\tc", "（无）", "none",
    "a, b", "x，y", "- 约束：z", "{}", "# t",
]  # fmt: skip
_lines = st.one_of(
    st.sampled_from(_PIECES),
    st.text(st.sampled_from("a 任:：-#>`\\（)1"), max_size=8),
    st.tuples(st.sampled_from(["", " ", "  ", "\\", "- "]), st.sampled_from(_PIECES)).map("".join),
)
_line = _lines.map(lambda line: line.strip(" \t"))
_text = st.one_of(st.just(""), _line, st.lists(_lines, max_size=5).map("\n".join))
_words = st.sampled_from(["", "a", "check_it", "读取", "a-b", "Step1"])
_comments = st.lists(st.sampled_from(["> so", ">", "<!-- a -->", "> - 任务：x"]), max_size=2)
_names = st.lists(st.sampled_from(["a", "b_1", "名单", "min age", "none", "x（y）"]), max_size=3)
_counts = st.one_of(st.none(), st.integers(0, 999_999_999))
_types = st.sampled_from([*STEP_TYPES, "", "llm", "other"])


def _value(name: str) -> st.SearchStrategy[object]:
    if name == "step_type":
        return _types
    default = getattr(StepInfo(), name)
    if isinstance(default, list):
        return _names
    if default is None:
        return _counts
    return st.one_of(st.just(""), st.sampled_from([*VALUES.get(name, {}), "read"]), _text)


_steps = st.builds(
    StepInfo,
    step_name=_words,
    label=st.sampled_from(["", "loop", "退出", "a b"]),
    comments=_comments,
    **{name: _value(name) for name in {key.field for key in KEYS}},
)


@st.composite
def _trees(draw: st.DrawFn) -> list[StepInfo]:
    """Steps whose numbers spell their places; some are left out."""
    top: list[StepInfo] = []
    path: list[StepInfo] = []
    for step in draw(st.lists(_steps, max_size=5)):
        del path[draw(st.integers(0, len(path))) :]
        siblings = path[-1].children if path else top
        head = f"{path[-1].step_id}." if path else ""
        last = int(siblings[-1].step_id.rpartition(".")[2]) if siblings else 0
        step.step_id = f"{head}{last + draw(st.integers(1, 2))}"
        siblings.append(step)
        path.append(step)
    return top


# Any documents, and those that a text can say.
any_documents = st.builds(
    HopSpec,
    title=_line,
    mode=st.sampled_from(["", *MODES]),
    comments=_comments,
    steps=_trees(),
    language=st.sampled_from(["zh", "en"]),
    **{name: _text for name in SECTIONS if name != "steps"},
)


def _is_writable(document: HopSpec) -> bool:
    from planspec_lark.hopspec import serialize_hopspec

    try:
        serialize_hopspec(document)
    except ValueError:
        return False
    return True


documents = any_documents.filter(_is_writable)

_ROWS = [
    "", "# Title", "模式：JIT", "Mode: x", "mode: aot", "## 任务概述", "## Task Overview", "## 1. 输入定义",
    "- `a`: it", "## 执行流程", "## Execution Flow", "### 执行流程", "## Bogus", "## 输出格式",
    "#### 步骤1: a", "#### Step 1: b (loop)", "### 步骤2: c", "#### 步骤1.1: d（LLM）", "#### Step2",
    "#### 步骤x", "**步骤3**: e", "- 类型：LLM", "- Type: code", "- type: loop", "* 任务：go", "- 任务：",
    "  more", "    deeper", "- Foo: bar", "- 输入：a, b", "- 输出：", "- Output: c", "- 最大轮次：3",
    "- 最大轮次：many", "- Output Format: {}", "```", "```python", "  ```", "- 任务: in code", "> comment",
    "<!-- c -->", "<!-- open", "---", "prose", "\x0b", "- 任务：\x7f", "\r", "\\## a", "<think>", "</think>",
    "- 约束：LLM，code", "- 约束：,", "\ufeff", "#### 步骤1: a b c",
]  # fmt: skip
_indent = st.sampled_from(["", "", "  ", "    ", "\t"])
_break = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", ""])
# Texts that are documents, almost, or not at all.
texts = st.lists(st.tuples(_indent, st.sampled_from(_ROWS), _break).map("".join), max_size=14).map("".join)


@st.composite
def _changed(draw: st.DrawFn) -> str:
    """A document, some of whose lines are left out, repeated, indented in another way, or others."""
    from planspec_lark.hopspec import serialize_hopspec

    rows = serialize_hopspec(draw(documents)).split("\n")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(rows) - 1))
        line = draw(st.one_of(st.sampled_from(_ROWS), st.sampled_from(rows), st.just(rows[at].strip())))
        rows[at : at + draw(st.integers(0, 1))] = [draw(_indent) + line] * draw(st.integers(0, 1))
        rows = rows or [""]
    return draw(st.sampled_from(["\n", "\n", "\r\n"])).join(rows)


# Texts that are documents, or nearly so.
changed_texts = _changed()
