"""What is wrong with a line that seems to be meant as a command, and how it is written right."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from re import Pattern

from attrs import frozen

from planspec_lark.plan_cmd.models import EDIT_OPS, OPS, VIEW_OPS
from planspec_lark.planspec.corrections import read_loose_id
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.syntax import grammars

__all__ = ["Fault", "diagnose", "diagnose_prefix"]


@frozen
class Fault:
    """A refused line: code, message, where (offsets in the line), advice, and the line mended where that can be."""

    code: str
    message: str
    start: int
    end: int
    help: str = ""
    mended: str | None = None


_FORMS = {
    "status": "write `PLAN_CMD: {verb} 2.1`, or `PLAN_CMD: {verb} 2.1 | text`",
    "edit": "write `PLAN_CMD: {verb} 2.1 [act] text`",
    "REPLAN": "write `PLAN_CMD: REPLAN 2.1 | text`, or `PLAN_CMD: REPLAN ALL | text` for the whole plan",
    "view": "write `PLAN_CMD: {verb} 2.1`",
}
_WORD = re.compile(r"[ \t]*([^ \t|\[]*)")
_TARGET = re.compile(
    r"[ \t]*(?:(?:step|步骤|#)[ \t]*|\[)?"
    r"(?P<id>[0-9０-９]+(?:[.．][0-9０-９]+)*)(?:[.．、)）:：\]]*)(?=[^0-9A-Za-z_.．]|\Z)",
    re.I,
)
_TYPE = re.compile(r"[ \t]*[\[(（［【<][ \t]*(?P<type>[A-Za-z_][A-Za-z0-9_]*)[ \t]*[\])）］】>][ \t]*(?P<rest>.*)")
_SIGNS = re.compile(r"[ \t]*(?:[|｜:：-][ \t]*|(?<=[ \t]))")
_NEAR_PREFIX = re.compile(
    r"(?:[-*>•+][ \t]+|[0-9]{1,3}[.)][ \t]+)?[*`]*plan[_ -]?cmd[*`]*[ \t]*[:：]?[*`]*[ \t]*", re.I
)


@cache
def _command() -> Pattern[str]:
    return grammars.regular("plan_cmd").pattern("command")


def _accepted(line: str) -> str | None:
    return line if _command().fullmatch(line + "\n") else None


def diagnose_prefix(line: str) -> Fault | None:
    """A line that almost starts with ``PLAN_CMD:`` and goes on like a command; None if it does not."""
    match = _NEAR_PREFIX.match(line)
    if match is None:
        return None
    rest = line[match.end() :].rstrip(BLANKS + "`")
    word = _WORD.match(rest)
    if word is None or word[1].upper() not in OPS:
        return None
    right = f"PLAN_CMD: {rest}"
    mended = _accepted(right) or diagnose(right).mended
    return Fault("PC107", "a command starts with `PLAN_CMD:`, and so does its line", 0, match.end(), mended=mended)


def diagnose(line: str) -> Fault:
    """Say what is wrong with a line (trimmed) that starts with ``PLAN_CMD:`` and is no command."""
    forbidden = grammars.pattern("planspec", "FORBIDDEN")
    if match := forbidden.search(line):
        message = f"the control character U+{ord(match[0]):04X} cannot stand in a command"
        clean = forbidden.sub("", line)
        return Fault("PC108", message, *match.span(), "remove it", _accepted(clean) or None)
    start = line.index(":") + 1
    word = _WORD.match(line, start)
    assert word is not None
    verb = word[1]
    if verb not in OPS:
        return _diagnose_verb(line, word)
    return _diagnose_rest(line, verb, word.end())


def _diagnose_verb(line: str, word: re.Match[str]) -> Fault:
    verb = word[1]
    start, end = word.start(1), max(word.end(1), word.start(1))
    if verb.upper() in OPS:
        right = f"PLAN_CMD: {verb.upper()}{line[word.end() :]}"
        mended = _accepted(right) or diagnose(right).mended
        return Fault("PC102", f"`{verb}` is not in upper case", start, end, mended=mended)
    close = get_close_matches(verb[:20].upper(), OPS, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    message = f"`{verb[:60]}` is none of the verbs" if verb else "the verb is missing"
    return Fault("PC101", message, start, max(end, start + 1), f"{meant}the verbs are {', '.join(OPS)}")


def _diagnose_rest(line: str, verb: str, at: int) -> Fault:
    kind = "edit" if verb in EDIT_OPS else "view" if verb in VIEW_OPS else "REPLAN" if verb == "REPLAN" else "status"
    help = _FORMS[kind].format(verb=verb)
    rest = line[at:].strip(BLANKS)
    if verb == "REPLAN" and (not rest or rest.startswith("|")):
        message = "REPLAN needs an id, or ALL for the whole plan"
        return Fault("PC105", message, at - len(verb), at, help)
    target = _TARGET.match(line, at) or (re.compile(r"[ \t]+ALL\b", re.I).match(line, at) if verb == "REPLAN" else None)
    start = at + len(line[at:]) - len(line[at:].lstrip(BLANKS))
    if target is None:
        word = _WORD.match(line, at)
        end = max(word.end() if word else at, min(start + 1, len(line)))
        is_missing = start >= len(line) or line[start] in "[|"
        what = "the step id is missing" if is_missing else f"`{line[start:end][:60]}` is not a step id"
        return Fault("PC103", what, start, max(end, start + 1), help)
    end = target.end()
    step_id = read_loose_id(target["id"]) if "id" in target.groupdict() else "ALL"
    head = f"PLAN_CMD: {verb} {step_id}"
    written = line[start:end]
    bad_id = step_id != "ALL" and (
        written.removesuffix(".") != step_id or start == at or not grammars.pattern("planspec", "ID").fullmatch(step_id)
    )
    tail = _diagnose_tail(line, kind, head, end, help)
    if bad_id:
        mended = _accepted(head + line[end:]) or tail.mended
        return Fault("PC103", f"`{written[:60]}` is not a step id", start, end, help, mended)
    return tail


def _diagnose_tail(line: str, kind: str, head: str, at: int, help: str) -> Fault:
    """What is wrong behind the target."""
    start = at + len(line[at:]) - len(line[at:].lstrip(BLANKS))
    end = max(len(line), start + 1)
    if kind == "edit":
        match = _TYPE.fullmatch(line, at)
        if match is None:
            return Fault("PC104", "the type in square brackets is missing", start, end, help)
        mended = _accepted(f"{head} [{match['type']}] {match['rest']}".rstrip(BLANKS))
        return Fault(
            "PC104", "the type does not stand in square brackets with white space around", start, end, help, mended
        )
    if kind == "view":
        return Fault("PC106", "nothing may stand behind the step id", start, end, help, _accepted(head))
    sign = _SIGNS.match(line, at)
    text = line[sign.end() :] if sign else ""
    # What looks like another target is not taken for the text.
    mended = _accepted(f"{head} | {text}") if text and text.upper() != "ALL" else None
    return Fault("PC106", "text stands behind ` | `, with white space on both sides", start, end, help, mended)
