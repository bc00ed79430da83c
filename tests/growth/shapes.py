"""Texts of any size, each of one kind that could make a reader go over the same characters again and again."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["JSON_SHAPES", "PLAN_SHAPES", "TEXT_SHAPES"]

_HEAD = "Goal: g\n## Steps\n"
_STEP = f"{_HEAD}1. [act] "


def _each(line: str, size: int, head: str = _HEAD) -> str:
    """As many numbered lines as come to ``size`` characters, most of them a little longer than ``line``."""
    return head + "".join(line.format(number) for number in range(1, size // len(line) + 1))


def _chain(size: int) -> str:
    """Steps each below the one before it; the ids alone are of the size of the depth squared."""
    return _HEAD + "".join(f"{'1.' * depth} [subtask] a\n" for depth in range(1, int(size**0.5)))


def _below(size: int, line: str) -> str:
    """Half of it one id, and many lines behind its step."""
    return _HEAD + "1." * (size // 4) + " [act] a\n" + _each(line, size // 2, "")


def _beside(size: int, line: str, *, last: str = "") -> str:
    """Half of it one id, and many steps beside its own."""
    return _each(line, size // 2) + "0." + "1." * (size // 4) + f" [act] a{last}\n"


def _in_the_deep(size: int) -> str:
    """A chain, and many lines behind its last step."""
    return _chain(size // 2) + "> d\n" * (size // 8)


_LINES: dict[str, Callable[[int], str]] = {
    "one long line": lambda n: _STEP + "word " * (n // 5),
    "no line break": lambda n: "a" * n,
    "arrows": lambda n: _STEP + "→" * n,
    "arrows with variables": lambda n: _STEP + "→ a " * (n // 4),
    "ascii arrows": lambda n: _STEP + "->" * (n // 2),
    "an almost list": lambda n: _STEP + "-> " + "a," * (n // 2) + "!",
    "pipes": lambda n: _STEP + "|" * n,
    "separators": lambda n: _STEP + "a" + " |" * (n // 2),
    "segments": lambda n: _STEP + "a" + " | b" * (n // 4),
    "progress again": lambda n: _STEP + "a" + " | Progress: 1" * (n // 14),
    "backslashes": lambda n: _STEP + "\\" * n + "| x → a",
    "backslashes before bars": lambda n: _STEP + "a" + r" \|" * (n // 3),
    "backslashes before arrows": lambda n: _STEP + r"\→ a " * (n // 5),
    "backslashes in detail": lambda n: f"{_STEP}a\n> " + "\\" * n + "← a",
    "spaces": lambda n: _STEP + "a" + " " * n + "b",
    "trailing tabs": lambda n: _STEP + "a" + "\t" * n,
    "spaces without a type": lambda n: f"{_HEAD}1." + " " * n + "b",
    "spaces in a header": lambda n: "##" + " " * n + "x",
    "spaces behind Steps": lambda n: "## Steps" + " " * n + "x",
    "spaces behind goal": lambda n: "goal" + " " * n + "x",
    "stars behind steps": lambda n: "steps" + "*" * n + "x",
    "empty marks of HopSpec": lambda n: _STEP + "a" + " (hop:)" * (n // 7),
    "names in a mark of HopSpec": lambda n: f"{_STEP}a (hop: " + "b = 名, " * (n // 10) + "c = 名) → b, c",
    "digits": lambda n: _HEAD + "1" * n + ". [act] a",
    "dotted digits": lambda n: _HEAD + "1." * (n // 2) + " [act] a",
    "dotted digits without an end": lambda n: _HEAD + "1." * (n // 2) + "x",
    "a long name": lambda n: f"{_HEAD}1. " + "a" * n + " [act] a",
    "a long word": lambda n: f"{_HEAD}1. " + "a" * n,
    "a long word of lines": lambda n: f"{_HEAD}1. [x] " + "_" * n,
    "a long type": lambda n: f"{_HEAD}1. [" + "a" * n + "] a",
    "a long word in front of a bracket": lambda n: f"{_HEAD}1. " + "a" * n + "[act] a",
    "open brackets": lambda n: f"{_HEAD}1. " + "[" * n,
    "an open bracket": lambda n: f"{_HEAD}1. [" + "a" * n,
    "closed brackets": lambda n: f"{_HEAD}1. " + "[] " * (n // 3),
    "marks": lambda n: f"{_HEAD}1. " + "[x] " * (n // 4),
    "wide brackets": lambda n: f"{_HEAD}1. " + "【" * n,
    "many inputs": lambda n: f"{_STEP}a\n> ← " + "a," * (n // 2) + "a",
    "many outputs": lambda n: _STEP + "a → " + "a," * (n // 2) + "a",
    "different outputs": lambda n: _each("o{0},", n, _STEP + "a → ") + "o",
    "inputs with an end": lambda n: f"{_STEP}a\n> ← " + "a," * (n // 2) + "!",
    "inputs from another arrow": lambda n: f"{_STEP}a\n> <- " + "a，" * (n // 2) + "a",
    "control characters": lambda n: _HEAD + "\x00" * n,
    "control characters in a step": lambda n: _STEP + "\x1b[31m" * (n // 5),
    "turning marks": lambda n: _STEP + "\u202e" * n,
    "lone surrogates": lambda n: _STEP + "\ud800" * n,
    "marks without width": lambda n: _STEP + "e" + "\u0301" * n,
}

_MANY_LINES: dict[str, Callable[[int], str]] = {
    "wrapped lines": lambda n: _each("  and so it goes on\n", n, "1) [act] a\n"),
    "dots": lambda n: _STEP + "a\n" + "…" * n + " x x",
    "dots apart": lambda n: _STEP + "a\n" + "… " * (n // 2) + " x",
    "blanks behind inputs": lambda n: _STEP + "a\n  Inputs" + " " * n + "x",
    "hashes behind a hash": lambda n: "# " + "#" * n + "…x",
    "bold in bold": lambda n: "# x\n**" + "**a" * (n // 3),
    "bullets behind the plan": lambda n: _each("- [] a\n", n, _STEP + "a\n\n"),
    "rows of a table": lambda n: _each(
        "| {0} | act | a | b |\n", n, "| # | Type | Step | Outputs |\n|---|---|---|---|\n"
    ),
    "rows that are none": lambda n: _each("| {0} | a |\n", n, "| # | Type | Step | Outputs |\n|---|---|---|---|\n"),
    "numerals": lambda n: _HEAD + "二十" * (n // 2) + "、[act] a",
    "strings of JSON": lambda n: _each(r'"a\n1. [act] {0}", ', n, "["),
    "second thoughts": lambda n: _STEP + "a\n\n" + "please drop steps and drop the step 步 " * (n // 37),
    "digits of a second thought": lambda n: _STEP + "a\n\nstep " + "1." * (n // 2),
    "headings": lambda n: _each("## {0}\n", n, "# x\n"),
    "legends": lambda n: _each("Legend: ✅ = done, ⏳ = doing\n", n),
    "blank lines": lambda n: _HEAD + " \n" * (n // 2) + "1. [act] a",
    "line breaks": lambda n: "\n" * n,
    "carriage returns": lambda n: "\r" * n,
    "CRLF": lambda n: _each("{0}. [act] a → o{0}\r\n> ← o{0}\r\n", n),
    "byte-order marks": lambda n: "\ufeff" * n,
    "deep ids": _chain,
    "details in the deep": _in_the_deep,
    "ids without parents": lambda n: _each("1.{0}.{0}.{0}. [act] a\n", n),
    "ids backwards": lambda n: "".join(
        [_HEAD, *(f"{number}. [act] a\n" for number in range(n // 10, 0, -1))],
    ),
    "steps without a header": lambda n: _each("{0}. [act] a → o{0}\n> ← o{0}\n", n, ""),
    "steps": lambda n: _each("{0}. [act] a → o{0}\n> ← o{0}\n", n),
    "branches": lambda n: _each("{0}. [decide] a\n{0}.1. [act] b → v\n{0}.2. [act] c → v\n", n),
    "misspelt inputs": lambda n: _each("{0}. [act] a → output{0}x\n> ← outptu{0}x\n", n),
    "the same misspelt input": lambda n: _each("{0}. [act] a → output_of_it\n> ← outptu_of_it\n", n),
    "outside inputs": lambda n: _each("{0}. [act] a → v{0}\n> ← w{0}\n", n),
    "steps in progress": lambda n: _each("{0}. [>] [act] a\n", n),
    "done before their inputs": lambda n: _each("{0}. [act] a → o{0}\n{0}.1. [x] [act] a\n> ← o{0}\n", n),
    "almost outputs": lambda n: _each("{0}. [act] a → o {0}x\n> ← o {0}x\n", n),
    "an almost list of words": lambda n: _STEP + "a → " + "a b, " * (n // 5) + "c d",
    "the same output": lambda n: _each("{0}. [act] a → v\n", n),
    "the same name": lambda n: _each("{0}. n [act] a\n", n),
    "unknown types": lambda n: _each("{0}. [Tool] a\n", n),
    "details": lambda n: _each("> d\n", n, f"{_STEP}a\n"),
    "lines of inputs": lambda n: _each("> ← a\n", n, f"{_STEP}a\n"),
    "details of the goal": lambda n: _each("> d\n", n, "Goal: g\n"),
    "constraints": lambda n: _each("- x\n", n, "Constraints:\n"),
    "plans": lambda n: _each("# Plan: t\nGoal: g\n## Steps\n1. [act] a\n", n, ""),
}

_FAULTS: dict[str, Callable[[int], str]] = {
    "prose": lambda n: _each("so it is\n", n, ""),
    "prose behind steps": lambda n: _each("so it is\n\n", n),
    "control lines": lambda n: _each("\x00\n", n),
    "comments": lambda n: _each("{0}. [act] a → v  # c\n> d  # e\n", n, "Goal: g  # c\n## Steps  # c\n"),
    "comments in front of a header": lambda n: _each("- x  # c\n", n, "Constraints:\n") + "## Steps  # c\n",
    "plans with comments": lambda n: _each("# t  # c\n## Steps  # c\n1. [act] a\n", n, ""),
    "signs of comments": lambda n: f"## Steps  # c\n1. [act] a{'  #' * (n // 3)}",
    "white space behind a comment's sign": lambda n: f"## Steps  # c\n1. [act] a  #{' ' * n}",
    "fences": lambda n: _each("```\nx\n", n, ""),
    "plans in fences": lambda n: _each("```\n## Steps\n1. [act] a\n```\n", n, ""),
    "wrong headers": lambda n: _each("Steps:\n", n, ""),
    "repeated goals": lambda n: _each("Goal: g\n", n, ""),
    "parts out of order": lambda n: _each("Goal: g\n", n, "## Steps\n"),
    "orphans": lambda n: _each("> x\n", n, ""),
    "listed orphans": lambda n: _each("- x\n", n),
    "steps before the header": lambda n: _each("{0}. [act] a\n", n, ""),
    "missing texts": lambda n: _each("-\n", n, "Constraints:\n"),
    "bad ids": lambda n: _each("0{0}. [act] a\n", n),
    "ids in brackets": lambda n: _each("{0}) [act] a\n", n),
    "listed steps": lambda n: _each("- {0}. [act] a\n", n),
    "wrong marks": lambda n: _each("{0}. [X] [act] a\n", n),
    "missing types": lambda n: _each("{0}. a\n", n),
    "wide types": lambda n: _each("{0}. 【act】 a\n", n),
    "missing spaces": lambda n: _each("{0}.[act] a\n", n),
    "empty segments": lambda n: _each("{0}. [act] a |\n", n),
    "wrong progress": lambda n: _each("{0}. [act] a | Progress: x\n", n),
    "repeated progress": lambda n: _each("{0}. [act] a | Progress: 1 | Progress: 2\n", n),
    "duplicate ids": lambda n: _each("1. [act] a\n", n),
    "duplicate ids with bodies": lambda n: _each("1. [act] a\n> d\n", n),
    "wrong bullets": lambda n: _each("* x\n", n, "Constraints:\n"),
    "ascii lists": lambda n: _each("{0}. [act] a -> o{0}\n> <- o{0}\n", n),
}

_LONG_ONCE: dict[str, Callable[[int], str]] = {
    "a long id and many details": lambda n: _below(n, "> d\n"),
    "a long id and many inputs": lambda n: _below(n, "> ← v{0}\n"),
    "a long id and the same name": lambda n: (
        _HEAD + "1." * (n // 4) + " n [act] a\n" + _each("{0}. n [act] a\n", n // 2, "")
    ),
    "a long id and many steps": lambda n: _beside(n, "{0}. [act] a\n"),
    "a long id and its output": lambda n: _beside(n, "{0}. [act] a\n> ← v\n", last=" → v"),
    "a long title and many faults": lambda n: "# Plan: " + "t" * (n // 2) + "\n" + _each("x\n", n // 2, ""),
}

_COMMANDS: dict[str, Callable[[int], str]] = {
    "commands": lambda n: _each("PLAN_CMD: DONE {0}\n", n, ""),
    "commands that add": lambda n: _each("PLAN_CMD: ADD {0} [act] a\n", n, ""),
    "commands that push others up": lambda n: "PLAN_CMD: ADD 1 [act] a\n" * (n // 24),
    "commands that push below": lambda n: "PLAN_CMD: ADD 1 [subtask] a\n" + "PLAN_CMD: ADD 1.1 [act] a\n" * (n // 26),
    "commands that push up and end others": lambda n: "PLAN_CMD: ADD 1 [act] a\nPLAN_CMD: DONE 1\n" * (n // 41),
    "commands that close gaps": lambda n: (
        _each("PLAN_CMD: ADD {0}9 [act] a\n", n // 2, "") + "PLAN_CMD: ADD 1 [act] a\n" * (n // 48)
    ),
    "commands with detail": lambda n: _each("> d\n", n, "PLAN_CMD: ADD 1 [act] a\n"),
    "commands with variables": lambda n: "PLAN_CMD: ADD 1 [act] a → " + "a," * (n // 2) + "a",
    "commands with arrows": lambda n: "PLAN_CMD: ADD 1 [act] a" + " → a" * (n // 4) + "!",
    "wrong commands": lambda n: _each("PLAN_CMD: done {0}\n", n, ""),
    "unknown commands": lambda n: _each("PLAN_CMD: DOME {0}\n", n, ""),
    "almost commands": lambda n: _each("- plan cmd: DONE {0}\n", n, ""),
    "spaces in a command": lambda n: "PLAN_CMD: DONE 1" + " " * n + "x",
    "digits in a command": lambda n: "PLAN_CMD: DONE " + "1." * (n // 2) + "x",
    "stars in front of a command": lambda n: "*" * n + "PLAN_CMD: DONE 1",
}

_MESSAGES: dict[str, Callable[[int], str]] = {
    "words of a sequence": lambda n: "第一步 then 虽然后 " * (n // 14),
    "almost words": lambda n: "the " * (n // 4),
    "conditions": lambda n: "if then " * (n // 8),
    "a number in a word": lambda n: "第" + "1" * n,
    "numbers in words": lambda n: "第1.1" * (n // 4),
    "spaces in a word": lambda n: "after" + " " * n + "that",
    "odd spaces": lambda n: "step \u3000\u00a0\u2003" * (n // 8),
    "wide letters": lambda n: "ｆｉｒｓｔ　" * (n // 6),
    "characters without width": lambda n: "可\u200b能" * (n // 3),
    "time stamps": lambda n: "2026-11-22 10:00:00 " * (n // 20),
    "almost time stamps": lambda n: "2026-11-22 10:" * (n // 14),
    "almost UUIDs": lambda n: "550e8400-e29b-41d4-a716-" * (n // 24),
    "random letters": lambda n: "aB3" * (n // 3),
    "random letters in parts": lambda n: "aB3-" * (n // 4),
    "almost URLs": lambda n: "a:/" * (n // 3),
    "URLs": lambda n: "http://a " * (n // 9),
    "a long URL": lambda n: "http://" + "a/" * (n // 2),
    "state paths": lambda n: ".thinkon/ " * (n // 10),
    "state paths in one": lambda n: ".thinkon/" * (n // 9),
    "a path without an end": lambda n: "a/" * (n // 2) + ".thinkon",
    "backticks": lambda n: "`" * n,
}

# Tags of reasoning, where they count and where they do not.
_TAGS: dict[str, Callable[[int], str]] = {
    "less-than signs": lambda n: "<" * n,
    "opening tags": lambda n: "<think>" * (n // 7),
    "opening tags in lines": lambda n: "<think>\n" * (n // 8),
    "closing tags": lambda n: "</think>" * (n // 8),
    "closing tags in lines": lambda n: "</think>\n" * (n // 9),
    "closing tags in prose": lambda n: "so</think>" * (n // 10),
    "closing tags behind steps": lambda n: _each("{0}. [act] a\n</think>\n", n),
    "blocks": lambda n: "<think></think>" * (n // 15),
    "blocks in lines": lambda n: "<think>\na\n</think>\n" * (n // 20),
    "blocks in prose": lambda n: "a\n<think>b</think>\n\n" * (n // 21),
    "blocks below a step": lambda n: _STEP + "a\n" + "<think>b</think>\n> c\n" * (n // 21),
    "a block in front": lambda n: (
        "<think>\n" + "1. [act] a\n" * (n // 22) + f"</think>\n{_each('{0}. [act] a', n // 2)}"
    ),
    "tags without an end": lambda n: "<think " * (n // 7),
    "a tag without an end": lambda n: "<think " + "a" * n,
    "tags in a step": lambda n: _STEP + "<think> " * (n // 8),
    "tags in steps": lambda n: _each("{0}. [act] <think>\n", n),
    "tags in detail": lambda n: _STEP + "a\n" + "> </think>\n" * (n // 11),
    "tags in detail of nothing": lambda n: "so\n" + "> </think>\n" * (n // 11),
    "tags in a refused line": lambda n: "Goal: a" + " <think>" * (n // 8) + "\x00",
    "mentioned tags": lambda n: "`<think>` " * (n // 10),
    "tags in commands": lambda n: "PLAN_CMD: DONE 1 | <think>\n" * (n // 27),
}

_LONG = "and that is what it says, whatever else may be told of it all"
_PLAN = "Goal: a\n## Steps\n1. [act] b\n2. [act] c\n"
# What is said around a plan and between its lines.
_AROUND: dict[str, Callable[[int], str]] = {
    "parentheses in a heading above a plan": lambda n: "### Plan " + "()" * (n // 2) + f"a\n\n{_PLAN}",
    "stars behind a legend's label": lambda n: "legend" + "*" * n + f"a\n\n{_PLAN}",
    "a box and a long blank": lambda n: "# a\n\n[ ] b\n[x]" + "\t " * (n // 2) + "→ a\n",
    "reports on many steps": lambda n: (
        _each(f"{{0}}. [act] {_LONG}\n", n // 2, "") + "\n" + f"The last 9 are pending, {_LONG}.\n" * (n // 180)
    ),
    "check boxes below headings": lambda n: _each(f"## {{0}} {_LONG}\n- [ ] Do it\n", n, ""),
    "headings below headings": lambda n: _each(f"## A {{0}}\n### B {{0}}\n- [ ] Do it, {_LONG}\n", n, ""),
    "numbers that go on over headings": lambda n: _each(f"**{_LONG}**\n{{0}}. Do it now\n", n, ""),
    "headings that are steps": lambda n: _each(f"## {{0}}. Do it now\n\n{_LONG}\n\n", n, ""),
    "lines that lead to boxes": lambda n: f"Here is the plan:\n- [ ] {_LONG}\n" * (n // 86) + "## End\n",
    "a long line that leads to steps": lambda n: f"{'a ' * (n // 2)}here is the plan:\n\n1. a\n",
    "types before ids": lambda n: "Goal: a\n## Steps\n" + _each(f"[act] {{0}}. {_LONG}\n", n, ""),
    "code blocks below steps": lambda n: (
        "Here is the plan:\n\n" + _each(f"{{0}}. {_LONG}\n   ```\n   a\n   ```\n", n, "")
    ),
    "branches of a decision": lambda n: "Goal: a\n## Steps\n1. [decide] a\n" + f"   yes → {_LONG}\n" * (n // 72),
    "references to steps": lambda n: "# A\n## B\n1. Do it\n## C\n2. Do it\n" + f"   {_LONG}, see step 1.\n" * (n // 80),
    "a legend of many entries": lambda n: "done\n" + "✅ a " * (n // 4) + "|x\n\n1. [act] a\n",
    "a legend with a long blank": lambda n: f"Legend: ✅ =a{' ' * n}b ✅ c\n\n1. [act] a\n",
    "a sign and a long blank": lambda n: f"1) [act] a\n\n!=done{' ' * n}x.\n",
    "boxes without bullets": lambda n: "# a\n\n" + f"[x] {_LONG}\n" * (n // 65),
    "boxes near nothing": lambda n: "# a\n\n" + (f"[x] {_LONG}\n" + f"{_LONG}\n" * 7) * (n // 492),
    "rulers between blank lines": lambda n: "**a**\n" + f"\n{'-' * 60}\n" * (n // 62) + "Goal: a\n\n1. a\n",
    "changes of steps": lambda n: "1) [act] a\n\nWhat changed:\n" + f"- Step 1 is new, {_LONG}\n" * (n // 78),
    "headings of level 1": lambda n: "# a\n" + f"# Goal: {_LONG}\n" * (n // 69) + "1. [act] a\n",
    "bold text behind numbers": lambda n: "Goal: a\n\n" + f"1、**a**{_LONG}\n" * (n // 68),
    "brackets in a heading": lambda n: "Goal: a\n\n## " + "(" * n + "x\n1. b\n",
    "colons in a heading": lambda n: "Goal: a\n\n## " + ":" * n + "x\n1. b\n",
    "dashes in a heading": lambda n: "Goal: a\n\n## a" + "-" * n + "x\n1. b\n",
    "digits in a heading": lambda n: "Goal: a\n\n## a" + "1" * n + "x\n1. b\n",
    "headings among steps": lambda n: "Goal: a\n## Steps\n" + "### b\n" * (n // 6) + "1. [act] c\n",
    "comments without an end": lambda n: _PLAN + "\n" + "<!-- " * (n // 5),
    "comments without an end in lines": lambda n: _PLAN + "\n" + "<!--\n" * (n // 5),
    "comments": lambda n: _PLAN + "\n" + "<!-- a -->\n- b\n" * (n // 15),
    "rows of a table behind": lambda n: _PLAN + "\n| Step | a |\n" + "| 1 | b |\n" * (n // 10),
    "a tool of many signs": lambda n: "# T\nGoal: a\n## Tools\n- " + "其实" * (n // 2) + "\n\n## Steps\n1. b\n",
    "drafts with headings": lambda n: (
        "```\n# T\nGoal: a\n\n### B\n\n1. c\n```\n" * (n // 36) + "# U\n\nGoal: a\n\n1. c\n"
    ),
    "drafts and lists": lambda n: "```\n# T\n\n1. c\n```\nHere's how I go:\n1. d\n" * (n // 43) + _PLAN,
    "leads to a list": lambda n: "here is the plan, " * (n // 18) + ":\n1. a\n",
}

_JSON: dict[str, Callable[[int], str]] = {
    "JSON numbers": lambda n: '{"a": [' + "0," * (n // 2) + "0]}",
    "JSON members": lambda n: _each('"key {0}": "value\\n",\n', n, "{") + '"k": 1}',
    "JSON in the deep": lambda n: '{"a":[' * (n // 6),
    "JSON brackets": lambda n: "[" * n,
    "JSON brackets of both kinds": lambda n: '{"a":' + "[" * 60 + "}" * n,
    "JSON quotes": lambda n: "{" + '"' * n,
    "JSON backslashes": lambda n: '{"' + "\\" * n,
    "JSON escapes without an end": lambda n: '{"a\n' + '\\" ' * (n // 3),
    "JSON strings cut by fences": lambda n: '{a: "x\n' + '```\n{a: \\"x\n' * (n // 14),
    "JSON surrogates": lambda n: '{"a": "' + "\\ud800" * (n // 6) + '"}',
    "JSON line breaks in a string": lambda n: '{"a": "' + "\n" * n + '"}',
    "JSON quotes in a string": lambda n: '{"a": "' + 'x"y' * (n // 3) + '"}',
    "JSON apostrophes": lambda n: "{" + "'a " * (n // 3),
    "JSON unclosed strings": lambda n: "{" + '"a\n' * (n // 3),
    "JSON commas": lambda n: '{"a": [' + "," * n + "]}",
    "JSON trailing commas": lambda n: '{"a": [' + "[1,]," * (n // 5) + "]}",
    "JSON keys again": lambda n: "{" + '"a": 1,' * (n // 7) + "}",
    "JSON keys without values": lambda n: '{"a" ' * (n // 5),
    "JSON words": lambda n: '{"a": [' + "NaN," * (n // 4) + "]}",
    "JSON wide signs": lambda n: "｛" + "，" * n,
    "JSON comments": lambda n: "{" + "//\n" * (n // 3),
    "JSON open comments": lambda n: "{" + "/*" * (n // 2),
    "JSON objects": lambda n: '{"a": 1,}\n' * (n // 10),
    "JSON in fences": lambda n: '```{"a": 1\n' * (n // 11),
    "JSON braces in prose": lambda n: "{x " * (n // 3),
    "JSON braces with keys": lambda n: "{a:" * (n // 3),
    "JSON tags in a string": lambda n: '{"a": "' + "<think>" * (n // 7) + '"}',
    "JSON tags in strings": lambda n: '{"a": [' + '"</think>",' * (n // 11) + "1]}",
    "JSON tags in a broken object": lambda n: '{"a": 1 "a": 2, "b": ' + '"x <think> y" ' * (n // 14),
    "JSON objects in blocks": lambda n: '<think>{"a": 1}</think>' * (n // 23),
    "JSON objects between closing tags": lambda n: '{"a": 1}</think>' * (n // 16),
    "JSON digits": lambda n: '{"a": ' + "1" * n + "}",
    "JSON fraction": lambda n: '{"a": 0.' + "1" * n + "}",
}

# Name → the text of about so many characters: for what reads plans, for what reads JSON, and for what looks at texts.
PLAN_SHAPES = {**_LINES, **_TAGS, **_AROUND, **_MANY_LINES, **_FAULTS, **_LONG_ONCE, **_COMMANDS}
JSON_SHAPES = {**_LINES, **_TAGS, **_JSON}
TEXT_SHAPES = {**_LINES, **_MESSAGES}
