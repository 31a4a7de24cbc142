"""Patches, and the managers that own the fields of an object."""
