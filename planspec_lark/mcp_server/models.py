"""What tools take and what they answer; their JSON Schemas are made from these models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

__all__ = [
    "MOST_TOKENS",
    "VIEW_TOKENS",
    "Applied",
    "ApplyArguments",
    "Arguments",
    "CheckArguments",
    "Checked",
    "CommandReport",
    "CreateArguments",
    "Created",
    "Finding",
    "ListArguments",
    "Listed",
    "PlanSummary",
    "Progress",
    "ReadArguments",
    "Result",
    "View",
    "schema_of",
]

# Tokens of a view, by the estimate of the views.
VIEW_TOKENS = 4_000
LEAST_TOKENS, MOST_TOKENS = 200, 50_000

Name = Annotated[
    str,
    Field(min_length=1, max_length=255, description="The plan's name as list_plans gives it, such as `move_library`."),
]


class _PlainSchema(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  (pydantic passes it)
        # A title would say no more than the field's name, and every tool is read by a model in every conversation.
        return False


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a model."""
    schema = model.model_json_schema(mode="serialization", schema_generator=_PlainSchema)
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("title", None)
        part.pop("description", None)
    return schema


# ---------------------------------------------------------------- arguments


class Arguments(BaseModel):
    """Arguments of a tool."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ListArguments(Arguments):
    """Arguments of list_plans."""

    cursor: str = Field(
        default="", max_length=255, description="The next_cursor of the last answer; empty at the start."
    )


class ReadArguments(Arguments):
    """Arguments of read_plan."""

    name: Name
    view: Literal["plan", "next", "step"] = Field(
        default="plan",
        description="plan: the whole plan, as far as there is room. next: the next step to do, with all that it needs. "
        "step: the step named by step_id, with what is around it.",
    )
    step_id: str = Field(default="", max_length=1_000, description="With the view step: its id, such as `2.1`.")
    max_tokens: int = Field(
        default=VIEW_TOKENS,
        ge=LEAST_TOKENS,
        le=MOST_TOKENS,
        description="Leave parts out, and say how many, until the text has at most so many tokens by an estimate.",
    )


class CheckArguments(Arguments):
    """Arguments of check_plan."""

    text: str = Field(default="", description="A whole PlanSpec document, and nothing around it.")
    name: str = Field(default="", max_length=255, description="Instead of text: the name of a plan in the folder.")


class ApplyArguments(Arguments):
    """Arguments of apply_commands."""

    name: Name
    commands: str = Field(
        min_length=1, description="PLAN_CMD lines, one command each; detail lines of ADD and REVISE begin with `> `."
    )
    expected_digest: str = Field(
        default="",
        max_length=64,
        description="The digest from read_plan or the last change. If the plan has changed since, nothing is done.",
    )


class CreateArguments(Arguments):
    """Arguments of create_plan."""

    name: str = Field(min_length=1, max_length=255, description="In snake_case, such as `move_library`; not taken yet.")
    text: str = Field(min_length=1, description="A whole PlanSpec document without errors.")


# ---------------------------------------------------------------- answers


class Result(BaseModel):
    """The structured answer of a tool, or a part of one."""

    model_config = ConfigDict(frozen=True)


class Progress(Result):
    """How many steps there are in all and in each status."""

    total: int
    done: int
    active: int
    blocked: int
    pending: int
    skipped: int


class PlanSummary(Result):
    """A plan in a list."""

    name: str
    uri: str
    title: str
    goal: str
    progress: Progress | None = Field(description="null where the file holds no plan")
    is_finished: bool
    fault: str = Field(description="the first thing that is wrong with the file; empty where nothing is")


class Listed(Result):
    """The answer of list_plans."""

    plans: list[PlanSummary]
    total: int = Field(description="how many plans there are in all")
    next_cursor: str = Field(description="the cursor for the plans behind these; empty at the end")


class View(Result):
    """The answer of read_plan."""

    name: str
    uri: str
    digest: str = Field(description="of the whole plan, for expected_digest")
    view: str
    text: str
    is_complete: bool = Field(description="whether nothing was left out for want of room")
    progress: Progress
    is_finished: bool
    next_step: str = Field(description="id of the next step to do; empty where none is open")


class Finding(Result):
    """Something that was found in a text."""

    severity: Literal["error", "warning", "info"]
    code: str
    message: str
    line: int | None
    column: int | None
    step_id: str
    help: str
    write: str | None = Field(description="what to write there instead, where that is known")


class Checked(Result):
    """The answer of check_plan."""

    is_valid: bool = Field(description="whether there are no errors; warnings do not count")
    findings: list[Finding] = Field(description="errors, then warnings")
    not_listed: int = Field(description="how many more findings there are")


class CommandReport(Result):
    """What became of a command."""

    command: str
    done: bool
    code: str = Field(description="of the refusal; empty where it was done")
    message: str


class Applied(Result):
    """The answer of apply_commands."""

    applied: bool = Field(description="all commands were carried out; otherwise none was")
    changed: bool = Field(description="whether the plan's text is another one now")
    reports: list[CommandReport]
    not_listed: int = Field(description="how many more reports there are")
    digest: str
    progress: Progress
    is_finished: bool
    next_step: str
    findings: list[Finding] = Field(description="what was left out of the commands' text")


class Created(Result):
    """The answer of create_plan."""

    name: str
    uri: str
    digest: str
    progress: Progress
    next_step: str
    findings: list[Finding] = Field(description="warnings")
