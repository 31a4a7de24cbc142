"""Subresources: the objects that result from binding, evicting and scaling."""
