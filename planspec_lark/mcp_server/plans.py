"""The plans of a folder, as tools, resources and prompts get at them: by name, and never by a path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Self

from attrs import evolve, field, frozen

from planspec_lark.document.file import PlanFile
from planspec_lark.folder.folder import PlanFolder
from planspec_lark.folder.models import FolderError, FolderErrorReason
from planspec_lark.folder.names import check_name
from planspec_lark.folder.project import ProjectSettings, read_project
from planspec_lark.folder.settings import FOLDER
from planspec_lark.mcp_server.errors import MAX_FINDINGS, RefusedError
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.runs.sqlite_ledger import ledger_path
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["Plans", "Stored"]


@frozen
class Stored:
    """A plan as it stands in the folder."""

    name: str
    text: str = field(repr=False)
    plan: PlanSpec = field(repr=False)

    @property
    def digest(self) -> str:
        """What two texts have in common only if they are the same."""
        return hashlib.blake2b(self.text.encode("utf-8"), digest_size=8).hexdigest()

    def check_digest(self, expected: str) -> Self:
        """This plan, unless it is another one than it has to be; where no digest is expected, it is any.

        Raises:
            RefusedError: it has another digest.
        """
        if expected not in ("", self.digest):
            raise RefusedError(
                f"Nothing was changed: the plan has changed since you read it; its digest is {self.digest}. "
                "Read it again, and look whether the change is still right."
            )
        return self


class Plans:
    """The plans of a folder.

    Paths are refused, those inside the folder as well: what is wrong with a file shows parts of it, and a project holds
    files that are no concern of the client.

    Attributes:
        folder: itself.
        limits: how much to read of a plan, and how many findings to tell.
    """

    def __init__(self, folder: PlanFolder) -> None:
        self.folder = folder
        self.limits = Limits(max_bytes=folder.limits.max_bytes, max_findings=MAX_FINDINGS)

    def settings(self) -> ProjectSettings:
        """How the project's plans are checked.

        Raises:
            RefusedError: that cannot be read.
        """
        try:
            return read_project(self.folder.root)
        except FolderError:
            # Which says where on this machine it is.
            raise RefusedError("The settings of the project cannot be used. `planspec check` says why.") from None

    def text(self, name: str) -> str:
        """The text of a plan.

        Raises:
            FolderError: there is none of this name, or it cannot be read.
            PlanSyntaxError: it is not UTF-8, or too long.
        """
        self._find(name)
        return self.folder.read(name)

    def load(self, name: str) -> Stored:
        """A plan with its text.

        Raises:
            FolderError: there is none of this name, or it cannot be read.
            PlanSyntaxError: it is not a plan.
        """
        return self.parse(name, self.text(name))

    def file(self, name: str) -> PlanFile:
        """The file of a plan, to change it.

        Raises:
            FolderError: there is no plan of this name.
        """
        return PlanFile(self._find(name), wait=self.folder.wait, command="planspec mcp", limits=self.limits)

    def has_ledger(self, name: str) -> bool:
        """Whether a plan has been run, and the ledger of its runs is beside it.

        Raises:
            FolderError: there is no plan of this name, or its ledger is a link, which may lead anywhere.
        """
        ledger = ledger_path(self._find(name).resolve())
        if ledger.is_symlink():
            raise FolderError(f"the ledger of `{visible_name(name)}` is a link, which is not followed")
        return ledger.exists()

    def create(self, name: str, text: str) -> Stored:
        """A new plan, which git sees only where plans are shared.

        Raises:
            FolderError: it cannot be the name of a plan, or is one already; the file cannot be written.
            PlanSyntaxError: the text is not a plan.
        """
        stored = self.parse(name, text)
        # Before it is there, as git may look at any time.
        if self.folder.holds(check_name(name)) is None:
            self.folder.hide()
        return evolve(stored, name=self.folder.create(name, text).stem)

    def archive(self, name: str, check: Callable[[str], object]) -> str:
        """Move a finished plan to the archive; gives the file there, from the project's folder on.

        Args:
            name: of the plan.
            check: is given its text, when no other writer can change it any more.

        Raises:
            FolderError: there is no such plan, it belongs to a task, is unfinished or run at this moment, or it cannot
                be moved.
        """
        if self._find(name).parent.name != FOLDER:
            raise FolderError(f"the plan of a task stays where it is: `{visible_name(name)}` cannot be archived")
        return self.folder.archive(name, check=check).relative_to(self.folder.root).as_posix()

    def parse(self, name: str, text: str) -> Stored:
        """A plan of this text.

        Raises:
            PlanSyntaxError: it is not a plan.
        """
        return Stored(name, text, parse_plan(text, name=name, limits=self.limits))

    def _find(self, name: str) -> Path:
        path = self.folder.find(check_name(name), confined=True)
        if path.parent == self.folder.root:
            # A file of the project that happens to have this name.
            raise FolderError(f"there is no plan `{visible_name(name)}`", FolderErrorReason.MISSING)
        return path
