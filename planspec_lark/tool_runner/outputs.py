"""What a callable has given, as the outputs of a step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from planspec_lark.awaitables import drop
from planspec_lark.runs.driver import describe
from planspec_lark.syntax.diagnostics import first_of
from planspec_lark.toolplan.resolver import ValueRefusedError, copy_value
from planspec_lark.toolplan.signatures import Signature, Slots
from planspec_lark.toolplan.structure import name_of
from planspec_lark.toolplan.types import accepts, kind_of

__all__ = ["as_kept", "check_types", "declared_outputs", "take_outputs"]


def declared_outputs(signature: Signature | None) -> Slots:
    """The outputs that a tool declares, by name."""
    return (signature.outputs if signature is not None else None) or {}


def take_outputs(value: Any, signature: Signature | None) -> dict[str, Any]:
    """A copy of what a callable has given.

    Raises:
        ValueRefusedError: it is not what the tool declares, or cannot be passed on.
    """
    declared = declared_outputs(signature)
    if value is None and not declared:
        return {}
    if not isinstance(value, Mapping):
        drop(value)
        raise ValueRefusedError(f"expected outputs by name, not {type(value).__name__}")
    outputs = _copy(value)
    strange = [key for key in outputs if not isinstance(key, str)]
    if strange:
        raise ValueRefusedError(f"names of outputs are texts, not {type(strange[0]).__name__}")
    missing = [f"'{name_of(name)}'" for name in declared if name not in outputs]
    if missing:
        raise ValueRefusedError(f"missing outputs: {first_of(missing)}")
    return outputs


def _copy(value: Mapping[Any, Any]) -> dict[str, Any]:
    try:
        copied: dict[str, Any] = copy_value(dict(value))
    except ValueRefusedError:
        raise
    except Exception as error:  # a mapping may be any program
        raise ValueRefusedError(f"its outputs cannot be read: {describe(error)}") from None
    return copied


def as_kept(outputs: dict[str, Any]) -> dict[str, Any]:
    """What a ledger will say of these outputs, so that the first run continues with the same as any later one.

    Raises:
        ValueRefusedError: JSON cannot say it.
    """
    try:
        "".join(outputs).encode()  # a name is not JSON
        made: dict[str, Any] = json.loads(json.dumps(outputs, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueRefusedError(f"the ledger cannot hold its outputs: {error}") from None
    return made


def check_types(outputs: dict[str, Any], signature: Signature | None) -> tuple[str, ...]:
    """What is to be said of outputs that are of other types than declared; safe to show."""
    return tuple(
        f"output '{name_of(name)}' is of type {name_of(slot.types)}, not {kind_of(outputs[name])}"
        for name, slot in declared_outputs(signature).items()
        if not accepts(slot.kinds, outputs[name])
    )
