"""Plans that a model or a program drafts for `planspec new`: shown while they come, and never lost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import define, field

from planspec_lark.cli.output import FINDINGS, Unusable, complain, fail, write_diagnostics, write_rows, write_text
from planspec_lark.cli.waiting import timeout_option
from planspec_lark.folder.folder import PlanFolder
from planspec_lark.folder.models import StoreError
from planspec_lark.syntax.prompt_templates import LANGUAGES
from planspec_lark.syntax.source import one_line, visible, visible_name

if TYPE_CHECKING:
    from planspec_lark.llm.drafting import DraftedPlan

__all__ = ["create_hidden", "draft", "draft_options"]


def draft_options(command: Any) -> Any:
    """Give a command the options that say who drafts a plan: those of `planspec run`."""
    options: list[Callable[[Any], Any]] = [
        click.option("--llm", metavar="MODEL", help="A language model that drafts the plan."),
        click.option("--planner", metavar="CMD", help="A program that drafts the plan."),
        click.option("--language", type=click.Choice(LANGUAGES), help="Of steps and prompts; by default as described."),
        timeout_option("a program or a model"),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def draft(  # noqa: PLR0913  (each is another part of the call)
    folder: PlanFolder,
    name: str,
    task: str,
    options: Mapping[str, Any],
    *,
    constraints: Iterable[str],
    language: str,
) -> str:
    """The text of a plan that whoever was named drafts; leaves where there is none of use.

    A constraint that it has left out is put back. What came nevertheless is kept as a plan of another name, which
    `planspec list` shows with what is wrong.
    """
    from planspec_lark.cli.stopping import stoppable  # noqa: PLC0415  (most calls draft nothing)
    from planspec_lark.llm.models import LlmError  # noqa: PLC0415
    from planspec_lark.planspec.printer import serialize_plan  # noqa: PLC0415

    ask, kept = _drafter(options), list(constraints)
    heard = _Heard()
    with stoppable("Stopped."), _kept(folder, name, heard):
        try:
            drafted = ask(task, constraints=kept, language=language, on_text=heard)
        except LlmError as error:
            raise Unusable(f"{'--planner' if options['planner'] else '--llm'}: {error}") from None
        finally:
            heard.end()
        if not drafted.is_usable:
            write_diagnostics(drafted.diagnostics, to_stderr=True)
            fail("The draft cannot be used as it is.", FINDINGS)
    plan = drafted.plan
    said = set(map(_bare, plan.constraints))
    plan.constraints = [*plan.constraints, *(one for one in map(one_line, kept) if _bare(one) not in said)]
    return serialize_plan(plan)


def _bare(constraint: str) -> str:
    return one_line(constraint).casefold().rstrip(".。")


def _drafter(options: Mapping[str, Any]) -> Callable[..., DraftedPlan]:
    from functools import partial  # noqa: PLC0415  (as the others, with what needs them)

    from planspec_lark.llm.agents import program_model  # noqa: PLC0415
    from planspec_lark.llm.drafting import draft_plan, draft_plan_at_once  # noqa: PLC0415
    from planspec_lark.llm.models import LlmError  # noqa: PLC0415
    from planspec_lark.llm.openai_chat import OpenAIChat  # noqa: PLC0415
    from planspec_lark.llm.program import Program  # noqa: PLC0415
    from planspec_lark.llm.transport import load  # noqa: PLC0415

    model, program, timeout = options["llm"], options["planner"], options["timeout"]
    if model is not None and program is not None:
        raise click.UsageError("--llm and --planner exclude each other.")
    try:
        if program is not None:
            return partial(draft_plan_at_once, program_model(Program.from_text(program, timeout=timeout)))
        load()
        return partial(draft_plan, OpenAIChat(model, timeout=timeout).stream)
    except (LlmError, ValueError) as error:
        raise click.UsageError(f"{'--llm' if program is None else '--planner'}: {error}") from None


@define
class _Heard:
    """What has come of an answer; on a terminal each line is shown as soon as it is complete."""

    _number: int = 0
    _pieces: list[str] = field(factory=list)
    _line: list[str] = field(factory=list)

    def __call__(self, number: int, piece: str) -> None:
        if number != self._number:
            self.end()
            if self._number:
                complain("This cannot be used. Asking once more …")
            self._number, self._pieces = number, []
        self._pieces.append(piece)
        if not sys.stderr.isatty():
            return
        *lines, rest = piece.split("\n")
        for line in lines:
            self._line.append(line)
            self._show()
        self._line.append(rest)

    def end(self) -> None:
        """Show what may be left of the last line."""
        if any(self._line):
            self._show()

    def _show(self) -> None:
        write_rows([[(visible("".join(self._line).removesuffix("\r")), "dim")]], to_stderr=True)
        self._line.clear()

    @property
    def text(self) -> str:
        """The last answer, as far as it has come."""
        return "".join(self._pieces)


@contextmanager
def _kept(folder: PlanFolder, name: str, heard: _Heard) -> Iterator[None]:
    """Whatever ends this before its end, what was heard is not lost."""
    try:
        yield
    except BaseException:
        if heard.text.strip():
            _keep(folder, name, heard.text)
        raise


def create_hidden(folder: PlanFolder, name: str, text: str) -> Path:
    """Create a plan, and make sure before that git sees it only where plans are shared.

    Raises:
        StoreError: as :meth:`PlanFolder.create` and :meth:`PlanFolder.hide` do.
    """
    if folder.hide():
        where = visible_name(str(folder.path / ".gitignore"))
        complain(f"{where} keeps plans out of git, but for those that it tracks already; --shared lets it see them")
    return folder.create(name, text)


def _keep(folder: PlanFolder, name: str, text: str) -> None:
    try:
        path = create_hidden(folder, folder.free_name(f"{name}.draft"), text)
        complain(f"What has come is kept in {visible_name(str(path))}")
    except StoreError as error:
        complain(f"{error}\nWhat has come cannot be kept. It is this:")
        write_text(text)
