"""Role-based access control: who may do what, by stored roles and bindings, as v1.36 decides it."""
