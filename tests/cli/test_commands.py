"""The commands, one call after another: a table of command lines, exit codes, and snapshots of what is written.

A snapshot has what goes to standard output and to standard error, and how files have changed. What commands show is
made by the packages, and tested there: here are the arguments, formats, files and exit codes of each command.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark.syntax.safe_text import visible
from tests.cli.engine_world import OPERATOR, make_world, plain, program, say
from tests.cli.planning import message, write_scripts
from tests.cli.running import PLAN, SLOPPY, run, write_files
from tests.corpus import FIXTURES, SHOWCASE, read
from tests.llm.asking import NO_KEY
from tests.toolplan.plans import ATOMS, bake, document, weigh

# With one fault, as each would be in every snapshot.
BROKEN = "Goal: y\n## Steps\n1. [X] [act] one\n"
INFO = "Goal: x\n## Steps\n1. [act] one\n> ← other\n"
WARNING = "Goal: x\n## Steps\n1. [subtask] one\n"
# Two findings of PS308, one of PS206.
MANY = "Goal: x\n## Steps\n1. [act] one → a\n2. [act] two → a\n3. [act] three → a\n4. [subtask] four\n"
# With a fault, infos and a warning.
MIXED = "Goal: x\n## Steps\n1) [act] one\n> ← a, b, c\n2. [subtask] two\n"
FAULTY = "Hello:\n## Steps\n1) [act] Ask → a\n2. [act] Go → b\n  > ← a\nGoal: g\n"
NOTES = "# Notes\nWe met on Monday.\nAnna was late.\n## Steps\n1) [act] Go\n## Open\nCake\nBye\nAnna\n"
CARS = read(SHOWCASE)
DEEP = "".join(f"{one}. [>] [subtask] s\n> b\n" for one in ["1", "1.1", "1.1.1", "1.2", "1.2.1", "2", "2.1"])
STEERING = "Goal: a\u009b31m b\u202e c\u2028 d\ufeff e\n## Steps\n1. [act] x\n"
BLOCKED = "Goal: g\n## Steps\n1. [!] [act] a → x | no\n2. [act] b\n> ← x\n3. [~] [subtask] c\n 3.1. [act] d\n"
MANY_BLOCKED = "Goal: g\n## Steps\n" + "".join(f"{number}. [!] [act] a\n" for number in range(1, 23))
WAITING = "Goal: g\n## Steps\n1. [>] [act] a → x\n2. [act] b\n> ← x\n3. [act] c\n"
NAMED = "Goal: g\n## Steps\n1. one [act] a\n> d\n2. two [act] b\n> e\n3. two [act] c\n"
CHOIR = """\
# Plan:   Choir
Goal: Sing in May
## Steps

1. [x] [reason] Compare the halls → halls | the church is free
2. rehearse [subtask] Rehearse
    2.1. [reason] Choose the pieces → pieces
        > ← halls
    2.2. [ ] [act]  Sing them through → sound
        > ← pieces
3. poster [act] Print the poster
    > ← halls
4. [act] Sweep up
"""
AROUND = "## Steps\n1. [x] [subtask] a | all done\n  1.1. [x] [act] b | done\n  1.2. [x] [act] c\n2. [x] [act] d\n"
DEPENDENT = "Goal: g\n## Steps\n1. [x] [act] a → x\n2. [x] [act] b → y\n  > ← x\n3. [x] [act] c\n  > ← y\n"
DONE = "PLAN_CMD: DONE 2.2 | two rooms a day\n"
SHORT = "Goal: g\n##  Steps\n1.  [act] a\n"
COMMANDS = """\
First the lorry, then the rest.
PLAN_CMD: ADD 2.1 [act] Ask the neighbours for a lorry → lorry
> ← labels
PLAN_CMD: DONE 2.1 | The baker lends his
PLAN_CMD: DONE 1
PLAN_CMD: SKIP 2.2. | not needed any more
PLAN_CMD: REVISE 2.3 [reason] Choose the first room → room
PLAN_CMD: REPLAN 2 | other way
PLAN_CMD: EXPAND 1
PLAN_CMD: COLLAPSE 2
PLAN_CMD: REPLAN ALL | no
"""
ANSWER = """\
Here is the plan.

Goal：Open the bakery at six
## Steps
1) [act] Order the gas -> gas
2. [x] [act] Light the oven → heat
3. [act] Bake the bread → bread

If the gas is late, stop.
"""
HELD = ANSWER.replace("[x]", "[ok!]").replace("3. [act]", "3.")
TWO = "```\nGoal: g\n## Steps\n1. [act] a\n```\n\n```\nGoal: h\n## Steps\n1. [act] b\n```\n"
SIGNS = "Goal: g\n## Steps\n1. [⏳] [act] a\n2. [🌀] [act] b\n"
CUT_OFF = "```\nGoal: g\n## Steps\n1. [act] a\n2. [act] b"
FINISHED = "# Plan: Winter\nGoal: No pipe bursts\n## Steps\n1. [x] [act] Drain → pipes\n2. [~] [act] Wrap → wrapped\n"
LIST = "# Picnic\n\n- [x] Bake bread\n- [?] Pack the basket\n  - cups\n"
ZH = read(FIXTURES / "hopspec/valid/zh_one_step.md")
LOOP = read(FIXTURES / "hopspec/valid/zh_for_each_loop.md")
GOOD = document(
    bake("loaf", "${flour.outputs.weight}", depends_on=["flour", "oven"]),
    weigh("flour"),
    weigh("oven", "heat"),
    outputs={"bread": "${loaf.outputs.loaf}", "heat": "${oven.outputs.note}"},
)
FAILED = {"goal": "Bake", "result": "", "status": "failed", "plan": ["Mix", "Rest", "Heat"]}
OLD = "## Steps\n" + "".join(f"{number}. [act] step {number}\n" for number in range(1, 7))
CLASH = PLAN.replace("2.2. [reason]", "2.2. [!] [reason]")
OURS = PLAN.replace("2.2. [reason]", "2.2. [x] [reason]")
THEIRS = PLAN.replace("3. [~]", "3. [>]") + "4. [act] Rest\n"
NEW = (
    PLAN.replace("Goal: All", "Goal: Nearly all")
    .replace("- No book", "- Gloves on\n- No book")
    .replace("2. [>] [subtask] Move the books", "2. [act] Ask for help\n3. [>] [subtask] Move all the books")
    .replace("  2.1. [!] [act] Hire a lorry → lorry | None is free before Friday", "  3.2. [x] [act] Hire a lorry")
    .replace("    > Twelve tonnes at least.\n", "")
    .replace("  2.2. [reason]", "  3.1. planner [act]")
    .replace("3. [~] [act] Paint the old shelves → paint\n", "")
)


class Row(NamedTuple):
    """Calls with ``;`` between them, how the last one ends, and what all get from standard input."""

    line: str
    code: int = 0
    stdin: str | bytes = ""


class Table(NamedTuple):
    """Rows, and the files that they find beside plan.md, sloppy.md and broken.md; or what makes these."""

    files: Mapping[str, str | bytes] | Callable[[], None]
    rows: list[Row]


def _bakery() -> None:
    make_world(_2=say({"status": "FAIL", "result": "The shop is closed"}))
    Path("in.json").write_text('{"list": ["salt"], "note": "from the file"}')


def _ended() -> None:
    """Two runs: one that a budget has ended, and one that a reflector has helped to its end."""
    _bakery()
    assert run("run", "bakery.md", *OPERATOR, "--max-steps", "1", "--input", "a=b").exit_code == 3
    reflector = program("reflector", "cat > /dev/null; echo 'PLAN_CMD: SKIP 2 | not today'\n")
    assert run("run", "bakery.md", *OPERATOR, *reflector, "--new-run", "--input", "list=c").exit_code == 0


def _lost() -> None:
    Path("todo.md").write_text(LIST)
    steps = "".join(f"{number}. [reason] Think {number}\n" for number in range(1, 23))
    Path("long.md").write_text(f"Goal: g\n## Steps\n{steps}")
    Path("tasks.json").write_text('{"tasks": [{"id": 1, "title": "a", "dependencies": [7]}]}')
    Path("nothing.md").write_text("nothing\n")


PLANNED: dict[str, str | bytes] = {
    "good.json": message(),
    "bad.json": message(id=1, new_block={"goal": "", "plan": ["First mix"], "done": []}),
    "warned.json": message().replace(', "success_signal": "A hollow sound"', ""),
    "fenced.json": f"So:\n```json\n{message()}\n```\n",
    "latin.json": b'{"type": "\xfc"}',
    "tools.yaml": "- id: oven\n  limits: 250 degrees\n",
    "return.json": '{"type": "plan-return", "result": "so"}',
}
AT_WORK = '{"think": {"goal": "Fry", "plan": [], "done": []}}'
ENDED = '{"think": {"goal": "Fry", "plan": [], "done": []}, "outcome": {"goal": "Fry", "result": "", "status": "done"}}'
FOLDED = json.dumps({
    "think": {"goal": "Mix", "plan": [], "done": []},
    "path": [{"goal": {"intent": "Bake", "deliverable": "A loaf", "metric": "", "constraint": "No salt"},
              "plan": ["Mix", "Heat"],
              "done": [{"goal": "Weigh", "result": "No scales", "status": "failed", "left": ["Ask for some"]}]}],
})  # fmt: skip
OPERATE = "run bakery.md --operator 'sh operator.sh'"
MERGED = {"base": PLAN, "ours": OURS, "theirs": THEIRS, "clash": CLASH, "none": "No plan.\n", "bad": f"so\n{CLASH}"}

TABLES = {
    "check": Table(
        {"faulty.md": FAULTY, "notes.md": NOTES, "latin.md": b"Goal: caf\xe9\n", "empty.md": "",
         "arrow.md": "Goal: x\n## Steps\n1. [act] one -> a\n", "bom.md": "\ufeff" + PLAN,
         "windows.md": PLAN.replace("1. ", "1) ", 1).replace("\n", "\r\n").encode()},
        [
            Row("check broken.md plan.md bom.md --info", 1),
            Row("check broken.md plan.md --info --format json", 1),
            Row("check broken.md plan.md --info --format github", 1),
            Row("check broken.md missing.md plan.md", 2),
            Row("check missing.md --json", 2),
            Row("check -", 0, INFO),
            Row("check - --json", 0, INFO),
            Row("check - --format github", 0, INFO),
            Row("check - --info", 0, INFO),
            Row("check - --strict", 0, INFO),
            Row("check - --also PS315", 0, INFO),
            Row("check -", 0, WARNING),
            Row("check - --format github --strict", 1, WARNING),
            Row("check - --max-findings 1", 0, MIXED.replace("1)", "1.")),
            Row("check - --max-findings 1", 1, "## Steps\n1. a\n2. b\n3. c\n"),
            Row("check - --ignore PS3 --strict", 1, MANY),
            Row("check - --ignore 'PS308, PS206,PS30,PS31' --strict", 0, MANY),
            Row("check - --ignore PS308 --ignore PS2 --strict", 0, MANY),
            Row("check - --ignore PS308 --max-findings 1", 0, MANY),
            Row("check - --ignore PS", 1, "Goal: x\n"),
            Row("check latin.md empty.md", 1),
            Row("check plan.md --max-bytes 40", 1),
            Row("check - --max-steps 3", 1, PLAN),
            Row("check plan.md --max-depth 1", 1),
            Row("check --fix faulty.md", 1),
            Row("check --fix --unsafe-fixes faulty.md plan.md"),
            Row("check --fix --diff faulty.md plan.md", 1),
            Row("check --unsafe-fixes --diff faulty.md", 1),
            Row("check --diff plan.md missing.md", 2),
            Row("check --fix -", 1, FAULTY),
            Row("check --fix --max-findings 1 -", 0, MIXED),
            Row("check --fix --strict --also PS315 -", 1, MIXED),
            Row("check --unsafe-fixes --json faulty.md plan.md"),
            Row("check --fix --max-bytes 10 faulty.md", 1),
            Row("check --fix --max-findings 1 notes.md plan.md ; check --diff notes.md"),
            Row("check --fix latin.md", 1),
            Row("check --diff latin.md", 1),
            Row("check --unsafe-fixes --ignore PS305 arrow.md ; check --unsafe-fixes arrow.md"),
            Row("check --fix windows.md"),
        ],
    ),
    "fmt": Table(
        {"other.md": SHORT, "cut.md": PLAN.rstrip("\n"), "latin.md": b"Goal: caf\xe9\n", "empty.md": "",
         "windows.md": SHORT.replace("\n", "\r\n").encode(), "short.md": SHORT},
        [
            Row("fmt short.md broken.md other.md plan.md empty.md", 1),
            Row("fmt --check plan.md ; fmt --check --diff broken.md", 1),
            Row("fmt --check plan.md sloppy.md", 1),
            Row("fmt --diff plan.md sloppy.md cut.md"),
            Row("fmt --diff --check cut.md", 1),
            Row("fmt --diff windows.md ; fmt windows.md"),
            Row("fmt -", 0, SHORT),
            Row("fmt -", 1, BROKEN),
            Row("fmt - --check", 1, SHORT),
            Row("fmt - --diff", 0, PLAN.rstrip("\n")),
            Row("fmt broken.md missing.md plan.md", 2),
            Row("fmt latin.md", 1),
        ],
    ),
    "show": Table(
        {},
        [
            Row("show -", 0, CARS),
            Row("show plan.md --lang zh"),
            Row("show - --full --collapse 2", 0, NAMED),
            Row("show plan.md --collapse 2 --expand 2.2 --expand 1"),
            Row("show - --expand one", 0, NAMED),
            Row("show broken.md", 1),
            Row("show -", 1, b"\xff"),
            Row("show -"),
            Row("show - --collapse 1.2", 0, f"Goal: x\n## Steps\n{DEEP}"),
            Row("show -", 0, "## Steps\n1. [x] load [act] Load\t→ a, b | fine | 3/5\n2. [act] → c\n3. [LLM]\n"),
            Row("show plan.md --max-tokens 250"),
            Row("show plan.md --max-tokens 1000 --collapse 2"),
            Row("show - --max-tokens 9", 1, BROKEN),
            Row("json plan.md"),
            Row("json - --compact", 0, STEERING),
            Row("json -"),
            Row("json broken.md", 1),
            Row("json -", 1, b"Goal: \xff\n"),
            Row("graph broken.md", 1),
            Row("view broken.md -o plan.html", 1),
            Row("graph plan.md -o diagram ; graph plan.md -o diagram"),
            Row("explain ps114"),
        ],
    ),
    "next": Table(
        {},
        [
            Row("next plan.md"),
            Row("next plan.md --json"),
            Row("next plan.md --max-tokens 200"),
            Row("next - --why ; next - --all --order data", 0, WAITING),
            Row("next - --why --json ; next - --all --json", 0, WAITING),
            Row("next -", 3, "Goal: g\n## Steps\n1. [x] [act] a\n"),
            Row("next - --json ; next - --json --all", 3, BLOCKED),
            Row("next -", 3, MANY_BLOCKED),
            Row("next -", 1, BROKEN),
            Row("focus - one", 0, NAMED),
            Row("focus - two", 2, NAMED),
            Row("focus plan.md 2.2 --json"),
            Row("focus plan.md 2.2 --max-tokens 230"),
            Row("focus - 1", 1, BROKEN),
        ],
    ),
    "change a step": Table(
        {"choir.md": CHOIR, "around.md": AROUND, "dependent.md": DEPENDENT, "named.md": NAMED,
         "ill.md": "## Steps\n1. [act Sweep\n", "planspec/choir.md": CHOIR,
         "planspec/settings.toml": "require_result = true\n"},
        [
            Row("start choir.md 2.2"),
            Row("done choir.md poster fifty copies ; done choir.md poster"),
            Row("done choir.md 4"),
            Row("done choir.md 4 --result ' 2 \n 3 '"),
            Row("done choir.md 4 '2 3' --diff --dry-run"),
            Row("done - 4 7", 0, CHOIR),
            Row("block choir.md 4 no brooms"),
            Row("skip choir.md 4 ''"),
            Row("reopen choir.md 1"),
            Row("reopen around.md 1.2 2 ; reopen around.md 1"),
            Row("reopen dependent.md 1 ; reopen dependent.md 1 --dependents"),
            Row("rename choir.md 4 broom ; rename choir.md poster ''"),
            Row("remove choir.md 4"),
            Row("remove choir.md poster --renumber"),
            Row("move choir.md 4 3"),
            Row("add choir.md Count the money"),
            Row("add choir.md 'Warm up → a | b' --below rehearse --type reason --name warm --output voices"),
            Row("add choir.md Pay --at 4 --input halls --detail 'in cash'"),
            Row("next choir.md --all ; next choir.md --all --json"),
            Row("done choir.md 9", 1),
            Row("start choir.md '\x1b[2J'", 1),
            Row("done named.md two", 1),
            Row("add named.md x --below onee", 1),
            Row("rename choir.md 4 7", 1),
            Row("add choir.md x --type do", 1),
            Row("done ill.md 1", 1),
            Row("done choir 4", 1),
            Row("done choir 4 swept ; done choir 4"),
            Row("apply choir", 1, "PLAN_CMD: DONE 4\n"),
            Row("apply planspec/choir.md --keep-going", 1, "PLAN_CMD: DONE 4\nPLAN_CMD: SKIP 3\n"),
        ],
    ),
    "apply": Table(
        {"commands": DONE, "one": "PLAN_CMD: DONE 1 | so", "wrong": "PLAN_CMD: DONE 9\n",
         "latin": b"PLAN_CMD: DONE 1 | \xff\n", "old.md": ("\ufeff" + SLOPPY.replace("\n", "\r\n")).encode()},
        [
            Row("apply plan.md", 0, COMMANDS),
            Row("apply old.md -", 0, DONE),
            Row("apply old.md", 0, "PLAN_CMD: COLLAPSE 2\n"),
            Row("apply plan.md", 1, f"PLAN_CMD: DONE 9\nPLAN_CMD: done 1 | so\n{DONE}"),
            Row("apply plan.md --keep-going", 1, f"PLAN_CMD: DONE 9\nPLAN_CMD: DONE | text\n{DONE}"),
            Row("apply plan.md --keep-going --dry-run", 1, f"PLAN_CMD: DONE 9\n{DONE}"),
            Row("apply plan.md", 0, f"Do not run this:\n- **{DONE.strip()}**\nThen: PLAN_CMD: SKIP 1\n"),
            Row("apply plan.md --max-risk high", 0, "PLAN_CMD: done 2.2 | two rooms a day\n"),
            Row("apply plan.md commands --diff"),
            Row("apply plan.md commands --dry-run"),
            Row("apply plan.md --diff ; apply plan.md --diff --keep-going", 1, f"PLAN_CMD: DONE 9\n{DONE}"),
            Row("apply - one ; apply - one --diff ; apply - one --dry-run", 0, SHORT),
            Row("apply - wrong", 1, SHORT),
            Row("apply plan.md --finish-reason length", 1, f"{DONE}PLAN_CMD: DONE 1 | packed"),
            Row("apply plan.md --finish-reason length --allow-truncated", 0, f"{DONE}PLAN_CMD: DONE 1 | packed"),
            Row("apply plan.md --keep-going", 1, f"<<<<<<< ours\n{DONE}=======\nPLAN_CMD: SKIP 2.2\n>>>>>>> theirs\n"),
            Row("apply plan.md", 1, "He wrote PLAN_CMD: DONE 1 and left.\n"),
            Row("apply plan.md latin", 1),
            Row("apply broken.md commands", 1),
        ],
    ),
    "extract": Table(
        {"doubtful.md": "Goal: g\n## Steps\n1. [act] Count → boxes\n2. [act] Load\n  > ← boxs\n"},
        [
            Row("extract -", 0, ANSWER),
            Row("extract - --json", 0, ANSWER),
            Row("extract -", 1, HELD),
            Row("extract - -o plan.md", 1, "No."),
            Row("extract - --max-risk none", 1, "Goal: g\n## Steps\n1) [act] a\n"),
            Row("extract - --review-remarks", 1, CUT_OFF.replace("act] b", "act] b\n```\nSo.")),
            Row("extract - -o new.md ; extract - --out plan.md", 0, "Goal: g\n## Steps\n1. [act] a\n"),
            Row("extract doubtful.md"),
            Row("extract - --choose first ; extract - --choose 2", 0, TWO),
            Row("extract - --goal 'Go home'", 0, "## Steps\n1. [act] a\n"),
            Row("extract - --sign ⏳=active --sign 🌀=skipped", 0, SIGNS),
            Row("extract - --below 2", 0, "2.1. [act] a\n"),
            Row("extract - ; extract - --allow-truncated", 0, CUT_OFF),
            Row("extract -", 1, "No."),
            Row("extract -", 1, b"\xff"),
        ],
    ),
    "folder": Table(
        {"planspec/library.md": PLAN, "planspec/winter.md": FINISHED, "planspec/ill.md": BROKEN,
         "planspec/.gitignore": "*.tmp\n", "Tasks/roof/plan.md": FINISHED},
        [
            Row("list"),
            Row("list --json"),
            Row("new WINTER"),
            Row("new ill", 1),
            Row("new Implement auth"),
            Row("archive winter ; list"),
            Row("archive planspec/winter.md"),
            Row("archive library", 1),
            Row("archive winter ; new winter ; done winter 1 so ; archive winter --force"),
            Row("archive ill", 1),
            Row("archive library --force"),
            Row("use ; use library ; use winter --instead-of library ; list ; use --none"),
            Row("check nope winter", 2),
            Row("fmt --check library planspec/winter.md"),
            Row("apply library", 0, DONE),
        ],
    ),
    "new": Table(
        {},
        [
            Row("list ; list --json"),
            Row("new Implement auth ; check --strict implement_auth"),
            Row("new 车险赔付率预测 --constraint polars --constraint '不用 pandas'"),
            Row("new 车险赔付率预测 --name loss --language en"),
            Row("new --template"),
            Row("new --template --language zh"),
            Row("new one ; new one --shared ; new two --shared"),
            Row("new plan.md --name reading"),
            Row("new 'Sing in May' --require-result ; new sing_in_may --require-result"),
        ],
    ),
    "import and export": Table(
        _lost,
        [
            Row("import todo.md"),
            Row("import todo.md --from kiro"),
            Row("import nothing.md", 1),
            Row("export plan.md --into plan.md", 1),
            Row("import todo.md --into broken.md", 1),
            Row("import todo.md -o picnic.md --report report.json"),
            Row("import todo.md --into picnic.md ; import todo.md --into picnic.md"),
            Row("import todo.md --into picnic.md ; start picnic.md 1 ; import todo.md --into picnic.md --report - "
                "--statuses source"),
            Row("import todo.md --into -", 0, "Goal: g\n## Steps\n1. [act] Bake bread\n"),
            Row("import tasks.json -o project.md"),
            Row("export plan.md --to checklist"),
            Row("export plan.md --to kiro --report lost.json"),
            Row("export broken.md --to kiro", 1),
            Row("export long.md --to checklist -o list"),
            Row("import todo.md --into picnic.md ; done picnic.md 2 so ; export picnic.md --into todo.md ; "
                "export picnic.md --into todo.md"),
        ],
    ),
    "hopspec": Table(
        {"good.md": ZH, "bad.md": ZH.replace("- 类型：LLM", "* 类型：LLM"), "loose.md": ZH.replace("：", ": "),
         "wrong.md": ZH.replace("- 类型：LLM", "- 类型：robot"), "done.md": "## Steps\n1. [x] [act] 做 | 好\n"},
        [
            Row("hopspec check bad.md", 1),
            Row("hopspec check bad.md --format json", 1),
            Row("hopspec check good.md --max-steps 1", 1),
            Row("hopspec check - ; hopspec check - --strict", 1, ZH.replace("sort_letters", "SortLetters")),
            Row("hopspec check - --info", 0, ZH.replace("- 核验：逆向\n", "")),
            Row("hopspec check --diff bad.md", 1),
            Row("hopspec check --fix bad.md"),
            Row("hopspec check --fix --max-findings 1 -", 0,
                ZH.replace("- 类型：LLM", "* 类型：LLM").replace("- 核验：逆向\n", "").replace("步骤2", "步骤3")),
            Row("hopspec fmt bad.md", 1),
            Row("hopspec fmt --check loose.md ; hopspec fmt loose.md ; hopspec fmt --check loose.md"),
            Row("hopspec to-plan -", 0, LOOP),
            Row("hopspec to-plan bad.md", 1),
            Row("hopspec to-plan wrong.md", 2),
            Row("hopspec from-plan done.md -o spec.md"),
            Row("hopspec from-plan --lang en done.md"),
            Row("hopspec from-plan broken.md", 1),
        ],
    ),
    "tools": Table(
        {"atoms/all.json": json.dumps(ATOMS), "good.json": json.dumps(GOOD),
         "bad.yaml": "target: Bread\nplan:\n  steps:\n  - id: weigh\n    target: Weigh it\n"
                     "    inputs: {item: '${b.outputs.x}'}\n    depends_on: [q, '0']\n"
                     "  - {id: fry, target: Fry it, inputs: {}}\n",
         "warned.json": json.dumps(document(weigh("a"))), "nothing.json": '{"target": 1, "plan": {"steps": []}}',
         "latin.json": b'{"target": "\xfc"}', "answer": f"Here:\n```json\n{json.dumps(document(weigh('a')))}\n```\n",
         "tools.json": json.dumps([{"name": "weigh", "inputSchema": {"type": "object", "properties": {"item": {}}}}]),
         "ill.json": json.dumps([{"name": "a\x1b[31m", "inputSchema": {"required": ["\x1b"]}}])},
        [
            Row("tools check good.json bad.yaml --atoms atoms", 1),
            Row("tools check bad.yaml good.json --atoms atoms --format github", 1),
            Row("tools check bad.yaml --atoms atoms --format result", 1),
            Row("tools check warned.json --atoms atoms --json"),
            Row("tools check warned.json --atoms atoms --strict", 1),
            Row("tools check latin.json nothing.json --atoms atoms", 1),
            Row("tools check - --atoms atoms/all.json", 1, "target: 1\n"),
            Row("tools check answer --atoms atoms", 1),
            Row("tools check answer --atoms atoms --tolerant --info"),
            Row("tools check warned.json --atoms tools.json"),
            Row("tools show good.json --atoms atoms"),
            Row("tools show warned.json --plan ; tools show warned.json --full"),
            Row("tools show bad.yaml"),
            Row("tools show nothing.json", 1),
            Row("tools show answer", 1),
            Row("tools check good.json --atoms ill.json", 2),
            Row("tools run good.json --atoms atoms --dry-run"),
            Row("tools run bad.yaml --atoms atoms --dry-run", 1),
        ],
    ),
    "planner": Table(
        {**PLANNED, "ended/thinking-context.json": '{"think": {"goal": "x", "plan": [1], "done": []}}'},
        [
            Row("planner check bad.json good.json", 1),
            Row("planner check bad.json good.json --json", 1),
            Row("planner check bad.json good.json --format github", 1),
            Row("planner check warned.json"),
            Row("planner check warned.json --strict", 1),
            Row("planner check good.json latin.json --phase execution", 1),
            Row("planner check nope.json warned.json", 2),
            Row("planner check good.json --executors tools.yaml"),
            Row("planner check fenced.json ; planner check fenced.json --tolerant --info"),
            Row("planner check good.json --context -", 1,
                json.dumps({"think": {"goal": "Bread", "plan": ["Bake"], "done": [FAILED]}})),
            Row("planner check good.json --context -", 1, AT_WORK),
            Row("planner check return.json --context -", 0, AT_WORK),
            Row("planner start Bake ; planner start Fry ; planner start Fry --overwrite --item Mix"),
            Row("planner start Bake --item Mix --item Heat --metric Crisp --max-depth 2 --state a/b"),
            Row("planner show --context -", 0, FOLDED),
            Row("planner show --context - --full", 0, FOLDED),
            Row("planner show --context - --plan", 0, FOLDED),
            Row("planner show --state ended", 2),
            Row("planner prompt --context - --answer return.json", 0, AT_WORK),
            Row("planner start Bake ; planner prompt --answer -", 1, "No idea."),
            Row("planner prompt --context -", 2, ENDED),
        ],
    ),
    "diff": Table(
        {"new.md": NEW, "old.md": OLD, "one.md": OLD.replace("6. ", "7. "),
         "all.md": OLD.replace(". [act]", "0. [act]"), "latin.md": b"Goal: caf\xe9\n"},
        [
            Row("diff plan.md sloppy.md ; diff plan.md sloppy.md --json"),
            Row("diff plan.md new.md", 1),
            Row("diff old.md one.md ; diff old.md all.md", 1),
            Row("diff old.md one.md --json", 1),
            Row("diff - old.md", 1, OLD.replace("step 6", "the last")),
            Row("diff plan.md broken.md", 2),
            Row("diff broken.md plan.md", 2),
            Row("diff --textconv sloppy.md ; diff --textconv broken.md ; diff --textconv latin.md"),
        ],
    ),
    "merge": Table(
        MERGED,
        [
            Row("merge base ours theirs"),
            Row("merge base ours base"),
            Row("merge base ours clash", 1),
            Row("merge base ours clash -L 12 -P 'a/\x1b[31mmoving.md' -X HEAD -Y '4ab1 (hire\na lorry\x1b[31m)'", 1),
            Row("merge base ours clash -X %X -Y %Y", 1),
            Row("merge none ours clash -X HEAD", 1),
            Row("merge base ours bad -L 9", 1),
            Row("merge bad ours theirs", 1),
            Row("merge base ours theirs -o new.md"),
            Row("merge base - theirs", 0, OURS),
        ],
    ),
    "run": Table(
        _bakery,
        [
            Row("run bakery.md --dry-run --input bread=x --inputs in.json"),
            Row(f"{OPERATE} ; {OPERATE} --resume", 1),
            Row(f"{OPERATE} --max-steps 1 ; run bakery.md --dry-run --resume", 0),
            Row(f"{OPERATE} --max-steps 1 ; {OPERATE} ; {OPERATE} --dry-run", 2),
            Row(f"{OPERATE} --require bread --require keys --inputs -", 1, '{"goods": 1}'),
            Row(f"{OPERATE} --subtask 4 --input bread=b"),
            Row(f"{OPERATE} --subtask 7", 2),
            Row(f"{OPERATE} --person buy", 2),
            Row("run bakery.md --dry-run --subtask 3 --input goods=1"),
            Row(f"{OPERATE} --require list"),
            Row("run broken.md --operator true", 1),
            Row("run plan.md --dry-run", 1),
        ],
    ),
    "log": Table(
        _ended,
        [
            Row("log bakery.md"),
            Row("log bakery.md --last 2"),
            Row("log bakery.md --runs ; log bakery.md --prune 1 ; log bakery.md --prune 0 ; log bakery.md --runs"),
            Row("stop bakery.md"),
        ],
    ),
    "planner run": Table(
        write_scripts,
        [
            Row("planner start Bake ; planner run --planner 'sh planner.sh' --executor 'sh executor.sh'"),
            Row("planner start Bake ; planner run --planner 'sh planner.sh' --executor false --max-failures 1 "
                "--max-refusals 0 ; planner run --planner true --executor true", 1),
            Row("planner start Bake ; planner run --planner 'echo x' --executor false --max-refusals 1 ; "
                "log .thinkon"),
            Row("planner start Bake ; planner run --planner 'sh planner.sh' --executor true --max-calls 1", 3),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_what_is_written(name: str, here: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion) -> None:
    files, rows = TABLES[name]
    told: list[str] = []
    for number, row in enumerate(rows):
        folder = here / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        write_files({"plan.md": PLAN, "sloppy.md": SLOPPY, "broken.md": BROKEN})
        if callable(files):
            files()
        else:
            write_files(files)
        before = _files()
        for line in row.line.split(" ; "):
            result = run(*shlex.split(line), stdin=row.stdin)
            told += [f"$ {visible(line)} → {result.exit_code}", *_compact(result.stdout).splitlines()]
            told += [f"! {one}".rstrip() for one in result.stderr.splitlines()]
        assert result.exit_code == row.code, told
        told += _changes(before, _files())
        # What is said of a finding is shown in full where it is checked.
        told = [_without_chance(one, folder) for one in told if name == "check" or not _ADVICE.match(one)]
    assert "\n".join(told) == snapshot


# The lines below the place of a finding.
_ADVICE = re.compile(r"(! )? *(\d+ \||\||(help|write|expected): )|(! ?)?$")


def _compact(text: str) -> str:
    """JSON in one line."""
    return json.dumps(json.loads(text), ensure_ascii=False) if text[:2] in ("{\n", "[\n") else text


def _files() -> dict[str, str]:
    return {
        str(path): path.read_bytes().decode(errors="backslashreplace")
        for path in sorted(Path().rglob("*"))
        if path.is_file() and path.suffix in (".md", ".json", ".toml") and path.parent.name != ".thinkon"
    }


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if old is None or new is None:
            yield f"{'new' if old is None else 'gone'}: {name}"
            if new not in (None, *before.values()):
                yield from _compact(new or "").splitlines()
        else:
            yield f"changed: {name}"
            rows = unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), n=0)
            yield from (visible(row.removesuffix("\n")) for row in list(rows)[2:] if row[0] != "@")


def _without_chance(shown: str, here: Path) -> str:
    shown = re.sub(r"\d+\.\d+ s\b", "SECONDS", plain(shown).replace(str(here), "HERE"))
    return re.sub(r'"(changed|time)": [\d.]+', r'"\1": TIME', shown)


NO_MODEL = f"--llm: {NO_KEY}"
NOT_THERE = "there is no plan `libary`, by name or as a file; did you mean `library`?"
ONCE = "Standard input can be read only once."
NO_DRAFT = "--template takes no description, and no other option but --language."
TAKEN = "planspec/library.md: there is a plan of this name; `planspec show library` shows it, --name {} makes another"
# What is told last of each call that cannot be understood or done. All end with 2, write nothing and leave all as it
# is. Where there are dots, something is left out: it is long, or differs between versions of click.
WRONG = {
    "check": "Missing argument 'FILE...'.",
    "check plan.md --format xml": "Invalid value for '--format': 'xml' is not one of … 'github'.",
    "check plan.md --nonsense": "No such option … --nonsense",
    "check missing.md": "missing.md: No such file or directory",
    "check ''": ": No such file or directory",
    "check plan.md/below": "plan.md/below: Not a directory",
    "check plan.md --ignore PS111": "--ignore: PS111: what has this error is not a plan, so it is always told",
    "check plan.md --ignore ps308": "--ignore: ps308: no code of a plan's findings is this, or begins with it",
    "check plan.md --json --format github": "--json is --format json, and not --format github.",
    "check --format json --fix -": "--format: standard output is for the difference, or the fixed plan.",
    "check --format json --diff plan.md": "--format: standard output is for the difference, or the fixed plan.",
    "fmt folder": "folder: no plans are in this folder (planspec/**/*.md, … such as folder/*.md",
    "fmt pipe": "pipe: this is not a file",
    "fmt twin.md": "twin.md: this file has 2 hard links, which a change would part; copy it first",
    "fmt plan.md --wait -1": "Invalid value for '--wait': -1.0 is not in the range x>=0.",
    "fmt plan.md --wait soon": "Invalid value for '--wait': 'soon' is not a valid float range.",
    "show": "Missing argument 'FILE'.",
    "show plan.md broken.md": "Got unexpected extra argument (broken.md)",
    "show .": ".: Is a directory",
    "show plan.md --expand 2.3": "step 2.3 does not exist. Did you mean '2.2'?",
    "show plan.md --collapse '[red]2[/red]'": "step [red]2[/red] does not exist.",
    "show plan.md --max-tokens 5": "max_tokens: 5 is too few: what is never left out takes 191",
    "show libary": NOT_THERE,
    "show -x": "No such option … -x",
    "json": "Missing argument 'FILE'.",
    "json missing.md": "missing.md: No such file or directory",
    "next plan.md --json --max-tokens 100": "--max-tokens bounds the text, and --json leaves nothing out.",
    "next plan.md --all --max-tokens 9": "--max-tokens bounds the view of one step, and --all and --why list several.",
    "focus plan.md 7": "step 7 does not exist.",
    "focus plan.md 2.11": "step 2.11 does not exist. Did you mean '2.1'?",
    "graph plan.md -o no/where": "no/where: No such file or directory",
    "graph plan.md -o .": ".: Is a directory",
    "graph plan.md -o ''": "--out: an empty name is not a file's; - is standard output",
    "view nowhere.md": "nowhere.md: No such file or directory",
    "view plan.md -o no/where": "no/where: No such file or directory",
    "view plan.md --run": "HERE/plan.md.ledger: there is no ledger here; a run makes it",
    "explain PS11o": "No such code 'PS11o'. Codes are two letters and three digits, … Did you mean 'PS311'?",
    "explain ps11": "No such code 'ps11'. … Did you mean 'PS110'?",
    "explain bad-idd": "No such code 'bad-idd'. Codes are two letters and three digits, … you mean 'bad-id'?",
    "done none.md 1": "none.md: No such file or directory",
    "done plan.md 1 2 3": "`2`, `3` are steps of this plan, and a call changes one … it behind --result.",
    "skip plan.md 1 2.1": "`2.1` is a step of this plan, and a call changes one step. … says more than that.",
    "block plan.md 1 2.1": "`2.1` is a step of this plan, and a call changes one step. … says more than that.",
    "done plan.md 1 no --result yes": "--result and TEXT both say what came of it.",
    "add plan.md Pay --at 4 --below 2": "--at and --below both say where it goes.",
    "add plan.md '' ' '": "TEXT is empty: it says what the step is to do.",
    "done plan.md 1 --output x=1": "--output: no run has begun for this plan: a run … --input NAME=TEXT`",
    "done plan.md 1 --branch 2": "--branch: no run has begun for this plan: `planspec skip` the other branches",
    "reopen plan.md": "Missing argument 'STEP...'.",
    "apply": "Missing argument 'FILE'.",
    "apply plan.md a b": "Got unexpected extra argument (b)",
    "apply - -": "The plan and the commands cannot both come from standard input.",
    "apply plan.md folder": "folder: Is a directory",
    "apply libary": NOT_THERE,
    "extract - --choose 0": "Invalid value for '--choose': '0' is not first, last or a number from 1",
    "extract - --choose best": "Invalid value for '--choose': 'best' is not first, last or a number from 1",
    "extract - --sign ⏳": "Invalid value for '--sign': '⏳' is not SIGN=STATUS with one of … blocked, skipped",
    "extract - --sign ⏳=busy": "Invalid value for '--sign': '⏳=busy' is not SIGN=STATUS … blocked, skipped",
    "extract plan.md -o no/such/folder.md": "no/such/folder.md: No such file or directory",
    "extract plan.md -o .": ".: Is a directory",
    "extract plan.md -o ''": "--out: an empty name is not a file's; - is standard output",
    "repair broken.md": "There is nothing to ask: give --llm MODEL or --planner CMD.",
    "repair broken.md --llm m --planner cat": "--llm and --planner exclude each other.",
    'repair broken.md --planner "\'"': "--planner: the command cannot be run: No closing quotation",
    "repair missing.md --planner cat": "missing.md: No such file or directory",
    "new": "Missing argument 'DESCRIPTION...'.",
    "new plan.md": "plan.md is the name of a file; the goal comes first, in words: … be done' --name plan",
    "new --template x": NO_DRAFT,
    "new --template --shared": NO_DRAFT,
    "new --template --llm m": NO_DRAFT,
    "new Library!": TAKEN.format("library_2"),
    "new library --constraint x": TAKEN.format("library_2"),
    "new library --planner true": TAKEN.format("library_2"),
    "new Any --name LIBRARY": TAKEN.format("LIBRARY_2"),
    "new '!?'": "no name can be made of this description: give one, with --name NAME",
    "new x --name ../x": "`../x` cannot be the name of a plan: it has a `/`",
    "new x --name '\x1b[2J'": "`\\x1b[2J` cannot be the name of a plan: it has the … which cannot be seen",
    "new ! --name x --constraint ' '": "a constraint is empty",
    "new ' ' --name x": "the description is empty",
    "new x --folder none": "none: No such file or directory",
    "new x --folder plan.md": "Invalid value for '--folder' (env var: … 'plan.md' is a file.",
    "new x --language de": "Invalid value for '--language': 'de' is not one of 'en', 'zh'.",
    "new x --llm m --planner true": "--llm and --planner exclude each other.",
    "new x --llm m": NO_MODEL,
    "new x --planner ''": "--planner: the command cannot be run: there is no program in the command",
    "new x --llm m --timeout 0": "Invalid value for '--timeout': 0.0 is not in the range x>0.",
    "list --folder leads": "leads/planspec: this leads out of the folder",
    "archive libary": NOT_THERE,
    "archive roof": "there is no plan `roof`, by name or as a file",
    "archive ../plan": "`../plan` cannot be the name of a plan: it has a `/`",
    "use library --none": "Give a NAME, with another one for --instead-of, or --none.",
    "use --instead-of library": "Give a NAME, with another one for --instead-of, or --none.",
    "use library --instead-of library": "Give a NAME, with another one for --instead-of, or --none.",
    "use missing": "there is no plan `missing`, by name or as a file",
    "import nowhere.md": "nowhere.md: No such file or directory",
    "import folder": "folder: Is a directory",
    "import todo.md --from trello": "Invalid value for '--from': 'trello' is not one of … 'beads'.",
    "import todo.md -o picnic.md --into picnic.md": "--into and --out exclude each other.",
    "import todo.md -o todo.md": "--out names the file that is read: write to another one.",
    "import - --into -": ONCE,
    "export plan.md": "Missing option '--to'",
    "export plan.md --into todo.md -o x.md": "--into and --out exclude each other.",
    "export - --into -": ONCE,
    "export plan.md --to kiro -o plan.md": "--out names the file that is read: write to another one.",
    "diff plan.md": "Two files are compared.",
    "diff plan.md plan.md plan.md": "Two files are compared.",
    "diff - -": ONCE,
    "diff plan.md none.md": "none.md: No such file or directory",
    "diff --textconv plan.md plan.md": "--textconv takes one file.",
    "merge none plan.md plan.md": "none: No such file or directory",
    "merge plan.md plan.md plan.md -o no/new.md": "no/new.md: No such file or directory",
    "merge plan.md plan.md plan.md -o folder": "folder: Is a directory",
    "merge - - plan.md": ONCE,
    "grammar export --target bnf": "Invalid value for '--target': 'bnf' is not one of … Did you mean 'gbnf'?",
    "grammar export --target lark --types 'act,\x1b[31m'": "types: '\\x1b[31m' is not … act, decide, subtask",
    "grammar export --target lark --depth 0": "depth: 0 is not between 1 and 50",
    "grammar export --target lark --out ''": "--out: an empty name is not a file's; - is standard output",
    "grammar export --target lark -o no/x": "no/x: No such file or directory",
    "grammar show plansepc": "Invalid value for 'LANGUAGE': 'plansepc' is not one of … mean 'planspec'?",
    "hopspec check - -": ONCE,
    "hopspec check none.md": "none.md: No such file or directory",
    "tools check plan.json --atoms q": "q: No such file or directory",
    "tools check q.json --atoms atoms.json": "q.json: No such file or directory",
    "tools check folder --atoms atoms.json": "folder: Is a directory",
    "tools check plan.json --atoms plan.md": "these are not atoms",
    "tools check - - --atoms atoms.json": ONCE,
    "tools check plan.json": "Missing option '--atoms'.",
    "tools run - --atoms atoms.json --resume": "--resume needs a file to keep a ledger beside.",
    "planner check nope.json": "nope.json: No such file or directory",
    "planner check folder": "folder: Is a directory",
    "planner check good.json --context good.json": "good.json: this is not a context",
    "planner check good.json --executors good.json": "good.json: these are not executors",
    "planner prompt --strategy latin": "latin: this is not a strategy",
    "planner prompt --context - --answer -": ONCE,
    "planner prompt": ".thinkon/thinking-context.json: there is no plan here yet",
    "planner show --state good.json": "good.json/thinking-context.json: Not a directory",
    "planner show --state ''": "--state: an empty name is not a folder's",
    "planner show --context latin": "latin: this is not a context",
    "planner start x --state good.json/x": "good.json/x: Not a directory",
    "planner start ' '": "goal: it is empty",
    "planner start x --item ''": "plan: an item is empty",
    "planner start x --max-depth 33": "max_depth: 33 is not between 1 and 32",
    "planner run --planner sh": "There is no executor: give --executor CMD or --llm MODEL.",
    'planner run --planner sh --executor "\'"': "--executor: the command cannot be run: No closing quotation",
    "planner run --planner sh --executor 'cat && true'": "--executor: no shell runs … sh -c 'cat && true'",
    "planner run --planner no-such-program --executor sh": "--planner: `no-such-program` … is no such program",
    "planner run --planner sh --executor ./plan.md": "--executor: `./plan.md` cannot be … an executable file",
    "planner run --planner sh --executor sh --timeout nan": "--timeout: nan is out of range",
    "planner run --planner sh --executor sh --executors nope": "nope: No such file or directory",
    "run plan.md": "The steps need an operator: give --operator CMD or --llm MODEL.",
    "run - --operator true": "A run needs a file that it can write to.",
    "run folder --operator true": "folder: Is a directory",
    "run loop --operator true": "loop: Too many levels of symbolic links",
    "run plan.md --operator ''": "--operator: the command cannot be run: there is no program in the command",
    "run plan.md --operator 'cat x | sh'": "--operator: no shell runs this, so `|` would … sh -c 'cat x | sh'",
    "run plan.md --operator no-such-program": "--operator: `no-such-program` cannot be run: there is no such program",
    "run plan.md --operator true --planner ./plan.md": "--planner: `./plan.md` cannot be … an executable file",
    "run plan.md --operator true --timeout nan": "--timeout: nan is out of range",
    "run plan.md --operator true --max-seconds nan": "--max-seconds: nan is not above 0",
    "run plan.md --operator true --max-rounds 0": "Invalid value for '--max-rounds': 0 is not in the range x>=1.",
    "run plan.md --operator true --input =x": "--input: expected NAME=TEXT, not '=x'",
    "run plan.md --operator true --inputs nope": "nope: No such file or directory",
    "run plan.md --operator true --inputs latin": "latin: --inputs takes a JSON object",
    "run plan.md --operator true --inputs plan.md": "plan.md: --inputs takes a JSON object",
    "run plan.md --operator true --resume --new-run": "--resume and --new-run exclude each other.",
    "run plan.md --operator true --keep --rerun-edited": "--rerun-edited and --keep exclude each other.",
    "run twin.md --operator true": "twin.md: this file has 2 hard links, which a change would part; copy it first",
    "run plan.md --llm m": NO_MODEL,
    "log": "Give FILE, or --database.",
    "stop": "Give FILE, or --database and --run.",
    "stop --run r": "Give FILE, or --database.",
    "log -": "A ledger is a file beside the plan's file.",
    "log /": "/: is not a file",
    "log loop": "loop: cannot be read",
    "log plan.md": "HERE/plan.md.ledger: there is no ledger here; a run makes it",
    "log plan.md --last 0": "Invalid value for '--last': 0 is not in the range x>=1.",
    "log plan.md --runs --run x": "--run and --runs exclude each other.",
    "log plan.md --summary --last 2": "--summary goes neither with --runs nor with --last.",
    "log plan.md --prune 0 --summary": "--prune goes with no other choice of records or runs.",
    "log plan.md --prune 0": "HERE/plan.md.ledger: there is no ledger here; a run makes it",
    "log plan.md --prices nope.json": "--prices goes with --summary only.",
    "stop plan.md": "HERE/plan.md.ledger: there is no ledger here; a run makes it",
    "bulk - --out out": "Standard input cannot be taken up again after a break: name files.",
    "bogus": "No such command 'bogus'. Did you mean 'focus'?",
    "chek plan.md": "No such command 'chek'. Did you mean 'check'?",
    "serve": "No such command 'serve'.",
    "finish": "No such command 'finish'.",
    "open": "No such command 'open'.",
    "ls": "No such command 'ls'. Did you mean 'list'?",
    "format": "No such command 'format'. Did you mean 'fmt --diff'?",
    "lint": "No such command 'lint'. Did you mean 'check'?",
    "fix": "No such command 'fix'. Did you mean 'check --fix --diff'?",
    "render": "No such command 'render'. Did you mean 'view'?",
    "status": "No such command 'status'. Did you mean 'show'?",
    "planner validate": "No such command 'validate'. Did you mean 'check'?",
    "grammar lint": "No such command 'lint'.",
    "hopspec to-plam x": "No such command 'to-plam'. Did you mean 'to-plan'?",
    "help chek": "No such command 'chek'. Did you mean 'check'?",
    "version": "No such command 'version'. Did you mean '--version'?",
    "plan.md": "No such command 'plan.md'. What is to be done with this file stands in … as: planspec show",
    "check --strit plan.md": "No such option … --strit … --strict",
    "--vresion": "No such option … --vresion … --version",
}


@pytest.mark.parametrize(("line", "said"), WRONG.items(), ids=WRONG)
def test_a_wrong_call(line: str, said: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("PLANSPEC_DATABASE", raising=False)
    write_files({
        "planspec/library.md": PLAN, "Tasks/roof/plan.md": FINISHED, "good.json": message(), "latin": b"\xff",
        "plan.json": json.dumps(GOOD), "atoms.json": json.dumps(ATOMS), "todo.md": LIST, "folder/x": "",
        "leads/x": "",
    })  # fmt: skip
    Path("leads/planspec").symlink_to(here / "folder")
    Path("loop").symlink_to("loop")
    os.link("sloppy.md", "twin.md")
    os.mkfifo("pipe")
    before = sorted(Path().rglob("*")), _files()
    result = run(*shlex.split(line), stdin="{}")
    assert (result.exit_code, result.stdout) == (2, "")
    last = result.stderr.splitlines()[-1].replace(str(here), "HERE").removeprefix("Error: ")
    first, *others = said.split(" … ")
    assert last.startswith(first) if others or "option" in first else last == first
    assert all(other in last for other in others)
    assert (sorted(Path().rglob("*")), _files()) == before
