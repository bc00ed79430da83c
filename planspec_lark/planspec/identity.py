"""What makes a step the same step: its own text, whatever its place, its status and its children are."""

from __future__ import annotations

import hashlib
import json

from planspec_lark.planspec.models import PlanStep

__all__ = ["hash_of"]


def hash_of(step: PlanStep) -> str:
    """A hash of what a step asks for: name, type, description, inputs, outputs and detail. 32 hexadecimal digits."""
    own = [step.step_name, step.step_type, step.description, step.inputs, step.outputs, step.detail]
    return hashlib.blake2b(json.dumps(own).encode(), digest_size=16).hexdigest()
