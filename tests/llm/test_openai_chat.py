"""The adapter to endpoints, over HTTP with a local one that plays scripted answers."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from planspec_lark.llm import LlmError, OpenAIChat, Reply, Usage
from planspec_lark.llm.http_endpoint import http_package
from tests.llm.asking import KEY, NO_KEY, Ask, chat_with, failure
from tests.llm.serving import Scripted, Served, fault, fine


def test_a_reply(served: Served, ask: Ask) -> None:
    served.play(fine("Grüße\n"))
    expected = Reply("Grüße\n", "served-model", "stop", Usage(3, 2, 5))
    assert ask(chat_with(served)) == expected
    (asked,) = served.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {"model": "asked-model", "messages": [{"role": "user", "content": "Hi"}]}
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["accept-encoding"] == "identity"


def test_settings_and_messages_are_sent(served: Served) -> None:
    served.play(fine())
    chat = chat_with(served, system="Be brief.", temperature=0, max_tokens=9)
    chat.complete([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}])
    assert served.asked[0].body == {
        "model": "asked-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Yes?"},
        ],
        "temperature": 0,
        "max_tokens": 9,
    }


# ---------------------------------------------------------------- the form of an answer

SCHEMA = {"type": "object", "required": ["a"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}


def formats(served: Served) -> list[Any]:
    return [request.body.get("response_format") for request in served.asked]


@pytest.fixture(params=["complete", "acomplete"])
def ask_for_json(request: pytest.FixtureRequest) -> Ask:
    def ask(chat: OpenAIChat) -> Reply:
        if request.param == "complete":
            return chat.complete("Hi", schema=SCHEMA)
        return asyncio.run(chat.acomplete("Hi", schema=SCHEMA))

    return ask


def test_a_schema_is_sent(served: Served, ask_for_json: Ask) -> None:
    served.play(fine('{"a": 1}'))
    assert ask_for_json(chat_with(served)).text == '{"a": 1}'
    assert formats(served) == [FORMAT]
    chat_with(served)("Hi", schema=SCHEMA)
    chat_with(served)("Hi")
    assert formats(served) == [FORMAT, FORMAT, None]


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_that_knows_no_schemas_is_asked_without_one(served: Served, ask_for_json: Ask, status: int) -> None:
    served.play(fault(status, "response_format: unknown"), fine())
    chat = chat_with(served)
    assert ask_for_json(chat).text == "Hello."
    first, second = served.asked
    assert first.body == {**second.body, "response_format": FORMAT}
    # It is known then.
    ask_for_json(chat)
    assert formats(served) == [FORMAT, None, None]
    ask_for_json(chat_with(served))
    assert formats(served)[-1] == FORMAT


def test_a_request_that_is_refused_for_something_else(served: Served, ask_for_json: Ask) -> None:
    served.play(fault(400, "the prompt is too long"))
    chat = chat_with(served)
    assert str(failure(ask_for_json, chat)) == "the endpoint refuses the request (400): the prompt is too long"
    assert formats(served) == [FORMAT, None]
    # Nothing is known of schemas.
    served.play(fine())
    ask_for_json(chat)
    assert formats(served)[2:] == [FORMAT]


@pytest.mark.parametrize(("schema", "status"), [(SCHEMA, 401), (SCHEMA, 404), (None, 400)])
def test_no_other_failure_is_asked_again(served: Served, schema: Any, status: int) -> None:
    served.play(fault(status))
    with pytest.raises(LlmError):
        chat_with(served).complete("Hi", schema=schema)
    assert len(served.asked) == 1


def test_one_object_serves_many_calls_and_event_loops(served: Served) -> None:
    served.play(fine())
    chat = chat_with(served)

    async def many() -> list[Reply]:
        return await asyncio.gather(*(chat.acomplete("Hi") for _ in range(4)))

    assert len(asyncio.run(many()) + asyncio.run(many()) + [chat.complete("Hi")]) == 9
    assert len(served.asked) == 9


def test_all_comes_from_the_environment(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", served.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("PLANSPEC_MODEL", "named-model")
    served.play(fine())
    assert OpenAIChat()("Hi") == "Hello."
    # Arguments come first.
    OpenAIChat("asked-model", api_key="another")("Hi")
    asked = [(one.body["model"], one.headers["authorization"]) for one in served.asked]
    assert asked == [("named-model", f"Bearer {KEY}"), ("asked-model", "Bearer another")]


def test_a_local_endpoint_needs_no_key(served: Served, ask: Ask) -> None:
    served.play(fine())
    assert ask(chat_with(served, api_key=None)).text == "Hello."
    assert served.asked[0].headers["authorization"] == "Bearer no-key"


@pytest.mark.parametrize("first", [fault(503), Scripted(hang_up=True)], ids=repr)
def test_it_tries_again(served: Served, ask: Ask, first: Scripted) -> None:
    served.play(first, fine())
    assert ask(chat_with(served)).text == "Hello."
    assert len(served.asked) == 2


def test_it_does_not_try_for_ever(served: Served, ask: Ask) -> None:
    served.play(fault(500, "out of order"))
    error = failure(ask, chat_with(served, max_retries=3))
    assert str(error) == "the endpoint has failed (500): out of order"
    assert (error.retryable, error.status) == (True, 500)
    assert len(served.asked) == 4


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/v1",
        "host/v1",
        "//host/v1",
        "http://",
        "http:///v1",
        "http://host:port/v1",
        "http://[::1/v1",
        "file:///etc/passwd",
        "http://user:pass@host/v1",
        "http://user@host/v1",
        "http://host/v1?key=1",
        "http://host/v1#",
        "http://host?key=1",
        "http://host/\nv1",
        "http://host/v1\n",
        "http://ho st/v1",
        "http://höst/v1",
    ],
)
def test_a_url_that_is_none(url: str) -> None:
    message = "the base URL has to be like https://host/v1, without a user, a password, `?` or `#`"
    with pytest.raises(LlmError) as caught:
        OpenAIChat("m", base_url=url)
    assert str(caught.value) == message


@pytest.mark.parametrize("url", ["http://[::1]:80/v1", "HTTPS://my-host.example", "http://10.0.0.1:8000/a/b_c/~d@e/"])
def test_a_url_that_is_one(url: str) -> None:
    assert OpenAIChat("m", base_url=url).base_url == url


@pytest.mark.parametrize("key", ["sk-1\n", "sk 1", "sk-ü", "\x1b"])
def test_a_key_that_is_none(key: str) -> None:
    with pytest.raises(LlmError) as caught:
        OpenAIChat("m", api_key=key)
    assert str(caught.value) == "the API key has characters that no key has, perhaps a line break at its end"


def test_what_is_missing() -> None:
    with pytest.raises(LlmError, match=r"^no model is given: pass `model`, or set PLANSPEC_MODEL$"):
        OpenAIChat(api_key=KEY)
    with pytest.raises(LlmError, match=f"^{NO_KEY}$"):
        OpenAIChat("m")
    assert OpenAIChat("m", api_key=KEY).base_url is None


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("timeout", 0, ValueError),
        ("timeout", float("inf"), ValueError),
        ("timeout", True, TypeError),
        ("temperature", float("nan"), ValueError),
        ("temperature", -0.1, ValueError),
        ("temperature", "hot", TypeError),
        ("max_retries", -1, ValueError),
        ("max_retries", 1.5, TypeError),
        ("max_tokens", 0, ValueError),
        ("max_reply_bytes", 0, ValueError),
        ("system", 1, TypeError),
    ],
)
def test_settings_that_are_none(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        OpenAIChat("m", api_key=KEY, **{name: value})


def test_settings_may_be_as_small_as_they_can() -> None:
    smallest: dict[str, Any] = {"temperature": 0, "max_retries": 0, "max_tokens": 1, "max_reply_bytes": 1}
    OpenAIChat("m", api_key=KEY, **smallest)


NO_ROLE = "prompt: a message has a text, and a role of system, developer, user, assistant"


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([], "prompt: there are no messages"),
        (["Hi"], "prompt: a message has a role and a content, and nothing else"),
        ([{"role": "user"}], "prompt: a message has a role and a content, and nothing else"),
        ([{"role": "tool", "content": "x"}], NO_ROLE),
        ([{"role": "user", "content": 1}], NO_ROLE),
    ],
    ids=range(5),
)
def test_messages_that_are_none(messages: Any, message: str) -> None:
    with pytest.raises(ValueError, match="prompt: ") as caught:
        OpenAIChat("m", api_key=KEY).complete(messages)
    assert str(caught.value) == message


def test_a_prompt_that_cannot_be_sent(served: Served) -> None:
    with pytest.raises(LlmError) as caught:
        chat_with(served).complete("ab\ud800")
    assert str(caught.value) == "the text for the model has a lone surrogate at character 3"
    assert served.asked == []


async def cancel_once_asked(served: Served, later: float = 0) -> None:
    task = asyncio.create_task(chat_with(served).acomplete("Hi"))
    while not served.asked:
        await asyncio.sleep(0.01)
    await asyncio.sleep(later)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


def test_a_cancelled_call_ends_at_once(served: Served) -> None:
    served.play(Scripted(wait=90))
    start = time.monotonic()
    asyncio.run(cancel_once_asked(served))
    assert time.monotonic() - start < 30
    assert len(served.asked) == 1


def test_chats_and_errors_can_be_pickled() -> None:
    chat = OpenAIChat("m", api_key=KEY)
    assert pickle.loads(pickle.dumps(chat)) == chat
    error = LlmError("so", retryable=True, status=429, reply=Reply("x", "m"))
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.retryable, copy.status, copy.reply) == ("so", True, 429, Reply("x", "m"))


def test_importing_loads_neither_package() -> None:
    code = """
import sys
from planspec_lark.llm import LlmError, OpenAIChat, Program, ProgramError, Reply
OpenAIChat("m", api_key="k")
print(sorted({"openai", "httpx", "httpx2", "pydantic"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_certificates_are_read_once(served: Served, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = http_package()
    read = Mock(side_effect=package.create_ssl_context)
    monkeypatch.setattr(package, "create_ssl_context", read)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    served.play(fine(), fine())
    for _ in range(2):
        ask(chat_with(served))
    assert read.call_count == 1
