"""Grammars that hold a model to a language while it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.constrained.export import export_grammar as export_grammar
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"export": "export_grammar"})
