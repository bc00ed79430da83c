"""Locks end with the block or the process that holds them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from planspec_lark import locks
from planspec_lark.locks import LockedError, locked


def test_one_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"), pytest.raises(LockedError), locked(tmp_path / "lock"):
        pass
    with locked(tmp_path / "lock"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_process_that_has_not_had_its_turn_holds_nothing(tmp_path: Path) -> None:
    """Until then it has what this one had open."""
    with locked(tmp_path / "lock"):
        (lock,) = locks._held
        copy = os.dup(lock.handle)
    try:
        with locked(tmp_path / "lock"):
            pass
    finally:
        os.close(copy)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_process_does_not_let_go_for_its_parent(tmp_path: Path) -> None:
    child = -1
    try:
        with locked(tmp_path / "lock"):
            child = os.fork()
            if child:
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
                with pytest.raises(LockedError), locked(tmp_path / "lock"):
                    pass
    finally:
        if not child:
            # It has left the block as well, and is no second run of the tests.
            os._exit(int(sys.exc_info()[0] is not None))
