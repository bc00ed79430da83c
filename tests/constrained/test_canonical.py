"""The canonical grammars: exactly what the printers write, with the same tree, in every engine."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st
from lark import Lark
from lark.exceptions import LarkError

from planspec_lark import (
    PlanSpec,
    PlanSyntaxError,
    parse_plan,
    parse_plan_commands,
    serialize_commands,
    serialize_plan,
)
from planspec_lark.constrained.notation import read_grammar
from planspec_lark.syntax import grammars
from planspec_lark.syntax.lalr import compile_grammar
from tests import strategies
from tests.cases import in_one_test
from tests.constrained.engines import canonical, guide, lark, lark_accepts
from tests.constrained.oracle import Oracle
from tests.constrained.trees import plan_of, renumber
from tests.corpus import each, find, read

CANONICAL = ("planspec_canonical", "plan_cmd_canonical")
FOR_GENERATION = (*CANONICAL, "planspec_fresh", "plan_cmd_fresh", "hopspec_canonical")
CLASSES = re.compile(r"(?<=A-Z_a-z)\\u00aa.*?(?=\]|\\u0000)")


def source(language: str) -> str:
    return grammars.grammar_path(language).read_text(encoding="utf-8")


def is_canonical(text: str) -> bool:
    """Whether the printer writes this text."""
    try:
        return serialize_plan(parse_plan(text)) == text
    except PlanSyntaxError:
        return False


def agree(text: str) -> bool:
    """What all engines say of a text, which has to be the same."""
    said = lark_accepts(canonical("planspec"), text)
    assert guide(canonical("planspec")).accepts(text) == said, text
    return said


def spellable(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Without lone surrogates, which are no characters: no engine could be given one."""
    return texts.filter(lambda text: not re.search("[\ud800-\udfff]", text))


# ---------------------------------------------------------------- the notation


@pytest.mark.parametrize("language", FOR_GENERATION)
def test_it_is_written_in_the_notation(language: str) -> None:
    text = "\n".join(line for line in source(language).split("\n") if not line.startswith("//"))
    forbidden = [
        r"\(\?",
        r"[*+?}]\?",
        r"[*+?}]\+",
        r"\\[dwsDWSbBxAZ>]",
        r"%(?!import \.)",
        r"^\w+\.\d+:",
        r"\w[{]",
        "->",
    ]
    bare = re.sub(r'"[^"]*"', '""', text.replace("\\\\", ""))
    for pattern in forbidden:
        found = re.search(pattern, bare, flags=re.MULTILINE)
        assert found is None, found
    assert re.search(r"^start: ", text, flags=re.MULTILINE)
    # XGrammar reads as many hexadecimal digits as there are, so none may come after an escape.
    assert not re.search(r"\\u[0-9a-f]{4}[0-9A-Fa-f]", text)


@pytest.mark.parametrize("language", CANONICAL)
def test_the_file_itself_is_read_unchanged(language: str) -> None:
    lark(source(language))
    guide(source(language))


@pytest.mark.parametrize("language", FOR_GENERATION)
def test_every_rule_and_terminal_is_explained(language: str) -> None:
    for above, line in itertools.pairwise(source(language).split("\n")):
        if re.match(r"[A-Za-z_0-9]+:", line):
            assert above.startswith("//"), line


# The larger ones take long; the first one always runs.
@pytest.mark.parametrize("language", FOR_GENERATION[::-1])
def test_no_terminals_collide(language: str) -> None:
    """By interegular, which spells classes out: without the letters beyond ASCII, of which one stands for all."""
    text = CLASSES.sub("é", source(language))
    folder = str(grammars.grammar_path(language).parent)
    Lark(text, parser="lalr", lexer="contextual", strict=True, import_paths=[folder], source_path=f"{folder}/x.lark")


def test_the_notations_own_grammar_has_no_collision() -> None:
    compile_grammar(grammars.grammar_path("notation"), grammars.STARTS["notation"], strict=True)


def test_a_collision_would_be_found() -> None:
    text = CLASSES.sub("é", source("planspec_canonical"))
    wrong = text.replace('TEXT_LAST: _NO_LIST "\\n"', 'TEXT_LAST: _INNER* (_BLANK+ _WORD)* "\\n"')
    assert wrong != text
    with pytest.raises(LarkError, match="OUTPUTS_LAST"):
        Lark(wrong, parser="lalr", lexer="contextual", strict=True)


def pattern_of(terminal: str) -> re.Pattern[str]:
    (pattern,) = read_grammar("planspec_canonical")[terminal].scan_values(lambda _: True)
    return re.compile(pattern[1:-1])


def test_names_are_of_all_letters() -> None:
    """The class is that of Python 3.11; later ones know more letters."""
    characters = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    in_names = set(pattern_of("_NAME_CHAR").findall(characters))
    in_words = set(re.findall(r"[^\x00-\x20\x7f→|\[\\]", characters))
    assert set(pattern_of("_OTHER_CHAR").findall(characters)) == in_words - in_names
    python = set(re.findall(r"[\w-]", characters))
    assert in_names == python if sys.version_info < (3, 12) else in_names <= python


# ---------------------------------------------------------------- all that the printer writes


@each("planspec/valid", ".md")
def test_every_printed_fixture_is_canonical(path: Path) -> None:
    assert agree(serialize_plan(parse_plan(read(path))))


@given(strategies.canonical_plans)
def test_every_printed_plan_is_canonical(text: str) -> None:
    assert agree(text), text


@given(spellable(st.one_of(strategies.near_plans, strategies.soup)))
def test_nothing_else_is(text: str) -> None:
    """But for ids, of which no such grammar can say that they differ or fit their place."""
    if agree(text):
        assert is_canonical(renumber(text)), text
    else:
        assert not is_canonical(text), text


# After each head, all texts of these characters.
HEADS = [
    ("[act] ", " |→\\a,"),
    ("[act] a", "\t |→\\a,"),
    ("[act] → ", " |→\\a,"),
    ("[act] | ", " |\\a\t→"),
    ("[act] a | x", " |\\a\t"),
    ("[act] \\", "\\|→ a"),
    ("[X] ", "[]a \\|→"),
    ("[X] é", "[]a \\|!"),
    ("[ ] [X] ", "[]a \\|→é"),
    ("[act]\n  >", "← a,1\t\\"),
]


@pytest.mark.parametrize(("head", "characters"), HEADS)
def test_every_short_line_is_judged_as_the_printer_does(head: str, characters: str) -> None:
    for size in range(4):
        for tail in itertools.product(characters, repeat=size):
            text = f"## Steps\n1. {head}{''.join(tail)}\n"
            assert agree(text) == is_canonical(text), text


# Every beginning of the word that a result may not start with.
WORDS = ["Progress: "[:size] for size in range(1, 11)]


@in_one_test
@pytest.mark.parametrize("count", ["", "0", "1", "0/0", "1/", "01", "999999999", "1000000000", "1/02", "3/5 | a"])
@pytest.mark.parametrize("mark", ["", "\\"])
@pytest.mark.parametrize("before", ["", "\\| ", "\\| | ", "a \\| | ", "a | ", "x \\| y | "])
def test_progress(before: str, mark: str, count: str) -> None:
    for word in (*WORDS, "Progressx: "):
        text = f"## Steps\n1. [act] | {before}{mark}{word}{count}\n"
        assert agree(text) == is_canonical(text), text


@pytest.mark.parametrize(
    ("before", "again", "behind"),
    [
        ("1. [act] a", " → b", ""),
        ("1. [act] a", " \\→ b", ""),
        ("1. [act] a", "→b", ""),
        ("1. [X] a", " →  b", " c | d"),
        ("1. [act] | a", " | b", ""),
        ("1. [act] | a", " | b", " \\| | Progress: 1/2"),
        ("1. [act] a", "\n  > b", ""),
        ("1. [subtask] a", "\n  1.#. [act] b", ""),
    ],
)
def test_length_is_no_matter(before: str, again: str, behind: str) -> None:
    """llguidance gives up at 2,000 places in a grammar that it has to keep in mind."""
    parts = "".join(again.replace("#", str(number)) for number in range(5000))
    text = f"## Steps\n{before}{parts}{behind}\n"
    text = serialize_plan(parse_plan(text))
    assert agree(text)
    assert plan_of(lark(canonical("planspec")).parse(text)) == parse_plan(text)


# ---------------------------------------------------------------- the same model


@given(strategies.plans)
def test_the_tree_of_a_plan_is_the_plan(plan: PlanSpec) -> None:
    assert plan_of(lark(canonical("planspec")).parse(serialize_plan(plan))) == plan


# ---------------------------------------------------------------- commands


@given(strategies.canonical_commands)
def test_every_printed_command_is_canonical(text: str) -> None:
    assert lark_accepts(source("plan_cmd_canonical"), text), text
    assert guide(source("plan_cmd_canonical")).accepts(text), text


@given(spellable(strategies.near_commands))
def test_no_other_command_is(text: str) -> None:
    said = lark_accepts(source("plan_cmd_canonical"), text)
    assert guide(source("plan_cmd_canonical")).accepts(text) == said
    assert (serialize_commands(parse_plan_commands(text)) == text) == said


# ---------------------------------------------------------------- the same byte

MUTATIONS = (
    *(
        "",
        "|",
        " | ",
        "→",
        " → ",
        "\\",
        "\\→",
        "é",
        "文",
        "₂",
        "👩",
        " ",
        "  ",
        "\n",
        "\t",
        "\x00",
        "[x]",
        "[X] ",
        "[ ] ",
    ),
    *("Progress:", "←", ">", "> ← ", "-", "1.", ".", "#", "0", ", b", "\u2028"),
)


def mutate(random: Random, text: str) -> str:
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(MUTATIONS) + text[at + random.choice([0, 0, 1, 1, 2]) :]
    return text


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    oracle = Oracle("planspec")
    assert oracle.cuts == 2
    return oracle


def test_engines_stop_at_the_same_byte(oracle: Oracle) -> None:
    """That of the first character, and within it the first byte, from which no text of the language goes on."""
    stopped = 0
    for path in find("planspec/valid", ".md"):
        printed = serialize_plan(parse_plan(read(path)))
        random = Random(path.stem)
        for _ in range(14):
            text = mutate(random, printed[:1200])
            taken, is_whole = guide(canonical("planspec")).follow(text)
            assert taken == oracle.good_bytes(text), text
            whole = text.encode()[:taken].decode(errors="replace")
            assert is_whole == lark_accepts(canonical("planspec"), whole), text
            stopped += taken < len(text.encode())
    assert stopped >= 500


def test_the_oracle_is_not_llguidance_in_disguise(oracle: Oracle) -> None:
    text = "## Steps\n1. [act] a → b\n"
    assert oracle.good_bytes(text) == len(text.encode())
    assert oracle.good_bytes(text + "   2. [act]\n") == len(text.encode()) + 2
    assert oracle.good_bytes("## Steps\n1. [act] a | | b\n") == len("## Steps\n1. [act] a | |")
    assert oracle.good_bytes("## Steps\n1. 文") == len("## Steps\n1. 文".encode())
    # The first byte of `→` starts letters as well, and its second, too.
    assert oracle.good_bytes("## Steps\n1. n→") == len(b"## Steps\n1. n") + 2
