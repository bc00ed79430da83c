"""A language model's answer → the commands in it, with a verdict on whether they are safe to carry out.

A line that is a command is read as :mod:`planspec_lark.plan_cmd.parser` reads it. One that is almost a command is
repaired and put to the grammar again; that is a warning. What may be a command and is not clear is an error.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator

from attrs import define, evolve, field, frozen

from planspec_lark.answers.descriptions import has_veto
from planspec_lark.answers.doubts import doubts_commands
from planspec_lark.answers.reading import Reading
from planspec_lark.answers.remarks import is_disowned
from planspec_lark.answers.repair_risk import rate
from planspec_lark.answers.risk import RISKS as RISKS_OF_PLANS, Risk, highest
from planspec_lark.answers.truncation import find_cut, name_cut
from planspec_lark.answers.verdict import RatedFinding, Verdict, explain, reach_verdict
from planspec_lark.plan_cmd.line_faults import (
    CommandFault,
    diagnose_command,
    find_command,
    is_command,
    names_other_status,
    repeats_verb,
)
from planspec_lark.plan_cmd.models import EDIT_OPS, PlanCommand
from planspec_lark.plan_cmd.parser import read_command, starts_command
from planspec_lark.plan_cmd.printer import serialize_commands
from planspec_lark.planspec.answer_lines import (
    find_elision,
    is_conflict_marker,
    is_harmless,
    join_lines,
    read_bullet,
)
from planspec_lark.planspec.models import BLANKS, STEP_TYPES
from planspec_lark.planspec.near_misses import SPACES, find_inputs, find_outputs
from planspec_lark.planspec.step_repair import is_item, read_type
from planspec_lark.syntax.diagnostics import Diagnostic, Fix, Severity
from planspec_lark.syntax.fences import FENCES
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Findings, Limits, find_excess
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source, Span, end_last_line

__all__ = ["CommandScan", "ScannedLine", "read_lines", "scan_plan_commands"]

# Of each code, the risk of the repair: of a line of a plan, or of a command.
RISKS = {
    **RISKS_OF_PLANS,
    "PC101": Risk.LOW,  # a verb in marks, or a word for a status
    "PC102": Risk.LOW,  # a verb in lower case
    "PC103": Risk.LOW,  # an id in other signs
    "PC104": Risk.LOW,  # a type in other brackets or words
    "PC106": Risk.MEDIUM,  # text behind another sign than a bar was taken for the result; what has none: high
    "PC107": Risk.LOW,  # a bullet, marks or quotes around the line
    "PC108": Risk.MEDIUM,  # a control character was left out
    "PS113": Risk.NONE,  # white space
}
# Detail of a command, in the lines after it.
_DETAIL = re.compile(r"(?:[ \t]*+>[^\n]*\n)++")
_QUOTED = re.compile(r"[ \t]*+>")
_MARKERS = ("<<<<<<<", ">>>>>>>", "|||||||")
# How a line begins that stands for others.
_DOTS = tuple(".…⋮略同[(（-*")
# What separates a text from the command in front of it, when no bar does.
_SEPARATED = re.compile(r"[:：-][ \t]*\Z|\A[–—]")
# What may deny it.
_DENIED = re.compile(r"\W*(?:(?:not|no|never|isn['’]t|wait)\b|未|没|尚|不)", re.IGNORECASE)
# What makes it depend on something, and what puts it off; a step may be blocked by that.
_DEPENDS = re.compile(
    r"\b(?:if|unless|once|when|maybe|perhaps|probably|possibly|likely|almost|nearly|partly|later|soon|tbd|tbc|will|would"
    r"|could|should|may|might|assuming|provided|or)\b|[?？]|如果|若|假如|除非|可能|也许|大概|或|部分|几乎|快要|将"
    r"|\b(?:also|and|plus)\W+[0-9]",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(
    r"\b(?:until|after|before|except|tomorrow|today|tonight|next|must|needs?|pending)\b|等|待|直到|之后|以后|明天|稍后",
    re.IGNORECASE,
)
# What is not done yet.
_UNDONE = re.compile(
    r"\b(?:still|in progress|ongoing|under ?way|(?:just |has |have |only )*(?:started|begun)\W*\Z|waiting|mostly"
    r"|partial\w*|half|halfway|to do|todo|also|blocked|stuck|failed|skipped)\b|[0-9] ?%|进行中|正在|一半"
    r"|受阻|失败|跳过",
    re.IGNORECASE,
)
# What says that a step is not blocked, or not to be skipped, and gives no reason for that.
_TAKEN_BACK = re.compile(
    r"\A\W*(?:(?:no|not|never|wait)(?:\W*\Z|[,.:;!，。—–-])|(?:not|isn['’]t|no longer|never) (?:really |yet |any ?more"
    r"|now |actually |blocked|stuck|skipp\w*|skip)|not yet|no longer\W*\Z|never mind|wait\b"
    r"|(?:还没|尚未|暂不|不|没)\W*\Z)|\b(?:do not|don['’]t|never|not|no longer) (?:be )?(?:skip\w*|block\w*|stuck)"
    r"|\bdo it\b|[不没未别勿](?:有|再|要|用|会)?(?:受阻|阻塞|卡住|跳过|略过)",
    re.IGNORECASE,
)
# A case in which a command would hold: all of its result, its beginning, or set off at its end.
_CASE = r"(?:if(?! an)|unless|provided|assuming|in case|falls|wenn|sofern)\b"
_CASE_CHINESE = "(?:如果|若(?!干)|假如|要是|除非|一旦|只要|只有)"
_HOLDS_IN_A_CASE = re.compile(
    rf"\A[\W_]*(?:(?:but|and|only|just|as long as|nur) )*(?:{_CASE}|(?:when|once|whenever|as soon as)\b[^,]*\Z"
    rf"|{_CASE_CHINESE})"
    rf"|(?:[,;|｜(（] ?| [—–-] )(?:but )?(?:only )?{_CASE}[^,.;]*\Z|[，；（(]但?{_CASE_CHINESE}[^，。；]*\Z",
    re.IGNORECASE,
)
_UNLESS = re.compile(r"\bunless\b|除非", re.IGNORECASE)
# A result that says that there is none.
_NOTHING_YET = re.compile(
    r"\W*(?:not(?: (?:quite|yet|done|finished|started))+|nearly|almost|[未没]完成|尚未|还没)\W*", re.IGNORECASE
)
# A line may continue over so many more.
_MOST_LINES = 20
_MAY_NOT_COUNT = "this may say that a command does not count as written"
_COUNTING = "write only the commands that count"
# What begins another line of text rather than continuing with one.
_SIGNS = ("#", ">", "＞", *FENCES, "|", "{", "}", "<")


@frozen
class CommandScan:
    """What an answer holds: commands with their places, all that was found, and the verdict.

    Attributes:
        commands: the commands, in their order, those included that were repaired.
        spans: where each is.
        entries: the diagnostics with their risks.
        source: the text that was read: the answer, or what the strings of a JSON value in it say.
        max_risk: the highest risk that is allowed.
        truncated: whether the answer was cut off.
    """

    commands: list[PlanCommand]
    spans: list[Span]
    entries: tuple[RatedFinding, ...]
    source: Source = field(repr=False)
    max_risk: Risk
    truncated: bool = False

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All that was found.

        What was repaired is a warning, what may be a command and is not clear an error. A reasoning block, which is
        left out, is an info, or a warning where one of its tags is missing. What is of a higher risk than is allowed is
        an error as well.
        """
        return [entry.diagnostic for entry in self.entries]

    @property
    def errors(self) -> list[Diagnostic]:
        """What keeps the commands from being carried out, or why nothing was read."""
        return [found for found in self.diagnostics if found.severity is Severity.ERROR]

    @property
    def clear_commands(self) -> list[PlanCommand]:
        """The commands with which nothing is wrong, whatever is wrong with other lines."""
        starts = sorted(found.span.start for found in self.errors if found.span)
        clear = []
        for command, span in zip(self.commands, self.spans, strict=True):
            at = bisect_left(starts, span.start)
            if at == len(starts) or starts[at] > span.end:
                clear.append(command)
        return clear

    @property
    def verdict(self) -> Verdict:
        """Whether the commands are safe to carry out."""
        return reach_verdict(self.entries, self.max_risk, is_there=bool(self.commands), is_lost=bool(self.errors))

    @property
    def is_usable(self) -> bool:
        """Whether the verdict is ``accepted``."""
        return self.verdict is Verdict.ACCEPTED

    @property
    def faults(self) -> list[Diagnostic]:
        """What keeps them from being accepted: errors whose messages end with their risks."""
        return explain(self.entries, self.max_risk)


def scan_plan_commands(  # noqa: PLR0913  (each says something else about the answer)
    text: str,
    *,
    max_risk: Risk | str = Risk.MEDIUM,
    finish_reason: str = "",
    allow_truncated: bool = False,
    name: str = "<text>",
    limits: Limits = DEFAULT_LIMITS,
) -> CommandScan:
    """Find the commands in an answer, those included that are almost some. Never raises on any text.

    :func:`planspec_lark.parse_plan_commands` takes only the lines that are commands as they are.

    Args:
        text: any text.
        max_risk: the highest risk that is allowed, as for :func:`planspec_lark.extract_plan`.
        finish_reason: why the model stopped, as its interface says; "length" means that the answer is cut off.
        allow_truncated: whether the commands of an answer that is cut off will do. Its last line is not taken in any
            case.
        name: what diagnostics call the text.
        limits: how much to read and to report; commands have no steps and no depth.

    Raises:
        ValueError: there is no such risk.
    """
    most = Risk(max_risk)
    if excess := find_excess(text, name, limits):
        return CommandScan([], [], (RatedFinding(excess, Risk.HIGH),), Source(text, name), most)
    inner = _read_json(text)
    source = Source(text if inner is None else inner, name)
    cut = find_cut(text, finish_reason=finish_reason)
    whole = source.text if cut is None or inner is not None else text[:cut]
    remainder = leave_out_reasoning(whole)
    found, risks = Findings(limits.max_findings), {}
    commands, spans = [], []
    for line in read_lines(remainder.text, source):
        if line.command is not None:
            commands.append(line.command)
            spans.append(source.span(line.start, line.end))
        for entry in line.entries:
            risks[id(entry.diagnostic)] = entry
            found.add(entry.diagnostic)
    found.extend(remainder.diagnose(source))
    if cut is not None:
        found.add(name_cut(Source(text, name), cut, is_allowed=allow_truncated))
    reading = Reading(source.text)
    rated = (risks.get(id(one)) or RatedFinding(one, rate(one, reading)) for one in found.close())
    entries = tuple(_refuse(one) if one.risk.rank > most.rank else one for one in rated)
    return CommandScan(commands, spans, entries, source, most, truncated=cut is not None)


def _refuse(entry: RatedFinding) -> RatedFinding:
    return evolve(entry, diagnostic=evolve(entry.diagnostic, severity=Severity.ERROR))


# ---------------------------------------------------------------- lines


@frozen
class ScannedLine:
    """A line that is a command, with those that belong to it; or one that is not, with what is wrong with it.

    Attributes:
        command: what it says; None where it is not a command, or is not clear.
        text: the first line, without white space around it.
        start, end: its bounds.
        entries: what was found, each with its risk.
    """

    command: PlanCommand | None
    text: str
    start: int
    end: int
    entries: tuple[RatedFinding, ...] = ()


def read_lines(text: str, source: Source, *, is_told: Callable[[int], bool] | None = None) -> Iterator[ScannedLine]:
    """All lines of an answer, those of a command as one.

    Args:
        text: the answer without its reasoning, so that places are those of ``source``.
        source: the answer.
        is_told: whether a line that starts there belongs to another language, and so says nothing of commands.
    """
    return _Reader(end_last_line(text), source, is_told).read()


@define
class _Reader:
    text: str
    source: Source
    is_told: Callable[[int], bool] | None
    # The first line with each command, and whether there may be markers of a merge.
    _known: dict[str, ScannedLine] = field(factory=dict)
    _has_markers: bool = False
    # The lines of text since the last command.
    _prose: list[ScannedLine] = field(factory=list)

    def read(self) -> Iterator[ScannedLine]:
        self._has_markers = any(marker in self.text for marker in _MARKERS)
        at = 0
        while at < len(self.text):
            line, end = self._take(at)
            if line.command is not None:
                line, end = self._go_on(line, end)
                line = self._polish(line)
            yield evolve(line, entries=(*line.entries, *self._look(line, at, end)))
            at = end

    def _take(self, at: int) -> tuple[ScannedLine, int]:
        """The line that begins there, and where the next one begins."""
        end = self.text.index("\n", at) + 1
        row = self.text[at : end - 1].removesuffix("\r")
        written = row.strip(BLANKS)
        start = at + len(row) - len(row.lstrip(BLANKS))
        line = ScannedLine(None, written, start, start + len(written))
        if starts_command(self.text, at) and (found := read_command(self.text, at)) is not None:
            return self._hold(line, *found), found[1]
        fault = diagnose_command(written)
        if fault is None:
            return line, end
        risk = _rate(fault, written)
        if written.startswith(">") and _is_edit(fault.repaired) and _QUOTED.match(self.text, end):
            # Whether the lines below are quoted as well, or are its detail, nothing says.
            risk = Risk.HIGH
        if fault.repaired is None or risk is Risk.HIGH:
            entry = RatedFinding(fault.at(self.source, line.start, line.end, Severity.ERROR), Risk.HIGH)
            return evolve(line, entries=(entry,)), end
        entry = RatedFinding(fault.at(self.source, line.start, line.end, Severity.WARNING), risk)
        command, end = self._read_again(fault.repaired, end)
        return self._hold(evolve(line, text=fault.repaired, entries=(entry,)), command, end), end

    def _hold(self, line: ScannedLine, command: PlanCommand, end: int) -> ScannedLine:
        """The line with what it says, up to the end of its detail."""
        # The indentation of the line after it is passed over as well.
        lines = self.text[line.start : self.text.rindex("\n", line.start, end)].removesuffix("\r")
        return evolve(line, command=command, end=max(line.end, line.start + len(lines)) if command.detail else line.end)

    def _read_again(self, line: str, end: int) -> tuple[PlanCommand, int]:
        """The command in a line that was repaired, with the detail after it, and where that ends."""
        detail = _DETAIL.match(self.text, end) if _is_edit(line) else None
        read = read_command(f"{line}\n{detail[0] if detail else ''}", 0)
        assert read is not None, "what is repaired is a command"
        return read[0], end + read[1] - len(line) - 1

    def _go_on(self, line: ScannedLine, end: int) -> tuple[ScannedLine, int]:
        """The line with its continuation lines: they are indented further than it."""
        command = line.command
        indent = line.start - (self.text.rfind("\n", 0, line.start) + 1)
        for _ in range(_MOST_LINES):
            if command is None or command.detail or not (command.result or command.description):
                break
            begin = self.text.rindex("\n", line.start, end) + 1
            behind = self.text.find("\n", begin)
            row = self.text[begin:behind].removesuffix("\r") if behind >= 0 else ""
            more = row.strip(SPACES)
            if not more or len(row) - len(row.lstrip(SPACES)) <= indent or not _is_plain(more):
                break
            joined = join_lines(line.text, more)
            if not is_command(joined):
                break
            message = "this line continues the command before it"
            start = begin + row.index(more)
            fix = Fix(self.source.span(line.start, start + len(more)), joined)
            span = self.source.span(start, start + len(more))
            found = Diagnostic("PS126", message, Severity.WARNING, span, fix=fix, source=self.source)
            line = evolve(line, text=joined, end=start + len(more), entries=(*line.entries, _rated(found)))
            command, end = self._read_again(joined, behind + 1)
            line = self._hold(line, command, end)
        return line, end

    def _polish(self, line: ScannedLine) -> ScannedLine:
        """The command with what a tolerant reading of a plan takes for outputs, inputs and types."""
        command = line.command
        if command is None or command.op not in EDIT_OPS:
            return line
        written = read_type(command.step_type) if command.step_type not in STEP_TYPES else None
        if written is not None:
            message = f"`{command.step_type}` is not a type in square brackets"
            line = self._change(line, evolve(command, step_type=written), "PC104", message)
        assert line.command is not None
        command = line.command
        almost = find_outputs(command.description)
        detail = [_read_inputs(row) for row in command.detail]
        if almost is None and detail == command.detail:
            return line
        head = command.description
        if almost is not None:
            head = f"{head[: almost.start].rstrip(SPACES)} {almost.written}".strip(BLANKS)
        return self._change(
            line, evolve(command, description=head, detail=detail), "PS305", "read as a list of variables"
        )

    def _change(self, line: ScannedLine, command: PlanCommand, code: str, message: str) -> ScannedLine:
        span = self.source.span(line.start, line.end)
        fix = Fix(span, serialize_commands([command]).removesuffix("\n"))
        found = Diagnostic(code, message, Severity.WARNING, span, fix=fix, source=self.source)
        return evolve(line, command=command, entries=(*line.entries, _rated(found)))

    def _look(self, line: ScannedLine, at: int, end: int) -> Iterator[RatedFinding]:
        """What may have been lost in a line, or with it."""
        for start, row in _rows(self.text, at, end) if self._has_markers else ():
            if row.startswith(_MARKERS) and is_conflict_marker(row):
                message, help = "a conflict marker of a merge that was not resolved", "keep one of the two versions"
                yield self._fault("PS128", message, start, start + len(row), help)
        if line.command is not None:
            yield from self._judge_prose(is_lead=True)
            yield from self._look_at_command(line, line.command, end)
            return
        yield from self._look_at_text(line)
        if end == len(self.text):
            yield from self._judge_prose(is_lead=False)

    def _look_at_text(self, line: ScannedLine) -> Iterator[RatedFinding]:
        """What a line that is no command may have of one, or stand for."""
        if self._known and line.text[:1] in _DOTS and find_elision(line.text):
            message, help = "an ellipsis stands for commands that were left out", "write them all"
            yield self._fault("PS127", message, line.start, line.end, help)
        is_told = self.is_told is not None and self.is_told(line.start)
        if not (is_told or line.entries or line.text.startswith(FENCES)):
            self._prose.append(line)
        if not line.entries and (place := find_command(line.text, is_led=True)) is not None:
            message, help = "a command must be at the start of its line", "write it on a line of its own"
            yield self._fault("PC107", message, line.start + place, line.end, help)

    def _look_at_command(self, line: ScannedLine, command: PlanCommand, end: int) -> Iterator[RatedFinding]:
        """What the text of a command may have of another one, or lack; and whether it was written before."""
        if any(find_command(text) is not None for text in (command.result, command.description, *command.detail)):
            message, help = "another command in the text of this command", "write each on a line of its own"
            yield self._fault("PC107", message, line.start, line.end, help)
        elif _unsays(command):
            yield self._fault("PC107", _MAY_NOT_COUNT, line.start, line.end, _COUNTING)
        elif find_cut(command.result or command.description) is not None and self._is_text(end):
            message, help = "the text of this command seems to continue on the next line", "write it on one line"
            yield self._fault("PS126", message, line.start, line.end, help)
        known = self._known.setdefault(repr(command), line)
        if command.op == "ADD" and known is not line and (known.entries or line.entries):
            # What a list shows and a code block repeats is meant once; other commands do no more when they come again.
            message = f"duplicate command, first seen in line {self.source.position(known.start)[0]}"
            yield self._fault("PC107", message, line.start, line.end, "remove one of the two")

    def _judge_prose(self, *, is_lead: bool) -> Iterator[RatedFinding]:
        """What the text since the last command says of the commands beside it."""
        prose, self._prose = self._prose, []
        is_behind = bool(self._known)
        if not (is_lead or is_behind):
            return
        if doubts_commands("\n".join(line.text for line in prose), is_lead=is_lead, is_behind=is_behind):
            texts = [line for line in prose if line.text]
            where = next((line for line in texts if doubts_commands(line.text, is_behind=is_behind)), texts[-1])
            yield self._fault("PC107", _MAY_NOT_COUNT, where.start, where.end, _COUNTING)

    def _is_text(self, end: int) -> bool:
        """Whether the line after a command is text that may belong to it."""
        begin = self.text.rindex("\n", 0, end) + 1
        row = self.text[begin : self.text.find("\n", begin)] if begin < len(self.text) else ""
        return bool(row.strip()) and _is_plain(row.strip(SPACES + "\r"))

    def _fault(self, code: str, message: str, start: int, end: int, help: str) -> RatedFinding:
        span = self.source.span(start, end)
        return RatedFinding(Diagnostic(code, message, Severity.ERROR, span, help=help, source=self.source), Risk.HIGH)


def _rated(found: Diagnostic) -> RatedFinding:
    return RatedFinding(found, RISKS[found.code])


def _rate(fault: CommandFault, written: str) -> Risk:
    """The risk of a repair: the highest of all that was put right in the line that was written."""
    if fault.repaired is None or ("PC106" in fault.codes and not _is_result(fault.repaired, written)):
        return Risk.HIGH
    return highest(RISKS.get(code, Risk.HIGH) for code in fault.codes)


# A word that denies something by itself, and nothing as a part of a name.
_NAME = re.compile(r"\b(?:draft|half)\b(?= (?!of\b|done\b|finished\b|ready\b|way\b)\w)")


def _is_result(repaired: str, written: str) -> bool:
    """Whether the text that got a bar is what comes of the command, and says nothing else of it."""
    head, _, text = repaired.partition(" | ")
    verb = head.split()[1]
    if not text:
        # What is after an id that takes nothing is gone.
        return False
    front = written[: written.rfind(text)].rstrip(BLANKS)
    if front.endswith(("|", "｜")):
        return verb != "DONE" or not (_DENIED.match(text) or _UNDONE.search(text))
    if not (_SEPARATED.search(front) or _SEPARATED.search(text)):
        return repeats_verb(verb, text)
    if verb == "DONE" and (_DENIED.match(text) or has_veto(_NAME.sub("", text.lower())) or _UNDONE.search(text)):
        return False
    if _DEPENDS.search(text) or (verb != "BLOCKED" and _PUT_OFF.search(text)):
        return False
    return verb == "DONE" or _TAKEN_BACK.search(text) is None


def _unsays(command: PlanCommand) -> bool:
    """Whether the result of a command makes it depend on something, or says that its status is another one."""
    if _HOLDS_IN_A_CASE.search(command.result):
        return True
    if command.op not in ("DONE", "SKIP"):
        return False
    if command.op == "SKIP" and _UNLESS.search(command.result):
        return True
    return names_other_status(command.op, command.result) or _NOTHING_YET.fullmatch(command.result) is not None


def _is_edit(line: str | None) -> bool:
    return line is not None and line.partition(":")[2].split(maxsplit=1)[0] in EDIT_OPS


def _is_plain(line: str) -> bool:
    """Whether a line is text, and nothing that begins something."""
    starts = read_bullet(line) is not None or is_item(line) or line.startswith(_SIGNS)
    return not (starts or is_harmless(line) or is_conflict_marker(line) or find_command(line) is not None)


def _read_inputs(row: str) -> str:
    almost = find_inputs(row)
    return row if almost is None else almost.written


def _rows(text: str, at: int, end: int) -> Iterator[tuple[int, str]]:
    for row in text[at:end].split("\n"):
        yield at, row.strip(BLANKS + "\r")
        at += len(row) + 1


# ---------------------------------------------------------------- JSON around


def _read_json(text: str) -> str | None:
    """What the strings of a JSON value say that hold commands, a line each; None where the text is no such value."""
    rows = text.strip().split("\n")
    starts = [at for at, row in enumerate(rows) if row.lstrip()[:1] in ("{", "[")][:1]
    ends = [at for at, row in enumerate(rows) if row.rstrip()[-1:] in ("}", "]")][-1:]
    if "PLAN_CMD" not in text or not starts or not ends:
        return None
    outside = (*rows[: starts[0]], *rows[ends[0] + 1 :])
    if any("PLAN_CMD" in row for row in outside):
        return None
    try:
        value = json.loads("\n".join(rows[starts[0] : ends[0] + 1]))
    except (ValueError, RecursionError):
        return None
    said = [one for one in _strings(value) if find_command(one) is not None or _disowns(one)]
    return "\n".join(said) if any(find_command(one) is not None for one in said) else None


def _strings(value: object) -> Iterator[str]:
    """All texts in a JSON value, in their order; before a value whose key says that it does not hold, that."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            for key, inner in reversed(one.items()):
                left.append(inner)
                if _disowns(key):
                    left.append(f"{key}:")
        elif isinstance(one, list):
            left += reversed(one)


def _disowns(key: str) -> bool:
    return is_disowned(key) or has_veto(key.lower())
