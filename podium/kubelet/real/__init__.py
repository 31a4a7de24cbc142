"""A real machine as a node: what its kubelet decides. `podium.kubelet.real.host` does what it wants done."""
