"""`planspec mcp`."""

from __future__ import annotations

import asyncio
import os
import sys

from planspec_lark.cli.arguments import folder_of, folder_option, language_option
from planspec_lark.cli.help import command
from planspec_lark.cli.output import CliError, complain, needing_extra, readable, wait_option
from planspec_lark.cli.signals import stoppable, until_stopped


@command(
    "mcp",
    examples=["planspec mcp", "planspec mcp --folder ../shop"],
    files={
        "planspec/": "Its plans are read and changed, and no files outside of --folder.",
        "standard input": "Messages of the client, in the Model Context Protocol.",
        "standard output": "The answers.",
    },
    exits={
        0: "The client has ended the session.",
        2: "The extra mcp is missing, or the folder cannot be used.",
        130: "Interrupted.",
    },
)
@wait_option
@folder_option
@language_option("The language of the prompts.")
def mcp_command(language: str) -> None:
    """Serve the plans of a folder to agents, as an MCP server.

    An MCP client starts it, and it ends with the client. It needs the extra mcp.
    """
    with needing_extra("mcp", "mcp", "mcp_types", "pydantic", "anyio"):
        from planspec_lark.mcp_server.stdio_server import serve  # noqa: PLC0415  (an extra, and slow to load)
    folder = folder_of()
    with readable(str(folder.root)):
        # So that messages call the files as the agent does, without the way to the folder.
        os.chdir(folder.root)
    if sys.stdin is None:
        raise CliError("standard input is closed")

    async def work() -> None:
        # From here on, an interrupt is heard.
        if sys.stdin.isatty():
            complain("An MCP server talks to a program: start it from an MCP client. Ctrl+C ends it.")
        await serve(".", language=language, wait=folder.wait)

    with stoppable("Stopped."):
        asyncio.run(until_stopped(work(), "Stopping."))
