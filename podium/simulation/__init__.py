"""Scenarios, timelines, recordings, experiments, traces, benchmarks and decisions as JSON lines."""
