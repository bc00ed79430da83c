"""What repairing lines costs beside asking for the whole plan again: rounds and tokens, by kind of fault.

A scripted model answers. It knows what the plan should say, and writes the lines that say something else, or else all
of it. At a given rate a line that it writes is wrong: that is why writing few lines needs fewer rounds than writing
all. Tokens are estimated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random

from benchmarks.findings import Findings, Settings
from benchmarks.plans import plan_text
from benchmarks.tables import Table
from planspec_lark import extract_plan, parse_plan, repair_plan, serialize_plan
from planspec_lark.answers import RepairRound
from tests.answers.mutators import MUTATORS, Mutator
from tests.answers.plans import draft_of, random_plan
from tests.answers.scripted import lines_of

__all__ = ["FAULTS", "ScriptedModel", "compare", "measure_repair"]

# How often either of the two may ask.
_MOST = 10
_RATES = (0.0, 0.1, 0.3)
_SIZES, _QUICK_SIZES = (17, 85, 340), (17,)
_TYPE = re.compile(r"(?<=\. )((?:\[[ x>!~]\] )?(?:[\w-]+ )?)\[[a-z]+\] ")


# ---------------------------------------------------------------- faults


def _lose_type(text: str, random: Random) -> str:
    rows = text.split("\n")
    steps = [at for at, row in enumerate(rows) if _TYPE.search(row)]
    for at in random.sample(steps, min(len(steps), random.randint(1, 3))):
        rows[at] = _TYPE.sub(r"\1", rows[at])
    return "\n".join(rows)


def _elide(text: str, random: Random) -> str:
    rows = text.split("\n")
    first = rows.index("## Steps") + 2
    at = random.randrange(first, len(rows) - 1)
    end = min(at + random.randint(1, 3), len(rows) - 1)
    return "\n".join([*rows[:at], random.choice(["... (unchanged)", "…", "（略）"]), *rows[end:]])


def _cut(text: str, random: Random) -> str:
    first = text.index("## Steps\n") + len("## Steps\n")
    at = random.randrange((first + len(text)) // 2, len(text) - 2)
    return f"```\n{text[:at]}"


def _conflict(text: str, random: Random) -> str:
    rows = text.split("\n")
    steps = [at for at, row in enumerate(rows) if re.match(r" *[0-9.]+\. ", row)]
    at = random.choice(steps)
    theirs = f"{rows[at]} or so"
    return "\n".join([*rows[:at], "<<<<<<< ours", rows[at], "=======", theirs, ">>>>>>> theirs", *rows[at + 1 :]])


def _rival(text: str, random: Random) -> str:
    draft = serialize_plan(draft_of(parse_plan(text), random))
    return f"Here is one way:\n\n{draft}\nAnd here is another:\n\n{text}"


def _no_goal(text: str, _: Random) -> str:
    return re.sub(r"^Goal: .*\n(> .*\n)*", "", text, count=1, flags=re.M)


def _mutated(mutator: Mutator) -> Callable[[str, Random], str]:
    return lambda text, random: mutator(text, random).text


FAULTS: dict[str, Callable[[str, Random], str]] = {
    **{name.replace("_", " "): _mutated(mutator) for name, mutator in MUTATORS.items()},
    "types left out": _lose_type,
    "no goal": _no_goal,
    "elision": _elide,
    "cut off": _cut,
    "conflict markers": _conflict,
    "two plans": _rival,
}


# ---------------------------------------------------------------- the model


@dataclass
class ScriptedModel:
    """A model that knows what the plan should say, and slips at a rate.

    Attributes:
        truth: the plan as it should be.
        text: the text that it is asked about.
        rate: how many of the lines that it writes are wrong.
        random: decides which.
    """

    truth: str
    text: str
    rate: float
    random: Random

    def answer(self, prompt: str) -> str:
        """The answer to a question of ``repair_plan``."""
        if prompt.startswith("# Choose one of your plans"):
            truth = parse_plan(self.truth)
            right = [number for number in (1, 2) if extract_plan(self.text, choose=number).plan == truth]
            if right:
                return f"PLAN {right[0]}"
        rows: list[str] = []
        now = self.text.split("\n")
        shown = lines_of(prompt)
        for number, texts in self._align().items():
            if number in shown and texts != [row for row in [now[number - 1].strip(" \t")] if row]:
                rows += [f"LINE {number}: {self._slip(text)}".rstrip() for text in texts or [""]]
        # A text that only seems to be cut off ends as it does.
        return "\n".join(rows) or f"LINE {max(shown)}: {now[max(shown) - 1].strip()}"

    def write_all(self) -> str:
        """The whole plan."""
        rows = "".join(f"{self._slip(row)}\n" for row in self.truth.split("\n")[:-1])
        return f"```planspec\n{rows}```\n"

    def hear(self, one: RepairRound) -> None:
        """Know the text as it is after a round."""
        self.text = one.text

    def _slip(self, row: str) -> str:
        """The line, or another wrong one."""
        if not row or self.random.random() >= self.rate:
            return row
        wrong = _TYPE.sub(r"\1", row)
        return wrong if wrong != row else f"And so on: {row.lstrip('-># ')}"

    def _align(self) -> dict[int, list[str]]:
        """What should stand in place of each line of the text, by its number, where that is something else."""
        now, truth = ([row.strip(" \t") for row in text.split("\n")] for text in (self.text, self.truth))
        meant: dict[int, list[str]] = {at: [row] for at, row in enumerate(now, 1)}
        for kind, first, end, start, stop in SequenceMatcher(None, now, truth, autojunk=False).get_opcodes():
            if kind == "insert":
                # What is missing goes before the line that is there, or else after the last one.
                at = min(first + 1, len(now))
                meant[at] = [*truth[start:stop], *meant[at]] if first < len(now) else [*meant[at], *truth[start:stop]]
            elif kind in ("replace", "delete"):
                for number in range(first + 1, end + 1):
                    meant[number] = []
                for at, row in enumerate(truth[start:stop]):
                    meant[min(first + 1 + at, end)].append(row)
        return {number: [row for row in rows if row] for number, rows in meant.items()}


# ---------------------------------------------------------------- both ways


@dataclass
class Spent:
    """What one way of repairing has taken for several texts."""

    texts: int = 0
    usable: int = 0
    right: int = 0
    rounds: int = 0
    tokens: int = 0

    def add(self, rounds: int, tokens: int, *, is_usable: bool, is_right: bool) -> None:
        """Count one more text."""
        self.texts += 1
        self.rounds += rounds
        self.tokens += tokens
        self.usable += is_usable
        self.right += is_right

    def __add__(self, other: Spent) -> Spent:
        mine, others = vars(self).values(), vars(other).values()
        return Spent(*(one + another for one, another in zip(mine, others, strict=True)))


def compare(texts: Iterator[tuple[str, str]], rate: float, seed: str) -> tuple[int, Spent, Spent]:
    """Repair texts by lines and by full retries, with the same rate of wrong lines.

    Args:
        texts: what each plan should say, and what there is.
        rate: how many of the lines that the model writes are wrong.
        seed: decides which.

    Returns:
        How many texts had to be asked about; and for these, what either way has taken.
    """
    asked, lines, whole = 0, Spent(), Spent()
    for number, (truth, text) in enumerate(texts):
        if extract_plan(text).is_usable:
            continue
        asked += 1
        plan = parse_plan(truth)
        for spent, way in ((lines, "lines"), (whole, "whole")):
            model = ScriptedModel(truth, text, rate, Random(f"{seed} {number} {way}"))
            answer = model.answer if way == "lines" else lambda _, model=model: model.write_all()
            # A slip that leaves a line out is one of its lines, too.
            done = repair_plan(text, answer, rounds=_MOST, allow_removal=True, on_round=model.hear)
            is_right = done.is_usable and done.plan == plan
            spent.add(len(done.rounds), done.cost.tokens, is_usable=done.is_usable, is_right=is_right)
    return asked, lines, whole


def _random_texts(fault: str, count: int) -> Iterator[tuple[str, str]]:
    for number in range(count):
        random = Random(f"{fault} {number}")
        truth = serialize_plan(random_plan(random, language=("en", "zh")[number % 2], is_full=True))
        yield truth, FAULTS[fault](truth, random)


def _sized_texts(steps: int, count: int) -> Iterator[tuple[str, str]]:
    truth = plan_text(steps)
    for number in range(count):
        yield truth, _lose_type(truth, Random(number))


# ---------------------------------------------------------------- tables

_COLUMNS = ["asked", "usable", "right", "rounds", "tokens", "usable, whole", "rounds, whole", "tokens, whole"]


def _cells(asked: int, lines: Spent, whole: Spent) -> list[str]:
    if not asked:
        return ["0", *["–"] * 7]
    return [
        str(asked),
        str(lines.usable),
        str(lines.right),
        f"{lines.rounds / asked:.2f}",
        f"{lines.tokens / asked:,.0f}",
        str(whole.usable),
        f"{whole.rounds / asked:.2f}",
        f"{whole.tokens / asked:,.0f}",
    ]


def measure_repair(settings: Settings) -> Findings:
    """Rounds and tokens by kind of fault, by the rate of wrong lines, and by the size of the plan."""
    count = 6 if settings.quick else 40
    findings = Findings()
    by_rate = Table("repair, all kinds of faults, by the rate of wrong lines", ["wrong lines", *_COLUMNS])
    for rate in _RATES:
        table = Table(f"repair, {count} texts of each kind, {rate:.0%} of the lines wrong", ["fault", *_COLUMNS])
        total = 0, Spent(), Spent()
        for fault in FAULTS:
            found = compare(_random_texts(fault, count), rate, f"{fault} {rate}")
            table.rows.append([fault, *_cells(*found)])
            total = total[0] + found[0], total[1] + found[1], total[2] + found[2]
        findings.tables.append(table)
        by_rate.rows.append([f"{rate:.0%}", *_cells(*total)])
        findings.figures[f"repair/tokens to whole, {rate:.0%} wrong"] = total[1].tokens / max(total[2].tokens, 1)
    by_size = Table("repair, types left out of one to three steps, 10% of the lines wrong", ["steps", *_COLUMNS])
    for steps in _QUICK_SIZES if settings.quick else _SIZES:
        found = compare(_sized_texts(steps, count // 2), 0.1, f"size {steps}")
        by_size.rows.append([f"{steps}", *_cells(*found)])
    findings.tables += [by_rate, by_size]
    return findings
