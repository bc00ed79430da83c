"""What a HopSpec document has to have beyond its syntax: the rules of its definition, as diagnostics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from planspec_lark.hopspec.data_flow import find_declared, inner_variables, needed, produced
from planspec_lark.hopspec.models import STEP_TYPES, HopSpec, StepInfo, iter_infos
from planspec_lark.hopspec.vocabulary import SECTIONS, Language, keys_of
from planspec_lark.planspec.models import STEP_TYPES as PLAN_TYPES
from planspec_lark.syntax.diagnostics import Diagnostic, join_words, shorten
from planspec_lark.syntax.spelling import find_near
from planspec_lark.syntax.tree import iter_tree, walk_tree

__all__ = ["check_rules"]

_SNAKE_CASE = re.compile(r"[a-z_][a-z0-9_]*")
_WRITE_SNAKE_CASE = "write lower-case letters, digits and `_`"
_TYPES = f"the types are {join_words([*STEP_TYPES], 'and')}"
# What other words for a type mean.
_MEANT = {
    **{name.lower(): name for name in STEP_TYPES},
    **{name: next(iter(one.hopspec)) for name, one in PLAN_TYPES.items() if name not in STEP_TYPES},
}
# Levels of subtasks where none says how many.
_DEPTH = 3


def check_rules(document: HopSpec, given: Mapping[str, Collection[str]]) -> Iterator[Diagnostic]:
    """Check all rules.

    Args:
        document: any document.
        given: for each step, by its number, the fields that the text has, so that an attribute without a value can be
            told from one that is missing.

    Returns:
        What was found: first about the document, then step by step, then the flow of data.
    """
    yield from _check_document(document)
    yield from _check_names(document)
    for step in iter_infos(document.steps):
        yield from _check_type(step, document.language)
        if step.step_type in STEP_TYPES:
            mode = step.mode()
            yield from _check_attributes(step, mode, document, given.get(step.step_id, ()))
            yield from _check_children(step, mode)
    yield from _check_numbers(document.steps)
    yield from _check_scopes(document.steps)
    yield from _check_depths(document.steps)
    yield from _check_data_flow(document)


def _found(  # noqa: PLR0913, PLR0917  (the fields of a diagnostic)
    code: str, step: StepInfo, message: str, part: str = "step_id", help: str = "", replacement: str = ""
) -> Diagnostic:
    name = f" ({shorten(step.step_name)})" if step.step_name else ""
    said = f"step {step.step_id}{name}: {message}"
    return Diagnostic(code, said, help=help, step_id=step.step_id, part=part, replacement=replacement)


def _say(step_type: str, name: str, language: Language) -> str:
    """A field as the attribute of such a step is called."""
    return f"`{next(key.word.of(language) for key in keys_of(step_type) if key.field == name)}`"


# ---------------------------------------------------------------- the document


def _check_document(document: HopSpec) -> Iterator[Diagnostic]:
    for name, word in SECTIONS.items():
        if name != "steps" and not getattr(document, name):
            help = f"write `## {word.of(document.language)}`, and some text below it"
            yield Diagnostic("HS202", f"the section `{word.of(document.language)}` is missing", help=help, part=name)
    if not document.steps:
        help = f"write `## {SECTIONS['steps'].of(document.language)}`, and steps below it"
        yield Diagnostic("HS201", "the document has no steps", help=help, part="steps")
        return
    last = document.steps[-1]
    if (last.step_type, last.action) != ("flow", "exit"):
        help = "end the document with a step of type `flow` whose action is `exit`"
        yield _found("HS203", last, "the last step does not exit", help=help)


def _check_names(document: HopSpec) -> Iterator[Diagnostic]:
    first: dict[str, str] = {}
    for step in iter_infos(document.steps):
        name = step.step_name
        if not name:
            if document.mode != "JIT":
                help = "write a name in snake_case after the number; only JIT documents may omit it"
                yield _found("HS215", step, "the name is missing", help=help)
            continue
        if name in first:
            message = f"duplicate name, first seen at step {first[name]}"
            yield _found("HS216", step, message, help="rename one of the two")
        first.setdefault(name, step.step_id)
        if not _SNAKE_CASE.fullmatch(name):
            yield _found("HS217", step, "the name is not in snake_case", help=_WRITE_SNAKE_CASE)


# ---------------------------------------------------------------- one step


def _check_type(step: StepInfo, language: Language) -> Iterator[Diagnostic]:
    kind = step.step_type
    label = _MEANT.get(step.label.lower(), "")
    if kind not in STEP_TYPES:
        meant = _MEANT.get(kind.lower()) or find_near(kind, STEP_TYPES)
        message = f"invalid type `{shorten(kind)}`" if kind else f"{_say('', 'step_type', language)} is missing"
        advice = f"did you mean `{meant or label}`? {_TYPES}" if meant or label else _TYPES
        yield _found("HS204", step, message, "step_type", advice, meant if kind else "")
    elif label and label != kind:
        help = "the word in brackets is for readers; the attribute counts"
        yield _found("HS223", step, f"the heading says `{label}`, and the type is `{kind}`", help=help)


def _check_attributes(step: StepInfo, mode: str, document: HopSpec, given: Collection[str]) -> Iterator[Diagnostic]:
    def say(name: str) -> str:
        return _say(step.step_type, name, document.language)

    yield from _check_values(step, document.language)
    for names in _find_missing(step, mode, given):
        yield _found("HS205", step, f"{' or '.join(map(say, names))} is missing")
    if step.collection and step.condition and step.step_type == "loop":
        help = "a loop goes through a collection, or runs while a condition is true: remove one of the two"
        yield _found("HS213", step, f"it has both {say('collection')} and {say('condition')}", "condition", help=help)
    elif mode == "while" and document.mode == "JIT" and not step.max_iterations:
        help = "in a JIT document, a `while` loop needs a limit above 0"
        yield _found("HS214", step, f"{say('max_iterations')} is missing", help=help)
    for name in _foreign_fields(step.step_type, mode):
        if getattr(step, name):
            which = f"a step of type `{step.step_type}`" + (f" with the mode `{mode}`" if mode else "")
            yield _found("HS206", step, f"{which} has no attribute {say(name)}", name)
    if step.step_type == "LLM" and not step.verifier:
        yield _found("HS224", step, f"{say('verifier')} is missing", help="the default is reverse verification")


def _find_missing(step: StepInfo, mode: str, given: Collection[str]) -> Iterator[list[str]]:
    """The attributes that a step needs and does not have: each by itself, or some of which it needs one."""
    kind = STEP_TYPES[step.step_type]
    if kind.modes and not kind.chooser and not mode:
        yield [one.required[0] for one in kind.modes.values()]
    for name in (*kind.required, *(kind.modes[mode].required if mode else ())):
        is_said = name == "inputs" and name in given
        if not (is_said or getattr(step, name)):
            yield [name]


@cache
def _foreign_fields(step_type: str, mode: str) -> tuple[str, ...]:
    """The attributes that do not belong to such a step; of the condition of a loop, another rule speaks."""
    own = STEP_TYPES[step_type].fields(mode) | ({"condition"} if step_type == "loop" else set())
    return tuple(key.field for key in keys_of(step_type) if key.field not in own)


def _check_values(step: StepInfo, language: Language) -> Iterator[Diagnostic]:
    kind = STEP_TYPES[step.step_type]
    if kind.chooser and (said := getattr(step, kind.chooser)) and said not in kind.modes:
        meant = find_near(said.lower(), kind.modes)
        choices = f"write {join_words([f'`{one}`' for one in kind.modes], 'or')}"
        message = f"{_say(step.step_type, kind.chooser, language)} is `{shorten(said)}`"
        yield _found("HS207", step, message, kind.chooser, choices, meant)
    for name in ("max_iterations", "max_steps"):
        if getattr(step, name) == 0:
            yield _found("HS207", step, f"{_say(step.step_type, name, language)} must be above 0", name)
    for name in step.allowed_types:
        if name not in STEP_TYPES:
            yield _found("HS207", step, f"unknown type `{shorten(name)}`", "allowed_types", help=_TYPES)
    for field_name in ("inputs", "outputs"):
        for name in getattr(step, field_name):
            if not _SNAKE_CASE.fullmatch(name):
                message = f"the variable `{shorten(name)}` is not in snake_case"
                yield _found("HS217", step, message, field_name, help=_WRITE_SNAKE_CASE)


def _check_children(step: StepInfo, mode: str) -> Iterator[Diagnostic]:
    kind = STEP_TYPES[step.step_type]
    is_container = not mode or kind.modes[mode].is_container
    if step.children and not is_container:
        help = "its steps are made while it runs: remove them, or make its expansion `static`"
        yield _found("HS210", step, f"a {mode} subtask cannot have steps below it", help=help)
    elif step.children and not kind.is_container:
        yield _found("HS208", step, f"a step of type `{step.step_type}` cannot have steps below it")
    elif not step.children and kind.is_container and is_container:
        yield _found("HS209", step, f"a step of type `{step.step_type}` needs steps below it")


# ---------------------------------------------------------------- the tree


def _check_scopes(steps: list[StepInfo]) -> Iterator[Diagnostic]:
    """That `continue` and `break` are in the loop that they name."""
    # The names of the loops around, and how often each comes there.
    around: list[str] = []
    names: Counter[str] = Counter()
    for step, is_entered in walk_tree(steps):
        if step.step_type == "loop":
            if is_entered:
                around.append(step.step_name)
            else:
                around.pop()
            names[step.step_name] += 1 if is_entered else -1
        elif not is_entered or step.step_type != "flow" or step.action not in ("continue", "break"):
            continue
        elif not around:
            yield _found("HS211", step, f"`{step.action}` is outside a loop", "action")
        elif step.target_loop and not names[step.target_loop]:
            message = f"unknown target loop `{shorten(step.target_loop)}`: no loop around it has this name"
            help = f"the innermost loop around it is `{shorten(around[-1])}`" if around[-1] else ""
            meant = around[-1] if len(around) == 1 else ""
            yield _found("HS212", step, message, "target_loop", help, meant)


def _check_numbers(steps: list[StepInfo]) -> Iterator[Diagnostic]:
    """That each number is one above that of the step in front, and its head the number of the step above."""
    last: dict[str, int] = {}
    for step, parent in iter_tree(steps):
        head, _, number = step.step_id.rpartition(".")
        above = parent.step_id if parent else ""
        if head != above:
            help = f"add a step {head} above it, or change its number"
            yield _found("HS219", step, f"its parent step {head} does not exist", help=help)
        elif number.isdecimal() and len(number) < 10:
            expected = last.get(above, 0) + 1
            last[above] = int(number)
            if int(number) != expected:
                wanted = f"{above}{'.' if above else ''}{expected}"
                message = f"the number does not follow the one before: expected {wanted}"
                yield _found("HS218", step, message, help="number the steps one after another")


def _check_depths(steps: list[StepInfo]) -> Iterator[Diagnostic]:
    """That no more subtasks are in each other than the outer ones allow."""
    # How many levels each subtask around allows, itself among them.
    left: list[int] = []
    for step, is_entered in walk_tree(steps):
        if step.step_type != "subtask":
            continue
        if not is_entered:
            left.pop()
            continue
        above = left[-1] if left else _DEPTH + 1
        own = step.max_depth or above - 1
        if left and above <= 1:
            yield _found("HS226", step, "the subtasks around it allow no more levels", help="raise their limit")
        elif left and own >= above:
            help = "the limit of a subtask must be below that of the subtask around it"
            message = f"it allows {own} levels, and the one around it {above}"
            yield _found("HS226", step, message, "max_depth", help=help)
        left.append(max(min(own, above - 1), 1) if left else own)


# ---------------------------------------------------------------- the flow of data


def _check_data_flow(document: HopSpec) -> Iterator[Diagnostic]:
    """What is used before it is there."""
    steps = document.steps
    later = {name for step in iter_infos(steps) for name in produced(step)}
    # What is there at a step, and how often it was declared or produced.
    places = ((line, find_declared(line)) for line in document.input_definition.split("\n"))
    known = Counter(line[slice(*place)] for line, place in places if place)
    for step, is_entered in walk_tree(steps):
        if is_entered:
            missing = ((part, name) for part, names in needed(step) for name in names if known[name] <= 0)
            for part, name in missing:
                yield _miss_input(step, part, name, document.language, is_later=name in later)
            known.update(inner_variables(step))
        else:
            known.subtract(inner_variables(step))
            known.update(produced(step))


def _miss_input(step: StepInfo, part: str, name: str, language: Language, *, is_later: bool) -> Diagnostic:
    if is_later:
        message = f"the input `{shorten(name)}` is not available yet: only a later step produces it"
        return _found("HS220", step, message, part, help="move this step after the one that produces it")
    section = SECTIONS["input_definition"].of(language)
    help = f"declare it below `## {section}`, or add it to the outputs of a step"
    return _found("HS221", step, f"no step produces the input `{shorten(name)}`", part, help=help)
