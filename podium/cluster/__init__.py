"""Whole clusters: drivers and informers, virtual and embedded clusters, and the client of a real one."""
