"""A server at work, on standard input and output."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from planspec_lark.document.file import WAIT
from planspec_lark.folder.folder import PlanFolder
from planspec_lark.mcp_server.pipes import InputError, Output, read_messages
from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.server import make_server
from planspec_lark.stdio import take_output

__all__ = ["InputError", "serve"]

_STDIN = 0
# What parts of the SDK say that find another one gone.
_AFTERMATH = (anyio.BrokenResourceError, anyio.ClosedResourceError, asyncio.CancelledError)


async def serve(folder: Path | str, *, language: str = "en", wait: float = WAIT) -> None:
    """Serve the plans of a folder until standard input is closed.

    Standard output is for the protocol alone, until the process ends: whatever else is written there goes to standard
    error, also what a buffer gives back only at the end.

    Args:
        folder: the project's, the one with ``planspec/`` in it.
        language: of the prompts, "en" or "zh".
        wait: seconds that a change waits at most for who runs the plan or writes in its folder.

    Raises:
        InputError: something has come that is no message.
        BrokenPipeError: the client no longer reads the answers.
        OSError: standard output or standard error is closed.
    """
    # What a client does wrong is told to the client.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    if logging.lastResort is not None:
        logging.getLogger("planspec_lark.mcp_server").addHandler(logging.lastResort)
    server, call_off = make_server(Plans(PlanFolder(folder, wait=wait)), language)
    options = server.create_initialization_options()
    # The SDK gives standard output back when it has served, and buffers that are emptied after that would end up in it.
    output = Output(take_output())
    pipes: dict[str, Any] = {"stdin": read_messages(_STDIN, output, call_off), "stdout": output}
    try:
        async with stdio_server(**pipes) as (incoming, outgoing):
            await server.run(incoming, outgoing, options)
    except BaseExceptionGroup as group:
        # What the SDK does side by side fails in groups.
        failure: BaseException | None = group.split(_AFTERMATH)[1]
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        if failure is not None:
            raise failure from None
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError from None
