"""Role-based access control by stored roles and bindings, as in v1.36."""
