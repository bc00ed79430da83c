"""Each lint code: a plan that triggers it, and one that differs little and does not."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, Severity, check_text, lint_plan, parse_plan


def lint(steps: str, *codes: str) -> list[tuple[str, str, str]]:
    """Code, step and message (without the step) of the findings with these codes."""
    found = lint_plan(parse_plan(f"## Steps\n{steps}"))
    rows = [(one.code, one.step_id, one.message.removeprefix(f"step {one.step_id}: ")) for one in found]
    return [row for row in rows if row[0] in codes]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("1.1. [act] a\n", [("1.1", "its parent step 1 does not exist")]),
        ("1. [subtask] a\n1.1.1. [act] b\n", [("1.1.1", "its parent step 1.1 does not exist")]),
        ("1. [subtask] a\n1.1. [act] b\n", []),
        ("1.1. [act] b\n1. [subtask] a\n", []),
    ],
)
def test_missing_parent(steps: str, expected: list[tuple[str, str]]) -> None:
    assert [row[1:] for row in lint(steps, "PS301")] == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("1. [act] a\n3. [act] b\n", [("3", "a number is missing before it: the step before it is 1")]),
        ("2. [act] a\n", [("2", "a number is missing before it: it is the first step here")]),
        ("1. [subtask] a\n1.2. [act] b\n", [("1.2", "a number is missing before it: it is the first step here")]),
        (
            "1. [subtask] a\n1.1. [act] b\n1.4. [act] b\n",
            [("1.4", "a number is missing before it: the step before it is 1.1")],
        ),
        ("1. [act] a\n2. [act] b\n", []),
        ("0. [act] a\n1. [act] b\n", []),
        ("1. [act] a\n3.9. [act] b\n", []),
        pytest.param(
            "0. [act] a\n2. [act] b\n",
            [("2", "a number is missing before it: the step before it is 0")],
        ),
    ],
)
def test_id_gap(steps: str, expected: list[tuple[str, str]]) -> None:
    assert [row[1:] for row in lint(steps, "PS302")] == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("2. [act] a\n1. [act] b\n", [("1", "it comes after step 2")]),
        ("1. [act] a\n3. [act] a\n2. [act] b\n4. [act] c\n", [("2", "it comes after step 3")]),
        ("1. [subtask] a\n1.2. [act] b\n1.1. [act] b\n", [("1.1", "it comes after step 1.2")]),
        ("9. [act] a\n10. [act] b\n", []),
        ("9. [act] a\n2.1. [act] b\n", []),
        ("1. [subtask] a\n2. [act] b\n1.1. [act] c\n", []),
    ],
)
def test_id_disorder(steps: str, expected: list[tuple[str, str]]) -> None:
    assert [row[1:] for row in lint(steps, "PS303")] == expected


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("a -> b", "→ b"),
        ("a --> b, c", "→ b, c"),
        ("a => b", "→ b"),
        ("a ⇒ b", "→ b"),
        ("a → b，c", "→ b, c"),
        ("a → b、c", "→ b, c"),
        ("a → [b, c]", "→ b, c"),
        ("a → `b`", "→ b"),
        ("a -> b -> c", "→ c"),
        ("a -> leave the loop", None),
        ("a->b", None),
        ("a -> b → c", None),
        (r"a \→ b", None),
        ("a `-> b`", None),
        ("a → a/b.md", None),
        ("a → my report", None),
    ],
)
def test_almost_outputs(line: str, written: str | None) -> None:
    found = [one for one in lint_plan(parse_plan(f"## Steps\n1. [act] {line}\n")) if one.code == "PS305"]
    assert [(one.part, one.help) for one in found] == (
        [("description", f"if outputs are meant, write `{written}`")] if written else []
    )


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("<- b", "> ← b"),
        ("<= b,c", "> ← b, c"),
        ("⇐ b", "> ← b"),
        ("← b，c", "> ← b, c"),
        ("<- b and c", None),
        ("see <- b", None),
        (r"\← b", None),
    ],
)
def test_almost_inputs(line: str, written: str | None) -> None:
    found = [one for one in lint_plan(parse_plan(f"## Steps\n1. [act] a\n> first\n> {line}\n")) if one.code == "PS305"]
    assert [(one.part, one.item, one.help) for one in found] == (
        [("detail", 1, f"if inputs are meant, write `{written}`")] if written else []
    )


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            "1. [act] a\n> ← x\n2. [act] b → x\n",
            [("PS306", "1", "the input `x` is not available yet: only step 2 produces it")],
        ),
        ("1. [act] a → x\n2. [act] b\n> ← x\n", []),
        (
            "1. [subtask] a → x\n1.1. [act] b\n> ← x\n",
            [("PS306", "1.1", "the input `x` is not available yet: only step 1 produces it")],
        ),
        ("1. [subtask] a → x\n1.1. [act] b → x\n1.2. [act] c\n> ← x\n", []),
        ("1. [subtask] a\n1.1. [act] b → x\n2. [act] c\n> ← x\n", []),
        ("2. [act] a → x\n1. [act] b\n> ← x\n", []),
        ("1. [act] a\n> ← x\n", [("PS307", "1", "no step produces the input `x`")]),
        (
            "1. [act] a → w\n> ← x, w, y\n",
            [
                ("PS307", "1", "no step produces the input `x`"),
                ("PS306", "1", "the input `w` is not available yet: only the step itself produces it"),
                ("PS307", "1", "no step produces the input `y`"),
            ],
        ),
    ],
)
def test_inputs_that_are_not_there(steps: str, expected: list[tuple[str, str, str]]) -> None:
    assert lint(steps, "PS306", "PS307") == expected


DECIDE = "1. [decide] a{}\n1.1. [act] b → x\n1.2. [act] c → x\n"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("1. [act] a → x\n2. [act] b → x\n", [("2", "step 1 also declares the output `x`")]),
        ("1. [act] a → x\n2. [act] b → y\n", []),
        ("1. [act] a → x, x\n", [("1", "step 1 also declares the output `x`")]),
        ("1. [subtask] a → x\n1.1. [act] b → x\n", []),
        ("1. [subtask] a → x\n1.1. [subtask] b → x\n1.1.1. [act] c → x\n", []),
        (
            "1. [subtask] a → x\n1.1. [act] b → x\n1.2. [act] c → x\n",
            [("1.2", "step 1.1 also declares the output `x`")],
        ),
        (DECIDE.format(""), []),
        (DECIDE.format(" → x"), []),
        (DECIDE.format("").replace("decide", "subtask"), [("1.2", "step 1.1 also declares the output `x`")]),
        (
            "1. [decide] a\n1.1. [subtask] b\n1.1.1. [act] c → x\n1.2. [subtask] d\n1.2.1. [act] e → x\n",
            [],
        ),
        (
            "1. [decide] a\n1.1. [subtask] b\n1.1.1. [act] c → x\n1.1.2. [act] d → x\n",
            [("1.1.2", "step 1.1.1 also declares the output `x`")],
        ),
        (DECIDE.format("") + "2. [act] d → x\n", [("2", "step 1.2 also declares the output `x`")]),
        (
            "1. [subtask] a → x\n1.1. [act] b → x\n2. [act] c → x\n",
            [("2", "step 1.1 also declares the output `x`")],
        ),
        pytest.param(
            "1. [act] z → x\n2. [decide] a\n2.1. [act] b → x\n2.2. [act] c → x\n",
            [
                ("2.1", "step 1 also declares the output `x`"),
                ("2.2", "step 1 also declares the output `x`"),
            ],
        ),
    ],
)
def test_repeated_output(steps: str, expected: list[tuple[str, str]]) -> None:
    assert [row[1:] for row in lint(steps, "PS308")] == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("1. [act] a → x, y\n2. [act] b\n> ← y\n", [("1", "no step uses the output `x`")]),
        ("1. [act] a → x\n2. [act] b\n> ← x\n", []),
        ("1. [act] a → x\n2. [act] b → y\n", [("1", "no step uses the output `x`")]),
        pytest.param("1. [act] a → x\n2. [act] b → y, z\n> ← x\n", [], id="the last outputs"),
        pytest.param(
            "1. [act] a → x\n2. [act] b → y\n> ← x\n3. [act] c → z\n> ← x\n", [], id="the last outputs of two branches"
        ),
        pytest.param(
            "1. [act] a → x\n2. [act] b → y, z\n> ← x\n3. [act] c\n> ← y\n",
            [("2", "no step uses the output `z`")],
            id="beside one that is taken",
        ),
        pytest.param(
            "1. [subtask] a → y\n1.1. [act] b → x\n1.2. [act] c → y\n> ← x\n", [], id="what a container passes on"
        ),
        pytest.param("1. [decide] a\n1.1. [act] b → x\n1.2. [act] c → y\n", [], id="branches at the end"),
    ],
)
def test_unused_output(steps: str, expected: list[tuple[str, str]]) -> None:
    assert [row[1:] for row in lint(steps, "PS309")] == expected


@pytest.mark.parametrize(
    ("parent", "child", "reported"),
    [
        ("[x]", "[ ]", True),
        ("[x]", "[>]", True),
        ("[x]", "[x]", False),
        ("[x]", "[!]", False),
        ("[x]", "[~]", False),
        ("[>]", "[ ]", False),
        ("[~]", "[ ]", False),
    ],
)
def test_done_with_open_steps(parent: str, child: str, reported: bool) -> None:
    steps = f"1. {parent} [subtask] a\n1.1. [x] [act] b\n1.2. {child} [act] c\n1.3. {child} [act] d\n"
    expected = [("PS310", "1", "it is done, but step 1.2 below it is not")] if reported else []
    assert lint(steps, "PS310") == expected


@pytest.mark.parametrize(
    ("progress", "message"),
    [("6/5", "6 rounds done out of 5"), ("1/0", "1 rounds done out of 0"), ("5/5", None), ("0/0", None), ("6", None)],
)
def test_progress_beyond_total(progress: str, message: str | None) -> None:
    assert lint(f"1. [subtask] a | Progress: {progress}\n", "PS311") == ([("PS311", "1", message)] if message else [])


@pytest.mark.parametrize(
    ("line", "reported"), [("[act]", True), ("[act] → b", True), ("[act] | r", True), ("[act] a", False)]
)
def test_empty_description(line: str, reported: bool) -> None:
    assert lint(f"1. {line}\n", "PS312") == ([("PS312", "1", "it has no description")] if reported else [])


@pytest.mark.parametrize(
    ("steps", "reported"),
    [
        ("1. [act] a\n2. [act] b → c\n", ["1"]),
        ("1. [act] a → b\n2. [act] b → c\n", []),
        pytest.param("1. [act] a → b\n2. [act] c\n", [], id="the last step"),
        pytest.param("1. [act] a → b\n2. [act] c\n> ← b\n3. [act] d → e\n", [], id="an end of the flow"),
        pytest.param("1. [subtask] a\n1.1. [act] b → c\n2. [act] d → e\n", [], id="a container"),
        pytest.param("1. [subtask] a\n2. [act] d → e\n", [], id="a container without steps"),
        pytest.param("1. [subtask] a\n1.1. [act] b\n1.2. [act] c\n", ["1.1"], id="the last one of a last container"),
        pytest.param("1. [subtask] a\n1.1. [act] b\n2. [act] c\n", ["1.1"], id="the last one of another container"),
        pytest.param("1. [decide] a\n1.1. [act] b\n1.2. [act] c\n", [], id="branches at the end"),
        pytest.param("1. [decide] a\n1.1. [act] b\n1.2. [act] c\n2. [act] d\n", ["1.1", "1.2"], id="branches"),
    ],
)
def test_no_outputs(steps: str, reported: list[str]) -> None:
    assert lint(steps, "PS313") == [("PS313", step_id, "it declares no outputs") for step_id in reported]


def test_findings_come_in_document_order_with_their_severities() -> None:
    text = "## Steps\n2. [x] [subtask] → x\n2.2. [act] a -> b\n> ← y, x\n1. [act] b → x\n"
    found = lint_plan(parse_plan(text))
    assert [(one.step_id, one.code, one.severity, one.part, one.item) for one in found] == [
        ("2", "PS302", Severity.INFO, "step_id", None),
        ("2", "PS312", Severity.WARNING, "description", None),
        ("2", "PS310", Severity.WARNING, "status", None),
        ("2.2", "PS302", Severity.INFO, "step_id", None),
        ("2.2", "PS307", Severity.INFO, "inputs", 0),
        ("2.2", "PS306", Severity.WARNING, "inputs", 1),
        ("2.2", "PS305", Severity.WARNING, "description", None),
        ("1", "PS303", Severity.WARNING, "step_id", None),
        ("1", "PS308", Severity.WARNING, "outputs", 0),
    ]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("a → 变量", "变量"),
        ("→ 变量", "变量"),
        ("a → b →\t变量,b", "变量,b"),
        ("a → 数据，报告", "数据，报告"),
        ("a → 2.5", None),
        ("a → a/b.md", None),
        ("a → data-set", "data-set"),
        ("a → 2nd", "2nd"),
        ("a → 变 量", None),
        ("a → 变\u3000量", None),
        ("a → data, 变量", None),
        ("a →", None),
        ("a → 变量 → b", None),
        ("a → data，set", None),
        (r"a \→ data", None),
        (r"a \→ 变量", None),
        ("a `b → 变量", None),
        ("a->b", None),
        ("变量", None),
    ],
)
def test_a_single_word_behind_an_arrow(line: str, word: str | None) -> None:
    said = f"`{word}` is read as text: a variable has only ASCII letters, digits and `_`"
    assert lint(f"1. [act] {line}\n", "PS314") == ([("PS314", "1", said)] if word else [])


def test_the_length_of_descriptions_is_looked_at_where_that_is_asked_for() -> None:
    lengths = (0, 79, 80, 130, 131)
    plan = parse_plan("".join(f"{number}. [act] {'文' * length}\n" for number, length in enumerate(lengths)))
    assert "PS315" not in {found.code for found in lint_plan(plan)}
    found = [one for one in lint_plan(plan, also=["PS315"]) if one.code == "PS315"]
    assert [one.message for one in found] == [
        "step 1: the description has 79 characters, not 80 to 130",
        "step 4: the description has 131 characters, not 80 to 130",
    ]
    assert {(one.severity, one.part) for one in found} == {(Severity.INFO, "description")}
    assert lint_plan(plan, also=()) == [one for one in lint_plan(plan, also=["PS315"]) if one.code != "PS315"]


@pytest.mark.parametrize("also", [["PS305"], ["PS315", "PS999"], "PS315"])
def test_what_is_not_optional_cannot_be_asked_for(also: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^also: 'P\w*' is not one of PS315$"):
        lint_plan(PlanSpec(), also=also)
    with pytest.raises(ValueError, match=r"^also: "):
        check_text("no plan", also=also)


@pytest.mark.parametrize(
    ("produced", "taken", "near"),
    [
        ("sales_data", "salse_data", "sales_data"),
        ("sales_data", "sale_dat", "sales_data"),
        ("sale_data", "sales_datas", "sale_data"),
        ("userProfile", "user_profile", "userProfile"),
        ("report", "Report", "report"),
        ("report", "reports", "report"),
        ("report", "repotr", "report"),
        ("data", "dta", "data"),
        ("clean_data, cleaned_dat", "cleaned_data", "cleaned_dat"),
        ("roof_shingles", "shingles_roof", None),
        ("roof_shingles", "shingles", None),
        ("metres_to_feet", "feet_to_metres", None),
        ("side_a_of_b", "side_b_of_a", None),
        ("part_a_b", "part_b_a", None),
        ("sales_2024_5", "sales_5_2024", None),
        ("part_1", "part_2", None),
        ("sales_2024", "sales_2025", None),
        ("side_a", "side_b", None),
        ("data", "date", None),
        ("min_value", "max_value", None),
        ("input_path", "output_path", None),
        ("raw_rows", "old_rows", None),
        ("x", "xy", None),
        ("report", "final_report", None),
        ("a" * 65, "a" * 64, None),
    ],
)
def test_an_input_that_is_near_an_output(produced: str, taken: str, near: str | None) -> None:
    found = lint_plan(parse_plan(f"## Steps\n1. [act] a → {produced}\n2. [act] b\n> ← {taken}\n"))
    (one,) = [one for one in found if one.code in ("PS307", "PS316")]
    assert one.message == f"step 2: no step produces the input `{taken}`"
    if near is None:
        assert (one.code, one.severity, one.help, one.replacement) == ("PS307", Severity.INFO, "", "")
    else:
        expected = ("PS316", Severity.WARNING, f"did you mean `{near}`?", near)
        assert (one.code, one.severity, one.help, one.replacement) == expected


def test_of_very_many_names_only_the_first_are_looked_for() -> None:
    rows = "".join(f"{number}. [act] a → out_{number}\n> ← alien_{number}\n" for number in range(1, 400))
    steps = f"0. [act] a → report\n> ← out1\n{rows}400. [act] a\n> ← {{}}\n"
    assert [row[1] for row in lint(steps.format("repotr"), "PS316")] == ["0"]
