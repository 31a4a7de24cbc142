"""Validation: checks of values, and checks of the parts that several kinds have in common."""
