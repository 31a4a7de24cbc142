"""Whole clusters: drivers and informers, virtual, embedded and real clusters."""
