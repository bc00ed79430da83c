"""Documents through many changes of all kinds, beside a plain model of what each change means.

Plans have orphans, gaps in the numbers, and steps that stand out of order; their texts are spelled any way that is
accepted. After each change the text has to read back as the plan, the plan has to be the model's, and the lines of
steps that say what they said have to be the same, in the same order.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanDocument,
    PlanStatus,
    PlanStep,
    apply_commands,
    parse_plan,
    scan_plan,
)
from planspec_lark.document.pieces import cut_accepted
from tests import strategies
from tests.property.flat_plan import FlatPlan, Refusal

_numbers = st.sampled_from([1, 2, 3, 4, 5, 0, 999_999_999])
_new_ids = st.lists(_numbers, min_size=1, max_size=3).map(lambda numbers: ".".join(map(str, numbers)))
_picks = st.integers(0, 30)
# An id: of a step that is there, of one beside, below or above it, or any.
_targets = st.tuples(st.sampled_from(["there", "there", "behind", "below", "above", "any"]), _picks, _new_ids)
_containers = st.sampled_from(["subtask", "subtask", "decide", "act"])

Target = tuple[str, int, str]


def _resolve(target: Target, ids: list[str]) -> str:
    where, pick, new = target
    if not ids or where == "any":
        return new
    found = ids[pick % len(ids)]
    head, dot, last = found.rpartition(".")
    if where == "behind":
        return f"{head}{dot}{min(int(last) + 1, 999_999_999)}"
    if where == "below":
        return f"{found}.{new.partition('.')[0]}"
    return head or found if where == "above" else found


class _Lines:
    """The lines of each step by the step's id, in the order of the text, and those of the head."""

    def __init__(self, text: str) -> None:
        head, *pieces = cut_accepted(text)
        self.steps = {piece.step_id: piece.lines for piece in pieces}
        rows = [row.rstrip("\r").removeprefix("\ufeff") for row in head.lines.split("\n")]
        self.others = [row for row in rows if row.strip(" \t")]
        # The heading comes with the first step.
        self.others = [row for row in self.others if row.strip(" \t") != "## Steps"]


def _said(step: PlanStep) -> tuple[object, ...]:
    return (
        step.step_name,
        step.step_type,
        step.description,
        tuple(step.inputs),
        tuple(step.outputs),
        tuple(step.detail),
        step.result,
        step.status,
        step.done_count,
        step.total_count,
    )


def _unplaced(lines: str, step_id: str) -> str:
    """Lines without what a change of place may change: indentation, the id, and how lines of a new step end."""
    rows = [row.lstrip(" \t").removesuffix("\r") for row in lines.split("\n")]
    assert rows[0].startswith(f"{step_id}.")
    rows[0] = rows[0][len(step_id) :]
    return "\n".join(rows).rstrip("\n")


def _is_plain(lines: str) -> bool:
    """Whether lines are read without a repair, so that only their id has to change."""
    return not scan_plan(f"## Steps\n{lines}").diagnostics


def _renumbered(lines: str, old: str, new: str) -> str:
    """Lines with another id, and without the end of the last one."""
    blanks = lines[: len(lines) - len(lines.lstrip(" \t"))]
    return f"{blanks}{new}{lines[len(blanks) + len(old) :]}".rstrip("\r\n")


def _refusal(document: PlanDocument, change: Callable[[PlanDocument], object]) -> str:
    """The code with which a document refuses a change, or nothing."""
    try:
        change(document)
    except CommandError as error:
        return error.code
    return ""


class _Documents(RuleBasedStateMachine):
    """A document, one whose text is not asked for until the end, and the model."""

    document: PlanDocument
    unseen: PlanDocument
    model: FlatPlan

    @initialize(text=st.one_of(strategies.loose_plans(), strategies.loose_plans(strategies.plans)))
    def start(self, text: str) -> None:
        self.document, self.unseen = PlanDocument.from_text(text), PlanDocument.from_text(text)
        self.model = FlatPlan(self.document.plan)
        assert self.document.text == text
        assert self.document.plan == self.model.plan

    # ------------------------------------------------------------ one change

    def change(
        self,
        change: Callable[[PlanDocument], object],
        expect: Callable[[FlatPlan], object],
        moved: Callable[[], list[PlanStep]] = list,
    ) -> None:
        text, plan = self.document.text, self.document.plan
        before = [(step, step.step_id, _said(step)) for step in self.model.steps]
        elsewhere = {id(step) for step in moved()}
        code, expected = _refusal(self.document, change), ""
        try:
            expect(self.model)
        except Refusal as refusal:
            expected = refusal.code
        assert code == expected
        assert _refusal(self.unseen, change) == code
        if code:
            assert (self.document.text, self.document.plan) == (text, plan)
        assert self.document.plan == self.model.plan
        assert parse_plan(self.document.text) == self.model.plan
        self.keeps(text, before, elsewhere)

    def keeps(self, text: str, before: list[tuple[PlanStep, str, tuple[object, ...]]], elsewhere: set[int]) -> None:
        """Lines that need not change have not changed."""
        was, now = _Lines(text), _Lines(self.document.text)
        assert was.others == now.others
        left = {id(step): step for step in self.model.steps}
        assert len(now.steps) == len(left)
        same = [
            (old_id, left[id(step)], id(step) in elsewhere)
            for step, old_id, said in before
            if id(step) in left and _said(left[id(step)]) == said
        ]
        for old_id, step, is_elsewhere in same:
            old, new = was.steps[old_id], now.steps[step.step_id]
            if old_id == step.step_id and not is_elsewhere:
                assert old.rstrip("\r\n") == new.rstrip("\r\n")
            elif _is_plain(old) and _is_plain(new):
                assert _unplaced(old, old_id) == _unplaced(new, step.step_id)
                if not is_elsewhere:
                    assert _renumbered(old, old_id, step.step_id) == new.rstrip("\r\n")
        old_order, new_order = list(was.steps), list(now.steps)
        stay = [(old_id, step.step_id) for old_id, step, is_elsewhere in same if not is_elsewhere]
        by_old = sorted(stay, key=lambda pair: old_order.index(pair[0]))
        assert by_old == sorted(stay, key=lambda pair: new_order.index(pair[1]))

    @property
    def ids(self) -> list[str]:
        return [step.step_id for step in self.model.steps]

    # ------------------------------------------------------------ the changes

    @rule(which=_targets, to=_targets)
    def move(self, which: Target, to: Target) -> None:
        step_id = _resolve(which, self.ids)
        place = _resolve(to, self.ids)
        self.change(
            lambda document: document.move(step_id, place),
            lambda model: model.move(step_id, place),
            lambda: [step for step in self.model.steps if f"{step.step_id}.".startswith(f"{step_id}.")],
        )

    @rule(which=_targets, renumber=st.booleans())
    def remove(self, which: Target, renumber: bool) -> None:
        step_id = _resolve(which, self.ids)
        self.change(
            lambda document: document.remove(step_id, renumber=renumber),
            lambda model: model.remove(step_id, renumber=renumber),
        )

    @rule(which=_targets, kind=_containers, name=strategies.names, text=strategies.trimmed, detail=strategies.lines)
    def add(self, which: Target, kind: str, name: str, text: str, detail: str) -> None:
        step_id = _resolve(which, self.ids)
        self.change(
            lambda document: document.add(step_id, kind, text, name=name, detail=[detail], inputs=["a"]),
            lambda model: model.add(PlanStep(step_id, name, kind, text, ["a"], [], [detail])),
        )

    @rule(which=_targets, name=strategies.names)
    def rename(self, which: Target, name: str) -> None:
        step_id = _resolve(which, self.ids)
        self.change(lambda document: document.rename(step_id, name), lambda model: model.rename(step_id, name))

    @rule(which=_targets, status=strategies.statuses, result=st.none() | strategies.trimmed)
    def set_status(self, which: Target, status: PlanStatus, result: str | None) -> None:
        step_id = _resolve(which, self.ids)
        self.change(
            lambda document: document.set_status(step_id, status, result),
            lambda model: model.set_status(step_id, status, result),
        )

    @rule(
        places=st.lists(_targets, min_size=1, max_size=5),
        commands=st.lists(strategies.workable_commands, min_size=5, max_size=5),
        atomic=st.booleans(),
        twice=st.booleans(),
    )
    def apply(self, places: list[Target], commands: list[PlanCommand], atomic: bool, twice: bool) -> None:
        """What comes of commands is what they make of a plan alone."""
        for which, command in zip(places, commands, strict=False):
            if command.step_id != "ALL":
                command.step_id = _resolve(which, self.ids)
        commands = commands[: len(places)]
        if twice:
            commands = [one for command in commands for one in (command, copy.deepcopy(command))]
        text, alone = self.document.text, self.document.plan
        expected = apply_commands(alone, copy.deepcopy(commands), atomic=atomic)
        told: list[str] = []

        def change(document: PlanDocument) -> None:
            told[:] = [report.message for report in document.apply(commands, atomic=atomic) if not report.done]

        assert not _refusal(self.document, change)
        assert told == expected
        if atomic and expected:
            assert self.document.text == text
        assert not _refusal(self.unseen, change)
        assert self.document.plan == alone == parse_plan(self.document.text)
        self.model = FlatPlan(alone)
        assert self.model.plan == alone

    @rule(how=st.sampled_from(["copy", "pickle"]))
    def restore(self, how: str) -> None:
        text, plan = self.document.text, self.document.plan
        restored = copy.deepcopy(self.document) if how == "copy" else pickle.loads(pickle.dumps(self.document))
        assert (restored.text, restored.plan) == (text, plan)
        # How the lines were read at first is not known to a copy.
        self.document, self.unseen = restored, copy.copy(restored)

    @invariant()
    def a_look_changes_nothing(self) -> None:
        if hasattr(self, "document"):
            assert self.unseen.plan == self.document.plan

    def teardown(self) -> None:
        if hasattr(self, "document"):
            assert self.unseen.text == self.document.text


TestDocuments = _Documents.TestCase
TestDocuments.settings = settings(stateful_step_count=12)
