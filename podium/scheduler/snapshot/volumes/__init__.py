"""Volumes as the scheduler sees them: what a pod uses, and where it can be reached."""
