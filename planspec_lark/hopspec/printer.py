"""HopSpec document → canonical text, in either language.

For every document that is printed, the text reads back as the same document; one that no text could spell is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planspec_lark.hopspec.blocks import is_conflict_marker, split_names, write_block, write_value
from planspec_lark.hopspec.models import MODES, STEP_TYPES, HopSpec, StepInfo, iter_infos
from planspec_lark.hopspec.vocabulary import EMPTY, MODE, SECTIONS, STEP, VALUES, Language, Word, keys_of
from planspec_lark.syntax import grammars
from planspec_lark.syntax.fields import COUNT_LIMIT, require_one_of
from planspec_lark.syntax.tree import find_parents, iter_tree

__all__ = ["serialize_hopspec", "step_line", "written_key"]

_COLONS = {"zh": "：", "en": ": "}
_BRACKETS = {"zh": "（{}）", "en": " ({})"}


def serialize_hopspec(document: HopSpec, *, language: Language | None = None) -> str:
    """Print a document.

    Args:
        document: any document.
        language: "zh" or "en" for the names of sections, attributes and values; by default the document's own. What
            people have written stays as it is.

    Returns:
        Canonical text that ends in a line break; the empty text for the empty document. It reads back as the same
        document.

    Raises:
        ValueError: no text could spell this document: a number comes twice or does not fit its place, or a field holds
            what none could say. The message starts with the field's name.
    """
    said: Language = language or document.language
    blocks: list[list[str]] = []
    head = []
    if document.title:
        head.append(f"# {_checked('title', document.title, 'TEXT')}")
    if document.mode:
        require_one_of("mode", document.mode, MODES)
        head.append(_line(MODE, said, document.mode))
    if head:
        blocks.append(head)
    for name, word in SECTIONS.items():
        header = f"## {word.of(said)}"
        if name == "steps":
            if document.steps or document.comments:
                blocks += [header], *([comments] if (comments := _comments(document.comments)) else [])
                blocks += _write_steps(document.steps, said)
        elif text := getattr(document, name):
            blocks += [header], [*write_block(name, text)]
    return "".join(f"{row}\n" for at, block in enumerate(blocks) for row in (*[""] * bool(at), *block))


def _write_steps(steps: list[StepInfo], language: Language) -> Iterator[list[str]]:
    _check_ids(steps)
    depths: dict[int, int] = {}
    for step, parent in iter_tree(steps):
        depth = depths[id(step)] = depths[id(parent)] + 1 if parent else 0
        indent = "  " * depth
        rows = [step_line(step, language), *_write_attributes(step, language), *_comments(step.comments)]
        yield [f"{indent}{row}" if row else "" for row in rows]


def step_line(step: StepInfo, language: Language) -> str:
    """The heading of a step."""
    name = f": {_checked('step_name', step.step_name, 'WORD')}" if step.step_name else ""
    label = _BRACKETS[language].format(_checked("label", step.label, "LABEL_WORDS")) if step.label else ""
    return f"#### {STEP.of(language)}{_checked('step_id', step.step_id, 'ID')}{name}{label}"


def _write_attributes(step: StepInfo, language: Language) -> Iterator[str]:
    kind = STEP_TYPES.get(step.step_type)
    for key in keys_of(step.step_type):
        value = getattr(step, key.field)
        start = f"- {written_key(key.word, language)}"
        if isinstance(value, list):
            if value:
                yield start + _list(step.step_id, key.field, value)
            elif key.field == "inputs" and kind and "inputs" in kind.required:
                yield start + EMPTY.of(language)
        elif isinstance(value, str):
            if value:
                yield from _write_text(key.field, value, start, language)
        elif value is not None:
            yield start + _count(key.field, value)


def _write_text(name: str, value: str, start: str, language: Language) -> Iterator[str]:
    if "\n" in value:
        yield start.rstrip()
        yield from write_value(name, value)
        return
    words = VALUES.get(name, {})
    if value not in words and any(value in word.all for word in words.values()):
        raise ValueError(f"{name}: {value!r} would be read as another value")
    if (name, value) == ("step_type", "seq_think"):
        raise ValueError(f"{name}: 'seq_think' is written as subtask with the expansion think")
    yield start + (words[value].of(language) if value in words else _checked(name, value, "TEXT"))


def _list(step_id: str, name: str, items: list[str]) -> str:
    joined = ", ".join(items)
    if joined in EMPTY.all:
        raise ValueError(f"{name}: step {step_id} has {joined!r} alone, which would be read as no names; rename it")
    if split_names(joined) != items or not grammars.pattern("hopspec", "NAMES").fullmatch(joined):
        rule = "no name of a list is empty or has commas, control characters, or white space around it"
        raise ValueError(f"{name}: step {step_id} has {items!r}; {rule}")
    return joined


def _count(name: str, value: Any) -> str:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= COUNT_LIMIT:
        raise ValueError(f"{name}: expected a whole number from 0 to {COUNT_LIMIT}")
    return str(value)


def _comments(comments: list[str]) -> list[str]:
    if marker := next(filter(is_conflict_marker, comments), None):
        raise ValueError(f"comments: {marker!r} would be read as a conflict marker of a merge")
    return [_checked("comments", comment, "COMMENT_TEXT") for comment in comments]


def written_key(word: Word, language: Language) -> str:
    """The name of an attribute, with its colon."""
    return _line(word, language, "")


def _line(word: Word, language: Language, value: str) -> str:
    return f"{word.of(language)}{_COLONS[language]}{value}"


def _checked(name: str, value: str, terminal: str) -> str:
    if not grammars.pattern("hopspec", terminal).fullmatch(value):
        raise ValueError(f"{name}: {value!r} cannot be written in a document")
    return value


def _check_ids(steps: list[StepInfo]) -> None:
    ids = [step.step_id for step in iter_infos(steps)]
    seen: set[str] = set()
    for step_id in ids:
        if step_id in seen:
            raise ValueError(f"step_id: {step_id} comes twice")
        seen.add(step_id)
    for (step, parent), meant in zip(iter_tree(steps), find_parents(ids), strict=True):
        if (parent and parent.step_id) != meant:
            place = f"below {parent.step_id}" if parent else "at the top level"
            raise ValueError(f"step_id: {step.step_id} is {place}, and would be read elsewhere")
