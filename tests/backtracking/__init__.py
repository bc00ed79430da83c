"""Regular expressions that go over the same characters again and again: all of the package's, and a search for them."""
