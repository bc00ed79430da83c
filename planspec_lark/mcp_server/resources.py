"""Plans as resources: a list in pages, and each one's whole text."""

from __future__ import annotations

from mcp_types import (
    ListResourcesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from planspec_lark.folder.models import PlanEntry
from planspec_lark.mcp_server.errors import RefusedError
from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.tool_functions import list_page
from planspec_lark.mcp_server.uris import TEMPLATE, name_of, uri_of
from planspec_lark.syntax.diagnostics import PlanSyntaxError, brief
from planspec_lark.syntax.limits import count_bytes

__all__ = ["TEMPLATES", "list_resources", "read_resource"]

_MIME_TYPE = "text/markdown"
# Tools bound what a model reads; a resource is a file, which a person has chosen.
_MOST_BYTES = 1_000_000

TEMPLATES = [
    ResourceTemplate(
        uri_template=TEMPLATE,
        name="plan",
        title="Plan",
        description="The whole text of a plan, by its name.",
        mime_type=_MIME_TYPE,
    )
]


def list_resources(plans: Plans, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """A page of resources, and the cursor for the next one.

    Raises:
        StoreError: the folder cannot be read.
    """
    listed = list_page(plans, (params and params.cursor) or "")
    return ListResourcesResult(
        resources=[*map(_describe, listed.plans)],
        next_cursor=listed.next_cursor or None,
    )


def _describe(plan: PlanEntry) -> Resource:
    return Resource(
        uri=uri_of(plan.name),
        name=plan.name,
        title=brief(plan.title) or None,
        description=(f"Fault: {plan.fault}" if plan.fault else brief(plan.goal)) or None,
        mime_type=_MIME_TYPE,
    )


def read_resource(plans: Plans, params: ReadResourceRequestParams) -> ReadResourceResult:
    """The text at an address, as it stands in the file.

    Raises:
        StoreError: there is no plan at this address, or it cannot be read.
        RefusedError: it is too long, or no text.
    """
    try:
        text = plans.text(name_of(params.uri))
    except PlanSyntaxError as error:
        raise RefusedError(error.diagnostics[0].message) from None
    if (size := count_bytes(text)) > _MOST_BYTES:
        raise RefusedError(
            f"the plan has {size:,} bytes, and no more than {_MOST_BYTES:,} are read whole: use read_plan"
        )
    return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=_MIME_TYPE, text=text)])
