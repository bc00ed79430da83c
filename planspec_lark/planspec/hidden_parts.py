"""What is text in a plan, and may be meant as a part of it: as a step, a status, a progress, inputs or outputs.

In a text that is strictly a plan, it is what it is. In an answer of a model it is doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from attrs import evolve

from planspec_lark.planspec.answer_lines import find_elision, may_elide
from planspec_lark.planspec.heading_words import names_no_plan
from planspec_lark.planspec.lint import (
    check_arrow,
    check_code,
    check_detail,
    check_ids,
    check_title,
    miss_outputs,
    name_fault,
)
from planspec_lark.planspec.models import (
    BLANKS,
    MARKS,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    has_progress,
    iter_steps,
)
from planspec_lark.planspec.near_misses import (
    LIKE_ARROW,
    NOTHING,
    RIGHT_ARROW,
    SPACES,
    find_outputs,
    has_any,
    is_quoted,
    repair_header,
    variables_of,
)
from planspec_lark.planspec.step_repair import may_have_progress, read_status
from planspec_lark.planspec.variable_lists import LONGEST, VARIABLES, is_variable_list, read_names
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, shorten

__all__ = ["find_doubtful", "find_gaps", "find_nested", "find_placeholders", "looks_like_flow"]


def find_doubtful(plan: PlanSpec) -> Iterator[Diagnostic]:
    """What is text in a plan, and may be meant otherwise where a text is not strictly one.

    That is what is almost a variable list after an arrow, a word for a status in brackets, a bar in backticks, and what
    a title says of the plan.
    """
    yield from check_title(plan)
    yield from _find_other_title(plan)
    if plan.title and (header := repair_header(f"## {plan.title}")) and not header[1].startswith("# "):
        message = "the title is written as the header of another part of the plan"
        yield Diagnostic("PS104", message, Severity.ERROR, help="write `Goal: Text`, or another title", part="title")
    steps = [*iter_steps(plan)]
    # Most plans have none of these signs, which is seen at once.
    said = "".join([plan.goal, *[step.description for step in steps]])
    yield from _find_almost_lists(steps, said)
    yield from _find_chains(steps)
    yield from _find_hidden_flow(steps, said)
    yield from _find_hidden_inputs(steps)
    yield from _find_hidden_parts(steps, said)
    yield from _find_hidden_statuses(steps, said)
    yield from _find_told_steps(steps)
    yield from _find_blanks(plan, steps, said)
    yield from _find_half_read(steps, said)
    yield from _find_elided_detail(plan, steps)


def _find_other_title(plan: PlanSpec) -> Iterator[Diagnostic]:
    """A title that asks something, or without a goal, one of a list of anything but steps."""
    if plan.title.endswith(("?", "？")):
        yield Diagnostic("PS127", "the title asks something", help="write what the plan is about", part="title")
    elif not plan.goal and names_no_plan(plan.title):
        message = "the title is that of a report, or of a list of what is no steps"
        yield Diagnostic("PS127", message, help="write what the plan is about", part="title")


def _find_hidden_parts(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Bars in backticks, steps in detail, and progress inside a text."""
    is_said = may_have_progress(said)
    for step in steps:
        if step.result:
            yield from check_code(step)
        if (is_said or step.result) and not has_progress(step):
            yield from _find_hidden_progress(step)
        for item, line in enumerate(step.detail):
            if _STEP_IN_DETAIL.match(line) is not None:
                message = f"step {shorten(step.step_id)}: the detail `{line[:60]}` may be meant as a step"
                help = "write the step on a line of its own, without `>`"
                yield Diagnostic("PS127", message, help=help, step_id=step.step_id, part="detail", item=item)


# Inputs behind another arrow in the line of a step.
_FOREIGN_INPUTS = re.compile(r"(?:<[-=]|⇐)[ \t]*(?P<names>[\w, ]+)\)?\Z")
# How a line of detail begins that has the number and the type of a step, or a check box and a number below one.
_STEP_IN_DETAIL = re.compile(
    rf"[^\w\[［【]{{0,6}}[0-9]+(?:\.[0-9]+)*[.)、]?[^\w\[［【]{{0,6}}[\[［【](?:{'|'.join(STEP_TYPES)})[\]］】]"
    r"|(?:\[[ xX]\]|[☐☑]) *[0-9]+\.[0-9]+\b"
)


# A number or a box as of a step, or a star, by which some tools say that a task is optional.
_NUMBER_IN_FRONT = re.compile(r"(?:\*|[0-9]+(?:\.[0-9]+)*[.)、]|\[[xX ]\])[ \t]")

# The type of another step in the same line.
_TYPE_INSIDE = re.compile(rf"(?i)(?<![`\w])[\[［【](?:{'|'.join(STEP_TYPES)})[\]］】](?!`)[ \t:：]*\w")
_NUMBER = re.compile(r"[0-9][.)）、]")
# A number behind the end of a clause, as the next step in the same line has one.
_NUMBER_INSIDE = re.compile(
    r"(?:[;；,，.。][ \t]*|[ \t][(（]?(?=[0-9]+[)）]))(?P<number>[0-9]{1,3})"
    r"(?:[)）、][ \t]*[^\W\d]|\.[ \t]*[A-Z\u3400-\u9fff])"
)

# A label of what is no step, in small letters.
_FACT = re.compile(
    r"(?:owner|effort|duration|goal|deadline|notes?|tips?|warning|负责人|工时|目标|截止|备注|提示|注意)\s*[:：]"
)


def _find_half_read(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Descriptions that begin as something else does, hold the next step, or end before what they announce."""
    if not (has_any(said, (":", "：", "[", "* ")) or _NUMBER.search(said)):
        return
    for step in steps:
        if fault := _explain_half_read(step):
            yield name_fault("PS127", step, "description", *fault)


def _explain_half_read(step: PlanStep) -> tuple[str, str] | None:
    """What is wrong with a description that is more or less than one step, and what to do about it."""
    text = step.description
    if _NUMBER_IN_FRONT.match(text) is not None:
        return f"`{text[:60]}` begins as a step does", "write the id and the mark once each"
    if step.step_type in STEP_TYPES and (inside := _TYPE_INSIDE.search(text)) is not None:
        message = f"`{inside[0]}` inside the description may begin another step, or be its type"
        return message, "write each step on a line of its own"
    inside = _NUMBER_INSIDE.search(text)
    if inside is not None and int(inside["number"]) == int(step.step_id.rpartition(".")[2]) + 1:
        return f"`{inside[0]}` inside the description may begin the next step", "write each step on a line of its own"
    if _FACT.match(text.lower()) is not None:
        return f"`{text[:60]}` tells something, and is no step", _WRITE
    if text.endswith((":", "：")) and not (step.detail or step.children or step.outputs):
        return f"nothing follows after `{text[-60:]}`", _WRITE
    return None


def _undeclared(step: PlanStep, part: str, said: str, what: str, written: str, **more: Any) -> Diagnostic:
    """That a text declares no inputs or no outputs, and how they are written if they are meant."""
    message, help = f"`{said}` declares no {what}", f"if {what} are meant, write {written}"
    return name_fault("PS319", step, part, message, help, **more)


# What is in front of an arrow that leads from one thing to another, or on from a case, and not to an output.
_CHAIN = re.compile(r"→|\A(?i:if)\b|\A如果")


def _find_chains(steps: Sequence[PlanStep]) -> Iterator[Diagnostic]:
    """Outputs that may be the last of several things, each behind an arrow, as no step needs them."""
    needed = {name for step in steps for name in step.inputs}
    for step in steps:
        is_word = len(step.outputs) == 1 and "_" not in step.outputs[0] and needed.isdisjoint(step.outputs)
        if is_word and _CHAIN.search(step.description):
            message = f"`→ {step.outputs[0]}` may be text, as what is in front of it is"
            yield name_fault("PS319", step, "outputs", message, "put a backslash before the arrow if it is text: `\\→`")


# What stands for the outputs of a step, or doubts them, behind its arrow.
_UNKNOWN_OUTPUT = re.compile(r"(?i)→[ \t]*(?:\.{2,3}|…|tbd|todo|[a-z_]\w{0,40} ?\?|\?{1,3})\W{0,3}\Z")


def _find_almost_lists(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """What is almost a variable list after an arrow, in descriptions (all of them are ``said``) and detail."""
    branches = {child.step_id for step in steps if step.step_type == "decide" for child in step.children}
    for step in steps if has_any(said, "→←<⇐") else ():
        if not step.outputs and "→" in step.description:
            if (unknown := _UNKNOWN_OUTPUT.search(step.description)) is not None:
                message = f"`{unknown[0]}` stands for outputs that are missing"
                yield name_fault("PS127", step, "description", message, _WRITE)
            faults = check_arrow(step, is_branch=step.step_id in branches)
            yield from (found for found in faults if found.code == "PS319")
        yield from _find_inputs_in_description(step)
    for step in steps:
        for item, line in enumerate(step.detail):
            if "←" in line:
                yield from (found for found in check_detail(step, item, line) if found.code == "PS319")


def _find_inputs_in_description(step: PlanStep) -> Iterator[Diagnostic]:
    """A list of variables behind an arrow to the left, which only a line of its own declares."""
    _, arrow, behind = step.description.rpartition("←")
    behind = behind.rstrip(f"{BLANKS})）。.")
    if arrow and is_variable_list(behind):
        names = behind.strip(BLANKS)
        yield _undeclared(step, "description", f"← {names[:60]}", "inputs", f"`> ← {names}` on the next line")
    match = _FOREIGN_INPUTS.search(step.description)
    if match is not None and is_variable_list(match["names"]):
        written = f"`> ← {match['names']}` on the next line"
        yield _undeclared(step, "description", match[0][:60], "inputs", written)


# A line of detail with an arrow or a label as one of inputs or outputs has it, and what is behind it.
_FLOW_DETAIL = re.compile(
    r"(?i)[-*+•`_ ]{0,5}(?:(?P<arrow>[←⟵⬅]\ufe0f?|\$?\\leftarrow\b\$?|&larr;)|<[-=]{1,2}|⇐"
    r"|(?:(?P<inputs>input(?:\(s\)|s?)|输入)|(?P<outputs>output(?:\(s\)|s?)|produces|returns|yields|输出|产出|(?=→))"
    r"|needs|requires|depends on|based on|uses?|in|依赖|需要|使用)[*_`]{0,3} ?[:：→])(?P<said>.*)"
)
# One of these is in each such line.
_FLOW_SIGNS = (":", "：", "<", "\\", "&", "←", "⟵", "⬅", "⇐", "→")
_STEP_BEHIND = re.compile(
    r"(?i)\bsteps? ?#?(?:[0-9]|one|two|three|four|five)|步骤 ?[0-9一二三四五六七八九]|第.{1,3}步"
    r"|\A\W*[0-9]+(?:\.[0-9]+)*\W*\Z|#[0-9]"
)
_NAME_BEHIND = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[\s(（.,;，；、]|\Z)")
_IDENTIFIER = re.compile(r"(?a)[A-Za-z_]\w*")
# Lines below a label that may be the list of it.
_NEXT = 8


def looks_like_flow(line: str) -> bool:
    """Whether a line of detail begins as one of inputs or outputs does."""
    return _FLOW_DETAIL.match(line) is not None


def _find_hidden_inputs(steps: Sequence[PlanStep]) -> Iterator[Diagnostic]:
    """Inputs and outputs that became detail, as more than variables is said of them."""
    said = "".join([line for step in steps for line in step.detail])
    if not has_any(said, _FLOW_SIGNS):
        return
    known = {name for step in steps for name in step.outputs}
    for step in steps:
        for item, line in enumerate(step.detail):
            if (match := _FLOW_DETAIL.match(line)) is not None:
                yield from _check_flow_detail(step, item, match, known)


def _check_flow_detail(step: PlanStep, item: int, match: re.Match[str], known: set[str]) -> Iterator[Diagnostic]:
    """A line of detail that begins as one of inputs or outputs does, where variables or steps are meant by it."""
    said = match["said"][:LONGEST].strip(f"{BLANKS}*`")
    below = said or "\n".join(step.detail[item + 1 : item + 1 + _NEXT])[:LONGEST]
    listed = _IDENTIFIER.findall(below)
    names = [name for name in listed if name in known] or read_names(said) or []
    if match["outputs"] is not None:
        is_meant = (_lists(names, said) and not step.outputs) or not known.difference(step.outputs).isdisjoint(listed)
        what, arrow, place = "outputs", "→", " at the end of the step line"
    else:
        is_meant = not known.isdisjoint(listed) or _STEP_BEHIND.search(below) is not None
        is_meant = is_meant or (match["inputs"] is not None and _lists(names, said))
        what, arrow, place = "inputs", "> ←", ""
    if match["arrow"]:
        is_name = is_meant or _NAME_BEHIND.match(said) is not None
        is_meant = is_name and not _is_told_already(step, item, said)
    if is_meant:
        written = f"`{arrow} {', '.join(dict.fromkeys(names)) or 'name'}`{place}: {VARIABLES}"
        yield _undeclared(step, "detail", match.string[:60], what, written, item=item)


def _lists(names: Sequence[str], said: str) -> bool:
    """Whether a text is a list of these names, and none of the words that say that there is nothing."""
    bare = said.rstrip(".。")
    return bool(names) and variables_of(bare) is not None and bare.lower() not in NOTHING


def _is_told_already(step: PlanStep, item: int, said: str) -> bool:
    """Whether a line with an arrow is text on purpose, by a backslash, or another finding names it."""
    line = step.detail[item]
    return (line.startswith("←") and is_variable_list(said)) or any(check_detail(step, item, line))


# A label of inputs or outputs with a list behind it that ends a text, and such a label behind an arrow.
_FLOW_LABEL = r"(?:(?P<inputs>inputs?|输入)|outputs?|produces|输出|产出)[*_`]{0,3} ?[:：][ *_`]{0,4}"
_ITEM = r"[`*]{0,2}[A-Za-z_][A-Za-z0-9_]*[`*]{0,2}"
_LABELLED_FLOW = re.compile(
    rf"(?i)(?<![^\s(（\[【;；:：,，.。|*_`—–-]){_FLOW_LABEL}"
    rf"(?P<names>{_ITEM}(?:(?: ?[,，、;；&] ?| and | ?和 ?){_ITEM}){{0,20}})[)）\]】.。*_` ]{{0,4}}\Z"
)
_FLOW_WORDS = ("put", "produces", "输入", "输出", "产出")
_BEHIND_ARROW = re.compile(
    rf"(?i)[*_`]{{0,3}}{_FLOW_LABEL}|[<{{«]|(?P<names>[\w, ，、*`]+)[(（\[][^()（）\[\]]*[)）\]]\W*\Z"
)
_RIGHT_ARROW = re.compile(f"{RIGHT_ARROW}|{LIKE_ARROW}")
_LIKE_ARROW = re.compile(LIKE_ARROW)
_ARROW_SIGNS = re.compile(r"[→⇒➔➜-➞➡⟶⮕🡒]")
# Underscores at the end of a description, which belong to those at the end of its outputs.
_MARK_AT_END = re.compile(r"(?<!\S)_{1,2}\Z")


def _find_hidden_flow(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Inputs and outputs in the line of a step, or in its result, that are text to the format."""
    told = "\n".join(filter(None, [step.result for step in steps]))
    # Each is looked for as what is found soonest.
    has_arrows = has_any(said, ">\\&") or (not said.isascii() and _ARROW_SIGNS.search(said) is not None)
    has_labels = _may_have_label(f"{said}\n{told}")
    if not (has_arrows or has_labels or "→" in told or "_" in said):
        return
    known = {name for step in steps for name in (*step.inputs, *step.outputs)}
    for step in steps:
        behind = [*_check_behind_arrow(step, known)] if has_arrows and not step.outputs else []
        yield from behind
        yield from _find_marked_outputs(step)
        if has_labels and not behind:
            yield from _find_labelled_flow(step, "description", step.description, known)
            yield from _find_labelled_flow(step, "result", step.result, known)
        yield from _find_outputs_in_result(step)


def _may_have_label(text: str) -> bool:
    """Whether a text may have a label of inputs or outputs, which is seen sooner than that it has one."""
    lowered = text.lower() if ":" in text or not text.isascii() else ""
    return has_any(lowered, _FLOW_WORDS)


def _find_marked_outputs(step: PlanStep) -> Iterator[Diagnostic]:
    """Marks around an arrow and its list, the last of which were read as a part of a name."""
    if step.outputs and step.outputs[-1].endswith("_") and _MARK_AT_END.search(step.description):
        names = [name.rstrip("_") for name in step.outputs]
        help = f"write `→ {', '.join(names)}` without marks around it"
        yield name_fault("PS319", step, "outputs", f"`{step.outputs[-1]}` has marks in its name", help)


def _find_labelled_flow(step: PlanStep, part: str, text: str, known: Collection[str]) -> Iterator[Diagnostic]:
    """A label of inputs or outputs with a list behind it, which ends a text."""
    match = _LABELLED_FLOW.search(text[-LONGEST:])
    if match is None or (step.outputs and not match["inputs"]):
        return
    names = read_names(match["names"]) or []
    # In a sentence, these may be words like any others.
    is_in_sentence = match.string[: match.start()].rstrip(BLANKS)[-1:].isalnum()
    if is_in_sentence and not _are_variables(match["names"], names, known):
        return
    if match["inputs"]:
        yield _undeclared(step, part, match[0][:60], "inputs", f"`> ← {', '.join(names)}` on the next line")
    else:
        written = f"`→ {', '.join(names)}` at the end of the description"
        yield _undeclared(step, part, match[0][:60], "outputs", written)


def _find_outputs_in_result(step: PlanStep) -> Iterator[Diagnostic]:
    """An arrow behind the bar, though outputs come before it."""
    names = variables_of(step.result[1:]) if step.result.startswith("→") and not step.outputs else None
    if names:
        yield _undeclared(step, "result", step.result[:60], "outputs", f"`→ {', '.join(names)}` before the bar")


def _are_variables(said: str, names: Collection[str], known: Collection[str]) -> bool:
    """Whether one of these names, as they are said, is a variable of the plan, or can be nothing else."""
    return any(name in known for name in names) or (bool(names) and "_" in said.strip("_"))


def _last_arrow(text: str) -> tuple[int, int] | None:
    """Where the last arrow is that is meant for outputs and is not quoted; of the format, or of another kind."""
    foreign = [match.span() for match in _RIGHT_ARROW.finditer(text)]
    at, end = foreign[-1] if foreign else (text.rfind("→"), text.rfind("→") + 1)
    is_text = at < 0 or text[:at].endswith("\\") or is_quoted(text, at)
    return None if is_text else (at, end)


def _check_behind_arrow(step: PlanStep, known: Collection[str]) -> Iterator[Diagnostic]:
    """A list behind an arrow with brackets around it, a label before it, or a remark or signs behind it.

    What is behind an arrow of another kind may be a list as it is.
    """
    text = step.description
    arrow = _last_arrow(text)
    if arrow is None or find_outputs(text):
        return
    at, end = arrow
    behind = text[end:].strip(f"{SPACES}*")
    is_like = _LIKE_ARROW.match(text, at) is not None
    if len(behind) > LONGEST or (is_variable_list(behind) and not is_like):
        return
    match = _BEHIND_ARROW.match(behind)
    listed = re.sub(r"\W+\Z", "", behind)
    # Behind an arrow of the format, a list with nothing around it is named by another finding.
    is_bare = (match is None and listed == behind) or read_names(behind) is not None
    if is_bare and "→" in text[at:end]:
        return
    if match is not None:
        listed = match["names"] or behind[match.end() :]
    is_phrase_text = step.step_type == "decide" or match is not None
    listed = listed.strip("<>{}«»* ")
    names = read_names(listed, is_phrase_text=is_phrase_text) or []
    if (is_like and names) or _are_variables(listed, names, known):
        yield miss_outputs("PS319", step, at, text[at:], f"→ {', '.join(names)}", f": {VARIABLES}")


# What is still to be written.
_WHAT = "(?:steps?|text|goal|tasks?|title|description|content|details?|constraints?)"
# What stands for a text that is still to be written: dots, a hint in brackets, a word for it.
_PLACEHOLDER = re.compile(
    r"\W*(?:\.{3,}|…|⋮)\W*|<[^<>]+>|\[[^\[\]]+\]|\{[^{}]+\}"
    r"|(?i:todo|tbd|tba|n/a|to be (?:determined|defined))\b\W*|待[定补填]充?\W*"
    rf"|(?i:(?:your|next) {_WHAT} (?:goes )?here"
    rf"|(?:insert|add|write|put|enter) (?:(?:your|the|an?) )?{_WHAT} here)\W*|[?？–—-]+"
)
# A blank to be filled in; inside a name, three are none.
_GAP = re.compile(r"_{4,}|(?<![A-Za-z0-9_])___(?![A-Za-z0-9_])")
# A hint in brackets inside a text, which is no link.
_HINTED = "name|date|time|place|amount|number|client|address|email|nombre|fecha|número|datum"
_BLANK = re.compile(
    rf"(?i)\[(?:(?:[^\W\d_]+ ){{1,5}}[^\W\d_]+|{_HINTED}|姓名|名称|日期|时间|地点|金额|数量|人数)\](?![(\[])"
    r"|(?<=.)【[^【】]{1,12}】"
)
_BEGINS_PLACEHOLDER = re.compile(r"\n(?:[^\w\n]|[tT][oObB]|[nN]/|待)")
# A goal that is said elsewhere, in small letters.
_ELSEWHERE = re.compile(
    r"(?:see|same as|as in) (?:above|before|your|the (?:last|previous|first|above)|my)\b.*"
    r"|[同见如](?:上|前|您|你|原)(?!所愿).*"
)
# Characters of a hint, at most, and what to do about one.
_HINT, _WRITE = 120, "write what is meant"


def find_placeholders(plan: PlanSpec) -> Iterator[Diagnostic]:
    """Parts of a plan whose text stands for one that is missing."""
    steps = [*iter_steps(plan)]
    said = "\n".join(["", plan.title, plan.goal, *plan.constraints, *[step.description for step in steps]])
    is_elsewhere = _ELSEWHERE.fullmatch(plan.goal.lower()) is not None
    # Most plans have no such text, which is seen at once.
    if not (may_elide(said) or is_elsewhere or "___" in said or " here" in said or _BEGINS_PLACEHOLDER.search(said)):
        return
    # A list of what is to be done may have that name.
    if _is_placeholder(plan.title) and plan.title.lower() not in ("todo", "todos"):
        yield _miss_text(plan.title, "title")
    if _is_placeholder(plan.goal) or (is_elsewhere and len(plan.goal) <= _HINT):
        yield _miss_text(plan.goal, "goal")
    for item, text in enumerate(plan.constraints):
        if _is_placeholder(text):
            yield _miss_text(text, "constraints", item=item)
    for step in steps:
        if _is_placeholder(step.description):
            yield _miss_text(step.description, "description", step.step_id)


def _is_placeholder(text: str) -> bool:
    """Whether a text is a hint or a word for what is to be written, or has a blank in it; a hint is short."""
    if len(text) > _HINT:
        return False
    return _PLACEHOLDER.fullmatch(text) is not None or find_elision(text) or _GAP.search(text) is not None


def _find_blanks(plan: PlanSpec, steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """Hints in brackets inside the goal and the descriptions; all of these are ``said``."""
    if not ("[" in said or "【" in said):
        return
    if (hint := _BLANK.search(plan.goal)) is not None:
        yield _miss_text(hint[0], "goal")
    for step in steps:
        if (hint := _BLANK.search(step.description)) is not None:
            yield _miss_text(hint[0], "description", step.step_id)


def _miss_text(said: str, part: str, step_id: str = "", item: int | None = None) -> Diagnostic:
    """That what is said stands for a text that is missing."""
    where = f"step {shorten(step_id)}: " if step_id else ""
    message = f"{where}`{said}` stands for a text that is missing"
    return Diagnostic("PS127", message, help=_WRITE, step_id=step_id, part=part, item=item)


# A line of detail that stands for others; a body of code may have one by itself.
_ELIDED_DETAIL = re.compile(
    r"[^\w\n]*(?:\.{3,}|…|⋮)[^\w\n]*(?:(?:unchanged|as (?:above|before)|and so on|etc|等等|[以依]此类推)[^\w\n]*)?"
    r"|\W*(?:略|省略|同上|同前|ditto|idem|snip|and so (?:on|forth)|etc)\W*",
    re.IGNORECASE,
)
_SIGNS_OF_ELISION = ("...", "…", "⋮", "略", "同", "ditto", "idem", "snip", "and so ", "etc")


def _find_elided_detail(plan: PlanSpec, steps: Sequence[PlanStep]) -> Iterator[Diagnostic]:
    """Lines of detail that are nothing but dots, or a word for that something is left out."""
    for step_id, detail in (("", plan.goal_detail), *((step.step_id, step.detail) for step in steps if step.detail)):
        said = "\n".join(detail).lower()
        for item, line in enumerate(detail) if has_any(said, _SIGNS_OF_ELISION) else ():
            is_body = line[:1] in BLANKS and item > 0 and detail[item - 1].rstrip().endswith((":", "{"))
            if len(line) <= _HINT and _ELIDED_DETAIL.fullmatch(line) and not is_body:
                where, part = (f"step {shorten(step_id)}: ", "detail") if step_id else ("", "goal_detail")
                message = f"{where}the detail `{line.strip()}` stands for lines that are missing"
                yield Diagnostic("PS127", message, help=_WRITE, step_id=step_id, part=part, item=item)


def find_gaps(plan: PlanSpec) -> Iterator[Diagnostic]:
    """That the first step is not number 1, or that a number is left out: there may be other steps before it."""
    # Most plans leave none out, which is seen far sooner than what an id is.
    if _is_counted_through(plan):
        return
    first = plan.steps[0].step_id if plan.steps else ""
    for found in check_ids(plan):
        if found.code == "PS302" and found.step_id == first:
            message = f"the first step is {first}: there may be others before it"
            yield Diagnostic("PS127", message, help="ask for the whole plan", step_id=first, part="step_id")
        elif found.code == "PS302":
            yield evolve(found, severity=Severity.ERROR)


def find_nested(text: str, starts: Sequence[int]) -> Iterator[Diagnostic]:
    """Constraints that stand below another one, and may say more of it, or be cases of it.

    Args:
        text: the text of the plan.
        starts: where each constraint starts.
    """
    indents = [_indent_of(text, start) for start in starts]
    for item, (before, indent) in enumerate(pairwise(indents), 1):
        if indent > before + 1:
            message, help = (
                "this constraint is below another one",
                "write each constraint in one line that says all of it",
            )
            yield Diagnostic("PS127", message, help=help, part="constraints", item=item)


def _indent_of(text: str, at: int) -> int:
    """How far the line that an offset is in is indented."""
    row = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
    return len(row) - len(row.lstrip(SPACES))


def _is_counted_through(plan: PlanSpec) -> bool:
    """Whether the steps below each other one are counted from 1."""
    last: dict[str, int] = {}
    for step in iter_steps(plan):
        head, _, number = step.step_id.rpartition(".")
        last[head] = expected = last.get(head, 0) + 1
        if number != str(expected):
            return False
    return True


# One sign in brackets after a word is an argument.
_WORD = r"(?:(?<![A-Za-z0-9_])|(?=.[^()（）\[\]【】]{2}))[(（\[【]([^()（）\[\]【】]{1,40})[)）\]】]"
_NOT_DONE = re.compile(r"(?i)not (?:yet )?(?:done|started|begun|finished)|未完成|尚未")
_OPENING = "(（[【"
# A word for a status at the end, set off from the rest or in capitals.
_BEFORE_STATUS = ("DONE", "WIP", "**", " - ", "–", "—", "✅", "✓", "✔", "☑", "完成", "进行", "跳过", "阻")
_STATUS_AT_END = re.compile(
    r"(?:(?<!to )(?<!as )(?<!the )\*\*| [-–—] ?| (?=(?:已?(?:完成|跳过|受阻|阻塞)|进行中)\W*\Z)"
    r"|[✅✓✔☑]\ufe0f? ?|(?<!to )(?<!as )(?<!the )\b(?=(?:DONE|WIP)\W*\Z))"
    r"(?P<word>[^\W\d_]++(?:[ '’][^\W\d_]++){0,4}+)\W*\Z"
)
# The same at the beginning: as a label, or in capitals.
_STATUS_IN_FRONT = re.compile(
    r"\A(?:\*\*(?P<bold>[^\W\d_]++(?: [^\W\d_]++)?+)(?:[:：]\*\*|\*\*[:：])"
    r"|\*{0,2}(?P<label>[A-Z\u3400-\u9fff]{2,9}+)(?:\*\*|[:：]| [-–—] ))"
)
# What is not, or not quite, one of the five, and is no text of a step either.
_ALSO_STATUS = re.compile(
    r"(?i)wip|on hold|paused|(?:partial(?:ly)?|partly)(?: \w+)?"
    r"|(?:mostly|almost|nearly|half) (?:done|completed?|finished|ready)"
    r"|not (?:yet |fully )?(?:verified|tested|completed?|ready|working|fixed|implemented)"
    r"|needs? (?:more )?(?:work|rework|review|testing|verification|fixing)|(?:won['’]?t|will not) (?:do|fix|happen)"
    r"|wontfix|(?:deferred|postponed|delayed|moved|pushed)(?: (?:to|until|into|for)\b.*)?|unfinished|incomplete"
    r"|unverified|untested|de-?scoped|out of scope|superseded|no longer (?:needed|required|relevant)"
    r"|(?:做|办|弄|已)(?:完|好|妥)了?|搞定了?|(?:部分|基本|大致|大部分)完成|待(?:验证|确认|测试|完善)|暂缓|延期|推迟|作废"
    r"|未(?:开始|验证|测试|做)|不做了?|不再需要|[0-9]{1,3} ?% (?:done|complete\w*|finished)"
)
_IN_BRACKETS = re.compile(rf"\A\W*{_WORD}|{_WORD}\W*\Z")


_PROGRESS_INSIDE = re.compile(
    r"(?i)(?:(?<![\w\\])progress|进度)[*_` ]{0,4}[:：=][*_` ]{0,4}"
    r"[0-9]{1,9} ?(?:[/／]|of) ?[0-9]{1,9}[)\]）】*_`.。]{0,4}\Z"
)


def _find_hidden_progress(step: PlanStep) -> Iterator[Diagnostic]:
    """A progress at the end of a description or a result that is a part of it."""
    for part, text in (("description", step.description), ("result", step.result)):
        is_there = may_have_progress(text) and not text.startswith("Progress:")
        match = _PROGRESS_INSIDE.search(text) if is_there else None
        if match is not None and not is_quoted(text, match.start()):
            message = f"`{match[0][:60]}` in the {part} may be meant as the progress"
            help = "write it at the end of the step line, such as ` | Progress: 1/3`"
            yield name_fault("PS115", step, part, message, help, severity=Severity.ERROR)


# How a text begins that tells what has been done: with a verb in the past tense.
_TOLD = re.compile(
    r"[^\w\[(]*(?:(?:(?!\w*(?:[^rg]eed|embed|shed|shred|wed|bed|red|hundred)\b)[A-Z][a-z]+ed"
    r"|Built|Made|Wrote|Rewrote|Sent|Bought|Found|Got|Gave|Took|Ran|Began|Chose|Held|Kept|Laid|Met|Paid|Sold|Did|Went)"
    r"\b(?! (?:by|to be)\b)|已(?!知|有|存在)经?|完成了)"
)
# The same of all that is below a heading.
_TOLD_ABOVE = re.compile(
    r"(?:Added|Changed|Completed|Created|Finished|Fixed|Implemented|Improved|Refactored|Removed|Renamed|Resolved|Updated)"
    r"\b"
)
# The part of the steps, and their number, that may only be a report.
_MOSTLY, _SEVERAL = 0.5, 2


def _find_told_steps(steps: Sequence[PlanStep]) -> Iterator[Diagnostic]:
    """That most steps which are not done tell what has been done."""
    pending = [step for step in steps if step.status is PlanStatus.PENDING]
    leaves = [step for step in pending if not step.children]
    above = [step for step in pending if step.children and _TOLD_ABOVE.match(step.description)]
    told = [step for step in leaves if _TOLD.match(step.description) is not None]
    told = above or (told if len(told) >= _SEVERAL and len(told) > _MOSTLY * len(leaves) else [])
    if told:
        message = f"`{told[0].description[:60]}` is told as done, and marked as pending"
        help = "write `[x]` after the id of a step that is done, and others as what is to be done"
        yield name_fault("PS111", told[0], "description", message, help, severity=Severity.ERROR)


# What shows how something stands, and has a meaning only where a legend gives it one.
_SIGNALS = frozenset("🔴🟠🟡🟢🔵🟣⚪⚫🟥🟧🟨🟩🟦🟪⬜⬛✅❌⏸⛔🛑✖✗❓🚧🔒👎✓✔☑☐⏳⌛🔄🚫⏭")


def _find_hidden_statuses(steps: Sequence[PlanStep], said: str) -> Iterator[Diagnostic]:
    """What may be meant as a status in descriptions; all of them are in ``said``, where most have no such sign."""
    if has_any(said, _OPENING):
        for step in steps:
            yield from _find_hidden_status(step)
    if has_any(said, _BEFORE_STATUS):
        for step in steps:
            if (ending := _STATUS_AT_END.search(step.description)) is not None and _may_be_status(ending["word"]):
                yield _hide_status(step, ending["word"])
    if has_any(said, ("**", ":", "：", " - ", "–", "—")):
        for step in steps:
            front = _STATUS_IN_FRONT.match(step.description)
            if front is not None and _may_be_status(front["bold"] or front["label"]):
                yield _hide_status(step, front["bold"] or front["label"])
    for step in () if said.isascii() else steps:
        yield from _find_signal(step)


def _find_signal(step: PlanStep) -> Iterator[Diagnostic]:
    """A sign in a colour at the beginning or the end of a description."""
    text = step.description.strip("\ufe0f ()（）[]")
    if not _SIGNALS.isdisjoint((text[:1], text[-1:])):
        help = "write a mark after the id, such as `[x]` for done, or say in a legend what the sign means"
        message = "a sign in a colour in the description may be meant as a status"
        yield name_fault("PS111", step, "description", message, help, severity=Severity.ERROR)


def _find_hidden_status(step: PlanStep) -> Iterator[Diagnostic]:
    """A word for a status in brackets at an end of a description."""
    for match in _IN_BRACKETS.finditer(step.description):
        word = match[1] or match[2]
        mark = " " if _NOT_DONE.match(word) else read_status(word)
        if mark not in (None, MARKS[step.status]) or (mark is None and _may_be_status(word)):
            yield _hide_status(step, word)


def _may_be_status(word: str) -> bool:
    """Whether a word stands for a status, or for what is nearly one."""
    told = re.sub(r"(?i)\A(?:already|now|still) ", "", word)
    return bool(told.strip()) and (read_status(told) is not None or _ALSO_STATUS.fullmatch(told) is not None)


def _hide_status(step: PlanStep, word: str) -> Diagnostic:
    help = "write a mark after the id, such as `[x]` for done"
    message = f"`{word}` in the description may be meant as a status"
    return name_fault("PS111", step, "description", message, help, severity=Severity.ERROR)
