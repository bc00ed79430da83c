"""The note of what was put into a project, kept beside the skill, and whether that is still as it was put in.

What takes it out again needs it.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import sha256
from typing import Self

from attrs import asdict, define, field

from planspec_lark.syntax.prompt_templates import LANGUAGES

__all__ = ["RECORD", "InstallRecord"]

RECORD = "install.json"
_ABOUT = "What `planspec init` has put into this project; `planspec init --remove` needs it."


@define
class InstallRecord:
    """What was put into a project for all assistants that look for skills in one folder.

    Attributes:
        assistants: their names.
        files: the digest of each file that was made whole.
        made: each file of others that was not there, with what it held before anything was put in.
        pieces: what was put into files of others, in that order: the file, and the piece.
        folders: those that were not there.
        language: of skills and notes.
        is_known: whether there was a record.
    """

    assistants: list[str] = field(factory=list)
    files: dict[str, str] = field(factory=dict)
    made: dict[str, str] = field(factory=dict)
    pieces: list[list[str]] = field(factory=list)
    folders: list[str] = field(factory=list)
    language: str = LANGUAGES[0]
    is_known: bool = False

    @classmethod
    def read(cls, data: bytes | None, folders: Collection[str]) -> Self:
        """The record in a file; an empty one where that holds none.

        A stranger may have written it, so it names no other folders than these. Of files, only those of an assistant's
        setup are ever looked for in it.
        """
        try:
            value = json.loads(data or b"")
            return cls(
                [str(name) for name in value["assistants"]],
                {str(name): str(digest) for name, digest in value["files"].items()},
                {str(name): str(seed) for name, seed in value["made"].items()},
                # An empty piece is in every text.
                [[str(name), str(piece)] for name, piece in value["pieces"] if piece],
                [str(name) for name in value["folders"] if name in folders],
                next(one for one in LANGUAGES if one == value["language"]),
                is_known=True,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration):
            return cls()

    def write(self) -> bytes:
        """The text of its file."""
        value = {"about": _ABOUT, **asdict(self, filter=lambda one, _: one.name != "is_known")}
        return (json.dumps(value, indent=2, ensure_ascii=True) + "\n").encode("ascii")

    def note_file(self, name: str, data: bytes) -> None:
        """Note that a file was made whole."""
        self.files[name] = _digest(data)

    def has_file(self, name: str, data: bytes) -> bool:
        """Whether a file is still as it was made."""
        return self.files.get(name) == _digest(data)

    def find_piece(self, name: str, block: str) -> list[str] | None:
        """The piece that ends in a block of a file of others, as that is now; None where it was changed."""
        return next((one for one in self.pieces if one[0] == name and one[1].endswith(block)), None)


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
