"""What any Python process needs: private files, pauses of garbage collection, bounded caches."""
