"""What a shell completes: names of plans and ids of steps, by a real bash, quickly, and without a word of complaint."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import BROKEN, MAIN, PLAN, call, environment

CONTAINERS = "Goal: g\n## Steps\n" + "".join(f"{n}. [act] Step {n} → v{n}\n" for n in range(1, 30))


@pytest.fixture(autouse=True)
def plans(here: Path) -> None:
    for name in ("library", "light", "车险", "two words", "semi;colon", "$(touch evil)", "a\x1bb", "-x", ".hidden"):
        path = here / "planspec" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PLAN)
    (here / "planspec/many.md").write_text(CONTAINERS)
    (here / "planspec/ill.md").write_text(BROKEN)
    (here / "Tasks/roof").mkdir(parents=True)
    (here / "Tasks/roof/plan.md").write_text(PLAN)


def ask(line: str, shell: str = "bash") -> list[str]:
    """What the command answers to a shell, with ``line`` typed up to its end."""
    words = line.split(" ")
    variables = {
        "COMP_WORDS": "\n".join(words) if shell == "bash" else line,
        "COMP_CWORD": str(len(words) - 1) if shell != "fish" else words[-1],
        "_PLANSPEC_COMPLETE": f"{shell}_complete",
    }
    done = call(env=variables)
    assert (done.returncode, done.stderr) == (0, b"")
    return [one for one in done.stdout.decode().splitlines() if one]


NAMES = ["ill", "library", "light", "many", "车险"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("planspec sho", ["plain,show"]),
        ("planspec li", ["plain,list"]),
        ("planspec show li", ["file,li", "plain,library", "plain,light"]),
        (
            "planspec show ",
            ["file,", *(f"plain,{name}" for name in ["ill", "library", "light", "many", "车险", "roof"])],
        ),
        ("planspec archive ", [f"plain,{name}" for name in NAMES]),
        ("planspec new ", [f"plain,{name}" for name in NAMES]),
        ("planspec check plan.md ro", ["file,ro", "plain,roof"]),
        ("planspec show library --expand ", ["plain,1", "plain,2", "plain,2.1", "plain,2.2", "plain,3"]),
        ("planspec show library --expand 2.", ["plain,2.1", "plain,2.2"]),
        ("planspec show plan.md --collapse 2", ["plain,2", "plain,2.1", "plain,2.2"]),
        ("planspec show roof --expand 3", ["plain,3"]),
        ("planspec focus library 2.", ["plain,2.1", "plain,2.2"]),
        ("planspec next li", ["file,li", "plain,library", "plain,light"]),
        ("planspec show nope --expand ", []),
        ("planspec show --expand ", []),
        ("planspec show fifo --expand ", []),
        ("planspec show - --expand ", []),
        ("planspec --vers", ["plain,--version"]),
        ("planspec list --folder ", ["dir,"]),
        ("planspec list --js", ["plain,--json"]),
    ],
)
def test_what_is_offered(line: str, found: list[str]) -> None:
    os.mkfifo("fifo")
    assert ask(line) == found


def test_steps_say_what_they_are() -> None:
    assert ask("planspec show library --expand 2.", "zsh") == [
        "plain",
        "2.1",
        "Hire a lorry",
        "plain",
        "2.2",
        "Find the best order of the rooms",
    ]
    assert ask("planspec show library --expand 2.", "fish") == [
        "plain,2.1\tHire a lorry",
        "plain,2.2\tFind the best order of the rooms",
    ]


def test_commands_say_what_they_do() -> None:
    assert ask("planspec arch", "fish") == ["plain,archive\tMove a finished plan to planspec/archive/."]
    assert ask("planspec gr", "fish")[0] == "plain,graph\tWrite a plan as a diagram."


def test_what_steps_say_is_one_harmless_line() -> None:
    evil = "\u009b31m\u2028x\ty" + "z" * 100_000
    Path("planspec/evil.md").write_text(f"Goal: g\n## Steps\n1. [act] {evil}\n", encoding="utf-8")
    (line,) = ask("planspec show evil --expand ", "fish")
    assert line == f"plain,1\t\\x9b31m x y{'z' * 52}"


def test_a_long_list_is_cut_and_a_long_plan_is_not_read() -> None:
    for number in range(600):
        Path(f"planspec/n{number:03}.md").write_text("")
    assert len(ask("planspec archive n")) == 500
    Path("planspec/long.md").write_text(CONTAINERS + "> x" * 400_000)
    assert ask("planspec show long --expand ") == []


def test_a_broken_plan_has_the_steps_that_could_be_read() -> None:
    Path("planspec/half.md").write_text("Goal: g\n## Steps\n1. [act] one\n2) two\n3. [act] three\n")
    assert ask("planspec show half --expand ") == ["plain,1", "plain,3"]


def test_the_folder_counts(here: Path) -> None:
    (here / "project").mkdir()
    os.rename("planspec", "project/planspec")
    assert ask("planspec archive --folder project li") == ["plain,library", "plain,light"]
    assert ask("planspec show --folder project library --expand 3") == ["plain,3"]


# ---------------------------------------------------------------- bash itself


@pytest.fixture
def path(here: Path) -> str:
    """Where a shell finds the command."""
    program = here / "bin/planspec"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{MAIN}\n")
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def test_bash_asks_and_gets(path: str) -> None:
    script = """
eval "$(_PLANSPEC_COMPLETE=bash_source planspec)"
try() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
  _planspec_completion planspec 2> /dev/null
  printf '%s|' "${COMPREPLY[@]}"; echo
}
try planspec archive li
try planspec show library --expand 2.
try planspec arch
try planspec archive ''
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment({"PATH": path}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines() == ["library|light|", "2.1|2.2|", "archive|", "ill|library|light|many|车险|"]
    assert done.stderr == ""
    assert not Path("evil").exists()
