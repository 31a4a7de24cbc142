"""Containers of a pod, their probes, and the runtime that runs them."""
