"""The command line of the fuzz job: ``python -m tests.fuzz``."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from time import monotonic

# What the job needs is imported in the functions, since coverage has to be woven in before (see guided.py).

READERS = (
    "parse_plan",
    "parse_tree",
    "scan_plan",
    "PlanStream",
    "check_text",
    "plan_commands",
    "apply_commands",
    "versions",
    "PlanDocument",
    "plan_from_json",
    "plan_from_dict",
    "hopspec",
    "read_json",
    "decode",
    "models",
    "parse_message",
    "context_from_json",
    "read_executors",
    "tool_plans",
    "repair",
    "plans_in_answers",
    "reflections",
    "read_execution",
    "streams",
    "tool_runs",
)
# Seconds for a target before it is the next one's turn.
_TURN = 20.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for some time, or try a file again; 1 where a fault was found, else 0."""
    options = _parse_options(arguments)
    if options.again:
        return _run_again(options)
    number = options.seed if options.seed is not None else random.randrange(10**9)
    names = options.reader or list(READERS)
    print(f"seed {number}, {options.minutes:g} minutes, {', '.join(names)}", flush=True)
    if options.atheris:
        from tests.fuzz.guided import fuzz_guided

        return fuzz_guided(names, seconds=options.minutes * 60, seed=number, folder=options.out)
    return _run(names, options.minutes * 60, number, options)


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Put hostile input to all readers.")
    parser.add_argument("--minutes", type=float, default=10, metavar="N", help="for how long (default 10)")
    parser.add_argument("--seed", type=int, metavar="N", help="where to start, to repeat a run")
    parser.add_argument("--reader", action="append", choices=READERS, metavar="NAME", help=", ".join(READERS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"), metavar="DIR", help="for failing inputs")
    parser.add_argument("--limit", type=float, default=10, metavar="S", help="seconds for one input (default 10)")
    parser.add_argument("--again", type=Path, metavar="FILE", help="try this input only, with all readers or --reader")
    parser.add_argument("--atheris", action="store_true", help="let coverage guide (needs the extra fuzz)")
    return parser.parse_args(arguments)


def _run(names: Sequence[str], seconds: float, number: int, options: argparse.Namespace) -> int:
    from tests.fuzz.running import fuzz, save
    from tests.fuzz.targets import TARGETS

    end = monotonic() + seconds
    turn = min(_TURN, seconds / len(names))
    failed: set[str] = set()
    counts = dict.fromkeys(names, 0)
    for place, name in enumerate(cycle(names)):
        if monotonic() >= end or failed == set(names):
            break
        if name in failed:
            continue
        # Turns have seeds far from each other, as each uses up a few.
        seed = number + place // len(names) * 1_000_000
        tried, failure = fuzz(TARGETS[name], seconds=turn, first_seed=seed, limit=options.limit)
        counts[name] += tried
        if failure:
            failed.add(name)
            path = save(options.out, name, failure)
            print(f"{name}: a fault, seed {seed}: {path}\n{failure.trace}", flush=True)
    for name in names:
        print(f"{name}: {counts[name]:,} inputs, {'a fault' if name in failed else 'no fault'}")
    return 1 if failed else 0


def _run_again(options: argparse.Namespace) -> int:
    from tests.fuzz.running import load, run_once
    from tests.fuzz.targets import TARGETS

    text = load(options.again.read_bytes())
    for name in options.reader or [name for name in READERS if name != "plan_from_dict"]:
        run_once(TARGETS[name], text, options.limit)
        print(f"{name}: no fault")
    return 0


if __name__ == "__main__":
    sys.exit(main())
