"""What is written of a run of a tool plan, besides its steps."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import in_

from planspec_lark.runs.entries import Entry, EntryTypes
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.tool_runner.results import StepResult

__all__ = ["ENTRIES", "RUN", "Begun", "Ended"]

# The run of a ledger that has the calls, unless it is called otherwise; and what its first record says it is of.
RUN = "toolplan"


@frozen(kw_only=True)
class Begun(Entry):
    """A run begins: the first one of a ledger, or a later one."""

    runner: str = field(validator=in_((RUN,)))
    description: str = ""


@frozen(kw_only=True)
class Ended(Entry):
    """It has ended."""

    kind: RecordKind | None = RecordKind.ENDED
    outcome: str = ""


ENTRIES = EntryTypes(
    "a tool plan",
    {
        Begun: [RecordKind.BEGUN],
        StepResult: [RecordKind.DONE, RecordKind.FAILED],
    },
)
