"""Models of a folder of plans: entries of a list, and errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, Self

from attrs import frozen

from planspec_lark.document.file import PlanBusyError, PlanFileError
from planspec_lark.files import reason_of
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError, brief
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["FolderError", "FolderErrorReason", "PlanEntry", "read_toml", "refusals"]


class FolderErrorReason(Enum):
    """Why a folder of plans refuses something."""

    NAME = "name"
    MISSING = "missing"
    EXISTS = "exists"
    OUTSIDE = "outside"
    UNFINISHED = "unfinished"
    BUSY = "busy"
    UNUSABLE = "unusable"


class FolderError(PlanSpecError):
    """Something that a folder of plans refuses; the text is a sentence that is safe to show.

    Attributes:
        reason: which kind of refusal it is.
    """

    def __init__(self, message: str, reason: FolderErrorReason = FolderErrorReason.UNUSABLE) -> None:
        super().__init__(message)
        self.reason = reason

    @classmethod
    def of(cls, path: Path, said: str, reason: FolderErrorReason = FolderErrorReason.UNUSABLE) -> Self:
        """What is refused of a file or folder, which is named first."""
        return cls(f"{visible_name(str(path))}: {said}", reason)


@frozen
class PlanEntry:
    """A plan in a list.

    Attributes:
        name: the file's name without its ending, as it is in the folder; show it through
            :func:`~planspec_lark.syntax.safe_text.visible` only, as title and goal.
        path: the file.
        title: the plan's title; of a text with faults, as far as it could be read.
        goal: its goal, likewise.
        progress: how many steps there are in each status, as :attr:`PlanSpec.progress` counts them; None where the file
            holds no plan.
        is_converged: whether no step is pending or active any more; False where the file holds no plan.
        fault: the first thing that is wrong, in one line that is safe to show; empty where nothing is.
        diagnostic: the same with its place, where the text is at fault; without its source.
        is_current: whether it is the one at hand.
        superseded_by: the name of the plan that has taken its place; empty where none has.
    """

    name: str
    path: Path
    title: str = ""
    goal: str = ""
    progress: Mapping[str, int] | None = None
    is_converged: bool = False
    fault: str = ""
    diagnostic: Diagnostic | None = None
    is_current: bool = False
    superseded_by: str = ""


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """What a system refuses inside of this block is refused by the folder, with the name of the file."""
    try:
        yield
    except PlanFileError as error:
        reason = FolderErrorReason.BUSY if isinstance(error, PlanBusyError) else FolderErrorReason.UNUSABLE
        raise FolderError(str(error), reason) from None
    except PlanSpecError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a NUL; a loop of links
        raise FolderError.of(path, reason_of(error)) from None


def read_toml(text: str, path: Path) -> dict[str, Any]:
    """What the text of a file of settings says.

    Raises:
        FolderError: it is no TOML, or is nested too deeply to be read.
    """
    import tomllib  # noqa: PLC0415  (most folders have no settings)

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FolderError.of(path, brief(str(error))) from None
