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
        ("logs of 2026-11-22 10:00", "2026-11-22 10:00"),
        ("logs of 2026-11-22T10:00:00.123+08:00, all", "2026-11-22T10:00:00.123+08:00"),
        ("logs of 2026/11/22 10:00:00 UTC", "2026/11/22 10:00:00 UTC"),
        ("report-20261122T100000Z", "20261122T100000Z"),
        ("IMG_20261122_100000.jpg", "20261122_100000"),
        ("run 20261122100000", "20261122100000"),
        ("2026-11-22T100000Z", "2026-11-22T100000Z"),
        ("since 1795312800", "1795312800"),
        ("since 1795312800.25 s", "1795312800.25"),
        ("since 1795312800123", "1795312800123"),
        ("since 1795312800123456789", "1795312800123456789"),
        ("重放 2026年11月22日10时 的日志", "2026年11月22日10时"),
        ("重放2026年11月22日 10:00的日志", "2026年11月22日 10:00"),
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
        "018f3c1e-7b2a-7c4d-9e5f-0a1b2c3d4e5f",
        "https://example.org/orders/550e8400-e29b-41d4-a716-446655440000",
        "{550e8400-e29b-41d4-a716-446655440000}",
    ],
)
def test_uuids(text: str) -> None:
    found = re.search(r"[0-9a-f-]{36}", text, flags=re.IGNORECASE)
    assert found is not None
    assert kinds(text) == [("a UUID", found[0])]


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("commit 3f2a9c8b7d6e5f40", "3f2a9c8b7d6e5f40"),
        ("commit 3F2A9C8B7D6E5F40", "3F2A9C8B7D6E5F40"),
        ("at 0x3f2a9c8b7d6e5f40", "0x3f2a9c8b7d6e5f40"),
        ("sum d41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427e"),
        ("branch build-pages-of-all-3f2a9c8b7d6e5f40", "3f2a9c8b7d6e5f40"),
        ("id V1StGXR8_Z5jdHi6B-myT", "V1StGXR8_Z5jdHi6B-myT"),
        ("key dGhpcyBpcyBhIHNlY3JldCB0b2tlbiB2YWx1ZQ==", "dGhpcyBpcyBhIHNlY3JldCB0b2tlbiB2YWx1ZQ=="),
        ("use eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"),
        ("open session_3fA9kLm2Qz81XbTn", "session_3fA9kLm2Qz81XbTn"),
        ("读取令牌3fA9kLm2Qz81XbTn的权限", "3fA9kLm2Qz81XbTn"),
        ("id 01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("id k3j9x2m8q1z7w5p4", "k3j9x2m8q1z7w5p4"),
    ],
)
def test_random_looking_tokens(text: str, token: str) -> None:
    assert kinds(text) == [("a random token", token)]


@in_one_test
@pytest.mark.parametrize(
    "text",
    [
        # dates, times and numbers
        "2026-11-22",
        "2026/11/22",
        "22.11.2026",
        "2026年11月22日",
        "2026年11月22日的时间表",
        "2026-11-22 10 items",
        "2026-13-45 10:00",
        "2026-11-22 10:75",
        "at 10:30",
        "in 00:05:00",
        "给出10点建议",
        "等待3点30分钟",
        "v1.2.3",
        "2026.11.22",
        "1.10.1795312800",
        "1234567890",
        "1500000000",
        "$1795312800",
        "4111111111111111",
        "978-3-16-148410-0",
        "9783161484100",
        "+49 151 23456789",
        "+1795312800",
        "13800138000",
        "4155550123",
        "415-555-0123",
        "192.168.10.200",
        "fe80:0000:0000:0000:0202:b3ff:fe1e:8329",
        "00:1b:44:11:3a:b7",
        "#ff8800",
        "#aabbccdd",
        "0x0000000000000001",
        "0x00007fff00007fff",
        "abababab1212",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        # names and words
        "login.html",
        "deadbeefcafe",
        "getUserById2AndRole3ForTenant",
        "parseHttp2RequestHeadersV2",
        "Base64EncoderFactory2Impl",
        "XMLHttpRequest",
        "snake_case_names_v2_of_3",
        "SCREAMING_SNAKE_CASE_2",
        "test_http2_tls13_x509_sha256",
        "utf8mb4_unicode_520_ci",
        "x86_64-unknown-linux-gnu",
        "aarch64-apple-darwin23.4.0",
        "python3.11-slim-bookworm",
        "Qwen2.5-72B-Instruct-GPTQ-Int4",
        "Kubernetes1Cluster",
        "1HGCM82633A004352",
        "ISO-8859-1",
        "internationalization",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "Rechtsschutzversicherungsgesellschaften",
        "arn:aws:iam::123456789012:role/Admin",
        "https://example.org/a/3f2a9c8b7d6e5f40?token=V1StGXR8_Z5jdHi6B-myT",
        "www.example.org/3f2a9c8b7d6e5f40",
        "src/components/Button2/IndexPage3.test.tsx",
        "修复登录页面的表单校验",
        "",
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
        WordingMatch("3f2a9c8b7d6e5f40", 63, 79, "a random token"),
        WordingMatch("1795312800", 83, 93, "a time stamp"),
    ]


def test_a_token_behind_a_url_counts_again() -> None:
    assert kinds("https://example.org/3f2a9c8b7d6e5f40 3f2a9c8b7d6e5f41") == [("a random token", "3f2a9c8b7d6e5f41")]


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
MORE = ["3f2a9c8b7d6e5f40", "V1StGXR8", "Z5jdHi6B", "=", "http://", "www.", " ", "１", "\u200b", "㎏", "."]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from([*PIECES, *MORE]), max_size=20).map("".join)))
def test_positions_are_right_and_in_order(text: str) -> None:
    end = 0
    for one in find_unstable(text):
        assert end <= one.start < one.end <= len(text)
        assert text[one.start : one.end] == one.text
        end = one.end
