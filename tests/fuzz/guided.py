"""The fuzz job with coverage as its guide, by atheris (the extra ``fuzz``).

Each reader runs in a process of its own: libFuzzer ends it when it has found something.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tests.corpus import FIXTURES

__all__ = ["fuzz_guided"]

# Seconds for one input, and the longest input in bytes.
_TIMEOUT, _LONGEST = 20, 4096


def fuzz_guided(names: Sequence[str], *, seconds: float, seed: int, folder: Path) -> int:
    """Fuzz readers one after the other, sharing the time; 1 where a fault was found, else 0.

    Args:
        names: the targets.
        seconds: for how long in all.
        seed: where to start.
        folder: where failing inputs go.
    """
    if find_spec("atheris") is None:
        sys.exit("This needs the extra fuzz: pip install -e '.[fuzz]'")
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in names:
        command = [sys.executable, "-m", "tests.fuzz.guided", name, str(int(seconds / len(names)) or 1), str(seed)]
        failed = subprocess.run([*command, str(folder)], check=False).returncode != 0 or failed
    return int(failed)


def _run(name: str, seconds: str, seed: str, folder: str) -> None:
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["planspec_lark"]):
        targets = import_module("tests.fuzz.targets")
    load = import_module("tests.fuzz.running").load
    check = targets.TARGETS[name].check

    with tempfile.TemporaryDirectory() as found:
        settings = {"max_total_time": seconds, "seed": seed, "timeout": _TIMEOUT, "max_len": _LONGEST}
        settings |= {"artifact_prefix": f"{folder}/{name}-", "dict": _write_words(found), "print_final_stats": 1}
        _write_json(Path(found))
        folders = [found, *map(str, sorted(path for path in FIXTURES.glob("*/*") if path.is_dir()))]
        atheris.Setup(
            ["fuzz", *(f"-{key}={value}" for key, value in settings.items()), *folders], lambda data: check(load(data))
        )
        atheris.Fuzz()


def _write_json(folder: Path) -> None:
    """The plans of the fixtures as JSON, to start from as well."""
    planspec = import_module("planspec_lark")
    for path in sorted((FIXTURES / "planspec" / "valid").glob("*.md")):
        plan = planspec.parse_plan(path.read_text(encoding="utf-8"))
        (folder / f"{path.stem}.json").write_text(planspec.plan_to_json(plan, indent=None), encoding="utf-8")


def _write_words(folder: str) -> str:
    """The pieces of the grammar, as libFuzzer takes them."""
    words = import_module("tests.strategies").FRAGMENTS
    quoted = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in words)
    path = Path(folder) / "words.dict"
    path.write_text("".join(f'"{word}"\n' for word in quoted), encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    _run(*sys.argv[1:])
