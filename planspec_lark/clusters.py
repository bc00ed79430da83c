"""Clusters of Dask, for packages that send work to one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["LOOK_SECONDS", "WAIT_SECONDS", "ClusterError", "connect"]

# How long to wait for a first worker, or for one more where all are gone, and how often to look.
WAIT_SECONDS = 300.0
LOOK_SECONDS = 5.0

_TIMEOUT = "15s"


class ClusterError(Exception):
    """Dask is not installed, or the cluster does not answer; the text says which."""


def connect(address: str, extra: str) -> Any:
    """A ``distributed.Client`` of the scheduler at an address, such as ``tcp://host:8786``.

    Args:
        address: of the scheduler.
        extra: the extra of this package that brings Dask for the caller.

    Raises:
        ClusterError: there is no such client.
    """
    try:
        distributed = import_module("distributed")
    except ModuleNotFoundError as error:
        if error.name not in ("distributed", "dask"):
            raise
        hint = f"pip install 'planspec-lark[{extra}]'"
        raise ClusterError(f"a cluster of Dask needs the extra `{extra}`: {hint}") from None
    try:
        # A client that is made for no address at all does not end for a minute.
        import_module("distributed.comm").get_address_host_port(address)
        return distributed.Client(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {visible_name(address)}: {visible(str(error))}") from None
