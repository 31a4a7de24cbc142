"""Recordings: files with the changes of a cluster, which are replayed in virtual time."""
