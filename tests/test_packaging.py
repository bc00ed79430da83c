"""What is built and installed, away from the checkout: the wheel, the sdist, and the README's first command line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from importlib.metadata import version
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from trove_classifiers import classifiers

from planspec_lark.syntax.grammars import READ
from tests.cli.planning import SCRIPTS, message, write_scripts
from tests.corpus import FIXTURES, ROOT, SHOWCASE

GRAMMARS = sorted(path.name for path in (ROOT / "grammar").iterdir())


def run(*command: str | Path, cwd: Path, **more: str) -> str:
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")} | more
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_checkout(target: Path) -> Path:
    """The files of the checkout as a newcomer gets them."""
    skip = shutil.ignore_patterns(
        "compiled", ".git", ".venv*", "__pycache__", "*.egg-info", "dist", ".*_cache", ".hypothesis"
    )
    return Path(shutil.copytree(ROOT, target / "checkout", ignore=skip))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist, both built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("built")
    checkout = copy_checkout(folder)
    build = (sys.executable, "-m", "build", "--sdist", "--wheel", "--outdir", folder, checkout)
    run(*build, cwd=folder, PLANSPEC_REPOSITORY_URL="https://example.org/planspec_lark/")
    return folder


@pytest.fixture(scope="module")
def fresh_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "venv", with_pip=True)
    return folder / "venv" / "bin"


def test_the_wheel_holds_what_it_should(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"planspec_lark/grammar/{name}" for name in GRAMMARS} <= names
    assert {f"planspec_lark/compiled/{language}.json" for language in READ} <= names
    assert "planspec_lark/explanations/plans.md" in names
    assert "planspec_lark/py.typed" in names
    assert "planspec_lark/plan_next/wording/guess_words.toml" in names
    prompts = {path.name for path in (ROOT / "planspec_lark" / "plan_next" / "templates").iterdir()}
    assert prompts == {
        f"{name}.{language}.md" for name in ("planner", "executor", "repair") for language in ("en", "zh")
    }
    assert {f"planspec_lark/plan_next/templates/{name}" for name in prompts} <= names
    of_engine = {path.name for path in (ROOT / "planspec_lark" / "engine" / "templates").iterdir()}
    assert len(of_engine) == 14
    assert {f"planspec_lark/engine/templates/{name}" for name in of_engine} <= names
    assert {f"planspec_lark/planspec/templates/format.{language}.md" for language in ("en", "zh")} <= names
    skills = {path.name for path in (ROOT / "planspec_lark" / "agents" / "templates").iterdir()}
    assert len(skills) == 10
    assert {f"planspec_lark/agents/templates/{name}" for name in skills} <= names
    assert {f"planspec_lark/html/templates/page.{kind}" for kind in ("html", "css", "js")} <= names
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2, tops


def test_the_metadata_are_those_of_a_release(built: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *built.glob("planspec_lark-*"), cwd=built)
    (wheel,) = built.glob("*.whl")
    (name,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(zipfile.ZipFile(wheel).read(name))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "Source, https://example.org/planspec_lark" in metadata.get_all("Project-URL", [])
    assert set(metadata.get_all("Classifier", [])) <= classifiers
    # Package indexes show the README, and know no file beside it.
    payload = metadata.get_payload(decode=True)
    assert isinstance(payload, bytes)
    shown = payload.decode("utf-8")
    assert set(re.findall(r"\]\((https?:/+[^/)]+|[^/)]+)", shown)) == {"https://example.org"}
    assert "](https://example.org/planspec_lark/raw/main/docs/terminal.svg)" in shown
    assert "](https://example.org/planspec_lark/blob/main/docs/tutorial.md)" in shown


READ_ALL = """
import pathlib, sys
import lark
from planspec_lark import *
from planspec_lark.hopspec import HopSpecTransformer, parse_hopspec, parse_hopspec_tree
assert lark.__version__ == sys.argv[2]
for path in pathlib.Path(sys.argv[1]).glob("planspec/valid/*.md"):
    text = path.read_text(encoding="utf-8")
    assert parse_plan(text) == parse_plan(text, accelerate=False), path
    assert parse_plan(serialize_plan(parse_plan(text))) == parse_plan(text)
for path in pathlib.Path(sys.argv[1]).glob("planspec/invalid/*.md"):
    try:
        parse_plan(path.read_text(encoding="utf-8", errors="replace"))
    except PlanSyntaxError as error:
        print(*(found.code for found in error.diagnostics), *error.diagnostics[0].expected)
for path in pathlib.Path(sys.argv[1]).glob("hopspec/valid/*.md"):
    text = path.read_text(encoding="utf-8")
    assert parse_hopspec(text) == HopSpecTransformer().transform(parse_hopspec_tree(text)), path
commands = "PLAN_CMD: DONE 1 | so\\nPLAN_CMD: ADD 2 [act] Look → x\\n> ← y\\n"
assert parse_plan_commands(commands) == parse_plan_commands(commands, accelerate=False) != []
"""


def test_the_wheel_reads_the_same_with_its_lowest_bounds(built: Path, tmp_path: Path) -> None:
    """With the lowest versions that it says it can do with, Lark's among them, all that it needs."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lowest = dict(re.findall(r"([\w-]+)>=([\d.]+)", "\n".join(needs)))
    assert lowest.keys() > {"lark"}
    assert len(lowest) == len(needs)
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    pinned = [f"{name}=={version}" for name, version in lowest.items()]
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, *pinned, cwd=tmp_path)
    old = run(python, "-c", READ_ALL, FIXTURES, lowest["lark"], cwd=tmp_path)
    assert old == run(sys.executable, "-c", READ_ALL, FIXTURES, version("lark"), cwd=ROOT) != ""
    assert "Progress: 4/16" in run(tmp_path / "venv" / "bin" / "planspec", "show", SHOWCASE, cwd=tmp_path)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_alone_does_what_the_release_tries(built: Path, tmp_path: Path, version: str) -> None:
    """The commands of the release's workflow, in an environment that has nothing but the wheel."""
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-V"], capture_output=True, check=False).returncode:
        pytest.skip(f"there is no Python {version} here")
    workflow = YAML(typ="safe").load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    install, *commands = (step["run"] for step in workflow["jobs"]["install"]["steps"] if "run" in step)
    assert install == "python -m pip install dist/*.whl"
    run(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    (wheel,) = built.glob("*.whl")
    run(tmp_path / "venv/bin/python", "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    path = f"{tmp_path / 'venv/bin'}{os.pathsep}{os.environ['PATH']}"
    said = [run("bash", "-ec", command, cwd=tmp_path, PATH=path) for command in commands]
    assert said[0].startswith("planspec 0.")
    assert "[>]" in said[-1]


def test_the_sdist_builds_again(built: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    assert sorted(path.name for path in (folder / "grammar").iterdir()) == GRAMMARS
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, folder, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert f"planspec_lark/grammar/{GRAMMARS[0]}" in zipfile.ZipFile(wheel).namelist()


def test_an_installed_wheel_runs_away_from_the_checkout(built: Path, fresh_python: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    run(fresh_python / "python", "-m", "pip", "install", "-q", f"{wheel}[cli]", cwd=tmp_path)
    shutil.copy(SHOWCASE, tmp_path / "plan.md")
    shown = run(fresh_python / "planspec", "show", "plan.md", cwd=tmp_path)
    assert shown.startswith("═══ PlanSpec: Overhaul of quay crane 7 ═══\n")
    assert "1 file checked" in run(fresh_python / "planspec", "check", "plan.md", cwd=tmp_path)
    assert run(fresh_python / "planspec", "explain", "PS110", cwd=tmp_path).startswith("PS110 bad-id\n\nError: ")
    code = "from planspec_lark.syntax import grammars as g; print(g.grammar_path('planspec')); g.parser('plan_cmd')"
    where = run(fresh_python / "python", "-c", code, cwd=tmp_path).strip()
    assert where.endswith("site-packages/planspec_lark/grammar/planspec.lark")
    # What is ready-made is used: no text makes an installed package load a grammar, and a plan without faults does not
    # even need Lark.
    reading = """
import sys
import planspec_lark as ps
plan = ps.parse_plan(open("plan.md", encoding="utf-8").read())
ps.check_text(ps.serialize_plan(plan))
print("lark" in sys.modules)
ps.scan_plan("so\\n1) [X] [act] a | Progress: x\\n## Steps:\\n- 2. [act] b -> c\\n> <- d\\n").positions.steps
ps.apply_commands(plan, ps.parse_plan_commands("PLAN_CMD: ADD 9 [act] a → b\\n> c\\n"))
ps.scan_plan_commands("PLAN_CMD: done 1\\n")
ps.plan_json_schema()
from planspec_lark.planspec import parse_tree
parse_tree("Goal: a\\n")
from planspec_lark.toolplan import validate_plan_doc
step = {"id": "a", "target": "", "inputs": {"b": "${0.outputs.c} ${d} $${"}}
validate_plan_doc({"target": "", "plan": {"steps": [step]}}, {"a": {"inputs": {"b": "string"}}})
from planspec_lark.syntax import lalr
print("lark" in sys.modules, lalr.load_rules.cache_info().currsize)
"""
    assert run(fresh_python / "python", "-c", reading, cwd=tmp_path).split() == ["False", "True", "0"]


def test_an_installed_wheel_runs_a_planner(built: Path, fresh_python: Path, tmp_path: Path) -> None:
    """With the extra of the command line alone, and with programs that are no Python."""
    (wheel,) = built.glob("*.whl")
    run(fresh_python / "python", "-m", "pip", "install", "-q", f"{wheel}[cli]", cwd=tmp_path)
    write_scripts(tmp_path)
    planspec = fresh_python / "planspec"
    run(planspec, "planner", "start", "Bake", cwd=tmp_path)
    assert run(planspec, "planner", "prompt", "--language", "zh", cwd=tmp_path)
    assert "The goal is reached." in run(planspec, "planner", "run", *SCRIPTS, cwd=tmp_path)
    (tmp_path / "tools.yaml").write_text("- id: oven\n")
    (tmp_path / "bake.json").write_text(message())
    checked = run(planspec, "planner", "check", "bake.json", "--executors", "tools.yaml", cwd=tmp_path)
    assert checked == "1 file checked: nothing to say\n"
    plan = run(planspec, "planner", "show", "--plan", cwd=tmp_path)
    assert plan.startswith("# Plan: Bake\n")


def test_an_installed_wheel_is_a_plugin_of_pytest(built: Path, tmp_path: Path) -> None:
    """With its extra alone; with warnings as errors, also where the package is imported before pytest."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "-q", f"{wheel}[pytest]", cwd=tmp_path)
    lines = ["def test_plan(plan_snapshot):", r"    assert 'Goal: g\n## Steps\n1) [act] a -> b\n' == plan_snapshot", ""]
    (tmp_path / "test_plan.py").write_text("\n".join(lines))
    run(python, "-m", "pytest", "-W", "error", "--snapshot-update", "test_plan.py", cwd=tmp_path)
    assert (tmp_path / "__snapshots__/test_plan/test_plan.md").read_text(encoding="utf-8") == (
        "Goal: g\n## Steps\n1. [act] a → b\n"
    )
    code = "import planspec_lark, pytest, sys; sys.exit(pytest.main(['-W', 'error', 'test_plan.py']))"
    run(python, "-c", code, cwd=tmp_path)


def test_the_base_install_has_the_command_line(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    (wheel,) = built.glob("*.whl")
    run(tmp_path / "venv/bin/python", "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    installed = run(tmp_path / "venv/bin/python", "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    names = {line.split("==")[0].lower() for line in installed.split("\n") if line}
    needed = {"attrs", "cattrs", "click", "lark", "rich", "planspec-lark", "typing_extensions"}
    of_rich = {"markdown-it-py", "mdurl", "pygments"}
    assert names - {"pip", "setuptools"} == needed | of_rich
    planspec = tmp_path / "venv/bin/planspec"
    (tmp_path / "plan.md").write_text("Goal: g\n## Steps\n1. [act] a\n")
    assert run(planspec, "check", "plan.md", cwd=tmp_path).endswith("1 file checked: nothing to say\n")
    assert "make    .claude/skills/planspec/SKILL.md\n" in run(planspec, "init", "--agent", "claude", cwd=tmp_path)
    assert not (tmp_path / ".mcp.json").exists()
    (tmp_path / "planspec/oven.md").write_text("Goal: g\n## Steps\n1. a\n")
    edited = '{"tool_input": {"file_path": "planspec/oven.md"}}'
    done = subprocess.run(
        [planspec, "hook", "post-edit"], cwd=tmp_path, input=edited, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, "error[PS112]" in done.stderr) == (2, "", True)
    (tmp_path / "tools.yaml").write_text("- id: oven\n")
    done = subprocess.run(
        [planspec, "tools", "check", "-", "--atoms", tmp_path / "tools.yaml"],
        input="{}",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'planspec-lark[yaml]'" in done.stderr


def test_the_checkout_finds_its_own_grammars() -> None:
    code = "from planspec_lark.syntax import grammars; print(grammars.grammar_path('planspec'))"
    assert run(sys.executable, "-c", code, cwd=ROOT).strip() == str(ROOT / "grammar" / "planspec.lark")


def test_the_readme_tries_out(tmp_path: Path) -> None:
    """The line under "Try it", in a copy of the checkout, by a Python that has nothing but pip."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"\n## Try it\n.*?```sh install\n(.*?)\n```", text, flags=re.S)
    assert match is not None
    checkout = copy_checkout(tmp_path)
    output = run("bash", "-c", match[1], cwd=checkout)
    assert "═══ PlanSpec: Overhaul of quay crane 7 ═══" in output
    assert (FIXTURES / "planspec" / "valid" / SHOWCASE.name).name in match[1]
