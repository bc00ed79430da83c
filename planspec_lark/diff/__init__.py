"""Versions of a plan: what differs between two, and how three become one."""
