"""What the sources of the languages ask for, one test for each row of the table of deviations from them."""
