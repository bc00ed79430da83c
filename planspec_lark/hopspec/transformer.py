"""The parse tree of a HopSpec document → the document: what the rules of ``grammar/hopspec.lark`` mean.

What the tokens mean is said in :mod:`planspec_lark.hopspec.builder`, for the readers that do without Lark as well.
"""

from __future__ import annotations

from collections.abc import Iterable

from lark import Token, Transformer, Tree
from lark.exceptions import VisitError

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
        """`# Text`, and the lines of all other rules but those of free text; an absent token is None."""
        present = [token for token in tokens if token is not None]
        said = {token.type: grammars.regular("hopspec").value(token.type, token) for token in present}
        self._builder.take(said, present[0], present[0].line or 0, _join(tokens[2:]))

    # Each rule has its own tokens; below the first two of an attribute are the lines that continue it.
    mode = section_header = flow_header = heading = comment = attribute = title

    def section(self, children: _Tokens) -> None:
        """A header and its free text."""
        self._builder.add_text(_join(children))


def _join(tokens: Iterable[Token | None]) -> str:
    return "".join(filter(None, tokens))
