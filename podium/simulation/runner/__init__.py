"""Simulations of scenarios: their steps, drains and assertions, and the report."""
