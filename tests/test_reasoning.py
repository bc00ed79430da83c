"""What a model writes between tags such as `<think>` and `</think>` is no answer, to whatever reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen
from hypothesis import example, given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import (
    PlanSpec,
    PlanStep,
    PlanStream,
    PlanSyntaxError,
    Severity,
    extract_plan,
    parse_plan,
    parse_plan_commands,
    render_all,
    scan_plan,
    scan_plan_commands,
    serialize_commands,
    serialize_plan,
)
from planspec_lark.engine import read_execution, read_reflection, read_replan
from planspec_lark.json_text import read_json, scan_json
from planspec_lark.plan_next import scan_message
from tests import strategies
from tests.answers.scripted import answered
from tests.cases import in_one_test
from tests.property import promises, streams

# ---------------------------------------------------------------- shapes and readers

# Name → a text with reasoning in it, which says {evil}, and an answer, which says {good}.
SHAPES = {
    "in one line": "<think>{evil}</think>\n{good}",
    "in lines of its own": "<think>\n{evil}\n</think>\n\n{good}",
    "in front of the answer's first line": "<think>\n{evil}\n</think>{good}",
    "in capitals": "<THINK>\n{evil}\n</Think>\n{good}",
    "thinking": "<thinking>\n{evil}\n</thinking>\n{good}",
    "thought": "<thought>\n{evil}\n</thought>\n{good}",
    "reasoning": "<reasoning>\n{evil}\n</reasoning>\n{good}",
    "thoughts": "<thoughts>\n{evil}\n</thoughts>\n{good}",
    "analysis": "<analysis>\n{evil}\n</analysis>\n{good}",
    "scratchpad": "<scratchpad>\n{evil}\n</scratchpad>\n{good}",
    "with a prefix": "<seed:think>\n{evil}\n</seed:think>\n{good}",
    "in a channel": "<|channel|>analysis<|message|>{evil}\n<|end|>\n{good}",
    "in a channel before the final one": (
        "<|channel|>analysis<|message|>{evil}<|end|><|start|>assistant<|channel|>final<|message|>{good}"
    ),
    "in two channels": (
        "<|start|>assistant<|channel|>analysis<|message|>{evil}<|end|>\n<|start|>assistant<|channel|>commentary<|message|>"
        "{evil}<|end|>\n<|start|>assistant<|channel|>final <|constrain|>text<|message|>\n{good}"
    ),
    "reflection": "<reflection>\n{evil}\n</reflection>\n{good}",
    "in brackets": "[THINK]{evil}\n[/THINK]\n{good}",
    "between triangles": "◁think▷{evil}\n◁/think▷{good}",
    "with attributes": "<think effort=\"high\" n='1'>\n{evil}\n</think>\n{good}",
    "indented": "  \t<think>\n{evil}\n    </think>\n{good}",
    "several": "<think>a</think>\n<think>\n{evil}\n</think>\n<think>\n{evil}\n</think>\n{good}",
    "behind the answer": "{good}\n<think>\n{evil}\n</think>\n",
    "nested": "<think>\n<reasoning>\n{evil}\n</reasoning>\n{evil}\n</think>\n{good}",
    "doubled": "<think><think>\n{evil}\n</think></think>\n{good}",
    "not opened": "{evil}\n</think>\n{good}",
    "not opened, in a sentence": "{evil}\nThat will do.</think>\n\n{good}",
    "not opened, in a list": "I consider:\n\n{evil}\n- nothing else.</think>\n{good}",
    "not opened, twice": "{evil}\n</think>\n{evil}\n</think>\n{good}",
    "not closed": "{good}\n<think>\n{evil}",
    "not closed in a sentence": "{good}\n\nOne moment. <think>Rather:\n{evil}",
    "not closed, twice": "{good}\n<think>\n<think>\n{evil}\n</think>\n{evil}",
    "a closing tag inside": "<think>\nI close with </think>, then\n{evil}\n</think>\n{good}",
    "a closing tag that is only mentioned": "<think>\nI close with `</think>`, then\n{evil}\n</think>\n{good}",
    "behind a byte-order mark": "\ufeff<think>\n{evil}\n</think>\n{good}",
}

PLAN = (
    "Goal: Paint the <think> sign\n## Steps\n1. [act] Sand it → wood\n2. [subtask] Paint it\n  2.1. [act] Buy paint\n"
)
OTHER_PLAN = "# Plan: Other\nGoal: Burn it\n## Steps\n1. [act] Find matches\n7. [act] Burn the sign\n"
FAULTY = "Goal: Paint the sign\n## Steps\n1. Sand it\n2. [act] Paint it\n"
COMMANDS = "PLAN_CMD: DONE 1 | explained </think>\nPLAN_CMD: REVISE 2.1 [act] Buy <think> green\n> Two </think> litres."
OTHER_COMMANDS = "PLAN_CMD: SKIP 2\nPLAN_CMD: ADD 3 [act] Burn it\n> Now."
MESSAGE, OTHER_MESSAGE = (
    json.dumps(
        {
            "type": "plan-next",
            "plan_type": "PLAN_STEPS",
            "new_block": {
                "goal": {"intent": "paint", "deliverable": "a sign", "metric": "green", "constraint": "dry"},
                "plan": ["Sand the sign", f"{word} the </think> sign", "Hang the sign"],
                "done": [],
            },
            "success_signal": "it is green",
        }
    )
    for word in ("Paint", "Burn")
)
PLANNED = parse_plan(PLAN)
STEP = PlanStep("1", step_type="act", description="Sand it", outputs=["wood"])


@frozen
class Reader:
    """What reads an answer, an answer to it, and another one that a model may have thought of."""

    read: Callable[[str], Any]
    good: str
    evil: str


def _stream(text: str) -> PlanSpec:
    stream = PlanStream()
    for character in text:
        stream.feed(character)
    return stream.finish().result.plan


def _reflect(text: str) -> Any:
    found = read_reflection(text, PLANNED, PLANNED.steps[1].children[0], can_interact=True)
    return found.decision, found.reason, found.commands


READERS = {
    "parse_plan_commands": Reader(parse_plan_commands, COMMANDS, OTHER_COMMANDS),
    "scan_plan_commands": Reader(lambda text: scan_plan_commands(text).commands, COMMANDS, OTHER_COMMANDS),
    "scan_plan": Reader(lambda text: scan_plan(text).plan, PLAN, OTHER_PLAN),
    "extract_plan": Reader(lambda text: extract_plan(text).text, PLAN, OTHER_PLAN),
    "PlanStream": Reader(_stream, PLAN, OTHER_PLAN),
    "read_reflection": Reader(_reflect, "RETRY | the <think> shop is open", "ACCEPT\nPLAN_CMD: SKIP 2.1"),
    "read_replan": Reader(lambda text: read_replan(text, PLANNED).commands, "PLAN_CMD: REPLAN 2", OTHER_COMMANDS),
    "scan_message": Reader(lambda text: scan_message(text, "planning").message, MESSAGE, OTHER_MESSAGE),
    "read_execution": Reader(
        lambda text: read_execution(text, STEP).answer,
        '{"status": "OK", "result": "no <think>", "outputs": {"wood": "oak"}}',
        '{"status": "FAIL", "result": "no wood"}',
    ),
    "scan_json": Reader(lambda text: scan_json(text).value, '{"a": "<think>"}', '{"b": [1, 2]}'),
    "repair_plan": Reader(
        lambda text: answered(FAULTY, text).text,
        "LINE 3: 1. [act] Sand <think> it",
        "LINE 3: 1. [act] Burn it\nLINE 4:",
    ),
}
each_reader = pytest.mark.parametrize("reader", READERS.values(), ids=READERS)


def write(shape: str, reader: Reader) -> str:
    return SHAPES[shape].format(good=reader.good, evil=reader.evil)


@in_one_test
@each_reader
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("shape", SHAPES)
def test_reasoning_says_nothing(reader: Reader, shape: str, line_end: str) -> None:
    expected = reader.read(reader.good)
    assert expected
    assert reader.read(reader.evil) != expected
    assert reader.read(write(shape, reader).replace("\n", line_end)) == expected


@each_reader
def test_reasoning_alone_says_nothing(reader: Reader) -> None:
    for text in (f"<think>\n{reader.evil}\n</think>\n", f"<think>\n{reader.evil}", f"{reader.evil}\n</think>"):
        assert str(reader.read(text)) == str(reader.read("Hm.\n"))


# ---------------------------------------------------------------- nothing in silence

_LISTS: dict[str, Callable[[str], Any]] = {
    "scan_plan": lambda text: scan_plan(text).diagnostics,
    "scan_plan_commands": lambda text: scan_plan_commands(text).diagnostics,
    "extract_plan": lambda text: [
        *(entry.diagnostic for entry in extract_plan(text).repairs),
        *extract_plan(text).notes,
    ],
    "read_reflection": lambda text: (
        read_reflection(text, PLANNED, PLANNED.steps[1].children[0], can_interact=True).diagnostics
    ),
    "read_replan": lambda text: read_replan(text, PLANNED).diagnostics,
    "scan_message": lambda text: scan_message(text, "planning").diagnostics,
    "read_execution": lambda text: read_execution(text, STEP).diagnostics,
    "scan_json": lambda text: scan_json(text).diagnostics,
    "repair_plan": lambda text: answered(FAULTY, text).diagnostics,
}


@pytest.mark.parametrize("name", _LISTS)
def test_every_block_is_listed_with_its_place(name: str) -> None:
    reader = READERS[name]
    text = f"Hm.\n</think>\n{reader.good}\n<Think>a\nb</Think>\n<reflection>{reader.evil}"
    found = [one for one in _LISTS[name](text) if one.code == "PS125"]
    last = 4 + reader.good.count("\n")
    assert [(one.line, one.severity) for one in sorted(found, key=lambda one: one.line)] == [
        (1, Severity.WARNING),
        (last, Severity.INFO),
        (last + 2, Severity.WARNING),
    ]
    written = [text[one.span.start : one.span.end] for one in found if one.severity is Severity.INFO]
    assert written == ["<Think>a\nb</Think>"]


def test_a_caller_that_gets_commands_alone_finds_blocks_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "planspec_lark")
    assert len(parse_plan_commands("PLAN_CMD: DONE 1\n<think>\nPLAN_CMD: DONE 2\n</think>\n")) == 1
    assert caplog.messages == ["line 2 skipped: PS125 left out: a reasoning block: <think>"]


def test_what_is_said_of_blocks(snapshot: SnapshotAssertion) -> None:
    text = f"Hm.\n</think>\n{PLAN}<think>\na\n</think>\n<reflection>b"
    assert render_all(scan_plan(text, name="answer.md").diagnostics) == snapshot(name="tolerantly")
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(text, name="answer.md")
    assert str(caught.value) == snapshot(name="strictly")


@pytest.mark.parametrize("shape", SHAPES)
def test_strict_readers_refuse_reasoning(shape: str) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(write(shape, READERS["scan_plan"]))
    assert {found.code for found in caught.value.diagnostics} >= {"PS125"}
    assert all(found.severity is Severity.ERROR for found in caught.value.diagnostics if found.code == "PS125")
    found = read_json(write(shape, READERS["scan_json"]))
    assert {one.code for one in found.diagnostics if one.severity is Severity.ERROR} >= {"PS125"}


def test_reasoning_with_a_tag_at_one_end_is_a_risk() -> None:
    for text in (f"Hm.\n</think>\n{PLAN}", f"{PLAN}<think>\nHm."):
        assert extract_plan(text).is_usable
        assert not extract_plan(text, max_risk="low").is_usable
    assert extract_plan(f"<think>Hm.</think>\n{PLAN}", max_risk="none").is_usable


# ---------------------------------------------------------------- what is text

TEXTS = [
    "Goal: Strip <think> and </think>\n## Steps\n1. [act] Explain the <think> tag\n  > detail with </think>\n",
    "# Plan: <think>\nGoal: </think>\n> <think>\nConstraints:\n- </think>\n- <think>\n## Steps\n1. [act] a\n",
    "Goal: <think>\n\n\n> </think>\n## Steps\n2. [x] [act] a </think> → b | <think> | Progress: 1/2\n> ← c\n> <think>",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_tag_in_a_plan_is_text(text: str) -> None:
    plan = parse_plan(text)
    assert "think" in serialize_plan(plan)
    assert scan_plan(text).plan == plan
    assert scan_plan(text).diagnostics == []
    # The same in an answer, and where its lines have to be repaired.
    assert scan_plan(f"Here it is.\n\n```\n{text.rstrip()}\n```\n").plan == plan
    assert scan_plan(text.replace("1. [", "1) [")).plan == plan


def test_a_tag_in_a_command_is_text() -> None:
    text = "PLAN_CMD: DONE 1 | explained <think>\nPLAN_CMD: ADD 2 [act] Close </think>\n> <think>\nPLAN_CMD: DONE 3\n"
    commands = parse_plan_commands(text)
    assert [(one.op, one.result, one.description, one.detail) for one in commands] == [
        ("DONE", "explained <think>", "", []),
        ("ADD", "", "Close </think>", ["<think>"]),
        ("DONE", "", "", []),
    ]
    # Directly after an id there is no text.
    assert parse_plan_commands("PLAN_CMD: DONE 1</think>\nPLAN_CMD: DONE 2\n") == parse_plan_commands(
        "PLAN_CMD: DONE 2\n"
    )


def test_a_type_is_no_tag() -> None:
    steps = "1. [THINK] Compare\n2) [THINK] Choose\n- [THINK] Rest\n"
    assert [one.code for one in scan_plan(f"Goal: Go\n## Steps\n{steps}").diagnostics if one.code == "PS125"] == []
    assert scan_plan(f"Goal: Go\n## Steps\n{steps}[think] Go\n").diagnostics[-1].code != "PS125"


@pytest.mark.parametrize(
    "prose",
    ["The `<think>` tag.", 'Say "</think>".', "A “<think>” tag", "<thinker>", "< think>", "<think/>", "<br>", "</thin"],
)
def test_a_tag_that_is_only_mentioned_is_text(prose: str) -> None:
    for text in (f"{prose}\nPLAN_CMD: DONE 1\n", f"PLAN_CMD: DONE 1\n{prose}\n"):
        scan = scan_plan_commands(text)
        assert (len(scan.commands), scan.diagnostics) == (1, [])


def test_details_are_text_below_what_they_belong_to_only() -> None:
    for text in ("I think:\n> so.</think>\n", "# A\n- so.</think>\n", "PLAN_CMD: DONE 2\n> so.</think>\n"):
        assert [one.step_id for one in parse_plan_commands(f"PLAN_CMD: DONE 1\n{text}PLAN_CMD: DONE 3\n")] == ["3"]


JSON = {
    '<think>{"a": 1}</think>{"b": 2}': {"b": 2},
    '{"a": 1}</think>{"b": 2}': {"b": 2},
    '{"a": 1} hm </think>\n{"b": 2}\n<think>{"c": 3}': {"b": 2},
    '{"a": 1, "x": \n</think>\n{"b": 2}': {"b": 2},
    '{"a": "<think>", "</think>": [1]}': {"a": "<think>", "</think>": [1]},
    '{"a": "x\n<think>\ny", "b": 2}': {"a": "x\n<think>\ny", "b": 2},
    '{"a": "x <think> y", "a": 2, "b": "\\" </think>"}': {"a": "x <think> y", "b": '" </think>'},
    '{"a": 1,\n<think>hm "</think>\n"b": 2}': {"a": 1, "b": 2},
    '<think>{"a": "</think>"}</think>{"b": 2}': {"b": 2},
    '<think>{"a": "x </think> y"}</think>{"b": 2}': {"b": 2},
    '{"b": 2}<think>{"a": "x </think> y"}</think>': {"b": 2},
    '<think>{"a": "x</think>\n{"b": 2}': {"b": 2},
    '<think>{"a": {</think>{"b": 2}': {"b": 2},
    '[draft]\n</think>\n{"b": 2}': {"b": 2},
}


@pytest.mark.parametrize(("text", "value"), JSON.items(), ids=range(len(JSON)))
def test_reasoning_in_front_of_json(text: str, value: object) -> None:
    assert scan_json(text).value == value


# ---------------------------------------------------------------- the stream


def test_a_stream_holds_back_while_a_block_is_open() -> None:
    stream = PlanStream()
    stream.feed("Goal: g\n## Steps\n1. [act] a\n")
    assert stream.feed("<think>\n2. [act] evil\n> evil\n") == []
    stream.feed("3. [act] evil")
    assert stream.feed("\n</think>\n> good\n") == []
    assert stream.finish().result.plan == parse_plan("Goal: g\n## Steps\n1. [act] a\n> good\n")


def test_a_plan_that_was_told_and_is_reasoning_is_told_anew() -> None:
    text = f"```\n{OTHER_PLAN}```\n</think>\n{PLAN}"
    stream = PlanStream()
    stream.feed(text)
    assert stream.is_settled
    end = stream.finish()
    assert end.result.plan == stream.copy_plan() == parse_plan(PLAN)
    assert [one.code for one in end.result.notes] == ["PS125"]


# ---------------------------------------------------------------- the command line


# ---------------------------------------------------------------- any plan, any commands, any reasoning

_TAGS = st.sampled_from(["think", "THINKING", "thought", "Reasoning", "reflection"])
# No line of it has a tag: what such may do is above.
_thoughts = st.one_of(strategies.soup, strategies.canonical_plans, strategies.canonical_commands).map(
    lambda text: text.replace("<", "")
)


def _wrap(tag: str, more: str, inside: str, inner: str, behind: str) -> str:
    """A block, with another one in it that is directly behind the tag."""
    return f"<{tag}{more}>{inner}{inside}</{tag.lower()}>{behind}"


_flat = st.builds(_wrap, _TAGS, st.sampled_from(["", "", " a='b'"]), _thoughts, st.just(""), st.just(""))
_blocks = st.builds(
    _wrap,
    _TAGS,
    st.sampled_from(["", " a='b'"]),
    _thoughts,
    st.one_of(st.just(""), _flat, _flat.map("\n{}\n".format)),
    st.sampled_from(["\n", "\r\n", "", " ", "\t\n"]),
)


@st.composite
def _interleaved(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> tuple[str, str]:
    """A text, and the same with reasoning between its lines, in front of them, and behind."""
    text = draw(texts)
    rows = text.split("\n")
    places = draw(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["", "  ", "\t"]), _blocks), max_size=4))
    put: dict[int, str] = {}
    for place, lead, block in places:
        at = min(place, len(rows) - 1)
        put[at] = put.get(at, "") + lead + block
    answer = "\n".join(put.get(at, "") + row for at, row in enumerate(rows))
    begin = draw(st.one_of(st.just(""), st.just(""), _thoughts.map("{}\n</think>\n".format)))
    end = draw(st.one_of(st.just(""), st.just(""), _thoughts.map("\n<think>\n{}".format)))
    return text, begin + answer + end


# A sentence ends what may be a plan: the title stands outside of it.
OUTSIDE = "# Plan: t\nConstraints:\nNone that I know of.\n## Steps\n0. [reason]\n"


@given(_interleaved(strategies.canonical_plans))
@example(("## Steps\n1. [a]\n> c\n", "## Steps\n1. [a]\n<think>\n</think>\n> c\n"))
@example((OUTSIDE, f"<think></think>\n{OUTSIDE}"))
@example(("## Steps\n1. [act]\n  > 1. [a]\n2. [x]\n", "## Steps\n1. [act]\n<think>\n</think>  > 1. [a]\n2. [x]\n"))
@example(("## Steps\n1. [b]\n  > 1. [act]\n", "## Steps\n1. [b]\n<think>\n</think>  > 1. [act]\n"))
def test_a_plan_among_reasoning_is_the_plan(both: tuple[str, str]) -> None:
    text, answer = both
    expected, found = scan_plan(text), scan_plan(answer)
    assert found.plan == expected.plan
    # Reasoning parts what stands outside of the plan (PS101) into more stretches.
    codes, wanted = ([one.code for one in scan.diagnostics if one.code != "PS125"] for scan in (found, expected))
    assert [code for code in codes if code != "PS101"] == [code for code in wanted if code != "PS101"]
    assert set(codes) == set(wanted)
    begins = [text[place.span.start] for place in expected.positions.steps.values()]
    assert [answer[place.span.start] for place in found.positions.steps.values()] == begins
    if answer != text:
        error = promises.refusal(answer)
        assert error is not None or not answer.strip()
    streams.ends_as_extracted(answer, [answer])
    streams.is_never_taken_back(answer)
    streams.hope_is_right(answer)


@given(_interleaved(strategies.canonical_commands))
@example(("PLAN_CMD: ADD 1 [a] b\n> c\n", "PLAN_CMD: ADD 1 [a] b\n<think>\n</think>\n> c\n"))
def test_commands_among_reasoning_are_the_commands(both: tuple[str, str]) -> None:
    text, answer = both
    commands = parse_plan_commands(text)
    assert serialize_commands(commands) == text
    scan = scan_plan_commands(answer)
    assert parse_plan_commands(answer) == commands
    # What a tolerant reading takes for something else, it does with reasoning or without.
    expected = scan_plan_commands(text)
    assert scan.commands == expected.commands
    assert [one.code for one in scan.diagnostics if one.code != "PS125"] == [one.code for one in expected.diagnostics]
    assert all(answer[span.start :].startswith("PLAN_CMD:") for span in scan.spans)


@given(_interleaved(strategies.any_plan_text))
def test_any_answer_among_reasoning_keeps_its_promises(both: tuple[str, str]) -> None:
    _, answer = both
    streams.ends_as_extracted(answer, [answer])
    streams.is_never_taken_back(answer)
    promises.nothing_is_lost(answer)
    promises.readers_agree(answer)
    promises.are_placed(scan_plan(answer).diagnostics, answer)
