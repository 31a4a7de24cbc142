"""Versioned objects with a history: what a kube-apiserver gets from etcd and its watch cache.

Pure: no clock, no files. What must outlast the process goes through a `Journal`.
"""
