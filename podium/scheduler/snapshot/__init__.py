"""The cluster as NumPy columns with a row for each node, updated by changes."""
