"""One call of an endpoint, from its span to a reply or to why there is none."""

from __future__ import annotations

from planspec_lark.llm.failures import failure_of
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.models import LlmError, Reply
from planspec_lark.llm.partial_reply import PartialReply

__all__ = ["Call"]


class Call:
    """A call, which is made within a ``with`` statement and ended after it.

    What goes wrong inside is raised outside, by :meth:`end`. Raised inside, it would take along, as its context, an
    error whose request holds the key.

    Attributes:
        bounds: of the bytes of the answer.
        span: of the call.
        partial: the part of a stream that has arrived.
        reply: the whole answer, where it came in one piece.
    """

    def __init__(self, endpoint: Endpoint, *, is_stream: bool = False) -> None:
        self._endpoint = endpoint
        self.partial, self.bounds = PartialReply(endpoint), endpoint.bounds(is_stream=is_stream)
        self.span = endpoint.span(is_stream=is_stream)
        self.reply: Reply | None = None
        self._failure: LlmError | None = None

    def __enter__(self) -> Call:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if isinstance(error, Exception):
            self._failure = failure_of(error, self._endpoint)
            return True
        if error is not None:
            self.span.failed(error)
        return False

    def end(self) -> Reply:
        """The reply.

        Raises:
            LlmError: there is none.
        """
        outcome = self.reply or self.partial.finish(self._failure)
        if isinstance(outcome, LlmError):
            self.span.failed(outcome)
            raise outcome
        self.span.answered(outcome)
        return outcome
