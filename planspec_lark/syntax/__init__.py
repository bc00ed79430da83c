"""What every language stands on: texts and places in them, diagnostics, limits, and the grammars themselves."""
