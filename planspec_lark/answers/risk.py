"""How likely it is that a repair of a tolerant reading changes what is meant. The risks stand in the dialects."""

from planspec_lark.syntax.codes import Risk as Risk, highest as highest

__all__ = ["Risk", "highest"]
