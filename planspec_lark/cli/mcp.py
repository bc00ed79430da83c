"""`planspec mcp`."""

from __future__ import annotations

import asyncio
import os
import sys

import click

from planspec_lark.cli.arguments import folder_of, folder_option, language_option
from planspec_lark.cli.output import Unusable, complain, readable, wait_option
from planspec_lark.cli.signals import stoppable, until_stopped


@click.command("mcp")
@wait_option
@folder_option
@language_option("The language of the prompts.")
@click.pass_context
def mcp_command(ctx: click.Context, language: str) -> None:
    """Serve the plans of a folder to agents, as an MCP server.

    It talks on standard input and output: an MCP client starts it, and it ends with that. It reads and writes plans in
    that folder only.
    """
    try:
        from planspec_lark.mcp_server.serving import serve  # noqa: PLC0415  (an extra, and slow to load)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "pydantic", "anyio"):
            raise
        raise Unusable("planspec mcp needs its extra: pip install 'planspec-lark[mcp]'") from None
    folder = folder_of(ctx)
    with readable(str(folder.root)):
        # So that messages call the files as the agent does, without the way to the folder.
        os.chdir(folder.root)
    if sys.stdin is None:
        raise Unusable("standard input is closed")

    async def work() -> None:
        # From here on, an interrupt is heard.
        if sys.stdin.isatty():
            complain("An MCP server talks to a program: start it from an MCP client. Ctrl+C ends it.")
        await serve(".", language=language, wait=folder.wait)

    with stoppable("Stopped."):
        asyncio.run(until_stopped(work(), "Stopping."))
