"""Time series of a run and their plots."""
