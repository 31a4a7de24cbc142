"""Reading of YAML and JSON as Kubernetes does it, and writing."""
