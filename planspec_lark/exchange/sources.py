"""Folders of other tools: the list of tasks, and title and goal from the documents beside it.

Nothing outside of a folder is read, wherever the links in it lead.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import define, field, frozen

from planspec_lark.exchange.formats import guess_by_place
from planspec_lark.exchange.models import ExchangeError
from planspec_lark.files import reason_of
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError
from planspec_lark.syntax.fences import FENCE
from planspec_lark.syntax.limits import Limits, read_file
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.syntax.source import Source

__all__ = ["FoundText", "SourceFolder", "read_folder"]

_LIMITS = Limits(max_bytes=64 * 2**20)
_TASKS = ("tasks.md", "tasks.json", "tasks/tasks.json", ".taskmaster/tasks/tasks.json")
# Documents, and the format whose folder they make of one.
_DOCUMENTS = {
    "proposal.md": "openspec",
    "requirements.md": "kiro",
    "bugfix.md": "kiro",
    "plan.md": "spec-kit",
    "spec.md": "spec-kit",
    "design.md": "",
}

_HEADING = re.compile(r"(#{1,6})[ \t]++(.*)")
_FENCE = re.compile(rf"[ \t]{{0,3}}({FENCE})")
# What is before a title, or is all of it, in the templates of these tools.
_LEAD = re.compile(
    r"(?:change|proposal|feature specification|specification|implementation plan|tasks|design|requirements)"
    r"(?: document)?(?::[ \t]*|$)",
    re.IGNORECASE,
)
_INPUT = re.compile(r"\*\*Input\*\*:[ \t]*+(?:User description:[ \t]*+)?+[\"“]?+(.*?)[\"”]?")


@frozen
class FoundText:
    """A text that was found in a document, and its line."""

    text: str
    document: str
    line: int


@define
class SourceFolder:
    """A folder with a list of tasks.

    Attributes:
        path: the file with the tasks.
        text: what is in it.
        format: the format that the documents speak for; empty where they speak for none.
        title, goal: what the documents say.
        documents: the documents that were read.
        found: what is wrong with them.
    """

    path: Path
    text: str
    format: str = ""
    title: FoundText | None = None
    goal: FoundText | None = None
    documents: list[str] = field(factory=list)
    found: list[Diagnostic] = field(factory=list)


def read_folder(folder: Path) -> SourceFolder:
    """The list of tasks in a folder, and what is beside it.

    Raises:
        ExchangeError: there is none, or it cannot be read.
        PlanSyntaxError: it is not UTF-8, or too long.
    """
    for name in _TASKS:
        path = folder / name
        try:
            text = _read(folder, path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ExchangeError(f"{visible_name(str(path))}: {reason_of(error)}") from None
        made = SourceFolder(path, text)
        _read_documents(made, folder)
        return made
    raise ExchangeError(f"{visible_name(str(folder))}: there is no {' and no '.join(_TASKS)}")


def _read(folder: Path, path: Path) -> str:
    """The text of a file that lies in a folder itself."""
    real = path.resolve(strict=True)
    if not real.is_relative_to(folder.resolve()):
        raise OSError(0, "the link leads out of the folder, and is not read")
    if not stat.S_ISREG(real.stat().st_mode):
        raise OSError(0, "this is not a file")
    return read_file(real, _LIMITS, name=str(path))


def _read_documents(made: SourceFolder, folder: Path) -> None:
    texts: dict[str, str] = {}
    for name in _DOCUMENTS:
        path = folder / name
        try:
            texts[name] = _read(folder, path)
        except FileNotFoundError:
            continue
        except (OSError, PlanSyntaxError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else "it cannot be read as text"
            source = Source("", str(path))
            made.found.append(Diagnostic("EX109", f"{name}: {reason}", span=source.span(0, 0), source=source))
    made.documents = [*texts]
    made.format = _find_format(made, folder)
    titles = (_find_title(name, text) for name, text in texts.items())
    goals = (find(name, texts[name]) for name, find in _GOALS if name in texts)
    made.title = next(filter(None, titles), FoundText(folder.resolve().name, "", 0) if texts else None)
    made.goal = next(filter(None, goals), None)


def _find_format(made: SourceFolder, folder: Path) -> str:
    """The format that the documents speak for, or the place of the list."""
    formats = {_DOCUMENTS[name] for name in made.documents} - {""}
    if len(formats) == 1:
        return formats.pop()
    by_place, _ = guess_by_place(str(made.path.resolve()))
    if formats or by_place or made.path.suffix != ".md":
        return by_place
    # OpenSpec has its specs beside the list; a design alone is Kiro's.
    if (folder / "specs").is_dir():
        return "openspec"
    return "kiro" if "design.md" in made.documents else ""


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a document outside of fences and comments, each with its number; no blanks are at their ends."""
    fence, is_comment = "", False
    rows = (row.rstrip("\r \t") for row in text.removeprefix("\ufeff").split("\n"))
    for number, line in enumerate(rows, start=1):
        if fence:
            fence = "" if line.lstrip().startswith(fence) else fence
        elif is_comment:
            is_comment = "-->" not in line
        elif match := _FENCE.match(line):
            fence = match[1]
        elif line.lstrip().startswith("<!--"):
            is_comment = "-->" not in line
        else:
            yield number, line


def _title_of(heading: re.Match[str]) -> str:
    """What a heading says, without the signs that close it."""
    return heading[2].rstrip("#").rstrip(" \t")


def _find_title(name: str, text: str) -> FoundText | None:
    for number, line in _lines(text):
        match = _HEADING.fullmatch(line)
        if match and len(match[1]) == 1:
            title = _LEAD.sub("", _title_of(match), count=1).strip()
            return FoundText(title, name, number) if title and not title.startswith("[") else None
    return None


def _section(*headings: str) -> Callable[[str, str], FoundText | None]:
    """What finds the first paragraph below one of these headings."""

    def find(name: str, text: str) -> FoundText | None:
        is_inside, start, rows = False, 0, list[str]()
        for number, line in _lines(text):
            if match := _HEADING.fullmatch(line):
                if rows:
                    break
                is_inside = _title_of(match).casefold() in headings
            elif is_inside and line.strip():
                start = start or number
                rows.append(line.strip())
            elif rows:
                break
        said = " ".join(rows)
        return FoundText(said, name, start) if said and not said.startswith(("[", "|", "-", "*")) else None

    return find


def _input(name: str, text: str) -> FoundText | None:
    for number, line in _lines(text):
        if (match := _INPUT.fullmatch(line)) and match[1] and match[1] != "$ARGUMENTS":
            return FoundText(match[1], name, number)
    return None


_GOALS = (
    ("proposal.md", _section("why", "summary", "motivation")),
    ("requirements.md", _section("introduction", "overview")),
    ("bugfix.md", _section("introduction", "overview")),
    ("plan.md", _section("summary")),
    ("spec.md", _input),
    ("design.md", _section("overview", "introduction")),
)
