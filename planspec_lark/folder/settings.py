"""What a project has settled for its plans: ``planspec/settings.toml``."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from planspec_lark.folder.models import FolderError, read_toml, refusals
from planspec_lark.syntax.diagnostics import brief

__all__ = [
    "FOLDER",
    "TASKS",
    "FolderSettings",
    "entry_key",
    "parse_settings",
    "read_settings",
    "set_in",
    "settings_of",
    "settings_path",
]

FOLDER, TASKS = "planspec", "Tasks"
_MOST_BYTES = 100_000


@frozen
class FolderSettings:
    """The settings of a folder of plans; each is false or empty unless its file says otherwise.

    Attributes:
        shared: git sees the plans: no ``.gitignore`` is written for new ones.
        require_result: commands set no step to done that has no result.
        current: the name of the plan that is at hand.
        superseded: plans that others have taken the place of: their names, and those of the others.
    """

    shared: bool = False
    require_result: bool = False
    current: str = ""
    superseded: Mapping[str, str] = field(factory=dict)


_KINDS = {"shared": bool, "require_result": bool, "current": str, "superseded": dict}


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
    return parse_settings(text, path)


def parse_settings(text: str, path: Path) -> FolderSettings:
    """What the text of a file of settings says.

    Raises:
        FolderError: it says something else than settings.
    """
    said = read_toml(text, path)
    for name, value in said.items():
        if name not in _KINDS:
            raise FolderError.of(path, brief(f"there is no setting {name}; there are {', '.join(_KINDS)}"))
        if not isinstance(value, _KINDS[name]):
            raise FolderError.of(path, brief(f"{name} is {_SAID[_KINDS[name]]}"))
    if any(not isinstance(new, str) for new in said.get("superseded", {}).values()):
        raise FolderError.of(path, "superseded has a name for each name")
    return FolderSettings(**said)


_SAID = {bool: "true or false", str: "a text", dict: "a table"}


def settings_of(plan: Path) -> FolderSettings:
    """The settings of the folder of a plan's file; a file elsewhere has none.

    Raises:
        FolderError: as for :func:`read_settings`.
    """
    folder = plan.absolute().parent
    if folder.name == FOLDER:
        return read_settings(folder)
    return read_settings(folder.parent.parent / FOLDER) if folder.parent.name == TASKS else FolderSettings()


def set_in(text: str, key: str, value: bool | str = True) -> str:
    """The text of a file of settings with this value, and all else as it was.

    Args:
        text: TOML without a table in brackets in front of the line.
        key: of a setting, or of an entry of one as :func:`entry_key` gives it.
        value: what it is set to. An empty text takes it out.
    """
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    found = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*(?:true|false|\"[^\"\n]*+\")", re.MULTILINE)
    if value == "":
        return re.sub(rf"(?:{found.pattern})[ \t]*(?:#.*)?\r?\n?", "", text, flags=re.MULTILINE)
    return found.sub(lambda _: line, text, count=1) if found.search(text) else f"{line}\n{text}"


def entry_key(name: str, entry: str) -> str:
    """The key of an entry of a setting."""
    return f"{name}.{json.dumps(entry, ensure_ascii=False)}"
