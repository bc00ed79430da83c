"""A planner and an executor as shell scripts, for the tests of `planspec planner`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STATE = Path(".thinkon") / "thinking-context.json"

# Three steps for the goal, then one call for each.
PLANNER = r"""
item=$(sed -n '/"plan": \[/ { n; s/^ *//; s/,$//; p; q; }')
if [ "$PLANSPEC_REVISION" = 0 ]; then
  kind='"PLAN_STEPS"' plan='["Mix", "Rest", "Heat"]' more='"success_signal": "A hollow sound"'
else
  kind='"EXECUTE"' plan='[]' more='"executor_call": {"command": "oven", "inputs": {}, "expected_observations": []}'
fi
block="{\"goal\": $item, \"plan\": $plan, \"done\": []}"
printf '%s\n' "{\"type\": \"plan-next\", \"plan_type\": $kind, \"new_block\": $block, $more}"
"""

# Notes each call in a log.
EXECUTOR = r"""
goal=$(sed -n '/"goal": / { s/^[^:]*: //; s/,$//; p; q; }')
printf '%s\n' "$PLANSPEC_REVISION $PLANSPEC_PHASE $goal" >> log
printf '%s\n' "{\"type\": \"plan-return\", \"result\": $goal}"
"""

SCRIPTS = ("--planner", "sh planner.sh", "--executor", "sh executor.sh")


def write_scripts(folder: Path = Path()) -> None:
    (folder / "planner.sh").write_text(PLANNER)
    (folder / "executor.sh").write_text(EXECUTOR)


def message(**changes: Any) -> str:
    """A plan-next message that nothing is wrong with, or one with these fields changed."""
    fields = {
        "type": "plan-next",
        "plan_type": "PLAN_STEPS",
        "new_block": {"goal": "Bake", "plan": ["Mix", "Rest", "Heat"], "done": []},
        "success_signal": "A hollow sound",
    }
    return json.dumps({**fields, **changes})
