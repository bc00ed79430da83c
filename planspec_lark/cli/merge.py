"""`planspec merge`, by hand and as a merge driver of git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from attrs import frozen

from planspec_lark.cli.output import (
    FINDINGS,
    changing,
    check_inputs,
    complain,
    read_bytes,
    replace_file,
    write_bytes,
    write_diagnostics,
)
from planspec_lark.cli.waiting import wait_option
from planspec_lark.diff.merge import SIDES
from planspec_lark.diff.models import MergeConflict
from planspec_lark.diff.text_merge import MARKER_SIZE, merge_texts
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, decode
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("merge")
@click.argument("base", metavar="BASE")
@click.argument("ours", metavar="OURS")
@click.argument("theirs", metavar="THEIRS")
@click.option("-o", "--out", metavar="FILE", help="Write to this file instead of OURS; - is standard output.")
@click.option(
    "-L",
    "--marker-size",
    type=click.IntRange(min=1),
    default=MARKER_SIZE,
    show_default=True,
    help="How many signs make a marker of a conflict; git's %L.",
)
@wait_option
@click.option("-P", "--path", metavar="NAME", help="What messages call the plan; git's %P.")
def command(  # noqa: PLR0913, PLR0917  (its arguments and options)
    base: str, ours: str, theirs: str, out: str | None, marker_size: int, path: str | None
) -> None:
    """Merge what two sides have made of a plan.

    BASE is what both have started from; OURS gets what comes of it. Exits with 0 where all could be merged, 1 where
    there are conflicts (they stand between markers, as git makes them), and 2 where a file cannot be read or written,
    or another process runs the plan that would be written.

    Where one of the three is no plan, their lines are merged instead, and that counts as a conflict.
    """
    name = visible_name(path or ours)
    check_inputs(base, ours, theirs)
    if ours == "-" and out is None:
        out = "-"
    merged = _merge((base, ours, theirs), ours if out is None else out, marker_size)
    write_diagnostics(merged.faults, to_stderr=True)
    if merged.faults:
        complain(f"{name}: not all three are plans, so their lines are merged; look at every one of them")
    for conflict in merged.conflicts:
        complain(f"{name}: {conflict}")
    if merged.faults or merged.conflicts:
        raise click.exceptions.Exit(FINDINGS)


@frozen
class _Merged:
    """What comes of three files, what keeps them from being plans, and where the sides do not go together."""

    data: bytes
    faults: Sequence[Diagnostic] = ()
    conflicts: Sequence[MergeConflict] = ()

    @classmethod
    def of(cls, data: Sequence[bytes], marker_size: int) -> _Merged:
        try:
            texts = [decode(content, side) for content, side in zip(data, SIDES, strict=True)]
            result = merge_texts(texts[0], texts[1], texts[2], marker_size=marker_size)
        except PlanSyntaxError as error:
            return cls(_merge_lines(data, marker_size), error.diagnostics)
        return cls(result.text.encode("utf-8"), (), result.conflicts)


def _merge(files: Sequence[str], out: str, marker_size: int) -> _Merged:
    """Merge three files, and write what comes of them to a file or, for ``-``, to standard output."""
    data = [read_bytes(file) for file in files]
    merged = _Merged.of(data, marker_size)
    own = next((at for at, file in enumerate(files) if "-" not in (file, out) and _is_same(file, out)), None)
    if out == "-":
        write_bytes(merged.data)
    elif own is None:
        replace_file(out, merged.data)
    else:

        def change(now: bytes) -> bytes:
            nonlocal merged
            # Somebody may have changed it since it was read.
            if now != data[own]:
                data[own] = now
                merged = _Merged.of(data, marker_size)
            return merged.data

        with changing(out) as file:
            file.rewrite(change)
    return merged


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _merge_lines(data: Sequence[bytes], marker_size: int) -> bytes:
    """What git makes of three texts that are no plans; where it makes nothing of them, both whole, between markers."""
    _, ours, theirs = data
    with TemporaryDirectory() as folder:
        for side, content in zip(SIDES, data, strict=True):
            Path(folder, side).write_bytes(content)
        names = [word for side in ("ours", "base", "theirs") for word in ("-L", side)]
        order = ["ours", "base", "theirs"]
        call = ["git", "merge-file", "-p", "-q", f"--marker-size={marker_size}", *names, *order]
        try:
            done = subprocess.run(call, cwd=folder, capture_output=True, check=False)  # noqa: S603  (nobody else's words)
        except OSError:
            done = None
    # It tells the number of conflicts, up to 127.
    if done is not None and 0 <= done.returncode < 128:
        return done.stdout
    rows = [b"<" * marker_size + b" ours", ours, b"=" * marker_size, theirs, b">" * marker_size + b" theirs"]
    return b"".join(row if row.endswith(b"\n") else row + b"\n" for row in rows if row)
