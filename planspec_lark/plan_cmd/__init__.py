"""PLAN_CMD lines: models, reading, printing, applying."""
