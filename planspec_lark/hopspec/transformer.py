"""The parse tree of a HopSpec document → the document: what the rules of ``grammar/hopspec.lark`` mean."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer, Tree
from lark.exceptions import VisitError

from planspec_lark.hopspec.blocks import indent_of, read_block, read_value, split_names
from planspec_lark.hopspec.models import HopSpec, StepInfo
from planspec_lark.hopspec.positions import Places
from planspec_lark.hopspec.vocabulary import EMPTY, SECTIONS, VALUES, Language, meanings
from planspec_lark.syntax import grammars
from planspec_lark.syntax.tree import grow

__all__ = ["HopSpecTransformer"]

# Tokens of a rule; an absent part is None.
_Tokens = list[Token | None]
_SECTION_OF = {word: name for name, words in SECTIONS.items() for word in words.all}
_VALUE_OF = {
    name: {word: value for value, words in values.items() for word in words.all} for name, values in VALUES.items()
}


class HopSpecTransformer(Transformer[Token, HopSpec]):
    """Makes a document of a tree of :func:`planspec_lark.hopspec.parse_hopspec_tree`, edited or not.

    Attributes:
        places: in which lines its sections, steps and attributes stand.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places = Places()
        self._languages: set[Language] = set()

    def transform(self, tree: Tree[Token]) -> HopSpec:
        """The document that a tree spells.

        Raises:
            ValueError: a section, the number of a step or an attribute comes twice, or a line that continues a value
                is not indented more than its name.
        """
        self.__init__()  # type: ignore[misc]  # (each tree has its own places)
        try:
            return super().transform(tree)
        except VisitError as error:
            # Lark's own word for what a rule's method has raised.
            raise error.orig_exc from None

    def title(self, tokens: _Tokens) -> dict[str, Any]:
        """`# Text`"""
        self._place("title", tokens)
        return {"title": _values(tokens, "TEXT")[0]}

    def mode(self, tokens: _Tokens) -> dict[str, Any]:
        """`模式：JIT`"""
        self._place("mode", tokens)
        return {"mode": _values(tokens, "MODE_WORD")[0]}

    def section_header(self, tokens: list[Token]) -> str:
        """`## 任务概述`: the field that holds the section."""
        name = _SECTION_OF[_value(tokens[0])]
        if name in self.places.fields:
            raise ValueError(f"the section {name} comes twice")
        self._place(name, tokens)
        self._hear(_value(tokens[0]))
        return name

    flow_header = section_header

    def section(self, children: list[Any]) -> dict[str, Any]:
        """A header and its free text."""
        return {children[0]: read_block(children[1:])}

    def heading(self, tokens: _Tokens) -> StepInfo:
        """`#### 步骤2.1: name（label）`"""
        first = tokens[0]
        assert first is not None, "only what follows may be absent"
        values = {token.type: _value(token) for token in tokens if token is not None}
        step_id = values["STEP"]
        if step_id in self.places.steps:
            raise ValueError(f"the number {step_id} comes twice")
        self.places.steps[step_id] = {"step_id": first.line or 0}
        self._hear(first)
        return StepInfo(step_id, values.get("NAME", ""), label=values.get("LABEL", ""))

    def comment(self, tokens: list[Token]) -> str:
        """`> text` or `<!-- text -->`"""
        return _value(tokens[0])

    def attribute(self, tokens: _Tokens) -> tuple[str, Any, int]:
        """`- 任务：text`: its field, its value and its line."""
        key, said, *rest = tokens
        assert key is not None, "only the value may be absent"
        name = meanings()[_value(key)]
        below = [token for token in rest if token is not None]
        if any(token.type == "MORE" and indent_of(token) <= indent_of(key) for token in below):
            raise ValueError(f"what goes on with {name} is not indented more than its name")
        value: Any
        if key.type == "COUNT_KEY":
            value = int(said) if said else None
        elif key.type == "NAMES_KEY":
            value = [] if said is None or said in EMPTY.all else split_names(said)
        else:
            value = read_value(str(said or ""), below)
            value = _VALUE_OF.get(name, {}).get(value, value)
        return name, value, key.line or 0

    def step(self, children: list[Any]) -> StepInfo:
        """A heading, attributes and comments."""
        step: StepInfo = children[0]
        places = self.places.steps[step.step_id]
        for child in children[1:]:
            if isinstance(child, str):
                step.comments.append(child)
                continue
            name, value, line = child
            if name in places:
                raise ValueError(f"the attribute {name} comes twice")
            places[name] = line
            setattr(step, name, value)
        if step.step_type == "seq_think":
            # What the type of these subtasks was called once.
            step.step_type, step.expand_mode = "subtask", step.expand_mode or "think"
        return step

    def flow(self, children: list[Any]) -> dict[str, Any]:
        """A header, comments, and the steps, which their numbers make a tree."""
        return {
            "comments": [child for child in children[1:] if isinstance(child, str)],
            "steps": grow([child for child in children if isinstance(child, StepInfo)]),
        }

    def document(self, children: list[Any]) -> HopSpec:
        """The parts of a document, each of which may be absent."""
        fields: dict[str, Any] = {}
        for child in children:
            fields |= child if isinstance(child, dict) else {}
        return HopSpec(**fields, language="en" if self._languages == {"en"} else "zh")

    def _place(self, name: str, tokens: Any) -> None:
        self.places.fields[name] = tokens[0].line or 0

    def _hear(self, word: str) -> None:
        self._languages.add("en" if word.isascii() else "zh")


def _value(token: Token) -> str:
    return grammars.regular("hopspec").value(token.type, token)


def _values(tokens: _Tokens, kind: str) -> list[str]:
    return [_value(token) for token in tokens if token is not None and token.type == kind]
