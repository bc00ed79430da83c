"""How likely it is that a repair of a tolerant reading changes what is meant."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

__all__ = ["RISKS", "Risk", "highest"]


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


# Of each code that a tolerant reading gives a warning with, the risk of the repair. Where a line has several faults,
# the highest counts, though only the first fault is named. Some are worse with some texts, as is said after them.
RISKS = {
    "PS102": Risk.MEDIUM,  # a control character was left out: what it stood for is gone
    "PS104": Risk.LOW,  # a header in other words or signs
    "PS105": Risk.MEDIUM,  # `## Steps` after steps: all are taken for one list
    "PS106": Risk.LOW,  # a part in another place: each part has its own words
    "PS110": Risk.LOW,  # an id in other signs: `1)`, `01.`, `**1.**`
    "PS111": Risk.LOW,  # a mark in other signs; a status that is not known was dropped: high
    "PS112": Risk.LOW,  # a type in other brackets
    "PS113": Risk.NONE,  # white space
    "PS114": Risk.LOW,  # a separator with nothing after it
    "PS115": Risk.LOW,  # progress in other signs; what had no number was taken for text: medium
    "PS116": Risk.MEDIUM,  # a second progress was taken for text
    "PS118": Risk.LOW,  # another bullet
    "PS203": Risk.MEDIUM,  # two steps with one name
    "PS206": Risk.MEDIUM,  # a container without steps, which may be lost
    "PS124": Risk.LOW,  # a comment after a header was left out; one after text, which may belong to it: medium
    "PS125": Risk.MEDIUM,  # reasoning that lacks a tag at one end: up to there, or from there on, all was left out
    "PS107": Risk.LOW,  # detail with a bullet, inputs in words
    "PS126": Risk.LOW,  # a line that was wrapped
    "PS129": Risk.MEDIUM,  # a plan that is cut off, where that is allowed
    "PS130": Risk.HIGH,  # of several plans one was taken, and nothing says which of them holds
    "PS305": Risk.MEDIUM,  # text was taken for outputs or inputs
}
