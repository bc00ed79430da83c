"""The canonical grammar of HopSpec documents: its texts are what the printer writes, and have what their types need."""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest
from llguidance import LLMatcher

from planspec_lark.constrained import export_grammar
from planspec_lark.hopspec import StepInfo, check_hopspec, parse_hopspec, serialize_hopspec
from planspec_lark.hopspec.models import STEP_TYPES, Mode
from planspec_lark.hopspec.vocabulary import LANGUAGES, Language
from planspec_lark.syntax import grammars
from tests.constrained.engines import Guide, lark_accepts
from tests.corpus import FIXTURES, read

# What no such grammar can say: that numbers and names differ, that a number starts with that of the step above, what is
# known at a step, and that a loop is around.
BEYOND = {"HS209", "HS211", "HS212", "HS216", "HS218", "HS219", "HS220"}


@cache
def exported(words: Language) -> tuple[str, Guide]:
    text = export_grammar("lark", language="hopspec", words=words, depth=4)
    return text, Guide(LLMatcher.grammar_from_lark(text))


def renumber(text: str) -> str:
    """The same text with the numbers that its steps have by their indentation, as far as there are steps above."""
    counts: list[int] = []

    def number(heading: re.Match[str]) -> str:
        level = min(len(heading[1]) // 2, len(counts))
        del counts[level + 1 :]
        counts[level:] = [counts[level] + 1 if len(counts) > level else 1]
        return f"{heading[1]}{heading[2]}{'.'.join(map(str, counts))}: "

    return re.sub(r"^( *)(#### (?:步骤|Step))[0-9.]+: ", number, text, flags=re.MULTILINE)


@pytest.mark.parametrize("words", LANGUAGES)
@pytest.mark.parametrize("seed", range(4))
def test_what_it_lets_through_is_canonical(words: Language, seed: int) -> None:
    grammar, guide = exported(words)
    text = guide.sample(Random(seed), least=1500, most=60_000)
    assert lark_accepts(grammar, text)
    text = renumber(text)
    document = parse_hopspec(text)
    assert document.language == words
    assert serialize_hopspec(document) == text
    assert {one.code for one in check_hopspec(text) if one.severity.value == "error"} <= BEYOND


# Those that have all sections, and no values of several lines, comments, labels and titles.
PLAIN = ("zh_one_step", "en_one_step", "zh_seq_think", "mixed_languages", "crlf_and_byte_order_mark", "plain_types")


@pytest.mark.parametrize("name", PLAIN)
def test_it_lets_plain_documents_through(name: str) -> None:
    document = parse_hopspec(read(FIXTURES / "hopspec" / "valid" / f"{name}.md"))
    source = grammars.grammar_path("hopspec_canonical").read_text(encoding="utf-8")
    for words in LANGUAGES:
        text = serialize_hopspec(document, language=words)
        grammar, guide = exported(words)
        assert lark_accepts(grammar, text)
        assert lark_accepts(source, text)
        assert guide.accepts(text)
        other = serialize_hopspec(document, language="en" if words == "zh" else "zh")
        assert not lark_accepts(grammar, other)
        assert not guide.accepts(other)


def step_with(step_type: str, mode: str, *, is_full: bool) -> StepInfo:
    """A step that has all that its type and mode need, and if it is full all that they may have."""
    kind = STEP_TYPES[step_type]
    own = kind.modes.get(mode, Mode())
    names = {*kind.required, *own.required}
    # What the grammar asks for besides.
    names |= {"verifier"} if step_type == "LLM" else {"max_iterations"} if mode == "while" else set()
    if is_full:
        names |= {*kind.optional, *own.optional}
    step = StepInfo("1", "work", step_type)
    for name in names:
        default = getattr(step, name)
        setattr(step, name, ["code", "LLM"] if default == [] else 2 if default is None else "reverse")
    if kind.chooser:
        setattr(step, kind.chooser, mode)
    if kind.is_container and own.is_container:
        step.children = [StepInfo("1.1", "read", "code", description="Read", outputs=["page"])]
    return step


@pytest.mark.parametrize("is_full", [False, True])
@pytest.mark.parametrize("words", LANGUAGES)
@pytest.mark.parametrize(
    ("step_type", "mode"), [(name, mode) for name, kind in STEP_TYPES.items() for mode in kind.modes or [""]]
)
def test_a_step_may_have_all_that_its_type_allows(step_type: str, mode: str, words: Language, *, is_full: bool) -> None:
    document = parse_hopspec(read(FIXTURES / "hopspec" / "valid" / "en_one_step.md"))
    step = step_with(step_type, mode, is_full=is_full)
    step.inputs, step.outputs = (["logbook"] if names else [] for names in (step.inputs, step.outputs))
    if step_type == "flow":
        around = StepInfo("1", "around", "branch", condition="true", children=[step])
        step.step_id, step = "1.1", around
    document.steps[0] = step
    text = serialize_hopspec(document, language=words)
    assert parse_hopspec(text) == document
    grammar, guide = exported(words)
    assert lark_accepts(grammar, text)
    assert guide.accepts(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- Output: report\n- Ver", "- Ver"),
        ("- Input: logbook\n", ""),
        ("- Type: LLM", "- Type: llm"),
        ("- Task: Sort", "- task: Sort"),
        ("- Action: exit", "- Action: break"),
        ("#### Step2: ", "#### Step2"),
        ("## Hard Constraints", "## Constraints"),
        ("- Task: Sort the notes by month\n- Input: logbook\n", "- Input: logbook\n- Task: Sort the notes by month\n"),
    ],
)
def test_it_refuses_what_a_step_lacks_and_other_spellings(before: str, after: str) -> None:
    text = serialize_hopspec(parse_hopspec(read(FIXTURES / "hopspec" / "valid" / "en_one_step.md")))
    grammar, guide = exported("en")
    assert lark_accepts(grammar, text)
    broken = text.replace(before, after, 1)
    assert broken != text
    assert not lark_accepts(grammar, broken)
    assert not guide.accepts(broken)
