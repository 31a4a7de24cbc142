"""The objects of dynamic resource allocation (resource.k8s.io/v1)."""
