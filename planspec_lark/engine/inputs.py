"""Where the inputs of a step come from: outputs of steps that were done, and values that the run was given."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

from attrs import frozen

from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.models import PlanStatus, PlanStep, hash_of, iter_steps

__all__ = ["Inputs", "MissingInput", "Needs", "Values"]


class Inputs(Mapping[str, Any]):
    """Values by name, each looked for and read on demand.

    Args:
        value: reads an output of the record with this number.
        find: gives the numbers of the records that have the values.
        given: what the run was given, as JSON.
    """

    def __init__(
        self,
        value: Callable[[int, str], Any],
        find: Callable[[], Mapping[str, int]],
        given: Mapping[str, str],
    ) -> None:
        self._value, self._find, self._given = value, find, given

    def places(self) -> Mapping[str, int]:
        """The numbers of the records that have the values; those that were given have none."""
        return self._found

    @cached_property
    def _found(self) -> Mapping[str, int]:
        return self._find()

    def __getitem__(self, name: str) -> Any:
        seq = self._found.get(name)
        return json.loads(self._given[name]) if seq is None else self._value(seq, name)

    def __iter__(self) -> Iterator[str]:
        yield from self._found
        yield from (name for name in self._given if name not in self._found)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._found or name in self._given

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


@frozen
class Needs:
    """What goes into a step.

    Attributes:
        inputs: the values.
        missing: declared inputs that have none.
    """

    inputs: Inputs
    missing: tuple[str, ...]


@frozen
class MissingInput:
    """An input that a blocked step lacks.

    Attributes:
        step: the id of the blocked step.
        name: of the input.
        producer: the id of the step that the plan says produces it for this step; empty if there is none.
    """

    step: str
    name: str
    producer: str = ""


class Values:
    """Which step produces which value.

    A value counts only as long as its step is in the plan as it was written when it was done.
    """

    def __init__(self, writer: RunWriter, given: Mapping[str, Any]) -> None:
        self._writer = writer
        # As text, so that no reader changes what others get.
        self._given = {name: json.dumps(value) for name, value in given.items()}
        self._shape = -1
        self._order: dict[str, int] = {}
        self._known: dict[str, dict[str, int]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._news: set[str] = set()

    @property
    def given(self) -> Collection[str]:
        """The names of what the run was given."""
        return self._given.keys()

    def needs(self, step: PlanStep) -> Needs:
        """What goes into a step."""
        self._renew()
        if not step.inputs:
            # Most operators do not look at all of them, and there may be many.
            return Needs(Inputs(self._writer.value, partial(self._find_all, self._known, step), self._given), ())
        found = self._find_all(step.inputs, step)
        given = {name: self._given[name] for name in step.inputs if name in self._given}
        missing = tuple(name for name in dict.fromkeys(step.inputs) if name not in found and name not in given)
        return Needs(Inputs(self._writer.value, lambda: found, given), missing)

    def add(self, step: PlanStep) -> None:
        """Note that a step was done."""
        if self._shape == self._writer.shape:
            self._add(step)

    def take_news(self) -> set[str]:
        """The names of outputs produced since the last call."""
        news, self._news = self._news, set()
        return news

    def has(self, name: str) -> bool:
        """Whether a step of the plan, as it is now, has produced this."""
        self._renew()
        return any(self._is_done(step_id) for step_id in self._known.get(name, ()))

    def are_there(self, names: Iterable[str], step: PlanStep) -> bool:
        """Whether a step would get all of these."""
        self._renew()
        return all(name in self._given or self.find(name, step) is not None for name in names)

    def missing_below(self, above: PlanStep) -> tuple[str, ...]:
        """The outputs that a step declares, and that neither it nor a step below it has produced."""
        self._renew()
        return tuple(name for name in dict.fromkeys(above.outputs) if not self._is_made_below(name, above))

    def _is_made_below(self, name: str, above: PlanStep) -> bool:
        lead = f"{above.step_id}."
        made = (step_id for step_id in self._known.get(name, ()) if f"{step_id}.".startswith(lead))
        return any(map(self._is_done, made))

    def outputs(self) -> dict[str, int]:
        """The record with the last value of each name."""
        self._renew()
        found = {}
        for name, seqs in self._known.items():
            done = [seq for step_id, seq in seqs.items() if self._is_done(step_id)]
            if done:
                found[name] = max(done)
        return found

    def _is_done(self, step_id: str) -> bool:
        step = self._writer.find(step_id)
        return step is not None and step.status is PlanStatus.DONE

    def _renew(self) -> None:
        if self._shape == self._writer.shape:
            return
        self._shape = self._writer.shape
        self._order = self._writer.text.order()
        self._known, self._names = {}, {}
        for step in iter_steps(self._writer.plan):
            self._add(step)
        for name, seqs in self._known.items():
            if len(seqs) > 1:
                self._known[name] = dict(sorted(seqs.items(), key=itemgetter(1)))

    def _add(self, step: PlanStep) -> None:
        # Its earlier outputs no longer count.
        for name in self._names.pop(step.step_id, ()):
            self._known[name].pop(step.step_id, None)
        finished = self._writer.state.finished.get(step.step_id)
        if finished is not None and finished.hash == hash_of(step):
            self._names[step.step_id] = finished.outputs
            self._news.update(finished.outputs)
            for name in finished.outputs:
                # The last one is last.
                self._known.setdefault(name, {})[step.step_id] = finished.seq

    def _find_all(self, names: Iterable[str], step: PlanStep) -> dict[str, int]:
        return {name: seq for name in names if (seq := self.find(name, step)) is not None}

    def find(self, name: str, step: PlanStep) -> int | None:
        """The record with the last value of this name that a step can see."""
        self._renew()
        # Most often the last one is seen, so that the others need not be looked at.
        seqs = self._known.get(name, {})
        return next((seqs[step_id] for step_id in reversed(seqs) if self._sees(step, step_id)), None)

    def _sees(self, step: PlanStep, other_id: str) -> bool:
        other = self._writer.find(other_id)
        if other is None or other is step:
            return False
        if other.step_type == "decide" and step.step_id.startswith(f"{other_id}."):
            return True  # a decide step has chosen this branch
        if self._order[other_id] < self._order[step.step_id]:
            return other.status is PlanStatus.DONE or self._share_loop(step, other_id)
        return self._share_loop(step, other_id)

    def _share_loop(self, step: PlanStep, other_id: str) -> bool:
        """Whether another step was done in an earlier round of a loop around both."""
        return any(loop.done_count > 0 for loop in self._loops_around(step, other_id))

    def _loops_around(self, step: PlanStep, other_id: str) -> list[PlanStep]:
        state, above = self._writer.state, self._writer.ancestors(step.step_id)
        return [loop for loop in above if state.is_loop(loop) and other_id.startswith(f"{loop.step_id}.")]
