"""What prompts say of plans: how one is written, and which types of steps there are."""

from __future__ import annotations

from planspec_lark.planspec.models import STEP_TYPES, list_types
from planspec_lark.syntax.prompt_templates import fill, read_template

__all__ = ["format_text", "type_values"]


def format_text(language: str) -> str:
    """How a plan is written, with an example."""
    return fill(read_template(__package__, "format", language), **type_values(language)).removesuffix("\n")


def type_values(language: str) -> dict[str, str]:
    """What prompts say of the step types, as values of their templates: all and the containers, and what each means."""
    is_chinese = language == "zh"
    last, both, comma, colon, stop = ("或", "和", "、", "：", "。") if is_chinese else ("or", "and", ", ", ": ", ". ")
    meanings = {name: one.meaning_zh if is_chinese else one.meaning for name, one in STEP_TYPES.items()}
    said = stop.join(f"`[{name}]`{colon}{meaning}" if meaning else f"`[{name}]`" for name, meaning in meanings.items())
    return {
        "types": list_types(last).replace(", ", comma),
        "containers": list_types(both, containers=True).replace(", ", comma),
        "container": list_types(last, containers=True).replace(", ", comma),
        "meanings": said + stop.rstrip(" "),
    }
