"""Commands for one plan or several: `fmt`, `json`, `show`, `next`, `focus`, `graph` and `view`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from planspec_lark import planspec
from planspec_lark.cli.arguments import (
    complete_steps,
    flag,
    folder_option,
    language_option,
    max_tokens_option,
    options,
    order_option,
    own_files,
    plan_argument,
    repeated_option,
    skip_option,
    words_for_steps,
)
from planspec_lark.cli.help import CHANGED, READ, command, did_you_mean
from planspec_lark.cli.output import (
    FINDINGS,
    UNFINISHED,
    Row,
    change_text,
    check_inputs,
    complain,
    complain_of,
    fail_on,
    json_text,
    label,
    leave_after,
    out_option,
    read_plan,
    stop_at,
    stop_on_faults,
    terminal_width,
    wait_option,
    write_diff,
    write_json,
    write_lines,
    write_out,
    write_rows,
    write_text,
)
from planspec_lark.planspec import PlanSpec
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import visible_name

if TYPE_CHECKING:
    from planspec_lark.planspec import StepState, StepView
    from planspec_lark.planspec.data_flow import Order
    from planspec_lark.planspec.render import StyledText

__all__ = ["format_files", "format_options", "step_rows", "tree_options", "write_tree"]


# The options of a command that formats files by :func:`format_files`.
format_options = options(
    flag("--check", help="Write nothing; fail if a file is not in canonical form."),
    flag("--diff", help="Write nothing; show what would change, as a unified diff."),
)


@command(
    "fmt",
    examples=["planspec fmt plan.md", "planspec fmt --check planspec/*.md", "planspec fmt --diff sloppy.md"],
    files={
        "FILE": f"{CHANGED} A folder stands for its plans, as in `planspec check`.",
        "standard output": "With --diff, what would change.",
    },
    exits={
        0: "All files are in canonical form now.",
        1: "A file is not a plan or, with --check, not in canonical form.",
        2: "A file cannot be read or written, another process runs its plan, or the arguments are wrong.",
    },
)
@plan_argument("files", metavar="FILE...", nargs=-1, required=True)
@format_options
@skip_option
@wait_option
@folder_option
def fmt_command(files: tuple[str, ...], skip_foreign: bool, **how: bool) -> None:
    """Format plans: write them in canonical form.

    The meaning stays. A file that is not a plan is not touched; `planspec check` says what is wrong with it.
    """

    def rewrite(text: str, name: str) -> str:
        return planspec.serialize_plan(planspec.parse_plan(text, name=name))

    own = own_files(files, skip_foreign=skip_foreign)
    format_files(own, rewrite, "left as it is, since it is not a plan", **how)


def format_files(
    files: Sequence[str], rewrite: Callable[[str, str], str], said: str, *, check: bool, diff: bool
) -> NoReturn:
    """Write files in canonical form, or tell how they differ; leaves.

    Args:
        files: their names.
        rewrite: makes the canonical text of a text, and of its name for diagnostics.
        said: what follows from the faults of a text for its file.
        check: write nothing, and fail where one is in another form.
        diff: write nothing but the differences.
    """

    def format_file(file: str) -> int:
        with stop_on_faults(file, said):
            before, after, _ = change_text(file, lambda text: (rewrite(text, label(file)), None), is_dry=check or diff)
        if diff:
            write_diff(before, after, file)
        if before != after and check:
            complain_of(file, "not in canonical form")
            return FINDINGS
        if before != after and not diff and file != "-":
            complain_of(file, "written in canonical form")
        return 0

    check_inputs(*files)
    leave_after(files, format_file)


@command(
    "json",
    examples=["planspec json plan.md", "planspec json plan.md --compact", "planspec json --schema"],
    files={"FILE": READ, "standard output": "The JSON."},
    exits={1: "FILE is not a plan."},
)
@plan_argument(required=False)
@flag("--compact", help="Write the JSON in one line.")
@flag("--schema", help="Write the JSON Schema of the output; FILE is not needed.")
@folder_option
def json_command(file: str | None, compact: bool, schema: bool) -> None:
    """Write a plan as JSON."""
    indent = None if compact else 2
    if schema:
        write_text(json.dumps(planspec.plan_json_schema(), indent=indent) + "\n")
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    write_text(planspec.plan_to_json(read_plan(file), indent=indent) + "\n")


# ---------------------------------------------------------------- trees

_STYLES = {
    "title": "bold",
    "label": "bold",
    "tree": "dim",
    "id": "bold",
    "active": "bold yellow",
    "done": "green",
    "blocked": "bold red",
    "skipped": "dim",
    "type": "cyan",
    "body": "dim",
    "note": "dim",
}

_lang_option = language_option("The language of labels.", default=None, name="--lang", said="the plan's language")


def _steps_option(name: str, help: str) -> Callable[[Any], Any]:
    return repeated_option(name, metavar="STEP", shell_complete=complete_steps, help=help)


@command(
    "show",
    examples=[
        "planspec show bakery",
        "planspec show plan.md --full",
        "planspec show plan.md --expand 2.1 --collapse 3",
    ],
    files={"FILE": READ, "standard output": "The tree; with --max-tokens, the plan."},
    exits={1: "FILE is not a plan."},
)
@plan_argument()
@_steps_option("--expand", "Show this step's details and children; repeatable.")
@_steps_option("--collapse", "Hide this step's details and children; repeatable.")
@flag("--full", help="Show all details and children.")
@_lang_option
@max_tokens_option
@folder_option
def show_command(  # noqa: PLR0913, PLR0917  (one for each option)
    file: str,
    expand: tuple[str, ...],
    collapse: tuple[str, ...],
    full: bool,
    language: str | None,
    max_tokens: int | None,
) -> None:
    """Show a plan as a tree.

    Active and blocked steps show their details, others only their line. --max-tokens writes the plan itself, for a
    language model.

    A name stands for planspec/NAME.md, or else for Tasks/NAME/plan.md.
    """
    plan = read_plan(file)
    for change, words in ((planspec.expand_step, expand), (planspec.collapse_step, collapse)):
        for word in words:
            change(plan, _find_step(plan, word))
    if max_tokens is None:
        write_tree(plan, full=full, language=language)
        return
    with stop_at(ValueError):
        text = planspec.serialize_plan(plan, fold=bool(expand or collapse) and not full, max_tokens=max_tokens)
    write_text(text)


def _find_step(plan: PlanSpec, word: str) -> str:
    """The id of the step that has this id, or else this name."""
    if planspec.find_step(plan, word) is not None:
        return word
    named = [step.step_id for step in planspec.iter_steps(plan) if word and step.step_name == word]
    if len(named) == 1:
        return named[0]
    said = visible_name(shorten(word))
    if named:
        raise click.UsageError(f"several steps have the name {said}: {shorten(', '.join(named))}.")
    raise click.UsageError(f"step {said} does not exist.{did_you_mean(word, words_for_steps(plan))}")


# The options of a command that writes what is not a plan itself by :func:`write_tree`.
tree_options = options(
    flag("--plan", "as_plan", help="Write a plan that other commands can read, such as `planspec check -`."),
    flag("--full", help="Show all details and children."),
    _lang_option,
)


def write_tree(plan: PlanSpec, *, full: bool, language: str | None = None, as_plan: bool = False) -> None:
    """Write a plan as a tree, with all bodies and children or those that its steps ask for; labels as it has words."""
    if as_plan:
        write_text(planspec.serialize_plan(plan))
        return
    from planspec_lark.planspec.render import show_plan, wrap  # noqa: PLC0415  (not every command here shows a tree)

    width = terminal_width()
    lines = show_plan(plan, fold=not full, language=language)
    write_rows(_style(row) for line in lines for row in (wrap(line, width) if width else [line]))


def step_rows(plan: PlanSpec, first: int, last: int) -> Iterator[Row]:
    """Some of the steps that a folded tree shows, in lines of any length."""
    from planspec_lark.planspec.render import show_steps  # noqa: PLC0415  (as above)

    return map(_style, show_steps(plan, first=first, last=last))


def _style(line: Iterable[StyledText]) -> Row:
    return [(piece.text, _STYLES.get(piece.role, "")) for piece in line]


# ---------------------------------------------------------------- steps

# Reasons that are told where no step can be done.
_MOST_REASONS = 20

_view_options = options(flag("--json", "as_json", help="Write JSON."), max_tokens_option)


@command(
    "next",
    examples=["planspec next plan.md", "planspec next bakery --all", "planspec next plan.md --why"],
    files={"FILE": READ, "standard output": "The step; with --json, null or [] where there is none."},
    exits={1: "FILE is not a plan.", 3: "No step can be done now."},
)
@plan_argument()
@flag("--all", "every", help="List every step that can be done now.")
@flag("--why", help="List every open step, with why it cannot be done now.")
@order_option
@_view_options
@folder_option
def next_command(  # noqa: PLR0913  (all by their names)
    *, file: str, every: bool, why: bool, order: Order, as_json: bool, max_tokens: int | None
) -> None:
    """Show the next step to do, with all that it needs.

    That is an active step, or else the first whose inputs are there. It comes with the goal, the constraints, the steps
    above it, and the step and result behind each input.
    """
    if (every or why) and max_tokens is not None:
        raise click.UsageError("--max-tokens bounds the view of one step, and --all and --why list several.")
    plan = read_plan(file)
    view = planspec.next_step_view(plan, order=order)
    if why:
        _write_reasons(planspec.step_states(plan, order=order), as_json=as_json)
    elif every:
        ready = planspec.ready_steps(plan, order=order)
        if as_json:
            write_json([planspec.focus_view(plan, step.step_id).to_dict()["step"] for step in ready])
        else:
            write_lines(map(canonical_summary, ready))
    elif view is not None:
        _write_view(view, as_json=as_json, max_tokens=max_tokens)
    elif as_json:
        write_json(None)
    if view is None:
        left = planspec.step_states(plan)
        for one in left[:_MOST_REASONS]:
            complain(f"Step {one.step.step_id}: {one.why}")
        fail_on(file, "no step can be done now" if left else "no step is left to do", UNFINISHED)


def _write_reasons(states: Sequence[StepState], *, as_json: bool) -> None:
    """Write what is to be done with each step, or why it cannot be."""
    if as_json:
        write_json([{"id": one.step.step_id, "todo": one.todo, "why": one.why} for one in states])
    else:
        write_lines(f"{canonical_summary(one.step)}\n    {one.why or 'it can be done now'}" for one in states)


@command(
    "focus",
    examples=["planspec focus plan.md 2.1", "planspec focus plan.md 2.1 --json"],
    files={"FILE": READ, "STEP": "The id of the step, such as 2.1, or its name.", "standard output": "The step."},
    exits={1: "FILE is not a plan."},
)
@plan_argument()
@click.argument("step", shell_complete=complete_steps)
@_view_options
@folder_option
def focus_command(file: str, step: str, as_json: bool, max_tokens: int | None) -> None:
    """Show one step, what it needs and what depends on it.

    The steps beside and below it are shown, too.
    """
    plan = read_plan(file)
    view = planspec.focus_view(plan, _find_step(plan, step))
    _write_view(view, as_json=as_json, max_tokens=max_tokens)


def _write_view(view: StepView, *, as_json: bool, max_tokens: int | None) -> None:
    if as_json and max_tokens is not None:
        raise click.UsageError("--max-tokens bounds the text, and --json leaves nothing out.")
    with stop_at(ValueError):
        text = json_text(view.to_dict()) if as_json else view.to_text(max_tokens=max_tokens)
    write_text(text)


# ---------------------------------------------------------------- diagrams and pages


@command(
    "graph",
    examples=[
        "planspec graph plan.md",
        "planspec graph plan.md -o plan.mmd",
    ],
    files={"FILE": READ, "standard output": "The diagram, unless --out names a file."},
    exits={1: "FILE is not a plan.", 2: "A file cannot be read or written, or the arguments are wrong."},
)
@plan_argument()
@out_option
@folder_option
def graph_command(file: str, out: str) -> None:
    """Write a plan as a diagram.

    It is in the language of Mermaid: frames are steps with children, arrows what a step takes from another. Inputs that
    no step produces, and outputs that no step takes, are marked.
    """
    write_out(out, planspec.draw_plan(read_plan(file)))
