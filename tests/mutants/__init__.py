"""The job of mutants: small faults in a package, put into a copy of it, and which of them its tests find."""
