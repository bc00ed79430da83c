"""What all adapters hand out: replies, and errors in a sentence that is safe to show."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from attrs import Attribute, frozen

from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.fields import require_number

__all__ = ["LlmError", "ProgramError", "Reply", "Usage", "encode", "is_amount", "too_long", "with_schema"]

_Answered = TypeVar("_Answered")


@frozen
class Usage:
    """The tokens that a call took, as the endpoint counts them."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


@frozen
class Reply:
    """What a language model answered.

    Attributes:
        text: the answer, never blank, and without lone surrogates. It comes from a stranger: parse it before you trust
            it, and show it through :func:`~planspec_lark.syntax.safe_text.visible` only.
        model: the model that the endpoint names, or else the one that was asked for.
        finish_reason: why the answer ends, mostly ``stop``; None where the endpoint does not say.
        usage: the tokens, or None where the endpoint does not count them.
    """

    text: str
    model: str
    finish_reason: str | None = None
    usage: Usage | None = None


class LlmError(PlanSpecError):
    """A call of a language model that gave no usable answer, or settings that allow none.

    The message is safe to show: no control characters, no key.

    Attributes:
        retryable: whether the same call may succeed later.
        status: the HTTP status of a failure, if the endpoint sent one.
        reply: what came of an answer that was cut off.
        is_cut: whether a limit cut the answer off.
        has_answered: whether the model was reached: it said something, or the prompt kept it from it, so another prompt
            may do better. For a program, whether it was started.
    """

    def __init__(  # noqa: PLR0913  (each is another attribute)
        self,
        message: str,
        *,
        retryable: bool = False,
        status: int | None = None,
        reply: Reply | None = None,
        is_cut: bool = False,
        has_answered: bool = False,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.status = status
        self.reply = reply
        self.is_cut = is_cut
        self.has_answered = has_answered


class ProgramError(LlmError):
    """A program that could not be run, or did not end as it should.

    Attributes:
        exit_code: what the program ended with, ``-n`` if signal n killed it; None if it did not end by itself.
        stderr: the end of what it wrote to standard error, safe to show.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        has_answered: bool = False,
        exit_code: int | None = None,
        stderr: str = "",
    ) -> None:
        super().__init__(message, retryable=retryable, has_answered=has_answered)
        self.exit_code = exit_code
        self.stderr = stderr


def is_amount(_: object, attribute: Attribute[Any], value: float) -> None:
    """A validator for settings: a finite number above 0."""
    if not (require_number(attribute.name, value) > 0 and math.isfinite(value)):
        raise ValueError(f"{attribute.name}: {value} is out of range")


def with_schema(ask: Callable[..., _Answered]) -> Callable[[str, Mapping[str, Any] | None], _Answered]:
    """What puts a prompt with the JSON schema of its answer, which ``ask`` gets where it has a parameter ``schema``."""
    try:
        takes_schema = "schema" in inspect.signature(ask).parameters
    except (TypeError, ValueError):
        takes_schema = False
    return lambda prompt, schema: ask(prompt, schema=schema) if takes_schema else ask(prompt)


def too_long(most: int) -> LlmError:
    """That an answer is longer than is allowed."""
    return LlmError(f"the endpoint's answer has more than {most:,} bytes", has_answered=True)


def encode(text: str) -> bytes:
    """A text for a model, in UTF-8.

    Raises:
        LlmError: it has a lone surrogate, which no encoding can spell.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        at = error.start
    raise LlmError(f"the text for the model has a lone surrogate at character {at + 1:,}")
