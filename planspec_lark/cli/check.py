"""`planspec check`, and how all commands that check files write what they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from planspec_lark import folder
from planspec_lark.cli.arguments import (
    count_option,
    flag,
    folder_option,
    format_option,
    options,
    own_files,
    plan_argument,
    repeated_option,
    skip_option,
)
from planspec_lark.cli.help import READ, Choice, command
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    CliError,
    Row,
    check_inputs,
    complain,
    complain_of,
    diagnostic_rows,
    label,
    leave,
    leave_after,
    read_text,
    stop_at,
    tool_plan_hint,
    wait_option,
    write_lines,
    write_rows,
    write_text,
)
from planspec_lark.cli.values import read_values, value_options
from planspec_lark.document.file import PlanFileError
from planspec_lark.planspec.lint import OPTIONAL
from planspec_lark.syntax import Diagnostic, Limits, PlanSyntaxError, Severity, machine_reports
from planspec_lark.syntax.diagnostics import count_of, has_errors

if TYPE_CHECKING:
    from planspec_lark.planspec import FixResult

__all__ = [
    "check_command",
    "check_files",
    "check_or_fix",
    "fix_options",
    "report_options",
]

_ITEMS: dict[str, Callable[[Diagnostic], Any]] = {
    "text": diagnostic_rows,
    "json": machine_reports.json_item,
    "github": machine_reports.github_item,
}


def report_options(*others: str) -> Callable[[Any], Any]:
    """The options of a command that ends in :func:`check_files`, with formats of its own."""
    return options(
        format_option(
            *_ITEMS,
            *others,
            help="How to write the findings; github is for annotations of GitHub.",
        ),
        flag("--strict", help="Fail on warnings, too, and show infos."),
        flag("--info", help="Show infos, too: what may be right as it is."),
    )


def fix_options(what: str) -> Callable[[Any], Any]:
    """The options of a command that ends in :func:`check_or_fix`, beside those of its report; ``what`` is in files."""
    return options(
        flag("--fix", help="Apply the fixes that keep the meaning, in place."),
        flag("--unsafe-fixes", help="Apply the fixes that drop text or guess, too."),
        flag("--diff", help="Write nothing; show what fixes would change, as a unified diff."),
        wait_option,
        count_option("--max-bytes", metavar="N", help="Refuse a file with more bytes."),
        count_option("--max-steps", metavar="N", help=f"Refuse a {what} with more steps."),
        count_option("--max-depth", metavar="N", help=f"Refuse a {what} with more levels of steps."),
        count_option("--max-findings", default=1000, metavar="N", help="List at most N findings for each file."),
    )


@command(
    "check",
    examples=[
        "planspec check plan.md",
        "planspec check --fix plan.md",
        "planspec check .",
        "planspec check --unsafe-fixes --diff plan.md",
        "planspec check --run --input table_list=all plan.md",
        "planspec check --strict --format json planspec/*.md",
    ],
    files={
        "FILE": f"{READ} With --fix or --unsafe-fixes it is changed in place. A folder stands for its plans: "
        "planspec/**/*.md, Tasks/*/plan.md and *.plan.md, without hidden files.",
        "standard output": "The findings in the chosen format; with --fix and -, the fixed plan.",
        "standard error": "What was fixed; with --fix and -, the findings as well.",
    },
    exits={
        0: "No errors (with --strict: no warnings either).",
        1: "There are errors; with --diff, a fix would change something.",
        2: "A file cannot be read or written, another process runs its plan, or the arguments are wrong.",
    },
)
@plan_argument("files", metavar="FILE...", nargs=-1, required=True)
@report_options()
@repeated_option(
    "--ignore",
    metavar="CODES",
    help="Leave out warnings and infos whose codes begin so: PS308,PS31; repeatable.",
)
@repeated_option("--also", type=Choice(OPTIONAL), help="Turn on an optional check; repeatable.")
@flag("--run", "as_run", help="Find also the inputs that a run would lack.")
@value_options("input", "of a run, for --run")
@fix_options("plan")
@skip_option
@folder_option
def check_command(  # noqa: PLR0913  (all by their names)
    *,
    files: tuple[str, ...],
    ignore: tuple[str, ...],
    also: tuple[str, ...],
    as_run: bool,
    inputs: tuple[str, ...],
    inputs_file: str | None,
    skip_foreign: bool,
    **how: Any,
) -> None:
    """Check plans for errors, and fix them with --fix.

    All findings come at once: syntax errors, broken rules (such as two steps with one name), and likely slips. --fix
    fixes what is safe, and reports the rest.

    A project may set ignore, also and severity in planspec.toml, or in [tool.planspec] of pyproject.toml. Options come
    first. An error is never left out.
    """
    given = (*read_values("input", inputs_file, inputs),) if as_run else None
    if given is None and (inputs or inputs_file):
        raise click.UsageError("--input is for --run.")
    if given is not None and (how["fix"] or how["unsafe_fixes"] or how["diff"]):
        raise click.UsageError("--run: nothing of what it finds can be fixed.")
    with stop_at(ValueError, lead="--ignore: ", kind=click.UsageError):
        settings = folder.read_project().asked(
            chain.from_iterable(map(str.strip, words.split(",")) for words in ignore), also
        )
    own = own_files(files, skip_foreign=skip_foreign)
    check = partial(_check_plan, settings, given)
    check_or_fix(check, settings.fix_text, own, shows_infos=bool(settings.also), **how)


def _check_plan(
    settings: folder.ProjectSettings, given: Collection[str] | None, text: str, *, name: str, **how: Any
) -> list[Diagnostic]:
    found = settings.check_text(text, name=name, **how)
    if given is not None and not has_errors(found):
        from planspec_lark.engine.previews import check_run  # noqa: PLC0415  (slow to load, and most checks run nothing)

        found += check_run(text, given, label=name)
    elif has_errors(found) and (hint := tool_plan_hint(name, text)):
        complain_of(name, f"this is not a plan{hint}")
    return found


def check_or_fix(  # noqa: PLR0913  (all by their names)
    check: Callable[..., list[Diagnostic]],
    fix_text: Callable[..., FixResult],
    files: Sequence[str],
    form: str,
    *,
    strict: bool,
    info: bool,
    shows_infos: bool = False,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    **most: int | None,
) -> None:
    """Check files as :func:`check_files` does, or fix them first, or show what would be fixed; leaves.

    With ``shows_infos``, the infos that the check finds without --info are written: they were asked for by name.
    """
    check_inputs(*files)
    limits, infos = Limits(**most), info or shows_infos
    least = Severity.INFO if info or strict else Severity.WARNING
    if not (fix or unsafe_fixes or diff):

        def check_file(file: str) -> list[Diagnostic]:
            return check(read_text(file, limits), name=label(file), limits=limits, least=least)

        check_files(check_file, files, form, strict=strict, info=infos)
        return
    if form != "text" and (diff or "-" in files):
        raise click.UsageError("--format: standard output is for the difference, or the fixed plan.")
    from planspec_lark.cli.fixes import Fixer  # noqa: PLC0415  (most checks fix nothing)

    fixer = Fixer(partial(fix_text, unsafe=unsafe_fixes, limits=limits, least=least), unsafe_fixes, limits)
    if diff:
        leave_after(files, fixer.show)
    check_files(fixer.fix, files, form, strict=strict, info=infos, to_stderr="-" in files, fixed=fixer.fixed)


# ---------------------------------------------------------------- what was found


def check_files(  # noqa: PLR0913  (all by their names)
    check: Callable[[str], Sequence[Diagnostic]],
    files: Sequence[str],
    form: str,
    *,
    strict: bool,
    info: bool,
    to_stderr: bool = False,
    fixed: Sequence[Diagnostic] | None = None,
) -> None:
    """Write what a check finds in each file, and leave with the exit code.

    Infos are told only where they are asked for, or with ``strict``; ``to_stderr`` is for text, and ``fixed`` for JSON:
    what the check has fixed on its way.

    That is 2 where a file could not be read, 1 where there are errors (or warnings, if ``strict``).
    """
    info = info or strict
    read: list[str] = []
    items: list[Any] = []
    counts = Counter({severity.value: 0 for severity in Severity})
    for file in files:
        try:
            found = check(file)
        except PlanSyntaxError as error:
            found = error.diagnostics
        except (CliError, PlanFileError) as error:
            complain(f"Error: {error}")
            continue
        found = [one for one in found if info or one.severity is not Severity.INFO]
        read.append(label(file))
        items += map(_ITEMS[form], found)
        counts.update(machine_reports.count_severities(found))
    if form == "json":
        write_text(machine_reports.to_json(items, read, counts, fixed) + "\n")
    elif form == "github":
        write_lines(items)
    else:
        write_rows(chain(*items, _summary(read, counts)), to_stderr=to_stderr)
    if len(read) < len(files):
        leave(UNREADABLE)
    if counts["error"] or (strict and counts["warning"]):
        leave(FINDINGS)


def _summary(files: Sequence[str], counts: Mapping[str, int]) -> Iterator[Row]:
    if files:
        listed = ", ".join(count_of(count, kind) for kind, count in counts.items() if count)
        yield [(f"{count_of(len(files), 'file')} checked: {listed or 'nothing to say'}", "")]
