"""Kubernetes objects as values: quantities, selectors, requests, QoS classes, priorities, times.

Objects are the JSON that the API serves, as mappings; nothing here converts them into classes of
its own, so fields that Podium doesn't know survive. Imports nothing else of Podium.
"""
