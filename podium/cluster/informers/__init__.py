"""Informers: lists and watches, and the cache of objects that they keep."""
