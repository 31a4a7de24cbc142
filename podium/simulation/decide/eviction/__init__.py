"""Questions about node-pressure eviction, and their answers."""
