"""A snapshot of a run: its state after one of its records, so that a replay need not begin with the first.

The records alone count. A snapshot that is damaged, of another version, or of other records is ignored.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from functools import cache
from importlib import import_module

from attrs import fields, frozen
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from planspec_lark.engine.entries import PlanEntry
from planspec_lark.engine.run_state import RunState
from planspec_lark.planspec.parser import GRAMMAR_VERSION

__all__ = ["Snapshot", "read_snapshot", "write_snapshot"]

# Another version may make something else of the same records.
# The top level has names of this package, so it is no module to import here.
_VERSION = f"{import_module('planspec_lark').__version__}, grammar {GRAMMAR_VERSION}"
# The last record is in the ledger.
_KEPT = {one.name for one in fields(RunState)} - {"last"}


@frozen
class Snapshot:
    """The state of a run.

    Attributes:
        version: of what has written it.
        seq, time, after: of the last record that it has.
        plan: the plan's text.
        state: the state after the records, without the last of them.
    """

    version: str
    seq: int
    time: float
    after: str
    plan: str
    state: RunState

    def ends_with(self, record: PlanEntry | None) -> bool:
        """Whether this is the last record that it has."""
        return record is not None and (self.seq, self.time, self.after) == (record.seq, record.time, record.after)


def write_snapshot(state: RunState, last: PlanEntry, plan: str) -> str:
    """The text of a snapshot: JSON, made shorter."""
    made = Snapshot(_VERSION, last.seq, last.time, last.after, plan, state)
    text = json.dumps(_converter().unstructure(made))
    return b64encode(zlib.compress(text.encode(), 1)).decode()


def read_snapshot(text: str | None) -> Snapshot | None:
    """The snapshot in a text; None if it cannot be used."""
    if text is None:
        return None
    try:
        # Has a checksum.
        value = json.loads(zlib.decompress(b64decode(text, validate=True)))
    except (ValueError, zlib.error):
        return None
    is_ours = value["version"] == _VERSION and value["state"].keys() == _KEPT
    return _converter().structure(value, Snapshot) if is_ours else None


@cache
def _converter() -> Converter:
    made = Converter(detailed_validation=False)
    left_out = override(omit=True)
    made.register_structure_hook(RunState, make_dict_structure_fn(RunState, made, last=left_out))
    made.register_unstructure_hook(RunState, make_dict_unstructure_fn(RunState, made, last=left_out))
    return made
