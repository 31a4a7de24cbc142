"""Nodes: what a kubelet decides about pods.

`simulated` carries it out without containers, `real` with the processes of a machine.
"""
