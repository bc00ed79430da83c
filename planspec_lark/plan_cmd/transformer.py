"""Parse tree → command: what the rules of ``grammar/plan_cmd.lark`` mean.

What single tokens mean is defined in :func:`planspec_lark.plan_cmd.models.build_command`.
"""

from __future__ import annotations

from lark import Token, Transformer

from planspec_lark.plan_cmd.models import PlanCommand, build_command
from planspec_lark.syntax import grammars

__all__ = ["CommandTransformer"]


class CommandTransformer(Transformer[Token, PlanCommand]):
    """Transforms the tree of the rule ``command`` to a command."""

    def status(self, tokens: list[Token | None]) -> PlanCommand:
        """`DONE 2.1 | result`; an absent token is None."""
        said = [(token.type, grammars.regular("plan_cmd").value(token.type, token)) for token in tokens if token]
        return build_command(dict(said), [value for kind, value in said if kind == "DETAIL"])

    # `ADD 2.1 [act] text` with its lines of detail, `REPLAN 2 | reason`, `EXPAND 2`: each verb has its own tokens.
    edit = replan = view = status

    def command(self, children: list[Token | PlanCommand]) -> Token | PlanCommand:
        """`PLAN_CMD:` and its command."""
        return children[-1]
