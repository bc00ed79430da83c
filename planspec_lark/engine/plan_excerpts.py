"""The part of a plan that a prompt has room for: what is near a step, and how much is left out.

A plan that has room is shown whole, folded. Of a longer one, goal and constraints stay, the step and those above it,
then the steps that produce its inputs, then what is nearest. Where steps are left out, a detail line that begins
with `…` says how many. The live plan is looked at from the step outwards, so that a view takes no more time for a
longer plan, unless an input comes from far away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeAlias

from attrs import evolve

from planspec_lark.planspec.agenda import next_step
from planspec_lark.planspec.fold import shows_body, shows_children
from planspec_lark.planspec.models import AT_WORK, PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.printer import canonical_step, canonical_summary, serialize_plan
from planspec_lark.syntax.diagnostics import PlanSyntaxError, count_of

__all__ = ["MAX_PLAN", "plan_excerpt"]

# Characters of a plan.
MAX_PLAN = 8_000
# Characters that are shown of a step's line, and of its body.
_LONG = 400
# Room for a line that says what is left out.
_MARK = 60
# So many steps on each side, at each level, come before those that are farther away.
_NEAR = 20

# Where a step is: its position among its siblings, after those of all above it. Sorted, they are in the order of
# the document.
_Place: TypeAlias = "tuple[int, ...]"


def plan_excerpt(plan: PlanSpec | str, step_id: str | None, most: int) -> str:
    """The plan as it is, folded, with parts left out where it takes more than so many characters.

    Args:
        plan: the plan, or its text. A text that has room is taken as it is; of one that has none and is not a plan, the
            start is shown, and how many characters are left out.
        step_id: the current step. Without one, or where the plan has none with this id, what is at work or blocked, and
            what comes next, counts as near.
        most: characters. Goal, constraints and the step's own line take more if they have to.

    Raises:
        ValueError: ``most`` is negative, or the plan cannot be written as text.
    """
    if most < 0:
        raise ValueError(f"max_plan: {most} is less than 0")
    if isinstance(plan, str):
        return plan if len(plan) <= most else _shorten(plan, step_id, most)
    whole = _write_whole(plan, most)
    if whole is not None:
        return whole
    excerpt = _Excerpt(plan, most)
    place = None if step_id is None else _find_place(plan, step_id)
    if place is None:
        excerpt.show_work()
    else:
        excerpt.show_around(place)
    return excerpt.write()


def _shorten(text: str, step_id: str | None, most: int) -> str:
    try:
        plan = parse_plan(text, name="<plan>")
    except PlanSyntaxError:
        return f"{text[:most]}\n… left out: {count_of(len(text) - most, 'character')}\n"
    return plan_excerpt(plan, step_id, most)


def _write_whole(plan: PlanSpec, most: int) -> str | None:
    """The folded plan, if it fits. Of a long plan, only as much is read as there is room for."""
    size = 0
    for _, step in _in_order(plan, ()):
        # A line takes more than that.
        size += len(step.step_id) + len(step.description) + len(step.result)
        if size > most:
            return None
    text = serialize_plan(plan, fold=True)
    return text if len(text) <= most else None


class _Excerpt:
    """The steps that are shown, as long as there is room."""

    def __init__(self, plan: PlanSpec, most: int) -> None:
        self.plan = plan
        self.rows: dict[_Place, str] = {}
        # Of a very deep plan, this step and those above it are left out, and all that is beside them.
        self.base: _Place = ()
        self._room = most - len(self._head("")) - 2 * _MARK

    def show_around(self, place: _Place) -> None:
        """Show a step, what is above it, what its inputs come from, and what is near."""
        self._show_path(place)
        for source in self._find_sources(place):
            if source[: len(self.base)] == self.base:
                self._show(source)
        self._show_all(chain(self._near(place), self._all()))

    def show_work(self) -> None:
        """Show what is at work or blocked, what comes next, and what is close to the first of them."""
        upcoming = next_step(self.plan)
        ids = [step.step_id for step in iter_steps(self.plan) if step.status in AT_WORK or step is upcoming]
        places = filter(None, (_find_place(self.plan, step_id) for step_id in ids))
        first = _find_place(self.plan, ids[0]) if ids else None
        near = self._near(first) if first else ()
        self._show_all(chain(places, near, self._all()))

    # ---------------------------------------------------------------- what is shown

    def _show_all(self, places: Iterable[_Place]) -> None:
        for place in places:
            if not self._show(place):
                return

    def _show(self, place: _Place) -> bool:
        """Show a step and those above it, if there is room for them."""
        new: dict[_Place, str] = {}
        size = 0
        while len(place) > len(self.base) and place not in self.rows:
            new[place] = self._row(place)
            size += len(new[place]) + self._mark_room(place)
            if size > self._room:
                return False
            place = place[:-1]
        self.rows |= new
        self._room -= size
        return True

    def _show_path(self, place: _Place) -> None:
        """Show a step whatever room there is, and those above it as far as half of the room goes."""
        half = self._room // 2
        for level in range(len(place), 0, -1):
            row = self._row(place[:level])
            size = len(row) + self._mark_room(place[:level])
            half -= size
            if half < 0 and level < len(place):
                self.base = place[:level]
                break
            self.rows[place[:level]] = row
            self._room -= size
        if self.base:
            # They are indented less now.
            self.rows = {shown: self._row(shown) for shown in self.rows}

    def _row(self, place: _Place) -> str:
        step, depth = _step_at(self.plan, place), len(place) - len(self.base) - 1
        line = canonical_summary(step)
        if len(line) > _LONG:
            line = f"{line[:_LONG]}… ({len(line) - _LONG} more characters)"
        row = f"{'  ' * depth}{line}\n"
        if not (shows_body(step) and (step.inputs or step.detail)):
            return row
        body = canonical_step(step, depth).split("\n", 1)[1]
        if len(body) <= _LONG:
            return row + body
        return f"{row}{'  ' * depth}  > … left out: {count_of(body.count(chr(10)), 'line')}\n"

    def _mark_room(self, place: _Place) -> int:
        return _MARK + 2 * len(place) if _step_at(self.plan, place).children else 0

    # ---------------------------------------------------------------- what is near

    def _all(self) -> Iterator[_Place]:
        return (place for place, _ in _in_order(self.plan, self.base))

    def _near(self, place: _Place) -> Iterator[_Place]:
        """What is below a step and beside it, then beside those above it; the nearest at each level first."""
        for nearest, farthest in ((1, _NEAR), (_NEAR + 1, None)):
            yield from islice((below for below, _ in _in_order(self.plan, place)), farthest)
            for level in range(len(place), len(self.base), -1):
                yield from self._beside(place[:level], nearest, farthest)

    def _beside(self, place: _Place, nearest: int, farthest: int | None) -> Iterator[_Place]:
        *above, at = place
        count = len(_children_at(self.plan, place[:-1]))
        last = max(at, count - 1 - at)
        for distance in range(nearest, last + 1 if farthest is None else min(farthest, last) + 1):
            yield from ((*above, one) for one in (at - distance, at + distance) if 0 <= one < count)

    def _find_sources(self, place: _Place) -> Iterator[_Place]:
        """The steps that produce a step's inputs: for each the nearest before it, or else the first after it."""
        wanted = set(_step_at(self.plan, place).inputs)
        if not wanted:
            return
        for found, step in chain(self._before(place), _in_order(self.plan, ())):
            if not wanted.isdisjoint(step.outputs) and found != place:
                wanted.difference_update(step.outputs)
                yield found
                if not wanted:
                    return

    def _before(self, place: _Place) -> Iterator[tuple[_Place, PlanStep]]:
        """The steps before one, the nearest first."""
        for level in range(len(place), 0, -1):
            above, siblings = place[: level - 1], _children_at(self.plan, place[: level - 1])
            for at in range(place[level - 1] - 1, -1, -1):
                yield from reversed([*_in_order(self.plan, (*above, at))])
                yield (*above, at), siblings[at]

    # ---------------------------------------------------------------- the text

    def _head(self, mark: str) -> str:
        detail = [*self.plan.goal_detail, *([mark] if mark else [])]
        return serialize_plan(evolve(self.plan, goal_detail=detail, steps=[])) + "## Steps\n"

    def write(self) -> str:
        """The text."""
        shown = Counter(place[:-1] for place in self.rows)
        left_out = len(_children_at(self.plan, self.base)) - shown[self.base]
        level = "the first level shown" if self.base else "the top level"
        said = [f"{count_of(left_out, 'step')} at {level}"] if left_out else []
        if self.base:
            said.append(f"{count_of(len(self.base), 'step')} above these, and all beside them")
        rows = [self._head(f"… left out: {', '.join(said)}" if said else "")]
        for place in sorted(self.rows):
            rows.append(self.rows[place])
            step = _step_at(self.plan, place)
            if left_out := len(step.children) - shown[place]:
                indent = "  " * (len(place) - len(self.base))
                rows.append(f"{indent}> … left out: {count_of(left_out, 'step')} directly below\n")
        return "".join(rows)


# ---------------------------------------------------------------- places


def _in_order(plan: PlanSpec, above: _Place) -> Iterator[tuple[_Place, PlanStep]]:
    """All that a folded view shows below a step (of the plan, where that is empty), in the order of the document."""
    levels = [(above, enumerate(_children_at(plan, above)))]
    while levels:
        place, siblings = levels[-1]
        found = next(siblings, None)
        if found is None:
            levels.pop()
            continue
        at, step = found
        yield (*place, at), step
        if step.children and shows_children(step):
            levels.append(((*place, at), enumerate(step.children)))


def _children_at(plan: PlanSpec, place: _Place) -> Sequence[PlanStep]:
    steps = plan.steps
    for at in place:
        steps = steps[at].children
    return steps


def _step_at(plan: PlanSpec, place: _Place) -> PlanStep:
    return _children_at(plan, place[:-1])[place[-1]]


def _find_place(plan: PlanSpec, step_id: str) -> _Place | None:
    """Where the step with this id is."""
    place: list[int] = []
    steps = plan.steps
    while steps:
        at = _find_above(steps, step_id)
        if at is None:
            return None
        place.append(at)
        if steps[at].step_id == step_id:
            return tuple(place)
        steps = steps[at].children
    return None


def _find_above(steps: Sequence[PlanStep], step_id: str) -> int | None:
    """Which of these steps has this id, or one that begins it."""

    def fits(at: int) -> bool:
        head = steps[at].step_id
        return step_id.startswith(head) and step_id[len(head) : len(head) + 1] in ("", ".")

    # Mostly a step is where its number says.
    level = steps[0].step_id.count(".")
    number = step_id.split(".", level + 1)[level : level + 1]
    guess = int(number[0]) - 1 if number and number[0].isdecimal() and len(number[0]) < 10 else -1
    if 0 <= guess < len(steps) and fits(guess):
        return guess
    return next(filter(fits, range(len(steps))), None)
