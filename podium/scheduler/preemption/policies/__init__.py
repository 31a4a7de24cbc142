"""Preemption policies that Kubernetes does not have; all are off by default."""
