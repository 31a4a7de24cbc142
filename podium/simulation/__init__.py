"""Scenarios and their timeline, recordings, experiments, traces, benchmarks, and decisions over JSON lines."""
