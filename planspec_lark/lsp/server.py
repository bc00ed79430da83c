"""The server: messages of a client to documents and features, and their answers back."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from planspec_lark import __version__
from planspec_lark.folder import FolderError
from planspec_lark.lsp import features
from planspec_lark.lsp.documents import ClientSettings, Document
from planspec_lark.lsp.languages import LANGUAGES, language_of
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
    """The protocol as pygls has it."""

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
        settings: what its client has said at the start.
        documents: those that are open, by what their client calls them.
        has_shut_down: whether the client has asked for that.
        is_told_to_exit: whether it has told the server to end.
    """

    def __init__(self) -> None:
        parts = types.TextDocumentSyncKind.Incremental
        super().__init__("planspec", __version__, text_document_sync_kind=parts, protocol_cls=_Protocol)
        self.settings = ClientSettings()
        self.documents: dict[str, Document] = {}
        self.has_shut_down = self.is_told_to_exit = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        # When the next check may begin.
        self._next_check = 0.0
        self._life: asyncio.Task[None] | None = None
        # The texts of pygls take other characters for line breaks as well.
        self.protocol.fm.builtin_features.update(
            {
                types.TEXT_DOCUMENT_DID_OPEN: self.open,
                types.TEXT_DOCUMENT_DID_CHANGE: self.change,
                types.TEXT_DOCUMENT_DID_CLOSE: self.close,
            }
        )
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
        ask: Callable[..., Any] = partial(get_capability, params.capabilities)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        options = params.initialization_options
        self.settings = ClientSettings(
            encoding=self.workspace.position_encoding or types.PositionEncodingKind.Utf16,
            roots=folders or [*filter(None, [params.root_uri])],
            info=isinstance(options, dict) and options.get("info") is True,
            pulls=ask("text_document.diagnostic") is not None,
            resolves_edits="edit" in ask("text_document.code_action.resolve_support.properties", ()),
            has_versions=ask("workspace.workspace_edit.document_changes") is True,
        )
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
            document = self.documents.get(params.text_document.uri)
            return None if document is None else answer(document, params)

        return call

    def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        document = self.documents.get(str(data.get("uri")))
        if document is None or document.version != data.get("version"):
            code = types.LSPErrorCodes.ContentModified.value
            raise JsonRpcException("the document has changed since this was offered", code=code)
        return features.resolve(document, action, str(data.get("step") or ""))

    # ------------------------------------------------------------ texts

    def open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a document, if it is in a language that is known."""
        item = params.text_document
        self.documents.pop(item.uri, None)
        language = language_of(item.language_id, item.uri, self.settings.roots, item.text)
        if language is not None:
            self.documents[item.uri] = Document(item, language, self.settings)
            self._check_soon(item.uri)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take changes of a document."""
        about = params.text_document
        if about.uri in self.documents:
            self.documents[about.uri].change(about.version, params.content_changes)
            self._check_soon(about.uri)

    def close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document, and let its client forget what was found in it."""
        uri = params.text_document.uri
        if self.documents.pop(uri, None) is not None and not self.settings.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    # ------------------------------------------------------------ findings

    def _pull(self, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
        document = self.documents.get(params.text_document.uri)
        return types.RelatedFullDocumentDiagnosticReport(items=_diagnose(document) if document else [])

    def _check_soon(self, uri: str) -> None:
        """Check a document once its client pauses, unless it asks by itself."""
        if not self.settings.pulls and uri not in self._timers:
            pause = max(_PAUSE, self._next_check - monotonic())
            self._timers[uri] = asyncio.get_running_loop().call_later(pause, self._check, uri)

    def _check(self, uri: str) -> None:
        self._timers.pop(uri, None)
        document = self.documents.get(uri)
        if document is None:
            return
        began = monotonic()
        found = _diagnose(document)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, document.version))
        ended = monotonic()
        # A user who types quickly in a long document gets half of the time for that.
        self._next_check = ended + (ended - began)


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
        message = f"this document could not be checked: {_say(error)}"
        severity = types.DiagnosticSeverity.Error
        return [types.Diagnostic(document.text.range(0, 0), message, severity=severity, source=features.SOURCE)]


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
