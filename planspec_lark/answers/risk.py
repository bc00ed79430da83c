"""How likely it is that a repair of a tolerant reading changes what is meant. The risks stand in the dialects."""

from __future__ import annotations

from planspec_lark.syntax.codes import Risk, highest

__all__ = ["Risk", "highest"]
