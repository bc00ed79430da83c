"""What it costs to start: importing the package, the first plan, and the command line on one file."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Timing, time_processes
from benchmarks.plans import plan_text
from benchmarks.tables import Table, ratio, seconds
from planspec_lark import scan_plan
from planspec_lark.syntax import grammars

__all__ = ["measure_startup"]

_FIRST_PLAN = "from planspec_lark import parse_plan; parse_plan('## Steps\\n1. [act] Text → out\\n')"
_IMPORTS = {
    "import lark, attrs, cattrs": "import lark, attrs, cattrs",
    "import planspec_lark": "import planspec_lark",
    "parse_plan": "from planspec_lark import parse_plan",
    "parse_plan and a first plan": _FIRST_PLAN,
    "from planspec_lark import *": "from planspec_lark import *",
}
_FAULTY = "a plan with a fault"
_TEXTS = {
    "a plan without faults": "## Steps\n1. [act] Text → out\n",
    _FAULTY: "## Steps\n1. [X] [act] Text → out\n",
}
_NOTHING, _LIBRARIES, _PACKAGE, _ALL = ("nothing", *list(_IMPORTS)[:2], "from planspec_lark import *")


def measure_startup(settings: Settings) -> Findings:
    """Fresh processes only. Of each time, what an empty process takes is taken off but for the command line."""
    rounds = 5 if settings.quick else 15
    code = {_NOTHING: "", **_IMPORTS}
    processes = {name: [sys.executable, "-c", text] for name, text in code.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.md"
        path.write_text(plan_text(17), encoding="utf-8")
        command = _find_command()
        trouble = _try([*command, "check", str(path)])
        if not trouble:
            processes["planspec check"] = [*command, "check", str(path)]
        processes |= _first_readings(Path(folder))
        timings = time_processes(processes, rounds=rounds)
    return _report(timings, trouble)


def _report(timings: Mapping[str, Timing], trouble: str) -> Findings:
    idle = timings[_NOTHING].median
    net = {name: timing.median - idle for name, timing in timings.items()}
    table = Table("Starting", ["what", "median", "to lark, attrs, cattrs"])
    for name in _IMPORTS:
        table.rows.append([name, seconds(net[name]), ratio(net[name] / net[_LIBRARIES])])
    ready = _ready_table(net)
    findings = Findings([table, ready], timings={f"startup/{name}": timing for name, timing in timings.items()})
    findings.figures["ready-made"] = net[f"{_FAULTY}, ready-made"] / net[f"{_FAULTY}, made anew"]
    findings.figures["import"] = net[_PACKAGE] / net[_LIBRARIES]
    findings.figures["import of everything"] = net[_ALL] / net[_LIBRARIES]
    table.notes.append(f"An empty process takes {seconds(idle)}; that is taken off above.")
    if trouble:
        table.notes.append(f"planspec check: skipped, it cannot be run here ({trouble}).")
    else:
        cold = timings["planspec check"].median
        findings.figures["cold start"] = cold
        table.notes.append(f"planspec check FILE, the whole process, on 17 steps: {seconds(cold)}.")
    return findings


def _first_readings(folder: Path) -> dict[str, list[str]]:
    """A first text in a fresh process, with what is made from the grammars ready or not."""
    for name in ("made anew", "ready-made"):
        shutil.copytree(grammars.grammar_path("planspec").parent, folder / name / "grammar")
    (folder / "ready-made" / "compiled").mkdir()
    for text in _TEXTS.values():
        scan_plan(text)
    for language in ("planspec", "planspec_dialect"):
        path = folder / "ready-made" / "compiled" / f"{language}.json"
        path.write_text(grammars.dump(language), encoding="ascii")
    return {
        f"{words}, {name}": [
            sys.executable,
            "-c",
            "import sys; sys.dont_write_bytecode = True; "  # nothing is kept for the next process
            "from pathlib import Path; from planspec_lark.syntax import grammars; from planspec_lark import scan_plan; "
            f"grammars._PACKAGE = Path({str(folder / name)!r}); scan_plan({text!r})",
        ]
        for words, text in _TEXTS.items()
        for name in ("made anew", "ready-made")
    }


def _ready_table(net: Mapping[str, float]) -> Table:
    table = Table("A first text in a fresh process", ["what", "made anew", "ready-made", "ready-made to anew"])
    for words in _TEXTS:
        made, ready = (net[f"{words}, {name}"] for name in ("made anew", "ready-made"))
        table.rows.append([words, seconds(made), seconds(ready), ratio(ready / made)])
    table.notes.append(
        "All imports included. An installed package has what its grammars come to ready; a checkout may not."
    )
    return table


def _find_command() -> list[str]:
    """The ``planspec`` of this environment; where it is not installed, its entry point."""
    found = shutil.which("planspec", path=str(Path(sys.executable).parent))
    return [found] if found else [sys.executable, "-c", "from planspec_lark.cli import main; main()"]


def _try(command: list[str]) -> str:
    """Why a command cannot be run; empty if it can."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
