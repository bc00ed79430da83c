"""`planspec new`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from planspec_lark.cli.arguments import complete_names, folder_of, folder_option, refusals
from planspec_lark.cli.drafts import create_hidden, draft, draft_options
from planspec_lark.cli.output import Unusable, complain, read_plan, write_text
from planspec_lark.cli.show import write_tree
from planspec_lark.cli.waiting import wait_option
from planspec_lark.folder.folder import PlanFolder
from planspec_lark.folder.models import StoreError, StoreReason
from planspec_lark.folder.names import check_name, is_name
from planspec_lark.folder.skeleton import make_skeleton, make_template
from planspec_lark.syntax.prompt_templates import language_of
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("new")
@click.argument("description", nargs=-1, shell_complete=complete_names)
@click.option("--name", metavar="NAME", help="The plan's name; by default it is made of the description.")
@click.option("--constraint", "constraints", multiple=True, metavar="TEXT", help="What the plan has to keep to.")
@draft_options
@click.option("--template", is_flag=True, help="Create nothing, but write a plan to be filled in.")
@click.option("--shared", is_flag=True, help="Let git see the plans in planspec/, now and later.")
@wait_option
@folder_option
def command(description: tuple[str, ...], name: str | None, template: bool, shared: bool, **options: Any) -> None:
    """Create a plan, or show the one that has this name.

    The plan is planspec/NAME.md, and its name is written. Without a model or a program to draft it, it gets three steps
    to be replaced. A draft that cannot be used is kept beside it, and the exit code is 1; it is 2 where there is a plan
    of this name, or something cannot be used.

    The first plan gets a .gitignore beside it, which keeps all of planspec/ out of git unless it is --shared.
    """
    if template:
        _write_template(options, [*description, name, shared])
        return
    if not description:
        raise click.MissingParameter(param_hint="'DESCRIPTION...'", param_type="argument")
    task = " ".join(description)
    with refusals():
        folder = folder_of(click.get_current_context())
        if shared and folder.share():
            complain(f"{visible_name(str(folder.path))}/ is shared: git sees the plans in it")
        if name is None and (known := _find(folder, task)) is not None:
            _show(folder, known, options)
        else:
            _create(folder, _choose(folder, task, name), task, options)


def _write_template(options: dict[str, Any], others: list[object]) -> None:
    if any(others) or options["constraints"] or options["llm"] is not None or options["planner"] is not None:
        raise click.UsageError("--template takes no description, and no other option but --language.")
    write_text(make_template(options["language"] or "en"))


def _find(folder: PlanFolder, task: str) -> str | None:
    return folder.holds(task) if is_name(task) else None


def _show(folder: PlanFolder, name: str, options: dict[str, Any]) -> None:
    if options["constraints"] or options["llm"] is not None or options["planner"] is not None:
        raise _taken(folder, name, name)
    _, plan = read_plan(str(folder.find(name)))
    write_tree(plan, full=False, language=options["language"])


def _choose(folder: PlanFolder, task: str, name: str | None) -> str:
    """The name of a new plan: before anybody is asked for a draft it is certain that there is none."""
    try:
        chosen = folder.name_from(task) if name is None else check_name(name)
    except StoreError as error:
        raise Unusable(f"{error}{'' if name is not None else ', with --name NAME'}") from None
    known = folder.holds(chosen)
    if known is not None:
        raise _taken(folder, known, chosen)
    return chosen


def _taken(folder: PlanFolder, known: str, wanted: str) -> Unusable:
    path, shown = visible_name(str(folder.path / f"{known}.md")), visible_name(known)
    free = visible_name(folder.free_name(wanted))
    return Unusable(
        f"{path}: there is a plan of this name; `planspec show {shown}` shows it, --name {free} makes another"
    )


def _create(folder: PlanFolder, name: str, task: str, options: dict[str, Any]) -> None:
    constraints: tuple[str, ...] = options["constraints"]
    language = options["language"] or language_of(task)
    # Also where it is drafted: what cannot be described cannot be asked for.
    text = make_skeleton(task, constraints=constraints, language=language)
    is_drafted = options["llm"] is not None or options["planner"] is not None
    if is_drafted:
        text = draft(folder, name, task, options, constraints=constraints, language=language)
    try:
        path = _write(folder, name, text)
    except StoreError:
        # It cannot be kept, so it goes to whoever has asked for it.
        if is_drafted:
            write_text(text)
        raise
    write_text(f"{visible_name(str(path))}\n")


def _write(folder: PlanFolder, name: str, text: str) -> Path:
    try:
        return create_hidden(folder, name, text)
    except StoreError as error:
        if error.reason is not StoreReason.EXISTS:
            raise
        # Somebody has taken the name meanwhile.
        complain(str(error))
        return create_hidden(folder, folder.free_name(name), text)
