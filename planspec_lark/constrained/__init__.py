"""Grammars that hold a language model to a language while it writes."""
