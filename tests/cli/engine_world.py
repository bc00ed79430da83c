"""A plan, and a program for each of its steps: what tests of `planspec run` and `planspec log` share."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PLAN = """\
# Plan: Bakery
Goal: Open the bakery at six
## Steps
1. [reason] List what is missing → list
2. [act] Buy it → goods
  > ← list
3. [decide] Is the oven warm?
  3.1. [act] Warm: bake → bread
  3.2. [act] Cold: heat it first → bread
4. [subtask] Open the shop → shop
  4.1. [act] Put the bread out → shop
    > ← bread
"""

# What of a run is never the same twice.
_RUN = re.compile(r"\b[0-9a-f]{16}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d")

# The request has each field in a line of its own. It is kept, and so is the order of the calls.
# Several may be at work at the same time.
_OPERATOR = """\
cat > asked.$$
id=$(sed -n 's/^    "id": "\\(.*\\)",$/\\1/p' asked.$$ | head -n 1)
mv asked.$$ asked
echo "$id $PLANSPEC_KEY" >> calls
. ./steps/$id
"""

OPERATOR = ("--operator", "sh operator.sh")


def ok(result: str, branch: str = "", **outputs: object) -> str:
    """A script that has done its step."""
    value: dict[str, Any] = {"status": "OK", "result": result, "outputs": outputs}
    return say({**value, "branch": branch} if branch else value)


def say(value: object) -> str:
    """A script that writes this value as JSON, or a text as it is."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"cat << 'END'\n{text}\nEND\n"


STEPS = {
    "1": ok("Flour and salt", list=["flour", "salt"]),
    "2": ok("40 kg", goods=40),
    "3": ok("It is", "3.1"),
    "3.1": ok("60 loaves", bread=60),
    "3.2": ok("50 loaves", bread=50),
    "4.1": ok("All on the shelf", shop="open"),
}


def make_world(text: str = PLAN, **steps: str) -> None:
    """Write the plan and the programs to the current folder; ``_2`` is another script for step 2, ``_3_1`` for 3.1."""
    Path("bakery.md").write_text(text, encoding="utf-8")
    Path("operator.sh").write_text(_OPERATOR)
    Path("steps").mkdir(exist_ok=True)
    others = {name.removeprefix("_").replace("_", "."): script for name, script in steps.items()}
    for step_id, script in {**STEPS, **others}.items():
        Path("steps", step_id).write_text(script, encoding="utf-8")


def program(name: str, script: str) -> tuple[str, str]:
    """An option such as ``--reflector`` with a program that is this script."""
    Path(f"{name}.sh").write_text(script, encoding="utf-8")
    return f"--{name}", f"sh {name}.sh"


def calls() -> list[str]:
    """The ids of the steps that were begun, in their order."""
    file = Path("calls")
    return [line.split()[0] for line in file.read_text().splitlines()] if file.exists() else []


def plain(text: str) -> str:
    """What a run or a log has said, without ids of runs and times."""
    return _TIME.sub("TIME", _RUN.sub("RUN", text))
