"""Scenarios in, decisions out: the machine interface to the core."""
