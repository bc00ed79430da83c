"""What tools take and what they answer; their JSON Schemas are made from these models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from planspec_lark.planspec.models import STEP_FIELDS, STEP_TYPES, WORDS

__all__ = [
    "MOST_TOKENS",
    "VIEW_TOKENS",
    "Action",
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
    "Standing",
    "View",
]

# Tokens of a view, by the estimate of the views.
VIEW_TOKENS = 4_000
LEAST_TOKENS, MOST_TOKENS = 200, 50_000
MOST_ACTIONS = 100

Name = Annotated[
    str,
    Field(min_length=1, max_length=255, description="The plan's name as list_plans gives it, such as `move_library`."),
]


def _leave_out_titles(schema: dict[str, Any]) -> None:
    """Take out what says no more than the names: every tool is read by a model in every conversation."""
    for part in (schema, *schema["properties"].values()):
        part.pop("title", None)
    schema.pop("description", None)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_extra=_leave_out_titles)


# ---------------------------------------------------------------- arguments


class Arguments(_Part):
    """Arguments of a tool."""

    model_config = ConfigDict(extra="forbid")


class ListArguments(Arguments):
    """Arguments of list_plans."""

    cursor: str = Field(
        default="", max_length=255, description="The next_cursor of the last answer; empty at the start."
    )


class ReadArguments(Arguments):
    """Arguments of read_plan."""

    name: Name
    view: Literal["plan", "next", "step", "tree"] = Field(
        default="plan",
        description="plan: the whole plan, as far as there is room. next: the next step to do, with all that it needs. "
        "step: the step named by step_id, with what is around it. tree: the plan as a tree, to be shown to people.",
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


# What an action needs, and what else it takes.
_NEEDED = {
    "start": ("step",),
    "done": ("step",),
    "block": ("step",),
    "skip": ("step",),
    "reopen": ("step",),
    "remove": ("step",),
    "move": ("step", "to"),
    "rename": ("step", "name"),
    "add": ("text",),
    "archive": (),
}
_TAKEN = {
    "done": ("text",),
    "block": ("text",),
    "skip": ("text",),
    "remove": ("renumber",),
    "add": ("to", "below", "type", "name", "inputs", "outputs", "detail", *WORDS),
}
if TYPE_CHECKING:
    _StepType = str
    _Words = Arguments
else:
    _StepType = Literal[*STEP_TYPES]
    # The fields of a step that are one word.
    _Words = create_model(
        "_Words",
        __base__=Arguments,
        **{name: (str, Field(default="", description=f"add: the step's {STEP_FIELDS[name].label}.")) for name in WORDS},
    )


class Action(_Words):
    """One of the actions of apply_commands."""

    do: Literal["start", "done", "block", "skip", "reopen", "remove", "move", "rename", "add", "archive"]
    step: str = Field(default="", description="All but add and archive: the step's id, such as `2.1`, or its name.")
    text: str = Field(
        default="",
        description="done: what came of it. block, skip: why. add: what is to be done.",
    )
    to: str = Field(default="", description="move, add: the id that it gets; steps that are there make room.")
    below: str = Field(default="", description="add, instead of to: the id or name of the step to put it last below.")
    name: str = Field(default="", description="rename, add: the step's name; of rename, an empty one takes it away.")
    type: _StepType = Field(default="act", description="add")
    inputs: list[str] = Field(default=[], description="add: outputs of earlier steps.")
    outputs: list[str] = Field(default=[], description="add")
    detail: list[str] = Field(default=[], description="add: lines of detail.")
    renumber: bool = Field(default=False, description="remove: let the steps after it move down by one.")

    @model_validator(mode="after")
    def _check_fields(self) -> Self:
        needed = _NEEDED[self.do]
        for name in needed:
            # An empty name is one.
            if not (getattr(self, name) or (name == "name" and name in self.model_fields_set)):
                raise PydanticCustomError("needed", "{do} needs {name}", {"do": self.do, "name": name})
        # Some clients fill in all fields, with nothing in them: what says nothing is not lost.
        given = {name for name, field in Action.model_fields.items() if getattr(self, name) != field.default}
        for name in sorted(given - {"do", *needed, *_TAKEN.get(self.do, ())}):
            raise PydanticCustomError("not_taken", "{do} takes no {name}", {"do": self.do, "name": name})
        if self.to and self.below:
            raise PydanticCustomError("both", "to and below both say where it goes", {})
        return self


class ApplyArguments(Arguments):
    """Arguments of apply_commands."""

    name: Name
    actions: list[Action] = Field(default=[], max_length=MOST_ACTIONS, description="What to do, in this order.")
    commands: str = Field(
        default="",
        description="Instead of actions: PLAN_CMD lines, one command each; detail lines of ADD and REVISE begin "
        "with `> `.",
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


class Result(_Part):
    """The structured answer of a tool, or a part of one."""


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
    next_cursor: str = Field(description="the cursor for the plans after these; empty at the end")


class Standing(Result):
    """Where a plan stands."""

    digest: str = Field(description="of the whole plan, for expected_digest")
    progress: Progress
    is_finished: bool
    next_step: str = Field(description="id of the next step to do; empty where none is open")


class View(Standing):
    """The answer of read_plan."""

    name: str
    uri: str
    view: str
    text: str
    is_complete: bool = Field(description="whether nothing was left out to save room")


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
    """What became of a command or an action."""

    command: str
    done: bool
    code: str = Field(description="of the refusal; empty where it was done")
    message: str


class Applied(Standing):
    """The answer of apply_commands."""

    applied: bool = Field(description="all of it was carried out; otherwise nothing was")
    changed: bool = Field(description="whether the plan's text has changed")
    archived: str = Field(description="the plan's file in the archive; empty unless it was archived")
    reports: list[CommandReport]
    not_listed: int = Field(description="how many more reports there are")
    findings: list[Finding] = Field(description="what was left out of the commands' text")


class Created(Standing):
    """The answer of create_plan."""

    name: str
    uri: str
    findings: list[Finding] = Field(description="warnings")
