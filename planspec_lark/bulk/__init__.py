"""Corpora of plans: many records in files, read, checked and scored shard by shard."""
