"""Writes the pages of the reference that are made from the code: ``python docs/generate.py``.

``--check`` writes nothing, and fails where a page is not what the code says.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

from planspec_lark.cli.app import cli
from planspec_lark.cli.help import Command, Group
from planspec_lark.hopspec.models import STEP_TYPES, HopType, Mode
from planspec_lark.hopspec.vocabulary import KEYS, SECTIONS, Word, keys_of
from planspec_lark.planspec.dialect import DIALECT
from planspec_lark.syntax import CODES

DOCS = Path(__file__).parent
_GENERATED = "<!-- Written by docs/generate.py: change the code, not this page. -->"

# ---------------------------------------------------------------- the command line

_COMMAND_LINE = f"""\
# Command line

{_GENERATED}

`planspec COMMAND --help` says the same, with more examples. [Output and files](../output.md) says what all commands
have in common: formats, exit codes, environment variables and files. Here, exit codes are listed where 1 or 3 has a
meaning of its own.
"""
_COMPLETION = """\
## Completion

To complete commands, options, and the names of plans and steps, add to your shell's start file:

```text
eval "$(_PLANSPEC_COMPLETE=bash_source planspec)"      # ~/.bashrc
eval "$(_PLANSPEC_COMPLETE=zsh_source planspec)"       # ~/.zshrc
_PLANSPEC_COMPLETE=fish_source planspec | source       # ~/.config/fish/config.fish
```
"""
# How many of a command's examples are shown.
_EXAMPLES = 1
# Exit codes that mean something else for each command; the others stand in "Output and files".
_OWN_EXITS = (1, 3)
# What a number may be; the default says as much to a reader.
_RANGE = re.compile(r"; \d*(?:<=?)?x(?:[<>]=?)?\d*(?=\])| \[\d*(?:<=?)?x(?:[<>]=?)?\d*\]$")
# An option that means the same in more commands than this is explained once, on the first page.
_COMMON = 2
_OPTION = re.compile(r"--[\w-]+")
# What is code already, and options.
_CODE = re.compile(r"`[^`]+`|(?<![\w-])--[a-z][\w-]*")


def command_line_pages() -> dict[str, str]:
    """All commands, as click's objects describe them: the text of each page, by its name."""
    context = click.Context(cli, info_name="planspec", **cli.context_settings)
    commands = [*_commands(cli, context)]
    seen = Counter(option for inner in commands for option in _options(inner))
    options = sorted(option for option, count in seen.items() if count > _COMMON)
    # Of what stands below the same heading, that of most commands.
    ranked = Counter(note for inner in commands for note in _notes(inner)).most_common()
    notes = dict(note for note, _ in reversed(ranked))
    arguments = Counter(row for inner in commands for row in _files(inner).items())
    files = sorted(row for row, count in arguments.items() if count > _COMMON)
    parts = [_COMMAND_LINE, *_index(cli, context), "## Common arguments", _files_list(files)]
    parts += ["## Common options", _options_table(options)]
    told = Counter(exit_ for inner in commands for exit_ in _exits(inner))
    exits = sorted(exit_ for exit_, count in told.items() if count > _COMMON)
    parts += ["## Common exit codes", "\n".join(f"- `{code}`: {marked(text)}" for code, text in exits)]
    for heading, text in sorted(notes.items()):
        parts += [f"## {heading}", marked(text)]
    pages = {"index": _joined([*parts, _COMPLETION])}
    for inner in commands:
        page = _page(_words(inner))
        title = next((heading for heading in cli.sections if _slug(heading) == page), page)
        heading = f"## {_words(inner)}" if _words(inner) != title else ""
        parts = [heading, *_command(inner, {*options, *notes.items(), *files, *exits})]
        pages[page] = _joined([pages.get(page) or f"# {title}\n\n{_GENERATED}", *filter(None, parts)])
    return pages


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _page(words: str) -> str:
    """The page of a command: that of the heading above it, and below the last heading one for each command."""
    name = words.partition(" ")[0]
    heading = next(heading for heading, names in cli.sections.items() if name in names)
    return name if heading == [*cli.sections][-1] else _slug(heading)


def _commands(group: click.Group, context: click.Context) -> Iterator[click.Context]:
    """All commands, each in front of those below it."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, context, name, **command.context_settings)
        yield inner
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


def _words(context: click.Context) -> str:
    """How a command is called, without the name of the program."""
    return context.command_path.partition(" ")[2]


def _slug(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _anchor(heading: str) -> str:
    return f"#{_slug(heading)}"


def _index(group: Group, context: click.Context) -> Iterator[str]:
    """The commands of a group below their headings, each with a link."""
    for heading, names in group.sections.items():
        rows = []
        for name in names:
            words = f"{_words(context)} {name}".strip()
            page = _page(words)
            place = f"{page}.md{'' if words == page else _anchor(words)}"
            rows.append(f"| [`{words}`]({place}) | {marked(group.summary(context, name))} |")
        yield f"**{heading}**"
        yield "\n".join(["| command | what it does |", "|---|---|", *rows])


def _command(context: click.Context, common: set[tuple[str, str]]) -> Iterator[str]:
    command = context.command
    assert isinstance(command, Command | Group)
    about, *more = (command.help or "").split("\n\n")
    yield marked(about)
    pieces = [piece for piece in command.collect_usage_pieces(context) if piece != command.options_metavar]
    usage = " ".join([context.command_path, *pieces])
    yield _block(usage)
    yield from map(marked, more)
    # Of a group, the commands below have the examples. One that is the usage says no more.
    if isinstance(command, Command) and (examples := [one for one in command.examples if one != usage]):
        yield f"Example:\n\n{_block(*examples[:_EXAMPLES])}"
    options = _options(context)
    if own := [said for said in options if said not in common]:
        yield _options_table(own)
    links = [f"[{said[0].lower()}](index.md{_anchor(said[0])})" for said in _notes(context) if said in common]
    names = [_code(_OPTION.findall(said[0])[0]) for said in options if said in common]
    if names or links:
        also = "[Also](index.md#common-options)" if names else "Also"
        yield f"{also}: {', '.join([*names, *links])}."
    yield from (f"{heading}: {marked(text)}" for heading, text in _notes(context) if (heading, text) not in common)
    if isinstance(command, Command):
        if files := {name: text for name, text in _files(context).items() if (name, text) not in common}:
            yield _files_list(files.items())
        if exits := [f"`{code}`: {marked(text)}" for code, text in _exits(context) if (code, text) not in common]:
            yield f"Exit code {' '.join(exits)}"


def _options(context: click.Context) -> list[tuple[str, str]]:
    """The options with what they mean, all but ``--help``, which every command has."""
    options = [param for param in context.command.params if isinstance(param, click.Option)]
    records = [record for option in options if (record := option.get_help_record(context)) is not None]
    return [(name, _RANGE.sub("", text)) for name, text in records]


def _notes(context: click.Context) -> list[tuple[str, str]]:
    command = context.command
    return [*command.notes.items()] if isinstance(command, Command) else []


def _block(*lines: str) -> str:
    return "\n".join(["```text", *lines, "```"])


def _files(context: click.Context) -> Mapping[str, str]:
    """What a command reads and writes, all but the standard streams."""
    files = context.command.files if isinstance(context.command, Command) else {}
    return {name: text for name, text in files.items() if not name.startswith("standard ")}


def _exits(context: click.Context) -> list[tuple[str, str]]:
    """The exit codes of a command that mean something of their own."""
    exits = context.command.exits if isinstance(context.command, Command) else {}
    return [(f"{code}", exits[code]) for code in _OWN_EXITS if code in exits]


def _files_list(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {_named(name)}: {marked(text)}" for name, text in rows)


def _named(name: str) -> str:
    """What a row is about: words, or a placeholder, an option or a path."""
    return name if re.fullmatch("[a-z0-9 ]+", name) else f"`{name}`"


def _options_table(records: list[tuple[str, str]]) -> str:
    rows = [f"| {_code(name)} | {marked(text)} |" for name, text in records]
    return "\n".join(["| option | meaning |", "|---|---|", *rows])


def _code(text: str) -> str:
    return _in_cell(f"`{re.sub(' +', ' ', text)}`")


def _in_cell(text: str) -> str:
    # A bar would end the cell of the table.
    return text.replace("|", "\\|")


def marked(text: str) -> str:
    """A text of a help as Markdown, with options and placeholders as code."""
    text = " ".join(text.split())
    parts = []
    end = 0
    for code in _CODE.finditer(text):
        parts += [_escaped(text[end : code.start()]), code[0] if code[0][0] == "`" else f"`{code[0]}`"]
        end = code.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"[*<\[\]|\\]|\b_|_\b", r"\\\g<0>", text)


# ---------------------------------------------------------------- Python

_PYTHON = f"""\
# Python API

{_GENERATED}

A package's page has an example and its public names. Those of the top level are explained in full; of others it says
what they are for, and `help(NAME)` says the rest. Importing the package compiles no grammar.
"""
# In the order of the site's navigation.
PACKAGES = (
    *("planspec", "syntax", "answers", "plan_cmd", "document", "diff"),
    *("engine", "runs", "llm", "frameworks", "plan_next", "planner", "toolplan", "tool_runner"),
    *("hopspec", "exchange", "folder", "html", "constrained", "bulk", "json_text"),
    *("agents", "mcp_server", "lsp", "pytest_plugin"),
)
_ROLE = re.compile(r":\w+:`(?:[^`<]+ <)?~?(?P<name>[\w.]+)>?`")


def python_page() -> str:
    """The names of the top level, and all packages."""
    left = {*import_module("planspec_lark").__all__}
    rows = ["| package | from `planspec_lark` itself | what it is for |", "|---|---|---|"]
    for package in PACKAGES:
        module = _public(package)
        names = [name for name in module.__all__ if name in left]
        left -= {*names}
        links = ", ".join(_link(package, name) for name in names)
        rows.append(f"| [{package}]({package}.md) | {links} | {_sentence(module.__doc__ or '')} |")
    return _joined([_PYTHON, "\n".join(rows)])


def _public(package: str) -> ModuleType:
    return import_module(f"planspec_lark.{package}")


def _link(package: str, name: str) -> str:
    return f"[`{name}`]({package}.md#planspec_lark.{package}.{name})"


def _sentence(docstring: str) -> str:
    """The first sentence of a docstring, as Markdown."""
    text = " ".join(docstring.strip().partition("\n\n")[0].split())
    first = re.match(r".*?[.](?= |$)", text)
    said = _ROLE.sub(lambda role: f"`{role['name'].rpartition('.')[2]}`", first[0] if first else text)
    return _in_cell(said)


# ---------------------------------------------------------------- codes

_CODES = f"""\
# All codes

{_GENERATED}

A link leads to an explanation, a text that causes the finding and a text that does not; `planspec explain` shows the
same for a code or its name. [Findings and fixes](../diagnostics.md) says how to read one.
"""
# In the order of the site's navigation.
CODE_PAGES = ("plans", "answers", "engine", "repair", "hopspec", "json", "planner", "tool-plans", "exchange")
# The heading of a code, and the line below it.
_CODE_HEADING = re.compile(
    r"^### (?P<code>(?:P[A-Z]|HS|EX)\d{3})\b.*\n\n(?:\*\*(?:Error|Warning|Info)\*\*: .*\n\n)?", re.M
)


def codes_page(text: str) -> str:
    """A page with the name and the summary of each of its codes; explanations and examples are written by hand."""

    def fill(heading: re.Match[str]) -> str:
        code = CODES[heading["code"]]
        return f"### {code.code} {code.name}\n\n**{code.severity.value.title()}**: {code.summary}\n\n"

    return _CODE_HEADING.sub(fill, text)


def codes_index(pages: Mapping[str, str]) -> str:
    """All codes, by the pages that explain them."""
    parts = [_CODES]
    for page, text in pages.items():
        rows = []
        for heading in _CODE_HEADING.finditer(text):
            code = CODES[heading["code"]]
            rows.append(f"[{code.code}]({page}.md{_anchor(f'{code.code} {code.name}')})")
        parts += [f"## {text.partition(chr(10))[0].removeprefix('# ')}", ",\n".join(rows)]
    return _joined(parts)


# ---------------------------------------------------------------- the tables of languages

_FORMS = f"""\
# The table of forms

{_GENERATED}

What the parts of a line may look like in an answer, in the order of `grammar/planspec_dialect.lark`, and the risk of
reading them so ([how answers are read](../answers.md)). A form without a risk has no canonical text: the plan needs
review.
"""


def forms_page() -> str:
    """All forms of the dialect, as the comments of its grammar have them."""
    rows = ["| form | code | risk |", "|---|---|---|"]
    for form in DIALECT.forms.values():
        risk = form.risk.value if form.risk else "–"
        link = f"[{form.code}](../codes/plans.md{_anchor(f'{form.code} {CODES[form.code].name}')})"
        rows.append(f"| {_in_cell(form.forms)} | {link} | {risk} |")
    return _joined([_FORMS, "\n".join(rows)])


_HOPSPEC = f"""\
# The names of HopSpec

{_GENERATED}

What the names of a [document](../hopspec.md) are in its two languages, and in `HopSpec` and `StepInfo`.
"""
_TYPES = """\
## Types

The attributes of each type; modes add to those of their type ([all rules](../codes/hopspec.md)).
"""


def hopspec_page() -> str:
    """The words of HopSpec, and which attributes the types of its steps have."""
    attributes = [(key.word, f"`{key.field}`{f' (of a {key.only})' if key.only else ''}") for key in KEYS]
    types = ["| type | needs | may have |", "|---|---|---|"]
    for name, kind in STEP_TYPES.items():
        words = {key.field: key.word.en for key in keys_of(name)}
        modes: dict[str, HopType | Mode] = {"": kind, **kind.modes}
        for mode, one in modes.items():
            needs, may = (", ".join(f"`{words[said]}`" for said in names) for names in (one.required, one.optional))
            types.append(f"| `{name}`{f', {mode}' if mode else ''} | {needs} | {may} |")
    sections = [(word, f"`{name}`") for name, word in SECTIONS.items()]
    parts = [_HOPSPEC, "## Sections", _words_table(sections), "## Attributes", _words_table(attributes), _TYPES]
    return _joined([*parts, "\n".join(types)])


def _words_table(words: Iterable[tuple[Word, str]]) -> str:
    rows = ["| Chinese | English | also read | field |", "|---|---|---|---|"]
    for word, said in words:
        rows.append(f"| `{word.zh}` | `{word.en}` | {', '.join(f'`{one}`' for one in word.also)} | {said} |")
    return "\n".join(rows)


# ---------------------------------------------------------------- all pages


def pages() -> dict[str, str]:
    """The text of each generated page, by its path below ``docs/``."""
    codes = {page: codes_page(_read(f"reference/codes/{page}.md")) for page in CODE_PAGES}
    return {
        **{f"reference/cli/{page}.md": text for page, text in command_line_pages().items()},
        "reference/api/index.md": python_page(),
        "reference/codes/index.md": codes_index(codes),
        "reference/tables/forms.md": forms_page(),
        "reference/tables/hopspec.md": hopspec_page(),
        **{f"reference/codes/{page}.md": text for page, text in codes.items()},
    }


def _read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def main(words: list[str]) -> int:
    """Write the pages, or with ``--check`` say which are out of date."""
    stale = 0
    for name, text in pages().items():
        path = DOCS / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale = 1
        sys.stdout.write(f"{name}: {'out of date' if '--check' in words else 'written'}\n")
        if "--check" not in words:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale if "--check" in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
