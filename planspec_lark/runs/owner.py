"""The owner of a lease, and whether that process can still be at work."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

from attrs import frozen

from planspec_lark.syntax.safe_text import visible_name

__all__ = ["Owner"]

# Tokens of owners in this process that could not give back what they had.
_GIVEN_UP: set[str] = set()


@frozen
class Owner:
    """A process that works on a run.

    Attributes:
        host: its machine, and where the system tells it, which of its starts and which of its worlds of processes.
        process: its number there; 0 where it does not matter.
        began: when it began, as its system counts; the number may be another process's by now.
        token: tells several owners in one process apart.
    """

    host: str
    process: int
    began: str
    token: str

    @classmethod
    def new(cls) -> Owner:
        """An owner in this process."""
        return cls(_host(), os.getpid(), _began(os.getpid()), os.urandom(8).hex())

    def give_up(self) -> None:
        """This owner, of this process, works on nothing any more, whatever a ledger says that cannot be reached."""
        _GIVEN_UP.add(self.token)

    def is_alive(self) -> bool | None:
        """Whether it is still there; None where that is not certain, as it can only be told on its own machine."""
        if self.token in _GIVEN_UP:
            return False
        return _began(self.process) == self.began if self.began and self.host == _host() else None

    def __str__(self) -> str:
        return f"process {self.process} on {visible_name(self.host.partition('/')[0])}"


@cache
def _host() -> str:
    # A machine that has started again, or a container beside this one, has other processes of the same numbers.
    worlds = (_read("/proc/sys/kernel/random/boot_id"), _link("/proc/self/ns/pid"))
    return "/".join([platform.node(), *filter(None, worlds)])


def _began(process: int) -> str:
    """When a process began, in ticks since its machine did; "" where there is none, or it is unknown."""
    # Its name may have blanks and brackets; what follows it has none.
    fields = _read(f"/proc/{process}/stat").rpartition(")")[2].split()
    # A zombie has ended.
    return fields[19] if len(fields) > 19 and fields[0] != "Z" else ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
