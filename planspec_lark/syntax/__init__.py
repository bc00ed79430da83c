"""What every language stands on: texts, places, findings, limits, grammars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.syntax.diagnostics import (
        CODES as CODES,
        CommandError as CommandError,
        Diagnostic as Diagnostic,
        Edit as Edit,
        Fix as Fix,
        PlanSpecError as PlanSpecError,
        PlanSyntaxError as PlanSyntaxError,
        Severity as Severity,
        decode as decode,
        render as render,
        render_all as render_all,
    )
    from planspec_lark.syntax.limits import Limits as Limits
    from planspec_lark.syntax.safe_text import one_line as one_line
    from planspec_lark.syntax.source import Source as Source, Span as Span
    from planspec_lark.syntax.token_estimate import estimate_tokens as estimate_tokens
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "diagnostics": (
                "CODES CommandError Diagnostic Edit Fix PlanSpecError PlanSyntaxError Severity decode render render_all"
            ),
            "limits": "Limits",
            "safe_text": "one_line",
            "source": "Source Span",
            "token_estimate": "estimate_tokens",
        },
    )
