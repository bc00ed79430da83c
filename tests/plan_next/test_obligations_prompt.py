"""The obligations that only a planner's own thinking can keep: there the brief has to say them, in both languages."""

from __future__ import annotations

import re

import pytest

from planspec_lark.plan_next import build_planner_prompt, start_context
from planspec_lark.plan_next.executors import read_executors
from planspec_lark.plan_next.prompts import LANGUAGES
from tests.plan_next.obligations import holds

CONTEXT = start_context("Dry hall", ["Mend the roof"])
EXECUTORS = read_executors("- id: crane\n")


def assert_said(**sentences: str) -> None:
    """The brief says this in every language; line breaks do not count."""
    assert tuple(sentences) == LANGUAGES
    for language, sentence in sentences.items():
        brief = build_planner_prompt(CONTEXT, EXECUTORS, language=language)
        assert squeeze(sentence) in squeeze(brief), sentence


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_what_is_not_said_is_missed() -> None:
    with pytest.raises(AssertionError, match="Guess wildly"):
        assert_said(en="Guess wildly.", zh="尽管猜。")


@holds("B1")
def test_its_one_task() -> None:
    assert_said(
        en="In this call, look at one block and say which block comes next inside it.",
        zh="这一次调用里，你只看一个块，并说明在它里面接着要打开哪个块。",
    )


@holds("B2")
def test_it_carries_nothing_out() -> None:
    assert_said(en="Do not carry anything out, and write no files.", zh="你不动手执行，也不写任何文件。")


@holds("B5")
def test_the_second_gate_rests_on_the_executors() -> None:
    assert_said(en="Use them to decide gate 2.", zh="第二道门要据此判断。")


@holds("B6")
def test_it_relies_on_its_input_alone() -> None:
    assert_said(en="Use nothing else.", zh="除此之外什么也不要依赖")


@holds("B7")
def test_there_is_no_hidden_state() -> None:
    assert_said(
        en="There is no hidden state, and you have no memory of earlier calls.",
        zh="没有隐藏的状态，你也不记得以前的调用。",
    )


@holds("B9", "B11", "F3")
def test_it_returns_no_result() -> None:
    assert_said(
        en='always `"plan-next"`; `plan-return` belongs to executors and is refused here',
        zh='一律为 `"plan-next"`；`plan-return` 属于执行器，在这里会被拒收',
    )


@holds("B10", "F8", "F9")
def test_a_block_that_has_ended_gets_a_message_too() -> None:
    assert_said(
        en="Even then answer with a plan-next message: ask for the final check that closes the block.",
        zh="即便如此，你的回答仍然是一条 plan-next 消息：提出一个用来验收或收尾的目标，让这个块得以关闭。",
    )


@holds("B12")
def test_words_alone_open_no_gate() -> None:
    assert_said(
        en='Words such as "find out" or "why" are only a hint.',
        zh="“查明”“为什么”这类字眼只是提示，不能单凭它们下结论。",
    )


@holds("B13")
def test_hypotheses_can_be_proved_wrong() -> None:
    assert_said(en="Each can be disproved by an observation or a test", zh="每一条都可以通过观察或测试推翻")


@holds("B15")
def test_the_second_gate_comes_behind_the_first() -> None:
    assert_said(en="No: continue with gate 2.", zh="不用猜：进入第二道门。")


@holds("B17", "B18")
def test_nothing_is_mixed() -> None:
    assert_said(en="Never mix hypotheses and steps in one plan.", zh="同一份计划里绝不能把假设和步骤混在一起。")


@holds("B19")
def test_a_risk_of_mixing_means_hypotheses() -> None:
    assert_said(
        en="If you cannot keep them apart, evidence is missing: choose `PLAN_PROBES`.",
        zh="分不开就说明还缺证据，请选 `PLAN_PROBES`。",
    )


@holds("B20", "B45")
def test_what_has_failed_is_not_asked_for_again() -> None:
    assert_said(
        en="Do not ask for it again: not for the same block, the same item of a plan or the same call.",
        zh="不要再要求同样的东西：同样的块、同样的计划项、同样的调用都不行",
    )


@holds("B21", "B42", "B43", "F10", "F11")
def test_what_has_failed_takes_another_way() -> None:
    assert_said(
        en="Split a goal that has failed into smaller steps, write new hypotheses, or plan how to get the missing"
        " evidence.",
        zh="失败过的目标必须换一种方式重新提出：拆成更小的步骤，换成新的假设，或者设法补上当时缺少的证据。",
    )


@holds("M23", "B4", "B40")
def test_fields_of_the_context_are_not_copied() -> None:
    assert_said(
        en="Never write `id`, `new_id`, `current_id`, `path` or `children`: not at the top level, and not in"
        " `new_block`, in a goal or in `executor_call`, even if you see such fields in the context.",
        zh="无论在顶层、`new_block`、目标还是 `executor_call` 里，都不要写 `id`、`new_id`、`current_id`、"
        "`path` 或 `children`，哪怕在上下文里看得到它们。",
    )


@holds("B22", "B23", "B41", "M3", "M24")
def test_one_object_and_nothing_else() -> None:
    assert_said(
        en="Exactly one JSON object, from its first brace to its last, and nothing else: no sentence before or after"
        " it, no code fence, no comment, no second object.",
        zh="只能是一个 JSON 对象，从第一个花括号到最后一个花括号，此外什么都没有：前后不加任何话，"
        "不用代码围栏，不写注释，不给第二个对象。",
    )


@holds("B44")
def test_what_is_done_stays() -> None:
    assert_said(en="Never try to change what is done already.", zh="也不要试图改动已经完成的内容。")


@holds("B46")
def test_nothing_that_the_goal_does_not_ask_for() -> None:
    assert_said(en="Plan only what the goal asks for.", zh="目标没有要求的事，不要列入计划。")


@holds("B47")
def test_no_further_than_the_item() -> None:
    assert_said(en="Do not ask for more than the item does.", zh="不要超出这一项的范围。")


@holds("B48", "B49")
def test_no_path_into_the_state() -> None:
    assert_said(en="Do not invent a path to `.thinkon` in any text.", zh="任何文字里都不要编造指向 `.thinkon` 的路径。")
