"""Benchmarks of a running cluster: `podium up` in one process, its clients in another."""
