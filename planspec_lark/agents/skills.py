"""The Agent Skills and the notes that a project gets, made of the templates."""

from __future__ import annotations

from functools import cache

from planspec_lark.planspec.prompt_texts import format_text
from planspec_lark.syntax.prompt_templates import fill, read_template

__all__ = ["COMMANDS", "notes", "skill_files"]

# Those that people call by name. `/planspec` is the skill itself, which assistants also use unasked.
COMMANDS = ("listplan", "showplan", "archiveplan")


def notes(language: str = "en") -> str:
    """What an assistant reads at the start of each session."""
    return read_template(__package__, "notes", language)


@cache
def _skill(name: str, language: str) -> str:
    return fill(read_template(__package__, name, language), format=format_text(language))


def skill_files(folder: str, language: str = "en") -> dict[str, str]:
    """The files of all skills in a folder of skills, with their texts."""
    return {f"{folder}/{name}/SKILL.md": _skill(name, language) for name in ("planspec", *COMMANDS)}
