"""Cases in, answers out: runs with the package of one environment and uses nothing but its public names.

A program of its own, which needs the standard library and the package only: ``python operations.py < cases > answers``,
a JSON value a line. ``NAMES`` is the map of public names: where each may be found, the first that is there counts.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

Answer = dict[str, Any]

# Public name → the modules that may have it. What is not listed is at the package's top.
NAMES: dict[str, tuple[str, ...]] = {
    name: ("planspec_lark", *modules)
    for name, *modules in (
        ("diff_plans", "planspec_lark.diff"),
        ("diff_to_dict", "planspec_lark.diff"),
        ("draw_plan", "planspec_lark.planspec"),
        ("find_data_flow", "planspec_lark.planspec"),
        ("focus_view", "planspec_lark.planspec"),
        ("merge_texts", "planspec_lark.diff"),
        ("next_step_view", "planspec_lark.planspec"),
        ("plan_json_schema", "planspec_lark.planspec"),
        ("plan_to_steps", "planspec_lark.hopspec"),
        ("read_json", "planspec_lark.json_text"),
        ("render_page", "planspec_lark.html"),
        ("repair_prompt", "planspec_lark.answers"),
        ("scan_json", "planspec_lark.json_text"),
        ("scan_message", "planspec_lark.plan_next"),
        ("splice", "planspec_lark.answers"),
        ("steps_to_plan", "planspec_lark.hopspec"),
    )
}


@cache
def public(name: str) -> Any:
    """A public name of the package."""
    for module in NAMES.get(name, ("planspec_lark",)):
        try:
            return getattr(import_module(module), name)
        except (AttributeError, ModuleNotFoundError):
            continue
    raise LookupError(f"no public name {name}: add its module to NAMES")


# ---------------------------------------------------------------- values


def _span(span: Any) -> Any:
    return span and [span.start, span.end, span.line, span.column, span.end_line, span.end_column]


def _diagnostics(found: Iterable[Any]) -> list[Any]:
    return [
        {
            "code": one.code,
            "message": one.message,
            "severity": one.severity.value,
            "span": _span(one.span),
            "expected": list(one.expected),
            "help": one.help,
            "fix": one.fix and [_span(one.fix.span), one.fix.text],
            "step": one.step_id,
            "part": one.part,
            "item": one.item,
            "path": str(one.path),
        }
        for one in found
    ]


def _plan(plan: Any) -> Any:
    return public("plan_to_dict")(plan)


def _step(step: Any) -> Any:
    holder = public("PlanSpec")(steps=[step])
    return _plan(holder)["steps"]


def _attempt(work: Callable[[], Any]) -> Any:
    """What it returns, or what it raises."""
    try:
        return work()
    except public("PlanSyntaxError") as error:
        return {"faults": _diagnostics(error.diagnostics), "text": str(error)}
    except (AttributeError, LookupError, NameError, TypeError):
        # The fault of this program: both would have it, and agree.
        raise
    except Exception as error:
        return {"raises": type(error).__name__, "text": str(error)}


# ---------------------------------------------------------------- plans


def _parse(text: str) -> Any:
    plan = public("parse_plan")(text)
    return {"plan": _plan(plan), "text": public("serialize_plan")(plan)}


def _places(fields: Any) -> Any:
    return {name: [_span(span) for span in spans] for name, spans in sorted(fields.items())}


def _scan(text: str) -> Any:
    result = public("scan_plan")(text)
    places = {}
    for step in public("iter_steps")(result.plan):
        own = result.places.step(step.step_id)
        places[step.step_id] = own and [_span(own.span), _places(own.fields)]
    return {
        "plan": _plan(result.plan),
        "found": _diagnostics(result.diagnostics),
        "fields": _places(result.places.fields),
        "steps": places,
    }


def _extract(text: str) -> Any:
    found = public("extract_plan")(text)
    return {"value": found.to_dict(), "text": found.text, "span": _span(found.span)}


def _print(text: str) -> Any:
    plan = public("scan_plan")(text).plan
    serialize = public("serialize_plan")
    return {
        "rules": public("validate_plan")(plan),
        "lint": _diagnostics(public("lint_plan")(plan)),
        "folded": serialize(plan, fold=True),
        "short": [_attempt(lambda: serialize(plan, max_tokens=budget)) for budget in (20, 60, 200)],  # noqa: B023
        "order": public("step_order")(plan),
        "progress": plan.progress,
        "outputs": sorted(public("available_outputs")(plan)),
    }


def _repair(text: str) -> Any:
    prompt = public("repair_prompt")(text)
    answer = "\n".join(f"LINE {number}: 1. [act] x" for number in range(1, 9))
    done = public("splice")(text, answer)
    return {"prompt": prompt, "spliced": [done.text, list(done.lines), _diagnostics(done.diagnostics)]}


def _tree(text: str) -> Any:
    tree = public("parse_tree")(text)
    tokens = [(token.type, str(token), token.start_pos) for token in tree.scan_values(bool)]
    return {"tokens": tokens}


def _views(text: str) -> Any:
    plan = public("scan_plan")(text).plan
    flow = public("find_data_flow")(plan)
    steps = list(public("iter_steps")(plan))
    return {
        "mermaid": public("draw_plan")(plan),
        "dot": public("draw_plan")(plan, "dot", view="flow"),
        "page": public("render_page")(plan, name="plan.md"),
        "missing": {step.step_id: list(flow.missing(step)) for step in steps},
        "unused": {step.step_id: list(flow.unused(step)) for step in steps},
    }


def _convert(text: str) -> Any:
    plan = public("scan_plan")(text).plan
    return {
        "json": public("plan_to_json")(plan),
        "back": public("plan_from_dict")(_plan(plan)) == plan,
        "steps": _attempt(lambda: repr(public("plan_to_steps")(plan))),
        "schema": public("plan_json_schema")(),
    }


_ASKED: list[Callable[[str], Any]] = [
    lambda text: _diagnostics(public("check_text")(text)),
    _extract,
    _print,
    _repair,
    lambda text: public("PlanDocument").from_answer(text).text,
    _tree,
    _views,
    _convert,
]


def _ask_plan(case: Answer) -> Any:
    text = case["text"]
    one = _ASKED[case["ask"] % len(_ASKED)]
    return {"parse": _attempt(lambda: _parse(text)), "scan": _scan(text), "more": _attempt(lambda: one(text))}


# ---------------------------------------------------------------- the rest


def _commands(found: Iterable[Any]) -> Any:
    return public("serialize_commands")(list(found))


def _ask_commands(case: Answer) -> Any:
    scan = public("scan_plan_commands")(case["text"])
    return {
        "commands": _commands(scan.commands),
        "spans": [_span(span) for span in scan.spans],
        "found": _diagnostics(scan.diagnostics),
        "plain": _commands(public("parse_plan_commands")(case["text"])),
    }


def _event(event: Any) -> Any:
    return [
        event.kind.value,
        event.draft,
        event.text,
        event.step_id,
        list(event.names),
        event.step and _step(event.step),
        event.diagnostic and _diagnostics([event.diagnostic]),
    ]


def _ask_stream(case: Answer) -> Any:
    text, cuts = case["text"], [*case["cuts"], len(case["text"])]
    answers = []
    for strict in (False, True):
        stream, before = public("PlanStream")(strict=strict), 0
        events: list[Any] = []
        for cut in cuts:
            events += map(_event, stream.feed(text[before:cut]))
            before = cut
        end = stream.finish()
        last = list(map(_event, end.events))
        answers.append([events, last, end.draft, _plan(end.result.plan), _diagnostics(end.result.diagnostics)])
    return answers


def _edit(document: Any, method: str, arguments: list[str]) -> Any:
    if method == "apply":
        commands = public("parse_plan_commands")(arguments[0])
        reports = document.apply(commands, atomic=len(commands) % 2 == 0)
        return [[report.done, report.message, report.code] for report in reports]
    return getattr(document, method)(*arguments)


def _ask_edits(case: Answer) -> Any:
    document = public("PlanDocument").from_answer(case["text"])
    steps = []
    for method, *arguments in case["edits"]:
        said = _attempt(lambda: _edit(document, method, arguments))  # noqa: B023
        steps.append([said, document.text])
    return {"steps": steps, "plan": _plan(document.plan)}


def _ask_merge(case: Answer) -> Any:
    texts = []
    for side in case["sides"]:
        document = public("PlanDocument").from_text(case["text"])
        document.apply(public("parse_plan_commands")(side))
        texts.append(document.text)
    merged = public("merge_texts")(case["text"], *texts)
    plans = [public("parse_plan")(text) for text in texts]
    return {
        "text": merged.text,
        "plan": _plan(merged.plan),
        "conflicts": [[one.step_id, list(one.names), one.message] for one in merged.conflicts],
        "diff": public("diff_to_dict")(public("diff_plans")(*plans)),
    }


def _ask_json(case: Answer) -> Any:
    answers = []
    for name in ("read_json", "scan_json"):
        found = public(name)(case["text"])
        value = found.value if found.has_value else "nothing"
        keys = sorted(value) if isinstance(value, dict) else []
        places = [[key, _span(found.key_place((key,))), _span(found.place((key,)))] for key in keys]
        answers.append([repr(value), _diagnostics(found.diagnostics), places])
    return answers


# Each with what stands for the file `plan.md`.
_CALLS = [
    ["check", "plan.md"],
    ["check", "--format", "json", "plan.md"],
    ["check", "--format", "sarif", "plan.md"],
    ["fmt", "--diff", "plan.md"],
    ["fmt", "plan.md"],
    ["show", "plan.md"],
    ["json", "plan.md"],
    ["next", "plan.md"],
    ["focus", "plan.md", "2"],
    ["graph", "plan.md"],
    ["extract", "--json", "plan.md"],
    ["repair-prompt", "plan.md"],
    ["apply", "plan.md", "commands.txt"],
    ["diff", "plan.md", "other.md"],
]


def _call(arguments: list[str]) -> tuple[int, bytes, bytes]:
    """The command line in a child of this process, which has all modules already."""
    # What this process has not written yet, the child would write as well, and as its own.
    sys.stdout.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            with open(os.devnull, "rb") as nothing:
                os.dup2(nothing.fileno(), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.argv = ["planspec", *arguments]
            code = 99
            try:
                import_module("planspec_lark.cli").main()
            except SystemExit as error:
                code = error.code if isinstance(error.code, int) else 98
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return os.waitstatus_to_exitcode(status), out.read(), err.read()


def _ask_command_line(case: Answer) -> Any:
    import_module("planspec_lark.cli.app")
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for arguments in _CALLS:
            with open("plan.md", "wb") as plan, open("other.md", "wb") as other, open("commands.txt", "wb") as commands:
                data = case["text"].encode("utf-8", "surrogateescape")
                plan.write(data)
                other.write(data.replace(b"1. ", b"1. [x] ", 1))
                commands.write(b"PLAN_CMD: DONE 1 | all there\nPLAN_CMD: ADD 2 [act] more -> x\nPLAN_CMD: SKIP 9\n")
            code, out, err = _call(arguments)
            with open("plan.md", "rb") as plan:
                after = plan.read()
            answers.append([arguments, code, *(data.decode("utf-8", "surrogateescape") for data in (out, err, after))])
        os.chdir("/")
    return answers


ASK: dict[str, Callable[[Answer], Any]] = {
    "plan": _ask_plan,
    "commands": _ask_commands,
    "stream": _ask_stream,
    "edits": _ask_edits,
    "merge": _ask_merge,
    "json": _ask_json,
    "command line": _ask_command_line,
}


def main() -> None:
    """Answer every case on standard input."""
    for line in sys.stdin:
        case = json.loads(line)
        answer = _attempt(lambda: ASK[case["kind"]](case))  # noqa: B023
        sys.stdout.write(json.dumps(answer, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
