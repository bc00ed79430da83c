"""Names of plans: what can be one on every system, and how a description becomes one.

A name is a file's name without its ending, so it must not be able to lead anywhere else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from planspec_lark.folder.models import FolderError, FolderErrorReason
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["SUFFIX", "check_name", "fold_name", "forms", "is_name", "name_from", "shown_name"]

SUFFIX = ".md"
# Beside a plan there are files with longer endings, and most systems take 255 bytes.
_MOST_BYTES = 200
# A name that is made of a description ends before this, at a word.
_MOST_MADE = 60
_QUOTED = 60

_SEPARATORS = frozenset('/\\:*?"<>|')
# Devices, which Windows finds in every folder and with every ending.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"]
)
# What cannot be seen, or only looks like a space.
_UNSEEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"])


def check_name(name: str) -> str:
    """The name in the normal form NFC.

    Raises:
        FolderError: it cannot be the name of a plan; the text says why.
    """
    why = _find_fault(name)
    if why:
        raise FolderError(f"`{shown_name(name)}` cannot be the name of a plan: {why}", FolderErrorReason.NAME)
    return unicodedata.normalize("NFC", name)


def shown_name(name: str) -> str:
    """As much of a name as messages have, safe to show."""
    return visible_name(shorten(name, _QUOTED))


def is_name(name: str) -> bool:
    """Whether it can be the name of a plan."""
    return not _find_fault(name)


def _find_fault(name: str) -> str:
    """What is wrong with a name first; empty where nothing is."""
    # No more of it is looked at than a name may have.
    if len(name) > _MOST_BYTES or len(name.encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        return f"it has more than {_MOST_BYTES} bytes"
    return next(_faults(name), "")


def _faults(name: str) -> Iterator[str]:
    if not name:
        yield "it is empty"
    for char in name:
        if unicodedata.category(char) in _UNSEEN and char != " ":
            yield f"it has the character U+{ord(char):04X}, which cannot be seen"
        if char in _SEPARATORS:
            yield f"it has a `{char}`"
    if name.startswith((".", "-")):
        yield f"it begins with a `{name[0]}`"
    if name != name.strip(" "):
        yield "it begins or ends with a space"
    if name.endswith("."):
        yield "it ends with a `.`"
    if name.casefold().endswith(SUFFIX):
        yield f"it ends with `{SUFFIX}`, which is added to every name"
    if name.partition(".")[0].rstrip(" ").casefold() in _DEVICES:
        yield "Windows keeps it for a device"


def forms(name: str) -> list[str]:
    """The ways in which a file of this name may be called: as it is, composed, and decomposed."""
    return list(dict.fromkeys([name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD"))]))


def fold_name(name: str) -> str:
    """What two names have in common that some systems take for the same file."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def name_from(description: str) -> str:
    """A name in snake_case: Latin letters without accents, Chinese by pinyin, other scripts as they are.

    It takes as many whole words as fit into 60 characters. The same description always gives the same name.

    Raises:
        FolderError: there is no letter or digit to make a name of, or Chinese, and the package `pypinyin` is missing.
    """
    from planspec_lark.syntax.transliteration import snake_case  # noqa: PLC0415  (slow to load, and few names are made)

    try:
        name = snake_case(description, most=_MOST_MADE, most_bytes=_MOST_BYTES)
    except ModuleNotFoundError:
        message = "a name in pinyin needs an extra, pip install 'planspec-lark[zh]': install it, or give a name"
        raise FolderError(message, FolderErrorReason.NAME) from None
    if not name:
        raise FolderError("no name can be made of this description: give one", FolderErrorReason.NAME)
    # What is left to be wrong with it is the name of a device.
    return name if is_name(name) else check_name(f"{name}_plan")
