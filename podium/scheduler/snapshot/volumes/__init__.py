"""Volumes as the scheduler sees them: which ones a pod uses, and which nodes reach them."""
