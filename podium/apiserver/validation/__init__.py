"""Validation: the words for checks of values, and the large pieces that kinds have in common."""
