"""The plans of a folder, as tools, resources and prompts get at them: by name, and never by a path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from planspec_lark.document.file import PlanFile
from planspec_lark.files import stamp_of
from planspec_lark.folder.entries import describe, find_folder
from planspec_lark.folder.folder import PlanFolder
from planspec_lark.folder.models import PlanEntry, StoreError, StoreReason
from planspec_lark.folder.names import check_name
from planspec_lark.folder.settings import FOLDER, TASKS, Settings
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.runs.sqlite_ledger import ledger_path
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.source import visible_name

__all__ = ["MAX_FINDINGS", "Page", "Plans", "Seen", "Stored", "digest_of"]

# So many plans are listed at once, and so many findings told.
_PAGE = 50
MAX_FINDINGS = 20


def digest_of(text: str) -> str:
    """What two texts have in common only if they are the same."""
    return hashlib.blake2b(text.encode("utf-8"), digest_size=8).hexdigest()


@frozen
class Stored:
    """A plan as it stands in the folder."""

    name: str
    text: str = field(repr=False)
    plan: PlanSpec = field(repr=False)

    @property
    def digest(self) -> str:
        """Of its text."""
        return digest_of(self.text)


@frozen
class Page:
    """Some entries of a list, how many there are in all, and after which name the next page begins."""

    entries: Sequence[PlanEntry]
    total: int
    after: str = ""


@frozen
class Seen:
    """What is listed, and a stamp of each plan's file, which is another one after a change."""

    names: Sequence[str] = ()
    stamps: Mapping[str, object] = field(factory=dict, repr=False)


class Plans:
    """The plans of a folder.

    Paths are refused, those inside the folder as well: what is wrong with a file shows parts of it, and a project holds
    files that are nobody's business.
    """

    def __init__(self, folder: PlanFolder) -> None:
        self._folder = folder
        self._limits = Limits(max_bytes=folder.limits.max_bytes, max_findings=MAX_FINDINGS)

    @property
    def settings(self) -> Settings:
        """What is settled for them.

        Raises:
            StoreError: that cannot be read.
        """
        return self._folder.settings

    # ------------------------------------------------------------ looking

    def names(self) -> Sequence[str]:
        """The names of all plans, in order.

        Raises:
            StoreError: the folder cannot be read.
        """
        return self._folder.names()

    def look(self) -> Seen:
        """What is there at this moment, without a look into any file.

        Raises:
            StoreError: the folder cannot be read.
        """
        names, tasks = self.names(), self._folder.task_names()
        # Of two plans of a name, the one of the task is not found by it.
        paths = {name: self._folder.root / TASKS / name / "plan.md" for name in tasks}
        paths |= {name: self._path(name) for name in names}
        return Seen(names, {name: stamp_of(path) for name, path in paths.items()})

    def page(self, after: str = "") -> Page:
        """Plans with names behind this one, as many as are listed at once.

        Raises:
            StoreError: the folder cannot be read.
        """
        area = find_folder(self._folder.root, self._folder.path.name)
        names = self.names()
        left = [name for name in names if name > after]
        if area is None or not left:
            return Page([], len(names))
        listed = left[:_PAGE]
        entries = [describe(name, self._path(name), area, self._folder.limits) for name in listed]
        return Page(entries, len(names), listed[-1] if len(left) > _PAGE else "")

    def text(self, name: str) -> str:
        """The text of a plan.

        Raises:
            StoreError: there is none of this name, or it cannot be read.
            PlanSyntaxError: it is no UTF-8, or too long.
        """
        self._find(name)
        return self._folder.read(name)

    def load(self, name: str) -> Stored:
        """A plan with its text.

        Raises:
            StoreError: there is none of this name, or it cannot be read.
            PlanSyntaxError: it is no plan.
        """
        return self.parse(name, self.text(name))

    def parse(self, name: str, text: str) -> Stored:
        """A text as the plan of this name.

        Raises:
            PlanSyntaxError: it is no plan.
        """
        return Stored(name, text, parse_plan(text, name=name, limits=self._limits))

    def has_ledger(self, name: str) -> bool:
        """Whether a plan has been run, and the ledger of its runs is beside it.

        Raises:
            StoreError: there is no plan of this name.
        """
        return ledger_path(self._find(name).resolve()).exists()

    # ------------------------------------------------------------ changing

    def change(self, name: str, change: Callable[[Stored], str]) -> None:
        """Change a plan's text; see :meth:`PlanFile.change`.

        Raises:
            StoreError: there is no plan of this name.
            PlanSyntaxError: it is no plan.
            PlanFileError: it is run at this moment, or cannot be read or written.
        """
        file = PlanFile(self._find(name), wait=self._folder.wait, limits=self._limits)
        file.change(lambda text: change(self.parse(name, text)))

    def create(self, name: str, text: str) -> Stored:
        """A new plan, which git sees only where plans are shared.

        Raises:
            StoreError: it cannot be the name of a plan, or is one already; the file cannot be written.
            PlanSyntaxError: the text is no plan.
        """
        stored = self.parse(name, text)
        # Before it is there, as git may look at any time.
        if self._folder.holds(check_name(name)) is None:
            self._folder.hide()
        return evolve(stored, name=self._folder.create(name, text).stem)

    def archive(self, name: str) -> str:
        """Move a finished plan to the archive; gives the file there, from the project's folder on.

        Raises:
            StoreError: there is no such plan, it belongs to a task, is unfinished or run at this moment, or it cannot
                be moved.
        """
        if self._find(name).parent.name != FOLDER:
            raise StoreError(f"the plan of a task stays where it is: `{visible_name(name)}` cannot be archived")
        return self._folder.archive(name).relative_to(self._folder.root).as_posix()

    def _find(self, name: str) -> Path:
        path = self._folder.find(check_name(name), confined=True)
        if path.parent == self._folder.root:
            # A file of the project that happens to have this name.
            raise StoreError(f"there is no plan `{visible_name(name)}`", StoreReason.MISSING)
        return path

    def _path(self, name: str) -> Path:
        return self._folder.path / f"{name}.md"
