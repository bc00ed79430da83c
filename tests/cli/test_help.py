"""What commands say of themselves: the help of all of them, examples that work, and words that are almost right."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import click
import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark.cli.app import cli
from planspec_lark.cli.help import Command, Group, did_you_mean
from tests.cases import in_one_test
from tests.cli.running import PLAN, STEERING, call, environment, on_terminal, run

_WIDEST = 79


def _commands(group: click.Group, *lead: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*lead, name), command
        if isinstance(command, click.Group):
            yield from _commands(command, *lead, name)


ALL = dict(_commands(cli))
COMMANDS = {" ".join(words): command for words, command in ALL.items() if isinstance(command, Command)}
GROUPS = {"": cli, **{" ".join(words): command for words, command in ALL.items() if isinstance(command, Group)}}
# Each command line with the command that its help belongs to.
EXAMPLES = [(name, line) for name, one in COMMANDS.items() for line in one.examples]
EXAMPLES += [(name, line) for name, group in GROUPS.items() for line in group.examples]


def _help(name: str) -> str:
    """The help of a command on a terminal of 80 columns."""
    context = click.Context(cli, info_name="planspec", terminal_width=_WIDEST - 1, **cli.context_settings)
    command: click.Command = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(context, word)
        assert found is not None
        command, context = found, click.Context(found, context, word, **found.context_settings)
    return command.get_help(context)


# ---------------------------------------------------------------- all commands


def test_every_command_is_of_one_kind() -> None:
    assert [words for words, one in ALL.items() if not isinstance(one, Command | Group)] == []
    assert len(COMMANDS) > 50


@in_one_test
@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_lines_are_short_and_plain(name: str) -> None:
    said = _help(name)
    assert [line for line in said.splitlines() if len(line) > _WIDEST] == []
    assert said.isascii()
    assert not STEERING.search(said)


@pytest.mark.parametrize("name", ["", "planner", "done"])
def test_the_whole(name: str, snapshot: SnapshotAssertion) -> None:
    assert _help(name) == snapshot


@in_one_test
@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_the_first_paragraph_is_one_sentence(name: str) -> None:
    first = _help(name).split("\n\n")[1].strip()
    assert first.endswith(".")
    assert "\n" not in first
    # A full stop or a semicolon inside of it would begin a second one.
    assert "; " not in first
    assert ". " not in first


@pytest.mark.parametrize("name", GROUPS)
def test_what_commands_do_fits_into_a_line(name: str) -> None:
    group, said = GROUPS[name], _help(name)
    assert isinstance(group, Group)
    for heading, names in group.sections.items():
        _, _, rest = said.partition(f"\n{heading}:\n")
        rows = rest.partition("\n\n")[0].splitlines()
        assert [row.split()[0] for row in rows] == [*names]
        assert [row for row in rows if row.endswith("...")] == []


def test_the_list_of_commands_says_what_their_help_says() -> None:
    context = click.Context(cli)
    assert isinstance(cli, Group)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(200) == cli.summary(context, name)


@in_one_test
@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_is_read_and_written_and_how_it_ends(name: str) -> None:
    command, said = COMMANDS[name], _help(name)
    assert "\nReads and writes:\n" in said
    _, _, exits = said.partition("\nExit codes:\n")
    codes = [int(line.split()[0]) for line in exits.splitlines() if line[2].isdigit()]
    assert codes == [*command.exits]
    assert {0, 2} <= {*codes}
    _, _, files = said.partition("\nReads and writes:\n")
    for param in command.params:
        if isinstance(param, click.Argument):
            words = (param.metavar or param.human_readable_name).strip("[].").replace("]...", "")
            for word in words.replace("...", "").split("|"):
                assert f"\n  {word}" in f"\n{files}", word


@in_one_test
@pytest.mark.parametrize("name", COMMANDS)
def test_options_show_what_they_are_by_default(name: str) -> None:
    said = " ".join(_help(name).split())
    for param in COMMANDS[name].params:
        if not isinstance(param, click.Option):
            continue
        assert param.help, param.name
        assert param.help.endswith((".", ")")), param.help
        default = None if param.required else param.get_default(click.Context(COMMANDS[name]), call=False)
        # click before 8.3 has None, and later a sentinel, where there is none.
        if isinstance(default, str | int | float) and not isinstance(default, bool) and default != "":
            shown = param.show_default if isinstance(param.show_default, str) else f"[default: {default}"
            assert shown in said, param.name
        assert "by default" not in param.help.lower(), param.help
    assert '[default: ""' not in said


@in_one_test
@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_whether_a_shell_runs_a_command_line(name: str) -> None:
    said = " ".join(_help(name).split())
    takes_one = any(param.metavar == "CMD" for param in COMMANDS[name].params)
    assert takes_one == bool(re.search(r"\bCMD\b", said))
    if takes_one:
        assert "split into words" in said
        assert "shell" in said


# ---------------------------------------------------------------- examples


ROOT = Path(__file__).parents[2]
RUNNABLE = """\
# Plan: Move the library
Goal: All books stand in the new house
## Steps
1. [act] Label the shelves → labels
2. [subtask] Move the books
  > ← labels
  2.1. [act] Hire a lorry
  2.2. [act] Drive
3. [act] Paint the old shelves
"""
BAKERY = "# Plan: Bakery\nGoal: Open at six\n## Steps\n1. [act] Light the oven → heat\n2. [act] Bake\n  > ← heat\n"
FAULTY = "Goal: Open the bakery\n## Steps\n1. [act] Order the gas\n2. Bake\n"
REPAIRED = "LINE 4: 2. [act] Bake the bread → bread"
ATOMS = '{"weigh": {"inputs": {"item": {"type": "string"}}, "outputs": {"grams": "integer"}}}'
BREAD = '{"target": "Bread", "plan": {"steps": [{"id": "weigh", "target": "Weigh it", "inputs": {"item": "rye"}}]}}'
MESSAGE = """\
{"type": "plan-next", "plan_type": "PLAN_STEPS", "success_signal": "The loaf sounds hollow", "new_block":
  {"goal": "Open at six", "plan": ["Order gas", "Light the oven", "Bake the loaf"], "done": []}}
"""
PLANNER = f"""\
#!/bin/sh
item=$(sed -n '/"plan": \\[/ {{ n; s/^ *//; s/,$//; p; q; }}')
if [ "$PLANSPEC_REVISION" = 0 ]; then
  cat <<'EOF'
{MESSAGE}EOF
else
  more='"executor_call": {{"command": "shell: note", "inputs": {{}}, "expected_observations": ["a line"]}}'
  echo '{{"type": "plan-next", "plan_type": "EXECUTE", "new_block":' \
    "{{\\"goal\\": $item, \\"plan\\": [], \\"done\\": []}}, $more}}"
fi
"""
# It answers the engine and the planner's runtime, each in its own way.
WORKER = """\
#!/bin/sh
if grep -q '"goal": .*' && [ -n "$PLANSPEC_REVISION" ]; then
  echo '{"type": "plan-return", "result": "done", "status": "done"}'
else
  echo '{"status": "OK", "result": "done", "outputs": {"labels": 1, "heat": 1}}'
fi
"""

# Where an example ends with another code than 0, since there is something to report.
CODES = {
    "planspec diff old.md new.md": 1,
    "planspec diff old.md new.md --json": 1,
    "planspec planner prompt --answer answer.txt": 1,
}
# What has to be done before an example, by how it begins; the longest beginning counts.
BEFORE = {
    "planspec done plan.md 4": [
        "planspec add plan.md 'By which way?' --type decide",
        "planspec add plan.md 'Take the lorry' --below 4",
        "planspec run plan.md --operator ./work.sh --max-steps 1",
    ],
    "planspec done plan.md 1 'all of them' --output": ["planspec run plan.md --operator ./work.sh --max-steps 1"],
    "planspec log": ["planspec run plan.md --operator ./work.sh"],
    "planspec stop": ["planspec run plan.md --operator ./work.sh"],
    "planspec view plan.md --run": ["planspec run plan.md --operator ./work.sh"],
    "planspec planner": ["planspec planner start 'Open at six'"],
    "planspec planner start": [],
    "planspec run plan.md --operator './work.sh' --resume": ["planspec run plan.md --operator ./work.sh --max-steps 1"],
    "planspec init --remove": ["planspec init --agent claude"],
    "planspec new 'Open the bakery at six' --name bakery": ["planspec archive bakery --force"],
    "planspec archive bakery": ["planspec skip bakery 1", "planspec skip bakery 2"],
}
# These need a language model, or continue until they are ended.
NOT_RUN = ("--llm", "--watch", "planspec lsp", "planspec mcp")


@pytest.fixture
def world(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the examples name."""
    document = (ROOT / "fixtures/hopspec/valid/en_one_step.md").read_text(encoding="utf-8")
    files = {
        "plan.md": RUNNABLE,
        "broken.md": FAULTY,
        "old.md": PLAN,
        "new.md": PLAN.replace("212", "213"),
        "base.md": PLAN,
        "ours.md": PLAN.replace("212", "213"),
        "theirs.md": PLAN.replace("Two colours", "Three colours"),
        "planspec/bakery.md": BAKERY,
        "planspec/old_bakery.md": BAKERY,
        "answer.md": f"Here is the plan:\n\n```\n{PLAN}```\n",
        "answer.txt": 'Done: {"type": "plan-return", "result": "done", "status": "done"}\n',
        "lines.txt": REPAIRED,
        "commands.txt": "PLAN_CMD: DONE 2.2 | by the shelf\n",
        "tasks.md": "# Picnic\n\n- [x] Bake bread\n- [ ] Pack the basket\n",
        ".kiro/specs/login/tasks.md": "# Implementation Plan\n\n- [ ] 1. Write the form\n  - _Requirements: 1.1_\n",
        "document.md": document,
        "message.json": MESSAGE,
        "answers.jsonl": '{"key": "a1", "text": "x", "answer": "x"}\n',
        "atoms.json": ATOMS,
        "bread.json": BREAD,
        "weigher.py": "def weigh(item):\n    return {'grams': len(item)}\n",
        "weigher-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: weigher\nVersion: 1\n",
        "weigher-1.dist-info/entry_points.txt": "[planspec_lark.atoms]\nweigh = weigher:weigh\n",
        "CLAUDE.md": "",
        "ask-model.sh": f"#!/bin/sh\ncat > prompt.txt\necho '{REPAIRED}'\n",
        "fix.sh": f"#!/bin/sh\ncat > prompt.txt\necho '{REPAIRED}'\n",
        "draft.sh": f"#!/bin/sh\ncat > prompt.txt\ncat <<'EOF'\n{PLAN}EOF\n",
        "work.sh": WORKER,
        "plan.sh": PLANNER,
    }
    for name, text in files.items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    # The package with the tool that a plan calls is in the folder.
    monkeypatch.syspath_prepend(here)
    return here


def _run(line: str) -> click.testing.Result:
    """Run an example; what is piped into its last call comes from the calls in front of it."""
    *before, last = line.split(" | ")
    stdin = ""
    for part in before:
        if part.startswith("planspec "):
            stdin = run(*shlex.split(part)[1:]).stdout
        else:
            done = subprocess.run(
                ["sh", "-c", part], input=stdin, capture_output=True, text=True, timeout=60, check=True
            )
            stdin = done.stdout
    words = [found for word in shlex.split(last) for found in (sorted(glob(word)) if "*" in word else [word])]
    return run(*words[1:], stdin=stdin)


@in_one_test
@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_has_options_that_there_are(name: str, line: str) -> None:
    assert f"\n  {line}\n" in _help(name)
    calls = [part for part in line.split(" | ") if part.startswith("planspec ")]
    assert any(one.startswith(f"planspec {name}") for one in calls)
    for one in calls:
        words = shlex.split(one)[1:]
        command: click.Command = cli
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words.pop(0))
            assert found is not None
            command = found
        # The parser refuses options that there are not; values are looked at where the example is run.
        command.make_parser(click.Context(command)).parse_args(words)


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("line", sorted({line for _, line in EXAMPLES if not any(word in line for word in NOT_RUN)}))
def test_an_example_works(line: str) -> None:
    first = max((start for start in BEFORE if line.startswith(start)), key=len, default="")
    for before in BEFORE.get(first, ()):
        assert _run(before).exit_code in (0, 3)
    done = _run(line)
    assert done.exit_code == CODES.get(line, 0), done.stdout + done.stderr


def test_every_command_has_an_example() -> None:
    assert [name for name, one in COMMANDS.items() if not one.examples] == []


@pytest.mark.parametrize("words", [(), ("check",), ("tools", "run"), ("tools",)])
def test_help_may_stand_in_front(words: tuple[str, ...]) -> None:
    assert run("help", *words).stdout == run(*words, "--help").stdout


def test_help_in_the_middle() -> None:
    assert run("tools", "help", "run").stdout == run("tools", "run", "--help").stdout


# ---------------------------------------------------------------- words that are almost right


EVIL = "chek\x1b[31m\x07\u009b\u202e\nError: all is well"


@pytest.mark.parametrize(
    "arguments",
    [
        [EVIL],
        ["hopspec", EVIL],
        ["check", f"--{EVIL}", "plan.md"],
        ["check", "--format", EVIL, "plan.md"],
        ["check", EVIL],
        ["done", "plan.md", EVIL],
        ["focus", "plan.md", EVIL],
        ["show", "plan.md", "--expand", EVIL],
        ["archive", EVIL],
        ["show", "plan.md", EVIL],
    ],
)
def test_what_was_typed_does_not_steer_the_terminal(arguments: list[str]) -> None:
    written = on_terminal(*arguments, env={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    assert "chek" in written
    assert not STEERING.search(written)
    assert "\nError: all is well" not in written


def test_a_name_in_a_plan_does_not_steer_the_terminal() -> None:
    assert did_you_mean("light_oven", ["light_ove\x1b"]) == " Did you mean 'light_ove\\x1b'?"


_READING = {
    *("list", "show", "next", "focus", "check", "explain", "extract", "log", "view", "graph", "export", "diff", "json"),
    *("hook", "mcp", "lsp", "grammar", "hopspec", "planner", "tools", "bulk"),
}


@pytest.mark.parametrize("name", [words[0] for words in ALL if len(words) == 1])
def test_no_guess_is_a_command_that_changes_anything(name: str) -> None:
    said = run(f"{name}x").stderr
    assert (f"Did you mean '{name}'?" in said) == (name in _READING)
    guessed = re.findall("'([a-z]+)'", said.partition("Did you mean")[2])
    assert {*guessed} <= _READING


def test_looking_for_words_takes_no_time() -> None:
    begin = time.perf_counter()
    did_you_mean("a" * 100_000, (f"{'a' * 50_000}{number}" for number in range(100_000)))
    assert time.perf_counter() - begin < 20


# ---------------------------------------------------------------- starting


@pytest.mark.parametrize("words", [["--help"], ["chek"], ["--version"]])
def test_help_imports_no_command(words: list[str]) -> None:
    code = (
        "import sys; from planspec_lark.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted(sys.modules), sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment(), timeout=60, check=False
    )
    loaded = {*done.stderr.splitlines()}
    ours = {name for name in loaded if name.startswith("planspec_lark.cli.")}
    assert ours == {"planspec_lark.cli.app", "planspec_lark.cli.help"}
    assert not loaded & {"lark", "rich", "cattrs", "asyncio", "sqlite3"}


def test_help_goes_to_a_pipe_and_a_terminal_alike() -> None:
    env = {"COLUMNS": "80"}
    assert on_terminal("--help", env=env).replace(b"\r\n", b"\n") == call("--help", env=env).stdout
