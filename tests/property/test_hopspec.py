"""HopSpec documents: what is written reads back, in both languages, and no text makes a reader raise."""

from __future__ import annotations

from hypothesis import given

from planspec_lark import iter_steps, parse_plan, serialize_plan
from planspec_lark.hopspec import HopSpec, hopspec_to_plan, parse_hopspec, plan_to_hopspec, serialize_hopspec
from planspec_lark.hopspec.models import iter_infos
from planspec_lark.hopspec.vocabulary import LANGUAGES
from tests.hopspec.documents import any_documents, changed_texts, documents, texts
from tests.hopspec.promises import hopspec_is_read, hopspec_readers_agree


@given(documents)
def test_what_is_written_reads_back(document: HopSpec) -> None:
    for language in LANGUAGES:
        text = serialize_hopspec(document, language=language)
        again = parse_hopspec(text)
        assert again == document
        assert serialize_hopspec(again, language=language) == text
        assert not document.steps or again.language == language


@given(any_documents)
def test_what_no_text_could_say_is_refused_by_the_name_of_its_field(document: HopSpec) -> None:
    try:
        text = serialize_hopspec(document)
    except ValueError as error:
        field = str(error).partition(":")[0]
        assert any(hasattr(one, field) for one in (document, *document.steps))
        return
    assert parse_hopspec(text) == document


@given(texts)
def test_any_text_is_read(text: str) -> None:
    hopspec_is_read(text)


@given(changed_texts)
def test_all_readers_agree(text: str) -> None:
    hopspec_readers_agree(text)


@given(documents)
def test_a_document_becomes_a_plan_and_comes_back_but_for_what_is_named(document: HopSpec) -> None:
    try:
        plan, losses = hopspec_to_plan(document)
    except ValueError:
        # A type that there is not, or a name that no plan can hold.
        return
    text = serialize_plan(plan)
    assert parse_plan(text) == plan
    again, dropped = plan_to_hopspec(plan)
    for step in iter_steps(plan):
        # Of a text of several lines, a document has no place for what is detail of a plan's step.
        if (step.step_id, "detail") in {(loss.step_id, loss.field) for loss in dropped}:
            step.detail = []
    assert hopspec_to_plan(again)[0] == plan
    lost = {(loss.step_id, loss.field) for loss in losses}
    for info in iter_infos(document.steps):
        for name in ("verifier", "return_format", "comments", "solidified_path"):
            is_named = (info.step_id, name) in lost or (info.step_id, "") in lost
            assert is_named == bool(getattr(info, name)) or (info.step_id, "") in lost or info.step_type == "flow"
