"""The package as it was at one commit beside the package as it is: what both say of many texts has to be the same."""
