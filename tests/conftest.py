"""What holds for all tests.

How hard to try: ``PLANSPEC_PROFILE`` is ``quick`` (the default, always the same examples) or ``full``.
"""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "quick", max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("full", max_examples=400, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("PLANSPEC_PROFILE", "quick"))

# What a shell runs in the background ignores interrupts, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
