"""Versioned objects with their history: the equivalent of etcd and the watch cache."""
