"""The parse tree of a HopSpec document → the document: what the rules of ``grammar/hopspec.lark`` mean.

What the tokens mean is said in :mod:`planspec_lark.hopspec.builder`, for the readers that do without Lark as well.
"""

from __future__ import annotations

from collections.abc import Iterable

from lark import Token, Transformer, Tree
from lark.exceptions import VisitError

from planspec_lark.hopspec.blocks import indent_of
from planspec_lark.hopspec.builder import HopSpecBuilder
from planspec_lark.hopspec.models import HopSpec
from planspec_lark.hopspec.positions import LinePositions
from planspec_lark.syntax import grammars

__all__ = ["HopSpecTransformer"]

# Tokens of a rule; an absent part is None.
_Tokens = list[Token | None]


class HopSpecTransformer(Transformer[Token, HopSpec]):
    """Makes a document of a tree of :func:`planspec_lark.hopspec.parse_hopspec_tree`, edited or not."""

    def __init__(self) -> None:
        super().__init__()
        self._builder = HopSpecBuilder()

    @property
    def positions(self) -> LinePositions:
        """In which lines sections, steps and attributes of the last document stand."""
        return self._builder.positions

    def transform(self, tree: Tree[Token]) -> HopSpec:
        """The document that a tree spells.

        Raises:
            ValueError: a section, the number of a step or an attribute comes twice, or a line that continues a value
                is not indented more than its name.
        """
        # The parts are added in the order of the text, in which Lark calls what follows.
        self._builder = HopSpecBuilder()
        try:
            super().transform(tree)
        except VisitError as error:
            # Lark's own word for what a rule's method has raised.
            raise error.orig_exc from None
        return self._builder.finish()

    def title(self, tokens: _Tokens) -> None:
        """`# Text`"""
        self._builder.add_title(_values(tokens)["TEXT"], _line_of(tokens))

    def mode(self, tokens: _Tokens) -> None:
        """`模式：JIT`"""
        self._builder.add_mode(_values(tokens)["MODE_WORD"], _line_of(tokens))

    def section_header(self, tokens: _Tokens) -> None:
        """`## 任务概述`"""
        self._builder.add_section(_values(tokens)["SECTION"], _line_of(tokens))

    def flow_header(self, tokens: _Tokens) -> None:
        """`## 执行流程`"""
        self._builder.add_section(_values(tokens)["FLOW"], _line_of(tokens))

    def section(self, children: _Tokens) -> None:
        """A header and its free text."""
        self._builder.add_text(_join(children))

    def heading(self, tokens: _Tokens) -> None:
        """`#### 步骤2.1: name（label）`"""
        values = _values(tokens)
        self._builder.add_step(
            str(tokens[0]), values["STEP"], values.get("NAME"), values.get("LABEL"), _line_of(tokens)
        )

    def comment(self, tokens: _Tokens) -> None:
        """`> text` or `<!-- text -->`"""
        self._builder.add_comment(_values(tokens)["COMMENT"])

    def attribute(self, tokens: _Tokens) -> None:
        """`- 任务：text`, and the lines below it."""
        key, said, *below = tokens
        assert key is not None, "only the value may be absent"
        word, text, line = _value(key), said and str(said), _line_of(tokens)
        if key.type == "KEY":
            self._builder.add_value(word, text, _join(below), line, indent_of(key))
        elif key.type == "NAMES_KEY":
            self._builder.add_names(word, text, line)
        else:
            self._builder.add_count(word, text, line)


def _line_of(tokens: _Tokens) -> int:
    return (tokens[0] and tokens[0].line) or 0


def _value(token: Token) -> str:
    return grammars.regular("hopspec").value(token.type, token)


def _values(tokens: _Tokens) -> dict[str, str]:
    """What the tokens of a rule say, by their terminals."""
    return {token.type: _value(token) for token in tokens if token is not None}


def _join(tokens: Iterable[Token | None]) -> str:
    return "".join(filter(None, tokens))
