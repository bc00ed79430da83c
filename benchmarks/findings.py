"""What a suite is asked for and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.measure import Timing
from benchmarks.tables import Table

__all__ = ["Findings", "Settings", "Suite"]


@dataclass(frozen=True)
class Settings:
    """How much to measure."""

    quick: bool = False

    @property
    def rounds(self) -> int:
        """Rounds of each comparison."""
        return 3 if self.quick else 5


@dataclass
class Findings:
    """What was measured: tables to read, figures for the targets, and all times in seconds."""

    tables: list[Table] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    timings: dict[str, Timing] = field(default_factory=dict)

    def note(self, prefix: str, timings: Mapping[str, Timing]) -> None:
        """Keep times under their names behind a prefix."""
        self.timings.update({f"{prefix}/{name}": timing for name, timing in timings.items()})

    def add(self, other: Findings) -> None:
        """Take over what another suite has found."""
        self.tables += other.tables
        self.figures.update(other.figures)
        self.timings.update(other.timings)


Suite = Callable[[Settings], Findings]
