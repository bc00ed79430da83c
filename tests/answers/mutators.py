"""Faults that models make in a plan: each mutator puts one into canonical text, and says if that loses anything.

A mutated text *still says what was meant* when a careful reader who has nothing but that text would write down the
plan that it was made of. Each mutator has its own rule for that, in its description. A text without the part in
question (no constraint, no progress) stays as it is; ``random_plan(random, is_full=True)`` makes plans that have
every part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from attrs import frozen

from planspec_lark import serialize_plan
from tests.answers.plans import random_plan

__all__ = ["MUTATORS", "Mutation", "Mutator", "make_mutations"]


@frozen
class Mutation:
    """A text with a fault."""

    text: str
    is_meant: bool
    """Whether it still says what was meant."""


Mutator = Callable[[str, Random], Mutation]

MUTATORS: dict[str, Mutator] = {}


def make_mutations(name: str, count: int, seed: int = 0) -> Iterator[tuple[str, Mutation]]:
    """So many canonical texts, each with what a mutator makes of it; the same seed gives the same ones."""
    for number in range(count):
        random = Random(f"{seed} {name} {number}")
        text = serialize_plan(random_plan(random, language=("en", "zh")[number % 2], is_full=True))
        yield text, MUTATORS[name](text, random)


def _mutator(function: Mutator) -> Mutator:
    """Enter a mutator under its name."""
    MUTATORS[function.__name__] = function
    return function


# ---------------------------------------------------------------- lines of a canonical text

_SUMMARY = re.compile(r"( *)([0-9.]+)\. (.*)")


def _rows(text: str) -> list[str]:
    return text.split("\n")[:-1]


def _joined(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _some(rows: list[str], pattern: str, random: Random) -> list[int]:
    """Where the lines are that a mutator changes: one to three of those that match."""
    found = [at for at, row in enumerate(rows) if re.search(pattern, row)]
    return sorted(random.sample(found, min(len(found), random.randint(1, 3))))


def _substituted(text: str, random: Random, pattern: str, change: Callable[[re.Match[str]], str]) -> str:
    """The text with the first match in one to three of the lines that have one changed."""
    rows = _rows(text)
    for at in _some(rows, pattern, random):
        rows[at] = re.sub(pattern, change, rows[at], count=1)
    return _joined(rows)


# ---------------------------------------------------------------- what is in one line


@_mutator
def id_spelling(text: str, random: Random) -> Mutation:
    """Ids with other signs around them: their numbers still say all."""
    spelling = random.choice(["{})", "({})", "{}:", "{}.)", "{} .", "**{}.**", "{}、", "（{}）", "Step {}:"])
    changed = _substituted(text, random, r"^( *)([0-9.]+)\. ", lambda found: f"{found[1]}{spelling.format(found[2])} ")
    return Mutation(changed, is_meant=True)


@_mutator
def bullet(text: str, random: Random) -> Mutation:
    """Other bullets of constraints: the label above says what they are."""
    sign = random.choice(["*", "•", "+", "–", "1.", "1)", "-"])
    changed = _substituted(text, random, r"^- ", lambda _: sign if sign == "-" else f"{sign} ")
    return Mutation(changed, is_meant=True)


@_mutator
def arrow(text: str, random: Random) -> Mutation:
    """Other arrows, of outputs or of inputs: a variable list stands behind each."""
    if random.random() < 0.3:
        left = random.choice(["<-", "<=", "⇐", "<--"])
        return Mutation(_substituted(text, random, "> ←", lambda _: f"> {left}"), is_meant=True)
    right = random.choice(["->", "=>", "-->", "⇒", "➜", "—>"])
    return Mutation(_substituted(text, random, "→", lambda _: right), is_meant=True)


@_mutator
def type(text: str, random: Random) -> Mutation:
    """Other spellings of types. A type that is gone, or a word that is none, says no more what it was."""
    lost = random.random() < 0.15
    words = {"reason": "LLM", "act": "TOOL"}

    def change(found: re.Match[str]) -> str:
        kind = found[1]
        if lost:
            return random.choice(["", "[work]", "[todo]"])
        slips = [
            f"[{kind.capitalize()}]",
            f"[{kind.upper()}]",
            f"({kind})",
            f"【{kind}】",
            f"[{kind} ]",
            f"**[{kind}]**",
        ]
        return random.choice([*slips, f"[{words[kind]}]" if kind in words else f"[ {kind}]"])

    pattern = r"\[(reason|act|decide|subtask)\]"
    changed = _substituted(text, random, pattern, change)
    return Mutation(changed.replace(".  ", ". ").replace("]  ", "] "), is_meant=not lost)


@_mutator
def status(text: str, random: Random) -> Mutation:
    """Other marks. One that nobody knows says no more what it was."""
    spellings = {
        "x": ["[X]", "[✓]", "✅", "[done]", "✔"],
        ">": ["🔄", "[in progress]"],
        "!": ["[blocked]", "🚫"],
        "~": ["⏭"],
    }
    lost = random.random() < 0.15

    def change(found: re.Match[str]) -> str:
        return f" {random.choice(['[?]', '[%]', '🟡'] if lost else spellings[found[1]])} "

    return Mutation(_substituted(text, random, r"(?<=\.) \[([x>!~])\] ", change), is_meant=not lost)


@_mutator
def goal_label(text: str, random: Random) -> Mutation:
    """Other labels of the goal. Without any, a reader can only guess that the line is the goal."""
    lost = random.random() < 0.15
    spellings = [
        "goal: ",
        "GOAL: ",
        "Goal：",
        "Objective: ",
        "## Goal\n",
        "## Goal: ",
        "Goal - ",
        "**Goal:** ",
        "目标：",
    ]
    label = "" if lost else random.choice(spellings)
    return Mutation(re.sub(r"^Goal: ", label, text, count=1, flags=re.M), is_meant=not lost)


@_mutator
def steps_label(text: str, random: Random) -> Mutation:
    """Other headings of the steps, or none: the numbered lines say what they are."""
    spellings = ["Steps:", "## Steps:", "### Steps", "## steps", "**Steps**", "# Steps", "## 步骤", "##Steps", "Steps"]
    return Mutation(text.replace("## Steps\n", f"{random.choice(spellings)}\n", 1), is_meant=True)


@_mutator
def progress(text: str, random: Random) -> Mutation:
    """Other spellings of a progress. A count that is none any more, or a share, is lost."""
    lost = random.random() < 0.15
    spellings = ["progress: {}/{}", "Progress {}/{}", "Progress：{}/{}", "Progress: {} / {}", "Progress: {} of {}"]
    spelling = random.choice(["Progress: half", "Progress: 50%", "Progress: ?"] if lost else spellings)
    pattern = r"Progress: ([0-9]+)/([0-9]+)"
    changed = _substituted(text, random, pattern, lambda found: spelling.format(found[1], found[2]))
    return Mutation(changed, is_meant=not lost)


@_mutator
def indentation(text: str, random: Random) -> Mutation:
    """Other white space in front of lines: the ids still spell the tree."""
    blanks = random.choice([["\xa0\xa0", "\xa0"], ["\u3000", "\u3000\u3000"], ["\t", "\u3000", "    ", "\xa0 "]])
    rows = _rows(text)
    at = rows.index("## Steps") + 1
    changed = [random.choice(blanks) + row.lstrip(" ") if row[0] == " " else row for row in rows[at:]]
    return Mutation(_joined([*rows[:at], *changed]), is_meant=True)


# ---------------------------------------------------------------- what concerns several lines


@_mutator
def order(text: str, random: Random) -> Mutation:
    """The parts in another order, each whole: every part is known by its label."""
    parts = re.findall(
        r"^(?:# |Goal:|Constraints:|## Steps).*\n(?:(?!# |Goal:|Constraints:|## Steps).*\n)*", text, re.M
    )
    mixed = [*parts]
    while mixed == parts and len(parts) > 1:
        random.shuffle(mixed)
    return Mutation("".join(mixed), is_meant=True)


_OPENINGS = ["Here is the plan:", "This is how I would do it.", "好的，计划如下："]
_CLOSINGS = ["I hope that this helps!", "Shall I change anything?", "希望对您有帮助！"]
_BETWEEN = ["Then we wait for an answer.", "This takes the longest.", "然后等待回复。", "After that it gets easier."]


@_mutator
def prose_line(text: str, random: Random) -> Mutation:
    """A sentence in front of the plan or behind it. Between its lines it might be a part of it that got lost."""
    rows = _rows(text)
    place = random.random()
    if place < 0.4:
        return Mutation(_joined([random.choice(_OPENINGS), *random.choice([[], [""]]), *rows]), is_meant=True)
    if place < 0.8:
        return Mutation(_joined([*rows, "", random.choice(_CLOSINGS)]), is_meant=True)
    at = random.randrange(rows.index("## Steps") + 2, len(rows))
    return Mutation(_joined([*rows[:at], random.choice(_BETWEEN), *rows[at:]]), is_meant=False)


@_mutator
def fence(text: str, random: Random) -> Mutation:
    """A fence around the plan, or a stray one at its end. One that is never closed may have lost what follows."""
    mark = random.choice(["```", "~~~", "````"])
    kind = random.random()
    if kind < 0.6:
        return Mutation(f"{mark}{random.choice(['', 'text', 'planspec'])}\n{text}{mark}\n", is_meant=True)
    if kind < 0.85:
        return Mutation(f"{text}{mark}\n", is_meant=True)
    return Mutation(f"{mark}\n{text}", is_meant=False)


@_mutator
def stray_detail(text: str, random: Random) -> Mutation:
    """Detail with a bullet below its step, or a line of a body where there is none.

    A bullet below a step says what it belongs to. Of the others only an empty one can go; nobody knows whose they are.
    """
    rows = _rows(text)
    at = rows.index("## Steps") + 1
    kind = random.random()
    if kind < 0.4 and any(re.match(" *> (?!←)", row) for row in rows[at:]):
        sign = random.choice(["-", "*", "•"])
        below = _substituted(_joined(rows[at:]), random, "^( *)> (?!←)", lambda found: f"{found[1]}{sign} ")
        return Mutation(_joined(rows[:at]) + below, is_meant=True)
    empty = kind < 0.7
    places = [at for at, row in enumerate(rows, 1) if row == "## Steps" or row.startswith(("# Plan:", "- "))]
    line = ">" if empty else random.choice(["> Ask twice", "> 先问负责人", "> ← first_list"])
    at = random.choice(places)
    return Mutation(_joined([*rows[:at], line, *rows[at:]]), is_meant=empty)


@_mutator
def doubled_id(text: str, random: Random) -> Mutation:
    """A step with the id of another one. In a row of numbers the gap says what it was, if it follows its double.

    So 1, 2, 2, 4 can only be 1, 2, 3, 4; of 1, 2, 3, 1, 5 one can not be sure. Nor can one where steps stand below
    either of the two: their ids may be right or wrong as well.
    """
    rows = _rows(text)
    ids = {found[2]: at for at, row in enumerate(rows) if (found := _SUMMARY.fullmatch(row))}
    leaves = [step_id for step_id in ids if f"{step_id}.1" not in ids]
    pairs = [(one, other) for one in leaves for other in leaves if _level(one) == _level(other)]
    near = [(one, other) for one, other in pairs if _number(other) == _number(one) + 1]
    far = [(one, other) for one, other in pairs if _number(other) > _number(one) + 1]
    is_near = bool(near) and (random.random() < 0.85 or not far)
    if not near and not far:
        return Mutation(text, is_meant=True)
    one, other = random.choice(near if is_near else far)
    rows[ids[other]] = rows[ids[other]].replace(f"{other}. ", f"{one}. ", 1)
    return Mutation(_joined(rows), is_meant=is_near)


def _level(step_id: str) -> str:
    return step_id.rpartition(".")[0]


def _number(step_id: str) -> int:
    return int(step_id.rpartition(".")[2])
