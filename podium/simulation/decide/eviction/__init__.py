"""Questions about node-pressure eviction in, answers out."""
