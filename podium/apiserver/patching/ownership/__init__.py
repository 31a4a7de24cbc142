"""Managers of fields: server-side apply, and managedFields after other writes.

`typed_values` converts values into sets of fields (`field_sets`) by their types; `owners` stores
these sets by manager in managedFields.
"""
