"""Admission: plugins that complete and check objects before they are stored, as in v1.36."""
