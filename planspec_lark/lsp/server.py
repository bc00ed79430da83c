"""The server: messages of a client to documents and features, and their answers back."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from planspec_lark import __version__
from planspec_lark.folder import FolderError
from planspec_lark.lsp import features
from planspec_lark.lsp.documents import ClientSettings, Document, Documents
from planspec_lark.lsp.languages import LANGUAGES
from planspec_lark.lsp.tokens import KINDS
from planspec_lark.stdio import take_output
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["serve"]

_log = logging.getLogger(__name__)

# Seconds for which more changes are waited for. A check that has taken longer is followed by as long a pause.
_PAUSE = 0.005
# How often it is looked whether the client still runs. Most end by closing standard input.
_LIFE = 2.0

_Answer = Callable[[Document, Any], Any]

_ANSWERS: dict[str, _Answer] = {
    types.TEXT_DOCUMENT_CODE_ACTION: features.fix,
    types.TEXT_DOCUMENT_FORMATTING: lambda document, _: features.format_text(document),
    types.TEXT_DOCUMENT_HOVER: features.hover,
    types.TEXT_DOCUMENT_DEFINITION: features.define,
    types.TEXT_DOCUMENT_REFERENCES: features.find_references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: features.highlight,
    types.TEXT_DOCUMENT_PREPARE_RENAME: features.prepare_rename,
    types.TEXT_DOCUMENT_RENAME: features.rename,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: lambda document, _: features.list_symbols(document),
    types.TEXT_DOCUMENT_FOLDING_RANGE: lambda document, _: features.fold(document),
    types.TEXT_DOCUMENT_COMPLETION: features.complete,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: features.list_tokens,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: features.list_tokens,
}
_OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, features.MARK_DONE, features.FIX_ALL], resolve_provider=True
    ),
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
        trigger_characters=sorted({sign for language in LANGUAGES for sign in language.triggers})
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: types.SemanticTokensLegend(KINDS, []),
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier=features.SOURCE
    ),
}


class _Protocol(LanguageServerProtocol):
    """The protocol as pygls has it, but for texts, which the server keeps itself.

    Those of pygls take other characters for line breaks as well.
    """

    _server: _Server

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open."""
        self._server.check_soon(self._server.documents.open(params.text_document))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document has changed."""
        self._server.check_soon(self._server.documents.change(params.text_document, params.content_changes))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is closed."""
        self._server.close(params.text_document.uri)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object. One that cannot be read is answered, if its sender waits for that."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), (int, str)):
                self._send_response(data["id"], error=error.to_response_error())
            raise


class _Server(LanguageServer):
    """The server.

    Attributes:
        documents: those that are open.
        has_shut_down: whether the client has asked for that.
        is_told_to_exit: whether it has told the server to end.
    """

    def __init__(self) -> None:
        parts = types.TextDocumentSyncKind.Incremental
        super().__init__("planspec", __version__, text_document_sync_kind=parts, protocol_cls=_Protocol)
        self.documents = Documents()
        self.has_shut_down = self.is_told_to_exit = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        # When the next check may begin.
        self._next_check = 0.0
        self._life: asyncio.Task[None] | None = None
        calls: dict[str, Callable[[Any], Any]] = {
            types.INITIALIZE: self._start,
            types.SHUTDOWN: self._shut_down,
            types.EXIT: self._exit,
            types.TEXT_DOCUMENT_DIAGNOSTIC: self._pull,
            types.CODE_ACTION_RESOLVE: self._resolve,
            **{method: self._answering(answer) for method, answer in _ANSWERS.items()},
        }
        for method, call in calls.items():
            self.feature(method, _OPTIONS.get(method))(_guarded(method, call))

    # ------------------------------------------------------------ beginning and end

    def _start(self, params: types.InitializeParams) -> None:
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        self.documents.settings = ClientSettings.of(params, encoding)
        if params.process_id is not None and _is_alive(params.process_id):
            self._life = asyncio.ensure_future(_end_with(params.process_id))

    def _shut_down(self, _: None) -> None:
        self.has_shut_down = True

    def _exit(self, _: None) -> None:
        self.is_told_to_exit = True

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What goes wrong outside of requests goes to standard error, and not to the user."""
        if source is not FeatureRequestError:
            _log.error("%s: %s", source.__name__, visible(str(error)))

    # ------------------------------------------------------------ requests

    def _answering(self, answer: _Answer) -> Callable[[Any], Any]:
        """What answers a request about a document; null for a document that is not served."""

        def call(params: Any) -> Any:
            document = self.documents.find(params.text_document.uri)
            return None if document is None else answer(document, params)

        return call

    def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        document = self.documents.find(str(data.get("uri")))
        if document is None or document.version != data.get("version"):
            code = types.LSPErrorCodes.ContentModified.value
            raise JsonRpcException("the document has changed since this was offered", code=code)
        return features.resolve(document, action)

    # ------------------------------------------------------------ findings

    def _pull(self, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
        document = self.documents.find(params.text_document.uri)
        return types.RelatedFullDocumentDiagnosticReport(items=_diagnose(document) if document else [])

    def check_soon(self, document: Document | None) -> None:
        """Check a document once its client pauses, unless it asks by itself; None is a document that is not served."""
        if document is None or self.documents.settings.pulls or document.uri in self._timers:
            return
        pause = max(_PAUSE, self._next_check - monotonic())
        self._timers[document.uri] = asyncio.get_running_loop().call_later(pause, self._check, document.uri)

    def _check(self, uri: str) -> None:
        self._timers.pop(uri, None)
        document = self.documents.find(uri)
        if document is None:
            return
        began = monotonic()
        found = _diagnose(document)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, document.version))
        ended = monotonic()
        # A user who types quickly in a long document gets half of the time for that.
        self._next_check = ended + (ended - began)

    def close(self, uri: str) -> None:
        """Forget a document, and let its client forget what was found in it."""
        document = self.documents.find(uri)
        self.documents.close(uri)
        if document is not None and not self.documents.settings.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _guarded(method: str, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What answers a request. A fault of ours is a plain error, and all about it goes to standard error."""

    def guarded(params: Any) -> Any:
        try:
            return call(params)
        except JsonRpcException:
            raise
        except Exception as error:
            _log.exception("%s", method)
            raise JsonRpcException(_say(error)) from None

    return guarded


def _diagnose(document: Document) -> list[types.Diagnostic]:
    """All findings; where they cannot be had, that, in the same place."""
    try:
        return features.diagnose(document)
    except Exception as error:
        _log.exception("%s", visible_name(document.uri))
        place, said = types.Range(types.Position(0, 0), types.Position(0, 0)), _say(error)
        message = f"this document could not be checked: {said}"
        return [types.Diagnostic(place, message, severity=types.DiagnosticSeverity.Error, source=features.SOURCE)]


def _say(error: Exception) -> str:
    if isinstance(error, FolderError):
        return str(error)
    return f"a fault of the server ({type(error).__name__}: {error}); its log says more"


# ---------------------------------------------------------------- at work


def serve() -> int:
    """Serve one client on standard input and output, until it says so, closes standard input, or has ended.

    Standard output is for the protocol alone, until the process ends; all that is to be logged goes to standard error.

    Returns:
        The exit code: 1 where the client has ended it without asking to shut down first, as the protocol has it.

    Raises:
        OSError: standard output or standard error is closed.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # What a client asks wrongly is told to the client.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = _Server()
    with open(take_output(), "wb") as messages:
        server.start_io(sys.stdin.buffer, messages)
    return int(server.is_told_to_exit and not server.has_shut_down)


async def _end_with(process: int) -> None:
    """End this process once another one has."""
    while _is_alive(process):
        await asyncio.sleep(_LIFE)
    _log.error("the client, process %s, has ended", process)
    # Standard input may still be open, and be waited for.
    os._exit(1)


def _is_alive(process: int) -> bool:
    """Whether a process runs; not known of those of other systems than POSIX, where asking would end it."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
