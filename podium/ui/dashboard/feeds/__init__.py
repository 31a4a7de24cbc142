"""Feeds of the dashboard: a running or recorded cluster as a beginning and steps."""
