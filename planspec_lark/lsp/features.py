"""What a client asks about a document, and the answers in the words of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from planspec_lark.lsp.documents import Document
from planspec_lark.lsp.models import Bounds, NamePosition, Symbol
from planspec_lark.lsp.rename import RenameError, places_to_rename
from planspec_lark.lsp.text import Edits, tighten
from planspec_lark.lsp.tokens import KINDS
from planspec_lark.syntax.codes import Severity
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, excerpt, join_words, shorten
from planspec_lark.syntax.fixer import edits_of
from planspec_lark.syntax.safe_text import one_line, visible
from planspec_lark.syntax.source import newline_of
from planspec_lark.syntax.tree import iter_tree

__all__ = [
    "FIX_ALL",
    "MARK_DONE",
    "complete",
    "define",
    "diagnose",
    "find_references",
    "fix",
    "fold",
    "format_text",
    "highlight",
    "hover",
    "list_symbols",
    "list_tokens",
    "prepare_rename",
    "rename",
    "resolve",
]

SOURCE = "planspec"
MARK_DONE = f"{types.CodeActionKind.RefactorRewrite.value}.done"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_SYMBOL_KINDS = {
    "container": types.SymbolKind.Namespace,
    "step": types.SymbolKind.Function,
    "text": types.SymbolKind.String,
}
_TOKEN_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
# The most candidates that are listed at once.
_CANDIDATES = 200
_CANDIDATE_KINDS = {"keyword": types.CompletionItemKind.Keyword, "variable": types.CompletionItemKind.Variable}


# ---------------------------------------------------------------- findings and fixes


def diagnose(document: Document) -> list[types.Diagnostic]:
    """All findings."""
    return [_diagnostic(document, one) for one in document.findings]


def _diagnostic(document: Document, found: Diagnostic) -> types.Diagnostic:
    rows = [visible(found.message)]
    if found.expected:
        rows.append(f"expected: {join_words(found.expected)}")
    if found.help:
        rows.append(f"help: {visible(found.help)}")
    return types.Diagnostic(
        range=document.text.range(*_place_of(found)),
        message="\n".join(map(shorten, rows)),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source=SOURCE,
    )


def _place_of(found: Diagnostic) -> Bounds:
    return (found.span.start, found.span.end) if found.span else (0, 0)


def fix(document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done in a range: the fixes of what is found there, all safe fixes of the text, a step's end."""
    wanted = params.context.only
    start, end = document.text.offsets(params.range)
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix.value, wanted):
        for found in document.findings:
            first, last = _place_of(found)
            if found.fix and first <= end and start <= last:
                actions.append(_quick_fix(document, found))
    if _is_wanted(FIX_ALL, wanted) and any(found.fix and found.fix.is_safe for found in document.findings):
        actions.append(_offer(document, "Fix all faults whose fixes keep what the text means", FIX_ALL))
    step = document.reading.open_step_at(start) if _is_wanted(MARK_DONE, wanted) else ""
    if step:
        actions.append(_offer(document, f"Mark step {excerpt(step)} as done", MARK_DONE, step))
    return actions


def _offer(document: Document, title: str, kind: str, step: str = "") -> types.CodeAction:
    """An action. What it does is found out once it is chosen, where the client can ask for that."""
    data = {"uri": document.uri, "version": document.version, "step": step}
    action = types.CodeAction(title, kind=kind, data=data)
    return action if document.settings.resolves_edits else resolve(document, action, step)


def _is_wanted(kind: str, wanted: Sequence[str] | None) -> bool:
    return not wanted or any(f"{kind}.".startswith(f"{getattr(one, 'value', one)}.") for one in wanted)


def _quick_fix(document: Document, found: Diagnostic) -> types.CodeAction:
    assert found.fix is not None
    title = found.fix.title or (f"write `{one_line(found.fix.text)}`" if found.fix.text else "leave this out")
    assert found.source is not None
    edits = [(one.span.start, one.span.end, one.text) for one in edits_of(found.source, [found])]
    return types.CodeAction(
        excerpt(title) + ("" if found.fix.is_safe else " (look at what it drops or guesses)"),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(document, found)],
        edit=_workspace_edit(document, edits),
        is_preferred=found.fix.is_safe,
    )


def resolve(document: Document, action: types.CodeAction, step: str = "") -> types.CodeAction:
    """An action that was offered, with its edit: a step is done, or all safe fixes are made."""
    after = document.reading.finished(step) if step else document.reading.fixed(document.folder)
    action.edit = _workspace_edit(document, tighten(document.text.text, after))
    return action


def _workspace_edit(document: Document, edits: Edits) -> types.WorkspaceEdit:
    made = document.text.edits(edits)
    if not document.settings.has_versions:
        return types.WorkspaceEdit(changes={document.uri: made})
    about = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(about, [*made])])


def format_text(document: Document) -> list[types.TextEdit] | None:
    """The edit that makes the text canonical; None for one with faults, which stays as it is."""
    text = document.text.text
    try:
        canonical = document.reading.formatted()
    except PlanSyntaxError:
        return None
    # How its lines end is a matter between a file and its editor.
    return document.text.edits(tighten(text, canonical.replace("\n", newline_of(text))))


# ---------------------------------------------------------------- names


def _word_at(document: Document, position: types.Position) -> NamePosition | None:
    return document.reading.word_at(document.text.offset(position))


def _same(document: Document, position: types.Position) -> Sequence[NamePosition]:
    """All places of the name at a place."""
    word = _word_at(document, position)
    return document.reading.occurrences(word) if word else ()


def _locations(document: Document, places: Sequence[Bounds]) -> list[types.Location]:
    return [types.Location(document.uri, document.text.range(*place)) for place in places]


def define(document: Document, params: types.DefinitionParams) -> list[types.Location]:
    """The places that a name comes from."""
    word = _word_at(document, params.position)
    return _locations(document, document.reading.definitions(word)) if word else []


def find_references(document: Document, params: types.ReferenceParams) -> list[types.Location]:
    """The places that use a name."""
    with_definitions = params.context.include_declaration
    found = _same(document, params.position)
    return _locations(document, [one.place for one in found if with_definitions or not one.is_origin])


def highlight(document: Document, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """All places of a name; those that it comes from are written to."""
    write, read = types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read
    found = _same(document, params.position)
    return [types.DocumentHighlight(document.text.range(*one.place), write if one.is_origin else read) for one in found]


def prepare_rename(document: Document, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """The name at a place; None where there is none."""
    word = _word_at(document, params.position)
    return types.PrepareRenamePlaceholder(document.text.range(*word.place), word.text) if word else None


def rename(document: Document, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that give another name to what is at a place."""
    word = _word_at(document, params.position)
    if word is None:
        return None
    try:
        places = places_to_rename(document.reading, word, params.new_name)
    except RenameError as error:
        raise JsonRpcException(visible(str(error)), code=types.LSPErrorCodes.RequestFailed.value) from None
    return _workspace_edit(document, [(*place, params.new_name) for place in places])


# ---------------------------------------------------------------- looking


def hover(document: Document, params: types.HoverParams) -> types.Hover | None:
    """What there is to say about a place. As plain text: in Markdown, a plan could lead elsewhere."""
    found = document.reading.hover(document.text.offset(params.position))
    if found is None:
        return None
    said, place = found
    return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, said), document.text.range(*place))


def list_symbols(document: Document) -> list[types.DocumentSymbol]:
    """The parts of a document."""

    def made(symbol: Symbol) -> types.DocumentSymbol:
        start, end = map(position, symbol.place)
        whole = types.Range(start, end)
        name = whole if symbol.name_end == symbol.place[1] else types.Range(start, position(symbol.name_end))
        return types.DocumentSymbol(
            symbol.name,
            _SYMBOL_KINDS[symbol.kind],
            whole,
            name,
            detail=symbol.detail,
            children=[*map(made, symbol.children)],
        )

    position = document.text.position
    return [*map(made, document.reading.symbols)]


def fold(document: Document) -> list[types.FoldingRange]:
    """The parts of a document that have more than one line."""
    steps = iter_tree(document.reading.symbols)
    lines = ([document.text.stretch(offset, offset)[0] for offset in one.place] for one, _ in steps)
    return [types.FoldingRange(first, last) for first, last in lines if first < last]


def list_tokens(
    document: Document, params: types.SemanticTokensParams | types.SemanticTokensRangeParams
) -> types.SemanticTokens:
    """The parts of all lines, or of those in a range, each by how far it is from the one before."""
    bounds = 0, len(document.text.text)
    if isinstance(params, types.SemanticTokensRangeParams):
        bounds = document.text.offsets(params.range)
    data: list[int] = []
    line = column = 0
    for start, end, kind in document.reading.tokens(*bounds):
        row, first, width = document.text.stretch(start, end)
        data += (row - line, first - (column if row == line else 0), width, _TOKEN_NUMBERS[kind], 0)
        line, column = row, first
    return types.SemanticTokens(data)


def complete(document: Document, params: types.CompletionParams) -> types.CompletionList:
    """What may be written at a place. Where that is much, the client asks again once more of it is written."""
    offset = document.text.offset(params.position)
    found = [*islice(document.reading.complete(offset), _CANDIDATES + 1)]
    items = [
        types.CompletionItem(
            one.text,
            kind=_CANDIDATE_KINDS[one.kind],
            detail=one.detail,
            filter_text=one.text,
            sort_text=f"{number:03}",
            text_edit=types.TextEdit(document.text.range(*one.place), one.text),
        )
        for number, one in enumerate(found[:_CANDIDATES])
    ]
    return types.CompletionList(is_incomplete=len(found) > _CANDIDATES, items=items)
