"""The SDK's own client, with the server as a process of its own at the other end of its pipes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from anyio.from_thread import BlockingPortal, start_blocking_portal
from attrs import frozen
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, GetPromptResult, TextContent, TextResourceContents

from tests.cli.running import MAIN, PLAN as BLOCKED_PLAN

__all__ = ["PLAN", "Agent", "connected", "server_of", "text_of"]

# The plan of the command line's tests, with nothing that blocks it.
PLAN = BLOCKED_PLAN.replace("[!] [act] Hire a lorry → lorry | None is free before Friday", "[act] Hire a lorry → lorry")


def server_of(root: Path, *options: str) -> StdioServerParameters:
    """What starts a server for a folder."""
    return StdioServerParameters(command=sys.executable, args=["-c", MAIN, "mcp", "--folder", str(root), *options])


@frozen
class Agent:
    """A client for code that does not await, and the folder of the server that it talks to."""

    root: Path
    client: Client
    portal: BlockingPortal

    def write(self, name: str, text: str | bytes = PLAN) -> Path:
        """Put a plan into the folder."""
        path = self.root / "planspec" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        result: CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return result

    def ask(self, tool: str, /, **arguments: Any) -> str:
        """The answer of a tool that succeeds."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def view(self, name: str, **arguments: Any) -> str:
        """What read_plan shows, without what it says before that."""
        return self.ask("read_plan", name=name, **arguments).partition("\n\n")[2]

    def digest(self, name: str = "library") -> str:
        """The digest of a plan."""
        return self.ask("read_plan", name=name).splitlines()[1].removeprefix("digest: ")

    def fail(self, tool: str, /, **arguments: Any) -> str:
        """What a tool says that refuses."""
        result = self.call(tool, **arguments)
        assert result.is_error
        return text_of(result)

    def resource(self, uri: str) -> str:
        """The text at an address."""
        (content,) = self.portal.call(self.client.read_resource, uri).contents
        assert isinstance(content, TextResourceContents)
        assert content.uri == uri
        return content.text

    def prompt(self, name: str, /, **arguments: str) -> str:
        """The text of a prompt."""
        result: GetPromptResult = self.portal.call(self.client.get_prompt, name, arguments)
        (message,) = result.messages
        assert message.role == "user"
        assert isinstance(message.content, TextContent)
        return message.content.text

    def error(self, function: Any, *arguments: Any) -> str:
        """What the protocol's error says that this ends with."""
        try:
            function(*arguments)
        except MCPError as error:
            return f"{error.code}: {error.message}"
        raise AssertionError("no error")


def text_of(result: CallToolResult) -> str:
    """The text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def connected(root: Path, *options: str, mode: str = "auto", errors: TextIO = sys.stderr) -> Iterator[Agent]:
    """A client that talks to a server of its own."""
    with ExitStack() as open_:
        portal = open_.enter_context(start_blocking_portal())
        transport = stdio_client(server_of(root, *options), errlog=errors)
        client = Client(transport, mode=mode, read_timeout_seconds=60)
        open_.enter_context(portal.wrap_async_context_manager(client))
        yield Agent(root, client, portal)
