"""The words of messages: which tell a guess from a step, which change each time, and what counts as the same text."""
