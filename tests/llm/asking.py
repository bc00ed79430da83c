"""A question to an endpoint, in both ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from planspec_lark.llm import LlmError, OpenAIChat, Reply
from tests.llm.serving import Served

KEY = "sk-very-secret-0123456789"
NO_KEY = (
    "there is no API key: set the environment variable OPENAI_API_KEY, "
    "or OPENAI_BASE_URL for an endpoint that needs none"
)


Ask = Callable[[OpenAIChat], Reply]


def ask_sync(chat: OpenAIChat) -> Reply:
    return chat.complete("Hi")


def ask_async(chat: OpenAIChat) -> Reply:
    return asyncio.run(chat.acomplete("Hi"))


def chat_with(served: Served, **settings: Any) -> OpenAIChat:
    return OpenAIChat("asked-model", **{"base_url": served.url, "api_key": KEY, "timeout": 60.0, **settings})


def failure(ask: Ask, chat: OpenAIChat) -> LlmError:
    with pytest.raises(LlmError) as caught:
        ask(chat)
    return caught.value
