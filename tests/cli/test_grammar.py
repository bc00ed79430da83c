"""`planspec grammar`."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark.constrained import export_grammar
from planspec_lark.constrained.export import TARGETS
from planspec_lark.syntax import grammars
from tests.cli.running import run


@pytest.mark.parametrize("target", TARGETS)
def test_export_writes_what_the_function_returns(target: str) -> None:
    result = run("grammar", "export", "--target", target)
    assert (result.exit_code, result.stdout, result.stderr) == (0, export_grammar(target), "")


def test_every_option_reaches_the_function() -> None:
    arguments = ["--depth", 2, "--types", "act, subtask", "--allow-results", "--siblings", 3]
    expected = export_grammar("lark", depth=2, types=["act", "subtask"], allow_results=True, siblings=3)
    assert run("grammar", "export", "--target", "lark", *map(str, arguments)).stdout == expected
    commands = run("grammar", "export", "--target", "gbnf", "--language", "plan_cmd").stdout
    assert commands == export_grammar("gbnf", language="plan_cmd")
    schema = run("grammar", "export", "--target", "openai", "--language", "plan_next").stdout
    assert schema == export_grammar("openai", language="plan_next")


def test_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "plan.lark"
    for option in ("-o", "--out"):
        result = run("grammar", "export", "--target", "lark", option, out)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert out.read_text(encoding="utf-8") == export_grammar("lark")
        out.unlink()


def test_a_dash_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("grammar", "export", "--target", "gbnf", "-o", "-")
    assert (result.exit_code, result.stdout, result.stderr) == (0, export_grammar("gbnf"), "")
    assert not (tmp_path / "-").exists()


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    result = run("grammar", "export", "--target", "lark", "-o", tmp_path / "no" / "x")
    assert result.exit_code == 2
    assert result.stderr == f"Error: {tmp_path / 'no' / 'x'}: No such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--types", "act,\x1b[31m"], "is not one of reason, act, decide, subtask"),
        (["--depth", "0"], "depth: 0 is not between 1 and 50"),
        (["--siblings", "50"], "siblings: 50 at a depth of 3 is 2550 steps or more, above 2000"),
        (["--types", ""], "types: without reason or act no plan could end"),
        (["--out", ""], "--out: an empty name is not a file's; - is standard output"),
        (["--target", "bnf"], "'bnf' is not one of"),
    ],
)
def test_a_wrong_call(arguments: list[str], message: str) -> None:
    result = run("grammar", "export", "--target", "lark", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "\x1b" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("language", sorted([*grammars.STARTS, *grammars.DIALECTS]))
def test_show(language: str) -> None:
    result = run("grammar", "show", language)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (grammars.grammar_path(language)).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", grammars.SCHEMAS)
def test_show_of_a_schema(language: str) -> None:
    result = run("grammar", "show", language)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == grammars.schema_path(language).read_text(encoding="utf-8")


def test_every_file_is_shown() -> None:
    files = {path.name.partition(".")[0] for path in grammars.grammar_path("planspec").parent.iterdir()}
    assert files == {*grammars.STARTS, *grammars.DIALECTS, *grammars.SCHEMAS}
