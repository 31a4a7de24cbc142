"""Explanations of decisions: the amounts and names behind refusals, and remedies."""
