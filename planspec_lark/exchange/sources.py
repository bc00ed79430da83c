"""Folders of other tools: the list of tasks, and title and goal from the documents beside it.

Nothing outside of a folder is read, wherever the links in it lead.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from attrs import define, field, frozen

from planspec_lark.exchange.blocks import Block, read_blocks
from planspec_lark.exchange.formats import guess_by_place
from planspec_lark.exchange.models import ExchangeError
from planspec_lark.files import reason_of
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError
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
# The headings above what is to be reached.
_GOALS = {
    "proposal.md": ("why", "summary", "motivation"),
    "requirements.md": ("introduction", "overview"),
    "bugfix.md": ("introduction", "overview"),
    "plan.md": ("summary",),
    "design.md": ("overview", "introduction"),
}

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
        source: the file with the tasks.
        format: the format that the documents speak for; empty where they speak for none.
        head: what the documents say: `title` and `goal`.
        documents: the documents that were read.
        found: what is wrong with them.
    """

    source: Source
    format: str = ""
    head: dict[str, FoundText] = field(factory=dict)
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
        made = SourceFolder(Source(text, str(path)))
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
    texts: dict[str, list[Block]] = {}
    for name in _DOCUMENTS:
        path = folder / name
        try:
            lines = [line.rstrip("\r") for line in _read(folder, path).removeprefix("\ufeff").split("\n")]
        except FileNotFoundError:
            continue
        except (OSError, PlanSyntaxError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else "it cannot be read as text"
            source = Source("", str(path))
            made.found.append(Diagnostic("EX109", f"{name}: {reason}", span=source.span(0, 0), source=source))
        else:
            texts[name] = read_blocks(lines)
    made.documents = [*texts]
    made.format = _find_format(made, folder)
    titles = [FoundText(title, name, line) for name, blocks in texts.items() for title, line in _find_title(blocks)]
    goals = [FoundText(goal, name, line) for name, blocks in texts.items() for goal, line in _find_goal(name, blocks)]
    if texts:
        made.head["title"] = titles[0] if titles else FoundText(folder.resolve().name, "", 0)
    if goals:
        made.head["goal"] = goals[0]


def _find_format(made: SourceFolder, folder: Path) -> str:
    """The format that the documents speak for, or the place of the list."""
    path = Path(made.source.name)
    formats = {_DOCUMENTS[name] for name in made.documents} - {""}
    if len(formats) == 1:
        return formats.pop()
    by_place, _ = guess_by_place(str(path.resolve()))
    if formats or by_place or path.suffix != ".md":
        return by_place
    # OpenSpec has its specs beside the list; a design alone is Kiro's.
    if (folder / "specs").is_dir():
        return "openspec"
    return "kiro" if "design.md" in made.documents else ""


def _find_title(blocks: Sequence[Block]) -> Iterator[tuple[str, int]]:
    """What the first heading of the first level says, and its line."""
    heading = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    title = _LEAD.sub("", heading.text, count=1).strip() if heading else ""
    if heading and title and not title.startswith("["):
        yield title, heading.first + 1


def _find_goal(name: str, blocks: Sequence[Block]) -> Iterator[tuple[str, int]]:
    """The first paragraph below a heading that a document has for it; of a specification, what a user has asked for."""
    for before, block in pairwise(blocks):
        if block.kind == "paragraph" and before.kind == "heading" and before.text.casefold() in _GOALS.get(name, ()):
            said = " ".join(row.strip() for row in block.text.split("\n"))
            if not said.startswith(("[", "|", "*")):
                yield said, block.first + 1
    for block in blocks if name == "spec.md" else ():
        for at, row in enumerate(block.text.split("\n")):
            if (match := _INPUT.fullmatch(row)) and match[1] and match[1] != "$ARGUMENTS":
                yield match[1], block.first + at + 1
