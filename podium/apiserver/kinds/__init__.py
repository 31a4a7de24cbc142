"""Kinds: one module per family, with everything that is specific to its kinds in the API server.

Each module defines a `Registration` per kind. `registration/` has the building blocks, and finds
the registration of a kind; `tables/` has the columns that kubectl prints.
"""
