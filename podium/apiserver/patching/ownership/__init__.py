"""Managers of fields: server-side apply, and managedFields after other writes."""
