"""How a project's plans are checked and fixed: what ``planspec.toml``, or ``pyproject.toml``, has settled.

The command line, the language server, the MCP server and the hooks of assistants all check through here.

What is in a plan's text settles nothing: whoever writes a plan does not judge it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from planspec_lark.folder.models import FolderError, read_toml, refusals
from planspec_lark.syntax.codes import CODES, Severity
from planspec_lark.syntax.diagnostics import Diagnostic, brief, join_words

if TYPE_CHECKING:
    from planspec_lark.planspec.fixer import FixResult
    from planspec_lark.planspec.scan_result import ScanResult
    from planspec_lark.syntax.limits import Limits

__all__ = ["ProjectSettings", "codes_of", "read_project"]

_OWN, _SHARED = "planspec.toml", "pyproject.toml"
_MOST_BYTES = 1_000_000
# What may be right as it is. An error says that there is no plan, whoever looks at it.
_OPEN = {code: known for code, known in CODES.items() if code[:2] == "PS" and known.severity is not Severity.ERROR}


@frozen
class ProjectSettings:
    """How findings count in a project, and where its plans are.

    Attributes:
        ignore: codes of findings that are not told.
        also: codes of optional checks that are made.
        severity: what findings count as, by their codes.
        folder: the folder with ``planspec/`` in it; None where nothing is said of it.
    """

    ignore: Collection[str] = frozenset()
    also: Collection[str] = ()
    severity: Mapping[str, Severity] = field(factory=dict)
    folder: Path | None = None

    def asked(self, ignore: Iterable[str], also: Collection[str]) -> ProjectSettings:
        """The same where a call says what is ignored, and what is looked for: that comes first.

        Raises:
            ValueError: as for :func:`codes_of`.
        """
        words = [*ignore]
        left_out = codes_of(words)
        ignored = left_out if words else frozenset(self.ignore) - {*also}
        return evolve(self, ignore=ignored, also=also or [code for code in self.also if code not in left_out])

    def check_text(self, text: str, **how: Any) -> list[Diagnostic]:
        """What counts here of what :func:`planspec_lark.check_text` finds."""
        from planspec_lark.planspec.check import check_text  # noqa: PLC0415  (slow to load, and few commands check)

        return check_text(text, also=self.also, weigh=self._weigh, **how)

    def check_scan(self, scan: ScanResult, limits: Limits, least: Severity) -> list[Diagnostic]:
        """The same for a text that was read already."""
        from planspec_lark.planspec.check import check_scan  # noqa: PLC0415  (as above)

        return check_scan(scan, limits, also=self.also, least=least, weigh=self._weigh)

    def fix_text(self, text: str, **how: Any) -> FixResult:
        """A text after the fixes, as by :func:`planspec_lark.fix_text`, of what counts here."""
        from planspec_lark.planspec.fixer import fix_text  # noqa: PLC0415  (as above)

        return fix_text(text, also=self.also, weigh=self._weigh, **how)

    def _weigh(self, found: Diagnostic) -> Diagnostic | None:
        """A finding as it counts here; None where it is not told."""
        if found.code in self.ignore:
            return None
        severity = self.severity.get(found.code)
        return found if severity is None else evolve(found, severity=severity)


def codes_of(words: Iterable[str]) -> frozenset[str]:
    """The codes that may be left out and are among these, or begin with one of them.

    Raises:
        ValueError: none is or does.
    """
    found: set[str] = set()
    for word in filter(None, words):
        fitting = {code for code in _OPEN if code.startswith(word)}
        if not fitting:
            is_error = word[:2] == "PS" and any(code.startswith(word) for code in CODES)
            why = "what has this error is not a plan, so it is always told"
            said = why if is_error else "no code of a plan's findings is this, or begins with it"
            raise ValueError(brief(f"{word}: {said}"))
        found |= fitting
    return frozenset(found)


def read_project(start: Path | None = None) -> ProjectSettings:
    """The nearest settings, from a folder upwards; by default from the current one.

    Raises:
        FolderError: they cannot be read, or say something else than settings.
    """
    try:
        here = (start or Path()).absolute()
    except FileNotFoundError:  # it is gone
        return ProjectSettings()
    for folder in (here, *here.parents):
        for name in (_OWN, _SHARED):
            path = folder / name
            if os.path.isfile(path) and (found := _settings_in(path, _read(path))) is not None:
                return found
    return ProjectSettings()


def _read(path: Path) -> str:
    """The text of a file with settings; none for one that is about other programs alone."""
    with refusals(path):
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if path.name == _SHARED and b"planspec" not in data:
            return ""
        if len(data) > _MOST_BYTES:
            raise FolderError.of(path, f"it has more than {_MOST_BYTES:,} bytes")
        return data.decode("utf-8")


@lru_cache(maxsize=8)
def _settings_in(path: Path, text: str) -> ProjectSettings | None:
    """What a file's text settles; None where it says nothing of plans, and others may.

    An editor asks for it at each key, and it seldom changes.
    """
    said: Any = read_toml(text, path)
    if path.name == _SHARED:
        tool = said.get("tool")
        said = tool.get("planspec") if isinstance(tool, dict) else None
        if said is None:
            return None
    try:
        return _settle(said, path.parent)
    except ValueError as error:
        raise FolderError.of(path, brief(str(error))) from None


def _settle(said: Any, folder: Path) -> ProjectSettings:
    """The settings of a table, for whose folder its paths are.

    Raises:
        ValueError: it says something else than settings.
    """
    if not isinstance(said, dict):
        raise ValueError("planspec: it is a table")
    for key in said:
        if key not in _READERS:
            raise ValueError(f"{key}: there is no such setting; there are {join_words([*_READERS], 'and')}")
    return ProjectSettings(**{key: _READERS[key](value, folder) for key, value in said.items()})


def _read_ignore(value: Any, _: Path) -> frozenset[str]:
    return codes_of(_words("ignore", value))


def _read_also(value: Any, _: Path) -> list[str]:
    from planspec_lark.planspec.lint import OPTIONAL  # noqa: PLC0415  (slow to load)

    for word in (words := _words("also", value)):
        if word not in OPTIONAL:
            raise ValueError(f"{word}: there is no such optional check; there are {join_words(OPTIONAL, 'and')}")
    return words


def _words(key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise ValueError(f"{key}: it is a list of codes")
    return value


def _read_severity(value: Any, _: Path) -> dict[str, Severity]:
    if not isinstance(value, dict):
        raise ValueError("severity: it is a table of codes")
    for code, word in value.items():
        if code not in _OPEN:
            raise ValueError(f"{code}: there is no warning or info of plans with this code")
        if word not in [*Severity]:
            raise ValueError(f"{code}: it is {join_words([one.value for one in Severity])}")
    return {code: Severity(word) for code, word in value.items()}


def _read_folder(value: Any, folder: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("folder: it is the name of a folder")
    return Path(os.path.relpath(folder / value))


_READERS: Mapping[str, Callable[[Any, Path], Any]] = {
    "ignore": _read_ignore,
    "also": _read_also,
    "severity": _read_severity,
    "folder": _read_folder,
}
