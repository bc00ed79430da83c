"""Public names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["LATE", "attach"]

# Modules above that a lower one is asked for by others, by what they are for.
LATE: dict[str, str] = {}


def attach(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Args:
        package: its ``__name__``.
        modules: each of its modules that has public names, and these, with blanks between them.
    """
    home = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        # From now on it is found without asking here.
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(home)
    return get, lambda: names, names
