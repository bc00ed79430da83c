"""Hypothesis strategies for plans, commands and texts, all biased towards what is easy to get wrong."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Token

from planspec_lark import (
    PlanCommand,
    PlanSpec,
    PlanStatus,
    PlanStep,
    PlanSyntaxError,
    parse_plan,
    serialize_commands,
    serialize_plan,
)
from planspec_lark.document.pieces import cut_accepted
from planspec_lark.hopspec import StepInfo
from planspec_lark.plan_cmd.models import EDIT_OPS, OPS, VIEW_OPS
from planspec_lark.planspec import parse_tree
from planspec_lark.syntax.grammars import STARTS, grammar_path
from planspec_lark.syntax.lalr import PLUGINS, compile_grammar

# ---------------------------------------------------------------- texts inside models

_CONTROLS = "".join(map(chr, (*range(0x09), *range(0x0A, 0x20), 0x7F)))
_STRANGE = [
    "\x85",
    "\u2028",
    "\u2029",
    "\xa0",
    "\u3000",
    "\u0301",
    "e\u0301",
    "\ufeff",
    "\u202e",
    "\u200b",
    "文",
    "👩‍👩‍👧",
]
_BACKSLASHES = ["\\", "\\\\", "\\|", "\\ |", "\\→ a", "\\← a", "\\Progress: 1"]
_PIPES = ["|", "||", " |", "| ", " | ", "\t|\t", "\xa0|\xa0", "  |  ", "a|b", " | | "]
_ARROWS = ["→", "→ a", "→ a, b_1", "→a,\tb", " → ", "→ 跳出", "←", "← a", "← a,b", "->", "<-", "=>", "-> a", "，", ","]
_SYNTAX = [
    "Progress:",
    "Progress: 3/5",
    "Progress: 3",
    "[X]",
    "[x]",
    "[ ]",
    "[>]",
    "[act]",
    "[",
    "]",
    ">",
    "> ",
    "#",
    "# ",
    "## Steps",
    "- ",
    "-",
    "*",
    "Goal:",
    "Goal：",
    "Plan:",
    "Constraints:",
    "1.",
    "1. [act] a",
    "2.1",
    "```",
    "PLAN_CMD:",
    "PLAN_CMD: DONE 1",
    "ALL",
    ":",
    "<think>",
    "</think>",
    "<reflection a='b'>",
    "</THINKING>",
    "`<think>`",
]
_PLAIN = [" ", "  ", "\t", "a", "x", "load_data", "9", "some text"]
FRAGMENTS = [*_STRANGE, *_BACKSLASHES, *_PIPES, *_ARROWS, *_SYNTAX, *_PLAIN]

_character = st.characters(exclude_categories=["Cs"], exclude_characters=_CONTROLS)
_fragment = st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), st.text(_character, max_size=3))

# Any text of one line; the same without white space around it; and without the empty one.
lines = st.lists(_fragment, max_size=6).map("".join)
trimmed = lines.map(lambda text: text.strip(" \t"))
some_text = trimmed.filter(bool)

_VARIABLE_START = "abx_Z"
variables = st.one_of(
    st.sampled_from(["a", "b", "x", "X", "_", "load_data", "Progress", "a1"]),
    st.builds(str.__add__, st.sampled_from(_VARIABLE_START), st.text(_VARIABLE_START + "09", max_size=5)),
)
types = st.one_of(st.sampled_from(["reason", "act", "decide", "subtask", "x", "X", "LLM", "_"]), variables)
known_types = st.sampled_from(["reason", "act", "decide", "subtask"])
ascii_names = st.one_of(
    st.just(""), st.sampled_from(["x", "X", "a1b2c3d4", "load_data", "-", "--", "1", "1-2", "step_1"])
)
names = st.one_of(
    ascii_names,
    st.sampled_from(["加载数据", "é", "ß_1", "数-据"]),
    st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=4).filter(
        lambda s: bool(re.fullmatch(r"[\w-]+", s))
    ),
)
counts = st.one_of(st.integers(0, 12), st.sampled_from([0, 999_999_999]))
statuses = st.sampled_from(PlanStatus)

# ---------------------------------------------------------------- models

_numbers = st.one_of(st.integers(0, 3), st.sampled_from([1, 2, 10, 12, 999_999_999]))
ids = st.lists(_numbers, min_size=1, max_size=4).map(lambda numbers: ".".join(map(str, numbers)))


def _steps(step_ids: st.SearchStrategy[str], step_types: st.SearchStrategy[str]) -> st.SearchStrategy[PlanStep]:
    return st.builds(
        PlanStep,
        step_id=step_ids,
        step_name=names,
        step_type=step_types,
        description=trimmed,
        inputs=st.lists(variables, max_size=2),
        outputs=st.lists(variables, max_size=3),
        detail=st.lists(lines, max_size=3),
        result=trimmed,
        status=statuses,
        expanded=st.sampled_from([None, True, False]),
        done_count=counts,
        total_count=st.one_of(st.none(), counts),
    )


def hang(steps: list[PlanStep]) -> list[PlanStep]:
    """Hang steps below the one with the longest proper prefix of their ids; return the top level."""
    by_id = {step.step_id: step for step in steps}
    top: list[PlanStep] = []
    for step in steps:
        head = step.step_id.rpartition(".")[0]
        while head and head not in by_id:
            head = head.rpartition(".")[0]
        (by_id[head].children if head else top).append(step)
    return top


def _trees(
    step_ids: st.SearchStrategy[str], step_types: st.SearchStrategy[str], size: int
) -> st.SearchStrategy[list[PlanStep]]:
    listed = st.lists(_steps(step_ids, step_types), max_size=size, unique_by=lambda step: step.step_id)
    return listed.map(hang)


def _plans(steps: st.SearchStrategy[list[PlanStep]]) -> st.SearchStrategy[PlanSpec]:
    return st.builds(PlanSpec, trimmed, trimmed, st.lists(lines, max_size=2), st.lists(some_text, max_size=3), steps)


# Any plan that can be printed.
plans = _plans(_trees(ids, types, 6))
# Plans with small ids and the four types only, so that commands find something to do.
_small_ids = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(lambda numbers: ".".join(map(str, numbers)))
workable_plans = _plans(_trees(_small_ids, st.one_of(known_types, st.sampled_from(["decide", "subtask"])), 8))
# The same with unique step names, which converting to HopSpec and back keeps apart.
named_plans = _plans(_trees(ids, known_types, 6))


@st.composite
def _commands(draw: st.DrawFn, step_ids: st.SearchStrategy[str], step_types: st.SearchStrategy[str]) -> PlanCommand:
    op = draw(st.sampled_from(OPS))
    if op in EDIT_OPS:
        return PlanCommand(
            op, draw(step_ids), draw(step_types), draw(trimmed), detail=draw(st.lists(lines, max_size=3))
        )
    if op in VIEW_OPS:
        return PlanCommand(op, draw(step_ids))
    step_id = draw(st.one_of(step_ids, st.just("ALL"))) if op == "REPLAN" else draw(step_ids)
    return PlanCommand(op, step_id, result=draw(trimmed))


# Any command that can be printed; and such as often find their step in a workable plan.
commands = _commands(ids, types)
workable_commands = _commands(st.one_of(_small_ids, _small_ids, ids), st.one_of(known_types, known_types, types))
# Any command that can be built, printable or not.
wild_commands = st.builds(
    PlanCommand,
    st.sampled_from(OPS),
    st.one_of(_small_ids, st.sampled_from(["", "ALL", "all"])),
    st.one_of(types, st.just("")),
    trimmed,
    trimmed,
    st.lists(lines, max_size=2),
)

_hop_texts = st.one_of(trimmed, st.lists(lines, max_size=3).map("\n".join))


def _infos(children: st.SearchStrategy[list[StepInfo]]) -> st.SearchStrategy[StepInfo]:
    return st.builds(
        StepInfo,
        step_id=st.one_of(ids, st.just("")),
        step_name=names,
        step_type=st.sampled_from(["LLM", "call", "loop", "branch", "code", "flow", "subtask"]),
        task=_hop_texts,
        description=_hop_texts,
        condition=_hop_texts,
        inputs=st.lists(variables, max_size=2),
        outputs=st.lists(variables, max_size=2),
        collection=st.one_of(st.just(""), variables),
        element_var=st.one_of(st.just(""), variables),
        max_iterations=st.one_of(st.none(), counts),
        children=children,
    )


# Any HopSpec steps, whatever their ids.
infos = st.recursive(_infos(st.just([])), lambda inner: _infos(st.lists(inner, max_size=2)), max_leaves=5)

# ---------------------------------------------------------------- texts of a whole document

canonical_plans = plans.map(serialize_plan)
canonical_commands = st.lists(commands, max_size=4).map(serialize_commands)

_LINES = [
    "", " ", "# Plan: Title", "# Title", "#", "#Title", "# Plan:", "Goal: go", "Goal:", "**Goal**: go", "Goal：去",
    "## Goal", "> detail", ">", "> ← a", ">   ← a, b ", "> ← a b", "Constraints:", "## Constraints",
    "Constraints: none", "- limit", "-", "* limit", "1) limit", "## Steps", "## Steps:", "Steps:", "### Steps",
    "1. [act] do", "1. [x] [act] do → a | done", "1.1. [ ] n [subtask] deep", "2. [X] [act] do", "2.[act] do",
    "2. [act]do", "2 [act] do", "02. [act] do", "3. [act] do |", "3. [act] do | | x",
    "3. [act] do | Progress: 1/2 | Progress: 3", "3. [act] do | Progress: x", "4. do", "4. (act) do", "5. 【act】做",
    "[x] 6. [act] do", "- [x] 7. [act] do", "**8.** [act] do", "9. [?] [act] do", "1234567890. [act] do", "```",
    "```text", "~~~", "Some prose.", "some → prose", "PLAN_CMD: DONE 1", "PLAN_CMD: ADD 1.1 [act] do → a",
    "plan_cmd: done 1", "PLAN_CMD：DONE 1", "PLAN_CMD: REPLAN", "PLAN_CMD: DONE", "PLAN_CMD: DONE 1 done",
    "- PLAN_CMD: SKIP 2", "PLAN_CMD: REPLAN all | why", "PLAN_CMD: done 1 | x", "PLAN_CMD: DONE 01",
    "PLAN_CMD: ADD 2 do", "PLAN_CMD: EXPAND 1 x", "\x0b", "a\rb", "1. [act] a\x7fb", "\ufeff", "\ud800", "1. [x] do",
    "x. [act] do", "→", "|", "1. [act] a \\| b \\→ c", "Constraints:  # list", "## Steps # all", "## Steps  #",
    "Steps:  # all", "# Title  # t", "Goal: go   # must", "Goal：去  # 必选", "> detail  # more", ">  # d",
    "> ← a  # in", "- limit  # hard", "-  # limit", "```  # c", "1. [act] do → a  # why", "1. [act] C# 5 # 6",
    "2. [act] do | x  # y | z", "3) [act] do  # why", "- 1. [act] do  # why", "so  # it is",
    "x. [act] do", "→", "|", "1. [act] a \\| b \\→ c", "<think>", "<think>", "</think>", "so.</think>",
    "<reasoning>1. [act] do</reasoning>", "</think>2. [act] do", "<think></think>",
]  # fmt: skip
_indents = st.sampled_from(["", "", "", " ", "  ", "\t", "\u3000"])
_breaks = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n"])
_soup_line = st.tuples(_indents, st.one_of(st.sampled_from(_LINES), st.sampled_from(_LINES), lines), _breaks).map(
    "".join
)

# Random lines, most of them nearly right.
soup = st.lists(_soup_line, max_size=9).map("".join)

_any_character = st.characters(exclude_categories=[])
_junk = st.one_of(
    st.sampled_from(FRAGMENTS),
    st.sampled_from(["\n", "\r\n", "\r", "\x00", "\x1b[31m"]),
    st.text(_any_character, max_size=3),
)

# Anything that Python calls a string, lone surrogates and control characters included.
wild = st.one_of(st.text(_any_character, max_size=40), st.lists(_junk, max_size=12).map("".join))


def _change_characters(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    end = min(len(text), at + draw(st.integers(0, 4)))
    put = draw(st.sampled_from(["", text[at:end] * 2])) if draw(st.booleans()) else draw(_junk)
    return text[:at] + put + text[end:]


def _change_lines(draw: st.DrawFn, text: str) -> str:
    rows = text.split("\n")
    at = draw(st.integers(0, len(rows) - 1))
    other = draw(st.integers(0, len(rows) - 1))
    row = rows[at] if draw(st.booleans()) else rows.pop(at)
    rows.insert(other, row if draw(st.booleans()) else draw(st.sampled_from(_LINES)))
    return "\n".join(rows)


@st.composite
def _mutated(draw: st.DrawFn, canonical: st.SearchStrategy[str]) -> str:
    text = draw(canonical)
    for _ in range(draw(st.integers(1, 3))):
        text = (_change_characters if draw(st.booleans()) else _change_lines)(draw, text)
    return text


# Canonical texts with a few characters or lines put in, left out or doubled.
near_plans = _mutated(canonical_plans)
near_commands = _mutated(canonical_commands)
any_text = st.one_of(near_plans, soup, wild, near_commands)
any_plan_text = st.one_of(near_plans, near_plans, soup, wild, canonical_plans)

# ---------------------------------------------------------------- answers

_NEAR_DECISIONS = [
    "retry", "**RETRY**", "- ACCEPT", "> INTERACT", "RETRY: {}", "RETRY - {}", "RETRY｜{}", "RETRY|{}",
    "Decision: ACCEPT", "**Decision:** RETRY | {}", "决策：重试", "接受。", "PLAN_CMD: RETRY", "ACCEPT.",
    "PLAN_CMD: RETRY 1 | {}", "RETRY 1.1", "1. `ACCEPT`", "RETRY\x00", "I would accept {}", "RETRY {}", "{} RETRY",
]  # fmt: skip
_decisions = st.builds(
    "{}{}".format, st.sampled_from(["RETRY", "ACCEPT", "INTERACT"]), st.one_of(st.just(""), lines.map(" | {}".format))
)
_near_decisions = st.builds(str.format, st.sampled_from(_NEAR_DECISIONS), lines)
# Verbs as they are of use in an answer.
_answer_commands = workable_commands.filter(lambda command: command.op in ("SKIP", "REVISE", "ADD", "REPLAN"))
_answer_line = st.one_of(
    _decisions,
    _near_decisions,
    lines,
    workable_commands.map(lambda command: serialize_commands([command])),
    _answer_commands.map(lambda command: serialize_commands([command])),
)
# Answers about a step: any of them, and such as are often usable.
answers = st.builds(
    lambda rows, end: end.join(row.removesuffix("\n") for row in rows),
    st.lists(_answer_line, max_size=6),
    st.sampled_from(["\n", "\n", "\r\n", "\n\n"]),
)
plain_answers = st.builds(
    lambda commands, decision: serialize_commands(commands) + decision,
    st.lists(_answer_commands, max_size=4),
    st.one_of(st.just(""), _decisions),
)

# ---------------------------------------------------------------- texts from the grammar


def _blanks(least: int) -> st.SearchStrategy[str]:
    return st.text(" \t", min_size=least, max_size=2)


_lists = st.lists(variables, min_size=1, max_size=3).flatmap(
    lambda found: st.sampled_from([",", ", ", " ,\t"]).map(lambda comma: comma.join(found))
)
_before, _behind = _blanks(1), _blanks(0)
_title_text = some_text.filter(lambda text: not text.startswith("Plan:"))
# What hypothesis cannot make from a pattern that looks around itself. Each is what its terminal matches and nothing
# that another terminal would take in the same place.
_TERMINALS: dict[str, st.SearchStrategy[str]] = {
    "LEAD": st.sampled_from(["\ufeff", "\ufeff \n", "\n", " \r\n\t", "  "]),
    "NL": st.lists(st.sampled_from(["\n", "\r\n", " \n", "\t\r\n"]), min_size=1, max_size=2)
    .map("".join)
    .flatmap(lambda breaks: _behind.map(breaks.__add__)),
    "TITLE_MARK": st.sampled_from(["# ", "#\t", "# Plan:", "#  Plan: "]),
    "GOAL_MARK": st.sampled_from(["Goal:", "Goal: ", "**Goal**:", "**Goal**:\t"]),
    "CONSTRAINTS_MARK": st.sampled_from(["Constraints:", "## Constraints", "##\tConstraints"]),
    "STEPS_MARK": st.sampled_from(["## Steps", "##  Steps"]),
    "TEXT": _title_text,
    "STEP_ID": ids.map(lambda step_id: f"{step_id}."),
    "MARK": st.builds("{}[{}]".format, _before, st.sampled_from(" x>!~")),
    "NAME": st.builds("{}{}".format, _before, names.filter(bool)),
    "TYPE": st.builds("{}[{}]".format, _before, types.filter(lambda word: word not in ("x", "X"))),
    "DESCRIPTION": st.builds(
        "{}{}".format,
        _before,
        some_text.filter(lambda text: not re.search(r"(?<![^ \t])\|(?![^ \t])|→[ \t]*[A-Za-z_]", text)),
    ),
    "OUTPUTS": st.builds("{}→{}{}".format, _before, _behind, _lists),
    "RESULT": st.builds(
        "{}|{}{}".format,
        _before,
        _before,
        some_text.filter(lambda text: not re.search(r"(?<![^ \t])\|(?![^ \t])|\AProgress:", text)),
    ),
    "PROGRESS": st.builds(
        "{}|{}Progress:{}{}".format, _before, _before, _behind, st.sampled_from(["0", "1/2", "999999999/007"])
    ),
    "INPUTS": st.builds(">{}←{}{}".format, _behind, _behind, _lists),
    "DETAIL": lines.map(">{}".format),
}


@cache
def grammar_plans() -> st.SearchStrategy[str]:
    """Texts that the grammar of plans derives; ids may come twice in them."""
    grammar = compile_grammar(grammar_path("planspec"), STARTS["planspec"], _plugins=PLUGINS)
    return from_lark(grammar, start="plan", explicit=_TERMINALS)


# ---------------------------------------------------------------- accepted texts that are not canonical

_SPACED = ("MARK", "NAME", "TYPE", "DESCRIPTION", "OUTPUTS", "RESULT", "PROGRESS")


def loose_plans(plans: st.SearchStrategy[PlanSpec] = workable_plans) -> st.SearchStrategy[str]:
    """Accepted texts that spell plans their own way: white space, line ends, order of steps, marks that need not be,
    steps without a header."""
    # By a seed: as choices of their own, so many small ones would take far longer to draw.
    return st.builds(_loosen, plans, st.integers(0, 10**6).map(Random)).filter(is_accepted)


def is_accepted(text: str) -> bool:
    """Whether a text is a plan."""
    try:
        parse_plan(text)
    except PlanSyntaxError:
        return False
    return True


def _loosen(plan: PlanSpec, random: Random) -> str:
    head, *steps = cut_accepted(serialize_plan(plan))
    if random.random() < 0.3:
        random.shuffle(steps)
    tree = parse_tree("".join(piece.text for piece in [head, *steps]))
    if steps and random.random() < 0.3:
        # The first step opens the section as well.
        [header] = tree.find_data("steps_header")
        header.children = []
    tokens = [token for token in tree.scan_values(lambda _: True) if token is not None]
    marks = random.random() < 0.5
    text = random.choice(["", "", "\ufeff", "\n", "  "])
    for token, behind in zip(tokens, [*tokens[1:], None], strict=False):
        text += _loosen_token(token, random)
        if token.type == "STEP_ID" and marks and behind is not None and behind.type != "MARK":
            text += " [ ]"
    return text.rstrip(" \t\r\n") if random.random() < 0.3 else text


def _loosen_token(token: Token, random: Random) -> str:
    text = str(token)
    if token.type in _SPACED:
        return random.choice([" ", " ", "  ", "\t", " \t "]) + text.lstrip(" \t")
    if token.type == "NL":
        ends = random.choice(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\t\r\n \r\n"])
        return ends + random.choice([text.rpartition("\n")[2], "", "  ", "\t"])
    if token.type == "INPUTS":
        return text.replace(" ", random.choice([" ", "", "  "]))
    if token.type == "GOAL_MARK":
        return random.choice(["Goal: ", "Goal:", "**Goal**: "])
    return random.choice(["Constraints:", "## Constraints"]) if token.type == "CONSTRAINTS_MARK" else text
