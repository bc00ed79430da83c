"""The faults of a plan that an assistant has edited, told so that it can repair them."""

from __future__ import annotations

import shlex
from pathlib import Path

from planspec_lark.agents.status import in_session
from planspec_lark.folder.entries import FOLDER_LIMITS, read_inside
from planspec_lark.folder.foreign import is_foreign
from planspec_lark.folder.models import FolderError
from planspec_lark.folder.project import read_project
from planspec_lark.syntax.diagnostics import PlanSyntaxError, Severity, count_of, render
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["say_faults"]

# The most errors that are shown.
_MOST = 10


def say_faults(project: str, name: str) -> str:
    """The errors of a plan, so that a model can repair them; empty where there are none, or it is another tool's.

    Args:
        project: the folder of the project, itself with all links resolved.
        name: the file, from there on.

    Raises:
        FolderError: it, or the project's settings, cannot be read; it leads out of the project, or is too long.
    """
    try:
        text = read_inside(Path(project, name), Path(project), FOLDER_LIMITS)
        if is_foreign(text):
            return ""
        settings = read_project(Path(project, name).parent)
        found = settings.check_text(text, name=name, limits=FOLDER_LIMITS, least=Severity.ERROR)
    except PlanSyntaxError as error:
        found = error.diagnostics
        if found[0].code == "PS121":
            # How long a plan may be is a limit of this hook, and not the model's fault.
            raise FolderError(f"{visible_name(name)}: not checked: {found[0].message}") from None
    errors = [one for one in found if one.severity is Severity.ERROR]
    if not errors:
        return ""
    shown = visible_name(name)
    rows = [
        f"{shown} was written, but it is not a valid PlanSpec plan: {count_of(len(errors), 'error')}. Repair it now.\n"
    ]
    rows += [f"{render(one)}\n" for one in errors[:_MOST]]
    if len(errors) > _MOST:
        rows.append(f"{count_of(len(errors) - _MOST, 'error')} more.\n")
    call = shlex.quote(shown)
    fixable = sum(one.fix is not None and one.fix.is_safe for one in errors)
    fixes = f"`planspec check --fix {call}` repairs {fixable} of them; " if fixable else ""
    rows.append(f"{fixes}`planspec check {call}` checks it. The format is in the skill `planspec`.")
    return in_session("\n".join(rows))
