"""The codes of all findings: one table for all languages, in the order of the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from attrs import frozen

__all__ = ["CODES", "Code", "Risk", "Severity", "highest"]


class Severity(str, Enum):
    """How much a diagnostic weighs: an info never fails a check, a warning only a strict one."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def counts_as(self, least: Severity) -> bool:
        """Whether it weighs at least as much as another one."""
        return _WEIGHTS[self] >= _WEIGHTS[least]


_WEIGHTS = {Severity.ERROR: 2, Severity.WARNING: 1, Severity.INFO: 0}


class Risk(str, Enum):
    """How likely it is that a repair changes what is meant, the least first."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def __init__(self, _value: str) -> None:
        self.rank = len(type(self).__members__)
        """Its place among the four, from 0."""


def highest(risks: Iterable[Risk]) -> Risk:
    """The highest of these."""
    return max(risks, default=Risk.NONE, key=lambda risk: risk.rank)


@frozen
class Code:
    """A stable name for one kind of finding.

    The names of tool plans are written as results of :func:`planspec_lark.toolplan.validate_plan_doc` have them:
    ``UNKNOWN_STEP_REF``.
    """

    code: str
    name: str
    severity: Severity
    summary: str

    @property
    def label(self) -> str:
        """What texts call it: the code, and its name as well where results have no other code than that."""
        return f"{self.code} {self.name}" if self.name.isupper() else self.code


_TABLE = """
PS101 error   unknown-line          A line that is not part of a plan.
PS102 error   control-character     A control character other than tab, or a lone surrogate.
PS103 error   code-fence            A line that opens or closes a code block.
PS104 error   wrong-header          A header that is almost one of the headers of a plan.
PS105 error   repeated-part         A second title, goal, list of constraints or list of steps.
PS106 error   part-out-of-order     A part after one that it has to precede.
PS107 error   orphan-line           A `>` detail line or a `-` list line with nothing above it to belong to.
PS109 error   missing-text          A title or a constraint without text.
PS110 error   bad-id                A step that does not start with an id and a dot.
PS111 error   bad-mark              A status mark that is not one of `[ ]`, `[x]`, `[>]`, `[!]`, `[~]`.
PS112 error   bad-type              A step without a type in square brackets.
PS113 error   missing-space         Parts of a step line without white space between them.
PS114 error   empty-segment         A separator with nothing after it.
PS115 error   bad-progress          `Progress:` without `N` or `N/M`.
PS116 error   repeated-progress     A second `Progress:` in one line.
PS117 error   duplicate-id          An id that another step already has.
PS118 error   wrong-bullet          A constraint that does not start with `- `.
PS119 error   invalid-utf-8         Bytes that are not UTF-8.
PS120 error   more-findings         More findings than are listed.
PS121 error   too-many-bytes        A text with more bytes than a limit allows.
PS122 error   too-many-steps        A plan with more steps than a limit allows.
PS123 error   too-deep              A plan with more levels than a limit allows.
PS124 error   comment               A comment after a header.
PS125 error   reasoning-block       Reasoning that a model wrote between tags such as `<think>` and `</think>`.
PS126 error   wrapped-line          A line that continues the line before it.
PS127 error   elision               A line that stands for others that were left out.
PS128 error   conflict-marker       A line that a merge left where two versions conflict.
PS129 error   truncated             The end of a truncated answer.
PS130 error   rival-plan            A second plan in the same text, where nothing says which of them counts.
PS131 error   stray-part            A step, or a part that the plan lacks, outside of the plan.
PS132 error   remark                Text around a plan, where that is to be looked at first.
PS201 error   no-steps              A plan without steps.
PS202 error   invalid-type          A type that is not reason, act, decide or subtask.
PS203 error   duplicate-name        A name that another step already has.
PS204 error   leaf-with-children    A `reason` or `act` step with children.
PS205 error   no-goal               A plan without a goal.
PS206 warning empty-container       A `subtask` or `decide` step without children.
PS301 warning missing-parent        A step whose parent's id does not exist.
PS302 info    id-gap                A number that is missing among siblings.
PS303 warning id-disorder           A step after a sibling with a higher number.
PS305 warning almost-an-arrow       `->`, or a list with foreign commas, where outputs or inputs may be meant.
PS306 warning input-before-output   An input that only a later step produces.
PS307 info    outside-input         An input that no step produces.
PS308 warning repeated-output       An output that another step also declares.
PS309 info    unused-output         An output that no step takes as input.
PS310 warning done-with-open-steps  A done container with children that are not done.
PS311 warning progress-beyond-total Progress beyond its total.
PS312 warning empty-description     A step without a description.
PS313 info    no-outputs            A step without outputs.
PS314 info    word-after-arrow     A single word after an arrow that is not a variable.
PS315 info    description-length    A description of fewer than 80 or more than 130 characters; only where asked for.
PS316 warning near-an-output        An input that no step produces, and that almost matches an output.
PS320 warning almost-progress       A result that is almost a progress, such as `progress 3/5`.
PS321 warning split-code            A separator between two backticks, so that a part of what is in them is a result.
PC101 error   unknown-verb          A command with an unknown verb.
PC102 error   lower-case-verb       A verb that is not in upper case.
PC103 error   bad-target            A command without a step id.
PC104 error   missing-type          ADD or REVISE without a type in square brackets.
PC105 error   bare-replan           REPLAN with neither an id nor ALL.
PC106 error   loose-text            Text where the command takes none.
PC107 error   wrong-prefix          A line that almost starts with `PLAN_CMD:`.
PC108 error   command-control-character  A control character in a command.
PC111 error   unknown-step          A command for a step that does not exist.
PC112 error   unknown-parent        ADD below a step that does not exist.
PC113 error   leaf-parent           ADD below a `reason` or `act` step.
PC114 error   unknown-type          ADD or REVISE with a type that is not reason, act, decide or subtask.
PC115 error   not-a-container       REPLAN, or new children, for a `reason` or `act` step.
PC116 error   leaf-with-children    REVISE to `reason` or `act` of a step with children.
PC117 error   no-room               ADD would raise a number beyond nine digits.
PC118 error   malformed-command     A command built in code that no line could express.
PC119 error   below-itself          A step that would move below itself.
PC120 error   name-taken            A name that another step already has.
PC122 error   missing-result        A step set to done without a result, where a result is required.
PE101 error   missing-field         A required field that is missing.
PE102 warning unknown-field         An unknown field.
PE103 error   wrong-kind            A value of the wrong type.
PE104 error   unknown-status        An unknown `status`.
PE105 error   missing-branch        A decision that names no branch.
PE106 error   unknown-branch        A `branch` that the decision does not have.
PE107 warning branch-without-decision  A `branch` where there are no branches.
PE108 warning unfit-result          A `result` of several lines, or too long for one line.
PE109 warning missing-output        A completed step without one of its outputs.
PE110 warning unknown-output        An output that the step does not declare.
PE201 error   nothing-decided       An answer without a decision and without a command.
PE202 error   wrong-decision        A line that is almost a decision.
PE203 error   two-decisions         A second, different decision.
PE204 error   impossible-decision   A decision that is not possible here.
PE205 error   misplaced-command     A command that is not possible here.
PE207 error   contradiction         A command that contradicts the decision or another command.
PE208 error   skip-of-done          SKIP of a step that is done.
PE301 error   nothing-planned       An answer without steps where steps were asked for.
PE302 error   too-many-planned      More steps than the planner may write at a time.
PE303 error   loop-too-long         A loop with more rounds than the planner may ask for.
PE304 error   name-taken            A name that another step of the plan already has.
PE401 error   missing-input         An input that nothing brings when the plan is run; only where asked for.
EX101 warning unknown-box           A check box or status that the format does not have.
EX102 warning duplicate-id          A task id that another task already has.
EX103 warning unknown-task          A dependency on a task that does not exist.
EX104 warning circle                A dependency that closes a cycle.
EX107 warning wrong-kind            A field of a task with a value of the wrong type.
EX108 warning control-character     A character that is not allowed in a plan.
EX110 error   no-tasks              A text without tasks, or in no known format.
EX111 error   undecided             A text that may be in several formats.
EX112 warning like-a-task           Lines kept as text that look like tasks.
EX113 warning open-block            A code block or a comment without an end that takes in a list.
EX114 warning open-below            A task that is ticked above one that is not.
EX115 warning several-lists         Several lists on one level, without boxes.
EX116 warning later-task            A dependency on a task that comes later.
HS101 error   unknown-line          A line that is not part of a HopSpec document.
HS102 error   control-character     A control character other than tab, or a lone surrogate.
HS103 error   unknown-section       An unknown section, or a section header in the wrong form.
HS104 error   repeated-section      A second title, or a second section of the same name.
HS105 error   wrong-mode            A mode that is not AOT or JIT, or a mode line in the wrong form.
HS106 error   repeated-number       A number that another step already has.
HS107 error   wrong-heading         A line that is almost the heading of a step.
HS108 error   repeated-attribute    A second attribute of the same name in a step.
HS109 error   wrong-attribute       An attribute in the wrong form.
HS110 error   unknown-attribute     An unknown attribute.
HS111 error   wrong-number          A value that is not a whole number, where one is required.
HS112 error   wrong-list            A value that is not a list of names, where one is required.
HS113 error   unclosed-code         A code block that is not closed.
HS114 error   code-fence            A line that opens or closes a code block around the document.
HS115 error   step-outside          A step outside the section of steps.
HS116 error   orphan-line           An indented line or code block with no attribute above it.
HS117 error   conflict-marker       A line that a merge left where two versions conflict.
HS201 error   no-steps              A document without steps.
HS202 error   missing-section       A section that is missing or empty.
HS203 error   no-exit               A document whose last step does not exit.
HS204 error   invalid-type          A step without a type, or with an unknown type.
HS205 error   missing-attribute     A required attribute that is missing.
HS206 warning foreign-attribute     An attribute that steps of this type or mode do not have.
HS207 error   invalid-value         A value that its attribute does not allow.
HS208 error   leaf-with-children    A step with steps below it whose type cannot have any.
HS209 error   empty-container       A loop, branch or static subtask without steps below it.
HS210 error   planned-children      A dynamic or think subtask with steps below it.
HS211 error   outside-loop          `continue` or `break` outside a loop.
HS212 error   wrong-target-loop     A target loop that does not contain the step.
HS213 error   two-loop-modes        A loop with both a collection and a condition.
HS214 error   endless-loop          A `while` loop of a JIT document without a limit.
HS215 error   missing-name          A step without a name in an AOT document.
HS216 error   duplicate-name        A name that another step already has.
HS217 warning name-form             A name of a step or variable that is not in snake_case.
HS218 warning number-gap            A number that does not follow the number of the step before.
HS219 error   missing-parent        A step whose parent's number does not exist.
HS220 error   input-before-output   An input that only a later step produces.
HS221 warning unknown-input         An input that no step produces and the document does not declare.
HS223 warning label-and-type        A heading that names a type other than the step's own.
HS224 info    no-verification       An LLM step that does not say how it is verified.
HS226 warning too-deep-subtask      A subtask nested deeper than the limit of an outer subtask.
PJ101 error   no-object             A text without a JSON object.
PJ102 error   text-around-object    Other text before or after a JSON object.
PJ103 error   code-fence            A line that opens or closes a code block around JSON.
PJ104 error   second-object         A second JSON object.
PJ105 error   not-an-object         JSON whose top level is not an object.
PJ106 error   cut-off               Truncated JSON.
PJ107 error   too-deep              JSON with more levels than a limit allows.
PJ111 error   missing-comma         Two members or items without a comma between them.
PJ112 error   trailing-comma        A comma after the last member or item.
PJ113 error   missing-colon         A key and its value without a colon between them.
PJ114 error   missing-value         A key without a value, or a comma with nothing before it.
PJ115 error   wrong-bracket         A bracket that is not closed, or closed by the wrong one.
PJ116 error   full-width-sign       A full-width or other character in place of a JSON character.
PJ117 error   comment               A comment.
PJ118 error   unexpected-text       Any other text that is not allowed where it is.
PJ121 error   wrong-quotes          A string in quotes other than double quotes.
PJ122 error   unclosed-string       A string without its closing quote.
PJ123 error   unescaped-quote       A quote in the middle of a string.
PJ124 error   raw-control-character A line break or another control character in a string.
PJ125 error   bad-escape            A backslash that does not start a JSON escape.
PJ126 error   lone-surrogate        Half of a surrogate pair.
PJ127 error   unquoted-key          A key without quotes.
PJ128 error   duplicate-key         A key that the object already has.
PJ131 error   bare-word             A word in place of a value, such as `True`.
PJ132 error   not-finite            `NaN` or `Infinity`.
PJ133 error   bad-number            A number that is not in JSON form.
PJ134 error   number-out-of-range   A number beyond the range of floats, or with too many digits.
PM101 error   unasked-line          A repaired line whose number was not shown.
PM102 warning wrong-line-mark       A line that is almost a repaired line.
PM103 error   nothing-repaired      An answer with neither a repaired line nor a plan, or with both.
PM104 error   lost-lines            An answer that would take steps, constraints or details away.
PN101 error   missing-field         A required field that is missing.
PN102 error   unknown-field         An unknown field.
PN103 error   wrong-kind            A value of the wrong type.
PN104 error   unknown-message-type  A `type` that is not plan-next or plan-return.
PN105 error   unknown-plan-type     An unknown `plan_type`.
PN106 error   empty-goal            A goal without text.
PN107 error   done-not-empty        A new block in which something is already done.
PN108 error   structure-field       A field that controls the structure of the blocks.
PN201 error   wrong-phase           A type of message that is not allowed in this phase.
PN202 error   plan-in-execute       EXECUTE with a plan.
PN203 error   missing-call          EXECUTE without `executor_call`.
PN204 error   call-without-execute  `executor_call` with a plan type other than EXECUTE.
PN205 error   plan-size             A plan of fewer than 3 or more than 7 items.
PN206 warning missing-signal        A plan without `success_signal`.
PN207 error   sequence-word         A hypothesis that speaks of an order in time.
PN208 error   guess-word            A step that speaks of a guess.
PN209 error   state-path            A path into `.thinkon/`.
PN210 warning unstable-text         A time stamp, UUID or random number in a goal or plan.
PN211 error   empty-command         A call without a command.
PN212 warning empty-item            An item, goal or signal that is empty.
PN213 error   incomplete-call       A call without its command, its inputs or its expected observations.
PN214 warning nearly-same-item      An item of `update_plan` that almost repeats the goal of the new block.
PN215 warning missing-section       A result with a missing or repeated section.
PN216 warning unclear-completion    A result that does not say clearly how much is done.
PN301 error   unknown-executor      A command that names no known executor.
PN302 error   repeated-failure      A block, item or call that has already failed.
PN303 error   unsplit-failure       A goal that has already failed and is not split.
PN304 warning too-deep-to-split     A plan in a block that is too deep to be planned.
PN305 error   path-too-long         A context with more blocks around the current one than `max_depth`.
PN306 warning other-item            A block whose end removes another item from the plan than the one it is for.
PN401 error   duplicate-executor    A second executor with the same id.
PN402 error   bad-executor-id       An executor id that no command could name.
PY101 error   malformed-yaml        A text that is not YAML.
PY102 error   yaml-alias            An alias, which could make a short text a very large value.
PY103 error   yaml-tag              A tag, which could ask for other values than plain ones.
PY104 error   yaml-key              A key that is not a string.
PY105 error   yaml-documents        More than one document.
PT101 error   MISSING_FIELD         A required field that is missing.
PT102 error   INVALID_TYPE          A value of the wrong type.
PT103 error   EMPTY_STEPS           A plan without steps.
PT104 error   EMPTY_STEP_ID         An empty `step_id`.
PT105 error   DUPLICATE_STEP_ID     A `step_id` that another step already has.
PT201 error   UNKNOWN_ATOM_ID       A step of an unknown tool.
PT202 error   UNKNOWN_INPUT_FIELD   An input that the tool does not have.
PT203 error   MISSING_REQUIRED_INPUT A required input that is missing.
PT301 error   UNKNOWN_STEP_REF      A reference to an unknown step.
PT302 error   UNKNOWN_OUTPUT_FIELD  A reference to an output that the tool of its step does not have.
PT303 error   REF_BEFORE_DEPENDENCY A reference to a step that this step does not depend on.
PT401 error   UNKNOWN_DEPENDENCY    A dependency on an unknown step.
PT402 error   CIRCULAR_DEPENDENCY   Steps that depend on each other in a cycle.
PT501 warning MALFORMED_REFERENCE   A text that begins like a reference and is not one.
PT502 warning UNUSED_STEP_OUTPUT    A step whose outputs are all unused.
PT503 warning UNRESOLVED_OUTPUT     A reference in `plan.outputs` that does not resolve.
PT504 warning INPUT_TYPE_MISMATCH   A value of a different type than its input.
PT601 error   DUPLICATE_ATOM_ID     A second tool with the same id.
PT602 error   BAD_ATOM_ID           A tool id that is empty, or that differs from its key.
PT603 error   DUPLICATE_ATOM_FIELD  A second input or output with the same name.
PT604 error   MIXED_TOOL_FORMS      A tool in two forms, or in a different form than its list.
PT605 error   UNUSABLE_TOOL_SCHEMA  A schema that does not name the inputs of a tool.
PT606 warning TOOL_LEFT_OUT         A tool that is not a function with named inputs.
PT608 warning MORE_TOOL_PAGES       A page of tools that is not the last one.
PT609 warning UNKNOWN_TOOL_OUTPUTS  Tools that do not name their outputs.
"""


def _read_table() -> dict[str, Code]:
    rows = (line.split(maxsplit=3) for line in _TABLE.strip().split("\n"))
    return {code: Code(code, name, Severity(severity), summary) for code, severity, name, summary in rows}


CODES = _read_table()
"""All codes, each with its name, severity and summary, in the order of the documentation."""
