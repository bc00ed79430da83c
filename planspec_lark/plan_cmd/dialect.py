"""What the lines of the dialect mean (``grammar/plan_cmd_dialect.lark``): what differs in them, and the command."""

from __future__ import annotations

from attrs import define, evolve, field, frozen

from planspec_lark.plan_cmd.models import EDIT_OPS, OPS, VIEW_OPS, command_pattern
from planspec_lark.planspec.dialect import read_type
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.recovery import Deviation, Dialect
from planspec_lark.syntax.spelling import find_near

__all__ = ["DIALECT", "CommandReading", "read_line"]

DIALECT = Dialect("plan_cmd_dialect")

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
_MESSAGES = {
    "PC101": "unknown verb `{}`",
    "PC102": "`{}` is not in upper case",
    "PC103": "`{}` is not a step id",
    "PC104": "the type must be in square brackets with white space around them",
    "PC106": "the text must follow ` | `, with white space on both sides",
    "PC107": "a command line must start with `PLAN_CMD:`",
    "PC108": "the control character {} is not allowed in a command",
    "PS113": "{} is white space that is not a space or a tab",
}
# Where the code says less than the form does.
_TOLD = {
    "MORE": "a command is about one step: write one for each",
    "EXTRA": "unexpected text after the step id",
    "TYPE_BAD": "`{}` is not a type in square brackets",
    "PREFIX_BARE": "the label is `PLAN_CMD:`, with a colon",
}
_HELP = {"PC102": "verbs are in upper case", "PC108": "remove it", "PS113": "write spaces"}
# The signs that stand around a whole line.
_AROUND = ("CODE", "STARS", "LINES", "QUOTED")
# So many signs may stand around a line.
_MOST = 9
_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")


@frozen
class CommandReading:
    """What a line says that begins like a command and is none as it is.

    Attributes:
        deviations: what differs, from left to right.
        text: the command; empty where some part has no canonical text.
        has_detail: whether lines of detail may follow.
        is_quoted: whether it stands behind the sign of a quote.
    """

    deviations: tuple[Deviation, ...]
    text: str
    has_detail: bool
    is_quoted: bool


def read_line(line: str) -> CommandReading | None:
    """What a line says that is no command; None where it does not begin like one.

    Args:
        line: the line without its line break and the white space around it.
    """
    return _Reader(line).read() if "cmd" in line.lower() else None


@define
class _Reader:
    """Reads a line part by part, and notes what differs.

    Attributes:
        line: the line, with blanks in place of control characters, and of other white space in its head.
        written: the same with its control characters.
        at, end: the bounds of what is left of it.
    """

    line: str
    written: str = field(default="", init=False)
    at: int = field(default=0, init=False)
    end: int = field(default=0, init=False)
    deviations: list[Deviation] = field(factory=list, init=False)
    is_quoted: bool = field(default=False, init=False)

    def read(self) -> CommandReading | None:
        self.end = len(self.line)
        if not self._read_prefix():
            return None
        self.written, self.line = self.line, self._note_all("CONTROL", self.end)
        verb = self._read_verb()
        said = self._read_rest(verb) if verb else ""
        text = f"PLAN_CMD: {verb} {said}".rstrip(BLANKS)
        is_command = command_pattern("command").fullmatch(f"{text}\n") is not None
        deviations = tuple(sorted(self.deviations, key=lambda one: one.start))
        is_clear = is_command and all(one.risk for one in deviations)
        return CommandReading(deviations, text if is_clear else "", verb in EDIT_OPS, self.is_quoted)

    # ---------------------------------------------------------------- parts

    def _read_prefix(self) -> bool:
        """Take off `PLAN_CMD:` and what stands in front of it or around the line; False where that is not there."""
        self._read_spaces()
        start = self._skip_blanks()
        kinds: list[str] = []
        while len(kinds) < _MOST and (match := DIALECT.rule("around").match(self.line, self.at, self.end)):
            kinds.append(str(match.lastgroup))
            self.at, self.end = match.span(kinds[-1]) if kinds[-1] in _AROUND else (match.end(), self.end)
            self._skip_blanks()
        match = DIALECT.rule("prefix").match(self.line, self.at, self.end)
        if match is None:
            return False
        self.at, self.is_quoted = match.end(), "QUOTE_SIGN" in kinds
        form, is_open = DIALECT.forms.get(str(match.lastgroup)), "OPEN" in kinds
        if kinds or form:
            risk = None if is_open else form.risk if form else Risk.LOW
            help = "close the markup around it" if is_open else _TOLD.get(str(match.lastgroup), "")
            self.deviations.append(Deviation("PC107", _MESSAGES["PC107"], start, self.at, risk, help))
        return True

    def _read_spaces(self) -> None:
        """Take white space that only looks like it for blanks, as far as it does not stand in a text."""
        head = DIALECT.terminal("HEAD").match(self.line)
        if head is not None and not head[0].isascii():
            self.line = self._note_all("WIDE_SPACE", head.end())

    def _note_all(self, terminal: str, end: int) -> str:
        """Note all places of a terminal up to an offset; gives the line with blanks in their place."""
        form, pattern = DIALECT.forms[terminal], DIALECT.terminal(terminal)
        for match in pattern.finditer(self.line, 0, end):
            message = _MESSAGES[form.code].format(f"U+{ord(match[0][0]):04X}")
            self.deviations.append(Deviation(form.code, message, *match.span(), form.risk, _HELP[form.code]))
        return pattern.sub(lambda one: " " * len(one[0]), self.line[:end]) + self.line[end:]

    def _skip_blanks(self) -> int:
        """Go on to what is no blank; gives where that is."""
        self.at = self.end - len(self.line[self.at : self.end].lstrip(BLANKS))
        return self.at

    def _take(self, rule: str, help: str = "") -> tuple[str, str]:
        """The next part, which has to be of that rule: its terminal, empty where there is none, and what it says."""
        start = self._skip_blanks()
        match = DIALECT.rule(rule).match(self.line, start, self.end)
        if match is None:
            return "", ""
        kind = str(match.lastgroup)
        self.at = match.end()
        if form := DIALECT.forms.get(kind):
            message = _TOLD.get(kind, _MESSAGES[form.code]).format(match[0].strip(BLANKS)[:60])
            # With what is behind it, to which it belongs.
            end = self.end if rule in ("type", "result") else self.at
            self.deviations.append(
                Deviation(form.code, message, start, end, form.risk, help or _HELP.get(form.code, ""))
            )
        return kind, match[kind]

    def _miss(self, code: str, message: str, help: str) -> None:
        """Note that a part is missing here."""
        start = self._skip_blanks()
        end = start + 1 if code == "PC103" else max(self.end, start + 1)
        self.deviations.append(Deviation(code, message, start, end, None, help))

    # ---------------------------------------------------------------- what they say

    def _read_verb(self) -> str:
        """The verb that is meant; empty where none is."""
        kind, said = self._take("verb")
        help = f"the verbs are {', '.join(OPS)}"
        if not kind:
            self._miss("PC101", "the verb is missing", help)
        elif kind == "VERB_UNKNOWN":
            near = find_near(said.upper(), OPS)
            meant = f"did you mean `{near}`? " if near else ""
            self.deviations[-1] = evolve(self.deviations[-1], help=f"{meant}{help}")
            return ""
        return said.upper() if kind in ("VERB", "VERB_CASE", "VERB_MARKED") else kind.removeprefix("VERB_")

    def _read_rest(self, verb: str) -> str:
        """All behind the verb, as it is to be written."""
        help = _FORMS[verb]
        target = self._read_target(verb, help)
        if verb in EDIT_OPS:
            kind, word = self._take("type", help)
            if not kind:
                self._miss("PC104", "the type in square brackets is missing", help)
            return f"{target} [{read_type(word) or word if kind == 'TYPE_SIGNS' else word}] {self._rest()}"
        if not target:
            # What the words in its place are is not known.
            return ""
        if verb in VIEW_OPS:
            self._take("extra", help)
            return target
        at = self.at
        if self._take("result", help)[0] == "RESULT_BARE":
            self.at = at
        text = self._rest()
        return f"{target} | {text}" if text else target

    def _rest(self) -> str:
        """All that is left, as it is written."""
        return DIALECT.terminal("CONTROL").sub("", self.written[self.at : self.end]).strip(BLANKS)

    def _read_target(self, verb: str, help: str) -> str:
        before = self.at
        kind, said = self._take("target", help)
        if kind == "ALL" and verb != "REPLAN":
            self.deviations.append(Deviation("PC103", f"`{said}` is not a step id", self.at - 3, self.at, None, help))
        if not kind and verb == "REPLAN":
            message = "REPLAN needs a step id, or ALL for the whole plan"
            self.deviations.append(Deviation("PC105", message, before - len(verb), before, None, help))
        elif not kind:
            self._miss("PC103", "the step id is missing", help)
        if kind == "TARGET_SIGNS":
            return ".".join(str(int(number)) for number in said.translate(_DIGITS).split("."))
        return said.upper() if kind == "ALL" else said if kind == "TARGET" else ""
