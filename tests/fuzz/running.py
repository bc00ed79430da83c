"""How the fuzz job runs a target: for some time, from a seed, each input within a limit of time."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from attrs import define, frozen
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.targets import Target
from tests.timing import TooSlowError, time_limit

__all__ = ["Failure", "fuzz", "load", "run_once", "save"]

_ROUND = 100


@frozen
class Failure:
    """An input that shows a fault, as small as it could be made, and the fault's traceback."""

    value: object
    trace: str

    @classmethod
    def of(cls, value: object, error: Exception) -> Failure:
        """What was raised for an input."""
        return cls(value, "".join(traceback.format_exception(error)))


@define
class _Round:
    """The inputs of one seed."""

    target: Target
    limit: float
    tried: int = 0
    failure: Failure | None = None

    def check(self, value: object) -> None:
        self.tried += 1
        if error := _try(self.target, value, self.limit):
            self.failure = Failure.of(value, error)
            raise error


def fuzz(
    target: Target, *, seconds: float, first_seed: int, limit: float = 10.0, shrinking: float = 30.0
) -> tuple[int, Failure | None]:
    """Try inputs on a target for some time, or until one fails.

    Args:
        target: what to try.
        seconds: for how long, roughly: a round of inputs that has begun is finished.
        first_seed: the seed of the first round; each further one has the next.
        limit: seconds for a single input.
        shrinking: seconds for making a text that fails smaller.

    Returns:
        How many inputs were tried, and the one that failed.
    """
    end = monotonic() + seconds
    tried, number = 0, first_seed
    while True:
        run = _run(target, limit, number, Phase.generate)
        tried, number = tried + run.tried, number + 1
        if run.failure and isinstance(run.failure.value, str):
            return tried, _make_smaller(target, run.failure.value, limit, seconds=shrinking) or run.failure
        if run.failure:
            # What is not a text, hypothesis can make smaller.
            return tried, _run(target, limit, number - 1, Phase.generate, Phase.shrink).failure or run.failure
        if monotonic() > end:
            return tried, None


def _run(target: Target, limit: float, number: int, *phases: Phase) -> _Round:
    run = _Round(target, limit)
    try:
        _hypothesis(run, number, phases)
    except Exception:
        if run.failure is None:
            raise
    return run


def _try(target: Target, value: object, limit: float) -> Exception | None:
    try:
        run_once(target, value, limit)
    except Exception as error:
        return error
    return None


def _make_smaller(target: Target, text: str, limit: float, *, seconds: float) -> Failure | None:
    """Leave out what a text can do without and still fail in the same way, in ever smaller pieces."""
    end = monotonic() + seconds
    first = _try(target, text, limit)
    if first is None:
        return None
    error, length = first, len(text) // 2
    while length and not isinstance(first, TooSlowError):
        at = 0
        while at < len(text) and monotonic() < end:
            shorter = text[:at] + text[at + length :]
            found = _try(target, shorter, limit)
            if type(found) is type(first):
                text, error = shorter, found
            else:
                at += length
        length //= 2
    return Failure.of(text, error)


def _hypothesis(run: _Round, number: int, phases: Sequence[Phase]) -> None:
    def check(value: object) -> None:
        run.check(value)

    test = seed(number)(given(run.target.inputs())(check))
    settings(
        max_examples=_ROUND,
        deadline=None,
        derandomize=False,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )(test)()


def run_once(target: Target, value: object, limit: float) -> None:
    """Put one input to a target.

    Raises:
        TooSlowError: it took longer than ``limit`` seconds.
    """
    with time_limit(limit):
        target.check(value)


# ---------------------------------------------------------------- failing inputs on disk


def save(folder: Path, name: str, failure: Failure) -> Path:
    """Write a failing input to a file of its own, and its traceback beside it; returns the input's file."""
    data = failure.value.encode("utf-8", "surrogatepass") if isinstance(failure.value, str) else None
    # What is not a text is written as Python; it is there to be read.
    written = repr(failure.value).encode("utf-8", "backslashreplace") if data is None else data
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(written).hexdigest()[:12]}{'.repr' if data is None else '.txt'}"
    path.write_bytes(written)
    path.with_suffix(".trace").write_text(failure.trace, encoding="utf-8", errors="backslashreplace")
    return path


def load(data: bytes) -> str:
    """The text that a file of :func:`save` holds; of any other bytes, a text as near as can be."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")
