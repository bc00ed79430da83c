"""The command group. A command is imported when it is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import StringIO
from typing import Any

import click

from planspec_lark import __version__
from planspec_lark.cli import READER_GONE
from planspec_lark.cli.help import Group
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["cli", "run"]

# Heading → command → the module with its function, and the first sentence of its help: so that all of them are listed
# without an import. `new` is its `new_command`.
_COMMANDS = {
    "Check and edit": {
        "new": ("folder", "Create a plan, or show the plan that has this name."),
        "list": ("folder", "List the plans in planspec/."),
        "use": ("folder", "Choose the current plan, or show which it is."),
        "show": ("plans", "Show a plan as a tree."),
        "next": ("plans", "Show the next step to do, with all that it needs."),
        "focus": ("plans", "Show one step, what it needs and what depends on it."),
        "check": ("check", "Check plans for errors, and fix them with --fix."),
        "explain": ("explain", "Explain the code of a finding, with examples."),
        "fmt": ("plans", "Format plans: write them in canonical form."),
        "start": ("steps", "Mark a step as active: work on it has begun."),
        "done": ("done", "Mark a step as done, with its result."),
        "block": ("steps", "Mark a step as blocked, with the reason."),
        "skip": ("steps", "Mark a step as skipped, with the reason."),
        "reopen": ("done", "Set steps back to pending, with all steps below them."),
        "add": ("steps", "Add a step."),
        "move": ("steps", "Move a step, with all steps below it."),
        "rename": ("steps", "Rename a step."),
        "remove": ("steps", "Remove a step, with all steps below it."),
        "archive": ("folder", "Move a finished plan to planspec/archive/."),
    },
    "Answers": {
        "extract": ("answers", "Extract the plan from a language model's answer."),
        "repair": ("answers", "Let a model or a program repair a plan or an answer."),
        "apply": ("edits", "Apply the PLAN_CMD lines of an answer to a plan."),
    },
    "Run": {
        "run": ("run", "Run a plan with programs or a language model."),
        "stop": ("stop", "Stop a run."),
        "log": ("run_output", "Show what has happened in the runs of a plan."),
    },
    "Share": {
        "view": ("view", "Write a plan as a page for a browser."),
        "graph": ("plans", "Write a plan as a diagram."),
        "import": ("exchange", "Import a task list of another tool as a plan."),
        "export": ("exchange", "Export a plan as a task list of another tool."),
        "diff": ("diff_merge", "Compare two plans, step by step."),
        "merge": ("diff_merge", "Merge two versions of a plan."),
    },
    "Develop": {
        "init": ("agents", "Set up a project's coding assistants to work with plans."),
        "hook": ("agents", "Answer a hook of a coding assistant."),
        "mcp": ("mcp", "Serve the plans of a folder to agents, as an MCP server."),
        "lsp": ("lsp", "Serve plans to an editor, as a language server."),
        "grammar": ("grammar", "Export grammars that hold a model to the format."),
        "json": ("plans", "Write a plan as JSON."),
    },
    "More": {
        "hopspec": ("hopspec", "Check, format and convert HopSpec documents."),
        "planner": ("planner", "Plan step by step: a planner and an executor in turns."),
        "tools": ("tools", "Check, show and run plans of tool calls."),
        "bulk": ("bulk", "Check a corpus of plans or answers, and write a report."),
    },
}
_KNOWN = {name: known for commands in _COMMANDS.values() for name, known in commands.items()}
_WIDEST_HELP = 100


@contextmanager
def _heard() -> Iterator[None]:
    """Leave where the reader of standard output has left; click would do so with 1, which says no."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(READER_GONE) from None


class _LazyGroup(Group):
    def summary(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002  (click passes it)
        return _KNOWN[name][1]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _KNOWN:
            return None
        module = import_module(f"planspec_lark.cli.{_KNOWN[cmd_name][0]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Read a call; options such as --help are answered here."""
        with _heard():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the package refuses, and the command has no other answer to, ends it."""
        try:
            with _heard():
                return super().invoke(ctx)
        except PlanSpecError as error:
            from planspec_lark.cli.output import CliError  # noqa: PLC0415  (most calls need none)

            raise CliError(str(error)) from None


def _write_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from planspec_lark.syntax.grammars import grammar_version  # noqa: PLC0415  (only needed here)

        click.echo(f"planspec {__version__} (PlanSpec grammar {grammar_version('planspec')})")
        ctx.exit()


@click.group(
    cls=_LazyGroup,
    sections={heading: [*commands] for heading, commands in _COMMANDS.items()},
    examples=[
        "planspec new 'Open the bakery at six' --name bakery",
        "planspec show bakery",
        "planspec check --fix plan.md",
        "planspec run plan.md --operator './work.sh'",
    ],
    context_settings={
        "help_option_names": ["-h", "--help"],
        "show_default": True,
        "max_content_width": _WIDEST_HELP,
    },
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_write_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Check, edit, share and run PlanSpec plans.

    A plan is a Markdown file. Where a command asks for a FILE, it takes the file of a plan, the name of a plan (for
    planspec/NAME.md), or - for standard input. `planspec COMMAND --help` has examples, and says what a command reads
    and writes.

    Some commands need an extra, such as llm: pip install 'planspec-lark[llm]'.
    """
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding cannot say is written as an escape rather than a traceback.
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")


def run() -> int:
    """Run the command line; returns its exit code."""
    try:
        code = cli.main(prog_name="planspec", standalone_mode=False)
    except click.ClickException as error:
        # A message may repeat what a stranger has put into an argument. These have it as it is, one before click 8.4.
        if isinstance(error, click.NoSuchOption) or type(error) is click.UsageError:
            error = click.UsageError(visible_name(error.format_message()), error.ctx)
        said = StringIO()
        error.show(said)
        sys.stderr.write(visible(said.getvalue()))
        return error.exit_code
    except click.Abort:
        click.echo("Aborted!", err=True)
        return 130
    return code if isinstance(code, int) else 0
