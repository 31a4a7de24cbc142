"""Role-based access control (RBAC) by stored roles and bindings, as in v1.36."""
