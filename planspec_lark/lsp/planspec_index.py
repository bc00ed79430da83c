"""PlanSpec documents for the server: steps, variables and their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path

from planspec_lark.document.document import PlanDocument
from planspec_lark.folder.project import read_project
from planspec_lark.lsp.models import LIMITS, Bounds, CompletionItem, NamePosition, Symbol
from planspec_lark.lsp.step_index import (
    StepIndex,
    name_steps,
    say_some,
)
from planspec_lark.lsp.tokens import DIALECT_PARTS
from planspec_lark.planspec.data_flow import DataFlow, find_data_flow
from planspec_lark.planspec.dialect import DIALECT, read_line
from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    MARKS,
    OPEN,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    has_progress,
    iter_steps,
    list_types,
)
from planspec_lark.planspec.parser import parse_plan, scan_strictly
from planspec_lark.planspec.positions import cut_indentation, iter_rows, line_pattern
from planspec_lark.planspec.printer import progress_text, serialize_plan
from planspec_lark.planspec.render import say_progress
from planspec_lark.planspec.scan_result import ScanResult
from planspec_lark.planspec.views import InputOrigin, focus_view
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, excerpt
from planspec_lark.syntax.source import end_last_line

__all__ = ["PlanIndex"]

# The tokens that are names.
_NAMES = ("function", "parameter", "variable")
# The end of a longer word is not completed.
_MOST_WRITTEN = 200
# A variable that is being written, up to the end of a text; and what there is of it after that. It may be empty.
_WORD = re.compile(r"[A-Za-z0-9_]*\Z")
_REST = re.compile(r"[A-Za-z0-9_]*")
# A type or a mark that is being written, up to the end of a text; and what there is of it after that.
_BRACKET = re.compile(r"(?:\[[^\[\]]?|\[?[A-Za-z0-9_]*)\Z")
_CLOSING = re.compile(r"[A-Za-z0-9_]*\]|")

# By the kinds of lines of the dialect, the rules that they may be read by.
_STEP_RULES = ("late_step", "early_step", "step", "untyped_step")
_RULES = {
    **dict.fromkeys(("step", "untyped"), _STEP_RULES),
    **dict.fromkeys(("inputs", "outputs", "status", "progress"), ("label",)),
    **dict.fromkeys(("title", "goal", "constraints", "steps"), ("header",)),
    "layout": ("comment_line",),
}


class PlanIndex(StepIndex[PlanStep]):
    """A plan."""

    language = "planspec"
    # As the hooks for pre-commit have them.
    files = re.compile(r"(^|/)(planspec/.*|Tasks/[^/]+/plan|[^/]+\.plan)\.md$")
    triggers = ("[", "←", ",")

    def __init__(self, text: str, before: PlanIndex | None = None) -> None:
        scan = scan_strictly(text, limits=LIMITS, before=before._scan if before else None)
        self._scan: ScanResult = scan
        self.source, self.faults, self.steps = scan.source, scan.diagnostics, scan.plan.steps
        self._text, self._plan, self._places = text, scan.plan, scan.positions

    def findings(self, least: Severity, folder: Path | None = None) -> list[Diagnostic]:
        """Those of the check, as the project's settings have them."""
        return read_project(folder).check_scan(self._scan, LIMITS, least)

    def fixed(self, folder: Path | None) -> str:
        """The text after its safe fixes."""
        return read_project(folder).fix_text(self._text, limits=LIMITS).text

    def formatted(self) -> str:
        """The text in canonical form."""
        return serialize_plan(parse_plan(self._text, limits=LIMITS))

    def finished(self, step_id: str) -> str:
        """The text after a step of it is set to done."""
        document = PlanDocument.from_text(self._text, limits=LIMITS)
        document.set_status(step_id, PlanStatus.DONE)
        return document.text

    def open_step_at(self, offset: int) -> str:
        """The id of the step at a place. A container is done by the steps in it, and faulty texts are not changed."""
        step = self._step_at(offset)
        is_open = step is not None and step.status in OPEN and not step.children and not self.faults
        return step.step_id if step is not None and is_open else ""

    def _parts(self) -> Iterator[Symbol]:
        fields = self._places.fields
        for name, parts in (("goal", ("goal", "goal_detail")), ("constraints", ("constraints",))):
            spans = [span for part in parts for span in fields.get(part, ())]
            if spans:
                place = (spans[0].start, spans[-1].end)
                detail = excerpt(self._plan.goal) if name == "goal" else ""
                yield Symbol(name.capitalize(), detail, "text", place, place[1])

    def _outline(self, step: PlanStep) -> tuple[str, str, bool]:
        return step.description, f"[{step.step_type}] {step.status.value}", step.step_type in CONTAINER_TYPES

    def _lines_of(self, step: PlanStep) -> Sequence[Bounds]:
        return self._places.bounds_of(step.step_id)

    def _words_of(self, step: PlanStep | None) -> Iterator[NamePosition]:
        if step is None:
            return
        lines, names = self._lines_of(step), {step.step_name, *step.inputs, *step.outputs}
        for start, end, part in self.tokens(lines[0][0], lines[-1][1]):
            if part in _NAMES and (text := self._text[start:end]) in names:
                means = id(step) if part == "function" else text
                yield NamePosition(text, (start, end), step, means, is_origin=part != "parameter")

    @cached_property
    def _flow(self) -> DataFlow:
        return find_data_flow(self._plan)

    @property
    def variables(self) -> set[str]:
        """The names of all that any step takes or gives."""
        return {*self._flow.producers, *self._flow.consumers}

    def _origins(self, step: PlanStep, name: str) -> Iterable[PlanStep]:
        origin = self._flow.origins.get(step.step_id, {}).get(name)
        if origin is None:
            return ()
        # Where several branches of a decision produce it, all of them.
        return [origin.step] if name in origin.step.outputs else iter_steps(origin.step)

    def _say_step(self, step: PlanStep) -> Iterator[str]:
        yield step.status.value
        known = STEP_TYPES.get(step.step_type)
        meaning = known.meaning if known else f"no type of steps; these are {list_types('and', form='{}')}"
        yield f"{excerpt(step.step_type)}: {meaning}"
        if has_progress(step):
            yield progress_text(step)
        if step.children:
            below = PlanSpec(steps=step.children)
            yield f"Done below it: {say_progress(below.progress)}"
        yield from say_some(self._say_variables(step))
        if step.result:
            yield f"Result: {excerpt(step.result)}"

    def _say_variables(self, step: PlanStep | None, only: str = "") -> Iterator[str]:
        assert step is not None, "a plan has variables in its steps alone"
        view = focus_view(self._plan, step.step_id)
        for supply in view.supplies:
            if only in ("", supply.name):
                yield f"Needs {_say_supply(supply)}"
        for use in view.uses:
            if only in ("", use.name):
                yield f"Gives {use.name}{f' to {name_steps(use.steps)}' if use.steps else ', which no step takes'}"

    @cached_property
    def _rows(self) -> str:
        return end_last_line(self._places.text)

    def _matches(self, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
        for row, at in iter_rows(self._rows, self._rows.rfind("\n", 0, start) + 1):
            if at >= end:
                return
            if match := line_pattern().match(row):
                yield match, at
            else:
                yield from ((found, at) for found in _match_dialect(row.rstrip()))

    # ------------------------------------------------------------ completion

    def complete(self, offset: int) -> Iterator[CompletionItem]:
        """Marks and types before a description; variables after the arrow of inputs. The grammar says what fits."""
        line, _ = cut_indentation(self._text[self._text.rfind("\n", 0, offset) + 1 : offset], 0)
        word = next(_WORD.finditer(line[-_MOST_WRITTEN:]))[0]
        if self._takes(line.removesuffix(word), "v", "body_line_INPUTS"):
            yield from self._variables(offset, line, word)
            return
        written = next(_BRACKET.finditer(line[-_MOST_WRITTEN:]))[0]
        head = line.removesuffix(written)
        place = self._place(offset, written, _CLOSING)
        for status, mark in MARKS.items():
            # After a mark comes a type.
            if self._takes(head, f"[{mark}]", "step_MARK", tail=" [act]"):
                yield CompletionItem(f"[{mark}]", place, status.value, "keyword")
        for name, one in STEP_TYPES.items():
            if self._takes(head, f"[{name}]", "step_TYPE"):
                yield CompletionItem(f"[{name}]", place, one.meaning, "keyword")

    def _takes(self, head: str, word: str, group: str, *, tail: str = "") -> bool:
        """Whether a line that begins like this can continue with a word, as this part of it."""
        match = line_pattern().fullmatch(f"{head}{word}{tail}\n") if head else None
        return match is not None and match.end(group) >= len(head) + len(word.strip("[]"))

    def _place(self, offset: int, written: str, rest: re.Pattern[str]) -> Bounds:
        """The place of what is being written: what there is of it before an offset, and what matches after it."""
        return offset - len(written), next(rest.finditer(self._text, offset)).end()

    def _variables(self, offset: int, line: str, word: str) -> Iterator[CompletionItem]:
        """The variables that are there before a step, but for those that it takes or gives already."""
        step, place = self._step_at(offset), self._place(offset, word, _REST)
        listed = line[line.rfind("←") + 1 : len(line) - len(word)]
        taken = {
            *map(str.strip, listed.split(",")),
            *(one.text for one in self._words_of(step) if one.place[0] != place[0]),
        }
        given: dict[str, list[PlanStep]] = {}
        for before in takewhile(lambda one: one is not step, iter_steps(self._plan)):
            for name in dict.fromkeys(before.outputs):
                given.setdefault(name, []).append(before)
        # Those first that begin like what is written: a client may not want all.
        for name, steps in sorted(given.items(), key=lambda item: not item[0].startswith(word)):
            if name not in taken:
                yield CompletionItem(name, place, f"from {name_steps(steps)}", "variable")


def _match_dialect(line: str) -> Iterator[re.Match[str]]:
    """What a line of the dialect is, and the parts behind the type of a step."""
    reading = read_line(line)
    rules = _RULES.get(reading.kind, ()) if reading else ()
    for match in islice(filter(None, (DIALECT.match(rule, line) for rule in rules)), 1):
        yield match
        if reading and reading.step and match["TAIL"]:
            found = DIALECT.tokens("tail").finditer(line, match.start("TAIL"))
            yield from (one for one in found if one.lastgroup in DIALECT_PARTS)


# ---------------------------------------------------------------- words


def _say_supply(supply: InputOrigin) -> str:
    origin = supply.origin
    if origin is None:
        return f"{supply.name}, which no step produces"
    when = ", in a later round" if supply.is_feedback else ""
    result = f": {excerpt(origin.result)}" if origin.result else ""
    return f"{supply.name} from step {excerpt(origin.step_id)} ({origin.status.value}{when}){result}"
