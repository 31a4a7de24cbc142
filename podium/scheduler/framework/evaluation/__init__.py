"""Incremental evaluation: which nodes fit a class of pods, and how they score."""
