"""Coding assistants: their set-up in a project, and answers to their hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.agents.assistants import ASSISTANTS as ASSISTANTS, Assistant as Assistant
    from planspec_lark.agents.foreign_files import SetupError as SetupError
    from planspec_lark.agents.setup import (
        FileChange as FileChange,
        carry_out as carry_out,
        plan_removal as plan_removal,
        plan_setup as plan_setup,
    )
else:
    # Without importing any: a hook runs at every edit of any file.
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "assistants": "ASSISTANTS Assistant",
            "foreign_files": "SetupError",
            "setup": "FileChange carry_out plan_removal plan_setup",
        },
    )
