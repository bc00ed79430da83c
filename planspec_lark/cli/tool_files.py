"""What the commands of `planspec tools` have in common: the files of plans and of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeVar

import click

from planspec_lark.cli.output import (
    UNREADABLE,
    Unreadable,
    Unusable,
    complain,
    label,
    read_text,
    stop_on_faults,
    write_diagnostics,
)
from planspec_lark.json_text.findings import Finding, FirstFindings
from planspec_lark.json_text.models import JsonText
from planspec_lark.json_text.yaml_text import MissingYamlError
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.source import visible_name
from planspec_lark.toolplan.interchange import ToolPlanError, tool_plan_from_dict
from planspec_lark.toolplan.models import Registry, ToolPlan
from planspec_lark.toolplan.reading import DOC_JSON_LIMITS, load_atoms, read_doc, read_doc_file
from planspec_lark.toolplan.structure import outline

__all__ = ["atoms_option", "load_tools", "read_tool_plan", "read_whole", "read_with_faults", "stop_on_findings"]

# So many warnings of tools are written by commands that are asked for something else.
_SHOWN = 10

Command = TypeVar("Command", bound=Callable[..., Any])


def atoms_option(*, required: bool) -> Callable[[Command], Command]:
    """The option that says what tools there are; :func:`load_tools` takes it."""
    text = "Tools as JSON or YAML: a file, or a folder of such files; atoms, or a list for OpenAI, Anthropic or MCP."
    return click.option("--atoms", multiple=True, required=required, metavar="PATH", help=text)


def read_with_faults(file: str) -> JsonText:
    """A plan's text; its name says what it is, or else what it begins with.

    Raises:
        PlanSyntaxError: it is no UTF-8, or too large.
        Unreadable: it cannot be read.
    """
    try:
        if file == "-":
            return read_doc(read_text(file, DOC_JSON_LIMITS.max_bytes), name=label(file))
        return read_doc_file(file)
    except MissingYamlError as error:
        raise Unusable(str(error)) from None
    except PlanSyntaxError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(file, reason or "cannot be read") from None


def read_whole(file: str) -> JsonText:
    """The same; leaves with its faults."""
    try:
        read = read_with_faults(file)
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this is no plan")
    if read.has_errors:
        stop_on_faults(ToolPlanError(read.diagnostics, read.source), f"{visible_name(label(file))}: this is no plan")
    return read


def read_tool_plan(file: str) -> ToolPlan:
    """The plan in a file; leaves with its faults."""
    read = read_whole(file)
    if findings := outline(read.value).findings:
        stop_on_findings(findings, read, f"{visible_name(label(file))}: this is no plan")
    return tool_plan_from_dict(read.value)


def stop_on_findings(findings: Iterable[Finding], read: JsonText, message: str) -> NoReturn:
    """Write what is wrong with a plan, and leave."""
    found = FirstFindings(read, DOC_JSON_LIMITS.max_findings)
    found.extend(findings)
    stop_on_faults(ToolPlanError(found.close(), read.source), message)


def load_tools(paths: tuple[str, ...], *, is_brief: bool = True) -> Registry:
    """The tools in files and folders; leaves with their faults, and writes their warnings to standard error."""
    registry = _load_tools(paths)
    warnings = registry.diagnostics
    most = _SHOWN if is_brief else len(warnings)
    write_diagnostics(warnings[:most], to_stderr=True, is_brief=is_brief)
    if len(warnings) > most:
        complain(f"{len(warnings) - most:,} more warnings of these tools; `planspec tools atoms` writes all of them")
    return registry


def _load_tools(paths: tuple[str, ...]) -> Registry:
    try:
        return load_atoms(*paths)
    except MissingYamlError as error:
        raise Unusable(str(error)) from None
    except PlanSyntaxError as error:
        stop_on_faults(error, "these are no atoms", UNREADABLE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        file = getattr(error, "filename", None) or paths[0]
        raise Unreadable(str(file), reason or "cannot be read") from None
