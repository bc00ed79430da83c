"""What makes a step the same step: its own text, whatever its place, its status and its children are."""

from __future__ import annotations

import hashlib
import json
from operator import attrgetter

from planspec_lark.planspec.models import STEP_FIELDS, PlanStep

__all__ = ["hash_of"]

_ASKED = attrgetter(*(name for name, info in STEP_FIELDS.items() if name != "step_id" and not info.is_state))


def hash_of(step: PlanStep) -> str:
    """A hash of what a step asks for: all its own fields but its id and its state. 32 hexadecimal digits."""
    return hashlib.blake2b(json.dumps(_ASKED(step)).encode(), digest_size=16).hexdigest()
