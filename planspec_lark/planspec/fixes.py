"""How the faults of a text are fixed, as data: which edits, and whether they keep what it means.

A fault in one line has its fix from the reader. What takes more than that line is found here, with all of the text at
hand: parts in another order, code fences, prose, an id that occurs twice. Nothing here changes a text, and no fix is a
promise: who applies one looks at the text again (:mod:`planspec_lark.planspec.fixer`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from re import Match

from attrs import evolve, frozen

from planspec_lark.planspec.dialect import read_line, read_status, read_type
from planspec_lark.planspec.models import BLANKS
from planspec_lark.planspec.positions import cut_indentation, line_pattern
from planspec_lark.planspec.recovery import LEFT_OUT
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


def add_fixes(found: Iterable[Diagnostic], source: Source) -> list[Diagnostic]:
    """Give those of the findings in a text their fixes that have none yet."""
    found = list(found)
    text = _Text(source, found)
    return [evolve(one, fix=fix) if (fix := text.find_fix(one)) else one for one in found]


@frozen(slots=False, eq=False)
class _Text:
    """A text with faults. Lines count from 1."""

    source: Source
    found: list[Diagnostic]

    def find_fix(self, fault: Diagnostic) -> Fix | None:
        """The fix of a fault, if there is one."""
        if fault.fix is not None:
            if fault.code in ("PS202", "PS316", "PS320") and fault.risk is None:
                written = self.source.text[fault.fix.span.start : fault.fix.span.end]
                word = written.strip("[]")
                # A guess by spelling is none that is safe.
                is_safe = fault.code == "PS320" or bool(read_type(word) or read_status(word))
                return evolve(fault.fix, is_safe=is_safe)
            return None
        # Of two versions that a merge has left, it is unknown which one applies.
        if fault.span is None or "PS128" in self._codes:
            return None
        if fault.code == "PS103":
            return self._leave_out(fault.span.line, "", is_safe=fault.span.line in self._fences_around)
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
        faults = (
            one
            for one in reversed(self.found)
            if one.code.startswith("PS1") and one.code not in others and one.message != LEFT_OUT
        )
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
        reading = read_line(row)
        return row.startswith("- ") or (reading is not None and reading.kind in ("bullet", "untyped"))

    def _is_cut(self, end: int) -> bool:
        """Whether `>` or `-` lines follow a part behind lines of no plan: whose they are shows once those are gone."""
        line = below = self.below(end)
        while line and not (self.kind(line) or self._is_body(line)):
            line = self.below(line)
        return line != below and self._is_body(line)

    def _is_body(self, at: int) -> bool:
        return any(self._goes_on(at, body) for body in _BODIES.values())

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

    # ------------------------------------------------------------ what takes more than its line

    def _fix_unknown(self, at: int) -> Fix | None:
        """A line that is not part of a plan."""
        above = self.above(at)
        if "goal" not in self.first and self.kind(above) == "title":
            return Fix(self._content(at), f"Goal: {self.rows[at]}", title="make it the goal")
        if self._is_led(at) or at > self.last:
            return self._leave_out(at, "remove this line", is_safe=False)
        if self.kind(above) in ("step", "goal", "body_line") and self._is_plain(self.rows[at]):
            return Fix(self._content(at), f"> {self.rows[at]}", title="make it a detail line of the part above")
        return None

    def _is_plain(self, text: str) -> bool:
        """Whether a text is detail once it is after `> `."""
        match = line_pattern().fullmatch(f"> {text}\n")
        return match is not None and not match["body_line_INPUTS"]

    def _fix_repeated(self, at: int) -> Fix | None:
        """A second title, goal or list."""
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
        fault = self.faults.get(self.below(at))
        return fault is not None and fault.code == "PS107"

    def _fix_orphan(self, at: int) -> Fix | None:
        """A `>` or `-` line without an owner."""
        row = self.rows[at]
        if row == ">":
            return self._leave_out(at, "remove the empty line", is_safe=True)
        text, is_led = row[1:].strip(BLANKS), self.first.get("step", at) >= at
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

    def _fix_textless(self, at: int) -> Fix | None:
        """A title or a constraint without text."""
        has_word = any(map(str.isalnum, self.rows[at]))
        return None if has_word else self._leave_out(at, "remove the line", is_safe=True)

    # ------------------------------------------------------------ ids

    @cached_property
    def renumbered(self) -> dict[int, Fix]:
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
                    fixes[at] = Fix(edits[0].span, edits[0].text, tuple(edits[1:]), title=title)
                    ids.update(renamed.values())
                    number = new.rpartition(".")[2]
                else:
                    end = place + 1
            last[parent] = int(number)
            place = end
        return fixes

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
    "PS105": _Text._fix_repeated,
    "PS106": _Text._fix_late,
    "PS107": _Text._fix_orphan,
    "PS109": _Text._fix_textless,
    "PS117": lambda text, at: text.renumbered.get(at),
}
