"""PLAN_CMD lines: models, reading, printing, applying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.plan_cmd.apply import apply_command as apply_command, apply_commands as apply_commands
    from planspec_lark.plan_cmd.models import PlanCommand as PlanCommand
    from planspec_lark.plan_cmd.parser import parse_plan_commands as parse_plan_commands
    from planspec_lark.plan_cmd.printer import serialize_commands as serialize_commands
    from planspec_lark.plan_cmd.recovery import CommandScan as CommandScan, scan_plan_commands as scan_plan_commands
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "apply": "apply_command apply_commands",
            "models": "PlanCommand",
            "parser": "parse_plan_commands",
            "printer": "serialize_commands",
            "recovery": "CommandScan scan_plan_commands",
        },
    )
