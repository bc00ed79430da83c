"""``python -m tests.oracle``: ask both, and list every difference that is not wanted."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.oracle.cases import Case, make_cases
from tests.oracle.wanted import WANTED
from tests.oracle.wheels import BASE, HOME, environment_of_base, environment_of_tree

_PROGRAM = Path(__file__).with_name("operations.py")
_SHOWN = 300


class Difference(NamedTuple):
    """Where two answers differ, and what stands there."""

    path: str
    old: Any
    new: Any


def compare(old: Any, new: Any, path: str = "$") -> Iterator[Difference]:
    """Where two JSON values differ, in their order."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from compare(old.get(key, "<none>"), new.get(key, "<none>"), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from compare(one, other, f"{path}[{at}]")
    elif old != new:
        yield Difference(path, old, new)


def _answers(cases: Path, folder: Path, is_quick: bool) -> tuple[Path, Path]:
    """What both answer, asked side by side. What the commit's wheel answers is kept, as it stays the same."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder), "PYTHONHASHSEED": "0"}
    asked = hashlib.blake2b(cases.read_bytes() + _PROGRAM.read_bytes(), digest_size=8).hexdigest()
    kept = HOME / f"{BASE}-{asked}.jsonl"
    tree = Path(sys.executable) if is_quick else environment_of_tree()
    running = []
    for python, out in ((environment_of_base(), folder / "old"), (tree, folder / "new")):
        if out.name == "old" and kept.exists():
            continue
        with open(cases, "rb") as given, open(out, "wb") as answered:
            call: list[str | Path] = [python, "-I", _PROGRAM]
            running.append((subprocess.Popen(call, stdin=given, stdout=answered, env=environment, cwd=folder), out))
    for process, out in running:
        if process.wait():
            sys.exit(f"{out.name}: the program has ended with exit code {process.returncode}")
    if not kept.exists():
        shutil.copy(folder / "old", kept)
    return kept, folder / "new"


def _shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def main() -> None:
    """Ask, compare, and leave with 1 where something differs that is not wanted."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--texts", type=int, default=20_000, help="How many texts are made beside the fixtures.")
    parser.add_argument("--only", help="Only cases of this kind.")
    parser.add_argument("--most", type=int, default=20, help="How many differences are shown.")
    parser.add_argument("--quick", action="store_true", help="Ask the installed package, without building a wheel.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = folder / "cases"
        cases: list[Case] = [case for case in make_cases(BASE, options.texts) if options.only in (None, case["kind"])]
        made.write_text("".join(json.dumps(case) + "\n" for case in cases))
        old, new = _answers(made, folder, options.quick)
        wanted, unwanted = Counter[str](), 0
        with open(old) as before, open(new) as after:
            for case, one, other in zip(cases, before, after, strict=True):
                if one == other:
                    continue
                for found in compare(json.loads(one), json.loads(other)):
                    reason = next(
                        (why for why, fits in WANTED.items() if fits(case, found.path, found.old, found.new)), None
                    )
                    if reason is not None:
                        wanted[reason] += 1
                        continue
                    unwanted += 1
                    if unwanted <= options.most:
                        print(f"{case['id']}: {found.path}\n  text: {_shorten(case['text'])}")
                        print(f"  old: {_shorten(found.old)}\n  new: {_shorten(found.new)}")
        for reason, count in wanted.items():
            print(f"wanted, {count} times: {reason}")
        kinds = Counter(case["kind"] for case in cases)
        asked = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        print(f"{len(cases)} cases ({asked}): {unwanted} differences")
        sys.exit(1 if unwanted else 0)


if __name__ == "__main__":
    main()
