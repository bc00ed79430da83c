"""Rounds of repair: what is safe is taken, a model is asked for what is not, until the plan is safe to act on."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from operator import add
from typing import Any, Protocol, TypeAlias

from attrs import asdict, astuple, define, evolve, field, fields, frozen

from planspec_lark.answers.block import find_blocks
from planspec_lark.answers.extract import Extraction, Remark, extract_plan
from planspec_lark.answers.repair import (
    MAX_CHARACTERS,
    MAX_FAULTS,
    RepairQuestion,
    RepairScope,
    build_question,
    find_lost,
    put_lines,
    read_reply,
    write_like,
)
from planspec_lark.answers.truncation import CUT
from planspec_lark.planspec.fixer import fix_text
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.syntax import machine_reports
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import (
    Diagnostic,
    PlanSpecError,
    Severity,
    apply_edits,
    count_of,
    in_order,
    shorten,
)
from planspec_lark.syntax.fixer import edits_of
from planspec_lark.syntax.limits import DEFAULT_LIMITS, OVER_LIMIT, Limits
from planspec_lark.syntax.prompt_templates import read_template
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import Source, end_last_line
from planspec_lark.syntax.token_estimate import estimate_tokens

__all__ = ["MAX_ROUNDS", "RepairCost", "RepairRound", "RepairedPlan", "repair_plan"]

MAX_ROUNDS = 3
# Bytes of an answer: more is not read.
_MAX_ANSWER = 1_000_000
# The finding that only one of several plans can count.
_RIVAL = "PS130"


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
    is_estimated: bool = field(default=False, converter=bool)

    @property
    def tokens(self) -> int:
        """Those of prompt and answer."""
        return self.prompt_tokens + self.answer_tokens

    def __add__(self, other: RepairCost) -> RepairCost:
        return RepairCost(*map(add, astuple(self), astuple(other)))

    def to_dict(self) -> dict[str, Any]:
        """The cost as a JSON value."""
        value = asdict(self)
        return {**value, "estimated": value.pop("is_estimated")}


@frozen
class RepairRound:
    """One question and its answer.

    Attributes:
        asked: what was asked for.
        lines: the numbers of the lines that were rewritten, in the text as it was before; none where the answer was not
            taken, or was a plan.
        prompt: the question.
        answer: the answer, whatever it is: it comes from a stranger.
        cost: what that took.
        refused: why the answer was not taken; the empty text where it was.
        diagnostics: what is wrong with the answer, line by line.
        text: the text as it is now.
        holds: what keeps its plan from being accepted now.
    """

    asked: RepairScope
    lines: tuple[int, ...]
    prompt: str = field(repr=False)
    answer: str = field(repr=False)
    cost: RepairCost
    refused: str
    diagnostics: list[Diagnostic] = field(repr=False)
    text: str = field(repr=False)
    holds: tuple[Diagnostic, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The round as a JSON value."""
        return {
            "asked": self.asked.value,
            "lines": list(self.lines),
            "refused": self.refused or None,
            "cost": self.cost.to_dict(),
            "prompt": self.prompt,
            "answer": self.answer,
            "holds": [machine_reports.json_item(one) for one in self.holds],
        }


@frozen(slots=False, kw_only=True)
class RepairedPlan(Extraction):
    """The outcome of all rounds: what was read in the end, and how.

    Attributes:
        text: the plan's text where it is accepted: what was given, with no other lines changed than those that had to
            be, or for a raw answer the plan in canonical form. Otherwise what was given, with the lines of the model
            that were taken; what needs no asking is not repaired in it.
        remarks: all text around the plan, in what was given and in answers that were a plan.
        rounds: what was asked, and what that has taken.
        stopped: why the model was not asked again although something is left; empty if nothing is.
        is_answer: whether the text was a raw answer: the plan is only a part of it.
        failure: what ``ask`` has raised in a round that was not the first; ``stopped`` tells of it, too.
    """

    text: str
    rounds: tuple[RepairRound, ...]
    stopped: str
    is_answer: bool
    failure: Exception | None = field(default=None, eq=False, repr=False)

    @property
    def cost(self) -> RepairCost:
        """What all rounds have taken."""
        return sum((one.cost for one in self.rounds), RepairCost())

    def to_dict(self) -> dict[str, Any]:
        """All of it as a JSON value. It has no plan where that is not accepted; its text is there in any case."""
        return {
            **super().to_dict(),
            "text": self.text,
            "stopped": self.stopped or None,
            "holds": [machine_reports.json_item(one) for one in self.holds],
            "cost": self.cost.to_dict(),
            "rounds": [one.to_dict() for one in self.rounds],
        }


# ---------------------------------------------------------------- what is called


def _ignore(_: RepairRound) -> None:
    pass


def repair_plan(  # noqa: PLR0913  (all but the first two are options)
    text: str,
    ask: Ask,
    *,
    rounds: int = MAX_ROUNDS,
    allow_removal: bool = False,
    ask_remarks: bool = False,
    max_risk: Risk | str = Risk.MEDIUM,
    choose: str | int | None = None,
    goal: str = "",
    default_type: str = "",
    signs: Mapping[str, PlanStatus | str] | None = None,
    finish_reason: str = "",
    language: str = "en",
    max_faults: int = MAX_FAULTS,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
    on_round: Callable[[RepairRound], None] = _ignore,
) -> RepairedPlan:
    """Let a language model repair a plan, or an answer with a plan. No text and no answer makes it raise.

    >>> answer = "Goal: Open\\n## Steps\\n1. Light the oven\\n"
    >>> repaired = repair_plan(answer, lambda prompt: "LINE 3: 1. [act] Light the oven")
    >>> repaired.is_usable, repaired.plan.steps[0].step_type
    (True, 'act')

    Safe repairs are made as by :func:`~planspec_lark.extract_plan`. For the rest, the model is shown the plan with its
    findings, and changes lines or writes the plan again, until the plan is accepted, the rounds are used up, or the
    same would be asked again. If there are several plans, it is asked which of them counts.

    Args:
        text: a plan, or an answer with one.
        ask: takes a prompt and gives the answer: a text, or what has a ``text`` and a ``usage``, such as
            :meth:`OpenAIChat.complete <planspec_lark.llm.openai_chat.OpenAIChat.complete>` gives. An exception for the
            first prompt is raised; a later one ends the rounds.
        rounds: how many times to ask at most; 0 asks nothing.
        allow_removal: whether an answer may leave the plan with fewer steps, constraints or detail lines.
        ask_remarks: whether to ask once, when the plan is accepted, if the text around it changes it. That is no round.
        max_risk, choose, goal, default_type, signs, finish_reason: as for :func:`~planspec_lark.extract_plan`.
        language: of the prompts, "en" or "zh".
        max_faults: how many findings to show at a time.
        name: what findings call the text.
        limits: how much to read of the text and of each answer, of which at most a megabyte is read.
        on_round: told of each round when it is over.

    Raises:
        ValueError: ``rounds`` or ``max_faults`` is too small, or there is no such risk, choice, type or language.
        TypeError: ``ask`` gives something else.
    """
    if rounds < 0:
        raise ValueError(f"rounds: {rounds} is less than 0")
    if max_faults < 1:
        raise ValueError(f"max_faults: {max_faults} is less than 1")
    read_template(__package__, "repair", language)
    read = partial(extract_plan, max_risk=max_risk, goal=goal, default_type=default_type, signs=signs)
    found = read(text, choose=choose, finish_reason=finish_reason, name=name, limits=limits)
    state = _State(found.source.text, found, finish_reason, choose)
    most = evolve(limits, max_bytes=min(limits.max_bytes or _MAX_ANSWER, _MAX_ANSWER))
    ask_for = partial(build_question, language=language, max_faults=max_faults, allow_removal=allow_removal)
    loop = _Loop(text, ask, read, ask_for, name, limits, most, rounds, allow_removal, ask_remarks, on_round, state)
    return loop.run()


# ---------------------------------------------------------------- the loop


@frozen
class _State:
    """A text between two rounds.

    Attributes:
        text: the text; of an answer in JSON, the string that holds the plan.
        found: what is found in it.
        finish_reason: why it ends.
        choose: which of its plans counts.
        is_own: whether it is the given text, but for some lines.
    """

    text: str
    found: Extraction
    finish_reason: str = ""
    choose: str | int | None = None
    is_own: bool = True


@define(eq=False)
class _Loop:
    """Rounds of repair: what they are about, and how far they have come."""

    given: str
    ask: Ask
    read: Callable[..., Extraction]
    build: Callable[..., RepairQuestion]
    name: str
    limits: Limits
    answer_limits: Limits
    rounds: int
    allow_removal: bool
    ask_remarks: bool
    on_round: Callable[[RepairRound], None]
    state: _State
    # The given text with the lines that were taken, whatever came after.
    own: _State = field(init=False)
    remarks: tuple[Remark, ...] = field(init=False)
    done: list[RepairRound] = field(factory=list, init=False)
    refused: str = field(default="", init=False)
    stopped: str = field(default="", init=False)
    failure: Exception | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.own, self.remarks = self.state, self.state.found.remarks

    def run(self) -> RepairedPlan:
        """Ask as long as there is something to ask."""
        is_inner = self.state.text != self.given
        while (question := self._next_question()) is not None and self._put(question):
            pass
        found = self.state.found
        is_answer = is_inner or _is_part(self.own.found)
        text = self.own.text
        if found.is_usable and is_answer:
            text = found.text
        elif found.is_usable:
            text = _write(self.state) if self.state.is_own else write_like(self.given, found.text)
        read = {one.name: getattr(found, one.name) for one in fields(Extraction)}
        return RepairedPlan(
            **{**read, "remarks": self.remarks},
            text=text,
            rounds=tuple(self.done),
            stopped=self.stopped,
            is_answer=is_answer,
            failure=self.failure,
        )

    def _next_question(self) -> RepairQuestion | None:
        """What to ask next; where that is nothing although something is left, ``stopped`` says why."""
        state = self.state
        source, found = state.found.source, state.found
        refused = one_line(self.refused) or None
        if found.is_usable:
            is_asked = self.ask_remarks and self.remarks and self.rounds
            self.ask_remarks = False
            asked = RepairScope.REMARKS
            return self.build(source, [], _lines_of(found), asked=asked, remarks=self.remarks) if is_asked else None
        rivals = [one for one in found.holds if one.code == _RIVAL] if state.choose is None else []
        wrong, asked = (rivals, RepairScope.CHOICE) if rivals else (_find_wrong(found), RepairScope.FAULTS)
        try:
            question = self.build(source, wrong, _lines_of(found), asked=asked, refused=refused)
        except ValueError as error:
            self.stopped = str(error)
            return None
        self.stopped = self._find_stop(question)
        return None if self.stopped else question

    def _find_stop(self, question: RepairQuestion) -> str:
        """Why this is not asked; the empty text where it is."""
        excess = next((one for one in self.state.found.holds if one.code in OVER_LIMIT), None)
        if excess is not None:
            return excess.message
        if not self.state.text.strip():
            return "there is no text to repair"
        if not self.rounds:
            return "no model was asked"
        if sum(one.asked is not RepairScope.REMARKS for one in self.done) >= self.rounds:
            return f"{count_of(self.rounds, 'round was', 'rounds were')} not enough"
        if any(one.prompt == question.prompt for one in self.done):
            return "the last round changed nothing: the same question would be asked again"
        return ""

    def _put(self, question: RepairQuestion) -> bool:
        """Ask a question, and take its answer; returns whether there is more to be done."""
        try:
            given = self.ask(question.prompt)
        except Exception as error:  # whatever it is, the rounds before were paid for
            if not self.done:
                raise
            self.failure, self.stopped = error, f"round {len(self.done) + 1} failed: {_say_failure(error)}"
            return False
        answer, cost = _read_reply(given, question.prompt)
        lines, found = self._take(question, answer, getattr(given, "finish_reason", None) or "")
        wrong = [one for one in found if one.severity is Severity.ERROR or one.code == "PM102"]
        self.refused = shorten(wrong[0].message) if wrong else ""
        state, asked = self.state, question.asked
        over = RepairRound(
            asked, lines, question.prompt, answer, cost, self.refused, found, state.text, state.found.holds
        )
        self.done.append(over)
        self.on_round(over)
        if self.refused and asked is RepairScope.REMARKS:
            self.stopped = f"it is open whether the text around the plan changes it: {self.refused}"
            return False
        return True

    def _take(self, question: RepairQuestion, answer: str, reason: str) -> tuple[tuple[int, ...], list[Diagnostic]]:
        """Take an answer if it can be taken; returns which lines it has rewritten, and what is wrong with it."""
        read = partial(self.read, name="<answer>", limits=self.answer_limits, finish_reason=reason)
        said = read_reply(answer, question, read, name="<answer>", limits=self.answer_limits)
        before, found = self.state, said.diagnostics
        # A line that almost counts is one that would be missing.
        if any(one.severity is Severity.ERROR or one.code == "PM102" for one in found):
            return (), found
        if said.plan is not None:
            after = _State(said.plan.source.text, said.plan, reason, is_own=False)
        elif said.choice is not None:
            after = self._read_again(evolve(before, choose=said.choice))
        elif said.lines:
            after = self._read_again(_end(evolve(before, text=put_lines(before.text, said.lines)), said.lines))
        else:
            return (), found
        lost = "" if self.allow_removal or said.choice else find_lost(before.found, after.found)
        if lost:
            return (), [*found, Diagnostic("PM104", lost)]
        self.state = after
        self.own = after if after.is_own else self.own
        # The plans that were not chosen stand around the one that was.
        self.remarks = after.found.remarks if said.choice else self.remarks
        self.remarks += said.plan.remarks if said.plan is not None else ()
        return tuple(sorted(said.lines)), found

    def _read_again(self, state: _State) -> _State:
        found = self.read(
            state.text, choose=state.choose, finish_reason=state.finish_reason, name=self.name, limits=self.limits
        )
        return evolve(state, text=found.source.text, found=found)


def _say_failure(error: Exception) -> str:
    """What has gone wrong, in one line."""
    said = one_line(str(error))
    return said if isinstance(error, PlanSpecError) else f"{type(error).__name__}: {said}".removesuffix(": ")


def _read_reply(given: str | _Reply, prompt: str) -> tuple[str, RepairCost]:
    """An answer, and what it has cost."""
    if inspect.iscoroutine(given):
        given.close()
        raise TypeError("`ask` must not be asynchronous")
    answer = given if isinstance(given, str) else getattr(given, "text", None)
    if not isinstance(answer, str):
        raise TypeError(f"a model gives a text, not {type(given).__name__}")
    size, told = (len(prompt), len(answer)), getattr(given, "usage", None)
    if told is not None:
        return answer, RepairCost(*size, told.prompt_tokens, told.completion_tokens)
    # What is not read needs no tokens.
    tokens = estimate_tokens(prompt), estimate_tokens(answer[:_MAX_ANSWER])
    return answer, RepairCost(*size, *tokens, is_estimated=True)


# ---------------------------------------------------------------- a text and what is found in it


def _bounds_of(found: Extraction) -> tuple[int, int]:
    """From where to where the plan and all that is found go. Lines that could not be read are none of the plan."""
    # What is missing has no place.
    spans = [span for span in (found.span, *(one.span for one in found.holds)) if span is not None and span.end]
    return min(span.start for span in spans), max(span.end for span in spans)


def _lines_of(found: Extraction) -> range:
    """The lines to show: those of the plan and of all that is found; of a short text all where something is missing."""
    source = found.source
    is_missing = any(one.span is None or not one.span.end for one in found.holds)
    if found.span is None or (is_missing and source.length <= MAX_CHARACTERS):
        return range(1, source.position(source.length)[0] + 1)
    start, end = _bounds_of(found)
    return range(source.position(start)[0], source.position(max(start, end - 1))[0] + 1)


def _is_part(found: Extraction) -> bool:
    """Whether a text has more in it than its plan and what is found in that."""
    if found.span is None:
        return True
    start, end = _bounds_of(found)
    text = found.source.text
    return bool(text[:start].lstrip("\ufeff").strip() or text[end:].strip())


def _find_wrong(found: Extraction) -> list[Diagnostic]:
    """What holds a plan, and what else is told of the same lines."""
    lines = {one.line for one in found.holds}
    # Repairs of a higher risk are held.
    beside = (one.diagnostic for one in found.repairs if one.line in lines and one.risk.rank <= found.max_risk.rank)
    # A guess that may well be wrong is not what to propose: it would be taken for the answer.
    return in_order([*(evolve(one, fix=None) if one.risk is Risk.HIGH else one for one in found.holds), *beside])


def _end(state: _State, lines: Collection[int]) -> _State:
    """A text that was cut off, with its end where its last line was written again."""
    cut = next((one.line for one in state.found.holds if one.code == CUT), None)
    if cut is None or max(lines) < cut:
        return state
    text = state.text
    for block in find_blocks(end_last_line(text)):
        if block.is_open:
            opening = text[block.around_start : block.start]
            text = end_last_line(text) + "".join(sign for sign in opening if sign in "`~") + "\n"
    return evolve(state, text=text, finish_reason="")


# ---------------------------------------------------------------- the plan's own text


def _write(state: _State) -> str:
    """The text with as few changes as will do, or else the plan in canonical form."""
    for text in _find_texts(state):
        result = scan_strictly(text)
        if not result.diagnostics and result.plan == state.found.plan:
            return text
    return write_like(state.text, state.found.text)


def _find_texts(state: _State) -> Iterator[str]:
    """The text with ever more changes: none, each repair in its own place, and what takes more than its line."""
    yield state.text
    # The findings of a line share its fix.
    edits = edits_of(Source(state.text), (one.diagnostic for one in state.found.repairs))
    fixed = apply_edits(state.text, dict.fromkeys(edits))
    yield fixed
    for unsafe in (False, True):
        yield fix_text(fixed, unsafe=unsafe).text
