"""The four prompts: what a person asks for by name, as texts for a language model."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from functools import partial

from mcp_types import GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from planspec_lark.folder.models import FolderError, FolderErrorReason
from planspec_lark.folder.names import is_name
from planspec_lark.mcp_server.answer_texts import say_progress, show_list
from planspec_lark.mcp_server.errors import RefusedError
from planspec_lark.mcp_server.plans import Plans, Stored
from planspec_lark.mcp_server.tool_functions import bounded, list_page, tree_writer
from planspec_lark.mcp_server.tool_models import VIEW_TOKENS
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.prompt_texts import format_text
from planspec_lark.syntax.prompt_templates import fill, prompt_json, read_template, text_values

__all__ = ["PROMPTS", "get_prompt"]

# The most existing plans that a prompt for a new one names.
_NAMES = 50
_LONGEST_REQUEST = 20_000


def get_prompt(plans: Plans, params: GetPromptRequestParams, *, language: str) -> GetPromptResult:
    """The text of a prompt.

    Raises:
        RefusedError: there is no such prompt, or its arguments do not fit.
        FolderError: there is no such plan, or it cannot be read.
        PlanSyntaxError: it is not a plan.
    """
    name, arguments = params.name, params.arguments or {}
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        raise RefusedError(f"there are the prompts {', '.join(_WRITERS)}, and no other")
    known = {one.name: one for one in prompt.arguments or ()}
    if unknown := [one for one in arguments if one not in known]:
        raise RefusedError(f"the prompt {name} has no argument {unknown[0]!r:.60}")
    values = {one: arguments.get(one, "").strip() for one in known}
    if missing := [one for one in known if known[one].required and not values[one]]:
        raise RefusedError(f"the prompt {name} needs the argument {missing[0]}")
    text = _WRITERS[name](plans, language, **values)
    return GetPromptResult(
        description=prompt.description,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )


def _write_planspec(plans: Plans, language: str, request: str) -> str:
    stored = _find(plans, request)
    if stored is not None:
        return _write_about("continue", stored, language, _writer(stored), digest=stored.digest)
    if len(request) > _LONGEST_REQUEST:
        raise RefusedError(f"the request has more than {_LONGEST_REQUEST:,} characters")
    names = plans.folder.names()
    return fill(
        read_template(__package__, "new", language),
        format=format_text(language),
        request=prompt_json(request) if request else None,
        names=prompt_json(names[:_NAMES]) if names else None,
        more="yes" if len(names) > _NAMES else None,
    )


def _find(plans: Plans, request: str) -> Stored | None:
    """The plan of which a request is the name."""
    if not is_name(request):
        return None
    try:
        return plans.load(request)
    except FolderError as error:
        if error.reason is FolderErrorReason.MISSING:
            return None
        raise


def _write_list(plans: Plans, language: str) -> str:
    return fill(read_template(__package__, "list", language), plans=_block(show_list(list_page(plans, ""))))


def _write_show(plans: Plans, language: str, name: str) -> str:
    stored = plans.load(name)
    return _write_about("show", stored, language, tree_writer(stored.plan))


def _write_archive(plans: Plans, language: str, name: str) -> str:
    stored = plans.load(name)
    return _write_about(
        "archive", stored, language, _writer(stored), command=shlex.join(["planspec", "archive", stored.name])
    )


def _writer(stored: Stored) -> Callable[..., str]:
    return partial(serialize_plan, stored.plan)


def _write_about(template: str, stored: Stored, language: str, write: Callable[..., str], **values: str) -> str:
    """A prompt with a plan in it, as far as there is room."""
    plan = stored.plan
    text, is_complete = bounded(write, VIEW_TOKENS)
    return fill(
        read_template(__package__, template, language),
        name=stored.name,
        progress=say_progress(plan.progress),
        plan=_block(text),
        left_out=None if is_complete else "yes",
        finished="yes" if plan.is_converged else None,
        **values,
    )


def _block(text: str) -> str:
    block = text_values(text.removesuffix("\n"), most=None)["answer"]
    assert block is not None
    return block


_NAME = PromptArgument(name="name", description="The plan's name.", required=True)
_REQUEST = PromptArgument(
    name="request", description="What the plan is for, in any words, or the name of a plan.", required=False
)

PROMPTS = [
    Prompt(
        name="planspec",
        title="Make a plan, or continue one",
        description="Make a new plan from a description, or continue the plan of this name.",
        arguments=[_REQUEST],
    ),
    Prompt(
        name="listplan",
        title="List the plans",
        description="List the plans of the folder with title, goal and progress.",
    ),
    Prompt(name="showplan", title="Show a plan", description="Show a plan as it is.", arguments=[_NAME]),
    Prompt(
        name="archiveplan",
        title="Archive a plan",
        description="Move a finished plan to planspec/archive/.",
        arguments=[_NAME],
    ),
]
# What writes each: from the plans, the language and its arguments.
_WRITERS: Mapping[str, Callable[..., str]] = {
    "planspec": _write_planspec,
    "listplan": _write_list,
    "showplan": _write_show,
    "archiveplan": _write_archive,
}
