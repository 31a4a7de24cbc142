"""The functions and operators of CEL in Kubernetes v1.36's environment, a module per subject."""
