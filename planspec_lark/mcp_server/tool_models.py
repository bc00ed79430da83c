"""What tools take; their JSON Schemas are made from these models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from planspec_lark.planspec.models import STEP_TYPES, WORDS

__all__ = [
    "MOST_TOKENS",
    "VIEW_TOKENS",
    "Action",
    "ApplyArguments",
    "Arguments",
    "CheckArguments",
    "CreateArguments",
    "ListArguments",
    "ReadArguments",
]

# Tokens of a view, by the estimate of the views.
VIEW_TOKENS = 4_000
LEAST_TOKENS, MOST_TOKENS = 200, 50_000
MOST_ACTIONS = 100


def _parse(text: str) -> Any:
    """What a JSON text holds; a text that is none, as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _list(value: Any) -> Any:
    """A list: as itself, as JSON text, or its only item."""
    value = _parse(value) if isinstance(value, str) and value.lstrip().startswith(("[", "{")) else value
    return [value] if isinstance(value, (str, Mapping)) and value else value or []


def _lines(value: Any) -> Any:
    return "\n".join(value) if isinstance(value, list) and all(isinstance(line, str) for line in value) else value


def _id(value: Any) -> Any:
    if isinstance(value, float):
        raise PydanticCustomError("number", "an id is text: as numbers, 2.1 and 2.10 are the same; write it in quotes")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Item = TypeVar("Item")
Name = Annotated[
    str,
    Field(min_length=1, max_length=255, description="as list_plans gives it"),
]
Id = Annotated[str, BeforeValidator(_id)]
Lines = Annotated[str, BeforeValidator(_lines)]
ListOf = Annotated[list[Item], BeforeValidator(_list)]


# What a schema says that neither a model nor a client needs: a limit is told where it is exceeded.
_UNSAID = ("title", "default", "minLength", "maxLength", "maxItems", "minimum", "maximum")


def _shorten(schema: dict[str, Any]) -> None:
    """Take out what says no more than the names: every tool is read by a model in every conversation."""
    for part, key in product((schema, *schema["properties"].values()), _UNSAID):
        part.pop(key, None)
    schema.pop("description", None)


class Arguments(BaseModel):
    """Arguments of a tool, in the shapes that clients give them.

    Many send a list or an object as JSON text, a list of one without its brackets, an id as a number, and null for what
    they leave out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_shorten)

    @model_validator(mode="before")
    @classmethod
    def _take_shapes(cls, given: Any) -> Any:
        if isinstance(given, str) and not isinstance(given := _parse(given), Mapping):
            raise PydanticCustomError("text", "it should be an object, and this text is no JSON of one")
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if value is not None}


class ListArguments(Arguments):
    """Arguments of list_plans."""

    cursor: str = Field(default="", max_length=255, description="the cursor that the last answer names")


class ReadArguments(Arguments):
    """Arguments of read_plan."""

    name: Name
    view: Literal["plan", "next", "step", "tree"] = "plan"
    step_id: Id = Field(default="", max_length=1_000, description="for the view step, such as `2.1`")
    max_tokens: int = Field(
        default=VIEW_TOKENS,
        ge=LEAST_TOKENS,
        le=MOST_TOKENS,
        description=f"Leave parts out, and say how many, beyond so many tokens; {VIEW_TOKENS} if not given.",
    )


class CheckArguments(Arguments):
    """Arguments of check_plan."""

    text: str = Field(default="", description="a whole PlanSpec document, and nothing around it")
    name: str = Field(default="", max_length=255, description="instead of text: a plan of the folder")


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
        **dict.fromkeys(WORDS, (str, "")),
    )


class Action(_Words):
    """One of the actions of apply_commands. The tool's description says by examples what each takes."""

    do: Literal["start", "done", "block", "skip", "reopen", "remove", "move", "rename", "add", "archive"]
    step: Id = ""
    text: str = ""
    to: Id = ""
    below: Id = ""
    name: str = ""
    type: _StepType = "act"
    inputs: ListOf[str] = Field(default=[])
    outputs: ListOf[str] = Field(default=[])
    detail: ListOf[str] = Field(default=[])
    renumber: bool = False

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
    actions: ListOf[Action] = Field(default=[], max_length=MOST_ACTIONS)
    commands: Lines = Field(default="", description="instead of actions: PLAN_CMD lines")
    expected_digest: str = Field(
        default="", max_length=64, description="digest you have read; if the plan has changed since, nothing is done"
    )


class CreateArguments(Arguments):
    """Arguments of create_plan."""

    name: str = Field(min_length=1, max_length=255, description="in snake_case; not taken yet")
    text: str = Field(min_length=1)
