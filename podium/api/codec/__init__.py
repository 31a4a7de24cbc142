"""YAML and JSON: reading text into values as Kubernetes does, and writing it."""
