"""Clients of a server that lives as long as the tests of a module."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest_lsp
from attrs import define
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from tests.cli.running import command_line, environment


class Client(LanguageClient):
    """A client that keeps all findings until they are asked for.

    Who waits for a notification gets only the next one. Two that come at once would leave the second to nobody.
    """

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        register_lsp_features(self, {**DEFAULT_CLIENT_FEATURES, types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: self._keep})

    @staticmethod
    def _keep(client: Client, params: types.PublishDiagnosticsParams) -> None:
        client.published.put_nowait(params)


CONFIG = ClientServerConfig(server_command=command_line(["lsp"]), server_env=environment(), client_factory=Client)


async def told(client: Client) -> types.PublishDiagnosticsParams:
    """The next findings of any document."""
    async with asyncio.timeout(60):
        return await client.published.get()


@define
class Editor:
    """A document that is open in an editor."""

    client: Client
    uri: str
    version: int = 1

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    async def found(self) -> list[types.Diagnostic]:
        """What the server has found in this version of the document."""
        while True:
            found = await told(self.client)
            if (found.uri, found.version) == (self.uri, self.version):
                return [*found.diagnostics]

    def open(self, text: str, language: str = "planspec") -> None:
        item = types.TextDocumentItem(self.uri, language, self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str, version: int | None = None) -> None:
        self.version = self.version + 1 if version is None else version
        about = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        changes = [types.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(about, changes))

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document))


@pytest_lsp.fixture(config=CONFIG, scope="module")  # type: ignore[untyped-decorator]
async def plain(lsp_client: Client) -> AsyncIterator[None]:
    """A client that can do nothing that it need not."""
    await lsp_client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=CONFIG, scope="module")  # type: ignore[untyped-decorator]
async def able(lsp_client: Client) -> AsyncIterator[None]:
    """A client with all abilities. It asks for findings, counts in UTF-8, and wants infos as well."""
    capabilities = client_capabilities("neovim@0.11.0")
    assert capabilities.text_document is not None
    assert capabilities.text_document.diagnostic is not None
    assert capabilities.workspace is not None
    assert capabilities.workspace.workspace_edit is not None
    capabilities.workspace.workspace_edit.document_changes = True
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder("file:///home/me/planspec", "planspec")],
            initialization_options={"info": True},
        )
    )
    yield
    await lsp_client.shutdown_session()
