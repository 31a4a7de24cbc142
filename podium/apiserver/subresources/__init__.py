"""Subresources: the objects that binding, evicting and scaling write.

The functions take the stored object, the posted one and the time; the verbs store the results.
"""
