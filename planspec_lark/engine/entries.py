"""What happens in a run of a plan: an entry of the log for each kind of record, with all that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, fields, frozen

from planspec_lark.planspec.models import PlanStatus, PlanStep, hash_of
from planspec_lark.runs.entries import UNKEPT, Entry, EntryTypes
from planspec_lark.runs.ledger import RecordKind, StepUpdate

__all__ = [
    "ENTRIES",
    "Begun",
    "Blocked",
    "Branched",
    "Done",
    "Edited",
    "Ended",
    "Failed",
    "Kept",
    "Looped",
    "Opened",
    "PlanEntry",
    "Planned",
    "Postponed",
    "Reflected",
    "Refused",
    "Renewed",
    "Replanned",
    "Rerun",
    "Reshaped",
    "Resumed",
    "Skipped",
    "Started",
    "StepEnd",
    "StepPatch",
    "Told",
    "about",
]


@frozen
class StepPatch:
    """What a step is to be: fields that are None stay as they are."""

    step: PlanStep
    status: PlanStatus | None = None
    result: str | None = None
    done_count: int | None = None

    def apply(self) -> StepUpdate | None:
        """Change the step; says what was changed, if anything was."""
        changes: dict[str, Any] = {}
        for part in fields(StepUpdate):
            before, after = getattr(self.step, part.name), getattr(self, part.name)
            if after is not None and after != before:
                setattr(self.step, part.name, after)
                changes[part.name] = (_plain(before), _plain(after))
        return StepUpdate(**changes) if changes else None


def _plain(value: object) -> object:
    return value.value if isinstance(value, PlanStatus) else value


def about(step: PlanStep, *patches: StepPatch) -> dict[str, Any]:
    """Which step an entry is about, and what it changes."""
    return {"step": step.step_id, "hash": hash_of(step), "patches": patches}


@frozen(kw_only=True)
class PlanEntry(Entry):
    """Something that has happened in a run of a plan.

    Attributes:
        attempt: of the step, from 1.
        outputs: values by name.
        patches: what becomes of steps; it is made so when this is written.
        changes: the same as the record has it, by the ids of steps.
        plan: the plan's text, where more than statuses and results has changed.
        before, after: hashes of the plan's text.
        description: of the step, as it is then.
        result: what came of it, or why, in words.
    """

    attempt: int = 0
    outputs: Mapping[str, Any] = field(factory=dict)
    patches: Iterable[StepPatch] = field(default=(), metadata=UNKEPT)
    changes: Mapping[str, StepUpdate] = field(factory=dict)
    plan: str | None = None
    before: str = ""
    after: str = ""
    description: str = ""
    result: str = ""

    @property
    def is_of_shape(self) -> bool:
        """Whether the plan was changed in other ways than by patches, before this is written."""
        return False


@frozen(kw_only=True)
class Reshaped(PlanEntry):
    """A plan may have other steps than before. They are named by their ids as they are then, but for ``gone`` and the
    keys of ``moves``.

    Attributes:
        moves: new ids by old ones.
        gone: steps that were removed, or of which nothing is known any more.
        reset: steps whose status has changed.
        revised: loops that say something else.
        unplanned: containers that need new steps, and why.
        cleared: of these, the steps that were below them and were done: each with the id it had and its text.
        unchosen: decide steps whose branch holds no longer.
        new: steps that were not there before.
    """

    moves: dict[str, str] = field(factory=dict)
    gone: list[str] = field(factory=list)
    reset: list[str] = field(factory=list)
    revised: list[str] = field(factory=list)
    unplanned: dict[str, str] = field(factory=dict)
    cleared: dict[str, list[tuple[str, str]]] = field(factory=dict)
    unchosen: list[str] = field(factory=list)
    new: list[str] = field(factory=list)

    @property
    def is_of_shape(self) -> bool:
        """Mostly it was."""
        return True

    def said(self) -> dict[str, Any]:
        """What has changed, as another entry takes it."""
        own = {one.name for one in fields(Reshaped)} - {one.name for one in fields(PlanEntry)}
        return {name: getattr(self, name) for name in own}


# ---------------------------------------------------------------- a run


@frozen(kw_only=True)
class Begun(Reshaped):
    """A run begins: with a version of the language, the values that it is given, and the trace that it is part of."""

    kind: RecordKind | None = RecordKind.BEGUN
    grammar: str
    inputs: dict[str, Any] = field(factory=dict)
    trace: str = ""


@frozen(kw_only=True)
class Ended(PlanEntry):
    """A run has ended, or is left; see :class:`~planspec_lark.runs.driver.Ended`.

    Attributes:
        blocked: ids of the steps that are blocked.
        waiting: the id of the step that waits for a person, if one does.
    """

    kind: RecordKind | None = RecordKind.ENDED
    outcome: str
    reason: str = ""
    blocked: list[str] = field(factory=list)
    waiting: str = ""


@frozen(kw_only=True)
class Edited(Reshaped):
    """The plan was edited by someone else.

    Attributes:
        is_edited: whether it was; where a run is resumed, it need not be.
        conflicts: what the run has changed as well, in words.
        edited: ids of finished steps that say something else.
    """

    kind: RecordKind | None = RecordKind.EDITED
    is_edited: bool = False
    conflicts: list[str] = field(factory=list)
    edited: list[str] = field(factory=list)

    @property
    def is_of_shape(self) -> bool:
        """Whether it was edited."""
        return self.is_edited


@frozen(kw_only=True)
class Resumed(Edited):
    """A run continues, with more values than it had."""

    kind: RecordKind | None = RecordKind.RESUMED
    inputs: dict[str, Any] = field(factory=dict)
    trace: str = ""


@frozen(kw_only=True)
class Kept(PlanEntry):
    """A finished step counts, although its text was edited."""

    kind: RecordKind | None = RecordKind.KEPT


@frozen(kw_only=True)
class Rerun(PlanEntry):
    """A finished step is to be done again."""

    kind: RecordKind | None = RecordKind.RERUN


# ---------------------------------------------------------------- steps


@frozen(kw_only=True)
class Started(PlanEntry):
    """The operator is called for a step; ``key`` names the attempt."""

    kind: RecordKind | None = RecordKind.STARTED
    key: str


@frozen(kw_only=True)
class Postponed(PlanEntry):
    """The operator is called once more, after so many seconds; see :class:`~planspec_lark.runs.driver.Postponed`."""

    kind: RecordKind | None = RecordKind.POSTPONED
    status: str
    tries: int
    pause: float = 0.0


@frozen(kw_only=True)
class Failed(PlanEntry):
    """A step is not OK.

    Attributes:
        status: what the operator says.
        names: of its outputs.
        branch: of a decide step, the one that was named all the same.
        answer: what was answered, where that could not be read.
        lacks: inputs without which it cannot be done.
        cause: why there is no result that could be accepted, if there is none.
    """

    kind: RecordKind | None = RecordKind.FAILED
    status: str
    names: list[str] = field(factory=list)
    branch: str = ""
    answer: str = ""
    lacks: list[str] = field(factory=list)
    cause: str = ""


@frozen(kw_only=True)
class StepEnd(PlanEntry):
    """Something came of a step.

    Attributes:
        names: of its outputs.
        loop: what was said of a loop around it.
        looping: the id of that.
        by: who has done it, if it was not the operator.
    """

    names: list[str] = field(factory=list)
    loop: str = ""
    looping: str = ""
    by: str = ""


@frozen(kw_only=True)
class Done(StepEnd):
    """A step is done."""

    kind: RecordKind | None = RecordKind.DONE


@frozen(kw_only=True)
class Branched(StepEnd):
    """Of a decide step, the branch with this id holds."""

    kind: RecordKind | None = RecordKind.BRANCHED
    branch: str = ""


@frozen(kw_only=True)
class Looped(StepEnd):
    """A loop has had so many rounds, of a total if that is known, and another one begins."""

    kind: RecordKind | None = RecordKind.LOOPED
    rounds: int = 0
    total: int | None = None


@frozen(kw_only=True)
class Blocked(StepEnd):
    """A step is given up.

    Attributes:
        lacks: until these inputs are there.
        is_held: until no step below it is blocked.
    """

    kind: RecordKind | None = RecordKind.BLOCKED
    lacks: list[str] = field(factory=list)
    is_held: bool = False


@frozen(kw_only=True)
class Opened(PlanEntry):
    """What is below a step begins, or a blocked one is open again."""

    kind: RecordKind | None = RecordKind.OPENED


@frozen(kw_only=True)
class Skipped(PlanEntry):
    """A step is passed over."""

    kind: RecordKind | None = RecordKind.SKIPPED


# ---------------------------------------------------------------- reflectors, persons and planners


@frozen(kw_only=True)
class Refused(PlanEntry):
    """An answer was refused: its beginning, the first of its faults, and why it ends."""

    kind: RecordKind | None = RecordKind.REFUSED
    answer: str = ""
    faults: list[str] = field(factory=list)
    finish_reason: str = ""


@frozen(kw_only=True)
class Reflected(Reshaped):
    """A reflector has said what becomes of a step that was not OK.

    Attributes:
        commands: what has changed the plan.
        warnings: what was found in the answer.
        decision: on the step; empty where it has none.
        reason: of that.
        answer: its beginning.
        question: for a person.
        branch: the one that is accepted.
        looped: whether a round is accepted, and another one begins.
        blocked: whether the step is blocked then.
    """

    kind: RecordKind | None = RecordKind.REFLECTED
    commands: str = ""
    warnings: list[str] = field(factory=list)
    decision: str = ""
    reason: str = ""
    answer: str = ""
    question: str = ""
    branch: str = ""
    looped: bool = False
    blocked: bool = False

    @property
    def is_of_shape(self) -> bool:
        """Whether commands have changed the plan."""
        return bool(self.commands)


@frozen(kw_only=True)
class Told(PlanEntry):
    """A person has answered a question, and the step is tried again."""

    kind: RecordKind | None = RecordKind.TOLD
    question: str = ""
    answer: str = ""


@frozen(kw_only=True)
class Replanned(Reshaped):
    """A planner has changed the plan, or says (``renewing``: why) that there is to be another one."""

    kind: RecordKind | None = RecordKind.REPLANNED
    commands: str = ""
    warnings: list[str] = field(factory=list)
    renewing: str = ""

    @property
    def is_of_shape(self) -> bool:
        """Whether it was changed."""
        return not self.renewing


@frozen(kw_only=True)
class Planned(Reshaped):
    """A planner has written the steps below one; ``taken`` says by id which were done before, by their number."""

    kind: RecordKind | None = RecordKind.PLANNED
    taken: dict[str, int] = field(factory=dict)


@frozen(kw_only=True)
class Renewed(Reshaped):
    """There is another plan: why, the text of the old one, and the old ids of steps that were done, by the new ones."""

    kind: RecordKind | None = RecordKind.RENEWED
    reason: str = ""
    old: str = ""
    kept: dict[str, str] = field(factory=dict)


_ALL: list[type[PlanEntry]] = [Begun, Ended, Edited, Resumed, Kept, Rerun, Started, Postponed, Failed, Done, Branched]
_ALL += [Looped, Blocked, Opened, Skipped, Refused, Reflected, Told, Replanned, Planned, Renewed]
ENTRIES = EntryTypes("a run of a plan", {one: [fields(one).kind.default] for one in _ALL})
