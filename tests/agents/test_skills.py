"""The skills: in the form of the open standard, and true to the language and the commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from planspec_lark import Severity, check_text, parse_plan, serialize_plan
from planspec_lark.agents.skills import NOTES, skill_files
from planspec_lark.cli.app import cli
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.syntax import estimate_tokens
from tests.agents.projects import put
from tests.cli.running import run

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


def test_commands_change_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = blocks("planspec")[0]
    put(tmp_path, {"planspec/room.md": text.encode()})
    rows = re.findall(r"^\| `planspec ((?:start|done|block|skip|reopen|add|remove) NAME .*?)` \| ", SKILL, re.MULTILINE)
    first, second = blocks("sh")
    calls = [*rows, *(line.removeprefix("planspec ") for line in first.splitlines())]
    assert len(calls) == 9
    for call in calls:
        result = run(*(word if word != "NAME" else "room" for word in shlex.split(call)))
        assert result.exit_code == 0, (call, result.stderr)
    head, rest = second.split("\n", 1)
    assert shlex.split(head) == ["planspec", "apply", "NAME", "<<END"]
    put(tmp_path, {"planspec/room.md": text.encode()})
    result = run("apply", "room", stdin=rest.removesuffix("END\n"))
    assert (result.exit_code, result.stdout.count("ok ")) == (0, 3)
    assert check_text((tmp_path / "planspec/room.md").read_text(), least=Severity.ERROR) == []


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


def test_the_marks_and_types_of_the_language_are_named() -> None:
    for mark in ("[x]", "[>]", "[!]", "[~]"):
        assert f"`{mark}`" in SKILL
    for kind in STEP_TYPES:
        assert f"`[{kind}]`" in SKILL
