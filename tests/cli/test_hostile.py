"""A plan comes from a stranger: nothing in it may steer the terminal of its reader."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from planspec_lark import parse_plan
from planspec_lark.cli import app
from tests.cli.running import SGR, call, harmless, on_terminal, run

# Each of these is in a plan that is read without complaint. The other in each pair says nothing evil.
LIKES = {
    "a C1 control": ("\u009b31m", "abcd"),
    "a C1 string": ("\u009d0;title\u009c", "abcdefghi"),
    "next line": ("a\u0085b", "abc"),
    "a turned direction": ("\u202eabc\u202c", "abcde"),
    "an isolate": ("\u2067abc\u2069", "abcde"),
    "marks of direction": ("\u200eabc\u200f\u061c", "abcdef"),
    "separators": ("a\u2028b\u2029c", "abcde"),
    "a byte-order mark": ("a\ufeffb", "abc"),
    "a colour": ("[red]x[/red]", "(red)x(/red)"),
    "a style": ("[bold blink on red]x", "(bold blink on red)x"),
    "a link": ("[link=http://example.invalid]x[/link]", "(link=http://example.invalid)x(/link)"),
    "a closing tag": ("[/]", "(/)"),
    "an action": ("[@click=app.quit]x[/]", "(@click=app.quit)x(/)"),
    "an escaped tag": (r"\[red]x", "((red)x"),
    "an emoji code": (":skull:", "(skull)"),
    "formats": ("%s %(a)s {0} {a!r} ${HOME} `id`", "(s ((a)s (0( (a(r( ((HOME( (id)"),
    "a long line": ("[red]" * 40_000, "(red)" * 40_000),
}

# A process for each would take its time: one with all that is short, one with the long line.
SHORT = [pair for pair in LIKES.values() if len(pair[0]) < 100]
EVIL = " ".join(evil for evil, _ in SHORT)
TOGETHER = {"all": (EVIL, " ".join(good for _, good in SHORT)), "a long line": LIKES["a long line"]}

PLAIN = {"no colour": {"NO_COLOR": "1"}, "dumb": {"TERM": "dumb"}}

LINES = (
    "\nPLAN_CMD: DONE 1 | {0}\nPLAN_CMD: ADD 3 [act] {0}\n> {0}\nPLAN_CMD: REVISE 2 [act] {0}\nplan_cmd: DONE 1 | {0}\n"
)

# With these a text is refused, whatever is around.
CONTROLS = [
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://example.invalid\x1b\\x\x1b]8;;\x1b\\",
    "\x00\x08\x0b\x0c\x7f",
]


def _plan(text: str) -> str:
    return f"""\
# Plan: {text}
Goal: {text}
> {text}
Constraints:
- {text}
## Steps
1. [x] [act] {text} → a | {text}
  > {text}
2. [>] [subtask]  {text} -> b | {text} | Progress: 9/3
  > ← a
  > {text}
  2.2. [!] [LLM] {text} → 不
    > {text}
"""


def _write(text: str) -> None:
    Path("it.md").write_text(_plan(text), encoding="utf-8", newline="")
    Path("answer").write_text(LINES.format(text), encoding="utf-8", newline="")


CALLS = {
    "check": ["check", "it.md"],
    "check json": ["check", "it.md", "--format", "json"],
    "check github": ["check", "it.md", "--format", "github"],
    "show": ["show", "--full", "it.md"],
    "fmt": ["fmt", "-"],
    "fmt diff": ["fmt", "--diff", "it.md"],
    "json": ["json", "it.md"],
    "apply": ["apply", "it.md", "answer", "--dry-run"],
    "apply diff": ["apply", "it.md", "answer", "--dry-run", "--diff", "--keep-going"],
}
# These are asked for the plan or for a diff, and a pipe gets it as it is.
RAW = ("fmt", "fmt diff", "apply diff")


def _stdin() -> bytes:
    return Path("it.md").read_bytes()


@pytest.mark.parametrize(("evil", "good"), TOGETHER.values(), ids=TOGETHER)
@pytest.mark.parametrize("name", CALLS)
def test_a_terminal_gets_the_colours_that_were_chosen_and_no_others(name: str, evil: str, good: str) -> None:
    colours = []
    for text in (evil, good):
        _write(text)
        written = on_terminal(*CALLS[name], stdin=_stdin())
        harmless(written, colours=True)
        colours.append(SGR.findall(written.decode()))
    assert colours[0] == colours[1]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("env", PLAIN.values(), ids=PLAIN)
def test_without_colours_a_terminal_gets_plain_text(name: str, env: dict[str, str]) -> None:
    _write(EVIL)
    harmless(on_terminal(*CALLS[name], stdin=_stdin(), env=env), colours=False)


@pytest.mark.parametrize("name", [name for name in CALLS if name not in RAW])
def test_a_pipe_gets_plain_text(name: str) -> None:
    """Even where the environment asks for colours everywhere."""
    _write(EVIL)
    forced = {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "CLICOLOR_FORCE": "1", "COLORTERM": "truecolor"}
    result = call(*CALLS[name], stdin=_stdin(), env=forced)
    harmless(result.stdout, colours=False)
    harmless(result.stderr, colours=False)


@pytest.mark.parametrize("name", RAW)
def test_a_pipe_gets_the_plan_as_it_is(name: str) -> None:
    _write(EVIL)
    result = call(*CALLS[name], stdin=_stdin())
    harmless(result.stderr, colours=False)
    assert EVIL in result.stdout.decode()


def _spell(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


@pytest.mark.parametrize("name", CALLS)
def test_refused_controls_are_spelled_out(name: str) -> None:
    _write(" ".join(CONTROLS))
    shown = harmless(on_terminal(*CALLS[name], stdin=_stdin()), colours=True)
    assert "PS102" in shown
    if "--format" not in CALLS[name]:
        for text in CONTROLS:
            assert "".join(char if char.isprintable() else _spell(char) for char in text) in shown


# Markup, an escape, a line break, a turned direction, a C1 control, no UTF-8, signs of other formats.
NAME = "[red]x[bold]\x1b[31m\na\u202eb\u009b31m\udcff%0A::b,c=d.md"
TEXTS = {
    "sloppy": "Goal:x\n##  Steps\n1. [act] a",
    "broken": "## Steps\n1. [X] [act]\n",
    "latin": None,
    "missing": "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_names_of_files(text: str | None) -> None:
    file = NAME
    if text is None:
        Path(file).write_bytes(b"\xff")
    elif text:
        Path(file).write_text(text)
    for arguments in (["check"], ["check", "--format", "json"], ["show"], ["fmt", "--check", "--diff"], ["json"]):
        shown = harmless(on_terminal(*arguments, file), colours=True)
        assert "Traceback" not in shown
    harmless(on_terminal("apply", file, stdin=b"PLAN_CMD: DONE 1\n"), colours=True)
    shown = harmless(on_terminal("apply", "plan.md", file), colours=True)
    assert "Traceback" not in shown


@pytest.mark.parametrize("arguments", [["check"], ["fmt", "--diff"]], ids=["check", "diff"])
def test_a_name_cannot_forge_a_line(arguments: list[str]) -> None:
    file = "a\nerror[PS999]: forged.md"
    Path(file).write_text("Goal:x\n## Steps\n1. [act]\n2. [X] [act]\n" if arguments[0] == "check" else "Goal:x")
    assert not [line for line in run(*arguments, file).stdout.split("\n") if line.startswith("error[PS999]")]


# ---------------------------------------------------------------- these tests can fail

BLIND = "import planspec_lark.syntax.safe_text as s; s.visible = lambda text: text"

LOOSE = """
from rich.text import Text
def assemble(*parts, **_):
    return Text.from_markup("".join(part if isinstance(part, str) else part[0] for part in parts))
Text.assemble = assemble
"""


@pytest.mark.parametrize("name", ["check", "show", "fmt", "fmt diff", "apply diff"])
def test_without_the_escapes_controls_would_be_found(name: str) -> None:
    _write("\u009b31m")
    harmless(on_terminal(*CALLS[name], stdin=_stdin()), colours=True)
    with pytest.raises(AssertionError):
        harmless(on_terminal(*CALLS[name], stdin=_stdin(), before=BLIND), colours=True)


def test_with_markup_foreign_colours_would_be_found() -> None:
    found = []
    for text in ("[red]x[/red]", "(red)x(/red)"):
        _write(text)
        found.append(SGR.findall(on_terminal(*CALLS["show"], before=LOOSE).decode()))
    assert found[0] != found[1]


def test_the_plans_are_read_without_complaint() -> None:
    for evil, _ in LIKES.values():
        assert parse_plan(_plan(evil)).title == evil


def test_an_unknown_option_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Older versions of click repeat it as it is."""

    def main(**_: object) -> None:
        raise click.NoSuchOption("--a\nb", "No such option: --a\nb")

    monkeypatch.setattr(app.cli, "main", main)
    assert app.run() == 2
    assert capsys.readouterr().err == "Error: No such option: --a\\nb\n"
