"""What `planspec check` does with `--fix`, `--unsafe-fixes` and `--diff`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import field, frozen

from planspec_lark.cli.output import (
    FINDINGS,
    Row,
    change_text,
    complain_of,
    label,
    stop_on_faults,
    write_diff,
    write_rows,
)
from planspec_lark.planspec import FixResult
from planspec_lark.syntax import Diagnostic, Limits
from planspec_lark.syntax.diagnostics import brief, count_of
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["Fixer"]


@frozen
class Fixer:
    """Fixes files, and tells on standard error what it has done.

    Attributes:
        fix_text: fixes a text of a name, as :func:`planspec_lark.planspec.fix_text` does.
        unsafe: whether it applies fixes that drop text or guess as well.
        limits: how much to read.
        fixed: what was fixed in all files so far.
    """

    fix_text: Callable[..., FixResult]
    unsafe: bool
    limits: Limits
    fixed: list[Diagnostic] = field(factory=list, init=False)

    def fix(self, file: str) -> list[Diagnostic]:
        """Fix a file in place, or standard input on its way to standard output; returns what is left.

        Raises:
            UnreadableFileError, PlanFileError: it cannot be read or written, or not now.
            PlanSyntaxError: it is not UTF-8, or too long.
        """
        _, _, fixed = self._change(file, is_dry=False)
        self._tell(file, fixed, is_dry=False)
        self.fixed.extend(fixed.fixed)
        return fixed.left

    def show(self, file: str) -> int:
        """Write what would change in a file; returns 1 where something would."""
        with stop_on_faults(file, "nothing can be fixed"):
            before, after, fixed = self._change(file, is_dry=True)
        write_diff(before, after, file)
        self._tell(file, fixed, is_dry=True)
        return FINDINGS if before != after else 0

    def _change(self, file: str, *, is_dry: bool) -> tuple[str, str, FixResult]:
        def change(text: str) -> tuple[str, FixResult]:
            fixed = self.fix_text(text, name=label(file))
            return fixed.text, fixed

        return change_text(file, change, is_dry=is_dry, limits=self.limits)

    def _tell(self, file: str, fixed: FixResult, *, is_dry: bool) -> None:
        if fixed.refused:
            complain_of(file, f"left as it is: {fixed.refused} (planspec extract takes one out of other text)")
            return
        write_rows(_ledger(fixed, is_dry=is_dry), to_stderr=True)
        # An unsafe fix of what is left would have been applied if it were of use.
        more = 0 if self.unsafe else sum(one.fix is not None for one in fixed.left)
        hint = f"; {more} more with --unsafe-fixes" if more else ""
        if fixed.fixed or more:
            what = "would be fixed" if is_dry else "fixed"
            complain_of(file, f"{count_of(len(fixed.fixed), 'fault')} {what}{hint}")


def _ledger(fixed: FixResult, *, is_dry: bool) -> Iterator[Row]:
    said = "would fix" if is_dry else "fixed"
    for one, line in zip(fixed.fixed, fixed.lines, strict=True):
        assert one.fix is not None, "it was fixed"
        word, colour = (said, "green") if one.fix.is_safe else ("unsafe", "yellow")
        name = visible_name(one.source.name) if one.source else ""
        yield [
            (word.ljust(max(len(said), len("unsafe"))), colour),
            (f"  {one.code}  {name}:{line}: {_say(one)}", ""),
        ]


def _say(found: Diagnostic) -> str:
    fix, source = found.fix, found.source
    assert fix is not None, "it was fixed"
    was = brief(source.text[fix.span.start : fix.span.end] if source else "")
    if fix.title:
        return f"{brief(fix.title)}: {brief(found.source_line)}"
    return f"{was}  ⇒  {brief(fix.text)}" if fix.text else f"left out: {was}"
