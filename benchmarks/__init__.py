"""Benchmarks: how fast plans are read, printed, checked and edited. Run them all with ``python -m benchmarks``."""
