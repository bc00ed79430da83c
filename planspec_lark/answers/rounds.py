"""Rounds of repair: what is safe is taken, a model is asked for what is not, until the plan is safe to act on."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

from attrs import evolve, field, frozen

from planspec_lark.answers.extract import Extraction, extract_plan
from planspec_lark.answers.kept import find_changed
from planspec_lark.answers.patch import take_lines
from planspec_lark.answers.questions import (
    RepairQuestion,
    RepairScope,
    find_held,
    find_left,
    find_question,
    read_choice,
)
from planspec_lark.answers.repair import MAX_FAULTS, last_line
from planspec_lark.answers.risk import Risk
from planspec_lark.answers.truncation import find_cut
from planspec_lark.answers.verdict import Verdict
from planspec_lark.planspec.fixer import fix_text
from planspec_lark.planspec.interchange import plan_to_dict
from planspec_lark.planspec.models import PlanSpec, iter_steps
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.syntax import machine_reports
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, PlanSpecError, Severity, apply_edits, shorten
from planspec_lark.syntax.fences import FENCES
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits
from planspec_lark.syntax.prompt_templates import read_template
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import end_last_line, newline_of
from planspec_lark.syntax.token_estimate import estimate_tokens

__all__ = ["MAX_ROUNDS", "RepairCost", "RepairRound", "RepairedPlan", "repair_plan"]

MAX_ROUNDS = 3
# Bytes of an answer: more is not read.
_MAX_ANSWER = 1_000_000


class _Usage(Protocol):
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...


class _Reply(Protocol):
    """An answer that may tell its tokens, such as a :class:`~planspec_lark.llm.Reply`."""

    @property
    def text(self) -> str: ...
    @property
    def usage(self) -> _Usage | None: ...


Ask: TypeAlias = "Callable[[str], str | _Reply]"


# ---------------------------------------------------------------- what comes of it


@frozen
class RepairCost:
    """What asking has taken.

    Attributes:
        prompt_characters, answer_characters: of the texts.
        prompt_tokens, answer_tokens: as the model has told them, or else by an estimate.
        is_estimated: whether any of them are by an estimate.
    """

    prompt_characters: int = 0
    answer_characters: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    is_estimated: bool = False

    @property
    def tokens(self) -> int:
        """Those of prompt and answer."""
        return self.prompt_tokens + self.answer_tokens

    def __add__(self, other: RepairCost) -> RepairCost:
        return RepairCost(
            self.prompt_characters + other.prompt_characters,
            self.answer_characters + other.answer_characters,
            self.prompt_tokens + other.prompt_tokens,
            self.answer_tokens + other.answer_tokens,
            self.is_estimated or other.is_estimated,
        )

    def to_dict(self) -> dict[str, Any]:
        """The cost as a JSON value."""
        return {
            "prompt_characters": self.prompt_characters,
            "answer_characters": self.answer_characters,
            "prompt_tokens": self.prompt_tokens,
            "answer_tokens": self.answer_tokens,
            "estimated": self.is_estimated,
        }


@frozen
class RepairRound:
    """One question and its answer.

    Attributes:
        asked: what was asked for.
        lines: the numbers of the lines that were asked for, in the text as it was before.
        prompt: the question.
        answer: the answer, whatever it is: it comes from a stranger.
        cost: what that took.
        refused: why the answer was not taken; the empty text where it was.
        diagnostics: what is wrong with the answer, line by line.
        text: the text as it is now.
        left: what keeps it from being used now.
    """

    asked: RepairScope
    lines: tuple[int, ...]
    prompt: str = field(repr=False)
    answer: str = field(repr=False)
    cost: RepairCost
    refused: str
    diagnostics: list[Diagnostic] = field(repr=False)
    text: str = field(repr=False)
    left: tuple[Diagnostic, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The round as a JSON value."""
        return {
            "asked": self.asked.value,
            "lines": list(self.lines),
            "refused": self.refused or None,
            "cost": self.cost.to_dict(),
            "prompt": self.prompt,
            "answer": self.answer,
            "left": [machine_reports.json_item(one) for one in self.left],
        }


@frozen
class RepairedPlan:
    """What has come of all rounds.

    Attributes:
        text: the plan's text where it can be used: what was given, with no other lines changed than those that had to
            be, or for a raw answer the plan in canonical form. Otherwise what was given, with the answers of the model
            that were taken; what needs no asking is not repaired in it.
        found: what was read in the end, with a ledger of all that was done without asking.
        left: what keeps it from being used: what is held back, and what breaks the six rules.
        rounds: what was asked, and what that has taken.
        stopped: why the model was not asked again although faults are left; empty if none are.
        failure: what ``ask`` has raised in a round that was not the first; ``stopped`` tells of it, too.
        is_answer: whether the text was a raw answer: more than its lines in question is another now, since prose or
            fences were left out of it, one of several plans was chosen, or all of it was written once more.
    """

    text: str
    found: Extraction = field(repr=False)
    left: tuple[Diagnostic, ...]
    rounds: tuple[RepairRound, ...]
    stopped: str
    is_answer: bool
    failure: Exception | None = field(default=None, eq=False, repr=False)

    @property
    def plan(self) -> PlanSpec:
        """The plan, as far as it could be read."""
        return self.found.plan

    @property
    def verdict(self) -> Verdict:
        """Whether the plan was read without anything that needs review."""
        return self.found.verdict

    @property
    def is_usable(self) -> bool:
        """Whether the plan is safe to act on, and keeps the six rules."""
        return self.verdict is Verdict.ACCEPTED and not self.left

    @property
    def cost(self) -> RepairCost:
        """What all rounds have taken."""
        return sum((one.cost for one in self.rounds), RepairCost())

    def to_dict(self) -> dict[str, Any]:
        """All of it as a JSON value. It has no plan where that is not usable; its text is there in any case."""
        return {
            "verdict": self.verdict.value,
            "usable": self.is_usable,
            "stopped": self.stopped or None,
            "plan": plan_to_dict(self.plan) if self.is_usable else None,
            "text": self.text,
            "left": [machine_reports.json_item(one) for one in self.left],
            "repairs": [entry.to_dict() for entry in self.found.repairs],
            "left_out": [entry.to_dict() for entry in self.found.left_out],
            "cost": self.cost.to_dict(),
            "rounds": [one.to_dict() for one in self.rounds],
        }


# ---------------------------------------------------------------- the loop


def _ignore(_: RepairRound) -> None:
    pass


def repair_plan(  # noqa: PLR0913  (all but the first two are options)
    text: str,
    ask: Ask,
    *,
    rounds: int = MAX_ROUNDS,
    max_risk: Risk | str = Risk.MEDIUM,
    default_type: str = "",
    finish_reason: str = "",
    language: str = "en",
    max_faults: int = MAX_FAULTS,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
    on_round: Callable[[RepairRound], None] = _ignore,
) -> RepairedPlan:
    """Let a language model repair a plan, or an answer with a plan. No text and no answer makes it raise.

    What is safe is taken, as :func:`~planspec_lark.extract_plan` does. Of the rest, the lines in question are asked
    for, and their answer is put in; all others stay. That is repeated until the plan is accepted and keeps the six
    rules, the rounds are used up, or the same would be asked again. Where several plans exclude each other, the
    question is which of them holds. Where no line can be named, the whole plan is asked for once.

    Args:
        text: a plan, or an answer with one.
        ask: takes a prompt and gives the answer: a text, or what has a ``text`` and a ``usage``, such as
            :meth:`OpenAIChat.complete <planspec_lark.llm.openai_chat.OpenAIChat.complete>` gives. What it raises for
            the first prompt goes through. Later, it ends the rounds: what they have brought is given back.
        rounds: how many times to ask at most; with 0, the model is not asked.
        max_risk: as for :func:`~planspec_lark.extract_plan`.
        default_type: as there.
        finish_reason: as there.
        language: of the prompts, "en" or "zh".
        max_faults: how many faults to ask about at a time.
        name: what diagnostics call the text.
        limits: how much to read of the text and of each answer, of which it is never more than a megabyte.
        on_round: told of each round when it is over.

    Raises:
        ValueError: there can not be so few rounds or faults, or there is no such risk, type or language.
        TypeError: ``ask`` gives something else.
    """
    if rounds < 0:
        raise ValueError(f"rounds: {rounds} is less than 0")
    if max_faults < 1:
        raise ValueError(f"max_faults: {max_faults} is less than 1")
    read_template(__package__, "repair", language)
    read = {"max_risk": max_risk, "default_type": default_type, "name": name, "limits": limits}
    state = first = _read(text, finish_reason, read)
    done: list[RepairRound] = []
    known: set[str] = set()
    failure: Exception | None = None
    stopped, refused, is_answer = "", None, first.leaves_out or first.text != text
    while state.left:
        question = find_question(
            state.text, state.found, language=language, max_faults=max_faults, refused=refused, limits=limits
        )
        if stopped := _find_stop(question, done, known, rounds):
            break
        assert isinstance(question, RepairQuestion), "there is no other end"
        known.add(question.prompt)
        try:
            given = ask(question.prompt)
        except Exception as error:  # whatever it is, the rounds before were paid for
            if not done:
                raise
            failure, stopped = error, f"round {len(done) + 1} failed: {_say_failure(error)}"
            break
        answer, cost = _read_reply(given, question.prompt)
        taken = _take(state, question, answer, read)
        state, refused = taken.state, one_line(taken.refused) or None
        is_answer |= question.asked is not RepairScope.LINES
        over = RepairRound(
            question.asked,
            tuple(sorted(question.lines)),
            question.prompt,
            answer,
            cost,
            taken.refused,
            taken.diagnostics,
            state.text,
            tuple(state.left),
        )
        done.append(over)
        on_round(over)
    found = state.found
    # What was read is the same; how it is written depends on whose lines they are.
    result = state.text if state.left else found.text if is_answer else _write(state)
    return RepairedPlan(result, found, tuple(state.left), tuple(done), stopped, is_answer, failure)


def _find_stop(question: RepairQuestion | str, done: list[RepairRound], known: set[str], rounds: int) -> str:
    """Why this is not asked any more; the empty text where it is."""
    if isinstance(question, str):
        return question
    if len(done) >= rounds:
        return (
            "no model was asked"
            if not rounds
            else f"{'1 round was' if rounds == 1 else f'{rounds} rounds were'} not enough"
        )
    if question.prompt in known:
        return "the last round changed nothing: the same question would be asked again"
    if question.asked is RepairScope.WHOLE and any(one.asked is RepairScope.WHOLE for one in done):
        return "the whole answer has no usable plan either"
    return ""


def _say_failure(error: Exception) -> str:
    """What has gone wrong, in one line."""
    said = one_line(str(error))
    return said if isinstance(error, PlanSpecError) else f"{type(error).__name__}: {said}".removesuffix(": ")


def _read_reply(given: str | _Reply, prompt: str) -> tuple[str, RepairCost]:
    """An answer, and what it has cost."""
    answer, usage = (given, None) if isinstance(given, str) else (getattr(given, "text", None), given)
    if inspect.iscoroutine(given):
        given.close()
        raise TypeError("`ask` must not be asynchronous")
    if not isinstance(answer, str):
        raise TypeError(f"a model gives a text, not {type(given).__name__}")
    told = getattr(usage, "usage", None)
    size = len(prompt), len(answer)
    if told is not None:
        return answer, RepairCost(*size, told.prompt_tokens, told.completion_tokens)
    # What is not read needs no tokens.
    tokens = estimate_tokens(prompt), estimate_tokens(answer[:_MAX_ANSWER])
    return answer, RepairCost(*size, *tokens, is_estimated=True)


# ---------------------------------------------------------------- a text between two rounds


@frozen
class _State:
    """A text, and what is to be read in it.

    Attributes:
        text: the text; of an answer in JSON, the string that holds the plan.
        finish_reason: why it ends.
    """

    text: str
    finish_reason: str
    found: Extraction
    left: list[Diagnostic]

    @property
    def leaves_out(self) -> bool:
        """Whether something was left out that the model is not asked about, or there is no plan at all."""
        held = {id(entry) for entry in find_held(self.found)}
        entries = (*self.found.repairs, *self.found.left_out)
        is_out = any(not entry.became and entry.was and id(entry) not in held for entry in entries)
        return is_out or (self.found.verdict is Verdict.REFUSED and not self.found.plan.goal)


def _read(text: str, finish_reason: str, read: dict[str, Any]) -> _State:
    found = extract_plan(text, finish_reason=finish_reason, **read)
    # Where the answer is cut off, what was read lacks its last line.
    ends = (entry.diagnostic.source for entry in found.repairs if entry.code == "PS129")
    source = next(filter(None, ends), found.source)
    return _State(source.text, finish_reason, found, find_left(found))


@frozen
class _Taken:
    """What has become of a text with an answer, or why nothing has."""

    state: _State
    refused: str = ""
    diagnostics: list[Diagnostic] = field(factory=list)


def _take(state: _State, question: RepairQuestion, answer: str, read: dict[str, Any]) -> _Taken:
    limits = read["limits"]
    most = min(limits.max_bytes or _MAX_ANSWER, _MAX_ANSWER)
    limits = evolve(limits, max_bytes=most)
    if question.asked is RepairScope.LINES:
        return _take_lines(state, question, answer, read, limits)
    if question.asked is RepairScope.CHOICE:
        chosen = read_choice(answer[:most], len(question.choices))
        if chosen is None:
            return _Taken(state, "no single plan was named on a line such as `PLAN 1`")
        return _Taken(_read(question.choices[chosen], state.finish_reason, read))
    whole = _read(answer, "", {**read, "limits": limits})
    if whole.found.verdict is Verdict.REFUSED:
        return _Taken(state, "there was no plan in it", whole.left)
    return _Taken(whole)


def _take_lines(state: _State, question: RepairQuestion, answer: str, read: dict[str, Any], limits: Limits) -> _Taken:
    done = take_lines(state.text, answer, question.lines, answer_name="<answer>", limits=limits)
    # A line that almost counts is one that would be missing.
    wrong = [one for one in done.diagnostics if one.severity is Severity.ERROR or one.code == "PM102"]
    if wrong:
        return _Taken(state, shorten(wrong[0].message), done.diagnostics)
    text, reason = done.text, state.finish_reason
    if question.is_cut and max(question.lines) in done.lines:
        # The end is there now.
        text, reason = _close(text), ""
    after = _read(text, reason, read)
    if _hides(state, after, question.lines):
        return _Taken(state, "it would hide or change lines that were not asked for", done.diagnostics)
    if _loses(state, after, answer):
        return _Taken(state, "one of its lines is not part of a plan, and would be left out", done.diagnostics)
    if changed := find_changed(question.misspelt, done.repaired):
        return _Taken(state, changed, done.diagnostics)
    if question.lines <= question.misspelt.keys() and _count_taken_ids(after) > _count_taken_ids(state):
        return _Taken(state, "one of its steps has an id that another step already has", done.diagnostics)
    return _Taken(after, diagnostics=done.diagnostics)


def _close(text: str) -> str:
    """A text with an end to a code block that nothing closes."""
    closed = f"{end_last_line(text)}```{newline_of(text)}"
    is_open = find_cut(text) is not None and find_cut(closed) is None
    return closed if is_open and find_cut(text.rpartition("\n")[2]) is None else text


# ---------------------------------------------------------------- changes that were not asked for


def _hides(before: _State, after: _State, asked: frozenset[int]) -> bool:
    """Whether what was read from other lines than those asked for is gone, without anything that says so."""
    read = Counter(said for line, said in _said(before.found) if line not in asked)
    missing = read - Counter(said for _, said in _said(after.found))
    held = {row for entry in find_held(after.found) for row in _rows(entry.diagnostic)}
    return any(said[0] not in held for said in missing)


def _loses(before: _State, after: _State, answer: str) -> bool:
    """Whether a line is left out now that was not before: one of the answer, or one that will not be asked about."""
    known = {row for entry in before.found.left_out for row in _rows(entry.diagnostic)}
    held = {id(entry) for entry in find_held(after.found)}
    rows = ((row, id(entry) in held) for entry in after.found.left_out for row in _rows(entry.diagnostic))
    # A fence says nothing.
    new = ((row, is_held) for row, is_held in rows if row and row not in known and not row.startswith(FENCES))
    return any(not is_held or row in answer for row, is_held in new)


def _count_taken_ids(state: _State) -> int:
    return sum(one.code == "PS117" for one in state.left)


def _rows(diagnostic: Diagnostic) -> list[str]:
    source, span = diagnostic.source, diagnostic.span
    if source is None or span is None:
        return []
    return [source.line(number).strip() for number in range(span.line, last_line(span) + 1)]


def _said(found: Extraction) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each line of a plan by its number: its text, and what it says by itself."""
    source, places = found.source, found.positions
    for step in iter_steps(found.plan):
        first, *body = places.bounds_of(step.step_id)
        own = (step.step_name, step.status, step.description, *step.outputs, step.result)
        line = source.position(first[0])[0]
        yield line, (source.line(line).strip(), *own, step.done_count, step.total_count)
        for start, _ in body:
            line = source.position(start)[0]
            yield line, (source.line(line).strip(),)
    for name, spans in places.fields.items():
        for span in spans:
            yield span.line, (source.line(span.line).strip(), name)


# ---------------------------------------------------------------- the plan's own text


def _write(state: _State) -> str:
    """The text with as few changes as will do, or else the plan in canonical form."""
    for text in _find_texts(state):
        result = scan_strictly(text)
        if not result.diagnostics and result.plan == state.found.plan:
            return text
    mark = "\ufeff" if state.text.startswith("\ufeff") else ""
    return mark + state.found.text.replace("\n", newline_of(state.text))


def _find_texts(state: _State) -> Iterator[str]:
    """The text with ever more changes: none, each repair in its own place, and what takes more than its line."""
    yield state.text
    fixed = _fix(state)
    yield fixed
    for unsafe in (False, True):
        yield fix_text(fixed, unsafe=unsafe).text


def _fix(state: _State) -> str:
    """The text with each repair that has its own place."""
    fixes = [entry.diagnostic.fix for entry in state.found.repairs]
    edits = [Edit(fix.span, fix.text) for fix in fixes if fix is not None]
    is_apart = all(one.span.end <= next_one.span.start for one, next_one in pairwise(edits))
    return apply_edits(state.text, edits) if is_apart else state.text
