"""What the server knows of a HopSpec document, without a client."""

from __future__ import annotations

import pytest

from planspec_lark.hopspec import check_hopspec, parse_hopspec
from planspec_lark.lsp.hopspec_index import HopSpecIndex
from planspec_lark.lsp.languages import language_of
from planspec_lark.lsp.models import NamePosition
from planspec_lark.lsp.planspec_index import PlanIndex
from planspec_lark.lsp.rename import RenameError, places_to_rename
from planspec_lark.syntax import Severity
from tests.lsp.test_planspec_index import at, formatted, places, said

DOCUMENT = """\
# Harbour morning
Mode: AOT

## Task Overview

Say which piers are full.

## Input Definition

- `piers`: names of all piers
- `limit`: boats that a pier holds

## Hard Constraints

- Rafts are no boats

## Execution Flow

#### Step1: look_at_piers (loop)
- Type: loop
- Iterate collection: piers
- Element variable: pier
- Output: full_piers

  #### Step1.1: count_boats
  - Type: call
  - Call target: tool
  - Task: Count the boats of <pier>
  - Tool domain: camera
  - Input: pier
  - Output: boats

  #### Step1.2: pick_large (branch)
  - Type: branch
  - Condition: boats.size > limit and boats != "boats"

    #### Step1.2.1: skip_pier
    - Type: flow
    - Action: continue
    - Target loop: look_at_piers

    #### Step1.2.2: judge_pier
    - Type: LLM
    - Task: Say whether there is room
    - Input: pier, boats
    - Output: verdict
    - Verification: reverse
    - Description:
      A pier with ten boats is full,
      and so is <verdict>.

#### Step2: give_back
- Type: flow
- Action: exit
- Output: full_piers

## Output Format

{"full_piers": List[str]}

## Input Log Example

{"piers": ["north", "mole"]}
"""
CHINESE = """\
## 任务概述

数船 🚢

## 执行流程

#### 步骤1: count_boats
- 类型：code
- 逻辑：数 🚢 的数量
- 输入：（无）
- 输出：船数

#### 步骤2: give_back
- 类型：flow
- 动作：exit
- 输出：船数
"""


def word(place: str, text: str = DOCUMENT) -> tuple[HopSpecIndex, NamePosition]:
    """The reading, and the name at the end of a place."""
    reading = HopSpecIndex(text)
    found = reading.word_at(at(place, text, after=True))
    assert found is not None, place
    return reading, found


def lines(text: str, places: object) -> list[int]:
    return [line for line, _ in said(text, places)]


# ---------------------------------------------------------------- which documents


@pytest.mark.parametrize(
    ("language", "uri", "expected"),
    [
        ("hopspec", "untitled:Untitled-1", HopSpecIndex),
        ("markdown", "untitled:Untitled-1", None),
        ("markdown", "file:///home/me/app/Tasks/Verify/Hoplet/HopSpec.md", HopSpecIndex),
        ("markdown", "file:///home/me/app/docs/harbour.hopspec.md", HopSpecIndex),
        ("markdown", "file:///home/me/app/docs/HopSpec-notes.md", None),
        ("markdown", "file:///home/me/app/docs/hopspec.md", None),
        # Its own name says more than its folder, and what the editor calls its language more than both.
        ("markdown", "file:///home/me/app/planspec/harbour.hopspec.md", HopSpecIndex),
        ("planspec", "file:///home/me/app/docs/harbour.hopspec.md", PlanIndex),
        ("hopspec", "file:///home/me/app/planspec/harbour.md", HopSpecIndex),
    ],
)
def test_which_documents_are_hopspec(language: str, uri: str, expected: object) -> None:
    assert language_of(language, uri, ["file:///home/me/app"]) is expected


# ---------------------------------------------------------------- findings and form


def test_findings_are_those_of_the_check() -> None:
    text = DOCUMENT.replace("- Type: LLM", "- Type: LM").replace("    - Verification: reverse\n", "")
    found = HopSpecIndex(text).findings(Severity.INFO)
    assert [one.code for one in found] == [one.code for one in check_hopspec(text)] != []
    assert [one.code for one in HopSpecIndex(DOCUMENT).findings(Severity.INFO)] == []


def test_the_canonical_form_keeps_the_line_ends() -> None:
    text = CHINESE.replace("类型：", "类型: ").replace("\n", "\r\n")
    assert formatted(text, HopSpecIndex) == CHINESE.replace("\n", "\r\n")


def test_safe_fixes() -> None:
    text = DOCUMENT.replace("#### Step2: give_back", "### Step 2. give_back").replace(
        "- Action: exit", "* action: exit"
    )
    assert HopSpecIndex(text).fixed(None) == DOCUMENT


# ---------------------------------------------------------------- hover


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (
            "#### Step1:",
            "Step 1 (look_at_piers): loop:for-each\npier in piers\nNeeds piers from the input definition\n"
            "Gives pier to steps 1.1 and 1.2.2\nGives full_piers to step 2",
        ),
        (
            "- Tool domain",
            "Step 1.1 (count_boats): call:tool\nCount the boats of <pier>\nNeeds pier from step 1\n"
            "Gives boats to steps 1.2 and 1.2.2",
        ),
        ("Input: pier, boa", "Needs boats from step 1.1"),
        ("Element variable: pi", "Gives pier to steps 1.1 and 1.2.2"),
        ("- `lim", "Gives limit to step 1.2"),
        ("- Output: verd", "Gives verdict, which no other step takes"),
    ],
)
def test_hover(place: str, expected: str) -> None:
    found = HopSpecIndex(DOCUMENT).hover(at(place, DOCUMENT, after=True))
    assert found is not None
    assert found[0] == expected


@pytest.mark.parametrize("place", ["# Harbour", "Mode", "Say which", "## Execution", "- Rafts", '{"full_piers'])
def test_there_is_nothing_to_say_outside_of_steps(place: str) -> None:
    assert HopSpecIndex(DOCUMENT).hover(at(place, DOCUMENT)) is None


def test_hover_says_what_no_step_gives_and_what_is_no_type() -> None:
    text = "## Execution Flow\n#### Step1: a\n- Type: act\u202e\n- Input: x\n"
    found = HopSpecIndex(text).hover(text.index("####"))
    assert found is not None
    assert found[0] == (
        "Step 1 (a): act\\u202e: no type of steps; these are LLM, call, loop, branch, code, flow and subtask\n"
        "Needs x, which no step produces"
    )


# ---------------------------------------------------------------- where things come from


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("collection: piers", [(10, "piers")]),
        ("- Input: pier, boats", [(31, "boats")]),
        ("- Input: pier\n  - Output: boats", [(31, "boats")]),
        ("Target loop: look_at_piers", [(19, "look_at_piers")]),
        ("- Condition: boats", [(31, "boats")]),
        ("boats.size > limit", [(11, "limit")]),
        ("Count the boats of <pier", [(22, "pier")]),
    ],
)
def test_where_a_name_comes_from(place: str, expected: list[tuple[int, str]]) -> None:
    reading, found = word(place)
    assert said(DOCUMENT, reading.definitions(found)) == expected


FLOW = """\
## Input Definition
- `x`: a number

## Execution Flow

#### Step1: first
- Type: code
- Output: {first}

#### Step2: maybe (branch)
- Type: branch
- Condition: x > 1

  #### Step2.1: inside
  - Type: code
  - Output: {inside}

#### Step3: all_of_it (subtask)
- Type: subtask
- Expansion: static

  #### Step3.1: deep
  - Type: code
  - Output: {deep}

#### Step4: take
- Type: code
- Input: x

#### Step5: later
- Type: code
- Output: {later}
"""


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        # Nothing but the declaration.
        (("a", "b", "c", "d"), [2]),
        # What is given surely takes the place of all before it.
        (("x", "b", "c", "d"), [8]),
        (("x", "b", "x", "d"), [24]),
        # What may be left out does not.
        (("x", "x", "c", "d"), [8, 16]),
        (("a", "x", "c", "d"), [2, 16]),
        # What comes later is of no use.
        (("a", "b", "c", "x"), [2]),
    ],
)
def test_an_input_comes_from_what_may_have_given_it_last(outputs: tuple[str, ...], expected: list[int]) -> None:
    text = FLOW.format(**dict(zip(("first", "inside", "deep", "later"), outputs, strict=True)))
    reading, found = word("- Input: x", text)
    assert lines(text, reading.definitions(found)) == expected


def test_what_is_only_given_later_leads_there() -> None:
    text = FLOW.format(first="a", inside="b", deep="c", later="x").replace("- `x`: a number\n", "")
    reading, found = word("- Input: x", text)
    assert lines(text, reading.definitions(found)) == [31]


def test_the_element_of_a_loop_is_there_in_the_loop_alone() -> None:
    text = DOCUMENT.replace("- `limit`", "- `pier`: the first\n- `limit`").replace(
        "- Action: exit\n- Output: full", "- Action: exit\n- Output: pier, full"
    )
    for place, expected in (("- Input: pier, boats", [23]), ("- Action: exit\n- Output: pier", [11])):
        reading = HopSpecIndex(text)
        found = reading.word_at(text.index("pier", at(place, text)))
        assert found is not None
        assert lines(text, reading.definitions(found)) == expected


def test_what_gives_a_name_is_its_own_origin() -> None:
    for place in ("Element variable: pier", "- Output: boats", "#### Step1: look_at_piers", "- `limit"):
        reading, found = word(place)
        assert reading.definitions(found) == [found.place]


def test_the_declaration_of_an_input_is_not_a_use_of_it() -> None:
    reading, found = word("boats.size > limit")
    for with_definitions, expected in ((False, [35]), (True, [11, 35])):
        assert lines(DOCUMENT, places(reading, found, with_definitions=with_definitions)) == expected


# ---------------------------------------------------------------- other names


def renamed(place: str, name: str, text: str = DOCUMENT) -> str:
    """The text with another name for what stands at a place."""
    reading, found = word(place, text)
    for start, end in sorted(places_to_rename(reading, found, name), reverse=True):
        text = text[:start] + name + text[end:]
    return text


def test_a_variable_gets_another_name_wherever_it_is_meant() -> None:
    text = renamed("- Input: pier, boats", "ships")
    expected = DOCUMENT.replace("Output: boats", "Output: ships").replace("pier, boats", "pier, ships")
    # Not within quotation marks, and not in words that stand for nothing.
    assert text == expected.replace(
        'boats.size > limit and boats != "boats"', 'ships.size > limit and ships != "boats"'
    )
    assert check_hopspec(text) == []
    assert renamed("- `limit", "most") == DOCUMENT.replace("limit", "most")
    element = renamed("Element variable: pier", "berth")
    assert element == (
        DOCUMENT.replace("variable: pier", "variable: berth")
        .replace("<pier>", "<berth>")
        .replace("Input: pier", "Input: berth")
    )


def test_a_tag_that_stands_for_another_variable_stays() -> None:
    text = DOCUMENT.replace("    - Verification", "    - Data tags: boats → <verdict>\n    - Verification")
    assert renamed("- Output: verdict", "answer", text) == text.replace("Output: verdict", "Output: answer")
    assert "Data tags: ships → <verdict>" in renamed("pier, boats", "ships", text)


def test_a_comment_between_the_lines_of_a_step_stays() -> None:
    text = DOCUMENT.replace("so is <verdict>.\n", "so is <verdict>.\n    > Once it was <verdict>.\n")
    assert renamed("- Output: verdict", "answer", text) == (
        text.replace("Output: verdict", "Output: answer").replace("so is <verdict>", "so is <answer>")
    )


def test_a_loop_gets_another_name_in_what_leaves_it() -> None:
    text = renamed("Target loop: look_at_piers", "walk")
    assert text == DOCUMENT.replace("look_at_piers", "walk")
    assert renamed("#### Step1: look_at_piers", "walk") == text
    assert renamed("judge_pier", "judge") == DOCUMENT.replace("judge_pier", "judge")


LOOPS = """\
## Execution Flow

#### Step1: round
- Type: loop
- Condition: x

  #### Step1.1: round
  - Type: loop
  - Condition: y

    #### Step1.1.1: leave
    - Type: flow
    - Action: break
    - Target loop: round

  #### Step1.2: leave_too
  - Type: flow
  - Action: break
  - Target loop: round
"""


def test_of_two_loops_of_a_name_the_inner_one_is_meant() -> None:
    for place, expected in (("#### Step1: round", [3, 19]), ("#### Step1.1: round", [7, 14])):
        reading, found = word(place, LOOPS)
        assert lines(LOOPS, places(reading, found)) == expected
    reading = HopSpecIndex(LOOPS)
    inner = reading.word_at(LOOPS.index("Target loop: round") + 15)
    assert inner is not None
    assert lines(LOOPS, reading.definitions(inner)) == [7]


def test_what_leaves_no_loop_names_nothing_else() -> None:
    text = "## Execution Flow\n\n#### Step1: leave\n- Type: flow\n- Action: break\n- Target loop: leave\n"
    reading, found = word("Target loop: leave", text)
    assert reading.definitions(found) == []
    assert lines(text, places(reading, found)) == [6]
    reading, found = word("Step1: leave", text)
    assert lines(text, places(reading, found)) == [3]


@pytest.mark.parametrize(
    ("text", "place", "name", "message"),
    [
        (DOCUMENT, "- Output: verdict", "a b", "`a b` cannot be a variable: write a letter or `_`, then letters, "),
        (DOCUMENT, "- Output: verdict", "none", "`none` cannot be a variable: "),
        (DOCUMENT, "- Output: verdict", "boats", "there is a variable `boats` already, and the two would be one"),
        (DOCUMENT, "- Output: verdict", "limit", "there is a variable `limit` already, and the two would be one"),
        (
            DOCUMENT.replace("- `limit`", "- `spare`: of no use\n- `limit`"),
            "- Output: verdict",
            "spare",
            "there is a variable `spare` already, and the two would be one",
        ),
        (DOCUMENT, "judge_pier", "give_back", "step 2 has the name `give_back` already"),
        (DOCUMENT, "judge_pier", "a.b", "`a.b` cannot be a step name: write letters, digits, `_` and `-`"),
        (
            DOCUMENT.replace("- Input: pier, boats", "* Input: pier, boats"),
            "- Output: boats",
            "ships",
            "`boats` may occur in line 45 as well, which has faults: repair that first",
        ),
    ],
)
def test_a_name_that_cannot_be_given_is_refused(text: str, place: str, name: str, message: str) -> None:
    reading, found = word(place, text)
    with pytest.raises(RenameError) as error:
        places_to_rename(reading, found, name)
    assert str(error.value).startswith(message)


def test_variables_of_any_script() -> None:
    reading = HopSpecIndex(CHINESE)
    found = reading.word_at(CHINESE.index("船数", CHINESE.index("动作")))
    assert found is not None
    assert lines(CHINESE, reading.definitions(found)) == [11]
    assert lines(CHINESE, places_to_rename(reading, found, "boats")) == [11, 16]


# ---------------------------------------------------------------- symbols


def test_symbols_are_the_sections_and_the_tree_of_the_steps() -> None:
    symbols = HopSpecIndex(DOCUMENT).symbols
    assert [(one.name, one.detail, one.kind) for one in symbols] == [
        ("Task Overview", "", "text"),
        ("Input Definition", "", "text"),
        ("Hard Constraints", "", "text"),
        ("1. look_at_piers pier in piers", "loop:for-each", "container"),
        ("2. give_back", "flow:exit", "step"),
        ("Output Format", "", "text"),
        ("Input Log Example", "", "text"),
    ]
    loop = symbols[3]
    assert [(one.name, len(one.children)) for one in loop.children] == [
        ("1.1. count_boats Count the boats of <pier>", 0),
        ('1.2. pick_large boats.size > limit and boats != "boats"', 2),
    ]
    assert DOCUMENT[slice(*loop.place)].endswith("and so is <verdict>.")
    assert DOCUMENT[loop.place[0] : loop.name_end] == "#### Step1: look_at_piers (loop)"
    assert DOCUMENT[slice(*symbols[1].place)].endswith("that a pier holds")


# ---------------------------------------------------------------- texts with faults


def test_a_text_with_faults_has_steps_all_the_same() -> None:
    text = DOCUMENT.replace("#### Step1.1: count_boats", "### Step 1.1. count_boats").replace(
        "- Type: LLM", "- Typ LLM"
    )
    found = HopSpecIndex(text).hover(at("- Tool domain", text))
    assert found is not None
    assert found[0].startswith("Step 1.1 (count_boats): call:tool\n")
    reading, name = word("- Input: pier, boats", text)
    assert lines(text, reading.definitions(name)) == [31]


def test_every_place_of_a_name_says_it() -> None:
    for text in (DOCUMENT, CHINESE, DOCUMENT.replace("\n", "\r\n"), "\ufeff" + CHINESE, LOOPS):
        reading = HopSpecIndex(text)
        steps = parse_hopspec(text).steps
        assert steps
        for offset in range(len(text)):
            found = reading.word_at(offset)
            if found is None:
                continue
            assert text[slice(*found.place)] == found.text
            assert found.place in places(reading, found)
