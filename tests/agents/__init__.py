"""Assistants: what is put into a project for them, and answers to their hooks."""
