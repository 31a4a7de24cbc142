"""A real machine as a node: what its agent decides. `podium.machine` does what it wants done."""
