"""Runs tool plans, with calls side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.tool_runner.callables import load_entry_point_atoms as load_entry_point_atoms
    from planspec_lark.tool_runner.results import (
        StepResult as StepResult,
        StepStarted as StepStarted,
        StepStatus as StepStatus,
        ToolRun as ToolRun,
        ToolRunError as ToolRunError,
    )
    from planspec_lark.tool_runner.runner import (
        ToolRunOptions as ToolRunOptions,
        arun_toolplan as arun_toolplan,
        run_toolplan as run_toolplan,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "callables": "load_entry_point_atoms",
            "results": "StepResult StepStarted StepStatus ToolRun ToolRunError",
            "runner": "ToolRunOptions arun_toolplan run_toolplan",
        },
    )
