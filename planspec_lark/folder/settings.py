"""What a project has settled for its plans: ``planspec/settings.toml``."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path

from attrs import fields, frozen

from planspec_lark.folder.models import FolderError, refusals
from planspec_lark.syntax.diagnostics import brief

__all__ = ["FOLDER", "TASKS", "FolderSettings", "read_settings", "set_in", "settings_of", "settings_path"]

FOLDER, TASKS = "planspec", "Tasks"
_MOST_BYTES = 100_000


@frozen
class FolderSettings:
    """The settings of a folder of plans; each is false unless its file says otherwise.

    Attributes:
        shared: git sees the plans: no ``.gitignore`` is written for new ones.
        require_result: commands set no step to done that has no result.
    """

    shared: bool = False
    require_result: bool = False


_NAMES = tuple(one.name for one in fields(FolderSettings))


def settings_path(folder: Path) -> Path:
    """The file with the settings of a folder of plans."""
    return folder / "settings.toml"


def read_settings(folder: Path) -> FolderSettings:
    """The settings of a folder of plans.

    Raises:
        FolderError: they cannot be read, or say something else than settings.
    """
    path = settings_path(folder)
    with refusals(path):
        try:
            known = path.stat()
        except FileNotFoundError:
            if path.is_symlink():
                raise
            return FolderSettings()
        if not stat.S_ISREG(known.st_mode) or known.st_size > _MOST_BYTES:
            raise FolderError.of(path, "these are not settings")
        text = path.read_text(encoding="utf-8")
    try:
        said = tomllib.loads(text)
    except ValueError as error:
        raise FolderError.of(path, brief(str(error))) from None
    for name, value in said.items():
        if name not in _NAMES:
            raise FolderError.of(path, brief(f"there is no setting {name}; there are {' and '.join(_NAMES)}"))
        if not isinstance(value, bool):
            raise FolderError.of(path, brief(f"{name} is true or false"))
    return FolderSettings(**said)


def settings_of(plan: Path) -> FolderSettings:
    """The settings that hold for a plan's file: those of its folder, and none of any for a file elsewhere.

    Raises:
        FolderError: as for :func:`read_settings`.
    """
    folder = plan.absolute().parent
    if folder.name == FOLDER:
        return read_settings(folder)
    return read_settings(folder.parent.parent / FOLDER) if folder.parent.name == TASKS else FolderSettings()


def set_in(text: str, name: str) -> str:
    """The text of a file of settings with this one true, and all else as it was."""
    line, found = f"{name} = true", re.compile(rf"^[ \t]*{name}[ \t]*=[ \t]*(?:true|false)", re.MULTILINE)
    return found.sub(line, text, count=1) if found.search(text) else f"{line}\n{text}"
