"""Integers in texts: what Go's strconv reads, and nothing else."""
