"""The signs of code blocks in Markdown. What may follow a fence, and what one means, is for each reader to say."""

from __future__ import annotations

__all__ = ["FENCE", "FENCES"]

# What a line begins with that opens or closes a code block; and the same as an expression.
FENCES = ("```", "~~~")
FENCE = f"(?:{'|'.join(FENCES)})"
