"""Workloads expanded at once: what their controllers would do until they are content.

A plan that looks at one moment needs pods, not the steps in which controllers make them.
"""
