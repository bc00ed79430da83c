"""The rules that need to know the state of a plan and which tools there are."""

from __future__ import annotations

from collections.abc import Iterator

from planspec_lark.json_text.findings import Path, ValueFinding, to_diagnostics
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.conversion import message_to_value
from planspec_lark.plan_next.executors import Executors
from planspec_lark.plan_next.identity import Phrase, goal_core, is_same_call, is_same_goal, item_cores
from planspec_lark.plan_next.models import DoneItem, DoneStatus, ExecutorCall, PlanNext, PlanReturn, goal_text
from planspec_lark.plan_next.rules import check_next, check_phase, check_return, texts_at
from planspec_lark.plan_next.wording.normal_forms import normalize
from planspec_lark.syntax.diagnostics import Diagnostic, quote, shorten

__all__ = ["check_message"]

_SPLIT = "split it into smaller steps, or try another way"
_SPLIT_GOAL = "choose PLAN_STEPS or PLAN_PROBES"
# Where nothing may be split any more.
_LESS = "ask for a smaller part of it, or try another way"
_CALL = ("executor_call", "command")
# How what was tried has ended.
_ENDED = {DoneStatus.FAILED: "has already failed", DoneStatus.PARTLY_DONE: "was already done in part"}


def check_message(
    message: PlanNext | PlanReturn, context: Context | None = None, executors: Executors | None = None
) -> list[Diagnostic]:
    """All that is wrong with a message, given the state of a plan.

    Args:
        message: as :func:`planspec_lark.plan_next.parse_message` gives it; then diagnostics have their places, and what
            needs no context is not looked at again. One that a program has put together is checked for that as well.
        context: the state of the plan; without it, the rules that need it are left out.
        executors: the tools that there are; without them any command will do.

    Returns:
        Diagnostics in the order of the text; those of the severity error mean that the message is to be refused.
    """
    findings = list(_check(message, context, executors))
    # A copy with other fields still has the text of the first, which says nothing about it.
    value = message_to_value(message)
    origin = message.origin if message.origin is not None and message.origin.value == value else None
    if origin is None:
        findings += check_next(value) if isinstance(message, PlanNext) else check_return(value)
    return to_diagnostics(findings, origin)


def _check(
    message: PlanNext | PlanReturn, context: Context | None, executors: Executors | None
) -> Iterator[ValueFinding]:
    if context is not None:
        yield from check_phase("plan-next" if isinstance(message, PlanNext) else "plan-return", context.phase)
    if isinstance(message, PlanReturn):
        return
    if executors is not None and message.executor_call is not None:
        yield from _check_command(message.executor_call, executors)
    if context is not None:
        yield from _check_depth(message, context)
        failed = list(_failures(context.think.done))
        yield from _check_failures(message, failed, may_split=context.may_split)
        yield from _check_head(message, context.think.plan)


def _check_command(call: ExecutorCall, executors: Executors) -> Iterator[ValueFinding]:
    if executors.find(call.command) is not None:
        return
    name, colon, rest = call.command.partition(":")
    if name.strip() == "shell" and colon:
        if not normalize(rest):
            yield ValueFinding("PN301", "the command after `shell:` is missing", _CALL, help="write `shell: command`")
        return
    if normalize(call.command):
        listed = ", ".join(f"`{one.id}`" for one in executors.items)
        known = f"the executors are {shorten(listed)}; " if executors.items else ""
        message = f"unknown executor {quote(name.strip())}"
        yield ValueFinding("PN301", message, _CALL, help=f"{known}write `shell: command` for anything else")


def _check_depth(message: PlanNext, context: Context) -> Iterator[ValueFinding]:
    if message.new_block.plan and not context.may_split:
        text = f"a plan inside the new block will not be planned: the depth is {context.depth} of {context.max_depth}"
        yield ValueFinding("PN304", text, ("new_block", "plan"), help="choose EXECUTE")


def _check_head(message: PlanNext, plan: list[str]) -> Iterator[ValueFinding]:
    """The end of a block takes the first item off, whichever it was for; what has failed is the first one still."""
    goal = Phrase(goal_text(message.new_block.goal))
    if message.update_plan is not None or not plan or _is_for(plan[0], goal):
        return
    meant = next((item for item in plan[1:] if _is_for(item, goal)), None)
    if meant is not None:
        text = f"this block is for {quote(meant)}, but its end removes {quote(plan[0])} from the plan"
        help = "take the first item, or send `update_plan` with the items still to do"
        yield ValueFinding("PN306", text, ("new_block", "goal"), help=help)


def _is_for(item: str, goal: Phrase) -> bool:
    said = Phrase(item)
    return said.is_same(goal) or said.is_near(goal)


# ---------------------------------------------------------------- what has failed


def _check_failures(message: PlanNext, failed: list[DoneItem], *, may_split: bool) -> Iterator[ValueFinding]:
    if not failed:
        return
    new, call = message.new_block, message.executor_call
    goal, plan = goal_core(new.goal), item_cores(new.plan)
    known: dict[str, str] = {}
    for item in failed:
        ended, tried = _ENDED[item.status], goal_core(item.goal)
        known[tried[0]] = ended
        same_goal = is_same_goal(goal, tried)
        if same_goal and plan and plan == item_cores(item.plan):
            yield ValueFinding("PN302", f"this block {ended}, with the same plan", ("new_block",), help=_SPLIT)
        elif same_goal and not plan:
            text = f"this goal {ended}, and is not split"
            yield ValueFinding("PN303", text, ("new_block", "goal"), help=_SPLIT_GOAL if may_split else _LESS)
        if call is not None and item.executor_call is not None and is_same_call(call, item.executor_call):
            yield ValueFinding("PN302", f"this call {ended}", ("executor_call",), help="make another call")
    yield from _check_items(message, known)


def _failures(done: list[DoneItem]) -> Iterator[DoneItem]:
    """What has failed, and what has failed inside of that. Inside what was done in the end, a failure is overcome."""
    todo = done[::-1]
    while todo:
        item = todo.pop()
        if item.failed:
            yield item
            todo += item.done[::-1]


def _check_items(message: PlanNext, failed: dict[str, str]) -> Iterator[ValueFinding]:
    lists: list[tuple[Path, object]] = [
        (("new_block", "plan"), message.new_block.plan),
        (("update_plan",), message.update_plan),
    ]
    for place, items in lists:
        for path, text in texts_at(items, place):
            said = Phrase(text).core
            if said and said in failed:
                yield ValueFinding("PN302", f"this item {failed[said]}", path, help=_SPLIT)
