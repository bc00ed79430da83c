"""The command line of the mutants: ``python -m tests.mutants PACKAGE``."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from tests.corpus import ROOT
from tests.mutants.mutations import Mutant, choose_mutants

# Runs pytest, with some memory only. What passes must have imported the package from here, or it says nothing.
_RUN = """
import os, resource, sys
import pytest
resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
here, package = os.path.join(os.getcwd(), ""), sys.argv[1]
failed = pytest.main(sys.argv[2:])
ours = [module for name, module in sys.modules.items() if name.partition(".")[0] == "planspec_lark"]
is_here = package in sys.modules and all((module.__file__ or here).startswith(here) for module in ours)
sys.exit(failed or (0 if is_here else "not the copy"))
"""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Say of each mutant whether the tests find it."""
    options = _parse_options(arguments)
    end = monotonic() + options.minutes * 60
    seed = options.seed or _git(root, "rev-parse", "HEAD")[0]
    mutants = choose_mutants(root, f"planspec_lark/{options.package}", options.count, seed)
    fates: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.workers) as pool:
        trials = _Trials(options, root, Path(folder).resolve(), end)
        print(f"seed {seed}, {len(mutants)} mutants, each for at most {trials.limit:.0f} seconds", flush=True)
        for mutant, fate in zip(mutants, pool.map(trials.judge, mutants), strict=True):
            fates[fate] += 1
            print(f"{fate}: {mutant.file}:{mutant.line}: {mutant.change}", flush=True)
    print(", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())))
    return 0


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=".ci/mutants", description="Put small faults into a package, and test it.")
    parser.add_argument("package", metavar="PACKAGE", help="a folder of planspec_lark")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="how many faults (default 200)")
    parser.add_argument("--seed", metavar="TEXT", help="which ones (default: the commit)")
    parser.add_argument("--minutes", type=float, default=30, metavar="N", help="for all of it (default 30)")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="what is run (default tests/PACKAGE)")
    parser.add_argument("--without", nargs="+", default=[], metavar="FILE", help="say what only these files find")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="at once")
    return parser.parse_args(arguments)


class _Trials:
    """Runs of the tests in copies of the checkout, one for each worker."""

    def __init__(self, options: argparse.Namespace, root: Path, folder: Path, end: float) -> None:
        self._package, self._end, self.limit = f"planspec_lark.{options.package}", end, end - monotonic()
        left_out = [f"--ignore={file}" for file in options.without]
        self._runs = {"killed": [*(options.tests or [f"tests/{options.package}"]), *left_out]}
        if options.without:
            self._runs[f"killed only by {' '.join(options.without)}"] = options.without
        first = folder / "0"
        for name in _git(root, "ls-files", "-co", "--exclude-standard"):
            if (root / name).is_file():
                (first / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, first / name)
        longest = 0.0
        for words in self._runs.values():
            start = monotonic()
            if (status := self._test(first, words)) != 0:
                output = (first / "output").read_text(errors="replace")
                sys.exit(f"without a fault, {' '.join(words)} ends with {status}: {output[-2000:]}")
            longest = max(longest, monotonic() - start)
        self.limit = 5 + 4 * longest
        self._trees: SimpleQueue[Path] = SimpleQueue()
        self._trees.put(first)
        # With what Python has compiled by now.
        for number in range(1, options.workers):
            self._trees.put(shutil.copytree(first, folder / str(number)))

    def judge(self, mutant: Mutant) -> str:
        """What becomes of a mutant."""
        tree = self._trees.get()
        file = tree / mutant.file
        text = file.read_bytes()
        _write(file, mutant.text.encode())
        try:
            for fate, words in self._runs.items():
                status = self._test(tree, words)
                if status is None:
                    return f"{fate} by time" if monotonic() < self._end else "not run"
                if status != 0:
                    return fate
            return "survived"
        finally:
            _write(file, text)
            self._trees.put(tree)

    def _test(self, tree: Path, words: list[str]) -> int | None:
        """How pytest ends; None if it does not in time."""
        command = [sys.executable, "-c", _RUN, self._package, "-x", "-q", "-p", "no:cacheprovider", *words]
        scratch = tree.with_suffix(".tmp")
        scratch.mkdir(exist_ok=True)
        # Processes that tests start import the copy as well.
        variables = {**os.environ, "PYTHONPATH": str(tree), "TMPDIR": str(scratch)}
        with (tree / "output").open("wb") as out:
            process = subprocess.Popen(
                command,
                cwd=tree,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            return process.wait(max(0, min(self.limit, self._end - monotonic())))
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shutil.rmtree(scratch, ignore_errors=True)


def _write(file: Path, text: bytes) -> None:
    """Change a module, and forget what was compiled: its time and length may be the same."""
    file.write_bytes(text)
    for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
        compiled.unlink()


def _git(root: Path, *words: str) -> list[str]:
    command = ["git", "-c", "core.quotePath=false", *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, encoding="utf-8").stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
