"""The folder of a run: who may write to it, what it was made from, and which shards it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import asdict, define, field
from attrs.validators import instance_of

from planspec_lark import locks
from planspec_lark.bulk.inputs import spell_name, split
from planspec_lark.bulk.models import BulkError, BulkOptions, BulkTask, Shard, describe_error, encode_json
from planspec_lark.bulk.shard import read_examples
from planspec_lark.files import remove_leftovers, writing
from planspec_lark.syntax.diagnostics import name_some
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["Folder", "InputFile", "hold_folder", "is_done"]

_LOCK = ".planspec-bulk.lock"
_MANIFEST = "manifest.json"
_REPORT = "report.json"
_PART = re.compile(r"part-[0-9]{5,}-[0-9]{5,}\.(jsonl|parquet|examples\.json)")
# Changes whenever rows or shards of the same inputs would come out differently.
_VERSION = 3
_ANEW = "take another folder, or --overwrite to start again"


@define
class InputFile:
    """An input file with its shards, or why it has none."""

    name: str = field(validator=instance_of(str))
    stamp: list[int] | None = None
    reason: str = ""
    shards: list[Shard] = field(factory=list)


def _error(path: Path, why: str) -> BulkError:
    return BulkError(f"{visible_name(str(path))}: {why}")


@contextmanager
def hold_folder(path: Path) -> Iterator[None]:
    """Keep every other run out of a folder, which is made if need be. The lock ends with the process, however it ends.

    Raises:
        BulkError: another run has it, or the folder cannot be made.
    """
    with ExitStack() as held:
        try:
            path.mkdir(parents=True, exist_ok=True)
            held.enter_context(locks.locked(path / _LOCK))
        except FileExistsError as error:
            raise _error(path, f"{error.strerror}, and it is not a folder; take another one for the results") from None
        except OSError as error:
            raise _error(path, str(error.strerror)) from None
        except locks.LockedError:
            raise _error(path, "another run is writing here") from None
        yield


@define
class Folder:
    """The folder of a run; ``inputs`` are those of its manifest."""

    path: Path
    options: BulkOptions
    inputs: list[InputFile]

    @classmethod
    def open(cls, path: Path, names: Sequence[str], options: BulkOptions, *, overwrite: bool) -> Folder:
        """Start a run, or resume the one that is there. The folder has to be locked.

        Raises:
            BulkError: the folder holds something else, or a run with other inputs or options.
        """
        remove_leftovers(path)
        # By name: the package's public names are above this module, and its version is among them.
        version = str(import_module("planspec_lark").__version__)
        head = {"manifest": _VERSION, "planspec_lark": version, "options": asdict(options)}
        known = _read_manifest(path)
        if known is not None and overwrite:
            _remove_parts(path)
            known = None
        inputs = [_split_input(name, options) for name in names]
        if known is not None:
            earlier = _read_inputs(path, known)
            if difference := _compare_options(known, head) or _compare_inputs(earlier, inputs):
                raise _error(path, f"the run in this folder {difference}; {_ANEW}")
        folder = cls(path, options, inputs)
        listed = [{"name": one.name, "stamp": one.stamp, "reason": one.reason} for one in inputs]
        folder._write_json(_MANIFEST, {**head, "inputs": listed})
        return folder

    def tasks(self) -> list[BulkTask]:
        """What is to be done, or has been."""
        return [
            BulkTask(shard, str(self.path.absolute() / f"part-{at:05}-{number:05}.{self.options.format}"), self.options)
            for at, one in enumerate(self.inputs)
            for number, shard in enumerate(one.shards)
        ]

    def write_report(self, report: dict[str, Any]) -> None:
        """Put the report into the folder."""
        self._write_json(_REPORT, report)

    def _write_json(self, name: str, value: object) -> None:
        with writing(self.path / name) as file:
            file.write(encode_json(value, indent=1))


def is_done(task: BulkTask) -> bool:
    """Whether the rows and examples of a task are there, and the rows have the size that they were written with."""
    part = Path(task.dst)
    try:
        return part.stat().st_size == read_examples(part)[0]
    except (OSError, ValueError, RecursionError):
        return False


def _split_input(name: str, options: BulkOptions) -> InputFile:
    try:
        shards = split(name, options.shard_bytes)
    except (OSError, ValueError) as error:
        return InputFile(spell_name(name), reason=describe_error(error))
    return InputFile(spell_name(name), [*shards[0].stamp], shards=shards)


# ---------------------------------------------------------------- the manifest of an earlier run


def _read_manifest(path: Path) -> dict[str, Any] | None:
    file = path / _MANIFEST
    try:
        known = json.loads(file.read_bytes())
    except FileNotFoundError:
        if any(found.name != _LOCK for found in path.iterdir()):
            raise _error(path, "the folder is not empty and holds no earlier run") from None
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise _error(file, f"{describe_error(error)}; take another folder") from None
    if not isinstance(known, dict) or known.get("manifest") != _VERSION:
        raise _error(file, "this is not the manifest of a run, or of another version; take another folder")
    return known


def _remove_parts(path: Path) -> None:
    """Remove what a run has written, and nothing else, whatever its manifest says."""
    for file in path.iterdir():
        if _PART.fullmatch(file.name):
            file.unlink()
    (path / _REPORT).unlink(missing_ok=True)
    (path / _MANIFEST).unlink()


def _read_inputs(path: Path, known: dict[str, Any]) -> list[InputFile]:
    try:
        known["options"].keys()
        return [InputFile(one["name"], one["stamp"]) for one in known["inputs"]]
    except (AttributeError, KeyError, TypeError):
        raise _error(path / _MANIFEST, f"the manifest is damaged; {_ANEW}") from None


def _compare_options(known: dict[str, Any], head: dict[str, Any]) -> str:
    """How an earlier run differs from one with this head; empty where it does not."""
    differing = [key for key, value in head["options"].items() if known["options"].get(key) != value]
    differing += [key for key, value in head.items() if key != "options" and known.get(key) != value]
    return f"differs in {', '.join(differing)}" if differing else ""


def _compare_inputs(earlier: list[InputFile], inputs: list[InputFile]) -> str:
    """How the inputs of an earlier run differ from these; empty where they do not."""
    known, given = ([one.name for one in several] for several in (earlier, inputs))
    if known != given:
        lists = (("not given now", _without(known, given)), ("new", _without(given, known)))
        said = [f"{word}: {name_some([*map(visible_name, apart)], 3)}" for word, apart in lists if apart]
        return f"has other inputs: {', '.join(said) or 'they are the same in another order'}"
    changed = [one.name for one, now in zip(earlier, inputs, strict=True) if one.stamp not in (None, now.stamp)]
    return f"has read another {visible_name(changed[0])}: it has changed since" if changed else ""


def _without(names: list[str], others: list[str]) -> list[str]:
    left = set(names).difference(others)
    return [name for name in names if name in left]
