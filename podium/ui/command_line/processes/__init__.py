"""Processes that run until a signal: clusters, nodes, schedulers, recorders, and pages."""
