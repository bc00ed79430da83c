"""Through the grammar's states token by token: what may follow is known before it is seen.

The grammar of JSON needs no look-ahead: in each state either some tokens may come or a rule is at its end. So a token
that may not come is found before anything has changed, and what may come can be read off.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from attrs import define, field, frozen

from planspec_lark.syntax import grammars

__all__ = ["Stepper"]


@frozen
class _States:
    """The states of the parser.

    A step to the end of a rule with one symbol is made right on to where that rule leads.
    """

    start: int
    steps: list[dict[str, int]]
    ends: list[tuple[int, str] | None]

    def go(self, state: int, symbol: str) -> int:
        """Where a symbol leads from a state."""
        target = self.steps[state][symbol]
        end = self.ends[target]
        return self.go(state, end[1]) if end is not None and end[0] == 1 and end[1] in self.steps[state] else target


@cache
def _states() -> _States:
    made = grammars.states("json_text", "text")
    plain = _States(made["start"], made["steps"], [end and (end[0], end[1]) for end in made["ends"]])
    steps = [{symbol: plain.go(state, symbol) for symbol in row} for state, row in enumerate(plain.steps)]
    return _States(plain.start, steps, plain.ends)


def _first_states() -> list[int]:
    return [_states().start]


@define
class Stepper:
    """Where in the grammar a text has come to."""

    _open: list[int] = field(factory=_first_states)
    _steps: list[dict[str, int]] = field(factory=lambda: _states().steps)
    _ends: list[tuple[int, str] | None] = field(factory=lambda: _states().ends)

    def take(self, terminal: str) -> bool:
        """Take a token of that kind, if it may come here."""
        open_states = self._open
        state = self._steps[open_states[-1]].get(terminal)
        if state is None:
            return False
        open_states.append(state)
        while (end := self._ends[state]) is not None:
            count, rule = end
            del open_states[-count:]
            following = self._steps[open_states[-1]].get(rule)
            if following is None:  # the whole text
                break
            state = following
            open_states.append(state)
        return True

    @property
    def expected(self) -> Mapping[str, int]:
        """What may come here, rules among it."""
        return self._steps[self._open[-1]]
