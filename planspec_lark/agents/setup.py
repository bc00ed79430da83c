"""What is put into a project for assistants, and taken out again.

What was put into files of others is noted as the pieces of text that they are, so that taking them out leaves the
file as it was. Where that note is missing, or a piece was changed, entries are known by what they say.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from planspec_lark.agents import foreign_files
from planspec_lark.agents.assistants import ASSISTANTS, Assistant, Hook
from planspec_lark.agents.foreign_files import SetupError
from planspec_lark.agents.install_record import RECORD, InstallRecord
from planspec_lark.agents.project import FileChange, Project, Setup, carry_out, named
from planspec_lark.agents.skills import notes, skill_files
from planspec_lark.folder.folder import HIDDEN, SHARED
from planspec_lark.syntax.prompt_templates import LANGUAGES

__all__ = ["FileChange", "Setup", "carry_out", "plan_removal", "plan_setup"]

_PLANS = "planspec"
_SERVER = "planspec"
# Files of notes that those of others may include, and a text that does nothing else.
_INCLUDED = ("AGENTS.md",)
_INCLUDE = re.compile(rf"\ufeff?\s*@(?:\./)?({'|'.join(map(re.escape, _INCLUDED))})\s*")
_OUR_COMMAND = re.compile(r"^(?>.*?\bplanspec\b).*\shook\s+([a-z-]+)\b", re.MULTILINE)


def plan_setup(  # noqa: PLR0913  (all but two by their names)
    root: Path | str,
    assistants: Iterable[Assistant],
    *,
    command: str = "planspec",
    is_shared: bool = False,
    has_servers: bool = True,
    language: str = "",
) -> Setup:
    """What it takes to tell a project's assistants about its plans.

    Args:
        root: the project's folder.
        assistants: some of :data:`~planspec_lark.agents.assistants.ASSISTANTS`.
        command: how they call the command line.
        is_shared: whether a new folder of plans is seen by git.
        has_servers: whether the MCP server is put among theirs.
        language: of skills and notes, "en" or "zh"; empty for the one that they are in, or English.

    Returns:
        What is to be done; no changes where all of it is there.

    Raises:
        SetupError: a file that has to be edited cannot be.
    """
    parts = _Parts(Path(root))
    for assistant in assistants:
        part = parts.of(assistant)
        part.record.assistants = sorted({*part.record.assistants, assistant.name})
        part.record.language = language or part.record.language
        for name, text in skill_files(assistant.skills, part.record.language).items():
            part.put_file(name, text.encode("utf-8"))
        part.put_block(_notes_of(assistant, parts.project), notes(part.record.language), "md")
        if has_servers:
            part.put_server(shlex.split(command))
        for hook in assistant.hooks:
            part.put_hook(hook, command)
        if not parts.project.has_folder(_PLANS):
            name, data = SHARED if is_shared else HIDDEN
            part.put_file(f"{_PLANS}/{name}", data)
    return parts.setup()


def plan_removal(root: Path | str, assistants: Iterable[Assistant]) -> Setup:
    """What it takes to remove what :func:`plan_setup` has put in, and nothing else.

    What other assistants, whose setup stays, read as well is left there.

    Raises:
        SetupError: a file that has to be edited cannot be.
    """
    parts = _Parts(Path(root))
    for assistant in assistants:
        part = parts.of(assistant)
        if part.record.is_known and assistant.name not in part.record.assistants:
            continue
        part.record.assistants = [name for name in part.record.assistants if name != assistant.name]
        stay = {file for name in part.record.assistants for file in _files_of(ASSISTANTS[name])}
        included = (file for file, _ in part.record.pieces if file in _INCLUDED)
        for name in dict.fromkeys([*_files_of(assistant), *included]):
            if name not in stay:
                part.take_out(name)
    return parts.setup()


def _notes_of(assistant: Assistant, project: Project) -> str:
    """The file that an assistant reads first, or the one that stands for it where it does nothing but include that."""
    with named(assistant.notes):
        text = project.text(assistant.notes)
    included = _INCLUDE.fullmatch(text or "")
    return included[1] if included else assistant.notes


def _files_of(assistant: Assistant) -> list[str]:
    """All files that an assistant's setup may touch."""
    servers = [] if assistant.servers is None else [assistant.servers.file]
    settings = [assistant.settings] if assistant.settings else []
    folder = [f"{_PLANS}/{name}" for name, _ in (HIDDEN, SHARED)]
    ours = [*skill_files(assistant.skills), _record_of(assistant.skills)]
    return list(dict.fromkeys([*ours, assistant.notes, *servers, *settings, *folder]))


class _Parts:
    """A project, and what was put into it for each folder of skills."""

    def __init__(self, root: Path) -> None:
        self.project = Project(root)
        self._records: dict[str, InstallRecord] = {}

    def of(self, assistant: Assistant) -> _Part:
        """The part of an assistant; those that look for skills in the same folder share a record."""
        if assistant.skills not in self._records:
            sharing = [one for one in ASSISTANTS.values() if one.skills == assistant.skills]
            folders = _folders_of(name for one in sharing for name in _files_of(one))
            record = InstallRecord.read(self.project.read(_record_of(assistant.skills)), folders)
            record.assistants = [one.name for one in sharing if one.name in record.assistants]
            self._records[assistant.skills] = record
        return _Part(self.project, self._records[assistant.skills], assistant)

    def setup(self) -> Setup:
        """All that is to be done, with the notes of it."""
        project, gone = self.project, []
        for skills, record in self._records.items():
            name = _record_of(skills)
            files = {file for one in record.assistants for file in _files_of(ASSISTANTS[one])}
            made = _folders_of(file for file in files if file == name or project.is_made(file))
            record.folders += sorted(one for one in made - {*record.folders} if not project.has_folder(one))
            gone += [folder for folder in record.folders if folder not in _folders_of(files)]
            record.folders = [folder for folder in record.folders if folder not in gone]
            project.write(name, record.write() if record.assistants else None)
        return project.setup(gone)


def _folders_of(files: Iterable[str]) -> set[str]:
    return {str(parent) for file in files for parent in PurePosixPath(file).parents} - {"."}


def _record_of(skills: str) -> str:
    return f"{skills}/planspec/{RECORD}"


class _Part:
    """What an assistant's setup does to the files of a project."""

    def __init__(self, project: Project, record: InstallRecord, assistant: Assistant) -> None:
        self.project, self.record, self.assistant = project, record, assistant

    # ------------------------------------------------------------ putting in

    def put_file(self, name: str, data: bytes) -> None:
        """A file that is ours as a whole."""
        now = self.project.read(name)
        if now is None or now == data or self.record.has_file(name, now):
            self.project.write(name, data)
            self.record.note_file(name, data)
        else:
            self.project.remark(name, "this was written or changed by hand; it is kept")

    def put_block(self, name: str, body: str, kind: str) -> None:
        """A marked block in a file of others."""
        with named(name):
            text = self.project.text(name)
            block = foreign_files.find_block(text or "", kind)
            if not block:
                self._add(name, foreign_files.insert_block(text or "", body, kind), "")
                return
            fresh = foreign_files.block_of(body, kind, "\r\n" if "\r\n" in block else "\n")
            if block.rstrip("\r\n") == fresh.rstrip("\r\n"):
                return
            ours = self.record.find_piece(name, block)
            if ours is None:
                self.project.remark(name, "the block of planspec was changed by hand; it is kept")
            else:
                ours[1] = ours[1].removesuffix(block) + fresh
                self.project.write(name, (text or "").replace(block, fresh).encode("utf-8"))

    def put_server(self, command: Sequence[str]) -> None:
        """The entry of the MCP server."""
        servers = self.assistant.servers
        if servers is None:
            return
        name, arguments = servers.file, [*command[1:], "mcp", *servers.arguments]
        entry = {**servers.extra, "command": command[0], "args": arguments}
        with named(name):
            is_toml, text = name.endswith(".toml"), self.project.text(name) or ""
            known = (foreign_files.read_toml(text) if is_toml else _settings_in(text)).get(servers.key)
            if isinstance(known, dict) and _SERVER in known:
                if known[_SERVER] != entry:
                    self.project.remark(name, f"there is a server `{_SERVER}` already; it is kept")
            elif is_toml:
                rows = [f"[{servers.key}.{_SERVER}]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
                body = "\n".join(rows)
                try:
                    foreign_files.read_toml(foreign_files.insert_block(text, body, "toml")[0])
                except SetupError:
                    raise SetupError(
                        f"`{servers.key}` is an inline table, to which nothing can be added: write it as tables, "
                        f"such as [{servers.key}.NAME]"
                    ) from None
                self.put_block(name, body, "toml")
            else:
                self._add_entry(name, [servers.key, _SERVER], entry, "{}\n")

    def put_hook(self, hook: Hook, command: str) -> None:
        """A hook in the settings, unless it is there."""
        assistant, name = self.assistant, self.assistant.settings
        with named(name):
            if any(_find_hooks(_settings_in(self.project.text(name) or ""), hook)):
                return
            line = f"{command} hook {hook.event}" + (f" --agent {assistant.answers}" if assistant.answers else "")
            entry: dict[str, Any] = {"command": line}
            if assistant.has_groups:
                entry = {"hooks": [{"type": "command", **entry}]}
            if hook.matcher:
                entry = {"matcher": hook.matcher, **entry}
            seed = "{}\n" if assistant.has_groups else '{\n  "version": 1\n}\n'
            self._add_entry(name, ["hooks", hook.name, ""], entry, seed)

    def _add_entry(self, name: str, path: Sequence[str], value: Any, seed: str) -> None:
        text = self.project.text(name)
        if text is None or text.strip():
            self._add(name, foreign_files.insert_entry(text or seed, path, value), seed)
        else:
            # Some tools make an empty file before they have something to say.
            whole, _ = foreign_files.insert_entry(seed, path, value)
            self._add(name, (text + whole, whole), seed)

    def _add(self, name: str, edited: tuple[str, str], seed: str) -> None:
        if self.project.read(name) is None:
            self.record.made[name] = seed
        self.record.pieces.append([name, edited[1]])
        self.project.write(name, edited[0].encode("utf-8"))

    # ------------------------------------------------------------ taking out

    def take_out(self, name: str) -> None:
        """All that is ours in a file, or the file."""
        texts = [skill_files(self.assistant.skills, language) for language in LANGUAGES]
        if name.endswith(RECORD):
            return
        if name in texts[0]:
            self._take_file(name, [skills[name].encode("utf-8") for skills in texts])
        elif name.startswith(f"{_PLANS}/"):
            # Where there are plans, they are still to be hidden, or shared.
            if name in self.record.files and not _has_plans(self.project.root / _PLANS):
                self._take_file(name)
        else:
            self._take_pieces(name)

    def _take_file(self, name: str, fresh: Sequence[bytes] = ()) -> None:
        now, record = self.project.read(name), self.record
        if now is not None and (now in fresh or record.has_file(name, now)):
            self.project.write(name, None)
        elif now is not None and name in record.files:
            self.project.remark(name, "this was changed by hand; it is kept")
        record.files.pop(name, None)

    def _take_pieces(self, name: str) -> None:
        record = self.record
        pieces = [piece for file, piece in record.pieces if file == name]
        record.pieces = [one for one in record.pieces if one[0] != name]
        seed = record.made.pop(name, None)
        with named(name):
            text = self.project.text(name)
            if text is None:
                return
            is_exact = record.is_known
            for piece in reversed(pieces):
                left = foreign_files.cut_out(text, piece)
                is_exact &= left is not None
                text = text if left is None else left
            if not is_exact:
                text = self._without_entries(name, text)
            self.project.write(name, None if text == seed else text.encode("utf-8"))

    def _without_entries(self, name: str, text: str) -> str:
        """A text without the entries that are recognisably ours, where it is unknown what exactly was put in."""
        assistant, servers = self.assistant, self.assistant.servers
        kind = {".md": "md", ".toml": "toml"}.get(PurePosixPath(name).suffix)
        if kind is not None:
            return foreign_files.drop_block(text, kind)
        if servers is not None and name == servers.file:
            known = _settings_in(text).get(servers.key)
            entry = known.get(_SERVER) if isinstance(known, dict) else None
            arguments = entry.get("args") if isinstance(entry, dict) else None
            if isinstance(arguments, list) and "mcp" in arguments:
                text = foreign_files.drop_entry(text, [servers.key, _SERVER])
        for hook in assistant.hooks if name == assistant.settings else ():
            while path := next(_find_hooks(_settings_in(text), hook), None):
                text = foreign_files.drop_entry(text, path)
        return text


def _settings_in(text: str) -> dict[str, Any]:
    """What a file of settings says; one that is missing or empty says nothing."""
    return foreign_files.read_settings(text).value if text.strip() else {}


def _has_plans(folder: Path) -> bool:
    """Whether there is something in the folder of plans that init does not put there."""
    return folder.is_dir() and bool({*os.listdir(folder)} - {name for name, _ in (HIDDEN, SHARED)})


def _find_hooks(settings: dict[str, Any], hook: Hook) -> Iterator[list[str | int]]:
    """The paths of our hooks for an event, in groups or not."""
    events = settings.get("hooks")
    listed = events.get(hook.name) if isinstance(events, dict) else None
    for index, one in enumerate(listed if isinstance(listed, list) else []):
        inner = one.get("hooks") if isinstance(one, dict) else None
        ours = [place for place, each in enumerate(inner if isinstance(inner, list) else []) if _is_ours(each, hook)]
        if _is_ours(one, hook) or (ours and len(ours) == len(inner or ())):
            yield ["hooks", hook.name, index]
        else:
            for place in ours:
                yield ["hooks", hook.name, index, "hooks", place]


def _is_ours(entry: Any, hook: Hook) -> bool:
    line = entry.get("command") if isinstance(entry, dict) else None
    match = _OUR_COMMAND.search(line) if isinstance(line, str) else None
    return match is not None and match[1] == hook.event
