"""`planspec hook EVENT`: what an assistant tells of its session, on standard input, and what it is answered.

This is the quick half. It runs at every edit of any file, so it imports nothing but the standard library, and the rest
of the package once there is a plan. A fault of its own never fails a session: then it says so in one line and
leaves with 0. With 2, which assistants show to their model, it leaves only where a plan has faults.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from getopt import GetoptError, gnu_getopt
from typing import Any

__all__ = ["AGENTS", "EVENTS", "MAX_TOKENS", "PLAN_FILE", "answer", "main"]

AGENTS = ("claude", "agents-md", "codex", "copilot", "cursor", "gemini")
EVENTS = ("post-edit", "session-start", "pre-compact", "stop", "session-end")
MAX_TOKENS = 1500
FAULTS = 2
_REFUSED = 1

# The files of a project that are plans, as for the hooks of pre-commit.
PLAN_FILE = re.compile(r"(^|/)(planspec/.*|Tasks/[^/]+/plan|[^/]+\.plan)\.md\Z", re.DOTALL)
# What is in a folder with a dot is another tool's.
_HIDDEN = re.compile(r"(^|/)\.[^/]+/")
_MOST_BYTES = 64 * 2**20
_LONGEST_PATH = 4096
# The most files of one edit that are looked at.
_MOST_FILES = 20
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path")
# Lines of a patch that name the files which are written.
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update) File|Move to): (.{1,4096})$", re.MULTILINE)

Payload = Mapping[str, Any]


def main(arguments: Sequence[str]) -> int:
    """Answer an event; ``arguments`` are those after ``planspec hook``. Returns the exit code."""
    try:
        options = _read_arguments(arguments)
    except ValueError as error:
        # Not with 2, which would tell a model that its edit is at fault.
        return _say(f"{error}; usage: planspec hook {'|'.join(EVENTS)} [--agent NAME] [--max-tokens N]", _REFUSED)
    return answer(**options)


def _read_arguments(arguments: Sequence[str]) -> dict[str, Any]:
    try:
        given, words = gnu_getopt([*arguments], "", ["agent=", "max-tokens="])
    except GetoptError as error:
        raise ValueError(error.msg[:80]) from None
    said = {"--agent": AGENTS[0], "--max-tokens": str(MAX_TOKENS), **dict(given)}
    agent, most = said.values()
    if agent not in AGENTS:
        raise ValueError(f"--agent: {agent[:40]!r} is none of {', '.join(AGENTS)}")
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", most):
        raise ValueError(f"--max-tokens: {most[:40]!r} is not a number from 1 on")
    if len(words) != 1 or words[0] not in EVENTS:
        raise ValueError(f"unknown: {words[-1][:40]!r}" if words else "an event is missing")
    return {"event": words[0], "agent": agent, "max_tokens": int(most)}


def answer(event: str, agent: str = "", max_tokens: int = MAX_TOKENS) -> int:
    """Answer one of :data:`EVENTS`.

    Args:
        event: which one.
        agent: the assistant; some want their answer in a form of their own.
        max_tokens: the most that an answer about all plans may take.

    Returns:
        The exit code: 0, or 2 where a plan was edited that has faults and the assistant wants to hear of it so.
    """
    try:
        payload = _read_payload()
        if event == "post-edit":
            return _refuse(_check_edited(payload), agent)
        folder = _find_folder(payload)
        if folder is None:
            return 0
        from planspec_lark.agents import sessions, status  # noqa: PLC0415  (only where there are plans)

        if event == "session-start":
            sessions.begin(payload, folder)
        if event in ("stop", "session-end"):
            faults = _check_changed(payload, folder) if event == "stop" else ""
            # Plain text would be refused at these events, or ignored.
            _write(_hold(faults, agent) if faults else _tell_person(status.say_active(folder)))
        else:
            _write(_in_form(status.say_plans(folder, max_tokens), agent, "SessionStart"))
    except Exception as error:
        # No fault of ours may stop the assistant's work.
        is_ours = type(error).__module__.startswith("planspec_lark.")
        return _say(str(error) if is_ours else f"{type(error).__name__}: {error}", 0)
    return 0


def _in_form(text: str, agent: str, event: str) -> str:
    """What a model is to know, as its assistant takes it."""
    if not text:
        return ""
    if agent in _CONTEXT:
        return json.dumps({_CONTEXT[agent]: text})
    if agent == "gemini":
        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return text


# Those that show their model nothing of what a hook says otherwise, and what they call what it is to know.
_CONTEXT = {"cursor": "additional_context", "copilot": "additionalContext"}


def _hold(text: str, agent: str) -> str:
    """What keeps a model at work."""
    return json.dumps({"followup_message": text} if agent == "cursor" else {"decision": "block", "reason": text})


def _tell_person(text: str) -> str:
    return json.dumps({"systemMessage": text}) if text else ""


def _refuse(text: str, agent: str) -> int:
    """Tell a model what is wrong with what it has written."""
    if not text:
        return 0
    if agent in _CONTEXT:
        _write(_in_form(text, agent, "PostToolUse"))
        return 0
    sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stderr.flush()
    return FAULTS


def _say(message: str, code: int) -> int:
    """Write a line to standard error, if there is one."""
    try:
        line = "".join(char if char.isprintable() else "?" for char in message[:500])
        sys.stderr.write(f"planspec hook: {line}\n")
        sys.stderr.flush()
    except Exception:
        # There is no way to report it.
        return code
    return code


def _write(text: str) -> None:
    if text:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.buffer.flush()


# ---------------------------------------------------------------- what is said


def _read_payload() -> Payload:
    """What the assistant says; nothing where that is not JSON, or a person has called."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if not data.strip() or len(data) > _MOST_BYTES:
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        _say("standard input is not JSON", 0)
        return {}
    return value if isinstance(value, dict) else {}


def _start(payload: Payload) -> str:
    """The folder in which the assistant works: not that of the session, where it has moved to a worktree."""
    roots = payload.get("workspace_roots")
    named = [payload.get("cwd"), *(roots[:1] if isinstance(roots, list) else ()), os.environ.get("CLAUDE_PROJECT_DIR")]
    return next((one for one in named if isinstance(one, str) and _is_folder(one)), os.getcwd())


def _is_folder(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_PATH and os.path.isdir(name)


def _project(start: str) -> str:
    """The folder above with a repository in it, or the folder itself where there is none."""
    return next((one for one in _upwards(start) if os.path.lexists(os.path.join(one, ".git"))), os.path.realpath(start))


def _upwards(start: str) -> Iterator[str]:
    folder = os.path.realpath(start)
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _find_folder(payload: Payload) -> str | None:
    """The nearest folder above, inside the project, that has plans; None where none has."""
    start = os.environ.get("PLANSPEC_FOLDER") or _start(payload)
    project = _project(start)
    for folder in _upwards(start):
        try:
            if any(name.endswith(".md") for name in os.listdir(os.path.join(folder, "planspec"))):
                return folder
        except OSError:
            pass
        if folder == project:
            break
    return None


# ---------------------------------------------------------------- edits


def _check_edited(payload: Payload) -> str:
    """The faults of the plans that an edit has written."""
    start = _start(payload)
    project = _project(start)
    names = dict.fromkeys(filter(None, (_name_plan(one, start, project) for one in _edited(payload))))
    return _say_faults(project, names)


def _check_changed(payload: Payload, folder: str) -> str:
    """The faults of the plans that have changed since the session began, once; none where it was held up already."""
    from planspec_lark.agents.sessions import changed_plans  # noqa: PLC0415  (only where there are plans)

    changed = changed_plans(payload, folder)
    if payload.get("stop_hook_active") or payload.get("loop_count"):
        return ""
    return _say_faults(os.path.realpath(folder), changed[:_MOST_FILES])


def _say_faults(project: str, names: Iterable[str]) -> str:
    said = []
    for name in names:
        from planspec_lark.agents.faults import say_faults  # noqa: PLC0415  (most edits are of no plan)

        said.append(say_faults(project, name))
    return "\n\n".join(filter(None, said))


def _edited(payload: Payload) -> list[str]:
    """The files that an edit has written, as each assistant names them."""
    given = [payload]
    for key in ("tool_input", "toolArgs", "toolInput"):
        value = payload.get(key)
        if isinstance(value, str) and value.startswith("{"):
            value = json.loads(value)
        if isinstance(value, dict):
            given.append(value)
    found: list[Any] = []
    for one in given:
        found += (one.get(key) for key in _PATH_KEYS)
        files = one.get("files")
        found += files if isinstance(files, list) else []
        for key in ("command", "input", "patch"):
            text = one.get(key)
            if isinstance(text, str) and "*** Begin Patch" in text:
                found += _PATCHED.findall(text)
    return list(dict.fromkeys(one for one in found if isinstance(one, str)))[:_MOST_FILES]


def _name_plan(path: str, start: str, project: str) -> str:
    """The name of a plan, from the project's folder on; empty for what is not a plan, or not in the project."""
    if not path.endswith(".md") or len(path) > _LONGEST_PATH:
        return ""
    try:
        whole = os.path.normpath(os.path.join(start, path))
        # Folders may be links; what the file itself is, is looked at when it is read.
        whole = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        name = os.path.relpath(whole, project).replace(os.sep, "/")
        is_there = os.path.isfile(whole)
    except (OSError, ValueError):  # a NUL, another drive
        return ""
    return name if is_there and not name.startswith("../") and _is_plan(name) else ""


def _is_plan(name: str) -> bool:
    return PLAN_FILE.search(name) is not None and _HIDDEN.search(name) is None
