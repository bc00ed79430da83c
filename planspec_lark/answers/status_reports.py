"""Reports of status in the prose around a plan, such as "steps 1 and 2 are done".

A report that agrees with the marks of the plan adds nothing to it. One that does not agree needs review.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import frozen

from planspec_lark.answers.vocabulary import COUNTS
from planspec_lark.planspec.near_misses import has_any
from planspec_lark.planspec.step_repair import STATUS_FORMS

__all__ = ["Tally", "contradicts", "denies_marks", "drop_reports", "names_other_steps"]

_STATUS_WORDS = {
    "done": f"{STATUS_FORMS['done']}|做完",
    "active": f"{STATUS_FORMS['active']}|being worked on",
    "blocked": f"{STATUS_FORMS['blocked']}|waiting",
    "skipped": STATUS_FORMS["skipped"],
    "pending": f"{STATUS_FORMS['pending']}|to (?:do|come)|待办|[未没]开始",
}
_STATUS = "|".join(f"(?P<{name}>{words})" for name, words in _STATUS_WORDS.items())
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ID = r"[0-9]+(?:\.[0-9]+)*"
_COUNT = r"[0-9]+|" + "|".join(COUNTS)
# How a report goes on: when it was so, and why a step is blocked.
_ADVERB = r"(?:(?:now|already|currently|still|all|both|fully) )*"
_TAIL = (
    r"(?:,? (?:so far|now|right now|at the moment|for now|already))?"
    r"(?(blocked)(?: (?:until|because|by|for|since|on) [^,.;:]*)?)"
)
_IS = " (?:is|are|was|were|has been|have been)"
_REPORT = re.compile(
    # At the start of a clause: behind `when` it is a condition.
    r"(?:\A\W*|(?<=[,;:] )|(?<= and ))(?:(?:and|so far|currently|now|at the moment),? )*"
    rf"(?:(?:the )?steps? (?P<ids>{_ID}(?:(?:,| and|, and) {_ID})*)"
    rf"|(?:the )?(?:first (?P<first>{_COUNT})|last (?P<last>{_COUNT}))(?: steps)?"
    rf"|(?P<every>(?:both|all)(?: of)?(?: the| these)?(?: (?:{_COUNT}))? (?:steps|tasks|items)"
    r"|every (?:step|task|item)|everything)"
    rf"|(?P<half>half)(?: of)?(?: the| it| them)?(?: steps?| tasks?| items?)?"
    rf"|the (?P<ordinal>{'|'.join(_ORDINALS)})(?: (?:step|task|item|one))?"
    rf"|(?P<count>{_COUNT})(?: (?:out )?of(?: the)?(?: (?P<all>{_COUNT}))?)?(?: steps?| tasks?| items?)?"
    r"|(?P<rest>everything else|all (?:the )?other steps|the (?:rest|others|(?:remaining|other) (?:ones|steps))))"
    rf"(?(ids)(?:{_IS})?|{_IS}) {_ADVERB}(?:{_STATUS})\b{_TAIL}"
)
_NUMERAL = "[0-9一二两三四五六七八九十]+"
_REPORT_CHINESE = re.compile(
    r"(?:\A\W*|(?<=[，；：、]))(?:目前|当前|现在|其中)?"
    rf"(?:(?:步骤|第) ?[（(]?(?P<ids>{_ID}(?:[、和及] ?{_ID})*)[）)]? ?[步项]?"
    rf"|(?:前(?P<first>{_NUMERAL})|最后(?P<last>{_NUMERAL}))(?:步|项|个步骤)|第(?P<one>[一二三四五六七八九十])[步项]"
    rf"|(?:(?P<all>{_NUMERAL})[个项步](?:步骤|任务|工作)?[中里]，?)?(?P<count>{_NUMERAL})[个项步](?:步骤|任务|工作)?)"
    rf"(?:[因由][^。]{{1,40}}?，(?:故|所以|因此))?(?:都|均|已经?|正在|仍然?|处于|[尚还]|目前)*(?:{_STATUS})(?:中|状态|了)?(?=[，。；;、,.！!：:]|\Z)"
)

# What is said of steps by their numbers or their words: the mark that one got, or its number.
_START = r"(?:\A\W*|(?<=[,;:] )|(?<= and ))(?:(?:and|so|then|now) )*"
_WHAT = r"(?:the )?(?P<what>(?:[^,.;:，。；：]|\.(?=[0-9])){1,80}?)"
_MARKED = re.compile(
    rf"\b(?:marked|set|moved|changed|updated|switched|put) {_WHAT}(?: from [\w ]{{1,20}}?)? (?:as|to|on) [\[\"'`]*"
    rf"(?P<not>not (?:yet )?)?(?:{_STATUS})\b{_TAIL}"
)
_IS_NOW = re.compile(rf"{_START}{_WHAT} (?:is|are) now (?P<not>not (?:yet )?)?(?:{_STATUS})\b{_TAIL}")
_MARKED_CHINESE = re.compile(
    r"(?:\A\W*|(?<=[，；：、。])|[将把])(?P<what>[^，。；：、将把]{1,20}?)(?:这?一步|步骤|任务)?已?(?:经)?"
    rf"(?:改为|改成|标记?为|标记成|设为|更新为|变为|调整为)[“\"「]?(?P<not>未)?(?:{_STATUS})[”\"」]?(?:(?<=[阻])，(?:等待?|因为?|由于)[^，。；]*)?"
)
_NUMBERED = re.compile(rf"{_START}{_WHAT} (?:is|are|becomes?|became) (?:now )?(?:the new )?step (?P<at>{_ID})\b")
_NEW = re.compile(rf"\bsteps? (?P<at>{_ID}) (?:is|are|was|were) (?:new|added)\b|新增了?(?:第 ?|步骤 ?)(?P<added>{_ID})")
# That steps are to be done, as they are in the plan.
_KEPT = re.compile(
    r"\b(?:(?:so|and),? )?(?:please )?(?:do not|don't|never) (?:skip|skimp on|neglect) (?:steps? )?"
    rf"(?P<ids>{_ID}(?:(?:,| and|, and| or) {_ID})*)(?=\W*\Z)"
)
_NAMES_STEP = re.compile(r"steps? [0-9]|新增")
_LIST = rf"{_ID}(?:(?:,| and|, and|[、和及]| ?[-–—]) ?{_ID})*"
_IDS = re.compile(rf"(?:steps? |第 ?|步骤 ?)?(?P<ids>{_LIST})(?: ?[步项])?")
_ALL = re.compile(
    r"(?:all|both|every|everything)(?: of)?(?: the| these)?(?: (?:steps?|tasks?|items?))?"
    r"|(?:全部|所有)(?:的?(?:步骤?|任务))?"
)
# Steps that are named by their numbers, alone or as a list or a range.
_NAMED_STEPS = re.compile(
    rf"\bsteps {_ID}(?:(?:,|,? (?:and|or|to|through)| ?[-–—]) ?{_ID})*|(?:\bstep |步骤 ?){_ID}|第 ?{_LIST} ?步"
)
# Where a step stands: before or after another one, or at an end.
_PLACED = re.compile(
    rf"{_START}{_WHAT} (?:comes?|goes|stands?|happens?|starts?) (?:(?:right |directly |well )?"
    r"(?P<wait>(?:an?|one|two|three|[0-9]+) \w+ )?(?P<side>before|after) "
    r"(?P<other>(?:[^,.;:]|\.(?=[0-9])){1,80}?)|(?P<end>first|last))"
    r"(?=[,.;:!]| (?:because|since|so|as|on purpose|to)\b|\W*\Z)"
)
_PLACED_CHINESE = re.compile(
    r"(?:\A\W*|(?<=[，；。：])|[把将])(?P<what>[^，。；：把将]{1,20}?)(?:特意|刻意|有意)?(?:放|排|安排)在了?"
    rf"(?:(?P<last>最后)|(?P<first>最前面?|首位)|第 ?(?P<at>{_NUMERAL}) ?[步位])(?:一步)?(?=[，。；！]|\Z)"
)
# Characters in front of a claim that may say in which case it holds.
_CLAUSE = 80
# How many steps may be named by the same words, and how many a range has at most.
_FEW, _MANY = 20, 1_000
# What is listed behind a status.
_LISTED = re.compile(rf"\A\W*(?P<not>not )?(?:{_STATUS})[*_ ]*[:：][*_ ]*(?P<what>(?:steps? )?{_LIST})\W*\Z")
# Each with words of which one is in it.
_TOLD = (
    ((" as ", " to ", " on "), _MARKED),
    ((" now ",), _IS_NOW),
    (("改", "标", "设", "更新", "变", "调整"), _MARKED_CHINESE),
    ((":", "："), _LISTED),
)
# What names a step beside its own words.
_BESIDE_WORDS = """
    the new old now one plan plans list step steps task tasks item status part both only also already so far currently
    has have been
"""
# An ending that one form of a word has, and another one not.
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:ings?|e[ds]?|s)\Z")

# What is said of steps by their words, with or without others by their numbers.
_OUTCOMES = "|".join(f"(?P<{name}>{_STATUS_WORDS[name]})" for name in ("done", "skipped"))
_OUTCOME = rf"(?:{_OUTCOMES}|(?P<active>in progress|under ?way)|(?P<blocked>blocked|on hold))"
_CLAIMED = (
    re.compile(
        rf"{_START}{_WHAT}(?:{_IS}|'s|'re|[:：])? [*_]*{_ADVERB}(?P<not>not (?:yet )?)?"
        rf"{_OUTCOME}[*_]*(?=[,.;:!]|\W*\Z| and | but |{_TAIL}(?:[,.;:!]|\W*\Z))"
    ),
    re.compile(
        rf"(?:\A\W*|(?<=[,;:] )|(?<= and ))(?:so )?(?:i|we|you)(?:'ve| have)? {_ADVERB}(?:just )?"
        r"(?:(?P<done>finished|completed|done)|(?P<skipped>skipped)) "
        r"(?P<what>(?:[^,.;:]|\.(?=[0-9])){1,80}?)(?=[,.;:!]|\W*\Z)"
    ),
    re.compile(rf"{_START}(?P<what>[^,.;:]{{1,60}}? (?P<done>ha(?:s|ve)) (?:already )?been (?:already )?\w+ed)\b"),
    re.compile(
        r"(?:\A\W*|(?<=[,;:] )|(?<= and ))(?:i|we|you)(?P<done>'ve| have) (?:already )?"
        r"(?P<what>\w+ed [^,.;:]{1,60}?)(?=[,.;:!]|\W*\Z)"
    ),
    re.compile(
        r"(?:\A\W*|(?<=[，；：、。])|(?<=目前|当前|现在))(?P<what>[^，。；：、]{1,20}?)(?:这?一步|步骤|任务)?"
        r"(?:都|均|已经?|全部)+(?P<not>未)?(?:(?P<done>完成|做完|拿到|[办买订做]好)|(?P<skipped>跳过)|(?P<blocked>受阻|阻塞))了?(?=[，。；！]|\Z)"
    ),
)
_CLAIMS = (
    "have",
    "has been",
    "'ve",
    "done",
    "complete",
    "finish",
    "skip",
    "progress",
    "under",
    "blocked",
    "hold",
    "完",
    "拿到",
    "好",
    "跳过",
    "阻",
)
# What lists them, and what is said for a case.
_AND = re.compile(r"(?:,|\b(?:and|as well as)\b|[和与及、])+")
_FOR_CASE = re.compile(
    r"\b(?:if|when|once|until|unless|before|after|as soon as|whether|while|because|since|how|which|who|that)\b|[若如等]"
)
# Of all, some are left out.
_ALL_BUT = re.compile(r"(?:all|every\w*|everyone)\b.* (?:but|except)\b")

# One of these is in every report. To look for them takes far less than the expressions above.
_SUBJECTS = (
    " comes ",
    "在",
    " now ",
    " skip ",
    ":",
    "：",
    "marked ",
    "为",
    "成",
    "step",
    "task",
    "item",
    "first ",
    "last ",
    "everything",
    "half",
    "both",
    "the second",
    "the rest",
    "the others",
    "第",
    "步",
    "项",
    "个",
)


@frozen(slots=False)
class Tally:
    """The statuses of a plan's steps, counted once for all that is said of them.

    Attributes:
        statuses: the status of each step, by id.
        descriptions: those of the steps, in the same order.
    """

    statuses: Mapping[str, str]
    descriptions: Sequence[str] = ()

    @cached_property
    def top(self) -> list[str]:
        """The statuses of the steps at the top, in order."""
        return [status for step_id, status in self.statuses.items() if "." not in step_id]

    @cached_property
    def counts(self) -> tuple[Counter[str], ...]:
        """How many steps have each status: at the top, in all, and of those that have none below them."""
        parents = {step_id.rpartition(".")[0] for step_id in self.statuses}
        leaves = (status for step_id, status in self.statuses.items() if step_id not in parents)
        return Counter(self.top), Counter(self.statuses.values()), Counter(leaves)

    @cached_property
    def first(self) -> int:
        """How many steps at the beginning have the status of the first one."""
        return _run(self.top)

    @cached_property
    def last(self) -> int:
        """How many steps at the end have the status of the last one."""
        return _run(self.top[::-1])

    @cached_property
    def _by_piece(self) -> Mapping[str, set[str]]:
        """The ids of the steps with each word in their descriptions, and with each two signs of Chinese."""
        found: dict[str, set[str]] = {}
        for step_id, said in zip(self.statuses, self.descriptions, strict=False):
            for piece in _pieces(said.lower()):
                found.setdefault(piece, set()).add(step_id)
        return found

    def agrees(self, what: str, status: str) -> bool | None:
        """Whether the steps with these numbers or words, or all, have a status; None where none is named."""
        if match := _IDS.fullmatch(what.strip()):
            return all(self.statuses.get(step_id) == status for step_id in _listed(match["ids"]))
        if _ALL.fullmatch(what.strip()):
            return all(one == status for one in self.top)
        named = self.find(what)
        return all(self.statuses[step_id] == status for step_id in named) if named else None

    def locate(self, what: str) -> int | None:
        """The place in the plan of the one step that is named by its number or its words; None where none is."""
        match = _IDS.fullmatch(what.strip())
        named = {*_listed(match["ids"])} if match else self.find(what)
        return self._order.get(named.pop()) if len(named) == 1 else None

    @cached_property
    def last_place(self) -> int:
        """The place of the last step at the top."""
        return max((at for step_id, at in self._order.items() if "." not in step_id), default=0)

    @cached_property
    def _order(self) -> Mapping[str, int]:
        """The places of the steps, by their ids."""
        return {step_id: at for at, step_id in enumerate(self.statuses)}

    def find(self, what: str) -> set[str]:
        """The ids of the steps that have these words in their descriptions; empty where many have them."""
        pieces = [self._by_piece.get(piece, set()) for piece in _pieces(what) if piece not in _BESIDE]
        few = min(pieces, key=len, default=set())
        return few.intersection(*pieces) if len(few) <= _FEW else set()


def _pieces(text: str) -> Iterator[str]:
    """The words of a text without their endings; of a run of Chinese, what is beside each other in it."""
    for word in re.findall(r"[\u3400-\u9fff]+|[^\W\d_\u3400-\u9fff]{2,}", text):
        if word[0] < "\u3400":
            yield _stem(word)
        else:
            yield from (map(str.__add__, word, word[1:]) if len(word) > 1 else (word,))


def _stem(word: str) -> str:
    """A word without its ending: `planning` and `plans` are `plan`."""
    bare = _ENDING.sub("", word)
    return bare[:-1] if bare[-1:] == bare[-2:-1] else bare


_BESIDE = frozenset(map(_stem, _BESIDE_WORDS.split()))


def _listed(ids: str) -> Iterator[str]:
    """The ids of a list; `1-3` are three."""
    for first, last in re.findall(rf"({_ID})(?: ?[-–—] ?({_ID}))?", ids):
        yield first
        if last:
            yield last
        if last.isdecimal() and first.isdecimal():
            yield from map(str, range(int(first) + 1, min(int(last), int(first) + _MANY)))


def _run(statuses: Sequence[str]) -> int:
    return next((at for at, status in enumerate(statuses) if status != statuses[0]), len(statuses))


def drop_reports(said: str, tally: Tally) -> str | None:
    """A sentence in lower case without the reports that agree with the plan; None if one does not agree."""
    if _is_claim_wrong(said, tally):
        return None
    if not has_any(said, _SUBJECTS):
        return said
    rest = _drop_marked(said, tally)
    if rest is None:
        return None
    for pattern, agrees in ((_REPORT, _agrees), (_REPORT_CHINESE, _agrees_in_chinese)):
        if not all(agrees(match, tally) for match in pattern.finditer(rest)):
            return None
        rest = pattern.sub("", rest)
    return said if rest == said else rest.strip(" ,;:，、：.。!！")


def names_other_steps(said: str, tally: Tally) -> bool:
    """Whether a sentence in lower case names a step by a number that no step of the plan has."""
    if "step" not in said and "步" not in said:
        return False
    named = (step_id for match in _NAMED_STEPS.finditer(said) for step_id in re.findall(_ID, match[0]))
    return not tally.statuses.keys() >= set(named)


def _is_claim_wrong(said: str, tally: Tally) -> bool:
    """Whether a sentence says of steps that are named by their words that they have another status than they do."""
    if not has_any(said, _CLAIMS):
        return False
    for pattern in _CLAIMED:
        for match in pattern.finditer(said):
            if _FOR_CASE.search(said, max(match.start() - _CLAUSE, 0), match.end("what")):
                continue
            what, status, is_denied = match["what"], _named(match), bool(match.groupdict().get("not"))
            named = [tally.agrees(one, status) for one in _AND.split(what) if one.strip()]
            if any(one is not None and one == is_denied for one in named) or _ALL_BUT.match(what):
                return True
    return False


def _drop_marked(said: str, tally: Tally) -> str | None:
    """A sentence without what it tells of the marks and the numbers of steps; None if that is not so."""
    for words, pattern in _TOLD:
        for match in pattern.finditer(said) if has_any(said, words) else ():
            agrees = tally.agrees(match["what"], _named(match))
            if agrees is None:
                continue
            if agrees == bool(match["not"]):
                return None
            said = said.replace(match[0], "", 1)
    for match in _KEPT.finditer(said) if " ski" in said or " neglect" in said else ():
        if all(tally.statuses.get(step_id) not in (None, "skipped") for step_id in re.findall(_ID, match["ids"])):
            said = said.replace(match[0], "", 1)
    rest = _drop_places(said, tally)
    return rest if rest is None or _NAMES_STEP.search(rest) is None else _drop_numbered(rest, tally)


def _drop_numbered(said: str, tally: Tally) -> str | None:
    """A sentence without what it tells of the numbers of steps; None if a step does not have the number."""
    if any((match["at"] or match["added"]) not in tally.statuses for match in _NEW.finditer(said)):
        return None
    for match in _NUMBERED.finditer(said):
        if steps := tally.find(match["what"]):
            if match["at"] not in steps:
                return None
            said = said.replace(match[0], "", 1)
    return said


def _drop_places(said: str, tally: Tally) -> str | None:
    """A sentence without what it tells of where steps stand; None if they stand elsewhere."""
    is_told = has_any(said, (" before", " after", " first", " last"))
    for match in _PLACED.finditer(said) if is_told else ():
        place, other = tally.locate(match["what"]), tally.locate(match["other"] or "")
        if match["end"]:
            other = 0 if match["end"] == "first" else tally.last_place
        if place is None or other is None or _FOR_CASE.search(match["what"]):
            continue
        is_so = place == other if match["end"] else (place < other) == (match["side"] == "before")
        if not is_so or match["wait"]:
            return None
        said = said.replace(match[0], "", 1)
    for match in _PLACED_CHINESE.finditer(said) if "在" in said else ():
        place, number = tally.locate(match["what"]), str(_number(match["at"] or "一"))
        other = tally.last_place if match["last"] else tally.locate(number)
        if place is not None and place != other:
            return None
        said = said.replace(match[0], "", 1) if place is not None else said
    return said


# What is said of one step, up to the end of its line.
_CLAIM = re.compile(rf"(?i)(?:\bsteps? |第 ?|步骤 ?)(?P<id>{_ID})(?P<said>[^\n;；]*)")


# A state or a progress of the whole plan.
_OF_ALL = re.compile(
    r"(?im)^[ \t*_]*(?:overall |current |总体|当前|整体)?(?P<what>progress|status|state|进度|状态)[*_ ]*[:：][*_ ]*"
    r"(?:(?P<done>[0-9]+) ?(?:/|(?:out )?of) ?(?P<all>[0-9]+)|(?P<said>[^\n]+))"
)


def denies_marks(text: str, tally: Tally) -> bool:
    """Whether a line of its own tells another state or progress of the whole plan than its marks do."""
    for match in _OF_ALL.finditer(text):
        if match["said"] is None:
            told = int(match["done"]), int(match["all"])
            if all((count["done"], count.total()) != told for count in tally.counts):
                return True
        elif (found := re.search(_STATUS, match["said"].lower())) is not None and _named(found) not in tally.top:
            return True
    return False


def contradicts(changes: str, tally: Tally) -> bool:
    """Whether a list of changes names a step that the plan does not have, or a status that the step does not have."""
    if any(drop_reports(row.lower().strip(" -*•"), tally) is None for row in changes.split("\n")):
        return True
    for claim in _CLAIM.finditer(changes):
        found = re.search(_STATUS, claim["said"].lower())
        if claim["id"] not in tally.statuses or (found and _named(found) != tally.statuses[claim["id"]]):
            return True
    return False


def _named(match: re.Match[str]) -> str:
    return next(name for name, words in match.groupdict().items() if words and name in _STATUS_WORDS)


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else COUNTS.get(word, 0)


def _agrees(match: re.Match[str], tally: Tally) -> bool:
    if match["rest"]:
        return _named(match) == "pending"
    if match["every"]:
        return all(status == _named(match) for status in tally.top)
    if match["half"]:
        return any(2 * count[_named(match)] == count.total() for count in tally.counts)
    if match["ordinal"]:
        at = _ORDINALS.index(match["ordinal"])
        return at < len(tally.top) and tally.top[at] == _named(match)
    # What is open may be what is to be done as well.
    return match["pending"] != "open" and _is_true(match, tally)


def _agrees_in_chinese(match: re.Match[str], tally: Tally) -> bool:
    if match["one"]:
        return tally.statuses.get(str(_number(match["one"]))) == _named(match)
    return _is_true(match, tally)


def _is_true(match: re.Match[str], tally: Tally) -> bool:
    """Whether the steps have the status that are named, are the first or the last, or are counted."""
    status = _named(match)
    if match["ids"]:
        return all(tally.statuses.get(step_id) == status for step_id in re.findall(_ID, match["ids"]))
    number = _number(match["first"] or match["last"] or match["count"])
    if number not in range(1, len(tally.statuses) + 1):
        # More than there are, or a word for a number that is not known.
        return False
    if match["first"]:
        return number <= tally.first and tally.top[0] == status
    if match["last"]:
        return number <= tally.last and tally.top[-1] == status
    counted = [count for count in tally.counts if count[status] == number]
    return any(match["all"] is None or count.total() == _number(match["all"]) for count in counted)
