"""The four prompts: what a person asks for by name, as texts for a language model."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from attrs import frozen
from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from planspec_lark.folder.models import StoreError, StoreReason
from planspec_lark.folder.names import is_name
from planspec_lark.mcp_server.models import VIEW_TOKENS, ListArguments, Progress
from planspec_lark.mcp_server.plans import Plans, Stored
from planspec_lark.mcp_server.showing import say_progress
from planspec_lark.mcp_server.working import RefusedError, bounded, list_plans
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.prompt_templates import fill, read_template, text_values, to_json

__all__ = ["PROMPTS", "Written", "get_prompt", "list_prompts"]

# Of the plans that there are, a prompt for a new one names so many.
_NAMES = 50
_REQUEST = 20_000


@frozen
class Written:
    """A prompt: what it is for, its one argument, if any, and how its text is made."""

    title: str
    description: str
    write: Callable[[Plans, str, str], str]
    argument: str = ""
    about: str = ""
    required: bool = False

    def describe(self, name: str) -> Prompt:
        """The prompt as it is listed."""
        arguments = [PromptArgument(name=self.argument, description=self.about, required=self.required)]
        return Prompt(
            name=name,
            title=self.title,
            description=self.description,
            arguments=arguments if self.argument else None,
        )


def list_prompts() -> list[Prompt]:
    """All prompts as they are listed."""
    return [written.describe(name) for name, written in PROMPTS.items()]


def get_prompt(plans: Plans, name: str, arguments: Mapping[str, str], language: str) -> GetPromptResult:
    """The text of a prompt.

    Raises:
        RefusedError: there is no such prompt, or its arguments do not fit.
        StoreError: there is no such plan, or it cannot be read.
        PlanSyntaxError: it is no plan.
    """
    written = PROMPTS.get(name)
    if written is None:
        raise RefusedError(f"there are the prompts {', '.join(PROMPTS)}, and no other")
    if unknown := [one for one in arguments if one != written.argument]:
        raise RefusedError(f"the prompt {name} has no argument {unknown[0]!r:.60}")
    value = arguments.get(written.argument, "").strip()
    if written.required and not value:
        raise RefusedError(f"the prompt {name} needs the argument {written.argument}")
    text = written.write(plans, value, language)
    return GetPromptResult(
        description=written.description,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )


def _write_planspec(plans: Plans, request: str, language: str) -> str:
    stored = _find(plans, request)
    if stored is not None:
        return _write_about("continue", stored, language, digest=stored.digest)
    if len(request) > _REQUEST:
        raise RefusedError(f"the request has more than {_REQUEST:,} characters")
    names = plans.names()
    return fill(
        read_template(__package__, "new", language),
        format=read_template("planspec_lark.engine", "format", language).removesuffix("\n"),
        request=to_json(request) if request else None,
        names=to_json(names[:_NAMES]) if names else None,
        more="yes" if len(names) > _NAMES else None,
    )


def _find(plans: Plans, request: str) -> Stored | None:
    """The plan of which a request is the name."""
    if not is_name(request):
        return None
    try:
        return plans.load(request)
    except StoreError as error:
        if error.reason is StoreReason.MISSING:
            return None
        raise


def _write_list(plans: Plans, _: str, language: str) -> str:
    listed = list_plans(plans, ListArguments())
    return fill(read_template(__package__, "list", language), plans=_block(listed.text))


def _write_show(plans: Plans, name: str, language: str) -> str:
    return _write_about("show", plans.load(name), language, fold=True)


def _write_archive(plans: Plans, name: str, language: str) -> str:
    stored = plans.load(name)
    return _write_about("archive", stored, language, command=shlex.join(["planspec", "archive", stored.name]))


def _write_about(template: str, stored: Stored, language: str, *, fold: bool = False, **values: str) -> str:
    """A prompt with a plan in it, as far as there is room."""
    plan = stored.plan
    text, is_complete = bounded(lambda **options: serialize_plan(plan, fold=fold, **options), VIEW_TOKENS)
    return fill(
        read_template(__package__, template, language),
        name=stored.name,
        progress=say_progress(Progress(**plan.progress)),
        plan=_block(text),
        left_out=None if is_complete else "yes",
        finished="yes" if plan.is_converged else None,
        **values,
    )


def _block(text: str) -> str:
    block = text_values(text.removesuffix("\n"), most=None)["answer"]
    assert block is not None
    return block


PROMPTS: Mapping[str, Written] = {
    "planspec": Written(
        "Make a plan, or go on with one",
        "Make a new plan from a description, or go on with the plan of this name.",
        _write_planspec,
        "request",
        "What the plan is for, in any words, or the name of a plan.",
    ),
    "listplan": Written("List the plans", "List the plans of the folder with title, goal and progress.", _write_list),
    "showplan": Written(
        "Show a plan", "Show a plan as it stands.", _write_show, "name", "The plan's name.", required=True
    ),
    "archiveplan": Written(
        "Archive a plan",
        "Move a finished plan to planspec/archive/.",
        _write_archive,
        "name",
        "The plan's name.",
        required=True,
    ),
}
