"""Kinds: one file per family, with all that the API server does specially for its kinds.

Each file ends in a `Registration` a kind: what is filled in, what is wrong with an object and with
a change of one, what a write resets, and what can be selected by. `registration/` has the words
that these are written in, and finds the registration of a kind; `tables/` has what kubectl prints.
"""
