"""Texts that are merged: which lines they have, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import PlanDocument, PlanStatus, PlanSyntaxError, parse_plan, step_order
from planspec_lark.diff import merge_texts
from tests.cases import in_one_test
from tests.corpus import each, read

BASE = """\
\ufeff# Plan: Move the library
**Goal**:  All books stand in the new house

Constraints:
- No book leaves its shelf unlabelled

## Steps
1.   [ ] [act]  Label the shelves → labels
2. [subtask] Move the books → moved

\t2.1. [act] Hire a lorry → lorry
\t  > Twelve tonnes.
\t2.2. [reason] Find the best order → room_order
3. [act] Paint the old shelves"""


def edited(*changes: tuple[str, str], text: str = BASE) -> str:
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def merged(ours: str, theirs: str, base: str = BASE) -> str:
    result = merge_texts(base, ours, theirs)
    assert result.conflicts == ()
    assert parse_plan(result.text) == result.plan
    return result.text


def clash(ours: str, theirs: str, base: str = BASE, size: int = 7) -> str:
    result = merge_texts(base, ours, theirs, marker_size=size)
    assert result.conflicts
    with pytest.raises(PlanSyntaxError):
        parse_plan(result.text)
    return result.text


OURS = edited(("3. [act] Paint", "3. [x] [act] Paint"))


def test_only_the_lines_of_what_theirs_has_changed_are_others() -> None:
    change = ("\t2.1. [act] Hire", "\t2.1. [>] [act] Hire")
    assert merged(OURS, edited(change)) == edited(change, text=OURS)


def test_spacing_alone_is_no_change() -> None:
    assert merged(OURS, edited(("[act]  Label", "[act] Label"), ("Move the books", "Move all books"))) == edited(
        ("Move the books", "Move all books"), text=OURS
    )


def test_what_both_have_changed_of_a_line_is_in_it() -> None:
    ours = edited(("1.   [ ] [act]  Label", "1.   [ ] [LLM]  Label"))
    theirs = edited(("Label the shelves → labels", "Label all the shelves → labels"))
    assert merged(ours, theirs) == edited(("1.   [ ] [act]  Label the", "1. [LLM] Label all the"))


def test_what_both_have_changed_below_a_line_is_edited_there() -> None:
    ours = edited(("\t  > Twelve", "\t  > ← labels\n\t  > Twelve"))
    theirs = edited(("Twelve tonnes.", "Ten tonnes.\n\t  > Or more."))
    assert merged(ours, theirs) == edited(("\t  > Twelve tonnes.", "\t  > ← labels\n\t  > Ten tonnes.\n\t  > Or more."))


def test_a_new_step_is_indented_as_its_neighbours_and_renumbers_those_behind_it() -> None:
    theirs = edited(("\t2.1. [act]", "2.1. [act] Ask\n\t2.2. [act]"), ("\t2.2. [reason]", "\t2.3. [reason]"))
    assert merged(OURS, theirs) == edited(
        ("\t2.1. [act]", "\t2.1. [act] Ask\n\t2.2. [act]"), ("\t2.2. [reason]", "\t2.3. [reason]"), text=OURS
    )


def test_a_first_step_below_another_is_indented_as_the_document_does() -> None:
    ours = edited(("3. [act] Paint", "3. [act] Then paint"))
    theirs = edited(("3. [act] Paint the old shelves", "3. [subtask] Paint the old shelves\n3.1. [act] Go"))
    assert merged(ours, theirs).endswith("3. [subtask] Then paint the old shelves\n\t3.1. [act] Go")
    moved = edited(
        ("3. [act] Paint the old shelves", "3. [subtask] Paint the old shelves\n  3.1. [act] Find the best order"),
        ("\t2.2. [reason] Find the best order → room_order\n", ""),
    )
    assert "\n3. [subtask] Then" in merged(ours, moved)


def test_line_ends_are_those_of_ours() -> None:
    theirs = edited(("3. [act]", "3. [act] Ask\n> first\n\n4. [act]"), ("Goal**:  All", "Goal**:  Some"))
    ours = OURS.replace("\n", "\r\n")
    assert merged(ours, theirs) == edited(
        ("3. [x] [act]", "3. [act] Ask\n> first\n4. [x] [act]"), ("**Goal**:  All", "Goal: Some"), text=OURS
    ).replace("\n", "\r\n")


def test_a_last_line_is_ended_where_something_follows() -> None:
    theirs = edited(("old shelves", "old shelves\n4. [act] Rest"))
    assert merged(OURS, theirs) == OURS + "\n4. [act] Rest"
    ours = edited(("3. [act] Paint", "3. [act] Then paint"))
    theirs = edited(("old shelves", "old shelves\n> slowly"))
    assert merged(ours, theirs) == ours + "\n  > slowly"


def test_a_status_and_a_change_of_what_is_to_be_done_stand_beside_each_other() -> None:
    base = "## Steps\n1. [act] Delete the old rows of May\n"
    ours = base.replace("1. [act]", "1. [x] [act]").replace("May", "May | 40 rows")
    theirs = base.replace("May", "May and June")
    assert clash(ours, theirs, base) == (
        "## Steps\n<<<<<<< ours\n1. [x] [act] Delete the old rows of May | 40 rows\n=======\n"
        "1. [act] Delete the old rows of May and June\n>>>>>>> theirs\n"
    )
    assert clash(theirs, ours, base).count("[x] [act] Delete the old rows of May |") == 1


def test_a_step_that_is_gone_takes_its_lines_along() -> None:
    theirs = edited(("\t2.1. [act] Hire a lorry → lorry\n\t  > Twelve tonnes.\n", ""))
    assert merged(OURS, theirs) == edited(("\t2.1. [act] Hire a lorry → lorry\n\t  > Twelve tonnes.\n", ""), text=OURS)


def test_the_head_of_ours_stays_but_for_what_theirs_has_changed() -> None:
    theirs = edited(
        ("# Plan: Move the library\n", ""),
        ("new house", "old house\n> soon"),
        ("unlabelled", "unlabelled\n-  Wear gloves"),
    )
    assert merged(OURS, theirs) == edited(
        ("# Plan: Move the library\n", ""),
        ("**Goal**:  All books stand in the new house", "Goal: All books stand in the old house\n> soon"),
        ("unlabelled", "unlabelled\n- Wear gloves"),
        text=OURS,
    )


def test_parts_that_only_theirs_has() -> None:
    theirs = "# Plan: t\nGoal: g\nConstraints:\n- c\n"
    assert merged("## Steps\n1. [act] a", theirs, base="") == theirs + "## Steps\n1. [act] a"
    assert merged("# Plan: t", "Goal: g\n## Steps\n1. [act] a", base="") == "# Plan: t\nGoal: g\n## Steps\n1. [act] a"


def test_steps_without_a_header_stay_without_it() -> None:
    headed = "## Steps\n1. [act] a\n"
    for base in ("1. [act] a\n", headed):
        for theirs in ("1. [x] [act] a\n", "\ufeff## Steps\n1. [x] [act] a\n"):
            assert merged("1. [act] a\n2. [act] b", theirs, base=base) == "1. [x] [act] a\n2. [act] b"
            assert merged(f"{headed}2. [act] b", theirs, base=base) == "## Steps\n1. [x] [act] a\n2. [act] b"
    # The first steps get one.
    for first in ("1. [act] a\n", headed):
        assert merged("Goal: h\n", f"Goal: g\n{first}", base="Goal: g\n") == f"Goal: h\n{headed}"


def test_a_byte_order_mark_is_none_of_the_first_steps() -> None:
    assert merged("1. [act] a\n", "\ufeff1. [act] a, b\n", base="\ufeff1. [act] a\n") == "1. [act] a, b\n"
    theirs = "\ufeff0. [act] b\n1. [act] a\n"
    assert merged("\ufeff1. [x] [act] a\n", theirs, base="1. [act] a\n") == "\ufeff0. [act] b\n1. [x] [act] a\n"


def test_lines_out_of_their_order_stay_where_they_are() -> None:
    base = "## Steps\n2.1. [act] a\n1. [subtask] b\n2. [subtask] c\n1.1. [act] d\n2.2. [act] e\n"
    ours = base.replace("[act] d", "[x] [act] d")
    theirs = base.replace("2.1. [act] a\n", "2.1. [act] new\n2.2. [act] a\n").replace("2.2. [act] e", "2.3. [act] e")
    theirs = theirs.replace("1.1. [act] d", "1.1. [act] d\n1.2. [act] last")
    assert merged(ours, theirs, base=base) == (
        "## Steps\n2.1. [act] new\n2.2. [act] a\n1. [subtask] b\n2. [subtask] c\n1.1. [x] [act] d\n1.2. [act] last\n"
        "2.3. [act] e\n"
    )


# ---------------------------------------------------------------- conflicts


def test_a_summary_line_in_conflict() -> None:
    theirs = edited(("3. [act] Paint", "3. [!] [act] Paint"))
    assert clash(OURS, theirs).endswith("""\
<<<<<<< ours
3. [x] [act] Paint the old shelves
=======
3. [!] [act] Paint the old shelves
>>>>>>> theirs
""")


def test_only_the_body_in_conflict() -> None:
    ours, theirs = edited(("Twelve", "Ten"), ("2.1. [act]", "2.1. hire [act]")), edited(("Twelve", "Nine"))
    assert clash(ours, theirs) == edited(
        ("2.1. [act]", "2.1. hire [act]"),
        (
            "\t  > Twelve tonnes.\n",
            "<<<<<<< ours\n\t  > Ten tonnes.\n=======\n\t  > Nine tonnes.\n>>>>>>> theirs\n",
        ),
    )


def test_both_in_conflict() -> None:
    ours, theirs = edited(("Twelve", "Ten"), ("Hire", "Rent")), edited(("Twelve", "Nine"), ("Hire", "Buy"))
    assert clash(ours, theirs, size=3) == edited(
        (
            "\t2.1. [act] Hire a lorry → lorry\n\t  > Twelve tonnes.\n",
            "<<< ours\n\t2.1. [act] Rent a lorry → lorry\n\t  > Ten tonnes.\n===\n"
            "\t2.1. [act] Buy a lorry → lorry\n\t  > Nine tonnes.\n>>> theirs\n",
        )
    )


def test_the_rest_of_a_step_in_conflict_is_merged_on_both_sides() -> None:
    ours = edited(("3. [act] Paint the old shelves", "3. [x] [act] Paint the old shelves | red"))
    theirs = edited(("3. [act] Paint the old shelves", "3. [!] [act] Paint all old shelves → paint"))
    assert clash(ours, theirs).endswith("""\
<<<<<<< ours
3. [x] [act] Paint all old shelves → paint | red
=======
3. [!] [act] Paint all old shelves → paint
>>>>>>> theirs
""")


def test_the_head_in_conflict() -> None:
    ours = edited(("Move the library", "Ours"), ("No book leaves", "Some books leave"), ("All books", "Ours"))
    theirs = edited(("Move the library", "Theirs"), ("No book leaves", "No books leave"), ("All books", "Theirs"))
    assert (
        clash(ours, theirs).partition("## Steps")[0]
        == """\
\ufeff<<<<<<< ours
# Plan: Ours
=======
# Plan: Theirs
>>>>>>> theirs
<<<<<<< ours
**Goal**:  Ours stand in the new house

=======
Goal: Theirs stand in the new house

>>>>>>> theirs
Constraints:
<<<<<<< ours
- Some books leave its shelf unlabelled

=======
- No books leave its shelf unlabelled

>>>>>>> theirs
"""
    )


def test_a_goal_that_ours_has_taken_away() -> None:
    assert clash("", "Goal: b\n> c\n", base="Goal: a\n") == (
        "<<<<<<< ours\nGoal:\n=======\nGoal: b\n>>>>>>> theirs\n> c\n"
    )


def test_a_detail_in_conflict_without_a_goal() -> None:
    assert clash("Goal:\n> b\n", "", base="Goal:\n> a\n") == "Goal:\n<<<<<<< ours\n> b\n=======\n>>>>>>> theirs\n"
    assert clash("", "Goal:\n> b\n", base="Goal:\n> a\n") == "<<<<<<< ours\n=======\nGoal:\n> b\n>>>>>>> theirs\n"


def test_two_steps_that_would_stand_below_each_other() -> None:
    base = "## Steps\n1. [subtask] a\n2. [subtask] b\n"
    ours, theirs = "## Steps\n1. [subtask] a\n1.1. [subtask] b\n", "## Steps\n2. [subtask] b\n2.1. [subtask] a\n"
    written = """\
## Steps
<<<<<<< ours
1. [subtask] a
1.1. [subtask] b
=======
2. [subtask] b
2.1. [subtask] a
>>>>>>> theirs
"""
    assert clash(ours, theirs, base) == written


def test_what_comes_below_a_step_stands_in_front_of_what_comes_behind_it() -> None:
    base = "## Steps\n1. [subtask] a\n1.1. [subtask] b\n"
    theirs = base + "1.1.1. [act] c\n1.2. [act] d\n2. [act] e\n"
    assert merged(base.replace("1. [subtask] a", "1. [>] [subtask] a"), theirs, base) == theirs.replace(
        "1. [subtask] a", "1. [>] [subtask] a"
    )


REMOVED = edited(
    (
        "2. [subtask] Move the books → moved\n\n\t2.1. [act] Hire a lorry → lorry\n\t  > Twelve tonnes.\n"
        "\t2.2. [reason] Find the best order → room_order\n",
        "",
    )
)
CHANGED = edited(("2.1. [act]", "2.1. [x] [act]"))


def test_a_step_that_theirs_has_removed_and_ours_has_changed() -> None:
    assert clash(CHANGED, REMOVED) == edited(
        ("2. [subtask]", "<<<<<<< ours\n2. [subtask]"),
        ("2.1. [act]", "2.1. [x] [act]"),
        ("room_order\n", "room_order\n=======\n>>>>>>> theirs\n"),
    )


def test_a_step_that_ours_has_removed_and_theirs_has_changed() -> None:
    lines = """\
<<<<<<< ours
=======
2. [subtask] Move the books → moved
  2.1. [x] [act] Hire a lorry → lorry
    > Twelve tonnes.
  2.2. [reason] Find the best order → room_order
>>>>>>> theirs
"""
    assert clash(REMOVED, CHANGED) == REMOVED.replace("3. [act]", f"{lines}3. [act]")


def test_a_step_that_both_have_moved_stands_in_both_places() -> None:
    base = "## Steps\n1. [subtask] a\n2. [subtask] b\n3. [act] x\n"
    ours = "## Steps\n1. [subtask] a\n  1.1. [act] x\n2. [subtask] b\n"
    theirs = "## Steps\n1. [subtask] a\n2. [subtask] b\n  2.1. [act] y\n  2.2. [act] x\n"
    assert (
        clash(ours, theirs, base)
        == """\
## Steps
1. [subtask] a
<<<<<<< ours
  1.1. [act] x
=======
>>>>>>> theirs
2. [subtask] b
  2.1. [act] y
<<<<<<< ours
=======
  2.2. [act] x
>>>>>>> theirs
"""
    )


def test_a_step_that_both_have_moved_has_an_id_of_its_own_in_each_place() -> None:
    base = "## Steps\n1. [subtask] a\n2. [subtask] b\n3. [act] x\n"
    ours = "## Steps\n1. [subtask] a\n  1.1. [act] x\n2. [subtask] b\n  2.999999999. [act] y\n  2.1. [act] z\n"
    theirs = "## Steps\n1. [subtask] a\n2. [subtask] b\n  2.1. [act] x\n"
    assert "=======\n  2.2. [act] x\n>>>>>>> theirs\n" in clash(ours, theirs, base)


def test_a_last_line_is_ended_inside_a_conflict() -> None:
    base = "## Steps\n1. [subtask] a\n2. [subtask] b\n3. [subtask] x\n"
    ours = "## Steps\n1. [subtask] a\n2. [subtask] b\n1.1. [subtask] x"
    theirs = "## Steps\n1. [subtask] a\n2. [subtask] b\n2.1. [subtask] x\n2.1.1. [act] y\n"
    assert "<<<<<<< ours\n1.1. [subtask] x\n1.1.1. [act] y\n=======\n" in clash(ours, theirs, base)


def test_markers_end_as_the_lines_of_ours_do() -> None:
    theirs = edited(("3. [act] Paint", "3. [!] [act] Paint"))
    written = clash(OURS.replace("\n", "\r\n"), theirs)
    assert written.count("\n") == written.count("\r\n")


# ---------------------------------------------------------------- any text


@pytest.mark.parametrize("name", ["base", "ours", "theirs"])
def test_what_is_no_plan_is_refused_by_its_name(name: str) -> None:
    texts = {"base": "", "ours": "Goal: a\n", "theirs": "Goal: b\n", name: "1) do\n"}
    with pytest.raises(PlanSyntaxError) as caught:
        merge_texts(texts["base"], texts["ours"], texts["theirs"])
    assert caught.value.source.name == name


FIXTURES = each("planspec/valid", ".md")


@in_one_test
@FIXTURES
def test_no_fixture_loses_a_byte(path: Path) -> None:
    text = read(path)
    for base in ("# Plan: x", "Goal: none of this"):
        result = merge_texts(base, text, text + " \n\n")
        assert (result.text, result.conflicts) == (text, ())


@in_one_test
@FIXTURES
def test_edits_of_both_sides_come_together_in_every_fixture(path: Path) -> None:
    """What two have edited, each in a part of its own, is what one would have made of both edits."""
    text = read(path)
    ids = step_order(parse_plan(text))
    if len(ids) < 2:
        return
    edits = (ids[0], PlanStatus.BLOCKED, "ours"), (ids[-1], PlanStatus.SKIPPED, "theirs")
    versions = [PlanDocument.from_text(text) for _ in range(3)]
    for document, edit in zip(versions, edits, strict=False):
        document.set_status(*edit)
        versions[2].set_status(*edit)
    result = merge_texts(text, versions[0].text, versions[1].text)
    assert result.conflicts == ()
    assert result.text == versions[2].text
