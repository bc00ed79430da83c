"""``python -m tests.backtracking`` measures all expressions of the package, in a fresh interpreter."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.backtracking.collect import collect
from tests.backtracking.measure import find_growth


def main(arguments: Sequence[str] | None = None) -> int:
    """A line for each expression that grows too fast; 1 where there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.backtracking", description="Look for slow expressions.")
    parser.add_argument("only", nargs="*", metavar="TEXT", help="in places with one of these in their names")
    options = parser.parse_args(arguments)
    found = [one for one in collect() if any(text in one.place for text in options.only or [""])]
    bad = 0
    for expression in found:
        if finding := find_growth(expression.pattern, sorted(expression.methods)):
            bad += 1
            attack = finding.attack
            how = f"{finding.method}() grows {finding.growth:.1f}-fold"
            text = f"{attack.before!r} {attack.pump!r}* {attack.end!r}"
            print(f"{expression.place}: {how} by {text}, in {attack.loop}", flush=True)
    print(f"{bad} of {len(found)} expressions grow too fast")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
