"""All regular expressions of the package, and what each is used for.

Some are names of modules, some are made by functions or kept in tables, and many are made of grammars. So everything
that is compiled is noted down, in a fresh interpreter, while modules are imported and while texts are read.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from attrs import field, frozen

import planspec_lark

__all__ = ["Expression", "collect"]

_ROOT = Path(planspec_lark.__file__).parent
# What each method of a pattern is like; splitting and replacing look for one match after the other.
_METHODS = {
    "match": "match",
    "fullmatch": "fullmatch",
    "search": "search",
    **dict.fromkeys(("finditer", "findall", "split", "sub", "subn"), "finditer"),
}
_GRAMMARS = "planspec_lark.syntax.grammars"
_ALL = frozenset(("match", "fullmatch", "finditer"))
_FROM_START = frozenset(("match", "fullmatch"))
# What is passed on or stands in a table, and what is called where it arrives.
_PASSED_ON = {
    "planspec_lark.exchange.formats.<module>": "fullmatch",
    "planspec_lark.exchange.numbers.NUMBER": "match",
    "planspec_lark.exchange.openspec._HEADING": "match",
    "planspec_lark.json_text.tokens.<dictcomp>": "match",
    "planspec_lark.lsp.planspec_index.PlanIndex": "search",
    "planspec_lark.lsp.planspec_index._CLOSING": "match",
    "planspec_lark.plan_next.wording.guess_words.WordList._compiled": "finditer",
}


@frozen
class Expression:
    """A compiled expression: where it is from, and the methods that are called."""

    place: str
    pattern: re.Pattern[str] = field(eq=lambda pattern: (pattern.pattern, pattern.flags))
    methods: frozenset[str]


def collect() -> list[Expression]:
    """The expressions of all modules. Works only where no module of the package was imported before."""
    assert not [name for name in sys.modules if name.startswith("planspec_lark.syntax")], (
        "an interpreter that is not fresh"
    )
    with _noted() as noted:
        modules = [*_import_all()]
        _read_texts()
        _ask_grammars()
    named = dict(_named(modules))
    known = {(pattern.pattern, pattern.flags) for pattern in named.values()}
    found = [Expression(place, pattern, _used(place)) for place, pattern in named.items()]
    # A module's own one has a name, or stands in a table.
    found += [one for one in noted if (one.pattern.pattern, one.pattern.flags) not in known]
    return [*{(one.pattern.pattern, one.pattern.flags, one.methods): one for one in found if one.methods}.values()]


def _import_all() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages([str(_ROOT)], "planspec_lark."):
        if info.name.rpartition(".")[2] != "__main__":
            yield importlib.import_module(info.name)


def _read_texts() -> None:
    """A little of everything goes through all readers and printers, so that what they make on first use is made."""
    from tests.growth.families import FAMILIES

    for family in FAMILIES.values():
        for at, make in enumerate(family.shapes.values()):
            # Most are made by the first text.
            for work in family.work.values() if at % 10 == 0 else ():
                work.run(work.make(make(60)))


def _ask_grammars() -> None:
    """All terminals and all rules, as far as they are regular."""
    from planspec_lark.syntax import grammars
    from planspec_lark.syntax.lalr import load_rules

    for language in (*grammars.READ, *grammars.DIALECTS):
        patterns, rules = grammars.regular(language), load_rules(grammars.grammar_path(language))
        for terminal in rules.names:
            patterns.terminal(terminal)
        for rule in rules._rules:
            with suppress(ValueError):
                patterns.pattern(rule)


def _named(modules: list[ModuleType]) -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in modules:
        assigned = _assigned(module.__name__)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str) and name in assigned:
                yield f"{module.__name__}.{name}", value


# ---------------------------------------------------------------- what is compiled


@contextmanager
def _noted() -> Iterator[list[Expression]]:
    """All that the package compiles meanwhile, by ``re.compile`` and by functions such as ``re.sub``."""
    noted: list[Expression] = []
    compile_it = re._compile  # type: ignore[attr-defined]

    def note(pattern: Any, flags: Any) -> Any:
        compiled = compile_it(pattern, flags)
        function = sys._getframe(1)
        frame = function.f_back
        if frame and str(_ROOT) in frame.f_code.co_filename and isinstance(compiled.pattern, str):
            methods = {_METHODS[function.f_code.co_name]} if function.f_code.co_name in _METHODS else _methods(frame)
            noted.append(Expression(_place(frame), compiled, frozenset(methods)))
        return compiled

    re._compile = note  # type: ignore[attr-defined]
    try:
        yield noted
    finally:
        re._compile = compile_it  # type: ignore[attr-defined]


def _place(frame: FrameType) -> str:
    place = f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}"
    if frame.f_globals["__name__"] == _GRAMMARS:
        values = frame.f_locals
        return f"{place} {values['self']._language} {values.get('name') or values.get('rule') or values['terminal']}"
    return place


def _methods(frame: FrameType) -> frozenset[str]:
    """Those of what a function compiles: the one that it calls at once, or all."""
    if _place(frame) in _PASSED_ON:
        return frozenset((_PASSED_ON[_place(frame)],))
    if frame.f_globals["__name__"] == _GRAMMARS:
        # Rules and tokens are read where they begin, as the text before them is known.
        return {"rows": _ALL, "tokens": frozenset(("match",))}.get(frame.f_code.co_name, _FROM_START)
    place = [*frame.f_code.co_positions()][frame.f_lasti // 2]
    called = _called_at_once(frame.f_code.co_filename).get((place[0], place[2]))
    return frozenset((_METHODS[called],)) if called in _METHODS else _ALL


# ---------------------------------------------------------------- what the code says


@cache
def _trees() -> dict[str, ast.Module]:
    """The modules by their names."""
    found = {}
    for path in _ROOT.rglob("*.py"):
        name = ".".join(path.relative_to(_ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def _called_at_once(file: str) -> dict[tuple[int | None, int | None], str]:
    """The methods of what calls give, by the line and the column where the call begins."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return {
        (node.value.lineno, node.value.col_offset): node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
    }


@cache
def _assigned(module: str) -> frozenset[str]:
    """The names that a module itself gives."""
    nodes = [*ast.walk(_trees()[module])]
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


@cache
def _uses() -> dict[str, set[str]]:
    """What is done with each name of a module: the attributes, or "" where it is passed on."""
    uses: dict[str, set[str]] = defaultdict(set)
    for module, tree in _trees().items():
        origins = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        attributes = {node.value: node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                uses[origins.get(node.id, f"{module}.{node.id}")].add(attributes.get(node, ""))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in origins:
                uses[f"{origins[node.value.id]}.{node.attr}"].add(attributes.get(node, ""))
    return uses


def _used(place: str) -> frozenset[str]:
    """The methods that are called of a pattern: all where it is passed on, none where it is a part of others."""
    if place in _PASSED_ON:
        return frozenset((_PASSED_ON[place],))
    uses = _uses().get(place, set())
    if "" in uses:
        return _ALL
    return frozenset(_METHODS[use] for use in uses if use in _METHODS)
