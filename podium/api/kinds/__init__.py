"""The kinds of objects: built-in kinds, custom kinds, and the kinds that affect decisions."""
