"""Every block of code in README.md, CONTRIBUTING.md and docs/ does what the page says.

The word after a block's fence says what it is; ``KNOWN`` lists them. A block with no known word fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from attrs import frozen
from markdown_it import MarkdownIt

from docs.hooks import commands_of, on_page_content, on_page_markdown
from planspec_lark import (
    CommandError,
    Diagnostic,
    PlanStatus,
    PlanStep,
    PlanSyntaxError,
    Severity,
    check_text,
    iter_steps,
    parse_plan,
    parse_plan_commands,
    scan_plan_commands,
    serialize_plan,
)
from planspec_lark.engine import EngineLimits, read_execution, read_reflection
from planspec_lark.engine.generated_plan import read_children
from planspec_lark.exchange import import_text
from planspec_lark.hopspec import check_hopspec, parse_hopspec, serialize_hopspec
from planspec_lark.json_text import read_json
from planspec_lark.json_text.yaml_text import read_yaml
from planspec_lark.plan_cmd.apply import perform
from planspec_lark.plan_cmd.finder import Finder
from planspec_lark.plan_next import MessageError, parse_message
from planspec_lark.syntax import CODES
from planspec_lark.toolplan import AtomsError, check_tool_plan, registry_from_value
from planspec_lark.toolplan.parser import read_doc
from tests.answers.scripted import answered
from tests.cases import in_one_test
from tests.corpus import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@frozen
class Block:
    page: Path
    line: int
    info: str
    text: str
    # The code in the heading above, where that is a heading of a code.
    code: str

    @property
    def file(self) -> str:
        """The name under which a block is a file for the console blocks below it."""
        return self.info.partition(" file=")[2]

    @property
    def id(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


# A code, as headings have it.
CODE = r"(?:P[A-Z]|HS|EX)\d{3}"


def blocks_of(page: Path) -> Iterator[Block]:
    code = ""
    heading = False
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "heading_open":
            heading = True
        elif token.type == "inline" and heading:
            heading = False
            match = re.match(rf"({CODE})\b", token.content)
            code = match[1] if match else ""
        elif token.type == "fence":
            assert token.map is not None
            yield Block(page, token.map[0] + 1, token.info.strip(), token.content, code)


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def of(*infos: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", [b for b in BLOCKS if b.info in infos], ids=lambda block: block.id)


def with_blocks(info: str) -> pytest.MarkDecorator:
    """Run a test with every page that has such blocks."""
    pages = {block.page: str(block.page.relative_to(ROOT)) for block in BLOCKS if block.info == info}
    return pytest.mark.parametrize("page", pages, ids=pages.values())


KNOWN = {
    "output",
    "planspec canonical",
    "planspec bad",
    "planspec good",
    "planspec plan",
    "plan_cmd bad",
    "plan_cmd good",
    "plan_cmd refused",
    "plan_cmd accepted",
    "python",
    "json bad",
    "json good",
    "plan_next message",
    "plan_next bad",
    "plan_next good",
    "plan_return bad",
    "plan_return good",
    "reflection bad",
    "reflection good",
    "text repair",
    "repair bad",
    "repair good",
    "yaml bad",
    "yaml good",
    "planned bad",
    "planned good",
    "hopspec",
    "hopspec bad",
    "hopspec good",
    "execution bad",
    "execution good",
    "decision bad",
    "decision good",
    "toolplan atoms",
    "toolplan bad",
    "toolplan good",
    "atoms bad",
    "atoms good",
    "exchange bad",
    "exchange good",
    "console",
    "sh database",
    "sh install",
    "text",
}


def test_every_block_is_of_a_known_kind() -> None:
    assert [(block.id, block.info) for block in BLOCKS if not block.file and block.info not in KNOWN] == []


def plan_of(block: Block) -> str:
    """A whole plan, also where a page shows no more than steps."""
    return f"Goal: Yearbook\n## Steps\n{block.text}" if block.text[0].isdigit() else block.text


@of("planspec plan")
def test_plans_parse(block: Block) -> None:
    parse_plan(plan_of(block))


@of("planspec canonical")
def test_canonical_plans_are_canonical(block: Block) -> None:
    assert serialize_plan(parse_plan(block.text)) == block.text


@in_one_test
@of("planspec bad")
def test_bad_plans_have_their_fault(block: Block) -> None:
    assert block.code in {found.code for found in check_text(plan_of(block))}


@in_one_test
@of("planspec good")
def test_good_plans_do_not_have_it(block: Block) -> None:
    found = check_text(plan_of(block))
    assert block.code not in {diagnostic.code for diagnostic in found}
    assert not any(diagnostic.severity is Severity.ERROR for diagnostic in found)


@of("plan_cmd good")
def test_commands_are_found(block: Block) -> None:
    assert parse_plan_commands(block.text)
    assert scan_plan_commands(block.text).diagnostics == []


@of("plan_cmd bad")
def test_bad_commands_have_their_fault(block: Block) -> None:
    assert block.code in {found.code for found in scan_plan_commands(block.text).diagnostics}


@in_one_test
@of("json bad")
def test_bad_json_has_its_fault(block: Block) -> None:
    assert block.code in {found.code for found in read_json(block.text.removesuffix("\n")).diagnostics}


@in_one_test
@of("json good")
def test_good_json_has_none(block: Block) -> None:
    assert read_json(block.text).diagnostics == []


def message_of(block: Block) -> str:
    """A whole message, also where a page shows what is different in one of those at its top."""
    shown = json.loads(block.text)
    if "type" in shown:
        return block.text
    messages = [json.loads(one.text) for one in BLOCKS if one.page == block.page and one.info == "plan_next message"]
    message = messages[shown.get("plan_type") == "EXECUTE"]
    for name, value in shown.items():
        inner = message.get(name)
        message[name] = {**inner, **value} if isinstance(inner, dict) and isinstance(value, dict) else value
    return json.dumps(message)


def find_in_message(block: Block) -> list[Diagnostic]:
    phase = "execution" if block.info.startswith("plan_return") else "planning"
    try:
        return list(parse_message(message_of(block), phase).warnings)
    except MessageError as error:
        return error.diagnostics


@of("plan_next bad", "plan_return bad")
def test_bad_messages_have_their_fault(block: Block) -> None:
    assert {found.code for found in find_in_message(block)} == {block.code}


@of("plan_next message", "plan_next good", "plan_return good")
def test_good_messages_have_none(block: Block) -> None:
    assert find_in_message(block) == []


def find_in_reflection(block: Block) -> list[Diagnostic]:
    (page_plan,) = [one for one in BLOCKS if one.page == block.page and one.info == "planspec plan"]
    plan = parse_plan(page_plan.text)
    *_, step = [step for step in iter_steps(plan) if step.status is PlanStatus.ACTIVE]
    return read_reflection(block.text, plan, step, can_interact=False).diagnostics


@of("reflection bad")
def test_bad_reflections_have_their_fault(block: Block) -> None:
    assert [found.code for found in find_in_reflection(block)] == [block.code]


@of("reflection good")
def test_good_reflections_have_none(block: Block) -> None:
    assert find_in_reflection(block) == []


def find_in_repair(block: Block) -> list[str]:
    """What is wrong with an answer about the page's faulty plan."""
    (page_plan,) = [one for one in BLOCKS if one.page == block.page and one.info == "text repair"]
    return [found.code for found in answered(page_plan.text, block.text).diagnostics]


@of("repair bad")
def test_bad_repaired_lines_have_their_fault(block: Block) -> None:
    assert find_in_repair(block) == [block.code]


@of("repair good")
def test_good_repaired_lines_have_none(block: Block) -> None:
    assert find_in_repair(block) == []


@of("yaml bad")
def test_bad_yaml_has_its_fault(block: Block) -> None:
    assert [found.code for found in read_yaml(block.text).diagnostics] == [block.code]


@of("yaml good")
def test_good_yaml_has_none(block: Block) -> None:
    assert read_yaml(block.text).diagnostics == []


def find_in_planned(block: Block) -> list[str]:
    """What is wrong with the steps that a planner has written for step 2."""
    container = PlanStep("2", step_type="subtask")
    return [found.code for found in read_children(block.text, container, [], EngineLimits()).diagnostics]


@of("planned bad")
def test_bad_steps_of_planners_have_their_fault(block: Block) -> None:
    # Text around the steps is an info.
    assert [code for code in find_in_planned(block) if code.startswith("PE")] == [block.code]


@of("planned good")
def test_good_steps_of_planners_have_none(block: Block) -> None:
    assert find_in_planned(block) == []


def find_in_hopspec(block: Block) -> set[str]:
    """What is wrong with a document, or with steps of one."""
    text = f"## Execution Flow\n\n{block.text}" if block.text.startswith("###") else block.text
    return {found.code for found in check_hopspec(text)}


@of("hopspec")
def test_documents_of_hopspec_are_canonical(block: Block) -> None:
    assert serialize_hopspec(parse_hopspec(block.text)) == block.text


@in_one_test
@of("hopspec bad")
def test_bad_documents_of_hopspec_have_their_fault(block: Block) -> None:
    assert block.code in find_in_hopspec(block)


@in_one_test
@of("hopspec good")
def test_good_documents_of_hopspec_have_none(block: Block) -> None:
    # The examples are no whole documents.
    assert find_in_hopspec(block) <= {"HS201", "HS202", "HS203", "HS205", "HS221", "HS224"} - {block.code}


def find_in_answer(block: Block) -> set[str]:
    """What is wrong with an answer to a step of the page's plan: to its first decision, or to the step in front."""
    (page_plan,) = [one for one in BLOCKS if one.page == block.page and one.info == "planspec plan"]
    steps = parse_plan(page_plan.text).steps
    at = [step.step_type for step in steps].index("decide")
    step = steps[at if block.info.startswith("decision") else at - 1]
    return {found.code for found in read_execution(block.text, step).diagnostics}


@of("execution bad", "decision bad")
def test_bad_answers_have_their_fault(block: Block) -> None:
    assert find_in_answer(block) == {block.code}


@of("execution good", "decision good")
def test_good_answers_have_none(block: Block) -> None:
    assert find_in_answer(block) == set()


def tool_plan_of(block: Block) -> str:
    """A whole plan, also where a page shows no more than steps."""
    if not block.text.startswith("- "):
        return block.text
    steps = read_yaml(block.text).value
    name = steps[-1].get("step_id") or len(steps) - 1
    output = "images" if steps[-1]["id"] == "images.resize" else "photos"
    outputs = {output: f"${{{name}.outputs.{output}}}"}
    return json.dumps({"target": "Photos", "plan": {"steps": steps, "outputs": outputs}})


def find_in_tool_plan(block: Block) -> set[str]:
    (atoms,) = [one for one in BLOCKS if one.page == block.page and one.info == "toolplan atoms"]
    return {found.code for found in check_tool_plan(tool_plan_of(block), read_doc(atoms.text).value)}


@of("toolplan bad")
def test_bad_tool_plans_have_their_fault(block: Block) -> None:
    # A reference to the wrong step is none to the right one.
    found = find_in_tool_plan(block)
    assert block.code in found
    assert found <= {block.code, "PT502"}


@of("toolplan good")
def test_good_tool_plans_have_none(block: Block) -> None:
    assert find_in_tool_plan(block) == set()


@of("atoms bad")
def test_bad_definitions_have_their_fault(block: Block) -> None:
    assert block.code in find_in_atoms(block) <= {block.code, "PT609"}


@of("atoms good", "toolplan atoms")
def test_good_definitions_have_none(block: Block) -> None:
    assert len(registry_from_value(read_doc(block.text).value)) > 0
    assert find_in_atoms(block) <= {"PT609"} - {block.code}


def find_in_atoms(block: Block) -> set[str]:
    """The codes of the errors of definitions, or of their warnings where there are no errors."""
    try:
        return {found.code for found in registry_from_value(read_doc(block.text).value).diagnostics}
    except AtomsError as error:
        return {found.code for found in error.diagnostics}


def find_in_task_list(block: Block) -> set[str]:
    try:
        return {found.code for found in import_text(block.text).report.found}
    except PlanSyntaxError as error:
        return {found.code for found in error.diagnostics}


@of("exchange bad")
def test_bad_task_lists_have_their_fault(block: Block) -> None:
    assert find_in_task_list(block) == {block.code}


@of("exchange good")
def test_good_task_lists_have_none(block: Block) -> None:
    assert find_in_task_list(block) == set()


def plan_above(block: Block) -> Block:
    plans = [b for b in BLOCKS if b.page == block.page and b.info == "planspec plan" and b.line < block.line]
    assert plans[-1].code == block.code
    return plans[-1]


@of("plan_cmd refused")
def test_refused_commands_are_refused(block: Block) -> None:
    plan = parse_plan(plan_of(plan_above(block)))
    (command,) = parse_plan_commands(block.text)
    with pytest.raises(CommandError) as caught:
        perform(command, Finder(plan))
    assert caught.value.code == block.code


@of("plan_cmd accepted")
def test_accepted_commands_are_accepted(block: Block) -> None:
    plan = parse_plan(plan_of(plan_above(block)))
    for command in parse_plan_commands(block.text):
        perform(command, Finder(plan))


@with_blocks("python")
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All Python blocks of a page run one after the other, in one namespace, and print what is below them."""
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block, following in pairwise([*blocks_of(page), None]):
        if block is not None and block.info == "python":
            # The line numbers of an error are those of the page.
            source = "\n" * block.line + block.text
            with redirect_stdout(StringIO()) as printed:
                exec(compile(source, str(page), "exec"), namespace)
            if following is not None and following.info == "output":
                assert printed.getvalue() == following.text, following.id


@with_blocks("console")
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """All console blocks of a page run one after the other, in one folder with a copy of the fixtures."""
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    # A pytest that runs here is no worker of the tests' own run.
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env = {**outer, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    # Plugins that the tests here need, and no reader of a page has.
    env["PYTEST_ADDOPTS"] = "-p no:asyncio -p no:pytest-lsp"
    for block in blocks_of(page):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        if block.info == "console":
            for command, output in commands_of(block.text):
                done = subprocess.run(
                    ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
                )
                assert done.stdout + done.stderr == output, f"{block.id}: {command}"


def test_a_console_is_copied_without_prompts_and_output() -> None:
    page = SimpleNamespace(meta={}, file=SimpleNamespace(src_uri="how-to/page.md"))
    on_page_markdown("```console\n$ say 'a\n> b'\n> said\n```\n", page, SimpleNamespace(repo_url=None))
    console = '<div class="language-console highlight">'
    assert on_page_content(console, page) == console.replace(">", ' data-copy="say &#x27;a\nb&#x27;">')


IN_PYTHON = {
    "HS102",
    "PE302",
    "PE304",
    "PE401",
    "PS102",
    "PS119",
    "PS120",
    "PS121",
    "PS122",
    "PS123",
    "PS315",
    "PC108",
    "PJ107",
    "EX108",
} | {
    # Readers of answers alone give these.
    "PS126",
    "PS127",
    "PS129",
    "PS130",
    "PS131",
    "PS132",
    "PC118",
    "PC119",
    "PC120",
    "PC122",
}
LANGUAGES = {
    "PS": "planspec",
    "PC": "plan_cmd",
    "PE": "execution",
    "PJ": "json",
    "HS": "hopspec",
    "PM": "repair",
    "PN": "plan_next",
    "PY": "yaml",
    "PT": "toolplan",
    "EX": "exchange",
}


def test_every_code_is_documented_once_with_both_examples() -> None:
    pages = [page for page in PAGES if page.parent.name == "codes"]
    headings = []
    for page in pages:
        here = re.findall(rf"^### ({CODE}) (\S+)$", page.read_text(encoding="utf-8"), flags=re.M)
        assert here == [(code.code, code.name) for code in CODES.values() if (code.code, code.name) in here], page
        headings += here
    assert sorted(headings) == sorted((code.code, code.name) for code in CODES.values())
    for code in CODES:
        kinds = [b.info for b in BLOCKS if b.page in pages and b.code == code]
        # What no page can spell is shown in Python: forbidden characters, bytes, limits, and commands built by hand.
        # So is what takes more than one text, such as a context, and what is only looked for on request.
        if code in IN_PYTHON or code.startswith(("PN3", "PN4")):
            assert kinds == ["python"], code
        elif code.startswith("PC11"):
            assert kinds == ["planspec plan", "plan_cmd refused", "plan_cmd accepted"], code
        else:
            language = "atoms" if code.startswith("PT6") else LANGUAGES[code[:2]]
            language = "plan_return" if code in ("PN215", "PN216") else language
            language = "decision" if code in ("PE105", "PE106") else language
            language = {"PE2": "reflection", "PE3": "planned"}.get(code[:3], language)
            assert kinds == [f"{language} bad", f"{language} good"], code


@in_one_test
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # A picture that the host of a repository makes of a workflow stands for that workflow.
    text = re.sub(r"\(\.\./\.\./actions/(.+)/badge\.svg\)", r"(.github/\1)", text)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("https:", "http:")):
            assert (page.parent / target).exists(), target


def test_the_picture_is_what_its_script_makes() -> None:
    """``python docs/terminal_svg.py > docs/terminal.svg`` makes it again."""
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "terminal_svg.py"], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == (ROOT / "docs" / "terminal.svg").read_text(encoding="utf-8")
    # No font is loaded from elsewhere.
    assert "url(http" not in done.stdout
    assert "@import" not in done.stdout


@pytest.mark.parametrize("title", ["Try it", "Test it"])
def test_the_first_block_is_one_command_line(title: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    behind = text[text.index(f"\n## {title}\n") :]
    block = re.search(r"```sh install\n(.*?)```", behind, flags=re.S)
    assert block is not None
    assert block[1].count("\n") == 1
