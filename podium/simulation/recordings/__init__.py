"""Recordings: what happened in a cluster, kept in files, and played again in virtual time."""
