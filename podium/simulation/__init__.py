"""Scenarios, timelines, recordings, experiments, traces, benchmarks and `podium decide`."""
