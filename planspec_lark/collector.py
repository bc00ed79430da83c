"""Python's cyclic garbage collector, out of the way while something large is built.

Reading a large plan makes hundreds of thousands of objects that all stay. The collector walks them again and again as
they grow in number, finds nothing, and takes as long as the reading itself. So it waits until the plan is there.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["paused"]

# Below this many characters of text (some 200 steps), the collector has next to nothing to do.
_WORTH_IT = 20_000

_lock = Lock()
_waiting = 0
_was_enabled = False


@contextmanager
def paused(size: int) -> Iterator[None]:
    """Keep automatic collection off while a text of ``size`` characters is read.

    Calls may overlap, in one thread or in several: the last one out turns it on again, if the first one in found it on.
    """
    if size < _WORTH_IT:
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _waiting, _was_enabled  # noqa: PLW0603  (the collector is one for the process, and so is this)
    with _lock:
        if not _waiting:
            _was_enabled = gc.isenabled()
            gc.disable()
        _waiting += 1


def _leave() -> None:
    global _waiting  # noqa: PLW0603
    with _lock:
        _waiting -= 1
        if not _waiting and _was_enabled:
            if not gc.get_freeze_count():
                # What was built goes to the oldest generation at once. Otherwise the next pass, which is due as soon as
                # the collector is on again, would walk all of it. Whoever has frozen objects keeps them frozen.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
