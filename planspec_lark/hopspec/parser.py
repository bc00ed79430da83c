"""HopSpec text → parse tree, and text → document, strictly or not.

What a text means is defined by the LALR parser and :mod:`planspec_lark.hopspec.transformer`.
:mod:`planspec_lark.hopspec.fast_reader` reads instead, with patterns made from the same grammar, and gives the same
document. What it refuses is read line by line in :mod:`planspec_lark.hopspec.recovery`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import define, field

from planspec_lark.hopspec import fast_reader
from planspec_lark.hopspec.models import HopSpec, StepInfo
from planspec_lark.hopspec.positions import LinePositions, span_of_line
from planspec_lark.hopspec.recovery import HopSpecRecovery
from planspec_lark.hopspec.vocabulary import Language
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, in_order
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess, find_too_large
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, Span

if TYPE_CHECKING:
    from lark import Token, Tree

__all__ = ["HopSpecScan", "parse_hopspec", "parse_hopspec_tree", "scan_hopspec", "scan_strictly"]


@define
class HopSpecScan:
    """What was found in a text.

    Attributes:
        document: the document, as far as it could be read.
        diagnostics: what was wrong, in the order of the text.
        source: the text.
        positions: in which of its lines everything stands.
    """

    document: HopSpec
    diagnostics: list[Diagnostic]
    source: Source
    positions: LinePositions = field(factory=LinePositions)


def parse_hopspec(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> HopSpec:
    """Read a document, strictly.

    Args:
        text: a HopSpec document in Chinese or English. The empty text is the empty document.
        name: what diagnostics call it, such as the file's name.
        limits: how much to take.

    Raises:
        PlanSyntaxError: the text is not a document, or more than ``limits`` allow; it carries the diagnostics of all
            its faults.
    """
    result = scan_strictly(text, name=name, limits=limits)
    if result.diagnostics:
        raise PlanSyntaxError(result.diagnostics, result.source)
    return result.document


def parse_hopspec_tree(text: str) -> Tree[Token]:
    """The parse tree of a document. Its tokens put together are the text; an absent part of a rule is None.

    Raises:
        PlanSyntaxError: as :func:`parse_hopspec` does; but that sections, numbers and attributes may come twice in a
            tree, and that any indented line may continue with a value.
    """
    tree = grammars.parse_tree("hopspec", text)
    if tree is None:
        result = scan_strictly(text)
        raise PlanSyntaxError(result.diagnostics, result.source)
    return tree


def scan_hopspec(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> HopSpecScan:
    """Read as much of a document as a text has, such as a language model's answer. No text makes it raise.

    Lines that could be repaired are warnings, and those that were left out are errors. What is in a reasoning block
    (see :mod:`planspec_lark.syntax.reasoning`) is not a document.
    """
    remainder = leave_out_reasoning(text)
    result = _scan(text, remainder.text, name, limits, is_strict=False)
    result.diagnostics = in_order([*remainder.diagnose(result.source), *result.diagnostics])
    return result


def scan_strictly(text: str, *, name: str = "<text>", limits: Limits = DEFAULT_LIMITS) -> HopSpecScan:
    """Read what there is of a document in a text, in which every deviation is an error."""
    return _scan(text, text, name, limits, is_strict=True)


def _scan(text: str, readable: str, name: str, limits: Limits, *, is_strict: bool) -> HopSpecScan:
    source = Source(text, name)
    if excess := find_excess(text, name, limits):
        return HopSpecScan(HopSpec(), [excess], source)
    found = fast_reader.read(readable)
    findings: list[Diagnostic] = []
    if found is None:
        language: Language = "zh" if re.search("步骤|类型|执行流程|任务", readable) else "en"
        recovery = HopSpecRecovery(Source(readable, name), language, is_strict=is_strict)
        found = recovery.run()
        findings = recovery.findings
    document, positions = found
    listed = Findings(limits.max_findings)
    listed.extend(findings)
    result = HopSpecScan(document, listed.close(), source, positions)
    return _refuse_excess(result, limits)


def _refuse_excess(result: HopSpecScan, limits: Limits) -> HopSpecScan:
    """The same, or nothing of the document where it has more steps or levels than it may."""

    def place_of(step: StepInfo) -> tuple[Span, Source]:
        return span_of_line(result.source, result.positions.line_of(step.step_id, "step_id")), result.source

    refused = find_too_large(result.document.steps, limits, place_of)
    return HopSpecScan(HopSpec(), [*result.diagnostics, refused], result.source) if refused else result
