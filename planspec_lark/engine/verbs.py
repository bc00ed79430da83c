"""The commands that language models may give while a plan runs: the others are the engine's, or a viewer's."""

from __future__ import annotations

__all__ = ["REFLECTION_VERBS", "REPLAN_VERBS"]

# About a step that has not gone well,
REFLECTION_VERBS = ("SKIP", "REVISE", "ADD", "REPLAN")
# and at the end of a round. Planning the whole plan anew is offered as a verb of its own.
REPLAN_VERBS = ("REVISE", "ADD", "REPLAN", "REPLAN ALL")
