"""Endpoints that fail: each failure is one error with a sentence, and no key in it."""

from __future__ import annotations

import logging
import shutil
import socket
import ssl
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from planspec_lark.llm import OpenAIChat
from tests.llm.asking import KEY, Ask, chat_with, failure
from tests.llm.serving import Scripted, Served, answer, completion, fault, fine, pieces_of, serve, streamed
from tests.timing import with_longer_limits

STATUSES = [
    (400, "the endpoint refuses the request (400): so it is", False),
    (401, "the endpoint refuses the API key (401): so it is", False),
    (403, "the endpoint does not allow this with the API key (403): so it is", False),
    (404, "the endpoint knows no model `asked-model`, or the base URL is wrong (404): so it is", False),
    (408, "the endpoint waited too long for the request (408): so it is", True),
    (413, "the prompt is too long for the endpoint (413): so it is", False),
    (422, "the endpoint refuses the request (422): so it is", False),
    (429, "the endpoint refuses more calls for now (429): so it is", True),
    (500, "the endpoint has failed (500): so it is", True),
    (529, "the endpoint has failed (529): so it is", True),
]


@pytest.mark.parametrize(("status", "message", "retryable"), STATUSES)
def test_statuses(served: Served, ask: Ask, status: int, message: str, retryable: bool) -> None:
    served.play(fault(status))
    error = failure(ask, chat_with(served, max_retries=0))
    assert (str(error), error.retryable, error.status) == (message, retryable, status)
    assert len(served.asked) == 1


def test_a_quota_that_is_used_up_is_not_to_be_tried_again(served: Served, ask: Ask) -> None:
    served.play(fault(429, "no money left", code="insufficient_quota"))
    error = failure(ask, chat_with(served, max_retries=0))
    assert str(error) == "the endpoint refuses more calls for now (429): no money left"
    assert error.retryable is False


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": "model missing"}', ": model missing"),
        (b'{"detail": "model missing"}', ": model missing"),
        (b'{"detail": [1]}', ""),
        (b'["model missing"]', ""),
        (b"model missing", ": model missing"),
        (b"<html>model missing</html>", ""),
        (b"\x1b[31mred\r\n  and more", r": \x1b[31mred and more"),
        (b"x" * 5000, ": " + "x" * 300 + "…"),
        (b"\xff\xfe", ": ��"),
        (b"", ""),
        (f'{{"error": {{"message": "Not {KEY}."}}}}'.encode(), ": Not [key]."),
    ],
    ids=range(11),
)
def test_what_an_endpoint_says_of_a_fault(served: Served, ask: Ask, body: bytes, said: str) -> None:
    headers = {"Content-Type": "application/json"} if body[:1] in (b"{", b"[") else {}
    served.play(Scripted(body, 400, headers))
    assert str(failure(ask, chat_with(served))) == f"the endpoint refuses the request (400){said}"


def test_a_slow_endpoint(served: Served, ask: Ask) -> None:
    served.play(Scripted(wait=90))

    def check(limit: float) -> None:
        served.asked.clear()
        start = time.monotonic()
        error = failure(ask, chat_with(served, timeout=limit, max_retries=1))
        assert str(error) == f"{served.url[7:-3]} gave no answer within {limit:g} seconds"
        assert (error.retryable, error.status) == (True, None)
        assert len(served.asked) == 2
        assert time.monotonic() - start < 2 * limit + 30

    with_longer_limits(check, 0.2)


def test_an_endpoint_that_never_ends(served: Served, ask: Ask) -> None:
    """No single wait for it is long."""
    served.play(Scripted(b"x" * 10_000, drip=0.02))
    start = time.monotonic()
    error = failure(ask, chat_with(served, timeout=0.3, max_retries=0))
    assert str(error) == f"{served.url[7:-3]} gave no answer within 0.3 seconds"
    assert time.monotonic() - start < 30


def test_a_lost_connection(served: Served, ask: Ask) -> None:
    served.play(Scripted(hang_up=True))
    error = failure(ask, chat_with(served, max_retries=0))
    host = served.url[7:-3]
    assert str(error) == f"the connection to {host} failed: Server disconnected without sending a response."
    assert (error.retryable, error.status) == (True, None)


def test_an_endpoint_that_is_not_there(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    chat = OpenAIChat("m", base_url=f"http://127.0.0.1:{port}/v1", max_retries=0)
    error = failure(ask, chat)
    assert str(error).startswith(f"the connection to 127.0.0.1:{port} failed: ")
    assert error.retryable


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make a certificate")
def test_certificates_are_checked(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=here"]
    name = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, *name, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serve(context) as other:
        other.play(fine())
        assert "certificate verify failed" in str(failure(ask, chat_with(other, max_retries=0)))
        assert other.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert ask(chat_with(other)).text == "Hello."


@pytest.mark.parametrize("status", [301, 308])
def test_redirects_are_not_followed(served: Served, ask: Ask, status: int) -> None:
    with serve() as other:
        other.play(fine())
        target = f"{other.url}/chat/completions"
        served.play(Scripted(b"", status, {"Location": target}))
        error = failure(ask, chat_with(served))
        assert other.asked == []
    sentence = "the endpoint redirects, which is not followed; set the base URL to where it leads"
    assert str(error) == f"{sentence} ({status}): {target}"
    assert (error.retryable, error.status) == (False, status)


@pytest.mark.parametrize(
    "given",
    [
        fault(500, KEY),
        Scripted(hang_up=True),
        Scripted(wait=90),
        Scripted(b"{"),
        answer({"error": f"Not {KEY}"}),
        answer(completion(None, refusal=KEY)),
    ],
    ids=range(6),
)
def test_the_key_is_nowhere(served: Served, ask: Ask, given: Scripted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    served.play(given)
    chat = chat_with(served, max_retries=0, timeout=0.5)
    error = failure(ask, chat)
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "LlmError" in told
    for text in (told, repr(chat), repr(error), str(error.__dict__), caplog.text):
        assert KEY not in text
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_missing_package_is_named(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    error = failure(ask, OpenAIChat("m", api_key=KEY))
    assert str(error) == "OpenAIChat needs the extra `llm`: pip install 'planspec-lark[llm]'"


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_call_that_is_made_again_is_a_warning(
    served: Served, ask: Ask, is_stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING", "planspec_lark")
    served.play(fault(500, "secret"), fault(429, "secret"), *([streamed(*pieces_of())] if is_stream else [fine()]))
    chat = chat_with(served)
    if is_stream:
        list(chat.stream("Hi"))
    else:
        ask(chat)
    assert caplog.record_tuples == [
        ("planspec_lark.llm", logging.WARNING, f"{chat.host} is asked again: attempt {number}") for number in (2, 3)
    ]
