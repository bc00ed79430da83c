"""The words of HopSpec in both of its languages: names of sections and attributes, and values that have a name.

One table each. Reader, printer, rules and messages take the words from here; that the grammar knows the same ones is
held by a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from attrs import frozen

__all__ = [
    "EMPTY",
    "KEYS",
    "LANGUAGES",
    "MODE",
    "SECTIONS",
    "STEP",
    "VALUES",
    "AttributeKey",
    "Language",
    "Word",
    "keys_of",
    "meanings",
]

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")


@frozen
class Word:
    """What one thing is called: how each language writes it, and what is read as well."""

    zh: str
    en: str
    also: tuple[str, ...] = ()

    def of(self, language: Language) -> str:
        """The word that is written."""
        return self.zh if language == "zh" else self.en

    @property
    def all(self) -> tuple[str, ...]:
        """All words that are read."""
        return (self.zh, self.en, *self.also)


# What names the mode of a document, what a heading of a step begins with, and what stands for an empty list.
MODE = Word("模式", "Mode")
STEP = Word("步骤", "Step")
EMPTY = Word("（无）", "(none)", ("(无)", "无", "none"))

# The sections in their order, each with the field of the document that holds it.
SECTIONS: Mapping[str, Word] = {
    "overview": Word("任务概述", "Task Overview", ("Overview",)),
    "input_definition": Word("输入定义", "Input Definition"),
    "constraints": Word("硬性约束", "Hard Constraints", ("Constraints",)),
    "steps": Word("执行流程", "Execution Flow"),
    "output_format": Word("输出格式", "Output Format"),
    "input_example": Word("输入日志示例", "Input Log Example", ("Input Example",)),
}


@frozen
class AttributeKey:
    """An attribute of steps.

    Attributes:
        field: the step's field that holds it.
        word: its name.
        only: the one type whose steps call that field so; empty for all others.
    """

    field: str
    word: Word
    only: str = ""


# In the order in which a step has them.
KEYS = (
    AttributeKey("step_type", Word("类型", "Type")),
    AttributeKey("call_target", Word("调用目标", "Call target", ("Call Target",))),
    AttributeKey("expand_mode", Word("展开", "Expansion")),
    AttributeKey("action", Word("动作", "Action")),
    AttributeKey("task", Word("任务", "Task")),
    AttributeKey("description", Word("逻辑", "Logic"), only="code"),
    AttributeKey("tool_domain", Word("工具域", "Tool domain", ("Tool Domain",))),
    AttributeKey("hoplet_path", Word("Hoplet路径", "Hoplet path", ("Hoplet Path",))),
    AttributeKey("mcp_service", Word("MCP服务", "MCP service", ("MCP Service",))),
    AttributeKey("rag_collection", Word("RAG集合", "RAG collection", ("RAG Collection",))),
    AttributeKey("collection", Word("遍历集合", "Iterate collection", ("Iterate Collection", "Collection"))),
    AttributeKey(
        "element_var",
        Word("元素变量", "Element variable", ("Element Variable", "Element Var")),
    ),
    AttributeKey("condition", Word("条件", "Condition")),
    AttributeKey("target_loop", Word("目标循环", "Target loop", ("Target Loop",))),
    AttributeKey("inputs", Word("输入", "Input")),
    AttributeKey("outputs", Word("输出", "Output")),
    AttributeKey("return_format", Word("输出格式", "Output format", ("Output Format",))),
    AttributeKey("exit_id", Word("退出标识", "Exit identifier", ("Exit Identifier", "Exit ID"))),
    AttributeKey("verifier", Word("核验", "Verification", ("Verify",))),
    AttributeKey("data_tags", Word("数据标签", "Data tags", ("Data Tags",))),
    AttributeKey("max_iterations", Word("最大轮次", "Max iterations", ("Max Iterations",)), only="loop"),
    AttributeKey("max_depth", Word("最大深度", "Max depth", ("Max Depth",))),
    AttributeKey("max_steps", Word("最大步数", "Max steps", ("Max Steps",))),
    AttributeKey("max_iterations", Word("最大迭代", "Max iterations", ("Max Iterations",))),
    AttributeKey("allowed_types", Word("约束", "Constraints")),
    AttributeKey("solidified_path", Word("固化路径", "Solidified path", ("Solidified Path",))),
    AttributeKey("description", Word("说明", "Description", ("描述", "Notes"))),
)

# Values that have a name of their own in each language, by field; all others are written as they are.
VALUES: Mapping[str, Mapping[str, Word]] = {
    "verifier": {
        "reverse": Word("逆向", "reverse"),
        "forward_cross": Word("正向交叉", "positive_cross", ("positive cross", "forward_cross", "forward cross")),
        "none": Word("无", "none"),
    },
}


def keys_of(step_type: str) -> tuple[AttributeKey, ...]:
    """The attributes as a step of this type calls them, one for each field, in their order."""
    return _KEYS_OF.get(step_type) or _KEYS_OF[""]


def _named(only: str) -> tuple[AttributeKey, ...]:
    own = {key.field for key in KEYS if only and key.only == only}
    return tuple(key for key in KEYS if key.only == (only if key.field in own else ""))


# Of the types that have names of their own, and of all others.
_KEYS_OF = {only: _named(only) for only in {key.only for key in KEYS}}


@cache
def meanings() -> Mapping[str, str]:
    """The field that each name of an attribute stands for."""
    return {word: key.field for key in KEYS for word in key.word.all}
