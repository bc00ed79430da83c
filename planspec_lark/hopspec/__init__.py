"""HopSpec steps: models, and converting from and to plans."""
