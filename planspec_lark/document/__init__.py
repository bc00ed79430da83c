"""Documents that are changed and keep their format."""
