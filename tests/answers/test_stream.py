"""Reading a plan while it is being written: what is told when, what waits, and where there is no hope."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import (
    Limits,
    PlanSpec,
    PlanStep,
    PlanStream,
    Severity,
    parse_plan,
    render,
    scan_plan,
    serialize_plan,
)
from planspec_lark.planspec import PlanEvent, PlanEventKind, ProvisionalLine
from planspec_lark.syntax import Source
from planspec_lark.syntax.source import GrowingSource
from tests.corpus import each
from tests.property import streams

PLAN = "Goal: g\n## Steps\n1. [act] a\n"
SECOND = "# t\nGoal: h\n## Steps\n1. [act] b\n"


def brief(events: list[PlanEvent]) -> list[str]:
    """Each event in a few words: its kind, and the most telling thing about it."""
    return [f"{event.draft} {event.kind.value} {_say(event)}".rstrip() for event in events]


def _say(event: PlanEvent) -> str:
    if event.diagnostic is not None and event.diagnostic.span is not None:
        span = event.diagnostic.span
        return f"{event.diagnostic.code} {span.line}-{span.end_line}"
    if event.step is not None:
        return f"{event.step.step_id} {event.step.description} {event.step.detail}"
    return " ".join(filter(None, (event.step_id, event.text, *event.names)))


def told(text: str, **settings: object) -> list[list[str]]:
    """What is told after each line of a text, and what at its end."""
    stream = PlanStream(**settings)  # type: ignore[arg-type]
    rows = [brief(stream.feed(line)) for line in text.splitlines(keepends=True)]
    return [*rows, brief(stream.finish().events)]


# ---------------------------------------------------------------- what is told when


def test_a_plan_is_told_line_by_line() -> None:
    text = (
        "# Plan: t\nGoal: g\n> why\nConstraints:\n- c\n## Steps\n1. [subtask] a → b\n  > ← x, y\n  > d\n1.1. [act] e\n"
    )
    assert told(text) == [
        ["0 title t"],
        ["0 goal g"],
        ["0 goal_detail why"],
        [],
        ["0 constraint c"],
        [],
        ["0 step 1 a []"],
        ["0 inputs 1 x y"],
        ["0 detail 1 d"],
        ["0 step_ended 1 a ['d']", "0 step 1.1 e []"],
        ["0 step_ended 1.1 e []", "0 draft_ended", "0 settled"],
    ]


def test_a_line_is_told_with_its_last_character() -> None:
    stream = PlanStream()
    assert [stream.feed(character) for character in "Goal: g\r"] == [[]] * 8
    assert stream.feed("\n") == [PlanEvent(PlanEventKind.GOAL, 0, text="g")]


def test_a_line_of_reasoning_is_no_blank_line() -> None:
    """Prose behind a blank line would end the step, and the `>` line behind it would belong to nothing."""
    events = told("## Steps\n1. [act] a\n<think>hm</think>\nso\n> d\n")
    assert events[3:5] == [[], ["0 finding PS101 4-4", "0 detail 1 d"]]


def test_the_last_line_is_told_at_the_end() -> None:
    stream = PlanStream()
    assert stream.feed("## Steps\n1. [x] n [act] a -> b | r | Progress: 1/2") == []
    end = stream.finish()
    step = PlanStep("1", "n", "act", "a", outputs=["b"], result="r", status="done", done_count=1, total_count=2)
    assert end.events[0] == PlanEvent(PlanEventKind.STEP, 0, step=step)
    assert [event.kind.value for event in end.events[1:]] == ["finding", "step_ended", "draft_ended", "settled"]
    assert end.result.plan == PlanSpec(steps=[step])
    assert end.draft == 0


def test_a_step_that_was_told_is_not_changed_by_what_follows() -> None:
    stream = PlanStream()
    (event,) = stream.feed("## Steps\n1. [act] a\n")
    assert event.step is not None
    event.step.description = "mine"
    stream.feed("> d\n")
    assert event.step.detail == []
    (ended, *_) = stream.finish().events
    assert ended.step == PlanStep("1", step_type="act", description="a", detail=["d"])
    ended.step.description = "mine"
    assert stream.copy_plan().steps[0].description == "a"


def test_repairs_are_told_with_their_lines() -> None:
    assert told("Goal：g\nSteps:\n1) [act] a -> b\n> <- c\n- 2. [act] d\n") == [
        ["0 goal g", "0 finding PS104 1-1"],
        ["0 finding PS104 2-2"],
        ["0 step 1 a []", "0 finding PS110 3-3"],
        ["0 inputs 1 c", "0 finding PS305 4-4"],
        ["0 step_ended 1 a []", "0 step 2 d []", "0 finding PS110 5-5"],
        ["0 step_ended 2 d []", "0 draft_ended", "0 settled"],
    ]


def test_a_finding_waits_as_long_as_it_grows() -> None:
    """Prose, a repeated part, and what stands below a refused step: each is one finding, however long."""
    assert told(
        "so\n\nit is\nGoal: g\nGoal: h\n> i\n> j\n## Steps\n1. [act] a\n1. [act] b\n> c\n> d\n2. [act] e\n"
    ) == [
        [],
        [],
        [],
        ["0 finding PS101 1-3", "0 goal g"],
        [],
        [],
        [],
        ["0 finding PS105 5-7", "0 hopeless PS105 5-7"],
        ["0 step 1 a []"],
        ["0 step_ended 1 a []", "0 finding PS117 10-10"],
        [],
        [],
        ["0 finding PS107 11-12", "0 step 2 e []"],
        ["0 step_ended 2 e []", "0 draft_ended", "0 settled"],
    ]


def test_a_part_that_comes_late_is_one_finding_with_the_lines_below_it() -> None:
    assert told(f"{PLAN}Constraints:\n- 2. [act] b\n- c\n3. [act] d\n")[3:] == [
        ["0 step_ended 1 a []"],
        ["0 constraint 2. [act] b"],
        ["0 constraint c"],
        ["0 finding PS106 4-6", "0 step 3 d []"],
        ["0 step_ended 3 d []", "0 draft_ended", "0 settled"],
    ]


def test_a_repaired_part_that_comes_late_does_not_wait_for_more() -> None:
    assert told("Constraints:\nGoal：g\n> d\n")[1:] == [
        ["0 goal g", "0 finding PS104 2-2", "0 finding PS106 2-2"],
        ["0 goal_detail d"],
        ["0 draft_ended", "0 settled"],
    ]


def test_findings_keep_the_order_of_the_text() -> None:
    """The control character stands behind the start of a line whose finding is still growing."""
    events = told(f"{PLAN}\nso it was\n> a\x00\n> b\n")
    assert events[-3:] == [
        ["0 finding PS101 5-5"],
        [],
        ["0 finding PS107 6-7", "0 finding PS102 6-6", "0 draft_ended", "0 settled"],
    ]


def test_blank_lines_and_headers_tell_nothing() -> None:
    assert told("\ufeff\r\n \t\n## Constraints\n\n## Steps\n") == [[], [], [], [], [], ["0 draft_ended", "0 settled"]]


@pytest.mark.parametrize("text", ["", "\ufeff", " \n", "\r\n"])
def test_nothing_is_an_empty_plan(text: str) -> None:
    stream = PlanStream()
    assert stream.feed(text) == []
    end = stream.finish()
    assert end.result.plan == PlanSpec()
    assert end.result.diagnostics == []
    assert brief(end.events) == ["0 draft_ended", "0 settled"]
    assert not stream.is_hopeless


# ---------------------------------------------------------------- several plans


def test_each_plan_is_a_draft() -> None:
    assert told(PLAN + "2. no type\n" + SECOND) == [
        ["0 goal g"],
        [],
        ["0 step 1 a []"],
        ["0 step_ended 1 a []", "0 finding PS112 4-4", "0 hopeless PS112 4-4"],
        ["0 draft_ended", "1 title t"],
        ["1 goal h"],
        [],
        ["1 step 1 b []"],
        ["1 step_ended 1 b []", "1 draft_ended", "1 settled"],
    ]


def test_a_plan_is_settled_where_no_other_can_be_better() -> None:
    stream = PlanStream()
    stream.feed(f"Here:\n```\n{PLAN}")
    assert not stream.is_settled
    assert brief(stream.feed("```\n")) == ["0 finding PS103 6-6", "0 step_ended 1 a []", "0 draft_ended", "0 settled"]
    assert stream.is_settled
    assert brief(stream.feed(SECOND)) == ["1 title t", "1 goal h", "1 step 1 b []"]
    assert stream.copy_plan() == parse_plan(PLAN)
    end = stream.finish()
    # Of two plans the last one counts; which one is meant is for a person to say.
    assert (end.draft, end.superseded) == (1, True)
    assert end.result.plan == parse_plan(SECOND)
    assert [found.code for found in end.result.diagnostics if found.severity is Severity.WARNING] == ["PS130"]
    assert brief(end.events) == ["1 step_ended 1 b []", "1 draft_ended"]


def test_of_plans_that_all_have_errors_the_best_is_known_at_the_end() -> None:
    stream = PlanStream()
    stream.feed(f"{PLAN}2. no type\n3. no type\n{SECOND}2. no type\n{SECOND}2. no\n3. no\n")
    assert not stream.is_settled
    end = stream.finish()
    assert brief(end.events)[-2:] == ["2 draft_ended", "2 settled"]
    assert (end.draft, end.superseded) == (2, False)
    assert end.result.plan.title == "t"


def test_the_plan_so_far() -> None:
    stream = PlanStream()
    stream.feed("# t\nGoal: g\n> d\nConstraints:\n- c\n## Steps\n1.1. [act] child\n")
    assert [step.step_id for step in stream.copy_plan().steps] == ["1.1"]
    stream.feed("1. [subtask] parent\n> e\n2. [act] half a l")
    plan = stream.copy_plan()
    assert serialize_plan(plan) == (
        "# Plan: t\nGoal: g\n> d\nConstraints:\n- c\n## Steps\n1. [subtask] parent\n  > e\n  1.1. [act] child\n"
    )
    plan.steps[0].detail.append("mine")
    plan.constraints.append("mine")
    assert stream.copy_plan().steps[0].detail == ["e"]
    assert stream.copy_plan().constraints == ["c"]


def test_the_plan_of_a_text_that_has_ended_is_the_one_that_is_settled() -> None:
    stream = PlanStream()
    stream.feed(f"# Plan: first\n{PLAN}\nThe final one:\n\n# Plan: second\n{PLAN}")
    end = stream.finish()
    assert end.draft == 1
    assert stream.copy_plan() == end.result.plan
    assert stream.copy_plan().title == "second"


# ---------------------------------------------------------------- the line that is being written


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ("2. [act] b", "b"),
        ("  2. [act]", ""),
        ("2. [act] b → ", "b →"),
        ("2) [act] b", "b"),
        ("- [x] 2. [act] b", "b"),
        ("2. 【act】b", "b"),
        ("\t- 2. [act] b | done", "b"),
        ("2.\x00 [act] b", None),
        ("2", None),
        ("2. [ac", None),
        ("2. write", None),
        ("1. [act] taken", None),
        ("> d", None),
        ("Goal: h", None),
        ("so", None),
        ("", None),
        ("  ", None),
    ],
)
def test_a_step_is_seen_before_its_line_ends(line: str, description: str | None) -> None:
    stream = PlanStream()
    stream.feed(PLAN + line)
    provisional = stream.provisional
    assert provisional.text == line
    assert (provisional.step.description if provisional.step else None) == description
    assert stream.provisional == provisional
    assert stream.copy_plan() == parse_plan(PLAN)


def test_what_is_seen_is_what_the_line_becomes() -> None:
    stream = PlanStream()
    assert stream.feed("## Steps\n1. [!] n [act] a -> b, c | r") == []
    step = stream.provisional.step
    assert stream.feed("\n")[0].step == step
    assert stream.provisional == ProvisionalLine()


def test_below_constraints_a_listed_step_is_a_constraint() -> None:
    for head in ("Constraints:\n", "Constraints:\n- c\nso\n", f"{PLAN}Constraints:\n"):
        stream = PlanStream()
        stream.feed(f"{head}- 2. [act] b")
        assert stream.provisional.step is None
        assert [event.text for event in stream.feed("\n") if event.kind is PlanEventKind.CONSTRAINT] == ["2. [act] b"]


def test_an_id_is_free_again_in_another_plan() -> None:
    stream = PlanStream()
    stream.feed(f"```\n{PLAN}```\n1. [act] b")
    assert stream.provisional.step == PlanStep("1", step_type="act", description="b")


def test_a_byte_order_mark_is_no_part_of_a_line() -> None:
    stream = PlanStream()
    stream.feed("\ufeff1. [act] b")
    assert stream.provisional.text == "\ufeff1. [act] b"
    assert stream.provisional.step is not None
    stream.feed("\n\ufeff2. [act] b")
    assert stream.provisional.step is None


def test_a_very_long_line_is_not_tried() -> None:
    stream = PlanStream()
    stream.feed("1. [act] " + "b" * 9_991)
    assert stream.provisional.step is not None
    stream.feed("b")
    assert stream.provisional == ProvisionalLine("1. [act] " + "b" * 9_992)


def test_nothing_is_provisional_at_the_end() -> None:
    stream = PlanStream()
    stream.feed("1. [act] b")
    stream.finish()
    assert stream.provisional == ProvisionalLine()


# ---------------------------------------------------------------- hope


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (f"{PLAN}1. [act] again\n", "PS117", 4),
        (f"{PLAN}2. no type\n", "PS112", 4),
        (f"{PLAN}... unchanged\n", "PS127", 4),
        ("Goal: g\nGoal: h\n## Steps\n", "PS105", 2),
    ],
)
def test_an_error_is_hopeless(text: str, code: str, line: int) -> None:
    stream = PlanStream()
    events = stream.feed(text)
    assert stream.is_hopeless
    assert stream.hopeless is not None
    assert (stream.hopeless.code, stream.hopeless.line, stream.hopeless.severity) == (code, line, Severity.ERROR)
    assert events[-1] == PlanEvent(PlanEventKind.HOPELESS, 0, diagnostic=stream.hopeless)
    assert events[-2] == PlanEvent(PlanEventKind.FINDING, 0, diagnostic=stream.hopeless)
    again = stream.feed("2. worse\n")
    assert PlanEventKind.HOPELESS not in {event.kind for event in again}


@pytest.mark.parametrize(
    "text", ["So:\n```\nGoal：g\nSteps:\n1) [X] [act] a\n```\n", "1. [done!] [act] a\nsteps\n\nbye\n"]
)
def test_repairs_leave_hope_and_strictly_they_do_not(text: str) -> None:
    stream, strictly = PlanStream(), PlanStream(strict=True)
    stream.feed(text)
    assert not stream.is_hopeless
    strictly.feed(text)
    assert strictly.hopeless is not None
    assert strictly.hopeless.line == 1


def test_strictly_a_foreign_arrow_is_text() -> None:
    stream = PlanStream(strict=True)
    stream.feed("## Steps\n1. [act] a -> b\n")
    stream.finish()
    assert not stream.is_hopeless


def test_a_settled_plan_cannot_be_spoilt() -> None:
    stream = PlanStream()
    stream.feed(f"```\n{PLAN}```\n## Steps\n1. no type\n")
    assert stream.is_settled
    assert not stream.is_hopeless
    strictly = PlanStream(strict=True)
    strictly.feed(f"{PLAN}{SECOND}")
    assert strictly.hopeless is not None
    assert (strictly.hopeless.code, strictly.hopeless.line) == ("PS106", 4)


def test_a_hopeless_fault_that_grows_is_told_when_it_has_grown() -> None:
    stream = PlanStream(strict=True)
    assert brief(stream.feed("Constraints:\nGoal: g\n> d\n")) == ["0 goal g", "0 goal_detail d"]
    assert brief(stream.feed("## Steps\n")) == ["0 hopeless PS106 2-3", "0 finding PS106 2-3"]
    stream = PlanStream(strict=True)
    stream.feed("Constraints:\nGoal: g\n> d")
    assert "0 hopeless PS106 2-3" in brief(stream.finish().events)


def test_hopeless_faults_are_shown_like_all_others(snapshot: SnapshotAssertion) -> None:
    stream = PlanStream(name="answer.md")
    stream.feed("So \x1b[31m:\n\n" + PLAN + "1. [act] the same\x07 id\n")
    assert stream.hopeless is not None
    assert render(stream.hopeless) == snapshot
    end = stream.finish()
    assert end.result.diagnostics == scan_plan(end.result.source.text).diagnostics
    assert end.result.source.name == "answer.md"


# ---------------------------------------------------------------- limits


def test_too_many_steps_are_hopeless_at_once() -> None:
    limits = Limits(max_steps=2)
    stream = PlanStream(limits=limits)
    assert brief(stream.feed(PLAN + "2. [act] b\n"))[-1] == "0 step 2 b []"
    assert brief(stream.feed("3. [act] c\n")) == ["0 step_ended 2 b []", "0 step 3 c []", "0 hopeless PS122 5-5"]
    expected = scan_plan(PLAN + "2. [act] b\n3. [act] c\n", name="<stream>", limits=limits)
    assert expected.diagnostics == [stream.hopeless]
    end = stream.finish()
    assert end.result.plan == PlanSpec()
    assert end.draft is None


@pytest.mark.parametrize("line", ["1.1.1. [act] c\n", "1.1.1) [act] c\n"])
def test_too_many_levels_are_hopeless_at_once(line: str) -> None:
    limits = Limits(max_depth=2)
    stream = PlanStream(limits=limits)
    text = f"Goal: g\n## Steps\n1. [subtask] a\n1.1. [subtask] b\n{line}"
    stream.feed(text)
    assert stream.hopeless is not None
    assert stream.hopeless in scan_plan(text, name="<stream>", limits=limits).diagnostics
    assert stream.hopeless.code == "PS123"


def test_levels_whose_parents_come_later_are_known_at_the_end() -> None:
    stream = PlanStream(limits=Limits(max_depth=2))
    stream.feed("Goal: g\n## Steps\n1.1.1. [act] c\n1.1. [subtask] b\n1. [subtask] a\n")
    assert not stream.is_hopeless
    end = stream.finish()
    assert brief(end.events) == ["0 step_ended 1 a []", "0 draft_ended", "0 settled", "0 hopeless PS123 3-3"]
    assert end.draft is None


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_no_more_is_read_than_may_be(size: int) -> None:
    text = "Goal: é\n## Steps\n1. [act] a\n2. [act] b\n"
    most = len("Goal: é\n## Steps\n1. [act] a\n".encode()) + 3
    stream = PlanStream(limits=Limits(max_bytes=most))
    events = [event for at in range(0, len(text), size) for event in stream.feed(text[at : at + size])]
    assert brief(events) == ["0 goal é", "0 step 1 a []", "0 hopeless PS121 1-1"]
    assert stream.provisional == ProvisionalLine()
    end = stream.finish()
    assert end.events == []
    assert end.draft is None
    assert end.result.diagnostics == [stream.hopeless]
    assert end.result.plan == PlanSpec()


def test_a_text_of_just_as_many_bytes_is_read() -> None:
    text = "Goal: é\n\ud800"
    stream = PlanStream(limits=Limits(max_bytes=12))
    stream.feed(text[:8])
    stream.feed(text[8:])
    assert not stream.is_hopeless
    stream.feed("x")
    assert stream.is_hopeless


def test_what_comes_behind_too_many_bytes_is_not_kept() -> None:
    stream = PlanStream(limits=Limits(max_bytes=10))
    stream.feed("Goal: g\nand more\nand more")
    for _ in range(100):
        assert stream.feed("x" * 1000) == []
    assert stream.finish().result.source.text == "Goal: g\nand more\nand more"


def test_findings_are_told_up_to_their_limit() -> None:
    limits = Limits(max_findings=2)
    text = PLAN + "2. no\n3. no\n4. no\n"
    events, end = streams.read_all([text], limits=limits)
    found = [event.diagnostic for event in events if event.kind is PlanEventKind.FINDING]
    assert found == end.result.diagnostics[:2]
    assert [one.code for one in end.result.diagnostics] == ["PS112", "PS112", "PS120"]


def test_an_error_that_is_not_listed_is_hopeless_all_the_same() -> None:
    stream = PlanStream(limits=Limits(max_findings=1))
    events = stream.feed("so\nGoal: g\n## Steps\n2. no\n")
    assert brief(events) == ["0 finding PS101 1-1", "0 goal g", "0 hopeless PS112 4-4"]


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


# ---------------------------------------------------------------- the same as a scan, wherever it is cut

ALL = [path for folder in ("valid", "invalid", "answers") for path in each(f"planspec/{folder}", ".md").args[1]]


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("path", ALL)
def test_a_text_ends_as_it_is_scanned(path: Path, ends: str) -> None:
    text = path.read_bytes().decode("utf-8", "surrogateescape").replace("\n", ends)
    expected = streams.ends_as_scanned(text, [text])
    for size in (1, 7):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert streams.ends_as_scanned(text, pieces) == expected
    streams.hope_is_right(text)


@pytest.mark.parametrize("path", [path for path in ALL if len(path.values[0].read_bytes()) < 200])
def test_every_split_of_a_short_text_tells_the_same(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    expected = streams.ends_as_scanned(text, [text])
    for at in range(1, len(text)):
        assert streams.ends_as_scanned(text, [text[:at], text[at:]]) == expected


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff\r\n\ufeffGoal: g\r\n\r\n> \r\r\n> d\r",
        "Goal: 👩‍👩‍👧 e\u0301\n## Steps\n1. [act] 👩‍👩‍👧 → a\n",
        f"So:\n````text\n{PLAN}````\n> x\n~~~\n{SECOND}~~~\n",
        f"{PLAN}\n{' ' * 300}\nprose\n> x\n",
        f"{PLAN}{' ' * 300}prose\n> x\n",
        f"{PLAN}{' ' * 254}\nprose\n> x\n",
        f"{PLAN}{' ' * 255}\nprose\n> x\n",
        f"{PLAN}\n{' ' * 254}prose\n> x\n",
        f"{PLAN}\n{' ' * 255}prose\n> x\n",
        "Goal: \ud83d\ude00\n",
    ],
)
def test_every_split_of_an_awkward_text_tells_the_same(text: str) -> None:
    expected = streams.ends_as_scanned(text, [text])
    streams.is_never_taken_back(text)
    for at in range(1, len(text)):
        assert streams.ends_as_scanned(text, [text[:at], text[at:]]) == expected


# ---------------------------------------------------------------- a source that grows


def test_a_source_that_grows_is_like_any_other() -> None:
    text = "a\r\r\n\nbc\n\rd"
    growing = GrowingSource("x")
    assert (growing.text, growing.line(1), growing.name) == ("", "", "x")
    for end in range(1, 4):
        growing.add(["a\r\r\n", "\n", "bc\n"][end - 1])
    growing.add("\rd")
    source = Source(text)
    assert growing.text == text
    assert [growing.line(number) for number in range(1, 5)] == [source.line(number) for number in range(1, 5)]
    for start in range(len(text) + 2):
        for stop in range(start, len(text) + 2):
            assert growing.span(start, stop) == source.span(start, stop)
    with pytest.raises(ValueError, match="starts empty"):
        growing.text = "x"


def test_a_line_that_is_being_written_may_have_a_comment() -> None:
    stream = PlanStream()
    assert stream.feed("## Steps # all\n1. [act] a → x  # wh") != []
    assert stream.provisional.step == PlanStep("1", step_type="act", description="a", outputs=["x"])


def test_what_may_have_a_comment_waits_for_the_header() -> None:
    for header, title in (("Constraints: # c\n", "a"), ("Constraints:\n", "a  # b")):
        stream = PlanStream()
        assert stream.feed("So.\n\n# a  # b\nGoal: g\n> d\n") == []
        told = stream.feed(header + "1. [act] x\n")
        assert told[0].kind is PlanEventKind.FINDING
        assert [event.text for event in told if event.kind is PlanEventKind.TITLE] == [title]
        assert [event.text for event in told if event.kind is PlanEventKind.GOAL_DETAIL] == ["d"]
        assert told[-1].kind is PlanEventKind.STEP


# ---------------------------------------------------------------- an end mark

MARKED = "Sure.\n\nGoal: g\n## Steps\n1. [act] a\n2. [act] b\n"


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n3. [act] c\n", "\n# Plan: other\n## Steps\n1. [act] x\n"])
def test_an_end_mark_ends_the_plan(size: int, end: str) -> None:
    stream = PlanStream(end_mark="<END>")
    text = f"{MARKED}<END>{end}"
    events = [event for at in range(0, len(text), size) for event in stream.feed(text[at : at + size])]
    assert stream.is_settled == (end != "")
    found = stream.finish()
    assert found.result.plan == scan_plan(MARKED).plan
    assert found.result.diagnostics == scan_plan(MARKED).diagnostics
    assert (found.draft, found.superseded, stream.is_settled, stream.is_hopeless) == (0, False, True, False)
    kinds = [event.kind.value for event in (*events, *found.events)]
    assert (kinds.count("settled"), kinds.count("step")) == (1, 2)
    assert stream.text == MARKED


@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_text_is_what_was_fed(end: str, most: int | None) -> None:
    stream = PlanStream(limits=Limits(max_bytes=most))
    stream.feed(f"Goal: g\n1. [act] a{end}")
    before = stream.text
    end_of_text = stream.finish()
    assert stream.text == before == f"Goal: g\n1. [act] a{end}"
    assert end_of_text.result.source.text == stream.text
    assert stream.provisional == ProvisionalLine()


@pytest.mark.parametrize("line", ["<END> of it", "so <END>", "<end>", "- <END>"])
def test_another_line_is_no_end_mark(line: str) -> None:
    stream = PlanStream(end_mark="<END>")
    stream.feed(f"{MARKED}{line}\n")
    assert not stream.is_settled
    assert stream.finish().result.plan == scan_plan(f"{MARKED}{line}\n").plan


def test_an_end_mark_in_reasoning_is_only_thought_of() -> None:
    stream = PlanStream(end_mark="<END>")
    stream.feed("<think>\nI write the plan, then\n<END>\n</think>\n")
    assert not stream.is_settled
    stream.feed(f"{MARKED}<END>\n")
    assert stream.is_settled
    assert len(stream.finish().result.plan.steps) == 2


def test_an_end_mark_in_a_code_block_ends_the_plan() -> None:
    stream = PlanStream(end_mark="END")
    stream.feed(f"```\n{MARKED}")
    assert not stream.is_settled
    stream.feed("END\n```\n")
    assert stream.is_settled
    assert len(stream.finish().result.plan.steps) == 2


def test_a_text_without_its_end_mark_is_settled_at_its_end_only() -> None:
    stream = PlanStream(end_mark="<END>")
    stream.feed(MARKED)
    assert not stream.is_settled
    stream.finish()
    assert stream.is_settled


@pytest.mark.parametrize("mark", [" ", "\n", "a\nb", " END", "END\r"])
def test_an_end_mark_is_a_line(mark: str) -> None:
    with pytest.raises(ValueError, match=r"^end_mark: .* is not a line"):
        PlanStream(end_mark=mark)
