"""What is doubtful about headings that were taken for steps, or for what holds steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from attrs import define, field

from planspec_lark.planspec.answer_lines import read_bullet
from planspec_lark.planspec.heading_words import english_of, heads_asides, heads_no_steps, names_part_of_text, words_of
from planspec_lark.planspec.models import AT_WORK, SETTLED, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.near_misses import compiled
from planspec_lark.planspec.outline import has_box, is_order
from planspec_lark.planspec.positions import Positions
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.source import Span

__all__ = ["Phases"]

# A heading of what is not done, or is told of the steps.
_NOT_DONE = words_of(
    *("risks", "mistakes", "merits", "facts", "examples", "lists", "ingredients", "criteria"),
    english=r"not to|don['’]?ts?|do not|avoid\w*|not included|not needed|someday|maybe|done when|unclear|won['’]t"
    r"|warning signs?|troubleshooting|results?|glossary|questions",
    chinese="不要|避免|不做|标准|问题",
)
# How a line with the number of a phase begins.
_PHASE = rf"[\W_]*(?:(?i:{english_of('phases')})\W{{0,2}}[0-9]|第.{{1,3}}阶段|阶段\W?[0-9一二三四五六七八九十])"
# What joins two numbers.
_JOINTS = (*"+&/,，~–—-",)
# The number of a phase that is a part of one, or of more than one; and what is told of a phase in place of its name.
_GARBLED = (
    rf"[\W_]*(?:(?i:{english_of('steps', 'phases')})|步骤|阶段)\W{{0,2}}[0-9]+"
    r"(?:[A-Za-z]\b| ?[+&/,，~–—-] ?[0-9]| (?:and|to|or|und|bis) [0-9]| [a-z]"
    rf"| (?i:{english_of('labels', 'notes', 'summaries')})\W*\Z)"
    rf"|[\W_]*(?:第.{{1,3}}阶段|阶段.) ?{words_of('labels', 'doubtful_labels')}\W*\Z"
)
# A heading of one of several ways, if there are more of its kind.
_ONE_WAY = (
    r"(?i)\A\W*(?:by|using|with|on (?:an? |the |your )?(?:mac\w*|windows|linux|iphone|ipad|android|ios)"
    r"|for (?:an? )?\w+ers?)\b"
    r"|\b(?:way|version|fix|method|variant|edition|route)\W*\Z"
)
_OF_STEPS = words_of("steps", "phases", "times")
# What speaks of a step by its number.
_STEP_NUMBER = (
    r"(?i)\b(?:steps?|items?|points?|numbers?|no\.) ?#?(?:[0-9]+(?![\w.]?[0-9]|[ \t]*[:：])"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b)"
    r"|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) steps?\b"
    r"|\b(?:repeat|redo|see|back to|again from|return to) #?[0-9]+(?:[-–][0-9]+)?(?! ?(?:[a-z0-9]|%))|(?<!\w)#[0-9]+\b"
    r"|第 ?[0-9一二三四五六七八九十]+ ?步|步骤 ?[0-9一二三四五六七八九十]+"
)
# How a line begins that tells something of the steps beside it; one of which it is not certain, and one that has
# any label, as a step may have.
_FACT, _DOUBTFUL_FACT = (rf"\A\W*{words_of(kind)}\W{{0,4}}[:：]" for kind in ("labels", "doubtful_labels"))
_DOUBTFUL_LABEL = rf"\W*{words_of('doubtful_labels')}\W*"
_LABELLED = r"\A[^:：]{1,40}[:：]"
# What leads from the heading of a phase to its steps, and what says that it does not.
_LEADS_ON = words_of(
    "steps",
    english=r"to-? ?dos?|actions?|activities|do (?:this|these|the following)|how to|as follows|checklist"
    r"|work|follow(?:ing)?|in (?:short|brief|detail|order)",
    chinese="任务|操作|做法|如下|工作|具体",
)
_DENIES = r"(?i)\b(?:not|never|avoid|no|if|unless|later|already|against)\b|n['’]t\b|不|别|勿|如果|已"
# That nothing shows what headings are, and what to do.
_NO_SIGN, _HEAD = (
    "step {} is a heading as others are, and nothing shows that they are steps",
    "write `## Steps` above the steps",
)
# The number of a section inside another one than the first.
_INNER = r"(?![01]\.)[0-9]+\."
# The part of what is below headings that has to be orders.
_MANY = 0.4
# Characters of a line that show whether it is a bullet.
_SHORT = 60


@define(eq=False)
class Phases:
    """The steps whose lines are headings, by their ids.

    Attributes:
        headings: all of them.
        holders: those without a type, so that what is below them is their steps.
        unnumbered: those whose heading has no number.
        lists: those whose steps are bullets, as the outline of the text shows.
        stated: the steps that a line below them says the status of.
        counted: how many steps are right below holders.
        is_recounted: whether numbers that go on over headings were counted anew.
        closing: the last paragraph below a heading with a type that was taken for detail, and the id of that step.
    """

    headings: set[str] = field(factory=set)
    holders: set[str] = field(factory=set)
    unnumbered: set[str] = field(factory=set)
    lists: set[str] = field(factory=set)
    stated: set[str] = field(factory=set)
    counted: int = 0
    is_recounted: bool = False
    closing: tuple[str, Span] | None = None

    def note(self, step_id: str, *, is_holder: bool, is_numbered: bool = True, is_list: bool = False) -> None:
        """Note a heading that was taken for a step."""
        self.headings.add(step_id)
        for ids, is_one in ((self.holders, is_holder), (self.unnumbered, not is_numbered), (self.lists, is_list)):
            if is_one:
                ids.add(step_id)

    def count(self, step_id: str) -> None:
        """Count a step that is right below a holder, and no holder itself."""
        self.counted += step_id.rpartition(".")[0] in self.holders and step_id not in self.holders

    def find_doubts(
        self, steps: Mapping[str, PlanStep], positions: Positions, *, is_plain: bool
    ) -> Iterator[Diagnostic]:
        """What may be no step below headings, or no heading of steps, or another step than is told.

        Args:
            steps: those that were read, by id.
            positions: where they are.
            is_plain: whether the text has none of the words of a plan's parts.
        """
        # A line whose number is too long is none.
        self.holders &= steps.keys()
        if self.closing and self.closing[0] == [*steps][-1]:
            message = "this may be detail of the last step, or said behind the plan"
            yield _doubt(message, "write `> ` before detail", self.closing[1], positions, self.closing[0])
        doubts = (
            self._find_empty(steps, is_plain),
            self._find_inner(steps),
            self._find_bullets(steps, positions),
            self._find_contradictions(steps, positions),
            self._find_facts(steps, positions),
            self._find_garbled(steps, positions),
            self._find_parts(steps, positions),
        )
        for step_id, message, help in chain.from_iterable(doubts):
            yield _doubt(message, help, positions.steps[step_id].span, positions, step_id)
        for match in compiled(_STEP_NUMBER).finditer(positions.source.text if self.is_recounted else ""):
            message = f"`{match[0]}` may be another step now: steps are counted anew below each heading"
            help = "number all steps without headings, or name the step"
            yield _doubt(message, help, positions.source.span(*match.span()), positions)
        for step_id in self._find_idle(steps, positions):
            message, help = (
                f"step {step_id} is the heading of what may be no steps",
                "leave it out, or name what is done",
            )
            yield _doubt(message, help, positions.steps[step_id].span, positions, step_id)

    def _find_empty(self, steps: Mapping[str, PlanStep], is_plain: bool) -> Iterator[tuple[str, str, str]]:
        """Headings without steps below them, where others have some: theirs may be told in other words."""
        empty = sorted(one for one in self.holders if not steps[one].children)
        if len(empty) < len(self.holders):
            for step_id in empty:
                message = f"step {step_id} is a heading without steps below it: it may be none, or its steps are lost"
                yield step_id, message, "write its steps, or what it is without a heading"
        elif is_plain and len(empty) > 1:
            yield min(empty), _NO_SIGN.format(min(empty)), _HEAD
        if is_plain and len(self.holders) > 1 and not (empty or self.unnumbered or self._tells_of_steps(steps)):
            first = min(self.holders)
            yield first, _NO_SIGN.format(first), _HEAD

    def _find_inner(self, steps: Mapping[str, PlanStep]) -> Iterator[tuple[str, str, str]]:
        """That the first heading is that of a section inside another one."""
        first = next(iter(steps), "")
        if first in self.holders and compiled(_INNER).match(first) is not None:
            yield first, f"the first step is {first}: there may be others before it", "ask for the whole plan"

    def _tells_of_steps(self, steps: Mapping[str, PlanStep]) -> bool:
        """Whether a heading has a word for steps or phases, or what is below them may be orders."""
        holders = [steps[one] for one in self.holders]
        said = [child.description for one in holders for child in one.children]
        are_orders = bool(said) and sum(map(is_order, said)) >= _MANY * len(said)
        return are_orders or any(compiled(_OF_STEPS).search(one.description) for one in holders)

    def _find_bullets(self, steps: Mapping[str, PlanStep], positions: Positions) -> Iterator[tuple[str, str, str]]:
        """Headings with bullets below them, where others have numbers."""
        holders = [one for one in self.holders if steps[one].children]
        bulleted = sorted(one for one in holders if not _is_numbered(steps[one].children[0], positions))
        for step_id in bulleted if len(bulleted) < len(holders) else ():
            message = f"below step {step_id} are bullets, below other headings numbers: they may be no steps"
            yield step_id, message, "number them, or write what they are"

    def _find_contradictions(
        self, steps: Mapping[str, PlanStep], positions: Positions
    ) -> Iterator[tuple[str, str, str]]:
        """Phases, and steps with a status below their line, that have another status than the steps below them."""
        for step_id, step in steps.items():
            is_stated = step_id in self.stated
            if not step.children or (step.status is PlanStatus.PENDING and not is_stated):
                continue
            if not (is_stated or step_id in self.holders or _is_phase(step, positions)):
                continue
            below = {one.status for child in step.children for one in iter_steps(child)}
            if not _agrees(step.status, below):
                message = f"step {step_id} is {step.status.value}, and the steps below it are not"
                yield step_id, message, "mark the steps below it, or correct its status"

    def _find_facts(self, steps: Mapping[str, PlanStep], positions: Positions) -> Iterator[tuple[str, str, str]]:
        """Lines right below headings whose labels show that they tell something of the steps, and are none."""
        for holder in sorted(self.holders):
            for line in filter(_heads_others, steps[holder].detail if steps[holder].children else ()):
                yield holder, f"step {holder}: what is below `{line[:60]}` may be no steps", "write it as detail"
            children = [one for one in steps[holder].children if not _has_type(one, positions)]
            are_labelled = all(compiled(_LABELLED).match(one.description) for one in children)
            for child in children:
                text = child.description
                is_task = are_labelled or (text[-1:] not in ":：" and has_box(_row_of(child, positions)))
                if compiled(_FACT).match(text) or (not is_task and compiled(_DOUBTFUL_FACT).match(text)):
                    message = (
                        f"step {child.step_id}: `{text[:60]}` may tell something of the steps beside it, and be none"
                    )
                    yield child.step_id, message, "write `> ` before detail, below the step or the phase that it is of"

    def _find_garbled(self, steps: Mapping[str, PlanStep], positions: Positions) -> Iterator[tuple[str, str, str]]:
        """Phases whose number was taken for another one than it is, that are no headings, or none of steps."""
        has_phases = any(_is_phase(steps[one], positions) for one in self.headings & steps.keys())
        for step_id, step in steps.items():
            if has_phases and step_id not in self.headings and _is_phase(step, positions):
                yield step_id, f"step {step_id}: this may be a phase, as headings are", "write all of them as headings"
            may_be = step_id in self.headings or step.description.startswith(_JOINTS)
            if may_be and compiled(_GARBLED).match(_row_of(step, positions)):
                message = f"step {step_id}: this may be another phase or step, several of them, or none"
                yield step_id, message, "write a number and a colon before its name: `Phase 1: Name`"

    def _find_parts(self, steps: Mapping[str, PlanStep], positions: Positions) -> Iterator[tuple[str, str, str]]:
        """Headings with a number that have the name of a part of a plan, or of a text about it."""
        for step_id in sorted(self.headings & steps.keys()):
            step = steps[step_id]
            if names_part_of_text(step.description) and not (_is_phase(step, positions) or _has_type(step, positions)):
                message = f"step {step_id}: `{step.description[:60]}` may be a part of the text, and no step"
                yield step_id, message, "write `Goal: Text` and `## Steps` without numbers, or say what is done"

    def _find_idle(self, steps: Mapping[str, PlanStep], positions: Positions) -> Iterator[str]:
        """Headings of what is most likely no step, or of one of several ways."""
        phases = self.unnumbered & self.holders
        ways = {one for one in phases if compiled(_ONE_WAY).search(steps[one].description) is not None}
        idle = {one for one in phases if not any(is_order(child.description) for child in steps[one].children)}
        for one in sorted(self.holders):
            is_idle = one in idle and len(idle) < len(phases) and bool(steps[one].children)
            is_way = one in ways and len(ways) > 1
            if is_idle or is_way or self._heads_no_steps(steps[one], positions):
                yield one

    def _heads_no_steps(self, step: PlanStep, positions: Positions) -> bool:
        """Whether the heading that a step is says that none are below it. With a number, it may be a step by itself."""
        if step.step_id in self.unnumbered and _names_no_steps(step.description):
            return True
        return bool(step.children) and heads_no_steps(step.description) and not _is_phase(step, positions)


def _names_no_steps(heading: str) -> bool:
    """Whether a heading without a number is that of what is not done, or told of the steps."""
    return heads_asides(heading) or compiled(_NOT_DONE).search(heading) is not None


def _heads_others(line: str) -> bool:
    """Whether a line below the heading of a phase leads to something else than its steps, as its label shows."""
    if compiled(_LEADS_ON).search(line) and not compiled(_DENIES).search(line):
        return False
    is_label = line.rstrip("*_ ").endswith((":", "："))
    return is_label or heads_asides(line) or compiled(_DOUBTFUL_LABEL).fullmatch(line) is not None


def _agrees(status: PlanStatus, below: set[PlanStatus]) -> bool:
    """Whether a step may have a status, as the steps below it have these."""
    return not below <= SETTLED if status in AT_WORK else below <= {PlanStatus.SKIPPED, status}


def _doubt(message: str, help: str, span: Span, positions: Positions, step_id: str = "") -> Diagnostic:
    return Diagnostic("PS127", message, Severity.ERROR, span, help=help, step_id=step_id, source=positions.source)


def _row_of(step: PlanStep, positions: Positions) -> str:
    """The beginning of the line of a step."""
    start = positions.steps[step.step_id].span.start
    return positions.source.text[start : start + _SHORT].lstrip().partition("\n")[0]


def _has_type(step: PlanStep, positions: Positions) -> bool:
    """Whether a step's line has its type."""
    return f"[{step.step_type}]" in _row_of(step, positions)


def _is_phase(step: PlanStep, positions: Positions) -> bool:
    """Whether a step's line is that of a phase with a number."""
    return compiled(_PHASE).match(_row_of(step, positions)) is not None


def _is_numbered(step: PlanStep, positions: Positions) -> bool:
    """Whether a step's line has a number, or a box."""
    row = _row_of(step, positions)
    return read_bullet(row) is None or has_box(row)
