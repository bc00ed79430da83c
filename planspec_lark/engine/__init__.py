"""Plans that run: steps, reflection on what failed, re-planning, and a ledger that survives a crash."""
