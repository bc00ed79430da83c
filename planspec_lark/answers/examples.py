"""A right example for each fault that a line of a plan may have: beside the rule in words, what a model is shown."""

from __future__ import annotations

__all__ = ["EXAMPLES"]

# Each stands at the start of a plan, in its steps, or is a whole plan; the tests read them as such.
EXAMPLES = {
    "PS101": "  > The depot opens at seven.",
    "PS102": "1. [act] Order the gas → gas",
    "PS103": "1. [act] Order the gas → gas",
    "PS104": "Goal: Open the bakery at six",
    "PS105": "Goal: Open the bakery at six\n> And close it at noon.",
    "PS106": "Goal: Open the bakery at six\nConstraints:\n- No noise before five\n## Steps",
    "PS107": "1. [act] Order the gas → gas\n  > The depot opens at seven.",
    "PS109": "- No noise before five",
    "PS110": "2.1. [act] Order the gas → gas",
    "PS111": "1. [x] [act] Order the gas → gas",
    "PS112": "1. [act] Order the gas → gas",
    "PS113": "1. [x] order [act] Order the gas → gas",
    "PS114": "1. [x] [act] Order the gas → gas | Two bottles",
    "PS115": "1. [>] [subtask] Order the gas → gas | Progress: 1/3",
    "PS116": "1. [>] [subtask] Order the gas → gas | Two bottles | Progress: 1/3",
    "PS117": "3. [act] Order the gas → gas",
    "PS118": "- No noise before five",
    "PS124": "## Steps\n1. [act] Order the gas → gas",
    "PS125": "1. [act] Order the gas → gas",
    "PS201": "## Steps\n1. [act] Order the gas → gas",
    "PS202": "1. [act] Order the gas → gas",
    "PS203": "1. order_gas [act] Order the gas → gas",
    "PS204": "1. [subtask] Order the gas → gas\n  1.1. [act] Call the depot → date",
    "PS205": "Goal: Open the bakery at six\n## Steps",
}
