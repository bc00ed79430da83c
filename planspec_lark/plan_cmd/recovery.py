"""What is wrong with a line that seems to be meant as a command, and how it is written right."""

from __future__ import annotations

import re
from difflib import get_close_matches

from attrs import evolve, frozen

from planspec_lark.plan_cmd.models import EDIT_OPS, OPS, VIEW_OPS, pattern
from planspec_lark.planspec.corrections import read_loose_id
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, Fix, Severity
from planspec_lark.syntax.source import Source

__all__ = ["Fault", "diagnose"]


@frozen
class Fault:
    """A refused line: code, message, where (offsets in the line), advice, and the line repaired where that can be."""

    code: str
    message: str
    start: int
    end: int
    help: str = ""
    repaired: str | None = None

    def at(self, source: Source, start: int, end: int, severity: Severity | None = None) -> Diagnostic:
        """The same for a line with these bounds; the severity is that of the code, unless it is given."""
        return Diagnostic(
            self.code,
            self.message,
            severity or CODES[self.code].severity,
            source.span(start + self.start, start + self.end),
            help=self.help,
            fix=None if self.repaired is None else Fix(source.span(start, end), self.repaired),
            source=source,
        )


_START = "PLAN_CMD:"
_FORMS = {
    "DONE": "write `PLAN_CMD: DONE 2.1`, or `PLAN_CMD: DONE 2.1 | text`",
    "BLOCKED": "write `PLAN_CMD: BLOCKED 2.1`, or `PLAN_CMD: BLOCKED 2.1 | text`",
    "SKIP": "write `PLAN_CMD: SKIP 2.1`, or `PLAN_CMD: SKIP 2.1 | text`",
    "ADD": "write `PLAN_CMD: ADD 2.1 [act] text`",
    "REVISE": "write `PLAN_CMD: REVISE 2.1 [act] text`",
    "REPLAN": "write `PLAN_CMD: REPLAN 2.1 | text`, or `PLAN_CMD: REPLAN ALL | text` for the whole plan",
    "EXPAND": "write `PLAN_CMD: EXPAND 2.1`",
    "COLLAPSE": "write `PLAN_CMD: COLLAPSE 2.1`",
}
_NEAR_START = re.compile(r"(?:[-*>•+][ \t]+|[0-9]{1,3}[.)][ \t]+)?[*`]*plan[_ -]?cmd[*`]*[ \t]*[:：]?[*`]*[ \t]*", re.I)
_WORD_END = re.compile(r"[ \t|\[]")
_ALL = re.compile(r"[ \t]+ALL\b", re.I)
_ID = re.compile(
    r"[ \t]*(?:(?:step|步骤|#)[ \t]*|\[)?"
    r"(?P<id>[0-9０-９]+(?:[.．][0-9０-９]+)*)(?:[.．、)）:：\]]*)(?=[^0-9A-Za-z_.．]|\Z)",
    re.I,
)
_TYPE = re.compile(r"[ \t]*[\[(（［【<][ \t]*(?P<type>[A-Za-z_][A-Za-z0-9_]*)[ \t]*[\])）］】>][ \t]*(?P<rest>.*)")
_SIGNS = re.compile(r"[ \t]*(?:[|｜:：-][ \t]*|(?<=[ \t]))")


def diagnose(line: str) -> Fault | None:
    """What is wrong with a line (trimmed) that is no command; None where it does not seem to be meant as one.

    The first thing that is wrong counts. Putting it right may bring out the next, until the line is a command.
    """
    fault = _explain(line)
    if fault is None or fault.repaired is None or _is_command(fault.repaired):
        return fault
    further = diagnose(fault.repaired) if fault.repaired != line else None
    return evolve(fault, repaired=further.repaired if further else None)


def _is_command(line: str) -> bool:
    return pattern("command").fullmatch(line + "\n") is not None


def _skip_blanks(line: str, at: int) -> int:
    return len(line) - len(line[at:].lstrip(BLANKS))


def _word(line: str, at: int) -> str:
    return _WORD_END.split(line[at:], maxsplit=1)[0]


def _explain(line: str) -> Fault | None:
    """The first thing that is wrong with a line, and the line with that put right."""
    if not line.startswith(_START):
        return _explain_start(line)
    forbidden = grammars.pattern("planspec", "FORBIDDEN")
    if control := forbidden.search(line):
        message = f"the control character U+{ord(control[0]):04X} cannot stand in a command"
        clean = forbidden.sub("", line)
        return Fault("PC108", message, *control.span(), "remove it", clean if _is_command(clean) else None)
    start = _skip_blanks(line, len(_START))
    verb = _word(line, start)
    end = start + len(verb)
    if verb in OPS:
        return _explain_target(line, verb, end)
    if verb.upper() in OPS:
        repaired = f"{_START} {verb.upper()}{line[end:]}"
        return Fault("PC102", f"`{verb}` is not in upper case", start, end, repaired=repaired)
    close = get_close_matches(verb[:20].upper(), OPS, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    message = f"`{verb[:60]}` is none of the verbs" if verb else "the verb is missing"
    return Fault("PC101", message, start, max(end, start + 1), f"{meant}the verbs are {', '.join(OPS)}")


def _explain_start(line: str) -> Fault | None:
    """A line that almost starts as a command does and goes on like one."""
    match = _NEAR_START.match(line)
    rest = line[match.end() :].rstrip(BLANKS + "`") if match else ""
    if match is None or _word(rest, _skip_blanks(rest, 0)).upper() not in OPS:
        return None
    message = "a command starts with `PLAN_CMD:`, and so does its line"
    return Fault("PC107", message, 0, match.end(), repaired=f"{_START} {rest}")


def _explain_target(line: str, verb: str, at: int) -> Fault:
    """What is wrong behind the verb."""
    start, help = _skip_blanks(line, at), _FORMS[verb]
    sign = line[start : start + 1]
    if verb == "REPLAN":
        if sign in ("", "|"):
            return Fault("PC105", "REPLAN needs an id, or ALL for the whole plan", at - len(verb), at, help)
        if whole := _ALL.match(line, at):
            return _explain_rest(line, verb, "ALL", whole.end())
    target = _ID.match(line, at)
    if target is None:
        what = "the step id is missing" if sign in ("", "|", "[") else f"`{_word(line, start)[:60]}` is not a step id"
        return Fault("PC103", what, start, start + max(len(_word(line, start)), 1), help)
    step_id, written, end = read_loose_id(target["id"]), line[start : target.end()], target.end()
    behind = _explain_rest(line, verb, step_id, end)
    is_id = written.removesuffix(".") == step_id and grammars.pattern("planspec", "ID").fullmatch(step_id)
    if start != at and is_id:
        return behind
    right = f"{_START} {verb} {step_id}{line[end:]}"
    repaired = right if _is_command(right) else behind.repaired
    return Fault("PC103", f"`{written[:60]}` is not a step id", start, end, help, repaired)


def _explain_rest(line: str, verb: str, target: str, at: int) -> Fault:
    """What is wrong behind the target."""
    start, help = _skip_blanks(line, at), _FORMS[verb]
    end = max(len(line), start + 1)
    head = f"{_START} {verb} {target}"
    if verb in EDIT_OPS:
        match = _TYPE.fullmatch(line, at)
        if match is None:
            return Fault("PC104", "the type in square brackets is missing", start, end, help)
        message = "the type does not stand in square brackets with white space around"
        right = f"{head} [{match['type']}] {match['rest']}".rstrip(BLANKS)
        return Fault("PC104", message, start, end, help, right)
    if verb in VIEW_OPS:
        return Fault("PC106", "nothing may stand behind the step id", start, end, help, head)
    sign = _SIGNS.match(line, at)
    text = line[sign.end() :] if sign else ""
    # What looks like another target is not taken for the text.
    repaired = f"{head} | {text}" if text and text.upper() != "ALL" else None
    return Fault("PC106", "text stands behind ` | `, with white space on both sides", start, end, help, repaired)
