"""Edits of a plan's file by others, made while its run is at work or since then."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

from attrs import frozen

from planspec_lark.cancellation import stop_event
from planspec_lark.document.file import PlanEditedError, PlanFileError
from planspec_lark.engine.entries import Edited, Kept, about
from planspec_lark.engine.plan_text import PlanText
from planspec_lark.engine.resume import EditedSteps, EditedStepsError, PastRun, catch_up, find_edits, reopen
from planspec_lark.engine.run_rules import PlanRunError, check_runnable, check_subtask
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
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

    def take_plan(self, given: PlanSpec | None, kind: type[Edited], **more: Any) -> None:
        """Continue with a plan that may have been edited; ``more`` is what the entry of this kind says besides."""
        writer = self.writer
        merged = None if given is None else catch_up(given, writer.ledger, writer.run, writer.plan)
        if given is None or merged is None:
            if kind is not Edited:  # only white space was edited
                writer.note(kind(**more))
            return
        plan, conflicts = merged
        edits = find_edits(plan, PastRun(writer.state, writer.plan))
        if edits.edited and self.edited is EditedSteps.ASK:
            raise EditedStepsError([step.step_id for step in edits.edited])
        check_runnable(plan)
        scope = _find_scope(plan, writer.scope, edits.moves)
        writer.replace(plan)
        edited = [step.step_id for step in edits.edited]
        more |= {"conflicts": conflicts, "moves": edits.moves, "gone": edits.gone, "edited": edited}
        writer.note(kind(is_edited=True, **more))
        writer.scope = scope
        # Until the view is written, the next edit is one of this text. Only now: what is noted here is no edit.
        shown = PlanText(given)
        writer.ledger.add_view(writer.run, shown.digest, shown.text)
        for step in edits.edited:
            if self.edited is EditedSteps.KEEP:
                writer.note(Kept(**about(step)))
            else:
                reopen(writer, step)

    def settle(self, *, at_end: bool = False) -> bool:
        """Bring the file up to date where that is due; says whether it was edited, and raises what else is wrong."""
        writer = self.writer
        assert writer.lease is not None
        is_edited = writer.file is not None and writer.file.looks_edited()
        if is_edited or at_end:
            # The file shows nothing that the ledger has not.
            writer.commit()
        if is_edited:
            # An edit counts from the next step on, and not only where the view is written next.
            writer.lease.mark()
        try:
            writer.lease.check()
            if is_edited or at_end:
                writer.lease.flush()
        except PlanEditedError:
            return True
        return False

    def wait(self) -> None:
        """Wait until an edit is written completely, but not forever."""
        until = monotonic() + _SAVE_TIMEOUT
        while not self._is_written() and monotonic() < until:
            if stop_event().wait(_QUIET):
                return

    def _is_written(self) -> bool:
        """Whether the file holds a plan that stays as it is: of one that is written in pieces, the first may be one."""
        file = self.writer.file
        assert file is not None
        try:
            text = file.peek()
            stop_event().wait(_QUIET)
            check_runnable(parse_plan(text))
            return file.peek() == text
        except (PlanFileError, PlanSyntaxError, PlanRunError):
            # An editor may take the old file away before it puts the new one in its place.
            return False

    def take_edit(self) -> None:
        """Merge an edit."""
        file, lease = self.writer.file, self.writer.lease
        assert file is not None
        assert lease is not None
        # Until it is taken over, nothing may be written over it.
        with lease.held():
            try:
                given = parse_plan(file.load(), name=self.name)
                check_runnable(given)
                self.take_plan(given, Edited)
            except BaseException:
                # The edit is still there when the run is resumed.
                lease.leave_view()
                raise

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
