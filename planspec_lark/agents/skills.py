"""The Agent Skills and the notes that a project gets, made of the templates."""

from __future__ import annotations

from functools import cache

from planspec_lark.planspec.prompt_texts import format_text
from planspec_lark.syntax.prompt_templates import fill, read_template

__all__ = ["COMMANDS", "NOTES", "skill_files"]

# Those that people call by name. `/planspec` is the skill itself, which assistants also use unasked.
COMMANDS = ("listplan", "showplan", "archiveplan")
NOTES = read_template(__package__, "notes", "en")


@cache
def _skill(name: str) -> str:
    template = read_template(__package__, name, "en")
    return fill(template, format=format_text("en"))


def skill_files(folder: str) -> dict[str, str]:
    """The files of all skills in a folder of skills, with their texts."""
    return {f"{folder}/{name}/SKILL.md": _skill(name) for name in ("planspec", *COMMANDS)}
