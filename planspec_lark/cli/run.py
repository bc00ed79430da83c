"""`planspec run`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from planspec_lark.cli.output import FINDINGS, Unreadable, Unusable, complain, read_plan, stop_on_faults, write_rows
from planspec_lark.cli.run_live import Display, displayed
from planspec_lark.cli.show import write_tree
from planspec_lark.cli.stopping import stoppable
from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.engine.homes import HomeError, ledger_path
from planspec_lark.engine.ledger import LedgerError
from planspec_lark.engine.models import Budget, EngineLimits, Outcome
from planspec_lark.engine.models import Unusable as OperatorUnusable
from planspec_lark.engine.preview import Planned, preview
from planspec_lark.engine.requests import Request
from planspec_lark.engine.resuming import Edited, EditedError
from planspec_lark.engine.think import PlanRunError, RunResult, ThinkEngine
from planspec_lark.llm.agents import Model, chat_model, model_operator, model_planner, model_reflector, program_model
from planspec_lark.llm.models import LlmError
from planspec_lark.llm.openai_chat import OpenAIChat
from planspec_lark.llm.program import Program
from planspec_lark.prompting import LANGUAGES
from planspec_lark.source import one_line, visible_name

__all__ = ["command"]

# Not ended yet, although nothing is wrong.
_UNFINISHED = 3
_ROLES = ("operator", "reflector", "planner")
_LIMITS = EngineLimits()
_POSITIVE = click.FloatRange(min=0, min_open=True)


def _options(command: Any) -> Any:
    said = {
        "operator": "A program that does the steps.",
        "reflector": "A program that says what becomes of a step that has not gone well.",
        "planner": "A program that changes the plan after a round, and writes steps.",
    }
    options: list[Callable[[Any], Any]] = [
        *(click.option(f"--{role}", f"{role}_command", metavar="CMD", help=said[role]) for role in _ROLES),
        click.option("--llm", metavar="MODEL", help="A language model for every part that has no program."),
        click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of prompts."),
        click.option("--resume", is_flag=True, help="Go on with the last run."),
        click.option("--new-run", is_flag=True, help="Begin a new run although there is one to go on with."),
        click.option("--rerun-edited", is_flag=True, help="Do finished steps again whose text was edited."),
        click.option("--keep", is_flag=True, help="Count finished steps as done although their text was edited."),
        click.option("--input", "inputs", multiple=True, metavar="NAME=TEXT", help="A value that steps can use."),
        click.option("--inputs", "inputs_file", metavar="FILE", help="Values that steps can use, as a JSON object."),
        click.option("--require", "required", multiple=True, metavar="NAME", help="An output that has to be there."),
        _count("--max-rounds", _LIMITS.max_rounds, "Go through the plan at most so many times.", 1),
        _count("--max-retries", _LIMITS.max_retries, "Retry a step at most so many times.", 0),
        _count("--max-steps", None, "Stop after so many steps.", 1),
        _count("--max-calls", None, "Stop after so many calls of programs and models.", 1),
        _count("--max-tokens", None, "Stop after so many tokens, where they are counted.", 1),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            metavar="N",
            help="Stop after so many seconds.",
        ),
        click.option(
            "--timeout",
            type=_POSITIVE,
            default=300.0,
            show_default=True,
            metavar="SECONDS",
            help="The most that a program or a model takes for an answer.",
        ),
        click.option("--no-interact", is_flag=True, help="Ask nobody, even on a terminal."),
        click.option("--dry-run", is_flag=True, help="Only write which steps would be done, and with what."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _count(name: str, default: int | None, help: str, least: int) -> Callable[[Any], Any]:
    kind = click.IntRange(min=least)
    return click.option(name, type=kind, default=default, show_default=default is not None, metavar="N", help=help)


@click.command("run")
@click.argument("file", metavar="FILE")
@_options
def command(file: str, **options: Any) -> None:
    """Run a plan.

    Programs get a request as JSON on standard input and write their answer to standard output. FILE always says where
    the run stands, FILE.ledger keeps what has happened. Exits with 0 where the plan has converged, 1 where steps are
    blocked or outputs are missing, 2 where something cannot be used, 3 where a budget is used up, and 130 where it was
    interrupted; in each of these cases but the first, --resume goes on.
    """
    if file == "-":
        raise click.UsageError("A run needs a file that it can write to.")
    inputs = _read_inputs(options["inputs"], options["inputs_file"])
    if options["dry_run"]:
        _, plan = read_plan(file, "this plan cannot be run")
        _write_preview(preview(plan, inputs))
        return
    asked: list[str] = [""]
    models = {role: _named(role, model, asked) for role, model in _models(options).items()}
    _check_run(file, options)
    with displayed() as display:
        engine = _engine(file, inputs, models, options, display)
        result = _run(engine, file, asked, resume=options["resume"])
    _leave(result, file)


# ---------------------------------------------------------------- what the options say


def _read_inputs(pairs: tuple[str, ...], file: str | None) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    if file is not None:
        try:
            inputs |= json.loads(Path(file).read_bytes())
        except OSError as error:
            raise Unreadable(file, error.strerror or "cannot be read") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise Unusable(f"{visible_name(file)}: this is no JSON object: {error}") from None
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--input: expected NAME=TEXT, not {visible_name(pair)!r}")
        inputs[name] = text
    return inputs


def _models(options: dict[str, Any]) -> dict[str, Model]:
    """Who does what."""
    models: dict[str, Model] = {}
    if options["llm"]:
        try:
            chat = OpenAIChat(options["llm"], timeout=options["timeout"])
        except (LlmError, ValueError) as error:
            raise click.UsageError(f"--llm: {error}") from None
        models = dict.fromkeys(_ROLES, chat_model(chat.complete))
    for role in _ROLES:
        if text := options[f"{role}_command"]:
            try:
                models[role] = program_model(Program.from_text(text, timeout=options["timeout"]))
            except (LlmError, ValueError) as error:
                raise click.UsageError(f"--{role}: {error}") from None
    if "operator" not in models:
        raise click.UsageError("Nobody does the steps: give --operator CMD or --llm MODEL.")
    return models


def _named(role: str, model: Model, asked: list[str]) -> Model:
    """The model, which leaves behind who was asked last."""

    def ask(request: Request) -> Any:
        asked[0] = role
        return model(request)

    return ask


def _check_run(file: str, options: dict[str, Any]) -> None:
    """Refuse to begin where there is something to go on with, unless that is asked for."""
    if options["resume"] and options["new_run"]:
        raise click.UsageError("--resume and --new-run exclude each other.")
    if options["rerun_edited"] and options["keep"]:
        raise click.UsageError("--rerun-edited and --keep exclude each other.")
    has_run = ledger_path(Path(file).resolve()).exists()
    if has_run and not (options["resume"] or options["new_run"]):
        raise Unusable(
            f"{visible_name(file)}: this plan was run before: --resume goes on with that run, --new-run begins another"
        )


def _engine(
    file: str, inputs: dict[str, Any], models: dict[str, Model], options: dict[str, Any], display: Display
) -> ThinkEngine:
    language = options["language"]
    edited = Edited.RERUN if options["rerun_edited"] else Edited.KEEP if options["keep"] else Edited.ASK
    can_interact = not options["no_interact"] and sys.stdin is not None and sys.stdin.isatty()
    names = {"steps": "max_steps", "seconds": "max_seconds", "llm_calls": "max_calls", "tokens": "max_tokens"}
    return ThinkEngine(
        Path(file),
        model_operator(models["operator"], language=language),
        model_reflector(models["reflector"], language=language) if "reflector" in models else None,
        model_planner(models["planner"], language=language) if "planner" in models else None,
        ask=display.ask if can_interact else None,
        inputs=inputs,
        required=options["required"],
        limits=EngineLimits(max_rounds=options["max_rounds"], max_retries=options["max_retries"]),
        budget=Budget(**{name: options[option] for name, option in names.items()}),
        edited=edited,
        on_event=display.tell,
    )


# ---------------------------------------------------------------- running


def _run(engine: ThinkEngine, file: str, asked: list[str], *, resume: bool) -> RunResult:
    name = visible_name(file)
    go_on = f"`planspec run {name} --resume` goes on, with the same programs."
    try:
        with stoppable(f"Stopped. {go_on}"):
            return engine.run(resume=resume)
    except EditedError as error:
        raise Unusable(
            f"{name}: {error}\n--rerun-edited does them again, --keep counts them as done as they are"
        ) from None
    except (LlmError, OperatorUnusable) as error:
        raise Unusable(f"{asked[0]}: {error}\n{go_on}") from None
    except (PlanRunError, HomeError, LedgerError) as error:
        raise Unusable(str(error)) from None
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{name}: this plan cannot be run")


def _leave(result: RunResult, file: str) -> None:
    if sys.stdout.isatty():
        write_tree(result.plan, full=False)
    said = {Outcome.CONVERGED: "The plan has converged.", Outcome.BLOCKED: "Blocked", Outcome.BUDGET: "Stopped"}
    styles = {Outcome.CONVERGED: "green", Outcome.BLOCKED: "bold red", Outcome.BUDGET: "bold yellow"}
    reason = f": {one_line(result.reason)}" if result.reason else ""
    write_rows([[(f"{said[result.outcome]}{reason}", styles[result.outcome])]])
    if result.outcome is not Outcome.CONVERGED:
        complain(f"`planspec run {visible_name(file)} --resume` goes on from there.")
    code = {Outcome.CONVERGED: 0, Outcome.BLOCKED: FINDINGS, Outcome.BUDGET: _UNFINISHED}[result.outcome]
    raise click.exceptions.Exit(code)


def _write_preview(found: list[Planned]) -> None:
    if not found:
        complain("There is nothing to do.")
    for one in found:
        step = one.step
        rows = [[(f"{step.step_id}  ", "bold"), (f"[{step.step_type}] ", "cyan"), (one_line(step.description), "")]]
        rows += [[(f"    ← {name}: {_source(source)}", "dim")] for name, source in one.sources.items()]
        if one.is_planning:
            rows.append([("    the planner writes the steps below it", "dim")])
        write_rows(rows)


def _source(source: str | None) -> str:
    return "given" if source == "" else "missing" if source is None else f"step {source}"
