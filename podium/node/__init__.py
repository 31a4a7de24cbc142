"""Simulated nodes: what a kubelet does with pods, without containers."""
