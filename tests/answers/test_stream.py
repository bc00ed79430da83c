"""Reading a plan while it is being written: what is told when, what waits, and where there is no hope."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import PlanSpec, PlanStep, PlanStream, extract_plan, parse_plan, render
from planspec_lark.answers import PlanEvent, PlanEventKind, Verdict
from planspec_lark.syntax import Limits, Source
from planspec_lark.syntax.source import GrowingSource
from tests.corpus import each
from tests.property import streams

PLAN = "Goal: g\n## Steps\n1. [act] a\n"
SECOND = "# Plan: t\nGoal: h\n## Steps\n1. [act] b\n"


def brief(events: list[PlanEvent]) -> list[str]:
    """Each event in a few words: its kind, and the most telling thing about it."""
    return [f"{event.kind.value} {_say(event)}".rstrip() for event in events]


def _say(event: PlanEvent) -> str:
    if event.diagnostic is not None and event.diagnostic.span is not None:
        return f"{event.diagnostic.code} {event.diagnostic.span.line}"
    if event.step is None:
        return event.text
    step = event.step
    return " ".join([step.step_id, step.description, *step.outputs, *step.inputs, *step.detail])


def told(text: str, **settings: object) -> list[list[str]]:
    """What is told after each line of a text, and what at its end."""
    stream = PlanStream(**settings)  # type: ignore[arg-type]
    rows = [brief(stream.feed(line)) for line in text.splitlines(keepends=True)]
    return [*rows, brief(stream.finish().events)]


# ---------------------------------------------------------------- what is told when


def test_a_part_is_told_when_the_next_one_comes() -> None:
    text = (
        "# Plan: t\nGoal: g\n> why\nConstraints:\n- c\n## Steps\n1. [subtask] a → b\n  > ← x, y\n  > d\n1.1. [act] e\n"
    )
    assert told(text) == [
        *[[]] * 5,
        ["title t", "goal g", "goal_detail why", "constraint c"],
        [],
        [],
        [],
        ["step 1 a b x y d"],
        ["step 1.1 e", "settled"],
    ]


def test_what_lines_below_it_say_is_part_of_a_step() -> None:
    text = "Goal: g\n## Steps\n1. [act] Look\n   at it\n- Outputs: x\n> d\n- Status: done\n2. [act] b\n"
    rows = told(text)
    assert rows[2:7] == [[]] * 5
    assert rows[7][0] == "step 1 Look at it x d"
    assert streams.build(streams.read_all([text])[0]) == extract_plan(text).plan


def test_a_constraint_that_is_wrapped_is_told_as_a_whole() -> None:
    assert told("Goal: g\nConstraints:\n- Keep the wood\n  that is old\n- No glue\n## Steps\n1. [act] a\n")[5] == [
        "goal g",
        "constraint Keep the wood that is old",
        "finding PS126 4",
        "constraint No glue",
    ]


def test_the_last_line_is_told_at_the_end() -> None:
    stream = PlanStream()
    assert brief(stream.feed("Goal: g\n## Steps\n1. [x] n [act] a -> b | r | Progress: 1/2")) == ["goal g"]
    end = stream.finish()
    step = PlanStep("1", "n", "act", "a", outputs=["b"], result="r", status="done", done_count=1, total_count=2)
    assert brief(end.events) == ["step 1 a b", "finding PS305 3", "settled"]
    assert end.result.plan == PlanSpec(goal="g", steps=[step])


def test_a_step_that_was_told_is_not_the_one_that_is_read() -> None:
    stream = PlanStream()
    event = stream.feed(f"{PLAN}2. [act] b\n")[-1]
    assert event.step is not None
    event.step.description = "mine"
    assert stream.copy_plan().steps[0].description == "a"


def test_headings_and_prose_wait_for_a_line_of_a_plan() -> None:
    rows = told("Sure!\n\n# Mend the organ\n\nGoal: g\n## Steps\n1. [act] a\n2. [act] b\nGood luck!\n")
    assert rows[:4] == [[]] * 4
    assert rows[5] == ["title Mend the organ", "goal g"]
    assert rows[7:] == [["step 1 a"], ["step 2 b"], ["settled"]]


def test_a_code_block_is_a_plan_from_its_first_plan_line_on() -> None:
    stream = PlanStream()
    stream.feed(f"```\nx = 1\n```\nHere:\n```\n{PLAN}")
    assert not stream.is_settled
    assert brief(stream.feed("```\n")) == ["step 1 a", "settled"]
    assert stream.is_settled
    assert stream.feed("Any of it may be changed.\n") == []
    end = stream.finish()
    assert (end.result.verdict, end.superseded) == (Verdict.ACCEPTED, False)


def test_what_is_further_on_may_change_which_plan_counts() -> None:
    stream = PlanStream()
    stream.feed(f"```\n{PLAN}```\nOr:\n```\n{SECOND}```\n")
    assert stream.copy_plan() == parse_plan(PLAN)
    end = stream.finish()
    assert (end.superseded, end.result.verdict) == (True, Verdict.NEEDS_REVIEW)
    assert "PS130" in [one.code for one in end.result.holds]


def test_the_end_says_what_takes_the_whole_text() -> None:
    for text, code in ((f"{PLAN}2. [act] TODO\n", "PS127"), (f"{PLAN}4. [act] b\n", "PS302")):
        _, end = streams.read_all([text])
        assert [one.code for one in end.result.holds] == [code]
    stream = PlanStream()
    stream.feed(f"```\n{PLAN}")
    assert [one.code for one in stream.finish(finish_reason="stop").result.holds] == ["PS129"]


def test_a_legend_changes_nothing_and_the_caller_says_what_signs_mean() -> None:
    text = "⏳ means active.\n\nGoal: g\n## Steps\n1. ⏳ [act] a\n2. [act] b\n"
    stream = PlanStream(signs={"⏳": "active"})
    events = [*stream.feed(text), *stream.finish().events]
    assert [event.step.status.value for event in events if event.step] == ["active", "pending"]
    assert stream.finish().result.is_usable


@pytest.mark.parametrize("text", ["", "\ufeff", " \n", "\r\n", "I would rather not.\n"])
def test_nothing_is_no_plan(text: str) -> None:
    stream = PlanStream()
    assert stream.feed(text) == []
    end = stream.finish()
    assert (end.result.plan, end.result.verdict, end.superseded) == (PlanSpec(), Verdict.REFUSED, False)
    assert brief(end.events) == ["settled"]
    assert not stream.is_hopeless


def test_escapes_and_json_are_read_at_the_end() -> None:
    stream = PlanStream()
    assert stream.feed("\\# Plan: t\nGoal: g\n\\## Steps\n1\\. \\[act\\] a\n") == []
    assert stream.finish().result.plan.steps[0].description == "a"


# ---------------------------------------------------------------- hope


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (f"{PLAN}1. [act] again\n", "PS117", 4),
        (f"{PLAN}2. no type\n", "PS112", 4),
        (f"```\n{PLAN}so it was\n2. [act] b\n", "PS101", 5),
        (f"```\n{PLAN}...\n2. [act] b\n", "PS127", 5),
    ],
)
def test_what_holds_a_plan_is_hopeless(text: str, code: str, line: int) -> None:
    stream = PlanStream(name="answer.md")
    events = stream.feed(text)
    assert stream.hopeless is not None
    assert (stream.hopeless.code, stream.hopeless.line) == (code, line)
    assert PlanEvent(PlanEventKind.HOPELESS, diagnostic=stream.hopeless) in events
    assert f"answer.md:{line}:" in render(stream.hopeless)
    assert PlanEventKind.HOPELESS not in {event.kind for event in stream.feed("2. worse\n3. worse\n")}
    assert not stream.finish().result.is_usable


def test_repairs_leave_hope() -> None:
    stream = PlanStream()
    stream.feed("So:\n```\nGoal：g\nSteps:\n1) [X] [act] a\n```\n")
    assert not stream.is_hopeless


def test_a_repair_above_the_allowed_risk_is_hopeless() -> None:
    text = f"{PLAN}1) [act] b\n".replace("1. ", "1) ", 1).replace("1) [act] b", "2. [act] b\n3. [act] c")
    stream = PlanStream(max_risk="none")
    stream.feed(text)
    assert stream.hopeless is not None
    assert stream.hopeless.code == "PS110"


def test_a_settled_plan_cannot_be_spoilt() -> None:
    stream = PlanStream()
    stream.feed(f"```\n{PLAN}```\n## Steps\n1. no type\n")
    assert stream.is_settled
    assert not stream.is_hopeless


# ---------------------------------------------------------------- reasoning


def test_a_plan_in_reasoning_is_none() -> None:
    stream = PlanStream()
    assert stream.feed(f"<think>\n{SECOND}2. [act] evil\n</think>\n") == []
    assert brief(stream.feed(f"{PLAN}2. [act] b\n")) == ["goal g", "step 1 a"]
    end = stream.finish()
    assert (end.result.plan.goal, end.result.verdict) == ("g", Verdict.ACCEPTED)


def test_a_closing_tag_that_nothing_opens_begins_anew() -> None:
    stream = PlanStream()
    stream.feed(f"{SECOND}2. [act] no\n</think>\n")
    assert brief(stream.feed(f"{PLAN}2. [act] b\n")) == ["goal g", "step 1 a"]
    assert stream.copy_plan().goal == "g"
    end = stream.finish()
    assert (end.result.is_usable, end.superseded) == (True, True)
    lost = PlanStream()
    lost.feed(f"{PLAN}2. [act] b\n</think>\nWell.\n")
    end = lost.finish()
    assert (end.result.verdict, end.superseded) == (Verdict.REFUSED, True)


# ---------------------------------------------------------------- limits


def test_too_many_steps_are_hopeless_at_once() -> None:
    limits = Limits(max_steps=2)
    stream = PlanStream(limits=limits)
    stream.feed(f"{PLAN}2. [act] b\n")
    assert not stream.is_hopeless
    assert brief(stream.feed("3. [act] c\n")) == ["step 2 b", "hopeless PS122 5"]
    end = stream.finish()
    assert (end.result.plan, end.result.verdict) == (PlanSpec(), Verdict.REFUSED)


def test_too_many_levels_are_hopeless_at_the_end() -> None:
    stream = PlanStream(limits=Limits(max_depth=2))
    stream.feed("Goal: g\n## Steps\n1. [subtask] a\n1.1. [subtask] b\n1.1.1. [act] c\n")
    assert brief(stream.finish().events)[:2] == ["step 1.1.1 c", "settled"]
    assert stream.hopeless is not None
    assert stream.hopeless.code == "PS123"


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_no_more_is_read_than_may_be(size: int) -> None:
    text = "Goal: é\n## Steps\n1. [act] a\n2. [act] b\n"
    most = len("Goal: é\n## Steps\n1. [act] a\n".encode()) + 3
    stream = PlanStream(limits=Limits(max_bytes=most))
    events = [event for at in range(0, len(text), size) for event in stream.feed(text[at : at + size])]
    assert brief(events) == ["goal é", "hopeless PS121 1"]
    end = stream.finish()
    assert list(end.result.holds) == [stream.hopeless]
    assert end.result.plan == PlanSpec()


def test_what_comes_behind_too_many_bytes_is_not_kept() -> None:
    stream = PlanStream(limits=Limits(max_bytes=10))
    stream.feed("Goal: g\nand more\nand more")
    for _ in range(100):
        assert stream.feed("x" * 1000) == []
    assert stream.finish().result.source.text == "Goal: g\nand more\n"


# ---------------------------------------------------------------- misuse


@pytest.mark.parametrize(("chunk", "kind"), [(b"Goal: g\n", "bytes"), (None, "NoneType"), (["a"], "list")])
def test_only_texts_are_read(chunk: object, kind: str) -> None:
    with pytest.raises(TypeError, match=rf"^chunk: expected a string, not {kind}$"):
        PlanStream().feed(chunk)  # type: ignore[arg-type]


def test_nothing_comes_behind_the_end() -> None:
    stream = PlanStream()
    stream.feed(PLAN)
    end = stream.finish()
    assert stream.finish() is end
    with pytest.raises(ValueError, match=r"^the text has been ended$"):
        stream.feed("x")


# ---------------------------------------------------------------- the same as an extraction, wherever it is cut

ALL = [
    *each("planspec/valid", ".md").args[1],
    *each("planspec/invalid", ".md").args[1],
    *each("answers", ".answer.md").args[1],
]


@pytest.mark.parametrize("path", ALL)
def test_a_text_ends_as_it_is_extracted(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    expected = streams.ends_as_extracted(text, [text])
    assert streams.ends_as_extracted(text, [text[at : at + 7] for at in range(0, len(text), 7)]) == expected
    streams.hope_is_right(text)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff\r\n\ufeffGoal: g\r\n\r\n> \r\r\n> d\r",
        "Goal: 👩‍👩‍👧 e\u0301\n## Steps\n1. [act] 👩‍👩‍👧 → a\n",
        f"So:\n````text\n{PLAN}````\n> x\n~~~\n{SECOND}~~~\n",
        f"{PLAN}\n{' ' * 300}\nprose\n> x\n",
        "Goal: \ud83d\ude00\n",
        f"> {PLAN}> x\n".replace("\n", "\n> "),
    ],
)
def test_every_split_of_an_awkward_text_tells_the_same(text: str) -> None:
    expected = streams.ends_as_extracted(text, [text])
    streams.is_never_taken_back(text)
    for at in range(1, len(text)):
        assert streams.ends_as_extracted(text, [text[:at], text[at:]]) == expected


# ---------------------------------------------------------------- a source that grows


def test_a_source_that_grows_is_like_any_other() -> None:
    text = "a\r\r\n\nbc\n\rd"
    growing = GrowingSource("x")
    assert (growing.text, growing.line(1), growing.name) == ("", "", "x")
    for line in ("a\r\r\n", "\n", "bc\n", "\rd"):
        growing.add(line)
    source = Source(text)
    assert growing.text == text
    assert [growing.line(number) for number in range(1, 5)] == [source.line(number) for number in range(1, 5)]
    for start in range(len(text) + 2):
        for stop in range(start, len(text) + 2):
            assert growing.span(start, stop) == source.span(start, stop)
    with pytest.raises(ValueError, match="starts empty"):
        growing.text = "x"
