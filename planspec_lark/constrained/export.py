"""A language in the form in which a server for language models takes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lark import Tree

from planspec_lark.constrained.notation import Definitions, read_grammar, write_gbnf, write_grammar
from planspec_lark.constrained.shape import leave_out, spell_ids, to_depth
from planspec_lark.planspec.models import CONTAINER_TYPES, STEP_TYPES
from planspec_lark.syntax import grammars
from planspec_lark.syntax.fields import require_one_of

__all__ = ["EXPORTED", "MOST_STEPS", "TARGETS", "TYPES", "export_grammar"]

# The forms; the four that read Lark's notation read the same text.
TARGETS = ("lark", "llguidance", "openai", "xgrammar", "gbnf", "llama.cpp")
_JSON_TARGETS = ("llguidance", "openai", "xgrammar", "llama.cpp")
# The languages.
EXPORTED = ("planspec", "plan_cmd", "hopspec", "plan_next")
TYPES = tuple(STEP_TYPES)
_LEAVES = tuple(name for name in TYPES if name not in CONTAINER_TYPES)

# What is there only once a plan runs, by language, and which levels a depth is of.
_RUNNING = {"planspec": {"MARK", "_results"}, "plan_cmd": {"STATUS_VERB"}}
_LEVELS = {"planspec": "step_", "plan_cmd": "_ID_", "hopspec": "step_"}

# Bounds of what an engine can work with: levels, and siblings and steps where each id has a rule of its own.
_MOST_LEVELS = 50
_MOST_SIBLINGS = 100
MOST_STEPS = 2000


def export_grammar(  # noqa: PLR0913  (each says another thing about the plans wanted)
    target: str,
    *,
    language: str = "planspec",
    depth: int = 3,
    types: Iterable[str] = TYPES,
    allow_results: bool = False,
    siblings: int | None = None,
    words: str = "en",
) -> str:
    """A grammar that holds a language model to fresh plans, to commands, or to HopSpec documents.

    Args:
        target: what will read it: "lark", "llguidance", "openai", "xgrammar" (one text for all four), "gbnf" or
            "llama.cpp".
        language: "planspec", "plan_cmd", "hopspec", or "plan_next" for the JSON Schema of a planner's messages, which
            takes none of the arguments below.
        depth: how many levels of steps there may be, 1 to 50; for commands, how many numbers an id has at most.
        types: the step types that may be used.
        allow_results: allow what is there only once a plan runs, too: marks, results and progress; for commands, DONE,
            BLOCKED and SKIP.
        siblings: spell all ids out, from 1 to this number (at most 100) at each level and none left out, so that no id
            can come twice. For plans only, and at most 2000 steps in all.
        words: "zh" or "en": the names of sections and attributes in HopSpec documents, which take ``depth`` besides.

    Returns:
        The grammar's text, ending in a line break. Plans of it satisfy all that ``validate_plan`` asks for; without
        ``siblings``, only once their ids are right, as no such grammar can say that they differ.

    Raises:
        ValueError: an unknown target, language or type, a bound that is no int or out of range, types that are one
            text, or arguments that do not go together. The message starts with the argument's name.
    """
    require_one_of("target", target, TARGETS)
    require_one_of("language", language, EXPORTED)
    _check_int("depth", depth)
    if siblings is not None:
        _check_int("siblings", siblings)
    names = _names_of(types)
    if language != "hopspec" and words != "en":
        raise ValueError(f"words: {language!r} has no words in two languages; only 'hopspec' has")
    if language == "plan_next":
        if target not in _JSON_TARGETS:
            raise ValueError(f"target: {target!r} reads no JSON Schema; plan_next is for {', '.join(_JSON_TARGETS)}")
        if (depth, names, allow_results, siblings) != (3, set(TYPES), False, None):
            raise ValueError("language: 'plan_next' has no depth, types, results or siblings to choose")
        return _closed_schema("plan_next_strict")
    if language == "hopspec":
        require_one_of("words", words, ("zh", "en"))
        _check_depth(depth)
        if (names, allow_results, siblings) != (set(TYPES), False, None):
            raise ValueError("language: 'hopspec' has no types, results or siblings to choose")
        definitions = read_grammar("hopspec_canonical")
        definitions = leave_out(definitions, _foreign_words(definitions, words))
        return _write(target, to_depth(definitions, _LEVELS[language], depth))
    _check_bounds(language, depth, names, siblings)
    gone = {f"[{name}]" for name in TYPES if name not in names}
    if not allow_results:
        gone |= _RUNNING[language]
    definitions = to_depth(leave_out(read_grammar(f"{language}_fresh"), gone), _LEVELS[language], depth)
    if siblings is not None:
        # Without containers, all steps are at the top level.
        definitions = spell_ids(definitions, siblings, sum(name.startswith("step_") for name in definitions))
    return _write(target, definitions)


def _write(target: str, definitions: Definitions) -> str:
    if target == "gbnf":
        return write_gbnf(definitions)
    text = write_grammar(definitions)
    return f"%llguidance {{}}\n{text}" if target == "llama.cpp" else text


def _closed_schema(language: str) -> str:
    """The JSON Schema of a planner's messages, as engines can follow it.

    The strict file in ``grammar/`` is for checking: it names the keys that must not be there. Engines work the other
    way round, by the keys that may come next, so objects of known keys are closed for them. What they let through, the
    file allows.
    """
    text = grammars.schema_path(language).read_text(encoding="utf-8")
    return json.dumps(json.loads(text, object_hook=_close), indent=2, ensure_ascii=False) + "\n"


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    """One object of a schema with ``additionalProperties: false`` in the place of forbidden keys."""
    properties = schema.get("properties", {})
    if False in properties.values():
        schema["properties"] = {key: value for key, value in properties.items() if value is not False}
        schema["additionalProperties"] = False
    return schema


def _names_of(types: Iterable[str]) -> set[str]:
    """The types, of which there may be only one pass."""
    if isinstance(types, str):
        raise ValueError(f"types: {types!r} is one text; give a collection of names, such as ({types!r},)")
    if isinstance(types, bytes) or not isinstance(types, Iterable):
        raise ValueError(f"types: {types!r} is no collection of names")
    names = list(types)
    for name in names:
        require_one_of("types", name, TYPES)
    return set(names)


def _check_int(what: str, value: int) -> None:
    # A float would never be met by counting up, and True is not a number to a reader.
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{what}: {value!r} is not a whole number")


def _foreign_words(definitions: Definitions, words: str) -> set[str]:
    """The literals of the other language, where a choice has some of both."""
    foreign: set[str] = set()
    for definition in definitions.values():
        for choice in definition.find_data("choice"):
            alternatives = [one.children for one in choice.children if isinstance(one, Tree)]
            literals = {
                str(one[0]).strip('" ') for one in alternatives if len(one) == 1 and str(one[0]).startswith('"')
            }
            if not all(map(str.isascii, literals)):
                foreign |= {one for one in literals if one.isascii() == (words == "zh")}
    return foreign


def _check_depth(depth: int) -> None:
    if not 1 <= depth <= _MOST_LEVELS:
        raise ValueError(f"depth: {depth} is not between 1 and {_MOST_LEVELS}")


def _check_bounds(language: str, depth: int, types: set[str], siblings: int | None) -> None:
    if language == "planspec" and not types & set(_LEAVES):
        raise ValueError(f"types: without {' or '.join(_LEAVES)} no plan could end")
    if not types:
        raise ValueError("types: at least one is needed")
    _check_depth(depth)
    if siblings is None:
        return
    if language != "planspec":
        raise ValueError("siblings: only plans have ids to spell out")
    if not 1 <= siblings <= _MOST_SIBLINGS:
        raise ValueError(f"siblings: {siblings} is not between 1 and {_MOST_SIBLINGS}")
    steps = 0
    for level in range(1, (depth if types - set(_LEAVES) else 1) + 1):
        steps += siblings**level
        if steps > MOST_STEPS:
            message = f"{siblings} at a depth of {depth} is {steps} steps or more, above {MOST_STEPS}"
            raise ValueError(f"siblings: {message}")
