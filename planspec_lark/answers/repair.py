"""What a language model is asked when a plan is to be repaired, and how its answer is put into the plan.

The plan is shown with the numbers of its lines and all that is found in it. An answer changes any of these lines, or is
the plan once more. Where that is asked, it may also name one of several plans, or say that nothing changes. What
these lines look like is in ``grammar/repair.lark``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from re import Match

from attrs import field, frozen

from planspec_lark.answers.extract import Extraction, Remark
from planspec_lark.answers.truncation import CUT
from planspec_lark.answers.verdict import Verdict
from planspec_lark.planspec.models import BLANKS, iter_steps
from planspec_lark.planspec.prompt_texts import type_values
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, apply_edits, count_of, render_all
from planspec_lark.syntax.limits import Findings, Limits, find_excess
from planspec_lark.syntax.prompt_templates import fill, read_template, text_values
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, end_last_line, newline_of

__all__ = [
    "MAX_CHARACTERS",
    "MAX_FAULTS",
    "RepairQuestion",
    "RepairScope",
    "build_question",
    "find_lost",
    "put_lines",
    "read_reply",
    "write_like",
]

MAX_FAULTS = 20
# Of all lines that are shown.
MAX_CHARACTERS = 20_000
# Conflict markers, and what keeps the line of a step from being read.
_CONFLICT = "PS128"
_STEP_CODES = frozenset(f"PS{number}" for number in range(110, 118))


class RepairScope(str, Enum):
    """What a round of repair asks for.

    Attributes:
        FAULTS: a plan without what keeps it from being accepted.
        CHOICE: which of several plans holds.
        REMARKS: whether the text around the plan changes it.
    """

    FAULTS = "faults"
    CHOICE = "choice"
    REMARKS = "remarks"


@frozen
class RepairQuestion:
    """What is asked.

    Attributes:
        asked: what for.
        lines: the numbers of the lines that are shown: these may be rewritten.
        plans: of how many plans one may be chosen.
        prompt: the text for the model.
    """

    asked: RepairScope
    lines: Collection[int]
    plans: int = 0
    prompt: str = field(default="", repr=False)


# ---------------------------------------------------------------- the question


def build_question(  # noqa: PLR0913  (all but the first three say how to ask)
    source: Source,
    found: Sequence[Diagnostic],
    lines: range,
    *,
    asked: RepairScope = RepairScope.FAULTS,
    language: str,
    max_faults: int,
    remarks: Iterable[Remark] = (),
    refused: str | None = None,
    allow_removal: bool = False,
) -> RepairQuestion:
    """A question about a text.

    Args:
        source: the text.
        found: what is wrong with it. Where the question is which plan holds, one finding for each of them.
        lines: the numbers of the lines to show.
        asked: what is asked.
        language: "en" or "zh".
        max_faults: how many findings to show.
        remarks: what stands around the plan, where that is asked about.
        refused: why the last answer to this was not taken.
        allow_removal: whether steps, constraints and details may go.

    Raises:
        ValueError: the first line with a finding is too long to be shown.
    """
    shown = _choose_lines(source, lines, found[:max_faults])
    listed = [one for one in found[:max_faults] if one.line in shown or one.line not in lines]
    plans = len(found) if asked is RepairScope.CHOICE else 0
    more = len(found) - len(listed)
    beside = "\n\n".join(remark.text for remark in remarks)
    prompt = fill(
        read_template(__package__, "repair", language),
        rest="yes" if len(shown) < len(lines) else None,
        more=str(more) if more else None,
        cut="yes" if any(one.code == CUT for one in found) else None,
        faults="yes" if asked is RepairScope.FAULTS else None,
        plans=str(plans) if plans else None,
        refused=refused,
        removal="yes" if allow_removal else None,
        **type_values(language),
        **text_values("\n".join(f"LINE {number}: {_line(source, number)}" for number in shown), most=None, name="plan"),
        **text_values(render_all(listed) or None, most=None, name="wrong"),
        **text_values(beside if asked is RepairScope.REMARKS else None, name="remarks"),
    )
    return RepairQuestion(asked, frozenset(shown), plans, prompt)


def _line(source: Source, number: int) -> str:
    return source.line(number).lstrip("\ufeff").rstrip(BLANKS)


def _choose_lines(source: Source, lines: range, found: Iterable[Diagnostic]) -> list[int]:
    """The numbers of as many lines as there is room for, those with findings first."""
    wrong = [line for one in found if (line := one.line) is not None and line in lines]
    room = MAX_CHARACTERS
    shown: list[int] = []
    for number in dict.fromkeys([*wrong, *lines]):
        room -= len(source.line(number))
        if room < 0 and not shown and wrong:
            raise ValueError(f"line {number} is too long to be repaired: remove it, or repair it by hand")
        if room < 0:
            break
        shown.append(number)
    return sorted(shown)


# ---------------------------------------------------------------- the answer


@frozen
class RepairReply:
    """What an answer says.

    Attributes:
        diagnostics: what is wrong with it. Where one is an error, it says nothing.
        lines: what each line becomes, by its number; nothing for one that goes.
        plan: the plan that it writes instead.
        choice: the number of the plan that it names.
    """

    diagnostics: list[Diagnostic]
    lines: dict[int, list[str]] = field(factory=dict)
    plan: Extraction | None = None
    choice: int | None = None


def read_reply(
    answer: str, question: RepairQuestion, read: Callable[[str], Extraction], *, name: str, limits: Limits
) -> RepairReply:
    """Read an answer to a question. No text makes it raise.

    Args:
        answer: any text.
        question: what was asked.
        read: takes a plan out of it.
        name: what diagnostics call the answer.
        limits: how much to read and to report.
    """
    if excess := find_excess(answer, name, limits):
        return RepairReply([excess])
    source = Source(answer, name)
    remainder = leave_out_reasoning(answer)
    # A byte-order mark in front is no part of the answer. A blank in its place leaves all offsets as they are.
    said = " " + remainder.text[1:] if answer.startswith("\ufeff") else remainder.text
    rows = _Rows(source, question)
    rows.read(end_last_line(said))
    plan = None if rows.choices else read(answer)
    if plan is not None and plan.verdict is Verdict.REFUSED:
        plan = None
    if plan is not None and not rows.lines:
        # Lines that almost count tell of what was done.
        return RepairReply(remainder.diagnose(source), plan=plan)
    found = Findings(limits.max_findings)
    found.extend([*rows.found, *rows.check(is_plan=plan is not None), *remainder.diagnose(source)])
    # Nothing after the colon takes a line out; beside a text for the same line it says nothing.
    lines = {number: [text for text in texts if text] for number, texts in rows.lines.items()}
    return RepairReply(found.close(), {} if rows.choices else lines, choice=min(rows.choices, default=None))


@frozen
class _Rows:
    """The lines of an answer that count, and what is wrong with them."""

    source: Source
    question: RepairQuestion
    lines: dict[int, list[str]] = field(factory=dict)
    choices: set[int] = field(factory=set)
    # Lines that say that nothing changes.
    unchanged: list[str] = field(factory=list)
    found: list[Diagnostic] = field(factory=list)

    def read(self, text: str) -> None:
        """Read all lines of a text."""
        at = 0
        for line in text.split("\n")[:-1]:
            self._read(f"{line}\n", at)
            at += len(line) + 1

    def _read(self, row: str, at: int) -> None:
        if match := _match("repaired", row):
            number = int(match["LINE_MARK"])
            self.lines.setdefault(number, []).append(match["TEXT"] or "")
            if number not in self.question.lines:
                self._tell("PM101", f"line {number} was not shown", *(at + end for end in match.span("LINE_MARK")))
        elif self.question.plans and (match := _match("choice", row)):
            self.choices.add(int(match["PLAN_MARK"]))
        elif self.question.asked is RepairScope.REMARKS and _match("unchanged", row):
            self.unchanged.append(row)
        elif match := grammars.pattern("repair", "ALMOST_MARK").match(row):
            message = "a repaired line is `LINE`, its number, a colon, and a text without control characters"
            self._tell("PM102", message, at, at + match.end())

    def _tell(self, code: str, message: str, start: int, end: int) -> None:
        self.found.append(Diagnostic(code, message, span=self.source.span(start, end), source=self.source))

    def check(self, *, is_plan: bool) -> Iterator[Diagnostic]:
        """What is wrong with all of them together."""
        message, most = "", self.question.plans
        if len(self.choices) > 1 or max(self.choices, default=0) > most:
            message = f"the answer has to name one of {most} plans, on a line such as `PLAN 1`"
        elif is_plan:
            message = "the answer has repaired lines and a plan as well, so it is open which of them counts"
        elif not (self.lines or self.choices or self.unchanged):
            message = "the answer has no repaired line and no plan"
        if message:
            end = len(self.source.text.rstrip(f"{BLANKS}\r\n"))
            help = "write repaired lines after `LINE`, their number and a colon, or else the whole plan in a code block"
            yield Diagnostic("PM103", message, span=self.source.span(end, end), help=help, source=self.source)


def _match(rule: str, row: str) -> Match[str] | None:
    return grammars.regular("repair").pattern(rule).match(row)


# ---------------------------------------------------------------- the plan


def put_lines(text: str, lines: Mapping[int, list[str]]) -> str:
    """The text with these lines in place of those with these numbers. Each keeps its indentation."""
    source, newline = Source(text), newline_of(text)
    edits = []
    for number, new in lines.items():
        # Only the first sign of a text is a byte-order mark.
        mark = "\ufeff" if number == 1 else ""
        line = source.line(number)
        row = line.lstrip(mark) if mark else line
        start, end = source.start_of(number) + len(line) - len(row), source.start_of(number) + len(line)
        if not new and number < source.position(source.length)[0]:
            end = source.start_of(number + 1)
        indent = row[: len(row) - len(row.lstrip(BLANKS))]
        written = newline.join(indent + one.lstrip(mark) if mark else indent + one for one in new)
        edits.append(Edit(source.span(start, end), written))
    return apply_edits(text, edits)


def write_like(text: str, plan: str) -> str:
    """A plan's canonical text with the byte-order mark and the line breaks of another text."""
    return ("\ufeff" if text.startswith("\ufeff") else "") + plan.replace("\n", newline_of(text))


def find_lost(before: Extraction, after: Extraction) -> str:
    """What a plan has less of than another one: by their numbers, and nothing else. Empty where that is nothing."""
    old, new = _count(before), _count(after)
    # A detail line that becomes a step is not lost.
    new["detail line"] += max(0, new["step"] - old["step"])
    lost = [count_of(old[name] - new[name], name) for name in old if new[name] < old[name]]
    return f"the plan would lose {' and '.join(lost)}" if lost else ""


def _count(found: Extraction) -> Counter[str]:
    """How many steps, constraints and details a plan has; those that could not be read count as well."""
    plan, steps = found.plan, list(iter_steps(found.plan))
    details = len(plan.goal_detail) + sum(len(step.detail) for step in steps)
    counts = Counter({"step": len(steps), "constraint": len(plan.constraints), "detail line": details})
    # Of two versions that a merge has left, one goes.
    if all(one.code != _CONFLICT for one in found.holds):
        read = {places.span.line for places in found.positions.steps.values()}
        counts["step"] += len({one.line for one in found.holds if one.code in _STEP_CODES} - read)
        lost = (one for one in found.holds if one.code == "PS107" and not one.step_id)
        rows = (one.source_line.lstrip(f"{BLANKS}>") for one in lost if one.source_line.lstrip(BLANKS).startswith(">"))
        # What declares inputs is no detail.
        counts["detail line"] += sum(not row.startswith("←") for row in rows)
    return counts
