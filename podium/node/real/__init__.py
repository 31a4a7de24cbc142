"""A real machine as a node: what its kubelet decides. `podium.machine` does what it wants done."""
