"""Kinds: one module per family, with everything that is specific to its kinds in the API server.

Each module defines a `Registration` per kind: defaults, validation of objects and changes, fields
that a write resets, and selectable fields. `registration/` has the building blocks, and finds the
registration of a kind; `tables/` has the columns that kubectl prints.
"""
