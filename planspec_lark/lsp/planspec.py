"""PlanSpec documents for the server: steps, variables and their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice

from attrs import evolve

from planspec_lark.lsp.models import LIMITS, Candidate, Language, RenameError, Stretch, Symbol, Word
from planspec_lark.planspec.check import check_text
from planspec_lark.planspec.data_flow import find_data_flow, find_users
from planspec_lark.planspec.fixer import fix_text
from planspec_lark.planspec.line_faults import line_pattern
from planspec_lark.planspec.models import MARKS, STEP_TYPES, PlanSpec, PlanStep, iter_steps, list_types
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.positions import cut_indentation
from planspec_lark.planspec.printer import progress_text, serialize_plan
from planspec_lark.planspec.recovery import scan_strictly
from planspec_lark.planspec.render import say_progress
from planspec_lark.planspec.tree import walk
from planspec_lark.planspec.views import StepView, Supply, focus_view
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, count_of, join_words, shorten
from planspec_lark.syntax.source import newline_of, visible

__all__ = ["PLANSPEC", "PlanReading"]

# What stands deeper is listed on this level: what carries symbols to a client uses recursion.
_LEVELS = 40
# How many steps a sentence names, and how many sentences of variables are told.
_NAMED, _TOLD = 8, 20
_STEP_NAME, _VARIABLE = "step name", "variable"
# The fields of a step with names in them, what they are, and the terminal of the grammar that says how one is written.
_NAMES = {"step_name": _STEP_NAME, "inputs": _VARIABLE, "outputs": _VARIABLE}
_TERMINALS = {_STEP_NAME: "WORD", _VARIABLE: "VARIABLE"}
_WRITTEN = {_STEP_NAME: "letters, digits, `_` and `-`", _VARIABLE: "a letter or `_`, then letters, digits and `_`"}
# A variable that is being written, up to the end of a text; and what there is of it behind that.
_WORD = re.compile(r"[A-Za-z0-9_]*\Z")
_REST = re.compile(r"[A-Za-z0-9_]*")
# A type or a mark that is being written, up to the end of a text; and what there is of it behind that.
_BRACKET = re.compile(r"(?:\[[^\[\]]?|\[?[A-Za-z0-9_]*)\Z")
_CLOSING = re.compile(r"[A-Za-z0-9_]*\]|")
# Nobody is offered the end of a longer word.
_MOST_WRITTEN = 200


class PlanReading:
    """A plan, as far as it can be read, and where its parts stand."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._scan = scan_strictly(text, limits=evolve(LIMITS, max_findings=None))
        self._plan, self._places = self._scan.plan, self._scan.places

    @cached_property
    def _steps_by_line(self) -> dict[int, PlanStep]:
        """By the number of each line that a step was read from, that step."""
        position = self._scan.source.position
        return {
            position(start)[0]: step
            for step in iter_steps(self._plan)
            for start, _ in self._places.bounds_of(step.step_id)
        }

    @cached_property
    def _users(self) -> tuple[dict[str, list[PlanStep]], dict[str, list[PlanStep]]]:
        return find_users(self._plan)

    def _step_at(self, offset: int) -> PlanStep | None:
        return self._steps_by_line.get(self._scan.source.position(offset)[0])

    def _names_of(self, step: PlanStep, *fields: str) -> Iterator[Word]:
        """The names in these fields of a step. A line with faults has none, as one cannot tell where they are."""
        found = self._places.step(step.step_id).fields
        for field in fields:
            value = getattr(step, field)
            values = {value} if isinstance(value, str) else {*value}
            for span in found.get(field, ()):
                text = self._text[span.start : span.end]
                if text in values:
                    yield Word(text, (span.start, span.end), _NAMES[field])

    # ------------------------------------------------------------ symbols

    def symbols(self) -> Sequence[Symbol]:
        """Goal, constraints, and the tree of the steps."""
        return self._symbols

    @cached_property
    def _symbols(self) -> Sequence[Symbol]:
        return [*self._head(), *self._tree()]

    def _head(self) -> Iterator[Symbol]:
        fields = self._places.fields
        for name, parts in (("goal", ("goal", "goal_detail")), ("constraints", ("constraints",))):
            spans = [span for part in parts for span in fields.get(part, ())]
            if spans:
                place = (spans[0].start, spans[-1].end)
                yield Symbol(name.capitalize(), _say(self._plan.goal) if name == "goal" else "", "text", place, place)

    def _tree(self) -> list[Symbol]:
        top: list[Symbol] = []
        open_: list[Symbol] = []
        for step, is_entered in walk(self._plan):
            if is_entered:
                symbol = self._symbol(step)
                (open_[min(len(open_), _LEVELS) - 1].children if open_ else top).append(symbol)
                open_.append(symbol)
                continue
            _, end = open_.pop().place
            if open_:
                start, last = open_[-1].place
                open_[-1].place = start, max(last, end)
        return top

    def _symbol(self, step: PlanStep) -> Symbol:
        lines = self._places.bounds_of(step.step_id)
        what = " ".join(filter(None, (step.step_name, step.description)))
        is_container = bool(step.children) or getattr(STEP_TYPES.get(step.step_type), "is_container", False)
        detail = f"[{step.step_type}] {step.status.value}"
        kind = "container" if is_container else "step"
        return Symbol(_say(f"{step.step_id}. {what}"), detail, kind, (lines[0][0], lines[-1][1]), lines[0])

    # ------------------------------------------------------------ hover

    def hover(self, offset: int) -> tuple[str, Stretch] | None:
        """Where a variable comes from and goes to; of any other place, what its step needs and gives."""
        step = self._step_at(offset)
        if step is None:
            return None
        view = focus_view(self._plan, step.step_id)
        word = self.word_at(offset)
        if word is not None and word.kind == _VARIABLE:
            return "\n".join(_say_variables(view, word.text)), word.place
        return "\n".join(_say_step(view)), self._places.bounds_of(step.step_id)[0]

    # ------------------------------------------------------------ names

    def word_at(self, offset: int) -> Word | None:
        """The variable or the name of a step at a place."""
        step = self._step_at(offset)
        found = self._names_of(step, *_NAMES) if step else ()
        return next((word for word in found if word.place[0] <= offset <= word.place[1]), None)

    def _uses(self, name: str, field: str) -> list[Stretch]:
        """Where a variable stands among the inputs or the outputs of all steps."""
        steps = self._users[field == "inputs"].get(name, ())
        return [word.place for step in steps for word in self._names_of(step, field) if word.text == name]

    def definitions(self, word: Word) -> Sequence[Stretch]:
        """The outputs that an input comes from; what puts itself out is its own origin."""
        step = self._step_at(word.place[0])
        if step is None or word.place in [one.place for one in self._names_of(step, "step_name", "outputs")]:
            return [word.place]
        origin = find_data_flow(self._plan).origins.get(step.step_id, {}).get(word.text)
        if origin is None:
            return []
        # Where several branches of a decision put it out, all of them.
        around = [origin.step] if word.text in origin.step.outputs else [*iter_steps(origin.step)]
        found = chain.from_iterable(self._names_of(one, "outputs") for one in around)
        return [one.place for one in found if one.text == word.text]

    def references(self, word: Word, *, with_definitions: bool) -> Sequence[Stretch]:
        """The inputs that take a variable, and the outputs of its name. The name of a step stands only in its line."""
        if word.kind == _STEP_NAME:
            return [word.place] if with_definitions else []
        outputs = self._uses(word.text, "outputs") if with_definitions else []
        return sorted([*outputs, *self._uses(word.text, "inputs")])

    def rename(self, word: Word, name: str) -> Sequence[Stretch]:
        """All places of a variable, or that of a step's name."""
        if not grammars.pattern("planspec", _TERMINALS[word.kind]).fullmatch(name):
            raise RenameError(f"`{_say(name)}` cannot be a {word.kind}: write {_WRITTEN[word.kind]}")
        if name == word.text:
            return []
        if word.kind == _STEP_NAME:
            taken = next((step for step in iter_steps(self._plan) if step.step_name == name), None)
            if taken is not None:
                raise RenameError(f"step {taken.step_id} has the name `{name}` already")
            return [word.place]
        if any(name in steps for steps in self._users):
            raise RenameError(f"there is a variable `{name}` already, and the two would be one")
        if line := self._hidden_in(word.text):
            raise RenameError(f"`{word.text}` may stand in line {line} as well, which has faults: repair that first")
        return self.references(word, with_definitions=True)

    def _hidden_in(self, name: str) -> int | None:
        """The first line with faults in which a name may stand that cannot be told from other text."""
        pattern = re.compile(rf"\b{re.escape(name)}\b", re.ASCII)
        source, spans = self._scan.source, [found.span for found in self._scan.diagnostics if found.span]
        lines = sorted({line for span in spans for line in range(span.line, span.end_line + 1)})
        return next((line for line in lines if pattern.search(source.line(line))), None)

    # ------------------------------------------------------------ completion

    def complete(self, offset: int) -> Iterator[Candidate]:
        """Marks and types in front of a description; variables behind an arrow. The grammar says what fits."""
        line, _ = cut_indentation(self._text[self._text.rfind("\n", 0, offset) + 1 : offset], 0)
        word = _end_of(_WORD, line)
        if self._takes(line.removesuffix(word), "v", "step_OUTPUTS", "body_line_INPUTS"):
            yield from self._variables(offset, line, word)
            return
        written = _end_of(_BRACKET, line)
        head = line.removesuffix(written)
        place = (offset - len(written), _end_at(_CLOSING, self._text, offset))
        for status, mark in MARKS.items():
            # Behind a mark comes a type.
            if self._takes(head, f"[{mark}]", "step_MARK", tail=" [act]"):
                yield Candidate(f"[{mark}]", place, status.value, "keyword")
        for name, one in STEP_TYPES.items():
            if self._takes(head, f"[{name}]", "step_TYPE"):
                yield Candidate(f"[{name}]", place, one.meaning, "keyword")

    def _takes(self, head: str, word: str, *groups: str, tail: str = "") -> bool:
        """Whether a line that begins like this can go on with a word, as one of these parts of it."""
        match = line_pattern().fullmatch(f"{head}{word}{tail}\n") if head else None
        return match is not None and any(match.end(group) >= len(head) + len(word.strip("[]")) for group in groups)

    def _variables(self, offset: int, line: str, word: str) -> Iterator[Candidate]:
        producers, consumers = self._users
        is_input = line.startswith(">")
        place = (offset - len(word), _end_at(_REST, self._text, offset))
        step = self._step_at(offset)
        # What the list has already, and what the step takes or gives besides.
        listed = line[max(line.rfind("→"), line.rfind("←")) + 1 : len(line) - len(word)]
        taken = {*map(str.strip, listed.split(","))}
        if step is not None:
            taken |= {one.text for one in self._names_of(step, "inputs", "outputs") if one.place[0] != place[0]}
        known = producers if is_input else consumers
        # Those that begin as what is written come first: a client may not want all.
        for name in sorted(known, key=lambda name: not name.startswith(word)):
            others = [one for one in known[name] if one is not step]
            # An output is for a step that has it from nowhere.
            if others and name not in taken and (is_input or name not in producers):
                yield Candidate(name, place, f"{'from' if is_input else 'for'} {_name_steps(others)}", "variable")


def _end_of(pattern: re.Pattern[str], line: str) -> str:
    match = pattern.search(line[-_MOST_WRITTEN:])
    assert match is not None, "it may be empty"
    return match[0]


def _end_at(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    assert match is not None, "it may be empty"
    return match.end()


# ---------------------------------------------------------------- words


def _say(text: str) -> str:
    return shorten(visible(text))


def _name_steps(steps: Sequence[PlanStep]) -> str:
    """Steps as a sentence names them."""
    ids = [_say(step.step_id) for step in steps[:_NAMED]]
    more = [count_of(len(steps) - _NAMED, "other")] if len(steps) > _NAMED else []
    return f"step{'s' if len(steps) > 1 else ''} {join_words([*ids, *more], 'and')}"


def _say_step(view: StepView) -> Iterator[str]:
    step = view.step
    name = f" ({_say(step.step_name)})" if step.step_name else ""
    yield f"Step {_say(step.step_id)}{name}: {step.status.value}"
    known = STEP_TYPES.get(step.step_type)
    meaning = known.meaning if known else f"no type of steps; these are {list_types('and', form='{}')}"
    yield f"{_say(step.step_type)}: {meaning}"
    if step.done_count or step.total_count is not None:
        yield progress_text(step)
    if step.children:
        below = PlanSpec(steps=step.children)
        yield f"Done below it: {say_progress(below.progress)}"
    variables = [*islice(_say_variables(view), _TOLD + 1)]
    yield from variables[:_TOLD]
    if len(variables) > _TOLD:
        yield "and more"
    if step.result:
        yield f"Result: {_say(step.result)}"


def _say_variables(view: StepView, only: str = "") -> Iterator[str]:
    """Where inputs come from and outputs go to, all or ``only`` one."""
    for supply in view.supplies:
        if only in ("", supply.name):
            yield f"Needs {_say_supply(supply)}"
    for use in view.uses:
        if only in ("", use.name):
            yield f"Gives {use.name}{f' to {_name_steps(use.steps)}' if use.steps else ', which no step takes'}"


def _say_supply(supply: Supply) -> str:
    origin = supply.origin
    if origin is None:
        return f"{supply.name}, which no step gives"
    when = ", in a later round" if supply.is_feedback else ""
    result = f": {_say(origin.result)}" if origin.result else ""
    return f"{supply.name} from step {_say(origin.step_id)} ({origin.status.value}{when}){result}"


# ---------------------------------------------------------------- the row of the table


def _check(text: str, info: bool) -> list[Diagnostic]:
    return check_text(text, limits=LIMITS, least=Severity.INFO if info else Severity.WARNING)


def _format(text: str) -> str:
    # How its lines end is a matter between a file and its editor.
    return serialize_plan(parse_plan(text, limits=LIMITS)).replace("\n", newline_of(text))


PLANSPEC = Language(
    id="planspec",
    # As the hooks for pre-commit have them.
    files=re.compile(r"(^|/)(planspec/.*|Tasks/[^/]+/plan|[^/]+\.plan)\.md$"),
    check=_check,
    fix=lambda text: fix_text(text, limits=LIMITS),
    format=_format,
    read=PlanReading,
    triggers=("[", "→", "←", ","),
)
