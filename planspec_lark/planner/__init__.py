"""Runs the planner's protocol, and keeps its context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.planner.kernel import (
        StateError as StateError,
        create_state as create_state,
        read_state as read_state,
    )
    from planspec_lark.planner.language import (
        MessageRefusal as MessageRefusal,
        PlannerEvent as PlannerEvent,
        PlannerEventKind as PlannerEventKind,
    )
    from planspec_lark.planner.runtime import Runtime as Runtime
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "kernel": "StateError create_state read_state",
            "language": "PlannerEvent PlannerEventKind MessageRefusal",
            "runtime": "Runtime",
        },
    )
