"""The skills: in the form of the open standard, and true to the language and the commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from planspec_lark import Severity, apply_commands, check_text, parse_plan, parse_plan_commands, serialize_plan
from planspec_lark.agents.skills import NOTES, skill_files
from planspec_lark.cli.app import cli
from planspec_lark.syntax import estimate_tokens

FILES = {Path(name).parent.name: text for name, text in skill_files(".agents/skills").items()}
SKILL = FILES["planspec"]
TEXTS = [*FILES.values(), NOTES]


def blocks(info: str) -> list[str]:
    return re.findall(rf"^```{info}\n(.*?)^```", SKILL, re.MULTILINE | re.DOTALL)


def test_there_are_the_four_commands() -> None:
    assert {*FILES} == {"planspec", "listplan", "showplan", "archiveplan"}


@pytest.mark.parametrize("name", FILES)
def test_the_form_of_the_standard(name: str) -> None:
    """As https://agentskills.io/specification has it."""
    _, head, body = FILES[name].split("---\n", 2)
    value = YAML(typ="safe").load(head)
    assert {*value} == {"name", "description"}
    assert value["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert 1 <= len(value["description"]) <= 1024
    assert f"/{name}" in value["description"]
    assert body.startswith("\n# ")
    assert body.count("\n") < 150
    # What the standard recommends for a body, and for what is in each session.
    assert estimate_tokens(body) < 5000
    assert estimate_tokens(NOTES) < 400


def test_examples_are_plans_without_a_finding() -> None:
    found = blocks("planspec")
    assert len(found) == 2
    for text in found:
        assert check_text(text, least=Severity.WARNING) == []
        assert serialize_plan(parse_plan(text)) == text


def test_commands_change_the_example() -> None:
    plan = parse_plan(blocks("planspec")[0])
    (shell,) = blocks("sh")
    first, rest = shell.split("\n", 1)
    assert shlex.split(first) == ["planspec", "apply", "NAME", "<<END"]
    commands = parse_plan_commands(rest.removesuffix("END\n"))
    assert [command.op for command in commands] == ["DONE", "ADD"]
    rows = [row.replace("\\|", "|") for row in re.findall(r"^\| `(PLAN_CMD: .*?)` \| ", SKILL, re.MULTILINE)]
    assert len(rows) == 6
    for command in [*commands, *parse_plan_commands("\n".join(rows))]:
        assert apply_commands(parse_plan(blocks("planspec")[0]), [command], atomic=True) == []
    assert apply_commands(plan, commands, atomic=True) == []


@pytest.mark.parametrize("text", TEXTS, ids=[*FILES, "notes"])
def test_commands_and_options_are_there(text: str) -> None:
    calls = re.findall(r"(?:`|^|\| )planspec ([a-z-]+)((?: [^`|\n]*)?)", text, re.MULTILINE)
    assert calls
    context = cli.make_context("planspec", ["list"])
    for name, rest in calls:
        command = cli.get_command(context, name)
        assert command is not None, name
        options = {option for parameter in command.params for option in parameter.opts}
        assert {*re.findall(r"--[a-z-]+", rest)} <= options
    for line in re.findall(r"echo '(PLAN_CMD: [^']*)'", text):
        assert parse_plan_commands(line)


def test_the_marks_and_types_of_the_language_are_named() -> None:
    for mark in ("[x]", "[>]", "[!]", "[~]"):
        assert f"`{mark}`" in SKILL
    for kind in ("reason", "act", "decide", "subtask"):
        assert f"`{kind}`" in SKILL
