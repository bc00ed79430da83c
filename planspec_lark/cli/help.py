"""How commands explain themselves: help in sections, commands in groups, and what an unknown word may have meant.

Nothing here is about a single command. What a command's help says stands beside its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.spelling import find_near

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Choice = click.Choice[str]
else:
    # Before click 8.2 it takes no parameter.
    _Choice = click.Choice

__all__ = [
    "CHANGED",
    "EXITS",
    "MODELS",
    "PROGRAMS",
    "READ",
    "Choice",
    "Command",
    "Group",
    "command",
    "did_you_mean",
]

# What FILE is for most commands.
READ = "The plan to read: a file, a name (for planspec/NAME.md), or - for standard input."
CHANGED = (
    "The plan to change: a file, a name (for planspec/NAME.md), or -, from standard input"
    " to standard output. The file is replaced in one step, if something changes."
)
# Sections of commands that ask a program or a language model.
PROGRAMS = {
    "Programs": (
        "CMD is split into words as by a shell, but no shell runs it: for pipes, variables and && write "
        "'sh -c \"...\"'. It is started for every question, reads it from standard input (by default as JSON), and "
        "writes its answer to standard output. After --timeout it is killed."
    )
}
MODELS = {
    "Language models": (
        "MODEL is asked at the endpoint OPENAI_BASE_URL (by default OpenAI's) with the key OPENAI_API_KEY. This needs "
        "the extra llm."
    )
}

EXITS = {0: "Success.", 2: "A file cannot be read or written, or the arguments are wrong."}
# Of a word, no more is shown.
_LONGEST = 40
# A plan may have any number of steps, and each comparison takes time.
_MOST_KNOWN = 1000
_WIDEST_SUMMARY = 80
_WIDEST_OPTION = 22
# What is guessed is done, by models above all: so it is never a command that changes a file or ends a run.
_CHANGING = {
    *("new", "use", "fmt", "start", "done", "block", "skip", "reopen", "add", "move", "rename", "remove", "archive"),
    *("repair", "apply", "run", "stop", "import", "merge", "init"),
}
# What other programs call a command, and what it is here.
_INSTEAD = {
    "ls": "list",
    **dict.fromkeys(("validate", "lint", "verify"), "check"),
    **dict.fromkeys(("render", "html"), "view"),
    **dict.fromkeys(("status", "tree"), "show"),
    **dict.fromkeys(("parse", "to-json"), "json"),
    **dict.fromkeys(("format", "pretty"), "fmt --diff"),
    "fix": "check --fix --diff",
    "version": "--version",
}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question with the word that is most like an unknown one, and a space in front; empty where none is like it."""
    near = find_near(word, islice(known, _MOST_KNOWN))
    return f" Did you mean {near[:_LONGEST]!r}?" if near else ""


class Choice(_Choice):
    """One of several words; a word that is almost one of them is answered with a question."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word that was chosen."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = did_you_mean(str(value), self.choices)
            raise click.BadParameter(f"{error.message.rstrip('.')}.{near}", ctx, param) from None


class Command(click.Command):
    """A command whose help has sections besides its options.

    Attributes:
        examples: command lines, each of which works.
        files: what is read and written, by how the usage calls it.
        exits: the meaning of each exit code.
        notes: further sections, by their headings.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        files: Mapping[str, str] = {},
        exits: Mapping[int, str] = {},
        notes: Mapping[str, str] = {},
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.examples, self.files, self.notes = examples, files, notes
        self.exits = dict(sorted({**EXITS, **exits}.items()))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the options, and what else the help says."""
        _write_examples(formatter, self.examples)
        # What arguments are is said below, by where they lead.
        records = (param.get_help_record(ctx) for param in self.get_params(ctx) if isinstance(param, click.Option))
        with formatter.section("Options"):
            # Narrower than what click leaves for names, so that there is more room for what they mean.
            formatter.write_dl([record for record in records if record], col_max=_WIDEST_OPTION)
        _write_table(formatter, "Reads and writes", self.files)
        for heading, text in self.notes.items():
            with formatter.section(heading):
                formatter.write_text(text)
        _write_table(formatter, "Exit codes", {str(code): text for code, text in self.exits.items()})


def command(name: str, **how: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a :class:`Command` of a function."""
    return click.command(name, cls=Command, **how)


class Group(click.Group):
    """Commands under headings.

    Attributes:
        sections: the names of the commands below each heading, in the order in which they are shown.
        examples: command lines, each of which works.
    """

    command_class = Command

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]], examples: Sequence[str] = (), **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.sections, self.examples = sections, examples

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click passes it)
        """The names of all commands."""
        return [name for names in self.sections.values() for name in names]

    def summary(self, ctx: click.Context, name: str) -> str:
        """What a command does, in a line."""
        found = self.get_command(ctx, name)
        return "" if found is None else found.get_short_help_str(_WIDEST_SUMMARY)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands with what they do, or options."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415  (most calls complete nothing)

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        # The one of click would import all commands, for their help.
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=self.summary(ctx, name)) for name in names), *options]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a call names; refuses one that there is not, with the one that may be meant.

        ``help COMMAND`` is ``COMMAND --help``.
        """
        name = args[0]
        if name == "help" and args[1:]:
            return self.resolve_command(ctx, [*args[1:], "--help"])
        if name == "help":
            click.echo(ctx.get_help())
            ctx.exit()
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = self._guess(ctx, name)
            if name.endswith(".md"):
                near = " What is to be done with this file stands in front of it, such as: planspec show"
            ctx.fail(f"No such command {shorten(name, _LONGEST)!r}.{near}")
        return super().resolve_command(ctx, args)

    def _guess(self, ctx: click.Context, name: str) -> str:
        """A question with the command that may be meant: by its meaning, or else by its letters."""
        known = self.list_commands(ctx)
        instead = _INSTEAD.get(name, "")
        if instead.startswith("-") or instead.partition(" ")[0] in known:
            return f" Did you mean {instead!r}?"
        return did_you_mean(name, [one for one in known if one not in _CHANGING])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands below their headings."""
        # All in the same columns.
        widest = max(map(len, self.list_commands(ctx)))
        for heading, names in self.sections.items():
            _write_table(formatter, heading, {f"{name:{widest}}": self.summary(ctx, name) for name in names})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the commands, and the options."""
        _write_examples(formatter, self.examples)
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def _write_examples(formatter: click.HelpFormatter, lines: Sequence[str]) -> None:
    if lines:
        with formatter.section("Examples"):
            # Not wrapped, so that they can be copied.
            formatter.write("".join(f"{'':{formatter.current_indent}}{line}\n" for line in lines))


def _write_table(formatter: click.HelpFormatter, heading: str, rows: Mapping[str, str]) -> None:
    if rows:
        with formatter.section(heading):
            formatter.write_dl([*rows.items()])
