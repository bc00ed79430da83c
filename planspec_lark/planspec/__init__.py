"""PlanSpec documents: models, reading, printing, folding, validation, lint."""
