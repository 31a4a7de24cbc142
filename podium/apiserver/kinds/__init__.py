"""Kinds: a file a family, in which all that the API server knows of its kinds stands together.

Each file ends in a `Registration` a kind: what is filled in, what is wrong with an object and with
a change of one, what a write resets, what a table shows, and what can be selected by. The rest of
the files are the words that these are written in. `registration/` finds the registration of
a kind.
"""
