"""How much a reader takes in, and how many findings it gives back.

Texts come from strangers. All readers take time and memory in proportion to the text; limits are for callers who want
less than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self, TypeVar

from attrs import Attribute, define, field, frozen

from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, Severity, decode, in_order
from planspec_lark.syntax.source import Source, Span
from planspec_lark.syntax.tree import iter_tree

__all__ = [
    "DEFAULT_LIMITS",
    "NO_LIMITS",
    "OVER_LIMIT",
    "Findings",
    "Limits",
    "check_is_text",
    "count_bytes",
    "find_excess",
    "find_too_large",
    "read_bytes",
    "read_file",
    "too_deep",
    "too_many_bytes",
    "too_many_steps",
]

# Of a file, where no limit was given: a device has no end, and one with holes can be larger than any memory.
_MOST_OF_A_FILE = 64 * 2**20


def _is_limit(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise TypeError(f"{attribute.name}: expected a whole number or None, not {type(value).__name__}")
    if value is not None and value < 1:
        raise ValueError(f"{attribute.name}: {value} is less than 1")


@frozen(kw_only=True)
class Limits:
    """The most that a reader takes. None stands for no limit.

    Attributes:
        max_bytes: bytes of the text in UTF-8. A longer text is not read at all.
        max_steps: steps of a plan.
        max_depth: levels of a plan; a step at the top is on the first.
        max_findings: diagnostics. A last one, with the code PS120, says how many more there are.

    Raises:
        TypeError, ValueError: a limit is not a whole number from 1.
    """

    max_bytes: int | None = field(default=None, validator=_is_limit)
    max_steps: int | None = field(default=None, validator=_is_limit)
    max_depth: int | None = field(default=None, validator=_is_limit)
    max_findings: int | None = field(default=1000, validator=_is_limit)


DEFAULT_LIMITS = Limits()
NO_LIMITS = Limits(max_findings=None)
# The codes of what is larger than it may be: of such a text, nothing is read.
OVER_LIMIT = frozenset({"PS121", "PS122", "PS123"})


def check_is_text(text: object) -> None:
    """What every reader does first.

    Raises:
        TypeError: it is no text, such as the None of an answer that has tool calls alone.
    """
    if not isinstance(text, str):
        raise TypeError(f"text: expected a string, not {type(text).__name__}")


def find_excess(text: str, name: str, limits: Limits) -> Diagnostic | None:
    """What is wrong with a text that has more bytes than it may.

    Raises:
        TypeError: it is no text.
    """
    check_is_text(text)
    most = limits.max_bytes
    # A character has one to four bytes, so most texts need not be encoded to know.
    if most is None or 4 * len(text) <= most:
        return None
    if len(text) <= most and count_bytes(text) <= most:
        return None
    return too_many_bytes(most, Source(text, name))


def count_bytes(text: str) -> int:
    """How many bytes a text has in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def too_many_bytes(most: int, source: Source) -> Diagnostic:
    """That a text has more bytes than it may."""
    message = f"the text has more than {most:,} bytes"
    return Diagnostic("PS121", message, span=source.span(0, 0), help="nothing was read", source=source)


class _Step(Protocol):
    step_id: str

    @property
    def children(self) -> Sequence[Self]: ...


_AnyStep = TypeVar("_AnyStep", bound=_Step)


def find_too_large(
    steps: Sequence[_AnyStep], limits: Limits, place_of: Callable[[_AnyStep], tuple[Span, Source]]
) -> Diagnostic | None:
    """What is wrong with a tree that has more steps or levels than it may.

    Args:
        steps: its top level.
        limits: how many there may be.
        place_of: where a step stands.
    """
    if limits.max_steps is None and limits.max_depth is None:
        return None
    siblings, depth, count = steps, 0, 0
    while siblings:
        depth += 1
        count += len(siblings)
        if limits.max_depth is not None and depth > limits.max_depth:
            return too_deep(siblings[0].step_id, depth, limits.max_depth, *place_of(siblings[0]))
        siblings = [child for step in siblings for child in step.children]
    if limits.max_steps is None or count <= limits.max_steps:
        return None
    first, _ = next(islice(iter_tree(steps), limits.max_steps, None))
    return too_many_steps(first.step_id, count, limits.max_steps, *place_of(first))


def too_many_steps(step_id: str, count: int, most: int, span: Span, source: Source) -> Diagnostic:
    """That a plan has more steps than it may; ``step_id`` is the first of those."""
    message = f"the plan has {count:,} steps, and the limit is {most:,}"
    return _refuse_plan("PS122", message, step_id, span, source)


def too_deep(step_id: str, depth: int, most: int, span: Span, source: Source) -> Diagnostic:
    """That a step is on a level below those that there may be."""
    message = f"the step is on level {depth:,}, and the limit is {most:,}"
    return _refuse_plan("PS123", message, step_id, span, source)


def _refuse_plan(code: str, message: str, step_id: str, span: Span, source: Source) -> Diagnostic:
    help = "nothing was read"
    return Diagnostic(code, message, span=span, help=help, step_id=step_id, source=source)


def read_file(
    path: Path | str, limits: Limits, *, name: str | None = None, opener: Callable[[str, int], int] | None = None
) -> str:
    """The text of a file in UTF-8, of which no more is read than the limit allows.

    Args:
        path: the file.
        limits: how much to read.
        name: what diagnostics call it, if not by its path.
        opener: opens it, as for :func:`open`.

    Raises:
        PlanSyntaxError: it is not UTF-8, or has too many bytes.
        OSError: it cannot be read.
    """
    name = str(path) if name is None else name
    with open(path, "rb", opener=opener) as file:
        return decode(read_bytes(file, limits, name), name)


def read_bytes(file: BinaryIO, limits: Limits, name: str) -> bytes:
    """What is in an open file, of which no more is read than the limit allows.

    Where there is no limit, it is 64 MiB.

    Raises:
        PlanSyntaxError: it has too many bytes.
        OSError: it cannot be read.
    """
    most = limits.max_bytes or _MOST_OF_A_FILE
    data = file.read(most + 1)
    if len(data) > most:
        source = Source("", name)
        raise PlanSyntaxError([too_many_bytes(most, source)], source)
    return data


@define
class Findings:
    """Diagnostics in the order in which they are found: those up to a limit, and the number of all others."""

    limit: int | None
    shown: list[Diagnostic] = field(factory=list)
    counts: Counter[Severity] = field(factory=Counter)
    _first_left_out: Diagnostic | None = None

    @property
    def is_full(self) -> bool:
        """Whether what comes now is only counted."""
        return self._first_left_out is not None

    def add(self, diagnostic: Diagnostic) -> None:
        """Take one more."""
        self.counts[diagnostic.severity] += 1
        if self.limit is None or len(self.shown) < self.limit:
            self.shown.append(diagnostic)
        elif self._first_left_out is None:
            self._first_left_out = diagnostic

    def extend(self, others: Findings | Iterable[Diagnostic]) -> None:
        """Take all of others, those that they have only counted as well."""
        shown = others.shown if isinstance(others, Findings) else others
        for diagnostic in shown:
            self.add(diagnostic)
        if isinstance(others, Findings) and others._first_left_out is not None:
            self._first_left_out = self._first_left_out or others._first_left_out
            self.counts.update(others._left())

    def _left(self) -> Counter[Severity]:
        """How many of each severity are only counted."""
        return self.counts - Counter(found.severity for found in self.shown)

    def close(self) -> list[Diagnostic]:
        """All in the order of the text, and after them how many more there are."""
        # A fault of a whole line is found after those inside it.
        listed = in_order(self.shown)
        first = self._first_left_out
        if first is None:
            return listed
        left = self._left()
        # What weighs more comes first.
        worst = next(severity for severity in Severity if left[severity])
        more = left.total()
        message = f"{more:,} more {'finding is' if more == 1 else 'findings are'} not listed"
        help = "repair these first, or raise the limit"
        note = Diagnostic("PS120", message, worst, first.span, help=help, step_id=first.step_id, source=first.source)
        return [*listed, note]
