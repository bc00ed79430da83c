"""A plan as a page for a browser: one file that needs nothing else, and a server that follows its file."""
