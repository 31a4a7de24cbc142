"""Drains and failures of nodes and zones, and what they do to a cluster."""
