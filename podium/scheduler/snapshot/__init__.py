"""The cluster as NumPy columns, a row per node, kept up to date by changes."""
