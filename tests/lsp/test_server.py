"""The server over standard input and output, with a client that looks at whether it may say what it says."""

from __future__ import annotations

from itertools import count

import pytest
from lsprotocol.types import (
    CodeAction,
    CodeActionContext,
    CodeActionParams,
    CompletionList,
    CompletionParams,
    DefinitionParams,
    Diagnostic,
    DiagnosticSeverity,
    DidChangeTextDocumentParams,
    DocumentDiagnosticParams,
    DocumentFormattingParams,
    DocumentHighlightKind,
    DocumentHighlightParams,
    DocumentSymbol,
    DocumentSymbolParams,
    FoldingRangeParams,
    FormattingOptions,
    Hover,
    HoverParams,
    MarkupContent,
    MarkupKind,
    Position,
    PrepareRenameParams,
    PrepareRenamePlaceholder,
    Range,
    ReferenceContext,
    ReferenceParams,
    RelatedFullDocumentDiagnosticReport,
    RenameParams,
    TextDocumentContentChangePartial,
    TextDocumentEdit,
    TextEdit,
    VersionedTextDocumentIdentifier,
    WorkspaceEdit,
)
from pygls.exceptions import JsonRpcException

from planspec_lark import check_text
from planspec_lark.planspec import fix_text
from tests.lsp.conftest import Client, Editor, told
from tests.lsp.test_hopspec_index import DOCUMENT

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

NUMBERS = count()
PLAN = """\
Goal: 搬家 🚚 now
## Steps
1. [act] 打包 📦 → boxes
2. [act] Carry → moved
  > ← boxes
"""
# What no step gives is an info.
OUTSIDE = PLAN.replace("← boxes", "← boxes, lorry")
FAULTY = PLAN.replace("2. [act]", "2) [act]").replace("Goal: ", "Goal：")


def new(client: Client, text: str = PLAN, uri: str = "", language: str = "planspec") -> Editor:
    editor = Editor(client, uri or f"untitled:{next(NUMBERS)}")
    editor.open(text, language)
    return editor


def here(line: int, character: int, *, to: int | None = None) -> Range:
    return Range(Position(line, character), Position(line, character if to is None else to))


def said(found: list[Diagnostic]) -> list[tuple[str, int]]:
    return [(str(one.code), one.range.start.line) for one in found]


def edits_of(edit: WorkspaceEdit | None, editor: Editor) -> list[TextEdit]:
    """The edits of one document, for either kind of client."""
    assert edit is not None
    if edit.document_changes is None:
        assert edit.changes is not None
        return [*edit.changes[editor.uri]]
    [made] = edit.document_changes
    assert isinstance(made, TextDocumentEdit)
    assert (made.text_document.uri, made.text_document.version) == (editor.uri, editor.version)
    return [one for one in made.edits if isinstance(one, TextEdit)]


# ---------------------------------------------------------------- findings


async def test_findings_are_those_of_the_check(plain: Client) -> None:
    editor = new(plain, FAULTY)
    found = await editor.found()
    assert said(found) == [(one.code, (one.line or 0) - 1) for one in check_text(FAULTY)]
    assert [(one.source, one.severity) for one in found] == [("planspec", DiagnosticSeverity.Error)] * 2
    assert found[1].message == (
        "`2)` is not an id with a dot after it\n"
        "expected: an id such as `1.`\n"
        "help: an id is numbers joined by dots, with a final dot: `1.`, `2.1.`; no leading zeros, 9 digits each at most"
    )


async def test_infos_are_for_clients_that_ask_for_them(plain: Client) -> None:
    assert await new(plain, OUTSIDE).found() == []


async def test_findings_follow_what_is_typed(plain: Client) -> None:
    editor = new(plain)
    assert await editor.found() == []
    editor.change(PLAN.replace("2. [act]", "2) [act]"))
    assert said(await editor.found()) == [("PS110", 3)]
    editor.change(PLAN)
    assert await editor.found() == []


async def test_a_document_that_is_closed_has_no_findings(plain: Client) -> None:
    editor = new(plain, FAULTY)
    await editor.found()
    editor.close()
    found = await told(plain)
    assert (found.uri, [*found.diagnostics]) == (editor.uri, [])
    assert await plain.text_document_hover_async(HoverParams(editor.document, Position(2, 0))) is None


async def test_other_documents_are_none_of_its_business(plain: Client) -> None:
    prose = new(plain, "# Notes\n\nSome prose.\n", "file:///home/me/NOTES.md", "markdown")
    prose.change("# Others\n")
    assert await plain.text_document_document_symbol_async(DocumentSymbolParams(prose.document)) is None
    assert (
        await plain.text_document_formatting_async(DocumentFormattingParams(prose.document, FormattingOptions(2, True)))
        is None
    )
    prose.close()
    # Anything about them would come first.
    plan = new(plain, "Some prose.\n", "file:///home/me/app/planspec/a.md", "markdown")
    while (found := await told(plain)).uri != plan.uri:
        assert found.uri != prose.uri
    assert said([*found.diagnostics]) == [("PS101", 0), ("PS201", 0), ("PS205", 0)]


async def test_a_client_that_asks_for_findings_gets_them_so(able: Client) -> None:
    editor = new(able, FAULTY)
    report = await able.text_document_diagnostic_async(DocumentDiagnosticParams(editor.document))
    assert isinstance(report, RelatedFullDocumentDiagnosticReport)
    assert said([*report.items]) == [("PS104", 0), ("PS110", 3)]
    editor.change(OUTSIDE)
    report = await able.text_document_diagnostic_async(DocumentDiagnosticParams(editor.document))
    assert isinstance(report, RelatedFullDocumentDiagnosticReport)
    # It wants infos, too.
    assert said([*report.items]) == [("PS307", 4)]
    editor.close()
    # What was sent without being asked for would come before this answer.
    assert await able.text_document_hover_async(HoverParams(editor.document, Position(2, 0))) is None
    assert able.diagnostics == {}


async def test_what_a_folder_is_called_says_nothing(able: Client) -> None:
    editor = new(able, "Some prose.\n", "file:///home/me/planspec/README.md", "markdown")
    report = await able.text_document_diagnostic_async(DocumentDiagnosticParams(editor.document))
    assert isinstance(report, RelatedFullDocumentDiagnosticReport)
    assert [*report.items] == []


async def test_a_long_text_is_not_read(plain: Client) -> None:
    editor = new(plain, "> x" * 700_000)
    assert said(await editor.found()) == [("PS121", 0)]


async def test_there_are_not_too_many_findings(plain: Client) -> None:
    editor = new(plain, "x\n" * 500)
    found = await editor.found()
    assert (len(found), found[-1].code) == (201, "PS120")
    assert found[-1].message.startswith("300 more findings are not listed")


# ---------------------------------------------------------------- two languages at once


async def test_each_document_is_checked_as_what_it_is(plain: Client) -> None:
    plan, hop = new(plain), new(plain, DOCUMENT, "untitled:hop", "hopspec")
    assert await hop.found() == []
    # Each text is a poor one of the other language.
    for editor, text, family in ((plan, DOCUMENT, "PS"), (hop, PLAN, "HS")):
        editor.change(text)
        assert {code[:2] for code, _ in said(await editor.found())} == {family}
    hop.close()
    # Of the plan nothing is forgotten, and the other may become one of its language.
    plan.change(FAULTY)
    assert len(await plan.found()) == 2
    hop.open(PLAN)
    hop.change(FAULTY)
    assert len(await hop.found()) == 2


# ---------------------------------------------------------------- fixes


async def actions(editor: Editor, place: Range, *only: str) -> list[CodeAction]:
    params = CodeActionParams(editor.document, place, CodeActionContext([], only=only or None))
    found = await editor.client.text_document_code_action_async(params)
    assert found is not None
    return [one for one in found if isinstance(one, CodeAction)]


async def test_a_fault_has_its_fix(plain: Client) -> None:
    editor = new(plain, FAULTY)
    await editor.found()
    [quick, everything] = await actions(editor, here(3, 0))
    assert (quick.title, quick.kind, quick.is_preferred) == ("write `2. [act] Carry → moved`", "quickfix", True)
    assert edits_of(quick.edit, editor) == [TextEdit(here(3, 0, to=22), "2. [act] Carry → moved")]
    # A client that does not ask for it later gets all of it now.
    assert everything.kind == "source.fixAll.planspec"
    [edit] = edits_of(everything.edit, editor)
    assert (edit.range, edit.new_text) == (Range(Position(0, 0), Position(4, 0)), PLAN[: PLAN.index("  > ←")])


@pytest.mark.parametrize(
    ("place", "is_offered"),
    [
        (here(3, 1), True),
        (here(3, 2), True),
        (here(3, 3), False),
        (here(3, 1, to=22), True),
        (Range(Position(2, 0), Position(3, 0)), True),
        (Range(Position(1, 0), Position(2, 22)), False),
    ],
)
async def test_a_fix_is_offered_where_the_cursor_or_a_selection_touches_the_fault(
    plain: Client, place: Range, is_offered: bool
) -> None:
    assert bool(await actions(new(plain, FAULTY), place, "quickfix")) is is_offered


async def test_a_fix_that_guesses_says_so(plain: Client) -> None:
    editor = new(plain, f"{PLAN}Well, that is it.\n")
    await editor.found()
    [quick] = await actions(editor, here(5, 3), "quickfix")
    assert quick.title.endswith(" (look at what it drops or guesses)")
    assert quick.is_preferred is False


async def test_all_fixes_are_made_once_they_are_chosen(able: Client) -> None:
    editor = new(able, FAULTY)
    [everything] = await actions(editor, here(0, 0), "source.fixAll")
    assert everything.edit is None
    made = await able.code_action_resolve_async(everything)
    [edit] = edits_of(made.edit, editor)
    lines = FAULTY.splitlines(keepends=True)
    start, end = edit.range.start, edit.range.end
    assert (start.character, end.character) == (0, 0)
    text = "".join(lines[: start.line]) + edit.new_text + "".join(lines[end.line :])
    assert text == fix_text(FAULTY).text == PLAN
    editor.change(PLAN)
    with pytest.raises(JsonRpcException, match="the document has changed since this was offered"):
        await able.code_action_resolve_async(everything)


async def test_there_is_nothing_to_fix_in_what_is_right(plain: Client) -> None:
    editor = new(plain)
    assert await actions(editor, here(0, 0)) == []
    assert await actions(editor, here(2, 0), "quickfix", "source") == []
    assert await actions(new(plain, FAULTY), here(3, 0), "refactor") == []


async def test_the_canonical_form(plain: Client) -> None:
    options = FormattingOptions(8, insert_spaces=False)
    editor = new(plain, PLAN.replace("2. [act] Carry", "2.   [ ]  [act] Carry").replace("\n", "\r\n"))
    made = await plain.text_document_formatting_async(DocumentFormattingParams(editor.document, options))
    assert [*(made or ())] == [TextEdit(Range(Position(3, 0), Position(4, 0)), "2. [act] Carry → moved\r\n")]
    for text in (PLAN, FAULTY):
        editor = new(plain, text)
        assert not await plain.text_document_formatting_async(DocumentFormattingParams(editor.document, options))


# ---------------------------------------------------------------- names


async def test_names_lead_to_their_places(plain: Client) -> None:
    editor = new(plain)
    at = Position(4, 6)
    found = await plain.text_document_definition_async(DefinitionParams(editor.document, at))
    assert isinstance(found, (list, tuple))
    # After two ideographs of a unit each and an emoji of two.
    assert [getattr(one, "range", None) for one in found] == [here(2, 17, to=22)]
    params = ReferenceParams(ReferenceContext(include_declaration=True), editor.document, at)
    places = await plain.text_document_references_async(params)
    assert [one.range for one in places or ()] == [here(2, 17, to=22), here(4, 6, to=11)]


async def test_a_variable_gets_another_name(plain: Client) -> None:
    editor = new(plain)
    at = Position(4, 6)
    offered = await plain.text_document_prepare_rename_async(PrepareRenameParams(editor.document, at))
    assert offered == PrepareRenamePlaceholder(here(4, 6, to=11), "boxes")
    edit = await plain.text_document_rename_async(RenameParams(editor.document, at, "crates"))
    # This client knows no versions in edits.
    assert edit is not None
    assert edit.document_changes is None
    assert edits_of(edit, editor) == [
        TextEdit(here(2, 17, to=22), "crates"),
        TextEdit(here(4, 6, to=11), "crates"),
    ]
    with pytest.raises(JsonRpcException) as error:
        await plain.text_document_rename_async(RenameParams(editor.document, at, "moved"))
    assert (error.value.code, error.value.message) == (
        -32803,
        "there is a variable `moved` already, and the two would be one",
    )
    nowhere = Position(0, 0)
    assert await plain.text_document_prepare_rename_async(PrepareRenameParams(editor.document, nowhere)) is None
    assert await plain.text_document_rename_async(RenameParams(editor.document, nowhere, "x")) is None


async def test_all_places_of_a_name_are_highlighted(plain: Client) -> None:
    editor = new(plain)
    params = DocumentHighlightParams(editor.document, Position(4, 7))
    found = await plain.text_document_document_highlight_async(params)
    write, read = DocumentHighlightKind.Write, DocumentHighlightKind.Read
    assert [(one.range, one.kind) for one in found or ()] == [(here(2, 17, to=22), write), (here(4, 6, to=11), read)]
    params = DocumentHighlightParams(editor.document, Position(0, 1))
    assert not await plain.text_document_document_highlight_async(params)


async def test_a_step_is_marked_as_done(plain: Client, able: Client) -> None:
    for client in (plain, able):
        editor = new(client)
        context = CodeActionContext([], only=["refactor.rewrite"])
        params = CodeActionParams(editor.document, here(4, 2), context)
        [action] = await client.text_document_code_action_async(params) or []
        assert isinstance(action, CodeAction)
        assert action.title == "Mark step 2 as done"
        if action.edit is None:
            action = await client.code_action_resolve_async(action)
        [edit] = edits_of(action.edit, editor)
        assert (edit.range, edit.new_text) == (Range(Position(3, 0), Position(4, 0)), "2. [x] [act] Carry → moved\n")
        for text, line in ((PLAN, 0), (PLAN.replace("2. [act]", "2. [x] [act]"), 3), (FAULTY, 3)):
            params = CodeActionParams(new(client, text).document, here(line, 2), context)
            assert not await client.text_document_code_action_async(params)


async def test_parts_of_a_text_change_one_after_the_other(plain: Client) -> None:
    editor = new(plain, FAULTY)
    assert len(await editor.found()) == 2
    about = VersionedTextDocumentIdentifier(version=2, uri=editor.uri)
    changes = [
        TextDocumentContentChangePartial(range=here(3, 1, to=2), text="."),
        TextDocumentContentChangePartial(range=here(0, 4, to=5), text=": "),
        TextDocumentContentChangePartial(range=Range(Position(5, 0), Position(9, 9)), text="3. [act] 🚚 → x\n"),
        TextDocumentContentChangePartial(range=here(5, 11, to=11), text="Drive"),
    ]
    plain.text_document_did_change(DidChangeTextDocumentParams(about, changes))
    editor.version = 2
    assert await editor.found() == []
    [symbol] = (await plain.text_document_document_symbol_async(DocumentSymbolParams(editor.document)) or [])[-1:]
    assert symbol.name == "3. 🚚Drive"


async def test_an_edit_is_for_one_version(able: Client) -> None:
    editor = new(able)
    editor.change(PLAN)
    edit = await able.text_document_rename_async(RenameParams(editor.document, Position(4, 8), "crates"))
    assert edit is not None
    assert edit.changes is None
    assert len(edits_of(edit, editor)) == 2


# ---------------------------------------------------------------- looking


async def test_hover_is_plain_text(plain: Client) -> None:
    editor = new(plain, PLAN.replace("Carry", "[Carry](http://evil) <b>"))
    found = await plain.text_document_hover_async(HoverParams(editor.document, Position(4, 0)))
    assert isinstance(found, Hover)
    words = "Step 2: pending\nact: to do or to make something\nNeeds boxes from step 1 (pending)\nGives moved, "
    assert found.contents == MarkupContent(MarkupKind.PlainText, f"{words}which no step takes")


async def test_symbols_and_folds(plain: Client) -> None:
    editor = new(plain)
    symbols = await plain.text_document_document_symbol_async(DocumentSymbolParams(editor.document))
    assert [(one.name, one.range) for one in symbols or () if isinstance(one, DocumentSymbol)] == [
        ("Goal", here(0, 6, to=15)),
        ("1. 打包 📦", here(2, 0, to=22)),
        ("2. Carry", Range(Position(3, 0), Position(4, 11))),
    ]
    folds = await plain.text_document_folding_range_async(FoldingRangeParams(editor.document))
    assert [(one.start_line, one.end_line) for one in folds or ()] == [(3, 4)]


async def test_candidates_take_the_place_of_what_is_typed(plain: Client) -> None:
    editor = new(plain, PLAN + "3. [re\n")
    found = await plain.text_document_completion_async(CompletionParams(editor.document, Position(5, 6)))
    assert isinstance(found, CompletionList)
    assert [one.label for one in found.items][-4:] == ["[reason]", "[act]", "[decide]", "[subtask]"]
    assert all(one.filter_text == one.label for one in found.items)
    assert found.items[-1].text_edit == TextEdit(here(5, 3, to=6), "[subtask]")
    assert found.is_incomplete is False


async def test_many_candidates_come_bit_by_bit(plain: Client) -> None:
    editor = new(plain, "".join(f"{n}. [act] x → v{n}\n" for n in range(1, 302)) + "302. [act] y\n> ← v30\n")
    found = await plain.text_document_completion_async(CompletionParams(editor.document, Position(302, 7)))
    assert isinstance(found, CompletionList)
    assert (found.is_incomplete, len(found.items)) == (True, 200)
    assert [one.label for one in found.items[:4]] == ["v30", "v300", "v301", "v1"]


# ---------------------------------------------------------------- strange clients


async def test_positions_outside_of_the_text(plain: Client) -> None:
    editor = new(plain)
    for at in (Position(99, 0), Position(0, 9999), Position(2**31 - 1, 2**31 - 1)):
        await plain.text_document_hover_async(HoverParams(editor.document, at))
        assert await plain.text_document_prepare_rename_async(PrepareRenameParams(editor.document, at)) is None


async def test_versions_that_are_not_counted(plain: Client) -> None:
    editor = new(plain)
    assert await editor.found() == []
    for text, codes in ((PLAN.replace("2. [act]", "2) [act]"), [("PS110", 3)]), (PLAN, [])):
        editor.change(text, version=1)
        assert said(await editor.found()) == codes


async def test_a_document_that_is_not_open(plain: Client) -> None:
    editor = Editor(plain, "file:///etc/passwd")
    editor.change(PLAN)
    editor.close()
    assert await plain.text_document_hover_async(HoverParams(editor.document, Position(0, 0))) is None
    assert await new(plain).found() == []
