"""The fuzz job: every public reader on hostile input, a little with each run of the tests, for long by hand."""
