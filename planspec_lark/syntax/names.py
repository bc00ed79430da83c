"""Names for things that come from elsewhere: the wanted one, or one with a number behind it where that is taken."""

from __future__ import annotations

from collections import Counter

from attrs import define, field

__all__ = ["Names"]


@define
class Names:
    """Names of which none is given twice.

    Attributes:
        taken: those that are not given any more.
    """

    taken: set[str] = field(factory=set)
    # The number that was given last, so that a thousand equal names are not counted from the start each time.
    _last: Counter[str] = field(factory=Counter, init=False)

    def take(self, wanted: str) -> str:
        """The name, or the first one that is free of ``name_2``, ``name_3`` and so on."""
        name = wanted
        while name in self.taken:
            self._last[wanted] += 1
            name = f"{wanted}_{self._last[wanted] + 1}"
        self.taken.add(name)
        return name
