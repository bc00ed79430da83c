"""Import real files of public repositories, and check what was made of them: ``python -m tests.exchange.real_files``.

The files are named in ``real_files.json``, each with its repository, its commit, its hash and the format that a careful
person sees in it. They are no part of this project: what the cache does not hold yet is fetched from GitHub. What is
checked of a file is said at each function of :data:`CHECKS`; its tasks are counted by :mod:`.counting`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark import PlanStatus, iter_steps, parse_plan, serialize_plan
from planspec_lark.exchange import import_text
from tests.cli.running import run
from tests.exchange.counting import Count, count, tasks_of

__all__ = ["CHECKS", "Case", "Outcome", "RealFile", "examine", "main", "read_table", "show"]

_TABLE = Path(__file__).with_name("real_files.json")
_TIMEOUT = 30
_FATES = ("carried", "kept", "left_out")
_MARKER = re.compile(r"(?:\s*(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[.?\]\*?(?=\s|$))?)?(?P<text>.*)")
_NO_WORDS = re.compile(r"\.(?:id|status|dependencies)$")


@frozen
class RealFile:
    """A file of a public repository at one commit, and for some of them as it was at an earlier one."""

    repository: str
    commit: str
    path: str
    format: str
    sha256: str
    earlier: RealFile | None = None

    @property
    def url(self) -> str:
        """Where GitHub has it."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{urllib.parse.quote(self.path)}"

    def fetch(self, cache: Path) -> Path:
        """Its place in the cache, to which it is brought first where it is missing.

        Raises:
            OSError: it cannot be fetched.
            ValueError: its hash is another one.
        """
        place = cache / self.repository / self.commit / self.path
        if not place.exists():
            with urllib.request.urlopen(self.url, timeout=_TIMEOUT) as answer:
                content = answer.read()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        if (found := hashlib.sha256(place.read_bytes()).hexdigest()) != self.sha256:
            raise ValueError(f"its hash is {found} instead of {self.sha256}")
        return place


def read_table(path: Path = _TABLE) -> list[RealFile]:
    """The files that are named in a table."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [_read_row(row["repository"], row["commit"], file) for row in rows for file in row["files"]]


def _read_row(repository: str, commit: str, row: Mapping[str, Any]) -> RealFile:
    file = RealFile(repository, commit, row["path"], row["format"], row["sha256"])
    return evolve(file, earlier=evolve(file, **row["earlier"])) if "earlier" in row else file


# ---------------------------------------------------------------- one file


@define
class Case:
    """A file, and what the command line has made of it.

    Attributes:
        format: the format that it is in.
        source: its text.
        guessed: the format that was found out.
        report: the report of the import.
        plan: the text of the plan.
        exported: the text that the plan gives in the format of the file.
        done: the file once the first open step of the plan is done.
        again: the plan that this text gives.
        updated: the plan once it has been updated by the same file.
        later: what the plan of an earlier version, if there is one, exports once it has been updated by the file.
        errors: what ``planspec check`` says is wrong with the plan.
        warnings: what it says besides.
    """

    format: str
    source: str
    guessed: str = ""
    report: dict[str, Any] = field(factory=dict)
    plan: str = ""
    exported: str = ""
    done: str = ""
    again: str = ""
    updated: str = ""
    later: str | None = None
    errors: list[str] = field(factory=list)
    warnings: list[str] = field(factory=list)

    @property
    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """All entries of the report, each with its list."""
        return [(fate, entry) for fate in _FATES for entry in self.report[fate]]


@define
class Outcome:
    """What was found out about a file.

    Attributes:
        file: the file.
        count: its tasks, as they were counted.
        checks: for each check that was made, what is wrong; empty where nothing is.
    """

    file: RealFile
    count: Count = field(factory=lambda: Count(0, 0))
    checks: dict[str, str] = field(factory=dict)

    @property
    def failed(self) -> dict[str, str]:
        """The checks that failed, and why."""
        return {check: wrong for check, wrong in self.checks.items() if wrong}


def read_case(path: Path, form: str, folder: Path, earlier: Path | None = None) -> Case:
    """Import a file, check the plan, export it, update it; and update the plan of an earlier version by the file.

    Raises:
        ValueError: it cannot be imported.
    """
    case = Case(form, path.read_bytes().decode("utf-8", "replace"))
    plan, report = folder / "plan.md", folder / "report.json"
    for old in (plan, report):
        old.unlink(missing_ok=True)
    imported = run("import", path, "-o", plan, "--report", report)
    if report.exists():
        case.guessed = json.loads(report.read_text(encoding="utf-8"))["format"]
    if case.guessed != form:
        imported = run("import", path, "--from", form, "-o", plan, "--report", report)
    if not report.exists():
        raise ValueError(imported.stderr.strip())
    case.report = json.loads(report.read_text(encoding="utf-8"))
    case.plan = plan.read_text(encoding="utf-8")
    for found in json.loads(run("check", "--format", "json", plan).stdout)["diagnostics"]:
        told = case.errors if found["severity"] == "error" else case.warnings
        told.append(f"{found['code']} {found['message']}")
    case.exported = run("export", plan, "--to", form).stdout
    case.again = run("import", "-", "--from", form, stdin=case.exported).stdout
    run("import", path, "--from", form, "--into", plan)
    case.updated = plan.read_text(encoding="utf-8")
    case.done = _with_one_done(path, form, folder)
    if earlier is not None:
        run("import", earlier, "--from", form, "-o", plan)
        run("import", path, "--from", form, "--into", plan, "--statuses", "source")
        case.later = run("export", plan, "--to", form).stdout
    return case


def _with_one_done(path: Path, form: str, folder: Path) -> str:
    """The text of a file once the first open step of its plan is done."""
    text = path.read_bytes().decode("utf-8", "replace")
    plan = import_text(text, form).plan
    steps = (step for step in iter_steps(plan) if not step.children and step.status is PlanStatus.PENDING)
    if (step := next(steps, None)) is not None:
        step.status = PlanStatus.DONE
    copy = folder / path.name
    copy.write_bytes(text.encode())
    (folder / "done.md").write_text(serialize_plan(plan), encoding="utf-8")
    run("export", folder / "done.md", "--into", copy)
    return copy.read_bytes().decode()


# ---------------------------------------------------------------- checks


def _detected(case: Case) -> str:
    """The format is found out without being told."""
    return "" if case.guessed == case.format else f"read as {case.guessed or 'nothing'}"


def _counted(case: Case) -> str:
    """The report has as many tasks, and as many done, as were counted without the reader."""
    wanted = count(case.source, case.format)
    found = Count(case.report["tasks"], case.report["done"])
    return "" if found == wanted else f"{found.tasks} tasks, {found.done} done; counted {wanted.tasks}, {wanted.done}"


def _accounted(case: Case) -> str:
    """Each line that is not blank, or each field, is in one of the report's lists, and no other is."""
    said = Counter(_key(case, entry) for _, entry in case.entries)
    there = _units(case).keys()
    wrong = [f"not named: {key}" for key in there - said.keys()]
    wrong += [f"not there: {key}" for key in said.keys() - there - _holders(case)]
    wrong += [f"named twice: {key}" for key, times in said.items() if times > 1]
    return _some(wrong)


def _in_plan(case: Case) -> str:
    """Each word of what is carried or kept stands in the plan, as often as it does in the source."""
    units = _units(case)
    there = Counter(_words(case.plan))
    words: Counter[str] = Counter()
    for fate, entry in case.entries:
        if fate != "left_out":
            words.update(_words(units.get(_key(case, entry), "")))
    return _some(f"{word} ({times} times)" for word, times in (words - there).items())


def _passes(case: Case) -> str:
    """The plan passes ``planspec check``."""
    return _some(case.errors)


def _clean(case: Case) -> str:
    """The plan passes ``planspec check --strict``."""
    return _some(case.warnings)


def _one_line(case: Case) -> str:
    """Once a step is done, one line of the file is another one, or, where it has no place for that, none."""
    pairs = [*zip_longest(case.source.split("\n"), case.done.split("\n"))]
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    return "" if len(changed) <= 1 else f"{len(changed)} lines are others"


def _same_again(case: Case) -> str:
    """What was exported gives the same plan, but for the names of tasks that had no number."""
    return _first_difference(*("\n".join(_outline(text)) for text in (case.plan, case.again)))


def _outline(text: str) -> Iterator[str]:
    for step in iter_steps(parse_plan(text)):
        yield "\n".join([f"{step.step_id} {step.status.value} {step.description}", *step.detail])


def _not_updated(case: Case) -> str:
    """To update the plan by the file it was made of changes nothing."""
    return _first_difference(case.plan, case.updated)


def _later_version(case: Case) -> str | None:
    """The plan of an earlier version, updated, has each task as often as the file, with its status."""
    if case.later is None:
        return None
    wanted, found = (Counter(tasks_of(text, case.format)) for text in (case.exported, case.later))
    texts, more = (Counter(text for text, _ in counted.elements()) for counted in (wanted, found))
    lost = [f"lost: {text}" for text, _ in (wanted - found).elements()]
    return _some([*lost, *(f"doubled: {text}" for text in texts if more[text] > texts[text])])


CHECKS: Mapping[str, Callable[[Case], str | None]] = {
    "format found out": _detected,
    "counts agree": _counted,
    "all accounted for": _accounted,
    "all in the plan": _in_plan,
    "`check` finds no error": _passes,
    "`check` finds no warning": _clean,
    "one DONE is one line": _one_line,
    "same plan again": _same_again,
    "nothing to update": _not_updated,
    "updated from an earlier version": _later_version,
}
# The checks before those, without which there is nothing to check.
_FETCHED, _IMPORTED = "fetched", "imported"


def _some(wrong: Iterable[str], most: int = 3) -> str:
    wrong = [*wrong]
    return "; ".join(wrong[:most]) + (f"; {len(wrong) - most} more" if len(wrong) > most else "")


def _first_difference(wanted: str, found: str) -> str:
    pairs = zip_longest(wanted.split("\n"), found.split("\n"), fillvalue="")
    return next((f"{other!r} instead of {one!r}" for one, other in pairs if one != other), "")


def _words(text: str) -> list[str]:
    # A plan may spell a text as JSON, where a line ends with a backslash and an `n`.
    return re.findall(r"\w+", re.sub(r"\\[nrt]", " ", text))


# ---------------------------------------------------------------- lines


def _units(case: Case) -> dict[Any, str]:
    """What has to be accounted for: lines that are not blank by number, or fields by path; and the words in them.

    A box, a number, a status and a dependency are no words: the plan says them in its own way.
    """
    if case.format == "task-master":
        fields = [(path, value) for path, value, is_holder in _fields(json.loads(case.source)) if not is_holder]
        return {path: "" if _NO_WORDS.search(path) else _spell(value) for path, value in fields}
    lines = enumerate(case.source.removeprefix("\ufeff").split("\n"), start=1)
    return {number: _text(line) for number, line in lines if line.strip()}


def _text(line: str) -> str:
    match = _MARKER.match(line)
    assert match is not None
    return match["text"]


def _key(case: Case, entry: dict[str, Any]) -> Any:
    return entry["path"] if case.format == "task-master" else entry["line"]


# ---------------------------------------------------------------- JSON


def _fields(root: Any) -> Iterator[tuple[str, Any, bool]]:
    """The fields of the root, of tags and of tasks: path, value, and whether it only holds tasks or tags."""
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        path, owner = todo.pop()
        for key, value in owner.items():
            inner = f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key, ensure_ascii=False)}]"
            below = _owners(inner, key, value)
            todo += below
            yield inner.removeprefix("."), value, bool(below)


def _owners(path: str, key: str, value: Any) -> list[tuple[str, Any]]:
    """What holds fields again below a field: a tag, or each task of a list, with its path."""
    if key in {"tasks", "subtasks"} and isinstance(value, list):
        return [(f"{path}[{at}]", task) for at, task in enumerate(value) if isinstance(task, dict)]
    return [(path, value)] if isinstance(value, dict) and isinstance(value.get("tasks"), list) else []


def _holders(case: Case) -> set[str]:
    """The fields that only hold others, which an account may name as well."""
    if case.format != "task-master":
        return set()
    return {path for path, _, is_holder in _fields(json.loads(case.source)) if is_holder}


def _spell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- all files


def examine(file: RealFile, cache: Path, folder: Path) -> Outcome:
    """Import a file and check what was made of it; what goes wrong is an outcome as well."""
    outcome = Outcome(file)
    try:
        path = file.fetch(cache)
        earlier = None if file.earlier is None else file.earlier.fetch(cache)
    except (OSError, ValueError) as error:
        outcome.checks[_FETCHED] = str(error)
        return outcome
    outcome.count = count(path.read_bytes().decode("utf-8", "replace"), file.format)
    try:
        case = read_case(path, file.format, folder, earlier)
    except Exception as error:
        # One file that breaks the reader is a finding, and the others are looked at.
        outcome.checks[_IMPORTED] = f"{type(error).__name__}: {error}"
        return outcome
    outcome.checks[_IMPORTED] = ""
    for name, check in CHECKS.items():
        if (wrong := check(case)) is not None:
            outcome.checks[name] = wrong
    return outcome


def show(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a table in Markdown, with a column for each format and one for all."""
    formats = sorted({one.file.format for one in outcomes})
    groups = [*([one for one in outcomes if one.file.format == name] for name in formats), outcomes]
    rows = [
        ["", *formats, "all"],
        ["---", *["---:"] * len(groups)],
        ["files", *(str(len(group)) for group in groups)],
        ["repositories", *(str(len({one.file.repository for one in group})) for group in groups)],
        ["tasks", *(str(sum(one.count.tasks for one in group)) for group in groups)],
        ["tasks done", *(str(sum(one.count.done for one in group)) for group in groups)],
        *([check, *(_passed(check, group) for group in groups)] for check in (_IMPORTED, *CHECKS)),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _passed(check: str, outcomes: Sequence[Outcome]) -> str:
    checked = [one.checks[check] for one in outcomes if check in one.checks]
    return f"{checked.count('')} of {len(checked)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine all files and print what was found; 1 where anything disagrees, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.exchange.real_files", description="Import real files.")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "planspec_real_files", metavar="FOLDER"
    )
    parser.add_argument(
        "--table", type=Path, default=_TABLE, metavar="FILE", help="the files, as real_files.json has them"
    )
    parser.add_argument("--only", metavar="FORMAT", help="the files of this format alone")
    options = parser.parse_args(arguments)
    files = [file for file in read_table(options.table) if options.only in (None, file.format)]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = [examine(file, options.cache, Path(folder)) for file in files]
    for outcome in outcomes:
        for check, why in outcome.failed.items():
            print(f"{outcome.file.format}  {outcome.file.repository}  {outcome.file.path}\n    {check}: {why}")
    print(show(outcomes), end="")
    return 1 if any(outcome.failed for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
