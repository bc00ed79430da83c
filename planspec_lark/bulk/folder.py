"""The folder of a run: who may write to it, what it was made from, and which shards it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import asdict, define, evolve, field

from planspec_lark import locks
from planspec_lark.bulk.examples import read_examples
from planspec_lark.bulk.models import BulkError, BulkOptions, BulkTask, Shard
from planspec_lark.bulk.reasons import reason_of
from planspec_lark.bulk.splitting import spell_name, split, stamp_of
from planspec_lark.files import remove_leftovers, writing
from planspec_lark.syntax.source import escape_json, visible_name

__all__ = ["Folder", "Input", "is_done", "locked"]

_LOCK = ".planspec-bulk.lock"
_MANIFEST = "manifest.json"
_REPORT = "report.json"
_PART = re.compile(r"part-[0-9]{5,}-[0-9]{5,}\.(jsonl|parquet|examples\.json)")
# Changes whenever rows or shards of the same inputs would come out differently.
_VERSION = 1


@define
class Input:
    """An input file with its shards, or why it has none."""

    name: str
    stamp: tuple[int, int] | None = None
    reason: str = ""
    shards: list[Shard] = field(factory=list)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other run out of a folder, which is made if need be. The lock ends with the process, however it ends.

    Raises:
        BulkError: another run has it, or the folder cannot be made.
    """
    with ExitStack() as held:
        try:
            path.mkdir(parents=True, exist_ok=True)
            held.enter_context(locks.locked(path / _LOCK))
        except FileExistsError as error:
            why = f"{error.strerror}, and it is no folder; take another one for the results"
            raise BulkError(f"{visible_name(str(path))}: {why}") from None
        except OSError as error:
            raise BulkError(f"{visible_name(str(path))}: {error.strerror}") from None
        except locks.LockedError:
            raise BulkError(f"{visible_name(str(path))}: another run is writing here") from None
        yield


@define
class Folder:
    """The folder of a run; ``inputs`` are those of its manifest."""

    path: Path
    options: BulkOptions
    inputs: list[Input]

    @classmethod
    def open(cls, path: Path, names: Sequence[str], options: BulkOptions, *, overwrite: bool) -> Folder:
        """Start a run, or go on with the one that is there. The folder has to be locked.

        Raises:
            BulkError: the folder holds something else, or a run with other inputs or options.
        """
        remove_leftovers(path)
        head = {"manifest": _VERSION, "planspec_lark": _version(), "options": asdict(options)}
        known = _read_manifest(path)
        if known is not None and overwrite:
            _remove_parts(path)
            known = None
        if known is None:
            folder = cls(path, options, [_split_input(name, options) for name in names])
        else:
            inputs = _read_inputs(path, known)
            _compare(path, known, head)
            folder = cls(path, options, _go_on(path, inputs, names, options))
        folder._write_json(_MANIFEST, {**head, "inputs": [asdict(one) for one in folder.inputs]})
        return folder

    def tasks(self) -> list[BulkTask]:
        """What is to be done, or has been."""
        return [
            BulkTask(shard, str((self.path / _part_name(at, number, self.options)).absolute()), self.options)
            for at, one in enumerate(self.inputs)
            for number, shard in enumerate(one.shards)
        ]

    def write_report(self, report: dict[str, Any]) -> None:
        """Put the report into the folder."""
        self._write_json(_REPORT, report)

    def _write_json(self, name: str, value: object) -> None:
        with writing(self.path / name) as file:
            file.write(escape_json(json.dumps(value, ensure_ascii=False, indent=1)).encode("utf-8") + b"\n")


def is_done(task: BulkTask) -> bool:
    """Whether the rows and examples of a task are there, and the rows have the size that they were written with."""
    part = Path(task.dst)
    try:
        return part.stat().st_size == read_examples(part)[0]
    except (OSError, ValueError, RecursionError):
        return False


def _version() -> str:
    # By name: the package's public names are above this room, and its version is among them.
    return str(import_module("planspec_lark").__version__)


def _part_name(at: int, number: int, options: BulkOptions) -> str:
    return f"part-{at:05}-{number:05}.{options.format}"


def _split_input(name: str, options: BulkOptions) -> Input:
    shown = spell_name(name)
    try:
        shards = split(name, options.shard_bytes)
    except (OSError, ValueError) as error:
        return Input(shown, reason=reason_of(error))
    return Input(shown, shards[0].stamp, shards=shards)


def _read_manifest(path: Path) -> dict[str, Any] | None:
    file = path / _MANIFEST
    try:
        known = json.loads(file.read_bytes())
    except FileNotFoundError:
        if any(found.name != _LOCK for found in path.iterdir()):
            raise BulkError(f"{visible_name(str(path))}: the folder is not empty and holds no earlier run") from None
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise BulkError(f"{visible_name(str(file))}: {reason_of(error)}; take another folder") from None
    if not isinstance(known, dict) or known.get("manifest") != _VERSION:
        why = "this is not the manifest of a run, or of another version"
        raise BulkError(f"{visible_name(str(file))}: {why}; take another folder")
    return known


def _remove_parts(path: Path) -> None:
    """Remove what a run has written, and nothing else, whatever its manifest has come to."""
    for file in path.iterdir():
        if _PART.fullmatch(file.name):
            file.unlink()
    (path / _REPORT).unlink(missing_ok=True)
    (path / _MANIFEST).unlink()


def _read_inputs(path: Path, known: dict[str, Any]) -> list[Input]:
    try:
        known["options"].keys()
        return [_read_input(value) for value in known["inputs"]]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise BulkError(
            f"{visible_name(str(path / _MANIFEST))}: the manifest is damaged; take another folder, or --overwrite to "
            "start anew"
        ) from None


def _compare(path: Path, known: dict[str, Any], head: dict[str, Any]) -> None:
    differing = [key for key in head["options"] if known["options"].get(key) != head["options"][key]]
    differing += [key for key in head if key != "options" and known.get(key) != head[key]]
    if differing:
        _refuse(path, f"differs in {', '.join(differing)}")


def _go_on(path: Path, inputs: list[Input], names: Sequence[str], options: BulkOptions) -> list[Input]:
    """The inputs of an earlier run, if this one is the same. Those that could not be read then are tried again."""
    known, spelled = [one.name for one in inputs], list(map(spell_name, names))
    if known != spelled:
        _refuse(path, f"has other inputs: {_tell_apart(known, spelled)}")
    for name, one in zip(names, inputs, strict=True):
        stamp = None
        with suppress(OSError, ValueError):
            stamp = stamp_of(name)
        if one.stamp is not None and one.stamp != stamp:
            _refuse(path, f"has read another {visible_name(name)}: it has changed since")
    return [
        _split_input(name, options) if one.stamp is None else _move(one, name)
        for name, one in zip(names, inputs, strict=True)
    ]


def _tell_apart(known: list[str], given: list[str]) -> str:
    """In a few words, how the inputs of two runs differ."""
    gone, new = set(known).difference(given), set(given).difference(known)
    lists = (("not given now", known, gone), ("new", given, new))
    said = [f"{word}: {_name_some([name for name in names if name in apart])}" for word, names, apart in lists if apart]
    return ", ".join(said) or "they are the same in another order"


def _name_some(names: list[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(visible_name(name) for name in names[:3]) + more


def _refuse(path: Path, why: str) -> None:
    raise BulkError(
        f"{visible_name(str(path))}: the run in this folder {why}; take another folder, or --overwrite to start anew"
    )


def _read_input(value: dict[str, Any]) -> Input:
    shards = [Shard(**{**shard, "stamp": tuple(shard["stamp"])}) for shard in value["shards"]]
    if not (isinstance(value["name"], str) and isinstance(value["reason"], str)):
        raise TypeError("an input has a name, and a reason if it could not be read")
    if value["stamp"] is None:
        return Input(value["name"], reason=value["reason"])
    if any(list(shard.stamp) != value["stamp"] for shard in shards) or not shards:
        raise ValueError("shards are of their input")
    return Input(value["name"], shards[0].stamp, shards=shards)


def _move(one: Input, name: str) -> Input:
    """The same input where it lies now, which the folder from which it is named decides."""
    # As it was when it was split: what `..` means behind a link, the file system decides.
    path = str(Path(name).absolute())
    return evolve(one, shards=[evolve(shard, path=path) for shard in one.shards])
