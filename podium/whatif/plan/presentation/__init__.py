"""A plan as sentences, tables and pictures."""
