"""Kubernetes objects as values: quantities, selectors, requests, QoS classes, priorities, times."""
