"""The command group. A command is imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO
from typing import TextIO

import click
from click.shell_completion import CompletionItem

from planspec_lark import __version__
from planspec_lark.syntax.source import visible

__all__ = ["cli", "run"]

# Command → the module that has it, under the same name.
_COMMANDS = {
    "apply": "planspec_lark.cli.apply",
    "archive": "planspec_lark.cli.archive",
    "bulk": "planspec_lark.cli.bulk",
    "check": "planspec_lark.cli.check",
    "diff": "planspec_lark.cli.diff",
    "extract": "planspec_lark.cli.extract",
    "fmt": "planspec_lark.cli.fmt",
    "focus": "planspec_lark.cli.focus",
    "grammar": "planspec_lark.cli.grammar",
    "graph": "planspec_lark.cli.graph",
    "json": "planspec_lark.cli.json",
    "list": "planspec_lark.cli.list",
    "log": "planspec_lark.cli.log",
    "mcp": "planspec_lark.cli.mcp",
    "merge": "planspec_lark.cli.merge",
    "new": "planspec_lark.cli.new",
    "next": "planspec_lark.cli.next",
    "planner": "planspec_lark.cli.planner",
    "repair-prompt": "planspec_lark.cli.repair_prompt",
    "run": "planspec_lark.cli.run",
    "show": "planspec_lark.cli.show",
    "splice": "planspec_lark.cli.splice",
    "tools": "planspec_lark.cli.tools",
    "view": "planspec_lark.cli.view",
}


class _LazyGroup(click.Group):
    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        # Without their help, for which all of them would be imported.
        return [CompletionItem(name) for name in self.list_commands(ctx) if name.startswith(incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(_COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command


def _spell_out(stream: TextIO) -> None:
    # What a terminal's encoding cannot say is written as an escape rather than a traceback.
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planspec")
def cli() -> None:
    """Read, check, format, show and edit PlanSpec plans.

    Wherever a FILE is asked for, - stands for standard input, and the name of a plan for planspec/NAME.md.
    """
    _spell_out(sys.stdout)
    _spell_out(sys.stderr)


def run() -> int:
    """Run the command line; returns its exit code."""
    try:
        code = cli.main(prog_name="planspec", standalone_mode=False)
    except click.ClickException as error:
        # A message may repeat what a stranger has put into an argument.
        said = StringIO()
        error.show(said)
        sys.stderr.write(visible(said.getvalue()))
        return error.exit_code
    except click.Abort:
        click.echo("Aborted!", err=True)
        return 130
    return code if isinstance(code, int) else 0
