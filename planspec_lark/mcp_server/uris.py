"""Addresses of plans, as resources have them."""

from __future__ import annotations

from urllib.parse import quote, unquote

from planspec_lark.folder.models import FolderError, FolderErrorReason

__all__ = ["TEMPLATE", "name_of", "uri_of"]

_PREFIX = "planspec://plans/"
TEMPLATE = f"{_PREFIX}{{name}}"


def uri_of(name: str) -> str:
    """The address of the plan with this name."""
    return _PREFIX + quote(name, safe="")


def name_of(uri: str) -> str:
    """The name of the plan at an address; whether it can be one, is not asked.

    Raises:
        FolderError: it is the address of no plan.
    """
    if not uri.startswith(_PREFIX):
        raise FolderError(f"addresses of plans look like {TEMPLATE}", FolderErrorReason.MISSING)
    try:
        return unquote(uri[len(_PREFIX) :], errors="strict")
    except UnicodeDecodeError:
        raise FolderError("the name in this address is not UTF-8", FolderErrorReason.NAME) from None
