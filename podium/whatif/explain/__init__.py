"""Explanations of decisions about a pod, and of the order in which a node evicts."""
