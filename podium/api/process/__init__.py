"""Helpers for Python processes: private files, garbage collection, bounded caches."""
