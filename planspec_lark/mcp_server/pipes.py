"""Standard input and output of a server, which the end of the process does not wait for.

A thread that waits at a pipe cannot be stopped, and Python waits at its end for threads of the usual kind. So each read
and each write has a thread that ends with the process: also where a client keeps a pipe open, or has stopped reading.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from threading import Lock
from typing import Any, TypeVar

from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError

from planspec_lark.awaitables import OwnThread
from planspec_lark.json_text import read_json
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.limits import Limits

__all__ = ["InputError", "Output", "read_messages"]

Result = TypeVar("Result")

# The largest text that a tool takes, with each of its characters as an escape of JSON.
_LONGEST = 64_000_000
# What Python's reader of JSON refuses as too deep is read up to this length, to learn whom to answer.
_DEEP = Limits(max_bytes=100_000, max_depth=None, max_findings=1)
_SURROGATE = re.compile("[\ud800-\udfff]")


class InputError(PlanSpecError):
    """Something has come that is no message."""


async def _call(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function in a thread of its own, which keeps running if this is cancelled."""
    return await asyncio.wrap_future(OwnThread().submit(function, *arguments))


async def read_messages(handle: int, output: Output, at_end: Callable[[], None]) -> AsyncIterator[str]:
    """The messages that come from a file descriptor, until it is closed; then ``at_end`` is called.

    A line that is no message is answered with an error, as the SDK would answer nothing.

    Raises:
        InputError: a line is longer than any message may be.
        OSError: it cannot be read, or an error cannot be written.
    """
    # Never closed, as that would wait for a thread that reads.
    file = open(handle, "rb", closefd=False)  # noqa: SIM115
    while line := await _call(file.readline, _LONGEST + 1):
        if len(line) > _LONGEST:
            raise InputError(f"a message has more than {_LONGEST:,} bytes")
        text = line.decode("utf-8", "replace")
        message, refusal = _check(text) if text.strip() else ("", "")
        if message:
            yield message
        elif refusal:
            await output.write(refusal)
    at_end()


def _check(text: str) -> tuple[str, str]:
    """A message as the SDK can read it, or empty and the answer to what is none; a malformed answer has no answer."""
    if _is_message(text):
        return text, ""
    more = ""
    try:
        value = json.loads(text)
        # Half a character in an escape is read as it is among bytes.
        whole = _SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False))
        if _is_message(whole):
            return whole, ""
    except ValueError:
        return "", _refuse(None, PARSE_ERROR, "this line is not JSON")
    except RecursionError:
        read = read_json(text, limits=_DEEP, allow_list=True)
        if read.has_errors:
            return "", _refuse(None, PARSE_ERROR, "this line is not JSON, or nested too deep")
        value, more = read.value, ": it is nested too deep"
    known = value if isinstance(value, dict) else {}
    if "method" not in known and ("result" in known or "error" in known):
        return "", ""
    key = known.get("id")
    is_id = isinstance(key, (str, int, float)) and not isinstance(key, bool)
    more = "; send each message on a line of its own" if isinstance(value, list) else more
    return "", _refuse(key if is_id else None, INVALID_REQUEST, f"this is no message of the protocol{more}")


def _is_message(text: str) -> bool:
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return False
    # The SDK takes a request with an id of another type for a notification.
    return not isinstance(message, JSONRPCNotification) or json.loads(text).get("id") is None


def _refuse(key: str | float | None, code: int, message: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": message}}) + "\n"


class Output:
    """Writes texts to a file descriptor, one after the other."""

    def __init__(self, handle: int) -> None:
        self._handle, self._lock = handle, Lock()

    async def write(self, text: str) -> None:
        """Write a text.

        Raises:
            OSError: it cannot be written.
        """
        await _call(self._write, text.encode("utf-8"))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        with self._lock:
            while left:
                left = left[os.write(self._handle, left) :]

    async def flush(self) -> None:
        """Do nothing: what is written is on its way."""
