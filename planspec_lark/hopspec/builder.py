"""From the tokens of a document to the document: what they mean is said once, whatever has found them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from planspec_lark.hopspec.blocks import indent_of, read_block, read_value, split_names
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

    A token is given by its value, as the grammar says what that is.

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

    def take(self, said: Mapping[str, str], written: str, line: int, below: str = "") -> None:
        """A line of any rule but free text.

        Args:
            said: the values of its terminals.
            written: the line, from its start.
            line: which one it is.
            below: all lines that continue an attribute.

        Raises:
            ValueError: a section, a number or an attribute comes twice, an attribute has no step, or a line that
                continues one is not indented more than its name.
        """
        if "KEY" in said:
            value = read_value(said.get("VALUE", ""), below, indent_of(written))
            self._set(said["KEY"], _VALUE_OF.get(meanings()[said["KEY"]], {}).get(value, value), line)
        elif "NAMES_KEY" in said:
            names = said.get("NAMES", "")
            self._set(said["NAMES_KEY"], [] if not names or names in EMPTY.all else split_names(names), line)
        elif "COUNT_KEY" in said:
            self._set(said["COUNT_KEY"], int(said["COUNT"]) if "COUNT" in said else None, line)
        elif step_id := said.get("STEP"):
            self._begin_step(StepInfo(step_id, said.get("NAME", ""), label=said.get("LABEL", "")), line)
            self._hear(written.partition(step_id)[0])
        elif "COMMENT" in said:
            (self.step or self.document).comments.append(said["COMMENT"])
        elif word := said.get("SECTION") or said.get("FLOW"):
            self._begin_section(word, line)
        elif "MODE_WORD" in said:
            self.document.mode, self.positions.fields["mode"] = said["MODE_WORD"], line
        else:
            self.document.title, self.positions.fields["title"] = said["TEXT"], line

    def add_text(self, lines: str) -> None:
        """All lines of the last section."""
        setattr(self.document, self._section, read_block(lines))

    def _begin_section(self, word: str, line: int) -> None:
        name = _SECTION_OF[word]
        if name in self.positions.fields:
            raise ValueError(f"the section {name} comes twice")
        self.positions.fields[name] = line
        self._hear(word)
        self._section = name

    def _begin_step(self, step: StepInfo, line: int) -> None:
        if step.step_id in self.positions.steps:
            raise ValueError(f"the number {step.step_id} comes twice")
        self.positions.steps[step.step_id] = {"step_id": line}
        self.step = step
        self._steps.append(step)

    def _set(self, key: str, value: object, line: int) -> None:
        """Set the field of the last step that an attribute is for."""
        if self.step is None:
            raise ValueError("an attribute has no step")
        name, positions = meanings()[key], self.positions.steps[self.step.step_id]
        if name in positions:
            raise ValueError(f"the attribute {name} comes twice")
        positions[name] = line
        setattr(self.step, name, value)

    def _hear(self, word: str) -> None:
        self._languages.add("en" if word.isascii() else "zh")
