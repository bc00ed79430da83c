"""The job of mutants, on a package with a few: ``python -m tests.mutants`` is the same for the real ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cases import in_one_test
from tests.mutants.__main__ import main
from tests.mutants.mutations import choose_mutants, find_mutants

COUNTING = '''
"""Strings stay: "1 + 0"."""


def is_small(number: int) -> bool:
    return number < 8


def count_down(number: int) -> None:
    while number > 4:
        number -= 2
'''
TESTS = {
    "test_small.py": "assert counting.is_small(2) and not counting.is_small(9)",
    "test_edge.py": "assert not counting.is_small(8)",
    "test_end.py": "counting.count_down(10)",
}


@in_one_test
@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("x = a == b < c", {"a == b < c → (a != b < c)", "a == b < c → (a == b <= c)"}),
        ("x = a and b or c", {"a and b or c → ((a and b) and c)", "a and b → (a or b)"}),
        ("x = a + 1", {"a + 1 → (a - 1)", "1 → 0"}),
        ("x = 'a' + b", set()),
        ("x += 2", {"x += 2 → x -= 2"}),
        ("x = True, 0.0, 2, f'{1}'", {"True → False"}),
        ("if é: a = b", {"é → (not (é))"}),
        ("x = a if b is c else d", {"b is c → (b is not c)"}),
        ("x = [a for a in b if a if a > c]", {"a → (not (a))", "a > c → (a >= c)", "a > c → (not (a > c))"}),
        ("if TYPE_CHECKING: import a", set()),
        ("def f(a: A[1]) -> B[1]: return (\n  a)", {"a → None"}),
        ("def f(): return None", set()),
        ("'text'\na.b(c)", {"a.b(c) → pass"}),
        ("a.b = c; a.b: int = d; a.b: int", {"a.b = c → pass", "a.b: int = d → pass"}),
        ("a.b += c", {"a.b += c → a.b -= c", "a.b += c → pass"}),
        ("assert a == 1", set()),
    ],
)
def test_mutations(code: str, changes: set[str]) -> None:
    found = {mutant.change: mutant.text for mutant in find_mutants("a.py", code)}
    assert set(found) == changes
    for text in found.values():
        compile(text, "a.py", "exec")
        assert text != code


def test_a_fault_is_put_in_its_place() -> None:
    texts = {mutant.change: mutant for mutant in find_mutants("a.py", COUNTING)}
    mutant = texts["number < 8 → (number <= 8)"]
    assert mutant.text == COUNTING.replace("number < 8", "(number <= 8)")
    assert (mutant.file, mutant.line) == ("a.py", 6)


def test_which_ones_follows_from_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "counting.py"
    file.write_text(COUNTING)
    everything = [mutant.change for mutant in choose_mutants(tmp_path, ".", 100, "a")]
    assert everything != [mutant.change for mutant in choose_mutants(tmp_path, ".", 100, "b")]
    assert everything[:3] == [mutant.change for mutant in choose_mutants(tmp_path, ".", 3, "a")]
    file.write_text(f"x = 1\n{COUNTING}")
    assert [mutant.change for mutant in choose_mutants(tmp_path, ".", 100, "a") if mutant.line > 1] == everything


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with a tiny package."""
    plugin = dict.fromkeys(
        ["__init__.py", "pytest_plugin/__init__.py", "pytest_plugin/plugin.py", "tiny/__init__.py"], ""
    )
    code = {f"planspec_lark/{name}": text for name, text in {**plugin, "tiny/counting.py": COUNTING}.items()}
    begin = "from planspec_lark.tiny import counting\n\ndef test_it(): "
    tests = {f"tests/tiny/{name}": begin + text for name, text in TESTS.items()}
    for name, text in (code | tests).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_what_tests_find_is_told_from_what_they_do_not(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["tiny", "--seed", "1", "--without", "tests/tiny/test_edge.py"], root)
    _, *lines, summary = capsys.readouterr().out.splitlines()
    file = "planspec_lark/tiny/counting.py"
    assert sorted(lines) == [
        f"killed by time: {file}:11: number -= 2 → number += 2",
        f"killed only by tests/tiny/test_edge.py: {file}:6: number < 8 → (number <= 8)",
        f"killed: {file}:6: number < 8 → None",
        f"survived: {file}:10: number > 4 → (not (number > 4))",
        f"survived: {file}:10: number > 4 → (number >= 4)",
    ]
    assert summary == "1 killed, 1 killed by time, 1 killed only by tests/tiny/test_edge.py, 2 survived"
    assert (root / file).read_text() == COUNTING


@pytest.mark.parametrize("test", ["def test_it(): assert False", "def test_it(): pass"])
def test_tests_that_fail_anyway_find_nothing(root: Path, test: str) -> None:
    """Or that do not import the package."""
    (root / "tests/other.py").write_text(test)
    with pytest.raises(SystemExit, match=r"without a fault, tests/other\.py ends with 1"):
        main(["tiny", "--seed", "1", "--tests", "tests/other.py"], root)
