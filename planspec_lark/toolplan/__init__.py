"""Structured tool plans: steps that call tools, each with inputs that may refer to what others have put out."""
