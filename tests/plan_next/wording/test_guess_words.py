"""The words of a sequence and of guessing, and the longer words in which they are none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from planspec_lark.plan_next.wording.guess_words import WordList, find_guess, find_sequence, read_key, read_lists
from planspec_lark.plan_next.wording.normal_forms import WordingMatch
from tests.cases import in_one_test


def sequence(text: str) -> list[str]:
    return [found.text for found in find_sequence(text)]


def guess(text: str) -> list[str]:
    return [found.text for found in find_guess(text)]


SEQUENCE = [
    # The words of the protocol.
    ("先查看网关日志", ["先"]),
    ("读取配置，然后校验", ["然后"]),
    ("第一步：确认 Token 是否过期", ["第一步"]),
    ("接下来检查连接池", ["接下来"]),
    # Their kin, in both ways of writing Chinese.
    ("第 2 步 核对参数", ["第 2 步"]),
    ("步骤①：备份", ["步骤①"]),
    ("最后，提交报告", ["最后"]),
    ("最后一步：提交", ["最后一步"]),
    ("讀取設定，然後驗證", ["然後"]),
    # Before a verb the longer word is none.
    ("先生成报告", ["先"]),
    ("先进行回归测试", ["先"]),
    ("先后端再前端", ["先", "再"]),
    ("然后端到端测试", ["然后"]),
    ("再生成索引", ["再"]),
    ("因为先启动了网关", ["先"]),
    # Longer words.
    ("预先生成的缓存过期", []),
    ("高优先级队列饿死低优先级队列", []),
    ("先进先出队列被当成栈", []),
    ("先验概率估得太低", []),
    ("李先生的账号被锁", []),
    ("原先的索引失效", []),
    ("祖先节点已删除", []),
    ("先写日志没有落盘", []),
    ("错误在测试环境无法再现", []),
    ("一再超时", []),
    ("同一错误再次出现", []),
    ("虽然后端返回 200，前端仍报错", []),
    ("自然后缀匹配失败", []),
    ("第一步长设得过大", []),
    ("下一步长计算溢出", []),
    ("步骤 3 的输出为空", []),
    ("流量直接下来，没有缓冲", []),
    ("连接着两个网段", []),
    ("随后端升级失效", []),
    ("尤其次数超限", []),
    ("重启之后恢复", []),
    # English.
    ("First check the logs", ["First"]),
    ("check, then deploy", ["then"]),
    ("Next, compare both", ["Next"]),
    ("After that, restart", ["After that"]),
    ("after that we restart", ["after that"]),
    ("Finally, publish", ["Finally"]),
    ("Step 1: dump the heap", ["Step 1"]),
    ("step two is the restart", ["step two"]),
    ("The first step is a dump", ["The first step"]),
    ("The next step is a dump", ["The next step"]),
    ("ｆｉｒｓｔ look", ["ｆｉｒｓｔ"]),
    ("the\u00a0dump,\nthen\u3000the rest", ["then"]),
    ("先check再deploy", ["先", "再"]),
    ("日志then部署", ["then"]),
    ("If the key expired, then the call fails; then it is retried", ["then"]),
    ("If a then b then c", ["then"]),
    ("If it fails. Then it is retried", ["Then"]),
    ("If it fails\nthen it is retried", ["then"]),
    ("If v1.2 fails...\nThen it is retried", ["Then"]),
    ("If the token has expired then the call answers 401", []),
    ("When v1.2 is loaded, then memory doubles", []),
    ("The first request after a restart times out", []),
    ("Time to first byte exceeds 2 s", []),
    ("first-class functions are shared", []),
    ("At first glance the index is used", []),
    ("Queue is first in, first out only by name", []),
    ("The first 3 rows are dropped", []),
    ("Next.js strips the header", []),
    ("The next hop is down", []),
    ("next() is called twice", []),
    ("`next` is undefined", []),
    ("The promise lacks a .then( handler", []),
    ("p.then is undefined", []),
    ("Costs twice the budget and then some", []),
    ("Nothing was logged since then", []),
    ("The then-branch is dead", []),
    ("The finally block is skipped", []),
    ("Loss diverges at step 2000", []),
    ("next_token is stale", []),
    ("The value of --first is ignored", []),
    ("The authentication service strengthens the check", []),
    ("The label says step-by-step", []),
    ("After that deployment errors rose", []),
    # Words of law, medicine and trade; possessives; steps of what is examined.
    ("再审申请超过了期限", []),
    ("再审查一遍日志", ["再"]),
    ("先款后货的流程缺状态", []),
    ("The contract's first option has lapsed", []),
    ("The users’ next login fails", []),
    ("Let's first look at the log", ["Let's first"]),
    ("The step 3 image lacks a library", []),
    ("Step 4 - migrate", ["Step 4"]),
    ("To begin with, check the log", ["To begin with"]),
    ("After this release the pool is empty", []),
]

GUESS = [
    ("可能是缓存过期", ["可能"]),
    ("也许重启即可", ["也许"]),
    ("查明失败原因", ["原因"]),
    ("假设：Token 已过期", ["假设"]),
    ("大概率是缓存", ["大概率"]),
    ("或许换一个端口", ["或许"]),
    ("处理疑似内存泄漏", ["疑似"]),
    ("有可能重复扣款", ["可能"]),
    ("也许可以跳过", ["也许"]),
    ("假设备份失败", ["假设"]),
    ("也許是快取過期", ["也許"]),
    ("可\u200b能是缓存", ["可\u200b能"]),
    ("尽可能减少停机", []),
    ("评估风险的可能性与影响", []),
    ("核对认可能力清单", []),
    ("导入也许可证也支持的格式", []),
    ("记录原因码", []),
    ("按退货原因分组", []),
    ("计算还原因子", []),
    ("写明零假设与备择假设", []),
    ("给出节假设定", []),
    ("选取最大概率的类别", []),
    ("推测试镜像到仓库", []),
    ("换用更好像素的摄像头", []),
    ("Maybe restart the node", ["Maybe"]),
    ("Restart, perhaps twice", ["perhaps"]),
    ("possibly, probably", ["possibly", "probably"]),
    ("The cache may be stale", ["may be"]),
    ("May be a stale cache", ["May be"]),
    ("The job may fail", ["may"]),
    ("Guess the encoding", ["Guess"]),
    ("Assume a stale cache", ["Assume"]),
    ("Find the cause of the timeout", ["the cause"]),
    ("Explain the reason why", ["the reason"]),
    ("Publish the report in May 2026", []),
    ("Archive May releases", []),
    ("Document who may edit the page", []),
    ("Parse the reason codes", []),
    ("Cause a timeout in the test", []),
    ("Reason about types", []),
    ("Assume the role deployer", []),
    ("State the null hypothesis", []),
    ("Write property tests with Hypothesis", []),
    ("Use sts:AssumeRole", []),
    ("Tune the almighty mightiness", []),
    ("Rename guess_encoding()", []),
    ("Send dismay to the maybe_type parser", []),
    ("Write down the cause of death", []),
    ("Enter the reason for admission in the chart", []),
    ("Write a Maybe monad", []),
    ("用假设法求解方程", []),
    ("假设法院支持诉求", ["假设"]),
]


@in_one_test
@pytest.mark.parametrize(("text", "expected"), SEQUENCE)
def test_words_of_a_sequence(text: str, expected: list[str]) -> None:
    assert sequence(text) == expected


@in_one_test
@pytest.mark.parametrize(("text", "expected"), GUESS)
def test_words_of_guessing(text: str, expected: list[str]) -> None:
    assert guess(text) == expected


@pytest.mark.parametrize("word", ["先", "再", "然后", "第一步", "接下来"])
def test_every_sequence_word_of_the_protocol_is_on_the_list(word: str) -> None:
    assert sequence(word) == [word]
    assert guess(word) == []


@pytest.mark.parametrize("word", ["可能", "也许", "原因", "假设"])
def test_every_guess_word_of_the_protocol_is_on_the_list(word: str) -> None:
    assert guess(word) == [word]
    assert sequence(word) == []


def spelled(entry: str) -> tuple[str, str]:
    """A text with an entry in it, and the word that should be found there."""
    entry = entry.replace("{n}", "3")
    return entry.replace("|", ""), entry.split("|")[0]


@pytest.mark.parametrize("name", ["sequence", "guess"])
def test_every_entry_of_the_data_does_what_its_list_says(name: str) -> None:
    words = read_lists()[name]
    for entry in (*words.words, *words.cased, *words.conditional):
        text, word = spelled(entry)
        assert [found.text for found in words.find(text)] == [word], entry
    for entry in (*words.allowed, *words.conditions):
        assert words.find(spelled(entry)[0]) == [], entry


@pytest.mark.parametrize("name", ["sequence", "guess"])
def test_no_entry_of_the_data_is_there_twice(name: str) -> None:
    words = read_lists()[name]
    listed = [(key, entry) for key in ("words", "allowed", "conditions") for entry in getattr(words, key)]
    keys = [read_key(entry) for _, entry in listed]
    assert len(keys) == len({*keys}), sorted(entry for _, entry in listed if keys.count(read_key(entry)) > 1)


@pytest.mark.parametrize("name", ["sequence", "guess"])
def test_every_allowed_entry_is_needed(name: str) -> None:
    """One that contains no word, and ends in the beginning of no other Chinese entry, would change nothing."""
    words = read_lists()[name]
    heads = {spelled(word)[1].lower() for word in (*words.words, *words.cased, *words.conditional)}
    starts = {head[:size] for head in (*heads, *words.allowed) for size in range(1, len(head)) if not head.isascii()}
    for entry in words.allowed:
        text = spelled(entry)[0].lower()
        ends = any(text.endswith(start) for start in starts)
        assert ends or any(head in text for head in heads), entry


def test_positions() -> None:
    assert find_sequence("看，先\u3000ｔｈｅｎ") == [WordingMatch("先", 2, 3), WordingMatch("ｔｈｅｎ", 4, 8)]


PIECES = [*"先再生然后第一步可能許", "first", "then", "if", "the ", "may", "May", "be"]
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.one_of(st.sampled_from([*PIECES, " ", "\n", ".", "，", "\u200b", "Ａ", "㈠", "3"])), max_size=30).map(
        "".join
    ),
)


@given(TEXTS)
def test_positions_are_right_and_in_order(text: str) -> None:
    for found in (find_sequence(text), find_guess(text)):
        end = 0
        for one in found:
            assert end <= one.start < one.end <= len(text)
            assert text[one.start : one.end] == one.text
            end = one.end


SMALL = WordList(words=("ab", "b", "cab", "bc|a"), allowed=("abc", "ca", "ba|b", "aab"))


def find_slowly(text: str) -> list[str]:
    """The longest entry at each place from left to right, with no expression."""
    entries = [(entry, True) for entry in SMALL.words] + [(entry, False) for entry in SMALL.allowed]
    found, at = [], 0
    while at < len(text):
        here = [(len(e.replace("|", "")), e, w) for e, w in entries if text.startswith(e.replace("|", ""), at)]
        if not here:
            at += 1
            continue
        _, entry, is_word = max(here)
        word = entry.split("|")[0]
        if is_word:
            found.append(word)
        at += len(word)
    return found


@given(st.text(alphabet="甲乙丙", max_size=40))
def test_the_longest_entry_counts_everywhere(text: str) -> None:
    """In characters that need no ends of words."""
    table = str.maketrans("abc", "甲乙丙")
    small = WordList(
        words=tuple(entry.translate(table) for entry in SMALL.words),
        allowed=tuple(entry.translate(table) for entry in SMALL.allowed),
    )
    plain = text.translate(str.maketrans("甲乙丙", "abc"))
    assert [found.text for found in small.find(text)] == [word.translate(table) for word in find_slowly(plain)]


def test_a_number_spelled_out_counts_before_any_number() -> None:
    words = WordList(words=("第{n}步", "step{n}"), allowed=("第一步伐", "step 1 release"))
    assert words.find("第一步伐 第二步 step 1 release") == [WordingMatch("第二步", 5, 8)]


def test_what_is_cased_counts_as_it_is_written() -> None:
    words = WordList(words=("eins|, ",), cased=("Drei",))
    assert [found.text for found in words.find("eins eins, drei Drei")] == ["eins", "Drei"]


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("many_switches")
@pytest.mark.parametrize("name", ["zuerst", "danach", "zuletzt"])
def test_threads_share_a_list(name: str) -> None:
    text = "先查日志 then next 优先 the first step, next to 先生成"
    expected = find_sequence(text)
    # A list that was not compiled yet.
    known = read_lists()["sequence"]
    words = evolve(known, words=(*known.words, name))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(words.find, [text] * 4)) == [expected] * 4
