"""Validation: checks of values, and of parts that several kinds share."""
