"""Plans that are read while a model writes them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from planspec_lark import plan_prompt, serialize_plan
from planspec_lark.answers import PlanEvent, PlanEventKind
from planspec_lark.engine import Answer, Effort, Request
from planspec_lark.llm import DraftedPlan, LlmError, Reply, Usage, draft_plan
from planspec_lark.syntax import Limits

GOOD = "Goal: Mend the organ\n## Steps\n1. [act] Take out the pipes → pipes\n2. [act] Clean them\n  > ← pipes\n"
TWICE = "Goal: Mend the organ\n## Steps\n1. [act] Look\n1. [act] Look again\n2. [act] Go home\n"


class Pieces:
    """A stream of pieces, and what became of it."""

    def __init__(self, text: str, size: int, usage: Usage | None) -> None:
        self._left = [text[at : at + size] for at in range(0, len(text), size)]
        self._text, self._usage = text, usage
        self.closed = False

    def __iter__(self) -> Iterator[str]:
        while self._left:
            yield self._left.pop(0)

    @property
    def rest(self) -> str:
        """What was not read."""
        return "".join(self._left)

    @property
    def reply(self) -> Reply:
        """The reply, once all is read."""
        assert not self._left
        return Reply(self._text, "m", "stop", self._usage)

    def close(self) -> None:
        """Note that no more is read."""
        self.closed = True


class Model:
    """Plays answers, one after the other."""

    def __init__(self, *answers: str, size: int = 7, usage: Usage | None = None) -> None:
        self.answers, self.size, self.usage = list(answers), size, usage
        self.prompts: list[str] = []
        self.streams: list[Pieces] = []

    def stream(self, request: Request) -> Any:
        """The next answer."""
        self.prompts.append(request.prompt)
        self.streams.append(Pieces(self.answers.pop(0), self.size, self.usage))
        return self.streams[-1]


def draft(model: Model, **options: Any) -> DraftedPlan:
    return draft_plan(model.stream, "Mend the organ", whole_request=True, **options)


def test_a_plan_grows_line_by_line() -> None:
    model = Model(GOOD, usage=Usage(10, 20, 30))
    told: list[PlanEvent] = []
    done = draft(model, on_event=told.append)
    assert serialize_plan(done.plan) == GOOD
    spent = Effort(1, 30, model="m", input_tokens=10, output_tokens=20)
    assert (done.is_usable, done.holds, done.findings, done.answers, done.effort) == (True, (), [], 1, spent)
    kinds = [event.kind for event in told]
    assert kinds == [PlanEventKind.GOAL, PlanEventKind.STEP, PlanEventKind.STEP, PlanEventKind.SETTLED]
    assert [event.step.step_id for event in told if event.kind is PlanEventKind.STEP and event.step] == ["1", "2"]
    assert '"task": "Mend the organ"' in model.prompts[0]


def test_a_lost_answer_is_stopped_and_goes_back() -> None:
    model = Model(TWICE, GOOD)
    done = draft(model)
    assert (done.is_usable, done.answers, done.effort) == (True, 2, Effort(2, model="m"))
    first = model.streams[0]
    assert first.closed
    assert "Go home" in first.rest
    assert "PS117" in model.prompts[1]
    assert "duplicate id 1" in model.prompts[1]
    assert "Look again" in model.prompts[1]


def test_all_that_is_wrong_with_a_line_goes_back() -> None:
    model = Model("```\nGoal: g\n## Steps\n1) Load the csv -> rows\n2. [act] b\n```\n", GOOD, size=500)
    done = draft(model)
    assert (done.is_usable, done.answers) == (True, 2)
    assert all(code in model.prompts[1] for code in ("PS110", "PS112"))
    assert "PS129" not in model.prompts[1]


def test_repairs_and_remarks_are_those_of_the_answer() -> None:
    done = draft(Model(f"Sure!\n\n{GOOD.replace('1. ', '1) ')}"))
    assert done.is_usable
    assert [one.code for one in done.repairs] == ["PS110"]
    assert [one.text for one in done.remarks] == ["Sure!"]


def test_what_stands_behind_a_whole_plan_is_not_waited_for() -> None:
    model = Model(f"```\n{GOOD}```\n\n{'And so on. ' * 1_000}")
    done = draft(model)
    assert done.is_usable
    assert model.streams[0].closed
    assert len(model.streams[0].rest) > 9_000


def test_rules_count_as_well() -> None:
    bad = "## Steps\n1. [bake] Look\n"
    model = Model(bad, bad, bad)
    done = draft(model, max_repairs=2)
    assert (done.is_usable, done.answers) == (False, 3)
    assert [found.code for found in done.holds] == ["PS205", "PS202"]
    assert done.holds[1].line == 2
    assert "PS202" in model.prompts[2]


def test_without_repairs_there_is_one_answer() -> None:
    model = Model("I would rather not.", GOOD)
    done = draft(model, max_repairs=0)
    assert (done.is_usable, done.answers) == (False, 1)
    assert "PS201" in [found.code for found in done.holds]


def test_limits_stop_an_answer() -> None:
    model = Model(GOOD + "3. [act] More\n" * 1, size=3)
    done = draft(model, max_repairs=0, limits=Limits(max_steps=1))
    assert not done.is_usable
    assert "PS122" in [found.code for found in done.holds]
    assert model.streams[0].rest


@pytest.mark.parametrize("language", ["en", "zh"])
def test_constraints_and_language_go_into_the_prompt(language: str) -> None:
    model = Model(GOOD)
    draft(model, constraints=["no glue"], language=language)
    assert '"no glue"' in model.prompts[0]
    assert ("计划" in model.prompts[0]) == (language == "zh")


def test_what_the_model_raises_is_raised_and_the_stream_closed() -> None:
    class Broken(Pieces):
        def __iter__(self) -> Iterator[str]:
            yield "Goal: Mend"
            raise LlmError("the line is dead")

    streams: list[Broken] = []

    def stream(_: Request) -> Any:
        streams.append(Broken("", 1, None))
        return streams[0]

    with pytest.raises(LlmError, match=r"^the line is dead$"):
        draft_plan(stream, "Mend it")
    assert streams[0].closed


def test_every_piece_is_told_with_the_number_of_its_answer() -> None:
    model = Model(TWICE, GOOD)
    texts = {1: "", 2: ""}

    def hear(number: int, piece: str) -> None:
        texts[number] += piece

    draft(model, on_text=hear)
    assert texts[1] == TWICE.removesuffix(model.streams[0].rest)
    assert texts[2] == GOOD


# ---------------------------------------------------------------- in one piece


def test_a_model_that_answers_at_once() -> None:
    asked: list[Request] = []
    answers: list[str | Answer] = [TWICE, Answer(f"Here it is:\n{GOOD}", Effort(1, 30))]

    def model(request: Request) -> str | Answer:
        asked.append(request)
        return answers[len(asked) - 1]

    told: list[tuple[int, str]] = []
    done = draft_plan(
        model,
        "Mend the organ",
        constraints=["no glue"],
        language="zh",
        whole_request=True,
        on_text=lambda *one: told.append(one),
    )
    assert serialize_plan(done.plan) == GOOD
    assert (done.is_usable, done.answers, done.effort) == (True, 2, Effort(2, 30))
    assert told == [(1, TWICE), (2, f"Here it is:\n{GOOD}")]
    assert (asked[0].data, asked[0].language) == ({"task": "Mend the organ", "constraints": ["no glue"]}, "zh")
    assert asked[1].refused is not None
    assert asked[1].refused["answer"] == TWICE


@pytest.mark.parametrize("given", [7, {"text": GOOD}, GOOD.encode(), None])
def test_an_answer_has_to_be_a_text(given: object) -> None:
    with pytest.raises(TypeError, match=f"^a model gives a text or an Answer, not {type(given).__name__}"):
        draft_plan(lambda _: given, "Mend it")


def test_a_piece_has_to_be_a_text() -> None:
    with pytest.raises(TypeError, match=r"^a piece of an answer is a text, not int"):
        draft_plan(lambda _: [GOOD[:5], 7], "Mend it")


def test_pieces_may_come_from_anything() -> None:
    answers: list[object] = [GOOD.splitlines(keepends=True), iter([GOOD[:20], GOOD[20:]]), (piece for piece in GOOD)]
    while answers:
        assert draft_plan(lambda _: answers.pop(), "Mend it").text == GOOD


def test_a_function_from_a_prompt_to_a_text_will_do() -> None:
    asked: list[str] = []

    def ask(prompt: str) -> str | Reply:
        asked.append(prompt)
        return TWICE if len(asked) == 1 else Reply(GOOD, "m", "stop", Usage(10, 20, 30))

    done = draft_plan(ask, "Mend the organ")
    assert (done.text, done.answers) == (GOOD, 2)
    assert done.effort == Effort(2, 30, model="m", input_tokens=10, output_tokens=20)
    assert asked[0] == plan_prompt("Mend the organ")
    assert asked[1].startswith(asked[0])


def test_it_may_be_asynchronous() -> None:
    answers = [TWICE, GOOD]

    async def ask(_: str) -> str:
        await asyncio.sleep(0)
        return answers.pop(0)

    assert draft_plan(ask, "Mend the organ").text == GOOD

    async def inside() -> DraftedPlan:
        answers[:] = [GOOD]
        with pytest.raises(
            RuntimeError, match=r"^an event loop is running already, so await asyncio.to_thread\(draft_pl"
        ):
            draft_plan(ask, "Mend the organ")
        return await asyncio.to_thread(draft_plan, ask, "Mend the organ")

    assert asyncio.run(inside()).text == GOOD


def test_an_answer_that_is_there_is_read_to_its_end() -> None:
    fenced = f"```\n{GOOD}```\n"
    two = fenced + fenced.replace("Clean", "Burn")
    done = draft_plan(lambda _: two, "Mend the organ", max_repairs=0)
    assert [one.code for one in done.holds] == ["PS130", "PS130"]
    done = draft_plan(lambda _: f"{fenced}Mind the leather.\n", "Mend the organ", max_repairs=0)
    assert (done.is_usable, [one.text for one in done.remarks]) == (True, ["Mind the leather."])
