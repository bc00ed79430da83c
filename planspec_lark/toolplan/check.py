"""Plans as texts: what is found in them, with its place."""

from __future__ import annotations

from planspec_lark.json_text.findings import FirstFindings
from planspec_lark.json_text.models import JsonText
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.toolplan.parser import read_doc
from planspec_lark.toolplan.validation import examine

__all__ = ["check_tool_plan"]


def check_tool_plan(
    plan: str | JsonText, registry: object, *, name: str = "<text>", max_findings: int | None = 1000
) -> list[Diagnostic]:
    """All that :func:`planspec_lark.toolplan.validate_plan_doc` finds, and warnings of plans with errors too, with
    places.

    Args:
        plan: a text in JSON or YAML, or one that has been read.
        registry: the tools, as a :class:`~planspec_lark.toolplan.models.Registry` or a plain value.
        name: what diagnostics call the text.
        max_findings: how many diagnostics to give; a last one says how many more there are.

    Returns:
        Diagnostics in the order of the text. Where it is neither JSON nor YAML, nothing else is looked at.

    Raises:
        MissingYamlError: it is YAML, and the extra ``yaml`` is not installed.
    """
    read = read_doc(plan, name=name) if isinstance(plan, str) else plan
    if read.has_errors:
        return read.diagnostics
    found = FirstFindings(read, max_findings)
    examine(read.value, registry, found.add, found.add)
    return found.close(read.diagnostics)
