"""From the tokens of a document to the document: what they mean is said once, whatever has found them."""

from __future__ import annotations

from attrs import define, field

from planspec_lark.hopspec.blocks import read_block, read_value, split_names
from planspec_lark.hopspec.models import HopSpec, StepInfo
from planspec_lark.hopspec.positions import LinePositions
from planspec_lark.hopspec.vocabulary import EMPTY, SECTIONS, VALUES, meanings
from planspec_lark.syntax.tree import grow

__all__ = ["HopSpecBuilder"]

_SECTION_OF = {word: name for name, words in SECTIONS.items() for word in words.all}
_VALUE_OF = {
    name: {word: value for value, words in values.items() for word in words.all} for name, values in VALUES.items()
}


@define(eq=False)
class HopSpecBuilder:
    """A document that is given its parts in the order of the text. What is refused changes nothing.

    A token is given by its value, as the grammar says what that is; an absent one is empty or None.

    Attributes:
        document: the document so far, its steps aside.
        positions: in which lines its parts stand.
        step: the last step.
    """

    document: HopSpec = field(factory=HopSpec)
    positions: LinePositions = field(factory=LinePositions)
    step: StepInfo | None = None
    _steps: list[StepInfo] = field(factory=list)
    _languages: set[str] = field(factory=set)
    # The field that holds the text of the last section.
    _section: str = ""

    def finish(self) -> HopSpec:
        """The document, once it has all of its parts."""
        for step in self._steps:
            if step.step_type == "seq_think":
                # What the type of these subtasks was called once.
                step.step_type, step.expand_mode = "subtask", step.expand_mode or "think"
        self.document.steps = grow(self._steps)
        self.document.language = "en" if self._languages == {"en"} else "zh"
        return self.document

    # ---------------------------------------------------------------- the document

    def add_title(self, text: str, line: int) -> None:
        """`# Text`"""
        self.document.title, self.positions.fields["title"] = text, line

    def add_mode(self, word: str, line: int) -> None:
        """`模式：JIT`"""
        self.document.mode, self.positions.fields["mode"] = word, line

    def add_section(self, word: str, line: int) -> None:
        """`## 任务概述`

        Raises:
            ValueError: it comes twice.
        """
        name = _SECTION_OF[word]
        if name in self.positions.fields:
            raise ValueError(f"the section {name} comes twice")
        self.positions.fields[name] = line
        self._hear(word)
        self._section = name

    def add_text(self, lines: str) -> None:
        """All lines of the last section."""
        setattr(self.document, self._section, read_block(lines))

    # ---------------------------------------------------------------- steps

    def add_step(self, written: str, step_id: str, name: str | None, label: str | None, line: int) -> None:
        """`#### 步骤2.1: name（label）`, of which ``written`` is what comes before the number.

        Raises:
            ValueError: the number comes twice.
        """
        if step_id in self.positions.steps:
            raise ValueError(f"the number {step_id} comes twice")
        self.positions.steps[step_id] = {"step_id": line}
        self._hear(written)
        self.step = StepInfo(step_id, name or "", label=label or "")
        self._steps.append(self.step)

    def add_comment(self, text: str) -> None:
        """`> text` or `<!-- text -->`"""
        (self.step or self.document).comments.append(text)

    def add_names(self, key: str, names: str | None, line: int) -> None:
        """`- 输入：a, b`

        Raises:
            ValueError: the attribute comes twice, or has no step.
        """
        step, name = self._add_attribute(key, line)
        setattr(step, name, [] if not names or names in EMPTY.all else split_names(names))

    def add_count(self, key: str, count: str | None, line: int) -> None:
        """`- 最大轮次：3`

        Raises:
            ValueError: as :meth:`add_names` does.
        """
        step, name = self._add_attribute(key, line)
        setattr(step, name, int(count) if count else None)

    def add_value(self, key: str, text: str | None, below: str | None, line: int, indent: int) -> None:
        """`- 任务：text`, which is indented so far, and all lines below it.

        Raises:
            ValueError: as :meth:`add_names` does, or a line is not indented more than the attribute's name.
        """
        step, name = self._add_attribute(key, line)
        value = read_value(text or "", below or "", indent)
        setattr(step, name, _VALUE_OF.get(name, {}).get(value, value))

    def _add_attribute(self, key: str, line: int) -> tuple[StepInfo, str]:
        """The step and its field that an attribute is for."""
        if self.step is None:
            raise ValueError("an attribute has no step")
        name, positions = meanings()[key], self.positions.steps[self.step.step_id]
        if name in positions:
            raise ValueError(f"the attribute {name} comes twice")
        positions[name] = line
        return self.step, name

    def _hear(self, word: str) -> None:
        self._languages.add("en" if word.isascii() else "zh")
