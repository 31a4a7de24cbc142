"""Plays scenarios on a virtual cluster: steps, drains and assertions, and reports the outcome."""
