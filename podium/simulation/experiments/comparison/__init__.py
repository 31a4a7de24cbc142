"""Comparison of two sides over the same scenarios and seeds."""
