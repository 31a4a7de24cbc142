"""Versioned objects with their history: what a kube-apiserver has in etcd and its watch cache.

The store reads no clock and no files; writes that must outlast the process go to a `Journal`.
"""
