"""What changes each time, and what only looks like it."""

from __future__ import annotations

import re
import uuid

import pytest
from hypothesis import given, strategies as st

from planspec_lark.plan_next.wording.changing_tokens import find_unstable
from planspec_lark.plan_next.wording.normal_forms import WordingMatch
from tests.cases import in_one_test


def kinds(text: str) -> list[tuple[str, str]]:
    return [(found.kind, found.text) for found in find_unstable(text)]


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("logs of 2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z"),
        ("logs of 2026-11-22T10:00:00.123+08:00, all", "2026-11-22T10:00:00.123+08:00"),
        ("report-20261122T100000Z", "20261122T100000Z"),
        ("run 20261122100000", "20261122100000"),
        ("2026-11-22T100000Z", "2026-11-22T100000Z"),
        ("since 1795312800", "1795312800"),
        ("since 1795312800.25 s", "1795312800.25"),
        ("since 1795312800123456789", "1795312800123456789"),
        ("重放 2026年11月22日10时 的日志", "2026年11月22日10时"),
        ("重放11月22日上午10点30分的日志", "11月22日上午10点30分"),
        ("重放10点30分的日志", "10点30分"),
        ("在2026-11-22T10:00:00Z之前", "2026-11-22T10:00:00Z"),
        ("２０２６-１１-２２ １０:００", "２０２６-１１-２２ １０:００"),
        ("mail of Sun, 22 Nov 2026 10:00:00 GMT", "22 Nov 2026 10:00:00 GMT"),
        ("mail of Nov 22, 2026 at 10:00 AM", "Nov 22, 2026 at 10:00 AM"),
        ("Protokoll vom 22.11.2026 10:00 Uhr", "22.11.2026 10:00"),
        ("log of 11/22/2026, 10:00", "11/22/2026, 10:00"),
    ],
)
def test_time_stamps(text: str, stamp: str) -> None:
    assert kinds(text) == [("a time stamp", stamp)]


@pytest.mark.parametrize(
    "text",
    [
        "550e8400-e29b-41d4-a716-446655440000",
        "550E8400-E29B-41D4-A716-446655440000",
        "https://example.org/orders/550e8400-e29b-41d4-a716-446655440000",
        "{550e8400-e29b-41d4-a716-446655440000}",
    ],
)
def test_uuids(text: str) -> None:
    found = re.search(r"[0-9a-f-]{36}", text, flags=re.IGNORECASE)
    assert found is not None
    assert kinds(text) == [("a UUID", found[0])]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("commit 3f2a9c8b7d6e5f40", "3f2a9c8b7d6e5f40"),
        ("commit 3F2A9C8B7D6E5F40", "3F2A9C8B7D6E5F40"),
        ("at 0x3f2a9c8b7d6e5f40", "0x3f2a9c8b7d6e5f40"),
        ("branch build-pages-of-all-3f2a9c8b7d6e5f40", "3f2a9c8b7d6e5f40"),
        ("读取令牌3f2a9c8b7d6e的权限", "3f2a9c8b7d6e"),
    ],
)
def test_random_numbers(text: str, number: str) -> None:
    assert kinds(text) == [("a random number", number)]


@in_one_test
@pytest.mark.parametrize(
    "text",
    [
        # dates, times and numbers
        "2026-11-22",
        "2026年11月22日的时间表",
        "2026-11-22 10 items",
        "2026-13-45 10:00",
        "2026-11-22 10:75",
        "at 10:30",
        "in 00:05:00",
        "给出10点建议",
        "等待3点30分钟",
        "1.10.1795312800",
        "1234567890",
        "1500000000",
        "$1795312800",
        "4111111111111111",
        "+1795312800",
        "13800138000",
        "fe80:0000:0000:0000:0202:b3ff:fe1e:8329",
        "#aabbccdd",
        "0x0000000000000001",
        "0x00007fff00007fff",
        "abababab1212",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        # names and words
        "login.html",
        "deadbeefcafe",
        "3f2a9c8b7d6e5f40x",
        "test_http2_tls13_x509_sha256",
        "x86_64-unknown-linux-gnu",
        "Qwen2.5-72B-Instruct-GPTQ-Int4",
        "1HGCM82633A004352",
        "arn:aws:iam::123456789012:role/Admin",
        "https://example.org/a/3f2a9c8b7d6e5f40",
        "www.example.org/3f2a9c8b7d6e5f40",
    ],
)
def test_what_stays_the_same(text: str) -> None:
    assert kinds(text) == []
    assert kinds(f"see {text}, all of it") == []


def test_several_in_order_and_none_twice() -> None:
    text = "id 550e8400-e29b-41d4-a716-446655440000 of 20261122T100000Z by 3f2a9c8b7d6e5f40 at 1795312800"
    assert find_unstable(text) == [
        WordingMatch("550e8400-e29b-41d4-a716-446655440000", 3, 39, "a UUID"),
        WordingMatch("20261122T100000Z", 43, 59, "a time stamp"),
        WordingMatch("3f2a9c8b7d6e5f40", 63, 79, "a random number"),
        WordingMatch("1795312800", 83, 93, "a time stamp"),
    ]


def test_a_number_behind_a_url_counts_again() -> None:
    assert kinds("https://example.org/3f2a9c8b7d6e5f40 3f2a9c8b7d6e5f41") == [("a random number", "3f2a9c8b7d6e5f41")]


@given(st.uuids(version=4))
def test_every_uuid_is_found(value: uuid.UUID) -> None:
    if len({*str(value)}) > 2:
        assert kinds(f"item {value}") == [("a UUID", str(value))]


@given(st.datetimes(), st.sampled_from(["T", " "]), st.sampled_from(["seconds", "minutes", "milliseconds"]))
def test_every_iso_date_with_a_time_is_found(value: object, separator: str, precision: str) -> None:
    text = value.isoformat(separator, precision)  # type: ignore[attr-defined]
    expected = [("a time stamp", text)] if "19" <= text[:2] <= "20" else []
    assert kinds(f"at {text} then") == expected


PIECES = ["2026-11-22", "T", "10:00", "Z", "1795312800", "-", "_", "550e8400-e29b-41d4-a716-446655440000", "年", "点"]
MORE = ["3f2a9c8b7d6e5f40", "0x", "http://", "www.", " ", "１", "\u200b", "㎏", "."]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from([*PIECES, *MORE]), max_size=20).map("".join)))
def test_positions_are_right_and_in_order(text: str) -> None:
    end = 0
    for one in find_unstable(text):
        assert end <= one.start < one.end <= len(text)
        assert text[one.start : one.end] == one.text
        end = one.end
