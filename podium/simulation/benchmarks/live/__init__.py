"""Measures a running cluster from outside: `podium up` in one process, its clients in another."""
