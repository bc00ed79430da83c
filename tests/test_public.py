"""The package from outside: its names, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import planspec_lark


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_public_name_is_there() -> None:
    for name in planspec_lark.__all__:
        assert getattr(planspec_lark, name).__doc__
    assert sorted(planspec_lark.__all__) == planspec_lark.__all__
    assert set(planspec_lark.__all__) <= set(dir(planspec_lark))


def test_type_checkers_see_the_same_names() -> None:
    text = Path(planspec_lark.__file__).read_text(encoding="utf-8")
    block = text[text.index("if TYPE_CHECKING:") : text.index("_HOMES")]
    for name in planspec_lark.__all__:
        assert name in block, name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'parse_plans'"):
        planspec_lark.parse_plans  # noqa: B018


def test_importing_loads_no_library() -> None:
    assert (
        run("import sys, planspec_lark; print([n for n in ('lark', 'attrs', 'cattrs', 'click') if n in sys.modules])")
        == "[]"
    )


def test_models_alone_build_no_parser() -> None:
    code = "from planspec_lark.syntax import grammars; from planspec_lark import PlanStep; PlanStep('1'); print(grammars.parser.cache_info().currsize)"
    assert run(f"import planspec_lark.syntax.grammars; {code}") == "0"


def test_reading_a_valid_plan_builds_no_parser() -> None:
    code = "parse_plan('## Steps\\n1. [act] x\\n'); print(grammars.parser.cache_info().currsize)"
    assert run(f"from planspec_lark.syntax import grammars; from planspec_lark import parse_plan; {code}") == "0"


def test_the_core_needs_neither_click_nor_rich() -> None:
    code = """
import sys
sys.modules['click'] = sys.modules['rich'] = None
import planspec_lark
for name in planspec_lark.__all__:
    getattr(planspec_lark, name)
print('fine')
"""
    assert run(code) == "fine"
