"""What happens in a run of a tool plan, as it is written."""

from __future__ import annotations

from typing import Any, ClassVar

from attrs import field, frozen
from attrs.validators import in_

from planspec_lark.runs.driver import Postponed
from planspec_lark.runs.entries import UNKEPT, Entry, EntryTypes
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.runs.limits import is_number

__all__ = [
    "ENTRIES",
    "RUN",
    "Begun",
    "Done",
    "Ended",
    "Failed",
    "Planned",
    "Resumed",
    "Reused",
    "Skipped",
    "Started",
    "StepEntry",
]

# The run of a ledger that has the calls, unless it is called otherwise; and what its first record says it is of.
RUN = "toolplan"


@frozen(kw_only=True)
class Begun(Entry):
    """A run begins."""

    KIND: ClassVar[RecordKind | None] = RecordKind.BEGUN

    runner: str = field(validator=in_((RUN,)))
    description: str = ""


@frozen(kw_only=True)
class Resumed(Entry):
    """It is resumed."""

    KIND: ClassVar[RecordKind | None] = RecordKind.RESUMED


@frozen(kw_only=True)
class Ended(Entry):
    """It has ended."""

    KIND: ClassVar[RecordKind | None] = RecordKind.ENDED

    outcome: str


@frozen(kw_only=True)
class StepEntry(Entry):
    """Something about a step.

    Attributes:
        description: its tool.
        at: its place in the plan that is run; None in what an earlier run has written.
    """

    description: str = ""
    at: int | None = field(default=None, metadata=UNKEPT)


@frozen(kw_only=True)
class Started(StepEntry):
    """Its tool is being called."""

    KIND: ClassVar[RecordKind | None] = RecordKind.STARTED


@frozen(kw_only=True)
class Done(StepEntry):
    """It is done.

    Attributes:
        names: of its outputs.
        started, seconds: when its tool was called, and how long that took.
        outputs: by name; a ledger gives them one by one.
    """

    KIND: ClassVar[RecordKind | None] = RecordKind.DONE

    names: list[str]
    started: float = field(validator=is_number)
    seconds: float = field(validator=is_number)
    outputs: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Reused(Done):
    """It was done in an earlier run, and ``seq`` is the number of the record that says so."""

    KIND: ClassVar[RecordKind | None] = None


@frozen(kw_only=True)
class Failed(StepEntry):
    """It has failed; ``result`` says why."""

    KIND: ClassVar[RecordKind | None] = RecordKind.FAILED

    result: str
    started: float | None = None
    seconds: float = 0.0


@frozen(kw_only=True)
class Skipped(StepEntry):
    """It is skipped, because another one has failed."""

    KIND: ClassVar[RecordKind | None] = RecordKind.SKIPPED

    reason: str
    because: str = field(default="", metadata=UNKEPT)


@frozen(kw_only=True)
class Planned(StepEntry):
    """In a dry run: it would be called with these inputs."""

    inputs: dict[str, Any]


ENTRIES = EntryTypes("a tool plan", [Begun, Resumed, Ended, Started, Done, Failed, Skipped, Postponed])
