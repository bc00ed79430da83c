"""Tokens of one line or one step → models.

All readers end here: what tokens mean is defined once, whether the LALR parser or a pattern made from the same grammar
found them. A token is given by its value, as the grammar defines it; an absent one is empty or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from re import Match
from typing import Any

from planspec_lark.planspec.escapes import read_description, read_detail, read_segment
from planspec_lark.planspec.models import BLANKS, MARKS, STEP_FIELDS, STEP_TYPES, WORDS, PlanStatus, PlanStep, make_step
from planspec_lark.syntax import grammars

__all__ = [
    "BODY",
    "STATUSES",
    "SUMMARY",
    "add_rows",
    "build_step",
    "read_body",
    "read_constraints",
    "read_goal_detail",
    "read_words",
    "split_segments",
    "split_variables",
]

# The tokens of a summary line that build_step takes, and those of a line of a body. Names that start with an underscore
# are rules; they stand for the whole text of the rule.
SUMMARY = (
    "STEP_ID",
    "MARK",
    "NAME",
    "TYPE",
    *(STEP_FIELDS[name].token for name in WORDS),
    "DESCRIPTION",
    "OUTPUTS",
    "RESULT",
    "_more",
    "PROGRESS",
    "_behind",
)
BODY = ("INPUTS", "DETAIL")
_FIRST_WORD, _BEHIND_WORDS = SUMMARY.index("TYPE") + 1, SUMMARY.index("DESCRIPTION")

STATUSES: dict[str | None, PlanStatus] = {f"[{mark}]": status for status, mark in MARKS.items()}
STATUSES[None] = STATUSES[""] = PlanStatus.PENDING
# So that all steps of a type share one string.
_TYPES = {name: name for name in STEP_TYPES}


@cache
def _finder(rule: str, *groups: str) -> Callable[[str], list[Any]]:
    """A function that finds all lines of a rule in a text: the value of each, or a tuple for several groups."""
    return grammars.regular("planspec").pattern(rule, groups=groups).findall


@cache
def _segment_tokens() -> Callable[[str], Iterator[Match[str]]]:
    return grammars.regular("planspec").tokens("_segments").finditer


def split_variables(names: str) -> list[str]:
    """The variables of a list."""
    return [*map(str.strip, names.split(","))] if "," in names else [names]


def split_segments(segments: str) -> Iterator[Match[str]]:
    """The tokens of the segments of a summary line, each the group RESULT or PROGRESS."""
    return _segment_tokens()(segments + "\n")


def read_constraints(lines: str) -> list[str]:
    """The constraints of these lines."""
    return _finder("constraint", "TEXT")(lines)


def read_goal_detail(lines: str) -> list[str]:
    """The detail lines of a goal. They do not declare inputs."""
    return _finder("_goal_detail", "DETAIL")(lines)


def read_body(body: str) -> tuple[list[str], list[str]]:
    """The inputs and the detail of the lines of a body."""
    rows = _finder("_body", *BODY)(body)
    inputs = [name for names, _ in rows if names for name in split_variables(names)]
    return inputs, [read_detail(text) for names, text in rows if not names]


def read_words(text: str) -> tuple[dict[str, Any], str]:
    """The fields of one word that a text begins with, as what follows the type does, and the rest of it."""
    words: dict[str, Any] = {}
    for name in WORDS:
        found = grammars.pattern("planspec", STEP_FIELDS[name].token).match(f" {text}")
        rest = f" {text}"[found.end() :] if found else ""
        if found and rest[:1] in ("", *BLANKS):
            words[name], text = found["value"], rest.strip(BLANKS)
    return words, text


def add_rows(steps: list[PlanStep], rows: Iterable[tuple[str, ...]]) -> bool:
    """Add the steps of these lines, without their children; to the last step before them, the body in front.

    Args:
        steps: those of the lines before.
        rows: for each line the tokens SUMMARY and BODY, then the text of a line that is neither.

    Returns:
        False if a line does not belong to a step, or a body comes before the first step.
    """
    step = steps[-1] if steps else None
    for row in rows:
        if row[0]:
            step = build_step(*row[:-3])
            steps.append(step)
            continue
        inputs, detail, rest = row[-3:]
        if step is None or rest:
            return False
        if inputs:
            step.inputs.extend(split_variables(inputs))
        else:
            step.detail.append(read_detail(detail) if "←" in detail else detail)
    return True


def _build_step(  # noqa: PLR0913, PLR0917  (the tokens of a line, in its order)
    step_id: str,
    mark: str | None,
    name: str | None,
    step_type: str,
    description: str | None,
    outputs: str | None,
    result: str | None,
    more: str | None,
    progress: str | None,
    behind: str | None,
) -> PlanStep:
    """The step of one summary line, without its body and its children.

    The grammar has accepted every value, so the validators of the models need not check them again.
    """
    if description and "\\" in description:
        description = read_description(description, has_outputs=bool(outputs))
    if more or behind or (result and "\\" in result):
        pieces = [result] if result else []
        pieces += [token["RESULT"] for run in (more, behind) if run for token in split_segments(run)]
        result = " | ".join(map(read_segment, pieces))
    done, total = _read_progress(progress) if progress else (0, None)
    return make_step(
        step_id,
        name or "",
        _TYPES.get(step_type, step_type),
        description or "",
        outputs=split_variables(outputs) if outputs else None,
        result=result or "",
        status=STATUSES[mark],
        done_count=done,
        total_count=total,
    )


def _read_progress(progress: str) -> tuple[int, int | None]:
    done, _, total = progress.partition("/")
    return int(done), int(total) if total else None


def _build_with_words(*tokens: str | None) -> PlanStep:
    step = _build_step(*tokens[:_FIRST_WORD], *tokens[_BEHIND_WORDS:])  # type: ignore[arg-type]
    for name, word in zip(WORDS, tokens[_FIRST_WORD:_BEHIND_WORDS], strict=True):
        setattr(step, name, word or "")
    return step


# Takes the tokens SUMMARY. No field is a single word so far, and looking for them would take time.
build_step: Callable[..., PlanStep] = _build_with_words if WORDS else _build_step
