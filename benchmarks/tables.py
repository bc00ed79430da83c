"""Tables on the terminal and numbers in words. Rich draws the tables where it is installed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from unicodedata import east_asian_width

__all__ = ["Table", "ratio", "seconds", "show", "size"]

_MILLI = 1e-3
_KILO = 1000.0
# Columns of a table that goes into a file or a pipe.
_PAGE = 110


@dataclass
class Table:
    """One table: rows of text, and remarks below it."""

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def seconds(value: float) -> str:
    """A time with three digits and its unit."""
    for unit, factor in (("s", 1.0), ("ms", _MILLI)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / _MILLI**2:.3g} µs"


def size(value: float) -> str:
    """Bytes with three digits and their unit."""
    for unit in ("B", "kB", "MB"):
        if value < _KILO:
            return f"{value:.3g} {unit}"
        value /= _KILO
    return f"{value:.3g} GB"


def ratio(value: float) -> str:
    """How many times as much."""
    return f"{value:.2f}"


def show(table: Table) -> None:
    """Print a table."""
    if find_spec("rich"):
        _show_rich(table)
    else:
        sys.stdout.write(_plain(table))
    sys.stdout.flush()


def _show_rich(table: Table) -> None:
    drawn = import_module("rich.table").Table(title=table.title, title_justify="left", title_style="bold")
    for at, column in enumerate(table.columns):
        drawn.add_column(column, justify="right" if at else "left")
    for row in table.rows:
        drawn.add_row(*row)
    width = None if sys.stdout.isatty() else _PAGE
    console = import_module("rich.console").Console(markup=False, highlight=False, width=width)
    console.print()
    console.print(drawn)
    for note in table.notes:
        console.print(note)


def _plain(table: Table) -> str:
    rows = [table.columns, *table.rows]
    widths = [max(_width(row[at]) for row in rows) for at in range(len(table.columns))]
    lines = ["", table.title, ""]
    for row in rows:
        first, *others = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first, *(cell.rstrip().rjust(len(cell)) for cell in others)]).rstrip())
    return "\n".join([*lines, *table.notes, ""])


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
