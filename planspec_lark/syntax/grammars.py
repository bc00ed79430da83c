"""Finds the grammars and keeps what is made of them, each once a process and only when it is asked for.

Everything that reads text gets its syntax here: the LALR parsers, single terminals as patterns, and regular rules as
patterns. Nothing else in the package opens a grammar file or says what the syntax is (guesses at near misses do not).

To make these from a grammar file takes longer than to read most texts. So an installed package has them ready, as JSON
in its folder ``compiled``, with the text of the grammar that they were made from. A checkout has no such folder; each
process keeps what it has made for the next one, beside the bytecode of this module and only where Python may write
that. Where a file is missing, or of another grammar, they are made again; so is a parser where Lark has another
version.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec_lark.syntax.source import end_last_line

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

__all__ = [
    "DIALECTS",
    "READ",
    "SCHEMAS",
    "STARTS",
    "Patterns",
    "dump",
    "expression",
    "grammar_path",
    "grammar_version",
    "parse_tree",
    "parser",
    "pattern",
    "readable_versions",
    "regular",
    "schema_path",
]

# The languages whose texts are read; the others are for generation.
READ = ("planspec", "plan_cmd", "hopspec", "json_text", "reference", "reflection", "repair")
# The grammars of their dialects, of which there are only patterns: see :mod:`planspec_lark.syntax.recovery`.
DIALECTS = ("planspec_dialect", "plan_cmd_dialect", "hopspec_dialect", "reflection_dialect", "json_text_dialect")
# What has a JSON Schema, in a file beside the grammars.
SCHEMAS = ("plan_next", "plan_next_strict", "plan_return", "tool_plan", "atoms")
# The rules that a text of each language can be read as.
STARTS = {
    "planspec": ("plan", "line"),
    "plan_cmd": ("command", "headline"),
    "hopspec": ("document",),
    "json_text": ("text",),
    "reference": ("value", "path"),
    "reflection": ("decision",),
    "repair": ("repaired", "choice", "unchanged", "almost"),
    "planspec_canonical": ("start",),
    "planspec_fresh": ("start",),
    "plan_cmd_canonical": ("start",),
    "plan_cmd_fresh": ("start",),
    "hopspec_canonical": ("start",),
    "notation": ("start",),
}
# The languages that a grammar imports from, and those that they import from.
_IMPORTS = {
    "plan_cmd": ("planspec",),
    "plan_cmd_dialect": ("planspec_dialect",),
    "json_text_dialect": ("json_text",),
    "hopspec": ("planspec",),
    "reflection": ("plan_cmd", "planspec"),
    "repair": ("plan_cmd", "planspec"),
}
_PACKAGE = Path(__file__).parents[1]


def grammar_path(language: str) -> Path:
    """The file that holds the grammar of ``language``: inside an installed package, or at a checkout's top level."""
    return _find(f"{language}.lark")


@cache
def grammar_version(language: str) -> str:
    """The version of ``language``, which is in the first line of its grammar's file: ``// Name grammar 1.0``."""
    with grammar_path(language).open(encoding="utf-8") as file:
        return file.readline().split()[-1]


def readable_versions(language: str) -> str:
    """How the versions begin whose texts mean the same in this one: with its first number and a dot."""
    return f"{grammar_version(language).partition('.')[0]}."


def schema_path(language: str) -> Path:
    """The file that holds the JSON Schema of ``language``, beside the grammars."""
    return _find(f"{language}.schema.json")


def _find(name: str) -> Path:
    inside = _PACKAGE / "grammar" / name
    return inside if inside.is_file() else _PACKAGE.parent / "grammar" / name


class Patterns:
    """What :class:`planspec_lark.syntax.patterns.RegularRules` makes of one language's grammar, compiled.

    Args:
        language: whose grammar.
        known: expressions that need not be made, by what is asked for; those that are made are added.
    """

    def __init__(self, language: str, known: dict[str, Any]) -> None:
        self._language = language
        self.known = known
        # A text has many tokens, and few kinds of them.
        self._parts: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {}

    def pattern(self, rule: str, *, without: str | None = None, groups: Sequence[str] | None = None) -> re.Pattern[str]:
        """A rule, but for one that is left out, with these groups or all."""
        return re.compile(self.make("pattern", rule, without, groups))

    def rows(self, rule: str, groups: Sequence[str]) -> re.Pattern[str]:
        """A rule again and again, and then the rest."""
        return re.compile(self.make("rows", rule, groups))

    def tokens(self, rule: str) -> re.Pattern[str]:
        """Any terminal of a rule."""
        return re.compile(self.make("tokens", rule))

    def terminal(self, name: str) -> re.Pattern[str]:
        """One terminal; what it says is the group ``value``."""
        return re.compile(self.make("terminal", name))

    def portable(self, terminal: str) -> str:
        """One terminal as a regular expression that other engines read as well."""
        return str(self.make("portable", terminal))

    def value(self, terminal: str, token: str) -> str:
        """What a token of this terminal says."""
        before, value = self._parts.get(terminal) or self._compile_parts(terminal)
        first = before.match(token)
        assert first is not None, "a token matches its terminal"
        if value is None:
            return token[first.end() :]
        match = value.match(token, first.end())
        assert match is not None, "a token matches its terminal"
        return match[0]

    def _compile_parts(self, terminal: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
        """What is before what a token says, and that, unless it is all of the rest."""
        before, value, after = self.make("parts", terminal)
        self._parts[terminal] = re.compile(before), re.compile(value) if after else None
        return self._parts[terminal]

    def make(self, kind: str, *arguments: object) -> Any:
        """What that method of the rules gives for these arguments."""
        key = json.dumps([kind, *arguments])
        if key not in self.known:
            from planspec_lark.syntax.lalr import load_rules  # noqa: PLC0415  (slow, and mostly not needed)

            self.known[key] = getattr(load_rules(grammar_path(self._language)), kind)(*arguments)
            _keep(self._language)
        return self.known[key]


@cache
def regular(language: str) -> Patterns:
    """The regular rules and the terminals of ``language`` as patterns."""
    return Patterns(language, dict(_compiled(language).get("expressions", {})))


@cache
def pattern(language: str, terminal: str) -> re.Pattern[str]:
    """One terminal of ``language`` as a compiled pattern; what it says is the group ``value``."""
    return regular(language).terminal(terminal)


@cache
def expression(language: str, terminal: str) -> str:
    """The same as an expression, to be put together with others: to compile it by itself takes time."""
    return str(regular(language).make("terminal", terminal))


@cache
def parser(language: str) -> Lark:
    """The LALR parser of ``language``. Its trees keep every token, so put together they are the text."""
    from planspec_lark.syntax.lalr import load_parser, make_parser  # noqa: PLC0415  (imports Lark)

    known = _compiled(language).get("parser")
    if known and (read := load_parser(known)) is not None:
        return read
    made = make_parser(grammar_path(language), STARTS[language])
    _MADE[language] = made
    _keep(language)
    return made


def parse_tree(language: str, text: str) -> Tree[Token] | None:
    """The tree of a text by the first start rule of ``language``, or None where the grammar refuses the text.

    The tokens put together are the text, whether or not its last line is ended.
    """
    from lark import Tree  # noqa: PLC0415  (slow, and mostly not needed)
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415

    start = STARTS[language][0]
    if not text:
        return Tree(start, [])
    ended = end_last_line(text)
    try:
        tree = parser(language).parse(ended, start=start)
    except UnexpectedInput:
        return None
    if ended != text:
        _end_early(tree)
    return tree


def _end_early(tree: Tree[Token]) -> None:
    """Take the line break that the text did not have off the last token."""
    node = tree
    while True:
        at, last = next((i, c) for i, c in reversed([*enumerate(node.children)]) if c is not None)
        if isinstance(last, str):
            node.children[at] = last.update(value=last[:-1])
            return
        node = last


# ---------------------------------------------------------------- ready-made


# The parsers that this process has made itself.
_MADE: dict[str, Lark] = {}


@cache
def _compiled(language: str) -> dict[str, Any]:
    """What was made of the grammar as it is now, by the build of the package or an earlier process; else empty."""
    origin = _origin(language)
    try:
        made = json.loads(_compiled_path(language).read_bytes())
    except (OSError, ValueError):
        return {}
    return made if isinstance(made, dict) and origin.items() <= made.items() else {}


def _compiled_path(language: str) -> Path:
    if _has_all():
        return _PACKAGE / "compiled" / f"{language}.json"
    from importlib.util import cache_from_source  # noqa: PLC0415  (an installed package does without)

    module = _PACKAGE / "syntax" / "grammars.py"
    return Path(cache_from_source(module)).with_name(f"{language}.{sys.implementation.cache_tag}.json")


def _has_all() -> bool:
    """Whether all was made when the package was built."""
    return (_PACKAGE / "compiled").is_dir()


def _find_origin(language: str) -> dict[str, Any]:
    """What things are made from and, where that may change, when what makes them did."""
    return {"grammar": _texts(language), **({} if _has_all() else {"makers": _makers()})}


@cache
def _origin(language: str) -> dict[str, Any]:
    """The same as this process has found it at first."""
    return _find_origin(language)


def _makers() -> list[list[int]]:
    """When what makes patterns and parsers was changed, and how long it is."""
    from importlib.util import find_spec  # noqa: PLC0415

    lark = find_spec("lark")
    own = (_PACKAGE / "syntax" / name for name in ("patterns.py", "lalr.py"))
    stats = [path.stat() for path in (*own, Path((lark and lark.origin) or __file__)) if path.is_file()]
    return [[stat.st_mtime_ns, stat.st_size] for stat in stats]


@cache
def _keep(language: str) -> None:
    """Write down at the end of the process what it has made."""
    if not (sys.dont_write_bytecode or _has_all()):
        atexit.register(_write, language, _compiled_path(language))


def _write(language: str, path: Path) -> None:
    from planspec_lark.syntax.lalr import dump_parser  # noqa: PLC0415  (imports Lark, which has made it)

    made, own = _origin(language), path.with_suffix(f".{os.getpid()}")
    parser = dump_parser(_MADE[language]) if language in _MADE else _compiled(language).get("parser")
    text = json.dumps({**made, "expressions": regular(language).known, "parser": parser}, separators=(",", ":"))
    # Others write at the same time, or the folder is not to be written to.
    with suppress(OSError):
        # An editor may have changed something since it was read: nobody knows what was made of which.
        if made == _find_origin(language):
            path.parent.mkdir(parents=True, exist_ok=True)
            own.write_text(text, encoding="ascii")
            own.replace(path)
    with suppress(OSError):
        own.unlink()


def _texts(language: str) -> list[str]:
    """All that the grammar of ``language`` is made of."""
    return [grammar_path(name).read_text(encoding="utf-8") for name in (language, *_IMPORTS.get(language, ()))]


def dump(language: str) -> str:
    """The parser, all terminals, and the rules that this process has asked for, as a file of ``compiled``.

    A dialect has no parser; of it, all rules are written down.
    """
    from planspec_lark.syntax.lalr import dump_parser, load_rules, make_parser  # noqa: PLC0415  (imports Lark)

    path, patterns = grammar_path(language), regular(language)
    rules = load_rules(path)
    for terminal in rules.names:
        for kind in ("terminal",) if language in DIALECTS else ("terminal", "parts", "portable"):
            patterns.make(kind, terminal)
    if language in DIALECTS:
        for rule in rules.rules:
            patterns.make("pattern", rule, None, None)
            patterns.make("tokens", rule)
        return json.dumps({"grammar": _texts(language), "expressions": patterns.known}, separators=(",", ":"))
    starts = STARTS[language]
    made_parser = make_parser(path, starts)
    made = {
        "grammar": _texts(language),
        "expressions": patterns.known,
        "parser": dump_parser(made_parser),
    }
    return json.dumps(made, separators=(",", ":"))
