"""PlanSpec text → parse tree, and text → plan, strictly.

The LALR parser and :mod:`planspec_lark.planspec.transformer` define what a text means. By default
:mod:`planspec_lark.planspec.fast_reader` reads it with patterns made from the same grammar, which give the same plan.
The faults of a text that these refuse are found by :func:`planspec_lark.planspec.recovery.scan_lines`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.positions import Positions
from planspec_lark.planspec.scan_result import ScanResult, read_nothing, refuse_excess
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits, find_excess, find_too_large
from planspec_lark.syntax.source import Source, Span

if TYPE_CHECKING:
    from lark import Token, Tree

__all__ = ["GRAMMAR_VERSION", "parse_plan", "parse_tree", "scan_strictly"]

GRAMMAR_VERSION = grammars.grammar_version("planspec")
"""The version of the grammar."""


def parse_plan(
    text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS, accelerate: bool = True
) -> PlanSpec:
    """Read a plan, strictly.

    >>> parse_plan("Goal: Ship it\\n## Steps\\n1. [act] Test → report\\n").steps[0].outputs
    ['report']

    Args:
        text: a PlanSpec document. The empty text is the empty plan.
        name: what findings call the text, such as the file's name.
        limits: how much to read.
        accelerate: read with patterns made from the grammar. Lark's parser and a transformer, which define what a text
            means, take about ten times as long.

    Raises:
        PlanSyntaxError: the text is not a plan, or more than ``limits`` allow; it carries all findings.
    """
    source = Source(text, name)
    if excess := find_excess(text, name, limits):
        raise PlanSyntaxError([excess], source)
    plan = fast_reader.read(text) if accelerate else _read(text)
    if plan is None:
        from planspec_lark.planspec.recovery import scan_lines  # noqa: PLC0415  (slow to load; most texts are plans)

        raise PlanSyntaxError(scan_lines(text, name=name, limits=limits).diagnostics, source)
    if excess := find_too_large(plan.steps, limits, partial(_place, source)):
        raise PlanSyntaxError([excess], source)
    return plan


def scan_strictly(
    text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS, before: ScanResult | None = None
) -> ScanResult:
    """Read a text as :func:`planspec_lark.parse_plan` does: every deviation is an error; the plan is what is left.

    Where only a few steps differ from a text without faults that was read ``before``, only these are read. The plan of
    that one is then changed, and belongs to this text.
    """
    if excess := find_excess(text, name, limits):
        return read_nothing([excess])
    plan = before.plan if before is not None and not before.diagnostics else None
    if plan is None or before is None or not fast_reader.read_again(text, before.source.text, plan):
        plan = fast_reader.read(text)
    if plan is None:
        from planspec_lark.planspec.recovery import scan_lines  # noqa: PLC0415

        return scan_lines(text, name=name, limits=limits)
    source = Source(text, name)
    return refuse_excess(ScanResult(plan, [], Positions.of_plan(source), source), limits)


def parse_tree(text: str) -> Tree[Token]:
    """The parse tree of a plan. Its tokens, joined, are the text; an absent part of a rule is None.

    Raises:
        PlanSyntaxError: as for :func:`parse_plan`. Both accept the same texts, but ids may occur twice in a tree.
    """
    tree = grammars.parse_tree("planspec", text)
    if tree is None:
        from planspec_lark.planspec.recovery import scan_lines  # noqa: PLC0415

        raise PlanSyntaxError(scan_lines(text).diagnostics, Source(text))
    return tree


def _read(text: str) -> PlanSpec | None:
    """The plan by the tree and the transformer, or None where the text has a fault."""
    from planspec_lark.planspec.transformer import PlanTransformer  # noqa: PLC0415  (imports Lark)

    tree = grammars.parse_tree("planspec", text)
    try:
        return None if tree is None else PlanTransformer().transform(tree)
    except ValueError:
        return None


def _place(source: Source, step: PlanStep) -> tuple[Span, Source]:
    return source.span(*Positions.of_plan(source).id_of(step.step_id)), source
