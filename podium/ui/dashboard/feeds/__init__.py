"""Feeds of the dashboard: a first view of a running or recorded cluster, and changes to it."""
