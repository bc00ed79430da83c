"""The grammars themselves: no hidden collisions, nothing ignored, found wherever the package is."""

from __future__ import annotations

import functools
import itertools
import json
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import interegular
import pytest
from lark.exceptions import GrammarError
from lark.lexer import PatternRE, TerminalDef

from planspec_lark.syntax import grammars, lalr as loading
from planspec_lark.syntax.lalr import compile_grammar, dump_parser, load_parser, make_parser

# Those that texts are read with; tests/generation has the others.
LANGUAGES = grammars.READ

# Terminals whose look-ahead the collision search cannot follow. They are compared by brute force instead.
BEYOND_THE_SEARCH: dict[str, set[str]] = {
    "planspec": {"DESCRIPTION", "RESULT"},
    "plan_cmd": {"TEXT", "HEADLINE"},
    "hopspec": set(),
    "json_text": set(),
    "reference": {"TEXT", "REFERENCE", "MALFORMED", "STEP", "NAME"},
    "reflection": set(),
    "repair": set(),
}
# A terminal of each language, and something that it matches.
SAMPLES = {
    "planspec": ("ID", "1.2"),
    "plan_cmd": ("ID", "1.2"),
    "hopspec": ("ID", "1.2"),
    "json_text": ("NUMERAL", "1.2"),
    "reference": ("STEP", "1.2"),
    "reflection": ("DECISION", "RETRY"),
    "repair": ("NUMBER", "12"),
}


def used_terminals(language: str) -> dict[str, str]:
    return {terminal.name: terminal.pattern.to_regexp() for terminal in grammars.parser(language).terminals}


def relax(pattern: str) -> str:
    """A pattern whose repetitions may give back: it matches all that the strict one does."""
    return re.sub(r"\)([*+])\+", r")\1", pattern)


def relax_terminal(terminal: TerminalDef) -> None:
    terminal.pattern = PatternRE(relax(terminal.pattern.to_regexp()))


# The large grammar of plans takes longest; the first one always runs.
@pytest.mark.parametrize("language", LANGUAGES[::-1])
def test_strict_mode_finds_no_collision(language: str, caplog: pytest.LogCaptureFixture) -> None:
    """The search does not know repetitions that give nothing back. If what they widen to is disjoint, so are they."""
    with caplog.at_level(logging.WARNING):
        path, starts = grammars.grammar_path(language), grammars.STARTS[language]
        compile_grammar(path, starts, strict=True, edit_terminals=relax_terminal)
    assert not caplog.records


RULES = {
    "planspec_dialect": (
        *("header", "tight_title", "early_step", "step", "untyped_step", "bullet_line", "label", "flow"),
        *("wide_detail", "tail", "piece", "cell", "type_word", "column"),
    ),
    "plan_cmd_dialect": ("around", "prefix", "verb", "target", "type", "result"),
    "hopspec_dialect": ("mode", "heading", "section", "attribute", "word"),
    "reflection_dialect": ("near",),
    "json_text_dialect": ("token",),
}


@pytest.mark.parametrize(("language", "rule"), [(name, rule) for name, rules in RULES.items() for rule in rules])
def test_the_forms_of_a_line_do_not_collide(language: str, rule: str, caplog: pytest.LogCaptureFixture) -> None:
    """Which form a part of the dialect has is said by the priorities of the terminals."""
    with caplog.at_level(logging.WARNING):
        compile_grammar(grammars.grammar_path(language), [rule], strict=True, edit_terminals=relax_terminal)
    assert not caplog.records


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_strict_mode_cannot_see_is_known(language: str) -> None:
    unseen = set()
    for name, pattern in used_terminals(language).items():
        try:
            interegular.parse_pattern(relax(pattern)).to_fsm()
        except interegular.Unsupported:
            unseen.add(name)
    assert unseen == BEYOND_THE_SEARCH[language]


def contexts(language: str) -> set[frozenset[str]]:
    """The sets of terminals that compete somewhere."""
    lexer = grammars.parser(language).parser.lexer
    return {frozenset(terminal.name for terminal in state.terminals) for state in lexer.lexers.values()}


@pytest.mark.parametrize("language", [name for name, unseen in BEYOND_THE_SEARCH.items() if unseen])
def test_no_two_terminals_match_at_one_place(language: str) -> None:
    """Every text of up to six characters that matter, in every context with a terminal that strict mode cannot see."""
    compiled = {name: re.compile(pattern) for name, pattern in used_terminals(language).items()}
    groups = [group for group in contexts(language) if group & BEYOND_THE_SEARCH[language]]
    assert groups
    texts = ["".join(chars) + "\n" for n in range(1, 6) for chars in itertools.product(" |→\\a,\r", repeat=n)]
    texts += [f" | Progress:{tail}\n" for tail in ("", " 3", " 3/4", " x", " 3 | a")]
    for group in groups:
        for text in texts:
            matching = [name for name in group if compiled[name].match(text)]
            assert len(matching) <= 1, (text, matching)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_ignored(language: str) -> None:
    text = grammars.grammar_path(language).read_text(encoding="utf-8")
    statements = [line for line in text.split("\n") if not line.startswith("//")]
    assert not any("%ignore" in line for line in statements)
    assert not grammars.parser(language).lexer_conf.ignore


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_and_terminal_is_explained(language: str) -> None:
    lines = grammars.grammar_path(language).read_text(encoding="utf-8").split("\n")
    for above, line in itertools.pairwise(lines):
        if re.match(r"[A-Za-z_]+(\.\d)?:", line):
            assert above.startswith("//"), line


def test_the_parser_does_not_search_for_collisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """With interegular installed, Lark would take seconds over it in every process."""
    from lark import lexer

    def search(*_: object) -> None:
        raise AssertionError("searched")

    path = grammars.grammar_path("planspec")
    # It searches in its grammar of grammars, with which it reads the first one.
    make_parser(path, ["plan"])
    monkeypatch.setattr(lexer, "_check_regex_collisions", search)
    make_parser(path, ["plan"])
    with pytest.raises(AssertionError, match="searched"):
        compile_grammar(path, ["plan"], strict=True, edit_terminals=relax_terminal)


def test_ids_and_variables_are_written_once() -> None:
    """The commands import what they share with documents."""
    assert grammars.pattern("plan_cmd", "ID").pattern == grammars.pattern("planspec", "ID").pattern
    text = grammars.grammar_path("plan_cmd").read_text(encoding="utf-8")
    assert "%import .planspec (ID, TYPE, VARIABLES, DETAIL)" in text


def test_a_reason_is_written_as_the_text_of_a_command() -> None:
    assert grammars.pattern("reflection", "RESULT").pattern == grammars.pattern("plan_cmd", "RESULT").pattern
    assert "%import .plan_cmd (RESULT, EOL)" in grammars.grammar_path("reflection").read_text(encoding="utf-8")


def test_a_grammar_is_compiled_once() -> None:
    assert grammars.parser("planspec") is grammars.parser("planspec")
    assert grammars.regular("planspec") is grammars.regular("planspec")


def test_an_unknown_rule_is_an_error() -> None:
    with pytest.raises((GrammarError, KeyError)):
        grammars.regular("planspec").pattern("no_such_rule")


# ---------------------------------------------------------------- ready-made


def compiled_at(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let an installed package be there, with the grammars and what was made of them."""
    shutil.copytree(grammars.grammar_path("planspec").parent, folder / "grammar", dirs_exist_ok=True)
    monkeypatch.setattr(grammars, "_PACKAGE", folder)
    for kept in (grammars.regular, grammars.parser, grammars.pattern, grammars._compiled, grammars._origin):
        monkeypatch.setattr(grammars, kept.__name__, functools.cache(kept.__wrapped__))


@pytest.fixture(scope="module")
def dumps() -> dict[str, str]:
    return {language: grammars.dump(language) for language in LANGUAGES}


@pytest.fixture
def made(dumps: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "compiled").mkdir()
    for language, dump in dumps.items():
        (tmp_path / "compiled" / f"{language}.json").write_text(dump, encoding="ascii")
    compiled_at(monkeypatch, tmp_path)
    return tmp_path


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("a grammar was loaded")


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_ready_made_needs_no_grammar(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setattr(loading, "load_rules", refuse)
    monkeypatch.setattr(loading, "make_parser", refuse)
    terminal, text = SAMPLES[language]
    assert grammars.pattern(language, terminal).fullmatch(text)
    assert grammars.parser(language).terminals
    with pytest.raises(AssertionError, match="a grammar was loaded"):
        grammars.regular(language).pattern("no_such_rule")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_grammar_that_has_changed_since_is_read_again(made: Path, language: str) -> None:
    # The commands import from the documents, the decisions from the commands.
    changed = {"plan_cmd": "planspec", "reflection": "plan_cmd", "repair": "plan_cmd"}.get(language, language)
    assert grammars._compiled(language)
    with (made / "grammar" / f"{changed}.lark").open("a", encoding="utf-8") as file:
        file.write("// changed\n")
    grammars._compiled.cache_clear()
    grammars._origin.cache_clear()
    assert not grammars._compiled(language)
    terminal, text = SAMPLES[language]
    assert grammars.pattern(language, terminal).fullmatch(text)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff", b'{"grammar": 1}'])
def test_a_damaged_file_is_as_good_as_none(made: Path, damage: bytes) -> None:
    (made / "compiled" / "planspec.json").write_bytes(damage)
    assert not grammars._compiled("planspec")
    assert grammars.pattern("planspec", "ID").fullmatch("1.2")
    assert grammars.parser("planspec").terminals


# ---------------------------------------------------------------- kept by a checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    package = Path(grammars.__file__).parents[1]
    leave_out = shutil.ignore_patterns("__pycache__", "compiled")
    shutil.copytree(package, tmp_path / "planspec_lark", ignore=leave_out)
    shutil.copytree(grammars.grammar_path("planspec").parent, tmp_path / "grammar")
    return tmp_path


def load_in(checkout: Path, *terminals: str, then: str = "", **environment: str) -> int:
    """How many grammars a process there loads for these terminals and a parser, before it does something else."""
    code = f"""
from planspec_lark.syntax import grammars, lalr
for name in {terminals}:
    grammars.pattern("planspec", name)
assert grammars.parser("planspec").parse("Goal: a\\n", start="plan")
print(lalr._load.cache_info().misses)
{then}
"""
    environment = {"PATH": os.environ["PATH"], **environment}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=True)
    assert not done.stderr
    return int(done.stdout)


def kept_in(checkout: Path) -> list[str]:
    return [path.name for path in (checkout / "planspec_lark" / "syntax" / "__pycache__").glob("*.json*")]


def test_a_checkout_keeps_what_it_has_made(checkout: Path) -> None:
    assert [load_in(checkout, "ID"), load_in(checkout, "ID")] == [1, 0]
    assert kept_in(checkout) == [f"planspec.{sys.implementation.cache_tag}.json"]
    # What is made later is kept beside it.
    assert [load_in(checkout, "TYPE"), load_in(checkout, "ID", "TYPE")] == [1, 0]


@pytest.mark.parametrize("changed", ["grammar/planspec.lark", "planspec_lark/syntax/patterns.py"])
def test_a_checkout_that_has_changed_makes_it_again(checkout: Path, changed: str) -> None:
    load_in(checkout, "ID")
    with (checkout / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert [load_in(checkout, "ID"), load_in(checkout, "ID")] == [1, 0]


@pytest.mark.parametrize("changed", ["grammar/planspec.lark", "planspec_lark/syntax/patterns.py"])
def test_a_process_keeps_nothing_if_a_file_was_changed_under_it(checkout: Path, changed: str) -> None:
    edit = f"open({str(checkout / changed)!r}, 'a', encoding='utf-8').write(chr(10))"
    assert load_in(checkout, "ID", then=edit) == 1
    assert not kept_in(checkout)
    assert [load_in(checkout, "ID"), load_in(checkout, "ID")] == [1, 0]


def test_nothing_is_left_of_what_could_not_be_written(checkout: Path) -> None:
    load_in(checkout, "ID")
    (path,) = (checkout / "planspec_lark" / "syntax" / "__pycache__").glob("*.json")
    path.unlink()
    path.mkdir()
    load_in(checkout, "ID")
    assert {one.suffix for one in path.parent.iterdir()} == {".pyc", ".json"}


def test_nothing_is_kept_where_python_keeps_no_bytecode(checkout: Path) -> None:
    assert load_in(checkout, "ID", PYTHONDONTWRITEBYTECODE="1") == 1
    assert not kept_in(checkout)


def test_where_nothing_can_be_written_nothing_is_kept(checkout: Path) -> None:
    (checkout / "planspec_lark" / "syntax" / "__pycache__").write_text("a file")
    assert [load_in(checkout, "ID"), load_in(checkout, "ID")] == [1, 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_parser_reads_alike_when_it_is_read_back(language: str) -> None:
    built = make_parser(grammars.grammar_path(language), grammars.STARTS[language])
    dumped = dump_parser(built)
    read = load_parser(json.loads(json.dumps(dumped)))
    assert read is not None
    texts = {
        "planspec": ("plan", "Goal: a\n## Steps\n1. [act] b\n"),
        "plan_cmd": ("command", "PLAN_CMD: DONE 1\n"),
        "hopspec": ("document", "## Execution Flow\n#### Step1: a\n- Task: b\n"),
        "json_text": ("text", '{"a": [1, true]}\n'),
        "reference": ("value", "a $${b} ${c.outputs.d} ${e}"),
        "reflection": ("decision", "RETRY | a\n"),
        "repair": ("repaired", "LINE 12: a\n"),
    }
    start, text = texts[language]
    assert read.parse(text, start=start) == built.parse(text, start=start)
    assert load_parser({**dumped, "lark": "0.0"}) is None
