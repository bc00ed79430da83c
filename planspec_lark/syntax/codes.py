"""The codes of all findings: one table for all languages, in the order of the documentation."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

__all__ = ["CODES", "Code", "Severity"]


class Severity(str, Enum):
    """How much a diagnostic weighs: an info never fails a check, a warning only a strict one."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def counts_as(self, least: Severity) -> bool:
        """Whether it weighs at least as much as another one."""
        return _WEIGHTS[self] >= _WEIGHTS[least]


_WEIGHTS = {Severity.ERROR: 2, Severity.WARNING: 1, Severity.INFO: 0}


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
PS101 error   unknown-line          A line that is none of a plan's lines.
PS102 error   control-character     A control character other than tab, or a lone surrogate.
PS103 error   code-fence            A line that opens or closes a code block.
PS104 error   wrong-header          A header that is almost one of a plan's headers.
PS105 error   repeated-part         Title, goal, constraints or steps a second time.
PS106 error   part-out-of-order     A part behind one that it has to precede.
PS107 error   orphan-line           A `>` or `-` line that belongs to nothing.
PS109 error   missing-text          A title or a constraint without text.
PS110 error   bad-id                A step that does not start with an id and a dot.
PS111 error   bad-mark              A mark that is none of the five.
PS112 error   bad-type              A step without a type in square brackets.
PS113 error   missing-space         Parts of a summary line without white space between them.
PS114 error   empty-segment         A separator with nothing behind it.
PS115 error   bad-progress          `Progress:` without `N` or `N/M`.
PS116 error   repeated-progress     A second `Progress:` in one line.
PS117 error   duplicate-id          An id that another step has already.
PS118 error   wrong-bullet          A constraint that does not start with `- `.
PS119 error   invalid-utf-8         Bytes that are no UTF-8.
PS120 error   more-findings         More findings than are listed.
PS121 error   too-many-bytes        A text with more bytes than a limit allows.
PS122 error   too-many-steps        A plan with more steps than a limit allows.
PS123 error   too-deep              A plan with more levels than a limit allows.
PS124 error   comment               A comment behind a header.
PS125 error   reasoning-block       What a model wrote between tags such as `<think>` and `</think>`.
PS126 error   wrapped-line          A line that goes on with the one in front of it.
PS127 error   elision               A line that stands for others that are left out.
PS128 error   conflict-marker       A line that a merge leaves where two versions exclude each other.
PS129 error   truncated             The end of an answer that was cut off.
PS130 error   rival-plan            A plan that excludes another in the same text, and nothing says which of them holds.
PS201 error   no-steps              A plan without steps.
PS202 error   invalid-type          A type that is none of reason, act, decide, subtask.
PS203 error   duplicate-name        A name that another step has already.
PS204 error   leaf-with-children    A `reason` or `act` step with children.
PS205 error   no-goal               A plan without a goal.
PS206 warning empty-container       A `subtask` or `decide` step without children.
PS301 warning missing-parent        A step whose parent's id does not exist.
PS302 info    id-gap                A number left out among siblings.
PS303 warning id-disorder           A step behind a sibling with a higher number.
PS304 info    arrow-in-text         An arrow with something else than a variable list behind it.
PS305 warning almost-an-arrow       `->`, or a list with foreign commas, where outputs or inputs may be meant.
PS306 warning input-before-output   An input that only a later step produces.
PS307 info    outside-input         An input that no step produces.
PS308 warning repeated-output       An output that another step declares as well.
PS309 info    unused-output         An output that no step takes as input.
PS310 warning done-with-open-steps  A done container with children still to do.
PS311 warning progress-beyond-total Progress beyond its total.
PS312 warning empty-description     A step without a description.
PS313 info    no-outputs            A step without outputs.
PS314 info    word-behind-arrow     A single word behind an arrow that is no variable.
PS315 info    description-length    A description of fewer than 80 or more than 130 characters; only where asked for.
PS316 warning near-an-output        An input that no step produces, and that is almost the name of an output.
PS317 warning active-beside-active  A step in progress beside another one in progress.
PS318 warning done-before-inputs    A done step with an input whose steps are not done.
PS319 warning almost-a-list         An arrow with what is almost a variable list behind it.
PS320 warning almost-progress       A result that is almost a progress, such as `progress 3/5`.
PC101 error   unknown-verb          A command whose verb is none of the eight.
PC102 error   lower-case-verb       A verb that is not in upper case.
PC103 error   bad-target            A command without a step id.
PC104 error   missing-type          ADD or REVISE without a type in square brackets.
PC105 error   bare-replan           REPLAN with neither an id nor ALL.
PC106 error   loose-text            Text in a place where the command takes none.
PC107 error   wrong-prefix          A line that almost starts with `PLAN_CMD:`.
PC108 error   command-control-character  A control character in a command.
PC111 error   unknown-step          A command for a step that does not exist.
PC112 error   unknown-parent        ADD below a step that does not exist.
PC113 error   leaf-parent           ADD below a `reason` or `act` step.
PC114 error   unknown-type          ADD or REVISE with a type that is none of the four.
PC115 error   not-a-container       REPLAN, or new children, for a `reason` or `act` step.
PC116 error   leaf-with-children    REVISE of a step with children to `reason` or `act`.
PC117 error   no-room               ADD would push a number beyond nine digits.
PC118 error   malformed-command     A command built by hand that no line could spell.
PC119 error   below-itself          A step that would move below itself.
PC120 error   name-taken            A name that another step has already.
PC121 error   unreadable-change     A change after which the text around a plan would read as another plan.
PC122 error   missing-result        A step set to done without a result, where the folder asks for one.
PE101 error   missing-field         A field that has to be there.
PE102 warning unknown-field         A field that there is not.
PE103 error   wrong-kind            A value of another kind than its field holds.
PE104 error   unknown-status        A `status` that is none of the four.
PE105 error   missing-branch        A decision that names no branch.
PE106 error   unknown-branch        A `branch` that is none of the decision's.
PE107 warning branch-without-decision  A `branch` where there is none to name.
PE108 warning unfit-result          A `result` of several lines, or too long for one.
PE109 warning missing-output        A step that went well without something that it has to produce.
PE110 warning unknown-output        An output that the step does not declare.
PE201 error   nothing-decided       An answer without a decision and without a command.
PE202 error   wrong-decision        A line that is almost a decision.
PE203 error   two-decisions         A decision that is another one than the first.
PE204 error   impossible-decision   A decision that cannot be taken here.
PE205 error   misplaced-command     A command that cannot be given here.
PE207 error   contradiction         A command that contradicts the decision or another command.
PE208 error   skip-of-done          SKIP of a step that is done.
PE301 error   nothing-planned       An answer without steps where steps are asked for.
PE302 error   too-many-planned      More steps than the planner may write at a time.
PE303 error   loop-too-long         A loop with more rounds than the planner may ask for.
PE304 error   name-taken            A name that another step of the plan has.
EX101 warning unknown-box           A check box or a status that the format does not have.
EX102 warning duplicate-id          A task's id that another task has already.
EX103 warning unknown-task          A dependency on a task that there is not.
EX104 warning circle                A dependency that closes a circle.
EX105 warning open-front-matter     Front matter that is not closed.
EX106 warning almost-a-task         A line that is almost a task.
EX107 warning wrong-kind            A field of a task with a value of another kind than it holds.
EX108 warning control-character     A character that no plan can hold.
EX109 warning unusable-neighbour    A document beside the tasks that cannot be read.
EX110 error   no-tasks              A text without tasks, or in no known format.
EX111 error   undecided             A text that may be in several formats.
HS101 error   unknown-line          A line that is none of a HopSpec document's lines.
HS102 error   control-character     A control character other than tab, or a lone surrogate.
HS103 error   unknown-section       A section that there is not, or that is not written as one.
HS104 error   repeated-section      A title or a section a second time.
HS105 error   wrong-mode            A mode that is neither AOT nor JIT, or is not written as one.
HS106 error   repeated-number       A number that another step has already.
HS107 error   wrong-heading         A heading that is almost that of a step.
HS108 error   repeated-attribute    An attribute of a step a second time.
HS109 error   wrong-attribute       An attribute that is not written as one.
HS110 error   unknown-attribute     An attribute that there is not.
HS111 error   wrong-number          A value that has to be a whole number.
HS112 error   wrong-list            A value that has to be a list of names.
HS113 error   unclosed-code         A code block that does not end.
HS114 error   code-fence            A line that opens or closes a code block around the document.
HS115 error   step-outside          A step outside the section of steps.
HS116 error   orphan-line           A line that goes on with nothing.
HS201 error   no-steps              A document without steps.
HS202 error   missing-section       A section that is missing or empty.
HS203 error   no-exit               A document whose last step does not exit.
HS204 error   invalid-type          A step without a type, or of one that is none of the seven.
HS205 error   missing-attribute     An attribute that a step of its type and mode has to have.
HS206 warning foreign-attribute     An attribute that steps of its type or mode do not have.
HS207 error   invalid-value         A value that is none of those that its attribute may have.
HS208 error   leaf-with-children    A step with others below it whose type has none.
HS209 error   empty-container       A loop, branch or static subtask without steps below it.
HS210 error   planned-children      A dynamic or think subtask with steps below it.
HS211 error   outside-loop          `continue` or `break` outside of a loop.
HS212 error   wrong-target-loop     A target loop that is none of those around the step.
HS213 error   two-loop-modes        A loop with both a collection and a condition.
HS214 error   endless-loop          A `while` loop of a JIT document without a limit.
HS215 error   missing-name          A step without a name in an AOT document.
HS216 error   duplicate-name        A name that another step has already.
HS217 warning name-form             A name of a step or variable that is not in snake_case.
HS218 warning number-gap            A number that does not follow that of the step in front.
HS219 error   missing-parent        A step whose parent's number does not exist.
HS220 error   input-before-output   An input that only a later step produces.
HS221 warning unknown-input         An input that no step produces and the document does not declare.
HS222 info    unused-output         An output that nothing uses.
HS223 warning label-and-type        A heading that names another type than the step has.
HS224 info    no-verification       An LLM step that does not say how it is verified.
HS225 info    unused-element        A loop none of whose steps takes its element.
HS226 warning too-deep-subtask      A subtask below more others than these allow.
PJ101 error   no-object             A text without a JSON object.
PJ102 error   text-around-object    Other text in front of a JSON object or behind it.
PJ103 error   code-fence            A line that opens or closes a code block around JSON.
PJ104 error   second-object         A second JSON object.
PJ105 error   not-an-object         JSON with something else than an object at the top.
PJ106 error   cut-off               JSON that ends in the middle.
PJ107 error   too-deep              JSON with more levels than a limit allows.
PJ111 error   missing-comma         Two members or items without a comma between them.
PJ112 error   trailing-comma        A comma behind the last member or item.
PJ113 error   missing-colon         A key and its value without a colon between them.
PJ114 error   missing-value         A key without a value, or a comma with nothing in front of it.
PJ115 error   wrong-bracket         A bracket that is not closed, or closed with the wrong sign.
PJ116 error   full-width-sign       A full-width or other sign in place of the one of JSON.
PJ117 error   comment               A comment.
PJ118 error   unexpected-text       Anything else that cannot stand where it does.
PJ121 error   wrong-quotes          A string in other quotes than double ones.
PJ122 error   unclosed-string       A string without its closing quote.
PJ123 error   unescaped-quote       A quote in the middle of a string.
PJ124 error   raw-control-character A line break or another control character in a string.
PJ125 error   bad-escape            A backslash in a string that starts none of the escapes.
PJ126 error   lone-surrogate        Half of a surrogate pair.
PJ127 error   unquoted-key          A key without quotes.
PJ128 error   duplicate-key         A key that the object has already.
PJ131 error   bare-word             A word in place of a value, such as `True`.
PJ132 error   not-finite            `NaN` or `Infinity`.
PJ133 error   bad-number            A number that is not written as JSON writes it.
PJ134 error   number-out-of-range   A number beyond the range of floats, or with too many digits.
PM101 error   unasked-line          A mended line that was not asked for.
PM102 warning wrong-line-mark       A line that is almost a mended line.
PM103 error   nothing-mended        An answer without a mended line.
PN101 error   missing-field         A field that has to be there.
PN102 error   unknown-field         A field that there is not.
PN103 error   wrong-kind            A value of another kind than its field holds.
PN104 error   unknown-message-type  A `type` that is neither plan-next nor plan-return.
PN105 error   unknown-plan-type     A `plan_type` that is none of the three.
PN106 error   empty-goal            A goal without text.
PN107 error   done-not-empty        A new block in which something is done already.
PN108 error   structure-field       A field that steers the structure of the blocks.
PN201 error   wrong-phase           A type of message that this phase does not take.
PN202 error   plan-in-execute       EXECUTE with a plan.
PN203 error   missing-call          EXECUTE without `executor_call`.
PN204 error   call-without-execute  `executor_call` with another plan type than EXECUTE.
PN205 error   plan-size             A plan of fewer than 3 or more than 7 items.
PN206 warning missing-signal        A plan without `success_signal`.
PN207 error   sequence-word         A word of sequence in a hypothesis.
PN208 error   guess-word            A word of guessing in a step.
PN209 error   state-path            A path into `.thinkon/`.
PN210 warning unstable-text         A time stamp, UUID or random-looking token in a goal or plan.
PN211 error   empty-command         A call without a command.
PN212 warning empty-item            An item, a goal or a signal that says nothing.
PN213 error   incomplete-call       A call without its command, its inputs or what should be seen.
PN214 warning nearly-same-item      An item of `update_plan` that is meant as the new block, and does not say the same.
PN215 warning missing-section       A result without one of its four sections, or with one twice.
PN216 warning unclear-completion    A result that does not say plainly how far the work has come.
PN301 error   unknown-executor      A command that names no executor.
PN302 error   repeated-failure      A block, item or call that has failed already.
PN303 error   unsplit-failure       A goal that has failed already and is not split.
PN304 warning too-deep-to-split     A plan in a block that is too deep to be planned.
PN305 error   path-too-long         A context with more blocks around the one at hand than `max_depth`.
PN306 warning other-item            A block whose end takes another item off the plan than the one that it is for.
PN401 error   duplicate-executor    An executor's id a second time.
PN402 error   bad-executor-id       An executor's id that no command could name.
PY101 error   malformed-yaml        A text that is no YAML.
PY102 error   yaml-alias            An alias, which could make a short text a very large value.
PY103 error   yaml-tag              A tag, which could ask for other than plain values.
PY104 error   yaml-key              A key that is no string.
PY105 error   yaml-documents        More than one document.
PT101 error   MISSING_FIELD         A field that has to be there.
PT102 error   INVALID_TYPE          A value of another kind than its field holds.
PT103 error   EMPTY_STEPS           A plan without steps.
PT104 error   EMPTY_STEP_ID         An empty `step_id`.
PT105 error   DUPLICATE_STEP_ID     A `step_id` that is the name of another step.
PT201 error   UNKNOWN_ATOM_ID       A step of a tool that there is not.
PT202 error   UNKNOWN_INPUT_FIELD   An input that the tool does not have.
PT203 error   MISSING_REQUIRED_INPUT An input that the tool needs and is not given.
PT301 error   UNKNOWN_STEP_REF      A reference to a step that there is not.
PT302 error   UNKNOWN_OUTPUT_FIELD  A reference to an output that the tool of its step does not have.
PT303 error   REF_BEFORE_DEPENDENCY A reference to a step that its own step does not depend on.
PT401 error   UNKNOWN_DEPENDENCY    A dependency on a step that there is not.
PT402 error   CIRCULAR_DEPENDENCY   Steps that depend on one another in a circle.
PT501 warning MALFORMED_REFERENCE   A text that begins like a reference and is none.
PT502 warning UNUSED_STEP_OUTPUT    A step none of whose outputs is used.
PT503 warning UNRESOLVED_OUTPUT     A reference in `plan.outputs` to what there is not.
PT504 warning INPUT_TYPE_MISMATCH   A value of another type than its input has.
PT601 error   DUPLICATE_ATOM_ID     A tool's id a second time.
PT602 error   BAD_ATOM_ID           A tool's id that is empty, or another one than its key.
PT603 error   DUPLICATE_ATOM_FIELD  An input or output of a tool a second time.
PT604 error   MIXED_TOOL_FORMS      A tool of two forms, or of another form than its list.
PT605 error   UNUSABLE_TOOL_SCHEMA  A schema that does not say what the inputs of a tool are called.
PT606 warning TOOL_LEFT_OUT         A tool that is no function with inputs by name.
PT607 warning NOT_CARRIED_OVER      What a list of tools says and no check looks at.
PT608 warning MORE_TOOL_PAGES       A page of tools behind which there are more.
PT609 warning UNKNOWN_TOOL_OUTPUTS  Tools that do not say by name what comes out of them.
"""


def _read_table() -> dict[str, Code]:
    rows = (line.split(maxsplit=3) for line in _TABLE.strip().split("\n"))
    return {code: Code(code, name, Severity(severity), summary) for code, severity, name, summary in rows}


# Every code by itself, in the order of the documentation.
CODES = _read_table()
