"""What calls have taken in all, for those who have only so much to spend."""

from __future__ import annotations

from threading import Lock

from attrs import define

from planspec_lark.llm.models import Usage

__all__ = ["Meter"]

# One for all meters: it is held for some additions only, and what has no lock of its own can be copied and pickled.
_LOCK = Lock()


@define
class Meter:
    """The tokens of many calls, also of several models and from several threads.

    An answer counts, whatever becomes of it: one that was cut off or refused has cost its tokens as well. A meter
    begins where its first values say, so that a program can continue counting after a restart.

    Attributes:
        answers: how many answers there were.
        uncounted: those of them whose tokens the endpoint did not tell. Where this is not 0, the sums are too small.
        prompt_tokens, completion_tokens, total_tokens: the sums of what endpoints told.
    """

    answers: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0

    def note(self, usage: Usage | None) -> None:
        """Count an answer, with its tokens where they are known."""
        with _LOCK:
            self.answers += 1
            if usage is None:
                self.uncounted += 1
                return
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
            self.total_tokens += usage.total_tokens

    @property
    def usage(self) -> Usage:
        """The sums, all of the same moment."""
        with _LOCK:
            return Usage(self.prompt_tokens, self.completion_tokens, self.total_tokens)
