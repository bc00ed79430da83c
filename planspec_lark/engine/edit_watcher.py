"""Edits of a plan's file by others, made while its run is at work or since then."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from planspec_lark.awaitables import FIRST, Pause, Turn
from planspec_lark.document.file import PlanEditedError, PlanFileError
from planspec_lark.engine.plan_text import PlanText
from planspec_lark.engine.resume import EditedSteps, EditedStepsError, PastRun, catch_up, find_edits, reopen
from planspec_lark.engine.run_rules import PlanRunError, check_runnable, check_subtask
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["EditWatcher"]

# Seconds that an edited file has to stay as it is before it counts as written, and those that an editor gets until it
# holds a plan.
_QUIET, _SAVE_TIMEOUT = 0.2, 5.0


@frozen
class EditWatcher:
    """Merges edits of a plan's file into a run.

    Attributes:
        writer: the run.
        edited: what becomes of finished steps whose text was edited.
        name: what the plan is called in errors.
    """

    writer: RunWriter
    edited: EditedSteps
    name: str

    def take_plan(self, given: PlanSpec | None, kind: RecordKind, **data: Any) -> None:
        """Continue with a plan that may have been edited."""
        writer = self.writer
        merged = None if given is None else catch_up(given, writer.ledger, writer.run, writer.plan)
        if given is None or merged is None:
            if kind is not RecordKind.EDITED:  # only white space was edited
                writer.note(kind, **data)
            return
        plan, conflicts = merged
        edits = find_edits(plan, PastRun(writer.state, writer.plan))
        if edits.edited and self.edited is EditedSteps.ASK:
            raise EditedStepsError([step.step_id for step in edits.edited])
        check_runnable(plan)
        scope = _find_scope(plan, writer.scope, edits.moves)
        writer.replace(plan)
        writer.note_shape(
            kind,
            is_edited=True,
            conflicts=conflicts,
            moves=edits.moves,
            gone=edits.gone,
            edited=[step.step_id for step in edits.edited],
            **data,
        )
        writer.scope = scope
        # Until the view is written, the next edit is one of this text. Only now: what is noted here is no edit.
        shown = PlanText(given)
        writer.ledger.add_view(writer.run, shown.digest, shown.text)
        for step in edits.edited:
            if self.edited is EditedSteps.KEEP:
                writer.note(RecordKind.KEPT, step)
            else:
                reopen(writer, step)

    def settle(self, *, at_end: bool = False) -> Turn[None]:
        """Merge edits made while the plan runs; raise what else has gone wrong beside the run."""
        writer = self.writer
        assert writer.lease is not None
        is_due = at_end
        if writer.file is not None and writer.file.looks_edited():
            # An edit counts from the next step on, and not only where the view is written next.
            writer.lease.mark()
            is_due = True
        try:
            writer.lease.check()
            if is_due:
                writer.lease.flush()
        except PlanEditedError:
            # Until it is taken over, nothing may be written over it.
            with writer.lease.held():
                try:
                    yield from self._take_edit()
                except BaseException:
                    # The edit is still there when the run is resumed.
                    writer.lease.leave_view()
                    raise

    def _take_edit(self) -> Turn[None]:
        """Merge an edit, once it is written completely."""
        file = self.writer.file
        assert file is not None
        until = time.monotonic() + _SAVE_TIMEOUT
        while True:
            try:
                text = file.load()
                # Of a plan that is written in pieces, the first ones may be a plan as well.
                yield Pause(_QUIET)
                yield FIRST
                if file.looks_edited() and time.monotonic() < until:
                    continue
                given = parse_plan(text, name=self.name)
                check_runnable(given)
                break
            except (PlanFileError, PlanSyntaxError, PlanRunError):
                # An editor may take the old file away before it puts the new one in its place.
                if time.monotonic() >= until:
                    raise
            yield Pause(_QUIET)
            yield FIRST
        self.take_plan(given, RecordKind.EDITED)

    def is_disturbed(self) -> bool:
        """Whether :meth:`settle` has something to deal with before anything else begins."""
        lease, file = self.writer.lease, self.writer.file
        assert lease is not None
        if lease.is_at_fault:
            return True
        if file is None or not file.looks_edited():
            return False
        # It may be the lease that is writing.
        with lease.held():
            return file.looks_edited()


def _find_scope(plan: PlanSpec, scope: str, moves: Mapping[str, str]) -> str:
    """The id of the subtask that is run, in an edited plan; "" where the whole plan is run.

    Raises:
        PlanRunError: it is gone.
    """
    if not scope:
        return ""
    if scope not in moves and scope in moves.values():
        raise PlanRunError(f"subtask {visible_name(scope)} is run, and an edit has put another step in its place")
    found = moves.get(scope, scope)
    check_subtask(plan, found)
    return found
