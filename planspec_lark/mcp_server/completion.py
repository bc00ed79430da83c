"""Names of plans, completed while a person types one: as an argument of a prompt, or in the address of a resource."""

from __future__ import annotations

from mcp_types import CompleteRequestParams, CompleteResult, Completion, ResourceTemplateReference

from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.prompts import PROMPTS
from planspec_lark.mcp_server.uris import TEMPLATE

__all__ = ["complete"]

# The protocol allows no more values at once.
_VALUES = 100


def complete(plans: Plans, params: CompleteRequestParams) -> CompleteResult:
    """The names that begin with what is typed, in small letters or large ones.

    Raises:
        StoreError: the folder cannot be read.
    """
    start = params.argument.value.casefold()
    names = plans.folder.names() if _is_name(params) else ()
    found = [name for name in names if name.casefold().startswith(start)]
    completion = Completion(values=found[:_VALUES], total=len(found), has_more=len(found) > _VALUES)
    return CompleteResult(completion=completion)


def _is_name(params: CompleteRequestParams) -> bool:
    """Whether it is a plan's name that is to be completed."""
    ref, wanted = params.ref, params.argument.name
    if isinstance(ref, ResourceTemplateReference):
        return ref.uri == TEMPLATE and wanted == "name"
    return any(one.name == wanted for prompt in PROMPTS if prompt.name == ref.name for one in prompt.arguments or ())
