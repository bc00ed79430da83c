"""The command lines that a run which has stopped tells its user: what to do next, ready for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import click
from click.core import ParameterSource

from planspec_lark.cli.ledgers import without_password
from planspec_lark.engine.persons import own_outputs
from planspec_lark.planspec import PlanStep

__all__ = ["done_line", "go_on_line", "ledger_options", "reopen_line"]

# Left out of the command that resumes a run: it must not begin again, and later edits have to be asked about again.
_ONCE = ("resume", "new_run", "rerun_edited", "keep", "dry_run")


def go_on_line(context: click.Context) -> str:
    """The command that resumes this run, for a shell."""
    # The ledger has what a run was given at its beginning.
    left_out = _ONCE if context.params["resume"] else (*_ONCE, "inputs", "inputs_file")
    params = (param for param in context.command.params if param.name not in left_out)
    words = [word for param in params for word in _written(context, param)]
    return f"  {shlex.join(['planspec', 'run', *words, '--resume'])}"


def done_line(file: str, step: PlanStep, options: Sequence[str]) -> str:
    """The command that says what a person has done; ``options`` say where the ledger is."""
    branch = ["--branch", "ID"] if step.step_type == "decide" else []
    outputs = [word for name in own_outputs(step) for word in ("--output", f"{name}=TEXT")]
    words = [
        "planspec",
        "done",
        _argument(file),
        step.step_name or step.step_id,
        "what came of it",
        *branch,
        *outputs,
        *options,
    ]
    return f"  {shlex.join(words)}"


def reopen_line(file: str, steps: Sequence[str], options: Sequence[str]) -> str:
    """The command that reopens steps."""
    return f"  {shlex.join(['planspec', 'reopen', _argument(file), *steps, *options])}"


def ledger_options(context: click.Context) -> list[str]:
    """The options of the call that say where the ledger is, for other commands."""
    params = context.command.params
    return [word for param in params if param.name in ("database", "name") for word in _written(context, param)]


def _written(context: click.Context, param: click.Parameter) -> Iterator[str]:
    """The words of a parameter that is written in the call, and not taken from the environment."""
    name = param.name or ""
    if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        return
    # A parameter that the function does not take is in `meta`.
    value = {**context.meta, **context.params}[name]
    if isinstance(param, click.Argument):
        yield _argument(value)
    elif isinstance(param, click.Option) and param.is_flag:
        yield param.opts[0]
    else:
        for one in value if param.multiple else (value,):
            yield param.opts[0]
            said = without_password(one) if name == "database" else one
            yield f"{said:.12g}" if isinstance(said, float) else str(said)


def _argument(value: str) -> str:
    # A word that begins with a dash would be an option.
    return f"./{value}" if value.startswith("-") else value
