"""No expression of the package goes over the same characters again and again.

`python -m tests.backtracking WORD` says what is found in the places with a word in their names.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.backtracking.collect import collect
from tests.backtracking.loops import attacks
from tests.backtracking.measure import find_growth

# What grows faster, and why that does no harm.
KNOWN = {
    "planspec_lark.cli.explain._FENCE": "it reads pages of the package",
    "planspec_lark.cli.explain._LINK": "it reads pages of the package",
    "planspec_lark.constrained.notation._PIECE": "it reads grammars of the package",
    "planspec_lark.syntax.prompt_templates._SECTION": "it reads templates of the package",
    "planspec_lark.syntax.recovery._ROW": "it reads grammars of the package",
    "planspec_lark.agents.hook.PLAN_FILE": "it reads a path",
    "planspec_lark.exchange.formats.<module>": "it reads a path",
    "planspec_lark.lsp.planspec_index.PlanIndex": "it reads a path",
    "planspec_lark.exchange.spec_kit._AFTER": "it reads lines of at most 1000 characters",
    "planspec_lark.exchange.spec_kit._BEFORE": "it reads lines of at most 1000 characters",
    "planspec_lark.lsp.planspec_index._BRACKET": "it reads a few characters at the end of a line",
    "planspec_lark.lsp.planspec_index._WORD": "it reads a few characters at the end of a line",
    "planspec_lark.planspec.positions._ROW": "it reads texts whose last line is ended",
    **{
        f"planspec_lark.syntax.grammars.Patterns.terminal planspec {terminal}": "it is matched from a place on only"
        for terminal in ("DESCRIPTION", "PHRASE", "RESULT", "SEGMENT")
    },
}


def _found(*words: str) -> dict[str, str]:
    """What is found in a fresh interpreter, by place."""
    command = [sys.executable, "-m", "tests.backtracking", *words]
    said = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    *rows, last = said.stdout.splitlines()
    assert re.fullmatch(r"\d+ of [1-9]\d* expressions grow too fast", last), said.stderr
    return {row.split(": ")[0]: row for row in rows}


def test_no_expression_grows_too_fast() -> None:
    found = _found()
    assert not [row for place, row in found.items() if place not in KNOWN]
    assert not [place for place in KNOWN if place not in found]


# ---------------------------------------------------------------- faults that are there on purpose


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (r"(a*)*b", "match"),
        (r"(a|a)*b", "match"),
        (r"(\s*x?)*y", "match"),
        (r"(?:[ \t]*(?:,|and|to)[ \t]*)+T[0-9]", "match"),
        (r"\s*\s*x", "match"),
        (r"a*.*b", "fullmatch"),
        (r".*x.*y", "match"),
        (r"# +(.*?) *#* *", "fullmatch"),
        (r"(?<=x)(\w+\s?)*!", "search"),
        (r"(?:(?=(a+)+b)|x)", "match"),
        (r"\s+$", "search"),
        (r"\s++$", "search"),
        (r"\bplan\b.*\bdone\b", "search"),
        (r"(?m)^\s*x", "search"),
        (r"a(?=.*b)", "finditer"),
    ],
)
def test_a_planted_one_is_found(expression: str, method: str) -> None:
    assert find_growth(re.compile(expression), [method]) is not None


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (r"\s*+x", "match"),
        (r"(?:a|b)*+x", "fullmatch"),
        (r"(?>a*)b", "match"),
        (r"(?<!\s)\s++$", "search"),
        (r"a{0,50}a{0,50}b", "match"),
        (r"(?m)^[ \t]*- x", "finditer"),
        (r"\s+$", "match"),
        (r"(?i)depends on[ \t:]+T[0-9]", "finditer"),
    ],
)
def test_one_that_is_linear_is_not(expression: str, method: str) -> None:
    assert find_growth(re.compile(expression), [method]) is None


def test_attacks_say_which_repetition_they_are_for() -> None:
    loops = {attack.loop for attack in attacks(re.compile(r"(?i)(?:[^\d\s]+?|x{200,}+)*(?=[a-f]*)(?>.*)\b$"))}
    assert loops == {r"(?:(?:[^\d\s]){1,}?|(?:x){200,}+)", r"[^\d\s]", "x", "[a-f]", "."}


def test_collecting_needs_a_fresh_interpreter() -> None:
    import planspec_lark.syntax

    assert planspec_lark.syntax
    with pytest.raises(AssertionError, match="fresh"):
        collect()
