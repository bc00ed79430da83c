"""The pages of the reference that are made from the code."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from planspec_lark.syntax import CODES
from tests.corpus import ROOT
from tests.test_public import PACKAGES


def _load() -> ModuleType:
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _load()
PAGES: dict[str, str] = generate.pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_what_the_code_says(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name], "run: python docs/generate.py"


def test_every_package_has_a_page() -> None:
    public = {one.__name__.removeprefix("planspec_lark.") for one in PACKAGES if "." in one.__name__}
    assert {*generate.PACKAGES} == public
    folder = ROOT / "docs" / "reference" / "api"
    assert {path.stem for path in folder.glob("*.md")} == {*public, "index"}
    for package in public:
        text = (folder / f"{package}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# planspec_lark.{package}\n")
        assert text.endswith(f"\n::: planspec_lark.{package}\n")
        assert "```python\n" in text


def test_every_page_of_codes_is_in_the_list() -> None:
    found = {path.stem for path in (ROOT / "docs" / "reference" / "codes").glob("*.md")}
    assert found == {*generate.CODE_PAGES, "index"}


def test_a_summary_that_has_changed_is_filled_in() -> None:
    page = "# Plans\n\n### PS110 old-name\n\n**Warning**: Said before.\n\nMore.\n\n### PS201 no-steps\n\n```text\n```\n"
    assert generate.codes_page(page) == (
        f"# Plans\n\n### PS110 bad-id\n\n**Error**: {CODES['PS110'].summary}\n\nMore.\n\n"
        f"### PS201 no-steps\n\n**Error**: {CODES['PS201'].summary}\n\n```text\n```\n"
    )


@pytest.mark.parametrize(
    ("said", "page"),
    [
        ("Use --fix, `--diff` or PLAN_CMD.", "Use `--fix`, `--diff` or PLAN_CMD."),
        ("A [ ] b | c_d * <e>", r"A \[ \] b \| c_d \* \<e>"),
    ],
)
def test_a_help_text_is_no_markdown(said: str, page: str) -> None:
    assert generate.marked(said) == page
