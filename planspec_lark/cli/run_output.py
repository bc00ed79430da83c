"""What happens while a plan is run, for people to read: in lines, in a display that changes, and by `planspec log`."""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from time import monotonic, time
from typing import TYPE_CHECKING, Any

import click
from attrs import asdict
from attrs.filters import exclude

from planspec_lark.cancellation import stop_event
from planspec_lark.cli.arguments import count_option, exclude_each_other, flag, folder_option, plan_argument
from planspec_lark.cli.help import command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import (
    Row,
    UnreadableFileError,
    label,
    read_text,
    terminal_width,
    write_json,
    write_rows,
)
from planspec_lark.cli.plans import step_rows
from planspec_lark.engine import ThinkEvent
from planspec_lark.json_text import read_json
from planspec_lark.planspec import PlanSpec, PlanStatus, iter_steps
from planspec_lark.planspec.fold import folded
from planspec_lark.planspec.render import StyledText, wrap
from planspec_lark.runs import Ledger
from planspec_lark.runs.ledger import Record, RecordKind, RunInfo
from planspec_lark.runs.limits import Account, Budget, Effort
from planspec_lark.runs.prices import Prices, PricesError
from planspec_lark.runs.summary import RunState, StepSum, find_state, prune_runs, summarize_run
from planspec_lark.syntax import Limits, PlanSyntaxError, one_line
from planspec_lark.syntax.diagnostics import brief, count_of
from planspec_lark.syntax.safe_text import safe_json, visible_name

if TYPE_CHECKING:
    from planspec_lark.engine import Question

__all__ = ["Display", "displayed", "rows_of"]

_GOOD, _BAD, _BUSY, _QUIET = "green", "bold red", "bold yellow", "dim"
# The most commands that are listed.
_LISTED = 20
_WIDTH = 9

_PRICES = Limits(max_bytes=1_000_000, max_depth=16, max_findings=20)

# Lines of what has happened last that a display shows, at most.
_EVENTS = 4
# Seconds between two displays of what is over soon: a step that begins may take long, and is shown at once.
_PAUSE = 0.1
# Seconds between looks whether an answer is still waited for.
_LOOK = 0.2
_DAY = 86_400

# ---------------------------------------------------------------- lines


def rows_of(
    kind: RecordKind, step_id: str, data: Mapping[str, Any], lead: str = "", *, wrapped: bool = True
) -> Iterator[Row]:
    """What has happened, in lines; on a terminal, the text of each continues below where it began."""
    word, style, write = _WORDS[kind]
    width = terminal_width() if wrapped else None
    name = f"{visible_name(step_id)}  " if step_id else ""
    for text in write(_Brief(data)) or [""]:
        said = f"  {name}{text}".rstrip()
        line = StyledText("", lead), StyledText(style, f"{word:{_WIDTH}}" if said else word), StyledText("", said)
        for row in wrap(line, width) if width else [line]:
            yield [(piece.text, piece.role) for piece in row]
        word = ""


class _Brief:
    """What a record says, each value as a text of one line and a bounded length."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    def __getitem__(self, name: str) -> str:
        value = self.data.get(name) or ""
        return brief(safe_json(value) if isinstance(value, dict) else str(value))

    def said(self) -> str:
        """What came of a step."""
        return self["result"] or self["reason"] or self["description"]


def _end(data: _Brief) -> list[str]:
    outcome, reason = data["outcome"], data["reason"]
    if not reason and (blocked := data.data.get("blocked")):
        reason = f"steps are blocked: {brief(', '.join(map(str, blocked)))}"
    # A reason may begin with the word for what it is the reason of.
    return [reason if reason.startswith(f"{outcome}:") else f"{outcome}: {reason}" if reason else outcome]


def _decision(data: _Brief) -> list[str]:
    lines = [" | ".join(filter(None, [data["decision"], data["reason"]]))] if data["decision"] else []
    commands = [brief(line) for line in str(data.data.get("commands", "")).split("\n") if line]
    more = [f"({len(commands) - _LISTED} more lines)"] if len(commands) > _LISTED else []
    end = ["the step is blocked"] if data.data.get("blocked") else []
    warnings = [brief(str(one)) for one in data.data.get("warnings", ())[:_LISTED]]
    return lines + commands[:_LISTED] + more + warnings + end


def _resumption(data: _Brief) -> list[str]:
    record = data.data
    lines = ["the plan was edited since"] if record.get("is_edited") else []
    differ = "the edit (ours) and the run (theirs) differ"
    lines += [f"{differ}: {brief(one)}" for one in record.get("conflicts", ())[:_LISTED]]
    moves = list(record.get("moves", {}).items())[:_LISTED]
    lines += [f"step {visible_name(str(old))} is {visible_name(str(new))} now" for old, new in moves]
    if edited := record.get("edited"):
        lines.append(f"finished steps were edited: {brief(', '.join(map(str, edited)))}")
    return lines


def _said(data: _Brief) -> list[str]:
    return [data.said()]


# The word for each kind, its style, and what comes after the word, line by line.
_WORDS: dict[RecordKind, tuple[str, str, Callable[[_Brief], list[str]]]] = {
    RecordKind.BEGUN: ("begun", _QUIET, _said),
    RecordKind.RESUMED: ("resumed", _QUIET, _resumption),
    RecordKind.EDITED: ("edited", _QUIET, _resumption),
    RecordKind.STARTED: ("started", _BUSY, _said),
    RecordKind.DONE: ("done", _GOOD, _said),
    RecordKind.FAILED: (
        "failed",
        _BAD,
        lambda data: [
            ": ".join(filter(None, [data["status"], data["result"]])),
            *([f"answer: {data['answer']}"] if data.data.get("answer") else []),
        ],
    ),
    RecordKind.POSTPONED: ("postponed", _BUSY, lambda data: [f"{data['result']}; again in {data['pause'] or 0} s"]),
    RecordKind.BRANCHED: ("chosen", _GOOD, lambda data: [f"{data['branch']}  {data['result']}".rstrip()]),
    RecordKind.OPENED: ("opened", _QUIET, _said),
    RecordKind.LOOPED: (
        "round",
        _GOOD,
        lambda data: [f"{'/'.join(filter(None, [data['rounds'], data['total']]))}  {data.said()}"],
    ),
    RecordKind.SKIPPED: ("skipped", _QUIET, _said),
    RecordKind.BLOCKED: ("blocked", _BAD, _said),
    RecordKind.REFUSED: ("refused", _BAD, lambda data: [brief(one) for one in data.data.get("faults", ())]),
    RecordKind.REFLECTED: ("decided", _BUSY, _decision),
    RecordKind.TOLD: ("told", _BUSY, lambda data: [f"{data['question']} — {data['answer']}"]),
    RecordKind.REPLANNED: ("replanned", _BUSY, _decision),
    RecordKind.PLANNED: ("planned", _BUSY, _said),
    RecordKind.RENEWED: ("new plan", _BUSY, _said),
    RecordKind.KEPT: ("kept", _QUIET, _said),
    RecordKind.RERUN: ("again", _BUSY, _said),
    RecordKind.ENDED: ("ended", _QUIET, _end),
}


# ---------------------------------------------------------------- while it runs


class Display:
    """Lines as they come: for pipes, and for terminals that cannot be drawn on."""

    def tell(self, event: ThinkEvent) -> None:
        """Show what has happened, at once: a program at the other end of a pipe waits for it."""
        write_rows(rows_of(event.kind, event.step_id, event.data))
        sys.stdout.flush()

    def ask(self, question: Question) -> str | None:
        """Ask on the terminal. Standard output may lead elsewhere, so nothing goes there."""
        _forget_typed()
        click.echo(f"Step {visible_name(question.step.step_id)}: {one_line(question.text)}", err=True)
        click.echo("Answer (without one the step is blocked): ", nl=False, err=True)
        said = _read_line()
        if not said:
            click.echo(err=True)
            raise KeyboardInterrupt
        return said.decode(sys.stdin.encoding or "utf-8", "replace").strip() or None


def _read_line() -> bytes:
    """What is typed next. A thread gets no interrupt, so it looks whether the answer is still waited for."""
    stop = stop_event()
    with suppress(OSError, ValueError):  # not every system can wait for a file
        while not select.select([sys.stdin], [], [], _LOOK)[0]:
            if stop.is_set():
                raise KeyboardInterrupt
    return sys.stdin.buffer.readline()


def _forget_typed() -> None:
    """What was typed before a question is no answer to it."""
    with suppress(ImportError):
        import termios  # noqa: PLC0415  (not every system has it)

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


class _LiveDisplay(Display):
    """A display that changes: the part of the plan that is at work, and what has happened last."""

    def __init__(self, live: Any, budget: Budget) -> None:
        self._live, self._account = live, Account(budget)
        self._events: deque[Row] = deque(maxlen=_EVENTS)
        self._at = 0
        self._drawn = 0.0

    def tell(self, event: ThinkEvent) -> None:
        """Show what has happened."""
        self._events.extend(rows_of(event.kind, event.step_id, event.data, wrapped=False))
        self._account.spend(Effort.from_data(event.data))
        self._account.steps += event.kind is RecordKind.STARTED
        if monotonic() - self._drawn >= _PAUSE or event.kind is RecordKind.STARTED:
            # The last active step of those that a tree shows, or else the one that was.
            steps = enumerate(iter_steps(folded(event.plan)))
            self._at = max((at for at, step in steps if step.status is PlanStatus.ACTIVE), default=self._at)
            size = self._live.console.size
            # Where there is room for both, what was spent comes below.
            events, most = list(self._events), max(size.height // 4, 1)
            last = [*events[1 - most :], _spent_row(self._account)] if most > 1 else events[-1:]
            rows = _display_rows(event.plan, self._at, last, size.height)
            self._live.update(_render(rows, size.width), refresh=True)
            self._drawn = monotonic()

    def ask(self, question: Question) -> str | None:
        """Ask in place of the display, below what has led to the question."""
        self._live.stop()
        write_rows(self._events)
        self._events.clear()
        try:
            return super().ask(question)
        finally:
            self._live.start()


def _spent_row(account: Account) -> Row:
    """What a run has spent, and may spend."""
    told = [
        f"{_amount(used)}{'' if most is None else f' of {_amount(most)}'} {name}"
        for name, (used, most) in account.spent().items()
        if most is not None or (used and name != "steps")
    ]
    return [(" · ".join(["Ctrl-C is safe (--resume)", *told]), _QUIET)]


def _amount(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0") if number >= 1 else f"{number:.2g}"


@contextmanager
def displayed(budget: Budget) -> Iterator[Display]:
    """What shows a run with this budget on standard output."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        yield Display()
        return
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.live import Live  # noqa: PLC0415

    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False)
    with live:
        yield _LiveDisplay(live, budget)


def _display_rows(plan: PlanSpec, at: int, events: list[Row], height: int) -> list[Row]:
    """As many lines as a terminal has: how far the plan is, the steps around one, and what has happened last."""
    counts = plan.progress
    name = one_line(plan.title or plan.goal)
    head: list[Row] = [[(f"{name}  ", "bold"), (f"{counts['done']}/{counts['total']} done", "dim")], []]
    room = max(height - len(head) - len(events) - 2, 1)
    # No more than these can be seen: to lay out all steps of a large plan takes longer than a step does.
    above = list(step_rows(plan, max(at - room, 0), at))
    rows = above + list(step_rows(plan, at, at + room))[:room]
    first = max(min(len(above) - room // 2, len(rows) - room), 0)
    return [*head, *rows[first : first + room], [], *events]


def _render(rows: Iterable[Row], width: int) -> Any:
    from rich.console import Group  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    # Cut first: a text may have any length, and is measured by its characters.
    cut = ([(text[: 4 * width].replace("\t", " "), style) for text, style in row] for row in rows)
    return Group(*(Text.assemble(*row, no_wrap=True, overflow="ellipsis") for row in cut))


# ---------------------------------------------------------------- afterwards


@command(
    "log",
    examples=[
        "planspec log plan.md",
        "planspec log plan.md --runs",
        "planspec log plan.md --summary",
        "planspec log plan.md --last 5 --json",
        "planspec log plan.md --prune 30",
    ],
    files={
        "FILE": "The plan, its ledger, or the state folder of a planner. Without --prune it is only read.",
        "standard output": "A line for each record, or JSON.",
    },
    exits={2: "There is no ledger or no such run, a file cannot be read, or the arguments are wrong."},
)
@plan_argument(metavar="[FILE]", required=False)
@click.option("--run", "run_id", metavar="ID", show_default="the last run", help="Show this run.")
@flag(
    "--runs",
    "lists",
    help="List the runs, each with its state, how often a step was done, and its last change.",
)
@count_option("--last", metavar="N", help="Show only the last N records or runs.")
@flag("--json", "as_json", help="Write all that the ledger has, a JSON object a line.")
@flag("--summary", "sums", help="Show the attempts, seconds, calls, tokens and cost of each step.")
@click.option(
    "--prices",
    "prices_file",
    metavar="FILE",
    help="Prices of models for a million tokens, as JSON or TOML, for --summary.",
)
@click.option(
    "--prune",
    "days",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Forget converged runs without a change for so many days, and list them.",
)
@database_options
@folder_option
def log_command(  # noqa: PLR0913  (they are the options)
    *,
    file: str | None,
    run_id: str | None,
    lists: bool,
    last: int | None,
    as_json: bool,
    sums: bool,
    prices_file: str | None,
    days: float | None,
) -> None:
    """Show what has happened in the runs of a plan.

    The records are those of the last run. With --database and no file, all runs in the database are listed by name.
    --prune DAYS forgets runs that are over, with their outputs and results; one that was left or blocked stays, as it
    can be resumed.
    """
    if days is not None and (lists or sums or run_id is not None or last is not None):
        raise click.UsageError("--prune goes with no other choice of records or runs.")
    lists = lists or (file is None and run_id is None and not sums)
    if sums and (lists or last is not None):
        raise click.UsageError("--summary goes neither with --runs nor with --last.")
    if prices_file is not None and not sums:
        raise click.UsageError("--prices goes with --summary only.")
    exclude_each_other(run=run_id is not None, runs=lists)
    place, prices = LedgerPlace.of(file), _read_prices(prices_file)
    with place.looked_into(changes=days is not None) as ledger:
        if days is not None:
            gone = prune_runs(ledger, place.runs(ledger), time() - days * _DAY)
            _write_runs(gone, as_json=as_json)
        elif lists:
            runs = place.runs(ledger)
            if not runs:
                raise UnreadableFileError(place.label, "there is no run")
            some = runs[-last:] if last else runs
            _write_runs(((info, find_state(ledger, info)) for info in some), as_json=as_json)
        else:
            run = place.find_run(ledger, run_id).run
            if sums:
                _write_summary(summarize_run(ledger, run, prices), prices, as_json=as_json)
            else:
                _write_records(ledger, run, last, as_json=as_json)


def _read_prices(file: str | None) -> Prices | None:
    """The table in a file: TOML where its name says so, or else JSON."""
    if file is None:
        return None
    name = label(file)
    try:
        text = read_text(file, _PRICES)
        if file.endswith(".toml"):
            import tomllib  # noqa: PLC0415  (only this needs it)

            return Prices.from_value(tomllib.loads(text))
        read = read_json(text, name=name, limits=_PRICES)
        if read.diagnostics:
            raise PricesError(read.diagnostics[0].message)
        return Prices.from_value(read.value)
    except PlanSyntaxError as error:
        why = error.diagnostics[0].message
    except (PricesError, ValueError, RecursionError) as error:
        why = one_line(str(error))
    raise UnreadableFileError(name, f"this is not a table of prices: {why}")


def _write_summary(sums: Sequence[StepSum], prices: Prices | None, *, as_json: bool) -> None:
    """A line a step, and one for all."""
    currency = prices.currency if prices is not None else ""
    for one in sums:
        if as_json:
            more = {} if prices is None else {"currency": currency, "unpriced": one.unpriced}
            write_json({**asdict(one, filter=exclude("unpriced")), **more}, indent=None)
        else:
            name = visible_name(one.step) if one.step else "all"
            amounts = ((one.attempts, "attempt"), (one.llm_calls, "call"), (one.tokens, "token"))
            attempts, calls, tokens = (count_of(number, word) for number, word in amounts)
            said = f"{attempts}  {one.seconds:.1f} s  {calls}  {tokens}"
            cost = f"  cost {one.cost:g} {currency}".rstrip() if one.cost else ""
            rows: list[Row] = [[(f"{name:8}  ", "bold" if not one.step else ""), (said + cost, "")]]
            reasons = [f"{why} ({count} times)" if count > 1 else why for why, count in one.unpriced.items()]
            if len(reasons) > _LISTED:
                reasons[_LISTED:] = [f"({len(reasons) - _LISTED} more)"]
            rows += [[(f"{'':10}{why}", _BAD)] for why in reasons]
            write_rows(rows)


def _write_runs(runs: Iterable[tuple[RunInfo, RunState]], *, as_json: bool) -> None:
    for info, found in runs:
        if as_json:
            write_json({**asdict(info), **asdict(found)}, indent=None)
        else:
            steps = f"{found.steps} done"
            times = f"{_clock(info.time)}  {brief(found.state):11}  {steps:8}  {_clock(found.changed)}"
            write_rows([[(f"{visible_name(info.run)}  {times}  {visible_name(info.name)}".rstrip(), "")]])


def _write_records(ledger: Ledger, run: str, last: int | None, *, as_json: bool) -> None:
    records: Iterable[Record] = ledger.records(run)
    if last is not None:
        records = reversed(list(ledger.records(run, newest_first=True, limit=last)))
    for record in records:
        if as_json:
            write_json(_value(ledger, run, record), indent=None)
        else:
            write_rows(rows_of(record.kind, record.step, record.data, f"{_clock(record.time)}  "))


def _value(ledger: Ledger, run: str, record: Record) -> dict[str, Any]:
    more = {
        "data": dict(record.data),
        "outputs": {name: ledger.value(run, record.seq, name) for name in record.data.get("names", ())},
        "changes": {
            step: asdict(change, recurse=False, filter=exclude(type(None))) for step, change in record.changes.items()
        },
        "plan": record.plan,
    }
    return {
        "seq": record.seq,
        "time": float(record.time),
        "kind": record.kind.value,
        "step": record.step,
        "hash": record.hash,
        "attempt": record.attempt,
        **{name: value for name, value in more.items() if value},
        "before": record.before,
        "after": record.after,
    }


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")
