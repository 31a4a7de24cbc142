"""Subresources: the objects that result from binding, evicting and scaling.

The functions take the stored object, the posted object and the time; the verbs store the results.
"""
