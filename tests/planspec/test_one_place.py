"""A field of a step and a type of step are each said in one place, and everything follows.

Each test changes one line of a copy of the package (and what syntax needs in a copy of the grammar), and looks at what
became of it from outside.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import ROOT

MODELS = "planspec_lark/planspec/models.py"

FIELD = '    owner: str = _text(_NAME, "owner", "OWNER", 10, sign="@")\n'
TOKEN = "// Who does it.\nOWNER.2: /[ \\t]+@/ WORD\n"
TOKENS_BELOW = "// An identifier:"
BEHIND_RESULT = '    result: str = _text(Text(), "result", "RESULT", 8, is_state=True)\n'
SEE_THE_FIELD = """
import copy
import planspec_lark
from planspec_lark import *
from planspec_lark.planspec import plan_from_dict, plan_to_dict
from planspec_lark.cli.steps import add_command
from planspec_lark.diff import diff_plans, merge_plans
from planspec_lark.diff.render import show_diff
from planspec_lark.html import render_page
from planspec_lark.mcp_server.plan_actions import perform_actions
from planspec_lark.mcp_server.tool_models import Action
from planspec_lark.planspec import draw_plan, next_step_view
from planspec_lark.planspec.models import hash_of
from planspec_lark.planspec.render import show_plan
assert planspec_lark.__file__.startswith({root!r})

def plan(owner, text="Buy the seeds"):
    return PlanSpec("t", "g", steps=[PlanStep("1", step_type="act", description=text, owner=owner)])

def refuses(value):
    try:
        plan_from_dict({{"steps": [{{"step_id": "1", "owner": value}}]}})
    except PlanValueError as error:
        return error.problems
    return []

# The model: compared, copied, hashed, refused.
one, other = plan("ann"), plan("bob")
assert one != other and one == plan("ann") == copy.deepcopy(one)
assert hash_of(one.steps[0]) != hash_of(other.steps[0])
assert refuses("a b") == ["'a b' is not a name (letters, digits, `_` and `-`) @ $.steps[0].owner"], refuses("a b")
assert refuses(1) == ["expected a string, not a whole number @ $.steps[0].owner"]
# JSON and its schema.
assert plan_to_dict(one)["steps"][0]["owner"] == "ann"
assert plan_from_json(plan_to_json(one)) == one
assert "owner" in plan_json_schema()["$defs"]["step"]["properties"]
# Texts: printed and read by both readers, in its place or not there.
TEXT = "# Plan: t\\nGoal: g\\n## Steps\\n1. [>] [act] @ann Buy the seeds → seeds | none left\\n"
read = parse_plan(TEXT)
assert (read.steps[0].owner, read.steps[0].description) == ("ann", "Buy the seeds")
assert serialize_plan(one) == TEXT.replace("[>] ", "").partition(" →")[0] + "\\n"
for text in (TEXT, TEXT.replace("@ann ", ""), TEXT.replace("@ann", "@ ann")):
    assert parse_plan(text) == parse_plan(text, accelerate=False) == scan_plan(text).plan
    assert serialize_plan(parse_plan(text)) == text
assert parse_plan("## Steps\\n1. [act] Buy").steps[0].owner == ""
# Places, and edits of the text.
[span] = scan_plan(TEXT).positions.step("1").fields["owner"]
assert TEXT.splitlines()[3][span.column - 1 : span.end_column - 1] == "ann"
document = PlanDocument.from_text(TEXT.replace(" |", "  |"))
document.apply(parse_plan_commands("PLAN_CMD: DONE 1 | Sown"))
assert document.text.splitlines()[3] == "1. [x] [act] @ann Buy the seeds → seeds | Sown", document.text
document.apply(parse_plan_commands("PLAN_CMD: REVISE 1 [act] Sell"))
assert document.text.splitlines()[3] == "1. [act] Sell", document.text
document.apply(parse_plan_commands("PLAN_CMD: REVISE 1 [act] @eve Sow → rows"))
assert document.text.splitlines()[3] == "1. [act] @eve Sow → rows", document.text
document.add("2", "act", "@bob waters", owner="ann")
document.revise("1", owner="")
assert document.text.splitlines()[3:] == ["1. [act] Sow → rows", r"2. [act] @ann \\@bob waters"], document.text
# A description that looks like one is none.
for text in ("@ann Buy", r"\\@ann Buy", r"\\\\@ann", "@ann", "@ ann", "@ann: Buy → x", "@ann → x", "@ann a | b"):
    for owner in ("", "bob"):
        printed = serialize_plan(plan(owner, text))
        assert parse_plan(printed) == plan(owner, text) == parse_plan(printed, accelerate=False), printed
        assert scan_plan(printed).plan == plan(owner, text) and serialize_plan(parse_plan(printed)) == printed
        document = PlanDocument.from_text(serialize_plan(plan("eve")))
        document.revise("1", owner=owner, description=text)
        assert document.plan == plan(owner, text), document.text
# Differences and merges.
[change] = diff_plans(one, other).steps
assert [(found.name, found.old, found.new) for found in change.fields] == [("owner", "ann", "bob")], change
merged = merge_plans(one, other, plan("ann", "Buy the seeds now"))
assert merged.plan == plan("bob", "Buy the seeds now") and not merged.conflicts
assert [found.names for found in merge_plans(one, other, plan("eve")).conflicts] == [("owner",)]
# Views and commands.
assert next_step_view(one).to_dict()["step"]["owner"] == "ann"
def shown(lines):
    return "".join(piece.text for line in lines for piece in line)

assert "@ann Buy the seeds" in shown(show_plan(one))
assert "ann Buy the seeds" in draw_plan(one) and "@ann Buy the seeds" in render_page(one)
assert "@ann Buy the seeds" in shown(show_diff(diff_plans(PlanSpec("t", "g"), one)))
apply_commands(one, parse_plan_commands("PLAN_CMD: REVISE 1 [act] Sell"))
assert one == plan("", "Sell")
LINES = [("@eve Sow", "eve", "Sow"), ("@eve", "eve", ""), (r"\\@eve Sow", "", "@eve Sow"), ("@eve: x", "", "@eve: x")]
for line, owner, text in LINES:
    assert apply_commands(one, parse_plan_commands(f"PLAN_CMD: REVISE 1 [act] {{line}}")) == []
    assert one == plan(owner, text), one
assert apply_commands(one, parse_plan_commands("PLAN_CMD: ADD 2 [act] @eve Dig → bed")) == []
assert (one.steps[1].owner, one.steps[1].description, one.steps[1].outputs) == ("eve", "Dig", ["bed"])
# Agents and the command line.
document = PlanDocument.from_text(TEXT)
[done] = perform_actions(document, [Action(do="add", text="Water", owner="eve")])
assert document.text.splitlines()[4] == "2. [act] @eve Water", (done, document.text)
assert document.text.splitlines()[4] == "2. [act] @eve Water", done
assert "owner" in Action.model_json_schema()["properties"]
assert any("--owner" in option.opts for option in add_command.params)
"""

STEP_TYPE = '    "wait": StepType({"pause": "description"}, is_container=True),\n'
DIALECT = "grammar/planspec_dialect.lark"
WORDS = "// Words for `wait`.\nWAIT_WORD: /(?i:wait|sleep)(?![\\w-])/\n"
WORDS_BELOW = "// Words for `reason`.\n"
BEHIND_SUBTASK = 'meaning_zh="由里面的几个步骤合成",\n    ),\n'
SEE_THE_TYPE = """
import planspec_lark
from planspec_lark import *
from planspec_lark.constrained import export_grammar
from planspec_lark.engine import request_generation, request_replan
from planspec_lark.hopspec import plan_to_steps, steps_to_plan
from planspec_lark.mcp_server.tool_models import Action
from planspec_lark.planspec import replace_children
from planspec_lark.planspec.render import show_plan
assert planspec_lark.__file__.startswith({root!r})

TEXT = "# Plan: t\\nGoal: g\\n## Steps\\n1. [wait] Wait\\n  1.1. [act] Look → x\\n"
plan = parse_plan(TEXT)
assert serialize_plan(plan) == TEXT and validate_plan(plan) == []
assert plan_from_json(plan_to_json(plan)) == plan
# The rules: it may have steps below it, needs them, and is meant where it is misspelt.
[found] = [found for found in check_text(TEXT.replace("[wait]", "[waits]")) if found.code == "PS202"]
assert found.help == "did you mean `[wait]`? the types are `[reason]`, `[act]`, `[decide]`, `[subtask]` and `[wait]`"
assert found.replacement == "[wait]"
[found] = [found for found in check_text(TEXT.replace("[wait]", "[act]")) if found.code == "PS204"]
assert found.help == "only `[wait]`, `[subtask]` and `[decide]` have steps below them"
assert [found.code for found in check_text(TEXT[:-24]) if found.code == "PS206"] == ["PS206"]
# The dialect: its words, and its name in front of a colon.
for line in ("1. [Sleep] Wait", "1. wait: Wait"):
    tolerant = extract_plan(TEXT.replace("1. [wait] Wait", line))
    assert (tolerant.text, tolerant.risk.value) == (TEXT, "low"), (line, tolerant.holds)
# Commands, folds and views.
added = apply_commands(plan, parse_plan_commands("PLAN_CMD: ADD 2 [wait] Wait again"))
assert plan.steps[1].step_type == "wait", added
assert replace_children(plan, "2", [PlanStep("2.1", step_type="act", description="Look")]) == ""
counts = "".join(piece.text for line in show_plan(plan) for piece in line)
assert "wait: 2" in counts
# Other languages, and grammars for generation.
assert plan_to_steps(parse_plan(TEXT))[0].step_type == "pause"
assert steps_to_plan(plan_to_steps(parse_plan(TEXT))).steps[0].step_type == "wait"
assert {{"wait"}} < {{*Action.model_json_schema()["properties"]["type"]["enum"]}}
for language in ("en", "zh"):
    assert request_generation("Wait", language=language).prompt.count("`[wait]`") == 2
    assert "[wait]" in request_replan("Goal: g", commands=["ADD"], language=language).prompt
    faulty = TEXT.replace("[wait]", "[waits]")
    [asked] = repair_plan(faulty, lambda _: "", rounds=1, language=language).rounds
    assert "or `[wait]`" in asked.prompt or language == "zh"
    # Among all types, and among those with steps below them.
    assert asked.prompt.rpartition("\\n## ")[0].count("`[wait]`") == 2
assert "[wait]" in export_grammar("lark") and "[wait]" not in export_grammar("lark", types=["act", "subtask"])
"""


def change(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, old)
    (root / path).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in ("planspec_lark", "grammar"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
    return tmp_path


def look(root: Path, script: str) -> str:
    """What is wrong, as the script sees it."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    code = script.format(root=str(root))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    return done.stderr


def add_field(root: Path) -> None:
    change(root, MODELS, BEHIND_RESULT, BEHIND_RESULT + FIELD)
    change(root, "grammar/planspec.lark", "TYPE [DESCRIPTION]", "TYPE [OWNER] [DESCRIPTION]")
    change(root, "grammar/planspec.lark", TOKENS_BELOW, TOKEN + TOKENS_BELOW)


def test_a_field_of_a_step(copied: Path) -> None:
    add_field(copied)
    assert look(copied, SEE_THE_FIELD) == ""


@pytest.mark.parametrize(
    ("path", "derived", "by_hand"),
    [
        (MODELS, "_OWN = attrgetter(*STEP_FIELDS)", '_OWN = attrgetter("description")'),
        ("planspec_lark/planspec/builder.py", "*(STEP_FIELDS[name].token for name in WORDS),", "*(),"),
        (
            "planspec_lark/planspec/escapes.py",
            "+ text if WORDS and _word_place().match(text) else text",
            "+ text if 0 else text",
        ),
        ("planspec_lark/planspec/render.py", "else task_text(step)", "else step.description"),
        ("planspec_lark/mcp_server/tool_models.py", "dict.fromkeys(WORDS, ", "dict.fromkeys((), "),
        ("planspec_lark/mcp_server/tool_models.py", '"detail", *WORDS)', '"detail")'),
        ("planspec_lark/planspec/positions.py", "for token in SUMMARY\n", 'for token in ["STEP_ID"]\n'),
    ],
)
def test_a_list_of_fields_made_by_hand_is_found(copied: Path, path: str, derived: str, by_hand: str) -> None:
    add_field(copied)
    change(copied, path, derived, by_hand)
    assert "Error" in look(copied, SEE_THE_FIELD)


def add_type(root: Path) -> None:
    change(root, MODELS, BEHIND_SUBTASK, BEHIND_SUBTASK + STEP_TYPE)
    change(root, "grammar/planspec_fresh.lark", 'CONTAINER: "[decide]"', 'CONTAINER: "[wait]" | "[decide]"')
    # Its words, as the dialect has them for every type.
    change(root, DIALECT, "TYPE_WORD: ACT_WORD | ", "TYPE_WORD: WAIT_WORD | ACT_WORD | ")
    change(root, DIALECT, "type_word: ACT_WORD | ", "type_word: WAIT_WORD | ACT_WORD | ")
    change(root, DIALECT, WORDS_BELOW, WORDS + WORDS_BELOW)
    change(root, DIALECT, "TYPE_NAME: /(?i:reason|", "TYPE_NAME: /(?i:wait|reason|")


def test_a_type_of_step(copied: Path) -> None:
    add_type(copied)
    assert look(copied, SEE_THE_TYPE) == ""


@pytest.mark.parametrize(
    ("path", "derived", "by_hand"),
    [
        ("planspec_lark/mcp_server/tool_models.py", "Literal[*STEP_TYPES]", 'Literal["act", "reason"]'),
        ("planspec_lark/planspec/templates/format.en.md", "$meanings", "`[act]`"),
        ("planspec_lark/answers/templates/repair.en.md", "$types", "`[act]`"),
        ("planspec_lark/engine/templates/commands.zh.md", "必须是 $container", "必须是 `[subtask]`"),
    ],
)
def test_a_list_of_types_made_by_hand_is_found(copied: Path, path: str, derived: str, by_hand: str) -> None:
    add_type(copied)
    change(copied, path, derived, by_hand)
    assert "AssertionError" in look(copied, SEE_THE_TYPE)


def test_a_type_that_is_not_in_the_table_is_found(copied: Path) -> None:
    change(copied, "grammar/planspec_fresh.lark", 'CONTAINER: "[decide]"', 'CONTAINER: "[wait]" | "[decide]"')
    assert "AssertionError" in look(copied, SEE_THE_TYPE)
