"""What is wrong with a line that seems to be meant as a command, and how it is written right."""

from __future__ import annotations

import re

from attrs import Factory, evolve, field, frozen

from planspec_lark.plan_cmd.models import EDIT_OPS, OPS, STATUS_OPS, VIEW_OPS, command_pattern
from planspec_lark.planspec.models import BLANKS, MARKS
from planspec_lark.planspec.near_misses import SPACE, SPACES, WIDE_SPACES
from planspec_lark.planspec.step_repair import read_loose_id, read_status, read_type
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import CODES, Diagnostic, Fix, Severity
from planspec_lark.syntax.source import Source
from planspec_lark.syntax.spelling import find_near

__all__ = ["CommandFault", "diagnose_command", "find_command", "is_command", "names_other_status", "repeats_verb"]


@frozen
class CommandFault:
    """A refused line: code, message, where (offsets in the line), advice, and the line repaired where that can be.

    ``codes`` are those of all that was put right for that, the first one in front.
    """

    code: str
    message: str
    start: int
    end: int
    help: str = ""
    repaired: str | None = None
    codes: tuple[str, ...] = field(default=Factory(lambda self: (self.code,), takes_self=True))

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
# What may be before a command's line, and around it or its first word.
_LEAD = rf"(?:(?:[-*>•+·‣▪]{SPACE}+|[(（]?[0-9]{{1,3}}[.)、．）]{SPACE}*)(?:\[[ xX]?\]{SPACE}+)?)?"
_OPEN = "*_`\"'“‘「『"
_NEAR_START = re.compile(
    rf"{_LEAD}(?P<open>[{_OPEN}]*)plan(?:\\?_|[ -])?cmd"
    rf"(?P<inner>[*_`]*){SPACE}*[:：]?(?P<outer>[*_`]*){SPACE}*",
    re.I,
)
_CLOSING = str.maketrans("“‘「『", "”’」』")
_MARKS = "*_`"
# Text after a step id, without a bar in between, that continues with steps.
_MORE_STEPS = re.compile(
    r"(?:(?:and|or|to|till|until|through|up to|&|\+|和|与|及|至|到|或)[ \t]*(?:steps?|步骤)?[ \t]*)?"
    r"#?[0-9０-９]++(?:[.．][0-9０-９]++)*+(?![^\W_])",
    re.I,
)
_QUOTES_IN_FRONT = tuple("`\"'“‘「『«")
_BAR = re.compile(r"[ \t]*[|｜]")
_WORD_END = re.compile(r"[ \t|\[]")
_ALL = re.compile(r"[ \t]+ALL\b", re.I)
_ID = re.compile(
    r"[ \t]*(?:(?:step|步骤|#)[ \t]*|\[)?[*_`]*"
    r"(?P<id>[0-9０-９]+(?:[.．][0-9０-９]+)*)(?:[.．、)）:：\]。*_`]*)(?=[^0-9A-Za-z_.．]|\Z)",
    re.I,
)
_TYPE = re.compile(
    r"[ \t]*[*_`]*[\[(（［【<][ \t*_`]*(?P<type>[^\W\d][\w-]*)[ \t*_`]*[\])）］】>][*_`]*[:：]?[ \t]*(?P<rest>.*)"
)
_SIGNS = re.compile(r"[ \t]*(?:[|｜:：-][ \t]*|(?<=[ \t]))")


def diagnose_command(line: str) -> CommandFault | None:
    """What is wrong with a line (trimmed) that is not a command; None where it does not seem to be meant as one.

    The first thing that is wrong counts. Putting it right may bring out the next, until the line is a command.
    """
    first = fault = _explain(line)
    codes: list[str] = []
    seen = {line}
    while fault is not None:
        codes += fault.codes
        repaired = fault.repaired
        if repaired is None or is_command(repaired):
            break
        if repaired in seen:
            fault = None
            break
        seen.add(repaired)
        fault = _explain(repaired)
    if first is None:
        return None
    return evolve(first, repaired=fault.repaired if fault else None, codes=tuple(dict.fromkeys(codes)))


def is_command(line: str) -> bool:
    """Whether a line is a command as it is."""
    return command_pattern("command").fullmatch(line + "\n") is not None


_WITHIN = re.compile(rf"PLAN_CMD{SPACE}*+[:：]{SPACE}*+(?:{'|'.join(OPS)}){SPACE}++[0-9]", re.I)
# Characters before a command that are looked at.
_FRONT = 20


def find_command(text: str, *, is_led: bool = False) -> int | None:
    """Where a command begins within a text; one in quotes or backticks is only mentioned.

    ``is_led``: only after a sign, such as a colon. After a word it is a part of a sentence.
    """
    for match in _WITHIN.finditer(text):
        front = text[max(match.start() - _FRONT, 0) : match.start()].rstrip(SPACES)[-1:]
        if front not in _QUOTES_IN_FRONT and not (is_led and (front.isalnum() or not front)):
            return match.start()
    return None


def _skip_blanks(line: str, at: int) -> int:
    return len(line) - len(line[at:].lstrip(BLANKS))


def _word(line: str, at: int) -> str:
    return _WORD_END.split(line[at:], maxsplit=1)[0]


def _explain(line: str) -> CommandFault | None:
    """The first thing that is wrong with a line, and the line with that put right."""
    if not line.isascii() and any(space in _head(line) for space in WIDE_SPACES):
        return _explain_spaces(line)
    if not line.startswith(_START):
        return _explain_start(line)
    forbidden = grammars.pattern("planspec", "FORBIDDEN")
    if control := forbidden.search(line):
        message = f"the control character U+{ord(control[0]):04X} is not allowed in a command"
        clean = forbidden.sub("", line)
        return CommandFault("PC108", message, *control.span(), "remove it", clean if is_command(clean) else None)
    return _explain_verb(line)


def _explain_verb(line: str) -> CommandFault:
    """What is wrong after `PLAN_CMD:`."""
    start = _skip_blanks(line, len(_START))
    verb = _word(line, start)
    end = start + len(verb)
    if verb in OPS:
        return _explain_target(line, verb, end)
    if verb.upper() in OPS:
        repaired = f"{_START} {verb.upper()}{line[end:]}"
        return CommandFault("PC102", f"`{verb}` is not in upper case", start, end, repaired=repaired)
    if meant := _read_verb(verb):
        message = f"unknown verb `{verb[:60]}`"
        return CommandFault("PC101", message, start, end, f"write `{meant}`", f"{_START} {meant}{line[end:]}")
    near = find_near(verb.upper(), OPS)
    meant = f"did you mean `{near}`? " if near else ""
    message = f"unknown verb `{verb[:60]}`" if verb else "the verb is missing"
    return CommandFault("PC101", message, start, max(end, start + 1), f"{meant}the verbs are {', '.join(OPS)}")


# The verbs that words and signs for a status stand for.
_STATUS_VERBS = {MARKS[status]: verb for verb, status in STATUS_OPS.items()}


def _read_verb(written: str) -> str | None:
    """The verb that is meant by one in marks, or by a word for a status."""
    bare = written.strip(_MARKS)
    if bare != written and bare.upper() in OPS:
        return bare.upper()
    return _STATUS_VERBS.get(read_status(bare) or "") if bare else None


def repeats_verb(verb: str, text: str) -> bool:
    """Whether a text is nothing but a word or sign for the status that a command gives."""
    return _find_verb(text) == verb


def names_other_status(verb: str, text: str) -> bool:
    """Whether a text is nothing but a word or sign for another status than the one that a command gives."""
    return _read_sign(text) is not None and _find_verb(text) != verb


def _find_verb(text: str) -> str | None:
    return _STATUS_VERBS.get(_read_sign(text) or "")


def _read_sign(text: str) -> str | None:
    """The mark that a text stands for which is nothing but a word or sign for a status."""
    bare = text.strip("()（）.!。！ ")
    return read_status(bare) if bare else None


_HEAD = re.compile(rf"(?:.{{0,40}}?CMD)?[^|｜\]］】]*+(?:[|｜\]］】]{SPACE}*+)?", re.I)
_WIDE = str.maketrans(dict.fromkeys(WIDE_SPACES, " "))


def _head(line: str) -> str:
    """All of a line before its text, in which any white space may be."""
    match = _HEAD.match(line)
    return match[0] if match else ""


def _explain_spaces(line: str) -> CommandFault | None:
    """A line that seems to be a command and has other white space before its text than spaces and tabs."""
    head = _head(line)
    clean = f"{head.translate(_WIDE)}{line[len(head) :]}".strip(BLANKS)
    if not is_command(clean) and _explain(clean) is None:
        return None
    at = next(at for at, sign in enumerate(line) if sign in WIDE_SPACES)
    message = "white space that is not spaces or tabs"
    return CommandFault("PS113", message, at, at + 1, "write spaces", clean)


def _close_marks(opened: str, rest: str) -> str | None:
    """What is after the start of a line without the marks that end what ``opened`` begins; None where none do."""
    closing = opened.translate(_CLOSING)[::-1]
    if opened.strip(_MARKS):
        rest = rest.removesuffix(",").removesuffix(";").rstrip(BLANKS)
    if rest.endswith(closing):
        return rest.removesuffix(closing).rstrip(BLANKS)
    front, found, back = rest.partition(closing)
    return front.rstrip(BLANKS) + back if found and back[:1] in ("", " ", "\t") and closing not in back else None


def _explain_start(line: str) -> CommandFault | None:
    """A line that almost starts as a command does and continues like one."""
    match = _NEAR_START.match(line)
    if match is None or not (_has_colon(match) or match[0][-1:].isspace()):
        return None
    rest: str | None = line[match.end() :].rstrip(BLANKS)
    # Marks around the label alone are closed behind it.
    opened = match["open"].removesuffix((match["inner"] or match["outer"] or "").strip(BLANKS)[::-1])
    if opened and (opened != match["open"] or not (match["inner"] or match["outer"])):
        rest = _close_marks(opened, rest or "")
    word = _word(line, match.end()).strip(_MARKS)
    if word.upper() not in OPS and not (_read_verb(word) and _has_colon(match)):
        return None
    message = "a command line must start with `PLAN_CMD:`"
    help = "" if rest is not None else "the markup around it is not closed"
    return CommandFault("PC107", message, 0, match.end(), help, None if rest is None else f"{_START} {rest}")


def _has_colon(match: re.Match[str]) -> bool:
    return ":" in match[0] or "：" in match[0]


def _explain_target(line: str, verb: str, at: int) -> CommandFault:
    """What is wrong after the verb."""
    start, help = _skip_blanks(line, at), _FORMS[verb]
    sign = line[start : start + 1]
    if verb == "REPLAN":
        if sign in ("", "|"):
            return CommandFault("PC105", "REPLAN needs a step id, or ALL for the whole plan", at - len(verb), at, help)
        if whole := _ALL.match(line, at):
            return _explain_rest(line, verb, "ALL", whole.end())
    target = _ID.match(line, at)
    if target is None:
        what = "the step id is missing" if sign in ("", "|", "[") else f"`{_word(line, start)[:60]}` is not a step id"
        return CommandFault("PC103", what, start, start + max(len(_word(line, start)), 1), help)
    step_id, written, end = read_loose_id(target["id"]), line[start : target.end()], target.end()
    behind = _explain_rest(line, verb, step_id, end)
    is_id = written.removesuffix(".") == step_id and grammars.pattern("planspec", "ID").fullmatch(step_id)
    if start != at and is_id:
        return behind
    right = f"{_START} {verb} {step_id}{line[end:]}"
    is_right = is_command(right)
    repaired, codes = (right, ("PC103",)) if is_right else (behind.repaired, ("PC103", behind.code))
    return CommandFault("PC103", f"`{written[:60]}` is not a step id", start, end, help, repaired, codes)


def _explain_rest(line: str, verb: str, target: str, at: int) -> CommandFault:
    """What is wrong after the target."""
    start, help = _skip_blanks(line, at), _FORMS[verb]
    end = max(len(line), start + 1)
    head = f"{_START} {verb} {target}"
    if verb in EDIT_OPS:
        match = _TYPE.fullmatch(line, at)
        if match is None:
            return CommandFault("PC104", "the type in square brackets is missing", start, end, help)
        message = "the type must be in square brackets with white space around them"
        right = f"{head} [{read_type(match['type']) or match['type']}] {match['rest']}".rstrip(BLANKS)
        return CommandFault("PC104", message, start, end, help, right)
    if verb in VIEW_OPS:
        return CommandFault("PC106", "unexpected text after the step id", start, end, help, head)
    sign = _SIGNS.match(line, at)
    text = line[sign.end() :] if sign else ""
    # What looks like another target is not taken for the text.
    is_target = text.upper() == "ALL" or (_BAR.match(line, at) is None and _MORE_STEPS.match(text) is not None)
    repaired = f"{head} | {text}" if text and not is_target else None
    return CommandFault(
        "PC106", "the text must follow ` | `, with white space on both sides", start, end, help, repaired
    )
