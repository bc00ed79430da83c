"""What a run reports while it lasts: log lines, and spans and metrics where OpenTelemetry is at work.

OpenTelemetry is never loaded from here for the first time. A program that wants spans has set it up, and so has loaded
it. Neither lines nor spans have what steps have produced, prompts, answers, or the messages of exceptions; only lines
at level DEBUG have what came of a step, which may be the message of an exception.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from importlib import import_module
from itertools import dropwhile
from logging import DEBUG, WARNING, Logger, NullHandler, getLogger
from pathlib import Path
from time import monotonic
from traceback import FrameSummary, extract_tb
from types import ModuleType
from typing import Any

from planspec_lark.runs.ledger import FencedError, Record, RecordKind, RunBusyError
from planspec_lark.syntax.diagnostics import brief
from planspec_lark.syntax.safe_text import visible_name

__all__ = [
    "INTERRUPTED",
    "ModelSpan",
    "RunTelemetry",
    "calling_model",
    "telling",
    "trace_at_hand",
    "trace_environment",
]

# A library logs nothing unless the program sets up logging.
getLogger("planspec_lark").addHandler(NullHandler())

INTERRUPTED = "interrupted"
_SCOPE = "planspec_lark"
# Where these are set, the first use of OpenTelemetry sets it up.
_PROVIDERS = ("OTEL_PYTHON_TRACER_PROVIDER", "OTEL_PYTHON_METER_PROVIDER")

_WARNINGS = (RecordKind.FAILED, RecordKind.POSTPONED, RecordKind.BLOCKED, RecordKind.REFUSED)
# How runs end that have failed.
_FAILURES = ("blocked", "failed")
# What ends an attempt well.
_ENDS = (RecordKind.DONE, RecordKind.LOOPED, RecordKind.BRANCHED)

# What makes calls: this package, and event loops and threads. What it has called comes behind it in a traceback.
_LIBRARY = Path(os.__file__).parent
_CALLERS = tuple(
    f"{folder}{os.sep}" for folder in (Path(__file__).parents[1], _LIBRARY / "asyncio", _LIBRARY / "concurrent")
)
# How many frames are told: the innermost one, and the outermost ones.
_FRAMES = 3

_NOTHING: AbstractContextManager[None] = nullcontext()


# ---------------------------------------------------------------- a run


class RunTelemetry:
    """Tells of one run: in lines, and once it has a span in spans and metrics as well.

    Args:
        log: where lines go.
        run: the run's id, safe to show.

    Attributes:
        outcome: how the run has ended, in a word; empty until then.
    """

    def __init__(self, log: Logger, run: str) -> None:
        self.log, self.run, self.outcome = log, run, ""
        # Of each step at work its span, when that began, and the type of the step.
        self._open: dict[str, tuple[Any, float, str]] = {}
        self._start: Callable[..., Any] | None = None

    def follow(self, span: Any) -> None:
        """Make spans from now on: children of the span of the run, whatever span is current."""
        self._start = partial(_tracer().start_span, context=_trace().set_span_in_context(span))

    def take(self, record: Record, step_type: str = "") -> None:
        """Tell of a record, which the ledger has already. A step that begins has this type; a ``tool`` is called."""
        kind, step, data = record.kind, record.step, record.data
        self._log(kind, step, record.attempt, data)
        if kind is RecordKind.STARTED:
            self._begin(step, step_type, record.attempt, str(data.get("description", "")))
        elif kind in _ENDS:
            self._end(step, "OK", data)
        elif kind is RecordKind.FAILED or "status" in data:
            # Whatever says how it went ends what was begun.
            self._end(step, str(data.get("status", "FAIL")), data)
        elif kind is RecordKind.ENDED:
            self.outcome = str(data.get("outcome", ""))
        if self._start is not None:
            _spend(data)

    def at_work(self, step: str, step_type: str = "") -> AbstractContextManager[None]:
        """Within this block, a step's span is the current one, also for tasks that begin there.

        Args:
            step: its id.
            step_type: where no record says that it begins: of which type it is.
        """
        if step_type:
            self._begin(step, step_type)
        return _at_hand(self._open[step][0], end=False) if step in self._open else _NOTHING

    def asking(self, name: str, step: str = "", **attributes: str) -> AbstractContextManager[None]:
        """A span for as long as this block lasts, and the current one there: a person or program is asked something."""
        if self._start is None:
            return _NOTHING
        named = {f"planspec.{key}": value for key, value in attributes.items()}
        if name == "plan":
            named["gen_ai.operation.name"] = name
        if step:
            named["planspec.step.id"] = brief(step)
        return _at_hand(self._start(name, attributes=named), end=True)

    def raised(self, step: str, error: Exception) -> None:
        """Tell where a call has raised an exception: its class, files and functions, and nothing that it says."""
        frames = [*dropwhile(_is_own, extract_tb(error.__traceback__))][::-1]
        shown = frames if len(frames) <= _FRAMES else [frames[0], *frames[1 - _FRAMES :]]
        places = [f"{Path(one.filename).name}:{one.lineno} in {one.name}" for one in shown]
        if places:
            who, where = f"step {brief(step)}" if step else "what was called", visible_name(", from ".join(places))
            self.log.warning("run %s: %s raised %s at %s", self.run, who, type(error).__name__, where)

    def close(self, why: str) -> None:
        """End the spans of steps that were at work when the run was left."""
        for step in list(self._open):
            self._end(step, INTERRUPTED, {}, why)

    def _begin(self, step: str, step_type: str, attempt: int = 0, description: str = "") -> None:
        if self._start is None:
            return
        attributes: dict[str, str | int] = {
            "planspec.run.id": self.run,
            "planspec.step.id": brief(step),
            "planspec.step.type": step_type,
        }
        if attempt:
            attributes["planspec.step.attempt"] = attempt
        name = f"step {step_type}"
        if step_type == "tool":
            tool = brief(description)
            attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
            name = f"execute_tool {tool}"
        self._end(step, INTERRUPTED, {}, INTERRUPTED)
        self._open[step] = self._start(name, attributes=attributes), monotonic(), step_type

    def _end(self, step: str, status: str, data: Mapping[str, Any], why: str = "") -> None:
        """End the span of a step, if there is one, and count the step.

        Args:
            step: its id.
            status: how it went.
            data: a record, which says what it took.
            why: the class of error where that is another word than the status.
        """
        if step not in self._open:
            return
        span, began, kind = self._open.pop(step)
        spent = {f"planspec.{name}": data[name] for name in ("llm_calls", "tokens", "cost") if data.get(name)}
        span.set_attributes({"planspec.step.status": status, **spent})
        if status != "OK":
            _fail(span, why or status)
        span.end()
        labels = {"planspec.step.status": status, "planspec.step.type": kind}
        metrics = _metrics()
        metrics["steps"].add(1, labels)
        metrics["seconds"].record(monotonic() - began, labels)

    def _log(self, kind: RecordKind, step: str, attempt: int, data: Mapping[str, Any]) -> None:
        level = WARNING if kind in _WARNINGS else DEBUG
        if not self.log.isEnabledFor(level):
            return
        where = f" step {brief(step)}" if step else ""
        times = f", attempt {attempt}" if attempt else ""
        status = f": {brief(data['status'])}" if data.get("status") else ""
        self.log.log(level, "run %s: %s%s%s%s", self.run, kind.value, where, times, status)
        said = data.get("result") or data.get("reason")
        if said and self.log.isEnabledFor(DEBUG):
            self.log.debug("run %s: %s%s says: %s", self.run, kind.value, where, brief(str(said)))


def _is_own(frame: FrameSummary) -> bool:
    return frame.filename.startswith(_CALLERS)


def _spend(data: Mapping[str, Any]) -> None:
    """Count what a record says that was spent."""
    metrics = _metrics()
    if calls := data.get("llm_calls"):
        metrics["calls"].add(calls)
    sent, written = data.get("input_tokens", 0), data.get("output_tokens", 0)
    # What is told of neither kind is counted as well.
    kinds = {"input": sent, "output": written, "": max(data.get("tokens", 0) - sent - written, 0)}
    for kind, count in kinds.items():
        if count:
            metrics["tokens"].add(count, {"gen_ai.token.type": kind} if kind else {})
    if cost := data.get("cost"):
        metrics["cost"].add(cost)


@contextmanager
def _at_hand(span: Any, *, end: bool) -> Iterator[None]:
    with _trace().use_span(span, end_on_exit=end, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except BaseException as error:
            if end:
                # A generator that is closed does not know why.
                _fail(span, INTERRUPTED if isinstance(error, GeneratorExit) else type(error).__name__)
            raise


def _fail(span: Any, why: str) -> None:
    """Mark a span as failed. There is no description: it could say anything."""
    span.set_attribute("error.type", why)
    span.set_status(_trace().Status(_trace().StatusCode.ERROR))


@contextmanager
def telling(
    log: Logger, run: str, kind: str, about: Callable[[], tuple[str, str]] = lambda: ("", "")
) -> Iterator[RunTelemetry]:
    """Tell of a run as long as this block lasts. Its span is the current one for all that is called within.

    Args:
        log: where lines go.
        run: its id.
        kind: of what it is a run.
        about: gives what it is called, as many other runs may be, and what :func:`trace_at_hand` was for who was at
            work on it before, if any; asked where there are spans.
    """
    shown = visible_name(run)
    told = RunTelemetry(log, shown)
    log.info("run %s: at work", shown)
    try:
        with _run_span(told, kind, about):
            yield told
    except (FencedError, RunBusyError) as error:
        log.warning("run %s: %s", shown, brief(str(error)))
        raise
    except BaseException as error:
        log.info("run %s: left by %s", shown, type(error).__name__)
        raise
    log.info("run %s: %s", shown, told.outcome or "left")


@contextmanager
def _run_span(told: RunTelemetry, kind: str, about: Callable[[], tuple[str, str]]) -> Iterator[None]:
    api = _api()
    if api is None:
        yield
        return
    attributes = {"gen_ai.operation.name": "invoke_workflow", "planspec.run.id": told.run, "planspec.run.kind": kind}
    title, (name, link) = "invoke_workflow", about()
    if name:
        attributes["gen_ai.agent.name"] = brief(name)
        title = f"{title} {brief(name)}"
    # In no context at all: where the text names no span, none is at hand.
    nowhere = import_module("opentelemetry.context").Context()
    before = api.get_current_span(_propagator().extract({"traceparent": link}, nowhere)).get_span_context()
    links = [api.Link(before)] if before.is_valid else []
    span = _tracer().start_span(title, attributes=attributes, links=links)
    told.follow(span)
    why = INTERRUPTED
    with api.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except BaseException as error:
            why = type(error).__name__
            _fail(span, why)
            raise
        finally:
            told.close(why)
            if told.outcome:
                span.set_attribute("planspec.run.outcome", told.outcome)
                if told.outcome in _FAILURES:
                    _fail(span, told.outcome)


# ---------------------------------------------------------------- calls of models


class ModelSpan:
    """The span of one call of a language model; the caller says how it has ended."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def at_hand(self) -> AbstractContextManager[None]:
        """Within this block, this span is the current one: the parent of the spans of HTTP clients."""
        return _NOTHING if self._span is None else _at_hand(self._span, end=False)

    def answered(self, reply: Any) -> None:
        """There is a reply: note who has answered, why the answer ends, and its tokens."""
        if self._span is None:
            return
        found: dict[str, Any] = {"gen_ai.response.model": brief(reply.model)}
        if reply.finish_reason:
            found["gen_ai.response.finish_reasons"] = [brief(reply.finish_reason)]
        if reply.usage is not None:
            found["gen_ai.usage.input_tokens"] = reply.usage.prompt_tokens
            found["gen_ai.usage.output_tokens"] = reply.usage.completion_tokens
        self._span.set_attributes(found)
        self._span.end()

    def failed(self, error: BaseException) -> None:
        """There is none. A reader that stops before the end has not failed."""
        if self._span is None:
            return
        if not isinstance(error, GeneratorExit):
            _fail(self._span, str(getattr(error, "status", None) or type(error).__name__))
        self._span.end()


def calling_model(model: str, host: str, *, is_stream: bool = False) -> ModelSpan:
    """Begin the span of a call."""
    api = _api()
    if api is None:
        return ModelSpan()
    address, _, port = host.rpartition(":") if re.search(r":[0-9]+$", host) else (host, "", "")
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": brief(model),
        "server.address": address,
    }
    if port:
        attributes["server.port"] = int(port)
    if is_stream:
        attributes["gen_ai.request.stream"] = True
    kind = api.SpanKind.CLIENT
    return ModelSpan(_tracer().start_span(f"chat {brief(model)}", kind=kind, attributes=attributes))


# ---------------------------------------------------------------- other processes


def trace_environment() -> dict[str, str]:
    """The span at hand as variables of a program's environment: mostly ``TRACEPARENT``, as propagators are set up."""
    api = _api()
    if api is None or not api.get_current_span().get_span_context().is_valid:
        return {}
    carrier: dict[str, str] = {}
    import_module("opentelemetry.propagate").inject(carrier)
    if "traceparent" in carrier:
        # That of another trace may be in the environment of this process.
        carrier.setdefault("tracestate", "")
    return {re.sub("[^A-Z0-9_]", "_", name.upper()): value for name, value in carrier.items()}


def trace_at_hand() -> str:
    """The span at hand as a record of the ledger has it, for the process that resumes the run; "" if there is none."""
    carrier: dict[str, str] = {}
    if _api() is not None:
        _propagator().inject(carrier)
    return carrier.get("traceparent", "")


def _propagator() -> Any:
    # Whatever other propagators are set up, a record has this form.
    return import_module("opentelemetry.trace.propagation.tracecontext").TraceContextTextMapPropagator()


# ---------------------------------------------------------------- OpenTelemetry


def _api() -> ModuleType | None:
    if "opentelemetry" not in sys.modules and not any(name in os.environ for name in _PROVIDERS):
        return None
    return _load()


@cache
def _load() -> ModuleType | None:
    try:
        api, metrics = import_module("opentelemetry.trace"), import_module("opentelemetry.metrics")
    except ImportError:
        return None
    try:
        # What the environment names is loaded here, and may not be there: no run ends for that.
        _tracer()
        metrics.get_meter(_SCOPE, _version())
        import_module("opentelemetry.propagate")
    except Exception as error:
        getLogger(__name__).warning("OpenTelemetry cannot be used: %s: %s", type(error).__name__, brief(str(error)))
        return None
    return api


def _trace() -> Any:
    return import_module("opentelemetry.trace")


def _tracer() -> Any:
    return _trace().get_tracer(_SCOPE, _version())


def _version() -> str:
    # Nothing down here imports the whole package.
    return str(import_module(_SCOPE).__version__)


@cache
def _metrics() -> dict[str, Any]:
    meter = import_module("opentelemetry.metrics").get_meter(_SCOPE, _version())
    return {
        "steps": meter.create_counter("planspec.steps", "{step}", "Attempts of steps that have ended"),
        "seconds": meter.create_histogram("planspec.step.duration", "s", "How long attempts of steps took"),
        "calls": meter.create_counter("planspec.llm.calls", "{call}", "Calls of language models and programs"),
        "tokens": meter.create_counter("planspec.tokens", "{token}", "Tokens, as far as they were counted"),
        "cost": meter.create_counter("planspec.cost", "1", "Cost, in the unit in which it was told"),
    }
