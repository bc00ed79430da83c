"""The skills: in the form of the open standard, and true to the language and the commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from planspec_lark import Severity, check_text, parse_plan, serialize_plan
from planspec_lark.agents.skills import notes, skill_files
from planspec_lark.cli.app import cli
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.syntax import estimate_tokens
from planspec_lark.syntax.prompt_templates import LANGUAGES
from tests.agents.projects import put
from tests.cli.running import run

FILES = {
    f"{Path(name).parent.name} {language}": text
    for language in LANGUAGES
    for name, text in skill_files(".agents/skills", language).items()
}
TEXTS = {**FILES, **{f"notes {language}": notes(language) for language in LANGUAGES}}
each_language = pytest.mark.parametrize("language", LANGUAGES)


def skill(language: str) -> str:
    return FILES[f"planspec {language}"]


def blocks(info: str, language: str) -> list[str]:
    return re.findall(rf"^```{info}\n(.*?)^```", skill(language), re.MULTILINE | re.DOTALL)


@each_language
def test_there_are_the_four_commands(language: str) -> None:
    names = {name.removesuffix(f" {language}") for name in FILES if name.endswith(language)}
    assert names == {"planspec", "listplan", "showplan", "archiveplan"}


@pytest.mark.parametrize("case", FILES)
def test_the_form_of_the_standard(case: str) -> None:
    """As https://agentskills.io/specification has it."""
    name, language = case.split()
    _, head, body = FILES[case].split("---\n", 2)
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
    assert estimate_tokens(notes(language)) < 400


@each_language
def test_examples_are_plans_without_a_finding(language: str) -> None:
    found = blocks("planspec", language)
    assert len(found) == 2
    for text in found:
        assert check_text(text, least=Severity.WARNING) == []
        assert serialize_plan(parse_plan(text)) == text


@each_language
def test_commands_change_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.chdir(tmp_path)
    text = blocks("planspec", language)[0]
    put(tmp_path, {"planspec/room.md": text.encode()})
    row = re.compile(r"^\| `planspec ((?:start|done|block|skip|reopen|add|remove) NAME .*?)` \| ", re.MULTILINE)
    rows = row.findall(skill(language))
    first, second = blocks("sh", language)
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


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_commands_and_options_are_there(text: str) -> None:
    calls = re.findall(r"(?:`|^|\| )planspec ([a-z-]+)((?: [^`|\n]*)?)", text, re.MULTILINE)
    assert calls
    context = cli.make_context("planspec", ["list"])
    for name, rest in calls:
        command = cli.get_command(context, name)
        assert command is not None, name
        options = {option for parameter in command.params for option in parameter.opts}
        assert {*re.findall(r"--[a-z-]+", rest)} <= options


@each_language
def test_the_marks_and_types_of_the_language_are_named(language: str) -> None:
    for mark in ("[x]", "[>]", "[!]", "[~]"):
        assert f"`{mark}`" in skill(language)
    for kind in STEP_TYPES:
        assert f"`[{kind}]`" in skill(language)
