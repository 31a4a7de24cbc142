"""Managers of fields: server-side apply, and managedFields after other writes.

`typed_values` walks values by their types to get sets of fields (`field_sets`), which `owners`
keeps by manager in managedFields.
"""
