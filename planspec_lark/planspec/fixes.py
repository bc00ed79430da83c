"""How the faults of a text are fixed, as data: which edits, and whether they keep what it means.

A fault in one line has its fix from the reader. What takes more than that line is found here, with all of the text at
hand: parts in another order, code fences, prose, an id that occurs twice. Nothing here changes a text, and no fix is a
promise: who applies one looks at the text again (:mod:`planspec_lark.planspec.fixer`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from re import Match

from attrs import evolve, frozen

from planspec_lark.planspec.answer_lines import (
    find_elision,
    heads_flow,
    is_harmless,
    is_option,
    read_bullet,
    read_flow,
    read_state_line,
)
from planspec_lark.planspec.builder import split_variables
from planspec_lark.planspec.data_flow import find_users
from planspec_lark.planspec.hidden_parts import looks_like_flow
from planspec_lark.planspec.line_faults import is_step, line_pattern
from planspec_lark.planspec.models import BLANKS, PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.near_misses import (
    SPACES,
    NearMiss,
    compiled,
    find_arrow,
    find_outputs,
    repair_bullet,
    repair_header,
    variables_of,
)
from planspec_lark.planspec.positions import cut_indentation
from planspec_lark.planspec.step_repair import is_foreign_type, looks_like_step, read_status, repair_step
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, Fix
from planspec_lark.syntax.source import Source, Span, newline_of

__all__ = ["add_fixes"]

# The kinds of lines that begin a part, in their order.
_RANKS = {"title": 1, "goal": 2, "constraints": 3, "steps_header": 4, "step": 4}
# Lines that continue a part.
_BODIES = {"goal": "body_line", "constraints": "constraint"}
# Words after an opening fence that say nothing about what is in it.
_FENCE_WORDS = frozenset(("", "text", "txt", "plain", "plaintext", "plan", "planspec", "md", "markdown"))
# What speaks of a step by its number.
_STEP_NUMBER = r"(?i)\b(?:steps?|no\.|number) ?#?[0-9]|#[0-9]|(?:第|步骤) ?[0-9一二三四五六七八九十]"
# What a repair of one line leaves out, or takes for something else, whatever it is.
_GUESSES = ("PS102", "PS116", "PS124")


def add_fixes(found: Iterable[Diagnostic], source: Source, plan: PlanSpec) -> list[Diagnostic]:
    """Give diagnostics their fixes, and say of each whether it is safe.

    Args:
        found: all that was found in a text.
        source: the text.
        plan: the plan as far as it could be read.
    """
    found = list(found)
    text = _Text(source, found, plan)
    return [evolve(one, fix=fix) if (fix := text.find_fix(one)) else one for one in found]


@frozen(slots=False, eq=False)
class _Text:
    """A text with faults. Lines count from 1."""

    source: Source
    found: list[Diagnostic]
    plan: PlanSpec

    def find_fix(self, fault: Diagnostic) -> Fix | None:
        """The fix of a fault, if there is one."""
        if fault.fix is not None:
            return evolve(fault.fix, is_safe=self._is_safe(fault, fault.fix))
        # Of two versions that a merge has left, it is unknown which one applies.
        if fault.span is None or "PS128" in self._codes:
            return None
        if fault.code == "PS125":
            return Fix(fault.span, "", title="remove the reasoning")
        # What is in a reasoning block is no line of the text, so that nothing else can be placed among the lines.
        find = None if "PS125" in self._codes else _FINDERS.get(fault.code)
        return find and find(self, fault.span.line)

    @cached_property
    def _codes(self) -> set[str]:
        return {one.code for one in self.found}

    # ------------------------------------------------------------ lines

    @cached_property
    def rows(self) -> list[str]:
        """The lines without line breaks and indentation; the first one is no line."""
        rows = self.source.text.removeprefix("\ufeff").split("\n")
        return ["", *(row.removesuffix("\r").strip(BLANKS) for row in rows)]

    def start(self, at: int) -> int:
        """Where a line begins; after the last one, where the text ends. A byte-order mark belongs to no line."""
        if at == len(self.rows):
            return self.source.length
        return self.source.start_of(at) + (at == 1 and self.source.text.startswith("\ufeff"))

    @cached_property
    def faults(self) -> dict[int, Diagnostic]:
        """The first fault of the syntax in each line that has one."""
        others = ("PS105", "PS106", "PS117")
        faults = (one for one in reversed(self.found) if one.code.startswith("PS1") and one.code not in others)
        return {one.span.line: one for one in faults if one.span is not None}

    @cached_property
    def matches(self) -> list[Match[str] | None]:
        """What each line says, as it is or repaired; None where it is no line of a plan."""
        match = line_pattern().match
        return [None, *(match(f"{self._repaired(at)}\n") for at in range(1, len(self.rows)))]

    def _repaired(self, at: int) -> str:
        fault = self.faults.get(at)
        if fault is None:
            return self.rows[at]
        return fault.fix.text.split("\n")[0] if fault.fix and fault.code != "PS103" else "\0"

    def step(self, at: int) -> Match[str]:
        """The summary line that was read in a line."""
        match = self.matches[at]
        assert match is not None, "a step was read there"
        return match

    def kind(self, at: int) -> str:
        """What kind of line this is; empty for a line that is not part of a plan, or has no owner."""
        match = self.matches[at]
        return str(match.lastgroup) if match else ""

    @cached_property
    def first(self) -> Mapping[str, int]:
        """The first line of each kind."""
        return {kind: at for at in reversed(range(1, len(self.rows))) if (kind := self.kind(at))}

    @cached_property
    def last(self) -> int:
        """The last line of the plan, 0 where there is none."""
        return next((at for at in reversed(range(1, len(self.rows))) if self.kind(at)), 0)

    def _code(self, at: int) -> str:
        """The code of the first fault of the syntax in a line; empty where it has none."""
        fault = self.faults.get(at)
        return fault.code if fault else ""

    def above(self, at: int) -> int:
        """The next line above one that is not blank; 0 where there is none."""
        return next((line for line in range(at - 1, 0, -1) if self.rows[line]), 0)

    def below(self, at: int) -> int:
        """The next line below one that is not blank; 0 where there is none."""
        return next((line for line in range(at + 1, len(self.rows)) if self.rows[line]), 0)

    def end_of_part(self, at: int) -> int:
        """The last line of the part that begins in a line."""
        body, end = _BODIES.get(self.kind(at)), at
        while (line := self.below(end)) and body and self._goes_on(line, body):
            end = line
        return end

    def _goes_on(self, at: int, body: str) -> bool:
        row = self.rows[at]
        if body == "body_line":
            return row.startswith(">")
        return row.startswith("- ") or (repair_bullet(row) is not None and not is_step(row))

    def _is_cut(self, end: int) -> bool:
        """Whether `>` or `-` lines follow a part behind lines of no plan: whose they are shows once those are gone."""
        line = below = self.below(end)
        while line and not (self.kind(line) or self._is_body(line)):
            line = self.below(line)
        return line != below and self._is_body(line)

    def _is_body(self, at: int) -> bool:
        return any(self._goes_on(at, body) for body in _BODIES.values())

    @cached_property
    def _listed(self) -> set[int]:
        """The lines of all lists of constraints, wherever these are."""
        heads = [at for at in range(1, len(self.rows)) if self.kind(at) == "constraints"]
        return {line for at in heads for line in range(at, self.end_of_part(at) + 1)}

    # ------------------------------------------------------------ edits

    def _lines(self, first: int, last: int) -> Span:
        """All of some lines, the line break of the last one included."""
        return self.source.span(self.start(first), self.start(last + 1))

    def _content(self, at: int) -> Span:
        """What a line says, without white space around it and its line break."""
        row, start = cut_indentation(self.source.text[self.start(at) : self.start(at + 1)], self.start(at))
        return self.source.span(start, start + len(row.rstrip(f"{BLANKS}\r\n")))

    def _ended(self, first: int, last: int) -> str:
        """The text of some lines, the last of them ended."""
        text = self.source.text[self.start(first) : self.start(last + 1)]
        return text if text.endswith("\n") else text + newline_of(self.source.text)

    def _leave_out(self, at: int, title: str, *, is_safe: bool) -> Fix:
        return Fix(self._lines(at, at), "", is_safe=is_safe, title=title)

    def _insert(self, at: int, text: str) -> Edit:
        """Some lines before one."""
        return Edit(self.source.span(self.start(at), self.start(at)), text)

    def _move(self, first: int, last: int, to: int, title: str, *, is_safe: bool) -> Fix:
        """Put some lines before another one."""
        insert = self._insert(to, self._ended(first, last))
        return Fix(insert.span, insert.text, (Edit(self._lines(first, last), ""),), is_safe, title)

    def _put_into(self, at: int, column: int, text: str) -> Edit:
        """A text at an offset of what a line says."""
        place = self._content(at).start + column
        return Edit(self.source.span(place, place), text)

    # ------------------------------------------------------------ repairs of one line

    def _is_safe(self, fault: Diagnostic, fix: Fix) -> bool:
        """Whether the repair of one line keeps what it says."""
        written = self.source.text[fix.span.start : fix.span.end]
        if fault.code == "PS103":
            return fix.span.line in self._fences_around
        if fault.code == "PS202":
            return is_foreign_type(written.strip("[]"))
        if fault.code == "PS305":
            return self._is_flow(fix.text, fault.step_id)
        if fault.code in _GUESSES:
            return False
        return fault.code == "PS320" or self._keeps(written, fix.text, fault.step_id)

    def _keeps(self, line: str, repaired: str, step_id: str) -> bool:
        line = line.strip(SPACES)
        if line == repaired or repaired in ((repair_bullet(line) or ("", ""))[1], (repair_header(line) or ("", ""))[1]):
            return True
        if not looks_like_step(line):
            return line.startswith(repaired) and not _says_much(line[len(repaired) :])
        misses, written = repair_step(line)
        if written != repaired or not all(_is_spelling(miss, line, repaired) for miss in misses):
            return False
        step_id = step_id or repaired.split(" ", maxsplit=1)[0].rstrip(".")
        return repaired.count("→") <= line.count("→") or self._is_flow(repaired, step_id)

    @cached_property
    def _fences_around(self) -> Collection[int]:
        """The fences, if they are around all of the plan, or one alone at its end."""
        fences = [one.span.line for one in self.found if one.code == "PS103" and one.span]
        words = {self.rows[at].strip("`~").strip(BLANKS).lower() for at in fences}
        is_end = self.last < fences[-1] and words <= _FENCE_WORDS
        is_pair = len(fences) == 2 and self._is_led(fences[0])
        return fences if is_end and (len(fences) == 1 or is_pair) else ()

    def _is_led(self, at: int) -> bool:
        """Whether a line is before all of the plan."""
        return at < min(self.first.values(), default=at)

    @cached_property
    def _users(self) -> tuple[dict[str, list[PlanStep]], dict[str, list[PlanStep]]]:
        """The steps that produce a variable, and those that take it."""
        return find_users(self.plan)

    @cached_property
    def _has_flow(self) -> bool:
        """Whether most steps without children say what they produce, in the right signs or in others."""
        leaves = [step for step in iter_steps(self.plan) if not step.children]
        saying = [step for step in leaves if step.outputs or find_outputs(step.description)]
        return len(saying) > 2 and 2 * len(saying) >= len(leaves)

    def _is_flow(self, written: str, step_id: str) -> bool:
        """Whether what is after an arrow can only be meant as variables.

        A word alone may be text as well. It is not where another step has that variable, or most steps have outputs.
        """
        arrow = max(written.rfind("→"), written.rfind("←"))
        names = variables_of(written[arrow + 1 :].split("|", maxsplit=1)[0]) or []
        producers, consumers = self._users
        others = producers if written[arrow] == "←" else consumers
        return (
            len(names) > 1
            or any("_" in name for name in names)
            or any(step.step_id != step_id for name in names for step in others.get(name, ()))
            or (written[arrow] == "→" and self._has_flow)
        )

    # ------------------------------------------------------------ what takes more than its line

    def _fix_unknown(self, at: int) -> Fix | None:
        """A line that is not part of a plan."""
        row = self.rows[at]
        is_item = repair_bullet(row) is not None and at in self._listed
        if is_item or find_elision(row) or looks_like_step(row):
            return None
        if is_harmless(row) or not row.strip(SPACES):
            return self._leave_out(at, "remove this line", is_safe=True)
        above = self.above(at)
        if above and self._is_empty_goal(above):
            return self._join_goal(above, at)
        if "goal" not in self.first and self.kind(above) == "title":
            return Fix(self._content(at), f"Goal: {row}", title="make it the goal")
        return self._fix_prose(at, above)

    def _fix_prose(self, at: int, above: int) -> Fix | None:
        """A line of prose, and the line above it."""
        row = self.rows[at]
        is_led = self._is_led(at)
        if fix := self._fix_status(at):
            return fix
        if at in self._owners and (_declared(row) is not None or read_bullet(row) is not None):
            return self._fix_below(at)
        if "goal" not in self.first and is_led and not row.endswith((":", "：")):
            # It may be the goal.
            return None
        if is_led or at > self.last:
            return self._leave_out(at, "remove this line", is_safe=False)
        if self.kind(above) in ("step", "goal", "body_line") and self._is_plain(row):
            return Fix(self._content(at), f"> {row}", title="make it a detail line of the part above")
        return None

    def _fix_declared(self, at: int) -> Fix | None:
        """A line below a step that declares its inputs or outputs in other words or signs."""
        what, names = _declared(self.rows[at]) or ("", [])
        owner = self._owners[at]
        step = self.step(owner)
        if not names:
            return self._leave_out(at, "remove this line", is_safe=False)
        listed = ", ".join(names)
        if what == "inputs":
            # The arrow of the format says so by itself.
            is_arrow = (read_bullet(self.rows[at]) or "").startswith("←")
            is_safe = is_arrow or self._is_flow(f"← {listed}", step["step_STEP_ID"])
            return Fix(self._content(at), f"> ← {listed}", is_safe=is_safe)
        if owner in self.faults or step["step_OUTPUTS"]:
            return None
        insert = self._put_into(owner, step.end("step_DESCRIPTION"), f" → {listed}")
        is_safe = self._is_flow(insert.text, step["step_STEP_ID"])
        title = f"write `→ {listed}` after the description of the step above"
        return Fix(self._lines(at, at), "", (insert,), is_safe, title)

    def _fix_status(self, at: int) -> Fix | None:
        """A line below a step that says its status in words."""
        owner, kind, word = self._owners.get(at), *(read_state_line(self.rows[at]) or ("", ""))
        mark = read_status(word) if kind == "status" else None
        if owner is None or owner in self.faults or mark is None:
            return None
        step = self.step(owner)
        written, meant = step["step_MARK"], f"[{mark}]"
        if meant == (written or "[ ]"):
            return self._leave_out(at, "remove this line: the step above says so", is_safe=True)
        if written:
            return None
        # After the id and its dot.
        insert = self._put_into(owner, step.end("step_STEP_ID") + 1, f" {meant}")
        return Fix(self._lines(at, at), "", (insert,), True, f"write `{meant}` after the id of the step above")

    def _is_plain(self, text: str) -> bool:
        """Whether a text is detail once it is after `> `."""
        match = line_pattern().fullmatch(f"> {text}\n")
        return match is not None and not match["body_line_INPUTS"]

    def _is_empty_goal(self, at: int) -> bool:
        match, fault = self.matches[at], self.faults.get(at)
        if fault is None or fault.fix is not None:
            return match is not None and match.lastgroup == "goal" and not match["goal_TEXT"]
        return fault.code == "PS104" and "goal" in fault.message

    def _join_goal(self, at: int, text: int) -> Fix | None:
        """A goal that has its text in the line below it."""
        if self._code(text + 1) == "PS101":
            # A paragraph, and its end is unknown.
            return None
        span = self.source.span(self._content(at).start, self._content(text).end)
        return Fix(span, f"Goal: {self.rows[text]}", is_safe=True)

    def _fix_header(self, at: int) -> Fix | None:
        """A header that cannot be repaired by itself."""
        below = self.below(at)
        is_goal = self._code(below) == "PS101" and self._is_empty_goal(at)
        return self._join_goal(at, below) if is_goal else None

    def _read_title(self, at: int) -> Fix | None:
        """A title that is the header of another part."""
        header = repair_header(self.rows[at]) if self.kind(at) == "title" else None
        return None if header is None or header[1].startswith("# ") else Fix(self._content(at), header[1], is_safe=True)

    def _fix_repeated(self, at: int) -> Fix | None:
        """A second title, goal or list."""
        if fix := self._read_title(at):
            return fix
        if at in self.faults or self._is_cut(self.end_of_part(at)):
            # What there is besides the header would go with it.
            return None
        kind = self.kind(at)
        if kind == "steps_header":
            is_late = self.first[kind] == at
            is_safe = is_late and "PS117" not in self._codes and not self._leads_orphan(at)
            return self._leave_out(at, "remove this header", is_safe=is_safe)
        if kind in ("title", "goal") and self.rows[at] == self.rows[self.first[kind]] and self.end_of_part(at) == at:
            return self._leave_out(at, f"remove the repeated {kind}", is_safe=not self._leads_orphan(at))
        if kind == "constraints" and self.kind(self.above(at)) == "constraint" and self.kind(self.below(at)):
            return self._leave_out(at, "make it one list with the constraints above", is_safe=True)
        return None

    def _fix_late(self, at: int) -> Fix | None:
        """A part after one that it has to precede."""
        if fix := self._read_title(at):
            return fix
        kind = self.kind(at)
        behind = [line for other, line in self.first.items() if _RANKS.get(other, 0) > _RANKS.get(kind, 9)]
        end = self.end_of_part(at)
        if not behind or min(behind) > at or self._is_cut(end):
            return None
        to = min(behind)
        title = f"move the {kind} up, before line {to}"
        return self._move(at, end, to, title, is_safe=not self._leads_orphan(end))

    def _leads_orphan(self, at: int) -> bool:
        """Whether a line without an owner follows that would have one if this line were gone."""
        return self._code(self.below(at)) == "PS107"

    def _fix_orphan(self, at: int) -> Fix | None:
        """A `>` or `-` line without an owner."""
        row = self.rows[at]
        if row == ">":
            return self._leave_out(at, "remove the empty line", is_safe=True)
        text, is_led = row[1:].strip(BLANKS), self.first.get("step", at) >= at
        if at in self._owners and (below := self._fix_below(at)):
            return below
        if row.startswith(">"):
            goal = self.first.get("goal")
            to = self.end_of_part(goal) + 1 if goal else len(self.rows)
            if not is_led or to >= len(self.rows) or not self._is_plain(text):
                return None
            return self._move(at, at, to, "make it a detail line of the goal", is_safe=False)
        if is_led and "constraints" not in self.first and not self.rows[self.above(at)].startswith("-"):
            insert = self._insert(at, f"Constraints:{newline_of(self.source.text)}")
            return Fix(insert.span, insert.text, title="write `Constraints:` above it")
        return None

    def _fix_below(self, at: int) -> Fix | None:
        """A line below a step that says its status, inputs or outputs, or is detail with a bullet."""
        row = self.rows[at]
        text = read_bullet(row)
        if at in self._below_labels:
            return None
        if fix := self._fix_status(at):
            return fix
        if _declared(row) is not None:
            return self._fix_declared(at)
        if text is None or not self._is_plain(text):
            return None
        # As a reader of answers takes it, and takes it for nothing else.
        is_safe = bool(self.rows[at - 1]) and not _may_be_more(text) and read_state_line(text) is None
        return Fix(self._content(at), f"> {text}", is_safe=is_safe, title="make it a detail line of the step above")

    @cached_property
    def _below_labels(self) -> set[int]:
        """Labels of lists of inputs or outputs, and the items of these lists."""
        found: set[int] = set()
        for at in self._owners:
            is_item = at - 1 in found and read_bullet(self.rows[at]) is not None and _declared(self.rows[at]) is None
            if is_item or heads_flow(self.rows[at]):
                found.add(at)
        return found

    @cached_property
    def _owners(self) -> Mapping[int, int]:
        """By its line, the line of the step that what is no part of a plan is below.

        That is one with a bullet, or that says its inputs, outputs or status, with nothing else between than its body.
        """
        owners: dict[int, int] = {}
        step = 0
        for at, row in enumerate(self.rows):
            is_refused = at in self.faults and (_says_more(row) or (read_bullet(row) is not None and not is_step(row)))
            if step and (row.startswith("-") or is_refused):
                owners[at] = step
            elif row and (kind := self.kind(at)) != "body_line":
                step = at if kind == "step" else 0
        return owners

    def _fix_textless(self, at: int) -> Fix | None:
        """A title or a constraint without text."""
        return None if _says_much(self.rows[at]) else self._leave_out(at, "remove the line", is_safe=True)

    # ------------------------------------------------------------ ids

    def _fix_doubled(self, at: int) -> Fix | None:
        return self._renumbered.get(at)

    @cached_property
    def _renumbered(self) -> dict[int, Fix]:
        """The fixes of lines with an id that is taken: the number after that of the step before it."""
        steps = [
            (at, match["step_STEP_ID"]) for at, match in enumerate(self.matches) if match and match["step_STEP_ID"]
        ]
        doubled = {one.span.line for one in self.found if one.code == "PS117" and one.span}
        ids = {step_id for _, step_id in steps}
        # The last number so far among those right below an id.
        last: dict[str, int] = {}
        fixes: dict[int, Fix] = {}
        place = 0
        while place < len(steps):
            at, step_id = steps[place]
            parent, _, number = step_id.rpartition(".")
            end = place + 1
            if at in doubled:
                new = f"{parent}.{last.get(parent, 0) + 1}".lstrip(".")
                # What is below it follows it.
                while end < len(steps) and steps[end][1].startswith(f"{step_id}."):
                    end += 1
                renamed = {line: new + old[len(step_id) :] for line, old in steps[place:end]}
                if self._can_be(renamed, ids):
                    edits = [Edit(self._id_span(line), step_id) for line, step_id in renamed.items()]
                    title = f"number it {new}, after the step before it"
                    around = steps[max(place - 1, 0) : place + 2]
                    is_safe = self._is_gap(around, step_id, f"{parent}.{int(new.rpartition('.')[2]) + 1}".lstrip("."))
                    fixes[at] = Fix(edits[0].span, edits[0].text, tuple(edits[1:]), is_safe, title)
                    ids.update(renamed.values())
                    number = new.rpartition(".")[2]
                else:
                    end = place + 1
            last[parent] = int(number)
            place = end
        return fixes

    def _is_gap(self, around: Sequence[tuple[int, str]], step_id: str, following: str) -> bool:
        """Whether an id can only be the number that is left out: 1, 2, 2, 4.

        The steps around have to say different things, and nothing in the text speaks of a step by its number.
        """
        if [one for _, one in around] != [step_id, step_id, following]:
            return False
        first, second = (self.rows[line].partition(". ")[2].lower() for line, _ in around[:2])
        return first != second and compiled(_STEP_NUMBER).search(self.source.text) is None

    def _can_be(self, renamed: Mapping[int, str], ids: set[str]) -> bool:
        """Whether lines can have these ids: each is new, and no line has to be repaired otherwise."""
        new = set(renamed.values())
        is_id = grammars.pattern("planspec", "ID").fullmatch
        return (
            len(new) == len(renamed)
            and not new & ids
            and not renamed.keys() & self.faults.keys()
            and all(map(is_id, new))
        )

    def _id_span(self, at: int) -> Span:
        start = self._content(at).start
        return self.source.span(start, start + len(self.step(at)["step_STEP_ID"]))


_FINDERS: dict[str, Callable[[_Text, int], Fix | None]] = {
    "PS101": _Text._fix_unknown,
    "PS104": _Text._fix_header,
    "PS105": _Text._fix_repeated,
    "PS106": _Text._fix_late,
    "PS107": _Text._fix_orphan,
    "PS109": _Text._fix_textless,
    "PS117": _Text._fix_doubled,
}


def _declared(row: str) -> tuple[str, list[str]] | None:
    """What a line below a step declares in other words or signs: "inputs" or "outputs", and the variables."""
    text = read_bullet(row) or ""
    arrow = find_arrow(text if text.startswith("←") else row)
    return ("inputs", split_variables(arrow[1:].strip())) if arrow else read_flow(row)


def _may_be_more(text: str) -> bool:
    """Whether the text of a bullet below a step may be a step, a case, an elision, data flow or a status."""
    is_other = text[:1] in "[［【☐☑←" or "~~" in text or "<!--" in text
    return is_other or looks_like_step(text) or find_elision(text) or is_option(text) or looks_like_flow(text)


def _says_more(row: str) -> bool:
    """Whether a line says of the step above it what has another place."""
    return _declared(row) is not None or read_state_line(row) is not None


def _says_much(text: str) -> bool:
    """Whether there is a letter or a digit in a text."""
    return any(map(str.isalnum, text))


def _is_spelling(miss: NearMiss, line: str, repaired: str) -> bool:
    """Whether a fault of a step's line is one of its spelling only."""
    written = line[miss.start : miss.end]
    if miss.code == "PS111":
        return read_status(written.strip("[]［］【】*_`")) is not None
    if miss.code == "PS115":
        return f"\\{written}" not in repaired
    return miss.code not in _GUESSES
