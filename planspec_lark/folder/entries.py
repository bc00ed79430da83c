"""A file of a folder as an entry of its list: broken ones with what is wrong first."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from planspec_lark.folder.models import PlanEntry, StoreError
from planspec_lark.folder.names import check_name
from planspec_lark.folder.places import read_inside
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.scanning import scan_strictly
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, Severity, shorten
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.source import one_line, visible_name

__all__ = ["describe"]


def describe(name: str, path: Path, area: Path, limits: Limits) -> PlanEntry:
    """What there is to say about a file, whatever it is."""
    entry = PlanEntry(name, path)
    try:
        entry = _read(entry, area, limits)
        # A plan that nobody can call is of use to those who open its file.
        check_name(name)
    except PlanSyntaxError as error:
        return _blame(entry, error.diagnostics[0])
    except StoreError as error:
        text = str(error).removeprefix(f"{visible_name(str(path))}: ")
        return entry if entry.fault else evolve(entry, fault=text)
    return entry


def _read(entry: PlanEntry, area: Path, limits: Limits) -> PlanEntry:
    found = scan_strictly(read_inside(entry.path, area, limits), name=str(entry.path), limits=limits)
    plan = found.plan
    entry = evolve(entry, title=plan.title, goal=plan.goal)
    if found.diagnostics:
        return _blame(entry, found.diagnostics[0])
    entry = evolve(entry, progress=plan.progress, is_converged=plan.is_converged)
    errors = [one for one in check_rules(plan) if one.severity is Severity.ERROR]
    located = sorted(locate(errors[:100], found.places), key=lambda one: one.span.start if one.span else 0)
    return _blame(entry, located[0]) if located else entry


def _blame(entry: PlanEntry, found: Diagnostic) -> PlanEntry:
    place = f"line {found.line}: " if found.line else ""
    # Without the text, which may be long: a list has many entries.
    fault = f"{place}{found.code} {shorten(one_line(found.message))}"
    return evolve(entry, fault=fault, diagnostic=evolve(found, source=None))
