"""What all prompts for language models share: languages, templates, and texts of strangers in their places.

The sentences are in templates, one file for each prompt and language, in the folder `templates` of the package that
they belong to. Whatever comes from a context, a plan, a list or an answer was written by strangers. It is put into code
blocks that it can not end, and it is put in last, so that nothing in it is taken for a part of a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from string import Template
from typing import Any

from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.safe_text import safe_json, visible
from planspec_lark.syntax.transliteration import has_han

__all__ = ["LANGUAGES", "fill", "language_of", "prompt_json", "read_template", "refusal_values", "text_values"]

LANGUAGES = ("en", "zh")
# Of many diagnostics, and of a long answer, a prompt shows the start.
_SHOWN_DIAGNOSTICS = 50
_SHOWN_CHARACTERS = 20_000
# Lines between these are there, or not there, as a value is; sections do not hold each other.
_SECTION = re.compile(r"^<!-- if (not )?(\w+) -->\n(.*?)^<!-- end -->\n", re.MULTILINE | re.DOTALL)
# What could end a code block, or a message of a chat (`<|im_end|>`, `</s>`), inside a JSON string.
_MARKS = re.compile(r"`{3,}|<(?=\||/?s>)")


def language_of(text: str) -> str:
    """The language in which to answer a text: "zh" where there is Chinese in it, else "en"."""
    return "zh" if has_han(text) else "en"


@cache
def read_template(package: str, name: str, language: str) -> str:
    """A package's template in a language.

    Raises:
        ValueError: there are no templates in this language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"there are prompts in {' and '.join(LANGUAGES)}, not in {language!r}")
    from importlib.resources import files  # noqa: PLC0415  (slow to load, and most calls write no prompt)

    return files(package).joinpath(f"templates/{name}.{language}.md").read_text(encoding="utf-8")


def fill(template: str, **values: str | None) -> str:
    """A template with its values, and without the sections of values that are None."""

    def keep(section: re.Match[str]) -> str:
        return section[3] if (values[section[2]] is None) == bool(section[1]) else ""

    return Template(_SECTION.sub(keep, template)).substitute(values)


def prompt_json(value: object, *, indent: int | None = 2) -> str:
    """JSON text that means the same and has nothing in it that could end a code block or steer what shows it."""
    # In JSON text, the marks occur inside strings only.
    return _MARKS.sub(lambda mark: f"\\u{ord(mark[0][0]):04x}" * len(mark[0]), safe_json(value, indent=indent))


def text_values(
    text: str | None, *, most: int | None = _SHOWN_CHARACTERS, name: str = "answer"
) -> dict[str, str | None]:
    """A stranger's text as the value ``name``, a code block with its first so many characters; and whether it is cut.

    What is cut makes the value ``name_cut``. None stays None.
    """
    cut = text is not None and most is not None and len(text) > most
    return {name: None if text is None else _block(text[:most]), f"{name}_cut": "yes" if cut else None}


def refusal_values(diagnostics: Iterable[Diagnostic], answer: str | None) -> dict[str, str | None]:
    """What says that an answer was refused: its ``diagnostics``, how many ``more`` there are, and the ``answer``.

    Errors come first, and of very many diagnostics only the first ones are shown.
    """
    found = sorted(diagnostics, key=lambda one: one.severity is not Severity.ERROR)
    more = len(found) - _SHOWN_DIAGNOSTICS
    return {
        "diagnostics": prompt_json([_finding(one) for one in found[:_SHOWN_DIAGNOSTICS]]),
        "more": str(more) if more > 0 else None,
        **text_values(answer),
    }


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    finding = {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "expected": list(diagnostic.expected),
        "help": diagnostic.help,
    }
    return {key: value for key, value in finding.items() if value}


def _block(text: str) -> str:
    """Any text as a code block, with a fence longer than any in it."""
    shown = _MARKS.sub(lambda mark: mark[0].replace("<", r"\u003c"), visible(text.replace("\r\n", "\n")))
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"
