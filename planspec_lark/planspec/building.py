"""From the tokens of one line or one step to models.

All readers end here: whatever found the tokens (the LALR parser or a pattern made from the same grammar), what they
mean is said once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from re import Match

from planspec_lark import grammars
from planspec_lark.planspec.escapes import read_description, read_detail, read_segment
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import MARKS, SETTERS, STEP_TYPES, PlanStatus, PlanStep

__all__ = [
    "behind_sign",
    "build_step",
    "read_body",
    "read_constraints",
    "read_goal_detail",
    "split_body",
    "split_constraints",
    "split_goal_detail",
    "split_segments",
    "split_variables",
]

_STATUSES = {f"[{mark}]": status for status, mark in MARKS.items()}
# The tokens as they mostly come, with one space in front: one text for all steps of a type, and nothing to cut.
_USUAL_STATUSES = {f" [{mark}]": status for status, mark in MARKS.items()}
_USUAL_TYPES = {f" [{name}]": name for name in STEP_TYPES}
_PENDING = PlanStatus.PENDING
_NEW = PlanStep.__new__
(
    _set_id,
    _set_name,
    _set_type,
    _set_description,
    _set_inputs,
    _set_outputs,
    _set_detail,
    _set_result,
    _set_status,
    _set_expanded,
    _set_done,
    _set_total,
    _set_children,
) = SETTERS


@cache
def _lines(rule: str) -> Callable[[str], Iterator[Match[str]]]:
    return grammars.regular("planspec").pattern(rule).finditer


@cache
def _body_lines() -> Callable[[str], list[tuple[str, str]]]:
    pattern = grammars.regular("planspec").pattern("_body")
    assert list(pattern.groupindex) == ["INPUTS", "DETAIL"]
    return pattern.findall


@cache
def _segment_tokens() -> Callable[[str], Iterator[Match[str]]]:
    return grammars.regular("planspec").tokens("_segments").finditer


def split_variables(names: str) -> list[str]:
    """The variables of a list."""
    return [name.strip(BLANKS) for name in names.split(",")]


def split_segments(segments: str) -> Iterator[Match[str]]:
    """The tokens of the segments of a summary line, each the group RESULT or PROGRESS."""
    return _segment_tokens()(segments + "\n")


def split_body(body: str) -> Iterator[Match[str]]:
    """The lines of a body, each with the group INPUTS or DETAIL."""
    return _lines("_body")(body)


def split_constraints(lines: str) -> Iterator[Match[str]]:
    """The lines of constraints, each with the group TEXT."""
    return _lines("constraint")(lines)


def split_goal_detail(lines: str) -> Iterator[Match[str]]:
    """The detail lines of a goal, each with the group DETAIL. None of them declares inputs."""
    return _lines("_goal_detail")(lines)


def read_constraints(lines: str) -> list[str]:
    """The constraints of these lines."""
    return [line["TEXT"].strip(BLANKS) for line in split_constraints(lines)]


def read_goal_detail(lines: str) -> list[str]:
    """The details of these lines."""
    return [behind_sign(line["DETAIL"]) for line in split_goal_detail(lines)]


def behind_sign(detail: str) -> str:
    """What a detail line says: what stands behind its `>` and one space."""
    return detail[2:] if detail.startswith("> ") else detail[1:]


def read_body(body: str) -> tuple[list[str], list[str]]:
    """The inputs and the detail of the lines of a body."""
    inputs: list[str] = []
    detail: list[str] = []
    for inputs_token, detail_token in _body_lines()(body):
        if detail_token:
            detail.append(read_detail(behind_sign(detail_token)))
        else:
            inputs += split_variables(inputs_token.partition("←")[2])
    return inputs, detail


def _read_segments(segments: str) -> tuple[str, int, int | None]:
    pieces: list[str] = []
    done, total = 0, None
    for token in split_segments(segments):
        text = token[0].partition("|")[2].strip(BLANKS)
        if token.lastgroup == "RESULT":
            pieces.append(read_segment(text))
        else:
            first, slash, second = text.partition(":")[2].partition("/")
            done, total = int(first), int(second) if slash else None
    return " | ".join(pieces), done, total


def build_step(  # noqa: PLR0913, PLR0917  (the tokens of a line, in its order)
    step_id: str,
    mark: str | None,
    name: str | None,
    step_type: str,
    description: str | None,
    outputs: str | None,
    segments: str,
    body: str,
) -> PlanStep:
    """The step that these tokens of one ``step`` spell, without its children.

    The grammar has let every value through, so the models' validators need not look at them again.
    """
    inputs, detail = read_body(body) if body else ([], [])
    result, done, total = _read_segments(segments) if segments else ("", 0, None)
    step = _NEW(PlanStep)
    _set_id(step, step_id[:-1])
    _set_name(step, name.strip(BLANKS) if name else "")
    _set_type(step, _USUAL_TYPES.get(step_type) or step_type.strip(BLANKS)[1:-1])
    _set_description(step, _read_text(description, outputs) if description else "")
    _set_inputs(step, inputs)
    _set_outputs(step, split_variables(outputs.partition("→")[2]) if outputs else [])
    _set_detail(step, detail)
    _set_result(step, result)
    _set_status(step, _read_mark(mark) if mark else _PENDING)
    _set_expanded(step, None)
    _set_done(step, done)
    _set_total(step, total)
    _set_children(step, [])
    return step


def _read_mark(mark: str) -> PlanStatus:
    return _USUAL_STATUSES.get(mark) or _STATUSES[mark.strip(BLANKS)]


def _read_text(description: str, outputs: str | None) -> str:
    return read_description(description.strip(BLANKS), has_outputs=outputs is not None)
