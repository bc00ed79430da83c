"""The package from outside: its names, and what importing it costs."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

import planspec_lark


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


PACKAGES = [
    import_module("planspec_lark"),
    *(
        import_module(f"planspec_lark.{found.name}")
        for found in iter_modules(planspec_lark.__path__)
        # The command line is no library.
        if found.ispkg and found.name != "cli"
    ),
]
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: str(package.__name__))


@each_package
def test_every_public_name_is_there(package: ModuleType) -> None:
    for name in package.__all__:
        assert getattr(package, name).__doc__
    assert sorted(package.__all__) == package.__all__
    assert package.__all__ == dir(package)


@each_package
def test_type_checkers_see_the_same_names(package: ModuleType) -> None:
    text = Path(str(package.__file__)).read_text(encoding="utf-8")
    assert sorted(re.findall(r"\b(\w+) as \1\b", text)) == package.__all__


@each_package
def test_no_module_hides_a_public_name(package: ModuleType) -> None:
    assert not {found.name for found in iter_modules(package.__path__)} & set(package.__all__)


@each_package
def test_all_errors_have_one_base(package: ModuleType) -> None:
    for name in package.__all__:
        value = getattr(package, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, planspec_lark.PlanSpecError), name


def test_what_is_at_the_top_is_public_in_its_package() -> None:
    for name in PACKAGES[0].__all__:
        value = getattr(planspec_lark, name)
        packages = [package for package in PACKAGES[1:] if name in package.__all__]
        assert [getattr(package, name) is value for package in packages] == [True], name


@each_package
def test_a_name_is_looked_for_once(package: ModuleType) -> None:
    for name in package.__all__:
        assert getattr(package, name) is vars(package)[name]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'parse_plans'"):
        PACKAGES[0].parse_plans  # noqa: B018


def test_importing_loads_no_library() -> None:
    assert (
        run("import sys, planspec_lark; print([n for n in ('lark', 'attrs', 'cattrs', 'click') if n in sys.modules])")
        == "[]"
    )


def test_models_alone_build_no_parser() -> None:
    code = "from planspec_lark import PlanStep; PlanStep('1'); print(grammars.parser.cache_info().currsize)"
    assert run(f"from planspec_lark.syntax import grammars; {code}") == "0"


def test_reading_a_valid_plan_builds_no_parser() -> None:
    code = "parse_plan('## Steps\\n1. [act] x\\n'); print(grammars.parser.cache_info().currsize)"
    assert run(f"from planspec_lark.syntax import grammars; from planspec_lark import parse_plan; {code}") == "0"


def test_no_public_name_loads_click_or_rich() -> None:
    code = """
import sys
import planspec_lark
for name in planspec_lark.__all__:
    getattr(planspec_lark, name)
print({'click', 'rich'} & sys.modules.keys())
"""
    assert run(code) == "set()"


WITH_EXAMPLES = [name for name in PACKAGES[0].__all__ if ">>> " in (getattr(planspec_lark, name).__doc__ or "")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_docstrings_run(name: str) -> None:
    known = {each: getattr(planspec_lark, each) for each in PACKAGES[0].__all__}
    (test,) = doctest.DocTestFinder(recurse=False).find(known[name], name, globs=known)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted
    assert not results.failed


def test_what_a_first_day_needs_has_an_example() -> None:
    needed = (
        "apply_commands check_text draft_plan extract_plan next_step parse_plan plan_prompt repair_plan run_plan "
        "serialize_plan"
    )
    assert set(needed.split()) <= set(WITH_EXAMPLES)
