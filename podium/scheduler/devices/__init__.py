"""Devices: which ones each node reaches, which are allocated, and which a claim gets.

Usable without the scheduling framework: `Allocator` (in `allocator.py`) allocates devices for
claims from the pools that a node reaches, as kube-scheduler v1.36's structured allocator does.
"""
