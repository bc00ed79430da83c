"""Snapshots of plans for syrupy: one `.md` file each, in canonical form.

Importing this module imports syrupy, which only the extra has; nothing but the fixtures does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from typing import Any

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.terminal import context_style, received_style, reset, snapshot_style

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.pytest_plugin.normalizers import Normalizer, normalize
from planspec_lark.pytest_plugin.subject import Subject, take
from planspec_lark.syntax.diagnostics import PlanSyntaxError

__all__ = ["PlanSnapshot", "PlanSnapshotExtension"]

# The roles in a difference that look like one of its two sides; all others are what is around them.
_STYLES = {"removed": snapshot_style, "added": received_style}


class PlanSnapshotExtension(SingleFileSnapshotExtension):
    """Keeps a plan, or the plan in a text, as canonical text.

    syrupy's `matcher` is what normalises: it is called once, with the plan.
    """

    # The second name is that of syrupy 4.
    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT

    def __init__(self) -> None:
        super().__init__()
        self._last: Subject | None = None

    def serialize(self, data: Any, *, matcher: Any = None, **_: Any) -> str:
        """The canonical text of a plan."""
        self._last = take(data)
        plan = self._last.plan
        return serialize_plan(plan if matcher is None else matcher(data=plan, path=()))

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """What has become of the plan, step by step, and which repairs its text has needed."""
        yield from map(reset, _diff(str(snapshot_data), str(serialized_data)))
        if self._last is not None:
            yield from self._last.list_repairs()


def _diff(before: str, after: str) -> Iterator[str]:
    # Only a failure needs them.
    from planspec_lark.diff.compare import diff_plans  # noqa: PLC0415
    from planspec_lark.diff.render import show_diff  # noqa: PLC0415

    try:
        diff = diff_plans(parse_plan(before), parse_plan(after))
    except PlanSyntaxError:
        # A snapshot that was edited, or that a merge has left in pieces.
        yield "the snapshot is no longer a plan; write it again"
        return
    if not diff:
        yield "the same plan, but the snapshot is not in canonical form; write it again"
    # The received plan is not at hand, so all of a new step is shown.
    for line in show_diff(diff):
        yield "".join(_STYLES.get(piece.role, context_style)(piece.text) for piece in line if piece.text)


class PlanSnapshot(SnapshotAssertion):
    """A snapshot of a plan: equal to a plan, or to a text with one, whose canonical text is that of the snapshot."""

    @classmethod
    def like(cls, snapshot: SnapshotAssertion, normalizers: tuple[Normalizer, ...]) -> PlanSnapshot:
        """A snapshot of plans for the same test."""
        options = {one.name: getattr(snapshot, one.name) for one in dataclasses.fields(snapshot) if one.init}
        matcher = partial(_normalize, normalizers, None)
        return cls(**{**options, "extension_class": PlanSnapshotExtension, "matcher": matcher})

    def __call__(self, *normalizers: Normalizer, **options: Any) -> PlanSnapshot:
        """The same, for the next comparison, with more normalisers, and with options of syrupy such as `name`."""
        if normalizers:
            options["matcher"] = partial(_normalize, normalizers, self.matcher)
        super().__call__(**options)
        return self

    def get_assert_diff(self, **options: Any) -> list[str]:
        """What to say about the last comparison."""
        reason = self.executions[self.num_executions - 1].exception
        if isinstance(reason, AssertionError):
            return str(reason).split("\n")
        return super().get_assert_diff(**options)


def _normalize(normalizers: tuple[Normalizer, ...], first: Any, *, data: PlanSpec, path: Any) -> PlanSpec:
    plan = data if first is None else first(data=data, path=path)
    return normalize(plan, *normalizers)
