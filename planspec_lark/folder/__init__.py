"""The folder planspec/ of a project: names, listing, new plans, the archive."""
