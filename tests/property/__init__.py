"""Promises that hold for every input, each tried on many."""
