"""`planspec tools`."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from planspec_lark.cancellation import stop_event
from planspec_lark.runs import RecordKind, SqliteLedger, StepPolicy
from planspec_lark.syntax.safe_text import visible
from planspec_lark.tool_runner import callables
from tests.cli.running import command_line, environment, harmless, on_terminal, run
from tests.toolplan.plans import ATOMS, bake, document, weigh

GOOD = document(
    bake("loaf", "${flour.outputs.weight}", depends_on=["flour", "oven"]),
    weigh("flour"),
    weigh("oven", "heat"),
    outputs={"bread": "${loaf.outputs.loaf}", "heat": "${oven.outputs.note}"},
)
EVIL = "evil \x1b[31m\u202e\x9b1m\nerror[PT999]: forged"


@pytest.fixture(autouse=True)
def files(here: Path) -> Path:
    (here / "atoms").mkdir()
    (here / "atoms" / "all.json").write_text(json.dumps(ATOMS))
    (here / "good.json").write_text(json.dumps(GOOD))
    (here / "bad.yaml").write_text(
        "target: Bread\nplan:\n  steps:\n  - id: weigh\n    target: Weigh it\n    inputs: {item: '${b.outputs.x}'}\n"
        "    depends_on: [q, '0']\n  - {id: fry, target: Fry it, inputs: {}}\n"
    )
    (here / "warned.json").write_text(json.dumps(document(weigh("a"))))
    (here / "nothing.json").write_text('{"target": 1, "plan": {"steps": []}}')
    (here / "broken.json").write_text('{"target": ')
    (here / "latin.json").write_bytes(b'{"target": "\xfc"}')
    return here


# ---------------------------------------------------------------- check


# ---------------------------------------------------------------- tools of other programs


# ---------------------------------------------------------------- graph and show


def test_what_is_wrong_is_counted_beyond_a_thousand() -> None:
    result = run("tools", "show", "-", stdin=json.dumps(document(*[1] * 1100)))
    assert (result.exit_code, result.stderr.count("error[PT102 INVALID_TYPE]")) == (1, 1000)
    assert "error[PS120]: 100 more findings are not listed\n" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["check", "--atoms", "atoms"],
     ["show", "--plan"], ["show", "--full"], ["run", "--atoms", "atoms", "--dry-run"]],
)  # fmt: skip
def test_nothing_steers_a_terminal(files: Path, arguments: list[str]) -> None:
    plan = document({**weigh(EVIL, EVIL, target=EVIL), EVIL: 1}, weigh(item="${" + EVIL), outputs={EVIL: EVIL})
    (files / "evil.json").write_text(json.dumps(plan))
    text = harmless(on_terminal("tools", arguments[0], "evil.json", *arguments[1:]), colours=True)
    assert "evil" in text
    assert not any(row.startswith("error[PT999]") for row in text.splitlines())


# ---------------------------------------------------------------- run


def weigh_it(inputs: dict[str, Any]) -> dict[str, Any]:
    if inputs["item"] == "stone":
        raise ValueError(EVIL)
    return {"weight": len(inputs["item"]), "note": 5 if inputs["item"] == "heat" else ""}


def bake_it(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"loaf": f"{inputs['dough']} grams"}


not_callable = 5


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What packages offer: names of this module, by atom."""
    named = {"weigh": "weigh_it", "bake": "bake_it", "q": "not_there"}

    def entry_points(group: str) -> list[EntryPoint]:
        assert group == "planspec_lark.atoms"
        return [EntryPoint(name.rstrip("2"), f"{__name__}:{value}", group) for name, value in named.items()]

    monkeypatch.setattr(callables, "entry_points", entry_points)
    return named


@pytest.mark.usefixtures("offered")
def test_run() -> None:
    result = run("tools", "run", "good.json", "--atoms", "atoms", "--jobs", "1", "--resume")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"bread": "3 grams", "heat": 5}
    warning = "oven: warning: output 'note' is of type string, not integer\n"
    assert result.stderr == f"flour: done\noven: done\n{warning}loaf: done\n"
    again = run("tools", "run", "good.json", "--atoms", "atoms", "--resume")
    assert (again.exit_code, again.stdout) == (0, result.stdout)
    assert again.stderr == f"flour: done before\noven: done before\n{warning}loaf: done before\n"


@pytest.mark.usefixtures("offered")
def test_a_run_in_parts() -> None:
    command = ("tools", "run", "good.json", "--atoms", "atoms", "--jobs", "1", "--resume")
    first = run(*command, "--max-calls", "1")
    assert (first.exit_code, json.loads(first.stdout)) == (3, {})
    said = "Stopped: the budget is used up: steps: 1. What is done is kept in the ledger; the same command continues "
    assert first.stderr.splitlines()[0] == "flour: done"
    assert first.stderr.splitlines()[-1] == f"{said}from there."
    second = run(*command)
    assert (second.exit_code, second.stderr.splitlines()[0]) == (0, "flour: done before")
    assert Path("good.json.ledger").exists()
    refused = run("tools", "run", "-", "--atoms", "atoms", "--resume", stdin="{}")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("Error: --resume needs a file to keep a ledger beside.\n")


TRIES: list[str] = []


def weigh_at_last(inputs: dict[str, Any]) -> dict[str, Any]:
    TRIES.append(inputs["item"])
    if len(TRIES) < 3:
        raise ConnectionError("no scale")
    return weigh_it(inputs)


def weigh_for_ever(_: dict[str, Any]) -> dict[str, Any]:
    stop_event().wait(60)
    return {}


def test_a_tool_is_called_again(offered: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StepPolicy, "pause_after", lambda *_: 0.0)
    offered["weigh"] = "weigh_at_last"
    Path("one.json").write_text(json.dumps(document(weigh("a"))))
    for retries, code in (("1", 1), ("2", 0)):
        TRIES.clear()
        result = run("tools", "run", "one.json", "--atoms", "atoms", "--retries", retries)
        assert (result.exit_code, len(TRIES)) == (code, int(retries) + 1)
    assert result.stderr == "a: done\n"


def test_a_tool_that_hangs(offered: dict[str, str]) -> None:
    offered["weigh"] = "weigh_for_ever"
    Path("one.json").write_text(json.dumps(document(weigh("a"))))
    result = run("tools", "run", "one.json", "--atoms", "atoms", "--timeout", "0.1")
    assert (result.exit_code, result.stderr) == (1, "a: failed: no result within 0.1 seconds\n")


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("shown", ["good.json.ledger", "good.json"])
def test_the_log(shown: str) -> None:
    """It is that of the ledger itself, or of the one beside the file that is named."""
    assert run("tools", "run", "good.json", "--atoms", "atoms", "--resume", "--jobs", "1").exit_code == 0
    result = run("log", shown)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split("  ", 1)[1] for line in result.stdout.splitlines()] == [
        "begun      Bread",
        "started    flour  weigh",
        "done       flour  weigh",
        "started    oven  weigh",
        "done       oven  weigh",
        "started    loaf  bake",
        "done       loaf  bake",
        "ended      done",
    ]


@pytest.mark.usefixtures("offered")
def test_a_step_fails() -> None:
    plan = json.dumps(document(weigh("a", "stone"), bake("b", "${a.outputs.weight}")))
    result = run("tools", "run", "-", "--atoms", "atoms", stdin=plan)
    assert (result.exit_code, result.stdout) == (1, "{}\n")
    assert result.stderr == (
        "a: failed: ValueError: evil \\x1b[31m\\u202e\\x9b1m error[PT999]: forged\n"
        "b: skipped: it depends on step 'a', which has failed\n"
    )


@pytest.mark.usefixtures("offered")
def test_an_output_that_is_not_there() -> None:
    plan = json.dumps(document(weigh("a"), outputs={"a\nb": "${a.outputs.q}", "c": 1}))
    result = run("tools", "run", "-", "--atoms", "atoms", stdin=plan)
    assert (result.exit_code, json.loads(result.stdout)) == (1, {"c": 1})
    assert result.stderr == "a: done\na\\nb: this output of the plan is missing\n"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "nan"),
        ([float("inf"), -float("inf"), 1.5], ["inf", "-inf", 1.5]),
        ({(1, 2): {3: 4}, None: True, 1.5: 0}, {"(1, 2)": {"3": 4}, "null": True, "1.5": 0}),
        ({1}, "{1}"),
        ((1, ((),)), [1, [[]]]),
        ("\ud800\x1b", "\ud800\x1b"),
    ],
    ids=["nan", "infinity", "keys", "set", "tuple", "text"],
)
def test_outputs_that_are_no_json(offered: dict[str, str], monkeypatch: Any, value: Any, shown: Any) -> None:
    offered["weigh"] = "weigh_any"
    monkeypatch.setitem(globals(), "weigh_any", lambda _: {"weight": value, "note": ""})
    plan = json.dumps(document(weigh("a"), outputs={"w": "${a.outputs.weight}"}))
    result = run("tools", "run", "-", "--atoms", "atoms", stdin=plan)
    assert json.loads(result.stdout, parse_constant=pytest.fail) == {"w": shown}
    assert visible(result.stdout) == result.stdout


@pytest.mark.parametrize("colours", [True, False])
def test_a_terminal_shows_what_has_become_of_steps(colours: bool) -> None:
    env = {} if colours else {"NO_COLOR": "1"}
    plan = json.dumps(document(weigh("a"), bake("b"), weigh("c\x1b[31m", depends_on=["b"])))
    shown = on_terminal("tools", "run", "-", "--atoms", "atoms", stdin=plan.encode(), env=env, before=OFFERED)
    text = harmless(shown, colours=colours)
    assert (
        text
        == "a: done\nb: failed: KeyError: 'bake'\nc\\x1b[31m: skipped: it depends on step 'b', which has failed\n{}\n"
    )
    assert (b"\x1b[32mdone" in shown, b"\x1b[1;31mfailed" in shown, b"\x1b[1;33mskipped" in shown) == (colours,) * 3


# ---------------------------------------------------------------- a run that is stopped

# What a process offers: a tool that works until a file is there, and another one that fails.
OFFERED = """
import signal, time
from pathlib import Path
from planspec_lark.runs import RecordKind, SqliteLedger
from planspec_lark.tool_runner import callables
signal.signal(signal.SIGINT, signal.default_int_handler)
def weigh(inputs):
    if inputs["item"] == "slow":
        Path("begun").touch()
        while not Path("go").exists():
            time.sleep(0.01)
    return {"weight": 1, "note": ""}
def bake(inputs):
    raise KeyError("bake")
callables.load_entry_point_atoms = lambda atom_ids: {"weigh": weigh, "bake": bake}
"""
WAITING = "Stopping, once the running calls have ended. To stop at once, interrupt again.\n"
KEPT = "Stopped. What is done is kept in the ledger; the same command continues from there.\n"


@contextmanager
def at_work(offered: str = OFFERED) -> Iterator[subprocess.Popen[bytes]]:
    """A run whose second step is at work, until it is let go."""
    Path("slow.json").write_text(json.dumps(document(weigh("a"), weigh("b", "slow", depends_on=["a"]), weigh("c"))))
    command = command_line(["tools", "run", "slow.json", "--atoms", "atoms", "--resume", "--jobs", "1"], offered)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        # What is never said is not waited for without end.
        end = Timer(180, process.kill)
        end.start()
        try:
            wait_for("begun")
            yield process
        finally:
            end.cancel()
            process.kill()


def wait_for(name: str) -> None:
    end = time.monotonic() + 60
    while not Path(name).exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def done_steps() -> list[str]:
    with closing(SqliteLedger("slow.json.ledger", read_only=True)) as ledger:
        return [one.step for one in ledger.records("toolplan", kinds=(RecordKind.DONE,))]


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_what_is_at_work_is_waited_for(name: str, code: int) -> None:
    with at_work() as process:
        process.send_signal(signal.Signals[name])
        assert process.stderr is not None
        assert [process.stderr.readline().decode() for _ in range(2)] == ["a: done\n", WAITING]
        Path("go").touch()
        assert process.communicate(timeout=60) == (b"", KEPT.encode())
    assert process.returncode == code
    assert done_steps() == ["a", "b"]


def test_a_signal_is_heard_while_all_wait() -> None:
    # One that comes to another thread does not end the waiting of the first one.
    sent = "import threading; signal.pthread_kill(threading.get_ident(), signal.SIGTERM)"
    with at_work(
        OFFERED.replace('Path("begun").touch()', f'time.sleep(0.5); Path("begun").touch(); {sent}')
    ) as process:
        assert process.stderr is not None
        assert [process.stderr.readline().decode() for _ in range(2)] == ["a: done\n", WAITING]
        Path("go").touch()
        assert process.communicate(timeout=60) == (b"", KEPT.encode())
    assert process.returncode == 143


def test_a_second_interrupt_ends_it_at_once() -> None:
    with at_work() as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert [process.stderr.readline().decode() for _ in range(2)] == ["a: done\n", WAITING]
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 143
    assert done_steps() == ["a"]


def test_a_signal_that_is_ignored_stops_nothing() -> None:
    ignore = f"{OFFERED}signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    Path("slow.json").write_text(json.dumps(document(weigh("a", "slow"))))
    command = command_line(["tools", "run", "slow.json", "--atoms", "atoms"], ignore)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        wait_for("begun")
        process.send_signal(signal.SIGHUP)
        Path("go").touch()
        assert process.communicate(timeout=60) == (b"{}\n", b"a: done\n")
    assert process.returncode == 0


def test_nothing_is_imported_that_a_plan_names(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    monkeypatch.setattr(callables, "entry_points", lambda group: [])  # noqa: ARG005
    (files / "atoms.json").write_text('[{"id": "os:getcwd"}, {"id": "tests.cli.test_tools:bake_it"}]')
    steps: list[dict[str, Any]] = [
        {"id": one, "target": "", "inputs": {}} for one in ("os:getcwd", "tests.cli.test_tools:bake_it")
    ]
    result = run("tools", "run", "-", "--atoms", "atoms.json", stdin=json.dumps(document(*steps)))
    assert result.exit_code == 2
    assert result.stderr == "Error: there is no callable for os:getcwd, tests.cli.test_tools:bake_it\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bake": "not_there"}, "the atom bake cannot be loaded from tests.cli.test_tools:not_there: AttributeError: "),
        ({"bake": "not_callable"}, "the atom bake is nothing to call: tests.cli.test_tools:not_callable"),
        ({"bake2": "weigh_it"}, "two packages offer the atom bake: tests.cli.test_tools:bake_it and tests.cli.test_"),
    ],
)
def test_what_packages_offer(offered: dict[str, str], change: dict[str, str], said: str) -> None:
    offered.update(change)
    result = run("tools", "run", "good.json", "--atoms", "atoms")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {said}")
