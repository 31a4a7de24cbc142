"""Comparison of two configurations or clusters over the same scenarios and seeds."""
