"""JSON texts: values with the place of each, and located diagnostics of all that is wrong."""
