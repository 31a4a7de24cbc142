"""Preemption of pods on several nodes, for a pod that others keep away from elsewhere."""
