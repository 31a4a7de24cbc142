"""Preemption as DefaultPreemption of v1.36 does it: who may, what would go where, which node."""
