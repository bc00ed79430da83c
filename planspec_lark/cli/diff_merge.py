"""`planspec diff` and `planspec merge`, by hand and as drivers of git."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from attrs import frozen

from planspec_lark import diff, planspec
from planspec_lark.cli import give_up
from planspec_lark.cli.arguments import count_option, flag
from planspec_lark.cli.help import command
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Row,
    changing,
    check_inputs,
    complain,
    diff_rows,
    label,
    leave,
    read_as,
    read_bytes,
    replace_file,
    stop_on_faults,
    wait_option,
    write_bytes,
    write_diagnostics,
    write_json,
    write_rows,
    write_text,
)
from planspec_lark.diff.conflict_markers import LABELS, MARKER_SIZE
from planspec_lark.planspec import parse_plan
from planspec_lark.syntax import Diagnostic, PlanSyntaxError, decode
from planspec_lark.syntax.safe_text import one_line, visible_name

if TYPE_CHECKING:
    from planspec_lark.diff import MergeConflict, PlanDiff

_STYLES = {
    "label": "bold",
    "id": "bold",
    "added": "green",
    "removed": "red",
    "changed": "yellow",
    "moved": "magenta",
    "text": "",
    "note": "dim",
}
# What messages and markers call the three texts of a merge.
_SIDES = ("base", "ours", "theirs")
# How many arguments git gives: a path that is not merged yet, a changed file, one that was renamed as well.
_UNMERGED, _CHANGED, _RENAMED = 1, 7, 9


@command(
    "diff",
    examples=["planspec diff old.md new.md", "planspec diff old.md new.md --json"],
    files={
        "A B": "The old plan and the new one: files, or - for standard input. git passes seven or more.",
        "standard output": "The differences; nothing where there are none.",
    },
    exits={
        0: "The plans are the same, or git has called.",
        1: "They differ.",
        2: "A file is not a plan or cannot be read.",
    },
)
@click.argument("files", nargs=-1, required=True, metavar="A B")
@flag("--json", "as_json", help="Write the differences as JSON.")
@flag("--textconv", help="For git: write one file in canonical form, or as it is if it is not a plan.")
def diff_command(files: tuple[str, ...], as_json: bool, textconv: bool) -> None:
    """Compare two plans, step by step.

    Steps are compared, not lines. It works as a diff driver of git, too.
    """
    if textconv:
        if len(files) != 1:
            raise click.UsageError("--textconv takes one file.")
        text = _text_for_git(files[0])
        with suppress(PlanSyntaxError):
            text = planspec.serialize_plan(parse_plan(text))
        write_text(text)
    elif len(files) in (_CHANGED, _RENAMED):
        _answer_git(files)
    elif len(files) == _UNMERGED and "GIT_DIFF_PATH_COUNTER" in os.environ:
        _write_for_git([((f"* Unmerged path {visible_name(files[0])}", ""),)])
    elif len(files) == 2:
        _compare(*files, as_json=as_json)
    else:
        raise click.UsageError("Two files are compared.")


def _compare(old: str, new: str, *, as_json: bool) -> None:
    check_inputs(old, new)
    found = diff.diff_plans(*(read_as(file, parse_plan, code=UNREADABLE) for file in (old, new)))
    if as_json:
        write_json(diff.diff_to_dict(found))
    elif found:
        write_rows(chain(_names(label(old), label(new)), _rows(found)))
    if found:
        leave(FINDINGS)


def _names(old: str, new: str) -> list[Row]:
    return [((f"{sign} {visible_name(name)}", "bold"),) for sign, name in (("---", old), ("+++", new))]


def _rows(found: PlanDiff) -> Iterator[Row]:
    from planspec_lark.diff.render import show_diff  # noqa: PLC0415  (a merge shows none)

    for line in show_diff(found):
        yield tuple((piece.text, _STYLES[piece.role]) for piece in line if piece.text)


def _answer_git(arguments: tuple[str, ...]) -> None:
    """Write the difference that git asks for: path, old file, hash and mode, new file, hash and mode, new path, more.

    The exit code is 0 whatever the files hold, or git would stop.
    """
    path, old_file, _, _, new_file = arguments[:5]
    new_path = arguments[_CHANGED] if len(arguments) == _RENAMED else path
    old, new = _text_for_git(old_file), _text_for_git(new_file)
    names = _names(
        *(file if file == os.devnull else name for file, name in ((old_file, f"a/{path}"), (new_file, f"b/{new_path}")))
    )
    rows: Iterable[Row]
    try:
        rows = _rows(diff.diff_plans(parse_plan(old), parse_plan(new)))
    except PlanSyntaxError:
        note = (("not both are plans, so their lines are compared", _STYLES["note"]),)
        rows, names = diff_rows(old, new, path), [note]
    _write_for_git(chain(names, rows))


def _write_for_git(rows: Iterable[Row]) -> None:
    try:
        write_rows(rows, is_paged="GIT_PAGER_IN_USE" in os.environ)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads it has seen enough, and git would take any other exit code than 0 for a failure.
        give_up(sys.stdout)


def _text_for_git(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace", newline="") as stream:
        return stream.read()


# ---------------------------------------------------------------- merge


@command(
    "merge",
    examples=["planspec merge base.md ours.md theirs.md -o -", "planspec merge base.md ours.md theirs.md"],
    files={
        "BASE": "The plan that both sides started from.",
        "OURS": "One side; it is replaced by the merged plan, unless --out names a file.",
        "THEIRS": "The other side.",
        "standard error": "The conflicts.",
    },
    exits={
        0: "All was merged.",
        1: "There are conflicts, which are between markers like those of git; or a file is not a plan.",
        2: "A file cannot be read or written, another process runs the plan, or the arguments are wrong.",
    },
)
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.option("-o", "--out", metavar="FILE", show_default="OURS", help="Write to this file; - is standard output.")
@count_option(
    "-L",
    "--marker-size",
    default=MARKER_SIZE,
    metavar="N",
    help="The length of the markers around a conflict; %L of git.",
)
@click.option("-X", "--ours-label", default=LABELS[0], metavar="NAME", help="What markers call OURS; %X of git.")
@click.option("-Y", "--theirs-label", default=LABELS[1], metavar="NAME", help="What markers call THEIRS; %Y of git.")
@wait_option
@click.option("-P", "--path", metavar="NAME", show_default="OURS", help="The plan's name in messages; %P of git.")
def merge_command(  # noqa: PLR0913, PLR0917  (its arguments and options)
    base: str,
    ours: str,
    theirs: str,
    out: str | None,
    marker_size: int,
    path: str | None,
    ours_label: str,
    theirs_label: str,
) -> None:
    """Merge two versions of a plan.

    What only one side changed is taken, step by step. If a file is not a plan, lines are merged instead, and that
    counts as a conflict. It works as a merge driver of git, too.
    """
    name = visible_name(path or ours)
    check_inputs(base, ours, theirs)
    # Git before 2.45 knows no labels, and passes on what stands for them.
    labels = [
        default if given in ("", sign) else given
        for given, sign, default in zip((ours_label, theirs_label), ("%X", "%Y"), LABELS, strict=True)
    ]
    merged = _merge([base, ours, theirs], ours if out is None else out, marker_size, labels)
    write_diagnostics(merged.faults)
    if merged.faults:
        complain(f"{name}: not all three are plans, so their lines are merged; look at every one of them")
    for conflict in merged.conflicts:
        complain(f"{name}: {conflict}")
    if merged.faults or merged.conflicts:
        leave(FINDINGS)


@frozen
class _Merged:
    """What comes of three files, what keeps them from being plans, and where the sides do not go together."""

    data: bytes
    faults: Sequence[Diagnostic] = ()
    conflicts: Sequence[MergeConflict] = ()

    @classmethod
    def of(cls, data: Sequence[bytes], marker_size: int, labels: Sequence[str]) -> _Merged:
        try:
            base, ours, theirs = (decode(content, side) for content, side in zip(data, _SIDES, strict=True))
            result = diff.merge_texts(base, ours, theirs, marker_size=marker_size, labels=labels)
        except PlanSyntaxError as error:
            return cls(_merge_lines(data, marker_size, labels), error.diagnostics)
        return cls(result.text.encode("utf-8"), (), result.conflicts)


def _merge(files: Sequence[str], out: str, marker_size: int, labels: Sequence[str]) -> _Merged:
    """Merge three files, and write what comes of them to a file or, for ``-``, to standard output."""
    data = []
    for file in files:
        with stop_on_faults(file, "nothing was merged", UNREADABLE):
            data.append(read_bytes(file))
    merged = _Merged.of(data, marker_size, labels)
    own = next((at for at, file in enumerate(files) if "-" not in (file, out) and _is_same(file, out)), None)
    if out == "-":
        write_bytes(merged.data)
    elif own is None:
        replace_file(out, merged.data)
    else:

        def change(now: bytes) -> bytes:
            nonlocal merged
            # Another program may have changed it since it was read.
            if now != data[own]:
                data[own] = now
                merged = _Merged.of(data, marker_size, labels)
            return merged.data

        changing(out).rewrite(change)
    return merged


def _is_same(one: str, other: str) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(one, other)
    return False


def _merge_lines(data: Sequence[bytes], marker_size: int, labels: Sequence[str]) -> bytes:
    """What git makes of three texts that are no plans; where it makes nothing of them, both whole, between markers."""
    import subprocess  # noqa: PLC0415  (git starts this for each file of a diff)

    _, ours, theirs = data
    with TemporaryDirectory() as folder:
        for side, content in zip(_SIDES, data, strict=True):
            Path(folder, side).write_bytes(content)
        order = ["ours", "base", "theirs"]
        left, right = map(one_line, labels)
        names = [word for label in (left, "base", right) for word in ("-L", label)]
        call = ["git", "merge-file", "-p", "-q", f"--marker-size={marker_size}", *names, *order]
        with suppress(OSError):
            done = subprocess.run(call, cwd=folder, capture_output=True, check=False)  # noqa: S603  (fixed words)
            # It tells the number of conflicts, up to 127.
            if 0 <= done.returncode < 128:
                return done.stdout
    start, between, end = (sign * marker_size for sign in "<=>")
    rows = [f"{start} {left}".encode(), ours, between.encode(), theirs, f"{end} {right}".encode()]
    return b"".join(row if row.endswith(b"\n") else row + b"\n" for row in rows if row)
