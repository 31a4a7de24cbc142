"""Helpers of any Python process: private files, garbage collection, bounded caches."""
