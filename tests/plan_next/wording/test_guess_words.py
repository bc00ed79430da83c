"""The words of a sequence and of guessing, and the longer words in which they are none."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from planspec_lark.plan_next import WordListError, WordLists, default_words, load_words, read_words
from planspec_lark.plan_next.wording.guess_words import MAX_ENTRY, WordList, read_key
from planspec_lark.plan_next.wording.normal_forms import WordingMatch
from tests.cases import in_one_test

WORDS = default_words()


def sequence(text: str) -> list[str]:
    return [found.text for found in WORDS.find_sequence(text)]


def guess(text: str) -> list[str]:
    return [found.text for found in WORDS.find_guess(text)]


SEQUENCE = [
    # The words of the protocol.
    ("先查看网关日志", ["先"]),
    ("清空缓存再重启", ["再"]),
    ("读取配置，然后校验", ["然后"]),
    ("第一步：确认 Token 是否过期", ["第一步"]),
    ("接下来检查连接池", ["接下来"]),
    # Their kin, in both ways of writing Chinese.
    ("首先检查，其次修复", ["首先", "其次"]),
    ("第 2 步 核对参数", ["第 2 步"]),
    ("第十二步收尾", ["第十二步"]),
    ("步骤①：备份", ["步骤①"]),
    ("步骤 3、回滚", ["步骤 3"]),
    ("最后，提交报告", ["最后"]),
    ("最后一步：提交", ["最后一步"]),
    ("随后重放请求", ["随后"]),
    ("下一步核对索引", ["下一步"]),
    ("紧接着停服务", ["紧接着"]),
    ("讀取設定，然後驗證", ["然後"]),
    ("接下來檢查", ["接下來"]),
    # Before a verb the longer word is none.
    ("先生成报告", ["先"]),
    ("先进行回归测试", ["先"]),
    ("先验证签名", ["先"]),
    ("先后端再前端", ["先", "再"]),
    ("先导出数据", ["先"]),
    ("先声明依赖", ["先"]),
    ("然后端到端测试", ["然后"]),
    ("再生成索引", ["再"]),
    ("再说明理由", ["再"]),
    ("因为先启动了网关", ["先"]),
    ("现在先停服务", ["先"]),
    ("统一再部署", ["再"]),
    # Longer words.
    ("预先生成的缓存过期", []),
    ("事先登记的回调地址有误", []),
    ("高优先级队列饿死低优先级队列", []),
    ("优先进行的任务占满线程池", []),
    ("先进先出队列被当成栈", []),
    ("算法过于先进", []),
    ("先验概率估得太低", []),
    ("没有先例", []),
    ("先天缺陷", []),
    ("李先生的账号被锁", []),
    ("两个请求先后到达，顺序相反", []),
    ("写入先于加锁", []),
    ("最先超时的是网关", []),
    ("原先的索引失效", []),
    ("祖先节点已删除", []),
    ("领先版本与落后版本并存", []),
    ("抢先调度导致饥饿", []),
    ("先写日志没有落盘", []),
    ("错误在测试环境无法再现", []),
    ("可再生能源接口返回空值", []),
    ("集群正在再平衡", []),
    ("一再超时", []),
    ("连接不再复用", []),
    ("同一错误再次出现", []),
    ("分区再均衡期间消费停滞", []),
    ("内存再分配失败", []),
    ("哈希表再散列", []),
    ("模型再训练没有收敛", []),
    ("虽然后端返回 200，前端仍报错", []),
    ("仍然后台运行的进程占用端口", []),
    ("指标突然后退", []),
    ("当然后果自负", []),
    ("自然后缀匹配失败", []),
    ("不然后续请求失败", []),
    ("第一步长设得过大", []),
    ("第二步进电机失步", []),
    ("下一步长计算溢出", []),
    ("两边的步骤一致", []),
    ("步骤 3 的输出为空", []),
    ("流量直接下来，没有缓冲", []),
    ("连接着两个网段", []),
    ("连接着色器失败", []),
    ("伴随后台任务增多", []),
    ("随后端升级失效", []),
    ("尤其次数超限", []),
    ("其次数超过上限", []),
    ("最后一次写入丢失", []),
    ("最后修改时间不对", []),
    ("重启之后恢复", []),
    ("優先順序顛倒", []),
    ("雖然後端正常", []),
    # English.
    ("First check the logs", ["First"]),
    ("check, then deploy", ["then"]),
    ("Next, compare both", ["Next"]),
    ("After that, restart", ["After that"]),
    ("after that we restart", ["after that"]),
    ("Restart it afterwards", ["afterwards"]),
    ("Finally, publish", ["Finally"]),
    ("Step 1: dump the heap", ["Step 1"]),
    ("step two is the restart", ["step two"]),
    ("STEP  3", ["STEP  3"]),
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
    ("Its first byte is late", []),
    ("Time to first byte exceeds 2 s", []),
    ("The first name is empty", []),
    ("first-class functions are shared", []),
    ("A first-party cookie is refused", []),
    ("At first glance the index is used", []),
    ("At first the pool is empty", []),
    ("Queue is first in, first out only by name", []),
    ("First come, first served is broken", []),
    ("The first 3 rows are dropped", []),
    ("First 10 rows are dropped", []),
    ("Next.js strips the header", []),
    ("The next-hop is wrong", []),
    ("The next hop is down", []),
    ("next() is called twice", []),
    ("`next` is undefined", []),
    ("The promise lacks a .then( handler", []),
    ("p.then is undefined", []),
    ("then(resolve) is missing", []),
    ("Costs twice the budget and then some", []),
    ("Nothing was logged since then", []),
    ("The then-branch is dead", []),
    ("in finally the lock leaks", []),
    ("The finally block is skipped", []),
    ("Loss diverges at step 2000", []),
    ("next_token is stale", []),
    ("The value of --first is ignored", []),
    ("The authentication service strengthens the check", []),
    ("Thence the nextcloud thirst", []),
    ("The label says step-by-step", []),
    ("After that deployment errors rose", []),
]

GUESS = [
    ("可能是缓存过期", ["可能"]),
    ("也许重启即可", ["也许"]),
    ("查明失败原因", ["原因"]),
    ("假设：Token 已过期", ["假设"]),
    ("大概是网络抖动", ["大概"]),
    ("大概率是缓存", ["大概率"]),
    ("或许换一个端口", ["或许"]),
    ("猜测是编码错误", ["猜测"]),
    ("处理疑似内存泄漏", ["疑似"]),
    ("按推测调整超时", ["推测"]),
    ("内存可能耗尽", ["可能"]),
    ("有可能重复扣款", ["可能"]),
    ("许可可能过期", ["可能"]),
    ("也许可以跳过", ["也许"]),
    ("假设备份失败", ["假设"]),
    ("假设计划有误", ["假设"]),
    ("也許是快取過期", ["也許"]),
    ("可\u200b能是缓存", ["可\u200b能"]),
    ("尽可能减少停机", []),
    ("评估风险的可能性与影响", []),
    ("列出所有可能取值", []),
    ("穷举全部可能的组合", []),
    ("排除不可能的分支", []),
    ("核对认可能力清单", []),
    ("核对许可能力清单", []),
    ("更新许可证", []),
    ("导入也许可证也支持的格式", []),
    ("上传授权书或许可证", []),
    ("记录原因码", []),
    ("返回原因短语", []),
    ("增加原因代码字段", []),
    ("按退货原因分组", []),
    ("标定高原因子", []),
    ("计算还原因子", []),
    ("统计草原因素", []),
    ("填写放假设置", []),
    ("识别假设备", []),
    ("编写假设检验脚本", []),
    ("写明零假设与备择假设", []),
    ("更新放假设置页面", []),
    ("给出节假设定", []),
    ("选取最大概率的类别", []),
    ("绘制更大概念图", []),
    ("启用推测执行", []),
    ("推测试镜像到仓库", []),
    ("导出疑似病例名单", []),
    ("换用更好像素的摄像头", []),
    ("防止口令猜测攻击", []),
    ("Maybe restart the node", ["Maybe"]),
    ("Restart, perhaps twice", ["perhaps"]),
    ("possibly, probably", ["possibly", "probably"]),
    ("It might help", ["might"]),
    ("The cache may be stale", ["may be"]),
    ("May be a stale cache", ["May be"]),
    ("The job may fail", ["may"]),
    ("Guess the encoding", ["Guess"]),
    ("Assume a stale cache", ["Assume"]),
    ("Work out a hypothesis", ["hypothesis"]),
    ("Find the root cause", ["root cause"]),
    ("Find the cause of the timeout", ["the cause"]),
    ("State the reason", ["the reason"]),
    ("Explain the reason why", ["the reason"]),
    ("Publish the report in May 2026", []),
    ("Close the books on 5 May", []),
    ("Archive May releases", []),
    ("Document who may edit the page", []),
    ("Write the reason code", []),
    ("Map the reason phrase", []),
    ("Parse the reason codes", []),
    ("Skip it, because it is done", []),
    ("Cause a timeout in the test", []),
    ("Reason about types", []),
    ("Assume the role deployer", []),
    ("Run a hypothesis test", []),
    ("State the null hypothesis", []),
    ("Write property tests with Hypothesis", []),
    ("Use sts:AssumeRole", []),
    ("Limit password guessing", []),
    ("Tune the almighty mightiness", []),
    ("Rename guess_encoding()", []),
    ("Deploy as soon as possible", []),
    ("Send dismay to the maybe_type parser", []),
]


@in_one_test
@pytest.mark.parametrize(("text", "expected"), SEQUENCE)
def test_words_of_a_sequence(text: str, expected: list[str]) -> None:
    assert sequence(text) == expected


@in_one_test
@pytest.mark.parametrize(("text", "expected"), GUESS)
def test_words_of_guessing(text: str, expected: list[str]) -> None:
    assert guess(text) == expected


def test_the_tables_hold_many_compounds() -> None:
    assert sum(not expected for _, expected in [*SEQUENCE, *GUESS]) >= 80


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
    words: WordList = getattr(WORDS, name)
    for entry in (*words.words, *words.cased, *words.conditional):
        text, word = spelled(entry)
        assert [found.text for found in words.find(text)] == [word], entry
    for entry in (*words.allowed, *words.conditions):
        assert words.find(spelled(entry)[0]) == [], entry


@pytest.mark.parametrize("name", ["sequence", "guess"])
def test_no_entry_of_the_data_is_there_twice(name: str) -> None:
    words: WordList = getattr(WORDS, name)
    listed = [(key, entry) for key in ("words", "allowed", "conditions") for entry in getattr(words, key)]
    keys = [read_key(entry) for _, entry in listed]
    assert len(keys) == len({*keys}), sorted(entry for _, entry in listed if keys.count(read_key(entry)) > 1)


@pytest.mark.parametrize("name", ["sequence", "guess"])
def test_every_allowed_entry_is_needed(name: str) -> None:
    """One that contains no word, and ends in the beginning of no other Chinese entry, would change nothing."""
    words: WordList = getattr(WORDS, name)
    heads = {spelled(word)[1].lower() for word in (*words.words, *words.cased, *words.conditional)}
    starts = {head[:size] for head in (*heads, *words.allowed) for size in range(1, len(head)) if not head.isascii()}
    for entry in words.allowed:
        text = spelled(entry)[0].lower()
        ends = any(text.endswith(start) for start in starts)
        assert ends or any(head in text for head in heads), entry


def test_positions() -> None:
    assert WORDS.find_sequence("看，先\u3000ｔｈｅｎ") == [WordingMatch("先", 2, 3), WordingMatch("ｔｈｅｎ", 4, 8)]


PIECES = [
    "先",
    "再",
    "生",
    "然",
    "后",
    "第",
    "一",
    "步",
    "first",
    "then",
    "if",
    "the ",
    "may",
    "May",
    "be",
    "可",
    "能",
    "許",
]
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.one_of(st.sampled_from([*PIECES, " ", "\n", ".", "，", "\u200b", "Ａ", "㈠", "3"])), max_size=30).map(
        "".join
    ),
)


@given(TEXTS)
def test_positions_are_right_and_in_order(text: str) -> None:
    for found in (WORDS.find_sequence(text), WORDS.find_guess(text)):
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


def test_the_user_adds_words_of_both_kinds() -> None:
    words = WORDS.extended(sequence=["zuerst", "Schritt {n}"], guess=["vielleicht"], allowed=["vielleicht auch"])
    assert [found.text for found in words.find_sequence("Zuerst lesen, Schritt 2: first")] == [
        "Zuerst",
        "Schritt 2",
        "first",
    ]
    assert [found.text for found in words.find_guess("Vielleicht. vielleicht auch")] == ["Vielleicht"]
    assert sequence("zuerst") == []


def test_a_number_spelled_out_counts_before_any_number() -> None:
    words = WORDS.extended(allowed=["第一步伐", "step 1 release"])
    assert words.find_sequence("第一步伐 第二步 step 1 release") == [WordingMatch("第二步", 5, 8)]
    assert [found.text for found in words.find_sequence("第一步长 第一步 step 1")] == ["第一步", "step 1"]


def test_what_is_added_last_wins() -> None:
    words = WORDS.extended(allowed=["疑似", "May be"])
    assert words.find_guess("疑似 May be") == []
    assert [found.text for found in words.find_guess("maybe")] == ["maybe"]
    again = words.extended(guess=["疑似"], sequence=["优先"])
    assert [found.text for found in again.find_guess("疑似")] == ["疑似"]
    assert [found.text for found in again.find_sequence("优先")] == ["优先"]


def test_words_from_a_text() -> None:
    words = read_words('[sequence]\nwords = ["eins|, ", "zwei"]\ncased = ["Drei"]\n')
    assert [found.text for found in words.find_sequence("eins zwei eins, drei Drei first")] == ["zwei", "eins", "Drei"]
    assert words.find_guess("maybe") == []


def test_words_that_extend_the_default_ones(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_text(
        'extends = true\n[sequence]\nwords = ["zuerst"]\nallowed = ["then"]\n[guess]\ncased = ["MAY"]\n', "utf-8"
    )
    words = load_words(path)
    assert [found.text for found in words.find_sequence("zuerst then first")] == ["zuerst", "first"]
    assert [found.text for found in words.find_guess("MAY may May")] == ["MAY", "may"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[sequence",
            "the word lists are not TOML: Expected ']' at the end of a table declaration (at end of document)",
        ),
        ("[order]", "unknown key 'order': expected extends, sequence or guess"),
        ("extends = 1", "extends: expected true or false"),
        ("sequence = 1", "sequence: expected a table"),
        (
            "[guess]\nword = []",
            "guess: unknown key 'word': expected one of words, cased, conditional, conditions, allowed",
        ),
        ("[guess]\nwords = 'a'", "guess.words: expected a list of strings"),
        ("[guess]\nwords = [1]", "guess.words: expected a list of strings"),
        ("[guess]\nwords = [' ']", "guess.words: an entry is a word"),
        ("[guess]\nwords = ['|a']", "guess.words: an entry is a word"),
        ("[guess]\nwords = ['{n}. step']", "guess.words: an entry does not begin with a number"),
        ("[guess]\nwords = ['a|b|c']", "guess.words: after the bar of an entry comes neither a number nor another bar"),
        (f"[guess]\nallowed = ['{'a' * 61}']", "guess.allowed: an entry has at most 60 characters, this one has 61"),
        ("#" * 1_000_001, "the word lists cannot be read: the text has more than 1,000,000 bytes"),
    ],
)
def test_lists_that_can_not_be_used(text: str, message: str) -> None:
    with pytest.raises(WordListError, match=re.escape(message) + "$"):
        read_words(text)


def test_files_that_can_not_be_used(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_bytes(b"# \xff")
    with pytest.raises(
        WordListError, match=r"^the word lists cannot be read: byte 2 \(0xff\) is not UTF-8: invalid start byte$"
    ):
        load_words(path)
    path.write_bytes(b"#" * 1_000_001)
    with pytest.raises(
        WordListError,
        match=r"^the word lists cannot be read: the text has more than 1,000,000 bytes$",
    ):
        load_words(path)
    with pytest.raises(FileNotFoundError):
        load_words(tmp_path / "none.toml")


def test_deep_lists_are_no_crash() -> None:
    with pytest.raises(WordListError, match=r"^the word lists are not TOML: "):
        read_words("[guess]\nwords = " + "[" * 100_000)


def test_an_entry_that_can_not_be_added() -> None:
    with pytest.raises(WordListError, match=r"^words: an entry is a word$"):
        WORDS.extended(sequence=[""])
    with pytest.raises(WordListError):
        read_key("a" * (MAX_ENTRY + 1))


def test_a_long_entry_works() -> None:
    long = "a" * MAX_ENTRY
    words = WordLists(WordList(words=tuple(long[:size] for size in range(1, MAX_ENTRY + 1))), WordList())
    assert [found.text for found in words.find_sequence(f"{long} a")] == [long, "a"]


def test_the_default_words_are_read_once() -> None:
    assert default_words() is default_words()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # Words of law, medicine and trade.
        ("再审申请超过了期限", []),
        ("再审查一遍日志", ["再"]),
        ("先诉抗辩权被放弃", []),
        ("先占原则不适用", []),
        ("先占用端口", ["先"]),
        ("先款后货的流程缺状态", []),
        ("先证者的基因型有误", []),
        ("先机房断电测试", ["先"]),
        ("再灌注造成损伤", []),
        ("The right of first refusal was never registered", []),
        # A possessive is as good as an article.
        ("The contract's first option has lapsed", []),
        ("The users’ next login fails", []),
        ("Let's first look at the log", ["Let's first"]),
        ("let’s next look at the log", ["let’s next"]),
        # A step of what is examined.
        ("The step 3 image lacks a library", []),
        ("The migration skipped step 4", []),
        ("Step 4 - migrate", ["Step 4"]),
        ("To begin with, check the log", ["To begin with"]),
        ("After this, check the log", ["After this"]),
        ("After this release the pool is empty", []),
    ],
)
def test_sequences_of_many_trades(text: str, words: list[str]) -> None:
    assert sequence(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("State the cause of action", []),
        ("Write down the cause of death", []),
        ("Find the cause of the failure", ["the cause"]),
        ("Enter the reason for admission in the chart", []),
        ("Find the reason for the failure", ["the reason"]),
        ("Write a Maybe monad", []),
        ("Clear the maybe stale cache", ["maybe"]),
        ("使用推测性解码", []),
        ("用假设法求解方程", []),
        ("假设法院支持诉求", ["假设"]),
        ("标记疑似洗钱账户", []),
        ("在表单中增加拒绝原因一栏", []),
    ],
)
def test_guesses_of_many_trades(text: str, words: list[str]) -> None:
    assert guess(text) == words


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
    expected = default_words().find_sequence(text)
    # A list that was not compiled yet.
    words = default_words().sequence.extended(WordList(words=(name,)))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(words.find, [text] * 4)) == [expected] * 4
