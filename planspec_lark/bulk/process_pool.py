"""Processes that work for this one, and end with it.

A new process loads this module before it can ignore interrupts, so there is nothing else in it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Thread

__all__ = ["process_pool"]


@contextmanager
def process_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes end when this block is left early, or this process dies."""
    # Nothing is forked: what uses threads, as pyarrow does, may hang in a forked process.
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_enter_process, initargs=(theirs,))
    try:
        yield pool
    finally:
        # The work is done or, where this is left early, of no use any more.
        ours.close()
        pool.shutdown(cancel_futures=True)
        theirs.close()


def _enter_process(life: Connection) -> None:
    # An interrupt reaches all processes of a terminal; the first one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(life,), daemon=True).start()


def _end_with(life: Connection) -> None:
    """End this process, whatever it does, once the other end of a pipe is closed."""
    life.poll(None)
    os._exit(1)
