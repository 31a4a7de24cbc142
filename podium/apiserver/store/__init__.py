"""Versioned objects with their history: the equivalent of etcd and the watch cache.

The store uses no clock and no files; a `Journal` persists the writes.
"""
