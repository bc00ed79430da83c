"""How time and memory grow with the input: hostile shapes, all that reads or prints them, and a long run by hand."""
