"""The command group. A command is imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO
from typing import Any

import click
from click.shell_completion import CompletionItem

from planspec_lark import __version__
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.source import visible

__all__ = ["cli", "run"]

# Module → its commands: `repair-prompt` is its `repair_prompt_command`.
_COMMANDS = {
    "agents": "hook init",
    "answers": "extract repair repair-prompt",
    "bulk": "bulk",
    "check": "check",
    "edits": "apply splice",
    "exchange": "export import",
    "folder": "archive list new",
    "grammar": "grammar",
    "hopspec": "hopspec",
    "lsp": "lsp",
    "mcp": "mcp",
    "planner": "planner",
    "plans": "fmt focus graph json next show view",
    "run": "reopen run",
    "run_output": "log",
    "steps": "add block done move remove rename skip start",
    "tools": "tools",
    "versions": "diff merge",
}
_MODULES = {name: module for module, names in _COMMANDS.items() for name in names.split()}


class _LazyGroup(click.Group):
    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        # Without their help, for which all of them would be imported.
        return [CompletionItem(name) for name in self.list_commands(ctx) if name.startswith(incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _MODULES:
            return None
        module = import_module(f"planspec_lark.cli.{_MODULES[cmd_name]}")
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the package refuses, and the command has no other answer to, ends it."""
        try:
            return super().invoke(ctx)
        except PlanSpecError as error:
            from planspec_lark.cli.output import Unusable  # noqa: PLC0415  (most calls need none)

            raise Unusable(str(error)) from None


def _write_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from planspec_lark.syntax.grammars import grammar_version  # noqa: PLC0415  (only needed here)

        click.echo(f"planspec {__version__} (PlanSpec grammar {grammar_version('planspec')})")
        ctx.exit()


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_write_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Read, check, format, show and edit PlanSpec plans.

    Wherever a FILE is asked for, - stands for standard input, and the name of a plan for planspec/NAME.md.
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
        # A message may repeat what a stranger has put into an argument.
        said = StringIO()
        error.show(said)
        sys.stderr.write(visible(said.getvalue()))
        return error.exit_code
    except click.Abort:
        click.echo("Aborted!", err=True)
        return 130
    return code if isinstance(code, int) else 0
